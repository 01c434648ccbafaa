package syntax

import "github.com/pindex-dev/pindex/artifact"

// frameworkVersion changes whenever what all extractors share (extract*.go), the
// flattening or the limits' defaults change what Parse returns for any language.
const frameworkVersion = 3

// maxName is the longest name of an occurrence or declaration, in bytes.
const maxName = 256

// maxReceiver is the longest receiver that is kept, in bytes.
const maxReceiver = 64

// extraction is the state of one file's extraction: the nodes, the facts
// found so far, and which declarations and scopes are open.
type extraction struct {
	lang    *language
	src     []byte
	nodes   []node
	buffers         // of the file
	part    buffers // of parts of it

	facts Facts

	numbers map[string]nameID // names seen, see name
	names   []string

	open      []int32 // declarations whose range the walk is in, innermost last
	callables int     // how many callables the walk is in

	locals []binding // names bound in the scopes that the walk is in
	scopes []span    // by scope: its range; empty when it is not known
	row    []int32   // by nameID: the local that the name means now, none for none
	bound  []int32   // by nameID: how often it is in locals
	module []bool    // by nameID: an import binds it to a module
	odd    []bool    // by nameID: no name that can be used, see isOdd
	marks  []int     // by scope: len(locals) at its start

	declared map[declKey]bool // see once
	lead     lead
	exports  map[nameID]bool // see exportLater
}

// nameID numbers the distinct names of one file, from 0.
type nameID int32

// binding is a name bound in an open scope, and the local that the name meant
// outside of it.
type binding struct {
	id    nameID
	outer int32
}

// span is a range of bytes.
type span struct{ start, end uint32 }

type declKey struct {
	parent int32
	name   nameID
}

func (x *extraction) reset(l *language, src []byte, nodes []node) {
	x.lang, x.src, x.nodes = l, src, nodes
	x.facts = Facts{}
	if x.numbers == nil {
		x.numbers = make(map[string]nameID, 256)
		x.declared = make(map[declKey]bool)
		x.exports = make(map[nameID]bool)
	}
	clear(x.numbers)
	clear(x.declared)
	clear(x.exports)
	clear(x.names)
	x.names = x.names[:0]
	x.open, x.locals, x.marks = x.open[:0], x.locals[:0], x.marks[:0]
	x.scopes, x.row = x.scopes[:0], x.row[:0]
	x.bound, x.module, x.odd = x.bound[:0], x.module[:0], x.odd[:0]
	x.callables = 0
	x.lead = lead{}
	for _, name := range l.universe {
		x.bound[x.nameOf([]byte(name))]++
	}
}

// release drops what must not outlive the call.
func (x *extraction) release() {
	x.src, x.nodes, x.lang = nil, nil, nil
	x.facts = Facts{}
	clear(x.names)
	clear(x.numbers)
}

// Names.

func (x *extraction) nameOf(b []byte) nameID {
	if id, ok := x.numbers[string(b)]; ok {
		return id
	}
	s := string(b)
	id := nameID(len(x.names))
	x.numbers[s] = id
	x.names = append(x.names, s)
	x.bound = append(x.bound, 0)
	x.row = append(x.row, none)
	x.module = append(x.module, false)
	x.odd = append(x.odd, isOdd(s))
	return id
}

// isOdd reports whether a text cannot be a name that is used: error recovery
// puts whole pieces of code where names belong.
func isOdd(s string) bool {
	if len(s) > maxName {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ', c == '{', c == '}', c == ';', c == 0x7f:
			return true
		}
	}
	return false
}

// name returns the number of the node's text as a name.
func (x *extraction) name(i int32) nameID { return x.nameOf(x.text(i)) }

// str returns the node's text as a string that equal names share.
func (x *extraction) str(i int32) string { return x.names[x.name(i)] }

// intern returns b as a string that equal names share.
func (x *extraction) intern(b []byte) string { return x.names[x.nameOf(b)] }

// Occurrences and imports.

// use adds an occurrence of the name at node i, or a use of the local that it
// means.
func (x *extraction) use(role artifact.Role, i int32) {
	if n := &x.nodes[i]; n.start == n.end {
		return
	}
	id := x.name(i)
	if x.bound[id] > 0 || x.odd[id] {
		if row := x.row[id]; row >= 0 {
			x.facts.LocalUses = append(x.facts.LocalUses, LocalUse{At: x.nodes[i].start, Role: role, Local: row})
		}
		return
	}
	x.facts.Occurrences = append(x.facts.Occurrences, Occurrence{At: x.nodes[i].start, Role: role, Name: x.names[id]})
}

// useMember adds an occurrence of the name at node i, a member of what node
// object says; object may be none.
func (x *extraction) useMember(role artifact.Role, i, object int32) {
	n := &x.nodes[i]
	receiver := ""
	if object != none {
		receiver = x.receiver(object)
	}
	x.useAt(role, n.start, x.text(i), receiver)
}

// useAt adds an occurrence of a name that need not be a node.
func (x *extraction) useAt(role artifact.Role, at uint32, name []byte, receiver string) {
	if len(name) == 0 {
		return
	}
	if id := x.nameOf(name); !x.odd[id] {
		x.facts.Occurrences = append(x.facts.Occurrences, Occurrence{At: at, Role: role, Name: x.names[id], Receiver: receiver})
	}
}

const ellipsis = "…"

// receiver returns the text of a plain chain of names without its white
// space, "…" for anything else or longer.
func (x *extraction) receiver(i int32) string {
	n := &x.nodes[i]
	if n.end-n.start > 2*maxReceiver {
		return ellipsis
	}
	return x.chain(x.src[n.start:n.end])
}

func (x *extraction) chain(text []byte) string {
	var buf [maxReceiver]byte
	out := buf[:0]
	for j := 0; j < len(text); j++ {
		switch c := text[j]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80,
			c == '_', c == '$', c == '@', c == '#', c == '.', c == ':', c == '?', c == '!', c == '\\':
		case c == '-' && j+1 < len(text) && text[j+1] == '>', c == '>' && j > 0 && text[j-1] == '-':
		default:
			return ellipsis
		}
		if len(out) == maxReceiver {
			return ellipsis
		}
		out = append(out, text[j])
	}
	return x.intern(out)
}

// addImport adds an import whose imported name stands at node at.
func (x *extraction) addImport(at int32, module, name, alias string) {
	x.addImportAt(x.nodes[at].start, module, name, alias)
}

func (x *extraction) addImportAt(at uint32, module, name, alias string) {
	x.facts.Imports = append(x.facts.Imports, Import{At: at, Module: module, Name: name, Alias: alias})
	if name == "" && alias != "" {
		x.module[x.nameOf([]byte(alias))] = true
	}
}

// isModule reports whether the node is a name that an import above it binds
// to a module. As the object of a member its use adds nothing: the member's
// receiver says it.
func (x *extraction) isModule(i int32) bool { return x.module[x.name(i)] }

// markExports does what exportLater noted.
func (x *extraction) markExports() {
	if len(x.exports) == 0 {
		return
	}
	for i := range x.facts.Decls {
		d := &x.facts.Decls[i]
		if d.Parent < 0 && x.exports[x.numbers[d.Name]] {
			d.Flags |= artifact.SymbolExported
		}
	}
	clear(x.exports)
}
