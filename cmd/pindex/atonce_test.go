//go:build dockerregistry

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var (
	pushes     = flag.Int("pushes", 6, "how many commits are pushed to one registry at once")
	samePushes = flag.Int("same-pushes", 3, "how many machines push one more commit at the same time")
)

// Many machines push into one repository of a registry at once, each with a
// cache of its own: every tag leads to its commit's index, the same commit has
// one digest wherever it was compiled, and each index is that of a fresh build.
func TestDockerRegistryPushedAtOnce(t *testing.T) {
	p, err := registrytest.StartProcess(*dockerRegistry, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	c := newCrash(t, p.Host, *pushes+1)
	ref := c.host + "/owner/atonce"
	type machine struct {
		commit      string
		cmd         *exec.Cmd
		out, stderr bytes.Buffer
	}
	var machines []*machine
	todo := append([]string(nil), c.commits...)
	for range *samePushes - 1 {
		todo = append(todo, c.commits[len(c.commits)-1])
	}
	c.rng.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	for n, commit := range todo {
		m := &machine{commit: commit, cmd: c.command("pindex", fmt.Sprintf("machine%d", n), "compile", commit, "--repo", c.repo, "--store", ref, "--json")}
		m.cmd.Stdout, m.cmd.Stderr = &m.out, &m.stderr
		if err := m.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	unchanged := 0
	for _, m := range machines {
		if err := m.cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", m.commit, err, m.stderr.String())
			continue
		}
		got := digestOf(t, m.out.Bytes())
		if want := c.digests[m.commit]; want != "" && got != want {
			t.Errorf("%s has index %s and index %s", m.commit, got, want)
		}
		c.digests[m.commit] = got
		if strings.Contains(m.out.String(), `"unchanged":true`) {
			unchanged++
		}
	}
	if t.Failed() {
		return
	}
	store := c.open("owner/atonce")
	list, err := store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]bool{}
	for _, e := range list {
		if tag, ok := registry.ParseTag(e.Tag); !ok || !tag.Report {
			tags[e.Tag] = true
		}
	}
	if len(tags) != len(c.commits) {
		t.Errorf("%d tags for %d commits: %v", len(tags), len(c.commits), tags)
	}
	for _, commit := range c.commits {
		art, conf, err := registry.ReadArtifact(t.Context(), store, registry.CommitTag(commit))
		if err != nil || conf.Commit != commit || art.Index().String() != c.digests[commit] {
			t.Errorf("the tag of %s: %+v, %v", commit, conf, err)
			continue
		}
		if out := c.run("pindex", "verifier", "verify", commit, "--repo", c.repo, "--store", ref, "--rebuild"); !bytes.Contains(out, []byte("a fresh build gives the same digest")) {
			t.Errorf("verify %s: %s", commit, out)
		}
	}
	if err := registrytest.CheckWhole(t.Context(), store); err != nil {
		t.Error(err)
	}
	t.Logf("%d pushes of %d commits at once, %d of which found their index there; every index is that of a fresh build", len(todo), len(c.commits), unchanged)
}
