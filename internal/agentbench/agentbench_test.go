package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/embed/remote/remotetest"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/query/querytest"
)

func engine() *query.Engine {
	var files []querytest.File
	for _, s := range []string{"zebra", "lion", "tiger", "otter"} {
		files = append(files, querytest.File{
			Path: "src/" + s + ".py", Lang: "python", Content: fmt.Sprintf("def %s():\n    return '%s stripes'\n", s, s),
			Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: s, StartLine: 1, EndLine: 2}},
		})
	}
	return query.New(querytest.New(files, querytest.Options{}), query.Options{Workers: 1})
}

// model is a scripted chat model that greps, reads and answers, and writes down
// what it was told.
type model struct {
	animal string // that its question is about
	asked  []remotetest.ChatRequest
	tokens int                                                     // that it counted in all
	silent bool                                                    // about tokens
	script func(m *model, last string, n int) remotetest.ChatReply // nil for the ordinary one
}

func (m *model) reply(r remotetest.ChatRequest) remotetest.ChatReply {
	m.asked = append(m.asked, r)
	last := r.Messages[len(r.Messages)-1].Content
	var out remotetest.ChatReply
	switch {
	case m.script != nil:
		out = m.script(m, last, len(m.asked))
	case last == formatPrompt:
		out.Text = "I say: " + fmt.Sprintf(`{"files":["./src/%s.py","src/%s.py","nowhere.py"]}`, m.animal, m.animal)
	case strings.HasPrefix(last, "Task:"):
		out.Calls = []remotetest.ChatCall{{ID: "g", Name: "grep", Arguments: `{"pattern":"` + m.animal + `"}`}}
	case strings.Contains(last, "matching lines in") || strings.HasPrefix(last, evidencePrompt):
		out.Text = "It must be there."
		out.Calls = []remotetest.ChatCall{{ID: "r", Name: "read", Arguments: `{"path":"src/` + m.animal + `.py"}`}}
	default:
		out.Text = "I know enough."
	}
	if !m.silent {
		out.Prompt, out.Completion = 100*len(r.Messages), 10+len(out.Calls)
		m.tokens += out.Prompt + out.Completion
	}
	return out
}

// start serves a model and returns a bench that asks it by HTTP.
func start(t *testing.T, m *model, l limits) *bench {
	t.Helper()
	s := &remotetest.Server{ModelName: "toy", Script: m.reply}
	e, err := remote.ParseEndpoint(s.Start()+"#toy", "chat/completions", envKey, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	eng := engine()
	return &bench{
		chat:   remote.NewChat(e, remote.Limits{Attempts: 2, Wait: time.Millisecond, Timeout: 5 * time.Second}),
		open:   func(context.Context, string) (*query.Engine, error) { return eng, nil },
		limits: l,
	}
}

func zebra() *question {
	return &question{ID: "z", Repo: "zoo", Commit: "c", Query: "why has the zebra stripes", Gold: []string{"src/zebra.py", "src/horse.py"}}
}

// Each arm goes its own way with the same tools, and everything is counted.
func TestArms(t *testing.T) {
	for _, c := range []struct {
		arm                     string
		turns, calls, rewritten int
		messages                int // of the last request
		contains, containsNot   string
	}{
		{armGrep, 3, 2, 0, 8, "def zebra", evidencePrompt},
		{armEager, 2, 1, 0, 7, evidencePrompt, "cut by rule"},
		{armCompact, 2, 1, 1, 5, "cut by rule", evidencePrompt},
	} {
		m := &model{animal: "zebra"}
		tr, err := start(t, m, defaultLimits).run(t.Context(), zebra(), c.arm)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Turns != c.turns || tr.Calls != c.calls || tr.Rewritten != c.rewritten || tr.Ended != "answered" || tr.Recall != 0.5 || tr.Counted {
			t.Errorf("%s: %+v", c.arm, tr)
		}
		if tr.tokens() != m.tokens || m.tokens == 0 {
			t.Errorf("%s: %d tokens, the server counted %d", c.arm, tr.tokens(), m.tokens)
		}
		last := m.asked[len(m.asked)-1]
		var all strings.Builder
		for _, x := range last.Messages {
			all.WriteString(x.Content + "\n")
		}
		if len(last.Messages) != c.messages || !strings.Contains(all.String(), c.contains) || strings.Contains(all.String(), c.containsNot) {
			t.Errorf("%s: the last request has %d messages:\n%s", c.arm, len(last.Messages), all.String())
		}
		if !strings.Contains(all.String(), "Task:\nwhy has the zebra stripes") || !strings.Contains(all.String(), "def zebra") {
			t.Errorf("%s: the task or the last read is gone:\n%s", c.arm, all.String())
		}
		for _, r := range m.asked {
			if len(r.Tools) != 2 || r.Tools[0].Function.Name != "grep" || r.Tools[1].Function.Name != "read" {
				t.Errorf("%s: tools %v", c.arm, r.Tools)
			}
		}
	}
}

// What models and servers do wrong ends a trajectory, not the run.
func TestTrajectoriesEnd(t *testing.T) {
	call := func(name, args string) remotetest.ChatReply {
		return remotetest.ChatReply{Calls: []remotetest.ChatCall{{ID: "x", Name: name, Arguments: args}}, Prompt: 10, Completion: 10}
	}
	answer := remotetest.ChatReply{Text: `{"files":["src/zebra.py"]}`, Prompt: 10, Completion: 10}
	for _, c := range []struct {
		name   string
		script func(m *model, last string, n int) remotetest.ChatReply
		limits limits
		ended  string
		recall float64
		last   string // in a message of the last request
	}{
		{"calls without end", func(_ *model, last string, _ int) remotetest.ChatReply {
			if last == formatPrompt {
				return answer
			}
			return call("grep", `{"pattern":"x"}`)
		}, limits{Turns: 4, Tokens: 1e6, Bundle: 1000, Result: 100}, "turns", 0.5, "0 matching lines"},
		{"tokens without end", func(_ *model, last string, _ int) remotetest.ChatReply {
			if last == formatPrompt {
				return answer
			}
			return call("grep", `{"pattern":"x"}`)
		}, limits{Turns: 50, Tokens: 100, Bundle: 1000, Result: 100}, "tokens", 0.5, ""},
		{"an unknown tool", func(_ *model, last string, n int) remotetest.ChatReply {
			if n == 1 {
				return call("rm", `{}`)
			}
			return answer
		}, defaultLimits, "answered", 0.5, "error: there is no tool"},
		{"malformed arguments", func(_ *model, last string, n int) remotetest.ChatReply {
			if n == 1 {
				return call("read", `{"path`)
			}
			return answer
		}, defaultLimits, "answered", 0.5, "error: the arguments"},
		{"a bad pattern", func(_ *model, last string, n int) remotetest.ChatReply {
			if n == 1 {
				return call("grep", `{"pattern":"("}`)
			}
			return answer
		}, defaultLimits, "answered", 0.5, "error: "},
		{"a path that there is not", func(_ *model, last string, n int) remotetest.ChatReply {
			if n == 1 {
				return call("read", `{"path":"../../etc/passwd"}`)
			}
			return answer
		}, defaultLimits, "answered", 0.5, "error: "},
		{"no answer", func(*model, string, int) remotetest.ChatReply { return remotetest.ChatReply{Text: "{{{", Prompt: 1} }, defaultLimits, "no answer", 0, ""},
		{"too long", func(*model, string, int) remotetest.ChatReply {
			return remotetest.ChatReply{Refuse: "maximum context length"}
		}, defaultLimits, "too long", 0, ""},
	} {
		m := &model{animal: "zebra", script: c.script}
		tr, err := start(t, m, c.limits).run(t.Context(), zebra(), armGrep)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if tr.Ended != c.ended || tr.Recall != c.recall || tr.Turns > c.limits.Turns {
			t.Errorf("%s: %+v", c.name, tr)
		}
		found := c.last == ""
		for _, x := range m.asked[len(m.asked)-1].Messages {
			found = found || strings.Contains(x.Content, c.last)
		}
		if !found {
			t.Errorf("%s: no %q in %+v", c.name, c.last, m.asked[len(m.asked)-1].Messages)
		}
	}
}

// A run goes on where it was stopped, and reports.
func TestRunAll(t *testing.T) {
	qs := []question{*zebra(), {ID: "l", Repo: "zoo", Commit: "c", Query: "lion", Gold: []string{"src/lion.py"}}, {ID: "t", Repo: "park", Commit: "d", Query: "zebra", Gold: []string{"src/zebra.py"}}}
	m := &model{animal: "zebra", silent: true}
	b := start(t, m, defaultLimits)
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	all, err := b.runAll(t.Context(), qs, path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(qs)*len(arms) {
		t.Fatalf("%d trajectories", len(all))
	}
	for _, tr := range all {
		if !tr.Counted || tr.tokens() < 100 {
			t.Errorf("a server that does not count: %+v", tr)
		}
	}
	// The end of the file is lost, as when the machine stops.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(m.asked)
	again, err := b.runAll(t.Context(), qs, path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.asked) - before; n < 1 || n > 5 || len(again) != len(all) {
		t.Errorf("%d requests to go on, %d trajectories", n, len(again))
	}
	var out bytes.Buffer
	if err := report(&out, qs, again); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"toy at 127", "3 questions of 2 snapshots", "the intervals say little", "counted by o200k-bound", "| grep | 0.500", "| eager | 0.500", "| compact | 0.500", "passes", "best recall: ", "retention (eager against compact"} {
		if !strings.Contains(out.String(), w) {
			t.Errorf("no %q in\n%s", w, out.String())
		}
	}
	if err := report(&out, qs, again[:4]); err == nil {
		t.Error("a report without all arms")
	}
}

// The interval is that of snapshots, and the gate looks at its lower end.
func TestJudge(t *testing.T) {
	rowsWith := func(snapshots, each int, gain func(s int) float64) (rows []row) {
		for s := range snapshots {
			for range each {
				rows = append(rows, row{fmt.Sprint(s),
					map[string]float64{armGrep: 0.5, armEager: 0.5 + gain(s), armCompact: 0.3},
					map[string]float64{armGrep: 1000, armEager: 400, armCompact: 200}})
			}
		}
		return rows
	}
	same := rowsWith(20, 5, func(int) float64 { return 0.1 })
	if v := judge(same); v.best != armEager || v.cheapest != armEager || !v.passes[armGrep] || v.passes[armCompact] {
		t.Errorf("%+v", v)
	}
	if e := bootstrap(same, recallGain(armEager, armGrep)); e.high-e.low > 1e-9 || e.at < 0.0999 {
		t.Errorf("equal snapshots: %v", e)
	}
	// A mean of zero that hangs on few snapshots is no proof of being as good.
	mixed := rowsWith(4, 50, func(s int) float64 { return []float64{0.3, -0.3, 0.3, -0.3}[s] })
	if e := bootstrap(mixed, recallGain(armEager, armGrep)); e.low > -0.25 || e.high < 0.25 {
		t.Errorf("the interval of 4 snapshots is %v: that of 200 questions", e)
	}
	if v := judge(mixed); v.passes[armEager] || v.cheapest != armGrep {
		t.Errorf("%+v", v)
	}
	a, b := bootstrap(mixed, tokenShare(armEager, armGrep)), bootstrap(mixed, tokenShare(armEager, armGrep))
	if a != b || a.at != 0.4 {
		t.Errorf("%v and %v", a, b)
	}
}

func TestQuestions(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"id":"b","repo":"r","commit":"c","query":"q","gold":["x"]}` + "\n" + `{"id":"a","repo":"r","commit":"c","query":"q","gold":["x"]}`: true,
		``:           false,
		`{"id":"a"}`: false,
		`{"id":"a","commit":"c","query":" ","gold":["x"]}`: false,
		`{"id":"a","commit":"c","query":"q","gold":[]}`:    false,
		`[]`: false,
		`{"id":"a","commit":"c","query":"q","gold":["x"]}{"id":"a","commit":"c","query":"q","gold":["x"]}`: false,
	} {
		path := filepath.Join(t.TempDir(), "q")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		qs, err := readQuestions(path)
		if (err == nil) != ok || ok && qs[0].ID != "a" {
			t.Errorf("%q: %v, %v", text, qs, err)
		}
	}
}
