package syntax

import "github.com/pindex-dev/pindex/artifact"

// Imports and exports of ECMAScript modules.

// source returns the module that an import or export names.
func (j *jsExtractor) source(i int32) string {
	s := j.child(i, fSource)
	if s == none {
		return ""
	}
	if f := j.childOf(s, jsStringFragment); f != none {
		return j.str(f)
	}
	return ""
}

func (j *jsExtractor) importStatement(i int32) {
	j.lead.ok = false
	if r := j.childOf(i, tsImportRequireClause); r != none {
		if n := j.childOf(r, jsIdentifier); n != none {
			j.addImport(n, j.source(r), "", j.str(n))
			j.useMember(artifact.RoleImport, n, none)
		}
		return
	}
	module := j.source(i)
	clause := j.childOf(i, jsImportClause)
	if clause == none {
		if s := j.child(i, fSource); s != none {
			j.addImport(s, module, "", "")
		}
		return
	}
	for c := j.first(clause); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsIdentifier:
			j.addImport(c, module, "default", j.str(c))
			j.useMember(artifact.RoleImport, c, none)
		case jsNamespaceImport:
			if n := j.childOf(c, jsIdentifier); n != none {
				j.addImport(n, module, "", j.str(n))
				j.useMember(artifact.RoleImport, n, none)
			}
		case jsNamedImports:
			for s := j.first(c); s != none; s = j.after(s) {
				if j.kind(s) == jsImportSpecifier {
					j.specifier(s, module, artifact.RoleImport)
				}
			}
		}
	}
}

// specifier handles "name as alias" of an import, or of an export from
// another module.
func (j *jsExtractor) specifier(s int32, module string, role artifact.Role) {
	name, alias := j.child(s, fName), j.child(s, fAlias)
	if name == none {
		return
	}
	text, at := j.memberName(name)
	local := text
	if alias != none {
		local, _ = j.memberName(alias)
	}
	if text == "" {
		return
	}
	j.addImportAt(at, module, text, local)
	j.useAt(role, at, []byte(text), "")
}

// importAlias handles "import A = B.C".
func (j *jsExtractor) importAlias(i int32) {
	name, path := none, none
	for c := j.first(i); c != none; c = j.after(c) {
		if name == none && j.kind(c) == jsIdentifier {
			name = c
		} else {
			path = c
		}
	}
	if name == none || path == none {
		return
	}
	if j.kind(path) == tsNestedIdentifier {
		object, property := j.child(path, fObject), j.child(path, fProperty)
		if object != none && property != none {
			j.addImport(property, j.str(object), j.str(property), j.str(name))
			j.useMember(artifact.RoleImport, property, object)
		}
		return
	}
	j.addImport(path, j.str(path), "", j.str(name))
	j.useMember(artifact.RoleImport, path, none)
}

func (j *jsExtractor) export(i int32) {
	if j.child(i, fSource) != none {
		j.exportFrom(i)
		return
	}
	isDefault := j.has(i, jsDefault)
	for c := j.first(i); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsDefault:
		case jsExportClause:
			for s := j.first(c); s != none; s = j.after(s) {
				if n := j.child(s, fName); n != none && j.kind(s) == jsExportSpecifier {
					j.useMember(artifact.RoleExport, n, none)
					j.exportLater(j.name(n))
					if a := j.child(s, fAlias); a != none {
						if as, _ := j.memberName(a); as != "" {
							j.exportAs(n, as)
						}
					}
				}
			}
		case jsIdentifier: // export default name; export = name
			j.useMember(artifact.RoleExport, c, none)
			j.exportLater(j.name(c))
			j.exportAs(c, "default")
		case jsDecorator:
			j.visit(c)
		default:
			j.exportDeclaration(i, c, isDefault)
		}
	}
	j.exporting = false
}

// exportDeclaration declares what an export statement exports: its range is
// the statement's.
func (j *jsExtractor) exportDeclaration(outer, c int32, isDefault bool) {
	j.exporting = true
	switch j.kind(c) {
	case jsLexicalDeclaration, jsVariableDeclaration:
		j.variables(outer, c)
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, tsFunctionSignature,
		jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		if name := j.child(c, fName); name != none {
			if isDefault {
				j.exportAs(name, "default")
			}
			j.function(artifact.KindFunction, outer, c, name)
			return
		}
		d := j.beginDefault(artifact.KindFunction, outer)
		j.exported(d, c)
		j.finishFunction(d, outer, c)
		j.end()
	case jsClassDeclaration, tsAbstractClassDeclaration, jsClass:
		if name := j.child(c, fName); name != none {
			if isDefault {
				j.exportAs(name, "default")
			}
			j.class(outer, c, name)
			return
		}
		d := j.beginDefault(artifact.KindClass, outer)
		j.exported(d, c)
		j.signature(d, outer, j.body(c))
		j.classParts(c)
		j.end()
	case tsInterfaceDeclaration, tsTypeAliasDeclaration, tsEnumDeclaration, tsInternalModule, tsModule, tsAmbientDeclaration:
		from := len(j.facts.Decls)
		lead := j.lead
		j.visit(c)
		j.stretch(from, outer, lead)
	case jsObject:
		if isDefault && j.holdsFunctions(c, maxObjects) {
			d := j.beginDefault(artifact.KindObject, outer)
			j.exported(d, c)
			j.signature(d, outer, c)
			j.members(c)
			j.end()
			return
		}
		j.exporting = false
		j.visit(c)
	default:
		j.exporting = false
		j.visit(c)
	}
}

// exportAs notes that a name of the file is exported under another one: an
// import from no module.
func (j *jsExtractor) exportAs(name int32, as string) {
	j.addImport(name, "", j.str(name), as)
}

// beginDefault declares an unnamed default export under the name "default".
func (j *jsExtractor) beginDefault(kind artifact.Kind, outer int32) int32 {
	at := j.nodes[outer].start
	if k := j.childOf(outer, jsDefault); k != none {
		at = j.nodes[k].start
	}
	return j.beginNamed(kind, outer, outer, "default", at)
}

// stretch makes the declaration that was added at index from reach over the
// export statement around it, with the comment in front of that.
func (j *jsExtractor) stretch(from int, outer int32, before lead) {
	if from >= len(j.facts.Decls) {
		return
	}
	d := &j.facts.Decls[from]
	start := j.nodes[outer].start
	d.Start, d.SigStart = start, start
	d.End = max(d.End, j.trimEnd(start, j.nodes[outer].end))
	if before.ok && j.adjacent(before.end, start) {
		d.Start, d.DocStart, d.DocEnd = before.start, before.docStart, before.docEnd
	}
}

// exportFrom handles "export … from 'module'".
func (j *jsExtractor) exportFrom(i int32) {
	module := j.source(i)
	named := false
	for c := j.first(i); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsExportClause:
			named = true
			for s := j.first(c); s != none; s = j.after(s) {
				if j.kind(s) == jsExportSpecifier {
					j.specifier(s, module, artifact.RoleExport)
				}
			}
		case jsNamespaceExport:
			named = true
			if n := j.first(c); n != none {
				j.addImport(n, module, "", j.str(n))
				j.useMember(artifact.RoleExport, n, none)
			}
		}
	}
	if !named {
		j.addImport(i, module, "*", "*")
	}
}
