package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// A push on top of an index of 300 packs, of which one changed, takes fewer than
// 40 requests, and none for what is taken over. One whose pack was deleted
// meanwhile is noticed before anything is visible, and costs what it takes to
// push that pack, counted apart.
func TestRequestsOfASmallPush(t *testing.T) {
	s := startServer(t, &registrytest.Server{})
	parent := registrytest.Index{Commit: registrytest.Commit(1), Theta: "default", Model: "the model"}
	for n := range 300 {
		parent.Packs = append(parent.Packs, fmt.Sprintf("pack %d", n))
	}
	if _, err := parent.Publish(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil))); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []bool{false, true} {
		next := parent
		next.Commit = registrytest.Commit(2 + map[bool]int{true: 1}[lost])
		next.Packs = append([]string{}, parent.Packs...)
		next.Packs[17] = "changed for " + next.Commit
		r := openRemote(t, s.Ref(repoName), impatient(nil))
		s.ResetCounts()
		a, _, err := registry.ReadArtifact(t.Context(), r, parent.Commit)
		if err != nil {
			t.Fatal(err)
		}
		r.Assume(a)
		if lost {
			s.Remove(repoName, digest.FromString(next.Packs[200]).String())
		}
		_, err = next.Publish(t.Context(), r)
		first, _, _ := s.Total()
		if !lost {
			if err != nil || first >= 40 || s.Counts()["HEAD blob"] > 4 {
				t.Errorf("%d requests: %v, %v", first, s.Counts(), err)
			}
			t.Logf("%d requests: %v", first, s.Counts())
			continue
		}
		missing := new(registry.MissingError)
		if !errors.As(err, &missing) || len(missing.Digests) != 1 {
			t.Fatalf("a pack that was deleted: %v", err)
		}
		if _, err := r.Resolve(t.Context(), next.Commit); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("it is visible: %v", err)
		}
		if first >= 40 {
			t.Errorf("%d requests: %v", first, s.Counts())
		}
		s.ResetCounts()
		if _, err := next.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		again, _, _ := s.Total()
		if again >= 12 {
			t.Errorf("%d more requests for the deleted blob: %v", again, s.Counts())
		}
		t.Logf("%d requests, and %d for the deleted blob", first, again)
		if err := next.Check(t.Context(), openRemote(t, s.Ref(repoName), impatient(nil)), next.Commit); err != nil {
			t.Error(err)
		}
	}
}
