package remotetest

import (
	"encoding/json"
	"net/http"
)

// ChatRequest is what a chat model was asked.
type ChatRequest struct {
	Messages []ChatMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// ChatMessage is one message of a conversation.
type ChatMessage struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// ChatReply is what a scripted model says: a text, or calls of tools.
type ChatReply struct {
	Text  string
	Calls []ChatCall
	// Prompt and Completion are the tokens that it counts; both 0 for a server
	// that does not count.
	Prompt, Completion int
	Refuse             string // in place of an answer: HTTP 400 with this message
}

// ChatCall is one call of a tool.
type ChatCall struct{ ID, Name, Arguments string }

func (s *Server) chat(w http.ResponseWriter, r ChatReply, f Fault) {
	if r.Refuse != "" {
		refuse(w, http.StatusBadRequest, r.Refuse)
		return
	}
	m := map[string]any{"role": "assistant", "content": r.Text}
	if len(r.Calls) > 0 {
		calls := []any{}
		for _, c := range r.Calls {
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Arguments}})
		}
		m["tool_calls"] = calls
		if r.Text == "" {
			m["content"] = nil
		}
	}
	out := map[string]any{"object": "chat.completion", "model": s.ModelName, "choices": []any{map[string]any{"index": 0, "message": m, "finish_reason": "stop"}}}
	if f == Count {
		out["choices"] = []any{}
	}
	if r.Prompt+r.Completion > 0 {
		out["usage"] = map[string]any{"prompt_tokens": r.Prompt, "completion_tokens": r.Completion}
	}
	_ = json.NewEncoder(w).Encode(out) // a client that is gone has no use for it
}
