// Package querytest makes small indexes in memory for tests: from files whose
// units and symbols are written by hand, or from finished segments.
package querytest

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// File is one file of a hand-made index.
type File struct {
	Path     string
	Content  string
	Lang     string
	Skip     artifact.Skip
	Encoding artifact.Encoding

	// Units are declarations, by lines; each becomes a unit and a document.
	// They must nest, in source order. What they leave over belongs to the
	// file's own document, which is there when it has any text.
	Units []Unit

	// Symbols' Unit, File and Parent are filled in: the innermost unit at the
	// symbol's first line, and no parent.
	Symbols     []artifact.Symbol
	Occurrences []artifact.Occurrence
	Imports     []artifact.Import
}

// Unit is one hand-made unit: whole lines, from 1, inclusive.
type Unit struct {
	Kind               artifact.Kind
	Symbol             string // qualified; the name is what follows the last dot
	StartLine, EndLine int
}

// Options say how the index is cut and what it lacks.
type Options struct {
	PerPartition int                      // files in a partition; 0 means 2
	Absent       map[artifact.View]string // views that are absent, with the reason
	Docs         []string                 // texts of further one-document files, named doc/N.txt
}

// Segments holds one partition's encoded segments by view.
type Segments map[artifact.View][]byte

// New builds an index of hand-made files. It panics on input that breaks the
// format's rules: the test is wrong then.
func New(files []File, o Options) *artifact.Index {
	return Assemble(Partitions(files, o), o.Absent)
}

// Partitions encodes the segments of hand-made files, in path order.
func Partitions(files []File, o Options) []Segments {
	for i, d := range o.Docs {
		files = append(files, File{Path: fmt.Sprintf("doc/%06d.txt", i), Content: d})
	}
	files = append([]File(nil), files...)
	sort.SliceStable(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	per := o.PerPartition
	if per == 0 {
		per = 2
	}
	var parts []Segments
	for lo := 0; lo < len(files); lo += per {
		parts = append(parts, partition(files[lo:min(lo+per, len(files))]))
	}
	return parts
}

// Assemble makes an index of finished segments.
func Assemble(parts []Segments, absent map[artifact.View]string) *artifact.Index {
	m := &artifact.Manifest{
		Schema: artifact.ManifestSchema, FormatVersion: artifact.FormatVersion, ObjectFormat: "sha1",
		Commit: strings.Repeat("c0", 20), Tree: strings.Repeat("7e", 20),
		Views: map[string]artifact.ViewInfo{}, Languages: map[string]artifact.Language{},
		Skipped: map[string]int{}, Degraded: map[string]int{},
	}
	e := embed.NewHashed()
	m.Model = &artifact.ModelInfo{Name: e.Name(), Dims: e.Dims(), Digest: artifact.DigestOf(e.Model()), Size: int64(len(e.Model()))}
	for _, v := range artifact.Views {
		info := artifact.ViewInfo{State: artifact.ViewReady, Reproducible: artifact.ByCommit}
		if reason, ok := absent[v]; ok {
			info.State, info.Reason = artifact.ViewAbsent, reason
		}
		m.Views[v.String()] = info
	}
	for _, segs := range parts {
		u, err := artifact.OpenUnits(segs[artifact.Units])
		check(err)
		p := artifact.PartitionInfo{Files: u.NumFiles(), Units: u.NumUnits(), Docs: u.NumDocs(), Segments: map[string]artifact.SegmentInfo{}}
		for v, b := range segs {
			if _, ok := absent[v]; !ok {
				p.Segments[v.String()] = artifact.SegmentInfo{Digest: artifact.DigestOf(b), Size: int64(len(b))}
			}
		}
		m.Partitions = append(m.Partitions, p)
		m.Files, m.Units, m.Docs = m.Files+p.Files, m.Units+p.Units, m.Docs+p.Docs
		for f := range p.Files {
			file := u.File(f)
			if file.Skip != artifact.SkipNone {
				m.Skipped[file.Skip.String()]++
				continue
			}
			m.Indexed++
			m.Bytes += int64(file.Size)
			if file.Lang != "" {
				l := m.Languages[file.Lang]
				l.Files++
				l.Bytes += int64(file.Size)
				m.Languages[file.Lang] = l
			}
		}
	}
	open := func(p int, v artifact.View, _ artifact.SegmentInfo) ([]byte, error) { return parts[p][v], nil }
	return artifact.NewIndex(m, artifact.DigestOf([]byte("querytest")), open, nil)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// partition encodes the segments of one partition. Segment keys are zero.
func partition(files []File) Segments {
	var (
		d        artifact.UnitsData
		contents [][]byte
		st       artifact.StructuralData
		texts    [][]byte // by document
	)
	for i := range files {
		f := &files[i]
		content := []byte(f.Content)
		rec := artifact.File{
			Path: f.Path, Mode: 0o100644, Blob: gitobj.Hash(gitobj.SHA1, "blob", content), Size: uint64(len(content)),
			Lang: f.Lang, Skip: f.Skip, Encoding: f.Encoding, Lines: uint32(lines(content)),
		}
		d.Files = append(d.Files, rec)
		if f.Skip != artifact.SkipNone {
			contents = append(contents, nil)
			continue
		}
		contents = append(contents, content)
		units(&d, &texts, uint32(i), f, content, rec.Lines)
		structure(&st, &d, uint32(i), f)
	}
	st.Files, st.Units = len(d.Files), len(d.Units)
	var key artifact.Digest
	out := Segments{}
	var err error
	out[artifact.Units], err = artifact.EncodeUnits(key, &d)
	check(err)
	out[artifact.Source], err = artifact.EncodeSource(key, contents)
	check(err)
	out[artifact.Structural], err = artifact.EncodeStructural(key, &st)
	check(err)
	lexical(out, &d, texts)
	return out
}

func lines(b []byte) int {
	n := strings.Count(string(b), "\n")
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// lineOffset returns where line n (from 1) begins.
func lineOffset(content []byte, n int) uint32 {
	off := 0
	for ; n > 1; n-- {
		i := strings.IndexByte(string(content[off:]), '\n')
		if i < 0 {
			return uint32(len(content))
		}
		off += i + 1
	}
	return uint32(off)
}

// units appends the file's units and documents. A document's text is the
// unit's range; what a child owns is not taken out, which is close enough for
// tests of the reader.
func units(d *artifact.UnitsData, texts *[][]byte, file uint32, f *File, content []byte, n uint32) {
	root := int32(len(d.Units))
	d.Units = append(d.Units, artifact.Unit{
		File: file, Level: artifact.L0, Kind: artifact.KindFile, Parent: -1,
		End: uint32(len(content)), StartLine: 1, EndLine: max(1, n),
	})
	if len(f.Units) == 0 {
		d.Docs = append(d.Docs, artifact.Doc{Unit: uint32(root), End: uint32(len(content)), StartLine: 1, EndLine: max(1, n)})
		*texts = append(*texts, decoded(content, f.Encoding))
	}
	for _, u := range f.Units {
		parent := root
		for i := int32(len(d.Units)) - 1; i > root; i-- {
			if p := d.Units[i]; int(p.StartLine) <= u.StartLine && int(p.EndLine) >= u.EndLine {
				parent = i
				break
			}
		}
		level := artifact.L2
		if u.Kind.Container() {
			level = artifact.L1
		}
		rec := artifact.Unit{
			File: file, Level: level, Kind: u.Kind, Parent: parent,
			Start: lineOffset(content, u.StartLine), End: lineOffset(content, u.EndLine+1),
			StartLine: uint32(u.StartLine), EndLine: uint32(u.EndLine),
			Name: u.Symbol[strings.LastIndexByte(u.Symbol, '.')+1:], Symbol: u.Symbol,
		}
		d.Docs = append(d.Docs, artifact.Doc{Unit: uint32(len(d.Units)), Start: rec.Start, End: rec.End, StartLine: rec.StartLine, EndLine: rec.EndLine})
		*texts = append(*texts, content[rec.Start:rec.End])
		d.Units = append(d.Units, rec)
	}
}

// decoded returns what the analysis reads: UTF-8.
func decoded(b []byte, enc artifact.Encoding) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch enc {
	case artifact.EncodingUTF16BE:
		order = binary.BigEndian
	case artifact.EncodingUTF16LE:
	default:
		return b
	}
	var u []uint16
	for i := 2; i+1 < len(b); i += 2 {
		u = append(u, order.Uint16(b[i:]))
	}
	return []byte(string(utf16.Decode(u)))
}

func structure(st *artifact.StructuralData, d *artifact.UnitsData, file uint32, f *File) {
	for _, s := range f.Symbols {
		s.File, s.Parent = file, -1
		for i := range d.Units {
			if u := d.Units[i]; u.File == file && u.StartLine <= s.Start.Line && u.EndLine >= s.Start.Line {
				s.Unit = uint32(i)
			}
		}
		st.Symbols = append(st.Symbols, s)
	}
	for _, o := range f.Occurrences {
		o.File = file
		st.Occurrences = append(st.Occurrences, o)
	}
	for _, m := range f.Imports {
		m.File = file
		st.Imports = append(st.Imports, m)
	}
}

// lexical encodes the lexical and dense segments: path and symbol in their
// fields, everything else in the body.
func lexical(out Segments, d *artifact.UnitsData, texts [][]byte) {
	b := artifact.NewLexicalBuilder(len(d.Docs))
	var a analysis.Analyzer
	e := embed.NewHashed()
	dense := artifact.DenseData{Model: artifact.DigestOf(e.Model()), Dims: e.Dims(), Rows: make([]int8, len(d.Docs)*e.Dims())}
	for i, doc := range d.Docs {
		u := d.Units[doc.Unit]
		path := d.Files[u.File].Path
		for _, f := range []struct {
			field artifact.Field
			text  []byte
		}{{artifact.FieldPath, []byte(path)}, {artifact.FieldSymbol, []byte(u.Symbol)}, {artifact.FieldBody, texts[i]}} {
			n := a.Scan(f.text, func(t analysis.Token) { b.Add(uint32(i), f.field, t.Term, t.Pos) })
			b.SetLength(uint32(i), f.field, n)
		}
		dense.Docs = append(dense.Docs, uint32(i))
		dense.Keys = append(dense.Keys, [16]byte{byte(i), byte(i >> 8)})
		e.Embed(embed.Document{Path: path, Symbol: []byte(u.Symbol), Body: [][]byte{texts[i]}}, dense.Rows[i*e.Dims():(i+1)*e.Dims()])
	}
	var key artifact.Digest
	var err error
	out[artifact.Lexical], err = b.Encode(key)
	check(err)
	out[artifact.Dense], err = artifact.EncodeDense(key, &dense)
	check(err)
}
