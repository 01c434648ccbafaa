package cli

import (
	"context"
	"errors"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// compared is an answer about two indexes.
type compared struct {
	Schema string `json:"schema"`
	From   string `json:"from"` // commit
	To     string `json:"to"`
	// Uncommitted counts the files of the working tree that differ from To,
	// where that is HEAD: they have no part in the answer.
	Uncommitted int `json:"uncommitted,omitempty"`
	query.Comparison
}

const (
	schemaDiff = "pindex.diff/0"
	schemaLog  = "pindex.log/0"
)

func (a *App) diffCmd() *command.Command {
	var o query.CompareOptions
	c := &command.Command{
		Use:   "diff A [B]",
		Short: "The declarations that differ between the indexes of two commits",
		Long: `The declarations that appeared, changed or vanished from commit A to commit B
(default: HEAD); what is not committed has no part in it. One that has no index
yet is compiled first. Only the segments that the two indexes do not share are
opened.`,
		Example: `  pindex diff v2.0 v2.1
  pindex diff HEAD~5 --symbol Flask.url_for --json`,
		Args: command.RangeArgs(1, 2),
		RunE: func(c *command.Command, args []string) error {
			ctx := c.Context()
			var commits [2]string
			for i := range commits {
				rev := "HEAD"
				if i < len(args) {
					rev = args[i]
				}
				var err error
				if commits[i], err = a.resolveRev(ctx, rev); err != nil {
					return err
				}
			}
			uncommitted, err := a.uncommitted(ctx, commits[1])
			if err != nil {
				return err
			}
			return a.withIndexes(ctx, commits[:], func(ix []*artifact.Index) error {
				r, err := query.Compare(ctx, ix[0], ix[1], o)
				if err != nil {
					return err
				}
				ans := compared{schemaDiff, commits[0], commits[1], uncommitted, *r}
				return a.found(len(r.Symbols), ans, func(out *output) {
					out.print("# commit %s to %s: %d appeared, %d changed, %d vanished; %d of %d segments shared\n", short(ans.From), short(ans.To),
						r.Appeared, r.Changed, r.Vanished, r.Shared, r.Segments)
					if ans.From == ans.To {
						out.print("# that is the same commit twice\n")
					}
					if uncommitted > 0 {
						out.print("# %s in the working tree, not part of this: diff compares commits\n", count(uncommitted, "changed file"))
					}
					out.changes(r.Symbols)
				})
			})
		},
	}
	c.Flags().StringVar(&o.Symbol, "symbol", "", "only declarations of this `NAME`, qualified or not")
	c.Flags().CountVar(&o.K, 200, "declarations listed at most")
	return c
}

func (o *output) changes(cs []query.SymbolChange) {
	for _, c := range cs {
		o.print("%-8s  %s:%d  %s %s", c.Change, o.name(c.FilePath()), c.NameLine, c.Kind, o.name(c.Symbol))
		if c.Was != "" {
			o.print("  (from %s)", o.name(c.Was))
		}
		o.print("\n")
	}
}

// logEntry is one commit in which a symbol differs from the indexed commit
// before it.
type logEntry struct {
	Commit  string               `json:"commit"`
	Before  string               `json:"before,omitempty"` // the indexed commit before it; none for the oldest
	Gap     int                  `json:"gap"`              // commits between the two that have no index
	Symbols []query.SymbolChange `json:"symbols"`
}

type logAnswer struct {
	Schema  string     `json:"schema"`
	Symbol  string     `json:"symbol"`
	Indexed int        `json:"indexed"`   // commits that were compared
	Looked  int        `json:"looked_at"` // commits, with and without an index
	Results []logEntry `json:"results"`
}

// maxLog bounds the commits that 'log' looks at.
const maxLog = 10000

func (a *App) logCmd() *command.Command {
	n := 0
	c := &command.Command{
		Use:   "log SYMBOL",
		Short: "When a symbol appeared, changed or vanished, by the indexes of successive commits",
		Long: `When a symbol appeared, changed or vanished, newest first, along the first
parents of --commit (default: HEAD). Commits without an index are passed over,
and said to be. Only segments that differ from one index to the next are opened.`,
		Example: `  pindex log Flask.url_for
  pindex log Engine.ServeHTTP -n 500 --json`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			if n < 1 || n > maxLog {
				return fail.New(fail.Usage, "look at fewer commits", "-n is %d, not in 1 to %d", n, maxLog)
			}
			ans, err := a.symbolLog(c.Context(), args[0], n)
			if err != nil {
				return err
			}
			if ans.Indexed == 1 {
				a.Note("of the %s looked at only one has an index, and there is none to compare it with; compile an earlier one with pindex compile REV, or look further back with -n",
					count(ans.Looked, "commit"))
			}
			return a.found(len(ans.Results), ans, func(out *output) {
				out.print("# %s: %s of %d looked at\n", out.text(ans.Symbol), count(ans.Indexed, "indexed commit"), ans.Looked)
				for _, e := range ans.Results {
					out.print("commit %s", e.Commit)
					if e.Gap > 0 {
						out.print("  (or one of the %s before it, which have no index)", count(e.Gap, "commit"))
					}
					out.print("\n")
					out.changes(e.Symbols)
				}
			})
		},
	}
	c.Flags().IntVarP(&n, "n", "n", 100, "commits to look at")
	return c
}

// symbolLog compares each indexed commit with the one before it.
func (a *App) symbolLog(ctx context.Context, symbol string, n int) (*logAnswer, error) {
	commit, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := a.firstParents(ctx, commit, n-1)
	if err != nil {
		return nil, err
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	ans := &logAnswer{Schema: schemaLog, Symbol: symbol, Looked: len(commits), Results: []logEntry{}}
	rest := commits
	var now *artifact.Index
	var nowCommit string
	defer func() {
		if now != nil {
			now.Close()
		}
	}()
	for gap := 0; len(rest) > 0; {
		at, err := fetch.Nearest(ctx, store, rest)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			break
		}
		gap += at
		old, err := a.openIndex(ctx, store, a.Cache(), rest[at])
		if err != nil {
			return nil, err
		}
		ans.Indexed++
		oldCommit := rest[at]
		rest = rest[at+1:]
		if now != nil {
			r, err := query.Compare(ctx, old, now, query.CompareOptions{Symbol: symbol, K: 1000})
			if err != nil {
				return nil, errors.Join(err, old.Close())
			}
			if len(r.Symbols) > 0 {
				ans.Results = append(ans.Results, logEntry{Commit: nowCommit, Before: oldCommit, Gap: gap, Symbols: r.Symbols})
			}
			if err := now.Close(); err != nil {
				return nil, err
			}
		}
		now, nowCommit, gap = old, oldCommit, 0
	}
	if now == nil {
		return nil, fail.New(fail.NoIndex, "compile some of them with pindex compile REV", "%s has no index of %s or of the %s before it",
			store.Name(), short(commit), count(len(commits)-1, "commit"))
	}
	return ans, nil
}

// withIndexes opens the indexes of several commits.
func (a *App) withIndexes(ctx context.Context, commits []string, fn func([]*artifact.Index) error) (err error) {
	store, err := a.Store()
	if err != nil {
		return err
	}
	var list []*artifact.Index
	defer func() {
		for _, ix := range list {
			err = errors.Join(err, ix.Close())
		}
	}()
	for _, commit := range commits {
		ix, err := a.openIndex(ctx, store, a.Cache(), commit)
		if fail.CodeOf(err) == fail.NoIndex && a.compiles(store) {
			ix, err = a.compileAndOpen(ctx, store, a.Cache(), commit)
		}
		if e := (*fail.Error)(nil); fail.CodeOf(err) == fail.NoIndex && errors.As(err, &e) {
			return fail.Wrap(fail.NoIndex, e.Err, "compile it with pindex compile "+short(commit), "%s", e.What)
		}
		if err != nil {
			return err
		}
		list = append(list, ix)
	}
	return fetch.Guard(func() error { return fn(list) })
}

// uncommitted counts the files of the working tree that differ from a commit,
// where that is HEAD.
func (a *App) uncommitted(ctx context.Context, commit string) (int, error) {
	l, err := git.FindLayout(a.repoDir)
	if err != nil || l.WorkTree == "" {
		return 0, nil
	}
	if head, err := a.resolveRev(ctx, "HEAD"); err != nil || head != commit {
		return 0, nil
	}
	tree, err := a.commitTree(ctx, commit)
	if err != nil {
		return 0, err
	}
	changes, _, err := git.NewFollower(a.repoDir, git.Options{}).Changes(ctx, tree, maxUntracked)
	return len(changes), err
}
