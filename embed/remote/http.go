package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Limits bound what a client does. The zero value of each field means the
// default.
type Limits struct {
	Batch      int           // texts in one request; 64
	BatchBytes int           // bytes of texts in one request, but for a single longer one; 192 KiB
	InFlight   int           // requests at a time; 4
	Attempts   int           // of one request; 6
	Timeout    time.Duration // of one attempt; 2 minutes
	Wait       time.Duration // before the second attempt, doubled for each later one; 500 ms
	MaxWait    time.Duration // whatever a server asks for; 30 s
}

// ForQueries are the limits of somebody who waits for an answer.
var ForQueries = Limits{Attempts: 2, Timeout: 8 * time.Second, Wait: 200 * time.Millisecond, MaxWait: time.Second}

func (l Limits) orDefault() Limits {
	for _, x := range []struct {
		to *int
		n  int
	}{{&l.Batch, 64}, {&l.BatchBytes, 192 << 10}, {&l.InFlight, 4}, {&l.Attempts, 6}} {
		if *x.to <= 0 {
			*x.to = x.n
		}
	}
	for _, x := range []struct {
		to *time.Duration
		d  time.Duration
	}{{&l.Timeout, 2 * time.Minute}, {&l.Wait, 500 * time.Millisecond}, {&l.MaxWait, 30 * time.Second}} {
		if *x.to <= 0 {
			*x.to = x.d
		}
	}
	return l
}

// errTooLarge means that the server does not take what was sent as it is: too
// many texts, or too long ones.
var errTooLarge = errors.New("the server does not take so much at once")

// requester sends requests of one endpoint.
type requester struct {
	e      *Endpoint
	limits Limits
	client *http.Client
	slots  chan struct{}
	// waits is called before a pause of a second or more; may be nil.
	waits func(time.Duration, error)
	// tried is called before every attempt, with its number from 0; may be nil.
	tried func(attempt int)
}

func newRequester(e *Endpoint, l Limits) *requester {
	l = l.orDefault()
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = l.InFlight
	t.MaxResponseHeaderBytes = 64 << 10
	return &requester{
		e: e, limits: l, slots: make(chan struct{}, l.InFlight),
		client: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// passing marks failures that another attempt may not meet.
type passing struct {
	err  error
	wait time.Duration // that the server asks for; 0 for none
}

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

// askedToWait says that a server asks for a longer pause than the limits allow.
type askedToWait struct {
	err         error
	wait, limit time.Duration
}

func (a *askedToWait) Error() string {
	return fmt.Sprintf("%v; it asks to wait %s, longer than the %s that are waited at most", a.err, a.wait, a.limit)
}
func (a *askedToWait) Unwrap() error { return a.err }

// status is a refusal by its HTTP status.
type status struct {
	code int
	said string
}

func (s *status) Error() string {
	return fmt.Sprintf("HTTP %d %s%s", s.code, http.StatusText(s.code), s.said)
}

// errUnreached marks that there was no answer.
var errUnreached = errors.New("no answer")

// unreached is the error of a request without an answer.
type unreached struct{ err error }

func (u *unreached) Error() string        { return u.err.Error() }
func (u *unreached) Unwrap() error        { return u.err }
func (u *unreached) Is(target error) bool { return target == errUnreached }

// remedyOf says what to do about a failure of a server; what names its kind.
func remedyOf(err error, what string) string {
	var s *status
	var w *askedToWait
	switch {
	case errors.As(err, &w):
		return "try again in " + w.wait.String()
	case errors.As(err, &s) && s.code == http.StatusTooManyRequests:
		return "it limits how often it is asked: try again later"
	case errors.As(err, &s) && s.code >= 500:
		return "look into the server's log, and try again"
	case errors.As(err, &s) && s.code == http.StatusNotFound:
		return "see that the address and the model's name are right"
	case errors.As(err, &s):
		return "see what the server says to it"
	case errors.Is(err, errUnreached):
		return "see that the server runs and can be reached"
	}
	return "see that the address is that of " + what
}

// ask sends one request, again where the failure may pass, and hands a good
// answer of at most limit bytes to read.
func (r *requester) ask(ctx context.Context, method, url string, body any, limit int64, read func([]byte) error) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	wait := r.limits.Wait
	for attempt := 0; ; attempt++ {
		if r.tried != nil {
			r.tried(attempt)
		}
		err := r.once(ctx, method, url, sent, limit, read)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var p *passing
		if !errors.As(err, &p) || attempt+1 >= r.limits.Attempts {
			return err
		}
		if p.wait > r.limits.MaxWait {
			return &askedToWait{err, p.wait, r.limits.MaxWait}
		}
		pause := p.wait
		if pause == 0 {
			pause = min(wait+spread(sent, attempt, wait/2), r.limits.MaxWait)
		}
		if r.waits != nil && pause >= time.Second {
			r.waits(pause, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		wait *= 2
	}
}

// spread keeps requests that failed together from coming back together.
func spread(sent []byte, attempt int, most time.Duration) time.Duration {
	h := sha256.Sum256(append([]byte{byte(attempt)}, sent...))
	return time.Duration(binary.LittleEndian.Uint32(h[:])) % max(most, 1)
}

func (r *requester) once(ctx context.Context, method, url string, sent []byte, limit int64, read func([]byte) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.limits.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pindex")
	if sent != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.e.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.e.key)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return &passing{err: &unreached{r.clean(err)}}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return r.refused(res)
	}
	if res.ContentLength > limit {
		return fmt.Errorf("an answer of %d bytes, and at most %d are expected", res.ContentLength, limit)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return &passing{err: fmt.Errorf("reading the answer: %w", r.clean(err))}
	}
	if int64(len(b)) > limit {
		return fmt.Errorf("an answer of more than the %d bytes that are expected", limit)
	}
	return read(b)
}

// onlyModel returns the name of the model of a server that has one.
func (r *requester) onlyModel(ctx context.Context) (string, error) {
	var ans struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err := r.ask(ctx, http.MethodGet, r.e.Base+"/models", nil, 1<<20, func(b []byte) error { return parse(b, &ans) })
	if err == nil && len(ans.Data) == 1 && ans.Data[0].ID != "" {
		return ans.Data[0].ID, nil
	}
	var f *fail.Error
	if errors.As(err, &f) || ctx.Err() != nil {
		return "", err
	}
	return "", fail.Wrap(fail.Usage, err, "write #MODEL behind the address", "%s does not say which one model it has", r.e.Host())
}

// refused turns a status into an error that says what the server said, in so
// far as it is short.
func (r *requester) refused(res *http.Response) error {
	head, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // what cannot be read says nothing
	err := error(&status{res.StatusCode, r.said(head)})
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		what := "set " + r.e.envKey + " to a key of this server"
		if r.e.key != "" {
			what = "check the key in " + r.e.envKey
		}
		return fail.Wrap(fail.Network, err, what, "%s refuses the request", r.e.Host())
	case code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: %w", errTooLarge, err)
	case code == http.StatusRequestTimeout || code == http.StatusTooEarly || code == http.StatusTooManyRequests || code >= 500:
		return &passing{err: err, wait: retryAfter(res.Header.Get("Retry-After"))}
	}
	return err
}

func retryAfter(h string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(h)); err == nil && n > 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	return 0
}

// said quotes the message of an error answer, without the key.
func (r *requester) said(b []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	text := ""
	if json.Unmarshal(b, &e) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		switch {
		case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
			text = inner.Message
		case json.Unmarshal(e.Error, &text) == nil && text != "":
		case e.Message != "":
			text = e.Message
		default:
			_ = json.Unmarshal(e.Detail, &text) // another form says nothing
		}
	}
	text = strings.Join(strings.Fields(r.hide(text)), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	if text == "" {
		return ""
	}
	return ": " + strconv.Quote(text)
}

// hide removes the key, which a server might repeat.
func (r *requester) hide(s string) string {
	if r.e.key == "" {
		return s
	}
	return strings.ReplaceAll(s, r.e.key, "…")
}

// clean takes the address out of an error of net/http, which names it.
func (r *requester) clean(err error) error {
	type wrapped interface{ Unwrap() error }
	for {
		if w, ok := err.(wrapped); ok && strings.HasPrefix(fmt.Sprintf("%T", err), "*url.") {
			err = w.Unwrap()
			continue
		}
		return err
	}
}

// parse decodes an answer; one that ends in its middle may be whole another
// time.
func parse(b []byte, v any) error {
	err := json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(b)) {
		return &passing{err: fmt.Errorf("the answer is cut off: %w", err)}
	}
	if err != nil {
		return fmt.Errorf("the answer cannot be read: %w", err)
	}
	return nil
}

// IsTooLarge reports whether a server refused what was sent as it was, such as
// for its length.
func IsTooLarge(err error) bool { return errors.Is(err, errTooLarge) }
