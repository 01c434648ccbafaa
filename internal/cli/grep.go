package cli

import (
	"context"
	"errors"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) grepCmd() *command.Command {
	var o query.GrepOptions
	c := &command.Command{
		Use:   "grep REGEX",
		Short: "Every line of the commit that matches, verified on the source",
		Long: `Every line of the commit that matches, verified on the source, none missed.

REGEX has RE2's syntax and is applied to each line. Files whose content is not
in the index (binary, too large, ...) are counted and named by reason.`,
		Example: `  pindex grep 'TODO\(.*\)'
  pindex grep -F 'fmt.Errorf("%w"' --path 'internal/**' -C 2`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Pattern = args[0]
				r, err := a.grep(c.Context(), s, o)
				if err != nil {
					return err
				}
				a.noteGrep(r)
				if r.Total == 0 {
					return nothing()
				}
				return nil
			})
		},
	}
	f := c.Flags()
	f.BoolVarP(&o.Literal, "fixed", "F", false, "REGEX is a plain text")
	f.BoolVarP(&o.IgnoreCase, "ignore-case", "i", false, "upper and lower case are the same")
	f.BoolVarP(&o.Word, "word", "w", false, "matches begin and end at word boundaries")
	f.StringVar(&o.PathGlob, "path", "", "only files that match this `GLOB` (** crosses folders)")
	f.StringVar(&o.Lang, "lang", "", "only files in this language")
	f.IntVarP(&o.MaxResults, "k", "k", 0, "lines at most; 0 is all")
	f.IntVarP(&o.Context, "context", "C", 0, "lines of context on each side")
	return c
}

// grep answers as JSON from memory, and as text while it searches, so that a
// million matching lines cost no memory.
func (a *App) grep(ctx context.Context, s *session, o query.GrepOptions) (*query.GrepResult, error) {
	if a.json {
		r, err := s.engine.Grep(ctx, o)
		if err != nil {
			return nil, err
		}
		r.Freshness = s.freshness()
		return r, a.answer(r, nil)
	}
	out := a.output()
	last := -1 // lines of context behind the hit before; -1 in front of the first
	r, err := s.engine.GrepEach(ctx, o, func(h *query.GrepHit) error {
		if last >= 0 && len(h.Before)+len(h.After)+last > 0 {
			out.print("--\n")
		}
		last = len(h.After)
		return out.grepHit(h)
	})
	if err := errors.Join(err, out.close()); err != nil {
		return nil, err
	}
	r.Freshness = s.freshness()
	return r, nil
}

// grepHit keeps grep's own form, so that what reads grep reads this.
func (o *output) grepHit(h *query.GrepHit) error {
	path := o.name(h.FilePath())
	for j, b := range h.Before {
		o.print("%s-%d-%s\n", path, h.StartLine-len(h.Before)+j, o.text(string(b.Bytes())))
	}
	o.print("%s:%d:", path, h.StartLine)
	o.w.WriteString(o.text(string(h.Bytes())))
	err := o.w.WriteByte('\n') // an earlier error of the writer comes back here
	for j, b := range h.After {
		o.print("%s-%d-%s\n", path, h.StartLine+1+j, o.text(string(b.Bytes())))
	}
	return written(err)
}

func (a *App) noteGrep(r *query.GrepResult) {
	more := ""
	if r.Truncated {
		more = ", not all of them shown"
	}
	a.Note("commit %s %s: %s in %s%s", short(r.Commit), r.Freshness.State, count(r.Total, "matching line"), count(r.Files, "file"), more)
	for _, reason := range sortedKeys(r.NotSearched) {
		a.Note("not searched: %s (%s)", count(r.NotSearched[reason], "file"), reason)
	}
}
