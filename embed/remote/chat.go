package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
)

// ForChat are the limits of somebody who waits for a chat model.
var ForChat = Limits{InFlight: 5, Attempts: 3, Timeout: 2 * time.Minute, MaxWait: 10 * time.Second}

// maxChatAnswer bounds an answer, in bytes.
const maxChatAnswer = 4 << 20

// Chat asks a /chat/completions server. It is safe for concurrent use.
type Chat struct {
	e *Endpoint
	r *requester

	mu    sync.Mutex
	model string // once it was asked for
}

// NewChat returns a client; it asks nothing yet.
func NewChat(e *Endpoint, l Limits) *Chat { return &Chat{e: e, r: newRequester(e, l), model: e.Model} }

// Name names the model and the server, for receipts and explanations.
func (c *Chat) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.model != "" {
		return c.model + " at " + c.e.Host()
	}
	return c.e.Host()
}

// Message is one message of a conversation.
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool's answer
}

// ToolCall is a call that a model wants made.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // function
	Function FunctionCall `json:"function"`
}

// FunctionCall names a tool and its arguments, which are JSON.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is what a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema
}

// MarshalJSON writes the form of the request.
func (t Tool) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}})
}

// ChatAnswer is what a model said.
type ChatAnswer struct {
	Message
	// Prompt and Completion are tokens as the server counts them; both 0
	// where it does not say.
	Prompt, Completion int
	Cached             int // tokens of the prompt that it had before
}

type chatRequest struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	Stream   bool      `json:"stream"`
}

type chatResponse struct {
	Choices []struct {
		Message struct {
			Role      string     `json:"role"`
			Content   *string    `json:"content"`
			ToolCalls []ToolCall `json:"tool_calls"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// maxToolCalls bounds the calls of one answer.
const maxToolCalls = 32

// Ask sends a conversation and returns the model's next message. Nothing that
// models differ about, such as a temperature, is asked for.
func (c *Chat) Ask(ctx context.Context, messages []Message, tools []Tool) (*ChatAnswer, error) {
	model, err := c.modelName(ctx)
	if err != nil {
		return nil, err
	}
	out := &ChatAnswer{}
	err = c.r.ask(ctx, http.MethodPost, c.e.URL, chatRequest{Model: model, Messages: messages, Tools: tools}, maxChatAnswer, func(b []byte) error {
		var ans chatResponse
		if err := parse(b, &ans); err != nil {
			return err
		}
		if len(ans.Choices) == 0 {
			return errors.New("an answer without a choice")
		}
		m := ans.Choices[0].Message
		if len(m.ToolCalls) > maxToolCalls {
			return fmt.Errorf("an answer with %d calls, more than %d", len(m.ToolCalls), maxToolCalls)
		}
		if u := ans.Usage; u.Prompt < 0 || u.Completion < 0 || u.Details.Cached < 0 || u.Prompt > 1<<40 || u.Completion > 1<<40 {
			return errors.New("a count of tokens that is none")
		}
		*out = ChatAnswer{Message: Message{Role: "assistant", ToolCalls: m.ToolCalls}, Prompt: ans.Usage.Prompt, Completion: ans.Usage.Completion, Cached: ans.Usage.Details.Cached}
		if m.Content != nil {
			out.Content = *m.Content
		}
		for i := range out.ToolCalls {
			out.ToolCalls[i].Type = "function" // some servers leave it out
		}
		return nil
	})
	var f *fail.Error
	if err != nil && !errors.As(err, &f) && ctx.Err() == nil {
		err = fail.Wrap(fail.Network, err, remedyOf(err, "a chat model"), "the model at %s failed", c.e.Host())
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *Chat) modelName(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.model == "" {
		var err error
		if c.model, err = c.r.onlyModel(ctx); err != nil {
			return "", err
		}
	}
	return c.model, nil
}
