package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// agentTools are the tools of every arm.
var agentTools = []remote.Tool{
	{Name: "grep", Description: "Lines that match a regular expression (RE2), as path:line: text.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"glob; ** crosses folders"}},"required":["pattern"]}`)},
	{Name: "read", Description: "Lines of a file, behind their numbers.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}},"required":["path"]}`)},
}

// maxGrep bounds the lines of one grep.
const maxGrep = 100

// callTool answers a call. What the model did wrong is a text that begins with
// "error"; an error means that the index failed.
func callTool(ctx context.Context, e *query.Engine, name, arguments string, limit int) (string, error) {
	var a struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
		Start   int    `json:"start_line"`
		End     int    `json:"end_line"`
	}
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		return "error: the arguments are no JSON of their schema", nil
	}
	var lines []string
	var err error
	switch name {
	case "grep":
		lines, err = grepLines(ctx, e, a.Pattern, a.Path)
	case "read":
		lines, err = fileLines(ctx, e, a.Path, a.Start, a.End)
	default:
		return "error: there is no tool of that name", nil
	}
	if code := fail.CodeOf(err); err != nil && (code == fail.NotFound || code == fail.Usage) {
		return "error: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return within(lines, limit), nil
}

func grepLines(ctx context.Context, e *query.Engine, pattern, path string) ([]string, error) {
	r, err := e.Grep(ctx, query.GrepOptions{Pattern: pattern, PathGlob: path, MaxResults: maxGrep})
	if err != nil {
		return nil, err
	}
	out := []string{fmt.Sprintf("%d matching lines in %d files, %d shown", r.Total, r.Files, len(r.Results))}
	for i := range r.Results {
		h := &r.Results[i]
		out = append(out, fmt.Sprintf("%s:%d: %s", h.FilePath(), h.StartLine, strings.TrimSpace(string(h.Bytes()))))
	}
	return out, nil
}

func fileLines(ctx context.Context, e *query.Engine, path string, start, end int) ([]string, error) {
	r, err := e.Show(ctx, path, max(start, 0), max(end, 0))
	if err != nil {
		return nil, err
	}
	var out []string
	for i, l := range strings.Split(strings.TrimSuffix(string(r.Bytes()), "\n"), "\n") {
		out = append(out, fmt.Sprintf("%d\t%s", r.StartLine+i, l))
	}
	return out, nil
}

// within joins as many whole lines as a number of tokens holds, and says how
// many it left out.
func within(lines []string, limit int) string {
	var b strings.Builder
	for i, l := range lines {
		l = strings.ToValidUTF8(l, "�") + "\n"
		if limit -= bundle.Count([]byte(l)); limit < 0 {
			fmt.Fprintf(&b, "(%d more lines do not fit; narrow it down)\n", len(lines)-i)
			break
		}
		b.WriteString(l)
	}
	return b.String()
}
