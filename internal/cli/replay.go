package cli

import (
	"context"
	"errors"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

func (a *App) replayCmd() *command.Command {
	var requery bool
	c := &command.Command{
		Use:   "replay RECEIPT",
		Short: "The bundle of a receipt again, byte for byte",
		Long: `The bundle of a receipt again, byte for byte, from the index of its commit or,
where that is gone, from the repository's blobs. Nothing is ranked, so that it
does not matter what has changed in the ranking since.

With --requery the question is asked anew, of the same commit with the same
budget, and what differs from the receipt is said.`,
		Example: `  pindex replay routes.receipt
  pindex replay routes.receipt --requery --json`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			if a.rev != "" {
				return fail.New(fail.Usage, "leave --commit out", "the receipt names its commit")
			}
			r, err := readReceipt(args[0])
			if err != nil {
				return err
			}
			if requery {
				return a.requery(c.Context(), r)
			}
			return a.replay(c.Context(), r)
		},
	}
	c.Flags().BoolVar(&requery, "requery", false, "ask the question anew and say what differs")
	return c
}

func (a *App) replay(ctx context.Context, r *bundle.Receipt) error {
	t := texts{a: a, r: r}
	var out []byte
	err := fetch.Guard(func() error {
		var err error
		_, out, err = bundle.Replay(r, func(path string, blob gitobj.ID) ([]byte, error) { return t.read(ctx, path, blob) })
		return err
	})
	if err := errors.Join(err, t.close()); err != nil {
		return err
	}
	a.Note("commit %s %s: %d tokens at most (%s), as on the receipt", short(r.Head.Commit), r.Head.State, r.Tokens, r.Counter)
	return a.writeBundle(out)
}

// texts reads blobs for a replay: from the index of the receipt's commit, else
// from the repository.
type texts struct {
	a      *App
	r      *bundle.Receipt
	tried  bool
	index  *artifact.Index // nil where there is none
	why    error           // why not
	blobs  git.BlobReader
	opened bool
}

func (t *texts) read(ctx context.Context, path string, blob gitobj.ID) ([]byte, error) {
	if !t.tried {
		t.tried = true
		store, err := t.a.answering()
		if err == nil {
			t.index, err = t.a.openIndex(ctx, store, t.a.Cache(), t.r.IndexCommit)
		}
		if t.why = err; err != nil {
			if c := fail.CodeOf(err); c != fail.NoIndex && c != fail.Network {
				return nil, err
			}
			t.a.Note("there is no index of %s here; reading the repository's blobs", short(t.r.IndexCommit))
		}
	}
	if t.index != nil {
		text, ok, err := contentAt(t.index, path, blob)
		if ok || err != nil {
			return text, err
		}
	}
	return t.fromGit(ctx, path, blob)
}

// contentAt returns the text at a path, where the index has that blob there.
func contentAt(ix *artifact.Index, path string, blob gitobj.ID) ([]byte, bool, error) {
	p, f, ok, err := ix.FindFile(path)
	if err != nil || !ok {
		return nil, false, err
	}
	u, err := ix.Units(p)
	if err != nil || u.Blob(f) != blob || u.Skip(f) != artifact.SkipNone {
		return nil, false, err
	}
	src, err := ix.Source(p)
	if errors.Is(err, artifact.ErrViewAbsent) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return src.Content(f), true, nil
}

func (t *texts) fromGit(ctx context.Context, path string, blob gitobj.ID) ([]byte, error) {
	missing := func(err error) error {
		what := "neither the index nor the repository has the blob %s of %s; the receipt is of commit %s"
		if t.index != nil {
			what = "the index does not have the blob %s of %s, nor has the repository; the receipt is of commit %s"
		}
		return fail.Wrap(fail.NoIndex, err, "run this in the receipt's repository with that commit fetched, or name the store that has its index with --store",
			what, blob, Visible(path), t.r.Head.Commit)
	}
	if !t.opened {
		t.opened = true
		repo, err := t.a.Repo(ctx)
		if err != nil {
			return nil, missing(errors.Join(t.why, err))
		}
		if t.blobs, err = repo.Blobs(ctx); err != nil {
			return nil, err
		}
	}
	if t.blobs == nil {
		return nil, missing(t.why)
	}
	text, err := t.blobs.Read(blob, nil)
	if errors.Is(err, git.ErrMissing) || fail.CodeOf(err) == fail.NotFound {
		return nil, missing(err)
	}
	return text, err
}

func (t *texts) close() error {
	var errs []error
	if t.index != nil {
		errs = append(errs, t.index.Close())
	}
	if t.blobs != nil {
		errs = append(errs, t.blobs.Close())
	}
	return errors.Join(errs...)
}

func (a *App) requery(ctx context.Context, r *bundle.Receipt) error {
	a.rev = r.Head.Commit
	o := r.Options
	o.Query = r.Query()
	return a.withSession(ctx, func(s *session) error {
		_, _, now, err := a.bundleOf(ctx, s, o, r.Budget, r.Format)
		if err != nil {
			return err
		}
		return a.printChanges(r, now)
	})
}
