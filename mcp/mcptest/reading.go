package mcptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
