package bylines

import (
	"bytes"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/filetext"
)

const (
	maxLines = 60 // of a unit
	wanted   = 40 // lines of a unit, about
)

func countLines(text []byte) uint32 {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return uint32(n)
}

// writer collects the files of a partition.
type writer struct {
	units    artifact.UnitsData
	contents [][]byte
	docs     []document
	analyzer analysis.Analyzer
}

// document is what the lexical view has of one search document.
type document struct {
	path string
	text []byte
}

// file adds a file; content is nil for one that is left out.
func (w *writer) file(rec artifact.File, content []byte) {
	file := uint32(len(w.units.Files))
	w.units.Files = append(w.units.Files, rec)
	if rec.Skip != artifact.SkipNone {
		w.contents = append(w.contents, nil)
		return
	}
	w.contents = append(w.contents, content)
	text := filetext.Decode(content)
	whole := uint32(len(w.units.Units))
	w.units.Units = append(w.units.Units, artifact.Unit{
		File: file, Level: artifact.L0, Kind: artifact.KindFile, Parent: -1,
		End: uint32(rec.Size), StartLine: 1, EndLine: max(1, rec.Lines),
	})
	before := len(w.docs)
	eachRun(text.Bytes, func(start, end int, first, last uint32) {
		u := artifact.Unit{
			File: file, Level: artifact.L2, Kind: artifact.KindRemainder, Parent: int32(whole),
			Start: text.RangeStart(uint32(start)), End: text.Original(uint32(end)), StartLine: first, EndLine: last,
		}
		w.doc(rec.Path, uint32(len(w.units.Units)), &u, text.Bytes[start:end])
		w.units.Units = append(w.units.Units, u)
	})
	if len(w.docs) == before { // so that its path can be found
		w.doc(rec.Path, whole, &w.units.Units[whole], nil)
	}
}

func (w *writer) doc(path string, unit uint32, u *artifact.Unit, text []byte) {
	w.docs = append(w.docs, document{path, text})
	w.units.Docs = append(w.units.Docs, artifact.Doc{Unit: unit, Start: u.Start, End: u.End, StartLine: u.StartLine, EndLine: u.EndLine})
}

// eachRun cuts a text into runs of lines that hold a word, of maxLines at most.
func eachRun(text []byte, each func(start, end int, first, last uint32)) {
	for start, line := 0, uint32(1); start < len(text); {
		n, end := cutRun(text[start:])
		if hasWord(text[start : start+end]) {
			each(start, start+end, line, line+n-1)
		}
		start, line = start+end, line+n
	}
}

// cutRun returns the lines, and their bytes, of the first run. It ends before
// a line that begins at the margin with a blank line above, if there is one
// behind the first half.
func cutRun(text []byte) (n uint32, end int) {
	best, bestEnd := uint32(0), 0
	blank := false
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '\n') + 1
		if next == 0 {
			next = len(text) - at
		}
		line := text[at : at+next]
		if n == maxLines {
			if best == 0 {
				return n, at
			}
			return best, bestEnd
		}
		if n >= wanted/2 && blank && line[0] > ' ' && (best == 0 || n <= wanted) {
			best, bestEnd = n, at
		}
		blank = len(bytes.TrimSpace(line)) == 0
		at += next
		n++
	}
	return n, len(text)
}

// hasWord reports whether a text has a letter or a digit, or a byte of a
// character beyond ASCII.
func hasWord(b []byte) bool {
	for _, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 {
			return true
		}
	}
	return false
}

// finish encodes the segments.
func (w *writer) finish(key artifact.Digest) (*part, error) {
	p := &part{
		key: key, recs: w.units.Files, units: len(w.units.Units), docs: len(w.units.Docs),
		langs: map[string]int{}, skipped: map[string]int{},
	}
	for i := range p.recs {
		if s := p.recs[i].Skip; s != artifact.SkipNone {
			p.skipped[s.String()]++
		} else {
			p.langs[p.recs[i].Lang]++
		}
	}
	lex := artifact.NewLexicalBuilder(len(w.docs))
	for d := range w.docs {
		w.terms(lex, uint32(d), artifact.FieldPath, []byte(w.docs[d].path))
		w.terms(lex, uint32(d), artifact.FieldBody, w.docs[d].text)
	}
	var err error
	if p.segments[artifact.Units], err = artifact.EncodeUnits(key, &w.units); err != nil {
		return nil, err
	}
	if p.segments[artifact.Source], err = artifact.EncodeSource(key, w.contents); err != nil {
		return nil, err
	}
	p.segments[artifact.Lexical], err = lex.Encode(key)
	return p, err
}

func (w *writer) terms(lex *artifact.LexicalBuilder, doc uint32, f artifact.Field, text []byte) {
	n := w.analyzer.Scan(text, func(t analysis.Token) {
		pos := t.Pos
		if pos == analysis.NoPosition || f == artifact.FieldPath {
			pos = artifact.NoPosition
		}
		lex.Add(doc, f, t.Term, pos)
	})
	lex.SetLength(doc, f, n)
}
