package cli

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
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
	// asked is the commit that was asked for, and distance how many first-parent
	// steps it is from there to the index's.
	asked    string
	distance int
	fresh    query.Freshness
	// options are the engine's, but for what the working tree says.
	options query.Options
	over    *artifact.Index // what engine answers from when that is an overlay, else nil
	follow  *follower       // of the working tree; nil where a commit was named
	// changes are the files of the working tree that differ from the commit,
	// when HEAD was asked for: those of the overlay, or where there is none
	// those that are read by lines or left out.
	changes []string
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
	return a.resolveRev(ctx, rev)
}

// resolveRev turns a revision into a full hash.
func (a *App) resolveRev(ctx context.Context, rev string) (string, error) {
	if isHash(rev) {
		return strings.ToLower(rev), nil
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		var e *fail.Error
		if errors.As(err, &e) && a.repoDir == "" {
			e.Remedy = "without a repository name the commit by its full hash with --commit, as '" + a.Name + " ls' lists them; else " + e.Remedy
		}
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
	store, err := a.answering()
	if err != nil {
		return nil, err
	}
	cache := a.Cache()
	compiles := a.compiles(store)
	ix, use, distance, err := a.openNear(ctx, store, cache, commit, !compiles)
	if err == nil && a.wanting(ix) && compiles && distance == 0 {
		err = errors.Join(fail.New(fail.NoIndex, "", "the index lacks files"), ix.Close())
	}
	if fail.CodeOf(err) == fail.NoIndex && compiles {
		ix, err = a.compileAndOpen(ctx, store, cache, commit)
	}
	if err != nil {
		// Why the cache did not help may be the whole reason.
		for _, n := range cache.Notes() {
			a.Note("%s", n)
		}
		return nil, err
	}
	if distance > 0 {
		a.Note("%s has no index here; answering from that of its ancestor %s, %s before it", short(commit), short(use), count(distance, "commit"))
	}
	if a.oneShot {
		collectLater()
	}
	s := &session{index: ix, cache: cache, asked: commit, distance: distance}
	s.options.Model = func(m artifact.ModelInfo) ([]byte, error) { return fetch.Model(ctx, store, cache, m) }
	s.options.Remote = a.questions()
	opt := s.options
	if err := a.compareWorkTree(ctx, s, &opt); err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	if s.over == nil {
		opt.Kept = s.kept()
	}
	s.engine = query.New(s.answering(), opt)
	return s, nil
}

// compiles reports whether what a store has no index of is compiled into it.
func (a *App) compiles(store registry.Store) bool {
	return a.Compile != nil && !a.noCompile && mayFill(store)
}

// kept keeps what is worked out of the whole index in the cache. What follows
// from an overlay is not kept: each edit makes another.
func (s *session) kept() query.Kept { return kept{s.cache, s.index.Digest().String()} }

type kept struct {
	cache *fetch.Cache
	index string // digest
}

func (k kept) Derived(name string) []byte       { return k.cache.Derived(name + " of index " + k.index) }
func (k kept) Keep(name string, content []byte) { k.cache.Keep(name+" of index "+k.index, content) }

// Index opens the index of the commit that was asked for, without what the
// working tree adds to it. It must be closed.
func (a *App) Index(ctx context.Context) (*artifact.Index, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if s.distance > 0 {
		return nil, errors.Join(fail.New(fail.NoIndex, "compile the commit with pindex compile",
			"there is no index of %s itself", short(s.asked)), s.index.Close())
	}
	return s.index, nil
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

// openIndex opens the commit's index, or what stands in for it under another
// profile.
func (a *App) openIndex(ctx context.Context, store registry.Store, cache *fetch.Cache, commit string) (*artifact.Index, error) {
	return fetch.Open(ctx, store, cache, commit, fetch.OpenOptions{Only: a.noteOnly})
}

func (a *App) noteOnly(tag string, of int) {
	if of > 1 {
		a.Note("using %s, which has all that the commit's %d indexes have; none is under its own tag", tag, of)
		return
	}
	a.Note("using the commit's only index, %s, which was made with chosen views or settings", tag)
}

// wanting reports whether an index leaves out files that the clone at hand may
// have: it was made of a partial clone. Where that is this one, it is said.
func (a *App) wanting(ix *artifact.Index) bool {
	gaps := ix.Manifest().Profile.Gaps()
	if gaps == 0 {
		return false
	}
	l, err := git.FindLayout(a.repoDir)
	whole := err == nil && !l.Partial
	what := "the clone that it was made of lacks them"
	if !whole {
		what += "; 'git fetch --refetch --no-filter' and 'pindex compile' bring them in"
	}
	a.Note("no answer of this index has %s of the commit: %s", count(gaps, "file"), what)
	return whole
}

// openNear opens the commit's index. Where HEAD is meant and has none, and
// ancestors may stand in, that is the nearest one whose index was pulled before:
// distance tells how many first-parent steps before the commit it is.
func (a *App) openNear(ctx context.Context, store registry.Store, cache *fetch.Cache, commit string, ancestors bool) (ix *artifact.Index, use string, distance int, err error) {
	ancestors = ancestors && a.rev == ""
	if ancestors && fetch.Near(store, cache, commit) != "" {
		// 'pull --max-distance' has looked for something nearer already.
		if use, distance = a.pulledAncestor(ctx, store, cache, commit); distance > 0 {
			if ix, err = a.openIndex(ctx, store, cache, use); err == nil {
				return ix, use, distance, nil
			}
		}
	}
	ix, err = a.openIndex(ctx, store, cache, commit)
	if code := fail.CodeOf(err); !ancestors || code != fail.NoIndex && code != fail.Network {
		return ix, commit, 0, err
	}
	if use, distance = a.pulledAncestor(ctx, store, cache, commit); distance > 0 {
		if ix, err1 := a.openIndex(ctx, store, cache, use); err1 == nil {
			return ix, use, distance, nil
		}
	}
	return nil, commit, 0, err
}

// nearEnough bounds how far back a pulled index is looked for that nobody has
// named.
const nearEnough = 100

// pulledAncestor returns the nearest first-parent ancestor of the commit whose
// index was pulled before, and how far back it is; 0 for none.
func (a *App) pulledAncestor(ctx context.Context, store registry.Store, cache *fetch.Cache, commit string) (string, int) {
	near, limit := fetch.Near(store, cache, commit), nearEnough
	if near != "" {
		limit = maxDistance
	}
	repo, err := a.History(ctx)
	if err != nil {
		return "", 0
	}
	defer repo.Close()
	id, err := gitobj.ParseID(commit)
	if err != nil {
		return "", 0
	}
	for distance := range limit + 1 {
		if c := id.String(); distance > 0 && (c == near || fetch.Known(store, cache, c)) {
			return c, distance
		}
		c, err := repo.ReadCommit(ctx, id)
		if err != nil || len(c.Parents) == 0 {
			break
		}
		id = c.Parents[0]
	}
	return "", 0
}

// History opens the repository to read commits, by the small reader where it
// can: nothing of it is kept open.
func (a *App) History(ctx context.Context) (git.Repository, error) {
	if m, err := git.OpenMinimal(ctx, a.repoDir); err == nil {
		return m, nil
	}
	return git.Open(ctx, a.repoDir, git.Options{Embedded: a.Embedded})
}

// withSession opens the asked commit's index, works on it, and closes it. A
// fault while reading a mapped file is an error; what the cache could not do
// is said at the end, when it is known.
func (a *App) withSession(ctx context.Context, fn func(*session) error) error {
	a.oneShot = true
	a.placeGlobs()
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	err = fetch.Guard(func() error { return fn(s) })
	for _, n := range s.cache.Notes() {
		a.Note("%s", n)
	}
	if a.ends {
		return err // the system unmaps all at once what Close would unmap one by one
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
	return a.openIndex(ctx, store, cache, commit)
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
func (s *session) freshness() query.Freshness { return s.fresh }

// freshness is that of an index which is some first-parent steps before what was
// asked for, and from which some files differ.
func freshness(distance, files int) query.Freshness {
	f := query.Freshness{State: stateExact, Distance: distance, Files: files}
	switch {
	case files > 0:
		f.State = statePartial
	case distance > 0:
		f.State = stateBase
	}
	return f
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// questions is what an engine asks for the vectors of questions; nil for none.
func (a *App) questions() func(context.Context, *embed.Remote, []string) ([][]int8, error) {
	if a.Questions == nil {
		return func(_ context.Context, m *embed.Remote, _ []string) ([][]int8, error) {
			return nil, fail.New(fail.NotFound, "use the full program, with PINDEX_EMBEDDER set", "%s asks no server", a.Name)
		}
	}
	return a.Questions()
}
