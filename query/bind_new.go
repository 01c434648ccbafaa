package query

import (
	"bytes"
	"strings"
)

// beforeValue are the words that an expression in parentheses may follow, and
// that it is no call of.
var beforeValue = wordSet{words: `return throw yield await echo print case else and or xor in is not`}

// maxConstruction bounds the text of an expression that constructs a receiver,
// in bytes.
const maxConstruction = 4 << 10

// memberOfNew binds new Type(...).name and, as PHP writes it, (new Type)->name,
// and knows the class literals of array types.
func (b *binder) memberOfNew(u use) (outcome, error) {
	if u.occ.Receiver != "…" {
		return undecided, nil
	}
	switch b.t.files[u.file].lang {
	case "java", "groovy", "csharp", "scala", "php":
	default:
		return undecided, nil
	}
	t, at, err := b.textAt(u.file, u.occ.Pos)
	if t == nil {
		return undecided, err
	}
	before := t.text[max(0, int(at)-maxConstruction):at]
	if typ, ok := bytes.CutSuffix(before, []byte(".class.")); ok && len(typ) > 0 && typ[len(typ)-1] == ']' {
		return external(ofClasses), nil // int[].class, no chain of names either
	}
	typ := constructedType(before)
	if typ == "" {
		return undecided, nil
	}
	return b.memberOfWritten(u, typ, "constructed from the type")
}

// constructedType returns the type that the receiver in front of a member's
// name constructs, "" where it does not.
func constructedType(before []byte) string {
	s := bytes.TrimRight(before, " \t\r\n")
	s, dot := bytes.CutSuffix(s, []byte("."))
	if !dot {
		if s, dot = bytes.CutSuffix(s, []byte("->")); !dot {
			return ""
		}
	}
	s = bytes.TrimRight(s, " \t\r\n?")
	if len(s) > 0 && s[len(s)-1] == '}' { // the body of an anonymous class
		s = bytes.TrimRight(openedBy(s), " \t\r\n")
	}
	if len(s) == 0 || s[len(s)-1] != ')' {
		return ""
	}
	open := openedBy(s)
	if open == nil {
		return ""
	}
	if typ := newType(open); typ != "" {
		return typ
	}
	inner := bytes.TrimSpace(s[len(open)+1 : len(s)-1])
	open = bytes.TrimRight(open, " \t\r\n")
	n := len(open)
	for n > 0 && wordByte(open[n-1]) {
		n--
	}
	if n < len(open) && !beforeValue.has(string(open[n:])) || n > 0 && n == len(open) && open[n-1] == '>' {
		return "" // a call of something else
	}
	// (new Type(...)) and (new Type)
	if len(inner) > 0 && inner[len(inner)-1] == ')' {
		inner = openedBy(inner)
	}
	if !bytes.HasPrefix(inner, []byte("new")) || bytes.ContainsAny(inner, "(){};") {
		return ""
	}
	return newType(inner)
}

// newType returns T where the text ends with new T, type arguments left out.
func newType(s []byte) string {
	s = bytes.TrimRight(s, " \t\r\n")
	if len(s) > 0 && s[len(s)-1] == '>' {
		depth := 0
		for i := len(s) - 1; ; i-- {
			if i < 0 {
				return ""
			}
			switch s[i] {
			case '>':
				depth++
			case '<':
				depth--
			}
			if depth == 0 {
				s = bytes.TrimRight(s[:i], " \t\r\n")
				break
			}
		}
	}
	n := len(s)
	for n > 0 && (wordByte(s[n-1]) || s[n-1] == '.' || s[n-1] == '\\' || s[n-1] == '$' || s[n-1] >= 0x80) {
		n--
	}
	typ := string(s[n:])
	s, ok := bytes.CutSuffix(bytes.TrimRight(s[:n], " \t\r\n"), []byte("new"))
	if !ok || n == len(s)+len("new") || len(s) > 0 && (wordByte(s[len(s)-1]) || s[len(s)-1] == '.' || s[len(s)-1] == '$') {
		return ""
	}
	return strings.Trim(typ, ".")
}

// openedBy returns what stands in front of the bracket that the text's last
// byte closes; nil where that is not found. Quoted text counts for nothing.
func openedBy(s []byte) []byte {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')', '}', ']':
			depth++
		case '(', '{', '[':
			if depth--; depth == 0 {
				return s[:i:i]
			}
		case '"', '\'', '`':
			q := s[i]
			for i--; i >= 0 && (s[i] != q || i > 0 && s[i-1] == '\\'); i-- {
				if s[i] == '\n' && q != '`' {
					return nil // an apostrophe in a comment, or a quote of several lines
				}
			}
		}
	}
	return nil
}
