package main

import (
	"os"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/compile/languages"
	"github.com/pindex-dev/pindex/internal/lsp"
)

func TestDocumentIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../docs/LANGUAGES.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != document() {
		t.Error("docs/LANGUAGES.md is stale: go run ./internal/langdoc > docs/LANGUAGES.md")
	}
}

// TestLiveLanguages compares what is said of language servers with the servers
// that are known.
func TestLiveLanguages(t *testing.T) {
	var known []string
	for _, s := range lsp.Known() {
		for _, l := range s.Langs {
			if _, ok := languages.Describe(l); ok && !slices.Contains(known, l) {
				known = append(known, l)
			}
		}
	}
	slices.Sort(known)
	if !slices.Equal(known, languages.LiveLanguages) {
		t.Errorf("known servers answer for %v, compile/languages says %v", known, languages.LiveLanguages)
	}
}
