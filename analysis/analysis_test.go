package analysis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// scan returns the tokens of s as "term" for what has a position and "+term"
// for wholes.
func scan(s string) []string {
	var a Analyzer
	var out []string
	a.Scan([]byte(s), func(t Token) {
		if t.Kind == Whole {
			out = append(out, "+"+string(t.Term))
		} else {
			out = append(out, string(t.Term))
		}
	})
	return out
}

func TestScan(t *testing.T) {
	long := strings.Repeat("abcdefgh", 10)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"  \n\t.,;()", ""},
		{"word", "word"},
		{"Word", "word"},
		{"WORD", "word"},
		{"two words", "two words"},
		{"parseHTTPHeader2", "parse http header 2 +parsehttpheader2"},
		{"HTTPServer", "http server +httpserver"},
		{"url_for", "url for +urlfor"},
		{"urlFor", "url for +urlfor"},
		{"URLFor", "url for +urlfor"},
		{"URL_FOR", "url for +urlfor"},
		{"__init__", "init"},
		{"_", ""},
		{"___ a", "a"},
		{"utf8", "utf 8 +utf8"},
		{"v2", "v 2 +v2"},
		{"sha256", "sha 256 +sha256"},
		{"SHA256Sum", "sha 256 sum +sha256sum"},
		{"i18n", "i 18 n +i18n"},
		{"URLs and IDs", "urls and ids"},
		{"getURLsFor", "get urls for +geturlsfor"},
		{"isASlice", "is a slice +isaslice"},
		{"0xFF 0xFa 0b01", "0xff 0xfa 0b01"},
		{"10px 2to3 3D", "10px 2to3 3d"},
		{"3DView", "3d view +3dview"},
		{"1_000_000", "1 000 000 +1000000"},
		{"3.14", "3 14"},
		{"a.b->c::d", "a b c d"},
		{"$el @property #define", "el property define"},
		{"don't", "don t"},
		{"12345678901234567890", "1234567890123456"},
		{"a3fa85f645717456b3fc2c963f66af", "a3fa85f645717456"},
		{"2dc43210aa3fa85f6457174562b3fc2c963f66af", "2dc43210aa3fa85f"},
		{"aGVsbG8gd29ybGQhIQxYzQ", "agvsbg8gd29ybgqh"},
		{"a_b_c_d_e_f", "abcdef"},
		{long, long[:64]},
		{strings.Repeat(long, 4), "abcdefghabcdefgh"},
		{strings.ToUpper(strings.Repeat(long, 4)), "abcdefghabcdefgh"},
		{"x_" + long, "x " + long[:64] + " +x" + long[:63]},
		{"naïve_Bayes", "naïve bayes +naïvebayes"},
		{"ÉtéÀParis", "été à paris +étéàparis"},
		{"Straße", "straße"},
		{"Привет_МИР", "привет мир +приветмир"},
		{"日本語", "日本 本語"},
		{"日", "日"},
		{"日 本", "日 本"},
		{"テスト", "テス スト"},
		{"カー", "カー"},
		{"한국어", "한국 국어"},
		{"go言語test", "go 言語 test"},
		{"x\xffy", "x y"},
		{"caf\xe9", "caf"},
		{"é\u0301t", "é\u0301t"},
		{"\u0301", ""},
		{"a\u00a0b", "a b"},
		{"٣٤", "٣٤"},
		{strings.Repeat("é", 200), strings.Repeat("é", 8)},
	} {
		want := strings.Fields(c.want)
		if got := scan(c.in); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, want)
		}
	}
}

func TestScanPlaces(t *testing.T) {
	const text = "x = parseHTTPHeader2(日本語, url_for)"
	var a Analyzer
	var got []string
	n := a.Scan([]byte(text), func(t Token) {
		got = append(got, fmt.Sprintf("%d %v %s", int32(t.Pos), t.Kind, text[t.Start:t.End]))
	})
	want := []string{
		"0 word x", "1 part parse", "2 part HTTP", "3 part Header", "4 part 2", "-1 whole parseHTTPHeader2",
		"5 bigram 日本", "6 bigram 本語", "7 part url", "8 part for", "-1 whole url_for",
	}
	if !slices.Equal(got, want) || n != 9 {
		t.Errorf("got %q and %d positions", got, n)
	}
}

// reference is a slow and plain statement of the rules for one run of ASCII
// word characters.
func reference(run string) []string {
	kind := func(i int) byte {
		switch c := run[i]; {
		case c == '_':
			return '_'
		case c >= '0' && c <= '9':
			return '0'
		case c >= 'a' && c <= 'z':
			return 'a'
		default:
			return 'A'
		}
	}
	var parts []string
	part := ""
	digits := 0 // 1: in the part that begins the run with a digit
	cut := func() {
		if part != "" {
			parts = append(parts, part)
			digits = 0
		}
		part = ""
	}
	based := false
	for i := range len(run) {
		k := kind(i)
		if k == '_' {
			cut()
			continue
		}
		if part == "" && len(parts) == 0 && k == '0' {
			digits = 1
			based = strings.HasPrefix(strings.ToLower(run[i:]), "0x")
		}
		if part != "" {
			p := kind(i - 1)
			next := byte('_')
			if i+1 < len(run) {
				next = kind(i + 1)
			}
			after := byte('_')
			if i+2 < len(run) {
				after = kind(i + 2)
			}
			var boundary bool
			switch {
			case digits == 1:
				boundary = !based && k == 'A' && next == 'a' && p != '0'
			case (p == '0') != (k == '0'):
				boundary = true
			case p == 'a' && k == 'A':
				boundary = true
			case p == 'A' && k == 'A' && next == 'a':
				// The last capital of an acronym begins a word, unless the
				// small letter is a lone plural s.
				boundary = !(run[i+1] == 's' && after != 'a')
			case p == 'A' && k == 'a' && i >= 2 && len(part) >= 2 && kind(i-2) == 'A':
				// behind an acronym's plural s nothing small follows, and
				// otherwise the cut was before the last capital
			}
			if boundary {
				cut()
			}
			// What follows a plural s begins anew.
			if !boundary && digits == 0 && len(part) >= 3 && p == 'a' && run[i-1] == 's' && kind(i-2) == 'A' && kind(i-3) == 'A' && k == 'a' {
				cut()
			}
		}
		part += strings.ToLower(string(run[i]))
	}
	cut()
	return parts
}

func TestScanAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200000 {
		n := 1 + r.IntN(24)
		b := make([]byte, n)
		alphabet := []string{"abAB01_", "asS", "aA_", "x0Xs1F", "aBcDeFgH_0"}[r.IntN(5)]
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		parts := reference(string(b))
		whole := strings.Join(parts, "")
		var want []string
		clip := func(s string) string {
			if s[0] >= '0' && s[0] <= '9' && len(s) > opaqueTerm {
				return s[:opaqueTerm]
			}
			return s
		}
		switch {
		case len(parts) == 0:
		case len(parts) == 1:
			want = []string{clip(whole)}
		case len(parts) >= opaqueParts && len(whole) < opaqueLength*len(parts):
			want = []string{whole[:min(len(whole), opaqueTerm)]}
		default:
			for _, p := range parts {
				want = append(want, clip(p))
			}
			want = append(want, "+"+whole)
		}
		if got := scan(string(b)); !slices.Equal(got, want) {
			t.Fatalf("%q\n got %q\nwant %q", b, got, want)
		}
	}
}

// checkScan fails where tokens break a promise that holds for every text.
func checkScan(t *testing.T, text []byte) {
	t.Helper()
	var a Analyzer
	pos, end := uint32(0), 0
	n := a.Scan(text, func(tok Token) {
		if len(tok.Term) == 0 || len(tok.Term) > MaxTerm || !utf8.Valid(tok.Term) {
			t.Fatalf("term %q", tok.Term)
		}
		for _, r := range string(tok.Term) {
			if unicode.ToLower(r) != r && unicode.ToLower(unicode.ToLower(r)) != r || r == '_' || r == ' ' {
				t.Fatalf("term %q holds %q", tok.Term, r)
			}
		}
		if tok.Start >= tok.End || tok.End > len(text) || tok.End < end {
			t.Fatalf("token at [%d, %d) behind %d of %d", tok.Start, tok.End, end, len(text))
		}
		end = tok.End
		if tok.Kind == Whole {
			if tok.Pos != NoPosition {
				t.Fatalf("whole %q at position %d", tok.Term, tok.Pos)
			}
			return
		}
		if tok.Pos != pos {
			t.Fatalf("%q at position %d, want %d", tok.Term, tok.Pos, pos)
		}
		pos++
	})
	if n != pos {
		t.Fatalf("%d positions, want %d", n, pos)
	}
	// Text on both sides of a separator is independent.
	joined := scan(string(text) + "\n" + string(text))
	once := scan(string(text))
	if !slices.Equal(joined, append(once, once...)) {
		t.Fatal("tokens depend on what stands before a separator")
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader2 url_for", "日本語 naïve\xff\u0301", "0xFF ǅ İ ⱥȺ", "٣٤_a", "ffff_f" + strings.Repeat("C", 300), "é" + strings.Repeat("_", 300) + "x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(checkScan)
}

func TestScanRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	pieces := []string{"a", "B", "_", "1", " ", "é", "É", "日", "ー", "한", "\u0301", "\xff", "ǅ", "Ⱥ", "İ", "٣", "-", strings.Repeat("xY", 100)}
	for range 20000 {
		var b []byte
		for range r.IntN(30) {
			b = append(b, pieces[r.IntN(len(pieces))]...)
		}
		checkScan(t, b)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	text := sample(t)
	var a Analyzer
	n := 0
	emit := func(Token) { n++ }
	if allocs := testing.AllocsPerRun(5, func() { a.Scan(text, emit) }); allocs > 0 {
		t.Errorf("%v allocations for %d bytes", allocs, len(text))
	}
}

// sample returns this package's own source, code and prose alike.
func sample(tb testing.TB) []byte {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		tb.Fatal("no source files beside the test:", err)
	}
	var text []byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		text = append(text, b...)
	}
	return text
}

func BenchmarkScan(b *testing.B) {
	text := sample(b)
	var a Analyzer
	n := 0
	emit := func(Token) { n++ }
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a.Scan(text, emit)
	}
}
