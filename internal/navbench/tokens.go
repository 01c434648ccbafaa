package main

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is an identifier in a file: line and byte column from 1.
type token struct {
	line, col int
	name      string
}

// language is what the plain scan must know to tell names from the rest.
type language struct {
	exts     []string
	line     string   // begins a comment
	block    bool     // has /* */
	quotes   []string // longest first; a quote of one sign ends with its line
	raw      string   // quotes of these signs hold line ends and no escapes
	keywords []string
}

var languages = map[string]language{
	"go": {exts: []string{".go"}, line: "//", block: true, quotes: []string{`"`, "`", "'"}, raw: "`",
		keywords: words(`break case chan const continue default defer else fallthrough for func go goto if import interface map
			package range return select struct switch type var`)},
	"python": {exts: []string{".py", ".pyi"}, line: "#", quotes: []string{`"""`, "'''", `"`, "'"},
		keywords: words(`False None True and as assert async await break class continue def del elif else except finally for from
			global if import in is lambda nonlocal not or pass raise return try while with yield match case`)},
	"javascript": {exts: []string{".js", ".mjs", ".cjs", ".jsx"}, line: "//", block: true, quotes: []string{`"`, "'", "`"}, raw: "`",
		keywords: scriptWords},
	"typescript": {exts: []string{".ts", ".tsx", ".mts", ".cts"}, line: "//", block: true, quotes: []string{`"`, "'", "`"}, raw: "`",
		keywords: scriptWords},
	"rust": {exts: []string{".rs"}, line: "//", block: true, quotes: []string{`"`, "'"}, raw: `"`,
		keywords: words(`as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod
			move mut pub ref return self Self static struct super trait true type unsafe use where while bool u8 u16 u32 u64 u128
			usize i8 i16 i32 i64 i128 isize f32 f64 char str`)},
	"c": {exts: []string{".c", ".h"}, line: "//", block: true, quotes: []string{`"`, "'"}, keywords: cWords},
	"cpp": {exts: []string{".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".h"}, line: "//", block: true, quotes: []string{`"`, "'"},
		keywords: cWords},
}

var scriptWords = words(`abstract any as asserts async await boolean break case catch class const continue debugger declare default
	delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is
	keyof let namespace never new null number of override package private protected public readonly return satisfies set static
	string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield`)

var cWords = words(`alignas alignof auto bool break case catch char class const constexpr const_cast continue decltype default
	delete do double dynamic_cast else enum explicit extern false final float for friend goto if inline int long mutable namespace
	new noexcept nullptr operator override private protected public register reinterpret_cast requires restrict return short signed
	sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
	unsigned using virtual void volatile while concept co_await co_return co_yield define undef include ifdef ifndef elif endif
	pragma error defined`)

func words(s string) []string { return strings.Fields(s) }

// is reports whether a path is a file of the language.
func (l language) is(p string) bool { return slices.Contains(l.exts, path.Ext(p)) }

// identifiers returns the identifiers of a text that stand neither in comments
// nor in literals and are no words of the language. It is a plain scan: what
// it takes for a name in odd corners (regular expressions, text between tags)
// the oracle does not know, and such positions do not count.
func (l language) identifiers(src string) []token {
	var out []token
	line, begin := 1, 0
	newline := func(i int) { line, begin = line+1, i+1 }
	for i := 0; i < len(src); {
		switch {
		case src[i] == '\n':
			newline(i)
			i++
		case strings.HasPrefix(src[i:], l.line):
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case l.block && strings.HasPrefix(src[i:], "/*"):
			end := len(src)
			if n := strings.Index(src[i+2:], "*/"); n >= 0 {
				end = i + 2 + n + 2
			}
			for ; i < end; i++ {
				if src[i] == '\n' {
					newline(i)
				}
			}
		case l.quote(src[i:]) != "":
			end := l.literal(src, i)
			for ; i < end; i++ {
				if src[i] == '\n' {
					newline(i)
				}
			}
		case src[i] >= '0' && src[i] <= '9':
			for i < len(src) && (isPart(rune(src[i])) || src[i] == '.') {
				i++
			}
		default:
			r, n := utf8.DecodeRuneInString(src[i:])
			if !isPart(r) {
				i += n
				continue
			}
			start := i
			for i < len(src) {
				r, n := utf8.DecodeRuneInString(src[i:])
				if !isPart(r) {
					break
				}
				i += n
			}
			name := src[start:i]
			if l.prefixed(name, src[i:]) {
				continue // the sign of a literal
			}
			if name != "_" && !slices.Contains(l.keywords, name) {
				out = append(out, token{line, start - begin + 1, name})
			}
		}
	}
	return out
}

func isPart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// prefixed reports whether a word is part of a literal that follows: r"", b”,
// u8R"".
func (l language) prefixed(word, rest string) bool {
	if slices.Contains(l.exts, ".rs") {
		rest = strings.TrimLeft(rest, "#")
	}
	if l.quote(rest) == "" {
		return false
	}
	switch strings.ToLower(word) {
	case "r", "b", "u", "f", "rb", "br", "fr", "rf", "u8", "l", "c", "cr", "lr", "ur", "u8r", "t":
		return true
	}
	return false
}

// quote returns the quote that a text begins with.
func (l language) quote(s string) string {
	for _, q := range l.quotes {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// literal returns the offset after the literal that begins at i.
func (l language) literal(src string, i int) int {
	q := l.quote(src[i:])
	body := i + len(q)
	if slices.Contains(l.exts, ".rs") {
		if q == "'" {
			// 'a' and '\n' are characters, 'a and 'static lifetimes.
			if body < len(src) && src[body] != '\\' {
				_, n := utf8.DecodeRuneInString(src[body:])
				if body+n >= len(src) || src[body+n] != '\'' {
					for body < len(src) && isPart(rune(src[body])) {
						body++
					}
					return body
				}
			}
		} else if i > 0 && (src[i-1] == 'r' || src[i-1] == '#') {
			// r#"..."#, with as many signs as before.
			k := 0
			for i-1-k >= 0 && src[i-1-k] == '#' {
				k++
			}
			if i-1-k >= 0 && src[i-1-k] == 'r' {
				if n := strings.Index(src[body:], `"`+strings.Repeat("#", k)); n >= 0 {
					return body + n + 1 + k
				}
				return len(src)
			}
		}
	}
	escapes := q != "`" || !slices.Contains(l.exts, ".go")
	for j := body; j < len(src); {
		switch {
		case escapes && src[j] == '\\':
			j += 2
		case strings.HasPrefix(src[j:], q):
			return j + len(q)
		case src[j] == '\n' && len(q) == 1 && !strings.Contains(l.raw, q):
			return j
		default:
			j++
		}
	}
	return len(src)
}
