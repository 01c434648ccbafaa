package views

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

const sampleGo = `package demo

// parseHeader reads one header line. It never fails.
func parseHeader(line string) Header {
	name, value := splitLine(line)
	return Header{name, value} // the header
}

const maxHeaders = 100
`

// partition returns a partition of a source file with a declaration, a prose
// file, a file of one long line, a skipped file and an empty one.
func partition(t testing.TB) *Partition {
	t.Helper()
	at := func(sub string) uint32 { return uint32(strings.Index(sampleGo, sub)) }
	end := func(sub string) uint32 { return at(sub) + uint32(len(sub)) }
	facts := &syntax.Facts{Decls: []syntax.Decl{{
		Kind: artifact.KindFunction, Name: "parseHeader", Descriptor: "parseHeader().", Parent: -1,
		NameAt: at("parseHeader(line"), Start: at("// parseHeader"), End: end("// the header\n}"),
		DocStart: at("// parseHeader"), DocEnd: end("never fails."),
		SigStart: at("func parse"), SigEnd: end("Header {") - 2,
	}}}
	var b units.Batch
	in := &Partition{Batch: &b, Embedder: embed.NewHashed(), Key: artifact.DigestOf([]byte("key"))}
	add := func(path, lang, content string, facts *syntax.Facts, skip artifact.Skip) {
		f := artifact.File{Path: path, Mode: 0o100644, Lang: lang, Size: uint64(len(content)), Skip: skip,
			Blob: gitobj.Hash(gitobj.SHA1, "blob", []byte(content))}
		if skip != artifact.SkipNone {
			b.Append(f, nil, nil)
			in.Contents = append(in.Contents, nil)
			return
		}
		text := filetext.Decode([]byte(content))
		b.Append(f, units.Build(units.File{Lang: lang, Text: text, Facts: facts}), text.Bytes)
		in.Contents = append(in.Contents, []byte(content))
	}
	add("assets/logo.png", "", "\x00", nil, artifact.SkipBinary)
	add("data/long.txt", "", strings.Repeat("lorem ipsum dolor ", 20000), nil, artifact.SkipNone)
	add("demo/README.md", "markdown", "# Demo\n\nHeaders are parsed by parseHeader.\n", nil, artifact.SkipNone)
	add("demo/empty.go", "go", "", nil, artifact.SkipNone)
	add("demo/header.go", "go", sampleGo, facts, artifact.SkipNone)
	return in
}

func buildAll(t testing.TB, in *Partition) map[artifact.View][]byte {
	t.Helper()
	out := map[artifact.View][]byte{}
	for v, build := range Builders {
		b, err := build(in)
		if err != nil {
			t.Fatalf("%v view: %v", v, err)
		}
		out[v] = b
	}
	return out
}

func TestEveryViewHasABuilder(t *testing.T) {
	for _, v := range artifact.Views {
		if Builders[v] == nil {
			t.Errorf("view %v has no builder", v)
		}
	}
	if len(Builders) != len(artifact.Views) {
		t.Errorf("%d builders for %d views", len(Builders), len(artifact.Views))
	}
}

func TestBuildersAreDeterministic(t *testing.T) {
	first := buildAll(t, partition(t))
	for range 3 {
		for v, b := range buildAll(t, partition(t)) {
			if !bytes.Equal(b, first[v]) {
				t.Errorf("%v view: other bytes at another time", v)
			}
		}
	}
}

// TestLexicalHoldsWhatAnalysisGives builds the expected postings by hand.
func TestLexicalHoldsWhatAnalysisGives(t *testing.T) {
	in := partition(t)
	r, err := artifact.OpenLexical(buildAll(t, in)[artifact.Lexical])
	if err != nil {
		t.Fatal(err)
	}
	if r.NumDocs() != len(in.Docs) {
		t.Fatalf("%d documents, want %d", r.NumDocs(), len(in.Docs))
	}
	want := map[string]map[uint32]*[artifact.NumFields]uint16{}
	var a analysis.Analyzer
	for d := range in.Docs {
		var length [artifact.NumFields]uint32
		field := func(f artifact.Field, text string) {
			length[f] += a.Scan([]byte(text), func(tok analysis.Token) {
				docs := want[string(tok.Term)]
				if docs == nil {
					docs = map[uint32]*[artifact.NumFields]uint16{}
					want[string(tok.Term)] = docs
				}
				if docs[uint32(d)] == nil {
					docs[uint32(d)] = new([artifact.NumFields]uint16)
				}
				docs[uint32(d)][f]++
			})
		}
		text, spans, names := in.DocText(d)
		field(artifact.FieldPath, in.docPath(d))
		field(artifact.FieldSymbol, in.Fields[d].Symbol)
		for _, n := range names {
			field(artifact.FieldSymbol, n)
		}
		for _, s := range spans {
			field(s.Field, string(text[s.Start:s.End]))
		}
		for f, n := range length {
			if got := r.FieldLength(d, artifact.Field(f)); got != min(n, 65535) {
				t.Errorf("document %d, field %d: length %d, want %d", d, f, got, n)
			}
		}
	}
	if r.NumTerms() != len(want) {
		t.Errorf("%d terms, want %d", r.NumTerms(), len(want))
	}
	for term, docs := range want {
		tm, ok, err := r.Lookup(term)
		if err != nil || !ok {
			t.Fatalf("%q: %v, %v", term, ok, err)
		}
		postings, err := r.Postings(tm, nil)
		if err != nil || len(postings) != len(docs) {
			t.Fatalf("%q: %d postings, %v; want %d", term, len(postings), err, len(docs))
		}
		for _, p := range postings {
			if docs[p.Doc] == nil || *docs[p.Doc] != p.TF {
				t.Errorf("%q in document %d: %v, want %v", term, p.Doc, p.TF, docs[p.Doc])
			}
		}
	}
}

// find returns the only document that holds all the terms.
func find(t *testing.T, r *artifact.LexicalReader, terms ...string) (doc uint32) {
	t.Helper()
	count := map[uint32]int{}
	for _, term := range terms {
		tm, _, err := r.Lookup(term)
		if err != nil {
			t.Fatal(err)
		}
		postings, err := r.Postings(tm, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range postings {
			count[p.Doc]++
		}
	}
	found := 0
	for d, n := range count {
		if n == len(terms) {
			doc = d
			found++
		}
	}
	if found != 1 {
		t.Fatalf("%d documents hold %q", found, terms)
	}
	return doc
}

func positions(t *testing.T, r *artifact.LexicalReader, term string, f artifact.Field, doc uint32) []uint32 {
	t.Helper()
	tm, ok, err := r.Lookup(term)
	if err != nil || !ok {
		t.Fatalf("%q: %v, %v", term, ok, err)
	}
	postings, err := r.Postings(tm, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list artifact.PositionList
	if ok, err = r.Positions(tm, f, &list); err != nil || !ok {
		t.Fatalf("%q: positions %v, %v", term, ok, err)
	}
	for i, p := range postings {
		if p.Doc == doc {
			return list.At(i)
		}
	}
	return nil
}

func TestLexicalFieldsAndPositions(t *testing.T) {
	r, err := artifact.OpenLexical(buildAll(t, partition(t))[artifact.Lexical])
	if err != nil {
		t.Fatal(err)
	}
	doc := find(t, r, "parseheader", "reads", "splitline", "demo")
	one := positions(t, r, "one", artifact.FieldDoc, doc)
	header := positions(t, r, "header", artifact.FieldDoc, doc)
	if len(one) != 1 || !slices.Contains(header, one[0]+1) {
		t.Errorf("in the documentation \"one\" stands at %v and \"header\" at %v", one, header)
	}
	name, value := positions(t, r, "name", artifact.FieldBody, doc), positions(t, r, "value", artifact.FieldBody, doc)
	if len(name) != 2 || len(value) != 2 || value[0] != name[0]+1 || value[1] != name[1]+1 {
		t.Errorf("in the body \"name\" stands at %v and \"value\" at %v", name, value)
	}
	tm, _, err := r.Lookup("parseheader")
	if err != nil {
		t.Fatal(err)
	}
	postings, err := r.Postings(tm, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range postings {
		if p.Doc == doc && (p.TF[artifact.FieldSymbol] == 0 || p.TF[artifact.FieldSignature] == 0 || p.TF[artifact.FieldDoc] == 0 || p.TF[artifact.FieldBody] != 0) {
			t.Errorf("frequencies of parseheader by field: %v", p.TF)
		}
	}
}

func TestDense(t *testing.T) {
	in := partition(t)
	r, err := artifact.OpenDense(buildAll(t, in)[artifact.Dense])
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != len(in.Docs) || r.Model() != artifact.DigestOf(in.Embedder.Model()) || r.Dims() != in.Embedder.Dims() {
		t.Fatalf("%d rows of %d dimensions", r.Len(), r.Dims())
	}
	seen := map[[16]byte]bool{}
	for i := range r.Len() {
		if r.Doc(i) != uint32(i) {
			t.Errorf("row %d belongs to document %d", i, r.Doc(i))
		}
		if seen[r.Key(i)] {
			t.Errorf("row %d has the key of another one", i)
		}
		seen[r.Key(i)] = true
	}
	// The best row for the function's own words is the function's.
	lex, err := artifact.OpenLexical(buildAll(t, in)[artifact.Lexical])
	if err != nil {
		t.Fatal(err)
	}
	q, scores := make([]int8, r.Dims()), make([]int32, r.Len())
	in.Embedder.EmbedQuery("split line into name and value", q)
	embed.Scan(q, r.Rows(), r.Dims(), scores)
	if best := r.Doc(slices.Index(scores, slices.Max(scores))); best != find(t, lex, "reads", "splitline") {
		t.Errorf("the best document is %d, scores %v", best, scores)
	}
}

func TestEmbeddingKeyFollowsTheText(t *testing.T) {
	k := newKeyer(artifact.DigestOf([]byte("m")))
	base := embed.Document{Path: "a", Symbol: []byte("b"), Signature: [][]byte{[]byte("c")}, Doc: [][]byte{[]byte("d")}, Body: [][]byte{[]byte("e"), []byte("f")}}
	keys := map[[16]byte]string{}
	for name, change := range map[string]func(d *embed.Document){
		"nothing":   func(d *embed.Document) {},
		"path":      func(d *embed.Document) { d.Path = "b" },
		"symbol":    func(d *embed.Document) { d.Symbol = nil },
		"signature": func(d *embed.Document) { d.Signature = nil },
		"doc":       func(d *embed.Document) { d.Doc = [][]byte{[]byte("x")} },
		"joined":    func(d *embed.Document) { d.Body = [][]byte{[]byte("ef")} },
		"moved":     func(d *embed.Document) { d.Doc, d.Body = [][]byte{[]byte("d"), []byte("e")}, [][]byte{[]byte("f")} },
	} {
		d := base
		change(&d)
		key := k.key(&d)
		if other, ok := keys[key]; ok {
			t.Errorf("%s and %s give one key", name, other)
		}
		keys[key] = name
		if k.key(&d) != key {
			t.Errorf("%s: the key depends on what was keyed before", name)
		}
	}
	if newKeyer(artifact.DigestOf([]byte("n"))).key(&base) == k.key(&base) {
		t.Error("the key does not depend on the model")
	}
}

func TestViewsAreIsolated(t *testing.T) {
	in := partition(t)
	in.Embedder = nil
	in.Contents = nil
	failed := []string{}
	for _, v := range artifact.Views {
		if _, err := Builders[v](in); err != nil {
			failed = append(failed, v.String())
		}
	}
	if fmt.Sprint(failed) != "[source dense]" {
		t.Errorf("without contents and embedder these views fail: %v", failed)
	}
}

func TestEmptyPartition(t *testing.T) {
	buildAll(t, &Partition{Batch: &units.Batch{}, Embedder: embed.NewHashed()})
}

// TestHostileTextStaysBounded builds the views of 300 KB of noise, of
// base64 and of a minified file: none may grow to a multiple of its text.
func TestHostileTextStaysBounded(t *testing.T) {
	noise := make([]byte, 300<<10)
	s := uint32(1)
	for i := range noise {
		s = s*1664525 + 1013904223
		noise[i] = byte(s >> 24)
	}
	letters := make([]byte, 300<<10)
	for i := range letters {
		s = s*1664525 + 1013904223
		letters[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[s>>26]
		if i%77 == 76 {
			letters[i] = '\n'
		}
	}
	var minified []byte
	for i := 0; len(minified) < 300<<10; i++ {
		minified = fmt.Appendf(minified, "function a%d(b,c){return b.d%d(c)};", i, i%97)
	}
	for name, content := range map[string][]byte{"noise": noise, "base64": letters, "minified": minified} {
		var b units.Batch
		text := filetext.Decode(content)
		f := artifact.File{Path: "x.py", Mode: 0o100644, Size: uint64(len(content)), Blob: gitobj.Hash(gitobj.SHA1, "blob", content)}
		b.Append(f, units.Build(units.File{Lang: "python", Text: text}), text.Bytes)
		in := &Partition{Batch: &b, Contents: [][]byte{content}, Embedder: embed.NewHashed()}
		seg := buildAll(t, in)[artifact.Lexical]
		if len(seg) > len(content) {
			t.Errorf("%s: the lexical segment has %d bytes for a file of %d", name, len(seg), len(content))
		}
	}
}
