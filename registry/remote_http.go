package registry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// How a request is tried again. The waits are the client's own, whatever a
// registry asks for: Retry-After only stretches them, up to the cap.
const (
	retryFloor = 250 * time.Millisecond // the first wait, before jitter
	retryCap   = 60 * time.Second       // no wait is longer
	backoffCap = 20 * time.Second       // no wait is longer unless the registry asks
)

// stallBytes is what a body has to bring within the stall timeout. A registry
// that sends one byte now and then is stalled too.
const stallBytes = 4 << 10

// maxRedirects of one request. Blobs take one or two.
const maxRedirects = 5

// errStalled means that a connection brought nothing for too long.
var errStalled = errors.New("the connection stalled")

// newTransport returns the layers that every request goes through, outermost
// first: retries, the limit on concurrency, the stall guard, the connections.
func newTransport(o *RemoteOptions) http.RoundTripper {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	base := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           2 * o.Concurrency,
		MaxIdleConnsPerHost:    o.Concurrency,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 128 << 10,
		DisableCompression:     true, // digests are of what travels
	}
	return &retrier{
		next:     &limiter{next: &stallGuard{next: base, timeout: o.StallTimeout}, slots: make(chan struct{}, o.Concurrency)},
		attempts: o.Attempts, sleep: o.sleep,
	}
}

// checkRedirect refuses redirects that leave TLS or go on for ever. That
// credentials stay with the first host is package auth's work.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return errors.New("a redirect from https to http was refused")
	}
	return nil
}

// retrier tries requests again that failed for a reason that may pass.
type retrier struct {
	next     http.RoundTripper
	attempts int
	sleep    func(ctx context.Context, d time.Duration) error
}

// uploadKey marks the context of a blob upload. A PUT into an upload session
// cannot be repeated by itself, so the whole upload is, by its caller, who finds
// here how long the registry asked to wait.
type uploadKey struct{}

type uploadHint struct{ retryAfter atomic.Int64 }

func (t *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	hint, _ := req.Context().Value(uploadKey{}).(*uploadHint)
	attempts := t.attempts
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil || hint != nil && req.Method == http.MethodPut {
		attempts = 1
	}
	for attempt := 1; ; attempt++ {
		try := req
		if attempt > 1 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			try = req.Clone(req.Context())
			try.Body = body
		}
		resp, err := t.next.RoundTrip(try)
		after := retryAfter(resp, time.Now())
		if hint != nil {
			hint.retryAfter.Store(int64(after))
		}
		if attempt >= attempts || !transient(req.Context(), resp, err) || attempt > 1 && errors.Is(err, syscall.ECONNREFUSED) {
			return resp, err // nobody listening is rarely a passing matter
		}
		if resp != nil {
			io.CopyN(io.Discard, resp.Body, 16<<10) // so that the connection can be used again
			resp.Body.Close()
		}
		if err := t.sleep(req.Context(), retryWait(attempt, after)); err != nil {
			return nil, err
		}
	}
}

// transient reports whether a failure may pass by itself.
func transient(ctx context.Context, resp *http.Response, err error) bool {
	if err == nil {
		return transientStatus(resp.StatusCode)
	}
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.As(err, &dns) && dns.IsNotFound,
		errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &record):
		return false
	case strings.Contains(err.Error(), plainToTLS):
		return false
	}
	return true
}

// plainToTLS is what net/http says when a server answers TLS with plain text.
const plainToTLS = "server gave HTTP response to HTTPS client"

func transientStatus(code int) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryWait is how long to wait after the attempt'th failure: doubling, with
// jitter, so that clients that failed together do not come back together.
func retryWait(attempt int, asked time.Duration) time.Duration {
	d := min(retryFloor<<min(attempt-1, 10), backoffCap)
	d = d/2 + rand.N(d/2+1)
	if asked > d {
		d = asked + rand.N(asked/4+1)
	}
	return min(d, retryCap)
}

// retryAfter reads a Retry-After header: whole seconds or a date. Anything
// else counts as none, as does a time that has passed.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	if resp == nil {
		return 0
	}
	value := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(retryCap/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), retryCap))
	}
	return 0
}

func sleepContext(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// limiter bounds how many requests are under way, from the first byte sent to
// the body's close.
type limiter struct {
	next  http.RoundTripper
	slots chan struct{}
}

func (l *limiter) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case l.slots <- struct{}{}:
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		<-l.slots
		return nil, err
	}
	resp.Body = &onClose{ReadCloser: resp.Body, do: func() { <-l.slots }}
	return resp, nil
}

type onClose struct {
	io.ReadCloser
	done atomic.Bool
	do   func()
}

func (c *onClose) Close() error {
	err := c.ReadCloser.Close()
	if !c.done.Swap(true) {
		c.do()
	}
	return err
}

// stallGuard ends requests that make no progress. There is no limit on the
// whole: a large blob on a slow line takes as long as it takes.
type stallGuard struct {
	next    http.RoundTripper
	timeout time.Duration
}

// answerWindows is how many timeouts a registry has to answer a request that
// carries something: it may have hundreds of blobs to look up, or a large one to
// store.
const answerWindows = 4

func (g *stallGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{timeout: g.timeout, cancel: cancel, windows: 1}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.windows = answerWindows
	}
	w.start()
	try := req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		try.Body = &watchedBody{ReadCloser: req.Body, watch: w}
		if get := req.GetBody; get != nil {
			try.GetBody = func() (io.ReadCloser, error) {
				body, err := get()
				return &watchedBody{ReadCloser: body, watch: w}, err
			}
		}
	}
	resp, err := g.next.RoundTrip(try)
	if err != nil {
		w.stop()
		return nil, stalled(ctx, err)
	}
	w.answered()
	resp.Body = &watchedBody{ReadCloser: resp.Body, watch: w, ctx: ctx, last: true}
	return resp, nil
}

// stalled returns errStalled when that is why err happened.
func stalled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
		return cause
	}
	return err
}

// watch looks at a request once per timeout.
type watch struct {
	timeout time.Duration
	cancel  context.CancelCauseFunc
	mu      sync.Mutex
	timer   *time.Timer
	bytes   atomic.Int64 // since the last look
	body    atomic.Bool  // the answer has begun
	windows int          // that the answer may take; read by check alone
}

func (w *watch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.timeout, w.check)
}

func (w *watch) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.bytes.Swap(0)
	if n < stallBytes {
		if w.body.Load() {
			w.windows = 1
		}
		if w.windows--; w.windows <= 0 {
			w.cancel(fmt.Errorf("%w: %d bytes in %s", errStalled, n, w.timeout))
			return
		}
	}
	w.timer.Reset(w.timeout)
}

func (w *watch) answered() {
	w.body.Store(true)
	w.bytes.Store(stallBytes) // the body has a window of its own
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// watchedBody counts what passes. The last one, the answer's, ends the watch.
type watchedBody struct {
	io.ReadCloser
	watch *watch
	ctx   context.Context // of the answer's body, whose errors it explains
	last  bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.watch.bytes.Add(int64(n))
	if err != nil && err != io.EOF && b.ctx != nil {
		err = stalled(b.ctx, err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.last {
		b.watch.stop()
	}
	return err
}
