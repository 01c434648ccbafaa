package views

import (
	"sync"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
)

// Lexical builds the segment of fielded posting lists.
//
// Each search document has five fields. Path holds the file's path, symbol
// the unit's qualified name and the names of the small declarations that have
// no unit of their own; signature, documentation and body are the document's
// spans. Positions run through a field from span to span, with a gap of one
// between two, so that no phrase reaches over what was left out between them.
func Lexical(in *Partition) ([]byte, error) {
	w := lexicalWriters.Get().(*lexicalWriter)
	defer lexicalWriters.Put(w)
	w.b.Reset(len(in.Docs))
	for d := range in.Docs {
		w.document(in, d)
	}
	return w.b.Encode(in.Key)
}

// lexicalWriters keeps builders with their memory from one partition to the
// next. What a builder writes does not depend on what it wrote before.
var lexicalWriters = sync.Pool{New: func() any {
	w := &lexicalWriter{b: artifact.NewLexicalBuilder(0)}
	w.emit = w.token
	return w
}}

type lexicalWriter struct {
	b     *artifact.LexicalBuilder
	a     analysis.Analyzer
	emit  func(analysis.Token) // token, bound once
	doc   uint32
	field artifact.Field
	next  [artifact.NumFields]uint32 // position of the next span, by field
	len   [artifact.NumFields]uint32
}

func (w *lexicalWriter) document(in *Partition, d int) {
	w.doc = uint32(d)
	w.next = [artifact.NumFields]uint32{}
	w.len = [artifact.NumFields]uint32{}
	text, spans, names := in.DocText(d)
	w.span(artifact.FieldPath, []byte(in.docPath(d)))
	w.span(artifact.FieldSymbol, []byte(in.Fields[d].Symbol))
	for _, n := range names {
		w.span(artifact.FieldSymbol, []byte(n))
	}
	for _, s := range spans {
		w.span(s.Field, text[s.Start:s.End])
	}
	for f, n := range w.len {
		w.b.SetLength(w.doc, artifact.Field(f), n)
	}
}

// span adds a piece of a field.
func (w *lexicalWriter) span(f artifact.Field, text []byte) {
	if len(text) == 0 {
		return
	}
	w.field = f
	n := w.a.Scan(text, w.emit)
	w.len[f] += n
	w.next[f] += n + 1
}

func (w *lexicalWriter) token(t analysis.Token) {
	pos := t.Pos
	if pos == analysis.NoPosition || !positioned[w.field] {
		pos = artifact.NoPosition
	} else {
		pos += w.next[w.field]
	}
	w.b.Add(w.doc, w.field, t.Term, pos)
}

// positioned says which fields keep positions. A path and a qualified name
// are short and at hand wherever a result is.
var positioned = [artifact.NumFields]bool{
	artifact.FieldSignature: true,
	artifact.FieldDoc:       true,
	artifact.FieldBody:      true,
}
