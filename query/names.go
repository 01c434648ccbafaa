package query

import (
	"strings"
	"sync"
)

// wordSet is a set of words, written as one string: a switch over as many cases
// is several times its size in code.
type wordSet struct {
	once  sync.Once
	set   map[string]struct{}
	words string
}

func (s *wordSet) has(word string) bool {
	s.once.Do(func() {
		s.set = make(map[string]struct{})
		for w := range strings.FieldsSeq(s.words) {
			s.set[w] = struct{}{}
		}
	})
	_, ok := s.set[word]
	return ok
}

// common reports whether a name is so common among methods that a use of it
// with an unknown receiver says nothing, even when the tree declares it once.
func common(name string) bool {
	return len(name) <= 2 || commonNames.has(strings.ToLower(strings.TrimLeft(name, "_")))
}

// builtin reports whether a bare name belongs to the language's own globals.
// Languages whose parser facts leave them out already need no list.
func builtin(lang, name string) bool {
	switch family(lang) {
	case "python":
		if pythonGlobals.has(name) {
			return true
		}
		// The language's exceptions.
		return len(name) > 5 && name[0] >= 'A' && name[0] <= 'Z' &&
			(strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Warning") ||
				name == "StopIteration" || name == "StopAsyncIteration" || name == "KeyboardInterrupt" || name == "SystemExit" || name == "GeneratorExit")
	case "script":
		return scriptGlobals.has(name)
	case "rust":
		return rustGlobals.has(name)
	case "jvm", "csharp":
		return jvmGlobals.has(name)
	case "c":
		return cGlobals.has(name)
	case "ruby":
		return rubyGlobals.has(name)
	case "php":
		return phpGlobals.has(name)
	case "lua":
		return luaGlobals.has(name)
	case "bash", "zsh":
		return shellGlobals.has(name)
	}
	return false
}

var commonNames = wordSet{words: `
	get set add append push pop put insert remove delete del discard clear reset update replace merge extend copy
	clone close open read readline write writeln flush seek tell send recv receive emit on off once start stop run
	exec execute call apply bind invoke wait join split strip trim format encode decode lower upper index indexof
	find search match test count len length size empty isempty contains has includes keys values items entries
	sort sorted reverse map filter reduce each foreach some every any all then catch finally next iter first last
	min max sum slice concat fill equals equal eq compare cmp hash hashcode tostring string str repr error errors
	debug info warn warning log print printf println name value type id key data text path url status code message
	body headers init new create make build load save dump loads dumps parse render handle process validate check
	lock unlock acquire release do ok err unwrap expect into from as_ref as_str to_string collect fold take skip
	zip chain with enter exit connect disconnect commit rollback begin end done cancel submit result context
	config options args self this setup teardown dispose register unregister subscribe publish notify fetch
	request response query select where order group limit offset exists refresh sleep now time date children
	parent node header servehttp roundtrip marshal unmarshal marshaljson unmarshaljson scan list dict tuple array
	object number bool int float bytes`}

// The globals of languages, one set for each family.
var (
	pythonGlobals = wordSet{words: `
	__name__ __file__ __doc__ __all__ __import__ NotImplemented Ellipsis abs aiter all anext any ascii bin bool
	breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval
	exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass
	iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed
	round set setattr slice sorted staticmethod str sum super tuple type vars zip`}
	scriptGlobals = wordSet{words: `
	Array ArrayBuffer BigInt Blob Boolean Buffer Date Error Event FormData Function Headers Infinity JSON Map Math
	NaN Number Object Promise Proxy RangeError Record ReadableStream Reflect RegExp Request Response Set String
	Symbol SyntaxError TextDecoder TextEncoder TypeError URL URLSearchParams Uint8Array WeakMap WeakSet atob btoa
	clearInterval clearTimeout console crypto decodeURIComponent document encodeURIComponent exports fetch
	globalThis isNaN module parseFloat parseInt process queueMicrotask require setImmediate setInterval setTimeout
	structuredClone window Partial Required Readonly Pick Omit Exclude Extract ReturnType Parameters Awaited
	InstanceType NonNullable`}
	rustGlobals = wordSet{words: `
	Some None Ok Err Box Vec String Option Result Clone Copy Debug Default Drop Eq Fn FnMut FnOnce From Into
	Iterator IntoIterator Ord PartialEq PartialOrd Send Sized Sync ToOwned ToString AsRef AsMut TryFrom TryInto
	Hash Unpin assert assert_eq assert_ne dbg debug_assert eprintln format matches panic println print todo
	unimplemented unreachable vec write writeln drop derive cfg include_str env concat stringify`}
	jvmGlobals = wordSet{words: `
	String Object Integer Long Boolean Double Float Character Byte Short Void System Math Exception
	RuntimeException IllegalArgumentException IllegalStateException NullPointerException Throwable Override
	Deprecated SuppressWarnings Iterable Runnable Thread Class Comparable StringBuilder`}
	cGlobals = wordSet{words: `
	printf fprintf sprintf snprintf malloc calloc realloc free memcpy memmove memset memcmp strlen strcmp strncmp
	strcpy strncpy strcat strchr strstr assert sizeof abort exit fopen fclose fread fwrite puts getenv qsort NULL`}
	rubyGlobals = wordSet{words: `
	puts print p raise require require_relative attr_reader attr_writer attr_accessor include extend private
	protected public lambda proc loop format sprintf freeze block_given?`}
	phpGlobals = wordSet{words: `
	isset empty count array_map array_filter array_merge in_array sprintf implode explode strlen str_replace
	is_array is_string is_null json_encode json_decode`}
	luaGlobals = wordSet{words: `
	print pairs ipairs require type tostring tonumber error pcall setmetatable getmetatable table string math io
	os select unpack rawget rawset next assert`}
	shellGlobals = wordSet{words: `
	echo printf cd test exit return local export source set unset shift read eval exec trap grep sed awk cat rm cp
	mv mkdir ls find git true false`}
)
