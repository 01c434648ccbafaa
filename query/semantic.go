package query

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// embedder returns the embedder that made the index's dense view.
func (e *Engine) embedder() (embed.Embedder, error) {
	return e.embed.get(func() (embed.Embedder, error) {
		m := e.ix.Manifest().Model
		if m == nil {
			return nil, fail.New(fail.Verification, "compile the commit again", "the index has a dense view and names no model")
		}
		hashed := embed.NewHashed()
		if artifact.DigestOf(hashed.Model()) == m.Digest {
			return hashed, nil
		}
		if e.opt.Model == nil {
			return nil, fail.New(fail.NotFound, "pull the index with its model", "the model %s is not at hand", quote(m.Name))
		}
		b, err := e.opt.Model(*m)
		if err != nil {
			return nil, err
		}
		return embed.OpenModel(b)
	})
}

// newDenseScan embeds the question, and the first line of a long one, which it
// leaves in sc.titleVec, and readies the scan of the documents' vectors.
func (s *search) newDenseScan(ctx context.Context) (*denseScan, error) {
	e, terms, sc := s.e, s.q, s.sc
	em, err := e.embedder()
	if err != nil {
		return nil, err
	}
	s.explain.Embedder = em.Name()
	em = em.Clone()
	q := make([]int8, em.Dims())
	sc.titleVec = sc.titleVec[:0]
	if m, ok := em.(*embed.Remote); ok {
		if q, sc.titleVec, err = e.askRemote(ctx, m, terms); err != nil {
			return nil, err
		}
		return e.scanFor(em, q, sc), nil
	}
	// Trained weights are better than those that this index's frequencies
	// give; the projection has none.
	hashed := em.Name() == embed.HashedName
	if ts := terms.weighted(); len(ts) > 0 && hashed {
		em.EmbedTerms(ts, q)
	} else {
		em.EmbedQuery(terms.clean, q)
	}
	if ts := terms.weightedTitle(); len(ts) > 0 {
		sc.titleVec = make([]int8, em.Dims())
		if hashed {
			em.EmbedTerms(ts, sc.titleVec)
		} else {
			em.EmbedQuery(firstLine(terms.clean), sc.titleVec)
		}
	}
	return e.scanFor(em, q, sc), nil
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}

// askRemote has the server of a remote model embed the question, and the first
// line of a long one. A server that cannot be had is no failure of the other
// routes.
func (e *Engine) askRemote(ctx context.Context, m *embed.Remote, terms *queryTerms) (q, title []int8, err error) {
	if e.opt.Remote == nil {
		return nil, nil, fail.New(fail.NotFound, "set PINDEX_EMBEDDER to the URL of a server that has it",
			"the index has vectors of the model %s", quote(m.ModelName))
	}
	texts := []string{terms.clean}
	if len(terms.weightedTitle()) > 0 {
		texts = append(texts, firstLine(terms.clean))
	}
	rows, err := e.opt.Remote(ctx, m, texts)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		return nil, nil, fail.Wrap(fail.NotFound, err, "see that the server of PINDEX_EMBEDDER runs and has it",
			"the index has vectors of the model %s", quote(m.ModelName))
	}
	if len(rows) != len(texts) {
		return nil, nil, fail.New(fail.Internal, "report this as a defect", "%d vectors for %d questions", len(rows), len(texts))
	}
	if len(rows) > 1 {
		title = rows[1]
	}
	return rows[0], title, nil
}

// denseScan leaves the dot product of the question and every embedded document
// in sc.dots, partition by partition.
type denseScan struct {
	e      *Engine
	em     embed.Embedder
	q      []int8
	sc     *searchScratch
	counts []int // of rows, by worker
}

func (e *Engine) scanFor(em embed.Embedder, q []int8, sc *searchScratch) *denseScan {
	if len(sc.dots) < e.docs {
		sc.dots = make([]int32, e.docs)
	}
	return &denseScan{e: e, em: em, q: q, sc: sc, counts: make([]int, e.workers)}
}

// part scans the vectors of partition p.
func (s *denseScan) part(w, p int) error {
	e, sc := s.e, s.sc
	r, err := e.ix.Dense(p)
	if err != nil {
		return err
	}
	if r.Dims() != s.em.Dims() {
		return fail.New(fail.Verification, "compile the commit again",
			"partition %d has vectors of %d numbers, the model %d", p, r.Dims(), s.em.Dims())
	}
	n := r.Len()
	s.counts[w] += n
	dots := sc.dots[e.docBase[p]:e.docBase[p+1]]
	if r.EachDoc() && n == len(dots) {
		embed.Scan(s.q, r.Rows(), r.Dims(), dots)
		return nil
	}
	ws := &sc.worker[w]
	ws.rows = slices.Grow(ws.rows[:0], n)[:n]
	embed.Scan(s.q, r.Rows(), r.Dims(), ws.rows)
	clear(dots)
	for i, dot := range ws.rows {
		dots[r.Doc(i)] = dot
	}
	return nil
}

// rows is the number of documents that were scanned.
func (s *denseScan) rows() (sum int) {
	for _, n := range s.counts {
		sum += n
	}
	return sum
}

// weighted returns the question's terms with their weights in thousandths;
// nil when frequencies are not known.
func (q *queryTerms) weighted() []embed.WeightedTerm {
	return q.weightedWhere(func(*slot) bool { return true })
}

// weightedTitle returns those of the first line of a long question.
func (q *queryTerms) weightedTitle() []embed.WeightedTerm {
	return q.weightedWhere(func(s *slot) bool { return s.title })
}

func (q *queryTerms) weightedWhere(keep func(*slot) bool) []embed.WeightedTerm {
	var out []embed.WeightedTerm
	for i := range q.slots {
		s := &q.slots[i]
		if s.score > 0 && s.role != "join" && keep(s) {
			out = append(out, embed.WeightedTerm{Term: s.term, Weight: uint32(toMicro(s.score) / 1000)})
		}
	}
	return out
}

// bestFor returns the highest dot product of a vector with the documents lo to
// hi of a partition, at least 0. Rows are in the order of documents.
func bestFor(q []int8, r *artifact.DenseReader, lo, hi int, rows []int32) (best int64, scratch []int32) {
	n := r.Len()
	from := sort.Search(n, func(i int) bool { return int(r.Doc(i)) >= lo })
	to := from + sort.Search(n-from, func(i int) bool { return int(r.Doc(from+i)) >= hi })
	rows = slices.Grow(rows[:0], to-from)[:to-from]
	embed.Scan(q, r.Rows()[from*r.Dims():to*r.Dims()], r.Dims(), rows)
	for _, v := range rows {
		best = max(best, int64(v))
	}
	return best, rows
}
