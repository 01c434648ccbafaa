package registry_test

import (
	"bufio"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var (
	kills = flag.Int("kills", 20, "how many publishing processes are killed")
	seed  = flag.Uint64("seed", 1, "of the moments at which they are killed")
)

// Several processes publish at once, some the same commits: nothing is lost.
func TestProcessesShareALayout(t *testing.T) {
	dir := t.TempDir()
	ranges := [][2]int{{0, 12}, {0, 12}, {6, 18}, {20, 30}}
	var cmds []*exec.Cmd
	for _, r := range ranges {
		cmd := child(t, "publish", dir, strconv.Itoa(r[0]), strconv.Itoa(r[1]))
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
	l := openLocal(t, dir)
	for _, r := range ranges {
		for n := r[0]; n < r[1]; n++ {
			if err := registrytest.Small(n).Check(t.Context(), l, registrytest.Commit(n)); err != nil {
				t.Error(err)
			}
		}
	}
	if list, err := l.List(t.Context()); err != nil || len(list) != 28 {
		t.Errorf("%d tags, %v", len(list), err)
	}
}

// A publisher killed at any moment leaves a layout in which every tag leads
// to whole blobs, every publication that was acknowledged is there, and the
// next publisher goes on.
func TestKilledPublishers(t *testing.T) {
	const commits = 40
	rng := rand.New(rand.NewPCG(*seed, 0))
	dir := t.TempDir()
	acknowledged := make(map[int]bool)
	whole := func(l *registry.Local) {
		t.Helper()
		if err := registrytest.CheckWhole(t.Context(), l); err != nil {
			t.Fatalf("seed %d: %v", *seed, err)
		}
		for n := range acknowledged {
			if err := registrytest.Small(n).Check(t.Context(), l, registrytest.Commit(n)); err != nil {
				t.Fatalf("seed %d: acknowledged and lost: %v", *seed, err)
			}
		}
	}
	for range *kills {
		// Usually further commits, sometimes ones that are there.
		lo := rng.IntN(commits)
		cmd := child(t, "publish", dir, strconv.Itoa(lo), strconv.Itoa(lo+commits))
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rng.IntN(60_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				acknowledged[n] = true
			}
		}
		io.Copy(io.Discard, stdout)
		cmd.Wait() // killed, or done before that
		timer.Stop()
		whole(openLocal(t, dir))
	}
	cmd := child(t, "publish", dir, "0", strconv.Itoa(commits))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for n := range commits {
		acknowledged[n] = true
	}
	l := openLocal(t, dir)
	whole(l)
	// The remains cost room until they are pruned, and nothing else.
	if _, err := l.Prune(t.Context(), nil, 0); err != nil {
		t.Fatal(err)
	}
	whole(l)
	t.Logf("%d publications acknowledged under %d kills", len(acknowledged), *kills)
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
}
