package scip

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/scip-code/scip/bindings/go/scip"
)

// Tree is the commit that documents must be of.
type Tree interface {
	// Content returns a file's bytes, or, where it can have no document, why
	// not: "not in the commit", "a symbolic link", "skipped: secret". The
	// slice is valid until the next call.
	Content(path string) (content []byte, why string, err error)
}

// IndexReport says what became of one index.
type IndexReport struct {
	Name        string    `json:"name"` // of the file, without its folder, or of the indexer
	Tool        string    `json:"tool,omitempty"`
	Documents   int       `json:"documents"`   // that are in the index now
	Occurrences int       `json:"occurrences"` // in them
	Refused     Refusals  `json:"refused"`
	Rejected    []Refusal `json:"rejected"` // documents that are not, in path order; at most 200
	RejectedAll int       `json:"rejected_total"`
	// Absent says why there is no document at all; "" where there are some.
	Absent string `json:"absent,omitempty"`
}

// Refusals counts occurrences of accepted documents that were left out.
type Refusals struct {
	Outside  int `json:"outside"`  // the range does not lie on the text
	CutsWord int `json:"cut_word"` // it holds a part of a word, or nothing but blanks
	NoRange  int `json:"no_range"`
	Symbol   int `json:"symbol"` // no symbol, or one that is too long or breaks SCIP's grammar
}

// Total returns how many occurrences were left out.
func (r *Refusals) Total() int { return r.Outside + r.CutsWord + r.NoRange + r.Symbol }

func (r *Refusals) plus(o Refusals) {
	r.Outside, r.CutsWord, r.NoRange, r.Symbol = r.Outside+o.Outside, r.CutsWord+o.CutsWord, r.NoRange+o.NoRange, r.Symbol+o.Symbol
}

// Refusal is a document and why it was rejected.
type Refusal struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Collector reads indexes and keeps what fits the commit. Its methods serve
// one goroutine. Documents wait in a file without a name, so memory is bounded
// by the largest one.
type Collector struct {
	tree    Tree
	spool   *os.File
	end     int64
	indexes int
	docs    map[string]*spooled
	own     map[string]bool // packages, up to their version, that the tree defines symbols of
}

type spooled struct {
	off, size int64
	tools     []string // ascending
}

// NewCollector returns an empty collector. It must be closed, or finished.
func NewCollector(tree Tree) (*Collector, error) {
	spool, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &Collector{tree: tree, spool: spool, docs: map[string]*spooled{}, own: map[string]bool{}}, nil
}

func newSpool() (*os.File, error) {
	f, err := os.CreateTemp("", "pindex-scip-*")
	if err != nil {
		return nil, fmt.Errorf("a file for SCIP documents cannot be made: %w", err)
	}
	return f, nil
}

func dropSpool(f *os.File) {
	if f != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
}

// Close drops everything.
func (c *Collector) Close() {
	dropSpool(c.spool)
	c.spool = nil
}

// Add reads one index. name is what the report calls it; prefix is the folder
// of the tree, "" for its root, that the index's paths start from. An error
// says that it is no whole index; what was read of it before is not to be
// used.
func (c *Collector) Add(ctx context.Context, name, prefix string, in io.Reader) (*IndexReport, error) {
	rep := &IndexReport{Name: name, Rejected: []Refusal{}}
	c.indexes++
	reject := func(p, format string, args ...any) {
		rep.RejectedAll++
		if len(rep.Rejected) < maxRefusalsKept {
			rep.Rejected = append(rep.Rejected, Refusal{strings.ToValidUTF8(p, "\uFFFD"), fmt.Sprintf(format, args...)})
		}
	}
	names := &symbolNames{}
	err := readIndex(ctx, in, func(m *scip.Metadata) error {
		t := m.GetToolInfo()
		rep.Tool = strings.TrimSpace(t.GetName() + " " + t.GetVersion())
		if rep.Tool = strings.ToValidUTF8(rep.Tool, "\uFFFD"); len(rep.Tool) > 256 {
			rep.Tool = strings.ToValidUTF8(rep.Tool[:256], "")
		}
		return nil
	}, func(raw *rawDocument) error {
		p, why := treePath(prefix, raw.path)
		if why != "" {
			reject(raw.path, "%s", why)
			return nil
		}
		content, why, err := c.tree.Content(p)
		if err != nil {
			return err
		}
		if why != "" {
			reject(p, "%s", why)
			return nil
		}
		if !utf8.Valid(content) {
			reject(p, "the file is not UTF-8")
			return nil
		}
		if raw.text != nil && string(raw.text) != string(content) {
			reject(p, "stale: the index holds another text of the file than the commit")
			return nil
		}
		doc, refused, why, err := c.convert(raw, newText(content), names)
		if err != nil {
			return err
		}
		if why != "" {
			reject(p, "%s", why)
			return nil
		}
		rep.Documents++
		rep.Occurrences += len(doc.Occurrences)
		rep.Refused.plus(refused)
		tool := rep.Tool
		if tool == "" {
			tool = "an unnamed indexer"
		}
		return c.keep(p, doc, tool)
	})
	slices.SortStableFunc(rep.Rejected, func(a, b Refusal) int { return cmp.Compare(a.Path, b.Path) })
	if err == nil && rep.Documents == 0 {
		rep.Absent = "the index has no document that fits the commit"
		if rep.RejectedAll == 0 {
			rep.Absent = "the index has no documents"
		}
	}
	return rep, err
}

// treePath returns the path in the tree of a document's path, or why it has
// none.
func treePath(prefix, p string) (_, why string) {
	switch {
	case p == "":
		return "", "it has no path"
	case path.IsAbs(p) || strings.ContainsAny(p, "\\\x00") || len(p) > 1 && p[1] == ':':
		return "", "its path is not relative with slashes"
	}
	if prefix != "" {
		p = prefix + "/" + p
	}
	switch clean := path.Clean(p); {
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", "it lies outside the tree"
	case clean != p && clean != strings.TrimPrefix(p, "./"):
		return "", "its path is not canonical"
	default:
		return clean, ""
	}
}

// A document is stale when more than one occurrence in staleShare does not fit
// the text, or when more than one definition in staleNames stands where the
// text has another name.
const (
	staleShare = 100
	staleNames = 4
)

// convert turns a document into byte columns. why is the reason for which it
// is rejected.
func (c *Collector) convert(raw *rawDocument, t *text, names *symbolNames) (doc *Document, refused Refusals, why string, err error) {
	enc, err := t.encodingOf(raw, names)
	if err != nil {
		return nil, refused, "", err
	}
	doc = &Document{}
	numbers := map[string]uint32{}
	known := map[string]bool{}
	number := func(s string) (uint32, bool) {
		if n, ok := numbers[s]; ok {
			return n, true
		}
		if ok, seen := known[s]; seen && !ok {
			return 0, false
		}
		if len(s) == 0 || len(s) > MaxSymbol {
			return 0, false
		}
		// Local symbols are numbered anew, so that their grammar, which some
		// indexers stretch, does not matter.
		if _, err := scip.ParseSymbol(s); err != nil && (!IsLocal(s) || len(s) == len(localPrefix)) {
			known[strings.Clone(s)] = false
			return 0, false
		}
		s = strings.Clone(s)
		n := uint32(len(doc.Symbols))
		numbers[s] = n
		doc.Symbols = append(doc.Symbols, s)
		return n, true
	}
	var definitions, misnames int
	err = raw.each(func(o *scip.Occurrence) error {
		if o.Symbol == "" {
			return nil // says how to colour the text, and nothing else
		}
		r, ok := o.SourceRange()
		if !ok {
			refused.NoRange++
			return nil
		}
		definition := o.SymbolRoles&roleDefinition != 0
		name := ""
		if definition && len(o.Symbol) <= MaxSymbol {
			name = names.name(o.Symbol)
		}
		at, verdict := t.judge(r, enc, name)
		if name != "" {
			definitions++
		}
		switch verdict {
		case outside:
			refused.Outside++
			return nil
		case cutsWord:
			refused.CutsWord++
			return nil
		case misnamed:
			misnames++
		}
		n, ok := number(o.Symbol)
		if !ok {
			refused.Symbol++
			return nil
		}
		out := Occurrence{Range: at, Symbol: n, Roles: uint32(o.SymbolRoles)}
		if e, ok := o.EnclosingSourceRange(); ok {
			if enclosing, ok := t.locate(e, enc); ok && enclosing != (Range{}) {
				out.Enclosing = enclosing
			}
		}
		doc.Occurrences = append(doc.Occurrences, out)
		return nil
	}, func(s *scip.SymbolInformation) error {
		n, ok := number(s.Symbol)
		if !ok {
			return nil
		}
		doc.Infos = append(doc.Infos, Info{Symbol: n, Kind: uint32(s.Kind)})
		for _, r := range s.Relationships {
			var flags artifact.RelationFlags
			for flag, set := range map[artifact.RelationFlags]bool{
				artifact.RelationReference: r.IsReference, artifact.RelationImplementation: r.IsImplementation,
				artifact.RelationTypeDefinition: r.IsTypeDefinition, artifact.RelationDefinition: r.IsDefinition,
			} {
				if set {
					flags |= flag
				}
			}
			if target, ok := number(r.Symbol); ok && flags != 0 {
				doc.Relations = append(doc.Relations, Relation{Symbol: n, Target: target, Flags: uint8(flags)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, refused, "", err
	}
	bad := refused.Outside + refused.CutsWord
	switch all := bad + len(doc.Occurrences); {
	case bad*staleShare > all:
		return nil, refused, fmt.Sprintf("stale: %d of %d occurrences do not lie on the commit's text", bad, all), nil
	case misnames*staleNames > definitions:
		return nil, refused, fmt.Sprintf("stale: %d of %d definitions stand where the commit has another name", misnames, definitions), nil
	}
	doc.settle()
	return doc, refused, "", nil
}

// keep spools a document, together with what another index said of the file.
func (c *Collector) keep(p string, doc *Document, tool string) error {
	for i, s := range doc.Symbols {
		if !IsLocal(s) {
			continue
		}
		// Another index's local of the same number is another symbol.
		doc.Symbols[i] = fmt.Sprintf("%s%d-%s", localPrefix, c.indexes, s[len(localPrefix):])
	}
	doc.settle()
	e := c.docs[p]
	if e == nil {
		e = &spooled{}
		c.docs[p] = e
	} else {
		before, err := c.read(e)
		if err != nil {
			return err
		}
		doc = union(before, doc)
	}
	if !slices.Contains(e.tools, tool) {
		e.tools = append(e.tools, tool)
		slices.Sort(e.tools)
	}
	for _, o := range doc.Occurrences {
		if o.Roles&roleDefinition != 0 {
			if head, _, _, ok := splitSymbol(doc.Symbols[o.Symbol]); ok && !c.own[head] {
				c.own[head] = true
			}
		}
	}
	b := doc.Encode()
	e.off, e.size = c.end, int64(len(b))
	c.end += e.size
	if _, err := c.spool.WriteAt(b, e.off); err != nil {
		return fmt.Errorf("SCIP documents cannot be kept: %w", err)
	}
	return nil
}

func (c *Collector) read(e *spooled) (*Document, error) {
	b := make([]byte, e.size)
	if _, err := c.spool.ReadAt(b, e.off); err != nil {
		return nil, fmt.Errorf("SCIP documents cannot be read back: %w", err)
	}
	return DecodeDocument(b)
}

// union is what two indexes say of one file. One that repeats the other in all
// but the names of locals adds nothing.
func union(a, b *Document) *Document {
	if same(a, b) {
		return a
	}
	n := uint32(len(a.Symbols))
	d := &Document{Symbols: append(slices.Clone(a.Symbols), b.Symbols...), Occurrences: slices.Clone(a.Occurrences),
		Infos: slices.Clone(a.Infos), Relations: slices.Clone(a.Relations)}
	for _, o := range b.Occurrences {
		o.Symbol += n
		d.Occurrences = append(d.Occurrences, o)
	}
	for _, i := range b.Infos {
		i.Symbol += n
		d.Infos = append(d.Infos, i)
	}
	for _, r := range b.Relations {
		r.Symbol, r.Target = r.Symbol+n, r.Target+n
		d.Relations = append(d.Relations, r)
	}
	d.settle()
	return d
}

func same(a, b *Document) bool {
	if len(a.Symbols) != len(b.Symbols) || len(a.Occurrences) != len(b.Occurrences) {
		return false
	}
	x, y := clone(a), clone(b)
	x.normalise(nil)
	y.normalise(nil)
	return string(x.Encode()) == string(y.Encode())
}

func clone(d *Document) *Document {
	return &Document{Symbols: slices.Clone(d.Symbols), Occurrences: slices.Clone(d.Occurrences),
		Infos: slices.Clone(d.Infos), Relations: slices.Clone(d.Relations)}
}

// Inherit takes over documents of another commit's input, of the files that
// are unchanged and that have none yet.
func (c *Collector) Inherit(in *Input, rep *IndexReport, unchanged func(path string) bool) error {
	for i, s := range in.Documents {
		if c.docs[s.Path] != nil {
			continue
		}
		if !unchanged(s.Path) {
			rep.RejectedAll++
			if len(rep.Rejected) < maxRefusalsKept {
				rep.Rejected = append(rep.Rejected, Refusal{strings.ToValidUTF8(s.Path, "\uFFFD"), "the file changed"})
			}
			continue
		}
		b, err := in.Read(i)
		if err != nil {
			return err
		}
		doc, err := DecodeDocument(b)
		if err != nil {
			return err
		}
		rep.Documents++
		rep.Occurrences += len(doc.Occurrences)
		if err := c.keep(s.Path, doc, s.Tool); err != nil {
			return err
		}
	}
	return nil
}
