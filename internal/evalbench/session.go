package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/bundle"
)

// The scripted session of an agent with grep and read, as a chat interface
// takes it; under compact its history is rewritten once, after the first read.
const (
	keptHistory    = "grep and read, history kept"
	compactHistory = "compact, the same session"
)

type chatMessage struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
	ID      string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (m *chatMessage) tokens(meter *bundle.Meter) int {
	n := meter.Count([]byte(m.Content))
	for _, c := range m.Calls {
		n += meter.Count([]byte(c.Function.Name + c.Function.Arguments))
	}
	return n
}

// session lets the scripted explorer work until its history has as many tokens
// as the budget, and returns the lines that stand in it then. What the last
// answer has too much is cut by whole lines.
func session(c *corpus, meter *bundle.Meter, question string, budget int, compact bool) ([]shown, int, error) {
	x := newExplorer(c, meter, question)
	history := []chatMessage{
		{Role: "system", Content: "Find the places where a change has to be made. Tools: grep(word), read(path, line)."},
		{Role: "user", Content: question},
	}
	p := newPage(c, meter)
	tokens := 0
	for i := range history {
		tokens += history[i].tokens(meter)
	}
	for n := 1; ; n++ {
		call, answer, parts, done, err := x.step()
		if err != nil {
			return nil, 0, err
		}
		if done {
			break
		}
		reads := len(parts) == 1 && x.read[parts[0].file] && strings.HasPrefix(call, c.files[parts[0].file].path+":")
		name, args := "grep", map[string]any{"word": call}
		if reads {
			path, line, _ := cutLast(call, ":")
			name, args = "read", map[string]any{"path": path, "line": line}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, 0, err
		}
		ask := chatMessage{Role: "assistant", Content: "I look at " + call + ".", Calls: []chatCall{{ID: "call" + strconv.Itoa(n), Type: "function"}}}
		ask.Calls[0].Function.Name, ask.Calls[0].Function.Arguments = name, string(raw)
		tokens += ask.tokens(meter)
		if tokens >= budget {
			break
		}
		room := budget - tokens
		full := meter.Count([]byte(answer)) > room
		if full {
			answer = ""
			lines := 0
			for l := range strings.Lines(cutTo(x, parts, reads)) {
				if room -= meter.Count([]byte(l)); room < 0 {
					break
				}
				answer += l
				lines++
			}
			if reads {
				parts[0].end = parts[0].start + lines - 1
			} else {
				parts = parts[:min(len(parts), lines)]
			}
		}
		tell := chatMessage{Role: "tool", Content: answer, ID: ask.Calls[0].ID}
		tokens += tell.tokens(meter)
		history = append(history, ask, tell)
		if compact && reads && answer != "" {
			before, err := json.Marshal(history)
			if err != nil {
				return nil, 0, err
			}
			after, cut, err := bundle.Rewrite(before)
			if err != nil {
				return nil, 0, err
			}
			if cut {
				history = nil
				if err := json.Unmarshal(after, &history); err != nil {
					return nil, 0, fmt.Errorf("the rewritten history: %w", err)
				}
				tokens = 0
				for i := range history {
					tokens += history[i].tokens(meter)
				}
				p, full, compact = newPage(c, meter), false, false // once
			}
		}
		for _, s := range parts {
			if s.end >= s.start {
				p.take(s, 1<<30)
			}
		}
		if full {
			break
		}
	}
	return p.shown(), tokens, nil
}

// cutTo writes the answer of a step again, a line for each line shown.
func cutTo(x *explorer, parts []part, reads bool) string {
	var b strings.Builder
	for _, s := range parts {
		f := &x.c.files[s.file]
		for n := s.start; n <= s.end; n++ {
			l := f.lines[n-1]
			if reads {
				b.Write(appendNumbered(nil, n, l))
			} else {
				fmt.Fprintf(&b, "%s:%d:%s\n", f.path, n, l[:min(len(l), grepWidth)])
			}
		}
	}
	return b.String()
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
