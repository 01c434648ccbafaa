package mcp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// callHeader carries a request's number from the gate to the call. What a client
// writes there is overwritten.
const callHeader = "Pindex-Call"

// errGone is why the calls of a client end that does not wait for them.
var errGone = errors.New("the client is gone")

// lifelines know the requests over HTTP that are under way. The protocol's SDK
// lets a call of a session outlive its request, for streams that a client may
// take up again; here none can be, so that whoever goes away has no use for
// the answer.
type lifelines struct {
	mu   sync.Mutex
	last uint64
	m    map[string]context.Context
}

// begin notes a request until its answer is given; end forgets it.
func (l *lifelines) begin(r *http.Request) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.m == nil {
		l.m = map[string]context.Context{}
	}
	l.last++
	id := strconv.FormatUint(l.last, 10)
	l.m[id] = r.Context()
	r.Header.Set(callHeader, id)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.m, id)
	}
}

// tie returns a context that ends with ctx and with the request that brought
// the call, if one did. The caller calls stop.
func (l *lifelines) tie(ctx context.Context, extra *sdk.RequestExtra) (_ context.Context, stop func()) {
	if extra == nil || extra.Header == nil {
		return ctx, func() {} // the peer has one pair of streams, whose end ends all
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	request := l.m[extra.Header.Get(callHeader)]
	l.mu.Unlock()
	if request == nil {
		cancel(errGone) // before the call began
		return ctx, func() {}
	}
	forget := context.AfterFunc(request, func() { cancel(errGone) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}
