package query

import (
	"bytes"
	"sort"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/infer"
	"github.com/pindex-dev/pindex/query/sketch"
)

// maxSketched bounds, in bytes of text, what sketches an engine keeps.
const maxSketched = 96 << 20

// sketchCache keeps the sketches that an engine's queries have made.
type sketchCache struct {
	mu    sync.Mutex
	files map[int]*sketch.File
	size  int
}

func (c *sketchCache) get(file int) (*sketch.File, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.files[file]
	return s, ok
}

func (c *sketchCache) put(file int, s *sketch.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 1
	if s != nil {
		n += len(s.Text)
	}
	if c.files == nil || c.size+n > maxSketched {
		c.files, c.size = map[int]*sketch.File{}, 0
	}
	c.files[file] = s
	c.size += n
}

// sketch returns what a file's text says about local names and types; nil for
// a language without a reader, without the source view, and for huge files.
func (b *binder) sketch(file int) (*sketch.File, error) {
	lang := b.t.files[file].lang
	if !sketch.Supports(lang) {
		return nil, nil
	}
	if s, ok := b.e.sketches.get(file); ok {
		return s, nil
	}
	t, err := b.text(file)
	if err != nil || t == nil {
		return nil, err
	}
	s := sketch.New(lang, t.text)
	b.e.sketches.put(file, s)
	return s, nil
}

// offset returns the byte offset of a position in a text.
func (t *lineTable) offset(p artifact.Position) (uint32, bool) {
	if p.Line < 1 || int(p.Line) > len(t.starts) {
		return 0, false
	}
	at := t.starts[p.Line-1] + int(p.Col) - 1
	return uint32(at), at < len(t.text)
}

// position is the reverse of offset.
func (t *lineTable) position(at uint32) artifact.Position {
	i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > int(at) })
	if i == 0 {
		return artifact.Position{Line: 1, Col: 1}
	}
	return artifact.Position{Line: uint32(i), Col: uint32(int(at)-t.starts[i-1]) + 1}
}

// placed is a thing's place as a declaration: the symbol of the index that
// stands there, or one made for the purpose, which is not in the index.
func (b *binder) placed(x infer.Thing) (*decl, error) {
	t, err := b.text(x.File)
	if err != nil || t == nil {
		return nil, err
	}
	pos := t.position(x.Def.At)
	at, err := b.symbolsByPlace(x.File)
	if err != nil {
		return nil, err
	}
	if i, ok := at[pos]; ok {
		d, err := b.decl(declID{b.t.files[x.File].p, i})
		if err != nil || d.sym.Name == x.Def.Name {
			return d, err
		}
	}
	key := placeKey{x.File, x.Def.At, x.Def.Name}
	if d := b.unlisted[key]; d != nil {
		return d, nil
	}
	id := declID{-1, len(b.unlisted)}
	end := pos
	end.Col += uint32(len(x.Def.Name))
	name := x.Def.Name
	if name == "" && x.Def.Kind == sketch.Import {
		name = infer.GoPackage(x.Def.Path)
	}
	d := &decl{id: id, file: x.File, names: []string{name}, sym: artifact.Symbol{
		Name: name, Kind: kindOfDef(x.Def), Flags: artifact.SymbolLocal, Parent: -1, NamePos: pos, Start: pos, End: end,
	}}
	b.unlisted[key] = d
	return d, nil
}

// placeKey names what is no symbol of the index.
type placeKey struct {
	file int
	at   uint32
	name string
}

// unlisted reports whether a declaration is none of the index's symbols.
func (d *decl) unlisted() bool { return d.id.p < 0 }

func kindOfDef(d *sketch.Def) artifact.Kind {
	switch d.Kind {
	case sketch.Const:
		return artifact.KindConstant
	case sketch.TypeName, sketch.TypeParam:
		return artifact.KindType
	case sketch.Trait:
		return artifact.KindTrait
	case sketch.Impl:
		return artifact.KindImpl
	case sketch.Function, sketch.Generated:
		return artifact.KindFunction
	case sketch.Method:
		return artifact.KindMethod
	case sketch.Field, sketch.Embedded:
		return artifact.KindField
	case sketch.Namespace, sketch.Import:
		return artifact.KindModule
	case sketch.Variant:
		return artifact.KindEnumMember
	case sketch.MacroName:
		return artifact.KindMacro
	}
	return artifact.KindVariable
}

// symbolsByPlace returns the symbols of a file by the place of their names.
func (b *binder) symbolsByPlace(file int) (map[artifact.Position]int, error) {
	if m, ok := b.places[file]; ok {
		return m, nil
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	lo, hi := st.FileSymbols(f.f)
	m := make(map[artifact.Position]int, hi-lo)
	for i := hi - 1; i >= lo; i-- {
		m[st.SymbolNamePos(i)] = i
	}
	b.places[file] = m
	return m, nil
}

// outcome turns what was inferred into an outcome; undecided where nothing was read.
func (b *binder) outcome(in infer.Result) (outcome, error) {
	switch in.State {
	case infer.Outside:
		return external(in.Rule), nil
	case infer.Unknown:
		return unresolved(in.Rule), nil
	case infer.Bound:
		if len(in.Files) > 0 {
			return outcome{binding: Bound, provenance: Syntactic, rule: in.Rule, files: in.Files}, nil
		}
		var ds []*decl
		for _, x := range in.Things {
			d, err := b.placed(x)
			if err != nil {
				return undecided, err
			}
			if d != nil {
				ds = append(ds, d)
			}
		}
		if len(ds) == 0 {
			return undecided, nil
		}
		if in.Unsure {
			return outcome{binding: Ambiguous, provenance: Heuristic, rule: in.Rule + ", in a macro or a branch that is rather not compiled", decls: ds}, nil
		}
		if len(ds) > 1 && (!b.oneSet(ds) || b.t.files[ds[0].file].lang == "cpp") {
			return outcome{binding: Ambiguous, provenance: Syntactic, rule: in.Rule, decls: ds}, nil
		}
		return bound(Syntactic, in.Rule, ds), nil
	}
	return undecided, nil
}

// infer reads what the name at an offset of a file means.
func (b *binder) infer(file int, at uint32) (infer.Result, error) {
	if b.meanings == nil {
		b.meanings = infer.New((*inferTree)(b))
	}
	return b.meanings.Meaning(file, at)
}

// inferUse is infer for an occurrence of the index.
func (b *binder) inferUse(u use) (outcome, error) {
	if !sketch.Supports(b.t.files[u.file].lang) {
		return undecided, nil
	}
	t, at, err := b.textAt(u.file, u.occ.Pos)
	if t == nil {
		return undecided, err
	}
	in, err := b.infer(u.file, at)
	if err != nil {
		return undecided, err
	}
	if in.Guess {
		if o, err := b.onlyMember(u); err != nil || o.binding == Bound || o.binding == Ambiguous {
			return o, err
		}
	}
	return b.outcome(in)
}

// usesByText returns the uses of names in the files of one partition and
// language family, as their text shows them.
func (b *binder) usesByText(p int, fam string, names map[string]bool) ([]use, error) {
	var out []use
	for i := b.t.first[p]; i < b.t.first[p+1]; i++ {
		f := &b.t.files[i]
		if family(f.lang) != fam {
			continue
		}
		src, err := b.e.ix.Source(f.p)
		if err != nil {
			return nil, err
		}
		content := src.Content(f.f)
		for _, name := range sortedKeys(names) {
			if !bytes.Contains(content, []byte(strings.TrimPrefix(name, "~"))) {
				continue
			}
			s, err := b.sketch(i)
			if err != nil {
				return nil, err
			}
			t, err := b.text(i)
			if err != nil {
				return nil, err
			}
			if s == nil || t == nil {
				continue
			}
			roles := map[artifact.Position]artifact.Role{}
			uses, err := b.fileUses(i)
			if err != nil {
				return nil, err
			}
			for _, o := range uses {
				if o.Name == name {
					roles[o.Pos] = o.Role
				}
			}
			s.AllUses(name, func(u sketch.Use) {
				o := artifact.Occurrence{File: uint32(f.f), Name: name, Pos: t.position(u.At), Role: artifact.RoleRead}
				if role, ok := roles[o.Pos]; ok {
					o.Role = role
				} else if u.Node.Flag {
					o.Role = artifact.RoleCall
				}
				out = append(out, use{file: i, occ: o})
			})
		}
	}
	return out, nil
}

// usesIn adds the uses of an unlisted declaration's name in its file: in the
// body that it is local to, or in all of the file.
func (b *binder) usesIn(d *decl, name string, all bool) ([]use, error) {
	s, err := b.sketch(d.file)
	if err != nil || s == nil {
		return nil, err
	}
	t, err := b.text(d.file)
	if err != nil || t == nil {
		return nil, err
	}
	var out []use
	add := func(u sketch.Use) {
		if t.position(u.At) == d.sym.NamePos {
			return
		}
		o := artifact.Occurrence{File: uint32(b.t.files[d.file].f), Name: name, Pos: t.position(u.At), Role: artifact.RoleRead}
		if u.Node.Flag {
			o.Role = artifact.RoleCall
		}
		out = append(out, use{file: d.file, occ: o})
	}
	if at, ok := t.offset(d.sym.NamePos); ok && !all && s.Local(at, name) == nil && s.Around(at) != nil {
		s.Uses(at, name, add)
	} else {
		s.AllUses(name, add)
	}
	return out, nil
}
