package query

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query/querytest"
)

// utf16Bytes encodes text with a byte order mark.
func utf16Bytes(text string, order binary.ByteOrder) string {
	var b bytes.Buffer
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		var x [2]byte
		order.PutUint16(x[:], u)
		b.Write(x[:])
	}
	return b.String()
}

func TestGrepIndex(t *testing.T) {
	files := []querytest.File{
		{Path: "a/one.go", Lang: "go", Content: "package one\n\nfunc Alpha() {}\nvar alphaBeta = 1"},
		{Path: "a/two.py", Lang: "python", Content: "def alpha():\r\n    return 'Alpha alpha'\r\n"},
		{Path: "b/wide.txt", Content: utf16Bytes("first\nnaïve 😀 Alpha here\nlast alpha", binary.LittleEndian), Encoding: artifact.EncodingUTF16LE},
		{Path: "b/wider.txt", Content: utf16Bytes("Alpha", binary.BigEndian), Encoding: artifact.EncodingUTF16BE},
		{Path: "c/binary.bin", Skip: artifact.SkipBinary},
		{Path: "c/big.sql", Skip: artifact.SkipTooLarge},
		{Path: "c/broken.txt", Content: "\xff\xfeAlpha\x80\n", Encoding: artifact.EncodingOther},
		{Path: "c/empty.txt"},
		{Path: "d/mark.cs", Content: "\ufeffusing Alpha;\nusing B;", Encoding: artifact.EncodingUTF8BOM},
		{Path: "d/only.txt", Content: "\ufeff", Encoding: artifact.EncodingUTF8BOM},
	}
	e := New(querytest.New(files, querytest.Options{PerPartition: 3}), Options{Workers: 3})
	grep := func(o GrepOptions) *GrepResult {
		t.Helper()
		r, err := e.Grep(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := grep(GrepOptions{Pattern: "Alpha"})
	var got []string
	for _, h := range r.Results {
		got = append(got, fmt.Sprintf("%s:%d %v %q", h.Path, h.StartLine, h.Spans, h.Bytes()))
	}
	want := []string{
		`a/one.go:3 [[6 10]] "func Alpha() {}"`,
		`a/two.py:2 [[13 17]] "    return 'Alpha alpha'\r"`,
		// n a ï v e space and the two code units of the face are 16 bytes, one
		// more space 2: the match begins at byte 19 of its line.
		`b/wide.txt:2 [[19 28]] "naïve 😀 Alpha here"`,
		// The byte order mark belongs to the first line.
		`b/wider.txt:1 [[3 12]] "Alpha"`,
		`c/broken.txt:1 [[3 7]] "\xff\xfeAlpha\x80"`,
		`d/mark.cs:1 [[10 14]] "\ufeffusing Alpha;"`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Total != 6 || r.Files != 6 || r.Matches != 6 || r.Searched != 8 || r.Truncated {
		t.Errorf("totals %+v", r)
	}
	if !reflect.DeepEqual(r.NotSearched, map[string]int{"binary": 1, "too large": 1}) {
		t.Errorf("not searched: %v", r.NotSearched)
	}
	if last := r.Results[4]; last.Text != "" || !bytes.Equal(last.TextB64, []byte("\xff\xfeAlpha\x80")) {
		t.Errorf("text that is not UTF-8: %+v", last)
	}

	r = grep(GrepOptions{Pattern: "alpha", IgnoreCase: true, MaxResults: 2})
	if len(r.Results) != 2 || !r.Truncated || r.Total != 9 || r.Matches != 10 {
		t.Errorf("with a bound: %d results, %+v", len(r.Results), r)
	}
	r = grep(GrepOptions{Pattern: "alpha", IgnoreCase: true, PathGlob: "a/**"})
	if r.Total != 4 || r.Searched != 2 || len(r.NotSearched) != 0 {
		t.Errorf("in a folder: %+v", r)
	}
	r = grep(GrepOptions{Pattern: "alpha", IgnoreCase: true, Lang: "python"})
	if r.Total != 2 || r.Files != 1 {
		t.Errorf("in a language: %+v", r)
	}
	r = grep(GrepOptions{Pattern: "here", Context: 1})
	if h := r.Results[0]; len(h.Before) != 1 || h.Before[0].Text != "first" || len(h.After) != 1 || h.After[0].Text != "last alpha" {
		t.Errorf("context: %+v", h)
	}
	r = grep(GrepOptions{Pattern: "package", Context: 5})
	if h := r.Results[0]; len(h.Before) != 0 || len(h.After) != 3 || h.After[2].Text != "var alphaBeta = 1" {
		t.Errorf("context at the start: %+v", h)
	}
	// A byte order mark is no part of the first line, and no line by itself.
	r = grep(GrepOptions{Pattern: "^using|^.?$|^$", PathGlob: "d/**", Context: 1})
	if len(r.Results) != 2 || r.Results[0].StartLine != 1 || r.Results[0].Spans[0] != [2]int{4, 8} || r.Results[1].StartLine != 2 ||
		len(r.Results[0].Before) != 0 || r.Results[1].Before[0].Text != "\ufeffusing Alpha;" {
		t.Errorf("a byte order mark: %+v", r.Results)
	}
	for _, o := range []GrepOptions{{Pattern: "("}, {Pattern: "a", PathGlob: "{"}, {Pattern: "a", Lang: "klingon"}, {Pattern: "a", Context: -1}, {Pattern: "a", MaxResults: -1}} {
		if _, err := e.Grep(context.Background(), o); fail.CodeOf(err) != fail.Usage {
			t.Errorf("%+v: %v, want a usage error", o, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Grep(ctx, GrepOptions{Pattern: "a"}); fail.CodeOf(err) != fail.Interrupted {
		t.Errorf("a stopped query: %v", err)
	}
}

// TestGrepDifferential compares the engine with a scan of every line of every
// file, over random trees, filters and patterns.
func TestGrepDifferential(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	patterns := []string{"alpha", "al", "a", "beta$", "^x", "(?i)ALPHA", "alp|bet", "x.*y", "é", `\bal`, "zz", "", "[ab]e", "a{2}", "(?i)k", "y$|^a"}
	tokens := []string{"alpha", "beta", "x", "y", "é", " ", "\n", "\n", "\r\n", "aa", "ALPHA", "\u212A", "k", "\xff"}
	for range 150 {
		var files []querytest.File
		for i := range 1 + rng.IntN(12) {
			var b strings.Builder
			for range rng.IntN(30) {
				b.WriteString(tokens[rng.IntN(len(tokens))])
			}
			f := querytest.File{Path: fmt.Sprintf("%c/f%02d.%s", 'a'+rune(i%3), i, []string{"go", "py"}[i%2]), Lang: []string{"go", "python"}[i%2], Content: b.String()}
			switch rng.IntN(8) {
			case 0:
				f.Content, f.Skip = "", artifact.SkipBinary
			case 1:
				if s := strings.ToValidUTF8(f.Content, "?"); s != "" {
					f.Content, f.Encoding = utf16Bytes(s, binary.LittleEndian), artifact.EncodingUTF16LE
				}
			}
			files = append(files, f)
		}
		e := New(querytest.New(files, querytest.Options{PerPartition: 1 + rng.IntN(5)}), Options{Workers: 1 + rng.IntN(3)})
		o := GrepOptions{Pattern: patterns[rng.IntN(len(patterns))], IgnoreCase: rng.IntN(3) == 0}
		if rng.IntN(3) == 0 {
			o.PathGlob = []string{"a", "*.go", "b/**"}[rng.IntN(3)]
		}
		r, err := e.Grep(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, h := range r.Results {
			got = append(got, fmt.Sprintf("%s:%d:%q", h.Path, h.StartLine, h.Bytes()))
		}
		re := regexp.MustCompile(oraclePattern(o))
		ix := e.Index()
		for p := range ix.NumPartitions() {
			u, _ := ix.Units(p)
			src, _ := ix.Source(p)
			for f := range u.NumFiles() {
				if u.Skip(f) != artifact.SkipNone || !globMatches(t, o.PathGlob, u.Path(f)) {
					continue
				}
				text := src.Content(f)
				if u.Encoding(f) != artifact.EncodingUTF8 {
					text = transcode(text, u.Encoding(f)).text
				}
				for n := 1; len(text) > 0; n++ {
					line, rest, _ := bytes.Cut(text, lf)
					if re.Match(line) {
						want = append(want, fmt.Sprintf("%s:%d:%q", u.Path(f), n, line))
					}
					text = rest
				}
			}
		}
		if !reflect.DeepEqual(got, want) || r.Total != len(want) {
			t.Fatalf("%+v:\n got %q\nwant %q", o, got, want)
		}
	}
}

func globMatches(t *testing.T, pattern, path string) bool {
	g, err := compileGlob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return g.match(path)
}

func TestTranscode(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"", ""}, {"\xff\xfe", ""}, {"\xff\xfea\x00", "a"}, {"\xff\xfe\x3d\xd8\x00\xde", "😀"},
		{"\xff\xfe\x3d\xd8a\x00", "\ufffda"}, {"\xff\xfea\x00b", "a\ufffd"}, {"\xff\xfe\x3d\xd8", "\ufffd"},
	} {
		got := transcode([]byte(c.raw), artifact.EncodingUTF16LE)
		if string(got.text) != c.want || len(got.orig) != len(got.text)+1 || int(got.orig[len(got.text)]) != len(c.raw) {
			t.Errorf("%q: %q with %v", c.raw, got.text, got.orig)
		}
	}
}

func FuzzTranscode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, enc := range []artifact.Encoding{artifact.EncodingUTF16LE, artifact.EncodingUTF16BE} {
			got := transcode(raw, enc)
			if len(got.orig) != len(got.text)+1 {
				t.Fatal("positions and text differ in length")
			}
			for i := 1; i < len(got.orig); i++ {
				if got.orig[i] < got.orig[i-1] || int(got.orig[i]) > len(raw) {
					t.Fatal("positions go back or beyond the end")
				}
			}
		}
	})
}
