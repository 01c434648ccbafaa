package compile

import (
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

// A grammar for which one step of the parser asks for memory without end costs
// the file that it stumbles over, and neither the machine nor the compile.
func TestParseThatAsksForMemoryWithoutEnd(t *testing.T) {
	r := newRepo(t)
	tr := smallTree()
	tr["lib/templ.cs"] = text(strings.Repeat("template<template<template<template<template<\n", 13000))
	r.commit(tr)
	m, res, err := inWorkers(t, r)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, n := range res.Report.Degraded {
		if n.Path == "lib/templ.cs" {
			found = true
			if want := artifact.DegradedCrash.String(); n.Reason != want && n.Reason != artifact.DegradedBudget.String() {
				t.Errorf("%s is degraded for %q, not %q", n.Path, n.Reason, want)
			}
		}
	}
	if !found {
		t.Errorf("degraded: %v", res.Report.Degraded)
	}
	openTester(t, m)
}
