package languages

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scan"
	"github.com/pindex-dev/pindex/compile/syntax"
)

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// scriptLanguage returns the language of a script element; "" for one that is
// none, such as a template or data.
func scriptLanguage(attrs map[string]string) string {
	switch strings.ToLower(attrs["lang"]) {
	case "ts", "typescript":
		return "typescript"
	case "tsx":
		return "tsx"
	case "", "js", "jsx", "javascript":
	default:
		return ""
	}
	switch t := strings.ToLower(attrs["type"]); t {
	case "", "module", "text/javascript", "application/javascript", "text/babel", "text/jsx", "text/ecmascript":
		return "javascript"
	case "text/typescript", "ts":
		return "typescript"
	}
	return ""
}

// parseComponent reads a Vue or Svelte file: its scripts' declarations stand
// at file level, its template and style are entries.
func parseComponent(src []byte, limits syntax.Limits) (*syntax.Facts, error) {
	return parseBlocks(src, limits, false, nil)
}

func parseHTML(src []byte, limits syntax.Limits) (*syntax.Facts, error) {
	return parseBlocks(src, limits, true, nil)
}

// parseAstro is parseComponent with the script between the fences at the top.
func parseAstro(src []byte, limits syntax.Limits) (*syntax.Facts, error) {
	var front []scan.Block
	if bytes.HasPrefix(src, []byte("---\n")) || bytes.HasPrefix(src, []byte("---\r\n")) {
		if n := bytes.Index(src[3:], []byte("\n---")); n >= 0 {
			front = append(front, scan.Block{Tag: "script", Attrs: map[string]string{"lang": "ts"}, From: 4, To: n + 4})
		}
	}
	return parseBlocks(src, limits, false, front)
}

func parseBlocks(src []byte, limits syntax.Limits, html bool, more []scan.Block) (*syntax.Facts, error) {
	f := scan.Markup(src, html)
	if f.Degraded != artifact.DegradedNone {
		return f, nil
	}
	for _, b := range append(more, scan.Blocks(src, html)...) {
		if b.Tag != "script" || b.From >= b.To {
			continue
		}
		lang := scriptLanguage(b.Attrs)
		if lang == "" {
			continue
		}
		in, err := syntax.Parse(lang, src[b.From:b.To], limits)
		if err != nil {
			return nil, err
		}
		if in.Degraded != artifact.DegradedNone {
			f.Degraded = in.Degraded
		}
		join(f, in, func(at uint32) uint32 { return at + uint32(b.From) }, func(at uint32) uint32 { return at + uint32(b.From) })
	}
	settle(f)
	return f, nil
}

// join adds facts to others; start and end map the offsets where something
// starts and the offsets behind where something ends.
func join(f, in *syntax.Facts, start, end func(uint32) uint32) {
	base := int32(len(f.Decls))
	for _, d := range in.Decls {
		if d.Parent >= 0 {
			d.Parent += base
		}
		d.NameAt = start(d.NameAt)
		d.Start, d.End = start(d.Start), end(d.End)
		d.SigStart, d.SigEnd = start(d.SigStart), end(d.SigEnd)
		if d.DocStart < d.DocEnd {
			d.DocStart, d.DocEnd = start(d.DocStart), end(d.DocEnd)
		}
		f.Decls = append(f.Decls, d)
	}
	for _, o := range in.Occurrences {
		o.At = start(o.At)
		f.Occurrences = append(f.Occurrences, o)
	}
	for _, m := range in.Imports {
		m.At = start(m.At)
		f.Imports = append(f.Imports, m)
	}
	local := int32(len(f.Locals))
	for _, l := range in.Locals {
		l.At, l.Start, l.End = start(l.At), start(l.Start), end(l.End)
		f.Locals = append(f.Locals, l)
	}
	for _, u := range in.LocalUses {
		u.At, u.Local = start(u.At), u.Local+local
		f.LocalUses = append(f.LocalUses, u)
	}
}

// settle puts joined facts in order and gives a declaration at file level the
// one around it as its parent.
func settle(f *syntax.Facts) {
	order := make([]int32, len(f.Decls))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.Decls[a].Start, f.Decls[b].Start), cmp.Compare(f.Decls[b].End, f.Decls[a].End))
	})
	number := make([]int32, len(order))
	for n, i := range order {
		number[i] = int32(n)
	}
	decls := make([]syntax.Decl, len(order))
	var open []int32
	for n, i := range order {
		d := f.Decls[i]
		for len(open) > 0 && decls[open[len(open)-1]].End < d.End {
			open = open[:len(open)-1]
		}
		switch {
		case d.Parent >= 0:
			d.Parent = number[d.Parent]
		case len(open) > 0 && decls[open[len(open)-1]].Kind == artifact.KindEntry && decls[open[len(open)-1]].End > d.Start:
			d.Parent = open[len(open)-1]
		}
		decls[n] = d
		open = append(open, int32(n))
	}
	f.Decls = decls
	syntax.Separate(f.Decls)
	slices.SortStableFunc(f.Occurrences, func(a, b syntax.Occurrence) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Role, b.Role))
	})
	slices.SortStableFunc(f.LocalUses, func(a, b syntax.LocalUse) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(f.Imports, func(a, b syntax.Import) int { return cmp.Compare(a.At, b.At) })
}
