package artifact

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// TestUnitsAgainstModel compares every accessor with what a walk over the
// input finds.
func TestUnitsAgainstModel(t *testing.T) {
	for seed := range uint64(60) {
		r := newRand(seed)
		s := newSample(r, r.IntN(30), r.IntN(40))
		d := &s.units
		key := DigestOf([]byte{byte(seed)})
		b, err := EncodeUnits(key, d)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again, err := EncodeUnits(key, d); err != nil || !slices.Equal(b, again) {
			t.Fatalf("seed %d: encoding twice differs, %v", seed, err)
		}
		u, err := OpenUnits(b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if u.Key() != key {
			t.Fatal("key differs")
		}
		for i, f := range d.Files {
			if u.File(i) != f || string(u.PathBytes(i)) != f.Path || u.Encoding(i) != f.Encoding || u.Degraded(i) != f.Degraded {
				t.Fatalf("seed %d: file %d: %+v, want %+v", seed, i, u.File(i), f)
			}
			if k, ok := u.FindFile(f.Path); !ok || k != i {
				t.Fatalf("FindFile(%q) = %d, %t", f.Path, k, ok)
			}
			lo, hi := u.FileUnits(i)
			dlo, dhi := u.FileDocs(i)
			for k, o := range d.Units {
				if (int(o.File) == i) != (k >= lo && k < hi) {
					t.Fatalf("seed %d: FileUnits(%d) = %d, %d, unit %d", seed, i, lo, hi, k)
				}
			}
			for k, o := range d.Docs {
				if (int(d.Units[o.Unit].File) == i) != (k >= dlo && k < dhi) {
					t.Fatalf("seed %d: FileDocs(%d) = %d, %d, doc %d", seed, i, dlo, dhi, k)
				}
			}
		}
		if _, ok := u.FindFile("src"); ok {
			t.Fatal("found a folder")
		}
		for i, o := range d.Units {
			if u.Unit(i) != o || u.UnitParent(i) != int(o.Parent) || u.UnitFile(i) != int(o.File) || u.UnitName(i) != o.Name || u.UnitSymbol(i) != o.Symbol {
				t.Fatalf("seed %d: unit %d: %+v, want %+v", seed, i, u.Unit(i), o)
			}
			lo, hi := u.UnitDocs(i)
			for k, doc := range d.Docs {
				if (int(doc.Unit) == i) != (k >= lo && k < hi) {
					t.Fatalf("seed %d: UnitDocs(%d) = %d, %d, doc %d", seed, i, lo, hi, k)
				}
			}
		}
		for i, o := range d.Docs {
			if u.Doc(i) != o || u.DocUnit(i) != int(o.Unit) || u.DocFile(i) != int(d.Units[o.Unit].File) {
				t.Fatalf("seed %d: doc %d: %+v, want %+v", seed, i, u.Doc(i), o)
			}
		}
		checkOwnership(t, d, u)
	}
}

// checkOwnership compares the owned ranges with an owner for each byte, found
// by painting units over their parents.
func checkOwnership(t *testing.T, d *UnitsData, u *UnitsReader) {
	t.Helper()
	for f := range d.Files {
		if d.Files[f].Skip != SkipNone {
			continue
		}
		owner := make([]int, d.Files[f].Size)
		lo, hi := u.FileUnits(f)
		for i := lo; i < hi; i++ {
			for b := d.Units[i].Start; b < d.Units[i].End; b++ {
				owner[b] = i
			}
		}
		check := func(unit int, start, end uint32, ranges [][2]uint32) {
			t.Helper()
			got := make([]bool, len(owner))
			at := start
			for _, r := range ranges {
				if r[0] < at || r[1] <= r[0] || r[1] > end {
					t.Fatalf("unit %d: ranges %v in [%d, %d)", unit, ranges, start, end)
				}
				at = r[1]
				for b := r[0]; b < r[1]; b++ {
					got[b] = true
				}
			}
			for b := range owner {
				want := owner[b] == unit && uint32(b) >= start && uint32(b) < end
				if got[b] != want {
					t.Fatalf("unit %d [%d, %d): byte %d owned %t, want %t", unit, start, end, b, got[b], want)
				}
			}
		}
		for i := lo; i < hi; i++ {
			check(i, d.Units[i].Start, d.Units[i].End, u.UnitOwnedRanges(i, nil))
			a, z := u.UnitDocs(i)
			for k := a; k < z; k++ {
				check(i, d.Docs[k].Start, d.Docs[k].End, u.OwnedRanges(k, nil))
			}
		}
	}
}

func TestUnitIDs(t *testing.T) {
	r := newRand(3)
	s := newSample(r, 20, 30)
	open := func(d *UnitsData) *UnitsReader {
		t.Helper()
		b, err := EncodeUnits(Digest{1}, d)
		if err != nil {
			t.Fatal(err)
		}
		u, err := OpenUnits(b)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	u := open(&s.units)
	seen := map[string]int{}
	for f := range u.NumFiles() {
		lo, hi := u.FileUnits(f)
		ids := u.FileUnitIDs(f)
		if len(ids) != hi-lo {
			t.Fatalf("file %d: %d ids for %d units", f, len(ids), hi-lo)
		}
		for i, id := range ids {
			if len(id) != 16 || u.UnitID(lo+i) != id {
				t.Fatalf("unit %d: %q and %q", lo+i, id, u.UnitID(lo+i))
			}
			if k, ok := seen[id]; ok {
				t.Fatalf("units %d and %d share the id %s", k, lo+i, id)
			}
			seen[id] = lo + i
		}
	}
	// The same units ten bytes and two lines further down keep their ids.
	moved := UnitsData{Files: slices.Clone(s.units.Files), Units: slices.Clone(s.units.Units)}
	for i := range moved.Files {
		if moved.Files[i].Size > 0 && moved.Files[i].Skip == SkipNone {
			moved.Files[i].Size += 10
			moved.Files[i].Lines += 2
		}
	}
	for i := range moved.Units {
		o := &moved.Units[i]
		if o.Level == L0 {
			o.End, o.EndLine = uint32(moved.Files[o.File].Size), max(1, moved.Files[o.File].Lines)
			continue
		}
		o.Start, o.End, o.StartLine, o.EndLine = o.Start+10, o.End+10, o.StartLine+2, o.EndLine+2
	}
	m := open(&moved)
	for i := range u.NumUnits() {
		if u.UnitID(i) != m.UnitID(i) {
			t.Fatalf("unit %d changed its id by moving", i)
		}
	}
	// Pinned: ids are stored outside, in receipts and agents' notes.
	if got := unitID([]byte("src/flask/app.py"), KindMethod, []byte("Flask.url_for"), 0); got != "35b7fb8b55342b3b" {
		t.Errorf("unit id %s", got)
	}
}

// TestUnitsRules breaks each rule of the format in turn.
func TestUnitsRules(t *testing.T) {
	blob := gitobj.Hash(gitobj.SHA1, "blob", []byte("x"))
	base := func() *UnitsData {
		return &UnitsData{
			Files: []File{
				{Path: "a/x.go", Mode: 0o100644, Blob: blob, Size: 100, Lang: "go", Lines: 10},
				{Path: "a/y.bin", Mode: 0o100644, Blob: blob, Size: 7, Skip: SkipBinary},
				{Path: "b.go", Mode: 0o100644, Blob: blob, Size: 50, Lang: "go", Lines: 5},
			},
			Units: []Unit{
				{File: 0, Level: L0, Kind: KindFile, Parent: -1, Start: 0, End: 100, StartLine: 1, EndLine: 10},
				{File: 0, Level: L1, Kind: KindStruct, Parent: 0, Start: 10, End: 60, StartLine: 2, EndLine: 6, Name: "T", Symbol: "T"},
				{File: 0, Level: L2, Kind: KindMethod, Parent: 1, Start: 20, End: 40, StartLine: 3, EndLine: 4, Name: "m", Symbol: "T.m"},
				{File: 0, Level: L2, Kind: KindFunction, Parent: 0, Start: 60, End: 90, StartLine: 7, EndLine: 9, Name: "f", Symbol: "f"},
				{File: 2, Level: L0, Kind: KindFile, Parent: -1, Start: 0, End: 50, StartLine: 1, EndLine: 5},
			},
			Docs: []Doc{
				{Unit: 1, Part: 0, Start: 10, End: 30, StartLine: 2, EndLine: 3},
				{Unit: 1, Part: 1, Start: 30, End: 60, StartLine: 3, EndLine: 6},
				{Unit: 2, Part: 0, Start: 20, End: 40, StartLine: 3, EndLine: 4},
				{Unit: 4, Part: 0, Start: 0, End: 50, StartLine: 1, EndLine: 5},
			},
		}
	}
	if _, err := EncodeUnits(Digest{}, base()); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(d *UnitsData){
		"paths out of order":          func(d *UnitsData) { d.Files[1].Path = "a/w" },
		"path twice":                  func(d *UnitsData) { d.Files[1].Path = "a/x.go" },
		"empty path":                  func(d *UnitsData) { d.Files[0].Path = "" },
		"absolute path":               func(d *UnitsData) { d.Files[0].Path = "/a" },
		"path ends in a slash":        func(d *UnitsData) { d.Files[2].Path = "b/" },
		"empty component":             func(d *UnitsData) { d.Files[2].Path = "b//c" },
		"NUL in a path":               func(d *UnitsData) { d.Files[2].Path = "b\x00c" },
		"no object id":                func(d *UnitsData) { d.Files[1].Blob = gitobj.ID{} },
		"two object formats":          func(d *UnitsData) { d.Files[1].Blob = gitobj.Hash(gitobj.SHA256, "blob", nil) },
		"units of a skipped file":     func(d *UnitsData) { d.Files[2].Skip = SkipBinary },
		"no units of an indexed file": func(d *UnitsData) { d.Files[1].Skip = SkipNone },
		"no L0 unit":                  func(d *UnitsData) { d.Units[0].Level = L1 },
		"L0 in the middle":            func(d *UnitsData) { d.Units[2].Level = L0 },
		"L0 shorter than the file":    func(d *UnitsData) { d.Units[0].End = 99 },
		"L0 with a parent":            func(d *UnitsData) { d.Units[4].Parent = 0 },
		"L0 from line 2":              func(d *UnitsData) { d.Units[4].StartLine = 2 },
		"L0 with a line too many":     func(d *UnitsData) { d.Units[4].EndLine = 6 },
		"level 3":                     func(d *UnitsData) { d.Units[3].Level = 3 },
		"unit of another file":        func(d *UnitsData) { d.Units[3].File = 2 },
		"unit of no file":             func(d *UnitsData) { d.Units[4].File = 3 },
		"units out of order":          func(d *UnitsData) { d.Units[1], d.Units[3] = d.Units[3], d.Units[1] },
		"lines out of order":          func(d *UnitsData) { d.Units[3].StartLine = 2 },
		"parent is not the innermost": func(d *UnitsData) { d.Units[2].Parent = 0 },
		"parent ended before":         func(d *UnitsData) { d.Units[3].Parent = 1 },
		"parent comes later":          func(d *UnitsData) { d.Units[2].Parent = 3 },
		"parent -2":                   func(d *UnitsData) { d.Units[2].Parent = -2 },
		"reaches out of the parent":   func(d *UnitsData) { d.Units[2].End = 61 },
		"last line behind the parent": func(d *UnitsData) { d.Units[2].EndLine = 7 },
		"empty unit":                  func(d *UnitsData) { d.Units[2].End = 20 },
		"ends before it starts":       func(d *UnitsData) { d.Units[2].End = 19 },
		"last line before the first":  func(d *UnitsData) { d.Units[2].EndLine = 2 },
		"doc of no unit":              func(d *UnitsData) { d.Docs[3].Unit = 5 },
		"docs out of order":           func(d *UnitsData) { d.Docs[3].Unit = 1 },
		"doc parts out of order":      func(d *UnitsData) { d.Docs[1].Part = 2 },
		"doc part missing":            func(d *UnitsData) { d.Docs[0].Part = 1 },
		"doc reaches out":             func(d *UnitsData) { d.Docs[2].End = 41 },
		"doc starts before its unit":  func(d *UnitsData) { d.Docs[2].Start = 19 },
		"doc's last line behind":      func(d *UnitsData) { d.Docs[2].EndLine = 5 },
		"doc's first line before":     func(d *UnitsData) { d.Docs[2].StartLine = 2 },
		"doc parts overlap":           func(d *UnitsData) { d.Docs[1].Start = 29 },
		"empty doc":                   func(d *UnitsData) { d.Docs[2].Start = 40 },
		"doc ends before it starts":   func(d *UnitsData) { d.Docs[2].Start, d.Docs[2].End = 30, 25 },
	} {
		d := base()
		edit(d)
		if _, err := EncodeUnits(Digest{}, d); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamagedSegments overwrites bytes behind mended checksums: whatever opens
// must answer every question without a panic.
func TestDamagedSegments(t *testing.T) {
	r := newRand(11)
	s := newSample(r, 6, 10)
	for _, seg := range s.encode(t, Digest{1}) {
		for range 4000 {
			b := slices.Clone(seg.Bytes)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] = damagedByte(r)
			}
			exercise(t, resealSegment(b))
		}
		for n := range len(seg.Bytes) {
			if n < 200 || n%61 == 0 {
				exercise(t, resealSegment(slices.Clone(seg.Bytes[:n])))
			}
		}
	}
}

func damagedByte(r *rand.Rand) byte {
	if r.IntN(2) == 0 {
		return []byte{0, 1, 2, 0x7f, 0x80, 0xff}[r.IntN(6)]
	}
	return byte(r.Uint32())
}

// exercise opens b as a units, source or structural segment, whichever its
// header says, and calls everything.
func exercise(t testing.TB, b []byte) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil && !isFormatError(err) {
			t.Fatalf("error without a sentinel: %v", err)
		}
	}
	u, err := OpenUnits(b)
	check(err)
	if err == nil {
		exerciseUnits(t, u)
	}
	modules, err := OpenImports(b)
	check(err)
	if err == nil {
		modules.EachModule(func([]byte, int) {})
	}
	src, err := OpenSource(b)
	check(err)
	if err == nil {
		for f := range src.NumFiles() {
			lo, hi := src.FileRange(f)
			if len(src.Content(f)) != hi-lo {
				t.Fatal("content and range differ")
			}
			if lo < hi && src.FileAt(lo) != f {
				t.Fatal("FileAt differs")
			}
		}
	}
	st, err := OpenStructural(b)
	check(err)
	if err == nil {
		exerciseStructural(check, st)
	}
}

func exerciseUnits(t testing.TB, u *UnitsReader) {
	for i := range u.NumFiles() {
		u.File(i)
		u.FileUnits(i)
		u.FileDocs(i)
		u.FileUnitIDs(i)
		u.FindFile(u.Path(i))
	}
	for i := range u.NumUnits() {
		u.Unit(i)
		u.UnitDocs(i)
		u.UnitOwnedRanges(i, nil)
	}
	for i := range u.NumDocs() {
		u.Doc(i)
		u.OwnedRanges(i, nil)
	}
	// What opens is consistent: it can be encoded again.
	d := &UnitsData{}
	for i := range u.NumFiles() {
		d.Files = append(d.Files, u.File(i))
	}
	for i := range u.NumUnits() {
		d.Units = append(d.Units, u.Unit(i))
	}
	for i := range u.NumDocs() {
		d.Docs = append(d.Docs, u.Doc(i))
	}
	if _, err := EncodeUnits(u.Key(), d); err != nil {
		t.Fatalf("what opens cannot be encoded: %v", err)
	}
}

func exerciseStructural(check func(error), r *StructuralReader) {
	for i := range r.NumSymbols() {
		s := r.Symbol(i)
		r.SymbolsNamed(s.Name)
		r.SymbolAt(int(s.File), s.NamePos)
		r.UnitSymbol(int(s.Unit))
	}
	for f := range r.NumFiles() {
		check(r.FileOccurrences(f, func(o Occurrence) bool { return true }))
		_, err := r.FileImports(f)
		check(err)
	}
	for _, name := range sampleWords {
		r.FilesUsing(name)
		check(r.Occurrences(name, func(Occurrence) bool { return true }))
	}
	for _, module := range []string{"flask.helpers", "./util"} {
		r.FilesImporting(module)
	}
	r.WalkNames("", func([]byte) bool { return true })
	r.WalkModules("c", func([]byte) bool { return true })
	check(r.WalkImports(func(Import) bool { return true }))
}
