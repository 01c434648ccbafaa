package mcp

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// transport is the SDK's transport over a pair of streams, with two promises
// more: messages are read only while fewer than maxPending requests wait for
// their answer, and the end of the stream is reported when those have been
// given, or after a grace. The SDK would drop them.
type transport struct{ inner sdk.IOTransport }

func newTransport(in io.ReadCloser, out io.Writer) *transport {
	return &transport{sdk.IOTransport{Reader: in, Writer: keepOpen{out}, MaxLineLength: maxFrame}}
}

// keepOpen leaves closing a stream to its owner.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

func (t *transport) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Connection: inner, slots: make(chan struct{}, maxPending), idle: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type connection struct {
	sdk.Connection
	slots  chan struct{} // one for each request that waits for its answer
	idle   chan struct{} // told when an answer has been written
	closed chan struct{}
	once   sync.Once
}

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.drain(ctx)
		return nil, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		select {
		case c.slots <- struct{}{}:
		case <-c.closed:
			return nil, io.EOF
		}
	}
	return msg, nil
}

// drain waits until every request is answered, at most for the grace.
func (c *connection) drain(ctx context.Context) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for len(c.slots) > 0 {
		select {
		case <-c.idle:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		}
	}
}

func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		select {
		case <-c.slots:
		default: // an answer to what was no request
		}
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
