package languages

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scan"
	"github.com/pindex-dev/pindex/compile/syntax"
)

// A notebook's cells are JSON strings. What pindex shows of one is the file's
// bytes, so a position is where the character, or the escape that stands for
// it, begins in the file; only the parser sees the text that the escapes
// spell. A name that is spelled with escapes has no declaration and no use.

// maxNesting is how deep JSON may nest around a cell.
const maxNesting = 200

// cells is the text of a notebook's code cells, one behind the other.
type cells struct {
	src   []byte
	text  []byte
	at    []uint32 // for each byte of text, where its character begins in src
	end   []uint32 // and where it ends
	code  []span   // the source values of the code cells, in src
	prose []span   // and of the others
}

type span struct{ start, end int }

// parseNotebook reads the code cells of a Jupyter notebook as one file in the
// notebook's language. Each cell is an entry without a name.
func parseNotebook(src []byte, limits syntax.Limits) (*syntax.Facts, error) {
	c := &cells{src: src}
	root := c.skipSpace(0)
	lang := "python"
	ok := c.object(root, func(key string, v int) {
		switch key {
		case "cells":
			c.array(v, c.cell)
		case "worksheets": // format 3
			c.array(v, func(w int) {
				c.object(w, func(key string, v int) {
					if key == "cells" {
						c.array(v, c.cell)
					}
				})
			})
		case "metadata":
			if l := c.kernel(v); l != "" {
				lang = l
			}
		}
	})
	f := &syntax.Facts{}
	if !ok {
		f.Degraded = artifact.DegradedSyntax
		return f, nil
	}
	for _, s := range append(c.code, c.prose...) {
		f.Decls = append(f.Decls, syntax.Decl{Kind: artifact.KindEntry, Parent: -1,
			NameAt: uint32(s.start), Start: uint32(s.start), End: uint32(s.end), SigStart: uint32(s.start), SigEnd: uint32(s.start)})
	}
	if len(c.text) > 0 && (syntax.Supports(lang) || scan.Supports(lang)) {
		var in *syntax.Facts
		var err error
		if in = scan.Scan(lang, c.text); in == nil {
			if in, err = syntax.Parse(lang, c.text, limits); err != nil {
				return nil, err
			}
		}
		f.Degraded = in.Degraded
		c.keepVerbatim(in)
		join(f, in, c.start, c.behind)
	}
	settle(f)
	return f, nil
}

// start and behind map offsets of the text to offsets of the file.
func (c *cells) start(at uint32) uint32 {
	if int(at) >= len(c.at) {
		return uint32(len(c.src))
	}
	return c.at[at]
}

func (c *cells) behind(end uint32) uint32 {
	switch {
	case end == 0:
		return c.start(0)
	case int(end) > len(c.end):
		return uint32(len(c.src))
	}
	return c.end[end-1]
}

// keepVerbatim drops what does not stand in the file as its name has it, and
// what reaches over the end of a cell.
func (c *cells) keepVerbatim(f *syntax.Facts) {
	stands := func(at uint32, name string) bool {
		if int(at) >= len(c.at) {
			return false
		}
		return bytes.HasPrefix(c.src[c.at[at]:], []byte(name))
	}
	number := make([]int32, len(f.Decls))
	kept := f.Decls[:0]
	for i, d := range f.Decls {
		number[i] = -1
		if !stands(d.NameAt, d.Name) {
			continue
		}
		if d.Parent >= 0 {
			d.Parent = number[d.Parent]
		}
		number[i] = int32(len(kept))
		kept = append(kept, d)
	}
	f.Decls = kept
	uses := f.Occurrences[:0]
	for _, o := range f.Occurrences {
		if stands(o.At, o.Name) {
			uses = append(uses, o)
		}
	}
	f.Occurrences = uses
	rows := make([]int32, len(f.Locals))
	locals := f.Locals[:0]
	for i, l := range f.Locals {
		rows[i] = -1
		if stands(l.At, l.Name) {
			rows[i] = int32(len(locals))
			locals = append(locals, l)
		}
	}
	f.Locals = locals
	localUses := f.LocalUses[:0]
	for _, u := range f.LocalUses {
		if u.Local = rows[u.Local]; u.Local >= 0 {
			localUses = append(localUses, u)
		}
	}
	f.LocalUses = localUses
}

func (c *cells) cell(v int) {
	kind, source := "", -1
	c.object(v, func(key string, v int) {
		switch key {
		case "cell_type":
			kind, _ = c.plainString(v)
		case "source", "input":
			source = v
		}
	})
	if source < 0 || source >= len(c.src) {
		return
	}
	end := c.value(source, 0)
	if end <= source {
		return
	}
	if kind != "code" {
		c.prose = append(c.prose, span{source, end})
		return
	}
	c.code = append(c.code, span{source, end})
	from := len(c.text)
	if c.src[source] == '[' {
		c.array(source, c.appendString)
	} else {
		c.appendString(source)
	}
	if len(c.text) > from && c.text[len(c.text)-1] != '\n' {
		c.add('\n', c.end[len(c.end)-1], c.end[len(c.end)-1])
	}
	// Magics are no source: they become comments of the same length.
	for i := from; i < len(c.text); {
		n := bytes.IndexByte(c.text[i:], '\n')
		line := c.text[i : i+n]
		if t := bytes.TrimLeft(line, " \t"); len(t) > 0 && (t[0] == '%' || t[0] == '!' || t[0] == '?') {
			cellMagic := bytes.HasPrefix(t, []byte("%%"))
			if cellMagic && i == from && !bytes.HasPrefix(t, []byte("%%time")) && !bytes.HasPrefix(t, []byte("%%capture")) {
				c.text, c.at, c.end = c.text[:from], c.at[:from], c.end[:from]
				return // the cell is in another language
			}
			line[len(line)-len(t)] = '#'
		}
		i += n + 1
	}
}

func (c *cells) add(b byte, at, end uint32) {
	c.text, c.at, c.end = append(c.text, b), append(c.at, at), append(c.end, end)
}

// appendString adds the text of the JSON string at i.
func (c *cells) appendString(i int) {
	end := c.value(i, 0)
	if end <= i+1 || c.src[i] != '"' {
		return
	}
	for j := i + 1; j < end-1; {
		b := c.src[j]
		if b != '\\' {
			c.add(b, uint32(j), uint32(j+1))
			j++
			continue
		}
		from := j
		r, n := unescape(c.src[j : end-1])
		j += n
		var buf [utf8.UTFMax]byte
		for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
			c.add(b, uint32(from), uint32(j))
		}
	}
}

// unescape reads the escape that b begins with, which is not empty. It returns
// its length too.
func unescape(b []byte) (rune, int) {
	if len(b) < 2 {
		return '\\', 1
	}
	switch b[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r, ok := hex4(b[2:])
		if !ok {
			return utf8.RuneError, 2
		}
		if utf16.IsSurrogate(r) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low, ok := hex4(b[8:]); ok {
				if p := utf16.DecodeRune(r, low); p != utf8.RuneError {
					return p, 12
				}
			}
		}
		return r, 6
	}
	return rune(b[1]), 2
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// kernel returns the language that a notebook's metadata names.
func (c *cells) kernel(v int) string {
	lang := ""
	c.object(v, func(key string, v int) {
		if key != "kernelspec" && key != "language_info" {
			return
		}
		c.object(v, func(key string, v int) {
			if key == "language" || key == "name" && lang == "" {
				if s, ok := c.plainString(v); ok {
					s = strings.ToLower(s)
					switch {
					case strings.HasPrefix(s, "python"), s == "ipython":
						s = "python"
					case s == "c++" || strings.HasPrefix(s, "xcpp"):
						s = "cpp"
					case s == "c#":
						s = "csharp"
					case s == "f#":
						s = "fsharp"
					case strings.HasPrefix(s, "julia"):
						s = "julia"
					case s == "ir":
						s = "r"
					}
					lang = s
				}
			}
		})
	})
	return lang
}

// JSON, as far as it takes to find things in it.

func (c *cells) skipSpace(i int) int {
	for i < len(c.src) && (c.src[i] == ' ' || c.src[i] == '\t' || c.src[i] == '\n' || c.src[i] == '\r') {
		i++
	}
	return i
}

// value returns where the value at i ends; i when it is none.
func (c *cells) value(i, depth int) int {
	if i >= len(c.src) || depth > maxNesting {
		return i
	}
	switch c.src[i] {
	case '"':
		for j := i + 1; j < len(c.src); j++ {
			switch c.src[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return i
	case '{', '[':
		open := 0
		for j := i; j < len(c.src); j++ {
			switch c.src[j] {
			case '"':
				e := c.value(j, depth+1)
				if e == j {
					return i
				}
				j = e - 1
			case '{', '[':
				open++
			case '}', ']':
				if open--; open == 0 {
					return j + 1
				}
			}
		}
		return i
	}
	j := i
	for j < len(c.src) && !strings.ContainsRune(" \t\r\n,]}:", rune(c.src[j])) {
		j++
	}
	return j
}

// object calls fn with each key of the object at i and where its value stands.
func (c *cells) object(i int, fn func(key string, value int)) bool {
	if i >= len(c.src) || c.src[i] != '{' {
		return false
	}
	for i = c.skipSpace(i + 1); i < len(c.src) && c.src[i] == '"'; {
		end := c.value(i, 0)
		if end == i {
			return false
		}
		key := string(c.src[i+1 : end-1])
		if i = c.skipSpace(end); i >= len(c.src) || c.src[i] != ':' {
			return false
		}
		v := c.skipSpace(i + 1)
		end = c.value(v, 0)
		if end == v {
			return false
		}
		fn(key, v)
		if i = c.skipSpace(end); i < len(c.src) && c.src[i] == ',' {
			i = c.skipSpace(i + 1)
			continue
		}
		break
	}
	return i < len(c.src) && c.src[i] == '}'
}

// array calls fn with where each element of the array at i stands.
func (c *cells) array(i int, fn func(value int)) {
	if i >= len(c.src) || c.src[i] != '[' {
		return
	}
	for i = c.skipSpace(i + 1); i < len(c.src) && c.src[i] != ']'; {
		end := c.value(i, 0)
		if end == i {
			return
		}
		fn(i)
		if i = c.skipSpace(end); i < len(c.src) && c.src[i] == ',' {
			i = c.skipSpace(i + 1)
			continue
		}
		return
	}
}

func (c *cells) plainString(i int) (string, bool) {
	end := c.value(i, 0)
	if end <= i+1 || c.src[i] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(c.src[i:end], &s)
	return s, err == nil
}
