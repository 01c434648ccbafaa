package builtin

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/pindex-dev/pindex/embed"
)

func TestModelFile(t *testing.T) {
	if got := fmt.Sprintf("%x", sha256.Sum256(model)); got != Digest {
		t.Errorf("the model file has digest %s, want %s", got, Digest)
	}
	if len(model) > 12<<20 {
		t.Errorf("the model file has %d bytes, more than 12 MiB", len(model))
	}
	e := open(t)
	if !Is(e) || !Is(e.Clone()) || Is(embed.NewHashed()) {
		t.Error("the built-in model is not known by its bytes")
	}
	if e.Name() != embed.StaticName || e.Dims() != 256 {
		t.Errorf("the model is %s of %d dimensions", e.Name(), e.Dims())
	}
}

func open(tb testing.TB) embed.Embedder {
	tb.Helper()
	e, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func vector(e embed.Embedder, d embed.Document) []int8 {
	v := make([]int8, e.Dims())
	e.Embed(d, v)
	return v
}

var documents = []embed.Document{
	{Path: "src/app.py", Symbol: []byte("App.url_for"), Signature: [][]byte{[]byte("def url_for(self, endpoint, **values)")},
		Doc: [][]byte{[]byte("Build the address of an endpoint.")}, Body: [][]byte{[]byte("return self.adapter.build(endpoint, values)")}},
	{Path: "lib/matrix.c", Symbol: []byte("transpose"), Body: [][]byte{[]byte("for (row = 0; row < height; row++) swap(m, row);")}},
	{Path: "net/retry.go", Symbol: []byte("Client.Do"), Doc: [][]byte{[]byte("Do sends a request and tries again after a timeout.")},
		Body: [][]byte{[]byte("for attempt := range c.maxAttempts { resp, err := c.transport.RoundTrip(req); sleep(backoff) }")}},
	{Path: "文書.md", Body: [][]byte{[]byte("日本語 naïve unsegmentedwordsinarow 0xdeadbeef")}},
}

// TestVectors pins vectors of fixed texts, which must be these on every
// machine.
func TestVectors(t *testing.T) {
	e := open(t)
	want := []string{"0caaa1e3cdf0defe", "0b735ece8f278b80", "7e7aeef2ca3a9c64", "fc3c314364e93d8e"}
	for i, d := range documents {
		v := vector(e, d)
		b := make([]byte, len(v))
		for k, x := range v {
			b[k] = byte(x)
		}
		if got := fmt.Sprintf("%.8x", sha256.Sum256(b)); got != want[i] {
			t.Errorf("document %d has vector %s, want %s", i, got, want[i])
		}
	}
}

// TestMeaning has questions without a word of the text that answers them.
func TestMeaning(t *testing.T) {
	e := open(t)
	for i, q := range []string{"generate link to a handler", "flip rows and columns", "http failure handling and exponential delay"} {
		v := make([]int8, e.Dims())
		e.EmbedQuery(q, v)
		best, at := int32(-1<<30), -1
		for k, d := range documents {
			if s := embed.Dot(v, vector(e, d)); s > best {
				best, at = s, k
			}
		}
		if at != i {
			t.Errorf("%q finds document %d, not %d", q, at, i)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := open(b)
	v := make([]int8, e.Dims())
	d := documents[2]
	for range 20 { // about the words of a unit of 25 lines
		d.Body = append(d.Body, documents[2].Body[0], documents[0].Body[0], documents[1].Body[0])
	}
	for b.Loop() {
		e.Embed(d, v)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		open(b)
	}
}
