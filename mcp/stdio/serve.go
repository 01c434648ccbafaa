package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/mcp/tools"
)

const (
	// maxLine bounds one message from the peer, in bytes.
	maxLine = 1 << 20
	// maxPending bounds the calls that are read and not yet answered.
	maxPending = 64
	// grace is how long calls may go on after the peer's end of file, and how
	// long the server may take to end.
	grace = 3 * time.Second
)

// versions are the protocol's that are spoken, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Error codes of JSON-RPC.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
)

// Serve answers one peer until in ends or the context does. Whatever happens
// it returns soon after; a goroutine that waits on a stream which cannot be
// interrupted ends with the stream.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, o tools.Options) error {
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		set: tools.NewSet(o), out: out, life: life, broken: make(chan struct{}),
		slots: make(chan struct{}, maxPending), calls: map[string]context.CancelFunc{},
	}
	read := make(chan error, 1)
	go func() { read <- s.readAll(in) }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	case <-s.broken:
		err = s.writeErr
	}
	if err == nil && ctx.Err() == nil {
		// The peer has said all: what it still waits for is answered.
		select {
		case <-s.idle():
		case <-time.After(grace):
		case <-ctx.Done():
		case <-s.broken:
		}
	}
	cancel()
	err = errors.Join(err, in.Close())
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	return errors.Join(err, s.set.Close(end))
}

type server struct {
	set   *tools.Set
	life  context.Context // of this one Serve
	slots chan struct{}
	work  sync.WaitGroup

	mu    sync.Mutex
	calls map[string]context.CancelFunc // by request id

	writeMu  sync.Mutex
	out      io.Writer
	writeErr error
	broken   chan struct{} // closed when writing has failed
	once     sync.Once
}

// idle is closed when no call runs.
func (s *server) idle() <-chan struct{} {
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	return done
}

type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// readAll reads messages until the stream ends; its end is no error.
func (s *server) readAll(in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for s.life.Err() == nil {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errTooLong):
			s.fail(nil, codeInvalidRequest, "the message is too long")
			continue
		case len(bytes.TrimSpace(line)) > 0:
			s.message(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errTooLong = errors.New("line too long")

// readLine returns the next line. One above maxLine is passed over and gives
// errTooLong.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long: // whatever ended it comes again
			return nil, errTooLong
		default:
			return line, err
		}
	}
}

// message handles one message. Calls of tools go on behind it.
func (s *server) message(line []byte) {
	var q request
	if err := json.Unmarshal(line, &q); err != nil {
		if !json.Valid(line) {
			s.fail(nil, codeParse, "the message is no JSON")
		} else {
			s.fail(nil, codeInvalidRequest, "a message is one JSON-RPC object")
		}
		return
	}
	if len(q.ID) == 0 || string(q.ID) == "null" {
		s.notification(&q)
		return
	}
	if c := q.ID[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		s.fail(nil, codeInvalidRequest, "an id is a string or a number")
		return
	}
	switch q.Method {
	case "":
		// A response, and nothing was asked of the peer.
	case "initialize":
		s.initialize(&q)
	case "ping":
		s.result(q.ID, struct{}{})
	case "tools/list":
		s.result(q.ID, s.list())
	case "tools/call":
		s.call(&q)
	default:
		s.fail(q.ID, codeNoMethod, "there is no such method")
	}
}

func (s *server) notification(q *request) {
	switch q.Method {
	case "notifications/initialized":
		s.set.Start()
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(q.Params, &p) == nil {
			s.mu.Lock()
			cancel := s.calls[string(p.RequestID)]
			s.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		}
	}
}

func (s *server) initialize(q *request) {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(q.Params, &p); err != nil {
		s.fail(q.ID, codeInvalidParams, "initialize needs a protocolVersion")
		return
	}
	version := versions[0]
	if slices.Contains(versions, p.ProtocolVersion) {
		version = p.ProtocolVersion
	}
	s.result(q.ID, map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]any{"name": s.set.Name(), "version": s.set.Version()},
		"instructions":    tools.Instructions,
	})
}

func (s *server) list() any {
	list := []any{}
	for _, d := range s.set.Tools() {
		list = append(list, map[string]any{
			"name": d.Name, "description": d.Description, "inputSchema": d.Input, "outputSchema": d.Output,
			"annotations": map[string]any{
				"title": d.Title, "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false,
			},
		})
	}
	return map[string]any{"tools": list}
}

// call starts a call, and waits before that while too many run.
func (s *server) call(q *request) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(q.Params, &p); err != nil {
		s.fail(q.ID, codeInvalidParams, "tools/call needs a name and arguments")
		return
	}
	select {
	case s.slots <- struct{}{}:
	case <-s.life.Done():
		return
	}
	ctx, cancel := context.WithCancel(s.life)
	id := string(q.ID)
	s.mu.Lock()
	_, taken := s.calls[id]
	if !taken {
		s.calls[id] = cancel
	}
	s.mu.Unlock()
	if taken {
		cancel()
		<-s.slots
		s.fail(q.ID, codeInvalidRequest, "the id is in use")
		return
	}
	s.work.Go(func() {
		defer func() {
			cancel()
			<-s.slots
		}()
		var waiting tools.Waiting
		if t := p.Meta.ProgressToken; len(t) > 0 && string(t) != "null" {
			waiting = func(n int) {
				s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{
					"progressToken": t, "progress": n, "message": tools.WaitingMessage,
				}})
			}
		}
		r, ok := s.set.Call(ctx, p.Name, p.Arguments, waiting)
		s.mu.Lock()
		delete(s.calls, id)
		s.mu.Unlock()
		switch {
		case ctx.Err() != nil: // a cancelled call has no answer
		case !ok:
			s.fail(q.ID, codeInvalidParams, "there is no such tool")
		default:
			s.result(q.ID, toolResult(r))
		}
	})
}

func toolResult(r *tools.Reply) any {
	content := make([]any, len(r.Texts))
	for i, t := range r.Texts {
		content[i] = map[string]string{"type": "text", "text": t}
	}
	res := map[string]any{"content": content}
	if r.Structured != nil {
		res["structuredContent"] = r.Structured
	}
	if r.IsError {
		res["isError"] = true
	}
	return res
}

func (s *server) result(id json.RawMessage, result any) {
	s.write(response{JSONRPC: "2.0", ID: id, Result: result})
}

func (s *server) fail(id json.RawMessage, code int, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	s.write(response{JSONRPC: "2.0", ID: id, Error: &rpcError{code, message}})
}

// write sends one message. The first failure ends the server.
func (s *server) write(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		s.writeMu.Lock()
		defer s.writeMu.Unlock()
		if s.writeErr != nil {
			return
		}
		if _, err = s.out.Write(append(b, '\n')); err == nil {
			return
		}
		s.writeErr = err
	}
	s.once.Do(func() { close(s.broken) })
}
