package fetch

import (
	"os"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
)

// TestModelThatWasNotUsedLately maps a model whose last use is to be stamped
// again, which asks the cache whether it can be written to.
func TestModelThatWasNotUsedLately(t *testing.T) {
	b := []byte("a model")
	d := artifact.DigestOf(b)
	c := OpenCache(t.TempDir())
	if !c.putBlob(models, d, b) {
		t.Fatal("the model is not kept")
	}
	c.boot = time.Time{} // whenever this machine was started
	then := time.Now().Add(-2 * usedEvery)
	if err := os.Chtimes(c.path(models, d), then, then); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte, 2)
	for range 2 {
		go func() { got <- c.model(d, int64(len(b))) }()
	}
	for range 2 {
		select {
		case m := <-got:
			if string(m) != string(b) {
				t.Fatalf("the model is %q", m)
			}
		case <-time.After(time.Minute):
			t.Fatal("the cache waits for itself")
		}
	}
	if info, err := os.Stat(c.path(models, d)); err != nil || time.Since(info.ModTime()) > usedEvery {
		t.Errorf("its use was not stamped: %v, %v", info, err)
	}
}
