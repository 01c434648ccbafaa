//go:build dockerregistry

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var retentions = flag.Int("retentions", 6, "how many commands are under way when a registry deletes indexes and collects its garbage")

// front stands before a registry, so that something can happen to it before a
// certain request of a command, however fast the machine is.
type front struct {
	proxy *httputil.ReverseProxy

	mu   sync.Mutex
	seen int                               // requests since it was armed
	when func(n int, r *http.Request) bool // before which one act runs; nil for none
	act  func()
	down bool          // while act runs others are refused, else they wait
	gate chan struct{} // closed when act has run; nil before
}

func newFront(host string) *front {
	return &front{proxy: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: host})
			r.Out.Host = r.In.Host // the registry's answers name it
		},
		Transport: &http.Transport{DisableKeepAlives: true},
		ErrorLog:  log.New(io.Discard, "", 0), // requests break off; that is what is tested
	}}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.seen++
	var act func()
	if f.when != nil && f.when(f.seen, r) {
		f.when, act, f.gate = nil, f.act, make(chan struct{})
	}
	gate, down := f.gate, f.down
	f.mu.Unlock()
	if act != nil {
		act()
		close(gate)
	}
	if gate != nil && down {
		select {
		case <-gate:
		default:
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
	}
	if gate != nil {
		<-gate
	}
	f.proxy.ServeHTTP(w, r)
}

// arm makes act run before a request.
func (f *front) arm(when func(n int, r *http.Request) bool, down bool, act func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.when, f.act, f.down, f.gate = 0, when, act, down, nil
}

// disarm reports whether act has run, and how many requests there were.
func (f *front) disarm() (acted bool, requests int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	acted = f.gate != nil
	f.when, f.gate = nil, nil
	return acted, f.seen
}

// retention is a registry that deletes indexes, and commands that use them.
type retention struct {
	*crash
	process *registrytest.Process
	front   *front
	usual   map[string]int // requests of a kind of command that nothing disturbs
}

func newRetention(t *testing.T) *retention {
	p, err := registrytest.StartProcess(*dockerRegistry, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	f := newFront(p.Host)
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	c := newCrash(t, strings.TrimPrefix(s.URL, "http://"), 3)
	c.compileAll()
	return &retention{crash: c, process: p, front: f, usual: map[string]int{"pull": 8, "compile": 20, "push": 20}}
}

// begin starts a round in which every commit has its index.
func (c *retention) begin() {
	c.round++
	c.log = nil
	c.fill()
}

// fill publishes what is missing. What a store believes of a registry lasts as
// long as the store, so each time it is a new one.
func (c *retention) fill() {
	c.t.Helper()
	c.store = c.open("owner/kept")
	layout, err := registry.OpenLocal(filepath.Join(c.dir, "layout"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, commit := range c.commits {
		if _, err := registry.Copy(c.t.Context(), layout, c.store, registry.CommitTag(commit), registry.CopyOptions{}); err != nil {
			c.fatal("%v", err)
		}
	}
}

// remove deletes the manifest of a tag, at the registry itself.
func (c *retention) remove(tag string) {
	base := "http://" + c.process.Host + "/v2/owner/kept/manifests/"
	do := func(method, reference string) *http.Response {
		req, err := http.NewRequest(method, base+reference, nil)
		if err != nil {
			c.t.Error(err)
			return nil
		}
		req.Header.Set("Accept", "application/vnd.oci.image.manifest.v1+json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			c.t.Error(err)
			return nil
		}
		resp.Body.Close()
		return resp
	}
	resp := do(http.MethodHead, tag)
	if resp == nil || resp.StatusCode == http.StatusNotFound {
		return
	}
	if resp = do(http.MethodDelete, resp.Header.Get("Docker-Content-Digest")); resp != nil && resp.StatusCode != http.StatusAccepted {
		c.t.Errorf("deleting %s: %s", tag, resp.Status)
	}
}

// retain deletes the indexes of some commits and collects the garbage.
func (c *retention) retain(victims []string) {
	for _, commit := range victims {
		c.remove(commit)
	}
	if err := c.process.Collect(); err != nil {
		c.t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// try runs a command. What it says when it fails has to be of use.
func (c *retention) try(a attempt) (out []byte, stderr string, code fail.Code) {
	cmd := c.command("pindex", a.cache, a.args...)
	var e bytes.Buffer
	cmd.Stderr = &e
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		code = fail.Code(exit.ExitCode())
	} else if err != nil {
		c.t.Fatal(err)
	}
	stderr = e.String()
	c.log = append(c.log, fmt.Sprintf("%s %s, cache %s: code %d: %s", a.kind, a.commit, a.cache, code, stderr))
	clean := []fail.Code{fail.OK, fail.Network}
	if a.kind == "pull" {
		clean = append(clean, fail.NoIndex, fail.Verification)
	}
	if !slices.Contains(clean, code) || code != fail.OK && !strings.Contains(stderr, "to mend it: ") && !strings.Contains(stderr, `"remedy":"`) || strings.Contains(stderr, "goroutine ") {
		c.fatal("%s ended with code %d", a.kind, code)
	}
	return out, stderr, code
}

// right fails unless a command's answer, and what the registry has after a
// compile or a push, is the undisturbed index.
func (c *retention) right(a attempt, out []byte) {
	c.t.Helper()
	if a.kind != "push" {
		if got := digestOf(c.t, out); got != c.digests[a.commit] {
			c.fatal("%s gave index %s, want %s", a.kind, got, c.digests[a.commit])
		}
	}
	if a.kind == "pull" {
		return
	}
	art, _, err := registry.ReadArtifact(c.t.Context(), c.open("owner/kept"), registry.CommitTag(a.commit))
	if err != nil || art.Index().String() != c.digests[a.commit] {
		c.fatal("after a %s of %s: %v, %v", a.kind, a.commit, art, err)
	}
}

// inspect fails when a tag leads to something that was collected.
func (c *retention) inspect() {
	c.t.Helper()
	c.whole = new(registrytest.Whole) // what was read once may be gone
	c.store = c.open("owner/kept")
	c.crash.inspect()
}

func (c *retention) prepare(kind string) attempt {
	a := attempt{kind: kind, commit: c.commits[1+c.rng.IntN(len(c.commits)-1)], cache: fmt.Sprintf("cache%d", c.rng.IntN(2))}
	if c.rng.IntN(2) == 0 {
		a.cache = "emptied"
		c.empty(a.cache)
	}
	to := []string{"--repo", c.repo, "--store", c.host + "/owner/kept", "--json"}
	switch kind {
	case "push":
		a.args = []string{"cp", "./layout", c.host + "/owner/kept", "--commit", a.commit, "--repo", c.repo, "--json"}
	default:
		a.args = append([]string{kind, a.commit}, to...)
	}
	if kind != "pull" { // it has something to do, and what it can take over
		c.remove(a.commit)
	}
	return a
}

// victims are the commits whose indexes are deleted: mostly the one that a
// command reads, and any others but the one that it writes.
func (c *retention) victims(a attempt) []string {
	used := a.commit
	if a.kind != "pull" {
		used = c.commits[slices.Index(c.commits, a.commit)-1]
	}
	var out []string
	for _, commit := range c.commits {
		if commit == a.commit && a.kind != "pull" {
			continue
		}
		if commit == used && c.rng.IntN(4) > 0 || c.rng.IntN(2) == 0 {
			out = append(out, commit)
		}
	}
	return out
}

// again runs a command that nothing disturbs: it has to do what it would have
// done.
func (c *retention) again(a attempt) {
	c.t.Helper()
	c.front.arm(nil, false, nil)
	out, _, code := c.try(a)
	if _, n := c.front.disarm(); n > 0 {
		c.usual[a.kind] = n
	}
	if code != fail.OK {
		c.fatal("the next %s failed", a.kind)
	}
	c.right(a, out)
}

// A registry deletes indexes and collects its garbage while commands use them:
// a pull ends whole or says what happened, and the next one is right; a compile
// and a push publish no index of which something was collected.
func TestDockerRegistryRetention(t *testing.T) {
	c := newRetention(t)

	// The moment that matters most: all that a compile takes to be there is gone
	// when it publishes.
	c.begin()
	a := c.prepare("compile")
	c.front.arm(func(_ int, r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/")
	}, false, func() { c.retain(c.commits) })
	out, stderr, code := c.try(a)
	if acted, _ := c.front.disarm(); !acted || code != fail.OK || !strings.Contains(stderr, "building them again") {
		c.fatal("acted %t, code %d", acted, code)
	}
	c.right(a, out)
	c.inspect()

	ended, failed, rebuilt, late := map[string]int{}, map[string]int{}, 0, 0
	kinds := []string{"pull", "compile", "pull", "push"}
	for n := range *retentions {
		c.begin()
		kind := kinds[n%len(kinds)]
		a := c.prepare(kind)
		victims, down, at := c.victims(a), c.rng.IntN(3) == 0, 1+c.rng.IntN(c.usual[kind])
		c.log = append(c.log, fmt.Sprintf("before request %d of %s: %q are deleted, down %t", at, kind, victims, down))
		c.front.arm(func(n int, _ *http.Request) bool { return n == at }, down, func() { c.retain(victims) })
		out, stderr, code := c.try(a)
		acted, _ := c.front.disarm()
		if !acted {
			late++
			c.retain(victims)
		}
		switch {
		case code == fail.OK:
			ended[kind]++
			if acted || kind == "pull" {
				c.right(a, out)
			}
		case kind == "pull" || down:
			failed[kind]++
		default:
			c.fatal("%s failed, with a registry that was never down for it", kind)
		}
		if strings.Contains(stderr, "building them again") {
			rebuilt++
		}
		c.inspect()
		if kind == "pull" {
			c.try(a) // of an index that may not be there
			c.fill()
		}
		c.again(a)
		c.inspect()
		if kind == "pull" {
			ix, err := fetch.Open(t.Context(), c.store, fetch.OpenCache(filepath.Join(c.dir, a.cache)), a.commit, fetch.OpenOptions{})
			if err != nil {
				c.fatal("%v", err)
			}
			_, err = ix.Check(t.Context())
			ix.Close()
			if err != nil {
				c.fatal("%v", err)
			}
		}
		if t.Failed() {
			c.fatal("see above")
		}
	}
	t.Logf("%d commands: %v ended well, %v failed cleanly; %d compiles built again what was gone; %d times the deletion came after the end", *retentions, ended, failed, rebuilt, late)
}
