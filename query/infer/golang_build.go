package infer

import (
	"bytes"
	"strings"
)

// buildable keeps, of several definitions of one name, those that one build
// has: of the files that the file from is built with, or of those that a
// build without tags has. Where the operating system decides, all of them
// stay, since nobody says which one is meant.
func (g *goTypes) buildable(all []Thing, from int) []Thing {
	if len(all) < 2 {
		return all
	}
	for _, keep := range []func(x Thing) bool{
		func(x Thing) bool { return x.File == from },
		func(x Thing) bool {
			s, err := g.tree.Sketch(x.File)
			return err == nil && s != nil && goFits(g.tree.Path(x.File), s.Text)
		},
	} {
		var out []Thing
		for _, x := range all {
			if keep(x) {
				out = append(out, x)
			}
		}
		if len(out) > 0 {
			all = out
		}
	}
	return all
}

// goFits reports whether a file can be part of a build to which no tag was
// given: its constraint holds for some system and architecture.
func goFits(path string, text []byte) bool {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0, bytes.HasPrefix(line, []byte("/*")):
		case bytes.HasPrefix(line, []byte("//go:build ")):
			c := &constraint{toks: constraintTokens(string(line[len("//go:build "):]))}
			return c.or() != never
		case bytes.HasPrefix(line, []byte("//")):
		default:
			return true
		}
	}
	return true
}

// What a constraint comes to.
type truth uint8

const (
	never truth = iota
	sometimes
	always
)

type constraint struct {
	toks  []string
	depth int
}

func constraintTokens(s string) []string {
	for _, op := range []string{"(", ")", "&&", "||", "!"} {
		s = strings.ReplaceAll(s, op, " "+op+" ")
	}
	return strings.Fields(s)
}

func (c *constraint) take(tok string) bool {
	if len(c.toks) > 0 && c.toks[0] == tok {
		c.toks = c.toks[1:]
		return true
	}
	return false
}

func (c *constraint) or() truth {
	t := c.and()
	for c.take("||") {
		t = max(t, c.and())
	}
	return t
}

func (c *constraint) and() truth {
	t := c.not()
	for c.take("&&") {
		t = min(t, c.not())
	}
	return t
}

func (c *constraint) not() truth {
	if c.depth++; c.depth > maxDepth {
		return sometimes
	}
	if c.take("!") {
		return always - c.not()
	}
	if c.take("(") {
		t := c.or()
		c.take(")")
		return t
	}
	if len(c.toks) == 0 {
		return sometimes
	}
	tag := c.toks[0]
	c.toks = c.toks[1:]
	switch tag {
	case "gc":
		return always
	case "cgo", "unix", "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd", "plan9",
		"solaris", "wasip1", "windows", "zos", "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle",
		"ppc64", "ppc64le", "riscv64", "s390x", "wasm":
		return sometimes
	}
	if strings.HasPrefix(tag, "go1") {
		return always
	}
	return never
}
