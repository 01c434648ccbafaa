package registrytest

import (
	"testing"

	"github.com/pindex-dev/pindex/registry"
)

// RunMount copies between two repositories of one registry. Whether or not it
// mounts, which mounts says, the copy is whole.
func RunMount(t *testing.T, open func(repository string) *registry.Remote, mounts bool) {
	t.Helper()
	for n := range 3 {
		if _, err := Small(n).Publish(t.Context(), open("upstream/pindex")); err != nil {
			t.Fatal(err)
		}
	}
	to, total := open("fork/pindex"), 0
	for n := range 3 {
		out, err := registry.Copy(t.Context(), open("upstream/pindex"), to, Commit(n), registry.CopyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		total += out.Mounted
		// Manifest and config, three packs and the model, of which two are the
		// first one's.
		if blobs := []int{6, 4, 4}[n]; mounts && (out.Mounted != blobs || out.Bytes != 0) || !mounts && out.Mounted+out.Blobs < blobs-2 {
			t.Errorf("index %d: %d blobs mounted, %d moved with %d bytes", n, out.Mounted, out.Blobs, out.Bytes)
		}
		if err := Small(n).Check(t.Context(), open("fork/pindex"), Commit(n)); err != nil {
			t.Error(err)
		}
	}
	if mounts != (total == 14) {
		t.Errorf("%d blobs mounted", total)
	}
	if n, bytes := to.Mounted(); n < total || (bytes == 0) != (n == 0) {
		t.Errorf("%d blobs with %d bytes were counted as mounted, %d were", n, bytes, total)
	}
}
