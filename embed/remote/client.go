package remote

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Client asks an embeddings server. It is safe for concurrent use.
type Client struct {
	e *Endpoint
	r *requester

	texts, requests, retries, shortened atomic.Int64
}

// NewClient returns a client; it asks nothing yet.
func NewClient(e *Endpoint, l Limits) *Client {
	c := &Client{e: e, r: newRequester(e, l)}
	c.r.tried = func(attempt int) {
		c.requests.Add(1)
		if attempt > 0 {
			c.retries.Add(1)
		}
	}
	return c
}

// OnWait has f called before each pause of a second or more between two
// attempts, with its length and the reason. Call it before anything is asked; f
// must be safe for concurrent use.
func (c *Client) OnWait(f func(pause time.Duration, why error)) { c.r.waits = f }

// Use is what a client has asked for so far.
type Use struct {
	Texts     int64 // that vectors came back for
	Requests  int64 // attempts among them
	Retries   int64 // attempts after the first
	Shortened int64 // texts of which the server took a beginning only
}

// Use returns what was asked for so far.
func (c *Client) Use() Use {
	return Use{c.texts.Load(), c.requests.Load(), c.retries.Load(), c.shortened.Load()}
}

type embeddingsRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type embeddingsAnswer struct {
	Data []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
}

// vector reads an array of numbers, or base64 of little-endian floats, which
// some servers give whatever they are asked for.
type vector []float32

func (v *vector) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var raw []byte
		s, err := strconv.Unquote(string(b))
		if err == nil {
			raw, err = base64.StdEncoding.DecodeString(s)
		}
		if err != nil || len(raw)%4 != 0 {
			return errors.New("an embedding is a string and no base64 of numbers")
		}
		for ; len(raw) > 0; raw = raw[4:] {
			*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		}
		return nil
	}
	if len(b) < 2 || b[0] != '[' {
		return errors.New("an embedding is no array of numbers")
	}
	*v = (*v)[:0]
	for rest := string(b[1 : len(b)-1]); strings.TrimSpace(rest) != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, ",")
		x, err := strconv.ParseFloat(strings.TrimSpace(one), 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("an embedding holds %.20q, which is no number", strings.TrimSpace(one))
		}
		*v = append(*v, float32(x))
	}
	return nil
}

// numberBytes bounds what a server may write for one number of a vector.
const numberBytes = 32

// request asks for vectors of texts in one request. dims is what each must
// have; 0 for whatever the server gives.
func (c *Client) request(ctx context.Context, model string, texts []string, dims int) (out [][]float32, err error) {
	body := embeddingsRequest{Model: model, Input: texts, Format: "float", Dimensions: c.e.Dims}
	most := dims
	if most == 0 {
		most = embed.MaxRemoteDims
	}
	limit := int64(len(texts))*(int64(most)*numberBytes+1024) + 64<<10
	err = c.r.ask(ctx, http.MethodPost, c.e.URL, body, limit, func(b []byte) error {
		var ans embeddingsAnswer
		if err := parse(b, &ans); err != nil {
			return err
		}
		if len(ans.Data) != len(texts) {
			return fmt.Errorf("%d vectors for %d texts", len(ans.Data), len(texts))
		}
		out = make([][]float32, len(texts))
		for i, d := range ans.Data {
			at := i
			if d.Index != nil {
				at = *d.Index
			}
			if at < 0 || at >= len(out) || out[at] != nil {
				return fmt.Errorf("vector %d of %d is of text %d, which there is not or twice", i, len(out), at)
			}
			if len(d.Embedding) == 0 {
				return errors.New("a vector without numbers")
			}
			if dims > 0 && len(d.Embedding) != dims {
				return fmt.Errorf("a vector of %d dimensions, not %d", len(d.Embedding), dims)
			}
			for _, x := range d.Embedding {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return errors.New("a vector holds a number that is none")
				}
			}
			out[at] = d.Embedding
		}
		return nil
	})
	return out, err
}

// minText is what a text is not shortened below, in bytes.
const minText = 256

// get asks for vectors of any number of texts of one request's size. What the
// server finds too much it gets in halves: the texts, and of a single one the
// first half.
func (c *Client) get(ctx context.Context, model string, texts []string, dims int) ([][]float32, error) {
	out, err := c.request(ctx, model, texts, dims)
	if !errors.Is(err, errTooLarge) {
		return out, err
	}
	if len(texts) > 1 {
		half := len(texts) / 2
		a, err := c.get(ctx, model, texts[:half], dims)
		if err != nil {
			return nil, err
		}
		b, err := c.get(ctx, model, texts[half:], dims)
		return append(a, b...), err
	}
	for short := texts[0]; len(short) >= 2*minText; {
		short = head(short, len(short)/2)
		out, again := c.request(ctx, model, []string{short}, dims)
		if again == nil {
			c.shortened.Add(1)
		}
		if !errors.Is(again, errTooLarge) {
			return out, again
		}
	}
	return nil, err
}

// Describe finds out what model the server has: it asks for the probe's
// vector. known, which may be nil, are descriptions of earlier compiles; one
// that the answer fits is returned instead of a new one, so that a server's
// last bits change no profile.
func (c *Client) Describe(ctx context.Context, known []*embed.Remote) (*embed.Remote, error) {
	model := c.e.Model
	if model == "" {
		var err error
		if model, err = c.r.onlyModel(ctx); err != nil {
			return nil, err
		}
	}
	v, err := c.get(ctx, model, []string{c.e.TextPrefix + embed.Probe}, c.e.Dims)
	if err != nil {
		return nil, c.explain(err)
	}
	if !slices.ContainsFunc(v[0], func(x float32) bool { return x != 0 }) {
		return nil, fail.New(fail.Network, "see that the model is one of embeddings", "the embedder at %s answers with a vector of zeros", c.e.Host())
	}
	r := embed.Remote{ModelName: model, ServedDims: len(v[0]), QueryPrefix: c.e.QueryPrefix, TextPrefix: c.e.TextPrefix}
	if r.ServedDims >= embed.PrintSize {
		r.Print = embed.PrintOf(v[0])
	}
	for _, k := range known {
		if k.ModelName == r.ModelName && k.ServedDims == r.ServedDims && k.QueryPrefix == r.QueryPrefix && k.TextPrefix == r.TextPrefix && k.Print.Like(r.Print) {
			return k, nil
		}
	}
	out, err := embed.NewRemote(r)
	if err != nil {
		return nil, c.explain(err)
	}
	return out, nil
}

// batches cuts n texts into runs that fit into one request each.
func (c *Client) batches(n int, size func(i int) int) (runs [][2]int) {
	for lo := 0; lo < n; {
		hi, bytes := lo, 0
		for hi < n && hi-lo < c.r.limits.Batch && (hi == lo || bytes+size(hi) <= c.r.limits.BatchBytes) {
			bytes += size(hi)
			hi++
		}
		runs = append(runs, [2]int{lo, hi})
		lo = hi
	}
	return runs
}

// batch fills dst with the rows of texts, in one request. A text that is empty
// has the zero vector and is not sent.
func (c *Client) batch(ctx context.Context, m *embed.Remote, prefix string, texts []string, dst []int8) error {
	var send []string
	var rows []int
	for i, t := range texts {
		if t != "" {
			send, rows = append(send, prefix+t), append(rows, i)
		}
	}
	if len(send) == 0 {
		return ctx.Err()
	}
	vs, err := c.get(ctx, c.model(m), send, m.ServedDims)
	if err != nil {
		return err
	}
	for k, i := range rows {
		if !m.Quantise(vs[k], dst[i*m.Dims():(i+1)*m.Dims()]) {
			return errors.New("a vector cannot be scaled")
		}
	}
	c.texts.Add(int64(len(send)))
	return nil
}

// model is what the server calls the model: a user who names it knows better.
func (c *Client) model(m *embed.Remote) string {
	if c.e.Model != "" {
		return c.e.Model
	}
	return m.ModelName
}

// Queries returns the rows of questions, and checks in the same request that
// the server's model is the one that the index was made with.
func (c *Client) Queries(ctx context.Context, m *embed.Remote, questions []string) ([][]int8, error) {
	send := []string{m.TextPrefix + embed.Probe}
	for _, q := range questions {
		send = append(send, m.QueryPrefix+q)
	}
	vs, err := c.get(ctx, c.model(m), send, m.ServedDims)
	if err != nil {
		return nil, c.explain(err)
	}
	if !embed.PrintOf(vs[0]).Like(m.Print) {
		return nil, fail.New(fail.Network, "ask a server that has the model of the index, or compile the commit again",
			"the model %q of %s is not the one that the index was made with", c.model(m), c.e.Host())
	}
	out := make([][]int8, len(questions))
	for i := range out {
		out[i] = make([]int8, m.Dims())
		if !m.Quantise(vs[i+1], out[i]) {
			return nil, c.explain(errors.New("a vector cannot be scaled"))
		}
	}
	return out, nil
}

// Check asks for the probe's vector and says whether the server's model is the
// one that m describes.
func (c *Client) Check(ctx context.Context, m *embed.Remote) error {
	_, err := c.Queries(ctx, m, nil)
	return err
}

// explain gives an error of the server its name.
func (c *Client) explain(err error) error {
	var f *fail.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	return fail.Wrap(fail.Network, err, remedyOf(err, "a server of embeddings that has the model"),
		"the embedder at %s failed", c.e.Host())
}
