package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/fail"
)

// maxSaid is how much of the last thing that the assistant said is kept, in
// characters.
const maxSaid = 600

// rewritten begins the message that stands for what was left out. A history
// that has it is not rewritten again.
const rewritten = "[The history up to here was cut by rule.]"

// Rewrite cuts the history of a session by rule; no model is asked. After the
// first successful read of a file the history becomes the system prompt, the
// original question, the distinct paths that were read, the last successful
// read in full, and the first 600 characters of the last message of the
// assistant that says something. It reads the messages of OpenAI's and
// Anthropic's interfaces, as a list or in an object, and answers in the same
// shape; other fields of the object stay. Before the first successful read,
// and once it was cut, a history comes back as it is, and done is false.
//
// A read is a call of a tool whose name says so (read, view, open, show or cat
// as one of its words) with a path among its arguments. It is successful when
// its result is not empty, is not marked as an error and does not begin with
// the word "error".
func Rewrite(history []byte) (out []byte, done bool, err error) {
	object, list, err := readHistory(history)
	if err != nil {
		return nil, false, fail.Wrap(fail.Usage, err, "give the messages as a JSON list, or an object with messages, as a chat interface takes them", "the history cannot be read")
	}
	h := &session{reads: map[string]string{}}
	for i, raw := range list {
		if err := h.add(raw); err != nil {
			return nil, false, fail.Wrap(fail.Usage, err, "give the messages as a chat interface takes them", "message %d of the history", i+1)
		}
	}
	if h.cut || h.lastPath == "" {
		return history, false, nil
	}
	list, err = h.messages()
	if err != nil {
		return nil, false, err
	}
	var result any = list
	if object != nil {
		b, err := encodeJSON(list)
		if err != nil {
			return nil, false, err
		}
		object["messages"] = b
		result = object
	}
	out, err = encodeJSON(result)
	return append(out, '\n'), true, err
}

func readHistory(history []byte) (object map[string]json.RawMessage, list []json.RawMessage, err error) {
	t := bytes.TrimSpace(history)
	if !bytes.HasPrefix(t, []byte("{")) {
		err = json.Unmarshal(t, &list)
		return nil, list, err
	}
	if err := json.Unmarshal(t, &object); err != nil {
		return nil, nil, err
	}
	if object["messages"] == nil {
		return nil, nil, errors.New("the object has no messages")
	}
	err = json.Unmarshal(object["messages"], &list)
	return object, list, err
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// message is one message in either shape; unknown fields stay in the raw form.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON
	} `json:"function"`
}

// block is one part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// session is what is kept of a history while it is read.
type session struct {
	system   []json.RawMessage // system messages in front, as they came
	query    json.RawMessage   // the first message of the user, as it came
	reads    map[string]string // path by call
	paths    []string          // read with success, in order
	lastPath string
	lastText string
	said     string
	cut      bool
}

func (h *session) add(raw json.RawMessage) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	text, blocks, err := content(m.Content)
	if err != nil {
		return err
	}
	switch m.Role {
	case "system", "developer":
		if h.query == nil {
			h.system = append(h.system, raw)
		}
	case "user":
		h.cut = h.cut || strings.HasPrefix(text, rewritten)
		for _, b := range blocks {
			h.cut = h.cut || strings.HasPrefix(b.Text, rewritten)
			if b.Type == "tool_result" {
				inner, _, err := content(b.Content)
				if err != nil {
					return err
				}
				h.result(b.ToolUseID, inner, b.IsError)
			}
		}
		if h.query == nil {
			h.query = raw
		}
	case "assistant":
		if strings.TrimSpace(text) != "" {
			h.said = text
		}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				h.call(b.ID, b.Name, b.Input)
			}
		}
		for _, c := range m.ToolCalls {
			h.call(c.ID, c.Function.Name, []byte(c.Function.Arguments))
		}
	case "tool":
		h.result(m.ToolCallID, text, false)
	default:
		return fmt.Errorf("there is no role %.40q", m.Role)
	}
	return nil
}

// content reads a content: a text, nothing, or blocks, whose texts it joins.
func content(raw json.RawMessage) (text string, blocks []block, err error) {
	t := bytes.TrimSpace(raw)
	switch {
	case len(t) == 0 || string(t) == "null":
		return "", nil, nil
	case t[0] == '"':
		err = json.Unmarshal(t, &text)
		return text, nil, err
	}
	if err := json.Unmarshal(t, &blocks); err != nil {
		return "", nil, err
	}
	var parts []string
	for _, b := range blocks {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n"), blocks, nil
}

var (
	readWords = []string{"read", "view", "open", "show", "cat"}
	pathNames = []string{"path", "file_path", "filePath", "file", "filename", "target_file", "uri"}
)

func (h *session) call(id, name string, arguments []byte) {
	reads := false
	eachWord([]byte(name), func(w []byte) { reads = reads || slices.Contains(readWords, string(w)) })
	var args map[string]json.RawMessage
	if !reads || json.Unmarshal(arguments, &args) != nil {
		return
	}
	for _, n := range pathNames {
		var path string
		if json.Unmarshal(args[n], &path) == nil && path != "" {
			h.reads[id] = path
			return
		}
	}
}

func (h *session) result(id, text string, failed bool) {
	path, ok := h.reads[id]
	start := strings.TrimSpace(text)
	if !ok || failed || start == "" || strings.HasPrefix(strings.ToLower(start[:min(len(start), 5)]), "error") {
		return
	}
	h.lastPath, h.lastText = path, text
	if !slices.Contains(h.paths, path) {
		h.paths = append(h.paths, path)
	}
}

// messages writes the history that is left.
func (h *session) messages() ([]json.RawMessage, error) {
	var b strings.Builder
	b.WriteString(rewritten + "\n\nFiles read so far:\n")
	for _, p := range h.paths {
		b.WriteString("- " + oneLine(p) + "\n")
	}
	fence := strings.Repeat("`", max(3, longest([]byte(h.lastText), '`')+1))
	fmt.Fprintf(&b, "\nThe last read, of %s:\n%s\n%s", oneLine(h.lastPath), fence, h.lastText)
	if !strings.HasSuffix(h.lastText, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(fence + "\n")
	if h.said != "" {
		b.WriteString("\nYou said last:\n" + firstRunes(h.said, maxSaid) + "\n")
	}
	out := slices.Clone(h.system)
	if h.query != nil {
		out = append(out, h.query)
	}
	m, err := encodeJSON(map[string]string{"role": "user", "content": b.String()})
	return append(out, m), err
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
