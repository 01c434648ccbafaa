package query

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// naive is the oracle: every line of every block, one by one, through the
// regexp package alone.
func naive(re *regexp.Regexp, text []byte, blocks []int) (out [][2]int) {
	lo := 0
	for _, hi := range blocks {
		block := text[lo:hi]
		off := lo
		for len(block) > 0 {
			line, rest, _ := bytes.Cut(block, []byte("\n"))
			if re.Match(line) {
				out = append(out, [2]int{off, off + len(line)})
			}
			off += len(block) - len(rest)
			block = rest
		}
		lo = hi
	}
	return out
}

func scanAll(p *pattern, text []byte, blocks []int) (out [][2]int) {
	newLineScan(p).run(text, blocks, func(a, b int) bool {
		out = append(out, [2]int{a, b})
		return true
	})
	return out
}

func oraclePattern(o GrepOptions) string {
	t := o.Pattern
	if o.Literal {
		t = regexp.QuoteMeta(t)
	}
	if o.Word && !o.Literal {
		t = `\b(?:` + t + `)\b`
	}
	if o.IgnoreCase {
		t = "(?i:" + t + ")"
	}
	return t
}

func checkPattern(t *testing.T, o GrepOptions, text []byte, blocks []int) {
	t.Helper()
	p, err := compilePattern(o)
	if err != nil {
		return
	}
	re, err := regexp.Compile(oraclePattern(o))
	if err != nil {
		t.Fatalf("%q was accepted, the oracle refuses it: %v", o.Pattern, err)
	}
	got, want := scanAll(p, text, blocks), naive(re, text, blocks)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v on %q (blocks %v, literals %q fold %v):\n got %v\nwant %v", o, text, blocks, p.need.lits, p.need.fold, got, want)
	}
	for _, l := range got {
		line := text[l[0]:l[1]]
		w := re.FindAllIndex(line, -1)
		if g, n := p.spans(line); !reflect.DeepEqual(g, w[:min(len(w), maxSpans)]) || n != len(w) {
			t.Fatalf("%+v on line %q: %d spans %v, want %d %v", o, line, n, g, len(w), w)
		}
		if g, w := p.count(line), len(re.FindAllIndex(line, -1)); g != w {
			t.Fatalf("%+v on line %q: count %d, want %d", o, line, g, w)
		}
	}
}

func TestPatternCases(t *testing.T) {
	text := []byte("def get(self):\r\n  return K\u212A ſecret \xff\xfe\nclass Getter:\n\nfoo\n  SELF.x = getattr\nßSs straße\n tail")
	blocks := []int{30, 30, 45, len(text)}
	for _, pat := range []string{
		"get", "Get", "self", "^$", "$", "", "a|b", "get|class", "(?i)self", "(?i)k", "(?i)s", "(?i)class", "(?i)secret",
		"[gG]et", "x*", "(get)+", "(get){2,3}", "get.*self", "^def", ":$", `\bget\b`, "g?et", "(?:a|get|)", "\u212A", "(?i)\u212A",
		"\ufffd", `\x{fffd}`, "[^a]", "(?i)ss", "(?i)ß", "(?s).", `\n`, "get\nself", `\Aclass`, `\z`, "(?m)^class$", "(a|b)(c|d)e", "cla(ss|p)", "(?i:G)et",
		"tail", "il$", ".", "^", "e", "(?i)E", "[[:upper:]]", `\x{ff}`, "(x|y)?z", "r+e",
	} {
		for mode := range 8 {
			o := GrepOptions{Pattern: pat, Literal: mode&1 != 0, IgnoreCase: mode&2 != 0, Word: mode&4 != 0}
			if o.Literal && (o.Word || strings.ContainsRune(pat, '\ufffd')) {
				continue // words of literals and U+FFFD have rules of their own, tested apart
			}
			checkPattern(t, o, text, blocks)
		}
	}
}

func TestLiteralWord(t *testing.T) {
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{"get", "x get y", true}, {"get", "gets", false}, {"get", "budget", false},
		{"$foo", "a $foo b", true}, {"$foo", "a $foobar", false}, {"->", "a->b", true},
	} {
		p, err := compilePattern(GrepOptions{Pattern: c.pattern, Literal: true, Word: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.matches([]byte(c.line)); got != c.want {
			t.Errorf("word %q on %q: %v", c.pattern, c.line, got)
		}
	}
}

func TestLiteralReplacementCharacter(t *testing.T) {
	p, err := compilePattern(GrepOptions{Pattern: "\ufffd", Literal: true})
	if err != nil {
		t.Fatal(err)
	}
	if p.matches([]byte{0xff}) || !p.matches([]byte("a\ufffdb")) {
		t.Error("a literal U+FFFD matches itself and no broken byte")
	}
}

func TestPatternErrors(t *testing.T) {
	for _, o := range []GrepOptions{
		{Pattern: "("}, {Pattern: "a)(b", Word: true}, {Pattern: "a\nb", Literal: true},
		{Pattern: strings.Repeat("a", maxPattern+1)}, {Pattern: "\xff"}, {Pattern: "a{1001}"},
	} {
		if _, err := compilePattern(o); err == nil {
			t.Errorf("%.20q was accepted", o.Pattern)
		}
	}
}

func TestRequiredLiterals(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
		fold    bool
	}{
		{"foo", []string{"foo"}, false},
		{"foo.*barbaz", []string{"barbaz"}, false},
		{"(foo|bar)baz", []string{"foobaz", "barbaz"}, false},
		{"(?i)Flask", []string{"fla"}, true},
		{"(?i)Content-Type", []string{"content-type"}, true},
		{"x*", nil, false},
		{"(a+bcd)+", []string{"bcd"}, false},
		{"[ab]cd", []string{"acd", "bcd"}, false},
		{"^func (", nil, false},
		{"^import", []string{"import"}, false},
		{"foo|", nil, false},
		{".", nil, false},
	} {
		p, err := compilePattern(GrepOptions{Pattern: c.pattern})
		if err != nil {
			continue
		}
		if !reflect.DeepEqual(p.need.lits, c.want) || p.need.fold != c.fold {
			t.Errorf("%q: literals %q fold %v, want %q %v", c.pattern, p.need.lits, p.need.fold, c.want, c.fold)
		}
	}
}

// TestPatternRandom compares the literal-filtered scan with the naive one on
// random texts and patterns over a small alphabet, where accidents are
// frequent.
func TestPatternRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	var gen func(depth int) string
	gen = func(depth int) string {
		if depth == 0 {
			return pick("a", "b", "A", "k", "s", "ab", "ba", ".", "[ab]", "[^a]", "^", "$", `\b`, "é", "K", "[a-cA]", " ", `\w`, "(?i:ab)")
		}
		switch rng.IntN(7) {
		case 0:
			return gen(depth-1) + gen(depth-1)
		case 1:
			return "(" + gen(depth-1) + "|" + gen(depth-1) + ")"
		case 2:
			return "(?:" + gen(depth-1) + ")" + pick("*", "+", "?", "{2}", "{1,3}", "*?")
		case 3:
			return "(?i:" + gen(depth-1) + ")"
		case 4:
			return gen(depth-1) + gen(depth-1) + gen(depth-1)
		default:
			return gen(depth - 1)
		}
	}
	letters := []string{"a", "b", "A", "B", "k", "K", "s", "\u212A", "ſ", "é", "É", " ", "\n", "\n", "c", "\xff", "\r", "ab", "ba"}
	for i := range 20000 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(pick(letters...))
		}
		text := []byte(b.String())
		var blocks []int
		for at := 0; at < len(text); {
			at = min(len(text), at+rng.IntN(12))
			blocks = append(blocks, at)
		}
		if len(blocks) == 0 {
			blocks = []int{0}
		}
		o := GrepOptions{Pattern: gen(rng.IntN(4)), IgnoreCase: rng.IntN(3) == 0, Word: rng.IntN(5) == 0, Literal: false}
		if rng.IntN(4) == 0 {
			o = GrepOptions{Pattern: pick("ab", "a", "ba", "aa", "ks", "A", "é"), Literal: true, IgnoreCase: rng.IntN(2) == 0}
		}
		checkPattern(t, o, text, blocks)
		if t.Failed() {
			t.Fatalf("at %d", i)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("(?i)fo+|ba[rz]$", []byte("Foo\nbar baz\n\nk"), uint8(0))
	f.Add("a.c", []byte("abc\xff\na\r\nc"), uint8(6))
	f.Fuzz(func(t *testing.T, pat string, text []byte, mode uint8) {
		if len(pat) > 64 || len(text) > 4096 {
			return
		}
		o := GrepOptions{Pattern: pat, Literal: mode&1 != 0, IgnoreCase: mode&2 != 0, Word: mode&4 != 0}
		if o.Literal && (o.Word || strings.ContainsRune(pat, '\ufffd')) {
			return
		}
		cut := len(text) * int(mode>>3) / 32
		checkPattern(t, o, text, []int{cut, len(text)})
	})
}

func BenchmarkScan(b *testing.B) {
	var text []byte
	for i := range 400000 {
		text = fmt.Appendf(text, "    def method_%d(self, request, **kwargs):\n        return self.get_queryset(request)\n", i)
	}
	for _, c := range []GrepOptions{
		{Pattern: "url_for", Literal: true}, {Pattern: "self", Literal: true}, {Pattern: "QuerySet", Literal: true, IgnoreCase: true},
		{Pattern: `def \w+_12345\(`}, {Pattern: "foo|bar|baz"},
	} {
		b.Run(fmt.Sprintf("%s/%v", c.Pattern, c.IgnoreCase), func(b *testing.B) {
			p, err := compilePattern(c)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				newLineScan(p).run(text, []int{len(text)}, func(int, int) bool { return true })
			}
		})
	}
}
