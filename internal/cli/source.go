package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/lateregexp"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) outlineCmd() *command.Command {
	return &command.Command{
		Use:   "outline PATH",
		Short: "What a file or folder declares",
		Example: `  pindex outline src/flask/app.py
  pindex outline internal/ --json`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				r, err := s.engine.Outline(c.Context(), a.treePath(args[0]))
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Results), r, func(out *output) { writeOutline(out, r) })
			})
		},
	}
}

func writeOutline(o *output, r *query.OutlineResult) {
	o.head(r.Header, "%d of %d entries", len(r.Results), r.Total)
	for _, e := range r.Results {
		o.print("%s", strings.Repeat("  ", e.Depth))
		if e.Depth == 0 {
			o.print("%s", o.name(e.FilePath()))
			for _, s := range []string{e.Lang, e.Skipped, e.Degraded} {
				if s != "" {
					o.print("  [%s]", s)
				}
			}
			o.print("\n")
			continue
		}
		o.print("%d-%d  %s %s\n", e.StartLine, e.EndLine, e.Kind, o.name(e.Name))
	}
}

func (a *App) showCmd() *command.Command {
	return &command.Command{
		Use:   "show PATH[:A-B]",
		Short: "Verbatim lines of the commit",
		Long: `Verbatim lines of the commit, byte for byte and without numbers, so that the
output of a whole file is the file. A-B are line numbers from 1, both included;
A alone is one line, A- goes on to the end.`,
		Example: `  pindex show src/flask/app.py:100-140
  pindex show README.md --commit v2.0`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			args[0] = a.treePath(args[0])
			path, from, to, err := lineRange(args[0])
			if err != nil {
				return err
			}
			return a.withSession(c.Context(), func(s *session) error {
				if from != 0 {
					// A path may itself end in what looks like a range.
					if _, _, ok, err := s.answering().FindFile(args[0]); err != nil {
						return err
					} else if ok {
						path, from, to = args[0], 0, 0
					}
				}
				r, err := s.engine.Show(c.Context(), path, from, to)
				if err != nil && s.deleted(path) {
					return fail.New(fail.NotFound, "show it as the commit has it with --commit HEAD", "%q is deleted in the working tree", path)
				}
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				a.Note("commit %s %s: %s lines %d-%d of %d", short(r.Commit), r.Freshness.State, r.FilePath(), r.StartLine, r.EndLine, r.Lines)
				return a.answer(r, func(out *output) {
					if !out.terminal {
						out.w.Write(r.Bytes())
						return
					}
					for _, l := range lines(r.Bytes()) {
						out.print("%s\n", Visible(strings.TrimSuffix(string(l), "\r")))
					}
				})
			})
		},
	}
}

var rangeSuffix = lateregexp.Regexp{Expr: `:([0-9]+)(-([0-9]*))?$`}

// lineRange splits PATH[:A-B]. Without a range from and to are 0; an open end
// is to 0.
func lineRange(s string) (path string, from, to int, err error) {
	m := rangeSuffix.Get().FindStringSubmatchIndex(s)
	if m == nil {
		return s, 0, 0, nil
	}
	num := func(a, b int) (int, error) {
		n, err := strconv.Atoi(s[a:b])
		if err == nil && n < 1 {
			err = errors.New("lines count from 1")
		}
		return n, err
	}
	if from, err = num(m[2], m[3]); err == nil {
		switch {
		case m[4] < 0:
			to = from
		case m[6] < m[7]:
			to, err = num(m[6], m[7])
		}
	}
	if err == nil && to != 0 && to < from {
		err = errors.New("the end comes before the start")
	}
	if err != nil {
		return "", 0, 0, fail.Wrap(fail.Usage, err, "write it as PATH:A-B, such as main.go:10-20", "line range of %q", s)
	}
	return s[:m[0]], from, to, nil
}
