package query

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// UsesOptions say which uses of a name to list.
type UsesOptions struct {
	Target   string // name, PATH:LINE[:COL], PATH:NAME or symbol id
	K        int    // entries of each list; 0 means DefaultUses. Totals count all
	PathGlob string // uses in files that match; "" for all
	Lang     string
	All      bool // list external and unresolved uses too

	// Look, where it is not 0, bounds the uses of the name that are looked at,
	// and a full list ends the look: totals then count what was looked at.
	Look int
}

// DefaultUses is the number of uses listed when none is asked for.
const DefaultUses = 100

// maxUses bounds UsesOptions.K.
const maxUses = 100_000

// maxTargetsListed bounds the candidates that are listed with one use.
const maxTargetsListed = 5

// Refs lists the uses of a target's name that are bound to it, and counts
// those that are not.
func (e *Engine) Refs(ctx context.Context, o UsesOptions) (*UsesResult, error) {
	return e.usesOf(ctx, "refs", o, func(artifact.Role) bool { return true })
}

// Callers lists the calls of a target, each at its own line, with the
// declaration around it.
func (e *Engine) Callers(ctx context.Context, o UsesOptions) (*UsesResult, error) {
	return e.usesOf(ctx, "callers", o, isCall)
}

func isCall(r artifact.Role) bool {
	return r == artifact.RoleCall || r == artifact.RoleInstantiate || r == artifact.RoleDecorate
}

func (e *Engine) usesOf(ctx context.Context, what string, o UsesOptions, role func(artifact.Role) bool) (*UsesResult, error) {
	begun := time.Now()
	var c *collector
	err := e.answer(func() error {
		b, t, filter, err := e.beginUses(ctx, what, &o)
		if err != nil {
			return err
		}
		if c, err = b.collect(t, o, filter); err != nil {
			return err
		}
		return c.usesOfTarget(t, role)
	})
	if err != nil && err != errLooked {
		return nil, err
	}
	c.res.Header, err = e.navHeader(ctx, begun, namesOf(o.Target, c.res.Targets)...)
	return c.res, err
}

// beginUses checks the options and finds the target.
func (e *Engine) beginUses(ctx context.Context, what string, o *UsesOptions) (*binder, *target, *filter, error) {
	b, err := e.newBinderFor(ctx, what)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.K == 0 {
		o.K = DefaultUses
	}
	if o.K < 1 || o.K > maxUses {
		return nil, nil, nil, fail.New(fail.Usage, "ask for fewer results", "k is %d, not in 1 to %d", o.K, maxUses)
	}
	filter, err := e.newFilter(o.PathGlob, o.Lang, "")
	if err != nil {
		return nil, nil, nil, err
	}
	t, err := b.target(o.Target)
	if err != nil {
		return nil, nil, nil, e.missing(ctx, err, o.Target)
	}
	python := len(t.files) > 0 && b.t.files[t.files[0]].lang == "python" && (what == "refs" || what == "callers")
	if len(t.decls) == 0 && (len(t.symbols) == 0 || t.binding != External) && !python {
		return nil, nil, nil, fail.New(fail.NotFound, "name a declaration of this tree", "%s means no declaration in the index: %s", quote(o.Target), t.rule)
	}
	if err := b.unhide(t); err != nil {
		return nil, nil, nil, err
	}
	return b, t, filter, nil
}

// collector sorts uses into the lists of a result.
type collector struct {
	b      *binder
	o      UsesOptions
	filter *filter
	res    *UsesResult
	looked int
	// each, when it is set, takes what would be listed.
	each func(u use, o outcome) error
}

func (b *binder) collect(t *target, o UsesOptions, f *filter) (*collector, error) {
	c := &collector{b: b, o: o, filter: f, res: &UsesResult{Target: o.Target, Results: []UseHit{}}}
	if t.binding == Ambiguous {
		c.res.Note = "several declarations bear that name; uses of each are listed"
	}
	var err error
	c.res.Targets, err = b.targets(t, maxTargetsListed)
	return c, err
}

// usesOfTarget binds every use of the target's name.
func (c *collector) usesOfTarget(t *target, role func(artifact.Role) bool) error {
	b := c.b
	if len(t.files) > 0 && len(t.decls) == 0 {
		return c.usesOfModule(t, role)
	}
	if err := c.usesOfLocals(t, role); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, d := range t.decls {
		if !d.inScope() {
			names[d.sym.Name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	aliases, exported, err := b.aliases(t)
	if err != nil {
		return err
	}
	// What is no symbol of the index is used in its own file alone, unless it
	// is a member: others can name those.
	symbols, err := b.symbolsOf(t)
	if err != nil {
		return err
	}
	through, err := b.dispatching(symbols)
	if err != nil {
		return err
	}
	inFile := map[int][]use{}
	listed := false
	for _, d := range t.decls {
		if !d.unlisted() {
			listed = true
			continue
		}
		member := d.sym.Kind == artifact.KindField || d.sym.Kind == artifact.KindMethod
		listed = listed || member
		uses, err := b.usesIn(d, d.sym.Name, member || d.sym.Kind == artifact.KindModule)
		if family(b.t.files[d.file].lang) == "script" {
			uses, err = b.aliasUses(d.file, d.sym.Name)
		}
		if err != nil {
			return err
		}
		for _, u := range uses {
			if role(u.occ.Role) {
				inFile[d.file] = append(inFile[d.file], u)
			}
		}
	}
	// Macros hide uses from a parser; the text shows them.
	fam := family(b.t.files[t.decls[0].file].lang)
	byText := listed && (fam == "c" || fam == "rust") && b.e.has(artifact.Source)
	for p := range b.e.parts() {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		var found []use
		for file, uses := range inFile {
			if b.t.files[file].p == p {
				found = append(found, uses...)
			}
		}
		if !listed && len(found) == 0 && len(symbols) == 0 {
			continue
		}
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return err
		}
		if byText {
			all := maps.Clone(names)
			for _, name := range exported {
				all[name] = true
			}
			more, err := b.usesByText(p, fam, all)
			if err != nil {
				return err
			}
			for _, u := range more {
				u.renamed = !names[u.occ.Name]
				if role(u.occ.Role) {
					found = append(found, u)
				}
			}
		}
		for _, name := range sortedKeys(names) {
			if !listed || byText {
				break
			}
			if err := st.Occurrences(name, func(o artifact.Occurrence) bool {
				if role(o.Role) && b.t.number[p][o.File] >= 0 {
					found = append(found, use{file: b.t.number[p][o.File], occ: o})
				}
				return true
			}); err != nil {
				return err
			}
		}
		for _, a := range aliases {
			if b.t.files[a.file].p != p || names[a.name] {
				continue // of another partition, or met already
			}
			uses, err := b.fileUses(a.file)
			if err != nil {
				return err
			}
			for _, o := range uses {
				if o.Name == a.name && o.Receiver == "" && role(o.Role) {
					found = append(found, use{file: a.file, occ: o})
				}
			}
		}
		for _, name := range exported {
			if !listed || byText {
				break
			}
			if err := st.Occurrences(name, func(o artifact.Occurrence) bool {
				if role(o.Role) && b.t.number[p][o.File] >= 0 {
					found = append(found, use{file: b.t.number[p][o.File], occ: o, renamed: true})
				}
				return true
			}); err != nil {
				return err
			}
		}
		if found, err = b.preciselyUsed(p, t, symbols, through, role, found); err != nil {
			return err
		}
		order.Stable(found, func(x, y use) int {
			if x.file != y.file {
				return x.file - y.file
			}
			if x.occ.Pos.Before(y.occ.Pos) {
				return -1
			}
			if y.occ.Pos.Before(x.occ.Pos) {
				return 1
			}
			return 0
		})
		for i := range found {
			if i > 0 && found[i].file == found[i-1].file && found[i].occ.Pos == found[i-1].occ.Pos {
				continue
			}
			if err := c.add(found[i], t); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// errLooked ends a look that UsesOptions.Look bounds.
var errLooked = errors.New("as many uses as were asked for were looked at")

// add binds one use and files it under what came out.
func (c *collector) add(u use, t *target) error {
	ok, err := c.passes(u.file)
	if err != nil || !ok {
		return err
	}
	if c.looked++; c.o.Look > 0 && (c.looked > c.o.Look || len(c.res.Results) >= c.o.K) {
		return errLooked
	}
	if u.in, err = c.b.enclosing(u.file, u.occ.Pos); err != nil {
		return err
	}
	if u.said != nil {
		if u.said.binding == External {
			c.res.Total++ // it is what was asked for
			return c.list(&c.res.Results, u, *u.said)
		}
		return c.file(u, *u.said)
	}
	o, err := c.b.bind(u)
	if err != nil {
		return err
	}
	if t != nil && o.binding == External && len(o.decls) > 0 {
		if !overlaps(o.decls, t.decls) {
			o.decls = nil
		} else {
			o.binding = Bound // to the import that the target is
		}
	}
	if u.renamed && o.binding != Bound && o.binding != Ambiguous {
		return nil // hardly anything of that name is the target
	}
	if t != nil && (o.binding == Bound || o.binding == Ambiguous) {
		if !overlaps(o.decls, t.decls) {
			return nil // it is something else of the same name
		}
	}
	return c.file(u, o)
}

func overlaps(a, b []*decl) bool {
	for _, x := range a {
		if slices.ContainsFunc(b, func(y *decl) bool { return y.id == x.id }) {
			return true
		}
	}
	return false
}

func (c *collector) file(u use, o outcome) error {
	if c.each != nil {
		return c.each(u, o)
	}
	switch o.binding {
	case Bound:
		if len(o.decls) == 0 {
			return nil // a module, not a declaration
		}
		c.res.Total++
		return c.list(&c.res.Results, u, o)
	case Ambiguous:
		c.res.AmbiguousTotal++
		return c.list(&c.res.Ambiguous, u, o)
	case External:
		c.res.External++
	default:
		c.res.Unresolved++
	}
	if c.o.All {
		return c.list(&c.res.UnresolvedUses, u, o)
	}
	return nil
}

func (c *collector) list(to *[]UseHit, u use, o outcome) error {
	if len(*to) >= c.o.K {
		return nil
	}
	b := c.b
	text, err := b.line(u.file, int(u.occ.Pos.Line))
	if err != nil {
		return err
	}
	line := int(u.occ.Pos.Line)
	h := UseHit{
		Place: placeOf(b.t.files[u.file].path, line, line), Col: int(u.occ.Pos.Col), Role: u.occ.Role.String(),
		Name: u.occ.Name, Receiver: u.occ.Receiver, Binding: o.binding, Provenance: o.provenance, Rule: o.rule,
		SourceText: text, TargetTotal: len(o.decls), Origin: OriginArtifact,
	}
	if u.in != nil {
		in, err := b.hit(u.in, "", "")
		if err != nil {
			return err
		}
		h.Symbol, h.Kind, h.ID = in.Symbol, in.Kind, in.ID
	}
	for _, d := range o.decls {
		if len(h.Targets) >= maxTargetsListed {
			break
		}
		if b.hides(d) {
			continue
		}
		th, err := b.hit(d, o.provenance, o.rule)
		if err != nil {
			return err
		}
		h.Targets = append(h.Targets, th)
	}
	*to = append(*to, h)
	return nil
}
