package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	shWord = kindFirst + iota
	shComment
	shFunction
	shCommand
	shCommandName
	shDeclaration
	shAssignment
	shVariableName
	shSubscript
	shSimpleExpansion
	shExpansion
	shFor
	shString
	shRawString
	shConcatenation
	shHeredocEnd
	shCommandSubstitution
	shCompound
	shSubshell
	shUnset
	shNumKinds
)

var bashKinds = [shNumKinds]string{
	shWord: "word", shComment: "comment", shFunction: "function_definition", shCommand: "command",
	shCommandName: "command_name", shDeclaration: "declaration_command", shAssignment: "variable_assignment",
	shVariableName: "variable_name", shSubscript: "subscript", shSimpleExpansion: "simple_expansion",
	shExpansion: "expansion", shFor: "for_statement", shString: "string", shRawString: "raw_string",
	shConcatenation: "concatenation", shHeredocEnd: "heredoc_end", shCommandSubstitution: "command_substitution",
	shCompound: "compound_statement", shSubshell: "subshell", shUnset: "unset_command",
}

// bashUniverse is the shell's own commands, which no file declares.
var bashUniverse = [...]string{
	"_", ":", ".", "[", "source", "alias", "bg", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "continue",
	"dirs", "disown", "echo", "enable", "eval", "exec", "exit", "false", "fg", "getopts", "hash", "history", "jobs", "kill",
	"let", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "return", "set", "shift", "shopt",
	"test", "times", "trap", "true", "type", "ulimit", "umask", "unalias", "wait",
}

func bashBoundary(line, _ []byte) bool {
	if bytes.HasPrefix(line, []byte("function ")) {
		return true
	}
	n := 0
	for n < len(line) && (shNameByte(line[n]) || line[n] == '-' || line[n] == ':' || line[n] == '.') {
		n++
	}
	return n > 0 && bytes.HasPrefix(line[n:], []byte("()"))
}

func shNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

type bashExtractor struct{ walker }

func extractBash(x *extraction) {
	b := &bashExtractor{newWalker(x)}
	b.walker.visit = b.visit
	b.children(0)
}

func (b *bashExtractor) visit(i int32) {
	switch b.kind(i) {
	case shComment:
		b.comment(i)
	case shFunction:
		b.function(i)
	case shCommand:
		b.command(i)
	case shDeclaration:
		b.declaration(i)
	case shAssignment:
		b.assignment(i, i, artifact.KindVariable, false)
	case shVariableName:
		if t := b.text(i); len(t) > 0 && (t[0] < '0' || t[0] > '9') { // no positional parameter
			b.use(b.role, i)
		}
	case shUnset:
		b.childrenAs(artifact.RoleWrite, i)
	case shFor:
		if v := b.child(i, fVariable); v != none {
			b.as(artifact.RoleWrite, v)
			b.rest(i, v, none)
		} else {
			b.children(i)
		}
	default:
		b.children(i)
	}
}

func (b *bashExtractor) function(i int32) {
	name, body := b.child(i, fName), b.child(i, fBody)
	d := b.begin(artifact.KindFunction, i, name)
	b.export(d)
	b.signature(d, i, body)
	b.enter()
	if body != none {
		b.as(artifact.RoleRead, body)
	}
	b.leave()
	b.end()
}

// plain returns the text of a word without expansions or quotes.
func (b *bashExtractor) plain(i int32) []byte {
	for i != none && b.kind(i) == shCommandName {
		i = b.first(i)
	}
	if i == none || b.kind(i) != shWord || b.first(i) != none {
		return nil
	}
	t := b.text(i)
	if len(t) == 0 || t[0] == '-' || bytes.IndexByte(t, '/') >= 0 || bytes.ContainsAny(t, "*?=\\$~{}") {
		return nil
	}
	return t
}

func (b *bashExtractor) command(i int32) {
	name := b.child(i, fName)
	text := b.plain(name)
	if text != nil {
		if id := b.nameOf(text); b.bound[id] == 0 {
			b.useAt(artifact.RoleCall, b.nodes[name].start, text, "")
		}
	} else if name != none {
		b.visit(name)
	}
	argument := none
	for c := b.first(i); c != none; c = b.after(c) {
		if b.nodes[c].field == fArgument {
			argument = c
			break
		}
	}
	switch string(text) {
	case "source", ".":
		b.source(argument)
	case "trap":
		if t := b.plain(argument); t != nil {
			b.useAt(artifact.RoleRead, b.nodes[argument].start, t, "")
		}
	case "alias":
		for c := argument; c != none; c = b.after(c) {
			t := b.text(c)
			if n := bytes.IndexByte(t, '='); n > 0 && b.callables == 0 {
				d := b.beginNamed(artifact.KindMacro, i, i, b.intern(t[:n]), b.nodes[c].start)
				b.export(d)
				b.end()
				break
			}
		}
	}
	b.rest(i, name, none)
}

func (b *bashExtractor) source(argument int32) {
	if argument == none {
		return
	}
	module := bytes.Trim(b.text(argument), `"'`)
	if len(module) > 0 && len(module) < 256 {
		b.addImport(argument, b.intern(module), "*", "*")
	}
}

// declaration handles declare, local, readonly and export. In a function all
// but export make the name local.
func (b *bashExtractor) declaration(i int32) {
	word, _, _ := bytes.Cut(b.text(i), []byte(" "))
	kind := artifact.KindVariable
	exported := string(word) == "export"
	if string(word) == "readonly" {
		kind = artifact.KindConstant
	}
	local := b.callables > 0 && !exported && string(word) != "readonly"
	last := none
	for c := b.first(i); c != none; c = b.after(c) {
		switch b.kind(c) {
		case shAssignment:
			last = c
		case shWord:
			if t := b.text(c); len(t) > 1 && t[0] == '-' {
				if bytes.IndexByte(t, 'r') > 0 {
					kind = artifact.KindConstant
				}
				if bytes.IndexByte(t, 'x') > 0 {
					exported = true
				}
				if bytes.IndexByte(t, 'g') > 0 {
					local = false
				}
			}
		}
	}
	from := i
	for c := b.first(i); c != none; c = b.after(c) {
		switch b.kind(c) {
		case shAssignment:
			if local {
				name := b.child(c, fName)
				b.rest(c, name, none)
				if name != none && b.kind(name) == shVariableName {
					b.bind(name)
				}
				continue
			}
			to := c
			if c == last {
				to = i
			}
			b.assignment(from, to, kind, exported)
			if from = b.after(c); from == none {
				from = c
			}
		case shVariableName:
			if local {
				b.bind(c)
			} else if exported {
				b.use(artifact.RoleExport, c)
			} else {
				b.use(artifact.RoleWrite, c)
			}
		default:
			b.visit(c)
		}
	}
}

// assignment handles "name=value"; the first one at file level declares the
// name. The node is from, or the last one before to's end.
func (b *bashExtractor) assignment(from, to int32, kind artifact.Kind, exported bool) {
	i := to
	if b.kind(i) != shAssignment {
		i = b.lastOf(to, shAssignment)
	}
	if i == none {
		return
	}
	name := b.child(i, fName)
	if name == none {
		b.children(i)
		return
	}
	if b.callables > 0 || b.kind(name) != shVariableName || b.parentKind(i) == shCommand || !b.once(name) {
		b.as(artifact.RoleWrite, name)
		b.rest(i, name, none)
		return
	}
	d := b.beginSpan(kind, from, to, name)
	if exported {
		b.export(d)
	}
	b.rest(i, name, none)
	b.end()
}
