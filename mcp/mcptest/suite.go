package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

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
		{"symbol", args{"target": "nobody"}, []string{"nothing found", "no declaration", "look for it with search"}},
		{"read", args{"path": "app/greet.py", "start_line": 1, "end_line": 2}, []string{"app/greet.py:1-2 of 6 lines\n", "def greet(name):\n    return \"hello \" + name\n"}},
		{"read", args{"path": "app/greed.py"}, []string{"nothing to read", "did you mean", "app/greet.py"}},
		{"read", args{"path": "app/greet.py", "start_line": 99}, []string{"nothing to read", "6 lines, not 99; give a start_line inside of it"}},
		{"read", args{"path": "app/greet.py:5-6"}, []string{"app/greet.py:5-6 of 6 lines\n", "def main():\n    greet(\"you\")\n"}},
		{"read", args{"path": "app/greet.py:5"}, []string{"app/greet.py:5-5 of 6 lines\n"}},
		{"read", args{"path": "app/greet.py:99"}, []string{"6 lines, not 99"}},
		{"read", args{"path": "app/nonesuch.rs"}, []string{"nothing to read", "find paths with search"}},
		{"read", args{"path": "app"}, []string{"nothing to read", "\"app\" is a folder of 1: greet.py; name a file of it"}},
		{"read", args{"path": "."}, []string{"the root is a folder of 5: app/, latin.txt"}},
		{"symbol", args{"target": "app/greet.py:4"}, []string{"nothing found", "read the file, or name what it declares"}},
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
		if strings.Contains(got, "nothing") && strings.Contains(got, " --") {
			t.Errorf("%s %v is answered with a flag of the command line:\n%s", c.tool, c.args, got)
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
