package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// ReceiptSchema names the form of a receipt.
const ReceiptSchema = "pindex.receipt/0"

// MaxReceipt bounds a receipt, in bytes: it may hold the text of changed files.
const MaxReceipt = 256 << 20

// Receipt is what it takes to make a bundle again without ranking: every run
// of lines by path, line numbers and blob.
type Receipt struct {
	Schema      string        `json:"schema"`
	Program     string        `json:"program"` // name and version of what made it
	Form        int           `json:"form"`    // version of what Render writes
	Head        Head          `json:"head"`
	IndexCommit string        `json:"index_commit"` // that the index is of: an ancestor's where Head.Distance is not 0
	Options     Options       `json:"options"`
	QueryB64    []byte        `json:"query_b64,omitempty"` // in place of a query that is not UTF-8
	Format      Format        `json:"format"`
	Budget      int           `json:"budget"` // tokens
	Counter     string        `json:"counter"`
	Tokens      int           `json:"tokens"` // of the bundle, by the counter
	Files       []ReceiptFile `json:"files"`
	Bundle      string        `json:"bundle"` // sha256 of the bundle's bytes
	Seal        string        `json:"seal"`   // sha256 of the receipt's canonical JSON with an empty seal
}

// ReceiptFile is one file of a receipt.
type ReceiptFile struct {
	Path    string `json:"path,omitempty"`
	PathB64 []byte `json:"path_b64,omitempty"`
	Blob    string `json:"blob"`
	Role    string `json:"role"`
	Why     string `json:"why"`
	Lang    string `json:"lang"`
	Lines   int    `json:"lines"`
	Spans   []Span `json:"spans"`

	// Embedded is the whole file where no commit has it.
	Embedded    *string `json:"embedded,omitempty"`
	EmbeddedB64 []byte  `json:"embedded_b64,omitempty"`
}

// FilePath returns the path's bytes.
func (f *ReceiptFile) FilePath() string {
	if f.PathB64 != nil {
		return string(f.PathB64)
	}
	return f.Path
}

// NewReceipt writes down a bundle and its written form. embed says which files
// no commit holds.
func NewReceipt(program string, o Options, b *Bundle, f Format, out []byte, indexCommit string, embed func(path string, blob gitobj.ID) bool) *Receipt {
	r := &Receipt{
		Schema: ReceiptSchema, Program: program, Form: formVersion, Head: b.Head, IndexCommit: indexCommit, Options: o,
		Format: f, Budget: b.Budget, Counter: Counter, Tokens: Count(out), Files: []ReceiptFile{},
		Bundle: artifact.DigestOf(out).String(),
	}
	r.Options.Policy = b.Policy
	r.Options.Query, r.QueryB64 = split(o.Query)
	for i := range b.Files {
		x := &b.Files[i]
		rf := ReceiptFile{Blob: x.Blob.String(), Role: x.Role, Why: x.Why, Lang: x.Lang, Lines: x.Lines, Spans: x.Spans}
		rf.Path, rf.PathB64 = split(x.Path)
		if embed(x.Path, x.Blob) {
			if utf8.Valid(x.text) {
				s := string(x.text)
				rf.Embedded = &s
			} else {
				rf.EmbeddedB64 = x.text
			}
		}
		r.Files = append(r.Files, rf)
	}
	return r
}

// Query returns the question's bytes.
func (r *Receipt) Query() string {
	if r.QueryB64 != nil {
		return string(r.QueryB64)
	}
	return r.Options.Query
}

// Encode seals the receipt and returns its canonical JSON.
func (r *Receipt) Encode() ([]byte, error) {
	seal, err := r.seal()
	if err != nil {
		return nil, err
	}
	r.Seal = seal
	b, err := artifact.Canonical(r)
	return append(b, '\n'), err
}

func (r *Receipt) seal() (string, error) {
	bare := *r
	bare.Seal = ""
	b, err := artifact.Canonical(&bare)
	if err != nil {
		return "", err
	}
	return artifact.DigestOf(b).String(), nil
}

const receiptRemedy = "take the receipt as 'pindex context --receipt' wrote it, or make a new one"

// ReadReceipt reads a receipt and checks that nobody has edited it: the bytes
// are those that Encode wrote, but for the newline at the end. Errors have code
// Verification.
func ReadReceipt(b []byte) (*Receipt, error) {
	bad := func(err error) error {
		return fail.Wrap(fail.Verification, err, receiptRemedy, "this is no receipt")
	}
	if len(b) > MaxReceipt {
		return nil, bad(fmt.Errorf("it has more than %d bytes", MaxReceipt))
	}
	r := &Receipt{}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(r); err != nil {
		return nil, bad(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad(errors.New("something follows its end"))
	}
	if r.Schema != ReceiptSchema || r.Form > formVersion {
		return nil, fail.New(fail.Verification, "use the version of pindex that wrote it, or a newer one", "the receipt has the form %.60q, version %d, which this program does not know", r.Schema, r.Form)
	}
	seal, err := r.seal()
	if err != nil {
		return nil, bad(err)
	}
	if seal != r.Seal {
		return nil, fail.New(fail.Verification, receiptRemedy, "the receipt was edited: its contents do not have the digest that it was sealed with")
	}
	// The seal covers what was decoded. A member that nobody reads, one given
	// twice and one in another case would pass beside it: only the bytes that
	// Encode writes are a receipt.
	whole, err := artifact.Canonical(r)
	if err != nil {
		return nil, bad(err)
	}
	if !bytes.Equal(bytes.TrimSuffix(b, []byte("\n")), whole) {
		return nil, fail.New(fail.Verification, receiptRemedy, "the receipt was edited: it holds more than, or another spelling of, what it was sealed with")
	}
	if err := r.check(); err != nil {
		return nil, bad(err)
	}
	return r, nil
}

// check holds what a sealed receipt says against what one can say.
func (r *Receipt) check() error {
	for _, c := range []string{r.Head.Commit, r.IndexCommit} {
		if _, err := gitobj.ParseID(c); err != nil {
			return fmt.Errorf("its commit: %w", err)
		}
	}
	if err := CheckBudget(r.Budget); err != nil {
		return err
	}
	for i := range r.Files {
		f := &r.Files[i]
		if _, err := gitobj.ParseID(f.Blob); err != nil {
			return fmt.Errorf("file %d: %w", i+1, err)
		}
		next := 1
		for _, s := range f.Spans {
			if s.Start < next || s.End < s.Start || s.End > f.Lines {
				return fmt.Errorf("file %d: lines %d to %d are out of order", i+1, s.Start, s.End)
			}
			next = s.End + 1
		}
	}
	return nil
}

// Texts gives the bytes of a blob that a commit has at a path.
type Texts func(path string, blob gitobj.ID) ([]byte, error)

// Replay makes the bundle of a receipt again, byte for byte, and returns it and
// its written form. Nothing is ranked. Errors of texts come back as they are;
// bytes that are not what the receipt names have code Verification.
func Replay(r *Receipt, texts Texts) (*Bundle, []byte, error) {
	b := &Bundle{Head: r.Head, Budget: r.Budget}
	for i := range r.Files {
		f, err := r.Files[i].open(texts)
		if err != nil {
			return nil, nil, err
		}
		b.Files = append(b.Files, *f)
	}
	out, err := Render(b, r.Format)
	if err != nil {
		return nil, nil, err
	}
	if len(b.Files) == 0 && r.Tokens == 0 {
		out = nil // its budget was too small for the head
	}
	if d := artifact.DigestOf(out).String(); d != r.Bundle {
		return nil, nil, fail.New(fail.Verification, receiptRemedy, "the bundle has the digest %s, and the receipt names %.80s", d, r.Bundle)
	}
	return b, out, nil
}

func (f *ReceiptFile) open(texts Texts) (*File, error) {
	path := f.FilePath()
	id, err := gitobj.ParseID(f.Blob)
	if err != nil {
		return nil, err
	}
	var text []byte
	switch {
	case f.Embedded != nil:
		text = []byte(*f.Embedded)
	case f.EmbeddedB64 != nil:
		text = f.EmbeddedB64
	default:
		if text, err = texts(path, id); err != nil {
			return nil, err
		}
	}
	if got := gitobj.Hash(id.Format(), "blob", text); got != id {
		return nil, fail.New(fail.Verification, receiptRemedy, "%s has the blob %s, and the receipt names %s", oneLine(path), got, id)
	}
	if n := newLines(text).count(); n != f.Lines {
		return nil, fail.New(fail.Verification, receiptRemedy, "%s has %d lines, and the receipt says %d", oneLine(path), n, f.Lines)
	}
	return &File{Path: path, Blob: id, Role: f.Role, Why: f.Why, Lang: f.Lang, Lines: f.Lines, Spans: f.Spans, text: text}, nil
}

// The ways in which a file differs between two bundles.
const (
	Gone      = "gone"       // only the old one has it
	New       = "new"        // only the new one has it
	Changed   = "changed"    // another blob
	OtherPart = "other part" // the same blob, other lines or another role
)

// Change is one difference between two receipts.
type Change struct {
	Path    string `json:"path,omitempty"`
	PathB64 []byte `json:"path_b64,omitempty"`
	What    string `json:"what"`
	Role    string `json:"role"` // in the new one, where it has the file
	Old     []Span `json:"old"`  // lines
	New     []Span `json:"new"`
}

// FilePath returns the path's bytes.
func (c *Change) FilePath() string {
	if c.PathB64 != nil {
		return string(c.PathB64)
	}
	return c.Path
}

// Compare says what a receipt has that an older one has not, in the new order;
// what is gone comes last. Two receipts of the same lines give nil.
func Compare(old, now *Receipt) []Change {
	was := map[string]*ReceiptFile{}
	for i := range old.Files {
		was[old.Files[i].FilePath()] = &old.Files[i]
	}
	var out []Change
	for i := range now.Files {
		f := &now.Files[i]
		c := Change{Path: f.Path, PathB64: f.PathB64, Role: f.Role, New: f.Spans, Old: []Span{}}
		switch o := was[f.FilePath()]; {
		case o == nil:
			c.What = New
		case o.Blob != f.Blob:
			c.What, c.Old = Changed, o.Spans
		case o.Role != f.Role || !slices.Equal(o.Spans, f.Spans):
			c.What, c.Old = OtherPart, o.Spans
		}
		delete(was, f.FilePath())
		if c.What != "" {
			out = append(out, c)
		}
	}
	for i := range old.Files {
		f := &old.Files[i]
		if was[f.FilePath()] != nil {
			out = append(out, Change{Path: f.Path, PathB64: f.PathB64, What: Gone, Role: f.Role, Old: f.Spans, New: []Span{}})
		}
	}
	return out
}
