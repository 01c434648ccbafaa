package query

import (
	"cmp"

	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query/treepath"
)

// pullers is the number of files whose imports are read.
const pullers = 12

// pulled lets the best candidates vouch for what they import, by names alone:
// the last component of a module and the names that are taken from it.
func (r *ranker) pulled() error {
	best := make([]*fileCand, 0, len(r.files))
	for i := range r.files {
		if f := &r.files[i]; f.class&(classTest|classExample|classDocs|classData) == 0 {
			best = append(best, f)
		}
	}
	order.Stable(best, func(a, b *fileCand) int { return cmp.Compare(b.answers(), a.answers()) })
	sums := map[string]int64{}
	for _, f := range best[:min(len(best), pullers)] {
		st, err := r.e.ix.Structural(f.part)
		if err != nil {
			return err
		}
		imports, err := st.FileImports(f.file)
		if err != nil {
			return err
		}
		own := map[string]bool{}
		for _, im := range imports {
			for _, n := range []string{moduleStem(im.Module), lowerName(im.Name)} {
				if len(n) > 2 && !own[n] {
					own[n] = true
					sums[n] += f.answers() * f.answers() / 1000
				}
			}
		}
	}
	stems := make([]string, len(r.files))
	share := map[string]int64{}
	for i := range r.files {
		s := lowerName(treepath.Stem(r.files[i].path))
		if isFacade(s) {
			s = lowerName(treepath.Base(treepath.Dir(r.files[i].path)))
		}
		stems[i] = s
		share[s]++
	}
	for i, stem := range stems {
		if s := sums[stem]; s > 0 {
			r.files[i].x[fPulled] = int32(s * 1000 / (s + 2000) / share[stem])
		}
	}
	return nil
}

// answers is how well a file answers by both routes together, in thousandths.
func (f *fileCand) answers() int64 { return int64(f.x[fLexSum]+f.x[fSemSum]) / 2 }
