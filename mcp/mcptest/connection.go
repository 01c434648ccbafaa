package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pindex-dev/pindex/mcp/tools"
)

func testCancel(t *testing.T, serve Serve) {
	release := make(chan struct{})
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		select {
		case <-release:
			return newFake(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	for i := range 100 { // more than may be pending at once
		ctx, cancel := context.WithCancel(t.Context())
		params := &sdk.CallToolParams{Name: "status"}
		params.SetProgressToken(fmt.Sprint(i))
		answer := make(chan error, 1)
		go func() {
			_, err := p.CallTool(ctx, params)
			answer <- err
		}()
		<-p.updates // it has begun
		cancel()
		if err := <-answer; err == nil {
			t.Fatal("a cancelled call answered")
		}
	}
	close(release)
	if r := p.call(t, "status", args{}); r.IsError {
		t.Errorf("after cancelled calls: %s", text(r))
	}
}

func testDeath(t *testing.T, serve Serve) {
	begun := make(chan struct{})
	ended := make(chan struct{})
	p := connect(t, serve, tools.Options{Open: func(ctx context.Context) (tools.Session, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}})
	go p.CallTool(t.Context(), &sdk.CallToolParams{Name: "status"})
	<-begun
	p.end()
	<-p.done // whatever it says of the broken streams
	select {
	case <-ended:
	default:
		t.Error("the opening goes on after the peer's death")
	}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// A script writes its questions, closes the stream and reads the answers.
func testHalfClose(t *testing.T, serve Serve) {
	in := handshake
	for i := range 10 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"greet"}}}`+"\n", i+2)
	}
	var out bytes.Buffer
	if err := serve(t.Context(), io.NopCloser(strings.NewReader(in)), &out, open(newFake())); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := strings.Count(out.String(), "app/greet.py:1-2"); n != 10 {
		t.Errorf("%d of 10 calls were answered", n)
	}
}

func testNeverReads(t *testing.T, serve Serve) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, toServer := io.Pipe()
	unread, out := io.Pipe() // nobody reads
	done := make(chan error, 1)
	go func() { done <- serve(ctx, in, out, open(newFake())) }()
	taken := make(chan int, 1)
	go func() {
		n := 0
		_, err := io.WriteString(toServer, handshake)
		for ; err == nil && n < 10_000; n++ {
			_, err = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"status"}}`+"\n", n+2)
		}
		taken <- n
	}()
	select {
	case n := <-taken:
		t.Errorf("%d requests were taken in, and none answered", n)
	case <-time.After(300 * time.Millisecond): // no limit: time for the flood to stand still
	}
	cancel()
	<-done
	toServer.Close()
	in.Close()
	unread.Close() // only this ends what waits for a stream that takes nothing
}

// A line that is no message costs an answer, and not the connection.
func testOddLines(t *testing.T, serve Serve) {
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"
	for _, c := range []struct {
		line string
		code int
	}{
		{"nonsense", -32700},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"`, -32700},
		{"\xff\xfe", -32700},
		{"7", -32600},
		{"[]", -32600},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, -32600},
		{strings.Repeat("x", 3<<20), -32600},
		{"\n \r", 0},
	} {
		var out bytes.Buffer
		name := c.line[:min(40, len(c.line))]
		in := io.NopCloser(strings.NewReader(handshake + c.line + "\n" + ping + c.line))
		if err := serve(t.Context(), in, &out, open(newFake())); err != nil {
			t.Errorf("%q: Serve: %v", name, err)
		}
		refused, pongs := 0, 0
		for line := range strings.Lines(out.String()) {
			var m struct {
				ID    any
				Error *struct{ Code int }
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%q: an answer that is no JSON: %v", name, err)
			}
			switch {
			case m.ID == nil && m.Error != nil && m.Error.Code == c.code:
				refused++
			case m.ID == "p" && m.Error == nil:
				pongs++
			}
		}
		if want := min(-c.code, 2); refused != want || pongs != 1 {
			t.Errorf("%q: refused %d times, not %d; %d pongs\n%s", name, refused, want, pongs, out.String())
		}
	}
}
