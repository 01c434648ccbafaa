package scip

import (
	"context"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// FromIndex returns the documents that an index was made of, from its
// structural view, which holds all that they say.
func FromIndex(ctx context.Context, ix *artifact.Index) (*Input, error) {
	w, err := newInputWriter()
	if err != nil {
		return nil, err
	}
	tool := ""
	for _, in := range ix.Manifest().Inputs {
		tool = strings.Join(in.Tools, " and ")
	}
	for p := range ix.NumPartitions() {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = fromPartition(w, ix, p, tool); err != nil {
			break
		}
	}
	if err != nil {
		w.in.Close()
		return nil, err
	}
	return w.finish(), nil
}

func fromPartition(w *inputWriter, ix *artifact.Index, p int, tool string) error {
	st, err := ix.Structural(p)
	if err != nil || !st.HasPrecise() {
		return err
	}
	u, err := ix.Units(p)
	if err != nil {
		return err
	}
	related := map[uint32][]artifact.PreciseRelation{}
	if err := st.PreciseRelations("", "", func(r artifact.PreciseRelation) bool {
		related[r.File] = append(related[r.File], r)
		return true
	}); err != nil {
		return err
	}
	for f := range u.NumFiles() {
		if !st.Precise(f) {
			continue
		}
		d, err := documentOf(st, f, related[uint32(f)])
		if err == nil {
			err = w.add(u.Path(f), tool, d.Encode())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func documentOf(st *artifact.StructuralReader, f int, related []artifact.PreciseRelation) (*Document, error) {
	d := &Document{}
	numbers := map[string]uint32{}
	number := func(s string) uint32 {
		n, ok := numbers[s]
		if !ok {
			n = uint32(len(d.Symbols))
			numbers[s] = n
			d.Symbols = append(d.Symbols, s)
		}
		return n
	}
	span := func(a, b artifact.Position) Range {
		if a.Line == 0 {
			return Range{}
		}
		return Range{a.Line - 1, a.Col - 1, b.Line - 1, b.Col - 1}
	}
	if err := st.FilePrecise(f, func(o artifact.PreciseOccurrence) bool {
		d.Occurrences = append(d.Occurrences, Occurrence{
			Range: span(o.Start, o.End), Symbol: number(o.Symbol), Roles: uint32(o.Roles), Enclosing: span(o.Enclosing[0], o.Enclosing[1]),
		})
		return true
	}); err != nil {
		return nil, err
	}
	if err := st.PreciseInfos(f, func(i artifact.PreciseInfo) bool {
		d.Infos = append(d.Infos, Info{number(i.Symbol), i.Kind})
		return true
	}); err != nil {
		return nil, err
	}
	for _, r := range related {
		d.Relations = append(d.Relations, Relation{number(r.Symbol), number(r.Target), uint8(r.Flags)})
	}
	d.settle()
	return d, nil
}
