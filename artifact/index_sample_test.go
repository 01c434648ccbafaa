package artifact

import (
	"fmt"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// sampleArtifact is a whole random artifact in memory.
type sampleArtifact struct {
	manifest *Manifest
	parts    []*sample
	segments []map[View][]byte // by partition
}

const sampleDims = 16

var sampleModel = ModelInfo{Name: "sample", Dims: sampleDims, Digest: DigestOf([]byte("model")), Size: 5}

// newSampleArtifact builds the segments and the manifest of n partitions.
func newSampleArtifact(t testing.TB, seed uint64, n int) *sampleArtifact {
	t.Helper()
	r := newRand(seed)
	a := &sampleArtifact{manifest: &Manifest{
		Schema: ManifestSchema, FormatVersion: FormatVersion, ObjectFormat: "sha1", PartitionBits: 3,
		Profile: Profile{
			Views:     map[string]string{"lexical": "words 1", "units": "1"},
			Languages: map[string]string{"go": "tree-sitter-go 0.23.4"},
			Options:   map[string]string{"max_size": "16777216", "a\"\\\x01é\u2028": "<&>"},
		},
		Views:     map[string]ViewInfo{},
		Languages: map[string]Language{},
		Skipped:   map[string]int{}, Degraded: map[string]int{},
		Capabilities: []string{"grep", "search"},
	}}
	m := a.manifest
	for _, v := range Views {
		m.Views[v.String()] = ViewInfo{State: ViewReady, Type: "sample-" + v.String(), Reproducible: ByCommit, Settings: map[string]string{"a": "b"}}
	}
	model := sampleModel
	m.Model = &model
	var files []File
	for p := range n {
		s := newSampleIn(r, fmt.Sprintf("p%03d", p), 1+r.IntN(6), 8)
		a.parts = append(a.parts, s)
		files = append(files, s.units.Files...)
		a.addPartition(t, s)
	}
	tree, err := TreeID(gitobj.SHA1, files)
	if err != nil {
		t.Fatal(err)
	}
	m.Tree = tree.String()
	m.CommitObject = fmt.Appendf(nil, "tree %s\nauthor A <a@example.org> 0 +0000\ncommitter A <a@example.org> 0 +0000\n\nsample\n", tree)
	m.Commit = gitobj.Hash(gitobj.SHA1, "commit", m.CommitObject).String()
	if m.Profile.Digest, err = m.Profile.Compute(); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *sampleArtifact) addPartition(t testing.TB, s *sample) {
	t.Helper()
	m, p := a.manifest, len(a.segments)
	key := func(v View) Digest { return DigestOf(fmt.Appendf(nil, "%d %d", p, v)) }
	lex := NewLexicalBuilder(len(s.units.Docs))
	dense := &DenseData{Model: sampleModel.Digest, Dims: sampleDims}
	for i, d := range s.units.Docs {
		if name := s.units.Units[d.Unit].Name; name != "" {
			lex.Add(uint32(i), FieldSymbol, []byte(name), 0)
		}
		lex.Add(uint32(i), FieldBody, []byte("word"), 1)
		lex.SetLength(uint32(i), FieldBody, 1)
		dense.Docs = append(dense.Docs, uint32(i))
		dense.Keys = append(dense.Keys, [16]byte{byte(i)})
		for k := range sampleDims {
			dense.Rows = append(dense.Rows, int8(i*k))
		}
	}
	segs := map[View][]byte{}
	info := PartitionInfo{Files: len(s.units.Files), Units: len(s.units.Units), Docs: len(s.units.Docs), Segments: map[string]SegmentInfo{}}
	for _, v := range Views {
		var b []byte
		var err error
		switch v {
		case Units:
			b, err = EncodeUnits(key(v), &s.units)
		case Source:
			b, err = EncodeSource(key(v), s.contents)
		case Lexical:
			b, err = lex.Encode(key(v))
		case Dense:
			b, err = EncodeDense(key(v), dense)
		case Structural:
			b, err = EncodeStructural(key(v), &s.structural)
		}
		if err != nil {
			t.Fatal(err)
		}
		segs[v] = b
		info.Segments[v.String()] = SegmentInfo{Key: key(v), Digest: DigestOf(b), Size: int64(len(b))}
	}
	a.segments = append(a.segments, segs)
	m.Partitions = append(m.Partitions, info)
	m.Files += info.Files
	m.Units += info.Units
	m.Docs += info.Docs
	for _, f := range s.units.Files {
		if f.Skip != SkipNone {
			m.Skipped[f.Skip.String()]++
			continue
		}
		m.Indexed++
		m.Bytes += int64(f.Size)
		if f.Degraded != DegradedNone {
			m.Degraded[f.Degraded.String()]++
		}
		if f.Lang != "" {
			l := m.Languages[f.Lang]
			l.Files++
			l.Bytes += int64(f.Size)
			l.Backends = map[string]string{"units": "sample"}
			m.Languages[f.Lang] = l
		}
	}
}

// index opens the artifact through its encoded manifest.
func (a *sampleArtifact) index(t testing.TB) *Index {
	t.Helper()
	b, digest, err := a.manifest.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m, err := DecodeManifest(b)
	if err != nil {
		t.Fatal(err)
	}
	return NewIndex(m, digest, a.open, nil)
}

func (a *sampleArtifact) open(p int, v View, seg SegmentInfo) ([]byte, error) {
	b, ok := a.segments[p][v]
	if !ok {
		return nil, fmt.Errorf("no %s segment of partition %d", v, p)
	}
	return b, nil
}
