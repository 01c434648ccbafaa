// Package lsp asks language servers over the Language Server Protocol: where
// a name is defined, and where it is used. A server runs the project's own
// tools, so nothing here is ever started unless somebody asked for it.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Client is one running language server. Its methods are safe for concurrent
// use. A server that crashed, or that sent something else than the protocol,
// fails every request from then on.
type Client struct {
	server Server
	root   string // absolute, without symbolic links
	cmd    *exec.Cmd
	stdin  io.Closer
	out    writer
	stderr tail
	said   chan struct{} // closed when its standard error has ended

	mu       sync.Mutex
	next     int64
	pending  map[int64]chan *message
	fatal    error         // why the connection is of no use any more
	closed   chan struct{} // closed with the connection
	utf8     bool          // positions count bytes, not UTF-16 units
	legend   []string      // names of the semantic token types
	open     map[string]*document
	progress map[string]bool // tokens of work that has begun
	begun    int             // works begun in all
	quiet    bool            // the server says that it has nothing left to do
	changed  chan struct{}   // closed and replaced when one of the three above changes
}

// lastWords bounds the wait for what a server says as it ends.
const lastWords = time.Second

// document is a file that the server was told about.
type document struct {
	text  []byte
	lines []int // offset of each line
}

// Start starts a server on a folder and shakes hands with it. env is the
// whole environment of the server; see Environment. ctx bounds the handshake;
// Close ends the server.
func Start(ctx context.Context, s Server, root string, env []string) (*Client, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	c := &Client{
		server: s, root: root, pending: map[int64]chan *message{},
		said: make(chan struct{}), closed: make(chan struct{}),
		open: map[string]*document{}, progress: map[string]bool{}, changed: make(chan struct{}),
	}
	c.cmd = exec.Command(s.Argv[0], s.Argv[1:]...)
	c.cmd.Dir, c.cmd.Env = root, env
	c.cmd.WaitDelay = 2 * time.Second
	ownGroup(c.cmd)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	last, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", s.Name, err)
	}
	c.stdin, c.out.w = in, in
	go func() {
		defer close(c.said)
		_, _ = io.Copy(&c.stderr, last)
	}()
	go c.read(bufio.NewReaderSize(out, 64<<10))
	if err := c.initialize(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Server returns what was started.
func (c *Client) Server() Server { return c.server }

// read takes the server's messages until the stream ends.
func (c *Client) read(r *bufio.Reader) {
	var err error
	for {
		var m *message
		if m, err = readMessage(r); err != nil {
			break
		}
		switch {
		case m.Method != "" && len(m.ID) > 0:
			c.serve(m)
		case m.Method != "":
			c.notice(m)
		default:
			c.deliver(m)
		}
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended")
		// Its last words arrive by another pipe. A child that it left behind
		// may hold that one open.
		select {
		case <-c.said:
		case <-time.After(lastWords):
		}
	}
	c.fail(err)
	// A server that talks garbage would block on a full pipe.
	_, _ = io.Copy(io.Discard, r)
}

func (c *Client) deliver(m *message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return // no request of ours: a server may answer what it likes
	}
	c.mu.Lock()
	ch := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if ch != nil {
		ch <- m
	}
}

// fail ends the connection; the first reason stays.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fatal != nil {
		return
	}
	c.fatal = fmt.Errorf("%s is of no use any more: %w", c.server.Name, err)
	if t := c.stderr.text(); t != "" {
		c.fatal = fmt.Errorf("%w; it said: %s", c.fatal, t)
	}
	close(c.closed)
}

// serve answers what a server asks of its client.
func (c *Client) serve(m *message) {
	answer := &message{ID: m.ID, Result: json.RawMessage("null")}
	if m.Method == "workspace/configuration" {
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		_ = json.Unmarshal(m.Params, &p)
		out := make([]any, min(len(p.Items), 1000))
		for i := range out {
			out[i] = c.server.Settings[p.Items[i].Section]
		}
		answer.Result, _ = json.Marshal(out)
	}
	_ = c.out.send(answer) // a server that does not read fails the next request
}

// notice takes what a server tells of itself.
func (c *Client) notice(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.Method {
	case "$/progress":
		var p struct {
			Token json.RawMessage `json:"token"`
			Value struct {
				Kind string `json:"kind"`
			} `json:"value"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		switch p.Value.Kind {
		case "begin":
			c.progress[string(p.Token)] = true
			c.begun++
		case "end":
			delete(c.progress, string(p.Token))
		default:
			return
		}
	case "experimental/serverStatus":
		var p struct {
			Quiescent bool `json:"quiescent"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		c.quiet = p.Quiescent
	default:
		return
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// call asks one question. A response without a result is an answer.
func (c *Client) call(ctx context.Context, method string, params, result any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.fatal != nil {
		defer c.mu.Unlock()
		return c.fatal
	}
	c.next++
	id, ch := c.next, make(chan *message, 1)
	c.pending[id] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	if err := c.send(ctx, &message{ID: json.RawMessage(fmt.Sprint(id)), Method: method, Params: p}); err != nil {
		return err
	}
	select {
	case m := <-ch:
		if m.Error != nil {
			return fmt.Errorf("%s: %s: %w", c.server.Name, method, m.Error)
		}
		if result == nil || len(m.Result) == 0 {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: the answer to %s has another form: %w", c.server.Name, method, err)
		}
		return nil
	case <-c.closed:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.fatal
	case <-ctx.Done():
		return fmt.Errorf("%s has not answered %s: %w", c.server.Name, method, ctx.Err())
	}
}

func (c *Client) notify(ctx context.Context, method string, params any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(ctx, &message{Method: method, Params: p})
}

// send writes a message. A server that has stopped reading blocks the pipe,
// which must not block the caller for longer than it is willing to wait.
func (c *Client) send(ctx context.Context, m *message) error {
	sent := make(chan error, 1)
	go func() { sent <- c.out.send(m) }()
	select {
	case err := <-sent:
		if err != nil {
			// What it said before it went is the better reason.
			select {
			case <-c.closed:
			case <-time.After(2 * lastWords):
			}
			c.fail(err)
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.fatal
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s does not read: %w", c.server.Name, ctx.Err())
	}
}

func (c *Client) initialize(ctx context.Context) error {
	uri := pathURI(c.root)
	params := map[string]any{
		"processId":             os.Getpid(),
		"rootUri":               uri,
		"rootPath":              c.root,
		"workspaceFolders":      []any{map[string]any{"uri": uri, "name": filepath.Base(c.root)}},
		"initializationOptions": c.server.Init,
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}},
			"workspace": map[string]any{
				"configuration": true, "workspaceFolders": true,
				"didChangeConfiguration": map[string]any{"dynamicRegistration": false},
			},
			"window": map[string]any{"workDoneProgress": true},
			"textDocument": map[string]any{
				"synchronization": map[string]any{},
				"definition":      map[string]any{"linkSupport": false},
				"references":      map[string]any{},
				"semanticTokens": map[string]any{
					"requests": map[string]any{"full": true}, "formats": []string{"relative"},
					"tokenTypes": tokenTypes, "tokenModifiers": []string{},
				},
			},
			"experimental": map[string]any{"serverStatusNotification": true},
		},
	}
	var r struct {
		Capabilities struct {
			PositionEncoding       string `json:"positionEncoding"`
			SemanticTokensProvider struct {
				Legend struct {
					TokenTypes []string `json:"tokenTypes"`
				} `json:"legend"`
			} `json:"semanticTokensProvider"`
		} `json:"capabilities"`
		OffsetEncoding string `json:"offsetEncoding"`
	}
	if err := c.call(ctx, "initialize", params, &r); err != nil {
		return err
	}
	c.mu.Lock()
	c.utf8 = r.Capabilities.PositionEncoding == "utf-8" || r.OffsetEncoding == "utf-8"
	c.legend = r.Capabilities.SemanticTokensProvider.Legend.TokenTypes
	c.mu.Unlock()
	if err := c.notify(ctx, "initialized", map[string]any{}); err != nil {
		return err
	}
	if c.server.Settings == nil {
		return nil
	}
	return c.notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": c.server.Settings})
}

// Close ends the server and everything that it started.
func (c *Client) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if c.call(ctx, "shutdown", nil, nil) == nil {
		_ = c.notify(ctx, "exit", nil)
	}
	c.fail(errors.New("it was closed"))
	_ = c.stdin.Close()
	done := make(chan struct{})
	go func() {
		_ = c.cmd.Wait() // how it ended is of no interest any more
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	killGroup(c.cmd) // what the server left behind; itself, where it hangs
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		return fmt.Errorf("%s does not end", c.server.Name)
	}
	return nil
}

// Settle waits until the server has read the project, by what it tells of
// itself: ctx bounds the wait, and its end is no error. It returns whether the
// server said that it is ready; one that says nothing answers when it can.
func (c *Client) Settle(ctx context.Context) (bool, error) {
	const (
		patience = 10 * time.Second // for work to begin
		calm     = 3 * time.Second  // without work, after some
	)
	if c.server.ready == readyAtOnce {
		return true, nil
	}
	for {
		c.mu.Lock()
		fatal, changed, begun, working, quiet := c.fatal, c.changed, c.begun, len(c.progress) > 0, c.quiet
		c.mu.Unlock()
		if fatal != nil {
			return false, fatal
		}
		wait := time.Hour
		if c.server.ready == readyQuiet {
			if quiet {
				return true, nil
			}
		} else if !working {
			if wait = patience; begun > 0 {
				wait = calm
			}
		}
		select {
		case <-changed:
		case <-c.closed:
		case <-time.After(wait):
			return true, nil
		case <-ctx.Done():
			return false, nil
		}
	}
}

// tail keeps the end of what a server writes to its standard error.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b); n > 2000 {
		t.b = append(t.b[:0], t.b[n-1000:]...)
	}
	return len(p), nil
}

// text returns the last lines in one.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(string(t.b))
	if len(s) > 300 {
		s = "..." + s[len(s)-300:]
	}
	return strings.Join(strings.Fields(s), " ")
}
