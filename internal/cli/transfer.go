package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

// Schemas of what moves indexes.
const (
	schemaPull = "pindex.pull/0"
	schemaCopy = "pindex.copy/0"
)

type pullAnswer struct {
	Schema     string `json:"schema"`
	Asked      string `json:"asked"`    // the commit that was asked for
	Commit     string `json:"commit"`   // the commit whose index was pulled
	Distance   int    `json:"distance"` // first-parent steps from the one to the other
	Digest     string `json:"digest"`
	Store      string `json:"store"`
	Partitions int    `json:"partitions"`
	Fetched    int    `json:"fetched"` // packs that had to be read, whole or in part
	Bytes      int64  `json:"bytes"`   // of those, as they travelled
	Tag        string `json:"tag"`
	OCIDigest  string `json:"oci_digest"` // of the OCI manifest: transport
	Size       int64  `json:"size_bytes"` // of the whole index, as it travels
	Segments   int    `json:"segments"`   // of the whole index
}

type pullFlags struct {
	views    []string
	distance int
	wait     time.Duration
	locked   bool
	write    bool
}

func (a *App) pullCmd() *command.Command {
	var f pullFlags
	c := &command.Command{
		Use:   "pull [REV]",
		Short: "Verify a commit's index and bring it into the cache, so that it opens without the store",
		Long: `Bring the index of a commit (default: HEAD) into the cache, verified, so that it
opens without the store. With --wait, an index that is still being built is
waited for; with --max-distance, the nearest first-parent ancestor that has one
is taken instead. Exit code 3 names what was tried.

With --views, only those views travel: of a registry's packs, as much as they
need is read by Range. Source positions and text need the source view.

--write-lock records what was pulled in .pindex.lock, at the root of the working
tree; --locked pulls that and nothing else, whatever a tag holds by then. A lock
file says what is accepted, never where to look for it: the store is the one that
--store and your settings name. Exit code 4 means that the store has another
index of that commit or the lock file is not as pindex writes it, 3 that it has
none.`,
		Example: `  pindex pull --store ghcr.io/owner/repository/pindex
  pindex pull --wait 10m --max-distance 20
  pindex pull v2.0 --write-lock`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error {
			ans, err := a.pull(c.Context(), f, args)
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) {
				o.print("pulled %s\ndigest %s\nstore  %s, %d of %d packs fetched\n", ans.Commit, ans.Digest, o.name(ans.Store), ans.Fetched, ans.Partitions)
				if ans.Distance > 0 {
					o.print("of an ancestor, %s before %s\n", count(ans.Distance, "commit"), ans.Asked)
				}
			})
		},
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.views, "views", nil, "`VIEWS` to bring: source, lexical, dense, structural (default: all); others are fetched when they are needed")
	fl.IntVar(&f.distance, "max-distance", 0, "take the index of the nearest first-parent ancestor, at most `N` steps back")
	fl.BoolVar(&f.locked, "locked", false, "pull the index that .pindex.lock names, or none")
	fl.BoolVar(&f.write, "write-lock", false, "write what was pulled to .pindex.lock")
	fl.DurationVar(&f.wait, "wait", 0, "wait up to `DURATION` for the commit's own index, such as 90s or 10m")
	return c
}

// maxDistance bounds --max-distance: each step may cost a request.
const maxDistance = 1000

func (a *App) pull(ctx context.Context, f pullFlags, args []string) (*pullAnswer, error) {
	if f.distance < 0 || f.distance > maxDistance || f.wait < 0 {
		return nil, fail.New(fail.Usage, fmt.Sprintf("--max-distance takes 0 to %d, --wait a duration such as 10m", maxDistance), "--max-distance %d or --wait %s is out of range", f.distance, f.wait)
	}
	opt, err := viewOptions(f.views)
	if err != nil {
		return nil, err
	}
	if _, err := a.Revision(args); err != nil {
		return nil, err
	}
	var lock *fetch.Lock
	if f.locked {
		if lock, err = a.readLock(ctx, f); err != nil {
			return nil, err
		}
		a.rev, opt.Index, opt.Profile = lock.Commit, lock.Digest, lock.Profile
	}
	commit, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	candidates := []string{commit}
	if f.distance > 0 {
		repo, err := a.Repo(ctx)
		if err != nil {
			return nil, err
		}
		id, err := gitobj.ParseID(commit)
		if err != nil {
			return nil, fail.Wrap(fail.Internal, err, "", "%s is no commit", commit)
		}
		candidates = Ancestors(ctx, repo, id, f.distance)
	}
	at := 0
	if f.wait > 0 || f.distance > 0 { // else Pull itself finds out
		if at, err = a.await(ctx, store, candidates, f.wait); err != nil {
			return nil, err
		}
	}
	none := at < 0
	if none {
		at = 0 // it may have one under another profile
	}
	tag := ""
	if lock == nil {
		opt.Only = func(only string) { tag = only; a.noteOnly(only) }
	}
	out, err := fetch.Pull(ctx, store, a.Cache(), candidates[at], opt, nil)
	if fail.CodeOf(err) == fail.NoIndex && (lock == nil || none) {
		return nil, lockHint(noIndex(store, candidates, &f, fetch.Profiles(ctx, store, commit)), lock, store)
	}
	if err != nil {
		return nil, lockHint(err, lock, store)
	}
	near := ""
	if at > 0 {
		near = out.Commit // what is asked about HEAD is answered from there
	}
	fetch.SetNear(store, a.Cache(), commit, near)
	if f.write {
		if err := a.writeLock(out, store); err != nil {
			return nil, err
		}
	}
	return &pullAnswer{
		Schema: schemaPull, Asked: commit, Commit: out.Commit, Distance: at, Digest: out.Digest.String(), Store: store.Name(),
		Partitions: out.Partitions, Fetched: out.Unpacked, Bytes: out.Bytes,
		Tag: cmp.Or(tag, registry.CommitTag(out.Commit)), OCIDigest: string(out.Artifact.Descriptor.Digest),
		Size: out.Artifact.TravelSize(), Segments: out.Segments,
	}, nil
}

// The waits between two looks at a store whose index is still being built.
const (
	firstPoll = time.Second
	lastPoll  = 30 * time.Second
)

// await returns which of the commits has an index: the first one, if it gets
// one within the time, else the nearest; -1 for none.
func (a *App) await(ctx context.Context, store registry.Store, commits []string, patience time.Duration) (int, error) {
	deadline := time.Now().Add(patience)
	for poll := firstPoll; ; poll = min(poll*3/2, lastPoll) {
		left := time.Until(deadline)
		if patience == 0 || left <= 0 {
			return fetch.Nearest(ctx, store, commits)
		}
		at, err := fetch.Nearest(ctx, store, commits[:1])
		if err != nil || at == 0 {
			return at, err
		}
		if poll == firstPoll {
			a.Note("no index of %s yet; waiting up to %s", short(commits[0]), patience)
		}
		// Jitter, because everybody who waits began with the same push.
		timer := time.NewTimer(min(poll/2+rand.N(poll), left))
		select {
		case <-ctx.Done():
			timer.Stop()
			return -1, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// noIndex is the error of a commit without an index; it names what was tried. f
// is nil where there is no waiting and no other commit will do.
// profiles are the tags under which the store has other indexes of the commit.
func noIndex(store registry.Store, tried []string, f *pullFlags, profiles []string) error {
	what := tried[0]
	if len(tried) > 1 {
		what += fmt.Sprintf(" nor of %s before it", count(len(tried)-1, "commit"))
		shown := tried[1:min(len(tried), 6)]
		names := make([]string, len(shown))
		for i, c := range shown {
			names[i] = short(c)
		}
		what += " (" + strings.Join(names, ", ")
		if len(shown) < len(tried)-1 {
			what += ", …"
		}
		what += ")"
	}
	remedy := "build it with pindex compile, name another store with --store"
	if f == nil {
		remedy += ", copy another commit's with --commit, or every one with --all"
	}
	if f != nil && f.wait == 0 {
		remedy += ", wait for it with --wait"
	}
	if f != nil && (len(tried) <= f.distance || f.distance == 0) {
		remedy += ", allow an ancestor with --max-distance"
		if f.distance > 0 {
			remedy += " in a deeper clone"
		}
	}
	if len(profiles) > 0 {
		remedy = fmt.Sprintf("the store has several of it under other profiles (%s): remove all but one, or %s", strings.Join(profiles, ", "), remedy)
	}
	if r, ok := store.(*registry.Remote); ok {
		remedy += "; " + r.AbsentHint()
	}
	return fail.New(fail.NoIndex, remedy, "%s has no index of %s", store.Name(), what)
}

func viewOptions(names []string) (fetch.OpenOptions, error) {
	var o fetch.OpenOptions
	for _, n := range names {
		v, ok := artifact.ParseView(strings.TrimSpace(n))
		if !ok {
			return o, fail.New(fail.Usage, "use source, lexical, dense and structural, separated by commas", "unknown view %q", n)
		}
		o.Views = append(o.Views, v)
	}
	return o, nil
}

type copyAnswer struct {
	Schema  string     `json:"schema"`
	From    string     `json:"from"`
	To      string     `json:"to"`
	Results []copyItem `json:"results"`
}

type copyItem struct {
	Tag       string `json:"tag"`
	OCIDigest string `json:"oci_digest"`
	Unchanged bool   `json:"unchanged"`
	Blobs     int    `json:"blobs"`             // packs and models that were moved
	Mounted   int    `json:"mounted,omitempty"` // blobs that the registry took over from another repository of its own
	Bytes     int64  `json:"bytes"`             // of those
}

func (a *App) cpCmd() *command.Command {
	var f copyFlags
	c := &command.Command{
		Use:   "cp FROM TO",
		Short: "Copy a commit's index from one store to another, or to one offline file",
		Long: `Copy the index of --commit (default: HEAD), verified, from one store to another.
Each is a registry repository, a folder, or a file that ends in .tar: an OCI
layout in one file, which --store reads without unpacking it. With
--max-distance, the nearest first-parent ancestor's index is copied where the
commit has none, for a compile beside it to take segments over from.`,
		Example: `  pindex cp ghcr.io/owner/repository/pindex ./index
  pindex cp ./index flask.tar --all
  pindex search blueprint --store flask.tar --commit 3a0f2c4e5b6d7a8f9c0b1d2e3f4a5b6c7d8e9f01`,
		Args: command.ExactArgs(2),
		RunE: func(c *command.Command, args []string) error {
			ans, err := a.copy(c.Context(), args[0], args[1], f)
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) {
				for _, r := range ans.Results {
					state := "copied   "
					if r.Unchanged {
						state = "unchanged"
					}
					o.print("%s %s  %d bytes in %s\n", state, r.Tag, r.Bytes, count(r.Blobs, "blob"))
					if r.Mounted > 0 {
						o.print("mounted   %s within the registry\n", count(r.Mounted, "blob"))
					}
				}
				o.print("to        %s\n", o.name(ans.To))
			})
		},
	}
	c.Flags().BoolVar(&f.all, "all", false, "copy every index in the store")
	c.Flags().IntVar(&f.distance, "max-distance", 0, "copy the index of the nearest first-parent ancestor, at most `N` steps back")
	c.Flags().BoolVar(&f.replace, "replace", false, "let tags move, or a file be replaced, that hold something else")
	c.Flags().StringVar(&f.mountFrom, "mount-from", "", MountUsage)
	c.Flags().BoolVar(&f.allowPublic, "allow-public", false, AllowPublicUsage)
	return c
}

type copyFlags struct {
	all, replace, allowPublic bool
	distance                  int
	mountFrom                 string
}

// AllowPublicUsage describes --allow-public.
const AllowPublicUsage = "push to ghcr.io without asking GitHub whether a private repository would become public"

// checkPush refuses to push where that could show a private repository's
// source to anybody.
func (a *App) checkPush(ctx context.Context, to registry.Store) error {
	r, ok := to.(*registry.Remote)
	if !ok || !registry.IsGitHub(r.Host()) {
		return nil
	}
	if a.CheckPush == nil {
		return fail.New(fail.Usage, "use 'pindex cp', or give --allow-public if anybody may read the source in these indexes",
			"this program cannot ask GitHub whether %s is public, so nothing was pushed", to.Name())
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		repo = nil // a copy needs none
	}
	return a.CheckPush(ctx, to, repo)
}

func (a *App) copy(ctx context.Context, fromRef, toRef string, f copyFlags) (*copyAnswer, error) {
	if f.distance < 0 || f.distance > maxDistance || f.distance > 0 && f.all {
		return nil, fail.New(fail.Usage, fmt.Sprintf("--max-distance takes 0 to %d, and not together with --all", maxDistance), "--max-distance %d is out of range", f.distance)
	}
	if err := ambiguousCredentials(fromRef, toRef); err != nil {
		return nil, err
	}
	from, err := a.openStore(fromRef)
	if err != nil {
		return nil, err
	}
	tags, err := a.tagsToCopy(ctx, from, f)
	if err != nil {
		return nil, err
	}
	ans := &copyAnswer{Schema: schemaCopy, From: from.Name(), To: toRef, Results: []copyItem{}}
	if isArchive(toRef) {
		return ans, copyToArchive(ctx, from, toRef, tags, f.replace, ans)
	}
	to, err := a.openStore(toRef)
	if err != nil {
		return nil, err
	}
	ans.To = to.Name()
	if !f.allowPublic {
		if err := a.checkPush(ctx, to); err != nil {
			return nil, err
		}
	}
	for _, tag := range tags {
		if err := a.assumeNear(ctx, to, f.mountFrom, tag, tags); err != nil {
			return nil, err
		}
		out, err := registry.Copy(ctx, from, to, tag, registry.CopyOptions{Replace: f.replace})
		if errors.Is(err, registry.ErrNotFound) {
			return nil, noIndex(from, []string{tag}, nil, nil)
		}
		if err != nil {
			return nil, err
		}
		ans.Results = append(ans.Results, copyItem{out.Tag, string(out.Descriptor.Digest), out.Unchanged, out.Blobs, out.Mounted, out.Bytes})
	}
	return ans, nil
}

// firstParents returns a commit and up to n of its first-parent ancestors.
func (a *App) firstParents(ctx context.Context, commit string, n int) ([]string, error) {
	id, err := gitobj.ParseID(commit)
	if err != nil {
		return nil, err
	}
	repo, err := a.History(ctx)
	if err != nil {
		return nil, err
	}
	return Ancestors(ctx, repo, id, n), repo.Close()
}

// nearToCopy is how far back an index is looked for whose packs a copy need not
// ask about.
const nearToCopy = 16

// assumeNear spares a copy into a registry the questions about what the index of
// the tag's commit there, or of a recent ancestor, holds. Where the commit is in
// no repository at hand, only its own index is looked for. What the
// repository to mount from has of them is mounted.
func (a *App) assumeNear(ctx context.Context, to registry.Store, mountFrom, tag string, beside []string) error {
	t, ok := registry.ParseTag(tag)
	if !ok {
		return nil
	}
	commits, err := a.firstParents(ctx, t.Commit, nearToCopy)
	if err != nil {
		commits = []string{t.Commit}
	}
	// What is copied along may be what the index was made on top of, where the
	// clone is too shallow to know.
	for _, other := range beside {
		if o, ok := registry.ParseTag(other); ok && !slices.Contains(commits, o.Commit) {
			commits = append(commits, o.Commit)
		}
	}
	if err := a.mountNear(ctx, mountFrom, to, commits); err != nil {
		return err
	}
	return fetch.AssumeNearest(ctx, to, commits)
}

// tagsToCopy returns the tag of the asked commit's index, of the nearest one
// that will do, or those of all indexes.
func (a *App) tagsToCopy(ctx context.Context, from registry.Store, f copyFlags) ([]string, error) {
	if !f.all {
		commit, err := a.resolve(ctx)
		if err != nil {
			return nil, err
		}
		candidates := []string{commit}
		if f.distance > 0 {
			if candidates, err = a.firstParents(ctx, commit, f.distance); err != nil {
				return nil, err
			}
		}
		at, err := fetch.Nearest(ctx, from, candidates)
		switch {
		case err != nil:
			return nil, err
		case at >= 0:
			return []string{registry.CommitTag(candidates[at])}, nil
		}
		if only := fetch.OnlyTag(ctx, from, commit); only != "" {
			a.noteOnly(only)
			return []string{only}, nil
		}
		return nil, noIndex(from, candidates, nil, fetch.Profiles(ctx, from, commit))
	}
	list, err := registry.Tags(ctx, from)
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, name := range list {
		if t, ok := registry.ParseTag(name); ok && !t.Report {
			tags = append(tags, name)
		}
	}
	if len(tags) == 0 {
		return nil, fail.New(fail.NotFound, "", "%s has no index", from.Name())
	}
	return tags, nil
}

func copyToArchive(ctx context.Context, from registry.Store, path string, tags []string, replace bool, ans *copyAnswer) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return fail.New(fail.Usage, "name another file, or replace it with --replace", "%s is there already", path)
	}
	err := registry.WriteArchive(ctx, path, from, tags, nil)
	if errors.Is(err, registry.ErrNotFound) {
		return noIndex(from, tags[:1], nil, nil)
	}
	if err != nil {
		return err
	}
	// What was written is read back before it is called done.
	to, err := registry.OpenArchive(path)
	if err != nil {
		return err
	}
	for _, tag := range tags {
		art, _, err := registry.ReadArtifact(ctx, to, tag)
		if err != nil {
			return err
		}
		item := copyItem{Tag: tag, OCIDigest: string(art.Descriptor.Digest), Blobs: len(art.Packs) + len(art.Inputs), Bytes: art.TravelSize()}
		if art.Model != nil {
			item.Blobs++
		}
		ans.Results = append(ans.Results, item)
	}
	return nil
}

// ambiguousCredentials refuses to send the one password in the environment to
// two registries.
func ambiguousCredentials(from, to string) error {
	if os.Getenv("PINDEX_REGISTRY_PASSWORD") == "" || os.Getenv("PINDEX_REGISTRY_HOST") != "" {
		return nil
	}
	if h1, h2 := registry.RemoteHost(from), registry.RemoteHost(to); h1 == "" || h2 == "" || h1 == h2 {
		return nil
	}
	return fail.New(fail.Usage, "say with PINDEX_REGISTRY_HOST which host they are for, and use 'docker login' for the other",
		"PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD are set, and two registries are named")
}
