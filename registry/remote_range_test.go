package registry_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// Parts of a blob, from a registry that gives them and from ones that do not.
func TestFetchRange(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	serve := func(status int, contentRange string, body []byte) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !isBlob(r) || r.Header.Get("Range") == "" {
				return false
			}
			if contentRange != "" {
				w.Header().Set("Content-Range", contentRange)
			}
			w.WriteHeader(status)
			w.Write(body)
			return true
		}
	}
	for _, test := range []struct {
		name  string
		hook  func(w http.ResponseWriter, r *http.Request) bool
		whole bool
		code  fail.Code // of the error, 0 for none
	}{
		{"as it should", nil, false, 0},
		{"the whole blob", serve(200, "", content), true, 0},
		{"another range", serve(206, "bytes 0-99/10000", content[:100]), true, 0},
		{"of another blob", serve(206, "bytes 5000-5099/20000", content[5000:5100]), true, 0},
		{"a size that is unknown", serve(206, "bytes 5000-5099/*", content[5000:5100]), false, 0},
		{"nonsense", serve(206, "elephants", content[:100]), true, 0},
		{"too few bytes", serve(206, "bytes 5000-5099/10000", content[5000:5050]), true, 0},
		{"too many bytes", serve(206, "bytes 5000-5099/10000", content[5000:]), true, 0},
		{"no such range", serve(416, "bytes */10000", nil), true, 0},
		{"gone", serve(404, "", nil), false, fail.Network},
		{"forbidden", serve(403, "", nil), false, fail.Network},
		{"broken off", func(w http.ResponseWriter, r *http.Request) bool {
			if !isBlob(r) || r.Header.Get("Range") == "" {
				return false
			}
			w.Header().Set("Content-Range", "bytes 5000-5099/10000")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(206)
			w.Write(content[:50])
			panic(http.ErrAbortHandler)
		}, false, fail.Network},
	} {
		s := startServer(t, &registrytest.Server{Hook: test.hook})
		r := openRemote(t, s.Ref(repoName), impatient(nil))
		desc, err := r.Push(t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: content})
		if err != nil {
			t.Fatal(err)
		}
		b, whole, err := r.FetchRange(t.Context(), desc, 5000, 100)
		switch {
		case test.code != 0:
			if err == nil || fail.CodeOf(err) != test.code && test.name != "gone" {
				t.Errorf("%s: %v", test.name, err)
			}
		case err != nil || whole != test.whole || !whole && !bytes.Equal(b, content[5000:5100]) || whole && !bytes.Equal(b, content):
			t.Errorf("%s: %d bytes, %t, %v", test.name, len(b), whole, err)
		}
		if test.whole {
			s.ResetCounts()
			if _, whole, err := r.FetchRange(t.Context(), desc, 0, 10); !whole || err != nil || s.Counts()["GET blob"] != 1 {
				t.Errorf("%s: it was asked for a part again: %t, %v, %v", test.name, whole, err, s.Counts())
			}
		}
		for _, bad := range [][2]int64{{-1, 10}, {0, 0}, {0, -1}, {0, 10001}, {9999, 2}, {1 << 62, 1 << 62}} {
			if _, _, err := r.FetchRange(t.Context(), desc, bad[0], bad[1]); err == nil {
				t.Errorf("%s: %v was answered", test.name, bad)
			}
		}
		if b, whole, err := r.FetchRange(t.Context(), desc, 0, desc.Size); !whole || err != nil || !bytes.Equal(b, content) {
			t.Errorf("%s: all of it: %t, %v", test.name, whole, err)
		}
		if _, _, err := r.FetchRange(t.Context(), ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: desc.Digest, Size: desc.Size}, 0, 1); err == nil {
			t.Errorf("%s: a part of a manifest came", test.name)
		}
	}
}

// A mirror that has no parts costs a whole blob and does not spoil the origin.
func TestFetchRangeByMirror(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	s := startServer(t, &registrytest.Server{})
	mirror := startServer(t, &registrytest.Server{})
	desc, err := openRemote(t, s.Ref(repoName), impatient(nil)).Push(t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: content})
	if err != nil {
		t.Fatal(err)
	}
	o := impatient(nil)
	o.Mirrors = []string{strings.TrimSuffix(mirror.Ref(""), "/")}
	r := openRemote(t, s.Ref(repoName), o)
	b, whole, err := r.FetchRange(t.Context(), desc, 10, 10)
	if err != nil || whole || string(b) != "0123456789" || mirror.Counts()["GET blob"] != 1 {
		t.Errorf("%q, %t, %v; the mirror was asked %s", b, whole, err, fmt.Sprint(mirror.Counts()))
	}
}
