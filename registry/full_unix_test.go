//go:build unix

package registry_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

func init() { roles["full"], roles["denied"] = childFull, childDenied }

// A full disk, as a limit on the size of files that the kernel enforces in a
// child process: writes stop in the middle, at every place in turn.
func TestFullDisk(t *testing.T) {
	if out, err := child(t, "full", t.TempDir()).Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func childFull(dir string, _ []string) int {
	// Without this the kernel's signal would end the process; a full disk
	// sends none.
	signal.Ignore(unix.SIGXFSZ)
	ctx := context.Background()
	l, err := registry.OpenLocal(dir)
	if err != nil {
		return complain(err)
	}
	setLimit := func(n uint64) {
		var r unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &r); err != nil {
			complain(err)
			os.Exit(1)
		}
		r.Cur = min(n, r.Max)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &r); err != nil {
			complain(err)
			os.Exit(1)
		}
	}
	failures, published := 0, 0
	for n, limit := range []uint64{1, 5, 20, 100, 300, 500, 800, 1100, 1200, 1300, 2000, 4000, 7000, 7600, 8000, 9000, 20000} {
		setLimit(limit)
		_, err := registrytest.Small(n).Publish(ctx, l)
		setLimit(1 << 62)
		if err == nil {
			published++
		} else {
			failures++
			var known *fail.Error
			if !errors.As(err, &known) || known.Code != fail.Network || !errors.Is(err, unix.EFBIG) ||
				!strings.Contains(known.What, dir) || !strings.Contains(known.Remedy, "PINDEX_CACHE_DIR") {
				return complain(fmt.Errorf("limit %d: %w", limit, err))
			}
		}
		// Nothing is lost, and with room again the same publication works.
		if err := registrytest.CheckWhole(ctx, l); err != nil {
			return complain(fmt.Errorf("limit %d: %w", limit, err))
		}
		if _, err := registrytest.Small(n).Publish(ctx, l); err != nil {
			return complain(fmt.Errorf("with room again, limit was %d: %w", limit, err))
		}
		for i := range n + 1 {
			if err := registrytest.Small(i).Check(ctx, l, registrytest.Commit(i)); err != nil {
				return complain(fmt.Errorf("limit %d: %w", limit, err))
			}
		}
	}
	if failures < 10 || published < 1 {
		return complain(fmt.Errorf("%d failures and %d publications: the limits miss their mark", failures, published))
	}
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// A new store is private; one in a folder that was there has that folder's
// mode.
func TestNewStoreIsPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/there", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"new/store": 0o700, "there": 0o755} {
		publishLocal(t, openLocal(t, dir+"/"+name), registrytest.Small(1))
		if info, err := os.Stat(dir + "/" + name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A store that this user may not write to says so and can still be read.
func TestDeniedStore(t *testing.T) {
	dir := t.TempDir()
	publishLocal(t, openLocal(t, dir), registrytest.Small(1))
	var dirs []string
	for _, d := range []string{dir, dir + "/blobs", dir + "/blobs/sha256"} {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, d)
	}
	t.Cleanup(func() {
		for _, d := range dirs {
			os.Chmod(d, 0o755)
		}
	})
	// The path must be open to the user that the child becomes.
	for d := dir; d != os.TempDir() && len(d) > 1; d = d[:strings.LastIndexByte(d, '/')] {
		if info, err := os.Stat(d); err == nil && info.Mode().Perm()&0o005 != 0o005 {
			if err := os.Chmod(d, info.Mode().Perm()|0o055); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := child(t, "denied", dir).Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func childDenied(dir string, _ []string) int {
	if os.Geteuid() == 0 {
		// The administrator may write anywhere; nobody may not.
		if err := syscall.Setreuid(65534, 65534); err != nil {
			return complain(err)
		}
	}
	ctx := context.Background()
	l, err := registry.OpenLocal(dir)
	if err != nil {
		return complain(err)
	}
	if err := registrytest.Small(1).Check(ctx, l, registrytest.Commit(1)); err != nil {
		return complain(fmt.Errorf("reading: %w", err))
	}
	for name, err := range map[string]error{
		"publish": func() error { _, err := registrytest.Small(2).Publish(ctx, l); return err }(),
		"untag":   l.Untag(ctx, registrytest.Commit(1)),
		"prune":   func() error { _, err := l.Prune(ctx, func(registry.Tagged) bool { return false }, 0); return err }(),
	} {
		var known *fail.Error
		if !errors.As(err, &known) || known.Code != fail.Network || !errors.Is(err, os.ErrPermission) ||
			!strings.Contains(known.What, dir) || !strings.Contains(known.Remedy, "--store") {
			return complain(fmt.Errorf("%s: %w", name, err))
		}
	}
	return 0
}
