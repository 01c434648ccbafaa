package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

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
