package scip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// files is a Tree of texts; a text that starts with "!" is a reason.
type files map[string]string

func (f files) Content(p string) ([]byte, string, error) {
	s, ok := f[p]
	if !ok {
		return nil, "not in the commit", nil
	}
	if why, ok := strings.CutPrefix(s, "!"); ok {
		return nil, why, nil
	}
	return []byte(s), "", nil
}

func occ(symbol string, roles int32, r ...int32) *scip.Occurrence {
	//lint:ignore SA1019 the form that indexers of today write
	return &scip.Occurrence{Symbol: symbol, SymbolRoles: roles, Range: r}
}

func encode(t testing.TB, docs ...*scip.Document) []byte {
	t.Helper()
	b, err := proto.Marshal(&scip.Index{
		Metadata:  &scip.Metadata{ToolInfo: &scip.ToolInfo{Name: "fake", Version: "1"}},
		Documents: docs,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// collect takes one index in.
func collect(t testing.TB, tree Tree, indexes ...[]byte) (*Input, []*IndexReport, error) {
	t.Helper()
	c, err := NewCollector(tree)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var reps []*IndexReport
	for _, b := range indexes {
		rep, err := c.Add(context.Background(), "index.scip", "", bytes.NewReader(b))
		if err != nil {
			return nil, nil, err
		}
		reps = append(reps, rep)
	}
	in, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in, reps, nil
}

func only(t testing.TB, in *Input) *Document {
	t.Helper()
	if in == nil || len(in.Documents) != 1 {
		t.Fatalf("not one document: %+v", in)
	}
	b, err := in.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := DecodeDocument(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const goText = "package p\n\nfunc Run() { x := 1; use(x) }\n"

func goDocument(version string) *scip.Document {
	return &scip.Document{RelativePath: "p.go", Occurrences: []*scip.Occurrence{
		occ("scip-go gomod ex.org/p "+version+" Run().", 1, 2, 5, 8),
		occ("local 7", 1, 2, 13, 14),
		occ("local 7", 8, 2, 25, 26),
		occ("scip-go gomod ex.org/q v2 use().", 8, 2, 21, 24),
	}}
}

func TestVersionsAndLocalNumbersDoNotMatter(t *testing.T) {
	one, _, err := collect(t, files{"p.go": goText}, encode(t, goDocument("v1.2.3")))
	if err != nil {
		t.Fatal(err)
	}
	later := goDocument("v9")
	for _, o := range later.Occurrences {
		o.Symbol = strings.ReplaceAll(o.Symbol, "local 7", "local 41")
	}
	two, _, err := collect(t, files{"p.go": goText}, encode(t, later))
	if err != nil {
		t.Fatal(err)
	}
	if one.Digest != two.Digest {
		t.Errorf("%s is not %s", one.Digest, two.Digest)
	}
	d := only(t, one)
	if want := []string{"local 0", "scip-go gomod ex.org/p . Run().", "scip-go gomod ex.org/q v2 use()."}; fmt.Sprint(d.Symbols) != fmt.Sprint(want) {
		t.Errorf("symbols %q", d.Symbols)
	}
	// The same index twice says no more than once.
	both, _, err := collect(t, files{"p.go": goText}, encode(t, goDocument("v1")), encode(t, goDocument("v1")))
	if err != nil || both.Digest != one.Digest {
		t.Errorf("given twice: %v, %v", both, err)
	}
}

func TestColumnsOfEachEncoding(t *testing.T) {
	const text = "é𝄞x = x\n"
	for _, c := range []struct {
		enc        scip.PositionEncoding
		def, ref   int32
		wantDef    uint32
		wantRefCol uint32
	}{
		{scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart, 6, 10, 6, 10},
		{scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart, 3, 7, 6, 10},
		{scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart, 2, 6, 6, 10},
		{scip.PositionEncoding_UnspecifiedPositionEncoding, 3, 7, 6, 10}, // told by what fits
	} {
		// The letter before keeps "x" no word of its own: a blank stands there instead.
		body := strings.Replace(text, "𝄞", "𝄞", 1)
		in, reps, err := collect(t, files{"a.py": body}, encode(t, &scip.Document{RelativePath: "a.py", PositionEncoding: c.enc, Occurrences: []*scip.Occurrence{
			occ("s p n v x.", 1, 0, c.def, c.def+1), occ("s p n v x.", 0, 0, c.ref, c.ref+1),
		}}))
		if err != nil {
			t.Fatal(err)
		}
		d := only(t, in)
		if len(d.Occurrences) != 2 || d.Occurrences[0].Range.StartCol != c.wantDef || d.Occurrences[1].Range.StartCol != c.wantRefCol {
			t.Errorf("%v: %+v, %+v", c.enc, d.Occurrences, reps[0])
		}
	}
}

func TestDocumentsThatDoNotFitAreRejected(t *testing.T) {
	tree := files{
		"p.go": goText, "link": "!a symbolic link", "secret.env": "!not indexed: secret", "latin": "caf\xe9\n",
		"old.go": "// a line that came later\n" + goText, "text.go": goText,
	}
	at := func(path string) *scip.Document { d := goDocument("v1"); d.RelativePath = path; return d }
	far := at("p.go")
	far.Occurrences = append(far.Occurrences, occ("local 1", 0, 900, 0, 1), occ("local 1", 0, 2, 5000, 5001), occ("local 1", 0, -1, 0, 1))
	text := at("text.go")
	text.Text = "another"
	for _, c := range []struct {
		doc  *scip.Document
		want string
	}{
		{at("../p.go"), "outside the tree"},
		{at("a/../../p.go"), "outside the tree"},
		{at("/etc/passwd"), "not relative"},
		{at(`..\p.go`), "not relative"},
		{at("C:/p.go"), "not relative"},
		{at("a/../p.go"), "not canonical"},
		{at(""), "no path"},
		{at("gone.go"), "not in the commit"},
		{at("link"), "a symbolic link"},
		{at("secret.env"), "secret"},
		{at("latin"), "not UTF-8"},
		{at("old.go"), "stale"},
		{far, "stale: 3 of 7"},
		{text, "stale: the index holds another text"},
	} {
		in, reps, err := collect(t, tree, encode(t, c.doc))
		if err != nil {
			t.Errorf("%s: %v", c.doc.RelativePath, err)
			continue
		}
		if in != nil || len(reps[0].Rejected) != 1 || !strings.Contains(reps[0].Rejected[0].Reason, c.want) || reps[0].Absent == "" {
			t.Errorf("%q: %+v", c.doc.RelativePath, reps[0])
		}
	}
}

// A few occurrences that do not fit cost themselves alone, with a count.
func TestStrayOccurrencesAreRefused(t *testing.T) {
	d := goDocument("v1")
	for range 400 {
		d.Occurrences = append(d.Occurrences, occ("local 7", 8, 2, 25, 26))
	}
	d.Occurrences = append(d.Occurrences,
		occ("local 7", 0, 99, 0, 1), occ("local 7", 0, 2, 6, 8), occ("local 7", 0), occ("no symbol", 0, 2, 25, 26),
		occ("s m p v "+strings.Repeat("n", MaxSymbol)+"#", 0, 2, 25, 26), occ("", 0, 2, 25, 26))
	in, reps, err := collect(t, files{"p.go": goText}, encode(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := reps[0].Refused, (Refusals{Outside: 1, CutsWord: 1, NoRange: 1, Symbol: 2}); got != want {
		t.Errorf("refused %+v, not %+v", got, want)
	}
	if n := len(only(t, in).Occurrences); n != 4 {
		t.Errorf("%d occurrences are left", n)
	}
}

func TestBrokenIndexes(t *testing.T) {
	whole := encode(t, goDocument("v1"))
	for n := 1; n < len(whole); n++ {
		_, _, err := collect(t, files{"p.go": goText}, whole[:n])
		// Between two parts of an index nothing tells that there were more.
		if err != nil && !Malformed(err) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	for name, b := range map[string][]byte{
		"empty":       {},
		"text":        []byte("this is no index at all"),
		"huge length": {0x12, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"no end":      {0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
		"long":        append([]byte{0x12, 0xff, 0xff, 0xff, 0x03}, 'x'),
	} {
		if _, _, err := collect(t, files{"p.go": goText}, b); !Malformed(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Symbols that are related to each other in a circle are just data.
func TestCyclicRelations(t *testing.T) {
	d := goDocument("v1")
	a, b := "s p n v A#", "s p n v B#"
	rel := func(to string) []*scip.Relationship {
		return []*scip.Relationship{{Symbol: to, IsImplementation: true, IsReference: true}}
	}
	d.Symbols = []*scip.SymbolInformation{{Symbol: a, Relationships: rel(b)}, {Symbol: b, Relationships: rel(a)}, {Symbol: a, Relationships: rel(a)}}
	in, _, err := collect(t, files{"p.go": goText}, encode(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if got := only(t, in); len(got.Relations) != 3 || len(got.Infos) != 2 {
		t.Errorf("%+v", got)
	}
}

// A million occurrences in one document take memory in proportion to what is
// kept of them.
func TestMillionOccurrences(t *testing.T) {
	const lines, each = 1000, 1000
	text := strings.Repeat(strings.Repeat("a ", each)+"\n", lines)
	d := &scip.Document{RelativePath: "big.py"}
	for l := range int32(lines) {
		for c := range int32(each) {
			d.Occurrences = append(d.Occurrences, occ("s p n v a.", 0, l, 2*c, 2*c+1))
		}
	}
	b := encode(t, d)
	d = nil
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in, reps, err := collect(t, files{"big.py": text}, b)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if reps[0].Occurrences != lines*each {
		t.Errorf("%+v", reps[0])
	}
	if n := after.Sys - before.Sys; after.Sys > before.Sys && n > 1<<30 {
		t.Errorf("took %d MB", n>>20)
	}
	if in.Documents[0].size > 16*lines*each {
		t.Errorf("%d bytes are kept", in.Documents[0].size)
	}
}

func TestJoin(t *testing.T) {
	in, _, err := collect(t, files{"p.go": goText}, encode(t, goDocument("v1")))
	if err != nil {
		t.Fatal(err)
	}
	r := units.Build(units.File{Text: filetext.Decode([]byte(goText))})
	if err := Join(only(t, in), r, []byte(goText)); err != nil {
		t.Fatal(err)
	}
	if len(r.Symbols) != 2 || r.Symbols[0].Name != "Run" || r.Symbols[0].Kind != artifact.KindMethod ||
		r.Symbols[1].Name != "x" || r.Symbols[1].Flags&artifact.SymbolLocal == 0 {
		t.Errorf("symbols %+v", r.Symbols)
	}
	if len(r.Occurrences) != 2 || r.Occurrences[0].Name != "use" || r.Occurrences[0].Role != artifact.RoleCall || r.Occurrences[1].Name != "x" {
		t.Errorf("uses %+v", r.Occurrences)
	}
	p := r.Precise
	if p == nil || len(p.Occurrences) != 4 || p.Occurrences[0].Decl != 0 || p.Occurrences[1].Decl != 1 || p.Occurrences[2].Decl != -1 {
		t.Errorf("precise %+v", p)
	}
	if err := Join(only(t, in), r, []byte("x\n")); !errors.Is(err, errDoesNotFit) {
		t.Errorf("another text: %v", err)
	}
}

func FuzzReadIndex(f *testing.F) {
	f.Add(encode(f, goDocument("v1")))
	f.Add([]byte{0x12, 0x03, 0x0a, 0x01, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		in, _, err := collect(t, files{"p.go": goText, "a": "x"}, b)
		if err != nil {
			if !Malformed(err) {
				t.Fatal(err)
			}
			return
		}
		if in == nil {
			return
		}
		for i, s := range in.Documents {
			raw, err := in.Read(i)
			if err != nil {
				t.Fatal(err)
			}
			d, err := DecodeDocument(raw)
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			text := files{"p.go": goText, "a": "x"}[s.Path]
			if err := Join(d, units.Build(units.File{Text: filetext.Decode([]byte(text))}), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzDecodeDocument(f *testing.F) {
	in, _, err := collect(f, files{"p.go": goText}, encode(f, goDocument("v1")))
	if err != nil {
		f.Fatal(err)
	}
	b, err := in.Read(0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := DecodeDocument(b)
		if err != nil {
			return
		}
		_ = Join(d, units.Build(units.File{Text: filetext.Decode([]byte(goText))}), []byte(goText))
	})
}
