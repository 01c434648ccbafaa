package cli

import (
	"cmp"
	"strings"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

type statusAnswer struct {
	*query.StatusResult
	Store   string   `json:"store"`
	Changed []string `json:"changed"` // files of the working tree that differ from the commit
	// With --files: every file that is skipped, or indexed with gaps.
	SkippedFiles []query.SkippedFile `json:"skipped_files,omitempty"`
}

func (a *App) statusCmd() *command.Command {
	var files bool
	c := &command.Command{
		Use:   "status",
		Short: "What is indexed, for which commit, how fresh, and what was skipped and why",
		Example: `  pindex status
  pindex status --files --commit v2.0 --json`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				r := s.engine.Status()
				r.Freshness = s.freshness()
				store, err := a.Store()
				if err != nil {
					return err
				}
				ans := &statusAnswer{StatusResult: r, Store: store.Name(), Changed: s.changes}
				if files {
					if ans.SkippedFiles, err = s.engine.Skips(); err != nil {
						return err
					}
				}
				return a.answer(ans, func(o *output) { writeStatus(o, ans) })
			})
		},
	}
	c.Flags().BoolVar(&files, "files", false, "list each skipped or degraded file with its reason")
	return c
}

func writeStatus(o *output, s *statusAnswer) {
	o.print("commit     %s\n", s.Commit)
	o.print("freshness  %s", s.Freshness.State)
	if n := s.Freshness.Distance; n > 0 {
		o.print(", %s before the one asked for", count(n, "commit"))
	}
	if n := len(s.Changed); n > 0 {
		what := "whose results are left out"
		if s.Freshness.State == stateOverlay {
			what = "indexed as they are"
		}
		if s.Freshness.Lacks != "" {
			what = "read by lines, without " + strings.ReplaceAll(s.Freshness.Lacks, " ", " and ")
		}
		o.print(": %s of the working tree, %s", count(n, "changed file"), what)
	}
	o.print("\ndigest     %s\nstore      %s\nprofile    %s\n", s.Digest, o.name(s.Store), s.Profile)
	o.print("files      %d, of which %d indexed (%d bytes)\n", s.Files, s.Indexed, s.Bytes)
	o.print("units      %d, in %s and %s\n", s.Units, count(s.Documents, "search document"), count(s.Partitions, "partition"))
	o.print("views\n")
	for _, name := range sortedKeys(s.Views) {
		v := s.Views[name]
		o.print("  %-11s %s, %s, reproducible by %s", name, v.State, v.Type, v.Reproducible)
		if v.Reason != "" {
			o.print(": %s", o.text(v.Reason))
		}
		o.print("\n")
	}
	o.print("languages\n")
	names := sortedKeys(s.Languages)
	order.Stable(names, func(x, y string) int { return cmp.Compare(s.Languages[y].Bytes, s.Languages[x].Bytes) })
	for _, name := range names {
		l := s.Languages[name]
		if name == "" {
			name = "(other text)"
		}
		o.print("  %-14s %6d files %10d bytes  %s\n", name, l.Files, l.Bytes, backends(l.Backends))
	}
	for _, l := range []struct {
		title  string
		counts map[string]int
	}{{"skipped, in no view", s.Skipped}, {"degraded, indexed by lines or with gaps", s.Degraded}} {
		if len(l.counts) > 0 {
			o.print("%s\n", l.title)
		}
		for _, reason := range sortedKeys(l.counts) {
			o.print("  %-24s %d\n", reason, l.counts[reason])
		}
	}
	for _, f := range s.SkippedFiles {
		o.print("  %s: %s\n", o.name(f.FilePath()), f.Reason)
	}
	for _, path := range s.Changed {
		o.print("changed    %s\n", o.name(path))
	}
}

// backends says in one line what provides a language's capabilities.
func backends(b map[string]string) string {
	line := "units by " + b["units"]
	if g := b["graph.cold"]; g != "" {
		line += "; graph by " + strings.TrimPrefix(g, "binding at query time: ")
	}
	if b["live"] != "" {
		line += "; live on request"
	}
	return line
}
