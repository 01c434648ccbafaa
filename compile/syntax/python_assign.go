package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// assignment handles "left: type = right"; stmt is the statement or the
// assignment itself.
func (p *pyExtractor) assignment(stmt, i int32) {
	left, right, typ := p.child(i, fLeft), p.child(i, fRight), p.child(i, fType)
	if left == none {
		p.children(i)
		return
	}
	inClass := p.inClass()
	declares := p.callables == 0 && len(p.marks) == p.base || inClass
	opened := false
	if declares {
		opened = p.declareTargets(stmt, left, typ, inClass, p.assignedHint(i))
	} else {
		p.as(artifact.RoleWrite, left)
		p.fields(left, p.assignedHint(i))
	}
	p.as(artifact.RoleType, typ)
	if right != none {
		if left != none && p.kind(left) == pyIdentifier && string(p.text(left)) == "__all__" && p.callables == 0 {
			p.exportList(right)
		}
		if p.kind(right) == pyAssignment { // a = b = c
			p.assignment(right, right)
		} else {
			p.as(artifact.RoleRead, right)
		}
	}
	if opened {
		p.end()
	}
}

// declareTargets declares the plain names of an assignment's target and
// visits the rest. It reports whether it left a declaration open.
func (p *pyExtractor) declareTargets(stmt, left, typ int32, inClass bool, hint string) bool {
	if p.kind(left) == pyIdentifier {
		if !p.once(left) {
			p.use(artifact.RoleWrite, left)
			p.again(left, hint)
			return false
		}
		d := p.begin(p.variableKind(left, typ, inClass), stmt, left)
		p.exported(d)
		p.hintFor(d, hint)
		return true
	}
	var names []int32
	for k := left; k < p.nodes[left].next; k++ {
		switch p.kind(k) {
		case pyAttribute, pySubscript, pyCall:
			p.as(artifact.RoleWrite, k)
			k = p.nodes[k].next - 1
		case pyIdentifier:
			names = append(names, k)
		}
	}
	for n, k := range names {
		if !p.once(k) {
			p.use(artifact.RoleWrite, k)
			p.again(k, elementHint(hint, n))
			continue
		}
		from, to := k, k
		if n == 0 {
			from = stmt
		}
		if n == len(names)-1 {
			to = stmt
		}
		d := p.leafSpan(p.variableKind(k, typ, inClass), from, to, k)
		p.exported(d)
		p.hintFor(d, elementHint(hint, n))
	}
	return false
}

func (p *pyExtractor) variableKind(name, typ int32, inClass bool) artifact.Kind {
	if inClass && p.parentDeclKind() == artifact.KindEnum && typ == none && p.text(name)[0] != '_' {
		return artifact.KindEnumMember
	}
	if isUpper(p.text(name)) {
		return artifact.KindConstant
	}
	if inClass {
		return artifact.KindField
	}
	if typ != none && bytes.HasSuffix(p.text(typ), []byte("TypeAlias")) {
		return artifact.KindType
	}
	return artifact.KindVariable
}

// isUpper reports whether a name is written as a constant is: with capital
// letters and without small ones.
func isUpper(name []byte) bool {
	upper := false
	for _, c := range name {
		if c >= 'a' && c <= 'z' || c >= 0x80 {
			return false
		}
		upper = upper || c >= 'A' && c <= 'Z'
	}
	return upper
}

// exportList adds the strings of "__all__ = [...]" as exports.
func (p *pyExtractor) exportList(i int32) {
	for k := i; k < p.nodes[i].next; k++ {
		if p.kind(k) == pyStringContent && isName(p.text(k)) {
			p.useMember(artifact.RoleExport, k, none)
		}
	}
}

// isName reports whether b is one plain name.
func isName(b []byte) bool {
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return len(b) > 0
}

func (p *pyExtractor) typeAlias(i int32) {
	left := p.child(i, fLeft)
	if left == none {
		p.children(i)
		return
	}
	name := none
	for k := left; k < p.nodes[left].next; k++ {
		if p.kind(k) == pyIdentifier {
			name = k
			break
		}
	}
	p.exported(p.begin(artifact.KindType, i, name))
	p.hintFor(int32(len(p.facts.Decls)-1), p.writtenHint(p.child(i, fRight)))
	p.pushScopeOf(i)
	if name != none {
		for k := name + 1; k < p.nodes[left].next; k++ {
			if p.kind(k) == pyIdentifier {
				p.bindAs(artifact.KindTypeParameter, k, "")
			}
		}
	}
	p.as(artifact.RoleType, p.child(i, fRight))
	p.popScope()
	p.end()
}
