package registry_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

func TestMount(t *testing.T) {
	s := &registrytest.Server{}
	s.Start()
	t.Cleanup(s.Close)
	open := func(repository string) *registry.Remote {
		return openRemote(t, s.Ref(repository), registry.RemoteOptions{})
	}
	registrytest.RunMount(t, open, true)

	// Of the protocol's two requests of an upload, after the one that asks
	// whether the blob is there, one is left, and none has content.
	x := registrytest.Small(7)
	if _, err := x.Publish(t.Context(), open("up")); err != nil {
		t.Fatal(err)
	}
	s.ResetCounts()
	if _, err := registry.Copy(t.Context(), open("up"), open("fork"), registrytest.Commit(7), registry.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	got := s.Counts()
	// Six mounts and the OCI manifest; config and manifest are read, each by two
	// readers, and a byte that tests the first mount.
	if _, in, _ := s.Total(); got["POST upload"] != 6 || got["PUT upload"] != 0 || got["HEAD blob"] != 0 || in > 2_000 {
		t.Errorf("%v, %d bytes", got, in)
	}
	if got["GET blob"] > 7 {
		t.Errorf("%d blobs were read", got["GET blob"])
	}
}

func TestMountRefused(t *testing.T) {
	t.Run("by upload", func(t *testing.T) {
		s := &registrytest.Server{NoMount: true}
		s.Start()
		t.Cleanup(s.Close)
		registrytest.RunMount(t, func(repository string) *registry.Remote {
			return openRemote(t, s.Ref(repository), registry.RemoteOptions{Concurrency: 1})
		}, false)
		if got := s.Counts(); got["DELETE upload"] == 0 || got["DELETE upload"] > 12 {
			t.Errorf("%v", got)
		}
	})
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s := &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
				if !r.URL.Query().Has("mount") {
					return false
				}
				registrytest.Refuse(w, status, "DENIED", "no", nil)
				return true
			}}
			s.Start()
			t.Cleanup(s.Close)
			registrytest.RunMount(t, func(repository string) *registry.Remote {
				return openRemote(t, s.Ref(repository), registry.RemoteOptions{Attempts: 1})
			}, false)
		})
	}
}

// A registry that says that it mounted and has not: the manifest is refused, and
// the next attempt uploads.
func TestMountLies(t *testing.T) {
	var lies atomic.Int32
	s := &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("mount") || lies.Add(1) == 1 { // the first is tested
			return false
		}
		w.WriteHeader(http.StatusCreated)
		return true
	}}
	s.Start()
	t.Cleanup(s.Close)
	registrytest.RunMount(t, func(repository string) *registry.Remote {
		return openRemote(t, s.Ref(repository), registry.RemoteOptions{Concurrency: 1})
	}, false)
}

// A token is asked for that may read the other repository too; who may not read
// it mounts nothing.
func TestMountRights(t *testing.T) {
	s := &registrytest.Server{Bearer: true, User: "u", Password: "p"}
	s.Start()
	t.Cleanup(s.Close)
	registrytest.RunMount(t, func(repository string) *registry.Remote {
		return openRemote(t, s.Ref(repository), registry.RemoteOptions{Username: "u", Password: "p"})
	}, true)
}

func TestMountElsewhere(t *testing.T) {
	a := openRemote(t, "registry.example.com/one", registry.RemoteOptions{})
	for _, ref := range []string{"registry.example.com/one", "other.example.com/two", "http://registry.example.com/two", "registry.example.com:444/two"} {
		if a.AssumeIn(openRemote(t, ref, registry.RemoteOptions{}), &registry.Artifact{}) {
			t.Errorf("%s is in the same registry", ref)
		}
	}
	if !a.AssumeIn(openRemote(t, "https://registry.example.com/two", registry.RemoteOptions{}), &registry.Artifact{}) {
		t.Error("it is in the same registry")
	}
	if strings.Contains(a.Name(), "two") {
		t.Error(a.Name())
	}
}
