package query

import (
	"cmp"

	"github.com/pindex-dev/pindex/internal/order"
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
		names, err := r.importsOf(f)
		if err != nil {
			return err
		}
		for _, n := range names {
			sums[n] += f.answers() * f.answers() / 1000
		}
	}
	share := map[string]int64{}
	for i := range r.files {
		if n := r.files[i].pulls; sums[n] > 0 {
			share[n]++
		}
	}
	for i := range r.files {
		f := &r.files[i]
		if s := sums[f.pulls]; s > 0 {
			f.x[fPulled] = int32(s * 1000 / (s + 2000) / share[f.pulls])
		}
	}
	return nil
}

// importsOf returns the distinct names that a file imports: the last component
// of each module and what is taken from it, in lower case.
func (r *ranker) importsOf(f *fileCand) ([]string, error) {
	if kept := f.imports.Load(); kept != nil {
		return *kept, nil
	}
	st, err := r.e.ix.Structural(f.part)
	if err != nil {
		return nil, err
	}
	imports, err := st.FileImports(f.file)
	if err != nil {
		return nil, err
	}
	var out []string
	own := map[string]bool{}
	for _, im := range imports {
		for _, n := range []string{moduleStem(im.Module), lowerName(im.Name)} {
			if len(n) > 2 && !own[n] {
				own[n] = true
				out = append(out, n)
			}
		}
	}
	f.imports.Store(&out)
	return out, nil
}

// answers is how well a file answers by both routes together, in thousandths.
func (f *fileCand) answers() int64 { return int64(f.x[fLexSum]+f.x[fSemSum]) / 2 }
