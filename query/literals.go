package query

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// A literalSet is a necessary condition for a match: every line that matches
// holds at least one of lits. An empty set says nothing. When fold is set the
// literals are lower-case ASCII and are compared without regard to ASCII case.
type literalSet struct {
	lits []string
	fold bool
}

const (
	maxExact = 32 // strings in a finite set that is still multiplied out
	maxLits  = 48 // alternatives that are searched for one by one
	maxClass = 8  // members of a character class that is multiplied out
)

// requiredLiterals derives a literal condition from a pattern's syntax tree.
func requiredLiterals(re *syntax.Regexp) literalSet {
	re = re.Simplify()
	l := literalizer{fold: usesFold(re)}
	info := l.walk(re)
	lits := better(info.best, info.exact)
	if weight(lits) < 0 {
		return literalSet{}
	}
	return literalSet{lits: lits, fold: l.fold}
}

// usesFold reports whether any literal of the tree ignores case.
func usesFold(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		for _, r := range re.Rune {
			if unicode.SimpleFold(r) != r {
				return true
			}
		}
	}
	for _, s := range re.Sub {
		if usesFold(s) {
			return true
		}
	}
	return false
}

// litInfo is what is known of a subtree: exact is the finite set of strings
// that it matches, nil when there is none; best is a set of which at least one
// stands in every match, nil when none is known.
type litInfo struct {
	exact []string
	best  []string
}

var anything = litInfo{}

type literalizer struct{ fold bool }

func (l literalizer) walk(re *syntax.Regexp) litInfo {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return litInfo{exact: []string{""}}
	case syntax.OpLiteral:
		parts := make([]litInfo, len(re.Rune))
		for i, r := range re.Rune {
			parts[i] = l.char(r, re.Flags&syntax.FoldCase != 0)
		}
		return concat(parts)
	case syntax.OpCharClass:
		return l.class(re.Rune)
	case syntax.OpCapture:
		return l.walk(re.Sub[0])
	case syntax.OpConcat:
		parts := make([]litInfo, len(re.Sub))
		for i, s := range re.Sub {
			parts[i] = l.walk(s)
		}
		return concat(parts)
	case syntax.OpAlternate:
		return l.alternate(re.Sub)
	case syntax.OpPlus:
		sub := l.walk(re.Sub[0])
		return litInfo{best: better(sub.best, sub.exact)}
	case syntax.OpQuest:
		if sub := l.walk(re.Sub[0]); sub.exact != nil && len(sub.exact) < maxExact {
			return litInfo{exact: union(sub.exact, []string{""})}
		}
	}
	return anything
}

// char returns the info of one literal character. Characters whose case
// variants leave ASCII (k, s and everything beyond ASCII) say nothing when
// case is ignored; U+FFFD says nothing because it also matches a broken byte.
func (l literalizer) char(r rune, fold bool) litInfo {
	if r == utf8.RuneError || r > unicode.MaxRune {
		return anything
	}
	if !l.fold {
		return litInfo{exact: []string{string(r)}}
	}
	if r > unicode.MaxASCII {
		return anything
	}
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f > unicode.MaxASCII {
				return anything
			}
		}
	}
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return litInfo{exact: []string{string(r)}}
}

func (l literalizer) class(ranges []rune) litInfo {
	n := 0
	for i := 0; i+1 < len(ranges); i += 2 {
		if n += int(ranges[i+1]-ranges[i]) + 1; n > maxClass {
			return anything
		}
	}
	var set []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			c := l.char(r, false)
			if c.exact == nil {
				return anything
			}
			set = union(set, c.exact)
		}
	}
	return litInfo{exact: set}
}

func (l literalizer) alternate(subs []*syntax.Regexp) litInfo {
	var exact, best []string
	isExact, hasBest := true, true
	for _, s := range subs {
		sub := l.walk(s)
		if isExact = isExact && sub.exact != nil; isExact {
			exact = union(exact, sub.exact)
			isExact = len(exact) <= maxExact
		}
		b := better(sub.best, sub.exact)
		if hasBest = hasBest && weight(b) >= 0; hasBest {
			best = union(best, b)
			hasBest = len(best) <= maxLits
		}
	}
	var out litInfo
	if isExact {
		out.exact = exact
	}
	if hasBest {
		out.best = best
	}
	return out
}

// concat joins what is known of consecutive parts. While the sets stay small
// they are multiplied out; a part without a set ends the run.
func concat(parts []litInfo) litInfo {
	run := []string{""}
	whole := true
	var best []string
	for _, p := range parts {
		if p.exact != nil && len(run)*len(p.exact) <= maxExact {
			run = cross(run, p.exact)
			continue
		}
		whole = false
		best = better(better(best, run), p.best)
		if run = p.exact; run == nil {
			run = []string{""}
		}
	}
	if whole {
		return litInfo{exact: run}
	}
	return litInfo{best: better(best, run)}
}

func cross(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

func union(a, b []string) []string {
	out := a[:len(a):len(a)]
next:
	for _, x := range b {
		for _, y := range a {
			if x == y {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// weight ranks literal sets as filters: long literals and few of them are
// best. A set that is empty or holds the empty string filters nothing and has
// a negative weight.
func weight(lits []string) int {
	if len(lits) == 0 || len(lits) > maxLits {
		return -1
	}
	shortest := len(lits[0])
	for _, s := range lits {
		shortest = min(shortest, len(s))
	}
	if shortest == 0 {
		return -1
	}
	return 200 + 8*min(shortest, 16) - 4*len(lits)
}

func better(a, b []string) []string {
	if weight(b) > weight(a) {
		return b
	}
	return a
}
