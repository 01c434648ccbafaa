package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// ignoreRule is one line of a file in the format of gitignore(5).
type ignoreRule struct {
	parts    []string // of the pattern, between slashes; a lone one matches a name in any folder
	anchored bool     // counts from the file's folder
	not      bool     // takes back what an earlier rule says
	folders  bool     // only folders
}

// maxIgnore is the size in bytes of the largest file of rules that is read:
// git's own limit.
const maxIgnore = 100 << 20

// readIgnore reads a file of rules. One that is a link counts as none, as for
// git, where follow is not set.
func readIgnore(file string, follow, fold bool) []ignoreRule {
	read := readLimited
	if !follow {
		if st, err := os.Lstat(file); err != nil || !st.Mode().IsRegular() {
			return nil
		}
		read = readPlain
	}
	b, err := read(file, maxIgnore)
	if err != nil {
		return nil // as for git
	}
	return parseIgnore(b, fold)
}

func parseIgnore(b []byte, fold bool) []ignoreRule {
	var list []ignoreRule
	b = bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	for raw := range bytes.Lines(b) {
		line := strings.TrimSuffix(string(raw), "\n")
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		line = trimBlanks(line)
		var r ignoreRule
		if strings.HasPrefix(line, "!") {
			r.not, line = true, line[1:]
		}
		if n := len(line); n > 0 && line[n-1] == '/' {
			r.folders, line = true, line[:n-1]
		}
		r.anchored = strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" {
			continue
		}
		if fold {
			line = strings.ReplaceAll(lowerASCII(line), "[:upper:]", "[:alpha:]")
		}
		r.parts = strings.Split(line, "/")
		list = append(list, r)
	}
	return list
}

// trimBlanks drops blanks at the end that no backslash protects.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			end = i + 1
		} else if s[i] != ' ' {
			end = i + 1
		}
	}
	return s[:end]
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// ignores returns what the last rule that matches says of a path, which counts
// from the rules' folder; ok is false where none does.
func ignores(rules []ignoreRule, rel string, folder bool) (ignored, ok bool) {
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	var parts []string
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		if r.folders && !folder {
			continue
		}
		matched := false
		if !r.anchored {
			matched = matchName(r.parts[0], name)
		} else {
			if parts == nil {
				parts = strings.Split(rel, "/")
			}
			matched = matchParts(r.parts, parts)
		}
		if matched {
			return !r.not, true
		}
	}
	return false, false
}

// matchParts matches the components of a path; "**" stands for any number of
// them, at the end for at least one. What the last "**" takes grows until the
// rest fits, so the work is bounded by the product of the lengths.
func matchParts(pattern, parts []string) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last "**", and what is behind what it takes
	for {
		switch {
		case p == len(pattern) && t == len(parts):
			return true
		case p < len(pattern) && pattern[p] == "**":
			if p+1 == len(pattern) {
				return t < len(parts)
			}
			star, from = p, t
			p++
			continue
		case p < len(pattern) && t < len(parts) && matchName(pattern[p], parts[t]):
			p++
			t++
			continue
		}
		if star < 0 || from >= len(parts) {
			return false
		}
		from++
		p, t = star+1, from
	}
}

// matchName matches one component with *, ?, [class] and backslash. What the
// last star takes grows until the rest fits.
func matchName(pattern, name string) bool {
	p, t := 0, 0
	star, from := -1, 0
	for {
		if p == len(pattern) && t == len(name) {
			return true
		}
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, from = p, t
				p++
				continue
			}
			if t < len(name) {
				if n, ok := matchByte(pattern[p:], name[t]); ok {
					p += n
					t++
					continue
				}
			}
		}
		if star < 0 || from >= len(name) {
			return false
		}
		from++
		p, t = star+1, from
	}
}

// matchByte matches a byte with what the pattern begins with, and returns how
// long that is.
func matchByte(pattern string, c byte) (n int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pattern) < 2 {
			return 0, false
		}
		return 2, pattern[1] == c
	case '[':
		return matchClass(pattern, c)
	}
	return 1, pattern[0] == c
}

// matchClass matches a bracket expression.
func matchClass(pattern string, c byte) (n int, ok bool) {
	i := 1
	negated := false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, false // not closed: it matches nothing
		}
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			if end := strings.Index(pattern[i+2:], ":]"); end >= 0 {
				known := false
				if known, ok = orClass(pattern[i+2:i+2+end], c, ok); !known {
					return 0, false
				}
				i += end + 4
				continue
			}
		}
		lo, next, fine := classByte(pattern, i)
		if !fine {
			return 0, false
		}
		hi := lo
		if next+1 < len(pattern) && pattern[next] == '-' && pattern[next+1] != ']' {
			if hi, next, fine = classByte(pattern, next+1); !fine {
				return 0, false
			}
		}
		ok = ok || lo <= c && c <= hi
		i = next
	}
}

func classByte(pattern string, i int) (c byte, next int, ok bool) {
	if pattern[i] == '\\' {
		i++
	}
	if i >= len(pattern) {
		return 0, 0, false
	}
	return pattern[i], i + 1, true
}

// orClass adds a named class to what matched before.
func orClass(name string, c byte, before bool) (known, ok bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := c > ' ' && c < 0x7f
	in := false
	switch name {
	case "alpha":
		in = lower || upper
	case "digit":
		in = digit
	case "alnum":
		in = lower || upper || digit
	case "lower":
		in = lower
	case "upper":
		in = upper
	case "space":
		in = c == ' ' || c >= '\t' && c <= '\r'
	case "blank":
		in = c == ' ' || c == '\t'
	case "punct":
		in = graph && !lower && !upper && !digit
	case "cntrl":
		in = c < ' ' || c == 0x7f
	case "graph":
		in = graph
	case "print":
		in = graph || c == ' '
	case "xdigit":
		in = digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	default:
		return false, before
	}
	return true, before || in
}

// ignoreSettings says where rules outside of the working tree are; ok is false
// where the configuration may say more than is read here.
func (l *Layout) ignoreSettings() (files []string, fold, ok bool) {
	configs := []config{}
	for _, file := range globalConfigs() {
		c, err := readConfig(file)
		if err != nil {
			return nil, false, false
		}
		configs = append(configs, c)
	}
	configs = append(configs, l.config)
	home, _ := os.UserHomeDir()
	excludes := filepath.Join(xdgConfig(home), "git", "ignore")
	for _, c := range configs {
		for _, s := range c {
			if strings.HasPrefix(s.section, "include") {
				return nil, false, false
			}
		}
		if v, set := c.last("core", "excludesfile"); set {
			excludes = v
		}
		fold = c.isTrue("core", "ignorecase", fold)
	}
	if rest, in := strings.CutPrefix(excludes, "~/"); in {
		excludes = filepath.Join(home, rest)
	} else if strings.HasPrefix(excludes, "~") || strings.HasPrefix(excludes, "%(") {
		return nil, false, false
	} else if excludes != "" && !filepath.IsAbs(excludes) {
		excludes = filepath.Join(l.WorkTree, excludes)
	}
	files = []string{filepath.Join(l.CommonDir, "info", "exclude")}
	if excludes != "" {
		files = append(files, excludes)
	}
	return files, fold, true
}
