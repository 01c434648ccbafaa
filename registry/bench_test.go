package registry_test

import (
	"testing"

	"oras.land/oras-go/v2/content/oci"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// commits is how many indexes a well-used store holds.
const commits = 500

func wellUsed(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	l := openLocal(b, dir)
	for n := range commits {
		publishLocal(b, l, registrytest.Small(n))
	}
	return dir
}

// BenchmarkResolve is the way from a commit to its OCI manifest and config in
// a fresh process.
func BenchmarkResolve(b *testing.B) {
	dir := wellUsed(b)
	for b.Loop() {
		if _, _, err := registry.ReadArtifact(b.Context(), openLocal(b, dir), registrytest.Commit(commits/2)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOrasStore is why index.json is handled here: what the library's own
// store costs before it can resolve anything.
func BenchmarkOrasStore(b *testing.B) {
	dir := wellUsed(b)
	for b.Loop() {
		s, err := oci.New(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Resolve(b.Context(), registrytest.Commit(commits/2)); err != nil {
			b.Fatal(err)
		}
	}
}
