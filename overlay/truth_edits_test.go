package overlay_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// edited is a working tree that is edited.
type edited struct {
	t    *testing.T
	r    *rand.Rand
	dir  string
	repo git.Repository
	head gitobj.ID
}

func newEdited(t *testing.T, r *rand.Rand) *edited {
	w := &edited{t: t, r: r, dir: filepath.Join(t.TempDir(), "repo")}
	for k, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": t.TempDir()} {
		t.Setenv(k, v)
	}
	if *truthRepo != "" {
		w.dir = filepath.Join(filepath.Dir(w.dir), "clone")
		w.run(filepath.Dir(w.dir), "clone", "--quiet", *truthRepo, w.dir)
	} else {
		if err := os.Mkdir(w.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		w.git("init", "--quiet", "--initial-branch=main")
		for i := range 60 {
			ext := []string{".py", ".go", ".md", ".yaml", ".js"}[i%5]
			w.write(fmt.Sprintf("d%d/sub%d/f%02d%s", i%4, i%3, i, ext), made(ext, i))
		}
		w.write(".gitignore", "*.log\nignored/\n")
		w.git("add", "-A")
		w.git("commit", "--quiet", "-m", "one")
	}
	repo, err := git.Open(t.Context(), w.dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	w.repo = repo
	if w.head, err = repo.Resolve(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	return w
}

// made is a small file in some language.
func made(ext string, i int) string {
	switch ext {
	case ".py":
		return fmt.Sprintf("from d%d.sub%d import helper%d\n\n\nclass Thing%d:\n    \"\"\"Holds the number %d.\"\"\"\n\n    def method%d(self, x):\n        return helper%d(x) + shared(x)\n", i%4, i%3, i+1, i, i, i, i+1)
	case ".go":
		return fmt.Sprintf("package sub%d\n\n// Func%d doubles.\nfunc Func%d(x int) int { return shared(x) * 2 }\n\ntype Type%d struct{ Field%d int }\n\nfunc (t *Type%d) Get() int { return t.Field%d }\n", i%3, i, i, i, i, i, i)
	case ".md":
		return fmt.Sprintf("# Title %d\n\nSome prose about method%d and shared things.\n\n## Part\n\nMore.\n", i, i-2)
	case ".yaml":
		return fmt.Sprintf("key%d:\n  a: 1\n  b: shared\n  c: 3\nother: %d\n", i, i)
	}
	return fmt.Sprintf("import { a%d } from './x';\n\nexport function fn%d(x) {\n  return shared(a%d(x));\n}\n", i, i, i)
}

func (w *edited) run(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false", "-c", "gc.auto=0"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+os.Getenv("TRUTH_INDEX"), "LC_ALL=C")
	if os.Getenv("TRUTH_INDEX") == "" {
		cmd.Env = append(os.Environ(), "LC_ALL=C")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func (w *edited) git(args ...string) string { w.t.Helper(); return w.run(w.dir, args...) }

// commitEdits makes a commit of the working tree as it is, without git's index
// or HEAD knowing of it.
func (w *edited) commitEdits() gitobj.ID {
	w.t.Helper()
	index := filepath.Join(w.t.TempDir(), "index")
	if b, err := os.ReadFile(filepath.Join(w.dir, ".git", "index")); err == nil {
		if err := os.WriteFile(index, b, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	_ = os.Setenv("TRUTH_INDEX", index)
	defer os.Unsetenv("TRUTH_INDEX")
	w.git("add", "-A")
	id, err := gitobj.ParseID(w.git("commit-tree", "-m", "edited", "-p", w.head.String(), w.git("write-tree")))
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *edited) compile(ctx context.Context, id gitobj.ID) *artifact.Index {
	w.t.Helper()
	repo, err := git.Open(ctx, w.dir, git.Options{}) // a new one knows the new objects
	if err != nil {
		w.t.Fatal(err)
	}
	defer repo.Close()
	var sink compile.Memory
	if _, err := compile.Run(ctx, compile.Options{Repo: repo, Rev: id.String(), Sink: &sink, InProcess: true, Workers: 1}); err != nil {
		w.t.Fatal(err)
	}
	ix, err := sink.Open()
	if err != nil {
		w.t.Fatal(err)
	}
	return ix
}

func (w *edited) tree(ctx context.Context, id gitobj.ID) []git.Entry {
	w.t.Helper()
	tree, err := w.repo.Tree(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return tree
}

func (w *edited) write(path, content string) {
	w.t.Helper()
	full := filepath.Join(w.dir, filepath.FromSlash(path))
	// Something may stand in the way, which is as good an edit.
	for dir := filepath.Dir(full); len(dir) > len(w.dir); dir = filepath.Dir(dir) {
		if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
			_ = os.Remove(dir)
		}
	}
	_ = os.MkdirAll(filepath.Dir(full), 0o755)
	if fi, err := os.Lstat(full); err == nil && fi.IsDir() {
		_ = os.RemoveAll(full)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// files lists the working tree, sorted.
func (w *edited) files() []string {
	var out []string
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(w.dir, path)
		out = append(out, filepath.ToSlash(rel))
		return nil
	})
	return out
}

func (w *edited) pick() string {
	files := slices.DeleteFunc(w.files(), func(path string) bool { return path == ".pindex.yaml" }) // a broken one is an error
	return files[w.r.IntN(len(files))]
}

func (w *edited) content(path string) string {
	b, err := os.ReadFile(filepath.Join(w.dir, path))
	if err != nil {
		return "nothing\n"
	}
	return string(b)
}

// edit makes one random edit and says which.
func (w *edited) edit() string {
	path := w.pick()
	full := filepath.Join(w.dir, path)
	lines := strings.SplitAfter(w.content(path), "\n")
	at := w.r.IntN(len(lines))
	from := strings.SplitAfter(w.content(w.pick()), "\n")
	some := strings.Join(from[w.r.IntN(len(from)):], "")
	some = some[:min(len(some), 2000)]
	name := fmt.Sprintf("%s/n%d%s", filepath.ToSlash(filepath.Dir(path)), w.r.IntN(1000), filepath.Ext(path))
	switch w.r.IntN(20) {
	case 0, 1:
		_ = os.Remove(full)
		return "delete " + path
	case 2, 3, 4:
		w.write(name, some)
		return "add " + name
	case 5:
		w.write(name, "")
		_ = os.Rename(full, filepath.Join(w.dir, filepath.FromSlash(name)))
		return "rename " + path + " to " + name
	case 6:
		_ = os.Chmod(full, 0o755)
		return "make executable " + path
	case 7:
		_ = os.Remove(full)
		_ = os.Symlink(filepath.Base(w.pick()), full)
		return "link " + path
	case 8:
		_ = os.Remove(full)
		w.write(path+"/inner.py", "def inner_in_folder():\n    return 1\n")
		return "file to folder " + path
	case 9:
		odd := []string{
			"", "\n\n\n", "\x00\x01binary", "no end of line", "\r\nwindows lines\r\nshared\r\n", "\xef\xbb\xbfwith a mark\nshared\n", "latin \xe9t\xe9 shared\n",
			strings.Repeat("word ", 30000) + "verylong\n", strings.Repeat("line of many\n", 500), "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
			wide("def wide_text():\n    return shared\n"), "日本語のテキスト shared\n",
		}
		w.write(path, odd[w.r.IntN(len(odd))])
		return "odd content in " + path
	case 10:
		secret := []string{".env", "id_rsa", "deploy/x.p12"}[w.r.IntN(3)]
		w.write(secret, "PASSWORD=shared hunter2\n")
		return "secret " + secret
	case 11:
		w.write(".gitignore", []string{"*.log\n", "*.py\n", "n1*\n/build\n", "*.md\n!README.md\n"}[w.r.IntN(4)])
		return "other rules in .gitignore"
	case 12:
		if strings.Contains(path, "/") {
			_ = os.RemoveAll(filepath.Dir(full))
		}
		w.write("kept/k.txt", "kept\n")
		return "delete the folder of " + path
	case 13:
		w.git("add", "-A")
		return "git add"
	case 14:
		w.git("checkout", "-q", "-f", "HEAD", "--", ".")
		return "git checkout ."
	case 15:
		if w.r.IntN(2) == 0 {
			w.write(".pindex.yaml", []string{"exclude:\n  - d1/**\n", "include: [d0, d2, \"*.md\", src, docs]\n", "exclude:\n- '*.txt'\n# so\n- \"tests\"\n", "limits:\n  index: 1KiB\n"}[w.r.IntN(4)])
			return "settings"
		}
		_ = os.Remove(filepath.Join(w.dir, ".pindex.yaml"))
		return "no settings"
	}
	w.write(path, strings.Join(slices.Concat(lines[:at], []string{some}, lines[min(len(lines), at+w.r.IntN(3)):]), ""))
	return "edit " + path
}
