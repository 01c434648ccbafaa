package bundle

import (
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
)

func TestRewrite(t *testing.T) {
	long := strings.Repeat("ü", 700)
	openai := `[{"role":"system","content":"Be brief."},{"role":"user","content":"Fix it."},
{"role":"assistant","content":"I look.","tool_calls":[{"id":"1","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}},{"id":"2","function":{"name":"grep","arguments":"{\"path\":\"b.go\"}"}}]},
{"role":"tool","tool_call_id":"1","content":"package a\n` + "```" + `\n"},{"role":"tool","tool_call_id":"2","content":"b.go:1"},
{"role":"assistant","content":"` + long + `","tool_calls":[{"id":"3","function":{"name":"read_file","arguments":"{\"path\":\"c.go\"}"}}]},
{"role":"tool","tool_call_id":"3","content":"Error: no such file"},{"role":"assistant","content":null}]`
	anthropic := `{"model":"m","system":"Be brief.","messages":[{"role":"user","content":"Fix it."},
{"role":"assistant","content":[{"type":"text","text":"` + long + `"},{"type":"tool_use","id":"x","name":"Read","input":{"file_path":"a.go"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"package a\n` + "```" + `\n"}]}]},
{"role":"assistant","content":[{"type":"tool_use","id":"y","name":"Read","input":{"file_path":"c.go"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"y","is_error":true,"content":"gone"}]}]}`
	tail := `{"content":"[The history up to here was cut by rule.]\n\nFiles read so far:\n- a.go\n\nThe last read, of a.go:\n` + "````" + `\npackage a\n` + "```" + `\n` + "````" + `\n\nYou said last:\n` + strings.Repeat("ü", 600) + `\n","role":"user"}]`
	for _, c := range []struct{ name, in, want string }{
		{"openai", openai, `[{"role":"system","content":"Be brief."},{"role":"user","content":"Fix it."},` + tail + "\n"},
		{"anthropic", anthropic, `{"messages":[{"role":"user","content":"Fix it."},` + tail + `,"model":"m","system":"Be brief."}` + "\n"},
	} {
		out, done, err := Rewrite([]byte(c.in))
		if err != nil || !done || string(out) != c.want {
			t.Errorf("%s: %v %v\n%s\nwant\n%s", c.name, done, err, out, c.want)
		}
		again, done, err := Rewrite(out)
		if err != nil || done || string(again) != string(out) {
			t.Errorf("%s, cut twice: %v %v\n%s", c.name, done, err, again)
		}
	}
	for _, in := range []string{`[]`, `[{"role":"user","content":"Fix it."}]`, `{"messages":[]}`} {
		if out, done, err := Rewrite([]byte(in)); err != nil || done || string(out) != in {
			t.Errorf("%s: %s %v %v", in, out, done, err)
		}
	}
	for _, in := range []string{``, `{}`, `[1]`, `[{"role":"nobody"}]`, `[{"role":"user","content":5}]`, `{"messages":{}}`, `[`} {
		if _, _, err := Rewrite([]byte(in)); fail.CodeOf(err) != fail.Usage {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},{"role":"tool","tool_call_id":"1","content":"y"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, done, err := Rewrite(b)
		if err != nil || !done {
			return
		}
		if _, again, err := Rewrite(out); err != nil || again {
			t.Errorf("what was cut is cut again: %v\n%s", err, out)
		}
	})
}
