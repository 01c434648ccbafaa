package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// mentions is what a question names literally: identifiers with how surely
// they are meant as such, paths, dotted module names and the frames of a
// traceback. Plain words count little, code counts much.
type mentions struct {
	names  map[string]int64 // identifier as written -> strength in thousandths
	paths  []string         // words with a slash or a file's extension, lower case
	dotted []string         // a.b.c as written
	frames []string         // paths of a traceback's frames, outermost first, lower case
	funcs  map[string]bool  // functions that the frames name
}

// Strengths of a mention, in thousandths.
const (
	mentionWord   = 120 // a plain word in lower case
	mentionCoded  = 300 // the same in a block of code
	mentionProper = 450 // a capitalised word that begins no sentence
	mentionName   = 800 // written as identifiers are
	mentionMarked = 1000
)

const (
	maxMentions     = 512
	maxMentionPaths = 64
)

// mentionsOf reads the question's text.
func mentionsOf(text string) *mentions {
	m := &mentions{names: map[string]int64{}, funcs: map[string]bool{}}
	code := false
	for n := 0; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"), trimmed == "{{{", trimmed == "}}}":
			code = !code && trimmed != "}}}"
			continue
		case strings.HasPrefix(trimmed, `File "`):
			m.frame(trimmed)
			continue
		}
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(trimmed, ">>>") || strings.HasPrefix(trimmed, "$ ")
		m.line(line, code || indented, n == 0)
	}
	return m
}

// frame reads a line of a Python traceback.
func (m *mentions) frame(line string) {
	rest := line[len(`File "`):]
	path, rest, ok := strings.Cut(rest, `"`)
	if !ok {
		return
	}
	if len(m.frames) < maxMentionPaths {
		m.frames = append(m.frames, strings.ToLower(strings.ReplaceAll(path, `\`, "/")))
	}
	if _, fn, ok := strings.Cut(rest, ", in "); ok {
		m.funcs[strings.Trim(fn, " ()<>")] = true
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b-'a' < 26 || b-'A' < 26 || b-'0' < 10 || b >= 0x80
}

// line reads the words of one line. A word runs over letters, digits,
// underscores and the dots, slashes and hyphens between them.
func (m *mentions) line(s string, code, title bool) {
	start := true // of a sentence
	for i := 0; i < len(s); {
		if !isWordByte(s[i]) && s[i] != '/' && s[i] != '.' {
			if s[i] == '.' || s[i] == '!' || s[i] == '?' || s[i] == ':' {
				start = true
			}
			i++
			continue
		}
		j := i
		for j < len(s) && (isWordByte(s[j]) || s[j] == '/' || s[j] == '.' || s[j] == '-' && j > i) {
			j++
		}
		word := strings.Trim(s[i:j], ".-")
		called := j < len(s) && s[j] == '('
		quoted := i > 0 && (s[i-1] == '`' || s[i-1] == '\'' && j < len(s) && s[j] == '\'')
		m.word(word, code, title, start, called, quoted)
		start = j > i && s[j-1] == '.'
		i = max(j, i+1)
	}
}

func (m *mentions) word(word string, code, title, start, called, quoted bool) {
	if word == "" {
		return
	}
	if strings.Contains(word, "/") || fileExtensions[strings.TrimPrefix(extOf(word), ".")] {
		if len(word) > 3 && len(m.paths) < maxMentionPaths {
			m.paths = append(m.paths, strings.ToLower(strings.Trim(word, "/")))
		}
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '.' || r == '/' || r == '-' })
	chained := len(parts) > 1 && strings.Contains(word, ".") && !strings.Contains(word, "/")
	if chained && len(m.dotted) < maxMentionPaths {
		m.dotted = append(m.dotted, word)
	}
	for k, p := range parts {
		strength := int64(mentionWord)
		shape := shapeOf(p)
		switch {
		case shape == shapeMixed:
			strength = mentionName
		case shape == shapeProper && !start, shape == shapeUpper:
			strength = mentionProper
		case code:
			strength = mentionCoded
		}
		switch last := k == len(parts)-1; {
		case quoted, called && last && shape != shapeNumber:
			strength = max(strength, mentionMarked)
		case chained && shape != shapeNumber:
			strength = max(strength, mentionName*3/4)
		}
		if shape == shapeNumber {
			continue
		}
		if code && !quoted && strength > mentionProper {
			strength = strength * 4 / 5
		}
		if title {
			strength = strength * 3 / 2
		}
		if old, ok := m.names[p]; ok || len(m.names) < maxMentions {
			m.names[p] = max(old, strength)
		}
	}
}

// Shapes of a word.
type wordShape uint8

const (
	shapeLower  wordShape = iota
	shapeProper           // Capitalised
	shapeUpper            // CAPITALS, also a single one
	shapeMixed            // camelCase, snake_case, or with digits
	shapeNumber
)

func shapeOf(s string) wordShape {
	var lowers, uppers, digits, under, inner int
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b-'a' < 26:
			lowers++
		case b-'A' < 26:
			uppers++
			if i > 0 {
				inner++
			}
		case b-'0' < 10:
			digits++
		case b == '_':
			under++
		}
	}
	switch {
	case lowers+uppers == 0:
		return shapeNumber
	case under > 0 || digits > 0 || inner > 0 && lowers > 0:
		return shapeMixed
	case uppers > 0 && lowers == 0:
		return shapeUpper
	case uppers > 0:
		return shapeProper
	}
	return shapeLower
}

// pathMention says how surely the question names the file: 1000 for its
// whole path or the innermost frame of a traceback, less for its last
// components, 0 for nothing.
func (m *mentions) pathMention(path string) (named, framed int64) {
	if len(m.paths)+len(m.frames)+len(m.dotted) == 0 {
		return 0, 0
	}
	low := lowerName(path)
	base := treepath.Base(low)
	for _, p := range m.paths {
		named = max(named, tailMatch(p, low, base))
	}
	for i, p := range m.frames {
		if t := tailMatch(p, low, base); t > 300 {
			// The innermost frame counts most.
			framed = max(framed, t*int64(i+1)/int64(len(m.frames)))
		}
	}
	if len(m.dotted) > 0 {
		stem := strings.TrimSuffix(path, extOf(path))
		stem = strings.TrimSuffix(stem, "/__init__")
		for _, d := range m.dotted {
			if t := dottedMatch(d, stem); t > 0 {
				named = max(named, t)
			}
		}
	}
	return named, framed
}

// tailMatch compares a written path with a file's: 1000 when the file's whole
// path stands in it or is its end, 800 for three components, 600 for two, 300
// for the name alone.
func tailMatch(written, path, base string) int64 {
	if !strings.HasSuffix(written, base) {
		return 0
	}
	if written == path || strings.HasSuffix(written, "/"+path) {
		return 1000
	}
	n := 0
	for a, b := written, path; a != "" && b != "" && treepath.Base(a) == treepath.Base(b); n++ {
		a, b = treepath.Dir(a), treepath.Dir(b)
	}
	switch {
	case n == 0:
		return 0
	case n == 1 && strings.Contains(written, "/"):
		return 150 // another folder's file of that name
	case n == 1:
		return 300
	case n == 2:
		return 600
	}
	return 800
}

// dottedMatch compares a dotted name with a path without its extension: its
// components must stand in a row at the end of the path's.
func dottedMatch(dotted, stem string) int64 {
	n := 0
	for rest := stem; rest != ""; n++ {
		c := treepath.Base(rest)
		i := strings.Index("."+dotted+".", "."+c+".")
		if i < 0 {
			break
		}
		// What stands in front must go on to match.
		if n > 0 && !strings.Contains("."+dotted+".", "."+c+"."+strings.ReplaceAll(stem[len(rest)+1:], "/", ".")+".") {
			break
		}
		rest = treepath.Dir(rest)
	}
	switch {
	case n == 0 || n == 1 && len(treepath.Base(stem)) < 4:
		return 0
	case n == 1:
		return 200
	case n == 2:
		return 600
	}
	return 900
}
