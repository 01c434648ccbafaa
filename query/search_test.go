package query

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query/querytest"
)

func TestRoute(t *testing.T) {
	for _, c := range []struct{ query, route, why string }{
		{"url_for", RouteLexical, "symbol"},
		{"Flask.url_for", RouteLexical, "symbol"},
		{"Server::serve()", RouteLexical, "symbol"},
		{"QuerySet", RouteLexical, "symbol"},
		{"src/flask/app.py", RouteLexical, "path"},
		{"app.py", RouteLexical, "path"},
		{"docs/", RouteLexical, "path"},
		{"how are sessions stored", RouteHybrid, "question"},
		{"Where is the cache?", RouteHybrid, "question"},
		{"session storage", RouteHybrid, "prose"},
		{`raise "not found"`, RouteLexical, "quotes"},
		{"KeyError: 'session' in get_cookie", RouteLexical, "code or an error"},
		{"if (x == null) { return; }", RouteLexical, "code or an error"},
		{"Traceback (most recent call last)", RouteLexical, "code or an error"},
		{strings.Repeat("The middleware fails when cookies expire because renewal of token happens before signing and validation of header. ", 3) +
			"Steps to reproduce this problem need several unusual settings enabled together across environments: debug mode, proxy headers, gunicorn workers, shared secrets rotated nightly", RouteHybrid, "issue"},
		{"42", RouteHybrid, "prose"},
	} {
		route, why := pick(analyse(c.query, &defaultWeights))
		if route != c.route || !strings.Contains(why, c.why) {
			t.Errorf("%.40q: %s because %s, want %s because of %s", c.query, route, why, c.route, c.why)
		}
	}
}

func searchFiles() []querytest.File {
	return []querytest.File{
		{Path: "src/session.py", Lang: "python", Content: "class Session:\n    def open_session(self, request):\n        return self.load(request)\n\n    def save(self):\n        pass\n",
			Units: []querytest.Unit{{Kind: artifact.KindClass, Symbol: "Session", StartLine: 1, EndLine: 6}, {Kind: artifact.KindMethod, Symbol: "Session.open_session", StartLine: 2, EndLine: 3}, {Kind: artifact.KindMethod, Symbol: "Session.save", StartLine: 5, EndLine: 6}}},
		{Path: "src/cookie.py", Lang: "python", Content: "def parse_cookie(header):\n    \"\"\"Read the session cookie of a request.\"\"\"\n    return header.split(';')\n",
			Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "parse_cookie", StartLine: 1, EndLine: 3}}},
		{Path: "tests/test_session.py", Lang: "python", Content: "def test_open_session():\n    s = Session()\n    assert s.open_session(request)\n",
			Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "test_open_session", StartLine: 1, EndLine: 3}}},
		{Path: "README.md", Lang: "markdown", Content: "# Sessions\n\nOpen a session with open_session.\n"},
		{Path: "vendor/x/session.py", Lang: "python", Content: "def open_session():\n    pass\n",
			Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "open_session", StartLine: 1, EndLine: 2}}},
		{Path: "wide.txt", Content: utf16Bytes("first line\nzebra crossing ahead\nlast\n", binary.LittleEndian), Encoding: artifact.EncodingUTF16LE},
	}
}

func paths(r *SearchResult) (out []string) {
	for _, h := range r.Results {
		out = append(out, h.Path)
	}
	return out
}

func TestSearch(t *testing.T) {
	ctx := context.Background()
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	search := func(o SearchOptions) *SearchResult {
		t.Helper()
		r, err := e.Search(ctx, o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		for _, h := range r.Results {
			if h.Score <= 0 || h.Why == "" || h.Origin != OriginArtifact || h.ID == "" || h.StartLine < 1 || h.EndLine < h.StartLine {
				t.Errorf("%q: incomplete result %+v", o.Query, h)
			}
		}
		return r
	}
	r := search(SearchOptions{Query: "open_session"})
	if got := paths(r); got[0] != "src/session.py" || slices.Index(got, "tests/test_session.py") < 1 || slices.Index(got, "vendor/x/session.py") < 1 {
		t.Errorf("a definition comes before tests and vendored code: %q", got)
	}
	if h := r.Results[0]; h.Symbol != "Session.open_session" || h.Level != "L2" || h.Kind != "method" {
		t.Errorf("the best unit: %+v", h)
	}
	if got := paths(search(SearchOptions{Query: "test open session"})); got[0] != "tests/test_session.py" {
		t.Errorf("a query about tests: %q", got)
	}
	if got := paths(search(SearchOptions{Query: "session", Level: "file"})); len(got) != len(slices.Compact(slices.Sorted(slices.Values(got)))) {
		t.Errorf("level file gives each file once: %q", got)
	}
	if r := search(SearchOptions{Query: "session", Level: "file"}); r.Results[0].Level != "L0" || r.Results[0].Kind != "file" || r.Results[0].StartLine != 1 {
		t.Errorf("level file: %+v", r.Results[0])
	}
	if got := paths(search(SearchOptions{Query: "session", PathGlob: "vendor/**"})); !slices.Equal(got, []string{"vendor/x/session.py"}) {
		t.Errorf("in a folder: %q", got)
	}
	if got := paths(search(SearchOptions{Query: "session", Lang: "markdown"})); !slices.Equal(got, []string{"README.md"}) {
		t.Errorf("in a language: %q", got)
	}
	for _, h := range search(SearchOptions{Query: "session", Kind: "class"}).Results {
		if h.Kind != "class" {
			t.Errorf("of a kind: %+v", h)
		}
	}
	if got := paths(search(SearchOptions{Query: "src/cookie.py"})); got[0] != "src/cookie.py" {
		t.Errorf("a path: %q", got)
	}
	if r := search(SearchOptions{Query: "Session.save"}); r.Results[0].Symbol != "Session.save" {
		t.Errorf("a qualified name: %+v", r.Results[0])
	}
	if r := search(SearchOptions{Query: "xylophone", Route: RouteLexical}); len(r.Results) != 0 || r.Results == nil {
		t.Errorf("nothing to find: %+v", r.Results)
	}
	if r := search(SearchOptions{Query: "session", K: 2}); len(r.Results) != 2 || r.Total <= 2 {
		t.Errorf("k: %d results of %d", len(r.Results), r.Total)
	}
	for _, o := range []SearchOptions{{Query: " "}, {Query: "x", K: -1}, {Query: "x", K: MaxK + 1}, {Query: "x", Level: "unknown"}, {Query: "x", Route: "psychic"},
		{Query: "x", Kind: "thing"}, {Query: "x", Lang: "klingon"}, {Query: "x", PathGlob: "["}} {
		if _, err := e.Search(ctx, o); fail.CodeOf(err) != fail.Usage {
			t.Errorf("%+v: %v, want a usage error", o, err)
		}
	}
}

func TestPhrase(t *testing.T) {
	ctx := context.Background()
	files := []querytest.File{
		{Path: "a.txt", Content: "the session cookie is read\n"},
		{Path: "b.txt", Content: "a cookie of the session\n"},
		{Path: "c.txt", Content: "session\ncookie\n"},
		{Path: "d.txt", Content: "parse_http_header\n"},
	}
	for _, per := range []int{1, 2, 10} {
		e := New(querytest.New(files, querytest.Options{PerPartition: per}), Options{})
		for text, want := range map[string][]string{
			`"session cookie"`:           {"a.txt", "c.txt"},
			`"http header"`:              {"d.txt"},
			`"session cookie" "is read"`: {"a.txt"},
			`"cookie session"`:           nil,
			`"no such words"`:            nil,
		} {
			for _, route := range []string{RouteAuto, RouteHybrid, RouteSemantic} {
				r, err := e.Search(ctx, SearchOptions{Query: text, Route: route})
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.Sorted(slices.Values(paths(r))); !slices.Equal(got, want) {
					t.Errorf("%s by %s: %q, want %q", text, route, got, want)
				}
			}
		}
	}
}

// TestSnippets checks that a snippet is whole lines of the file, verbatim, at
// the lines that it says.
func TestSnippets(t *testing.T) {
	ctx := context.Background()
	var long strings.Builder
	for i := range 50 {
		fmt.Fprintf(&long, "    line %d of filler\n", i)
	}
	files := append(searchFiles(),
		querytest.File{Path: "long.txt", Content: long.String() + "needle in the hay\n" + long.String()},
		querytest.File{Path: "minified.js", Content: strings.Repeat("x", 5000) + " pinprick\nshort pinprick\n"},
		querytest.File{Path: "crlf.txt", Content: "one\r\ntwo crumb\r\nthree"},
		querytest.File{Path: "bad.txt", Content: "gravel \xff\xfe\n"},
	)
	e := New(querytest.New(files, querytest.Options{}), Options{})
	for _, text := range []string{"open_session", "needle", "pinprick", "crumb", "gravel", "zebra crossing", "session cookie", "filler"} {
		r, err := e.Search(ctx, SearchOptions{Query: text, Route: RouteLexical})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Results) == 0 {
			t.Errorf("%q finds nothing", text)
		}
		for _, h := range r.Results {
			snippet := []byte(h.Snippet)
			if h.SnippetB64 != nil {
				snippet = h.SnippetB64
			}
			if len(snippet) == 0 {
				t.Errorf("%q: %s has no snippet", text, h.Path)
				continue
			}
			p, f, _, _ := e.Index().FindFile(h.Path)
			u, _ := e.Index().Units(p)
			src, _ := e.Index().Source(p)
			content := src.Content(f)
			if isUTF16(u.Encoding(f)) {
				content = transcode(content, u.Encoding(f)).text
			}
			start, end, _ := lineRange(content, h.SnippetLine, h.SnippetLine+countLines(snippet)-1)
			if !bytes.Equal(content[start:end], snippet) {
				t.Errorf("%q: the snippet of %s at line %d is %q, the file has %q", text, h.Path, h.SnippetLine, snippet, content[start:end])
			}
			if h.SnippetLine < h.StartLine || h.SnippetLine+countLines(snippet)-1 > h.EndLine || countLines(snippet) > maxSnippetLines {
				t.Errorf("%q: the snippet's lines %d+%d leave the unit %d-%d", text, h.SnippetLine, countLines(snippet), h.StartLine, h.EndLine)
			}
		}
	}
	r, _ := e.Search(ctx, SearchOptions{Query: "needle", Route: RouteLexical})
	if h := r.Results[0]; !strings.Contains(h.Snippet, "needle in the hay\n") {
		t.Errorf("the snippet misses the match: %q", h.Snippet)
	}
}

// TestSearchIsDeterministic runs the same queries on many workers, at once, and
// over other partitions, and wants the same bytes.
func TestSearchIsDeterministic(t *testing.T) {
	docs := randomDocs(rand.New(rand.NewPCG(8, 8)), 200)
	queries := []string{"session cookie", "how is the request parsed", "url_for", "read json", `"cache backend"`}
	answers := func(e *Engine) string {
		var out []string
		for _, q := range queries {
			for _, route := range []string{RouteAuto, RouteHybrid, RouteSemantic} {
				r, err := e.Search(context.Background(), SearchOptions{Query: q, Route: route, K: 20, Explain: true})
				if err != nil {
					t.Error(err)
					return ""
				}
				r.TookUS = 0
				b, err := json.Marshal(r)
				if err != nil {
					t.Error(err)
				}
				out = append(out, string(b))
			}
		}
		return strings.Join(out, "\n")
	}
	first := answers(New(querytest.New(nil, querytest.Options{Docs: docs, PerPartition: 200}), Options{Workers: 1}))
	for _, per := range []int{1, 13, 64} {
		e := New(querytest.New(nil, querytest.Options{Docs: docs, PerPartition: per}), Options{Workers: 5})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got := answers(e); got != first {
					t.Errorf("with %d files in a partition the answers differ", per)
				}
			})
		}
		wg.Wait()
	}
}

// TestExplain checks that the widths, terms and weights are all there.
func TestExplain(t *testing.T) {
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	r, err := e.Search(context.Background(), SearchOptions{Query: "the session cookie", Route: RouteHybrid, K: 3, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	x := r.Explain
	if x == nil || x.KOut != 3 || x.KRet < 3 || len(x.Terms) == 0 || x.Weights.K1 == 0 || x.Embedder == "" || x.Semantic == 0 || x.Lexical == 0 {
		t.Fatalf("%+v", x)
	}
	if !slices.Contains(x.Dropped, "the") {
		t.Errorf("a dropped stop word is not shown: %q", x.Dropped)
	}
	for _, term := range x.Terms {
		if term.DocFreq == 0 || term.Weight <= 0 || term.Role == "" {
			t.Errorf("term %+v", term)
		}
	}
	if len(r.Results[0].Explain) < 3 {
		t.Errorf("a result's parts: %+v", r.Results[0].Explain)
	}
}

// TestLongQuery checks that a question of any length is answered and that the
// work is bounded.
func TestLongQuery(t *testing.T) {
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	var b strings.Builder
	b.WriteString("Session lost\n\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "word%d callSite%d lib/mod_%d.py \"quoted text %d\" ", i, i, i, i)
	}
	b.WriteString("open_session")
	q := analyse(b.String(), &defaultWeights)
	if len(q.terms) > maxLookups {
		t.Errorf("%d terms are looked up", len(q.terms))
	}
	r, err := e.Search(context.Background(), SearchOptions{Query: b.String()})
	if err != nil || len(r.Results) == 0 || !strings.Contains(r.Results[0].Path, "session") {
		t.Errorf("%v %v", r, err)
	}
}

func FuzzSearch(f *testing.F) {
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	for _, s := range []string{"open_session", `"a b" c`, "src/x.py", "\xff\x00", "日本語", "a::b->c#d", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, q string) {
		for _, route := range []string{RouteAuto, RouteHybrid} {
			if _, err := e.Search(context.Background(), SearchOptions{Query: q, Route: route}); err != nil && fail.CodeOf(err) != fail.Usage {
				t.Fatal(err)
			}
		}
	})
}
