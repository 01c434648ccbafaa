package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/query"
)

// silent is what pindex says where it knows no name.
const silent = query.Binding("silent")

// verdict is one position with both answers.
type verdict struct {
	record
	binding    query.Binding // of our answer, or silent
	provenance query.Provenance
	rule       string
	ours       []place // definitions given: sorted, distinct
	oursRefs   []place // bound uses, by line
	refsAnswer bool    // we had a declaration to list uses of
	// what became of uses that the oracle lists and we do not bind, by line
	left           map[place]query.Binding
	defUS, refsUS  int64
	given, right   int  // definitions given, and those of them in the oracle's set
	refGiven       int  // references given, within the cap
	refRight       int  // of them in the oracle's set
	refWant        int  // references of the oracle, within the cap
	refFound       int  // of them in ours
	local          bool // the name is local to a callable
	agree          bool
	refAgree       bool
	class          string // of a miss of definitions, "" for none
	refClass       string
	missing, extra []place // references
}

// inTree reports whether the oracle's definition lies in the tree.
func (v *verdict) inTree() bool { return len(v.Def) > 0 }

// f1 is the reference F1 of one position; two empty answers are equal.
func (v *verdict) f1() float64 {
	if v.refGiven+v.refWant == 0 {
		return 1
	}
	p, r := share(v.refRight, v.refGiven), share(v.refFound, v.refWant)
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// judge asks the engine what the oracle was asked. Uses in files that the
// oracle has no picture of are left out.
func judge(ctx context.Context, e *query.Engine, r record, refs bool, unknown map[string]bool) (*verdict, error) {
	v := &verdict{record: r}
	target := fmt.Sprintf("%s:%d:%d", r.Path, r.Line, r.Col)
	begun := time.Now()
	d, err := e.Def(ctx, target)
	v.defUS = time.Since(begun).Microseconds()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		v.binding, v.rule = silent, "no name there"
	default:
		v.binding, v.rule = d.Binding, d.Note
		for _, h := range d.Results {
			line := h.NameLine
			if line == 0 {
				line = h.StartLine
			}
			v.ours = append(v.ours, place{h.FilePath(), line})
			v.provenance, v.rule = h.Provenance, h.Rule
		}
		v.ours = distinct(v.ours)
	}
	v.judgeDef()
	if !refs || !v.inTree() {
		return v, nil
	}
	begun = time.Now()
	u, err := e.Refs(ctx, query.UsesOptions{Target: target, K: 100_000, All: true})
	v.refsUS = time.Since(begun).Microseconds()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		v.refsAnswer = true
		v.left = map[place]query.Binding{}
		for _, h := range u.Results {
			if !unknown[h.FilePath()] {
				v.oursRefs = append(v.oursRefs, place{h.FilePath(), h.StartLine})
			}
		}
		for _, list := range [][]query.UseHit{u.Ambiguous, u.UnresolvedUses} {
			for _, h := range list {
				v.left[place{h.FilePath(), h.StartLine}] = h.Binding
			}
		}
		v.oursRefs = distinct(v.oursRefs)
	}
	v.judgeRefs()
	return v, nil
}

func distinct(ps []place) []place {
	slices.SortFunc(ps, place.compare)
	return slices.Compact(ps)
}

func capped(ps []place, n int) []place { return ps[:min(n, len(ps))] }

func has(ps []place, p place) bool {
	_, ok := slices.BinarySearchFunc(ps, p, place.compare)
	return ok
}

func without(ps, of []place) (out []place) {
	for _, p := range ps {
		if !has(of, p) {
			out = append(out, p)
		}
	}
	return out
}

func (v *verdict) judgeDef() {
	ours := capped(v.ours, maxDefs)
	v.given = len(ours)
	v.right = len(ours) - len(without(ours, v.Def))
	if !v.inTree() {
		if v.given > 0 {
			v.class = "outside the tree, bound inside"
		}
		return
	}
	if v.agree = slices.Equal(ours, capped(v.Def, maxDefs)); v.agree {
		return
	}
	switch {
	case v.binding == silent:
		v.class = "no name there"
	case v.given == 0:
		v.class = "said " + string(v.binding)
	case v.binding == query.Ambiguous && v.right > 0:
		v.class = "right among candidates"
	case v.binding == query.Ambiguous:
		v.class = "wrong candidates"
	case v.right == v.given:
		v.class = "some of several"
	case v.right > 0:
		v.class = "right and more"
	case v.ours[0].Path == v.Def[0].Path:
		v.class = "wrong line of the right file"
	default:
		v.class = "wrong file"
	}
}

func (v *verdict) judgeRefs() {
	// Some servers leave the queried place out of its uses and count the
	// declaration as one, whatever is asked: neither place tells anything.
	switch v.Lang {
	case "python", "javascript", "typescript":
		drop := distinct(append([]place{{v.Path, v.Line}}, v.Def...))
		v.oursRefs, v.Refs = without(v.oursRefs, drop), without(v.Refs, drop)
	}
	ours, want := capped(v.oursRefs, maxRefs), capped(v.Refs, maxRefs)
	v.refGiven, v.refWant = len(ours), len(want)
	v.extra, v.missing = without(ours, v.Refs), without(want, v.oursRefs)
	v.refRight, v.refFound = len(ours)-len(v.extra), len(want)-len(v.missing)
	// No declaration of ours is no answer, also where nothing uses it.
	v.refAgree = v.refsAnswer && slices.Equal(ours, want)
	switch {
	case v.refAgree:
	case !v.refsAnswer:
		v.refClass = "no declaration (definition: " + string(v.binding) + ")"
	case len(v.missing) > 0 && len(v.extra) > 0:
		v.refClass = "missing and extra"
	case len(v.missing) > 0:
		v.refClass = "missing"
	default:
		v.refClass = "extra"
	}
}
