package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/embed"
)

func TestPermissive(t *testing.T) {
	for field, want := range map[string]bool{
		"MIT": true, "Apache-2.0 OR MIT": true, "MIT/Apache-2.0": true, "BSD-3-Clause": true, "BSD-3": true,
		"GPL-2.0-only OR BSD-3-Clause": true, "The Apache Software License, Version 2.0 or Eclipse Public License - v 2.0": true,
		"ISC": true, "PSF-2.0": true, "Unlicense": true, "Zlib": true, "Expat": true,
		"GPL-3.0": false, "LGPL-2.1+": false, "MPL-2.0": false, "Mozilla Public License, version 2.0": false,
		"AGPL-3.0": false, "": false, "Proprietary": false, "BUSL-1.1": false, "MIT AND GPL-2.0": false,
	} {
		if got := permissive(field); got != want {
			t.Errorf("%q: %v", field, got)
		}
	}
	for text, want := range map[string]string{
		"Permission is hereby granted,\n free of charge": "MIT",
		"GNU GENERAL PUBLIC LICENSE":                     "GPL",
		"Apache License\nVersion 2.0":                    "Apache-2.0",
		"All rights reserved.":                           "",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func testNames(t *testing.T) *names {
	t.Helper()
	file := filepath.Join(t.TempDir(), "exclude.txt")
	if err := os.WriteFile(file, []byte("pallets/flask\nnlohmann/json\nlibuv/libuv\ntokio-rs/tokio\nabseil/abseil-cpp\npsf/requests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := readNames(file)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestExcludedNames(t *testing.T) {
	n := testNames(t)
	for name, want := range map[string]bool{
		"flask-3.0.1": true, "Flask-3.0.1": true, "tokio-util-0.7.1": true, "libuv1_1.44.2": true, "requests-2.32.0": true,
		"github.com/gin-gonic/gin@v1.9.0": true, "serde_derive-1.0.1": true, "hyper-1.0.0": false, "werkzeug-3.0.0": false,
		"github.com/gorilla/mux@v1.8.0": false, "jinja2-3.1.0": false,
	} {
		if got := n.pack(name); got != want {
			t.Errorf("package %s: %v", name, got)
		}
	}
	for name, want := range map[string]bool{
		"third/abseil-cpp/base/x.cc": true, "src/absl/strings.h": true, "pip/requests/models.py": true, "include/json.hpp": true,
		"deps/uv/src/unix.c": true, "src/json/parser.go": false, "lib/nlohmann/x.h": true, "src/flask.py": true, "src/app.py": false,
	} {
		if got := n.file(name); got != want {
			t.Errorf("file %s: %v", name, got)
		}
	}
}

func TestShinglesFindCopies(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, strings.Repeat("x", i+3)+" = compute(value)")
	}
	s := shingles{}
	eachShingle([]byte(strings.Join(lines, "\n")), func(h uint64) { s[h] = struct{}{} })
	// White space, blank lines and braces do not hide a copy.
	if !s.holds([]byte("\t" + strings.Join(lines[4:12], "  \n\n}\n\t\t"))) {
		t.Error("a copy with other white space was not found")
	}
	if s.holds([]byte("a = first()\nb = second()\nc = third()\nd = fourth()\ne = fifth()")) {
		t.Error("another text was taken for a copy")
	}
}

func TestCommentPairs(t *testing.T) {
	for _, c := range []struct{ lang, body, words, code string }{
		{"go", "x := 1\n// Wait for the lock\n// to be free.\nmu.Lock()\ndefer mu.Unlock()\n", " Wait for the lock\n to be free.", "mu.Lock()\ndefer mu.Unlock()"},
		{"python", "# sort by name\nrows.sort()\nreturn rows", " sort by name", "rows.sort()\nreturn rows"},
		{"haskell", "-- | The sum\nf = 1\ng = 2", "The sum", "f = 1\ng = 2"},
		{"elixir", "  @doc \"\"\"\n  Fetches a row.\n  \"\"\"\n  def get(id) do\n    find(id)\n  end", "  Fetches a row.", "  def get(id) do\n    find(id)\n  end"},
	} {
		got := commentPairs(c.lang, c.body, 12)
		if len(got) != 1 || got[0].words != c.words || got[0].code != c.code {
			t.Errorf("%s: %q", c.lang, got)
		}
	}
	if got := commentPairs("c", "#include <x.h>\nint a;\nint b;", 12); len(got) != 0 {
		t.Errorf("a directive is no comment: %q", got)
	}
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"Returns the route of a request. And more.": "Returns the route of a request",
		"Short":                               "Short",
		"Reads one line of text\n\nThe rest.": "Reads one line of text",
	} {
		if got := firstSentence(in); got != want {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

// TestExportAgrees compares the trainer's arithmetic with the product's: the
// same words, and the same vectors but for rounding.
func TestExportAgrees(t *testing.T) {
	v := &vocabulary{id: map[string]uint16{}, memo: map[string][]uint16{}}
	r := rand.New(rand.NewPCG(1, 1))
	tab := &table{dims: 64}
	for i, w := range strings.Fields("route path request lock mutex matrix row col column url for the self par parse read ead reader") {
		v.words = append(v.words, w)
		v.id[w] = uint16(i)
		v.df = append(v.df, 0.01)
		tab.weight = append(tab.weight, float32(r.NormFloat64()/2))
		for range tab.dims {
			tab.vec = append(tab.vec, float32(r.NormFloat64()))
		}
	}
	b, err := encode(v, tab, [5]uint16{unit, unit, unit, unit, unit})
	if err != nil {
		t.Fatal(err)
	}
	e, err := embed.OpenModel(b)
	if err != nil {
		t.Fatal(err)
	}
	m := &pairMaker{v: v, count: map[uint16]int{}}
	got := make([]int8, e.Dims())
	for _, text := range []string{"route", "routepath", "parseRequest readerlock", "lock lock the row", "columnurl xreadx", "parreader self"} {
		want := make([]float64, tab.dims)
		for _, w := range m.bag(text) {
			c := (1 + math.Log(float64(w.n))) * math.Exp(float64(tab.weight[w.id]))
			for i, x := range tab.row(w.id) {
				want[i] += c * float64(x)
			}
		}
		e.EmbedQuery(text, got)
		var dot, a, b float64
		for i, x := range got {
			dot += float64(x) * want[i]
			a += float64(x) * float64(x)
			b += want[i] * want[i]
		}
		if cos := dot / math.Sqrt(a*b); !(cos > 0.998) {
			t.Errorf("%q: cosine %v", text, cos)
		}
	}
}

func TestTextsRoundTrip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texts.bin")
	a := text{lang: "go", pack: "go x", path: "a/b.go", symbol: "F", signature: "func F()", doc: "F does.", body: "{}"}
	b := text{lang: "c"}
	whole := b.append(a.append(nil))
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	var got []text
	if err := readTexts(file, func(x *text) error { got = append(got, *x); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []text{a, b}) {
		t.Errorf("read back %v", got)
	}
}

func TestPairsRoundTrip(t *testing.T) {
	v := &vocabulary{id: map[string]uint16{}, memo: map[string][]uint16{}}
	for i, w := range strings.Fields("wait lock free mu unlock defer go net client do send request again retry timeout") {
		v.words, v.df = append(v.words, w), append(v.df, 0.001)
		v.id[w] = uint16(i)
	}
	var out bytes.Buffer
	m := newPairMaker(v, &out)
	m.text(&text{lang: "go", pack: "go x", path: "net/client.go", symbol: "Client.Do", doc: "Do sends a request again after a timeout.",
		signature: "func (c *Client) Do()", body: "{ mu.Lock(); defer mu.Unlock(); send(request); retry(); wait(); free() }"}, nil)
	if err := m.out.Flush(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pairs.bin")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	pairs, err := readPairs(file)
	if err != nil {
		t.Fatal(err)
	}
	var seen []uint8
	for _, p := range pairs {
		seen = append(seen, p.kind)
		if p.group != uint8(groups["go"]) || len(p.words) == 0 || len(p.code) == 0 || len(p.path) == 0 {
			t.Errorf("pair %+v", p)
		}
	}
	if !slices.Equal(seen, []uint8{docToCode, nameToCode, pathToCode}) {
		t.Errorf("kinds %v", seen)
	}
}

func TestMerge(t *testing.T) {
	got := merge(bag{{1, 2}, {5, 250}}, bag{{0, 1}, {5, 9}, {7, 1}})
	if want := (bag{{0, 1}, {1, 2}, {5, 255}, {7, 1}}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNDCG(t *testing.T) {
	us := []evalUnit{{Path: "src/a.go", First: 1, Last: 9}, {Path: "src/b.go", First: 1, Last: 20}, {Path: "src/c.go", First: 5, Last: 6}}
	for _, c := range []struct {
		targets []evalTarget
		want    float64
	}{
		{[]evalTarget{{Path: "src/a.go"}}, 1},
		{[]evalTarget{{Path: "b.go"}}, 1 / math.Log2(3)},
		{[]evalTarget{{Path: "src/c.go", First: 1, Last: 4}}, 0},
		{[]evalTarget{{Path: "src/a.go"}, {Path: "src/c.go", First: 6, Last: 7}}, (1 + 0.5) / (1 + 1/math.Log2(3))},
		{nil, 0},
	} {
		if got := ndcg(us, []int{0, 1, 2}, c.targets); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.targets, got, c.want)
		}
	}
}
