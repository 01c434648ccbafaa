package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// HierarchyResult is the answer of Engine.Hierarchy: what a type is made from,
// and what is made from it.
type HierarchyResult struct {
	Header
	Target     string      `json:"target"`
	Targets    []SymbolHit `json:"targets"`
	Total      int         `json:"total"` // supertypes and subtypes
	Supertypes []TypeStep  `json:"supertypes"`
	Subtypes   []TypeStep  `json:"subtypes"`
	Above      int         `json:"above"`      // supertypes, listed or not
	Below      int         `json:"below"`      // subtypes, listed or not
	External   int         `json:"external"`   // bases outside the tree
	Unresolved int         `json:"unresolved"` // bases that no rule binds
}

// TypeStep is a type above or below another.
type TypeStep struct {
	SymbolHit
	Depth int    `json:"depth"`         // steps from the target
	Of    string `json:"of"`            // qualified name of the type one step nearer
	How   string `json:"how,omitempty"` // "inherit" or "implement"
}

// Hierarchy lists the types that a type inherits from or implements, and those
// that inherit from or implement it, nearest first.
func (e *Engine) Hierarchy(ctx context.Context, o UsesOptions) (*HierarchyResult, error) {
	begun := time.Now()
	res := &HierarchyResult{Target: o.Target, Supertypes: []TypeStep{}, Subtypes: []TypeStep{}}
	err := e.answer(func() error {
		b, t, _, err := e.beginUses(ctx, "hierarchy", &o)
		if err != nil {
			return err
		}
		types, err := typesOf(t, o.Target)
		if err != nil {
			return err
		}
		if res.Targets, err = b.targets(&target{decls: types, binding: t.binding, provenance: t.provenance, rule: t.rule}, maxTargetsListed); err != nil {
			return err
		}
		up, l, err := b.typeWalk(types, b.supertypes)
		if err != nil {
			return err
		}
		res.External, res.Unresolved = l.external, l.unresolved
		down, _, err := b.typeWalk(types, b.derived)
		if err != nil {
			return err
		}
		res.Above, res.Below = len(up), len(down)
		res.Total = len(up) + len(down)
		if res.Supertypes, err = b.typeSteps(up, o.K); err != nil {
			return err
		}
		res.Subtypes, err = b.typeSteps(down, o.K)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

func typesOf(t *target, name string) ([]*decl, error) {
	var out []*decl
	for _, d := range t.decls {
		if d.container() {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, fail.New(fail.NotFound, "name a class, struct, interface or trait", "%s is no type", quote(name))
	}
	return out, nil
}

// related is a type next to another.
type related struct {
	decl       *decl
	how        string
	provenance Provenance
	rule       string
	of         *decl
	depth      int
}

// typeWalk follows next from the given types, breadth first.
func (b *binder) typeWalk(from []*decl, next func(*decl) ([]related, loose, error)) ([]related, loose, error) {
	var out []related
	var sum loose
	seen := map[declID]bool{}
	type task struct {
		d     *decl
		depth int
	}
	var queue []task
	started := map[declID]bool{}
	for _, d := range from {
		started[d.id] = true
		queue = append(queue, task{d, 0})
	}
	for len(queue) > 0 && len(out) < maxVisited {
		t := queue[0]
		queue = queue[1:]
		rs, l, err := next(t.d)
		if err != nil {
			return nil, sum, err
		}
		sum.external += l.external
		sum.unresolved += l.unresolved
		for _, r := range rs {
			if seen[r.decl.id] || r.decl.id == t.d.id || len(from) == 1 && started[r.decl.id] || b.hides(r.decl) {
				continue
			}
			seen[r.decl.id] = true
			r.of, r.depth = t.d, t.depth+1
			out = append(out, r)
			if !started[r.decl.id] { // else it is on its way already
				queue = append(queue, task{r.decl, t.depth + 1})
			}
		}
	}
	order.Stable(out, func(x, y related) int {
		return cmp.Or(cmp.Compare(x.depth, y.depth), cmp.Compare(x.decl.file, y.decl.file))
	})
	return out, sum, nil
}

func (b *binder) typeSteps(rs []related, k int) ([]TypeStep, error) {
	out := []TypeStep{}
	for _, r := range rs[:min(k, len(rs))] {
		h, err := b.hit(r.decl, r.provenance, r.rule)
		if err != nil {
			return nil, err
		}
		out = append(out, TypeStep{SymbolHit: h, Depth: r.depth, Of: r.of.symbol(), How: r.how})
	}
	return out, nil
}

func isBase(r artifact.Role) bool { return r == artifact.RoleInherit || r == artifact.RoleImplement }

// supertypes returns the types that a type names as its bases, those that bind.
func (b *binder) supertypes(class *decl) ([]related, loose, error) {
	var l loose
	var out []related
	var failed error
	err := b.eachBase(class, func(occ artifact.Occurrence, o outcome) {
		if o.binding != Bound {
			l.add(o.binding)
			return
		}
		for _, d := range o.decls {
			rule := o.rule
			for range maxBases {
				next, err := b.aliased(d)
				if err != nil {
					failed = err
					return
				}
				if next == nil {
					break
				}
				d, rule = next, "another name of the type"
			}
			if d.container() && d.id != class.id {
				out = append(out, related{decl: d, how: occ.Role.String(), provenance: o.provenance, rule: rule})
			}
		}
	})
	return out, l, cmp.Or(err, failed)
}

// derived returns the types that name a type as a base, and in Go those that
// have the methods of an interface.
func (b *binder) derived(class *decl) ([]related, loose, error) {
	edges, l, err := b.incoming([]*decl{class}, isBase)
	if err != nil {
		return nil, l, err
	}
	if names, err := b.otherNames(class); err != nil {
		return nil, l, err
	} else if len(names) > 0 {
		more, loose, err := b.incoming(names, isBase)
		if err != nil {
			return nil, l, err
		}
		edges = append(edges, more...)
		l.ambiguous += loose.ambiguous
		l.external += loose.external
		l.unresolved += loose.unresolved
	}
	var out []related
	for _, e := range edges {
		d := e.use.in
		for d != nil && !d.container() {
			if d, err = b.parent(d); err != nil {
				return nil, l, err
			}
		}
		if d == nil || d.id == class.id {
			continue
		}
		out = append(out, related{decl: d, how: e.use.occ.Role.String(), provenance: e.out.provenance, rule: e.out.rule})
	}
	if b.t.files[class.file].lang == "go" && class.sym.Kind == artifact.KindInterface {
		more, err := b.goImplementers(class)
		if err != nil {
			return nil, l, err
		}
		out = append(out, more...)
	}
	return out, l, nil
}

// goImplementers returns the types whose methods, declared or promoted, are
// those of an interface.
func (b *binder) goImplementers(iface *decl) ([]related, error) {
	wanted, err := b.goMethodSet(iface, map[declID]bool{})
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	// The methods of the rarest name have the fewest receivers to look at.
	var candidates []*decl
	first := true
	for _, name := range sortedKeys(boolKeys(wanted)) {
		ds, err := b.declared(name)
		if err != nil {
			return nil, err
		}
		if first || len(ds) < len(candidates) {
			candidates, first = ds, false
		}
	}
	var out []related
	seen := map[declID]bool{iface.id: true}
	for _, m := range candidates {
		if m.sym.Kind != artifact.KindMethod || b.t.files[m.file].lang != "go" {
			continue
		}
		class, err := b.classOf(m)
		if err != nil {
			return nil, err
		}
		if class == nil || seen[class.id] || class.sym.Kind == artifact.KindInterface {
			continue
		}
		seen[class.id] = true
		r, err := b.goSatisfies(class, wanted)
		if err != nil {
			return nil, err
		}
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, nil
}

func boolKeys[V any](m map[string]V) map[string]bool {
	out := make(map[string]bool, len(m))
	for k := range m {
		out[k] = true
	}
	return out
}

// goMethodSet returns the methods that an interface asks for, by name.
func (b *binder) goMethodSet(iface *decl, seen map[declID]bool) (map[string]*decl, error) {
	out := map[string]*decl{}
	if seen[iface.id] {
		return out, nil
	}
	seen[iface.id] = true
	st, err := b.e.ix.Structural(iface.id.p)
	if err != nil {
		return nil, err
	}
	lo, hi := st.FileSymbols(b.t.files[iface.file].f)
	for i := lo; i < hi; i++ {
		if st.SymbolParent(i) == iface.id.sym && st.SymbolKind(i) == artifact.KindMethod {
			d, err := b.decl(declID{iface.id.p, i})
			if err != nil {
				return nil, err
			}
			out[d.sym.Name] = d
		}
	}
	bases, _, err := b.supertypes(iface)
	if err != nil {
		return nil, err
	}
	for _, base := range bases {
		if base.decl.sym.Kind != artifact.KindInterface {
			continue
		}
		more, err := b.goMethodSet(base.decl, seen)
		if err != nil {
			return nil, err
		}
		for name, d := range more {
			if out[name] == nil {
				out[name] = d
			}
		}
	}
	return out, nil
}

// goSatisfies reports whether a type has the wanted methods. Equal signatures,
// as they are written but for package names and parameter names, are a rule of
// the language; equal names with as many parameters are only likely.
func (b *binder) goSatisfies(class *decl, wanted map[string]*decl) (*related, error) {
	r := &related{decl: class, how: "implement", provenance: Syntactic, rule: "has the interface's methods"}
	for _, name := range sortedKeys(boolKeys(wanted)) {
		ds, _, err := b.member(class, name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(ds, func(d *decl) bool { return d.sym.Kind == artifact.KindMethod })
		if i < 0 {
			return nil, nil
		}
		have, err := b.signature(ds[i])
		if err != nil {
			return nil, err
		}
		want, err := b.signature(wanted[name])
		if err != nil {
			return nil, err
		}
		h, hok := goShape(have, name)
		w, wok := goShape(want, name)
		switch {
		case !hok || !wok:
			r.provenance, r.rule = Heuristic, "has methods of the interface's names"
		case slices.Equal(h, w):
		case len(h) == len(w):
			r.provenance, r.rule = Heuristic, "has methods of the interface's names and numbers of parameters"
		default:
			return nil, nil
		}
	}
	return r, nil
}

// goShape returns the types of a method's parameters and results as written,
// without package names and parameter names. A "|" stands between them.
func goShape(signature, name string) ([]string, bool) {
	// A receiver stands before the name.
	i := strings.LastIndex(signature, name+"(")
	if i < 0 {
		return nil, false
	}
	rest := signature[i+len(name):]
	params, rest, ok := parenthesized(rest)
	if !ok {
		return nil, false
	}
	out := goTypesOf(params)
	out = append(out, "|")
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		results, _, ok := parenthesized(rest)
		if !ok {
			return nil, false
		}
		return append(out, goTypesOf(results)...), true
	}
	if rest != "" {
		out = append(out, unqualified(rest))
	}
	return out, true
}

// parenthesized cuts a leading group in parentheses off.
func parenthesized(s string) (in, rest string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// goTypesOf lists the types of a parameter list.
func goTypesOf(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, list[start:i])
				start = i + 1
			}
		}
	}
	if strings.TrimSpace(list[start:]) != "" {
		parts = append(parts, list[start:])
	}
	named := false
	for _, p := range parts {
		_, t, ok := strings.Cut(strings.TrimSpace(p), " ")
		first, _, _ := strings.Cut(strings.TrimSpace(p), " ")
		if ok && t != "" && plainName(first) && first != "chan" && first != "func" && first != "struct" && first != "interface" && first != "map" {
			named = true
		}
	}
	out := make([]string, len(parts))
	for i := len(parts) - 1; i >= 0; i-- {
		p := strings.TrimSpace(parts[i])
		if named {
			if _, t, ok := strings.Cut(p, " "); ok {
				out[i] = unqualified(t)
			} else if i+1 < len(out) {
				out[i] = out[i+1] // a, b int
			}
			continue
		}
		out[i] = unqualified(p)
	}
	return out
}

// unqualified takes white space and package names out of a type.
func unqualified(t string) string {
	t = strings.Join(strings.Fields(t), "")
	var b strings.Builder
	word := 0
	for i := range len(t) {
		c := t[i]
		switch {
		case c == '.' && i+1 < len(t) && t[i+1] != '.' && (i == 0 || t[i-1] != '.'):
			kept := b.String()[:b.Len()-word]
			b.Reset()
			b.WriteString(kept)
			word = 0
			continue
		case c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			word++
		default:
			word = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ImplementationsResult is the answer of Engine.Implementations.
type ImplementationsResult struct {
	Header
	Target  string      `json:"target"`
	Targets []SymbolHit `json:"targets"`
	Total   int         `json:"total"`
	Results []TypeStep  `json:"results"`
}

// Implementations lists the types below a type, or the methods that implement
// or override a method in the types below its own.
func (e *Engine) Implementations(ctx context.Context, o UsesOptions) (*ImplementationsResult, error) {
	begun := time.Now()
	res := &ImplementationsResult{Target: o.Target, Results: []TypeStep{}}
	err := e.answer(func() error {
		b, t, f, err := e.beginUses(ctx, "implementations", &o)
		if err != nil {
			return err
		}
		if res.Targets, err = b.targets(t, maxTargetsListed); err != nil {
			return err
		}
		found, err := b.implementations(t.decls)
		if err != nil {
			return err
		}
		c := &collector{b: b, filter: f}
		var kept []related
		for _, r := range found {
			if ok, err := c.passes(r.decl.file); err != nil {
				return err
			} else if ok {
				kept = append(kept, r)
			}
		}
		res.Total = len(kept)
		res.Results, err = b.typeSteps(kept, o.K)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun, namesOf(o.Target, nil)...)
	return res, err
}

func (b *binder) implementations(ds []*decl) ([]related, error) {
	var out []related
	seen := map[declID]bool{}
	add := func(r related) {
		if !seen[r.decl.id] {
			seen[r.decl.id] = true
			out = append(out, r)
		}
	}
	for _, d := range ds {
		seen[d.id] = true
	}
	for _, d := range ds {
		stated, err := b.preciseImplementations(d)
		if err != nil {
			return nil, err
		}
		for _, r := range stated {
			add(r)
		}
	}
	for _, d := range ds {
		if d.container() {
			down, _, err := b.typeWalk([]*decl{d}, b.derived)
			if err != nil {
				return nil, err
			}
			for _, r := range down {
				add(r)
			}
			continue
		}
		class, err := b.classOf(d)
		if err != nil {
			return nil, err
		}
		if class == nil {
			continue
		}
		down, _, err := b.typeWalk([]*decl{class}, b.derived)
		if err != nil {
			return nil, err
		}
		for _, r := range down {
			own, err := b.ownMembers(r.decl, d.sym.Name)
			if err != nil {
				return nil, err
			}
			for _, m := range own {
				if callableKind(m.sym.Kind) == callableKind(d.sym.Kind) && !m.forward() {
					add(related{decl: m, how: "override", provenance: r.provenance, rule: r.rule, of: d, depth: r.depth})
				}
			}
		}
	}
	return out, nil
}
