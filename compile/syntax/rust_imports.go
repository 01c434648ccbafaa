package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func (r *rustExtractor) externCrate(i int32) {
	name, alias := r.child(i, fName), r.child(i, fAlias)
	if name == none {
		return
	}
	local := r.str(name)
	if alias != none {
		local = r.str(alias)
	}
	r.addImport(name, r.str(name), "", local)
	r.useMember(artifact.RoleImport, name, none)
}

// useTree flattens a use declaration. prefix is the path in front of i.
func (r *rustExtractor) useTree(i int32, prefix []byte, export bool) {
	switch r.kind(i) {
	case rsUseList:
		for c := r.first(i); c != none; c = r.after(c) {
			if k := r.kind(c); k != rsLineComment && k != rsBlockComment {
				r.useTree(c, prefix, export)
			}
		}
	case rsScopedUseList:
		if p := r.child(i, fPath); p != none {
			prefix = joinPath(prefix, r.text(p))
		}
		if l := r.child(i, fList); l != none {
			r.useTree(l, prefix, export)
		}
	case rsUseWildcard:
		if p := r.first(i); p != none {
			prefix = joinPath(prefix, r.text(p))
		}
		r.addImport(i, r.intern(prefix), "*", "*")
	case rsUseAsClause:
		if p := r.child(i, fPath); p != none {
			r.useName(p, prefix, r.child(i, fAlias), export)
		}
	case rsIdentifier, rsScopedIdentifier, rsSelf, rsSuper, rsCrate:
		r.useName(i, prefix, none, export)
	}
}

// useName adds the import of one path of a use declaration.
func (r *rustExtractor) useName(i int32, prefix []byte, alias int32, export bool) {
	module, name := prefix, i
	if r.kind(i) == rsScopedIdentifier {
		name = r.child(i, fName)
		if p := r.child(i, fPath); p != none {
			module = joinPath(prefix, r.text(p))
		}
	}
	if name == none {
		return
	}
	member := r.str(name)
	local := member
	switch {
	case r.kind(name) == rsSelf: // use a::{self}
		member = ""
		local = r.intern(module[bytes.LastIndexByte(module, ':')+1:])
	case len(module) == 0: // use name
		module, member = r.text(name), ""
	}
	if alias != none {
		local = r.str(alias)
	}
	r.addImport(name, r.intern(module), member, local)
	if r.kind(name) == rsIdentifier {
		r.useMember(artifact.RoleImport, name, none)
		if export && local != "_" {
			at := name
			if alias != none {
				at = alias
			}
			r.useMember(artifact.RoleExport, at, none)
		}
	}
}

func joinPath(prefix, path []byte) []byte {
	path = bytes.Join(bytes.Fields(path), nil)
	if len(prefix) == 0 {
		return path
	}
	out := make([]byte, 0, len(prefix)+2+len(path))
	return append(append(append(out, prefix...), "::"...), path...)
}
