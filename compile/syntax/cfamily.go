package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

type cExtractor struct {
	*extraction
	role artifact.Role // of a type's name at the current place
	// outer is the template declaration around the next declaration, or none.
	outer int32
	// hidden says that the members at the current place of a class are not
	// public, or that the walk is in a namespace without a name.
	hidden bool
	// namespaces are the namespaces that the file has opened so far; a
	// qualifier with another name is taken for a class.
	namespaces map[nameID]bool
}

func extractC(x *extraction) {
	c := &cExtractor{extraction: x, role: artifact.RoleType, outer: none, namespaces: make(map[nameID]bool)}
	c.children(0)
}

func (c *cExtractor) children(i int32) {
	end := c.nodes[i].next
	for k := i + 1; k < end; k = c.nodes[k].next {
		c.visit(k)
	}
}

func (c *cExtractor) opt(i int32) {
	if i != none {
		c.visit(i)
	}
}

func (c *cExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := c.role
	c.role = role
	c.visit(i)
	c.role = saved
}

// bounds returns the node that bounds the declaration i: the template around
// it, if any.
func (c *cExtractor) bounds(i int32) int32 {
	if o := c.outer; o != none {
		c.outer = none
		return o
	}
	return i
}

func (c *cExtractor) visit(i int32) {
	switch c.kind(i) {
	case cIdentifier:
		c.use(artifact.RoleRead, i)
	case cTypeIdentifier:
		c.use(c.role, i)
	case cComment:
		c.comment(i)
	case cPreprocInclude:
		c.include(i)
	case cPreprocDef, cPreprocFunctionDef:
		c.macro(i)
	case cFunctionDefinition:
		c.function(i)
	case cDeclaration, cFieldDeclaration:
		c.declaration(i)
	case cTypeDefinition:
		c.typedef(i)
	case cStructSpecifier, cUnionSpecifier, cEnumSpecifier, cppClassSpecifier:
		c.typeSpecifier(i, i, none)
	case cEnumerator:
		d := c.begin(artifact.KindEnumMember, i, c.child(i, fName))
		c.exported(d)
		c.opt(c.child(i, fValue))
		c.end()
	case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
		c.opt(c.child(i, fType))
		c.opt(c.child(i, fDefaultValue))
		c.declaratorUses(c.child(i, fDeclarator))
	case cCompoundStatement, cIfStatement, cForStatement, cWhileStatement, cSwitchStatement:
		c.pushScope()
		c.children(i)
		c.popScope()
	case cParameterList:
		for k := c.first(i); k != none; k = c.after(k) {
			if c.kind(k) != cIdentifier { // K&R
				c.visit(k)
			}
		}
	case cPreprocIfdef:
		name := c.child(i, fName)
		for k := c.first(i); k != none; k = c.after(k) {
			if k != name || !c.guards(i, name) {
				c.visit(k)
			}
		}
	case cCallExpression:
		c.callee(c.child(i, fFunction))
		c.opt(c.child(i, fArguments))
	case cFieldExpression:
		c.member(artifact.RoleRead, i)
	case cAssignmentExpression:
		c.target(c.child(i, fLeft))
		c.opt(c.child(i, fRight))
	case cUpdateExpression:
		c.target(c.child(i, fArgument))
	case cCompoundLiteralExpression:
		c.typeAs(artifact.RoleInstantiate, c.child(i, fType))
		c.opt(c.child(i, fValue))
	case cFieldDesignator:
		if f := c.first(i); f != none {
			c.useMember(artifact.RoleWrite, f, none)
		}
	case cAttributeSpecifier, cppAttributeDeclaration:
	case cppNamespaceDefinition:
		c.namespace(i)
	case cppNamespaceAliasDefinition:
		c.namespaceAlias(i)
	case cppTemplateDeclaration:
		c.template(i)
	case cppTemplateParameterList:
		c.templateParameters(i)
	case cppTemplateType, cppTemplateFunction:
		c.opt(c.child(i, fName))
		c.typeAs(artifact.RoleType, c.child(i, fArguments))
	case cppQualifiedIdentifier:
		role := c.role
		if !c.namesType(i) && role == artifact.RoleType {
			role = artifact.RoleRead
		}
		c.qualified(role, i)
	case cppUsingDeclaration:
		c.using(i)
	case cppAliasDeclaration:
		outer := c.bounds(i)
		d := c.begin(artifact.KindType, outer, c.child(i, fName))
		c.exported(d)
		c.opt(c.child(i, fType))
		c.end()
	case cppConceptDefinition:
		outer, name := c.bounds(i), c.child(i, fName)
		d := c.begin(artifact.KindType, outer, name)
		c.exported(d)
		for k := c.first(i); k != none; k = c.after(k) {
			if k != name {
				c.visit(k)
			}
		}
		c.end()
	case cppLambdaExpression:
		c.lambda(i)
	case cppNewExpression:
		c.typeAs(artifact.RoleInstantiate, c.child(i, fType))
		for k := c.first(i); k != none; k = c.after(k) {
			if c.nodes[k].field != fType {
				c.visit(k)
			}
		}
	case cppForRangeLoop:
		c.pushScope()
		c.opt(c.child(i, fInitializer))
		c.opt(c.child(i, fType))
		c.opt(c.child(i, fRight))
		c.bindDeclarator(c.child(i, fDeclarator))
		c.opt(c.child(i, fBody))
		c.popScope()
	case cppCatchClause:
		c.pushScope()
		if p := c.child(i, fParameters); p != none {
			c.children(p)
			c.bindParameters(p)
		}
		c.opt(c.child(i, fBody))
		c.popScope()
	case cppFieldInitializer:
		c.fieldInitializer(i)
	case cppAccessSpecifier:
		c.hidden = !bytes.HasPrefix(c.text(i), []byte("public"))
	case cppFriendDeclaration:
		for k := c.first(i); k != none; k = c.after(k) {
			switch c.kind(k) {
			case cDeclaration:
				c.opt(c.child(k, fType))
				c.declaratorUses(c.child(k, fDeclarator))
			default:
				c.visit(k)
			}
		}
	default:
		c.children(i)
	}
}

// exported applies the linkage and access at the current place.
func (c *cExtractor) exported(d int32) {
	if d < 0 || c.hidden {
		return
	}
	decl := &c.facts.Decls[d]
	if decl.Flags&artifact.SymbolLocal != 0 {
		return
	}
	if p := decl.Parent; p >= 0 && c.facts.Decls[p].Flags&artifact.SymbolExported == 0 {
		return
	}
	decl.Flags |= artifact.SymbolExported
}

// storage reports whether the declaration has the storage class.
func (c *cExtractor) storage(i int32, class string) bool {
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cStorageClassSpecifier && string(c.text(k)) == class {
			return true
		}
	}
	return false
}

// inClass reports whether the walk is directly in the body of a class, named
// or as the type of a variable.
func (c *cExtractor) inClass() bool {
	switch c.parentDeclKind() {
	case artifact.KindClass, artifact.KindStruct, artifact.KindUnion, artifact.KindField, artifact.KindVariable:
		return true
	}
	return false
}

// cBoundary recognizes the first line of a definition: it begins with a
// letter in the first column, behind a blank line, a closing brace or a
// comment, and is no statement.
func cBoundary(line, prev []byte) bool {
	if len(line) == 0 || !(isNameByte(line[0]) && (line[0] < '0' || line[0] > '9')) {
		return false
	}
	prev = bytes.TrimSpace(prev)
	if len(prev) > 0 && prev[0] != '}' && !bytes.HasSuffix(prev, []byte("*/")) && prev[0] != '#' && !bytes.HasPrefix(prev, []byte("//")) {
		return false
	}
	line = bytes.TrimSpace(line)
	for _, p := range []string{"struct ", "class ", "enum ", "union ", "typedef ", "namespace ", "template"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return bytes.IndexByte(line, '(') > 0 && !bytes.HasSuffix(line, []byte(";"))
}
