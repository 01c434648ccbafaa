package analysis

import (
	"slices"
	"strings"
)

// maxVariants bounds the forms that Variants returns: each costs the query
// side a look-up in every segment.
const maxVariants = 8

// Variants returns inflected English forms that may stand for the same word as
// term: plural and singular, past and progressive. It returns nil for terms
// that are not plain small ASCII words of at least three letters. The forms
// are sorted and do not hold term itself.
//
// The rules know no dictionary: parsing gives pars beside parse. A form that is
// no word is in no index and costs one failed look-up.
func Variants(term string) []string {
	if len(term) < 3 || len(term) > 24 {
		return nil
	}
	for i := range len(term) {
		if term[i]-'a' >= 26 {
			return nil
		}
	}
	out := make([]string, 0, maxVariants)
	add := func(s string) {
		if s != term && len(s) >= 2 && len(out) < maxVariants && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	bases := baseForms(term)
	for _, b := range bases {
		add(b)
	}
	for _, b := range bases {
		add(plural(b))
		add(past(b))
		add(progressive(b))
	}
	slices.Sort(out)
	return out
}

// baseForms returns what term may be an inflected form of, likeliest first;
// term itself when it bears no ending.
func baseForms(t string) []string {
	cut := func(suffix string) string { return strings.TrimSuffix(t, suffix) }
	switch {
	case strings.HasSuffix(t, "ies") && len(t) > 4:
		return []string{cut("ies") + "y"}
	case strings.HasSuffix(t, "ied") && len(t) > 4:
		return []string{cut("ied") + "y"}
	case strings.HasSuffix(t, "ss"), strings.HasSuffix(t, "us"), strings.HasSuffix(t, "is"):
		return []string{t}
	case strings.HasSuffix(t, "es") && sibilant(cut("es")):
		return []string{cut("es"), cut("s")}
	case strings.HasSuffix(t, "s") && len(t) > 3:
		return []string{cut("s")}
	case strings.HasSuffix(t, "eed"):
		return []string{t}
	case strings.HasSuffix(t, "ed") && stemLike(cut("ed")):
		return stripped(cut("ed"))
	case strings.HasSuffix(t, "ing") && stemLike(cut("ing")):
		return stripped(cut("ing"))
	}
	return []string{t}
}

// stripped returns the words that give s when -ed or -ing is cut off: with a
// doubled consonant made single (stopp, stop), as it is (connect), and with an
// e (pars, parse).
func stripped(s string) []string {
	n := len(s)
	if n > 2 && s[n-1] == s[n-2] && !vowel(s[n-1]) {
		if strings.IndexByte("lsz", s[n-1]) >= 0 { // call, pass, fuzz; cancelled
			return []string{s, s[:n-1]}
		}
		return []string{s[:n-1]}
	}
	return []string{s, s + "e"}
}

// stemLike reports whether s can stand before -ed or -ing: three letters or
// more with a vowel among them (string and speed are no inflected forms).
func stemLike(s string) bool {
	return len(s) >= 3 && strings.ContainsAny(s, "aeiouy")
}

func vowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

func sibilant(s string) bool {
	for _, e := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// consonantY reports whether b ends in y behind a consonant.
func consonantY(b string) bool {
	n := len(b)
	return n > 1 && b[n-1] == 'y' && !vowel(b[n-2])
}

func plural(b string) string {
	switch {
	case consonantY(b):
		return b[:len(b)-1] + "ies"
	case sibilant(b):
		return b + "es"
	}
	return b + "s"
}

func past(b string) string {
	switch {
	case consonantY(b):
		return b[:len(b)-1] + "ied"
	case strings.HasSuffix(b, "e"):
		return b + "d"
	}
	return b + "ed"
}

func progressive(b string) string {
	if n := len(b); n > 2 && b[n-1] == 'e' && b[n-2] != 'e' {
		return b[:n-1] + "ing"
	}
	return b + "ing"
}
