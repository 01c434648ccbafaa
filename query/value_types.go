package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// typed finds the value of an expression of a written type.
func (b *binder) typed(t typeText) (value, error) {
	if b.depth >= maxInfer {
		return value{}, nil
	}
	b.depth++
	defer func() { b.depth-- }()
	if family(b.t.files[t.pl.file].lang) == "script" {
		return b.scriptTyped(t)
	}
	return b.pythonTyped(t)
}

// with is the same place and self for another text.
func (t typeText) with(text string) typeText {
	t.text = text
	return t
}

// union is a value of any of several types.
func (b *binder) union(t typeText, parts []string) (value, error) {
	var out value
	for _, p := range parts {
		v, err := b.typed(t.with(p))
		if err != nil {
			return value{}, err
		}
		for _, c := range v.of {
			if !slices.Contains(out.of, c) {
				out.of = append(out.of, c)
			}
		}
		out.decls = append(out.decls, v.decls...)
		if v.external && !out.external {
			out.external, out.generic, out.args = true, v.generic, v.args
		}
	}
	return out, nil
}

func (b *binder) pythonTyped(t typeText) (value, error) {
	s := strings.Trim(t.text, `"' `)
	if parts := splitTop(s, '|'); len(parts) > 1 {
		return b.union(t, slices.DeleteFunc(parts, func(p string) bool { return p == "None" }))
	}
	base, args := s, []string(nil)
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		base, args = s[:i], splitTop(s[i+1:len(s)-1], ',')
	}
	short := base[strings.LastIndexByte(base, '.')+1:]
	switch short {
	case "Any", "":
		return value{}, nil
	case "None":
		return value{external: true, generic: short}, nil
	case "Self":
		if len(t.self) > 0 {
			return value{of: t.self}, nil
		}
	case "Optional", "Final", "ClassVar", "Annotated", "Required", "NotRequired", "ReadOnly", "Awaitable", "InitVar":
		if len(args) > 0 {
			return b.typed(t.with(args[0]))
		}
	case "Coroutine":
		if len(args) == 3 {
			return b.typed(t.with(args[2]))
		}
	case "Union":
		return b.union(t, args)
	case "type", "Type":
		if len(args) == 1 {
			v, err := b.typed(t.with(args[0]))
			return value{decls: v.of, external: v.external, generic: "type"}, err
		}
	case "Callable":
		if n := len(args); n > 0 {
			v := value{external: true, generic: "Callable", args: []typeText{t.with(args[n-1])}}
			if n == 2 && strings.HasPrefix(args[0], "[") && strings.HasSuffix(args[0], "]") {
				for _, p := range splitTop(args[0][1:len(args[0])-1], ',') {
					v.params = append(v.params, t.with(p))
				}
			}
			return v, nil
		}
	}
	v, err := b.evaluate(t.pl, base)
	if err != nil {
		return value{}, err
	}
	if v.external && len(v.decls)+len(v.of) == 0 || !v.known() && len(args) > 0 {
		v = value{external: true, generic: short}
		for _, a := range args {
			v.args = append(v.args, t.with(a))
		}
		return v, nil
	}
	return b.instances(v, t, args)
}

// instances turns the types that a value refers to into instances of them.
func (b *binder) instances(v value, t typeText, args []string) (value, error) {
	var out value
	for _, d := range v.decls {
		if d.container() && d.sym.Kind != artifact.KindType {
			out.of = append(out.of, d)
			continue
		}
		// An alias: "X = Y", "X = Optional[Y]", "type X = Y".
		a, err := b.typeOf(d)
		if err != nil {
			return value{}, err
		}
		for _, c := range append(slices.Clone(a.of), a.decls...) {
			if c.container() && !slices.Contains(out.of, c) {
				out.of = append(out.of, c)
			}
		}
		if a.external && len(out.of) == 0 {
			out.external, out.generic, out.args, out.params = true, a.generic, a.args, a.params
		}
	}
	for _, a := range args {
		out.args = append(out.args, t.with(a))
	}
	return out, nil
}

// splitTop cuts a type at a separator that stands in no brackets or quotes.
func splitTop(s string, sep byte) []string {
	var out []string
	depth, from := 0, 0
	quote := byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '[' || c == '(' || c == '<' || c == '{':
			depth++
		case c == ']' || c == ')' || c == '}' || c == '>' && (i == 0 || s[i-1] != '='):
			depth--
		case c == sep && depth == 0:
			out = append(out, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	out = append(out, strings.TrimSpace(s[from:]))
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// builtinType reports whether a name is a generic type of the language's own.
func builtinType(lang, name string) bool {
	switch name {
	case "list", "dict", "set", "frozenset", "tuple", "type", "str", "int", "bytes", "float", "bool", "object":
		return lang == "python"
	case "Array", "Map", "Set", "Promise", "Record", "ReadonlyArray", "WeakMap", "Iterable", "Iterator", "AsyncIterable":
		return lang == "script"
	}
	return false
}

// What the containers of the standard libraries give, by their own names.

// elementOf returns which type argument iterating over a container gives.
func elementOf(generic string, args int) int {
	base, member, _ := strings.Cut(generic, ".")
	if args == 0 {
		return -1
	}
	if member != "" {
		switch strings.TrimSuffix(member, "()") {
		case "values", "items":
			return min(1, args-1)
		}
		return -1
	}
	switch base {
	case "list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection",
		"Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "deque", "Deque", "tuple", "Tuple", "dict", "Dict", "Mapping",
		"MutableMapping", "defaultdict", "OrderedDict", "AbstractSet", "MutableSet", "KeysView", "Array", "ReadonlyArray":
		return 0
	case "ValuesView":
		return 0
	}
	return -1
}

// subscriptOf returns which type argument a subscript of a container gives.
func subscriptOf(generic string, args int, index string) int {
	switch generic {
	case "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "Record":
		return args - 1
	case "tuple", "Tuple":
		if n, err := strconv.Atoi(index); err == nil && n < args {
			return n
		}
		return -1
	case "list", "List", "Sequence", "MutableSequence", "deque", "Deque", "Array", "ReadonlyArray":
		return 0
	case "dict.items*", "Dict.items*", "Mapping.items*":
		if n, err := strconv.Atoi(index); err == nil && n < args {
			return n
		}
	}
	return -1
}

// calledOutside finds what calling something of the standard library gives.
func (b *binder) calledOutside(v value) (value, error) {
	base, member, ok := strings.Cut(v.generic, ".")
	if v.generic == "Callable" {
		return b.argument(v, 0)
	}
	if !ok || len(v.args) == 0 {
		return value{external: true, generic: v.generic, args: v.args}, nil
	}
	last := len(v.args) - 1
	switch member {
	case "get", "pop", "setdefault", "at", "find", "shift", "popleft":
		return b.argument(v, last)
	case "copy", "filter", "slice", "reverse", "sort", "concat", "toSorted", "toReversed", "splice":
		return value{external: true, generic: base, args: v.args}, nil
	case "values":
		return value{external: true, generic: "Iterable", args: v.args[last:]}, nil
	case "keys":
		return value{external: true, generic: "Iterable", args: v.args[:1]}, nil
	case "items", "entries":
		t := v.args[0]
		pair := make([]string, len(v.args))
		for i := range v.args {
			pair[i] = v.args[i].text
		}
		if family(b.t.files[t.pl.file].lang) == "script" {
			return value{external: true, generic: "Iterable", args: []typeText{t.with("[" + strings.Join(pair, ",") + "]")}}, nil
		}
		return value{external: true, generic: "Iterable", args: []typeText{t.with("tuple[" + strings.Join(pair, ",") + "]")}}, nil
	}
	return value{external: true}, nil
}
