package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"github.com/pindex-dev/pindex/internal/fail"
)

// HTTPPath is where the protocol is spoken.
const HTTPPath = "/mcp"

// HTTPOptions say whom a server over HTTP answers.
type HTTPOptions struct {
	// Token is what requests must bring as a bearer token; "" for none, which
	// only a listener on the loopback interface may have.
	Token string
	// Hosts are names, without a port, that requests may be addressed to and
	// that pages which ask may come from, besides those of this machine.
	Hosts []string
}

// Limits of a server over HTTP.
const (
	minToken      = 16               // characters
	maxSessions   = 64               // of clients that did not end theirs
	sessionIdle   = 30 * time.Minute // after which one ends
	maxConns      = 256              // TCP connections
	headerWait    = 10 * time.Second // for a request's header
	bodyWait      = 30 * time.Second // for its body
	connIdle      = 2 * time.Minute  // between two requests
	writeWait     = 30 * time.Second // for a client to take one piece of an answer
	maxHeaderSize = 32 << 10
)

// ServeHTTP answers clients by streamable HTTP at HTTPPath of a listener, which
// it closes, until the context ends.
func ServeHTTP(ctx context.Context, l net.Listener, o Options, ho HTTPOptions) error {
	g, err := newGate(l.Addr(), ho)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	h := newHub(o)
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	server := newServer(h, newPeer(life, h, false), &g.calls)
	g.sessions = func() int {
		n := 0
		for range server.Sessions() {
			n++
		}
		return n
	}
	g.next = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxFrame,
		DisableLocalhostProtection: true, // the gate knows better which hosts are meant
	})
	srv := &http.Server{
		Handler: g, ReadHeaderTimeout: headerWait, IdleTimeout: connIdle, MaxHeaderBytes: maxHeaderSize,
		BaseContext: func(net.Listener) context.Context { return life },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(netutil.LimitListener(l, maxConns)) }()
	ended := false
	select {
	case err = <-served:
		ended = true
	case <-ctx.Done():
	}
	// Streams that are open have nothing more to say.
	cancel()
	for s := range server.Sessions() {
		_ = s.Close() // it ends one way or another
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	if srv.Shutdown(end) != nil {
		_ = srv.Close() // what did not end in time is cut
	}
	_ = l.Close() // it may be closed already
	if !ended {
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, h.close(end))
}

// gate lets requests through that may ask.
type gate struct {
	next     http.Handler
	sessions func() int
	loopback bool // the listener is on the loopback interface
	hosts    []string
	token    *[sha256.Size]byte
	slots    chan struct{} // of calls under way
	calls    lifelines
}

// CheckHTTP returns why ServeHTTP would not serve on the address.
func CheckHTTP(addr net.Addr, o HTTPOptions) error {
	_, err := newGate(addr, o)
	return err
}

func newGate(addr net.Addr, o HTTPOptions) (*gate, error) {
	g := &gate{loopback: isLoopback(addr.String()), slots: make(chan struct{}, maxPending)}
	for _, name := range o.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(name))
	}
	switch {
	case o.Token != "" && len(o.Token) < minToken:
		return nil, fail.New(fail.Usage, "make a long one, such as by 'openssl rand -hex 32'", "the token has fewer than %d characters", minToken)
	case o.Token != "":
		sum := sha256.Sum256([]byte(o.Token))
		g.token = &sum
	case !g.loopback:
		return nil, fail.New(fail.Usage, "set PINDEX_MCP_TOKEN to a long secret, or listen on 127.0.0.1", "%s can be reached from other machines, and no token guards it", addr)
	}
	return g, nil
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := &patient{ResponseWriter: w, c: http.NewResponseController(w), wait: writeWait}
	p.patience()
	// A page in a browser on this machine may send requests here, with a host
	// name of its own that leads here (DNS rebinding) or without.
	if !g.mayHost(r.Host) {
		http.Error(p, "this host name is not served here; see --allow-host", http.StatusForbidden)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.mayOrigin(origin) {
		http.Error(p, "pages of this origin may not ask; see --allow-host", http.StatusForbidden)
		return
	}
	if !g.mayAsk(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="pindex"`)
		http.Error(p, "a bearer token is needed", http.StatusUnauthorized)
		return
	}
	if r.URL.Path != HTTPPath {
		http.NotFound(p, r)
		return
	}
	if r.Method == http.MethodPost {
		if r.Header.Get("Mcp-Session-Id") == "" && g.sessions() >= maxSessions {
			busy(p, "too many sessions are open")
			return
		}
		select {
		case g.slots <- struct{}{}:
			defer func() { <-g.slots }()
		default:
			busy(p, "too many calls are under way")
			return
		}
	}
	if err := readBody(p, r); err != nil {
		http.Error(p, "the message is too long, or came too slowly", http.StatusRequestEntityTooLarge)
		return
	}
	defer g.calls.begin(r)()
	g.next.ServeHTTP(p, r)
}

// readBody takes in a request's body before anything waits for it. Its time is
// bounded, and the deadline gone before the request is answered: one that
// passed would end the request.
func readBody(p *patient, r *http.Request) error {
	if r.Method != http.MethodPost {
		r.Body = http.NoBody
		return nil
	}
	if err := p.c.SetReadDeadline(time.Now().Add(bodyWait)); err != nil {
		return err
	}
	b, err := io.ReadAll(http.MaxBytesReader(p, r.Body, maxFrame))
	if err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return p.c.SetReadDeadline(time.Time{})
}

func busy(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, why, http.StatusServiceUnavailable)
}

// mayHost reports whether a request may be addressed to this host. No name
// leads elsewhere than its owner says but an address, which a page of another
// address cannot take for its own.
func (g *gate) mayHost(host string) bool {
	name := hostName(host)
	if slices.Contains(g.hosts, name) {
		return true
	}
	if g.loopback {
		return isLoopback(name)
	}
	_, err := netip.ParseAddr(name)
	return err == nil || name == "localhost"
}

func (g *gate) mayOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	name := hostName(u.Host)
	return slices.Contains(g.hosts, name) || g.loopback && isLoopback(name)
}

func (g *gate) mayAsk(r *http.Request) bool {
	if g.token == nil {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// hostName is a host without its port, in small letters.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isLoopback(host string) bool {
	name := hostName(host)
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.IsLoopback()
}

// patient is a response whose every piece the client has some time to take:
// streams last, and a client that stops reading must not.
type patient struct {
	http.ResponseWriter
	c    *http.ResponseController
	wait time.Duration // for one piece
}

func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patient) patience() {
	_ = p.c.SetWriteDeadline(time.Now().Add(p.wait)) // every connection of net/http can
}

func (p *patient) Write(b []byte) (int, error) {
	p.patience()
	return p.ResponseWriter.Write(b)
}

func (p *patient) Flush() {
	p.patience()
	_ = p.c.Flush() // a client that is gone is found out by its request's end
}
