package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// Bounds of the structural route. They count, and never measure time.
const (
	structuralCandidates = 300 // documents that are ranked, those included that edges lead to
	structuralSeeds      = 10  // units whose edges are followed
	maxReached           = 40  // documents that edges lead to
	maxSeedUses          = 200 // uses inside a seed that are bound
	maxNameUses          = 300 // uses of a seed's name; a name that is used more often leads everywhere
)

// link is a typed edge between a seed and another unit, one hop away.
type link struct {
	seed int // place among the seeds, from 0
	out  bool
	role artifact.Role
	doc  int // the other unit's document
	fan  int // units that the seed is linked with in that direction
}

// expansion is what the edges of the best units lead to.
type expansion struct {
	seeds int
	links []link
	by    map[int]int64 // document -> what its links are worth, in thousandths
}

// worth is what one link gives to the unit that it leads to: the better the
// seed's place and the fewer its links in that direction, the more.
func (l *link) worth() int64 {
	return 1_000_000 / (int64(1000+200*l.seed) * int64(isqrt(l.fan)))
}

func isqrt(n int) int {
	r := 1
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

// expand follows the edges of the first units of cands, into other files.
func (s *search) expand(ctx context.Context, cands []candidate, keep func(int) bool) (*expansion, error) {
	b, err := s.e.newBinder(ctx)
	if err != nil {
		return nil, err
	}
	x := &expander{b: b, s: s, keep: keep, tests: waivedClasses(s.q)&(classTest|classExample) != 0}
	out := &expansion{by: map[int]int64{}}
	for i := range cands[:min(len(cands), structuralSeeds)] {
		for _, dir := range []func(*candidate) ([]link, error){x.outgoing, x.incoming} {
			ls, err := dir(&cands[i])
			if err != nil {
				return nil, err
			}
			for k := range ls {
				ls[k].seed, ls[k].fan = i, len(ls)
				out.by[ls[k].doc] += ls[k].worth()
			}
			out.links = append(out.links, ls...)
		}
		out.seeds++
	}
	return out, nil
}

// expander follows edges.
type expander struct {
	b     *binder
	s     *search
	keep  func(int) bool
	tests bool // the question asks for tests
}

// outgoing returns the units that a seed's names are bound to.
func (x *expander) outgoing(c *candidate) ([]link, error) {
	b := x.b
	u, err := b.e.ix.Units(c.part)
	if err != nil {
		return nil, err
	}
	file := b.t.number[c.part][c.file]
	if file < 0 {
		return nil, nil
	}
	uses, err := b.fileUses(file)
	if err != nil {
		return nil, err
	}
	unit := u.Unit(c.unit)
	var out []link
	bindings := 0
	for _, occ := range uses {
		if occ.Pos.Line < unit.StartLine || occ.Pos.Line > unit.EndLine || !leads(occ.Role) {
			continue
		}
		w := use{file: file, occ: occ}
		if w.in, err = b.enclosing(file, occ.Pos); err != nil {
			return nil, err
		}
		// What stands in a member belongs to the member.
		if w.in != nil && int(w.in.sym.Unit) != c.unit && unit.Level == artifact.L1 {
			continue
		}
		if bindings++; bindings > maxSeedUses {
			break
		}
		o, err := b.bind(w)
		if err != nil {
			return nil, err
		}
		if o.binding != Bound {
			continue
		}
		for _, d := range o.decls {
			if d.file == file || d.local() || d.unlisted() {
				continue
			}
			doc, err := x.s.declaringDoc(d)
			if err != nil {
				return nil, err
			}
			out = x.add(out, link{out: true, role: occ.Role, doc: doc})
		}
	}
	return out, nil
}

// leads reports whether a use in the given role is an edge of the graph.
func leads(r artifact.Role) bool {
	return r != artifact.RoleImport && r != artifact.RoleExport && r != artifact.RoleArgument
}

// incoming returns the units whose names are bound to a seed.
func (x *expander) incoming(c *candidate) ([]link, error) {
	b := x.b
	st, err := b.e.ix.Structural(c.part)
	if err != nil {
		return nil, err
	}
	sym, ok := st.UnitSymbol(c.unit)
	if !ok {
		return nil, nil
	}
	d, err := b.decl(declID{c.part, sym})
	if err != nil || d.file < 0 || d.local() {
		return nil, err
	}
	uses, err := x.named(d)
	if err != nil {
		return nil, err
	}
	var out []link
	for _, w := range uses {
		if w.in, err = b.enclosing(w.file, w.occ.Pos); err != nil {
			return nil, err
		}
		o, err := b.bind(w)
		if err != nil {
			return nil, err
		}
		if o.binding != Bound || !slices.ContainsFunc(o.decls, func(t *decl) bool { return t.id == d.id }) {
			continue
		}
		doc, err := x.docAt(w.file, int(w.occ.Pos.Line))
		if err != nil {
			return nil, err
		}
		out = x.add(out, link{role: w.occ.Role, doc: doc})
	}
	return out, nil
}

// named returns the uses of a declaration's name in other files, nothing where
// there are too many of them.
func (x *expander) named(d *decl) ([]use, error) {
	b := x.b
	var out []use
	for p := range b.e.parts() {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		err = st.Occurrences(d.sym.Name, func(o artifact.Occurrence) bool {
			file := b.t.number[p][o.File]
			if file >= 0 && file != d.file && leads(o.Role) && (x.tests || !b.t.files[file].test) &&
				sameFamily(b.t.files[file].lang, b.t.files[d.file].lang) {
				out = append(out, use{file: file, occ: o})
			}
			return len(out) <= maxNameUses
		})
		if err != nil {
			return nil, err
		}
		if len(out) > maxNameUses {
			return nil, nil
		}
	}
	return out, nil
}

// add adds a link unless there is one to that document already.
func (x *expander) add(ls []link, l link) []link {
	if l.doc < 0 || !x.keep(l.doc) || slices.ContainsFunc(ls, func(have link) bool { return have.doc == l.doc }) {
		return ls
	}
	return append(ls, l)
}

// docAt returns the document that holds a line of a file, -1 without one.
func (x *expander) docAt(file, line int) (int, error) {
	f := &x.b.t.files[file]
	u, err := x.b.e.ix.Units(f.p)
	if err != nil {
		return 0, err
	}
	best, size := -1, uint32(0)
	lo, hi := u.FileDocs(f.f)
	for i := lo; i < hi; i++ {
		d := u.Doc(i)
		if int(d.StartLine) > line || int(d.EndLine) < line {
			continue
		}
		if n := d.EndLine - d.StartLine; best < 0 || n < size {
			best, size = x.b.e.docBase[f.p]+i, n
		}
	}
	return best, nil
}

// rankLinked ranks the candidates, follows the edges of the first of them, and
// ranks anew with what those lead to: as many candidates, and the same model,
// whose score for a file or a unit grows by Weights.Links times what its links
// are worth.
func (s *search) rankLinked(ctx context.Context, r *ranker, pool []candidate) ([]candidate, error) {
	first, err := r.rank(ctx, slices.Clone(pool))
	if err != nil {
		return nil, err
	}
	for i := range r.files {
		s.seeded = append(s.seeded, r.files[i].path)
	}
	x, err := s.expand(ctx, first, r.keep)
	if err != nil {
		return nil, err
	}
	s.explain.Seeds, s.explain.Links = x.seeds, len(x.links)
	pool, s.explain.Reached = x.join(pool, r.fuse)
	r.files, r.linked = nil, x
	return r.rank(ctx, pool)
}

// join makes room among the candidates for what the edges lead to: the
// documents stay as many as the route may rank.
func (x *expansion) join(pool []candidate, f *fusion) (out []candidate, reached int) {
	have := make(map[int]bool, len(pool))
	for i := range pool {
		have[pool[i].doc] = true
	}
	var more []int
	for d := range x.by {
		if !have[d] {
			more = append(more, d)
		}
	}
	order.Sort(more, func(a, b int) int { return cmp.Or(cmp.Compare(x.by[b], x.by[a]), cmp.Compare(a, b)) })
	more = more[:min(len(more), maxReached)]
	pool = pool[:min(len(pool), structuralCandidates-len(more))]
	for _, d := range more {
		pool = append(pool, f.candidate(d))
	}
	return pool, len(more)
}

// links is what the links to the documents lo to hi are worth together, less
// than 1000; 0 without an expansion.
func (r *ranker) links(lo, hi int) int64 {
	if r.linked == nil {
		return 0
	}
	var sum int64
	for d := lo; d < hi; d++ {
		sum += r.linked.by[d]
	}
	return sum * 1000 / (sum + 1000)
}
