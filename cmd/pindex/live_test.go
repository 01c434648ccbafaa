package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/lsp/lsptest"
)

// fakeServer is the language server of the scripts. The file "mode" in the
// home folder says how it behaves; what it sees of the environment goes into
// "server-env", since it gets none that could tell it.
func fakeServer() {
	home := os.Getenv("HOME")
	mode, err := os.ReadFile(filepath.Join(home, "mode"))
	if err != nil {
		mode = []byte(lsptest.Good)
	}
	err = os.WriteFile(filepath.Join(home, "server-env"), []byte(strings.Join(os.Environ(), "\n")+"\n"), 0o600)
	if err == nil {
		err = lsptest.Serve(os.Stdin, os.Stdout, lsptest.Mode(strings.TrimSpace(string(mode))))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake server:", err)
		os.Exit(3)
	}
}

func TestLiveWithoutServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for lang, says := range map[string]string{
		"go":     "gopls is not on PATH",
		"python": "basedpyright-langserver or pyright-langserver is not on PATH",
		"cobol":  "no language server is known",
	} {
		_, err := live(context.Background(), cli.LiveRequest{Root: t.TempDir(), Lang: lang, Path: "a", Line: 1, Col: 1})
		if fail.CodeOf(err) != fail.Usage || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", lang, err)
		}
	}
}
