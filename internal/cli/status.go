package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query"
)

// fileNote is a file whose content is not, or not fully, in the index.
type fileNote struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Size   uint64 `json:"size"`
}

type statusAnswer struct {
	*query.StatusResult
	Store   string   `json:"store"`
	Changed []string `json:"changed"` // tracked files of the working tree that differ from the commit
	// With --files: every file that is skipped or read with gaps.
	SkippedFiles  []fileNote `json:"skipped_files,omitempty"`
	DegradedFiles []fileNote `json:"degraded_files,omitempty"`
}

func (a *App) statusCmd() *cobra.Command {
	var files bool
	c := &cobra.Command{
		Use:   "status",
		Short: "What is indexed, for which commit, how fresh, and what was skipped and why",
		Example: `  pindex status
  pindex status --files --commit v2.0 --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				r, err := s.engine.Status(c.Context())
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				store, err := a.Store()
				if err != nil {
					return err
				}
				ans := &statusAnswer{StatusResult: r, Store: store.Name(), Changed: s.changed}
				if files {
					if ans.SkippedFiles, ans.DegradedFiles, err = notes(c.Context(), s.index); err != nil {
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

// notes lists the files that are not, or not fully, in the index, in path
// order.
func notes(ctx context.Context, ix *artifact.Index) (skipped, degraded []fileNote, err error) {
	for p := range ix.NumPartitions() {
		u, err := ix.Units(p)
		if err != nil {
			return nil, nil, err
		}
		for i := range u.NumFiles() {
			f := u.File(i)
			if f.Skip != artifact.SkipNone {
				skipped = append(skipped, fileNote{f.Path, f.Skip.String(), f.Size})
			}
			if f.Degraded != artifact.DegradedNone {
				degraded = append(degraded, fileNote{f.Path, f.Degraded.String(), f.Size})
			}
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return skipped, degraded, nil
}

func writeStatus(o *output, s *statusAnswer) {
	o.print("commit     %s\n", s.Commit)
	o.print("freshness  %s", s.Freshness.State)
	if n := len(s.Changed); n > 0 {
		o.print(": %s of the working tree, whose results are left out", count(n, "changed file"))
	}
	o.print("\ndigest     %s\nstore      %s\nprofile    %s\n", s.Digest, o.name(s.Store), s.Profile)
	o.print("files      %d, of which %d indexed (%d bytes)\n", s.Files, s.Indexed, s.Bytes)
	o.print("units      %d, in %d search documents and %d partitions\n", s.Units, s.Docs, s.Partitions)
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
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(s.Languages[y].Bytes, s.Languages[x].Bytes) })
	for _, name := range names {
		l := s.Languages[name]
		if name == "" {
			name = "(other text)"
		}
		o.print("  %-14s %6d files %10d bytes  units by %s\n", name, l.Files, l.Bytes, l.Backends["units"])
	}
	list := func(title string, counts map[string]int, files []fileNote) {
		if len(counts) == 0 {
			return
		}
		o.print("%s\n", title)
		for _, reason := range sortedKeys(counts) {
			o.print("  %-24s %d\n", reason, counts[reason])
		}
		for _, f := range files {
			o.print("    %s: %s (%d bytes)\n", o.name(f.Path), f.Reason, f.Size)
		}
	}
	list("skipped, in no view", s.Skipped, s.SkippedFiles)
	list("degraded, read with gaps or by lines", s.Degraded, s.DegradedFiles)
	for _, path := range s.Changed {
		o.print("changed    %s\n", o.name(path))
	}
}
