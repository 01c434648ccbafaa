package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// othersByGit asks the git program.
func othersByGit(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.Command("git", "-C", dir, "ls-files", "-z", "--others", "--exclude-standard")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var paths []string
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" && !strings.HasSuffix(p, "/") { // a repository inside
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func put(t *testing.T, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, path)
	_ = os.MkdirAll(filepath.Dir(full), 0o755)
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		if fi, err1 := os.Stat(filepath.Dir(full)); err1 == nil && fi.IsDir() && !strings.Contains(err.Error(), "is a directory") {
			t.Fatal(err)
		}
	}
}

func quietEnv(t *testing.T) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

// TestUntrackedAsGit makes working trees and rules at random, edits them, and
// has the same walker look again and again, and beside it one after another
// that begins with what the one before remembered.
func TestUntrackedAsGit(t *testing.T) {
	quietEnv(t)
	names := []string{"a", "b.o", "c.txt", "build", "Main", "x y", "[k]", "d", "foo", "bar", ".h"}
	rules := []string{
		"*.o", "build/", "/a", "!c.txt", "d/**", "**/foo", "a/**/bar", "*", "!*/", "foo/bar", "x\\ y", "x y  ", "\\[k\\]", "[a-c]*",
		"[!a]", "b.?", "#c", "\\#", "!", "/", "**", "d/*", "!d/foo", "a/", "**/d/", "[[:upper:]]*", "f*o", "*a*a*", ".h", "!.h", "/*", "foo/", "c.txt/", "[", "[]a]", "ba[r", "x\ty",
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		gitIn(t, dir, "init", "-q")
		if seed%5 == 0 {
			gitIn(t, dir, "config", "core.ignorecase", "true")
		}
		pick := func() string {
			parts := []string{}
			for range 1 + r.IntN(4) {
				parts = append(parts, names[r.IntN(len(names))])
			}
			return strings.Join(parts, "/")
		}
		ruleFile := func() string {
			var b strings.Builder
			for range r.IntN(4) {
				b.WriteString(rules[r.IntN(len(rules))] + "\n")
			}
			return b.String()
		}
		for range 25 {
			put(t, dir, pick(), "x")
		}
		if r.IntN(2) == 0 {
			gitIn(t, dir, "add", "-f", "-A")
		}
		l, err := FindLayout(dir)
		if err != nil {
			t.Fatal(err)
		}
		o := newOthers(l)
		memory := o.encode()
		for round := range 8 {
			for range 1 + r.IntN(3) {
				switch r.IntN(9) {
				case 0:
					put(t, dir, ".gitignore", ruleFile())
				case 1:
					put(t, dir, filepath.Dir(pick())+"/.gitignore", ruleFile())
				case 2:
					put(t, dir, ".git/info/exclude", ruleFile())
				case 3:
					_ = os.RemoveAll(filepath.Join(dir, pick()))
				case 4:
					_ = os.Remove(filepath.Join(dir, ".gitignore"))
				case 5:
					put(t, os.Getenv("XDG_CONFIG_HOME"), "git/ignore", ruleFile())
				case 6:
					_ = os.Symlink("a", filepath.Join(dir, pick()))
				default:
					put(t, dir, pick(), "x")
				}
			}
			if round == 5 {
				gitIn(t, dir, "add", "-A")
			}
			if r.IntN(2) == 0 {
				time.Sleep(raceNanos + time.Millisecond) // for folders to be remembered
			}
			want := othersByGit(t, dir)
			next := newOthers(l)
			next.decode(memory)
			for i, o := range []*others{o, next} {
				got, err := o.list(context.Background(), nil)
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d round %d walker %d:\ngot  %q\ngit  %q\n%s", seed, round, i, got, want, allRules(dir))
				}
			}
			memory = next.encode()
		}
	}
}

// allRules lists what the files of rules say.
func allRules(dir string) string {
	var b strings.Builder
	files := []string{filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git/ignore"), filepath.Join(dir, ".git/info/exclude")}
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		if filepath.Base(path) == ".gitignore" {
			files = append(files, path)
		}
		return nil
	})
	for _, f := range files {
		text, err := os.ReadFile(f)
		fmt.Fprintf(&b, "%s: %q %v\n", strings.TrimPrefix(f, dir), text, err)
	}
	return b.String()
}

func TestUntrackedOddPlaces(t *testing.T) {
	quietEnv(t)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	put(t, dir, "inner/file", "x")
	gitIn(t, filepath.Join(dir, "inner"), "init", "-q")
	gitIn(t, filepath.Join(dir, "inner"), "add", "-A")
	gitIn(t, filepath.Join(dir, "inner"), "commit", "-qm", "x")
	put(t, dir, "rules", "secret\n")
	if err := os.Symlink("rules", filepath.Join(dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "secret", "x")
	put(t, dir, "sub/a", "x")
	if err := os.Symlink("sub", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := Untracked(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := othersByGit(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %q, git has %q", got, want)
	}
	// A configuration that includes others is git's business.
	gitIn(t, dir, "config", "include.path", "more")
	put(t, dir, ".git/more", "[core]\n\texcludesFile = "+filepath.Join(dir, "rules")+"\n")
	if got, err = Untracked(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(got, "secret") {
		t.Errorf("an included configuration was not followed: %q", got)
	}
	if _, err := Untracked(t.Context(), dir, Options{Backend: Embedded}); err == nil {
		t.Error("the embedded reader answers for a configuration that it does not read")
	}
}

func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"*.o\n!a.o\n/b/**/c\n", "[a-z]*/\n", "a\\ \n[[:alpha:]]x\n", "**/**/*a*b*\n"} {
		f.Add(s, "a/b/c.o")
	}
	f.Fuzz(func(t *testing.T, rules, path string) {
		list := parseIgnore([]byte(rules), false)
		a, ok := ignores(list, path, true)
		if b, again := ignores(parseIgnore([]byte(rules), false), path, true); a != b || ok != again {
			t.Fatal(fmt.Sprint("two answers for ", path))
		}
	})
}
