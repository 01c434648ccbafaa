package remote_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/embed/remote/remotetest"
	"github.com/pindex-dev/pindex/internal/fail"
)

// A chat model is asked as other servers are: what may pass is tried again, and
// what is wrong is an error that names the host and never the key.
func TestChat(t *testing.T) {
	const key = "sesame-open"
	for _, c := range []struct {
		fault remotetest.Fault
		times int
		want  string // of the error; "" for none
	}{
		{remotetest.None, 0, ""},
		{remotetest.Busy, 1, ""},
		{remotetest.Broken, 2, ""},
		{remotetest.Hangup, 1, ""},
		{remotetest.Truncated, 1, ""},
		{remotetest.Broken, 0, "HTTP 500"},
		{remotetest.Denied, 0, "refuses the request"},
		{remotetest.Redirect, 0, "HTTP 307"},
		{remotetest.NoJSON, 0, "cannot be read"},
		{remotetest.Endless, 0, "more than the"},
		{remotetest.Count, 0, "without a choice"},
		{remotetest.TextLimit, 0, "context length"},
		{remotetest.Slow, 0, "deadline"},
	} {
		s := &remotetest.Server{Key: key, Fault: c.fault, Times: c.times, ModelName: "toy", Script: func(r remotetest.ChatRequest) remotetest.ChatReply {
			return remotetest.ChatReply{Text: "you said " + r.Messages[len(r.Messages)-1].Content[:2], Prompt: 7, Completion: 3}
		}}
		url := s.Start()
		e, err := remote.ParseEndpoint(url+"#toy", "chat/completions", "KEY", key)
		if err != nil {
			t.Fatal(err)
		}
		chat := remote.NewChat(e, remote.Limits{Attempts: 3, Timeout: 200 * time.Millisecond, Wait: time.Millisecond, MaxWait: time.Second})
		a, err := chat.Ask(t.Context(), []remote.Message{{Role: "system", Content: "be brief"}, {Role: "user", Content: "hi" + strings.Repeat(" there", 300)}}, nil)
		switch {
		case c.want == "" && (err != nil || a.Content != "you said hi" || a.Prompt != 7 || a.Completion != 3 || a.Role != "assistant"):
			t.Errorf("%s, %d times: %+v, %v", c.fault, c.times, a, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || fail.CodeOf(err) != fail.Network):
			t.Errorf("%s: %v, want %q", c.fault, err, c.want)
		case err != nil && strings.Contains(err.Error(), key):
			t.Errorf("%s: the key is said: %v", c.fault, err)
		}
		s.Close()
	}
}

// A server with one model need not be told which.
func TestChatModel(t *testing.T) {
	s := &remotetest.Server{ModelName: "only", Script: func(remotetest.ChatRequest) remotetest.ChatReply {
		return remotetest.ChatReply{Calls: []remotetest.ChatCall{{ID: "1", Name: "read", Arguments: `{"path":"a"}`}}}
	}}
	url := s.Start()
	defer s.Close()
	e, err := remote.ParseEndpoint(url, "chat/completions", "KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	chat := remote.NewChat(e, remote.ForChat)
	a, err := chat.Ask(t.Context(), []remote.Message{{Role: "user", Content: "x"}}, []remote.Tool{{Name: "read", Parameters: []byte(`{"type":"object"}`)}})
	if err != nil || len(a.ToolCalls) != 1 || a.ToolCalls[0].Function.Name != "read" || !strings.HasPrefix(chat.Name(), "only at 127.0.0.1:") {
		t.Errorf("%+v, %v, %s", a, err, chat.Name())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := chat.Ask(ctx, nil, nil); err == nil {
		t.Error("a stopped call was answered")
	}
}
