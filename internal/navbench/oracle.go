package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/internal/lsp"
)

type oracleOptions struct {
	Repo, Lang, Out, Name, Under, At string
	N, Files                         int
	Seed                             uint64
	Wait, Each                       time.Duration
}

// checkout is a clean working tree.
type checkout struct {
	dir, name, commit string
	files             map[string]bool // tracked
}

func gitOut(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

func openCheckout(dir, name string) (*checkout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = filepath.Base(dir)
	}
	commit, err := gitOut(dir, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	changed, err := gitOut(dir, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		return nil, fmt.Errorf("%s differs from its commit:\n%s", dir, changed)
	}
	list, err := gitOut(dir, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	c := &checkout{dir: dir, name: name, commit: strings.TrimSpace(commit), files: map[string]bool{}}
	for f := range strings.SplitSeq(list, "\x00") {
		if f != "" {
			c.files[f] = true
		}
	}
	return c, nil
}

// of returns the checkout's files of a language, sorted.
func (c *checkout) of(lang language, under string) []string {
	var out []string
	for f := range c.files {
		if lang.is(f) && strings.HasPrefix(f, under) {
			if fi, err := os.Lstat(filepath.Join(c.dir, f)); err == nil && fi.Mode().IsRegular() && fi.Size() < 1<<20 {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out
}

func oracle(ctx context.Context, o oracleOptions) error {
	lang, ok := languages[o.Lang]
	if !ok {
		return fmt.Errorf("there is no oracle for %q", o.Lang)
	}
	c, err := openCheckout(o.Repo, o.Name)
	if err != nil {
		return err
	}
	srv, ok := lsp.Find(o.Lang)
	if !ok {
		return fmt.Errorf("no language server for %s is on PATH", o.Lang)
	}
	begun := time.Now()
	cl, err := lsp.Start(ctx, srv, c.dir, lsp.OwnEnvironment())
	if err != nil {
		return err
	}
	defer cl.Close()
	started := time.Since(begun)
	files := c.of(lang, o.Under)
	if len(files) == 0 {
		return fmt.Errorf("%s has no %s file", c.dir, o.Lang)
	}
	begun = time.Now()
	if err := warmUp(ctx, cl, files[0], o); err != nil {
		return err
	}
	warmed := time.Since(begun)
	fmt.Fprintf(os.Stderr, "navbench: %s started in %v, warm after %v\n", srv.Name, started.Round(time.Millisecond), warmed.Round(time.Millisecond))
	unknown, err := unknownFiles(ctx, cl, c, files)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "navbench: %d of %d files are not known to the server\n", len(unknown), len(files))
	files = slices.DeleteFunc(files, func(f string) bool { return slices.Contains(unknown, f) })
	var sample []record
	if o.At != "" {
		if sample, err = readRecords(o.At); err != nil {
			return err
		}
		for i, r := range sample {
			sample[i] = record{Repo: r.Repo, Commit: r.Commit, Lang: r.Lang, Path: r.Path, Line: r.Line, Col: r.Col, Name: r.Name, Sample: r.Sample}
		}
		if sample[0].Commit != c.commit {
			return fmt.Errorf("%s is of commit %s, the checkout of %s", o.At, sample[0].Commit, c.commit)
		}
	} else if sample, err = positions(ctx, cl, c, lang, files, o); err != nil {
		return err
	}
	for i := range sample {
		if i > 0 && sample[i].Path != sample[i-1].Path {
			// The next file is opened first: a server may drop a project of
			// which nothing is open.
			if err := cl.Open(ctx, sample[i].Path); err != nil {
				return err
			}
			if err := cl.Forget(ctx, sample[i-1].Path); err != nil {
				return err
			}
		}
		sample[i].Oracle = srv.Name
		if err := ask(ctx, cl, c, &sample[i], o.Each); err != nil {
			return errors.Join(err, writeRecords(o.Out, sample[:i]))
		}
		if i%100 == 99 {
			fmt.Fprintf(os.Stderr, "navbench: %d of %d\n", i+1, len(sample))
		}
	}
	sample[0].Unknown = unknown
	sample[0].StartMS, sample[0].WarmMS = started.Milliseconds(), warmed.Milliseconds()
	return writeRecords(o.Out, sample)
}

// warmUp waits until the server has read the project: one question whose
// answer needs all of it.
func warmUp(ctx context.Context, cl *lsp.Client, first string, o oracleOptions) error {
	if err := cl.Open(ctx, first); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	if ready, err := cl.Settle(wait); err != nil || !ready {
		return errors.Join(fmt.Errorf("the server was not ready within %v", o.Wait), err)
	}
	var known *lsp.ResponseError
	_, err := cl.References(wait, lsp.Place{Path: first, Line: 1, Col: 1})
	if err != nil && !errors.As(err, &known) {
		return err
	}
	return nil
}

// unknownFiles returns the files of which a server has no part in its picture
// of the project: another platform's in Go, what no command compiles in C. It
// lists no uses in them, which says nothing of ours.
func unknownFiles(ctx context.Context, cl *lsp.Client, c *checkout, files []string) ([]string, error) {
	var out []string
	switch cl.Server().Name {
	case "gopls":
		for _, f := range files {
			_, err := cl.Occurrences(ctx, f)
			var said *lsp.ResponseError
			if errors.As(err, &said) && strings.Contains(said.Message, "no package metadata") {
				out = append(out, f)
			} else if err != nil && said == nil {
				return nil, err
			}
			if err := cl.Forget(ctx, f); err != nil {
				return nil, err
			}
		}
	case "clangd":
		// Its index has a shard for each file that it met: NAME.HASH.idx.
		shards, err := os.ReadDir(filepath.Join(c.dir, ".cache", "clangd", "index"))
		if err != nil {
			return nil, fmt.Errorf("clangd has no index; is there a compile_commands.json in %s? %w", c.dir, err)
		}
		met := map[string]bool{}
		for _, s := range shards {
			name := strings.TrimSuffix(s.Name(), ".idx")
			met[strings.TrimSuffix(name, filepath.Ext(name))] = true
		}
		for _, f := range files {
			if !met[filepath.Base(f)] {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// positions draws both samples, sorted by place.
func positions(ctx context.Context, cl *lsp.Client, c *checkout, lang language, files []string, o oracleOptions) ([]record, error) {
	type at struct {
		path string
		token
	}
	var occ, ident []at
	// A server may need long for all occurrences of one file.
	rng := rand.New(rand.NewPCG(o.Seed, 4))
	asked := map[string]bool{}
	for _, i := range rng.Perm(len(files))[:min(o.Files, len(files))] {
		asked[files[i]] = true
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(f)))
		if err != nil {
			return nil, err
		}
		for _, t := range lang.identifiers(string(b)) {
			ident = append(ident, at{f, t})
		}
		if !asked[f] {
			continue
		}
		places, err := cl.Occurrences(ctx, f)
		if err != nil {
			fmt.Fprintf(os.Stderr, "navbench: %s: %v\n", f, err)
		}
		lines := strings.Split(string(b), "\n")
		for _, p := range places {
			if p.Line > len(lines) || p.Col > len(lines[p.Line-1]) {
				continue
			}
			name := lines[p.Line-1][p.Col-1:]
			if n := strings.IndexFunc(name, func(r rune) bool { return !isPart(r) }); n >= 0 {
				name = name[:n]
			}
			if name != "" && !slices.Contains(lang.keywords, name) {
				occ = append(occ, at{f, token{p.Line, p.Col, name}})
			}
		}
		if err := cl.Forget(ctx, f); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(os.Stderr, "navbench: %d occurrences of the oracle in %d files, %d identifiers in %d\n", len(occ), len(asked), len(ident), len(files))
	draw := func(from []at, sample string) (out []record) {
		rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		for _, a := range from[:min(o.N, len(from))] {
			out = append(out, record{Repo: c.name, Commit: c.commit, Lang: o.Lang, Path: a.path, Line: a.line, Col: a.col, Name: a.name, Sample: sample})
		}
		return out
	}
	all := append(draw(occ, "occ"), draw(ident, "ident")...)
	slices.SortStableFunc(all, func(a, b record) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	if len(all) == 0 {
		return nil, errors.New("there is nothing to ask about")
	}
	return all, nil
}

// stands reports whether a name stands at a place.
func (c *checkout) stands(name string, p lsp.Place) bool {
	b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(p.Path)))
	if err != nil {
		return false
	}
	lines := strings.Split(string(b), "\n")
	return p.Line <= len(lines) && p.Col <= len(lines[p.Line-1]) && strings.HasPrefix(lines[p.Line-1][p.Col-1:], name)
}

// ask fills in what the oracle says. Only the end of the server is an error.
func ask(ctx context.Context, cl *lsp.Client, c *checkout, r *record, each time.Duration) error {
	at := lsp.Place{Path: r.Path, Line: r.Line, Col: r.Col}
	var defined []lsp.Place // with their columns
	question := func(fn func(context.Context, lsp.Place) (lsp.Answer, error)) ([]place, bool, int64, error) {
		limit, cancel := context.WithTimeout(ctx, each)
		defer cancel()
		begun := time.Now()
		a, err := fn(limit, at)
		took := time.Since(begun).Microseconds()
		var said *lsp.ResponseError
		if errors.As(err, &said) || limit.Err() != nil && ctx.Err() == nil {
			r.Error = err.Error()
			return nil, false, took, nil
		}
		var out []place
		outside := a.Outside > 0
		for _, p := range a.Places {
			if !c.files[p.Path] {
				outside = true
				continue
			}
			out = append(out, place{p.Path, p.Line})
			defined = append(defined, p)
		}
		return slices.Compact(out), outside, took, err
	}
	var err error
	if r.Def, r.External, r.DefUS, err = question(cl.Definition); err != nil {
		return err
	}
	r.Answered = len(r.Def) > 0 || r.External
	if len(r.Def) == 0 {
		// Uses of what lies outside the tree are nobody's question, and a
		// server may look for them in every dependency.
		return nil
	}
	if len(defined) == 1 && c.stands(r.Name, defined[0]) {
		// Where a server's answer depends on the use that it is asked at, the
		// definition's own is the better one. A module's is no name.
		at = defined[0]
	}
	r.Refs, _, r.RefsUS, err = question(cl.References)
	return err
}
