package compile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// ConfigPath is the file in the commit whose settings change its index.
const ConfigPath = ".pindex.yaml"

// Bounds of the configuration file itself: it comes from the commit.
const (
	maxConfigSize    = 64 << 10
	maxConfigGlobs   = 1000
	maxConfigGlobLen = 256
)

// Config is what .pindex.yaml in the commit asks for. It can only tighten:
// leave files, languages and views out, and lower limits.
type Config struct {
	Include   []string        // globs; empty includes everything
	Exclude   []string        // globs; they win over Include
	Limits    Limits          // zero fields leave the limit as it is
	Languages []string        // languages to parse; nil parses all. Others are read by lines
	Views     []artifact.View // nil is all
}

// allows reports whether the path is to be indexed.
func (c *Config) allows(path string) bool {
	in := len(c.Include) == 0
	for _, g := range c.Include {
		if in = doublestar.MatchUnvalidated(g, path); in {
			break
		}
	}
	if !in {
		return false
	}
	for _, g := range c.Exclude {
		if doublestar.MatchUnvalidated(g, path) {
			return false
		}
	}
	return true
}

// parses reports whether files of the language are to be parsed.
func (c *Config) parses(lang string) bool {
	return c.Languages == nil || slices.Contains(c.Languages, lang)
}

// ParseConfig reads the content of a .pindex.yaml. Every key must be known,
// and known once; languages are the names that it may list, ceiling the
// limits that it may not exceed. Errors name the line.
func ParseConfig(b []byte, languages []string, ceiling Limits) (*Config, error) {
	p := &configParser{languages: languages, ceiling: ceiling}
	if len(b) > maxConfigSize {
		return nil, p.errorf(0, "has %d bytes, more than %d", len(b), maxConfigSize)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &p.out, nil // empty, or comments alone
	case err != nil:
		return nil, p.errorf(0, "is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, p.errorf(0, "holds more than one YAML document")
	}
	if err := p.document(&doc); err != nil {
		return nil, err
	}
	return &p.out, nil
}

type configParser struct {
	languages []string
	ceiling   Limits
	out       Config
}

const configRemedy = "correct " + ConfigPath + " in the commit; its keys are include, exclude, limits.parse, limits.index, languages and views"

func (p *configParser) errorf(line int, format string, args ...any) error {
	at := ConfigPath
	if line > 0 {
		at += ":" + strconv.Itoa(line)
	}
	return fail.New(fail.Usage, configRemedy, "%s: %s", at, fmt.Sprintf(format, args...))
}

func (p *configParser) document(doc *yaml.Node) error {
	if len(doc.Content) != 1 {
		return p.errorf(doc.Line, "is not one mapping")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	return p.mapping(root, "the file", map[string]func(*yaml.Node) error{
		"include": func(n *yaml.Node) (err error) { p.out.Include, err = p.globs(n, "include"); return err },
		"exclude": func(n *yaml.Node) (err error) { p.out.Exclude, err = p.globs(n, "exclude"); return err },
		"limits": func(n *yaml.Node) error {
			return p.mapping(n, "limits", map[string]func(*yaml.Node) error{
				"parse": func(n *yaml.Node) (err error) {
					p.out.Limits.ParseBytes, err = p.size(n, "limits.parse", p.ceiling.ParseBytes)
					return err
				},
				"index": func(n *yaml.Node) (err error) {
					p.out.Limits.IndexBytes, err = p.size(n, "limits.index", p.ceiling.IndexBytes)
					return err
				},
			})
		},
		"languages": p.setLanguages,
		"views":     p.setViews,
	})
}

// mapping calls the function of each key, and refuses what it does not know.
func (p *configParser) mapping(n *yaml.Node, what string, keys map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.errorf(n.Line, "%s must be a mapping of keys to values", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		set, ok := keys[k.Value]
		if k.Kind != yaml.ScalarNode || !ok {
			known := make([]string, 0, len(keys))
			for name := range keys {
				known = append(known, name)
			}
			slices.Sort(known)
			return p.errorf(k.Line, "unknown key %q in %s; known are %s", k.Value, what, strings.Join(known, ", "))
		}
		if seen[k.Value] {
			return p.errorf(k.Line, "key %q stands twice", k.Value)
		}
		seen[k.Value] = true
		if err := set(v); err != nil {
			return err
		}
	}
	return nil
}

// list returns the strings of a sequence.
func (p *configParser) list(n *yaml.Node, what string) ([]*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.errorf(n.Line, "%s must be a list", what)
	}
	if len(n.Content) > maxConfigGlobs {
		return nil, p.errorf(n.Line, "%s has %d entries, more than %d", what, len(n.Content), maxConfigGlobs)
	}
	for _, e := range n.Content {
		if e.Kind != yaml.ScalarNode || e.Tag != "!!str" || e.Value == "" {
			return nil, p.errorf(e.Line, "each entry of %s must be a string", what)
		}
	}
	return n.Content, nil
}

// globs reads patterns. A pattern stands for what it matches and for all that
// lies below; braces are refused because matching them is not linear.
func (p *configParser) globs(n *yaml.Node, what string) ([]string, error) {
	entries, err := p.list(n, what)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		g := strings.TrimSuffix(strings.TrimPrefix(e.Value, "/"), "/")
		switch {
		case len(g) > maxConfigGlobLen:
			return nil, p.errorf(e.Line, "a pattern of %s has more than %d bytes", what, maxConfigGlobLen)
		case strings.HasPrefix(g, "!"):
			return nil, p.errorf(e.Line, "pattern %q: there is no negation; use include and exclude", e.Value)
		case strings.ContainsAny(g, "{}"):
			return nil, p.errorf(e.Line, "pattern %q: there are no braces; write one pattern for each alternative", e.Value)
		case g == "" || !doublestar.ValidatePattern(g):
			return nil, p.errorf(e.Line, "pattern %q is malformed", e.Value)
		}
		if !strings.HasSuffix(g, "/**") && g != "**" {
			g += "/**" // which matches the bare path too
		}
		out = append(out, g)
	}
	return out, nil
}

// size reads a number of bytes, such as 4096, 512KiB or 1MiB.
func (p *configParser) size(n *yaml.Node, what string, ceiling int64) (int64, error) {
	bad := func() (int64, error) {
		return 0, p.errorf(n.Line, "%s must be a number of bytes such as 65536, 512KiB or 1MiB", what)
	}
	if n.Kind != yaml.ScalarNode {
		return bad()
	}
	digits, shift := n.Value, 0
	if d, ok := strings.CutSuffix(digits, "KiB"); ok {
		digits, shift = strings.TrimSpace(d), 10
	} else if d, ok := strings.CutSuffix(digits, "MiB"); ok {
		digits, shift = strings.TrimSpace(d), 20
	}
	v, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || v == 0 {
		return bad()
	}
	size := int64(v) << shift
	if size > ceiling {
		return 0, p.errorf(n.Line, "%s is %d bytes, above the limit of %d: a file in the commit can only lower limits", what, size, ceiling)
	}
	return size, nil
}

func (p *configParser) setLanguages(n *yaml.Node) error {
	entries, err := p.list(n, "languages")
	if err != nil {
		return err
	}
	p.out.Languages = []string{}
	for _, e := range entries {
		if !slices.Contains(p.languages, e.Value) {
			return p.errorf(e.Line, "unknown language %q; known are %s", e.Value, strings.Join(p.languages, ", "))
		}
		p.out.Languages = append(p.out.Languages, e.Value)
	}
	return nil
}

func (p *configParser) setViews(n *yaml.Node) error {
	entries, err := p.list(n, "views")
	if err != nil {
		return err
	}
	p.out.Views = []artifact.View{}
	for _, e := range entries {
		v, ok := parseChosenView(e.Value)
		if !ok {
			return p.errorf(e.Line, "unknown view %q; known are source, lexical, dense, structural", e.Value)
		}
		if !slices.Contains(p.out.Views, v) {
			p.out.Views = append(p.out.Views, v)
		}
	}
	slices.Sort(p.out.Views)
	return nil
}
