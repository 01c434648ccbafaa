package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/remote/remotetest"
	"github.com/pindex-dev/pindex/internal/fail"
)

// quick are limits under which nothing waits.
var quick = Limits{Attempts: 3, Timeout: 200 * time.Millisecond, Wait: time.Millisecond, MaxWait: time.Second, Batch: 8}

func start(t *testing.T, s *remotetest.Server) string {
	t.Helper()
	url := s.Start()
	t.Cleanup(s.Close)
	return url
}

func endpoint(t *testing.T, s, verb, key string) *Endpoint {
	t.Helper()
	e, err := ParseEndpoint(s, verb, EnvEmbedderKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func client(t *testing.T, s *remotetest.Server) (*Client, *embed.Remote) {
	t.Helper()
	url := start(t, s)
	s.Lock()
	f := s.Fault
	s.Fault = remotetest.None
	s.Unlock()
	c := NewClient(endpoint(t, url+"#toy", "embeddings", ""), quick)
	m, err := c.Describe(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Lock()
	s.Fault = f
	s.Unlock()
	return c, m
}

func vectors(t *testing.T, c *Client, m *embed.Remote, dir string) *Vectors {
	t.Helper()
	kept, err := OpenCache(dir, "m", m)
	if err != nil {
		t.Fatal(err)
	}
	return &Vectors{Model: m, Client: c, Cache: kept}
}

func someTexts(n int) (keys [][16]byte, texts []string) {
	for i := range n {
		keys = append(keys, [16]byte{byte(i), byte(i >> 8), 1})
		texts = append(texts, fmt.Sprintf("text number%d of word%d", i, i%7))
	}
	return keys, texts
}

func TestParseEndpoint(t *testing.T) {
	for in, want := range map[string]Endpoint{
		"http://localhost:11434/v1#nomic":                     {URL: "http://localhost:11434/v1/embeddings", Base: "http://localhost:11434/v1", Model: "nomic"},
		"http://localhost:8080":                               {URL: "http://localhost:8080/v1/embeddings", Base: "http://localhost:8080/v1"},
		"https://h/api/embeddings#a/b":                        {URL: "https://h/api/embeddings", Base: "https://h/api", Model: "a/b"},
		"https://h/v1/#m?dims=512":                            {URL: "https://h/v1/embeddings", Base: "https://h/v1", Model: "m", Dims: 512},
		"https://h#m?query=search_query:%20&text=passage:%20": {URL: "https://h/v1/embeddings", Base: "https://h/v1", Model: "m", QueryPrefix: "search_query: ", TextPrefix: "passage: "},
		"http://[::1]:1/v1/embeddings#text-embedding-3?k=3":   {URL: "http://[::1]:1/v1/embeddings", Base: "http://[::1]:1/v1", Model: "text-embedding-3", K: 3},
	} {
		e, err := ParseEndpoint(in, "embeddings", EnvEmbedderKey, "")
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		want.envKey = EnvEmbedderKey
		if *e != want {
			t.Errorf("%s: %+v, want %+v", in, *e, want)
		}
	}
	for in, key := range map[string]string{
		"": "", "nonsense": "", "ftp://h/": "", "http://u:topsecret@h/": "", "http://h/?q=topsecret": "",
		"http://h/#m?dims=3": "", "http://h/#m?dims=x": "", "http://h/#m?k=0": "", "http://h/#m?what=1": "", "http://h/#%zz": "", "http://%zz": "",
		"http://example.com/v1#m": "topsecret", "https://h/": "top\nsecret",
	} {
		_, err := ParseEndpoint(in, "embeddings", EnvEmbedderKey, key)
		if fail.CodeOf(err) != fail.Usage || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%q: %v", in, err)
		}
	}
	for _, in := range []string{"http://127.0.0.1:1/", "http://localhost/", "https://example.com/"} {
		if _, err := ParseEndpoint(in, "embeddings", EnvEmbedderKey, "topsecret"); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestFaults: what a server may do wrong is an error that names it, a passing
// failure is tried again, and another dialect is understood.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault remotetest.Fault
		times int
		want  string // in the error; "" for none
	}{
		{fault: remotetest.None},
		{fault: remotetest.Order},
		{fault: remotetest.NoIndex},
		{fault: remotetest.Base64},
		{fault: remotetest.BatchLimit},
		{fault: remotetest.Count, want: "vectors for"},
		{fault: remotetest.SameIndex, want: "twice"},
		{fault: remotetest.NaN, want: "cannot be read"},
		{fault: remotetest.Null, want: "no number"},
		{fault: remotetest.Huge, want: "a number that is none"},
		{fault: remotetest.Dims, want: "63 dimensions, not 64"},
		{fault: remotetest.NoDims, want: "without numbers"},
		{fault: remotetest.NoJSON, want: "cannot be read"},
		{fault: remotetest.Endless, want: "more than the"},
		{fault: remotetest.Redirect, want: "HTTP 307"},
		{fault: remotetest.Denied, want: "refuses the request"},
		{fault: remotetest.Truncated, times: 2},
		{fault: remotetest.Truncated, want: "cut off"},
		{fault: remotetest.Busy, times: 2},
		{fault: remotetest.Busy, want: "HTTP 429"},
		{fault: remotetest.BusyLong, want: "it asks to wait 1h0m0s, longer than the 1s that are waited at most (try again in 1h0m0s)"},
		{fault: remotetest.Broken, times: 2},
		{fault: remotetest.Broken, want: "HTTP 500"},
		{fault: remotetest.Hangup, times: 2},
		{fault: remotetest.Hangup, want: "the embedder at"},
		{fault: remotetest.Slow, times: 1},
		{fault: remotetest.Slow, want: "deadline"},
	} {
		t.Run(fmt.Sprint(c.fault, c.times), func(t *testing.T) {
			t.Parallel()
			s := &remotetest.Server{ModelName: "toy", Fault: c.fault}
			cl, m := client(t, s)
			s.Lock()
			s.Times = c.times
			s.Unlock()
			keys, texts := someTexts(20)
			texts[3] = ""
			rows := make([]int8, len(texts)*m.Dims())
			err := vectors(t, cl, m, "").Embed(t.Context(), keys, texts, rows)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || fail.CodeOf(err) != fail.Network {
					t.Fatalf("error %v with code %d, want one with %q", err, fail.CodeOf(err), c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := make([]int8, m.Dims())
			for i, text := range texts {
				clear(want)
				if text != "" {
					m.Quantise(s.Vector(text), want)
				}
				if !slices.Equal(rows[i*m.Dims():(i+1)*m.Dims()], want) {
					t.Errorf("row %d is not its text's", i)
				}
			}
		})
	}
}

func TestTooLongTextIsShortened(t *testing.T) {
	s := &remotetest.Server{ModelName: "toy", Fault: remotetest.TextLimit}
	c, m := client(t, s)
	long := strings.Repeat("wörd ", 700)
	rows := make([]int8, 2*m.Dims())
	if err := vectors(t, c, m, "").Embed(t.Context(), [][16]byte{{1}, {2}}, []string{long, "short"}, rows); err != nil {
		t.Fatal(err)
	}
	if u := c.Use(); u.Shortened != 1 || u.Texts != 3-1 {
		t.Errorf("use: %+v", u)
	}
}

func TestDescribe(t *testing.T) {
	s := &remotetest.Server{ModelName: "toy", Dimensions: 100}
	url := start(t, s)
	c := NewClient(endpoint(t, url, "embeddings", ""), quick)
	m, err := c.Describe(t.Context(), nil)
	if err != nil || m.ModelName != "toy" || m.ServedDims != 100 || m.Dims() != 128 {
		t.Fatalf("%+v, %v", m, err)
	}
	again, err := c.Describe(t.Context(), []*embed.Remote{m})
	if err != nil || again != m {
		t.Errorf("a known model is not known: %v", err)
	}
	rows, err := c.Queries(t.Context(), m, []string{"a question"})
	if err != nil || len(rows) != 1 || len(rows[0]) != 128 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	s.Lock()
	s.Secret = "changed"
	s.Unlock()
	if _, err := c.Queries(t.Context(), m, []string{"a question"}); err == nil || !strings.Contains(err.Error(), "not the one") {
		t.Errorf("a changed model answers: %v", err)
	}
	other, err := c.Describe(t.Context(), []*embed.Remote{m})
	if err != nil || slices.Equal(other.Model(), m.Model()) {
		t.Errorf("a changed model has the description of the old: %v", err)
	}
}

// TestKey: the key goes to the server and into no message, whatever it says.
func TestKey(t *testing.T) {
	s := &remotetest.Server{Key: "right"}
	url := start(t, s)
	_, err := NewClient(endpoint(t, url+"#toy", "embeddings", "wrong-secret"), quick).Describe(t.Context(), nil)
	if fail.CodeOf(err) != fail.Network || strings.Contains(err.Error(), "wrong-secret") || !strings.Contains(err.Error(), EnvEmbedderKey) {
		t.Errorf("%v", err)
	}
	if _, err := NewClient(endpoint(t, url+"#toy", "embeddings", "right"), quick).Describe(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if !slices.Equal(s.Seen, []string{"Bearer wrong-secret", "Bearer right"}) {
		t.Errorf("seen: %q", s.Seen)
	}
}

// TestResume: what was answered before a failure is not asked for again.
func TestResume(t *testing.T) {
	s := &remotetest.Server{ModelName: "toy"}
	c, m := client(t, s)
	dir := t.TempDir()
	v := vectors(t, c, m, dir)
	keys, texts := someTexts(40)
	rows := make([]int8, 40*m.Dims())
	if err := v.Embed(t.Context(), keys[:16], texts[:16], rows); err != nil {
		t.Fatal(err)
	}
	// A kill: nothing is closed, and the last record is torn.
	files, _ := filepath.Glob(filepath.Join(dir, "m", "*.vec"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	fi, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], fi.Size()-3); err != nil {
		t.Fatal(err)
	}
	s.Lock()
	s.Texts = nil
	s.Unlock()
	v = vectors(t, c, m, dir)
	again := make([]int8, 40*m.Dims())
	if err := v.Embed(t.Context(), keys, texts, again); err != nil {
		t.Fatal(err)
	}
	if len(s.Texts) != 25 || v.Found() != 15 {
		t.Errorf("%d texts were sent, %d found", len(s.Texts), v.Found())
	}
	if !slices.Equal(rows[:16*m.Dims()], again[:16*m.Dims()]) {
		t.Error("the cache gives other rows than the server")
	}
	if known := KnownModels(dir); len(known) != 1 || known[0].ModelName != "toy" {
		t.Errorf("known: %v", known)
	}
}

func TestCacheJoinsAndDistrusts(t *testing.T) {
	m, err := embed.NewRemote(embed.Remote{ModelName: "m", ServedDims: 32, Print: embed.Print{0, 2, 4, 6, 8, 10, 12, 14}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	row := make([]int8, 32)
	for i := range 20 {
		c, err := OpenCache(dir, "m", m)
		if err != nil {
			t.Fatal(err)
		}
		row[0] = int8(i)
		c.Put([][16]byte{{byte(i)}}, row)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "m", "*.vec"))
	if len(files) > maxCacheFiles+1 {
		t.Errorf("%d files", len(files))
	}
	c, err := OpenCache(dir, "m", m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if got := c.Get([16]byte{byte(i)}); got == nil || got[0] != int8(i) {
			t.Errorf("row %d is %v", i, got)
		}
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := 8; i < len(b); i += 52 {
			b[i+20] ^= 1
		}
		if err := os.WriteFile(f, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, err = OpenCache(dir, "m", m); err != nil || len(c.rows) != 0 {
		t.Errorf("damaged records are used: %d, %v", len(c.rows), err)
	}
}

func TestInterrupted(t *testing.T) {
	s := &remotetest.Server{ModelName: "toy", Fault: remotetest.Broken}
	c, m := client(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	keys, texts := someTexts(3)
	err := vectors(t, c, m, "").Embed(ctx, keys, texts, make([]int8, 3*m.Dims()))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRerank(t *testing.T) {
	texts := []string{"alpha beta", "gamma", "alpha beta delta"}
	for _, c := range []struct {
		fault remotetest.Fault
		want  string
	}{
		{remotetest.None, ""}, {remotetest.NoIndex, ""},
		{remotetest.Count, "scores for"}, {remotetest.SameIndex, "twice"}, {remotetest.NaN, "cannot be read"}, {remotetest.Null, "no number of its kind"},
		{remotetest.Broken, "HTTP 500"}, {remotetest.Truncated, "cut off"}, {remotetest.Endless, "more than"}, {remotetest.Slow, "deadline"},
	} {
		s := &remotetest.Server{Fault: c.fault}
		r := NewReranker(endpoint(t, start(t, s)+"#m?k=5", "rerank", ""), quick)
		got, err := r.Rerank(t.Context(), "beta delta", texts)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.fault, err, c.want)
			}
			continue
		}
		if err != nil || !slices.Equal(got, []int64{333333, 0, 666667}) || r.K() != 5 {
			t.Errorf("%s: %v, %v", c.fault, got, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2.5,-3e-2]}]}`))
	f.Add([]byte(`{"data":[{"embedding":"AACAPw=="}]}`))
	f.Add([]byte(`[{"index":0,"score":1}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var ans embeddingsAnswer
		_ = parse(b, &ans)
		_, _ = rerankItems(b)
	})
}

// A pause is said before it is made, and one that is too long is not made.
func TestPauses(t *testing.T) {
	for _, c := range []struct {
		fault    remotetest.Fault
		requests int
		said     []time.Duration
	}{
		{remotetest.Busy, 3, []time.Duration{time.Second, time.Second}},
		{remotetest.BusyLong, 1, nil},
		{remotetest.Broken, 3, nil}, // milliseconds
	} {
		s := &remotetest.Server{ModelName: "toy"}
		cl, m := client(t, s)
		var said []time.Duration
		cl.OnWait(func(d time.Duration, _ error) { said = append(said, d) })
		s.Lock()
		s.Fault, s.Requests = c.fault, 0
		s.Unlock()
		_, err := cl.Queries(t.Context(), m, []string{"q"})
		if err == nil || s.Requests != c.requests || !slices.Equal(said, c.said) {
			t.Errorf("%s: %d requests, pauses %v, error %v", c.fault, s.Requests, said, err)
		}
	}
}

// What is repeated within a compile does not come from the cache.
func TestRepeatsAreNotTheCaches(t *testing.T) {
	s := &remotetest.Server{ModelName: "toy"}
	cl, m := client(t, s)
	v := vectors(t, cl, m, "")
	rows := make([]int8, 2*m.Dims())
	for range 2 {
		if err := v.Embed(t.Context(), [][16]byte{{1}, {1}}, []string{"same", "same"}, rows); err != nil {
			t.Fatal(err)
		}
	}
	if u := cl.Use(); v.Found() != 0 || u.Texts != 1 {
		t.Errorf("%d of the cache's, %d sent", v.Found(), u.Texts)
	}
}
