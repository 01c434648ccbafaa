package registry

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
)

func FuzzRemoteReference(f *testing.F) {
	for _, s := range []string{"ghcr.io/o/r", "http://[::1]:5000/x", "user:p@h/x", "h:99999/x", "https://h/x:t", "%zz/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := parseRemote(s, false)
		if err != nil {
			if fail.CodeOf(err) != fail.Usage {
				t.Errorf("%v", err)
			}
			return
		}
		if ref.plain && !isLoopback(ref.Host()) && !strings.HasPrefix(strings.ToLower(s), "http://") {
			t.Errorf("%q is spoken to without TLS", s)
		}
		if req, err := http.NewRequest(http.MethodGet, ref.base()+"/tags/list", nil); err != nil || req.URL.User != nil || req.URL.Host != ref.Host() {
			t.Errorf("%q: %v", s, err)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-1", "337.149µs", "Mon, 02 Jan 2006 15:04:05 GMT", "99999999999999999999"} {
		f.Add(s)
	}
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		d := retryAfter(&http.Response{Header: http.Header{"Retry-After": {s}}}, now)
		if d < 0 || d > retryCap {
			t.Errorf("%q gives %s", s, d)
		}
	})
}

func FuzzDescribeManifest(f *testing.F) {
	seeds(f, "manifest.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := describeManifest(b, "application/vnd.oci.image.manifest.v1+json")
		if err == nil && (!isManifest(d.MediaType) || d.Size != int64(len(b))) {
			t.Errorf("%+v", d)
		}
	})
}

func FuzzRangeFits(f *testing.F) {
	f.Add("bytes 5-9/10")
	f.Add("bytes 5-9/*")
	f.Add("bytes */10")
	f.Add("bytes 5-09/10")
	f.Fuzz(func(t *testing.T, s string) {
		if rangeFits(s, 5, 10) != (s == "bytes 5-9/10" || s == "bytes 5-9/*") {
			t.Errorf("%q", s)
		}
	})
}

func FuzzOpenArchive(f *testing.F) {
	dir := f.TempDir()
	l, err := OpenLocal(filepath.Join(dir, "layout"))
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "x.tar")
	if err := WriteArchive(f.Context(), path, l, nil, nil); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:700])
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := OpenArchive(path)
		if err != nil {
			return
		}
		for digest, e := range a.blobs {
			if e.offset+e.size > int64(len(b)) {
				t.Errorf("%s lies outside of the file", digest)
			}
		}
	})
}

// What a registry names as the next address must be its own.
func TestSameHost(t *testing.T) {
	for _, c := range []struct{ asked, location, want string }{
		{"https://h/v2/x/blobs/uploads/", "/v2/x/blobs/uploads/1?a=b", "https://h/v2/x/blobs/uploads/1?a=b"},
		{"https://h/v2/x/blobs/uploads/", "1", "https://h/v2/x/blobs/uploads/1"},
		{"https://h/v2/", "https://h:443/u", "https://h/u"},
		{"https://h:443/v2/", "https://H/u", "https://h:443/u"},
		{"http://h:5000/v2/", "http://h:5000/u", "http://h:5000/u"},
		{"http://h:5000/v2/", "http://h:5001/u", ""},
		{"http://h:5000/v2/", "http://h/u", ""},
		{"https://h/v2/", "http://h/u", ""},
		{"https://h/v2/", "https://evil/u", ""},
		{"https://h/v2/", "//evil/u", ""},
		{"https://h/v2/", "https://h@evil/u", ""},
		{"https://h/v2/", "https://u:p@h/u", ""},
		{"https://h/v2/", "https://h.evil/u", ""},
		{"https://h/v2/", "javascript:alert(1)", ""},
		{"https://h/v2/", "", ""},
		{"https://h/v2/", "http://[::1", ""},
	} {
		asked, err := url.Parse(c.asked)
		if err != nil {
			t.Fatal(err)
		}
		to, err := sameHost(asked, c.location)
		if (err == nil) != (c.want != "") || err == nil && to.String() != c.want {
			t.Errorf("%s -> %q: %v, %v", c.asked, c.location, to, err)
		}
	}
}
