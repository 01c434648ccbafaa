package artifact

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomLocals returns structural data of several files with nothing but
// locals and their uses.
func randomLocals(r *rand.Rand) *StructuralData {
	d := &StructuralData{Files: 1 + r.IntN(6), Units: 3}
	for f := range d.Files {
		line, n := uint32(1), r.IntN(20)
		for range n {
			line += uint32(r.IntN(3))
			start := Position{max(1, line-uint32(r.IntN(int(line)))), 1 + uint32(r.IntN(9))}
			l := Local{
				File: uint32(f), Name: fmt.Sprintf("n%d", r.IntN(5)), Kind: []Kind{KindParameter, KindVariable, KindField, KindUnknown}[r.IntN(4)],
				Pos: Position{line, 10}, Start: start, End: Position{start.Line + uint32(r.IntN(300)), start.Col + uint32(r.IntN(70))},
				Type: []string{"", ":T", "=f().g[]"}[r.IntN(3)],
			}
			if k := len(d.Locals); k > 0 && d.Locals[k-1].File == l.File && d.Locals[k-1].Pos.Line == line {
				l.Pos.Col = d.Locals[k-1].Pos.Col + uint32(r.IntN(300))
			}
			d.Locals = append(d.Locals, l)
		}
		line = 1
		for range r.IntN(30) {
			if n == 0 {
				break
			}
			line += 1 + uint32(r.IntN(2))
			d.LocalUses = append(d.LocalUses, LocalUse{File: uint32(f), Pos: Position{line, 1 + uint32(r.IntN(500))}, Role: RoleCall, Local: uint32(r.IntN(n))})
		}
	}
	return d
}

// EncodeStructural compares all that it wrote when it reads it back; this
// checks what the readers of names and files add.
func TestLocals(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 20))
	for range 200 {
		d := randomLocals(r)
		b, err := EncodeStructural(Digest{1}, d)
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenStructural(b)
		if err != nil {
			t.Fatal(err)
		}
		if s.NumLocals() != len(d.Locals) {
			t.Fatalf("%d locals of %d", s.NumLocals(), len(d.Locals))
		}
		for k := range 6 {
			name := fmt.Sprintf("n%d", k)
			var want []uint32
			for _, l := range d.Locals {
				if l.Name == name && !slices.Contains(want, l.File) {
					want = append(want, l.File)
				}
			}
			if got := s.LocalsNamed(name); !slices.Equal(got, want) {
				t.Fatalf("files with %s: %v, want %v", name, got, want)
			}
		}
		for f := range d.Files {
			lo, hi := s.LocalRows(f)
			list, err := s.FileLocals(f)
			if err != nil || len(list) != hi-lo || !slices.Equal(list, slices.Clone(d.Locals[lo:hi])) && hi > lo {
				t.Fatalf("locals of file %d: %v, %v", f, list, err)
			}
		}
	}
}

// A segment without locals has the bytes that it had before there were any.
func TestNoLocals(t *testing.T) {
	b, err := EncodeStructural(Digest{}, &StructuralData{Files: 2, Units: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := int(b[11]); n != 8 {
		t.Errorf("%d sections, not 8", n)
	}
	s, err := OpenStructural(b)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := s.FileLocals(1); err != nil || l != nil || s.LocalsNamed("x") != nil {
		t.Errorf("locals %v, %v", l, err)
	}
	if err := s.FileLocalUses(0, func(LocalUse) bool { t.Error("a use"); return true }); err != nil {
		t.Error(err)
	}
}

func TestLocalsRefused(t *testing.T) {
	ok := Local{Name: "a", Kind: KindVariable, Pos: Position{2, 1}, Start: Position{1, 1}, End: Position{3, 1}}
	for _, c := range []struct {
		what   string
		change func(d *StructuralData)
	}{
		{"out of order", func(d *StructuralData) {
			d.Locals = append(d.Locals, Local{Name: "b", Pos: Position{1, 1}, Start: Position{1, 1}, End: Position{1, 1}})
		}},
		{"a scope that ends before it starts", func(d *StructuralData) { d.Locals[0].End = Position{1, 0} }},
		{"a file that is not there", func(d *StructuralData) { d.Locals[0].File = 1 }},
		{"a use of no local", func(d *StructuralData) { d.LocalUses = []LocalUse{{Pos: Position{1, 1}, Local: 1}} }},
		{"uses without locals", func(d *StructuralData) { d.Locals, d.LocalUses = nil, []LocalUse{{Pos: Position{1, 1}}} }},
		{"a long hint", func(d *StructuralData) { d.Locals[0].Type = string(make([]byte, MaxTypeHint+1)) }},
	} {
		d := &StructuralData{Files: 1, Units: 1, Locals: []Local{ok}}
		c.change(d)
		if _, err := EncodeStructural(Digest{}, d); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// Damaged locals are an error or other locals, never a panic.
func FuzzLocals(f *testing.F) {
	d := randomLocals(rand.New(rand.NewPCG(1, 2)))
	b, err := EncodeStructural(Digest{}, d)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, uint32(0), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, at uint32, by byte) {
		if len(b) > 0 {
			b = slices.Clone(b)
			b[int(at)%len(b)] ^= by
		}
		s, err := OpenStructural(b)
		if err != nil {
			return
		}
		for f := range s.NumFiles() {
			if _, err := s.FileLocals(f); err != nil {
				continue
			}
			_ = s.FileLocalUses(f, func(LocalUse) bool { return true })
		}
		s.LocalsNamed("n1")
	})
}
