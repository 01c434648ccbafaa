package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// childEnv makes the test program act as another process; see TestMain.
const childEnv = "PINDEX_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := childAppend(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteFile(t *testing.T) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		for _, perm := range []fs.FileMode{0o600, 0o444, 0o644, 0o666} {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			for i := range 2 { // the second time over a file that is there
				want := bytes.Repeat([]byte{byte('a' + i)}, size)
				if err := WriteBytes(path, perm, want); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, %v: read %d bytes, %v", size, perm, len(got), err)
				}
				info, err := os.Stat(path)
				if err != nil || info.Mode().Perm() != perm {
					t.Errorf("mode %v, want %v, %v", info.Mode(), perm, err)
				}
				if list := names(t, dir); len(list) != 1 {
					t.Errorf("the folder holds %q", list)
				}
			}
		}
	}
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, 0o644, []byte("old")); err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	for name, write := range map[string]func(string, fs.FileMode, func(io.Writer) error) error{"durable": WriteFile, "cache": Replace} {
		err := write(path, 0o644, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
			return mine
		})
		if err != mine {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "old" || len(names(t, dir)) != 1 {
			t.Errorf("%s: %q, %v, folder %q", name, b, err, names(t, dir))
		}
	}
	if err := WriteBytes(filepath.Join(dir, "none", "file"), 0o644, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a missing folder: %v", err)
	}
	// A folder in the way: the rename fails.
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(filepath.Join(dir, "folder"), 0o644, nil); err == nil || len(names(t, dir)) != 2 {
		t.Errorf("over a folder: %v, folder %q", err, names(t, dir))
	}
}

func TestSyncFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 40 {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(path, []byte("content"), 0o444); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if err := SyncFiles(nil); err != nil {
		t.Error(err)
	}
	if err := SyncFiles(paths); err != nil {
		t.Error(err)
	}
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
	paths[17], paths[30] = filepath.Join(dir, "first"), filepath.Join(dir, "second")
	if err := SyncFiles(paths); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "first") {
		t.Errorf("%v", err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * StaleAfter)
	for name, old := range map[string]bool{
		TempPrefix + "old": true, TempPrefix + "young": false, "old": true, ".hidden": true,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o400); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := filepath.Join(dir, TempPrefix+"folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(folder, long, long); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(dir, 0); n != 1 || err != nil || len(names(t, dir)) != 4 {
		t.Errorf("%d removed, %v, left %q", n, err, names(t, dir))
	}
	if n, err := SweepNamed(dir, "", 0); n != 2 || err != nil || len(names(t, dir)) != 2 {
		t.Errorf("%d removed, %v, left %q", n, err, names(t, dir))
	}
	if n, err := Sweep(filepath.Join(dir, "none"), 0); n != 0 || err != nil {
		t.Errorf("missing folder: %d, %v", n, err)
	}
}

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, count atomic.Int32 // the race detector does not see file locks
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			l, err := Lock(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			count.Add(1)
			inside.Add(-1)
			for range 2 {
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if count.Load() != 50 {
		t.Errorf("%d of 50 got the lock", count.Load())
	}
}

func TestLockGivesUpWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() {
		_, err := Lock(ctx, path)
		done <- err
	}()
	cancel(mine)
	if err := <-done; err != mine {
		t.Errorf("%v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	l, err = Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
	if _, err := Lock(t.Context(), filepath.Join(path, "below a file")); err == nil {
		t.Error("locked below a file")
	}
}

const appends = 20

// childAppend increases a number in a file many times, each time by reading
// and replacing the file under a lock.
func childAppend(path string) error {
	for range appends {
		l, err := Lock(context.Background(), path+".lock")
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(b))
		if err != nil {
			return err
		}
		if err := WriteBytes(path, 0o644, []byte(strconv.Itoa(n+1))); err != nil {
			return err
		}
		if err := l.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

func TestLockAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "number")
	if err := os.WriteFile(path, []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for range 4 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != strconv.Itoa(4*appends) {
		t.Errorf("%s, %v", b, err)
	}
}

// A process that dies with the lock in its hands gives it back.
func TestLockOfAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "number")
	if err := os.WriteFile(path, []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(3*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		l, err := Lock(t.Context(), path+".lock")
		if err != nil {
			t.Fatal(err)
		}
		l.Unlock()
		b, err := os.ReadFile(path)
		if _, aerr := strconv.Atoi(string(b)); err != nil || aerr != nil {
			t.Errorf("%q, %v", b, err)
		}
	}
}
