package artifact

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func openSampleStructural(t *testing.T, d *StructuralData) *StructuralReader {
	t.Helper()
	b, err := EncodeStructural(Digest{3}, d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenStructural(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStructuralAgainstModel compares every accessor with a walk over the
// input.
func TestStructuralAgainstModel(t *testing.T) {
	for seed := range uint64(60) {
		rnd := newRand(seed)
		d := &newSample(rnd, rnd.IntN(12), rnd.IntN(30)).structural
		r := openSampleStructural(t, d)
		if r.Key() != (Digest{3}) || r.NumSymbols() != len(d.Symbols) || r.NumOccurrences() != len(d.Occurrences) || r.NumImports() != len(d.Imports) {
			t.Fatal("counts differ")
		}
		declared, modules := map[string]bool{}, map[string]bool{}
		for i, s := range d.Symbols {
			declared[s.Name] = true
			if r.Symbol(i) != s || r.SymbolParent(i) != int(s.Parent) {
				t.Fatalf("seed %d: symbol %d: %+v, want %+v", seed, i, r.Symbol(i), s)
			}
			u, ok := r.UnitSymbol(int(s.Unit))
			if want := slices.IndexFunc(d.Symbols, func(o Symbol) bool { return o.Unit == s.Unit && o.Flags&SymbolLocal == 0 }); ok != (want >= 0) || ok && u != want {
				t.Fatalf("seed %d: UnitSymbol(%d) = %d, %t, want %d", seed, s.Unit, u, ok, want)
			}
		}
		for _, name := range append(slices.Clone(sampleWords), "", "missing", "self.app") {
			var symbols, files []uint32
			for i, s := range d.Symbols {
				if s.Name == name {
					symbols = append(symbols, uint32(i))
				}
			}
			if got := r.SymbolsNamed(name); !slices.Equal(got, symbols) {
				t.Fatalf("seed %d: SymbolsNamed(%q) = %v, want %v", seed, name, got, symbols)
			}
			var want, got []Occurrence
			for _, o := range d.Occurrences {
				if o.Name == name {
					want = append(want, o)
					files = append(files, o.File)
				}
			}
			if err := r.Occurrences(name, func(o Occurrence) bool { got = append(got, o); return true }); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: Occurrences(%q): %v\n%v\n%v", seed, name, err, got, want)
			}
			if got := r.FilesUsing(name); !slices.Equal(got, slices.Compact(files)) {
				t.Fatalf("seed %d: FilesUsing(%q) = %v, want %v", seed, name, got, files)
			}
		}
		var occurrences []Occurrence
		var imports, walked []Import
		for f := range d.Files {
			if err := r.FileOccurrences(f, func(o Occurrence) bool { occurrences = append(occurrences, o); return true }); err != nil {
				t.Fatal(err)
			}
			list, err := r.FileImports(f)
			if err != nil {
				t.Fatal(err)
			}
			imports = append(imports, list...)
		}
		if err := r.WalkImports(func(m Import) bool { walked = append(walked, m); return true }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(occurrences, d.Occurrences) || !slices.Equal(imports, d.Imports) || !slices.Equal(walked, d.Imports) {
			t.Fatalf("seed %d: occurrences or imports differ", seed)
		}
		for _, m := range d.Imports {
			modules[m.Module] = true
		}
		for module := range modules {
			var want []uint32
			for _, m := range d.Imports {
				if m.Module == module {
					want = append(want, m.File)
				}
			}
			if got := r.FilesImporting(module); !slices.Equal(got, slices.Compact(want)) {
				t.Fatalf("seed %d: FilesImporting(%q) = %v", seed, module, got)
			}
		}
		for _, prefix := range []string{"", "s", "se", "url_for", "zzz", "\xff"} {
			var names, mods []string
			r.WalkNames(prefix, func(s []byte) bool { names = append(names, string(s)); return true })
			r.WalkModules(prefix, func(s []byte) bool { mods = append(mods, string(s)); return true })
			if !slices.Equal(names, withPrefix(declared, prefix)) || !slices.Equal(mods, withPrefix(modules, prefix)) {
				t.Fatalf("seed %d: prefix %q: %q and %q", seed, prefix, names, mods)
			}
		}
	}
}

// TestImportsOfASegment compares the reader of imports alone with that of the
// whole segment.
func TestImportsOfASegment(t *testing.T) {
	for seed := range uint64(20) {
		for _, p := range newSample(newRand(seed), 6, 20).encode(t, Digest{1}) {
			if p.View != Structural {
				continue
			}
			all, err := OpenStructural(p.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			r, err := OpenImports(p.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			want, got := map[string]int{}, map[string]int{}
			all.WalkModules("", func(m []byte) bool {
				want[string(m)] = len(all.FilesImporting(string(m)))
				return true
			})
			r.EachModule(func(m []byte, files int) {
				if _, twice := got[string(m)]; twice {
					t.Fatalf("module %q twice", m)
				}
				got[string(m)] = files
			})
			if !maps.Equal(got, want) || len(want) == 0 {
				t.Fatalf("modules %v, want %v", got, want)
			}
		}
	}
}

func withPrefix(set map[string]bool, prefix string) []string {
	var out []string
	for s := range set {
		if strings.HasPrefix(s, prefix) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// TestStructuralStops: callbacks that return false are not called again.
func TestStructuralStops(t *testing.T) {
	d := &newSample(newRand(5), 12, 30).structural
	r := openSampleStructural(t, d)
	calls := 0
	stop := func() bool { calls++; return false }
	_ = r.FileOccurrences(int(d.Occurrences[0].File), func(Occurrence) bool { return stop() })
	_ = r.Occurrences(d.Occurrences[0].Name, func(Occurrence) bool { return stop() })
	_ = r.WalkImports(func(Import) bool { return stop() })
	r.WalkNames("", func([]byte) bool { return stop() })
	r.WalkModules("", func([]byte) bool { return stop() })
	if calls != 5 {
		t.Fatalf("%d calls, want 5", calls)
	}
}

// TestSymbolAt compares with a search through all symbols, which may nest,
// overlap or share their range.
func TestSymbolAt(t *testing.T) {
	for seed := range uint64(200) {
		rnd := newRand(seed)
		d := &StructuralData{Files: 3, Units: 1}
		for range rnd.IntN(25) {
			start := Position{1 + uint32(rnd.IntN(12)), 1 + uint32(rnd.IntN(3))}
			end := Position{start.Line + uint32(rnd.IntN(6)), 1 + uint32(rnd.IntN(5))}
			if end.Before(start) {
				end = start
			}
			d.Symbols = append(d.Symbols, Symbol{Name: "n", File: uint32(rnd.IntN(3)), Parent: -1, NamePos: start, Start: start, End: end})
		}
		slices.SortStableFunc(d.Symbols, func(a, b Symbol) int {
			switch {
			case a.File != b.File:
				return int(a.File) - int(b.File)
			case a.Start != b.Start && a.Start.Before(b.Start), a.Start == b.Start && b.End.Before(a.End):
				return -1
			case a.Start == b.Start && a.End == b.End:
				return 0
			}
			return 1
		})
		r := openSampleStructural(t, d)
		for f := range 3 {
			for line := range uint32(20) {
				for col := range uint32(7) {
					p := Position{line, col}
					want := -1
					for i, s := range d.Symbols {
						if int(s.File) == f && !p.Before(s.Start) && !s.End.Before(p) {
							want = i // the last that starts is the innermost
						}
					}
					if got, ok := r.SymbolAt(f, p); ok != (want >= 0) || ok && got != want {
						t.Fatalf("seed %d: SymbolAt(%d, %v) = %d, %t, want %d", seed, f, p, got, ok, want)
					}
				}
			}
		}
	}
}

func TestStructuralRules(t *testing.T) {
	at := func(line, col uint32) Position { return Position{line, col} }
	base := func() *StructuralData {
		return &StructuralData{
			Files: 3, Units: 4,
			Symbols: []Symbol{
				{Name: "T", Descriptor: "T#", Kind: KindClass, File: 0, Unit: 1, Parent: -1, NamePos: at(2, 7), Start: at(2, 1), End: at(9, 4)},
				{Name: "m", Descriptor: "T#m().", Kind: KindMethod, File: 0, Unit: 2, Parent: 0, NamePos: at(3, 9), Start: at(3, 5), End: at(4, 20)},
				{Name: "f", Descriptor: "f().", Kind: KindFunction, File: 2, Unit: 3, Parent: -1, NamePos: at(1, 5), Start: at(1, 1), End: at(1, 20)},
			},
			Occurrences: []Occurrence{
				{File: 0, Pos: at(4, 3), Role: RoleCall, Name: "f"},
				{File: 0, Pos: at(4, 3), Role: RoleRead, Name: "f"}, // the same place in another role
				{File: 2, Pos: at(1, 9), Role: RoleCall, Name: "m", Receiver: "self"},
			},
			Imports: []Import{{File: 1, Pos: at(1, 1), Module: "a.b", Name: "c", Alias: "c"}, {File: 2, Pos: at(1, 1), Module: "x"}},
		}
	}
	if _, err := EncodeStructural(Digest{}, base()); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(d *StructuralData){
		"negative files":           func(d *StructuralData) { d.Files = -1 },
		"symbol of no file":        func(d *StructuralData) { d.Symbols[2].File = 3 },
		"symbols of files mixed":   func(d *StructuralData) { d.Symbols[0].File = 2 },
		"symbol of no unit":        func(d *StructuralData) { d.Symbols[1].Unit = 4 },
		"parent in another file":   func(d *StructuralData) { d.Symbols[2].Parent = 0 },
		"parent comes later":       func(d *StructuralData) { d.Symbols[0].Parent = 1 },
		"own parent":               func(d *StructuralData) { d.Symbols[1].Parent = 1 },
		"parent -2":                func(d *StructuralData) { d.Symbols[1].Parent = -2 },
		"line 0":                   func(d *StructuralData) { d.Symbols[2].Start.Line = 0 },
		"column 0":                 func(d *StructuralData) { d.Symbols[2].Start.Col = 0 },
		"no place for the name":    func(d *StructuralData) { d.Symbols[2].NamePos = Position{} },
		"ends before it starts":    func(d *StructuralData) { d.Symbols[0].End = at(1, 9) },
		"symbols out of order":     func(d *StructuralData) { d.Symbols[1].Start = at(1, 1) },
		"inner symbol before":      func(d *StructuralData) { d.Symbols[0].End = at(2, 9); d.Symbols[1].Start = at(2, 1) },
		"descriptor too long":      func(d *StructuralData) { d.Symbols[0].Descriptor = strings.Repeat("x", MaxDescriptor+1) },
		"occurrence of no file":    func(d *StructuralData) { d.Occurrences[2].File = 3 },
		"occurrences out of order": func(d *StructuralData) { d.Occurrences[1].Pos = at(4, 2) },
		"occurrence at column 0":   func(d *StructuralData) { d.Occurrences[0].Pos = at(4, 0) },
		"occurrence on line 0":     func(d *StructuralData) { d.Occurrences[0].Pos = at(0, 1) },
		"import of no file":        func(d *StructuralData) { d.Imports[1].File = 3 },
		"imports out of order":     func(d *StructuralData) { d.Imports[1].File = 0 },
		"import at column 0":       func(d *StructuralData) { d.Imports[0].Pos = at(1, 0) },
	} {
		d := base()
		edit(d)
		if _, err := EncodeStructural(Digest{}, d); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDescriptors: whatever the parent's descriptor and the name, the
// descriptor comes back.
func TestDescriptors(t *testing.T) {
	d := &StructuralData{Files: 1, Units: 1}
	for i, s := range []struct {
		name, descriptor string
		parent           int32
	}{
		{"Flask", "Flask#", -1},
		{"url_for", "Flask#url_for().", 0},
		{"self", "Flask#url_for().(self)", 1},
		{"x", "elsewhere#x.", 0},
		{"", "anonymous0#", -1},
		{"", "", -1},
		{"Flask", "", -1},
		{"a", "a#a#a.", 0},
		{"odd name", "`odd name`().", -1},
		{"far", strings.Repeat("y", 300) + "far.", -1},
		{"\xff\x00", "\x00\xff\x00#", -1},
	} {
		p := Position{uint32(i + 1), 1}
		d.Symbols = append(d.Symbols, Symbol{Name: s.name, Descriptor: s.descriptor, Parent: s.parent, NamePos: p, Start: p, End: p})
	}
	r := openSampleStructural(t, d)
	for i, s := range d.Symbols {
		if got := r.SymbolDescriptor(i); got != s.Descriptor {
			t.Errorf("symbol %d: %q, want %q", i, got, s.Descriptor)
		}
	}
}

// TestDescriptorChainIsBounded: a few bytes for each symbol must not add up to
// descriptors without end.
func TestDescriptorChainIsBounded(t *testing.T) {
	d := &StructuralData{Files: 1, Units: 1}
	name := strings.Repeat("n", 10000)
	descriptor := ""
	for i := range 110 {
		descriptor += name
		p := Position{uint32(i + 1), 1}
		d.Symbols = append(d.Symbols, Symbol{Name: name, Descriptor: descriptor, Parent: int32(i) - 1, NamePos: p, Start: p, End: Position{2000, 1}})
	}
	_, err := EncodeStructural(Digest{}, d)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprint(10000*(MaxDescriptor/10000+1))) {
		t.Fatal(err)
	}
}
