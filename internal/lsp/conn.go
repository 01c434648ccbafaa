package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Limits on what a server may send: it is another program, and it may be
// broken.
const (
	maxHeader  = 4 << 10
	maxMessage = 64 << 20
)

// message is one JSON-RPC message, of any kind.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *ResponseError  `json:"error,omitempty"`
}

// ResponseError is a server's answer that it cannot answer.
type ResponseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *ResponseError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// readMessage reads one framed message. Everything that is not the protocol
// is an error: after it the stream has no meaning.
func readMessage(r *bufio.Reader) (*message, error) {
	length, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				return nil, errors.New("a header line of the server has no end")
			}
			if errors.Is(err, io.EOF) && read+len(line) > 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if read += len(line); read > maxHeader {
			return nil, fmt.Errorf("a message's header is longer than %d bytes", maxHeader)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no header of a message", clip(text))
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > maxMessage {
				return nil, fmt.Errorf("a message of %q bytes: not a number in 0 to %d", clip(value), maxMessage)
			}
			length = n
		}
	}
	if length < 0 {
		return nil, errors.New("a message without its length")
	}
	// Grown as it arrives, so that a length that lies costs no memory.
	var body strings.Builder
	if n, err := io.CopyN(&body, r, int64(length)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("a message ends after %d of %d bytes: %w", n, length, err)
	}
	m := new(message)
	if err := json.Unmarshal([]byte(body.String()), m); err != nil {
		return nil, fmt.Errorf("a message is not JSON-RPC: %w", err)
	}
	return m, nil
}

// clip shortens a server's text for an error message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}

// writer frames messages; it is safe for concurrent use.
type writer struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *writer) send(m *message) error {
	m.Version = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(b)), b...))
	return err
}
