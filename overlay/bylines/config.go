package bylines

import (
	"path"
	"strconv"
	"strings"
)

// maxConfig bounds the settings, in bytes.
const maxConfig = 64 << 10

// config is what the settings in the tree say about which files are indexed.
type config struct {
	include, exclude []string
	indexBytes       int64 // 0 for no limit of its own
	odd              bool  // written in a way that is not read here
}

// parseConfig reads the lists and limits of .pindex.yaml in the forms that
// people write: a list with one entry a line, or in brackets on one. It is no
// reader of YAML: of what it does not know, files that are new are left out.
func parseConfig(text []byte) *config {
	c := &config{}
	key, sub := "", ""
	add := func(v string) {
		g, ok := scalar(v)
		g = strings.TrimSuffix(strings.TrimPrefix(g, "/"), "/")
		if !ok || g == "" {
			c.odd = true
			return
		}
		switch key {
		case "include":
			c.include = append(c.include, g)
		case "exclude":
			c.exclude = append(c.exclude, g)
		}
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		bare := strings.TrimSpace(line)
		if bare == "" || bare[0] == '#' || bare == "---" {
			continue
		}
		if item, ok := strings.CutPrefix(bare, "- "); ok {
			add(item)
			continue
		}
		k, v, ok := strings.Cut(bare, ":")
		if !ok {
			c.odd = true
			continue
		}
		v = strings.TrimSpace(v)
		if line[0] != ' ' && line[0] != '\t' {
			key, sub = k, ""
		} else {
			sub = k
		}
		list, isList := strings.CutPrefix(v, "[")
		switch {
		case key == "limits":
			if sub == "index" {
				c.indexBytes = bytesOf(v)
			}
		case key != "include" && key != "exclude", v == "", v[0] == '#':
		case isList:
			inner, _, closed := strings.Cut(list, "]")
			c.odd = c.odd || !closed
			for item := range strings.SplitSeq(inner, ",") {
				if strings.TrimSpace(item) != "" {
					add(strings.TrimSpace(item))
				}
			}
		default:
			c.odd = true
		}
	}
	return c
}

// scalar reads a string in either quotes or none.
func scalar(v string) (string, bool) {
	v = strings.TrimSpace(v)
	if v == "" || strings.ContainsRune("&*!|>{[%@`", rune(v[0])) && !strings.HasPrefix(v, "*") {
		return "", false
	}
	if q := v[0]; q == '"' || q == '\'' {
		inner, rest, ok := strings.Cut(v[1:], string(q))
		rest = strings.TrimSpace(rest)
		return inner, ok && (rest == "" || rest[0] == '#') && !strings.Contains(inner, `\`)
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	// An alias begins with an asterisk; unquoted patterns cannot.
	return v, v[0] != '*'
}

// bytesOf reads a size such as 65536, 512KiB or 1MiB; 0 for anything else.
func bytesOf(v string) int64 {
	v, _, _ = strings.Cut(v, "#")
	v = strings.TrimSpace(v)
	shift := 0
	if d, ok := strings.CutSuffix(v, "KiB"); ok {
		v, shift = strings.TrimSpace(d), 10
	} else if d, ok := strings.CutSuffix(v, "MiB"); ok {
		v, shift = strings.TrimSpace(d), 20
	}
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0
	}
	return int64(n) << shift
}

// allows reports whether a path is to be indexed.
func (c *config) allows(p string) bool {
	in := len(c.include) == 0
	for _, g := range c.include {
		in = in || under(g, p)
	}
	for _, g := range c.exclude {
		in = in && !under(g, p)
	}
	return in
}

// under reports whether a pattern matches a path or a folder above it. `**`
// stands for any number of components, every other one is path.Match's.
func under(pattern, p string) bool {
	var match func(g, p []string) bool
	match = func(g, p []string) bool {
		switch {
		case len(g) == 0:
			return true
		case g[0] == "**":
			return match(g[1:], p) || len(p) > 0 && match(g, p[1:])
		case len(p) == 0:
			return false
		}
		ok, err := path.Match(strings.ReplaceAll(g[0], "[!", "[^"), p[0])
		return err == nil && ok && match(g[1:], p[1:])
	}
	return match(strings.Split(pattern, "/"), strings.Split(p, "/"))
}
