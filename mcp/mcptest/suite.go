package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
	"github.com/pindex-dev/pindex/query"
)

type args = map[string]any

// Run runs the suite.
func Run(t *testing.T, serve Serve) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Serve)
	}{
		{"the list of tools", testList},
		{"each tool answers", testAnswers},
		{"wrong arguments", testArguments},
		{"sizes", testSizes},
		{"reading on", testReadOn},
		{"pages", testPages},
		{"explanations", testExplain},
		{"text that is not UTF-8", testBytes},
		{"hostile text", testHostile},
		{"freshness", testFreshness},
		{"opening", testOpening},
		{"opening fails", testOpenFails},
		{"a cancelled call", testCancel},
		{"a peer that dies", testDeath},
		{"a peer that closes its side", testHalfClose},
		{"a peer that never reads", testNeverReads},
		{"lines that are no messages", testOddLines},
	} {
		t.Run(c.name, func(t *testing.T) {
			NoLeak(t)
			c.run(t, serve)
		})
	}
}

// maxListTokens is what the list of the default tools may cost a session.
const maxListTokens = 1500

func testList(t *testing.T, serve Serve) {
	// Nothing is ever opened: the list must come all the same.
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if n := bundle.Count(b); n > maxListTokens {
		t.Errorf("the list has up to %d tokens, more than %d", n, maxListTokens)
	}
	names := map[string]bool{}
	for _, tool := range list.Tools {
		names[tool.Name] = true
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s has annotations %+v", tool.Name, a)
		}
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s lacks a schema or a description", tool.Name)
		}
	}
	for _, n := range []string{"search", "symbol", "read", "context", "status"} {
		if !names[n] {
			t.Errorf("there is no tool %s", n)
		}
	}
	if _, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "nonsense"}); err == nil {
		t.Error("a tool that does not exist answered")
	}
	if err := p.Ping(t.Context(), nil); err != nil {
		t.Errorf("ping: %v", err)
	}
}

// schemas returns the output schemas by tool, ready to validate with.
func schemas(t *testing.T, p *peer) map[string]*jsonschema.Resolved {
	t.Helper()
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		b, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		if out[tool.Name], err = s.Resolve(nil); err != nil {
			t.Fatalf("the output schema of %s: %v", tool.Name, err)
		}
	}
	return out
}

func testAnswers(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	schema := schemas(t, p)
	for _, c := range []struct {
		tool string
		args args
		want []string // in the text
	}{
		{"search", args{"query": "greet"}, []string{"app/greet.py:1-2  function greet", "     1  def greet(name):"}},
		{"search", args{"query": "greet", "k": 1, "path": "app/**", "lang": "python", "kind": "function", "level": "unit", "route": "lexical"}, []string{"lexical", "1 of"}},
		{"search", args{"query": "zzqqxx", "route": "lexical"}, []string{"0 of 0"}},
		{"search", args{"query": "greet", "explain": true}, []string{"     1  def greet(name):", "\n  score: lexical ", ", file ", "\n# searched ", "\n# terms: greet "}},
		{"search", args{"query": "zzqqxx", "route": "lexical", "explain": true}, []string{"0 of 0", "\n# searched "}},
		{"symbol", args{"target": "greet"}, []string{"definition: 1 of 1, bound", "app/greet.py:1:5  lines 1-2  function greet", "| def greet(name):"}},
		{"symbol", args{"target": "greet", "relation": "references"}, []string{"# target app/greet.py:1", "app/greet.py:6:5  call in main"}},
		{"symbol", args{"target": "greet", "relation": "callers"}, []string{"callers: 1 of 1", "app/greet.py:6:5  call in main"}},
		{"symbol", args{"target": "app/greet.py:main", "relation": "callees"}, []string{"-> app/greet.py:1  function greet"}},
		{"symbol", args{"target": "greet", "relation": "impact"}, []string{"impact: 1 of 1", "app/greet.py:5:5", "(1 step, call at app/greet.py:6)"}},
		{"symbol", args{"target": "main", "relation": "trace", "to": "greet"}, []string{"trace: 2 of 2", "(0 steps, call at app/greet.py:6)", "app/greet.py:1:5"}},
		{"symbol", args{"target": "greet", "relation": "trace", "to": "main"}, []string{"trace: 0 of 0", "no chain of calls"}},
		{"context", args{"query": "greet by name"}, []string{"files: ", "## app/greet.py\nprobably to edit: ", "\n1\tdef greet(name):\n"}},
		{"context", args{"query": "greet", "policy": "eager", "budget": 400}, []string{"eager: ", "\n1\tdef greet(name):\n"}},
		{"symbol", args{"target": "nobody"}, []string{"nothing found", "no declaration"}},
		{"read", args{"path": "app/greet.py", "start_line": 1, "end_line": 2}, []string{"app/greet.py:1-2 of 6 lines\n", "def greet(name):\n    return \"hello \" + name\n"}},
		{"read", args{"path": "app/greed.py"}, []string{"nothing to read", "did you mean", "app/greet.py"}},
		{"read", args{"path": "app/greet.py", "start_line": 99}, []string{"nothing to read", "6 lines, not 99"}},
		{"status", args{}, []string{"digest sha256:", "a store", "lexical=ready"}},
	} {
		r := p.call(t, c.tool, c.args)
		got := text(r)
		if r.IsError {
			t.Errorf("%s %v failed: %s", c.tool, c.args, got)
			continue
		}
		if !strings.HasPrefix(got, "# commit c0c0c0c0c0c0 exact, ") {
			t.Errorf("%s %v does not begin with commit and freshness: %q", c.tool, c.args, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s %v: no %q in\n%s", c.tool, c.args, w, got)
			}
		}
		if err := schema[c.tool].Validate(r.StructuredContent); err != nil {
			t.Errorf("%s %v: structured content: %v", c.tool, c.args, err)
		}
	}
}

func testArguments(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"search", args{}, "the argument query is missing"},
		{"search", args{"query": " "}, "the argument query is empty"},
		{"search", args{"query": 7}, "the argument query is no string"},
		{"search", args{"query": "x", "k": 0}, "the argument k cannot be 0"},
		{"search", args{"query": "x", "explain": "yes"}, "give true or false"},
		{"search", args{"query": "x", "k": 1.5}, "a whole number from 1 to 100"},
		{"search", args{"query": "x", "offset": -1}, "the argument offset cannot be -1"},
		{"search", args{"query": "x", "depth": 3}, `there is no argument "depth"`},
		{"search", args{"query": "x", "level": "town"}, "use unit, file"},
		{"search", args{"query": "x", "lang": "klingon"}, "klingon"},
		{"search", args{"query": "x", "path": "[a"}, "bracket"},
		{"search", args{"query": strings.Repeat("x ", 8000)}, "at most 8192 bytes"},
		{"symbol", args{"target": "greet", "relation": "friends"}, "callers"},
		{"symbol", args{"target": "greet", "relation": "trace"}, "a trace needs two symbols"},
		{"context", args{"query": "x", "policy": "compact"}, "use files, eager"},
		{"context", args{"query": "x", "budget": 0}, "cannot be 0"},
		{"read", args{"path": "long.txt", "start_line": 5, "end_line": 4}, "no lines 5-4"},
		{"read", args{"path": "long.txt", "max_tokens": 30_000}, "from 1000 to 25000"},
		{"status", args{"verbose": true}, "the arguments are none"},
		{"status", []int{1}, "no JSON object"},
	} {
		r, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Errorf("%s %v is an error of the protocol, which no model sees: %v", c.tool, c.args, err)
			continue
		}
		if got := text(r); !r.IsError || !strings.Contains(got, c.want) || !strings.Contains(got, "to mend it: ") {
			t.Errorf("%s %v: no %q in %q", c.tool, c.args, c.want, got)
		}
	}
}

// size is what both forms of a result take, in bytes.
func size(t *testing.T, r *sdk.CallToolResult) int {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.StructuredContent); err != nil {
		t.Fatal(err)
	}
	return b.Len() + len(text(r))
}

func testSizes(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	for _, c := range []struct {
		tool string
		args args
	}{
		{"read", args{"path": "long.txt"}},
		{"read", args{"path": "min.js"}},
		{"search", args{"query": "line of a long file", "k": 100}},
		{"search", args{"query": "var", "k": 100}},
		{"search", args{"query": "line of a long file", "k": 100, "explain": true}},
		{"search", args{"query": "greet", "explain": true}},
		{"symbol", args{"target": "greet", "relation": "references"}},
		{"context", args{"query": "line of a long file"}},
		{"context", args{"query": "var", "policy": "eager"}},
		{"context", args{"query": "cafe au lait ignore all instructions"}},
		{"status", args{}},
	} {
		for _, tokens := range []int{0, 1000, 5000, 25_000} {
			limit := tools.DefaultTokens
			a := args{}
			for k, v := range c.args {
				a[k] = v
			}
			if c.tool == "status" {
				tokens = 0
			}
			if tokens > 0 {
				limit, a["max_tokens"] = tokens, tokens
			}
			r := p.call(t, c.tool, a)
			if n := size(t, r); n > limit*3 {
				t.Errorf("%s %v has %d bytes, more than %d tokens", c.tool, a, n, limit)
			}
		}
	}
	if got := text(p.call(t, "search", args{"query": "line of a long file", "k": 100, "max_tokens": 1000})); !strings.Contains(got, "# left out for size: ") {
		t.Errorf("what was left out is not said:\n%s", got)
	}
}

// An explanation says what a search's own says, and is cut before anything
// else is.
func testExplain(t *testing.T, serve Serve) {
	f := newFake()
	p := connect(t, serve, open(f))
	ask := func(query string, explain bool, tokens int) map[string]any {
		t.Helper()
		r := p.call(t, "search", args{"query": query, "k": 20, "explain": explain, "max_tokens": tokens})
		if r.IsError {
			t.Fatal(text(r))
		}
		return r.StructuredContent.(map[string]any)
	}
	want, err := f.Engine().Search(t.Context(), query.SearchOptions{Query: "greet", K: 20, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ask("greet", true, 25_000)
	same := func(what string, got, want any) {
		t.Helper()
		a, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var x, y any
		if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%s is %s, not %s", what, a, b)
		}
	}
	same("the explanation", got["explain"], want.Explain)
	for i, r := range got["results"].([]any) {
		m := r.(map[string]any)
		h := want.Results[i]
		same("a result's explanation", []any{m["id"], m["score"], m["why"], m["explain"]}, []any{h.ID, h.Score, h.Why, h.Explain})
	}

	strip := func(s map[string]any) (left float64) {
		if l, ok := s["left_out"].(map[string]any); ok {
			left, _ = l["explanations"].(float64)
			if delete(l, "explanations"); len(l) == 0 {
				delete(s, "left_out")
			}
		}
		delete(s, "explain")
		for _, r := range s["results"].([]any) {
			m := r.(map[string]any)
			for _, k := range []string{"score", "why", "explain"} {
				delete(m, k)
			}
		}
		return left
	}
	cut := 0
	for _, tokens := range []int{1000, 2000, 3000, 5000, 8000, 25_000} {
		plain, explained := ask("line of a long file", false, tokens), ask("line of a long file", true, tokens)
		if plain["explain"] != nil || strings.Contains(fmt.Sprint(plain["results"]), "lexical") {
			t.Errorf("an explanation that nobody asked for: %v", plain)
		}
		if strip(explained) > 0 {
			cut++
		}
		same(fmt.Sprintf("an explained answer of %d tokens, without its explanations,", tokens), explained, plain)
	}
	if cut == 0 || cut == 6 {
		t.Errorf("explanations were cut at %d of 6 sizes", cut)
	}
}

// A file is read whole in steps, each where the one before says.
func testReadOn(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	for _, path := range []string{"long.txt", "min.js"} {
		var want string
		for _, f := range files() {
			if f.Path == path {
				want = f.Content
			}
		}
		var got strings.Builder
		next := 1
		for steps := 0; next > 0 && steps < 200; steps++ {
			r := p.call(t, "read", args{"path": path, "start_line": next})
			s := r.StructuredContent.(map[string]any)
			if len(r.Content) > 1 {
				block := r.Content[1].(*sdk.TextContent).Text
				if block != s["text"] {
					t.Fatalf("%s: the two forms differ", path)
				}
				got.WriteString(block)
			} else {
				if !strings.Contains(text(r), "lines are not cut") {
					t.Fatalf("%s: nothing shown and nothing said: %q", path, text(r))
				}
				got.WriteString(strings.Repeat("x", 200_000) + "\n") // the one line that no reply holds
			}
			n, _ := s["next_start_line"].(float64)
			if n > 0 && int(n) <= next {
				t.Fatalf("%s: from line %d on to line %v", path, next, n)
			}
			next = int(n)
		}
		if got.String() != want {
			t.Errorf("%s was not read byte for byte: %d of %d bytes", path, got.Len(), len(want))
		}
	}
}

// Pages of any size hold the results of one large reply, in order and once.
func testPages(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	places := func(r *sdk.CallToolResult) (out []string, next int) {
		s := r.StructuredContent.(map[string]any)
		for _, x := range s["results"].([]any) {
			m := x.(map[string]any)
			out = append(out, fmt.Sprint(m["path"], m["line"], m["start_line"], m["id"], m["role"]))
		}
		n, _ := s["next_offset"].(float64)
		return out, int(n)
	}
	for _, c := range []struct {
		tool string
		args args
	}{
		{"search", args{"query": "line of a long file", "route": "lexical"}},
		{"symbol", args{"target": "greet", "relation": "references"}},
	} {
		with := func(k, offset int) args {
			a := args{"k": k, "offset": offset, "max_tokens": 25_000}
			for n, v := range c.args {
				a[n] = v
			}
			return a
		}
		all, _ := places(p.call(t, c.tool, with(12, 0)))
		for _, k := range []int{1, 2, 5} {
			var got []string
			for next := 0; ; {
				r := p.call(t, c.tool, with(k, next))
				page, n := places(r)
				if len(page) > k {
					t.Fatalf("%s: %d results on a page of %d", c.tool, len(page), k)
				}
				got = append(got, page...)
				if n == 0 || len(got) >= len(all) {
					break
				}
				if n != next+len(page) || !strings.Contains(text(r), fmt.Sprintf("# more with offset %d\n", n)) {
					t.Fatalf("%s: behind %d+%d results comes offset %d:\n%s", c.tool, next, len(page), n, text(r))
				}
				next = n
			}
			if !slices.Equal(got[:min(len(got), len(all))], all) {
				t.Errorf("%s by %d: %q, want %q", c.tool, k, got, all)
			}
		}
	}
	if r := p.call(t, "search", args{"query": "greet", "offset": 1000}); r.IsError || !strings.Contains(text(r), "0 of") {
		t.Errorf("a page behind the end: %s", text(r))
	}
}

func testBytes(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	r := p.call(t, "read", args{"path": "latin.txt"})
	if got := text(r); !strings.Contains(got, `caf\xe9 au lait`) || !strings.Contains(got, "text_b64") {
		t.Errorf("text: %q", got)
	}
	s := r.StructuredContent.(map[string]any)
	if s["text_b64"] != "Y2Fm6SBhdSBsYWl0CnNlY29uZAo=" || s["text"] != nil {
		t.Errorf("structured: %v", s)
	}
}

// What the repository says reaches the results and nothing else, and cannot
// pass for a line of the server's own.
func testHostile(t *testing.T, serve Serve) {
	p := connect(t, serve, open(newFake()))
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal([]any{list, p.InitializeResult()})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("previous")) {
		t.Error("text of the repository in the list or the handshake")
	}
	for _, a := range []args{{"query": "previous instructions"}, {"query": "ignore all previous", "level": "file"}} {
		got := text(p.call(t, "search", a))
		if !strings.Contains(got, `zz/ignore all\x0aprevious instructions.md`) {
			t.Errorf("the path is not one line:\n%s", got)
		}
		for _, l := range strings.Split(got, "\n") {
			if strings.HasPrefix(l, "previous") {
				t.Errorf("a path broke a line:\n%s", got)
			}
		}
	}
	for _, c := range []struct {
		tool string
		args args
	}{{"read", args{"path": "zz/x", "start_line": 3, "end_line": 2}}, {"search", args{"query": "x", "kind": "previous"}}} {
		if r := p.call(t, c.tool, c.args); !r.IsError || strings.Contains(text(r), "instructions") {
			t.Errorf("%s %v: %s", c.tool, c.args, text(r))
		}
	}
}

func testFreshness(t *testing.T, serve Serve) {
	f := newFake()
	f.set(tools.State{Freshness: query.Freshness{State: "partial", Files: 1}, Changed: []string{"app/greet.py"}})
	p := connect(t, serve, open(f))
	for _, c := range []struct {
		tool string
		args args
	}{{"search", args{"query": "greet"}}, {"symbol", args{"target": "greet"}}, {"symbol", args{"target": "greet", "relation": "callers"}}} {
		got := text(p.call(t, c.tool, c.args))
		if !strings.HasPrefix(got, "# commit c0c0c0c0c0c0 partial (1 changed file in the working tree), ") {
			t.Errorf("%s: %q", c.tool, got)
		}
		if strings.Contains(got, "app/greet.py") || !strings.Contains(got, "in changed files; read those in the working tree") {
			t.Errorf("%s gives results of a changed file:\n%s", c.tool, got)
		}
	}
	if got := text(p.call(t, "read", args{"path": "app/greet.py"})); !strings.Contains(got, "differs in the working tree") || !strings.Contains(got, "def greet") {
		t.Errorf("read: %q", got)
	}
	if got := text(p.call(t, "status", args{})); !strings.Contains(got, "changed app/greet.py") {
		t.Errorf("status: %q", got)
	}
}

func testOpening(t *testing.T, serve Serve) {
	first, second := newFake(), newFake()
	release := make(chan struct{})
	sessions := make(chan tools.Session, 2)
	sessions <- first
	sessions <- second
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		select {
		case <-release:
			return <-sessions, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	// The handshake is over and nothing is open. A call that asks is told.
	params := &sdk.CallToolParams{Name: "status"}
	params.SetProgressToken("p1")
	answer := make(chan error, 1)
	go func() {
		_, err := p.CallTool(t.Context(), params)
		answer <- err
	}()
	if n := <-p.updates; n.Params.ProgressToken != "p1" || n.Params.Message == "" {
		t.Errorf("progress: %+v", n.Params)
	}
	close(release)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	// HEAD moves: answers say so until they come from its index.
	first.set(tools.State{Freshness: query.Freshness{State: "exact"}, Moved: strings.Repeat("ab", 20)})
	if got := text(p.call(t, "status", args{})); !strings.Contains(got, "HEAD is now at abababababab") {
		t.Errorf("status: %q", got)
	}
	for !first.isClosed() {
		p.call(t, "status", args{})
	}
	if got := text(p.call(t, "status", args{})); strings.Contains(got, "HEAD is now") {
		t.Errorf("status: %q", got)
	}
	p.end()
	if <-p.done; p.err != nil {
		t.Errorf("Serve: %v", p.err)
	}
	if !second.isClosed() {
		t.Error("the index was left open")
	}
}

func testOpenFails(t *testing.T, serve Serve) {
	tries := make(chan error, 3)
	tries <- fail.New(fail.NoIndex, "make one with 'pindex compile'", "the store has no index of c0ffee")
	tries <- errors.New("odd")
	tries <- nil
	p := connect(t, serve, tools.Options{Open: func(context.Context) (tools.Session, error) {
		if err := <-tries; err != nil {
			return nil, err
		}
		return newFake(), nil
	}})
	// The first opening may have failed before the first call, which then
	// meets the second.
	failures := 0
	for {
		r := p.call(t, "status", args{})
		if !r.IsError {
			break
		}
		got := text(r)
		if strings.Contains(got, "no index") && !strings.Contains(got, "to mend it: make one with 'pindex compile'") {
			t.Errorf("no remedy: %q", got)
		}
		if failures++; failures > 2 {
			t.Fatal("a failure was kept")
		}
	}
	if failures == 0 {
		t.Error("no failure was reported")
	}
}

func testCancel(t *testing.T, serve Serve) {
	release := make(chan struct{})
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		select {
		case <-release:
			return newFake(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	for i := range 100 { // more than may be pending at once
		ctx, cancel := context.WithCancel(t.Context())
		params := &sdk.CallToolParams{Name: "status"}
		params.SetProgressToken(fmt.Sprint(i))
		answer := make(chan error, 1)
		go func() {
			_, err := p.CallTool(ctx, params)
			answer <- err
		}()
		<-p.updates // it has begun
		cancel()
		if err := <-answer; err == nil {
			t.Fatal("a cancelled call answered")
		}
	}
	close(release)
	if r := p.call(t, "status", args{}); r.IsError {
		t.Errorf("after cancelled calls: %s", text(r))
	}
}

func testDeath(t *testing.T, serve Serve) {
	begun := make(chan struct{})
	ended := make(chan struct{})
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}})
	go p.CallTool(t.Context(), &sdk.CallToolParams{Name: "status"})
	<-begun
	p.end()
	<-p.done // whatever it says of the broken streams
	select {
	case <-ended:
	default:
		t.Error("the opening goes on after the peer's death")
	}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// A script writes its questions, closes the stream and reads the answers.
func testHalfClose(t *testing.T, serve Serve) {
	in := handshake
	for i := range 10 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"greet"}}}`+"\n", i+2)
	}
	var out bytes.Buffer
	if err := serve(t.Context(), io.NopCloser(strings.NewReader(in)), &out, open(newFake())); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := strings.Count(out.String(), "app/greet.py:1-2"); n != 10 {
		t.Errorf("%d of 10 calls were answered", n)
	}
}

func testNeverReads(t *testing.T, serve Serve) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, toServer := io.Pipe()
	unread, out := io.Pipe() // nobody reads
	done := make(chan error, 1)
	go func() { done <- serve(ctx, in, out, open(newFake())) }()
	taken := make(chan int, 1)
	go func() {
		n := 0
		_, err := io.WriteString(toServer, handshake)
		for ; err == nil && n < 10_000; n++ {
			_, err = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"status"}}`+"\n", n+2)
		}
		taken <- n
	}()
	select {
	case n := <-taken:
		t.Errorf("%d requests were taken in, and none answered", n)
	case <-time.After(300 * time.Millisecond): // no limit: time for the flood to stand still
	}
	cancel()
	<-done
	toServer.Close()
	in.Close()
	unread.Close() // only this ends what waits for a stream that takes nothing
}

// A line that is no message costs an answer, and not the connection.
func testOddLines(t *testing.T, serve Serve) {
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"
	for _, c := range []struct {
		line string
		code int
	}{
		{"nonsense", -32700},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"`, -32700},
		{"\xff\xfe", -32700},
		{"7", -32600},
		{"[]", -32600},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, -32600},
		{strings.Repeat("x", 3<<20), -32600},
		{"\n \r", 0},
	} {
		var out bytes.Buffer
		name := c.line[:min(40, len(c.line))]
		in := io.NopCloser(strings.NewReader(handshake + c.line + "\n" + ping + c.line))
		if err := serve(t.Context(), in, &out, open(newFake())); err != nil {
			t.Errorf("%q: Serve: %v", name, err)
		}
		refused, pongs := 0, 0
		for line := range strings.Lines(out.String()) {
			var m struct {
				ID    any
				Error *struct{ Code int }
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%q: an answer that is no JSON: %v", name, err)
			}
			switch {
			case m.ID == nil && m.Error != nil && m.Error.Code == c.code:
				refused++
			case m.ID == "p" && m.Error == nil:
				pongs++
			}
		}
		if want := min(-c.code, 2); refused != want || pongs != 1 {
			t.Errorf("%q: refused %d times, not %d; %d pongs\n%s", name, refused, want, pongs, out.String())
		}
	}
}
