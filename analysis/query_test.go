package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"  ?! ", ""},
		{"how does routing work", "how:word:0:stop does:word:1:stop routing:word:2 work:word:3"},
		{"url_for", "url:part:0:ident for:part:0:ident urlfor:whole:0:ident"},
		{"flask.url_for", "flask:word:0:ident url:part:0:ident for:part:0:ident urlfor:whole:0:ident"},
		{"std::vec", "std:word:0:ident vec:word:0:ident"},
		{"p->next", "p:word:0:ident next:word:0:ident"},
		{"main()", "main:word:0:ident"},
		{"the end. Next", "the:word:0:stop end:word:1 next:word:2"},
		{"e.g. 3.14 a-b", "e:word:0:ident g:word:0:ident 3:word:1 14:word:1 a:word:2:stop b:word:2"},
		{"utf8 decode", "utf:part:0:ident 8:part:0:ident utf8:whole:0:ident decode:word:1"},
		{"test test testing", "test:word:0×2 testing:word:1"},
		{"日本語", "日本:bigram:0 本語:bigram:0"},
		{"Flask", "flask:word:0"},
		{"for each", "for:word:0:stop each:word:1:stop"},
	} {
		var got []string
		for _, q := range ParseQuery(c.in).Terms {
			s := fmt.Sprintf("%s:%v:%d", q.Term, q.Kind, q.Word)
			if q.Identifier {
				s += ":ident"
			}
			if q.Stop {
				s += ":stop"
			}
			if q.Count > 1 {
				s += fmt.Sprintf("×%d", q.Count)
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, strings.Join(got, " "), c.want)
		}
	}
}

func TestParseQueryPhrases(t *testing.T) {
	for _, c := range []struct {
		in      string
		phrases [][]string
		terms   string
	}{
		{`"build the url" fast`, [][]string{{"build", "the", "url"}}, "build the url fast"},
		{`a "b c" d "e f g"`, [][]string{{"b", "c"}, {"e", "f", "g"}}, "a b c d e f g"},
		{`"word"`, nil, "word"},
		{`""`, nil, ""},
		{`open "quote only`, nil, "open quote only"},
		{`"url_for(x)"`, [][]string{{"url", "for", "x"}}, "url for urlfor x"},
		{`"日本語"`, [][]string{{"日本", "本語"}}, "日本 本語"},
	} {
		q := ParseQuery(c.in)
		var got [][]string
		for _, p := range q.Phrases {
			got = append(got, p.Terms)
		}
		var terms []string
		for _, x := range q.Terms {
			terms = append(terms, x.Term)
		}
		if !slices.EqualFunc(got, c.phrases, slices.Equal) || strings.Join(terms, " ") != c.terms {
			t.Errorf("%q: phrases %q, terms %q", c.in, got, terms)
		}
	}
	if p := ParseQuery(`x "build  the URL"`).Phrases; len(p) != 1 || p[0].Text != "build  the URL" {
		t.Errorf("phrases %+v", p)
	}
}

func TestParseQueryIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "word%dx ", i)
	}
	if n := len(ParseQuery(b.String()).Terms); n != maxQueryTerms {
		t.Errorf("%d terms", n)
	}
}

func TestVariants(t *testing.T) {
	for _, c := range []struct{ word, has, not string }{
		{"parsing", "parse parses parsed", ""},
		{"parsed", "parse parses parsing", ""},
		{"parse", "parses parsed parsing", ""},
		{"connections", "connection", ""},
		{"connection", "connections", ""},
		{"connect", "connects connected connecting", ""},
		{"query", "queries queried querying", ""},
		{"queries", "query", ""},
		{"classes", "class", ""},
		{"class", "classes", "clas"},
		{"boxes", "box", ""},
		{"caches", "cache", ""},
		{"stopped", "stop", "stopp"},
		{"running", "run", ""},
		{"calling", "call", ""},
		{"settings", "setting", "set"},
		{"status", "", "statu"},
		{"string", "strings", "str stre"},
		{"need", "needs", "ne"},
		{"speed", "speeds", "spe"},
		{"bus", "buses", "bu"},
	} {
		got := Variants(c.word)
		if !slices.IsSorted(got) || len(got) > maxVariants || slices.Contains(got, c.word) {
			t.Errorf("%s: %q", c.word, got)
		}
		for _, w := range strings.Fields(c.has) {
			if !slices.Contains(got, w) {
				t.Errorf("%s has no variant %s: %q", c.word, w, got)
			}
		}
		for _, w := range strings.Fields(c.not) {
			if slices.Contains(got, w) {
				t.Errorf("%s has the variant %s: %q", c.word, w, got)
			}
		}
	}
	for _, w := range []string{"", "ab", "x1y", "naïve", "url_for", strings.Repeat("a", 25)} {
		if got := Variants(w); got != nil {
			t.Errorf("%q: %q", w, got)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add(`how does "url_for" -> work::x ( "`)
	f.Fuzz(func(t *testing.T, s string) {
		q := ParseQuery(s)
		seen := map[string]bool{}
		for _, x := range q.Terms {
			if seen[x.Term] || x.Count < 1 || len(x.Term) > MaxTerm {
				t.Fatalf("term %+v", x)
			}
			seen[x.Term] = true
		}
		for _, p := range q.Phrases {
			if len(p.Terms) < 2 {
				t.Fatalf("phrase %+v", p)
			}
		}
	})
}
