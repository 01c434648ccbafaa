// Package units turns one file's bytes, and what its syntax says, into the
// records that every view refers to: source units, search documents, symbols,
// occurrences and imports, with line positions. It calls no parser, opens no
// file and cannot fail: whatever the bytes are, there is a Result, and it is
// a pure function of (language, bytes, facts).
//
// # Who owns a byte
//
// Every byte of a file has exactly one owning unit: the innermost one whose
// range holds it.
//
//   - The first unit is the file itself (L0). It owns what lies between the
//     others and has no letter or digit: blank lines, a stray bracket.
//   - A declaration is a unit when it is a container (class, struct, …), a
//     callable with a body, or a larger leaf; see below for the smaller ones.
//     Whatever is declared inside a callable belongs to that callable and is a
//     symbol flagged SymbolLocal.
//   - Other text at file level that no declaration covers becomes remainder
//     units of at most 60 lines, cut at blank lines and low indentation where
//     possible.
//   - A range is extended to whole lines where nothing but white space,
//     commas and semicolons stand beside it. Two declarations on one line keep
//     their exact ranges.
//
// # Small leaves
//
// One-line constants and fields make poor search results and would be most of
// all units. A leaf declaration therefore has no unit of its own when it is a
// field, constant, variable, macro, enum member or a callable without a body
// (prototype, abstract or interface method) of fewer than 4 lines, or a type
// alias or property of fewer than 3, counted with its documentation comment.
// It stays a symbol, and its unit is the container or remainder that owns its
// text; its name is listed in that document's DocFields.Names. Containers and
// callables with a body are always units, however small.
//
// # Files that are not parsed
//
// Markdown, reStructuredText, AsciiDoc and Org files have one section unit for
// each heading, from there to the next heading of any level; its symbol is the
// path of headings ("Install > From source"). YAML, JSON, TOML, INI and HCL
// files have one entry unit for each top-level key, table, section or block of
// at least 4 lines. Everything else, and whatever the scanners cannot read,
// is remainders.
//
// # Search documents
//
// A unit's document is the text that it owns. With more than 60 owned lines it
// is cut into numbered parts of at most 50, again at blank lines and low
// indentation. A run of owned text without any letter or digit ("}", blank
// lines) at the end of a document is left out of it, and a unit that owns
// nothing else has no document. A file without any document gets one for its
// L0 unit, so that its path can be found.
//
// Nothing is cut inside a line, so a line of a megabyte is one document;
// what analysis should read of a document is capped at MaxDocBytes (Spans end
// there), while exact search reads the source view and misses nothing.
package units

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/internal/filetext"
)

const (
	// MaxRemainderLines bounds a remainder unit, and an undivided document.
	MaxRemainderLines = 60
	// MaxPartLines bounds one part of a divided document.
	MaxPartLines = 50
	// MaxDocBytes bounds the text of one document that its spans name.
	MaxDocBytes = 64 << 10

	smallLeafLines = 4 // fields, constants, …
	smallTypeLines = 3 // type aliases, properties
)

// Version changes whenever this package's output for some input does; it is
// part of the profile.
const Version = "2"

// File is what Build needs to know.
type File struct {
	Lang  string        // as Language returned it; "" when none is known
	Text  filetext.Text // as Decode returned it
	Facts *syntax.Facts // of Text.Bytes; nil for a file that is not parsed
}

// Result is all that one file contributes to its partition. File numbers are
// 0, unit and symbol numbers count from 0 within the file; Batch.Append
// renumbers them. Byte ranges and positions in Units, Docs, Symbols,
// Occurrences and Imports refer to the original file; Fields and Spans refer
// to the decoded text (Text.Bytes), which differs for files with a byte order
// mark.
type Result struct {
	Units       []artifact.Unit
	Docs        []artifact.Doc
	Symbols     []artifact.Symbol
	Occurrences []artifact.Occurrence
	Imports     []artifact.Import
	Locals      []artifact.Local
	LocalUses   []artifact.LocalUse
	Fields      []DocFields // one for each of Docs
	Spans       []Span      // all documents' spans back to back
	Names       []string    // all documents' names back to back
	Encoding    artifact.Encoding
	// Precise is what a SCIP document says of the file, its files being {0};
	// nil without one.
	Precise  *artifact.PreciseData
	Lines    uint32            // see artifact.File.Lines
	Degraded artifact.Degraded // from the facts, or DegradedMinified
}

// DocFields says how a document's text falls into the fields of the lexical
// view.
type DocFields struct {
	// Symbol is the unit's qualified name, "" for a remainder. Every part of a
	// long unit carries it.
	Symbol string
	// NamesLo and NamesHi bound, in Result.Names, the names of the small
	// leaves that this part declares; they belong to FieldSymbol too.
	NamesLo, NamesHi uint32
	// SpansLo and SpansHi bound the document's spans in Result.Spans: its
	// owned text in source order, without overlap, at most MaxDocBytes in all.
	SpansLo, SpansHi uint32
}

// Span is a run of a document's text that belongs to one field.
type Span struct {
	Start, End uint32         // byte range [Start, End) in Text.Bytes
	Field      artifact.Field // FieldSignature, FieldDoc or FieldBody
	Prose      bool           // natural language, so that words may be stemmed
}

// Batch collects the results of a partition's files in path order, with
// partition-wide numbers.
type Batch struct {
	Files       []artifact.File
	Units       []artifact.Unit
	Docs        []artifact.Doc
	Symbols     []artifact.Symbol
	Occurrences []artifact.Occurrence
	Imports     []artifact.Import
	Locals      []artifact.Local
	LocalUses   []artifact.LocalUse
	Precise     artifact.PreciseData
	Fields      []DocFields // one for each of Docs
	Spans       []Span
	Names       []string
	Texts       [][]byte // one for each of Files: Text.Bytes; nil for skipped ones
}

// Append adds the next file. r is nil for a file whose content is in no view
// (f.Skip says why); otherwise Encoding, Lines and, where f has none,
// Degraded are taken from r. text is the decoded text that r was built from;
// it is kept, not copied. r is not changed.
func (b *Batch) Append(f artifact.File, r *Result, text []byte) {
	file := uint32(len(b.Files))
	if r == nil {
		b.Files = append(b.Files, f)
		b.Texts = append(b.Texts, nil)
		return
	}
	f.Encoding, f.Lines = r.Encoding, r.Lines
	if f.Degraded == artifact.DegradedNone {
		f.Degraded = r.Degraded
	}
	b.Files = append(b.Files, f)
	b.Texts = append(b.Texts, text)

	unit, symbol := uint32(len(b.Units)), int32(len(b.Symbols))
	spans, names := uint32(len(b.Spans)), uint32(len(b.Names))
	for _, u := range r.Units {
		u.File = file
		if u.Parent >= 0 {
			u.Parent += int32(unit)
		}
		b.Units = append(b.Units, u)
	}
	for _, d := range r.Docs {
		d.Unit += unit
		b.Docs = append(b.Docs, d)
	}
	for _, s := range r.Symbols {
		s.File = file
		s.Unit += unit
		if s.Parent >= 0 {
			s.Parent += symbol
		}
		b.Symbols = append(b.Symbols, s)
	}
	for _, o := range r.Occurrences {
		o.File = file
		b.Occurrences = append(b.Occurrences, o)
	}
	for _, m := range r.Imports {
		m.File = file
		b.Imports = append(b.Imports, m)
	}
	for _, l := range r.Locals {
		l.File = file
		b.Locals = append(b.Locals, l)
	}
	for _, u := range r.LocalUses {
		u.File = file
		b.LocalUses = append(b.LocalUses, u)
	}
	b.appendPrecise(r.Precise, file, symbol)
	for _, d := range r.Fields {
		d.NamesLo, d.NamesHi = d.NamesLo+names, d.NamesHi+names
		d.SpansLo, d.SpansHi = d.SpansLo+spans, d.SpansHi+spans
		b.Fields = append(b.Fields, d)
	}
	b.Spans = append(b.Spans, r.Spans...)
	b.Names = append(b.Names, r.Names...)
}

// appendPrecise adds what a SCIP document says of a file.
func (b *Batch) appendPrecise(p *artifact.PreciseData, file uint32, symbol int32) {
	if p == nil {
		return
	}
	b.Precise.Files = append(b.Precise.Files, file)
	for _, o := range p.Occurrences {
		o.File = file
		if o.Decl >= 0 {
			o.Decl += symbol
		}
		b.Precise.Occurrences = append(b.Precise.Occurrences, o)
	}
	for _, x := range p.Relations {
		x.File = file
		b.Precise.Relations = append(b.Precise.Relations, x)
	}
	for _, x := range p.Infos {
		x.File = file
		b.Precise.Infos = append(b.Precise.Infos, x)
	}
}

// DocText returns the spans and the small leaves' names of document d, a
// number in b.Docs, and the text that the spans refer to.
func (b *Batch) DocText(d int) (text []byte, spans []Span, names []string) {
	f := b.Fields[d]
	file := b.Units[b.Docs[d].Unit].File
	return b.Texts[file], b.Spans[f.SpansLo:f.SpansHi], b.Names[f.NamesLo:f.NamesHi]
}
