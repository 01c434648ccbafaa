package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Error codes of JSON-RPC.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
)

// lines passes the peer's messages on, one a line, and answers those itself
// that are none: the SDK ends the whole connection at the first of them.
// It serves one goroutine.
type lines struct {
	in   io.ReadCloser
	r    *bufio.Reader
	out  io.Writer
	rest []byte // of the line that is being passed on
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{in: in, r: bufio.NewReaderSize(in, 64<<10), out: out}
}

func (l *lines) Close() error { return l.in.Close() }

// Read implements io.Reader. It hands over whole messages, in pieces.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.next()
		if len(line) == 0 && !long && err != nil {
			return 0, err // and what is left of an error after a last line comes again
		}
		switch code, why := judge(line); {
		case long:
			l.refuse(codeInvalidRequest, "the message is too long")
		case why != "":
			l.refuse(code, why)
		case len(line) > 0:
			l.rest = append(line, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line without blanks around it. One above maxFrame is
// passed over.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxFrame; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// judge returns what is wrong with a line, "" for a message or an empty line.
func judge(line []byte) (code int, why string) {
	if len(line) == 0 {
		return 0, ""
	}
	if !json.Valid(line) {
		return codeParse, "the message is no JSON"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return codeInvalidRequest, "a message is one JSON-RPC object"
	}
	return 0, ""
}

// refuse answers what has no id that could be answered. A peer that cannot be
// told is found out by the next answer.
func (l *lines) refuse(code int, why string) {
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	b, err := json.Marshal(struct {
		JSONRPC string  `json:"jsonrpc"`
		ID      any     `json:"id"`
		Error   failure `json:"error"`
	}{"2.0", nil, failure{code, why}})
	if err == nil {
		_, _ = l.out.Write(append(b, '\n'))
	}
}

// lockedWriter lets two writers take turns; each writes whole lines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
