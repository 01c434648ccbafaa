package bundle

import (
	"encoding/json"
	"os"
	"testing"
)

// The fixture holds texts of our own with the number of tokens that the o200k
// tokenizer gives them.
func TestCountIsNeverBelowTheTokenizer(t *testing.T) {
	b, err := os.ReadFile("testdata/o200k_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]any
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 25 {
		t.Fatalf("the fixture has %d texts", len(cases))
	}
	for _, c := range cases {
		text, real := c[0].(string), int(c[1].(float64))
		n := Count([]byte(text))
		if n < real || n > 3*len(text) {
			t.Errorf("Count(%q) = %d, the tokenizer says %d", text, n, real)
		}
	}
	for text, want := range map[string]int{
		"if err != nil {\n\t\treturn nil\n\t}\n":     12,
		"        self.assertEqual(a, b)\n":           10,
		"1\tpackage x\n":                             7,
		"\xff\xfe":                                   6, // two replacement characters
		"日本":                                         6,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": 28,
	} {
		if n := Count([]byte(text)); n > want {
			t.Errorf("Count(%q) = %d, no more than %d is expected of the bound", text, n, want)
		}
	}
}

// The bound of a piece is that of the best cut: held against trying all cuts.
func TestBoundIsTheLongestCut(t *testing.T) {
	words := map[string]struct{}{"ab": {}, "bc": {}, "abc": {}, "ca": {}, "bb": {}, "cab": {}, "aab": {}}
	c := &counter{table: words, known: map[string]int{}}
	var try func(p, last string) int
	try = func(p, last string) int {
		if p == "" {
			return 0
		}
		most := -1
		for n := 1; n <= len(p); n++ {
			if _, joins := words[last+p[:n]]; joins && last != "" {
				continue
			}
			if rest := try(p[n:], p[:n]); rest >= 0 {
				most = max(most, rest+1)
			}
		}
		return most
	}
	for i := range 3 * 3 * 3 * 3 * 3 * 3 * 3 {
		p := make([]byte, 7)
		for k, n := 0, i; k < len(p); k, n = k+1, n/3 {
			p[k] = "abc"[n%3]
		}
		for _, s := range []string{string(p), string(p[:4])} {
			if got, want := c.bound([]byte(s)), try(s, ""); got != want {
				t.Fatalf("bound(%q) = %d, want %d", s, got, want)
			}
		}
	}
}

// A text that is cut in front of a line's number counts as its parts do: the
// prices of lines are exact.
func TestNumberedLinesAdd(t *testing.T) {
	for _, s := range []string{"", "x", "  ", "\t\t", "};", "// ", "é", "a\r", "'", "don'", "ǅ", "日"} {
		for _, r := range []string{"", "y", " z", "\u3000", "'s"} {
			a := appendLine(nil, 9, []byte(s))
			b := appendLine(nil, 10, []byte(r))
			sum := Count(a) + Count(b)
			if n := Count(append(a, b...)); n > sum+len(a)+len(b) || isASCII(s+r) && n != sum {
				t.Errorf("%q and %q: %d together, %d apart", s, r, n, sum)
			}
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func FuzzCount(f *testing.F) {
	f.Add([]byte("a 'S é\r\n /x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := Count(b); n < 0 || n > 3*len(b) || len(b) > 0 && n == 0 {
			t.Errorf("Count(%q) = %d", b, n)
		}
	})
}
