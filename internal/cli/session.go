package cli

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/registry"
)

// session is one open index and what the user has in front of them beside it.
type session struct {
	index  *artifact.Index
	engine *query.Engine
	cache  *fetch.Cache
	// changed are the tracked files of the working tree that differ from the
	// commit, when HEAD was asked for; their results are left out.
	changed []string
}

// Cache returns the user's cache of verified segments.
func (a *App) Cache() *fetch.Cache { return fetch.OpenCache("") }

// isHash reports whether rev is a full commit hash, which needs no repository.
func isHash(rev string) bool {
	id, err := gitobj.ParseID(rev)
	return err == nil && !id.IsZero()
}

// resolve turns --commit, or HEAD, into a full hash.
func (a *App) resolve(ctx context.Context) (string, error) {
	if isHash(a.rev) {
		return strings.ToLower(a.rev), nil
	}
	rev := a.rev
	if rev == "" {
		rev = "HEAD"
	}
	if rev == "HEAD" {
		if id, ok := a.head(); ok {
			return id, nil
		}
	}
	// The small reader starts no process. What it cannot read, or calls an
	// error, is left to the full one, whose word is final.
	if m, err := git.OpenMinimal(ctx, a.repoDir); err == nil {
		id, err := m.Resolve(ctx, rev)
		if err := errors.Join(err, m.Close()); err == nil {
			return id.String(), nil
		}
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		return "", err
	}
	id, err := repo.Resolve(ctx, rev)
	if err != nil {
		return "", err
	}
	return id.String(), nil
}

// head reads what HEAD names from the references alone: a branch, and a
// detached HEAD, hold nothing but commits, so no object has to be looked up.
func (a *App) head() (string, bool) {
	l, err := git.FindLayout(a.repoDir)
	if err != nil {
		return "", false
	}
	name, id, err := l.Ref("HEAD")
	if err != nil || id.IsZero() || name != "HEAD" && !strings.HasPrefix(name, "refs/heads/") {
		return "", false
	}
	return id.String(), true
}

// open opens the asked commit's index. Where there is none, a program that can
// compile does so first, into a local store.
func (a *App) open(ctx context.Context) (*session, error) {
	commit, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	cache := a.Cache()
	ix, err := fetch.Open(ctx, store, cache, commit, fetch.OpenOptions{})
	if fail.CodeOf(err) == fail.NoIndex {
		if tag := a.onlyTag(ctx, store, commit); tag != "" {
			var conf *registry.Config
			if _, conf, err = registry.ReadArtifact(ctx, store, tag); err == nil {
				ix, err = fetch.Open(ctx, store, cache, commit, fetch.OpenOptions{Profile: conf.Profile})
			}
		}
	}
	if fail.CodeOf(err) == fail.NoIndex && a.Compile != nil && !a.noCompile && isLocal(store) {
		ix, err = a.compileAndOpen(ctx, store, cache, commit)
	}
	if err != nil {
		return nil, err
	}
	if a.oneShot {
		collectLater()
	}
	s := &session{index: ix}
	if a.rev == "" {
		if s.changed, err = a.changedFiles(ctx, ix); err != nil {
			return nil, errors.Join(err, ix.Close())
		}
	}
	s.engine = query.New(ix, query.Options{
		Hidden: s.changed,
		Model: func(m artifact.ModelInfo) ([]byte, error) {
			return fetch.Model(ctx, store, cache, m)
		},
	})
	s.cache = cache
	return s, nil
}

// quietHeap is the size in bytes up to which a process that answers once
// collects no garbage.
const quietHeap = 64 << 20

// collectLater holds the collector back in a process that will end soon: for
// the first answer on a large repository it would otherwise take a third of
// the processor time. Settings of the user's environment stay.
func collectLater() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(quietHeap)
	}
}

// onlyTag returns the tag of a commit's only index in a local store, when that
// is not the store's default one: somebody has compiled it with chosen views
// or settings, and means to be answered from it. It is "" where there is none.
func (a *App) onlyTag(ctx context.Context, store registry.Store, commit string) string {
	if !isLocal(store) {
		return "" // a list would cost a request for each tag
	}
	tags, err := store.List(ctx)
	if err != nil {
		return ""
	}
	found := ""
	for _, t := range tags {
		if tag, ok := registry.ParseTag(t.Tag); ok && tag.Commit == commit && !tag.Report {
			if tag.Profile == "" || found != "" {
				return ""
			}
			found = t.Tag
		}
	}
	if found != "" {
		a.Note("using the commit's only index, %s, which was made with chosen views or settings", found)
	}
	return found
}

// withSession opens the asked commit's index, works on it, and closes it. A
// fault while reading a mapped file is an error; what the cache could not do
// is said at the end, when it is known.
func (a *App) withSession(ctx context.Context, fn func(*session) error) error {
	a.oneShot = true
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	err = fetch.Guard(func() error { return fn(s) })
	for _, n := range s.cache.Notes() {
		a.Note("%s", n)
	}
	return errors.Join(err, s.index.Close())
}

func (a *App) compileAndOpen(ctx context.Context, store registry.Store, cache *fetch.Cache, commit string) (*artifact.Index, error) {
	repo, err := a.Repo(ctx)
	if err != nil && !isHash(a.rev) {
		return nil, err
	}
	if err != nil {
		return nil, fail.Wrap(fail.NoIndex, err, "run this inside the repository, or name the store that has the index with --store",
			"%s has no index of %s, and there is no repository to compile it from", store.Name(), commit)
	}
	a.Note("no index of %s yet; compiling it into %s", short(commit), store.Name())
	err = a.Compile(ctx, CompileRequest{Repo: repo, Rev: commit, Store: store, Cache: cache, Progress: a.Progress(), Stderr: a.Stderr})
	if err != nil {
		return nil, err
	}
	return fetch.Open(ctx, store, cache, commit, fetch.OpenOptions{})
}

// changedFiles returns the tracked files of the working tree that differ from
// the index's commit.
func (a *App) changedFiles(ctx context.Context, ix *artifact.Index) ([]string, error) {
	if l, err := git.FindLayout(a.repoDir); err == nil && l.WorkTree == "" {
		return nil, nil
	}
	tree, err := treeOf(ctx, ix)
	if err != nil {
		return nil, err
	}
	changes, err := git.Changed(ctx, a.repoDir, tree, git.Options{})
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths, nil
}

// treeOf lists the tree that an index is of, from the index alone.
func treeOf(ctx context.Context, ix *artifact.Index) ([]git.Entry, error) {
	parts := make([][]git.Entry, ix.NumPartitions())
	err := ix.EachPartition(ctx, func(p int) error {
		u, err := ix.Units(p)
		if err != nil {
			return err
		}
		parts[p] = make([]git.Entry, u.NumFiles())
		for f := range parts[p] {
			parts[p][f] = git.Entry{Path: u.Path(f), Mode: u.Mode(f), ID: u.Blob(f), Size: int64(u.Size(f))}
			if parts[p][f].Size == 0 && u.Skip(f) != artifact.SkipNone {
				parts[p][f].Size = -1 // not recorded
			}
		}
		return nil
	})
	return slices.Concat(parts...), err
}

// freshness is what every answer says of itself.
func (s *session) freshness() query.Freshness {
	f := query.Freshness{State: "exact"}
	if len(s.changed) > 0 {
		f = query.Freshness{State: "partial", Files: len(s.changed)}
	}
	return f
}

func short(commit string) string { return commit[:min(12, len(commit))] }
