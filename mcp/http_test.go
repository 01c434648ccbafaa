package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/mcptest"
)

const secret = "a long enough secret"

// serveHTTP starts a server on the loopback interface and returns its address.
func serveHTTP(t *testing.T, o Options, ho HTTPOptions) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- ServeHTTP(ctx, l, o, ho) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ServeHTTP: %v", err)
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return l.Addr().String()
}

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, addr string, client *http.Client) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + addr + HTTPPath, HTTPClient: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Several clients work beside one another, and what they leave behind is gone
// with the server.
func TestHTTP(t *testing.T) {
	mcptest.NoLeak(t)
	p := &place{}
	var dead *sdk.ClientSession
	t.Cleanup(func() { dead.Close() }) // what is left of it in this process
	addr := serveHTTP(t, p.options(), HTTPOptions{Token: secret})
	for i := range 3 {
		s := dial(t, addr, &http.Client{Transport: bearer{secret}})
		if got := storeOf(t, s, nil); got != "store of /own" {
			t.Errorf("%q", got)
		}
		if got := storeOf(t, s, map[string]any{"root": "/base/x"}); got != "store of /base/x" {
			t.Errorf("%q", got)
		}
		// The folders of a client that may be elsewhere open nothing.
		if got := storeOf(t, s, map[string]any{"root": "/granted/x"}); !strings.Contains(got, "no repository") {
			t.Errorf("%q", got)
		}
		if i == 0 {
			dead = s // without a word to the server
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.roots) != 2 {
		t.Errorf("opened for three clients: %v", p.roots)
	}
}

// Who may not ask is turned away before the protocol.
func TestHTTPGate(t *testing.T) {
	mcptest.NoLeak(t)
	open := serveHTTP(t, (&place{}).options(), HTTPOptions{Hosts: []string{"Pindex.example"}})
	shut := serveHTTP(t, (&place{}).options(), HTTPOptions{Token: secret})
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	for _, c := range []struct {
		name, addr, method, path, body string
		host                           string // "" for the address
		header                         []string
		want                           int
	}{
		{"as it should be", open, "POST", "/mcp", hello, "", nil, 200},
		{"by name", open, "POST", "/mcp", hello, "localhost:80", nil, 200},
		{"by a name that is allowed", open, "POST", "/mcp", hello, "pindex.EXAMPLE", nil, 200},
		{"rebound DNS", open, "POST", "/mcp", hello, "evil.example", nil, 403},
		{"rebound DNS that looks like it", open, "POST", "/mcp", hello, "localhost.evil.example", nil, 403},
		{"no host", open, "POST", "/mcp", hello, "-", nil, 400},
		{"a foreign page", open, "POST", "/mcp", hello, "", []string{"Origin", "https://evil.example"}, 403},
		{"a page of no origin", open, "POST", "/mcp", hello, "", []string{"Origin", "null"}, 403},
		{"a page of this machine", open, "POST", "/mcp", hello, "", []string{"Origin", "http://localhost:6274"}, 200},
		{"a page that is allowed", open, "POST", "/mcp", hello, "", []string{"Origin", "https://pindex.example"}, 200},
		{"another path", open, "POST", "/", hello, "", nil, 404},
		{"an unknown session", open, "GET", "/mcp", "", "", []string{"Mcp-Session-Id", "x"}, 404},
		{"another method", open, "PUT", "/mcp", "", "", nil, 405},
		{"too long", open, "POST", "/mcp", strings.Repeat(" ", maxFrame+1), "", nil, 413},
		{"no JSON", open, "POST", "/mcp", "hello", "", nil, 400},
		{"an unknown version", open, "POST", "/mcp", hello, "", []string{"Mcp-Protocol-Version", "1999-01-01"}, 400},
		{"no token", shut, "POST", "/mcp", hello, "", nil, 401},
		{"another token", shut, "POST", "/mcp", hello, "", []string{"Authorization", "Bearer " + secret + "x"}, 401},
		{"another scheme", shut, "POST", "/mcp", hello, "", []string{"Authorization", "Basic " + secret}, 401},
		{"the token", shut, "POST", "/mcp", hello, "", []string{"Authorization", "bearer " + secret}, 200},
	} {
		host := c.host
		if host == "" {
			host = c.addr
		}
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n", c.method, c.path, len(c.body))
		if host != "-" {
			head += "Host: " + host + "\r\n"
		}
		for i := 0; i < len(c.header); i += 2 {
			head += c.header[i] + ": " + c.header[i+1] + "\r\n"
		}
		go io.WriteString(conn, head+"\r\n"+c.body) // the server may not take all of it
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if res.StatusCode != c.want {
			b, _ := io.ReadAll(res.Body)
			t.Errorf("%s: %s, want %d: %s", c.name, res.Status, c.want, b)
		}
		conn.Close()
	}
}

// What other machines can reach wants a token.
func TestHTTPNeedsToken(t *testing.T) {
	for _, c := range []struct {
		listen, token string
		want          bool
	}{
		{"127.0.0.1:0", "", true},
		{"0.0.0.0:0", "", false},
		{"0.0.0.0:0", "short", false},
		{"0.0.0.0:0", secret, true},
		{"127.0.0.1:0", "short", false},
	} {
		l, err := net.Listen("tcp", c.listen)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err = ServeHTTP(ctx, l, (&place{}).options(), HTTPOptions{Token: c.token})
		if (err == nil) != c.want || err != nil && fail.CodeOf(err) != fail.Usage {
			t.Errorf("%s with token %q: %v", c.listen, c.token, err)
		}
		if err := l.Close(); err == nil {
			t.Errorf("%s: the listener was left open", c.listen)
		}
	}
}

// Sessions that clients leave behind are bounded.
func TestHTTPSessions(t *testing.T) {
	mcptest.NoLeak(t)
	addr := serveHTTP(t, (&place{}).options(), HTTPOptions{})
	got := map[int]int{}
	for range maxSessions + 5 {
		req, err := http.NewRequest("POST", "http://"+addr+HTTPPath, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		got[res.StatusCode]++
	}
	if got[200] != maxSessions || got[503] != 5 {
		t.Errorf("answers by status: %v", got)
	}
}

// Clients that send half a request, or take no answer, hold up neither the
// others nor the end of the server.
func TestHTTPSilentClients(t *testing.T) {
	mcptest.NoLeak(t)
	addr := serveHTTP(t, (&place{}).options(), HTTPOptions{})
	for range 20 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{", addr)
	}
	s := dial(t, addr, nil)
	if got := storeOf(t, s, nil); got != "store of /own" {
		t.Errorf("%q", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A stream whose client does not read ends when a piece could not be written
// in time.
func TestHTTPNeverReads(t *testing.T) {
	mcptest.NoLeak(t)
	client, server := net.Pipe()
	defer client.Close()
	wrote := make(chan error, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patient{ResponseWriter: w, c: http.NewResponseController(w), wait: 20 * time.Millisecond}
		var err error
		for err == nil {
			_, err = p.Write(make([]byte, 1<<16))
		}
		wrote <- err
	})}
	l := &oneConn{conn: server, closed: make(chan struct{})}
	go srv.Serve(l)
	io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-wrote; err == nil {
		t.Error("a client that does not read took everything")
	}
	srv.Close()
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}
func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
