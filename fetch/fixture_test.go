package fetch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

// fixture is a small index with real segments, whose every byte follows from
// its size and seed.
type fixture struct {
	manifest *artifact.Manifest
	encoded  []byte
	packs    [][]byte
	segments [][]artifact.PackSegment
	model    []byte
}

const fixtureDims = 64

// shape says how large a fixture is.
type shape struct {
	partitions, files, functions, lines int // files a partition, functions a file, lines a function
	seed                                uint64
}

var small = shape{partitions: 3, files: 2, functions: 2, lines: 3, seed: 1}

func (x *fixture) commit() string { return x.manifest.Commit }

// newFixture builds the index of a shape. With theta the profile differs.
func newFixture(t testing.TB, s shape, theta string) *fixture {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x := &fixture{model: []byte("the table of an embedder")}
	m := &artifact.Manifest{
		Schema: artifact.ManifestSchema, FormatVersion: artifact.FormatVersion, ObjectFormat: "sha1",
		Model: &artifact.ModelInfo{Name: "test", Dims: fixtureDims, Digest: artifact.DigestOf(x.model), Size: int64(len(x.model))},
		Views: map[string]artifact.ViewInfo{}, Languages: map[string]artifact.Language{},
		Skipped: map[string]int{}, Degraded: map[string]int{},
	}
	m.Profile.Options = map[string]string{"theta": theta}
	for _, v := range artifact.Views {
		m.Views[v.String()] = artifact.ViewInfo{State: artifact.ViewReady, Type: "test", Reproducible: artifact.ByCommit}
	}
	var all []artifact.File
	for p := range s.partitions {
		b := &partBuilder{rng: rand.New(rand.NewPCG(s.seed, uint64(p))), model: m.Model.Digest}
		for f := range s.files {
			b.addFile(fmt.Sprintf("dir%05d/file%05d.go", p, f), s)
		}
		segs, err := b.encode(artifact.DigestOf(fmt.Appendf(nil, "key of %d %d", s.seed, p)))
		must(err)
		info := artifact.PartitionInfo{
			Files: len(b.units.Files), Units: len(b.units.Units), Docs: len(b.units.Docs), Segments: map[string]artifact.SegmentInfo{},
		}
		for _, seg := range segs {
			info.Segments[seg.View.String()] = artifact.SegmentInfo{
				Key: artifact.DigestOf(fmt.Appendf(nil, "key of %d %d", s.seed, p)), Digest: seg.Digest, Size: int64(len(seg.Bytes)),
			}
		}
		m.Partitions = append(m.Partitions, info)
		m.Files, m.Indexed = m.Files+info.Files, m.Indexed+info.Files
		m.Units, m.Docs = m.Units+info.Units, m.Docs+info.Docs
		for _, c := range b.contents {
			m.Bytes += int64(len(c))
		}
		all = append(all, b.units.Files...)
		pack, err := artifact.EncodePack(segs)
		must(err)
		x.packs, x.segments = append(x.packs, pack), append(x.segments, segs)
	}
	tree, err := artifact.TreeID(gitobj.SHA1, all)
	must(err)
	m.Tree = tree.String()
	m.CommitObject = fmt.Appendf(nil, "tree %s\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\nseed %d\n", tree, s.seed)
	m.Commit = gitobj.Hash(gitobj.SHA1, "commit", m.CommitObject).String()
	m.Profile.Digest, err = m.Profile.Compute()
	must(err)
	x.encoded, _, err = m.Encode()
	must(err)
	x.manifest = m
	return x
}

// partBuilder collects one partition.
type partBuilder struct {
	rng        *rand.Rand
	model      artifact.Digest
	units      artifact.UnitsData
	contents   [][]byte
	texts      []string // by document
	structural artifact.StructuralData
}

var words = strings.Fields(`parse header request response session cookie query filter model field
	render template context error handler close open read write buffer index commit tree blob
	segment partition view store cache fetch verify digest token lexer parser symbol reference`)

func (b *partBuilder) word() string {
	return words[b.rng.IntN(len(words))] + fmt.Sprint(b.rng.IntN(40))
}

func (b *partBuilder) addFile(path string, s shape) {
	file := uint32(len(b.units.Files))
	root := int32(len(b.units.Units))
	b.units.Units = append(b.units.Units, artifact.Unit{})
	var text strings.Builder
	line := uint32(1)
	for range s.functions {
		start, first := uint32(text.Len()), line
		name := b.word()
		for range s.lines {
			for range 6 {
				text.WriteString(b.word() + " ")
			}
			text.WriteByte('\n')
			line++
		}
		unit := uint32(len(b.units.Units))
		b.units.Units = append(b.units.Units, artifact.Unit{
			File: file, Level: artifact.L2, Kind: artifact.KindFunction, Parent: root, Start: start, End: uint32(text.Len()),
			StartLine: first, EndLine: line - 1, Name: name, Symbol: name,
		})
		b.units.Docs = append(b.units.Docs, artifact.Doc{Unit: unit, Start: start, End: uint32(text.Len()), StartLine: first, EndLine: line - 1})
		b.texts = append(b.texts, text.String()[start:])
		b.structural.Symbols = append(b.structural.Symbols, artifact.Symbol{
			Name: name, Descriptor: name + "().", Kind: artifact.KindFunction, File: file, Unit: unit, Parent: -1,
			NamePos: artifact.Position{Line: first, Col: 1}, Start: artifact.Position{Line: first, Col: 1}, End: artifact.Position{Line: line - 1, Col: 1},
		})
	}
	content := []byte(text.String())
	b.units.Units[root] = artifact.Unit{
		File: file, Kind: artifact.KindFile, Parent: -1, End: uint32(len(content)), StartLine: 1, EndLine: line - 1,
	}
	b.units.Files = append(b.units.Files, artifact.File{
		Path: path, Mode: 0o100644, Blob: gitobj.Hash(gitobj.SHA1, "blob", content), Size: uint64(len(content)), Lines: line - 1,
	})
	b.contents = append(b.contents, content)
}

func (b *partBuilder) encode(key artifact.Digest) ([]artifact.PackSegment, error) {
	out := map[artifact.View][]byte{}
	var errs [5]error
	out[artifact.Units], errs[0] = artifact.EncodeUnits(key, &b.units)
	out[artifact.Source], errs[1] = artifact.EncodeSource(key, b.contents)
	lex := artifact.NewLexicalBuilder(len(b.texts))
	dense := artifact.DenseData{Model: b.model, Dims: fixtureDims}
	for i, text := range b.texts {
		terms := strings.Fields(text)
		for pos, term := range terms {
			lex.Add(uint32(i), artifact.FieldBody, []byte(term), uint32(pos))
		}
		lex.SetLength(uint32(i), artifact.FieldBody, uint32(len(terms)))
		dense.Docs = append(dense.Docs, uint32(i))
		dense.Keys = append(dense.Keys, [16]byte{byte(i), byte(i >> 8)})
		for range fixtureDims {
			dense.Rows = append(dense.Rows, int8(b.rng.IntN(256)-128))
		}
	}
	out[artifact.Lexical], errs[2] = lex.Encode(key)
	out[artifact.Dense], errs[3] = artifact.EncodeDense(key, &dense)
	b.structural.Files, b.structural.Units = len(b.units.Files), len(b.units.Units)
	out[artifact.Structural], errs[4] = artifact.EncodeStructural(key, &b.structural)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	var segs []artifact.PackSegment
	for _, v := range artifact.Views {
		segs = append(segs, artifact.PackSegment{View: v, Digest: artifact.DigestOf(out[v]), Bytes: out[v]})
	}
	return segs, nil
}

// publish brings the fixture into a store and a cache, as a compile does.
func (x *fixture) publish(t testing.TB, store registry.Store, cache *fetch.Cache) registry.Published {
	t.Helper()
	out, err := x.tryPublish(t, store, cache, fetch.SinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (x *fixture) tryPublish(t testing.TB, store registry.Store, cache *fetch.Cache, opt fetch.SinkOptions) (registry.Published, error) {
	t.Helper()
	sink := fetch.NewSink(store, cache, opt)
	for i, pack := range x.packs {
		if err := sink.Pack(t.Context(), i, pack, x.segments[i]); err != nil {
			return registry.Published{}, err
		}
	}
	err := sink.Publish(t.Context(), fetch.Final{
		Commit: x.commit(), CommitUnix: 1700000000, Profile: x.manifest.Profile.Digest, Manifest: x.encoded, Model: x.model,
		Partitions: len(x.packs), Default: true, Report: []byte("{}"),
	})
	return sink.Published(), err
}

// check reads every segment of an open index and compares it with the fixture.
func (x *fixture) check(t testing.TB, ix *artifact.Index) {
	t.Helper()
	if ix.Digest() != artifact.DigestOf(x.encoded) {
		t.Errorf("index digest %s", ix.Digest())
	}
	err := ix.EachPartition(t.Context(), func(p int) error { return x.checkPartition(ix, p) })
	if err != nil {
		t.Error(err)
	}
}

func (x *fixture) checkPartition(ix *artifact.Index, p int) error {
	units, err := ix.Units(p)
	if err != nil {
		return err
	}
	source, err := ix.Source(p)
	if err != nil {
		return err
	}
	if _, err := ix.Lexical(p); err != nil {
		return err
	}
	if _, err := ix.Dense(p); err != nil {
		return err
	}
	if _, err := ix.Structural(p); err != nil {
		return err
	}
	for f := range units.NumFiles() {
		if got := gitobj.Hash(gitobj.SHA1, "blob", source.Content(f)); got != units.File(f).Blob {
			return fmt.Errorf("partition %d: content of %s is %s", p, units.Path(f), got)
		}
	}
	return nil
}

func open(t testing.TB, store registry.Store, cache *fetch.Cache, commit string, opt fetch.OpenOptions) *artifact.Index {
	t.Helper()
	ix, err := fetch.Open(t.Context(), store, cache, commit, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

func openStore(t testing.TB, dir string) *registry.Local {
	t.Helper()
	l, err := registry.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// old is before any machine that runs this started.
var old = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
