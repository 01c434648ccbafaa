package query

import (
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/fail"
)

// A glob matches paths. `*` matches within one path component, `**` as a whole
// component matches any number of components, `?` one character, `[a-z]` and
// `[!a-z]` a class, `{a,b}` either alternative, and `\` takes the next
// character literally. A pattern without a slash is matched against each
// path's last component, as in .gitignore; a pattern that matches a folder
// matches everything below it.
type glob struct {
	alts []globAlt
}

type globAlt struct {
	prefix string   // literal bytes that every match begins with
	comps  []string // pattern components
	base   bool     // match against the last component alone
}

// maxGlobAlternatives bounds what braces may expand to.
const maxGlobAlternatives = 256

// compileGlob returns the matcher of pattern, or a usage error. An empty
// pattern gives nil, which matches everything.
func compileGlob(pattern string) (*glob, error) {
	if pattern == "" {
		return nil, nil
	}
	expanded, err := expandBraces(pattern, 0)
	if err != nil {
		return nil, err
	}
	g := &glob{}
	for _, p := range expanded {
		p = strings.TrimPrefix(p, "./")
		rooted := strings.HasPrefix(p, "/")
		p = strings.Trim(p, "/")
		if p == "" || p == "." {
			p = "**"
		}
		a := globAlt{comps: strings.Split(p, "/"), base: !rooted && !strings.Contains(p, "/") && p != "**"}
		if err := checkClasses(p, pattern); err != nil {
			return nil, err
		}
		if !a.base {
			a.prefix = literalPrefix(a.comps)
		}
		g.alts = append(g.alts, a)
	}
	return g, nil
}

func globError(pattern, format string, args ...any) error {
	e := fail.New(fail.Usage, "write a literal bracket or brace behind a backslash", format, args...)
	e.What = "path pattern " + quote(pattern) + " " + e.What
	return e
}

// expandBraces replaces {a,b} by alternatives, outermost first.
func expandBraces(p string, depth int) ([]string, error) {
	if depth > 8 {
		return nil, globError(p, "nests braces too deep")
	}
	open := -1
	level := 0
	var cuts []int
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if level == 0 {
				open = i
			}
			level++
		case ',':
			if level == 1 {
				cuts = append(cuts, i)
			}
		case '}':
			if level == 0 {
				continue
			}
			level--
			if level > 0 {
				continue
			}
			var out []string
			from := open + 1
			for _, c := range append(cuts, i) {
				more, err := expandBraces(p[:open]+p[from:c]+p[i+1:], depth+1)
				if err != nil {
					return nil, err
				}
				if out = append(out, more...); len(out) > maxGlobAlternatives {
					return nil, globError(p, "has more than %d alternatives", maxGlobAlternatives)
				}
				from = c + 1
			}
			return out, nil
		}
	}
	if level > 0 {
		return nil, globError(p, "has a brace that is not closed")
	}
	return []string{p}, nil
}

func checkClasses(p, pattern string) error {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			end := classEnd(p, i)
			if end < 0 {
				return globError(pattern, "has a bracket that is not closed")
			}
			i = end
		}
	}
	return nil
}

// classEnd returns the index of the bracket that closes the class at i.
func classEnd(p string, i int) int {
	j := i + 1
	if j < len(p) && (p[j] == '!' || p[j] == '^') {
		j++
	}
	for first := true; j < len(p) && p[j] != '/'; first = false {
		if p[j] == ']' && !first {
			return j
		}
		if p[j] == '\\' {
			j++
		}
		j++
	}
	return -1
}

func literalPrefix(comps []string) string {
	var b strings.Builder
	for i, c := range comps {
		if strings.ContainsAny(c, `*?[\`) {
			break
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(c)
	}
	return b.String()
}

// match reports whether the glob matches path. A nil glob matches all.
func (g *glob) match(path string) bool {
	if g == nil {
		return true
	}
	for i := range g.alts {
		if g.alts[i].match(path) {
			return true
		}
	}
	return false
}

func (a *globAlt) match(path string) bool {
	if a.base {
		if matchComponent(a.comps[0], path[strings.LastIndexByte(path, '/')+1:]) {
			return true
		}
		// A bare name may be a folder anywhere above the file.
		for rest := path; ; {
			i := strings.IndexByte(rest, '/')
			if i < 0 {
				return false
			}
			if matchComponent(a.comps[0], rest[:i]) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	if !strings.HasPrefix(path, a.prefix) {
		return false
	}
	return matchComponents(a.comps, path)
}

// matchComponents matches pattern components against a path; at the end of
// the pattern the rest of the path lies below the matched folder. Runs of
// components between `**` are matched leftmost first, which is enough: a later
// match of an earlier run never helps a later one.
func matchComponents(comps []string, path string) bool {
	star, starPath := -1, ""
	i := 0
	for {
		if i == len(comps) {
			return true // exact, or path continues below a matched folder
		}
		if comps[i] == "**" {
			for i < len(comps) && comps[i] == "**" {
				i++
			}
			if i == len(comps) {
				return path != ""
			}
			star, starPath = i, path
			continue
		}
		if path != "" {
			head, rest, _ := strings.Cut(path, "/")
			if matchComponent(comps[i], head) {
				i, path = i+1, rest
				continue
			}
		}
		if star < 0 || starPath == "" {
			return false
		}
		_, starPath, _ = strings.Cut(starPath, "/")
		i, path = star, starPath
	}
}

// matchComponent matches one component; `*` backtracks to the last star only.
func matchComponent(p, s string) bool {
	starP, starS := -1, 0
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) {
			switch p[i] {
			case '*':
				starP, starS = i, j
				i++
				continue
			case '?':
				_, n := utf8.DecodeRuneInString(s[j:])
				i, j = i+1, j+n
				continue
			case '[':
				r, n := utf8.DecodeRuneInString(s[j:])
				end := classEnd(p, i)
				if end >= 0 && matchClass(p[i+1:end], r) {
					i, j = end+1, j+n
					continue
				}
			case '\\':
				if i+1 < len(p) && p[i+1] == s[j] {
					i, j = i+2, j+1
					continue
				}
			default:
				if p[i] == s[j] {
					i, j = i+1, j+1
					continue
				}
			}
		}
		if starP < 0 {
			return false
		}
		starS++
		i, j = starP+1, starS
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

func matchClass(class string, r rune) bool {
	negate := false
	if class != "" && (class[0] == '!' || class[0] == '^') {
		negate, class = true, class[1:]
	}
	next := func() rune {
		c, n := utf8.DecodeRuneInString(class)
		class = class[n:]
		if c == '\\' && class != "" {
			c, n = utf8.DecodeRuneInString(class)
			class = class[n:]
		}
		return c
	}
	found := false
	for class != "" {
		lo := next()
		hi := lo
		if len(class) > 1 && class[0] == '-' {
			class = class[1:]
			hi = next()
		}
		if lo <= r && r <= hi {
			found = true
		}
	}
	return found != negate
}

// quote writes s for a message: quoted, with control characters escaped.
func quote(s string) string {
	const limit = 200
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return quoteASCII(s)
}
