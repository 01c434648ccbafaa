package artifact

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// preciseSample has two files, the first of them with a document.
func preciseSample() *StructuralData {
	at := func(line, col uint32) Position { return Position{line, col} }
	return &StructuralData{
		Files: 2, Units: 2,
		Symbols: []Symbol{
			{Name: "f", Descriptor: "f().", Kind: KindFunction, Parent: -1, NamePos: at(1, 6), Start: at(1, 1), End: at(3, 1)},
			{Name: "x", Descriptor: "f().x.", Kind: KindVariable, Flags: SymbolLocal, Parent: 0, NamePos: at(2, 2), Start: at(2, 2), End: at(2, 2)},
		},
		Occurrences: []Occurrence{{Pos: at(2, 7), Name: "g", Role: RoleCall}},
		Precise: PreciseData{
			Files: []uint32{0},
			Occurrences: []PreciseOccurrence{
				{Start: at(1, 6), End: at(1, 7), Symbol: "s m p . f().", Roles: RolesDefinition, Decl: 0, Enclosing: [2]Position{at(1, 1), at(3, 2)}},
				{Start: at(2, 2), End: at(2, 3), Symbol: "local 0", Roles: RolesDefinition | RolesWrite, Decl: 1},
				{Start: at(2, 7), End: at(2, 8), Symbol: "s m p . g().", Decl: -1},
				{Start: at(2, 7), End: at(3, 2), Symbol: "s m q 1 h#", Roles: RolesImport, Decl: -1},
			},
			Relations: []PreciseRelation{{Symbol: "s m p . f().", Target: "s m q 1 h#", Flags: RelationImplementation | RelationReference}},
			Infos:     []PreciseInfo{{Symbol: "s m p . f().", Kind: 17}},
		},
	}
}

func TestPreciseRoundTrip(t *testing.T) {
	b, err := EncodeStructural(Digest{1}, preciseSample()) // compares all of it
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenStructural(b)
	if err != nil {
		t.Fatal(err)
	}
	if !r.HasPrecise() || !r.Precise(0) || r.Precise(1) {
		t.Error("the first file alone has a document")
	}
	if got := r.PreciseFrom(0, Position{2, 3}); got != 2 {
		t.Errorf("from 2:3 on: row %d, not 2", got)
	}
	var rows []int
	if err := r.PreciseDefinitions("local 0", 0, func(row int, o PreciseOccurrence) bool {
		rows = append(rows, row)
		return o.Decl == 1
	}); err != nil || !reflect.DeepEqual(rows, []int{1}) {
		t.Errorf("definitions of local 0: %v, %v", rows, err)
	}
	uses := 0
	if err := r.PreciseUses("s m p . g().", -1, func(PreciseOccurrence) bool { uses++; return true }); err != nil || uses != 1 {
		t.Errorf("uses of g: %d, %v", uses, err)
	}
	for _, c := range []struct {
		symbol, target string
		want           int
	}{{"", "", 1}, {"s m p . f().", "", 1}, {"", "s m q 1 h#", 1}, {"local 0", "", 0}, {"none", "", 0}} {
		n := 0
		if err := r.PreciseRelations(c.symbol, c.target, func(PreciseRelation) bool { n++; return true }); err != nil || n != c.want {
			t.Errorf("relations of %q to %q: %d, %v", c.symbol, c.target, n, err)
		}
	}
}

// A segment of files without documents has none of the sections, as before
// they were known.
func TestNoPreciseSectionsWithoutDocuments(t *testing.T) {
	d := preciseSample()
	d.Precise = PreciseData{}
	b, err := EncodeStructural(Digest{1}, d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSegment(b, Structural, 1, 2, 3, 4, 5, 6, 7, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.sections {
		if id := s.sections[i].id; id >= secPreciseFiles && id <= secPreciseInfos {
			t.Errorf("section %d is there", id)
		}
	}
}

// A reader that does not know the sections must refuse them: it would miss
// references.
func TestPreciseSectionsAreRequired(t *testing.T) {
	b, err := EncodeStructural(Digest{1}, preciseSample())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openSegment(b, Structural, 1, 2, 3, 4, 5, 6, 7, 8); !errors.Is(err, ErrTooNew) {
		t.Errorf("an old reader says %v", err)
	}
}

func TestEncodeRefusesBadPrecise(t *testing.T) {
	for name, spoil := range map[string]func(*PreciseData){
		"no files":        func(p *PreciseData) { p.Files = nil },
		"file too high":   func(p *PreciseData) { p.Files = []uint32{2} },
		"other file":      func(p *PreciseData) { p.Occurrences[3].File = 1 },
		"order":           func(p *PreciseData) { p.Occurrences[0].Start.Line = 3; p.Occurrences[0].End.Line = 3 },
		"ends before":     func(p *PreciseData) { p.Occurrences[1].End.Col = 1 },
		"no column":       func(p *PreciseData) { p.Occurrences[1].Start.Col = 0 },
		"decl of nothing": func(p *PreciseData) { p.Occurrences[1].Decl = 7 },
		"enclosing":       func(p *PreciseData) { p.Occurrences[0].Enclosing[1] = Position{} },
	} {
		d := preciseSample()
		spoil(&d.Precise)
		if _, err := EncodeStructural(Digest{1}, d); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

func FuzzPrecise(f *testing.F) {
	b, err := EncodeStructural(Digest{1}, preciseSample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := OpenStructural(resealSegment(slices.Clone(b)))
		if err != nil {
			return
		}
		for i := range r.NumFiles() {
			_ = r.FilePrecise(i, func(o PreciseOccurrence) bool {
				_ = r.PreciseUses(o.Symbol, i, func(PreciseOccurrence) bool { return true })
				_ = r.PreciseDefinitions(o.Symbol, -1, func(int, PreciseOccurrence) bool { return true })
				r.PreciseFrom(i, o.Start)
				return true
			})
			_ = r.PreciseInfos(i, func(PreciseInfo) bool { return true })
		}
		_ = r.PreciseRelations("", "", func(PreciseRelation) bool { return true })
		r.WalkPreciseSymbols("s", func([]byte) bool { return true })
	})
}

func TestInputRoundTrip(t *testing.T) {
	docs := []InputDocument{{"a.go", "scip-go 1", []byte("one")}, {"b/c.go", "", nil}}
	b, err := EncodeInput(docs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeInput(b)
	if err != nil || len(got) != 2 || got[0].Path != "a.go" || string(got[0].Content) != "one" || got[1].Tool != "" {
		t.Errorf("%v, %v", got, err)
	}
	for n := range b {
		if _, err := DecodeInput(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are an input", n, len(b))
		}
	}
	if _, err := EncodeInput([]InputDocument{{Path: "b"}, {Path: "a"}}); err == nil {
		t.Error("documents out of order are encoded")
	}
	if _, err := EncodeInput([]InputDocument{{Path: strings.Repeat("p", maxInputText+1)}}); err == nil {
		t.Error("a path of any length is encoded")
	}
}

func FuzzDecodeInput(f *testing.F) {
	b, err := EncodeInput([]InputDocument{{"a.go", "scip-go 1", []byte("one")}, {"b/c.go", "", nil}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("PINDEXIN"))
	f.Fuzz(func(t *testing.T, b []byte) {
		docs, err := DecodeInput(b)
		if err != nil {
			return
		}
		again, err := EncodeInput(docs)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := DecodeInput(again)
		if err != nil || !reflect.DeepEqual(docs, back) && len(docs) > 0 {
			t.Fatalf("%v, %v", back, err)
		}
	})
}

func TestInputHash(t *testing.T) {
	var a, b, none InputHash
	a.Add("ab", Digest{1})
	b.Add("a", Digest{1})
	if a.Sum() == b.Sum() || a.Sum().IsZero() || !none.Sum().IsZero() {
		t.Error("digests of inputs")
	}
}
