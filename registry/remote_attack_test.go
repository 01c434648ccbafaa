package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

const repoName = "owner/pindex"

// hooked starts a registry with an index of commit 1, whose answers hook may
// then spoil.
func hooked(t *testing.T, hook func(w http.ResponseWriter, r *http.Request) bool) (*registrytest.Server, registrytest.Index) {
	t.Helper()
	var on atomic.Bool
	s := startServer(t, &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
		return on.Load() && hook(w, r)
	}})
	x := registrytest.Small(1)
	if _, err := x.Publish(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil))); err != nil {
		t.Fatal(err)
	}
	s.ResetCounts()
	on.Store(true)
	return s, x
}

// wantError checks an error's exit code and that its remedy holds a text.
func wantError(t *testing.T, err error, code fail.Code, remedy string) {
	t.Helper()
	var known *fail.Error
	if !errors.As(err, &known) || known.Code != code || !strings.Contains(known.Remedy, remedy) {
		t.Errorf("want code %d with the remedy %q, got: %v", code, remedy, err)
	}
}

func isBlob(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/sha256:")
}

func isManifest(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/manifests/")
}

func TestRemoteStatus(t *testing.T) {
	for _, c := range []struct {
		status   int
		remedy   string
		requests int
	}{
		{401, "docker login", 1},
		{403, "docker login", 1},
		{405, "does not offer", 1},
		{418, "later", 1},
		{408, "later", 5},
		{429, "log in", 5},
		{500, "later", 5},
		{502, "later", 5},
		{503, "later", 5},
		{504, "later", 5},
	} {
		s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			registrytest.Refuse(w, c.status, "SOME_CODE", "some \x1b[31m message", nil)
			return true
		})
		_, err := openRemote(t, s.Ref(repoName), impatient(nil)).Resolve(t.Context(), x.Commit)
		wantError(t, err, fail.Network, c.remedy)
		if n, _, _ := s.Total(); n != c.requests || !strings.Contains(err.Error(), strconv.Itoa(c.status)) {
			t.Errorf("status %d: %d requests, %v", c.status, n, err)
		}
	}
	s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(404); return true })
	r := openRemote(t, s.Ref(repoName), impatient(nil))
	if _, err := r.Resolve(t.Context(), x.Commit); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("404: %v", err)
	}
	if _, err := x.Publish(t.Context(), r); fail.CodeOf(err) != fail.Network {
		t.Errorf("404 for an upload: %v", err)
	}
}

// Whatever Retry-After says, a wait is never shorter than our own and never
// longer than our cap, and attempts are bounded.
func TestRemoteRetryAfter(t *testing.T) {
	const floor = 100 * time.Millisecond
	for value, atLeast := range map[string]time.Duration{
		"": floor, "0": floor, "1": time.Second, "3": 3 * time.Second, "00002": 2 * time.Second,
		"337.149µs": floor, "1.5": floor, "-5": floor, "soon": floor, "0x10": floor, "NaN": floor,
		"99999999999999999999999999": floor, "86400": registry.RetryCap, "9223372036854775807": registry.RetryCap,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat):      floor,
		time.Now().Add(5 * time.Minute).UTC().Format(http.TimeFormat): registry.RetryCap,
		"Thu, 99 Foo 2099 00:00:00 GMT":                               floor,
	} {
		s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header()["Retry-After"] = []string{value}
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		var waits []time.Duration
		if _, err := openRemote(t, s.Ref(repoName), impatient(&waits)).Resolve(t.Context(), x.Commit); fail.CodeOf(err) != fail.Network {
			t.Errorf("%q: %v", value, err)
		}
		if len(waits) != 4 {
			t.Errorf("%q: waited %d times", value, len(waits))
		}
		for _, d := range waits {
			if d < atLeast || d > registry.RetryCap {
				t.Errorf("%q: waited %s", value, d)
			}
		}
	}
	for attempt := range 60 {
		for range 100 {
			if d := registry.RetryWait(attempt+1, 0); d < floor || d > registry.RetryCap {
				t.Fatalf("attempt %d: %s", attempt+1, d)
			}
		}
	}
}

// A failure that passes is not seen, wherever it happens.
func TestRemoteRecovers(t *testing.T) {
	for name, spoil := range map[string]func(w http.ResponseWriter){
		"500":         func(w http.ResponseWriter) { w.WriteHeader(500) },
		"429":         func(w http.ResponseWriter) { w.Header().Set("Retry-After", "1"); w.WriteHeader(429) },
		"broken":      hangUp,
		"broken late": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); w.WriteHeader(200); cutOff(w) },
	} {
		var n atomic.Int64
		s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			late := name == "broken late" && r.Method != http.MethodGet
			if n.Add(1)%3 != 1 || late {
				return false
			}
			spoil(w)
			return true
		})
		r := openRemote(t, s.Ref(repoName), impatient(nil))
		if err := x.Check(t.Context(), r, x.Commit); name != "broken late" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		y := registrytest.Small(2)
		if _, err := y.Publish(t.Context(), r); err != nil {
			t.Errorf("%s: publish: %v", name, err)
		}
	}
}

// cutOff closes the connection behind what was written.
func cutOff(w http.ResponseWriter) {
	http.NewResponseController(w).Flush()
	hangUp(w)
}

// hangUp closes the connection without another word.
func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		c.Close()
	}
}

// A blob that breaks off is gone on with where it broke off, and its digest too.
func TestRemoteResumesBlobs(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	d := ocispec.Descriptor{MediaType: registry.MediaTypePack, Digest: digest.FromBytes(content), Size: int64(len(content))}
	const piece = 300_000
	for name, c := range map[string]struct {
		ranges string // how the server takes Range
		code   fail.Code
		most   int64 // bytes that may be sent
	}{
		"ranges":            {"", fail.OK, int64(len(content)) + 4096},
		"ranges ignored":    {"ignore", fail.Network, 1 << 40},
		"another range":     {"shift", fail.Network, 1 << 40},
		"416":               {"refuse", fail.Network, 1 << 40},
		"another blob then": {"swap", fail.Verification, 1 << 40},
	} {
		var sent atomic.Int64
		s, _ := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			if !isBlob(r) {
				return false
			}
			var from int64
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
			body := content
			switch {
			case from > 0 && c.ranges == "refuse":
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return true
			case c.ranges == "ignore":
				from = 0
			case from > 0 && c.ranges == "swap":
				body = bytes.Repeat([]byte("x"), len(content))
			}
			if from > 0 {
				at := from
				if c.ranges == "shift" {
					at++
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(body)-1, len(body)))
			}
			rest := body[from:]
			w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
			if from > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			n, _ := w.Write(rest[:min(piece, len(rest))])
			sent.Add(int64(n))
			if n < len(rest) {
				cutOff(w)
			}
			return true
		})
		b, err := openRemote(t, s.Ref(repoName), impatient(nil)).Fetch(t.Context(), d)
		if fail.CodeOf(err) != c.code || err == nil && !bytes.Equal(b, content) {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		if sent.Load() > c.most {
			t.Errorf("%s: %d bytes were sent for %d", name, sent.Load(), len(content))
		}
	}
}

func TestRemoteWrongBlobs(t *testing.T) {
	good := []byte(strings.Repeat("content ", 1000))
	for name, serve := range map[string]func(w http.ResponseWriter){
		"wrong digest": func(w http.ResponseWriter) { w.Write(bytes.ToUpper(good)) },
		"shorter":      func(w http.ResponseWriter) { w.Write(good[:100]) },
		"empty":        func(w http.ResponseWriter) { w.WriteHeader(200) },
		"longer":       func(w http.ResponseWriter) { w.Write(append(good, good...)) },
		"endless":      func(w http.ResponseWriter) { endless(w, good) },
		"an error page": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>please log in</html>")
		},
		"compressed in transit": func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bytes.Repeat([]byte("z"), len(good)))
		},
	} {
		s, _ := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			if !isBlob(r) {
				return false
			}
			serve(w)
			return true
		})
		d := ocispec.Descriptor{MediaType: registry.MediaTypePack, Digest: digest.FromBytes(good), Size: int64(len(good))}
		_, err := openRemote(t, s.Ref(repoName), impatient(nil)).Fetch(t.Context(), d)
		if fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless sends until the client has had enough.
func endless(w http.ResponseWriter, b []byte) {
	http.NewResponseController(w).Flush() // so that no length is announced
	for {
		if _, err := w.Write(b); err != nil {
			return
		}
	}
}

// A registry that sends a byte now and then, or nothing, is left.
func TestRemoteStalls(t *testing.T) {
	for name, trickle := range map[string]bool{"trickle": true, "silence": false} {
		for _, kind := range []func(*http.Request) bool{isBlob, isManifest} {
			s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !kind(r) {
					return false
				}
				for range 3000 {
					if trickle {
						if _, err := w.Write([]byte{'x'}); err != nil {
							return true
						}
						http.NewResponseController(w).Flush()
					}
					select {
					case <-r.Context().Done():
						return true
					case <-time.After(10 * time.Millisecond):
					}
				}
				return true
			})
			o := impatient(nil)
			o.Attempts, o.StallTimeout = 2, 150*time.Millisecond
			r := openRemote(t, s.Ref(repoName), o)
			err := x.Check(t.Context(), r, x.Commit)
			wantError(t, err, fail.Network, "again")
			if err == nil || !strings.Contains(err.Error(), "stalled") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A slow registry that goes on is waited for, however long it takes in all.
func TestRemoteSlowButSteady(t *testing.T) {
	content := bytes.Repeat([]byte("z"), 60<<10)
	s, _ := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !isBlob(r) {
			return false
		}
		for part := range 10 {
			w.Write(content[part*6<<10 : (part+1)*6<<10])
			http.NewResponseController(w).Flush()
			time.Sleep(100 * time.Millisecond)
		}
		return true
	})
	o := impatient(nil)
	o.Attempts, o.StallTimeout = 1, 500*time.Millisecond
	d := ocispec.Descriptor{MediaType: registry.MediaTypePack, Digest: digest.FromBytes(content), Size: int64(len(content))}
	if _, err := openRemote(t, s.Ref(repoName), o).Fetch(t.Context(), d); err != nil {
		t.Error(err)
	}
}

func TestRemoteHostileManifests(t *testing.T) {
	large := func(n int, announce bool) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
			if announce {
				w.Header().Set("Content-Length", strconv.Itoa(n))
			}
			chunk := bytes.Repeat([]byte(" "), 1<<16)
			for ; n > 0; n -= len(chunk) {
				if _, err := w.Write(chunk[:min(n, len(chunk))]); err != nil {
					return
				}
			}
		}
	}
	text := func(contentType, body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", contentType)
			io.WriteString(w, body)
		}
	}
	const oci = ocispec.MediaTypeImageManifest
	for name, serve := range map[string]func(w http.ResponseWriter){
		"100 MB announced":     large(100<<20, true),
		"100 MB unannounced":   large(100<<20, false),
		"a million layers":     text(oci, `{"schemaVersion":2,"mediaType":"`+oci+`","artifactType":"`+registry.MediaTypeIndex+`","layers":[`+strings.Repeat("{},", 1_000_000)+`{}]}`),
		"nesting":              text(oci, strings.Repeat(`[`, 1<<20)),
		"empty":                text(oci, ""),
		"null":                 text(oci, "null"),
		"a web page":           text("text/html", "<html>"),
		"JSON of another kind": text("application/json", `{"hello":"world"}`),
		"an image index":       text(ocispec.MediaTypeImageIndex, `{"schemaVersion":2,"mediaType":"`+ocispec.MediaTypeImageIndex+`","manifests":[]}`),
		"two media types":      text(ocispec.MediaTypeImageIndex, `{"schemaVersion":2,"mediaType":"`+oci+`"}`),
		"a foreign image":      text(oci, `{"schemaVersion":2,"mediaType":"`+oci+`","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:`+strings.Repeat("0", 64)+`","size":3},"layers":[]}`),
		"no media type at all": text("", `{"schemaVersion":2}`),
	} {
		s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
			if !isManifest(r) {
				return false
			}
			serve(w)
			return true
		})
		_, _, err := registry.ReadArtifact(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil)), x.Commit)
		if fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

// Credentials and tokens stay with the host that they are for.
func TestRemoteRedirects(t *testing.T) {
	for _, basic := range []bool{true, false} {
		var mu sync.Mutex
		var leaked []string
		var origin *registrytest.Server
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			for k, v := range r.Header {
				if k == "Authorization" || k == "Cookie" || strings.Contains(strings.Join(v, " "), "secret") {
					leaked = append(leaked, k+" at "+r.URL.Path)
				}
			}
			mu.Unlock()
			switch {
			case strings.HasPrefix(r.URL.Path, "/challenge"):
				w.Header().Set("WWW-Authenticate", `Basic realm="give me your password"`)
				w.WriteHeader(401)
			default:
				w.Write(origin.Blob(repoName, strings.TrimPrefix(r.URL.Path, "/")))
			}
		}))
		t.Cleanup(elsewhere.Close)
		target := "/"
		origin = startServer(t, &registrytest.Server{
			Basic: basic, Bearer: !basic, User: "user", Password: "secret",
			Hook: func(w http.ResponseWriter, r *http.Request) bool {
				if isBlob(r) && r.Header.Get("Range") == "" && r.Header.Get("Authorization") != "" {
					http.Redirect(w, r, elsewhere.URL+target+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], http.StatusTemporaryRedirect)
					return true
				}
				return false
			},
		})
		o := impatient(nil)
		o.Username, o.Password = "user", "secret"
		r := openRemote(t, origin.Ref(repoName), o)
		x := registrytest.Small(1)
		if _, err := x.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := x.Check(t.Context(), r, x.Commit); err != nil {
			t.Error(err)
		}
		target = "/challenge/"
		if err := x.Check(t.Context(), r, x.Commit); err == nil {
			t.Error("the other host's challenge was met")
		}
		if len(leaked) > 0 {
			t.Errorf("the other host was sent %q", leaked)
		}
	}
}

func TestRemoteRedirectLoop(t *testing.T) {
	s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		return true
	})
	_, err := openRemote(t, s.Ref(repoName), impatient(nil)).Resolve(t.Context(), x.Commit)
	wantError(t, err, fail.Network, "")
	if n, _, _ := s.Total(); n > 40 {
		t.Errorf("%d requests", n)
	}
}

// A tag that moves in the middle of a pull gives the old index or the new one,
// whole.
func TestRemoteTagMoves(t *testing.T) {
	y := registrytest.Small(1)
	y.Variant = "another"
	var moving atomic.Bool
	var s *registrytest.Server
	s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
		if isBlob(r) && !moving.Swap(true) {
			p, err := y.Push(context.Background(), openRemote(t, s.Ref(repoName), impatient(nil)))
			if err != nil {
				t.Error(err)
			}
			p.Replace = true
			if _, err := openRemote(t, s.Ref(repoName), impatient(nil)).Publish(context.Background(), p); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	r := openRemote(t, s.Ref(repoName), impatient(nil))
	if err := x.Check(t.Context(), r, x.Commit); err != nil {
		t.Error(err)
	}
	if err := y.Check(t.Context(), r, x.Commit); err != nil {
		t.Error(err)
	}
}

func TestRemoteBoundsConcurrency(t *testing.T) {
	var now, most atomic.Int64
	s, x := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(2 * time.Millisecond)
		return false
	})
	o := impatient(nil)
	o.Concurrency = 3
	r := openRemote(t, s.Ref(repoName), o)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if err := x.Check(t.Context(), r, x.Commit); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 {
		t.Errorf("%d requests at a time", most.Load())
	}
}

// An endless list of tags ends.
func TestRemoteEndlessTags(t *testing.T) {
	var n atomic.Int64
	s, _ := hooked(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/tags/list") {
			return false
		}
		tags := make([]string, 10_000)
		for i := range tags {
			tags[i] = fmt.Sprintf("t%d-%d", n.Load(), i)
		}
		n.Add(1)
		w.Header().Set("Link", fmt.Sprintf(`<%s?last=%d>; rel="next"`, r.URL.Path, n.Load()))
		json.NewEncoder(w).Encode(map[string]any{"tags": tags})
		return true
	})
	if _, err := openRemote(t, s.Ref(repoName), impatient(nil)).Tags(t.Context()); fail.CodeOf(err) != fail.Verification {
		t.Error(err)
	}
}
