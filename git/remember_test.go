package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestMemory has a second follower begin with what a first one remembered.
func TestMemory(t *testing.T) {
	quietEnv(t)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	for i := range 12 {
		put(t, dir, fmt.Sprintf("d%d/e/f", i), "x")
	}
	gitIn(t, dir, "add", "-A")
	put(t, dir, "d3/.gitignore", "/o*\n")
	put(t, dir, "d3/new", "x")
	put(t, dir, "d3/old", "x")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	time.Sleep(raceNanos + time.Millisecond)

	look := func(f *Follower) []string {
		t.Helper()
		changes, _, err := f.Changes(t.Context(), nil, 100)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, c := range changes {
			if c.Path[len(c.Path)-1] != 'f' { // tracked, and none of the tree
				paths = append(paths, c.Path)
			}
		}
		return paths
	}
	first := NewFollower(dir, Options{})
	want := []string{"d3/.gitignore", "d3/new"}
	if got := look(first); !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
	memory := first.Memory()
	if memory == nil || first.Memory() != nil {
		t.Fatal("what is new is given once")
	}
	next := NewFollower(dir, Options{})
	next.Remember(memory)
	if got := look(next); !slices.Equal(got, want) {
		t.Fatalf("remembered: %q", got)
	}
	if n := next.others.listed; n != 0 || next.Memory() != nil {
		t.Fatalf("%d folders were read again", n)
	}

	// One folder is written to, and one's rules change.
	put(t, dir, "empty/now", "x")
	put(t, dir, "d3/.gitignore", "new\n")
	next = NewFollower(dir, Options{})
	next.Remember(memory)
	if got, want := look(next), []string{"d3/.gitignore", "d3/old", "empty/now"}; !slices.Equal(got, want) {
		t.Fatalf("after edits: %q", got)
	}
	if n := next.others.listed; n != 3 { // empty, d3 and d3/e below its rules
		t.Errorf("%d folders were read", n)
	}

	// Another folder's memory, parts of one, and damaged ones teach nothing false.
	other := t.TempDir()
	gitIn(t, other, "init", "-q")
	for _, b := range [][]byte{memory, memory[:len(memory)-1], memory[:100], {}, append(slices.Clone(memory), 0)} {
		o := newOthers(mustLayout(t, other))
		if o.decode(b); len(o.folders) > 0 {
			t.Errorf("%d folders of another working tree", len(o.folders))
		}
	}
	for n := range len(memory) {
		o := newOthers(mustLayout(t, dir))
		if o.decode(memory[:n]); len(o.folders) > 0 {
			t.Fatalf("%d folders of %d bytes of %d", len(o.folders), n, len(memory))
		}
	}
}

// TestMemoryOfUnsureRules changes the rules of a folder whose file of rules has
// a time that proves nothing. What lies below was listed by the old ones.
func TestMemoryOfUnsureRules(t *testing.T) {
	quietEnv(t)
	for _, rules := range []string{".gitignore", "d/.gitignore"} {
		dir := t.TempDir()
		gitIn(t, dir, "init", "-q")
		for i := range 12 {
			put(t, dir, fmt.Sprintf("d/%d/new", i), "x")
		}
		put(t, dir, rules, "new\n")
		if err := os.Chtimes(filepath.Join(dir, rules), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(raceNanos + time.Millisecond)
		for _, want := range []int{1, 12} {
			if want == 12 {
				if err := os.Remove(filepath.Join(dir, rules)); err != nil {
					t.Fatal(err)
				}
			}
			f := NewFollower(dir, Options{})
			f.Remember(readMemory(t, dir))
			changes, _, err := f.Changes(t.Context(), nil, 100)
			if err != nil || len(changes) != want {
				t.Fatalf("%s: %d changes, not %d: %v", rules, len(changes), want, err)
			}
			if b := f.Memory(); b != nil {
				put(t, dir, ".git/memory", string(b))
			}
		}
	}
}

// TestMemoryOfUnsureFolder: a folder that was written to just now is read again,
// and those below are not.
func TestMemoryOfUnsureFolder(t *testing.T) {
	quietEnv(t)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	for i := range 12 {
		put(t, dir, fmt.Sprintf("d/%d/new", i), "x")
	}
	if err := os.Chtimes(filepath.Join(dir, "d"), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(raceNanos + time.Millisecond)
	var memory []byte
	for _, want := range []int{14, 1} {
		f := NewFollower(dir, Options{})
		f.Remember(memory)
		changes, _, err := f.Changes(t.Context(), nil, 100)
		if err != nil || len(changes) != 12 || f.others.listed != want {
			t.Fatalf("%d changes, %d folders read, not %d: %v", len(changes), f.others.listed, want, err)
		}
		memory = f.Memory()
	}
}

// readMemory reads what a test put there, nil where there is nothing.
func readMemory(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, ".git/memory"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b
}

func mustLayout(t testing.TB, dir string) *Layout {
	t.Helper()
	l, err := FindLayout(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
