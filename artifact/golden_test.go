package artifact

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// The golden artifact is one partition with everything in it, kept as files
// under testdata/golden/v<format version>. Registries never forget, so what
// was written once must be read for ever: a version's folder is never changed
// after a release that wrote it, and new versions get new folders. Before the
// first release, a wanted change of the format is recorded with
//
//	go test ./artifact -run Golden -update
var update = flag.Bool("update", false, "rewrite the golden artifacts of the current format version")

const goldenDir = "../testdata/golden"

const (
	goldenGo   = "// Package a greets.\npackage a\n\nimport \"fmt\"\n\ntype T struct{ n int }\n\nfunc (t *T) Hello() {\n\tfmt.Println(t.n)\n}\n"
	goldenText = "héllo\r\nworld"
)

// goldenUnits returns the tree entries, units and docs.
func goldenUnits() *UnitsData {
	blob := func(s string) gitobj.ID { return gitobj.Hash(gitobj.SHA1, "blob", []byte(s)) }
	missing := gitobj.Hash(gitobj.SHA1, "blob", []byte{0})
	return &UnitsData{
		Files: []File{
			{Path: "a.go", Mode: 0o100644, Blob: blob(goldenGo), Size: uint64(len(goldenGo)), Lang: "go", Lines: 10},
			{Path: "bin/\xffx", Mode: 0o100755, Blob: missing, Size: 1 << 33, Skip: SkipTooLarge},
			{Path: "empty", Mode: 0o100644, Blob: blob("")},
			{Path: "sub", Mode: 0o160000, Blob: missing, Skip: SkipSubmodule},
			{Path: "text.md", Mode: 0o120000, Blob: blob(goldenText), Size: uint64(len(goldenText)), Lang: "markdown", Degraded: DegradedSyntax, Encoding: EncodingUTF8BOM, Lines: 2},
		},
		Units: []Unit{
			{File: 0, Level: L0, Kind: KindFile, Parent: -1, Start: 0, End: 112, StartLine: 1, EndLine: 10},
			{File: 0, Level: L2, Kind: KindRemainder, Parent: 0, Start: 0, End: 46, StartLine: 1, EndLine: 5},
			{File: 0, Level: L1, Kind: KindStruct, Parent: 0, Start: 46, End: 69, StartLine: 6, EndLine: 6, Name: "T", Symbol: "T"},
			{File: 0, Level: L2, Kind: KindField, Parent: 2, Start: 61, End: 66, StartLine: 6, EndLine: 6, Name: "(n)", Symbol: "T.n"},
			{File: 0, Level: L2, Kind: KindMethod, Parent: 0, Start: 70, End: 112, StartLine: 8, EndLine: 10, Name: "Hello", Symbol: "T.Hello"},
			{File: 2, Level: L0, Kind: KindFile, Parent: -1, StartLine: 1, EndLine: 1},
			{File: 4, Level: L0, Kind: KindFile, Parent: -1, Start: 0, End: 13, StartLine: 1, EndLine: 2},
		},
		Docs: []Doc{
			{Unit: 1, Part: 0, Start: 0, End: 46, StartLine: 1, EndLine: 5},
			{Unit: 2, Part: 0, Start: 46, End: 69, StartLine: 6, EndLine: 6},
			{Unit: 4, Part: 0, Start: 70, End: 92, StartLine: 8, EndLine: 8},
			{Unit: 4, Part: 1, Start: 92, End: 112, StartLine: 9, EndLine: 10},
			{Unit: 5, Part: 0, StartLine: 1, EndLine: 1},
			{Unit: 6, Part: 0, Start: 0, End: 13, StartLine: 1, EndLine: 2},
		},
	}
}

func goldenContents() [][]byte {
	return [][]byte{[]byte(goldenGo), nil, nil, nil, []byte(goldenText)}
}

func goldenStructural() *StructuralData {
	return &StructuralData{
		Files: 5, Units: 7,
		Symbols: []Symbol{
			{Name: "T", Descriptor: "T#", Kind: KindStruct, Flags: SymbolExported, File: 0, Unit: 2, Parent: -1, NamePos: Position{6, 6}, Start: Position{6, 1}, End: Position{6, 22}},
			{Name: "n", Descriptor: "T#n.", Kind: KindField, File: 0, Unit: 3, Parent: 0, NamePos: Position{6, 16}, Start: Position{6, 16}, End: Position{6, 20}},
			{Name: "Hello", Descriptor: "T#Hello().", Kind: KindMethod, Flags: SymbolExported, File: 0, Unit: 4, Parent: -1, NamePos: Position{8, 13}, Start: Position{8, 1}, End: Position{10, 1}},
			{Name: "t", Descriptor: "T#Hello().(t)", Kind: KindVariable, Flags: SymbolLocal, File: 0, Unit: 4, Parent: 2, NamePos: Position{8, 7}, Start: Position{8, 7}, End: Position{8, 10}},
		},
		Occurrences: []Occurrence{
			{File: 0, Pos: Position{8, 10}, Role: RoleType, Name: "T"},
			{File: 0, Pos: Position{9, 6}, Role: RoleCall, Name: "Println", Receiver: "fmt"},
			{File: 0, Pos: Position{9, 16}, Role: RoleRead, Name: "n", Receiver: "t"},
			{File: 4, Pos: Position{2, 1}, Role: RoleImport, Name: "Hello", Receiver: "…"},
		},
		Imports: []Import{{File: 0, Pos: Position{4, 8}, Module: "fmt", Alias: "fmt"}},
	}
}

// goldenWords are (doc, field, term, position) in the lexical segment.
var goldenWords = []struct {
	doc   uint32
	field Field
	term  string
	pos   uint32
}{
	{0, FieldBody, "package", 0}, {0, FieldBody, "greets", 2}, {0, FieldPath, "a", 0},
	{2, FieldSymbol, "hello", 1}, {2, FieldBody, "hello", 3}, {2, FieldBody, "hello", 9}, {2, FieldSymbol, "T.Hello", NoPosition},
	{5, FieldBody, "héllo", 0}, {5, FieldBody, "world", 1}, {5, FieldPath, "text", 0},
}

func goldenLexical() *LexicalBuilder {
	b := NewLexicalBuilder(6)
	for _, w := range goldenWords {
		b.Add(w.doc, w.field, []byte(w.term), w.pos)
	}
	for _, n := range []struct {
		doc uint32
		f   Field
		n   uint32
	}{{0, FieldBody, 4}, {2, FieldBody, 12}, {2, FieldSymbol, 2}, {5, FieldBody, 2}} {
		b.SetLength(n.doc, n.f, n.n)
	}
	return b
}

func goldenDense() *DenseData {
	return &DenseData{
		Model: goldenModel.Digest, Dims: 4, Docs: []uint32{0, 2, 5}, Keys: [][16]byte{{1}, {2}, {3}},
		Rows: []int8{1, 2, 3, 4, -128, 127, 0, -1, 9, 8, 7, 6},
	}
}

var goldenModel = ModelInfo{Name: "golden", Dims: 4, Digest: DigestOf([]byte("golden model")), Size: 12}

func goldenKey(v View) Digest {
	var files []KeyFile
	for _, f := range goldenUnits().Files {
		files = append(files, KeyFile{Path: f.Path, Mode: f.Mode, Blob: f.Blob, Decision: f.Skip.String()})
	}
	return SegmentKey(v, v.String()+" 1", []string{"go 1", "markdown 2"}, files)
}

func goldenManifest(t *testing.T, segs []PackSegment) *Manifest {
	t.Helper()
	d := goldenUnits()
	tree, err := TreeID(gitobj.SHA1, d.Files)
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte("tree " + tree.String() + "\nauthor A <a@example.org> 1700000000 +0100\ncommitter A <a@example.org> 1700000000 +0100\n\nGreet\n")
	m := &Manifest{
		Schema: ManifestSchema, FormatVersion: FormatVersion, ObjectFormat: "sha1",
		Commit: gitobj.Hash(gitobj.SHA1, "commit", raw).String(), Tree: tree.String(), CommitObject: raw,
		Profile: Profile{
			Views:     map[string]string{"units": "1", "lexical": "1; \"quoted\" é"},
			Languages: map[string]string{"go": "1", "markdown": "2"},
			Options:   map[string]string{"max_file": "16777216"},
		},
		PartitionBits: 2, Files: 5, Indexed: 3, Units: 7, Docs: 6, Bytes: int64(len(goldenGo) + len(goldenText)),
		Views:     map[string]ViewInfo{},
		Languages: map[string]Language{"go": {Files: 1, Bytes: int64(len(goldenGo)), Backends: map[string]string{"units": "golden"}}, "markdown": {Files: 1, Bytes: 13, Backends: map[string]string{}}},
		Skipped:   map[string]int{"submodule": 1, "too large": 1}, Degraded: map[string]int{"syntax errors": 1},
		Model:        &goldenModel,
		Partitions:   []PartitionInfo{{Files: 5, Units: 7, Docs: 6, Segments: map[string]SegmentInfo{}}},
		Capabilities: []string{"grep", "symbols"},
	}
	if m.Profile.Digest, err = m.Profile.Compute(); err != nil {
		t.Fatal(err)
	}
	for _, s := range segs {
		m.Views[s.View.String()] = ViewInfo{State: ViewReady, Type: "golden-" + s.View.String(), Reproducible: ByCommit, Settings: map[string]string{}}
		m.Partitions[0].Segments[s.View.String()] = SegmentInfo{Key: goldenKey(s.View), Digest: DigestOf(s.Bytes), Size: int64(len(s.Bytes))}
	}
	return m
}

// encodeGolden returns the files of the current format version.
func encodeGolden(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	var segs []PackSegment
	for _, v := range Views {
		var b []byte
		var err error
		switch v {
		case Units:
			b, err = EncodeUnits(goldenKey(v), goldenUnits())
		case Source:
			b, err = EncodeSource(goldenKey(v), goldenContents())
		case Lexical:
			b, err = goldenLexical().Encode(goldenKey(v))
		case Dense:
			b, err = EncodeDense(goldenKey(v), goldenDense())
		case Structural:
			b, err = EncodeStructural(goldenKey(v), goldenStructural())
		}
		if err != nil {
			t.Fatal(err)
		}
		files[v.String()+".seg"] = b
		segs = append(segs, PackSegment{View: v, Bytes: b})
	}
	var err error
	if files["partition.pack"], err = EncodePack(segs); err != nil {
		t.Fatal(err)
	}
	if files["manifest.json"], _, err = goldenManifest(t, segs).Encode(); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestGolden compares what the encoders write with the fixtures of the
// current version, and reads the fixtures of every version.
func TestGolden(t *testing.T) {
	current := filepath.Join(goldenDir, "v0")
	want := encodeGolden(t)
	if *update {
		if err := os.MkdirAll(current, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, b := range want {
			if err := os.WriteFile(filepath.Join(current, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, b := range want {
		got, err := os.ReadFile(filepath.Join(current, name))
		if err != nil {
			t.Fatalf("a golden artifact is missing: %v", err)
		}
		if !bytes.Equal(got, b) {
			t.Errorf("%s: the encoder writes %d other bytes; a format change needs a new version, and before the first release -update", name, len(b))
		}
	}
	versions, err := os.ReadDir(goldenDir)
	if err != nil || len(versions) == 0 {
		t.Fatalf("no golden artifacts, %v", err)
	}
	readers := map[string]func(t *testing.T, files map[string][]byte){"v0": readGolden}
	for _, v := range versions {
		entries, err := os.ReadDir(filepath.Join(goldenDir, v.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, e := range entries {
			if files[e.Name()], err = os.ReadFile(filepath.Join(goldenDir, v.Name(), e.Name())); err != nil {
				t.Fatal(err)
			}
			if _, ok := want[e.Name()]; !ok {
				t.Errorf("nothing reads the golden artifact %s/%s", v.Name(), e.Name())
			}
		}
		for name := range want {
			if files[name] == nil {
				t.Fatalf("the golden artifact %s/%s is missing", v.Name(), name)
			}
		}
		read := readers[v.Name()]
		if read == nil {
			t.Fatalf("no reader for the golden artifacts %s", v.Name())
		}
		t.Run(v.Name(), func(t *testing.T) { read(t, files) })
	}
}

// readGolden checks every content of the fixtures against the literals above.
func readGolden(t *testing.T, files map[string][]byte) {
	m, err := DecodeManifest(files["manifest.json"])
	if err != nil {
		t.Fatal(err)
	}
	pack, err := OpenPack(files["partition.pack"])
	if err != nil {
		t.Fatal(err)
	}
	ix := NewIndex(m, DigestOf(files["manifest.json"]), func(p int, v View, seg SegmentInfo) ([]byte, error) {
		b, err := pack.SegmentAs(v, seg)
		if err == nil && !bytes.Equal(b, files[v.String()+".seg"]) {
			t.Errorf("the pack's %s segment is not the one of the file", v)
		}
		return b, err
	}, nil)
	if got := goldenManifest(t, nil).Profile; !reflect.DeepEqual(m.Profile, got) {
		t.Errorf("profile %+v, want %+v", m.Profile, got)
	}
	proof, err := ix.Prove(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if proof.Blobs != 3 || proof.Entries != 5 || proof.Commit != m.Commit || proof.NoContent["submodule"] != 1 || proof.NoContent["too large"] != 1 {
		t.Errorf("proof %+v", proof)
	}
	readGoldenUnits(t, ix)
	readGoldenLexical(t, ix)
	readGoldenDense(t, ix)
	readGoldenStructural(t, ix)
}

func readGoldenUnits(t *testing.T, ix *Index) {
	u, err := ix.Units(0)
	if err != nil {
		t.Fatal(err)
	}
	if u.Key() != goldenKey(Units) {
		t.Errorf("key %s", u.Key())
	}
	if err := checkUnitsReader(u, goldenUnits()); err != nil {
		t.Error(err)
	}
	if got := u.OwnedRanges(1, nil); !slices.Equal(got, [][2]uint32{{46, 61}, {66, 69}}) {
		t.Errorf("owned ranges %v", got)
	}
	if got := u.FileUnitIDs(0); !slices.Equal(got, goldenUnitIDs) {
		t.Errorf("unit ids %q", got)
	}
	src, err := ix.Source(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range goldenContents() {
		if !bytes.Equal(src.Content(i), want) {
			t.Errorf("content of file %d: %q", i, src.Content(i))
		}
	}
}

func readGoldenLexical(t *testing.T, ix *Index) {
	r, err := ix.Lexical(0)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	if err := r.WalkPrefix("", func(term []byte, _ Term) bool { got = append(got, string(term)); return true }); err != nil {
		t.Fatal(err)
	}
	type posting struct {
		term string
		doc  uint32
		f    Field
	}
	counts := map[posting]uint16{}
	for _, w := range goldenWords {
		want = append(want, w.term)
		counts[posting{w.term, w.doc, w.field}]++
	}
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("terms %q, want %q", got, want)
	}
	for _, name := range want {
		term, ok, err := r.Lookup(name)
		if err != nil || !ok {
			t.Fatalf("term %q: %t, %v", name, ok, err)
		}
		list, err := r.Postings(term, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			for f, n := range p.TF {
				k := posting{name, p.Doc, Field(f)}
				if n != counts[k] {
					t.Errorf("%+v: %d times, want %d", k, n, counts[k])
				}
				delete(counts, k)
			}
		}
	}
	if len(counts) > 0 {
		t.Errorf("postings are missing: %v", counts)
	}
	if r.FieldLength(2, FieldBody) != 12 || r.TotalLength(FieldBody) != 18 || r.TotalLength(FieldSymbol) != 2 {
		t.Error("field lengths differ")
	}
}

func readGoldenDense(t *testing.T, ix *Index) {
	r, err := ix.Dense(0)
	if err != nil {
		t.Fatal(err)
	}
	d := goldenDense()
	if r.Model() != d.Model || r.Dims() != d.Dims || !slices.Equal(r.Rows(), d.Rows) {
		t.Errorf("rows %v of %d dimensions", r.Rows(), r.Dims())
	}
	for i := range d.Docs {
		if r.Doc(i) != d.Docs[i] || r.Key(i) != d.Keys[i] {
			t.Errorf("row %d is of doc %d, key %x", i, r.Doc(i), r.Key(i))
		}
	}
}

func readGoldenStructural(t *testing.T, ix *Index) {
	r, err := ix.Structural(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkStructuralReader(r, goldenStructural()); err != nil {
		t.Error(err)
	}
	if got := r.FilesUsing("Hello"); !slices.Equal(got, []uint32{4}) {
		t.Errorf("files using Hello: %v", got)
	}
	if got := r.SymbolsNamed("n"); !slices.Equal(got, []uint32{1}) {
		t.Errorf("symbols named n: %v", got)
	}
	if i, ok := r.SymbolAt(0, Position{8, 8}); !ok || i != 3 {
		t.Errorf("symbol at 8:8: %d, %t", i, ok)
	}
}

// goldenUnitIDs are the ids of the units of a.go.
var goldenUnitIDs = []string{"855447247d2770f6", "f75de15d77e41be1", "95caaa7685238ab2", "03f9ec963275d863", "24439cd45ce32c7c"}
