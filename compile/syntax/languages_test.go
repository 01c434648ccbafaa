package syntax

import (
	"os"
	"strings"
	"testing"
)

// TestVersions compares the versions that the profile names with go.mod.
func TestVersions(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := make(map[string]string) // last path element -> version
	for _, line := range strings.Split(string(mod), "\n") {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 && strings.Contains(words[0], "tree-sitter") {
			required[words[0][strings.LastIndexByte(words[0], '/')+1:]] = strings.TrimPrefix(words[1], "v")
		}
	}
	if required["go-tree-sitter"] != runtimeVersion {
		t.Errorf("go.mod has go-tree-sitter %s, not %s", required["go-tree-sitter"], runtimeVersion)
	}
	for name, backend := range Backends() {
		module, version, _ := strings.Cut(backend, " ")
		if required[module] != version || version == "" {
			t.Errorf("%s: go.mod has %s %q, the backend is %q", name, module, required[module], backend)
		}
		if languages[name].version < 1 || !strings.Contains(Versions()[name], version) {
			t.Errorf("%s: version %q", name, Versions()[name])
		}
	}
}

// TestKinds loads every grammar and checks that each node kind that an
// extractor names is one that a grammar has.
func TestKinds(t *testing.T) {
	type use struct {
		langs []string
		known map[uint16]bool
	}
	shared := make(map[*string]*use) // by the array of names
	for name, l := range languages {
		g, err := l.grammar()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u := shared[&l.kinds[0]]
		if u == nil {
			u = &use{known: make(map[uint16]bool)}
			shared[&l.kinds[0]] = u
		}
		u.langs = append(u.langs, name)
		for _, k := range g.kinds {
			u.known[uint16(k)] = true
		}
	}
	for first, u := range shared {
		l := languages[u.langs[0]]
		if &l.kinds[0] != first {
			t.Fatal("the languages' tables moved")
		}
		seen := make(map[string]bool)
		for k, kind := range l.kinds {
			if kind == "" {
				if k >= int(kindFirst) {
					t.Errorf("%v: kind %d has no name", u.langs, k)
				}
				continue
			}
			if !u.known[uint16(k)] {
				t.Errorf("%v: no grammar has %q", u.langs, kind)
			}
			if bare := strings.TrimPrefix(kind, "?"); seen[bare] {
				t.Errorf("%v: %q stands twice", u.langs, kind)
			} else {
				seen[bare] = true
			}
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if Supports("cobol") {
		t.Error("cobol is supported")
	}
	if _, err := Parse("cobol", nil, Limits{}); err == nil {
		t.Error("no error for an unknown language")
	}
}
