package cli

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

const schemaPull = "pindex.pull/0"

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
		opt.Only = func(only string, of int) { tag = only; a.noteOnly(only, of) }
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
	if lock != nil {
		if head, err := a.resolveRev(ctx, "HEAD"); err == nil && head != out.Commit {
			a.Note("the lock names %s, and HEAD is %s: what is asked about HEAD is not answered from what was pulled; name it with --commit, or write the lock anew", short(out.Commit), short(head))
		}
	}
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
