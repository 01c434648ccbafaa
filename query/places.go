package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// A sourceLine is a line of a file as compilers, tracebacks and people write
// it: core.py:14, File "core.py", line 14, context.ts(34,5), core.py#L14.
type sourceLine struct {
	path string // lower case, slashes
	line int
	in   string // the function that a traceback says; "" where none does
}

const maxPlaces = 32

// placesOf returns the lines that a text names, the most telling first: the
// last frame of a Python traceback, the first of others.
func placesOf(text string) []sourceLine {
	var out []sourceLine
	python := false
	for i := 0; i < len(text) && len(out) < maxPlaces; {
		if !isPathByte(text[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && isPathByte(text[j]) {
			j++
		}
		word := strings.ToLower(strings.ReplaceAll(strings.Trim(text[i:j], `-.`), `\`, "/"))
		if fileExtensions[strings.TrimPrefix(extOf(word), ".")] {
			if line := lineBehind(text[j:]); line > 0 {
				out = append(out, sourceLine{word, line, functionBehind(text[j:])})
				python = python || i > 0 && text[i-1] == '"'
			}
		}
		i = j
	}
	if python {
		slices.Reverse(out)
	}
	return out
}

func isPathByte(b byte) bool {
	return isWordByte(b) || strings.IndexByte(`/.-\@+~`, b) >= 0
}

// lineBehind reads the number of a line behind a path, 0 for none.
func lineBehind(s string) (line int) {
	s = strings.TrimLeft(s, "\"'`")
	for _, lead := range []string{":", "(", "#L", ", line ", " line ", " on line ", ":line "} {
		rest, ok := strings.CutPrefix(s, lead)
		if !ok || rest == "" || rest[0]-'0' > 9 {
			continue
		}
		for i := 0; i < len(rest) && rest[i]-'0' < 10 && line < 1<<24; i++ {
			line = line*10 + int(rest[i]-'0')
		}
		return line
	}
	return 0
}

// functionBehind reads the function that the line of a Python traceback names
// behind a path and a line.
func functionBehind(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	rest, ok := strings.CutPrefix(s, "\", line ")
	if !ok {
		return ""
	}
	_, name, ok := strings.Cut(strings.TrimLeft(rest, "0123456789"), "in ")
	name, _, _ = strings.Cut(name, " ")
	if !ok {
		return ""
	}
	name = strings.Trim(name, "();,:\r")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// seedPlaces adds the units that hold the lines which the question names.
func (s *search) seedPlaces(f *fusion, cands []candidate, keep func(int) bool) ([]candidate, error) {
	if s.q.issue && strings.Contains(strings.TrimSpace(s.q.text), "\n") {
		return cands, nil
	}
	places := placesOf(s.q.text)
	if len(places) == 0 {
		return cands, nil
	}
	best := make([]int64, len(places)) // how well the best file fits
	type found struct{ place, doc, fit, further int }
	var all []found
	for p := range s.e.parts() {
		u, err := s.e.ix.Units(p)
		if err != nil {
			return nil, err
		}
		for file := range u.NumFiles() {
			path := lowerName(u.Path(file))
			base := treepath.Base(path)
			for i, at := range places {
				fit := tailMatch(at.path, path, base)
				if fit < 300 || fit < best[i] {
					continue
				}
				for n, doc := range docsAt(u, file, at) {
					if doc >= 0 && keep(s.e.docBase[p]+doc) {
						best[i] = fit
						all = append(all, found{i, s.e.docBase[p] + doc, int(fit), n})
					}
				}
			}
		}
	}
	have := make(map[int]int, len(cands))
	for i := range cands {
		have[cands[i].doc] = i
	}
	for _, x := range all {
		if int64(x.fit) < best[x.place] {
			continue
		}
		i, ok := have[x.doc]
		if !ok {
			i = len(cands)
			have[x.doc] = i
			cands = append(cands, f.candidate(x.doc))
		}
		cands[i].told = max(cands[i].told, placed-perFrame*int64(2*x.place+x.further))
	}
	return cands, nil
}

// docsAt returns the documents of a file that a place means, the best first, -1
// for none: the one that holds the line and, where the place names another
// function, as it does when its line is of another version, that function's
// before it.
func docsAt(u *artifact.UnitsReader, file int, at sourceLine) [2]int {
	first, end := u.FileUnits(file)
	holds, named, size := -1, -1, uint32(0)
	for n := first; n < end; n++ {
		from, to := u.UnitLines(n)
		lo, hi := u.UnitDocs(n)
		if lo == hi {
			continue
		}
		inside := int(from) <= at.line && at.line <= int(to)
		if at.in != "" && u.UnitName(n) == at.in && (named < 0 || inside) {
			named = lo
		}
		// The file itself may hold what no declaration does.
		if !inside || holds >= 0 && to-from >= size {
			continue
		}
		holds, size = lo, to-from
		for d := lo; d < hi && int(u.Doc(d).StartLine) <= at.line; d++ {
			holds = d
		}
	}
	if named >= 0 && holds >= 0 && u.UnitName(u.DocUnit(holds)) == at.in {
		named = -1
	}
	if named < 0 {
		return [2]int{holds, -1}
	}
	return [2]int{named, holds}
}

// phrasesOf tells the phrases of a question from what else it says. pure says
// that there is nothing but them. In a mixed question a quoted path names a file
// and an address leads elsewhere: neither is a phrase.
func phrasesOf(parsed []analysis.Phrase, text string) (phrases []analysis.Phrase, pure bool) {
	if len(parsed) == 0 {
		return nil, false
	}
	parts := strings.Split(text, `"`)
	pure = len(parts)%2 == 1
	for i := 0; i < len(parts); i += 2 {
		pure = pure && len(tokensOf(parts[i])) == 0
	}
	if pure {
		return parsed, true
	}
	for _, p := range parsed {
		t := strings.ReplaceAll(strings.TrimSpace(p.Text), `\`, "/")
		if !looksLikePath(t) && !strings.Contains(t, "://") {
			phrases = append(phrases, p)
		}
	}
	return phrases, false
}
