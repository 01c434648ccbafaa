package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pindex-dev/pindex/mcp/mcptest"
	"github.com/pindex-dev/pindex/mcp/tools"
)

// slow is a session whose every call lasts until its context ends.
type slow struct {
	*mcptest.Stored
	begun, ended chan struct{}
}

func (s *slow) State(ctx context.Context) (tools.State, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	s.ended <- struct{}{}
	return tools.State{}, ctx.Err()
}

// A client that goes away ends the calls whose answers it waited for, whichever
// way it goes and whichever version of the protocol it speaks.
func TestHTTPGone(t *testing.T) {
	mcptest.NoLeak(t)
	s := &slow{mcptest.Named("slow"), make(chan struct{}), make(chan struct{})}
	o := (&place{}).options()
	o.Open = func(context.Context, string) (tools.Session, error) { return s, nil }
	addr := serveHTTP(t, o, HTTPOptions{})
	post := func(ctx context.Context, session, body string) *http.Request {
		req, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+HTTPPath, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set(callHeader, "1") // a client's own word for it counts for nothing
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		return req
	}
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"status"}}`
	}
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		res, err := http.DefaultClient.Do(post(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		session := res.Header.Get("Mcp-Session-Id")
		if session == "" {
			t.Fatalf("no session by %s: %s", version, res.Status)
		}

		// It gives up its request.
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := http.DefaultClient.Do(post(ctx, session, call("2"))); err == nil {
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		<-s.begun
		cancel()
		<-s.ended // nothing else ends the call
		<-done

		// Its connection dies.
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := post(t.Context(), session, call("3")).Write(conn); err != nil {
			t.Fatal(err)
		}
		<-s.begun
		conn.Close()
		<-s.ended
	}

	// The SDK's own client, whose call is cancelled.
	c := dial(t, addr, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "status"})
		failed <- err
	}()
	<-s.begun
	cancel()
	<-s.ended
	if err := <-failed; err == nil {
		t.Error("a cancelled call answered")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
