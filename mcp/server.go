// Package mcp serves the tools of package tools by the Model Context Protocol,
// over a pair of streams or streamable HTTP, with the protocol's Go SDK.
//
// The handshake and the list of tools are answered before any index is opened.
// One server answers about several repositories and worktrees: a call names
// another one by its root (hub.go), and a client of a pair of streams may say
// which folders it works on (peer.go).
//
// The peer's end of file lets the calls under way end, within a grace; so does
// the context. A peer that stops reading cannot hold the program, nor make it
// take in more than maxPending calls. What HTTP needs beside that is in http.go.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
)

const (
	// maxFrame bounds one message from the peer, in bytes.
	maxFrame = 1 << 20
	// maxPending bounds the requests that are read and not yet answered.
	maxPending = 64
	// grace is how long calls may go on after the peer's end of file, and how
	// long the server may take to end.
	grace = 3 * time.Second
)

// Serve answers one peer until in ends or the context does. Whatever happens
// it returns soon after; a goroutine that waits on a stream which cannot be
// interrupted ends with the stream.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, o Options) error {
	h := newHub(o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPeer(ctx, h, true)
	server := newServer(h, p, nil)
	run := make(chan error, 1)
	go func() {
		shared := &lockedWriter{w: out}
		run <- server.Run(ctx, newTransport(newLines(in, shared), shared))
	}()
	var err error
	select {
	case err = <-run:
	case <-ctx.Done():
		// What writes to a peer that does not read cannot be interrupted.
		select {
		case err = <-run:
		case <-time.After(grace):
		}
	}
	cancel()
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	closed := h.close(end)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, closed)
}

// newServer returns a server whose calls end with their requests, where those
// come over HTTP; requests is nil for a pair of streams.
func newServer(h *hub, p *peer, requests *lifelines) *sdk.Server {
	instructions := tools.Instructions
	if h.o.Find != nil {
		instructions += rootInstruction
	}
	server := sdk.NewServer(&sdk.Implementation{Name: h.o.Name, Version: h.o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		InitializedHandler: func(_ context.Context, req *sdk.InitializedRequest) {
			p.initialized(req.Session)
		},
		//lint:ignore SA1019 see peer.go
		RootsListChangedHandler: func(_ context.Context, req *sdk.RootsListChangedRequest) {
			p.ask(req.Session)
		},
	})
	// Newer clients do not say that they are ready; their first question does.
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "server/discover" {
				h.start(h.o.Root)
			}
			return next(ctx, method, req)
		}
	})
	no := false
	for _, d := range h.newSet("").Tools() {
		input := d.Input
		if h.o.Find != nil {
			input = withRoot(input)
		}
		server.AddTool(&sdk.Tool{
			Name: d.Name, Description: d.Description, InputSchema: input, OutputSchema: d.Output,
			Annotations: &sdk.ToolAnnotations{Title: d.Title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if needs := p.needs(req); needs != nil {
				return &sdk.CallToolResult{InputRequests: needs}, nil
			}
			if requests != nil {
				var stop func()
				ctx, stop = requests.tie(ctx, req.Extra)
				defer stop()
			}
			r, err := p.call(ctx, req)
			if err != nil {
				r = tools.ErrorReply(err)
			}
			return result(r), nil
		})
	}
	return server
}

// call answers one call of a tool that there is.
func (p *peer) call(ctx context.Context, req *sdk.CallToolRequest) (*tools.Reply, error) {
	dir, args := "", req.Params.Arguments
	if p.h.o.Find != nil {
		var err error
		if dir, args, err = takeRoot(args); err != nil {
			return nil, err
		}
	}
	root, err := p.find(ctx, dir)
	if err != nil {
		return nil, err
	}
	set, release, err := p.h.acquire(root)
	if err != nil {
		return nil, err
	}
	defer release()
	r, ok := set.Call(ctx, req.Params.Name, args, progress(ctx, req))
	if !ok {
		return nil, errors.New("there is no such tool")
	}
	return r, nil
}

// rootInstruction tells a model of the argument that each tool has.
const rootInstruction = " root is a folder of another repository or worktree to ask about; the default is the one that the user works on."

// rootName is the argument that names a repository.
const rootName = "root"

// withRoot adds the root to the schema of a tool's arguments.
func withRoot(schema json.RawMessage) json.RawMessage {
	const begin, root = `{"type":"object","properties":{`, `"` + rootName + `":{"type":"string"}`
	rest, ok := bytes.CutPrefix(schema, []byte(begin))
	if !ok {
		return schema // the suite's test of the list would tell
	}
	if !bytes.HasPrefix(rest, []byte("}")) {
		return append([]byte(begin+root+","), rest...)
	}
	return append([]byte(begin+root), rest...)
}

// maxRootLen bounds the argument, in bytes.
const maxRootLen = 4096

// takeRoot takes the root out of a call's arguments. What is no object is left
// for the tool to complain of.
func takeRoot(raw json.RawMessage) (dir string, rest json.RawMessage, err error) {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil {
		return "", raw, nil
	}
	v, ok := args[rootName]
	if !ok {
		return "", raw, nil
	}
	delete(args, rootName)
	if err := json.Unmarshal(v, &dir); err != nil || len(dir) > maxRootLen {
		return "", nil, fail.New(fail.Usage, "give the path of a folder, as a string", "the argument root is no path")
	}
	rest, err = json.Marshal(args)
	return dir, rest, err
}

// progress returns what tells the peer that its call waits for the index, nil
// where the peer did not ask.
func progress(ctx context.Context, req *sdk.CallToolRequest) tools.Waiting {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(n int) {
		// A peer that cannot be told is found out by the answer.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: tools.WaitingMessage})
	}
}

func result(r *tools.Reply) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: r.IsError, Content: make([]sdk.Content, len(r.Texts))}
	for i, t := range r.Texts {
		res.Content[i] = &sdk.TextContent{Text: t}
	}
	if r.Structured != nil {
		res.StructuredContent = json.RawMessage(r.Structured)
	}
	return res
}
