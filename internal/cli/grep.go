package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) grepCmd() *command.Command {
	var o query.GrepOptions
	c := &command.Command{
		Use:   "grep REGEX [PATH...]",
		Short: "Every line of the commit that matches, verified on the source",
		Long: `Every line of the commit that matches, verified on the source, none missed.

REGEX has RE2's syntax and is applied to each line. PATH is a file or a folder,
or a glob like that of --path where it holds a star. Files whose content is not
in the index (binary, too large, ...) are counted and named by reason.`,
		Example: `  pindex grep 'TODO\(.*\)'
  pindex grep -F 'fmt.Errorf("%w"' --path 'internal/**' -C 2`,
		Args: func(_ *command.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("one regular expression is needed")
			case len(args) > 1 && o.PathGlob != "":
				return errors.New("a PATH and --path exclude each other")
			}
			return nil
		},
		RunE: func(c *command.Command, args []string) error {
			if len(args) > 1 {
				o.PathGlob = a.pathsGlob(args[1:])
			}
			return a.withSession(c.Context(), func(s *session) error {
				o.Pattern = args[0]
				r, err := a.grep(c.Context(), s, o)
				if err != nil {
					return err
				}
				a.noteGrep(r, o)
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
	a.pathVar(f, &o.PathGlob, "only files that match this `GLOB` (** crosses folders)")
	f.StringVar(&o.Lang, "lang", "", "only files in this language")
	f.IntVarP(&o.MaxResults, "k", "k", 0, "lines at most; 0 is all")
	f.IntVarP(&o.Context, "context", "C", 0, "lines of context on each side")
	// What hands type after grep: it says what is so here anyway.
	var so bool
	for _, habit := range [][2]string{{"line-number", "n"}, {"recursive", "r"}, {"dereference-recursive", "R"}, {"extended-regexp", "E"},
		{"with-filename", "H"}, {"binary-files-without-match", "I"}, {"no-messages", "s"}, {"perl-regexp", "P"}} {
		f.BoolVarP(&so, habit[0], habit[1], false, "")
	}
	return c
}

// grepHint is the remedy where grep has a flag that we have not.
const grepHint = "lines come with path and number from the whole commit; PATH or --path 'GLOB' limits the files, -C gives context, -k bounds the lines"

// pathsGlob is the glob of files and folders that were named after the pattern.
func (a *App) pathsGlob(paths []string) string {
	alts := make([]string, len(paths))
	for i, p := range paths {
		p = a.treePath(p)
		special := `\[]{},?`
		if strings.Contains(p, "*") {
			special = "," // that would end an alternative
		}
		alts[i] = "/" + literal(strings.TrimPrefix(p, "/"), special) // from the root, as everywhere
	}
	return "{" + strings.Join(alts, ",") + "}"
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

func (a *App) noteGrep(r *query.GrepResult, o query.GrepOptions) {
	more := ""
	if r.Truncated {
		more = ", not all of them shown"
	}
	a.Note("commit %s %s: %s in %s%s", short(r.Commit), r.Freshness.State, count(r.Total, "matching line"), count(r.Files, "file"), more)
	switch {
	case r.Total > 0:
	case r.Searched == 0 && len(r.NotSearched) == 0 && o.PathGlob != "":
		a.Note("no file of the commit lies there; paths are from the root of the repository")
	case !o.Literal && strings.Contains(r.Pattern, `\|`):
		a.Note(`\| is the character itself in RE2; write a|b for either of two`)
	}
	for _, reason := range sortedKeys(r.NotSearched) {
		a.Note("not searched: %s (%s)", count(r.NotSearched[reason], "file"), reason)
	}
}
