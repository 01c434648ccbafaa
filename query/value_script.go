package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// scriptTyped finds the value of an expression of a type that TypeScript
// writes.
func (b *binder) scriptTyped(t typeText) (value, error) {
	s := strings.TrimSpace(t.text)
	for len(s) > 1 && s[0] == '(' && s[len(s)-1] == ')' && len(splitTop(s[1:len(s)-1], ')')) == 1 {
		s = s[1 : len(s)-1]
	}
	for _, sep := range []byte{'|', '&'} {
		if parts := splitTop(s, sep); len(parts) > 1 {
			return b.union(t, slices.DeleteFunc(parts, func(p string) bool { return p == "null" || p == "undefined" || p == "void" }))
		}
	}
	if i := strings.Index(s, "=>"); i >= 0 && s[0] == '(' {
		v := value{external: true, generic: "Callable"}
		close := closingParen(s)
		if close < 0 || !strings.HasPrefix(strings.TrimSpace(s[close+1:]), "=>") {
			return value{}, nil
		}
		v.args = []typeText{t.with(strings.TrimPrefix(strings.TrimSpace(s[close+1:]), "=>"))}
		for _, p := range splitTop(s[1:close], ',') {
			_, typ, _ := strings.Cut(p, ":")
			v.params = append(v.params, t.with(typ))
		}
		return v, nil
	}
	if rest, ok := strings.CutPrefix(s, "typeof "); ok {
		v, err := b.evaluate(t.pl, rest)
		if err != nil {
			return value{}, err
		}
		return b.settled(v, "the receiver's written type")
	}
	s = strings.TrimPrefix(s, "readonly ")
	if el, ok := strings.CutSuffix(s, "[]"); ok {
		return value{external: true, generic: "Array", args: []typeText{t.with(el)}}, nil
	}
	if s == "" || s[0] == '{' || s[0] == '[' || s[0] == '\'' || s[0] == '"' || s[0] == '`' {
		if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' {
			v := value{external: true, generic: "tuple"}
			for _, a := range splitTop(s[1:len(s)-1], ',') {
				v.args = append(v.args, t.with(a))
			}
			return v, nil
		}
		return value{}, nil
	}
	base, args := s, []string(nil)
	if i := strings.IndexByte(s, '<'); i > 0 && strings.HasSuffix(s, ">") {
		base, args = s[:i], splitTop(s[i+1:len(s)-1], ',')
	} else if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		// An indexed access: A['b'] is the type of the member b.
		v, err := b.typed(t.with(s[:i]))
		if err != nil {
			return value{}, err
		}
		m, err := b.memberValue(v, strings.Trim(s[i+1:len(s)-1], `'"`))
		if err != nil {
			return value{}, err
		}
		return b.settled(m, "the receiver's written type")
	}
	switch base {
	case "this":
		return value{of: t.self}, nil
	case "any", "unknown", "never":
		return value{}, nil
	case "void", "string", "number", "boolean", "object", "symbol", "bigint", "null", "undefined":
		return value{external: true, generic: base}, nil
	case "Promise", "PromiseLike", "Awaited", "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit":
		if len(args) > 0 {
			return b.typed(t.with(args[0]))
		}
	case "ReturnType", "InstanceType":
		if len(args) == 1 {
			v, err := b.typed(t.with(args[0]))
			if err != nil {
				return value{}, err
			}
			return b.called(v)
		}
	}
	v, err := b.evaluate(t.pl, base)
	if err != nil {
		return value{}, err
	}
	if v.external && len(v.decls)+len(v.of) == 0 || !v.known() && len(args) > 0 {
		v = value{external: true, generic: base}
		for _, a := range args {
			v.args = append(v.args, t.with(a))
		}
		return v, nil
	}
	return b.scriptInstances(v, t, args)
}

// scriptInstances is instances for TypeScript, whose aliases may have members
// of their own.
func (b *binder) scriptInstances(v value, t typeText, args []string) (value, error) {
	var out value
	for _, d := range v.decls {
		if d.sym.Kind == artifact.KindType {
			out.of = append(out.of, d)
			a, err := b.typeOf(d)
			if err != nil {
				return value{}, err
			}
			for _, c := range a.of {
				if !slices.Contains(out.of, c) {
					out.of = append(out.of, c)
				}
			}
			if len(a.of) == 0 && a.external {
				out.external, out.generic, out.args, out.params = true, a.generic, a.args, a.params
			}
			continue
		}
		r, err := b.instances(value{decls: []*decl{d}}, t, nil)
		if err != nil {
			return value{}, err
		}
		out.of = append(out.of, r.of...)
	}
	for _, a := range args {
		out.args = append(out.args, t.with(a))
	}
	return out, nil
}

// literalMember finds a key of the object literal that a variable is
// initialized with.
func (b *binder) literalMember(d *decl, name string) ([]*decl, error) {
	h, err := b.hintOf(d)
	if err != nil || h != "={}" {
		return nil, err
	}
	l, err := b.localsOf(d.file)
	if err != nil {
		return nil, err
	}
	// The literal is the first one behind the variable's name.
	var lit *artifact.Local
	for i := range l.list {
		x := &l.list[i]
		if x.Kind == artifact.KindField && d.sym.NamePos.Before(x.Start) && (lit == nil || x.Start.Before(lit.Start)) {
			lit = x
		}
	}
	if lit == nil {
		return nil, nil
	}
	var out []*decl
	for _, i := range l.fields[name] {
		if x := &l.list[i]; x.Start == lit.Start && x.End == lit.End {
			f, err := b.localDecl(d.file, i)
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// closingParen returns where the parenthesis that begins s is closed, -1 when
// it is not.
func closingParen(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// passed finds what parameter n of a function is given that is argument k of a
// call of v.
func (b *binder) passed(v value, k, n int) (value, error) {
	if v.external && len(v.decls)+len(v.of) == 0 {
		_, member, _ := strings.Cut(v.generic, ".")
		at := 0
		switch member {
		case "map", "forEach", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap", "sort":
			if member == "sort" {
				n = 0
			}
		case "reduce", "reduceRight":
			at = 1
		default:
			return value{}, nil
		}
		if k == 0 && n == at && len(v.args) > 0 {
			return b.typed(v.args[len(v.args)-1])
		}
		return value{}, nil
	}
	for _, d := range v.decls {
		if d.container() {
			ctor := "constructor"
			if b.t.files[d.file].lang == "python" {
				ctor = "__init__"
			}
			ds, _, err := b.memberFor(d, ctor, false)
			if err != nil || len(ds) == 0 {
				return value{}, err
			}
			d = ds[0]
		}
		p, err := b.parameterOf(d, k)
		if err != nil {
			return value{}, err
		}
		var t value
		if p != nil {
			t, err = b.typeOf(p)
		} else if !callableKind(d.sym.Kind) {
			// A variable of a function's type.
			if t, err = b.typeOf(d); err == nil && k < len(t.params) {
				t, err = b.typed(t.params[k])
			} else {
				t = value{}
			}
		}
		if err != nil {
			return value{}, err
		}
		if n < len(t.params) {
			return b.typed(t.params[n])
		}
	}
	return value{}, nil
}

// parameterOf returns parameter number k of a callable, nil for none; self
// does not count.
func (b *binder) parameterOf(d *decl, k int) (*decl, error) {
	if d.row > 0 || !callableKind(d.sym.Kind) {
		return nil, nil
	}
	l, err := b.localsOf(d.file)
	if err != nil {
		return nil, err
	}
	for i := range l.list {
		x := &l.list[i]
		if x.Kind != artifact.KindParameter || x.Pos.Before(d.sym.NamePos) || d.sym.End.Before(x.Pos) {
			continue
		}
		if strings.HasPrefix(x.Type, ":Self") || x.Type == ":type[Self]" {
			continue
		}
		if k == 0 {
			return b.localDecl(d.file, int32(i))
		}
		k--
	}
	return nil, nil
}
