package query

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// SymbolsOptions say which declarations to list.
type SymbolsOptions struct {
	Name     string // may be qualified
	Exact    bool   // only that name, as written
	K        int    // results; 0 means DefaultSymbols. Total counts all
	Kind     string
	PathGlob string
	Lang     string
}

// DefaultSymbols is the number of declarations listed when none is asked for.
const DefaultSymbols = 50

// How a name fits, best first.
const (
	fitExact = iota
	fitFold
	fitPrefix
	fitFoldPrefix
	fitSubstring
	fitFuzzy
	fitTypo
	noFit
)

var fitRules = [...]string{"exact name", "same name but for case and underscores", "prefix", "prefix in another case", "part of the name", "letters in that order", "similar spelling"}

// Symbols lists declarations by name: exact ones first, then by prefix, then
// by substring and by letters in order.
func (e *Engine) Symbols(ctx context.Context, o SymbolsOptions) (*SymbolsResult, error) {
	begun := time.Now()
	if o.K == 0 {
		o.K = DefaultSymbols
	}
	if o.K < 1 || o.K > maxUses {
		return nil, fail.New(fail.Usage, "ask for fewer results", "k is %d, not in 1 to %d", o.K, maxUses)
	}
	comps := nameComponents(strings.TrimSpace(o.Name))
	if len(comps) == 0 {
		return nil, fail.New(fail.Usage, "give a name or the beginning of one", "%s is no name", quote(o.Name))
	}
	res := &SymbolsResult{Name: o.Name, Results: []SymbolHit{}}
	err := e.answer(func() error {
		b, err := e.newBinderFor(ctx, "symbols")
		if err != nil {
			return err
		}
		if err := b.symbols(res, comps, o); err != nil || res.Total > 0 || !withoutSharp(comps) {
			return err
		}
		return b.symbols(res, comps, o)
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun, comps[len(comps)-1])
	return res, err
}

type symbolFit struct {
	d   *decl
	fit int
}

func (b *binder) symbols(res *SymbolsResult, comps []string, o SymbolsOptions) error {
	f, err := b.e.newFilter(o.PathGlob, o.Lang, o.Kind)
	if err != nil {
		return err
	}
	want := comps[len(comps)-1]
	names, err := b.fittingNames(want, o.Exact)
	if err != nil {
		return err
	}
	var found []symbolFit
	for _, n := range names {
		ds, err := b.declared(n.name)
		if err != nil {
			return err
		}
		for _, d := range ds {
			if f.kind != artifact.KindUnknown && d.sym.Kind != f.kind || !b.qualifies(d, comps[:len(comps)-1]) {
				continue
			}
			if !f.all {
				e := &b.t.files[d.file]
				u, err := b.e.ix.Units(e.p)
				if err != nil {
					return err
				}
				if !f.file(u, e.f) {
					continue
				}
			}
			found = append(found, symbolFit{d, n.fit})
		}
	}
	order.Stable(found, func(x, y symbolFit) int {
		return cmp.Or(
			cmp.Compare(x.fit, y.fit),
			cmp.Compare(b.symbolClass(x.d), b.symbolClass(y.d)),
			cmp.Compare(len(x.d.sym.Name), len(y.d.sym.Name)),
			cmp.Compare(len(x.d.names), len(y.d.names)),
			cmp.Compare(x.d.file, y.d.file),
			cmp.Compare(x.d.id.sym, y.d.id.sym),
		)
	})
	res.Total = len(found)
	for _, s := range found[:min(o.K, len(found))] {
		h, err := b.hit(s.d, "", fitRules[s.fit])
		if err != nil {
			return err
		}
		res.Results = append(res.Results, h)
	}
	return nil
}

// symbolClass puts what people look for least last.
func (b *binder) symbolClass(d *decl) int {
	c := 0
	if d.local() {
		c += 2
	}
	if classify(b.t.files[d.file].path) != 0 {
		c++
	}
	return c
}

type fittingName struct {
	name string
	fit  int
}

// fittingNames returns the declared names that fit want, each once, sorted.
func (b *binder) fittingNames(want string, exact bool) ([]fittingName, error) {
	if exact {
		return []fittingName{{want, fitExact}}, nil
	}
	parts := make([]map[string]int, b.e.parts())
	low := strings.ToLower(want)
	err := b.e.each(b.ctx, func(_, p int) error {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return err
		}
		m := map[string]int{}
		st.WalkNames("", func(name []byte) bool {
			if fit := fitName(name, want, low); fit != noFit {
				m[string(name)] = fit
			}
			return true
		})
		parts[p] = m
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for _, m := range parts {
		for n, fit := range m {
			all[n] = fit
		}
	}
	// Names that only hold the letters in order are noise beside better ones.
	best := noFit
	for _, fit := range all {
		best = min(best, fit)
	}
	out := make([]fittingName, 0, len(all))
	for n, fit := range all {
		if fit == fitFuzzy && best < fitSubstring || fit == fitTypo && best < fitFuzzy {
			continue
		}
		out = append(out, fittingName{n, fit})
	}
	order.Sort(out, func(x, y fittingName) int { return strings.Compare(x.name, y.name) })
	return out, nil
}

// fitName says how a name fits what was asked for; low is want in lower case.
func fitName(name []byte, want, low string) int {
	switch {
	case string(name) == want:
		return fitExact
	case sameName(name, want):
		return fitFold
	case len(name) < len(want):
		return fitSpelling(name, low)
	case string(name[:len(want)]) == want:
		return fitPrefix
	case len(name) >= len(low) && foldHas(name, low, 0):
		return fitFoldPrefix
	}
	for i := 1; i+len(low) <= len(name); i++ {
		if foldHas(name, low, i) {
			return fitSubstring
		}
	}
	if len(low) < 3 {
		return noFit
	}
	// The letters in order, each at the start of a word or behind the one
	// before.
	k, prev := 0, -2
	for i := 0; i < len(name) && k < len(low); i++ {
		if foldByte(name[i]) == low[k] && (prev == i-1 || wordStart(name, i)) {
			prev = i
			k++
		}
	}
	if k == len(low) {
		return fitFuzzy
	}
	return fitSpelling(name, low)
}

// maxTypoName bounds, in bytes, the names that are compared by spelling.
const maxTypoName = 64

// fitSpelling says whether a name is want with a slip of the fingers: one edit
// in a name of four bytes or more, two in one of eight. An edit inserts,
// removes or replaces a byte, or swaps two neighbours (the restricted
// Damerau-Levenshtein distance). low is want in lower case.
func fitSpelling(name []byte, low string) int {
	allowed := 0
	switch {
	case len(low) >= 8:
		allowed = 2
	case len(low) >= 4:
		allowed = 1
	}
	if allowed == 0 || len(name) > maxTypoName || len(low) > maxTypoName ||
		len(name) > len(low)+allowed || len(name)+allowed < len(low) {
		return noFit
	}
	var rows [3][maxTypoName + 1]int
	before, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(low) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(name); i++ {
		row[0] = i
		least, c := i, foldByte(name[i-1])
		for j := 1; j <= len(low); j++ {
			cost := 1
			if c == low[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && c == low[j-2] && foldByte(name[i-2]) == low[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > allowed {
			return noFit
		}
		before, prev, row = prev, row, before
	}
	if prev[len(low)] > allowed {
		return noFit
	}
	return fitTypo
}

// sameName compares names without regard to ASCII case and underscores.
func sameName(name []byte, want string) bool {
	i, j := 0, 0
	for {
		for i < len(name) && name[i] == '_' {
			i++
		}
		for j < len(want) && want[j] == '_' {
			j++
		}
		if i == len(name) || j == len(want) {
			return i == len(name) && j == len(want) && i > 0
		}
		if foldByte(name[i]) != foldByte(want[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func foldHas(name []byte, low string, at int) bool {
	for i := range len(low) {
		if foldByte(name[at+i]) != low[i] {
			return false
		}
	}
	return true
}

func foldByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// wordStart reports whether a word of the identifier begins at i.
func wordStart(name []byte, i int) bool {
	if i == 0 {
		return true
	}
	c, p := name[i], name[i-1]
	return p == '_' || p == '$' || 'A' <= c && c <= 'Z' && !('A' <= p && p <= 'Z')
}
