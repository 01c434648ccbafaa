package artifact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// sample is one random partition that keeps every rule of the format.
type sample struct {
	units      UnitsData
	contents   [][]byte
	structural StructuralData
}

var sampleWords = []string{"parse", "header", "Request", "ctx", "self", "écrire", "_x", "HTTPServer", "名前", "items", "n", "close", "load", "session", "url_for"}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// newSample returns a partition of the given number of files with about
// perFile units each, in the folder "src".
func newSample(r *rand.Rand, files, perFile int) *sample {
	return newSampleIn(r, "src", files, perFile)
}

func newSampleIn(r *rand.Rand, dir string, files, perFile int) *sample {
	s := &sample{}
	for i := range files {
		f := File{
			Path: fmt.Sprintf("%s/%c%c/%03d_%s.go", dir, 'a'+i*26/files, 'a'+i%26, i, pick(r, sampleWords)),
			Mode: pick(r, []uint32{0o100644, 0o100755, 0o120000}),
			Lang: pick(r, []string{"go", "python", "", "rust"}),
		}
		s.units.Files = append(s.units.Files, f)
	}
	slices.SortFunc(s.units.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := range s.units.Files {
		s.addFile(r, i, perFile)
	}
	s.structural.Files, s.structural.Units = files, len(s.units.Units)
	return s
}

func (s *sample) addFile(r *rand.Rand, i, perFile int) {
	f := &s.units.Files[i]
	switch r.IntN(8) {
	case 0: // skipped
		f.Skip = pick(r, []Skip{SkipBinary, SkipSubmodule, SkipTooLarge, Skip(200)})
		f.Size = r.Uint64N(1 << 40)
		if f.Skip == SkipSubmodule {
			f.Size, f.Mode = 0, 0o160000
		}
		f.Blob = gitobj.Hash(gitobj.SHA1, "blob", fmt.Appendf(nil, "skipped %d %d", i, r.Uint64()))
		s.contents = append(s.contents, nil)
		return
	case 1: // empty
		f.Blob = gitobj.Hash(gitobj.SHA1, "blob", nil)
		s.contents = append(s.contents, nil)
		u := uint32(len(s.units.Units))
		s.units.Units = append(s.units.Units, Unit{File: uint32(i), Kind: KindFile, Parent: -1, StartLine: 1, EndLine: 1})
		s.units.Docs = append(s.units.Docs, Doc{Unit: u, StartLine: 1, EndLine: 1})
		return
	}
	f.Degraded, f.Encoding = Degraded(r.IntN(3)), Encoding(r.IntN(5))
	var text bytes.Buffer
	var starts []uint32 // of each line
	for range 2 + r.IntN(8*perFile+1) {
		starts = append(starts, uint32(text.Len()))
		for range r.IntN(6) {
			text.WriteString(pick(r, sampleWords))
			text.WriteByte(" (.:=)"[r.IntN(6)])
		}
		text.WriteByte('\n')
	}
	starts = append(starts, uint32(text.Len()))
	lines := uint32(len(starts) - 1)
	f.Size, f.Lines = uint64(text.Len()), lines
	f.Blob = gitobj.Hash(gitobj.SHA1, "blob", text.Bytes())
	s.contents = append(s.contents, text.Bytes())

	g := &fileSample{s: s, r: r, starts: starts, file: uint32(i), left: perFile}
	g.unit(Unit{File: uint32(i), Kind: KindFile, Parent: -1, StartLine: 1, EndLine: lines, Name: "", Symbol: ""}, -1)
	g.uses(lines)
}

type fileSample struct {
	s      *sample
	r      *rand.Rand
	starts []uint32
	file   uint32
	left   int
}

// unit adds u, whose lines are set, with its docs, symbol and children.
func (g *fileSample) unit(u Unit, parentSymbol int32) {
	s, r := g.s, g.r
	u.Start, u.End = g.starts[u.StartLine-1], g.starts[u.EndLine]
	n := uint32(len(s.units.Units))
	s.units.Units = append(s.units.Units, u)
	symbol := parentSymbol
	if u.Level != L0 && u.Kind != KindRemainder {
		parent := ""
		if parentSymbol >= 0 {
			parent = s.structural.Symbols[parentSymbol].Descriptor
		}
		symbol = int32(len(s.structural.Symbols))
		s.structural.Symbols = append(s.structural.Symbols, Symbol{
			Name: u.Name, Descriptor: parent + u.Name + pick(r, []string{"#", "().", ".", "`x`."}), Kind: u.Kind,
			Flags: SymbolFlags(r.IntN(16)) &^ SymbolLocal, File: g.file, Unit: n, Parent: parentSymbol,
			NamePos: Position{u.StartLine, 5}, Start: Position{u.StartLine, 1}, End: Position{u.EndLine, 1 + uint32(r.IntN(40))},
		})
	}
	part := uint32(0)
	for line := u.StartLine; line <= u.EndLine && u.End > u.Start; {
		last := min(u.EndLine, line+uint32(r.IntN(60)))
		if start, end := g.starts[line-1], g.starts[last]; end > start {
			s.units.Docs = append(s.units.Docs, Doc{Unit: n, Part: part, Start: start, End: end, StartLine: line, EndLine: last})
			part++
		}
		line = last + 1 + uint32(r.IntN(2))
	}
	for line := u.StartLine; line < u.EndLine && g.left > 0 && u.Kind != KindRemainder; {
		first := line + uint32(r.IntN(4))
		last := min(u.EndLine, first+uint32(r.IntN(12)))
		if first > u.EndLine || first == u.StartLine && last == u.EndLine {
			break
		}
		g.left--
		child := Unit{File: g.file, Level: L1 + Level(r.IntN(2)), Kind: pick(r, []Kind{KindRemainder, KindClass, KindFunction, KindMethod}),
			Parent: int32(n), StartLine: first, EndLine: last}
		if child.Kind != KindRemainder {
			child.Name = pick(r, sampleWords)
			child.Symbol = strings.TrimPrefix(u.Symbol+"."+child.Name, ".")
			if r.IntN(20) == 0 {
				child.Name = "(*T)." + child.Name // no suffix of the symbol
			}
		}
		g.unit(child, symbol)
		line = last + 1
	}
}

// uses adds occurrences and imports.
func (g *fileSample) uses(lines uint32) {
	r, d := g.r, &g.s.structural
	at := Position{1, 1}
	for range r.IntN(int(2*lines) + 1) {
		if r.IntN(3) > 0 {
			at.Col += uint32(r.IntN(300))
		} else {
			at = Position{at.Line + 1 + uint32(r.IntN(3)), 1 + uint32(r.IntN(90))}
		}
		d.Occurrences = append(d.Occurrences, Occurrence{File: g.file, Pos: at, Role: Role(r.IntN(12)),
			Name: pick(r, sampleWords), Receiver: pick(r, []string{"", "", "self", "self.app", "flask", "…"})})
		at.Col++
	}
	for i := range r.IntN(4) {
		d.Imports = append(d.Imports, Import{File: g.file, Pos: Position{1 + uint32(i), 1 + uint32(r.IntN(9))},
			Module: pick(r, []string{"flask.helpers", "./util", "crate::x"}), Name: pick(r, []string{"", "*", "url_for"}), Alias: pick(r, sampleWords)})
	}
}

// encode returns the sample's segments.
func (s *sample) encode(t testing.TB, key Digest) []PackSegment {
	t.Helper()
	u, err := EncodeUnits(key, &s.units)
	if err != nil {
		t.Fatal(err)
	}
	src, err := EncodeSource(key, s.contents)
	if err != nil {
		t.Fatal(err)
	}
	st, err := EncodeStructural(key, &s.structural)
	if err != nil {
		t.Fatal(err)
	}
	return []PackSegment{{View: Units, Bytes: u}, {View: Source, Bytes: src}, {View: Structural, Bytes: st}}
}
