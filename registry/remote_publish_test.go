package registry_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// Whatever HEAD says, what is published is whole.
func TestRemoteWrongHead(t *testing.T) {
	for name, head := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"always there": func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(200)
			return true
		},
		"never there":    func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(404); return true },
		"forbidden verb": func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(405); return true },
		"wrong length": func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Length", "3")
			w.WriteHeader(200)
			return true
		},
		"the right length of nothing": func(w http.ResponseWriter, r *http.Request) bool {
			for _, content := range append(registrytest.Small(2).Packs, registrytest.Small(2).Model, string(registrytest.Small(2).Manifest())) {
				if strings.HasSuffix(r.URL.Path, digest.FromString(content).String()) {
					w.Header().Set("Content-Length", strconv.Itoa(len(content)))
				}
			}
			w.WriteHeader(200)
			return true
		},
	} {
		for _, careless := range []bool{true, false} {
			s := startServer(t, &registrytest.Server{Careless: careless, Hook: func(w http.ResponseWriter, r *http.Request) bool {
				return r.Method == http.MethodHead && head(w, r)
			}})
			r := openRemote(t, s.Ref(repoName), impatient(nil))
			x := registrytest.Small(2)
			for range 2 {
				if _, err := x.Publish(t.Context(), r); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if err := x.Check(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil)), x.Commit); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// The process that publishes dies, or loses its registry, at every request in
// turn: no tag leads to anything that is not whole, and the next run mends it.
func TestRemotePublishBreaksOffAnywhere(t *testing.T) {
	for at := int64(1); ; at++ {
		var n atomic.Int64
		var off atomic.Bool
		s := startServer(t, &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
			if off.Load() || n.Add(1) < at {
				return false
			}
			hangUp(w)
			return true
		}})
		o := impatient(nil)
		o.Attempts = 2
		publish := func() error {
			p, err := registrytest.Small(1).Push(t.Context(), openRemote(t, s.Ref(repoName), o))
			if err != nil {
				return err
			}
			p.Report = []byte("{}")
			_, err = openRemote(t, s.Ref(repoName), o).Publish(t.Context(), p)
			return err
		}
		err := publish()
		done := err == nil
		if !done && fail.CodeOf(err) != fail.Network {
			t.Errorf("request %d: %v", at, err)
		}
		off.Store(true)
		r := openRemote(t, s.Ref(repoName), o)
		if err := registrytest.CheckWhole(t.Context(), r); err != nil {
			t.Errorf("request %d: %v", at, err)
		}
		if err := publish(); err != nil {
			t.Errorf("after request %d: %v", at, err)
		}
		if err := registrytest.Small(1).Check(t.Context(), r, registrytest.Commit(1)); err != nil {
			t.Errorf("after request %d: %v", at, err)
		}
		if list, err := r.List(t.Context()); err != nil || len(list) != 2 {
			t.Errorf("after request %d: %d tags, %v", at, len(list), err)
		}
		if done {
			t.Logf("publishing takes %d requests", at-1)
			return
		}
		if at > 200 {
			t.Fatal("publishing does not end")
		}
	}
}

// What a parent is known to hold costs no request, and a registry that lost
// some of it says so, once.
func TestRemoteAssume(t *testing.T) {
	s, x := hooked(t, func(http.ResponseWriter, *http.Request) bool { return false })
	r := openRemote(t, s.Ref(repoName), impatient(nil))
	a, _, err := registry.ReadArtifact(t.Context(), r, x.Commit)
	if err != nil {
		t.Fatal(err)
	}
	r.Assume(a)
	s.ResetCounts()
	y := registrytest.Small(2)
	p, err := y.Push(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Counts(); c["HEAD blob"] != 2 || c["POST upload"] != 2 || c["PUT upload"] != 2 || len(c) != 3 {
		t.Errorf("pushing two new packs of three and a known model: %v", c)
	}
	lost := digest.FromString(y.Packs[0]).String()
	s.Remove(repoName, lost)
	_, err = r.Publish(t.Context(), p)
	var missing *registry.MissingError
	if !errors.As(err, &missing) || len(missing.Digests) != 1 || missing.Digests[0] != lost || fail.CodeOf(err) != fail.Network {
		t.Fatalf("a lost blob: %v", err)
	}
	if _, err := y.Publish(t.Context(), r); err != nil {
		t.Error(err)
	}
	if err := y.Check(t.Context(), r, y.Commit); err != nil {
		t.Error(err)
	}
}

func TestRemoteUploads(t *testing.T) {
	for name, c := range map[string]struct {
		hook func(n int64, w http.ResponseWriter, r *http.Request) bool
		code fail.Code
	}{
		"session lost": {func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if n != 2 {
				return false
			}
			registrytest.Refuse(w, 404, "BLOB_UPLOAD_UNKNOWN", "lost", nil)
			return true
		}, fail.OK},
		"too large": {func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			w.WriteHeader(413)
			return true
		}, fail.Network},
		"another host": {func(n int64, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", "http://example.invalid/steal")
			w.WriteHeader(202)
			return true
		}, fail.Network},
		"no location":  {func(n int64, w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(202); return true }, fail.Network},
		"never stored": {func(n int64, w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(500); return true }, fail.Network},
	} {
		var n atomic.Int64
		s := startServer(t, &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
			return strings.Contains(r.URL.Path, "/uploads/") && c.hook(n.Add(1), w, r)
		}})
		_, err := registrytest.Small(1).Publish(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil)))
		if fail.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}
