package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/delta"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/visibility"
	"github.com/pindex-dev/pindex/registry"
)

const (
	parentAuto = "auto"
	parentNone = "none"
)

// knownParents is how far back an index is looked for whose segments a compile
// takes over.
const knownParents = 32

// parentFinder finds the index that a compile takes segments over from.
type parentFinder struct {
	repo   git.Repository
	store  registry.Store
	other  *registry.Remote // whose index does as well where the store has none: it is mounted; nil for none
	cache  *fetch.Cache
	choice string      // parentAuto, parentNone or a revision
	branch string      // whose index does as well where no ancestor's is there; "" for none
	sink   *fetch.Sink // is told; may be nil
	shard  bool        // few of the parent's packs are going to be taken over
	note   func(format string, args ...any)
	deepen bool // origin may be asked for history that a shallow clone lacks

	found *fetch.Parent
	at    registry.Store // has what was found
	lost  []string
}

func (p *parentFinder) find(ctx context.Context, w compile.Wanted) (*compile.Parent, error) {
	var commits []string
	switch p.choice {
	case parentNone:
		return nil, nil
	case parentAuto:
		commits = cli.Ancestors(ctx, p.repo, w.Commit, knownParents)
	default:
		commits = []string{p.choice}
		if _, err := gitobj.ParseID(p.choice); err != nil { // a full hash need not be in the clone
			id, err := p.repo.Resolve(ctx, p.choice)
			if err != nil {
				return nil, err
			}
			commits[0] = id.String()
		}
	}
	var profile artifact.Digest
	if !w.DefaultProfile {
		profile = w.Profile.Digest
	}
	found, err := p.near(ctx, commits, profile)
	if err != nil {
		return nil, err
	}
	if found == nil && p.choice == parentAuto {
		if found, err = p.beyond(ctx, w, profile, commits); err != nil {
			return nil, err
		}
	}
	if found == nil {
		if p.choice != parentAuto {
			return nil, fail.New(fail.NoIndex, "compile that commit first, or let --parent auto choose",
				"%s has no usable index of %s", p.store.Name(), commits[0])
		}
		return nil, nil
	}
	found.Lose(p.lost)
	p.found = found
	if p.sink != nil {
		if p.at != p.store {
			if _, err := found.MountIn(ctx, p.store, p.other, !p.shard); err != nil {
				return nil, err
			}
		}
		p.sink.From(found)
	}
	parent := &compile.Parent{Manifest: found.Manifest, Gone: found.Gone}
	if info, ok := found.Manifest.Views[artifact.Dense.String()]; ok && info.State == artifact.ViewReady && info.Reproducible == artifact.NotAtAll {
		// It stays open as long as the process works: what was read is mapped.
		ix := found.Index(ctx, p.at, p.cache, []artifact.View{artifact.Dense})
		parent.Dense = func(_ context.Context, n int) (*artifact.DenseReader, error) { return ix.Dense(n) }
	}
	return parent, nil
}

// near looks for an index of one of these commits, nearest first.
func (p *parentFinder) near(ctx context.Context, commits []string, profile artifact.Digest) (*fetch.Parent, error) {
	return p.eachStore(func(s registry.Store) (*fetch.Parent, error) {
		return fetch.FindParent(ctx, s, p.cache, commits, profile)
	})
}

func (p *parentFinder) eachStore(find func(registry.Store) (*fetch.Parent, error)) (*fetch.Parent, error) {
	p.at = p.store
	found, err := find(p.store)
	if found == nil && err == nil && p.other != nil {
		p.at = p.other
		found, err = find(p.other)
	}
	return found, err
}

// beyond looks for what the clone cannot tell: a shallow one holds too few
// commits. GitHub is asked for more of them, in a workflow; else what the
// branches were last seen to have does as well, for it is the keys that say
// what can be taken over.
func (p *parentFinder) beyond(ctx context.Context, w compile.Wanted, profile artifact.Digest, known []string) (*fetch.Parent, error) {
	if len(known) <= knownParents {
		last := known[len(known)-1]
		more := workflowHistory().FirstParents(ctx, last, knownParents)
		if len(more) > 0 {
			if found, err := p.near(ctx, more, profile); found != nil || err != nil {
				return found, err
			}
		} else if found, err := p.deeper(ctx, last, profile); found != nil || err != nil {
			return found, err
		}
	}
	for _, name := range []string{p.branch, os.Getenv("GITHUB_BASE_REF"), os.Getenv("GITHUB_REF_NAME"), "main", "master"} {
		tag := registry.BranchTag(name)
		if tag == "" {
			continue
		}
		found, err := p.eachStore(func(s registry.Store) (*fetch.Parent, error) {
			return fetch.ParentByTag(ctx, s, p.cache, tag)
		})
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// deepenDepths are the steps in which origin is asked for history.
var deepenDepths = []int{8, knownParents}

// deeper asks origin for the ancestors of a shallow clone's last commit. Only
// where indexes are shared is one of them likely to have one.
func (p *parentFinder) deeper(ctx context.Context, last string, profile artifact.Digest) (found *fetch.Parent, err error) {
	id, err := gitobj.ParseID(last)
	if _, shared := p.store.(*registry.Remote); err != nil || !p.deepen || !shared {
		return nil, nil
	}
	if _, err := p.repo.ReadCommit(ctx, id); err == nil {
		return nil, nil // the history begins here, and is all there
	}
	if url, err := p.repo.RemoteURL(ctx, "origin"); err != nil || url == "" {
		return nil, nil
	}
	asked := 0
	var failed error
	err = git.Deepen(ctx, p.repo, id, deepenDepths, func(ancestors []string) (bool, error) {
		asked += len(ancestors)
		if asked == len(ancestors) {
			ancestors = append([]string{last}, ancestors...)
		}
		found, failed = p.near(ctx, ancestors, profile)
		return found != nil, failed
	})
	switch {
	case failed != nil:
		return nil, failed
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		p.note("the clone is shallow, and %v; building without an ancestor's index", err)
	case found != nil:
		p.note("the clone is shallow: origin was asked for %d commits before %.12s, and the index of %.12s is taken over from", asked, last, found.Commit)
	default:
		p.note("the clone is shallow: origin was asked for %d commits before %.12s, and none has an index", asked, last)
	}
	return found, nil
}

func workflowHistory() visibility.History {
	return visibility.History{Repository: os.Getenv("GITHUB_REPOSITORY"), Token: os.Getenv("GITHUB_TOKEN"), API: os.Getenv("GITHUB_API_URL")}
}

// moveBranch lets a branch's tag follow to a new index, unless that would be a
// step back.
func moveBranch(ctx context.Context, a *cli.App, repo git.Repository, store registry.Store, name string, commit gitobj.ID, to ocispec.Descriptor) (registry.Moved, error) {
	m, err := registry.MoveBranch(ctx, store, name, to, func(old string) (bool, error) {
		if slices.Contains(cli.AllAncestors(ctx, repo, commit, maxBranchStep), old) {
			return true, nil
		}
		return workflowHistory().Descends(ctx, old, commit.String()), nil
	})
	if err == nil && !m.Moved && m.Held != "" {
		a.Note("%s stays at %s: this commit is not known to descend from that", m.Tag, m.Held)
	}
	return m, err
}

// maxBranchStep is how many commits back a branch's earlier one is looked for
// in the clone.
const maxBranchStep = 5000

// lose takes note of packs that the store turned out to lack.
func (p *parentFinder) lose(digests []string) { p.lost = append(p.lost, digests...) }

// planAnswer is what 'compile --dry-run' prints.
type planAnswer struct {
	Schema     string      `json:"schema"`
	Commit     string      `json:"commit"`
	Parent     string      `json:"parent"` // "" for none
	Profile    string      `json:"profile"`
	Views      []string    `json:"views"`
	Partitions int         `json:"partitions"`
	Reused     int         `json:"segments_reused"`
	Built      int         `json:"segments_built"`
	Segments   []planEntry `json:"segments"` // those of one partition share an entry
}

type planEntry struct {
	Partition int            `json:"partition"`
	Files     int            `json:"files"`
	First     string         `json:"first"` // path of the first file
	State     string         `json:"state"` // "reused" or "rebuilt"
	Cause     string         `json:"cause,omitempty"`
	Detail    string         `json:"detail,omitempty"`
	Changes   []changedEntry `json:"changes,omitempty"`
}

type changedEntry struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "changed", "added" or "removed"
}

const schemaPlan = "pindex.plan/0"

// printPlan prints what a compile would do.
func printPlan(ctx context.Context, a *cli.App, opts compile.Options, store registry.Store, f compileFlags) error {
	other, err := a.MountFrom(f.mount, store)
	if err != nil {
		return err
	}
	find := parentFinder{repo: opts.Repo, store: store, other: other, cache: a.Cache(), choice: f.parent, note: a.Note, deepen: true}
	opts.FindParent = find.find
	p, err := compile.Plan(ctx, opts)
	if err != nil {
		return err
	}
	reused := p.Plan.Reused()
	ans := planAnswer{
		Schema: schemaPlan, Commit: p.Commit.String(), Parent: p.Parent, Profile: p.Profile.Digest.String(),
		Partitions: len(p.Plan.Steps), Reused: reused * len(p.Views), Built: (len(p.Plan.Steps) - reused) * len(p.Views),
		Segments: []planEntry{},
	}
	for _, v := range p.Views {
		ans.Views = append(ans.Views, v.String())
	}
	for n, s := range p.Plan.Steps {
		e := planEntry{Partition: n, Files: p.Files[n], First: p.First[n], State: "reused", Cause: string(s.Cause), Detail: s.Detail}
		if s.From < 0 {
			e.State = "rebuilt"
		}
		for _, c := range s.Changes {
			e.Changes = append(e.Changes, changedEntry{c.Path, c.Kind})
		}
		ans.Segments = append(ans.Segments, e)
	}
	return a.Print(ans, func(w io.Writer) {
		from := "no parent"
		if ans.Parent != "" {
			from = "parent " + ans.Parent
		}
		fmt.Fprintf(w, "commit %s, %s\n%d segments reused, %d to build\n", ans.Commit, from, ans.Reused, ans.Built)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "PARTITION\tFILES\tFROM\tSTATE")
		for n, s := range p.Plan.Steps {
			if s.From >= 0 {
				continue // the first line counts them
			}
			fmt.Fprintf(t, "%d\t%d\t%s\trebuilt: %s\n", n, p.Files[n], cli.Visible(p.First[n]), explainStep(s))
		}
		t.Flush()
	})
}

// maxChangesShown bounds the files that the table names for one partition.
const maxChangesShown = 3

func explainStep(s delta.Step) string {
	if s.Cause != delta.Content || len(s.Changes) == 0 {
		if s.Detail != "" {
			return string(s.Cause) + ": " + cli.Visible(s.Detail)
		}
		return string(s.Cause)
	}
	out := ""
	for i, c := range s.Changes {
		if i == maxChangesShown {
			return out + fmt.Sprintf(", and %d more", len(s.Changes)-i)
		}
		if i > 0 {
			out += ", "
		}
		out += c.Kind + " " + cli.Visible(c.Path)
	}
	return out
}

// sum adds up counts by reason.
func sum(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
