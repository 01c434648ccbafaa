package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/scip-code/scip/bindings/go/scip"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// spot is a place in the tree: line and byte column from 1.
type spot struct {
	path      string
	line, col int
}

// span is an occurrence's range.
type span struct {
	spot
	endLine, endCol int
}

// mention is one occurrence as the SCIP index has it, placed by this program.
type mention struct {
	span
	symbol string // with the file's path in front where it is local
	roles  int32
}

// check holds what the SCIP indexes say of the index's accepted documents.
type check struct {
	ix       *artifact.Index
	mentions []mention
	defined  map[string][]spot
	used     map[string][]spot
	show     int
}

func newCheck(ix *artifact.Index, files []string, show int) (*check, error) {
	c := &check{ix: ix, defined: map[string][]spot{}, used: map[string][]spot{}, show: show}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		err = c.read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

func (c *check) read(r io.Reader) error {
	v := scip.IndexVisitor{VisitDocument: func(_ context.Context, d *scip.Document) error {
		p, f, ok, err := c.ix.FindFile(d.RelativePath)
		if err != nil || !ok {
			return err
		}
		st, err := c.ix.Structural(p)
		if err != nil || !st.Precise(f) {
			return err
		}
		src, err := c.ix.Source(p)
		if err != nil {
			return err
		}
		lines := bytes.Split(src.Content(f), []byte{'\n'})
		for _, o := range d.Occurrences {
			r, ok := o.SourceRange()
			if !ok || o.Symbol == "" {
				continue
			}
			m := mention{symbol: o.Symbol, roles: o.SymbolRoles}
			m.path = d.RelativePath
			m.line, m.endLine = int(r.Start.Line)+1, int(r.End.Line)+1
			m.col = column(lines[r.Start.Line], int(r.Start.Character), d.PositionEncoding)
			m.endCol = column(lines[r.End.Line], int(r.End.Character), d.PositionEncoding)
			if strings.HasPrefix(m.symbol, "local ") {
				m.symbol = m.path + " " + m.symbol
			}
			c.mentions = append(c.mentions, m)
			if m.roles&int32(scip.SymbolRole_Definition) != 0 {
				c.defined[m.symbol] = append(c.defined[m.symbol], m.spot)
			} else {
				c.used[m.symbol] = append(c.used[m.symbol], m.spot)
			}
		}
		return nil
	}}
	return v.ParseStreaming(context.Background(), r)
}

// column turns a column in code units into a byte column from 1. A document
// that does not name its encoding comes from a tool that counts UTF-16.
func column(line []byte, n int, enc scip.PositionEncoding) int {
	switch enc {
	case scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart:
		return n + 1
	case scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart:
		return len(string([]rune(string(line))[:n])) + 1
	}
	units := utf16.Encode([]rune(string(line)))
	return len(string(utf16.Decode(units[:n]))) + 1
}

// served compares every occurrence with the structural view.
func (c *check) served() error {
	have := map[string]int{}
	for p := range c.ix.NumPartitions() {
		st, err := c.ix.Structural(p)
		if err != nil {
			return err
		}
		u, err := c.ix.Units(p)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			if err := st.FilePrecise(f, func(o artifact.PreciseOccurrence) bool {
				have[fmt.Sprint(u.Path(f), o.Start, o.End, bare(o.Symbol))] |= int(o.Roles) | 1<<20
				return true
			}); err != nil {
				return err
			}
		}
	}
	missing := 0
	for _, m := range c.mentions {
		symbol := m.symbol
		if strings.HasPrefix(symbol, m.path+" local ") {
			symbol = "local"
		}
		key := fmt.Sprint(m.path, artifact.Position{Line: uint32(m.line), Col: uint32(m.col)},
			artifact.Position{Line: uint32(m.endLine), Col: uint32(m.endCol)}, bare(symbol))
		if got := have[key]; got == 0 || got&int(m.roles) != int(m.roles) {
			if missing++; missing <= c.show {
				fmt.Printf("  not served: %s:%d:%d %s\n", m.path, m.line, m.col, m.symbol)
			}
		}
	}
	report("occurrences served", len(c.mentions)-missing, len(c.mentions))
	return nil
}

// bare drops what normalising drops: a package's version, a local's number.
func bare(s string) string {
	if strings.HasPrefix(s, "local") {
		return "local"
	}
	parts := strings.SplitN(s, " ", 5)
	if len(parts) == 5 {
		parts[3] = ""
	}
	return strings.Join(parts, " ")
}

func report(what string, good, all int) {
	fmt.Printf("%-28s %d of %d, %.3f%%\n", what, good, all, 100*float64(good)/float64(max(all, 1)))
}

// sample picks n of total numbers, all of them for n = 0.
func sample(total, n int, seed uint64) []int {
	list := rand.New(rand.NewPCG(seed, 0)).Perm(total)
	if n > 0 && n < total {
		list = list[:n]
	}
	return list
}

// definitions compares def at occurrences.
func (c *check) definitions(ctx context.Context, e *query.Engine, n int, seed uint64) error {
	at := map[span][]string{}
	for _, m := range c.mentions {
		if !slices.Contains(at[m.span], m.symbol) {
			at[m.span] = append(at[m.span], m.symbol)
		}
	}
	var good, asked, outside, outsideGood int
	for _, i := range sample(len(c.mentions), n, seed) {
		m := c.mentions[i]
		want := map[string]bool{}
		for _, s := range at[m.span] {
			for _, d := range c.defined[s] {
				want[fmt.Sprintf("%s:%d", d.path, d.line)] = true
			}
		}
		res, err := e.Def(ctx, fmt.Sprintf("%s:%d:%d", m.path, m.line, m.col))
		if err != nil && fail.CodeOf(err) != fail.NotFound {
			return err
		}
		got := map[string]bool{}
		binding := query.Unresolved
		if res != nil {
			binding = res.Binding
			for _, h := range res.Results {
				line := h.NameLine
				if line == 0 {
					line = h.StartLine
				}
				got[fmt.Sprintf("%s:%d", h.FilePath(), line)] = true
			}
		}
		if len(want) == 0 {
			outside++
			if len(got) == 0 && binding != query.Ambiguous {
				outsideGood++
				continue
			}
		} else {
			asked++
			if maps.Equal(want, got) {
				good++
				continue
			}
		}
		if c.show > 0 && asked+outside-good-outsideGood <= c.show {
			fmt.Printf("  def %s:%d:%d %v\n    want %v\n    got  %v %s\n", m.path, m.line, m.col, at[m.span], keys(want), keys(got), binding)
		}
	}
	report("definitions, in the tree", good, asked)
	report("definitions, outside of it", outsideGood, outside)
	return nil
}

func keys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// references compares refs at definitions.
func (c *check) references(ctx context.Context, e *query.Engine, n int, seed uint64) error {
	symbols := slices.Sorted(maps.Keys(c.defined))
	var good, shared, wants, gots, both, beyond int
	list := sample(len(symbols), n, seed)
	for _, i := range list {
		s := symbols[i]
		d := c.defined[s][0]
		want := map[string]bool{}
		for _, u := range c.used[s] {
			want[fmt.Sprintf("%s:%d:%d", u.path, u.line, u.col)] = true
		}
		// Two symbols that are defined in one place are one name there.
		for _, m := range c.mentions {
			if m.spot == d && m.symbol != s && m.roles&int32(scip.SymbolRole_Definition) != 0 {
				for _, u := range c.used[m.symbol] {
					want[fmt.Sprintf("%s:%d:%d", u.path, u.line, u.col)] = true
				}
			}
		}
		res, err := e.Refs(ctx, query.UsesOptions{Target: fmt.Sprintf("%s:%d:%d", d.path, d.line, d.col), K: 100_000})
		if err != nil && fail.CodeOf(err) != fail.NotFound {
			return err
		}
		got := map[string]bool{}
		if res != nil {
			for _, h := range res.Results {
				if documented, err := c.documented(h.FilePath()); err != nil {
					return err
				} else if !documented {
					beyond++ // a file of which the SCIP index says nothing
					continue
				}
				got[fmt.Sprintf("%s:%d:%d", h.FilePath(), h.StartLine, h.Col)] = true
			}
			if res.Total != len(res.Results) {
				return fmt.Errorf("refs of %s counts %d and lists %d", s, res.Total, len(res.Results))
			}
		}
		wants, gots = wants+len(want), gots+len(got)
		for k := range got {
			if want[k] {
				both++
			}
		}
		if maps.Equal(want, got) {
			good++
			continue
		}
		if shared++; shared <= c.show {
			fmt.Printf("  refs %s at %s:%d:%d\n    want %.300s\n    got  %.300s\n", s, d.path, d.line, d.col, fmt.Sprint(keys(want)), fmt.Sprint(keys(got)))
		}
	}
	report("references, equal sets", good, len(list))
	report("references, recall", both, wants)
	report("references, precision", both, gots)
	fmt.Printf("%-28s %d, bound by syntax\n", "in files without a document", beyond)
	return nil
}

// documented reports whether a file has a SCIP document.
func (c *check) documented(path string) (bool, error) {
	p, f, ok, err := c.ix.FindFile(path)
	if err != nil || !ok {
		return false, err
	}
	st, err := c.ix.Structural(p)
	return err == nil && st.Precise(f), err
}
