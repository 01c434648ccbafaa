package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// finish puts the facts in order and returns them.
func (x *extraction) finish() *Facts {
	x.markExports()
	f := x.facts
	Separate(f.Decls)
	if x.lang.overloads {
		Disambiguate(f.Decls)
	}
	byPlace := func(a, b Occurrence) int {
		if a.At != b.At {
			return int(int64(a.At) - int64(b.At))
		}
		return int(a.Role) - int(b.Role)
	}
	if !slices.IsSortedFunc(f.Occurrences, byPlace) {
		slices.SortStableFunc(f.Occurrences, byPlace)
	}
	f.Occurrences = slices.Compact(f.Occurrences)
	useAt := func(a, b LocalUse) int { return int(int64(a.At) - int64(b.At)) }
	if !slices.IsSortedFunc(f.LocalUses, useAt) {
		slices.SortStableFunc(f.LocalUses, useAt)
	}
	f.LocalUses = slices.CompactFunc(f.LocalUses, func(a, b LocalUse) bool { return a.At == b.At })
	byAt := func(a, b Import) int { return int(int64(a.At) - int64(b.At)) }
	if !slices.IsSortedFunc(f.Imports, byAt) {
		slices.SortStableFunc(f.Imports, byAt)
	}
	return &f
}

// Separate makes the ranges of siblings disjoint and those of children lie in
// their parents'. Declarations that share text, such as the names of one
// statement, divide it at the later one's start.
func Separate(decls []Decl) {
	// last[i+1] is the last child of declaration i seen so far; reach[i] is
	// the end of the last declaration in i.
	last := make([]int32, len(decls)+1)
	for i := range last {
		last[i] = none
	}
	reach := make([]uint32, len(decls))
	for i := range decls {
		d := &decls[i]
		if p := d.Parent; p >= 0 {
			d.Start = max(d.Start, decls[p].Start)
			d.Start = min(d.Start, decls[p].End)
			d.End = min(d.End, decls[p].End)
		}
		if s := last[d.Parent+1]; s >= 0 && decls[s].End > d.Start {
			if cut := max(reach[s], decls[s].Start); cut <= d.Start {
				decls[s].End = d.Start
			} else {
				d.Start = decls[s].End
			}
		}
		d.End = max(d.End, d.Start)
		last[d.Parent+1] = int32(i)
		reach[i] = d.Start
		for p := d.Parent; p >= 0 && reach[p] < d.End; p = decls[p].Parent {
			reach[p] = d.End
		}
	}
	for i := range decls {
		d := &decls[i]
		d.SigStart, d.SigEnd = within(d, d.SigStart, d.SigEnd)
		d.DocStart, d.DocEnd = within(d, d.DocStart, d.DocEnd)
	}
}

// within returns the part of a range that lies in the declaration; an empty
// one at its start when there is none.
func within(d *Decl, start, end uint32) (uint32, uint32) {
	start, end = max(start, d.Start), min(end, d.End)
	if start >= end {
		return d.Start, d.Start
	}
	return start, end
}

// Disambiguate numbers the overloads of a method as SCIP does: the second one
// of the same name in the same parent is "name(+1).".
func Disambiguate(decls []Decl) {
	type key struct {
		parent            int32
		owner, descriptor string
	}
	seen := make(map[key]int)
	for i := range decls {
		d := &decls[i]
		head, ok := strings.CutSuffix(d.Descriptor, "().")
		if !ok {
			continue
		}
		k := key{d.Parent, d.OwnerDescriptor, d.Descriptor}
		if n := seen[k]; n > 0 {
			d.Descriptor = head + "(+" + strconv.Itoa(n) + ")."
		}
		seen[k]++
	}
}

// Descriptor returns the SCIP descriptor of a declaration.
func Descriptor(kind artifact.Kind, name string) string {
	switch kind {
	case artifact.KindModule, artifact.KindNamespace, artifact.KindPackage:
		return escape(name) + "/"
	case artifact.KindClass, artifact.KindStruct, artifact.KindEnum, artifact.KindUnion,
		artifact.KindTrait, artifact.KindInterface, artifact.KindProtocol, artifact.KindImpl,
		artifact.KindObject, artifact.KindType:
		return escape(name) + "#"
	case artifact.KindFunction, artifact.KindMethod, artifact.KindConstructor:
		return escape(name) + "()."
	case artifact.KindMacro:
		return escape(name) + "!"
	}
	return escape(name) + "."
}

// escape writes a name as SCIP does: in backticks, themselves doubled, when
// it holds anything but letters, digits and _ + - $.
func escape(name string) string {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			c == '_', c == '+', c == '-', c == '$':
		default:
			return "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	return name
}
