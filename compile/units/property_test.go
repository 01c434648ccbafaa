package units

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// check verifies every promise of the package comment on one file.
func check(raw []byte, f File) error {
	r := Build(f)
	if !samePlain(r, Build(f)) {
		return fmt.Errorf("two builds differ")
	}
	if err := checkFormat(raw, f, r); err != nil {
		return err
	}
	owner, err := checkOwners(raw, f, r)
	if err != nil {
		return err
	}
	if err := checkDocs(f, r, owner); err != nil {
		return err
	}
	return checkPositions(f, r)
}

func samePlain(a, b *Result) bool { return fmt.Sprint(*a) == fmt.Sprint(*b) }

// checkFormat writes the segments: the format's own validation is the
// strictest reader there is.
func checkFormat(raw []byte, f File, r *Result) error {
	var b Batch
	blob := gitobj.Hash(gitobj.SHA1, "blob", raw)
	b.Append(artifact.File{Path: "a", Mode: 0o160000, Blob: blob, Skip: artifact.SkipSubmodule}, nil, nil)
	for _, p := range []string{"b", "c"} {
		b.Append(artifact.File{Path: p, Mode: 0o100644, Blob: blob, Size: uint64(len(raw)), Lang: f.Lang}, r, f.Text.Bytes)
	}
	if _, err := artifact.EncodeUnits(artifact.Digest{}, &artifact.UnitsData{Files: b.Files, Units: b.Units, Docs: b.Docs}); err != nil {
		return err
	}
	for d := range b.Docs {
		text, spans, names := b.DocText(d)
		lo := d % len(r.Docs)
		if !bytes.Equal(text, f.Text.Bytes) || fmt.Sprint(spans) != fmt.Sprint(r.Spans[r.Fields[lo].SpansLo:r.Fields[lo].SpansHi]) ||
			fmt.Sprint(names) != fmt.Sprint(r.Names[r.Fields[lo].NamesLo:r.Fields[lo].NamesHi]) {
			return fmt.Errorf("document %d differs in its batch", d)
		}
	}
	_, err := artifact.EncodeStructural(artifact.Digest{}, &artifact.StructuralData{
		Files: len(b.Files), Units: len(b.Units), Symbols: b.Symbols, Occurrences: b.Occurrences, Imports: b.Imports})
	return err
}

// checkOwners returns the owning unit of each byte of the original.
func checkOwners(raw []byte, f File, r *Result) ([]int32, error) {
	owner := make([]int32, len(raw))
	for i, u := range r.Units {
		for at := u.Start; at < u.End; at++ {
			owner[at] = int32(i) // later units are inner ones
		}
		if u.Kind == artifact.KindRemainder && u.EndLine-u.StartLine+1 > MaxRemainderLines {
			return nil, fmt.Errorf("remainder %d has lines %d to %d", i, u.StartLine, u.EndLine)
		}
	}
	for t, c := range f.Text.Bytes {
		if !isWord(c) {
			continue
		}
		if o := f.Text.Original(uint32(t)); owner[o] == 0 {
			return nil, fmt.Errorf("text byte %d, a word's, is owned by the file", t)
		}
	}
	return owner, nil
}

func checkDocs(f File, r *Result, owner []int32) error {
	if len(r.Docs) == 0 || len(r.Docs) != len(r.Fields) {
		return fmt.Errorf("%d documents with %d fields", len(r.Docs), len(r.Fields))
	}
	text := f.Text.Bytes
	lines := newLineTable(text)
	covered := make([]int32, len(text)) // the document whose span holds the byte, plus 1
	spans, names := uint32(0), uint32(0)
	for d, doc := range r.Docs {
		k := r.Fields[d]
		if k.SpansLo != spans || k.NamesLo != names {
			return fmt.Errorf("document %d's spans or names do not follow", d)
		}
		spans, names = k.SpansHi, k.NamesHi
		if k.Symbol != r.Units[doc.Unit].Symbol {
			return fmt.Errorf("document %d has symbol %q", d, k.Symbol)
		}
		at, total, touched := uint32(0), uint32(0), map[int]bool{}
		for _, s := range r.Spans[k.SpansLo:k.SpansHi] {
			if s.Start < at || s.End <= s.Start || int(s.End) > len(text) {
				return fmt.Errorf("document %d: span %v behind %d", d, s, at)
			}
			at, total = s.End, total+s.End-s.Start
			for p := s.Start; p < s.End; p++ {
				covered[p] = int32(d) + 1
				o := f.Text.Original(p)
				if owner[o] != int32(doc.Unit) || o < doc.Start || o >= doc.End {
					return fmt.Errorf("document %d reads byte %d, which is not its own", d, p)
				}
			}
			for l := lines.at(s.Start); l <= lines.last(s.Start, s.End); l++ {
				touched[l] = true
			}
		}
		if len(touched) > MaxRemainderLines || doc.Part > 0 && len(touched) > MaxPartLines {
			return fmt.Errorf("document %d has %d lines", d, len(touched))
		}
		if total > MaxDocBytes {
			return fmt.Errorf("document %d reads %d bytes", d, total)
		}
		if total+maxName < MaxDocBytes { // nothing was left out
			for t := range text {
				o := f.Text.Original(uint32(t))
				if isWord(text[t]) && owner[o] == int32(doc.Unit) && o >= doc.Start && o < doc.End && covered[t] != int32(d)+1 {
					return fmt.Errorf("document %d misses byte %d", d, t)
				}
			}
		}
	}
	for t, c := range text {
		if !isWord(c) {
			continue
		}
		o := f.Text.Original(uint32(t))
		in := 0
		for _, doc := range r.Docs {
			if owner[o] == int32(doc.Unit) && o >= doc.Start && o < doc.End {
				in++
			}
		}
		if in != 1 {
			return fmt.Errorf("text byte %d (%q) is in %d documents", t, c, in)
		}
	}
	return nil
}

// checkPositions looks up the names of symbols and occurrences by line and
// column.
func checkPositions(f File, r *Result) error {
	lines := newLineTable(f.Text.Bytes)
	offset := func(p artifact.Position) uint32 {
		if int(p.Line) > len(lines.starts) {
			return ^uint32(0)
		}
		want := f.Text.RangeStart(lines.starts[p.Line-1]) + p.Col - 1
		for t := lines.starts[p.Line-1]; t < lines.end(int(p.Line-1)); t++ {
			if f.Text.Original(t) == want && utf8.RuneStart(f.Text.Bytes[t]) {
				return t
			}
		}
		return ^uint32(0)
	}
	for i, s := range r.Symbols {
		at := offset(s.NamePos)
		if at == ^uint32(0) {
			return fmt.Errorf("symbol %d stands at %v", i, s.NamePos)
		}
		if int(s.Unit) >= len(r.Units) {
			return fmt.Errorf("symbol %d is of unit %d", i, s.Unit)
		}
	}
	for i, o := range r.Occurrences {
		if at := offset(o.Pos); at == ^uint32(0) || !bytes.HasPrefix(f.Text.Bytes[at:], []byte(o.Name)) && f.Facts.Occurrences != nil && r.Encoding != artifact.EncodingOther {
			return fmt.Errorf("occurrence %d (%q) stands at %v", i, o.Name, o.Pos)
		}
	}
	return nil
}

var words = []string{"a", "foo", "Bär", "日本", "x1", "𝒳", "return", "//", "{", "}", "(", ");", ",", "=", "é"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	n := r.Intn(200)
	for range n {
		switch r.Intn(6) {
		case 0:
		default:
			b.WriteString(strings.Repeat(" ", r.Intn(3)*4))
			for range r.Intn(6) {
				b.WriteString(words[r.Intn(len(words))])
				b.WriteByte(" \t;"[r.Intn(3)])
			}
		}
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", "", "\r"}[r.Intn(6)])
	}
	return b.String()
}

var declKinds = []artifact.Kind{artifact.KindClass, artifact.KindFunction, artifact.KindMethod, artifact.KindField,
	artifact.KindConstant, artifact.KindNamespace, artifact.KindProperty, artifact.KindType, artifact.KindEnumMember, artifact.KindVariable}

// randomDecls makes a proper tree of declarations in text[lo:hi].
func randomDecls(r *rand.Rand, text string, lo, hi uint32, parent int32, depth int, dst []syntax.Decl) []syntax.Decl {
	for lo < hi && r.Intn(8) > 0 {
		start := runeStart(text, lo+uint32(r.Intn(int(hi-lo)/2+1)))
		end := runeStart(text, start+1+uint32(r.Intn(int(hi-start))))
		if end <= start || end > hi || start < lo {
			break
		}
		at := runeStart(text, start+uint32(r.Intn(int(end-start))))
		if at < start {
			at = start
		}
		d := syntax.Decl{Kind: declKinds[r.Intn(len(declKinds))], Name: fmt.Sprintf("n%d", len(dst)), Parent: parent,
			NameAt: at, Start: start, End: end, SigStart: start, SigEnd: runeStart(text, start+(end-start)/2)}
		d.Descriptor = d.Name + "."
		if r.Intn(3) == 0 {
			d.DocStart, d.DocEnd = start, at
			d.SigStart = at
			d.SigEnd = max(d.SigEnd, at)
		}
		if r.Intn(6) == 0 {
			d.Flags |= artifact.SymbolForward
		}
		me := int32(len(dst))
		dst = append(dst, d)
		if depth < 5 {
			dst = randomDecls(r, text, start, end, me, depth+1, dst)
		}
		lo = end
	}
	return dst
}

func runeStart(s string, i uint32) uint32 {
	for int(i) < len(s) && i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return min(i, uint32(len(s)))
}

func randomFacts(r *rand.Rand, text string) *syntax.Facts {
	f := &syntax.Facts{Decls: randomDecls(r, text, 0, uint32(len(text)), -1, 0, nil)}
	if len(text) == 0 {
		return f
	}
	if r.Intn(4) == 0 { // contradictory facts
		for range r.Intn(10) {
			n := func() uint32 { return runeStart(text, uint32(r.Intn(len(text)+9))) }
			f.Decls = append(f.Decls, syntax.Decl{Kind: declKinds[r.Intn(len(declKinds))], Name: "w", Parent: int32(r.Intn(len(f.Decls)+3) - 1),
				NameAt: n(), Start: n(), End: n(), DocStart: n(), DocEnd: n(), SigStart: n(), SigEnd: n()})
		}
	}
	for i := 0; i < len(text); i++ {
		if isWord(text[i]) && utf8.RuneStart(text[i]) && r.Intn(9) == 0 {
			_, n := utf8.DecodeRuneInString(text[i:])
			f.Occurrences = append(f.Occurrences, syntax.Occurrence{At: uint32(i), Name: text[i : i+n]})
			if r.Intn(5) == 0 {
				f.Imports = append(f.Imports, syntax.Import{At: uint32(i), Module: "m"})
			}
		}
	}
	return f
}

// encodings returns the text in every encoding that can hold it.
func encodings(text string) [][]byte {
	all := [][]byte{[]byte(text), append([]byte("\xef\xbb\xbf"), text...)}
	units := utf16.Encode([]rune(text))
	le, be := []byte{0xff, 0xfe}, []byte{0xfe, 0xff}
	for _, u := range units {
		le = append(le, byte(u), byte(u>>8))
		be = append(be, byte(u>>8), byte(u))
	}
	return append(all, le, be)
}

func TestProperties(t *testing.T) {
	langs := []string{"", "markdown", "rst", "asciidoc", "org", "text", "yaml", "json", "toml", "ini", "hcl", "make"}
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		text := randomText(r)
		facts := randomFacts(r, text)
		for _, raw := range encodings(text) {
			dec := filetext.Decode(raw)
			if string(dec.Bytes) != text && utf8.ValidString(text) {
				t.Fatalf("seed %d: decoding %v gives another text", seed, dec.Encoding)
			}
			if err := check(raw, File{Text: dec, Facts: facts}); err != nil {
				t.Fatalf("seed %d, %v, with facts: %v", seed, dec.Encoding, err)
			}
			if err := check(raw, File{Lang: langs[seed%int64(len(langs))], Text: dec}); err != nil {
				t.Fatalf("seed %d, %v, by lines: %v", seed, dec.Encoding, err)
			}
		}
	}
}
