package scip

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scip-code/scip/bindings/go/scip"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/units"
)

// maxName is the longest text, in bytes, that is taken for a name.
const maxName = 256

var errDoesNotFit = errors.New("the document does not fit the file")

// Join puts what a document says of a file into the file's records: every
// occurrence as a precise one; definitions bound to the declarations that
// syntax found, and as declarations of their own where it found none; each
// reference, with the role and the receiver that syntax gives it, among the
// uses. Uses of which the document says nothing stay, so that they can be
// counted; uses where it defines something go.
//
// It checks all positions against the text again, and changes nothing when it
// fails.
func Join(d *Document, r *units.Result, content []byte) error {
	t := newText(content)
	for _, o := range d.Occurrences {
		if !t.holds(o.Range) {
			return errDoesNotFit
		}
	}
	j := &joiner{d: d, r: r, t: t, kinds: make([]uint32, len(d.Symbols))}
	for _, i := range d.Infos {
		j.kinds[i.Symbol] = i.Kind
	}
	j.definitions()
	j.uses()
	j.precise()
	return nil
}

// holds reports whether r lies on the text.
func (t *text) holds(r Range) bool {
	for _, p := range [][2]uint32{{r.StartLine, r.StartCol}, {r.EndLine, r.EndCol}} {
		line, from, ok := t.line(p[0])
		if !ok || int64(p[1]) > int64(from+len(line)) || int64(p[1]) < int64(from) {
			return false
		}
	}
	return r.valid()
}

type joiner struct {
	d     *Document
	r     *units.Result
	t     *text
	kinds []uint32 // of symbols
	decls []int32  // of occurrences: the symbol in r.Symbols; -1 for none
}

func position(line, col uint32) artifact.Position {
	return artifact.Position{Line: line + 1, Col: col + 1}
}

func (r Range) start() artifact.Position { return position(r.StartLine, r.StartCol) }
func (r Range) end() artifact.Position   { return position(r.EndLine, r.EndCol) }

// last returns the place of the last byte of a range that is not empty.
func (t *text) last(r Range) artifact.Position {
	if r.EndCol > 0 {
		return position(r.EndLine, r.EndCol-1)
	}
	if r.EndLine > r.StartLine { // the line end before it
		lo, hi := t.starts[r.EndLine-1], t.starts[r.EndLine]
		return position(r.EndLine-1, uint32(max(hi-lo, 1)-1))
	}
	return r.start()
}

// name returns the text of an occurrence where it can be a name, else "".
func (t *text) name(r Range) string {
	if r.StartLine != r.EndLine {
		return ""
	}
	s := t.slice(r)
	if len(s) > 0 && strings.IndexByte("\"'`", s[0]) >= 0 {
		s = bytes.Trim(s, "\"'`")
		if i := bytes.LastIndexByte(s, '/'); i >= 0 {
			s = s[i+1:]
		}
	}
	if len(s) == 0 || len(s) > maxName || !utf8.Valid(s) || bytes.ContainsAny(s, " \t()") {
		return ""
	}
	return string(s)
}

// definitions gives every definition its declaration.
func (j *joiner) definitions() {
	j.decls = make([]int32, len(j.d.Occurrences))
	syntactic := len(j.r.Symbols)
	at := make(map[artifact.Position][]int32, syntactic)
	for i := range j.r.Symbols {
		p := j.r.Symbols[i].NamePos
		at[p] = append(at[p], int32(i))
	}
	around := newNest(j.r.Symbols)
	var added []artifact.Symbol
	for i := range j.d.Occurrences {
		o := &j.d.Occurrences[i]
		j.decls[i] = -1
		if o.Roles&(roleDefinition|roleForward) == 0 {
			continue
		}
		name, start := j.t.name(o.Range), o.Range.start()
		if list := at[start]; len(list) > 0 {
			best := list[0]
			for _, k := range list {
				if j.symbol(k, added).Name == name {
					best = k
					break
				}
			}
			j.decls[i] = best
			continue
		}
		if o.Roles&roleDefinition == 0 || name == "" {
			continue
		}
		s, ok := j.declaration(o, name, around)
		if !ok {
			continue
		}
		n := int32(syntactic + len(added))
		added = append(added, s)
		at[start] = append(at[start], n)
		j.decls[i] = n
	}
	if len(added) > 0 {
		j.insert(added)
	}
}

func (j *joiner) symbol(k int32, added []artifact.Symbol) *artifact.Symbol {
	if n := len(j.r.Symbols); int(k) >= n {
		return &added[int(k)-n]
	}
	return &j.r.Symbols[k]
}

// declaration makes a symbol of a definition that syntax knows nothing of: a
// parameter, a local variable, a declaration in a language without a parser.
// Modules and packages are none: they are files.
func (j *joiner) declaration(o *Occurrence, name string, around *nest) (artifact.Symbol, bool) {
	scipName := j.d.Symbols[o.Symbol]
	own, suffix := descriptorOf(scipName)
	local := IsLocal(scipName)
	if suffix == '/' || suffix == ':' || !local && suffix == 0 {
		return artifact.Symbol{}, false
	}
	s := artifact.Symbol{
		Name: name, Kind: kindOf(scip.SymbolInformation_Kind(j.kinds[o.Symbol]), suffix), Parent: -1,
		NamePos: o.Range.start(), Start: o.Range.start(), End: j.t.last(o.Range),
	}
	if e := o.Enclosing; !local && e != (Range{}) && j.t.holds(e) &&
		!s.NamePos.Before(e.start()) && !j.t.last(e).Before(s.End) {
		s.Start, s.End = e.start(), j.t.last(e)
	}
	s.Parent = around.innermost(s.Start, s.End)
	if local || suffix == ')' || suffix == ']' {
		s.Flags |= artifact.SymbolLocal
	}
	if s.Parent >= 0 {
		switch p := &j.r.Symbols[s.Parent]; {
		case p.Flags&artifact.SymbolLocal != 0, p.Kind == artifact.KindFunction, p.Kind == artifact.KindMethod, p.Kind == artifact.KindConstructor:
			s.Flags |= artifact.SymbolLocal
		}
	}
	if suffix == 0 {
		suffix = '.'
	}
	if own == "" {
		own = name
	}
	s.Descriptor = descriptor(own, suffix)
	if s.Parent >= 0 {
		if up := j.r.Symbols[s.Parent].Descriptor; len(up)+len(s.Descriptor) <= 1024 {
			s.Descriptor = up + s.Descriptor
		}
	}
	s.Unit = j.unitAt(uint32(j.t.starts[o.Range.StartLine]) + o.Range.StartCol)
	return s, true
}

// unitAt returns the innermost unit around a byte.
func (j *joiner) unitAt(off uint32) uint32 {
	us := j.r.Units
	i, _ := slices.BinarySearchFunc(us, off, func(u artifact.Unit, off uint32) int {
		if u.Start <= off {
			return -1
		}
		return 1
	})
	for i--; i > 0 && us[i].End <= off; {
		i = int(us[i].Parent)
	}
	return uint32(max(i, 0))
}

// insert sorts added symbols into those of the file and renumbers what refers
// to them.
func (j *joiner) insert(added []artifact.Symbol) {
	all := append(slices.Clip(j.r.Symbols), added...)
	order := make([]int32, len(all))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &all[a], &all[b]
		return cmp.Or(comparePositions(x.Start, y.Start), comparePositions(y.End, x.End))
	})
	renumber := make([]int32, len(all))
	for n, i := range order {
		renumber[i] = int32(n)
	}
	out := make([]artifact.Symbol, len(all))
	for n, i := range order {
		out[n] = all[i]
		if p := all[i].Parent; p >= 0 {
			out[n].Parent = renumber[p]
		}
	}
	j.r.Symbols = out
	for i, k := range j.decls {
		if k >= 0 {
			j.decls[i] = renumber[k]
		}
	}
}

func comparePositions(a, b artifact.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// nest finds the innermost symbol around a range.
type nest struct {
	symbols []artifact.Symbol
	link    []int32 // the last one before it that was open at its start
}

func newNest(symbols []artifact.Symbol) *nest {
	n := &nest{symbols: symbols, link: make([]int32, len(symbols))}
	for i := range symbols {
		j := int32(i - 1)
		for j >= 0 && symbols[j].End.Before(symbols[i].Start) {
			j = n.link[j]
		}
		n.link[i] = j
	}
	return n
}

func (n *nest) innermost(start, end artifact.Position) int32 {
	i, _ := slices.BinarySearchFunc(n.symbols, start, func(s artifact.Symbol, p artifact.Position) int {
		if p.Before(s.Start) {
			return 1
		}
		return -1
	})
	for k := int32(i - 1); k >= 0; k = n.link[k] {
		if !n.symbols[k].End.Before(end) {
			return k
		}
	}
	return -1
}

// uses merges the document's references with the uses that syntax found.
func (j *joiner) uses() {
	type place struct {
		ref, def bool
		symbol   uint32
		roles    uint32
		name     string
	}
	places := map[artifact.Position]*place{}
	var order []artifact.Position
	for i := range j.d.Occurrences {
		o := &j.d.Occurrences[i]
		p := places[o.Range.start()]
		if p == nil {
			p = &place{symbol: o.Symbol}
			places[o.Range.start()] = p
			order = append(order, o.Range.start())
		}
		if o.Roles&roleDefinition != 0 {
			p.def = true
			continue
		}
		if !p.ref {
			p.ref, p.symbol, p.name = true, o.Symbol, j.t.name(o.Range)
		}
		p.roles |= o.Roles
	}
	out := make([]artifact.Occurrence, 0, len(j.r.Occurrences))
	for _, o := range j.r.Occurrences {
		switch p := places[o.Pos]; {
		case p == nil:
			out = append(out, o)
		case p.ref:
			if o.Role == artifact.RoleRead && p.roles&roleWrite != 0 {
				o.Role = artifact.RoleWrite
			}
			p.name = "" // it is there
			out = append(out, o)
		}
	}
	for _, at := range order {
		p := places[at]
		if !p.ref || p.name == "" {
			continue
		}
		out = append(out, artifact.Occurrence{Pos: at, Name: p.name, Role: j.role(p.symbol, p.roles, at, len(p.name))})
	}
	slices.SortStableFunc(out, func(a, b artifact.Occurrence) int { return comparePositions(a.Pos, b.Pos) })
	j.r.Occurrences = out
}

// role guesses the role of a reference that syntax does not know.
func (j *joiner) role(symbol, roles uint32, at artifact.Position, length int) artifact.Role {
	_, suffix := descriptorOf(j.d.Symbols[symbol])
	switch {
	case roles&roleImport != 0:
		return artifact.RoleImport
	case roles&roleWrite != 0:
		return artifact.RoleWrite
	case suffix == '#' || suffix == ']':
		return artifact.RoleType
	case suffix == '(':
		off := j.t.starts[at.Line-1] + int(at.Col) - 1 + length
		if rest := bytes.TrimLeft(j.t.b[min(off, len(j.t.b)):], " \t"); len(rest) > 0 && rest[0] == '(' {
			return artifact.RoleCall
		}
	}
	return artifact.RoleRead
}

// precise writes the precise records.
func (j *joiner) precise() {
	p := &artifact.PreciseData{Files: []uint32{0}, Occurrences: make([]artifact.PreciseOccurrence, 0, len(j.d.Occurrences))}
	for i, o := range j.d.Occurrences {
		out := artifact.PreciseOccurrence{
			Start: o.Range.start(), End: o.Range.end(), Symbol: j.d.Symbols[o.Symbol],
			Roles: artifact.SymbolRoles(o.Roles), Decl: j.decls[i],
		}
		if o.Enclosing != (Range{}) {
			out.Enclosing = [2]artifact.Position{o.Enclosing.start(), o.Enclosing.end()}
		}
		p.Occurrences = append(p.Occurrences, out)
	}
	for _, r := range j.d.Relations {
		p.Relations = append(p.Relations, artifact.PreciseRelation{
			Symbol: j.d.Symbols[r.Symbol], Target: j.d.Symbols[r.Target], Flags: artifact.RelationFlags(r.Flags)})
	}
	for _, i := range j.d.Infos {
		p.Infos = append(p.Infos, artifact.PreciseInfo{Symbol: j.d.Symbols[i.Symbol], Kind: i.Kind})
	}
	j.r.Precise = p
}

// descriptor writes one descriptor in SCIP's grammar.
func descriptor(name string, suffix byte) string {
	n := name
	if got, rest, ok := identifier(name); !ok || rest != "" || got != name || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		n = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	switch suffix {
	case '(':
		return n + "()."
	case ']':
		return "[" + n + "]"
	case ')':
		return "(" + n + ")"
	}
	return n + string(suffix)
}

// kindOf returns the kind of a declaration by SCIP's, or by its descriptor.
func kindOf(k scip.SymbolInformation_Kind, suffix byte) artifact.Kind {
	switch k {
	case scip.SymbolInformation_Class:
		return artifact.KindClass
	case scip.SymbolInformation_Struct:
		return artifact.KindStruct
	case scip.SymbolInformation_Interface:
		return artifact.KindInterface
	case scip.SymbolInformation_Trait:
		return artifact.KindTrait
	case scip.SymbolInformation_Protocol:
		return artifact.KindProtocol
	case scip.SymbolInformation_Enum:
		return artifact.KindEnum
	case scip.SymbolInformation_Union:
		return artifact.KindUnion
	case scip.SymbolInformation_EnumMember:
		return artifact.KindEnumMember
	case scip.SymbolInformation_Function:
		return artifact.KindFunction
	case scip.SymbolInformation_Method, scip.SymbolInformation_StaticMethod, scip.SymbolInformation_AbstractMethod, scip.SymbolInformation_TraitMethod:
		return artifact.KindMethod
	case scip.SymbolInformation_Constructor:
		return artifact.KindConstructor
	case scip.SymbolInformation_Field, scip.SymbolInformation_StaticField:
		return artifact.KindField
	case scip.SymbolInformation_Property, scip.SymbolInformation_Getter, scip.SymbolInformation_Setter:
		return artifact.KindProperty
	case scip.SymbolInformation_Constant:
		return artifact.KindConstant
	case scip.SymbolInformation_Macro:
		return artifact.KindMacro
	case scip.SymbolInformation_TypeAlias, scip.SymbolInformation_Type, scip.SymbolInformation_TypeParameter:
		return artifact.KindType
	case scip.SymbolInformation_Object:
		return artifact.KindObject
	case scip.SymbolInformation_Namespace:
		return artifact.KindNamespace
	case scip.SymbolInformation_Module:
		return artifact.KindModule
	}
	switch suffix {
	case '#':
		return artifact.KindClass
	case '(':
		return artifact.KindMethod
	case ']':
		return artifact.KindType
	case '!':
		return artifact.KindMacro
	}
	return artifact.KindVariable
}
