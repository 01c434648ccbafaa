package sketch

const (
	cStorage = tKeyword + iota // static, inline and others in front of a type
	cStatic
	cExtern
	cTypedef
	cQualifier // const, volatile
	cBasic     // int, unsigned
	cRecord    // struct, union, class
	cEnum
	cIf
	cElse
	cFor
	cWhile
	cDo
	cSwitch
	cCase
	cDefault
	cReturn
	cGoto
	cJump // break, continue
	cSizeof
	cAttribute // with something in parentheses behind it
	cTemplate
	cNamespace
	cUsing
	cTypename
	cOperator
	cNew
	cDelete
	cTry
	cCatch
	cThrow
	cCast // static_cast
	cAccess
	cThis
	cFriend
	cAuto
	cLiteral // true, nullptr
	cTrail   // override, noexcept
	cConcept
	cRequires
	cDecltype
)

var cKeywords = map[string]uint8{
	"static": cStatic, "extern": cExtern, "inline": cStorage, "register": cStorage, "__inline": cStorage, "__inline__": cStorage,
	"_Noreturn": cStorage, "_Thread_local": cStorage, "__extension__": cStorage, "__restrict": cQualifier, "__restrict__": cQualifier,
	"typedef": cTypedef, "const": cQualifier, "volatile": cQualifier, "restrict": cQualifier, "_Atomic": cQualifier, "__const": cQualifier,
	"void": cBasic, "char": cBasic, "short": cBasic, "int": cBasic, "long": cBasic, "float": cBasic, "double": cBasic, "signed": cBasic,
	"unsigned": cBasic, "_Bool": cBasic, "_Complex": cBasic, "__int128": cBasic,
	"struct": cRecord, "union": cRecord, "enum": cEnum, "if": cIf, "else": cElse, "for": cFor, "while": cWhile, "do": cDo,
	"switch": cSwitch, "case": cCase, "default": cDefault, "return": cReturn, "goto": cGoto, "break": cJump, "continue": cJump,
	"sizeof": cSizeof, "_Alignof": cSizeof, "__alignof__": cSizeof, "__attribute__": cAttribute, "__declspec": cAttribute, "__asm__": cAttribute,
	"asm": cAttribute, "_Static_assert": cAttribute, "static_assert": cAttribute, "_Alignas": cAttribute, "typeof": cDecltype, "__typeof__": cDecltype,
}

var cppKeywords = func() map[string]uint8 {
	m := map[string]uint8{
		"constexpr": cStorage, "consteval": cStorage, "constinit": cStorage, "virtual": cStorage, "explicit": cStorage, "mutable": cStorage,
		"thread_local": cStorage, "bool": cBasic, "wchar_t": cBasic, "char8_t": cBasic, "char16_t": cBasic, "char32_t": cBasic,
		"class": cRecord, "template": cTemplate, "namespace": cNamespace, "using": cUsing, "typename": cTypename, "operator": cOperator,
		"new": cNew, "delete": cDelete, "try": cTry, "catch": cCatch, "throw": cThrow, "static_cast": cCast, "dynamic_cast": cCast,
		"const_cast": cCast, "reinterpret_cast": cCast, "public": cAccess, "private": cAccess, "protected": cAccess, "this": cThis,
		"friend": cFriend, "auto": cAuto, "true": cLiteral, "false": cLiteral, "nullptr": cLiteral, "override": cTrail, "final": cTrail,
		"noexcept": cTrail, "concept": cConcept, "requires": cRequires, "decltype": cDecltype, "alignas": cAttribute, "alignof": cSizeof,
		"co_return": cReturn, "co_await": cStorage, "co_yield": cReturn, "typeid": cSizeof,
	}
	for k, v := range cKeywords {
		m[k] = v
	}
	return m
}()

// cReader reads C and C++.
type cReader struct {
	reader
	cpp   bool
	local bool
}

func (f *File) readC() {
	words := cKeywords
	if f.Lang == "cpp" {
		words = cppKeywords
	}
	f.tokens = scan(f.Lang, f.Text, words)
	r := &cReader{reader: reader{f: f, body: f.Level}, cpp: f.Lang == "cpp"}
	r.t = r.preprocess(f.tokens, words)
	r.end = len(r.t) - 1
	r.push()
	f.Top = append(f.Top, r.declarations(nil)...)
	r.pop()
}
