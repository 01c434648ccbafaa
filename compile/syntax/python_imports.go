package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// importModules handles "import a.b, c as d".
func (p *pyExtractor) importModules(i int32) {
	for c := p.first(i); c != none; c = p.after(c) {
		name, alias := c, none
		if p.kind(c) == pyAliasedImport {
			name, alias = p.child(c, fName), p.child(c, fAlias)
		}
		if name == none || p.kind(name) != pyDottedName {
			continue
		}
		module := p.squeeze(name)
		local := module
		if alias != none {
			local = p.str(alias)
		} else if j := bytes.IndexByte([]byte(module), '.'); j >= 0 {
			local = module[:j]
		}
		p.addImport(name, module, "", local)
		p.dotted(artifact.RoleImport, name)
	}
}

// importFrom handles "from module import a, b as c"; a module of none stands
// for __future__.
func (p *pyExtractor) importFrom(i, module int32) {
	from := "__future__"
	if module != none {
		from = p.squeeze(module)
	}
	for c := p.first(i); c != none; c = p.after(c) {
		if c == module {
			continue
		}
		name, alias := c, none
		switch p.kind(c) {
		case pyWildcardImport:
			p.addImport(c, from, "*", "*")
			continue
		case pyAliasedImport:
			name, alias = p.child(c, fName), p.child(c, fAlias)
		case pyDottedName:
		default:
			continue
		}
		if name == none {
			continue
		}
		local := p.str(name)
		if alias != none {
			local = p.str(alias)
		}
		p.addImport(name, from, p.str(name), local)
		if module != none {
			p.useMember(artifact.RoleImport, name, none)
		}
	}
}

// squeeze returns the node's text without white space.
func (p *pyExtractor) squeeze(i int32) string {
	t := p.text(i)
	if bytes.ContainsAny(t, " \t\\\r\n") {
		return p.intern(bytes.Map(func(r rune) rune {
			switch r {
			case ' ', '\t', '\\', '\r', '\n':
				return -1
			}
			return r
		}, t))
	}
	return p.intern(t)
}
