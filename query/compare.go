package query

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// Kinds of a SymbolChange.
const (
	Appeared = "appeared"
	Changed  = "changed" // its text, or its file, differs
	Vanished = "vanished"
)

// SymbolChange is a declaration that one of two indexes has and the other has
// not, or has with another text. It stands where the newer index has it, and a
// vanished one where the older has it.
type SymbolChange struct {
	Change string `json:"change"`
	SymbolHit
	// Was is the file that a changed declaration was in, when that is another.
	Was string `json:"was,omitempty"`
}

// Comparison is how two indexes differ.
type Comparison struct {
	Segments int            `json:"segments"` // of the newer index
	Shared   int            `json:"shared"`   // of those, the ones that the older has as well
	Opened   int            `json:"opened"`   // partitions, of both, that were looked into
	Appeared int            `json:"appeared"`
	Changed  int            `json:"changed"`
	Vanished int            `json:"vanished"`
	Symbols  []SymbolChange `json:"symbols"` // in the order of paths and lines
}

// CompareOptions narrow a comparison down.
type CompareOptions struct {
	// Symbol is a declaration's name, qualified or not; "" for all.
	Symbol string
	K      int // symbols listed at most; 0 means DefaultUses
}

// Compare tells which declarations appeared, changed or vanished from one index
// to another. Partitions that both have are not opened.
func Compare(ctx context.Context, old, now *artifact.Index, o CompareOptions) (*Comparison, error) {
	if o.K == 0 {
		o.K = DefaultUses
	}
	if o.K < 1 || o.K > maxUses {
		return nil, fail.New(fail.Usage, "ask for fewer results", "k is %d, not in 1 to %d", o.K, maxUses)
	}
	var want []string
	if o.Symbol != "" {
		if want = nameComponents(strings.TrimSpace(o.Symbol)); len(want) == 0 {
			return nil, fail.New(fail.Usage, "give a name", "%s is no name", quote(o.Symbol))
		}
	}
	out := &Comparison{Symbols: []SymbolChange{}}
	had := segmentDigests(old)
	for _, p := range now.Manifest().Partitions {
		for view, s := range p.Segments {
			out.Segments++
			if had[view+s.Digest.Hex()] {
				out.Shared++
			}
		}
	}
	before, err := declarationsOnlyIn(ctx, old, segmentDigests(now), want, &out.Opened)
	if err != nil {
		return nil, err
	}
	after, err := declarationsOnlyIn(ctx, now, had, want, &out.Opened)
	if err != nil {
		return nil, err
	}
	out.match(before, after, o.K)
	return out, nil
}

func segmentDigests(ix *artifact.Index) map[string]bool {
	out := map[string]bool{}
	for _, p := range ix.Manifest().Partitions {
		for view, s := range p.Segments {
			out[view+s.Digest.Hex()] = true
		}
	}
	return out
}

// declared1 is a declaration with the print of its text.
type declared1 struct {
	hit  SymbolHit
	path string
	text [sha256.Size]byte
}

// declarationsOnlyIn returns the declarations in the partitions of an index
// that another has not.
func declarationsOnlyIn(ctx context.Context, ix *artifact.Index, other map[string]bool, want []string, opened *int) ([]declared1, error) {
	e := New(ix, Options{})
	var out []declared1
	err := e.answer(func() error {
		b, err := e.newBinderFor(ctx, "a comparison")
		if err != nil {
			return err
		}
		for p, info := range ix.Manifest().Partitions {
			same := true
			for _, v := range []artifact.View{artifact.Units, artifact.Structural, artifact.Source} {
				s, ok := info.Segments[v.String()]
				same = same && (!ok || other[v.String()+s.Digest.Hex()])
			}
			if same {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			*opened++
			if out, err = b.declaredIn(p, want, out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (b *binder) declaredIn(p int, want []string, out []declared1) ([]declared1, error) {
	st, err := b.e.ix.Structural(p)
	if err != nil {
		return nil, err
	}
	src, err := b.e.ix.Source(p)
	if err != nil {
		return nil, err
	}
	add := func(i int) error {
		d, err := b.decl(declID{p, i})
		if err != nil {
			return err
		}
		if d.local() || d.file < 0 || len(want) > 0 && !endsWith(d.names, want) {
			return nil
		}
		h, err := b.hit(d, "", "")
		if err != nil {
			return err
		}
		text := cutLines(src.Content(int(d.sym.File)), int(d.sym.Start.Line), int(d.sym.End.Line))
		out = append(out, declared1{h, b.t.files[d.file].path, sha256.Sum256(text)})
		return nil
	}
	if len(want) > 0 {
		for _, i := range st.SymbolsNamed(want[len(want)-1]) {
			if err := add(int(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	for i := range st.NumSymbols() {
		if err := add(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func endsWith(names, want []string) bool {
	return len(names) >= len(want) && slices.Equal(names[len(names)-len(want):], want)
}

// cutLines returns lines first to last of a text, from 1.
func cutLines(text []byte, first, last int) []byte {
	line, start := 1, 0
	for i, c := range text {
		if line < first {
			if c == '\n' {
				line++
				start = i + 1
			}
			continue
		}
		if c == '\n' {
			if line == last {
				return text[start : i+1]
			}
			line++
		}
	}
	if line < first {
		return nil
	}
	return text[start:]
}

// match pairs declarations of the same file and qualified name, in order where
// there are several, then those of the same name and text in other files, and
// files what is left.
func (c *Comparison) match(before, after []declared1, k int) {
	key := func(d *declared1) string { return d.path + "\x00" + d.hit.Kind + "\x00" + d.hit.Symbol }
	olds := map[string][]*declared1{}
	for i := range before {
		olds[key(&before[i])] = append(olds[key(&before[i])], &before[i])
	}
	var fresh []*declared1
	for i := range after {
		d := &after[i]
		list := olds[key(d)]
		if len(list) == 0 {
			fresh = append(fresh, d)
			continue
		}
		olds[key(d)] = list[1:]
		if list[0].text != d.text {
			c.add(SymbolChange{Change: Changed, SymbolHit: d.hit})
		}
	}
	moved := map[string][]*declared1{}
	for i := range before {
		d := &before[i]
		if slices.Contains(olds[key(d)], d) {
			id := d.hit.Kind + "\x00" + d.hit.Symbol + "\x00" + string(d.text[:])
			moved[id] = append(moved[id], d)
		}
	}
	for _, d := range fresh {
		id := d.hit.Kind + "\x00" + d.hit.Symbol + "\x00" + string(d.text[:])
		if list := moved[id]; len(list) > 0 {
			moved[id] = list[1:]
			c.add(SymbolChange{Change: Changed, SymbolHit: d.hit, Was: list[0].path})
			continue
		}
		c.add(SymbolChange{Change: Appeared, SymbolHit: d.hit})
	}
	for _, list := range moved {
		for _, d := range list {
			c.add(SymbolChange{Change: Vanished, SymbolHit: d.hit})
		}
	}
	order.Stable(c.Symbols, func(x, y SymbolChange) int {
		return cmp.Or(strings.Compare(x.FilePath(), y.FilePath()), cmp.Compare(x.NameLine, y.NameLine), strings.Compare(x.Symbol, y.Symbol), strings.Compare(x.Change, y.Change))
	})
	c.Symbols = c.Symbols[:min(k, len(c.Symbols))]
}

func (c *Comparison) add(s SymbolChange) {
	switch s.Change {
	case Appeared:
		c.Appeared++
	case Changed:
		c.Changed++
	default:
		c.Vanished++
	}
	c.Symbols = append(c.Symbols, s)
}
