package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/mcp/mcptest"
	"github.com/pindex-dev/pindex/mcp/tools"
)

func TestServe(t *testing.T) { mcptest.Run(t, Serve) }

// lines serves raw input and returns the answers.
func lines(t *testing.T, in string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), io.NopCloser(strings.NewReader(in)), &out, tools.Options{Name: "raw"}); err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var m map[string]any
		if l == "" {
			continue
		}
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		all = append(all, m)
	}
	return all
}

// What is no request costs an answer, and not the connection.
func TestOddMessages(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"
	for _, c := range []struct {
		in   string
		code float64 // 0: no answer
	}{
		{"nonsense\n", codeParse},
		{"[]\n", codeInvalidRequest},
		{"[" + strings.TrimSpace(ping) + "]\n", codeInvalidRequest},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}` + "\n", codeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/list"}` + "\n", codeNoMethod},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}` + "\n", codeInvalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}` + "\n", codeInvalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}` + "\n", codeInvalidParams},
		{strings.Repeat("x", maxLine+1) + "\n", codeInvalidRequest},
		{"\n\n", 0},
		{`{"jsonrpc":"2.0","method":"notifications/odd"}` + "\n", 0},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}` + "\n", 0},
		{`{"jsonrpc":"2.0","id":5,"result":{}}` + "\n", 0},
	} {
		got := lines(t, c.in+ping)
		name := c.in[:min(60, len(c.in))]
		last := got[len(got)-1]
		if c.code != 0 {
			var code any
			for _, m := range got {
				if e, ok := m["error"].(map[string]any); ok {
					code = e["code"]
				} else {
					last = m
				}
			}
			if code != c.code {
				t.Errorf("%q: code %v, not %v", name, code, c.code)
			}
		}
		if last["id"] != "p" || last["error"] != nil {
			t.Errorf("%q: no pong: %v", name, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-06-18": "2025-06-18", "1999-01-01": versions[0], "": versions[0]} {
		got := lines(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+asked+`"}}`+"\n")
		if v := got[0]["result"].(map[string]any)["protocolVersion"]; v != want {
			t.Errorf("asked for %q, got %v", asked, v)
		}
	}
}

func FuzzMessages(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"id":1,"method":"tools/call","params":{"name":"search","arguments":{"k":1}}}`, `{"method":"notifications/cancelled","params":{"requestId":"a"}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		lines(t, in)
	})
}
