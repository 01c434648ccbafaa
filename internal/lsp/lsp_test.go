package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/internal/lsp"
	"github.com/pindex-dev/pindex/internal/lsp/lsptest"
)

// The test program is the language server when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve" {
		if err := lsptest.Serve(os.Stdin, os.Stdout, lsptest.Mode(os.Args[2])); err != nil {
			fmt.Fprintln(os.Stderr, "fake server:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func fake(t *testing.T, mode lsptest.Mode) lsp.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return lsp.Server{Name: "fake", Argv: []string{exe, "serve", string(mode)}}
}

func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":      "package a\n\nfunc Hello() {}\n\n/* é😀 */ func Wide() { Hello() }\n",
		"sub/b.go":  "package sub\n\nvar x = Hello\nvar y = Wide\n",
		"bad.go":    "package \xff\n",
		"with x.go": "package a // Hello\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func start(t *testing.T, mode lsptest.Mode) *lsp.Client {
	t.Helper()
	c, err := lsp.Start(t.Context(), fake(t, mode), tree(t), lsp.OwnEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestServerAnswers(t *testing.T) {
	c := start(t, lsptest.Good)
	for _, q := range []struct {
		ask  func(context.Context, lsp.Place) (lsp.Answer, error)
		at   lsp.Place
		want []lsp.Place
	}{
		{c.Definition, lsp.Place{"sub/b.go", 3, 9}, []lsp.Place{{"a.go", 3, 6}}},
		// The name stands after signs of two and of four bytes: the protocol
		// counts them as one and two.
		{c.Definition, lsp.Place{"a.go", 5, strings.Index("/* é😀 */ func Wide", "Wide") + 1},
			[]lsp.Place{{"a.go", 5, strings.Index("/* é😀 */ func Wide", "Wide") + 1}}},
		{c.References, lsp.Place{"a.go", 3, 6}, []lsp.Place{{"a.go", 5, 28}, {"sub/b.go", 3, 9}, {"with x.go", 1, 14}}},
		{c.Definition, lsp.Place{"a.go", 2, 1}, nil},
	} {
		got, err := q.ask(t.Context(), q.at)
		if err != nil || !reflect.DeepEqual(got.Places, q.want) || got.Outside != 0 {
			t.Errorf("%v: %v, %v, want %v", q.at, got, err, q.want)
		}
	}
	if _, err := c.Definition(t.Context(), lsp.Place{Path: "bad.go", Line: 1, Col: 1}); err == nil {
		t.Error("a file that is no UTF-8 was handed over")
	}
	if _, err := c.Definition(t.Context(), lsp.Place{Path: "none.go", Line: 1, Col: 1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestTargetsOutsideAreCounted(t *testing.T) {
	c := start(t, lsptest.Outside)
	got, err := c.Definition(t.Context(), lsp.Place{Path: "sub/b.go", Line: 3, Col: 9})
	if err != nil || len(got.Places) != 0 || got.Outside != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestServersThatFail(t *testing.T) {
	at := lsp.Place{Path: "sub/b.go", Line: 3, Col: 9}
	for _, m := range []struct {
		mode lsptest.Mode
		says string
		dead bool // it is of no use afterwards
	}{
		{lsptest.Crash, "crashed, as it was told to", true},
		{lsptest.Garbage, "no header", true},
		{lsptest.Huge, "99999999999", true},
		{lsptest.Refuse, "no view of the file", false},
		{lsptest.Odd, "another form", false},
	} {
		t.Run(string(m.mode), func(t *testing.T) {
			c := start(t, m.mode)
			_, err := c.Definition(t.Context(), at)
			if err == nil || !strings.Contains(err.Error(), m.says) {
				t.Fatalf("%v, which does not say %q", err, m.says)
			}
			_, again := c.References(t.Context(), at)
			if dead := again != nil && strings.Contains(again.Error(), "no use any more"); dead != m.dead {
				t.Errorf("the next question: %v", again)
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		c := start(t, lsptest.Hang)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := c.Definition(ctx, at); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
	for _, mode := range []lsptest.Mode{lsptest.Deaf, lsptest.Early} {
		t.Run(string(mode), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if mode == lsptest.Deaf {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
			}
			if c, err := lsp.Start(ctx, fake(t, mode), tree(t), nil); err == nil {
				t.Errorf("it is said to have started: %v", c)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		_, err := lsp.Start(t.Context(), lsp.Server{Name: "fake", Argv: []string{filepath.Join(t.TempDir(), "none")}}, tree(t), nil)
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	})
}

func TestEnvironmentHoldsNoSecrets(t *testing.T) {
	got := lsp.Environment([]string{
		"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "NPM_TOKEN=x", "SSH_AUTH_SOCK=x",
		"GOPROXY=https://user:password@example.com", "CARGO_REGISTRY_TOKEN=x", "HTTPS_PROXY=http://u:p@h", "odd",
	})
	for _, kv := range got {
		if strings.Contains(kv, "=x") || strings.Contains(kv, "PROXY") {
			t.Errorf("a server would see %s", kv)
		}
	}
	for _, kv := range []string{"PATH=/bin", "HOME=/home/u", "LC_ALL=C"} {
		if !slices.Contains(got, kv) {
			t.Errorf("a server would not see %s", kv)
		}
	}
}

func TestEveryLanguageHasAServer(t *testing.T) {
	for _, lang := range []string{"go", "python", "typescript", "tsx", "javascript", "rust", "c", "cpp"} {
		if len(lsp.For(lang)) == 0 {
			t.Errorf("no server is known for %s", lang)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if s, ok := lsp.Find("go"); ok {
		t.Errorf("%v was found where nothing is", s)
	}
}
