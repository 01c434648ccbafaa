package syntax

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

// tinyFunctions gives a function, named f and the number, in each language.
var tinyFunctions = map[string]string{
	"bash":       "f%d() { g $1; }\n",
	"c":          "int f%d(int a) { return g(a); }\n",
	"cpp":        "int f%d(int a) { return ns::g(a); }\n",
	"csharp":     "class F%d { int f(int a) { return g(a); } }\n",
	"go":         "func f%d(a int) int { return g(a) }\n",
	"haskell":    "f%d a = g a\n",
	"java":       "class F%d { int f(int a) { return g(a); } }\n",
	"javascript": "function f%d(a) { return g(a); }\n",
	"kotlin":     "fun f%d(a: Int): Int { return g(a) }\n",
	"lua":        "function f%d(a) return g(a) end\n",
	"php":        "function f%d($a) { return g($a); }\n",
	"python":     "def f%d(a):\n    return g(a)\n",
	"ruby":       "def f%d(a)\n  g(a)\nend\n",
	"rust":       "fn f%d(a: u8) -> u8 { g(a) }\n",
	"scala":      "def f%d(a: Int): Int = { g(a) }\n",
	"tsx":        "function f%d(a: T) { return g(a); }\n",
	"typescript": "function f%d(a: T) { return g(a); }\n",
	"zig":        "fn f%d(a: u8) u8 { return g(a); }\n",
}

func tiny(t testing.TB, lang string, n int) []byte {
	line := tinyFunctions[lang]
	if line == "" {
		t.Fatalf("no tiny function for %s", lang)
	}
	var b bytes.Buffer
	switch lang {
	case "go":
		b.WriteString("package p\n")
	case "php":
		b.WriteString("<?php\n")
	}
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.Bytes()
}

func mustParse(t testing.TB, lang string, src []byte, l Limits) *Facts {
	t.Helper()
	f, err := Parse(lang, src, l)
	if err != nil {
		t.Fatalf("%s: %v", lang, err)
	}
	return f
}

// TestManyTinyFunctions checks that a file of many declarations is parsed
// within the work limit, which grows with the file and not faster, and that
// every one of them is there.
func TestManyTinyFunctions(t *testing.T) {
	for _, lang := range languageNames() {
		src := tiny(t, lang, 22000)
		f := mustParse(t, lang, src, Limits{})
		n := 0
		for _, d := range f.Decls {
			if strings.ToLower(d.Name) != "f" {
				n++
			}
		}
		if f.Degraded != artifact.DegradedNone || n != 22000 {
			t.Errorf("%s: %d of 22000 functions, %s", lang, n, f.Degraded)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	for _, lang := range languageNames() {
		reported := false
		for _, brackets := range []string{"()", "[]", "{}"} {
			src := tiny(t, lang, 2)
			src = append(src, "x = "...)
			src = append(src, strings.Repeat(brackets[:1], 20000)...)
			src = append(src, strings.Repeat(brackets[1:], 20000)...)
			src = append(src, '\n')
			f := mustParse(t, lang, src, Limits{})
			reported = reported || f.Degraded == artifact.DegradedDepth || f.Degraded == artifact.DegradedBudget
			checkInvariants(t, lang, src, f)
		}
		if !reported {
			t.Errorf("%s: no kind of bracket nested 20000 deep is reported", lang)
		}
		// Half a nesting: nothing but opening brackets.
		mustParse(t, lang, bytes.Repeat([]byte("(["), 10000), Limits{})
		mustParse(t, lang, bytes.Repeat([]byte("if (a) { "), 5000), Limits{})
		mustParse(t, lang, bytes.Repeat([]byte("f(a, "), 5000), Limits{})
	}
}

func TestDepthLimit(t *testing.T) {
	src := []byte("x = " + strings.Repeat("(", 50) + "1" + strings.Repeat(")", 50) + "\n")
	if f := mustParse(t, "python", src, Limits{Depth: 40}); f.Degraded != artifact.DegradedDepth || len(f.Decls) != 0 {
		t.Errorf("depth 40: %s with %d declarations", f.Degraded, len(f.Decls))
	}
	if f := mustParse(t, "python", src, Limits{Depth: 80}); f.Degraded != artifact.DegradedNone || len(f.Decls) != 1 {
		t.Errorf("depth 80: %s with %d declarations", f.Degraded, len(f.Decls))
	}
}

func TestWorkLimit(t *testing.T) {
	src := tiny(t, "go", 100)
	if f := mustParse(t, "go", src, Limits{Work: 500}); f.Degraded != artifact.DegradedBudget || len(f.Decls) != 0 {
		t.Errorf("%s with %d declarations", f.Degraded, len(f.Decls))
	}
}

func TestRandomBytes(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	noise := make([]byte, 300_000)
	rng.Read(noise)
	for _, lang := range languageNames() {
		if f := mustParse(t, lang, noise, Limits{}); f.Degraded != artifact.DegradedNotText {
			t.Errorf("%s: random bytes are %q", lang, f.Degraded)
		}
	}
	// Printable noise passes as text; the work limit holds it.
	noise = noise[:60_000]
	const chars = "abcdef(){}[]<>.,;:'\"`+-*/%&|^!?=@#$\\~ \n\t0123456789_"
	for i := range noise {
		noise[i] = chars[int(noise[i])%len(chars)]
	}
	for _, lang := range languageNames() {
		f := mustParse(t, lang, noise, Limits{})
		if f.Degraded == artifact.DegradedNone {
			t.Errorf("%s: noise parses", lang)
		}
		checkInvariants(t, lang, noise, f)
	}
}

func TestOddInput(t *testing.T) {
	for _, lang := range languageNames() {
		one := tiny(t, lang, 3)
		want := len(mustParse(t, lang, one, Limits{}).Decls)
		for name, src := range map[string][]byte{
			"crlf":                bytes.ReplaceAll(one, []byte("\n"), []byte("\r\n")),
			"byte order mark":     append([]byte("\xEF\xBB\xBF"), one...),
			"no newline":          bytes.TrimSuffix(one, []byte("\n")),
			"latin-1 at the end":  append(bytes.Clone(one), comment(lang, "caf\xE9")...),
			"invalid at the end":  append(bytes.Clone(one), comment(lang, "\xFF\xFE\xC3")...),
			"wide characters":     append([]byte(comment(lang, "漢字 🙂")), one...),
			"form feed and blank": append([]byte("\n\f\n"), one...),
		} {
			f := mustParse(t, lang, src, Limits{})
			if len(f.Decls) != want {
				t.Errorf("%s, %s: %d declarations, not %d", lang, name, len(f.Decls), want)
			}
			checkInvariants(t, lang+", "+name, src, f)
		}
		for _, src := range []string{"", "\n", " ", "\x00", "\xEF\xBB\xBF", "\r", "(", "'", "\"", "/*", "`", "#", "<", "@"} {
			checkInvariants(t, fmt.Sprintf("%s %q", lang, src), []byte(src), mustParse(t, lang, []byte(src), Limits{}))
		}
	}
}

func comment(lang, text string) string {
	switch lang {
	case "python", "ruby", "bash":
		return "# " + text + "\n"
	case "lua", "haskell":
		return "-- " + text + "\n"
	}
	return "// " + text + "\n"
}

// TestPure checks that a result does not depend on what was parsed before, and
// does not change when the source's memory is reused.
func TestPure(t *testing.T) {
	type job struct {
		lang string
		src  []byte
	}
	var jobs []job
	for _, lang := range languageNames() {
		for _, s := range seeds(t, lang) {
			jobs = append(jobs, job{lang, s}, job{lang, s[:len(s)/2]})
		}
	}
	first := make([]*Facts, len(jobs))
	var buf []byte
	for i, j := range jobs {
		buf = append(buf[:0], j.src...)
		first[i] = mustParse(t, j.lang, buf, Limits{})
	}
	for i := range buf {
		buf[i] = 'x'
	}
	rng := rand.New(rand.NewSource(2))
	for range 2 {
		for _, i := range rng.Perm(len(jobs)) {
			if again := mustParse(t, jobs[i].lang, jobs[i].src, Limits{}); !reflect.DeepEqual(first[i], again) {
				t.Fatalf("%s: the result differs after other files", jobs[i].lang)
			}
		}
	}
	done := make(chan error)
	for w := range 4 {
		go func() {
			for i := range jobs {
				k := (i*7 + w) % len(jobs)
				f, err := Parse(jobs[k].lang, jobs[k].src, Limits{})
				if err == nil && !reflect.DeepEqual(first[k], f) {
					err = fmt.Errorf("%s: the result differs among goroutines", jobs[k].lang)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestCuts parses every prefix and every file with a piece cut out: whatever
// an editor leaves behind must not break what callers rely on.
func TestCuts(t *testing.T) {
	for _, lang := range languageNames() {
		for _, s := range seeds(t, lang) {
			step := max(1, len(s)/60)
			for k := 0; k < len(s); k += step {
				prefix := s[:k]
				checkInvariants(t, fmt.Sprintf("%s, first %d bytes", lang, k), prefix, mustParse(t, lang, prefix, Limits{}))
				cut := append(bytes.Clone(s[:k]), s[min(len(s), k+step):]...)
				checkInvariants(t, fmt.Sprintf("%s without %d..", lang, k), cut, mustParse(t, lang, cut, Limits{}))
			}
		}
	}
}
