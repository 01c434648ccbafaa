// Package mcp serves the tools of package tools by the Model Context Protocol,
// over a pair of streams, with the protocol's Go SDK.
//
// The handshake and the list of tools are answered before any index is opened.
// The peer's end of file lets the calls under way end, within a grace; so does
// the context. A peer that stops reading cannot hold the program, nor make it
// take in more than maxPending calls.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, o tools.Options) error {
	set := tools.NewSet(o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := newServer(set)
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
	closed := set.Close(end)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, closed)
}

func newServer(set *tools.Set) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: set.Name(), Version: set.Version()}, &sdk.ServerOptions{
		Instructions: tools.Instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		InitializedHandler: func(context.Context, *sdk.InitializedRequest) {
			set.Start()
		},
	})
	no := false
	for _, d := range set.Tools() {
		server.AddTool(&sdk.Tool{
			Name: d.Name, Description: d.Description, InputSchema: d.Input, OutputSchema: d.Output,
			Annotations: &sdk.ToolAnnotations{Title: d.Title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			r, ok := set.Call(ctx, req.Params.Name, req.Params.Arguments, progress(ctx, req))
			if !ok {
				return nil, errors.New("there is no such tool")
			}
			return result(r), nil
		})
	}
	return server
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
