package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/linediff"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) impactCmd() *command.Command {
	var o query.ImpactOptions
	c := &command.Command{
		Use:   "impact TARGET",
		Short: "What a change of it may reach: its users, their users, and so on",
		Long: `What a change of it may reach: what uses it, what uses that, and so on, the
nearest first. Uses that no rule binds are counted, not followed.

` + targetHelp,
		Example: `  pindex impact url_for
  pindex impact Context.JSON --depth 5 --path 'routes/**'`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Target = a.treePath(args[0])
				r, err := s.engine.Impact(c.Context(), o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Results), r, func(out *output) {
					out.head(r.Header, "%d of %s in %s, %d of them tests%s; %s ambiguous, %d unresolved", len(r.Results),
						count(r.Total, "place"), count(r.Depth, "step"), r.Tests, cut(r.Cut), count(r.Ambiguous, "use"), r.Unresolved)
					out.targets(r.Targets)
					out.steps(r.Results, true)
				})
			})
		},
	}
	f := c.Flags()
	f.IntVar(&o.Depth, "depth", query.DefaultDepth, "steps at most")
	f.CountVar(&o.K, query.DefaultUses, "results at most")
	a.pathVar(f, &o.PathGlob, "only what lies in files that match this `GLOB`")
	return c
}

func cut(is bool) string {
	if is {
		return ", cut off"
	}
	return ""
}

func (a *App) implementationsCmd() *command.Command {
	var o query.UsesOptions
	c := &command.Command{
		Use:   "implementations TARGET",
		Short: "The types below a type, or what implements or overrides a method",
		Long:  "The types below a type, or what implements or overrides a method.\n\n" + targetHelp,
		Example: `  pindex implementations Render
  pindex implementations SessionInterface.open_session`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Target = a.treePath(args[0])
				r, err := s.engine.Implementations(c.Context(), o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Results), r, func(out *output) {
					out.head(r.Header, "%d of %s", len(r.Results), count(r.Total, "implementation"))
					out.targets(r.Targets)
					out.types(r.Results)
				})
			})
		},
	}
	c.Flags().CountVar(&o.K, query.DefaultUses, "results at most")
	a.pathVar(c.Flags(), &o.PathGlob, "only those in files that match this `GLOB`")
	return c
}

func (a *App) hierarchyCmd() *command.Command {
	var o query.UsesOptions
	c := &command.Command{
		Use:   "hierarchy TYPE",
		Short: "The types above and below a type",
		Long:  "The types above and below a type, nearest first.\n\n" + targetHelp,
		Example: `  pindex hierarchy Flask
  pindex hierarchy src/werkzeug/http.py:Headers --json`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Target = a.treePath(args[0])
				r, err := s.engine.Hierarchy(c.Context(), o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Targets), r, func(out *output) {
					out.head(r.Header, "%s above, %s below, %d bases external, %d unresolved",
						ofAll(len(r.Supertypes), r.Above), ofAll(len(r.Subtypes), r.Below), r.External, r.Unresolved)
					out.targets(r.Targets)
					out.print("# above:\n")
					out.types(r.Supertypes)
					out.print("# below:\n")
					out.types(r.Subtypes)
				})
			})
		},
	}
	c.Flags().CountVar(&o.K, query.DefaultUses, "types at most, on each side")
	return c
}

// ofAll writes how many are listed, and of how many where some are not.
func ofAll(listed, all int) string {
	if listed == all {
		return strconv.Itoa(all)
	}
	return fmt.Sprintf("%d of %d", listed, all)
}

func (a *App) traceCmd() *command.Command {
	depth := 0
	c := &command.Command{
		Use:   "trace FROM TO",
		Short: "The shortest chain of calls from one declaration to another",
		Long:  "The shortest chain of calls from one declaration to another.\n\n" + targetHelp,
		Example: `  pindex trace Flask.wsgi_app Flask.handle_user_exception
  pindex trace main.go:main serveHTTP --json`,
		Args: command.ExactArgs(2),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				r, err := s.engine.Trace(c.Context(), a.treePath(args[0]), a.treePath(args[1]), depth)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Results), r, func(out *output) {
					out.head(r.Header, "%s%s; %s ambiguous, %d unresolved on the way", count(r.Total, "call"), cut(r.Cut), count(r.Ambiguous, "call"), r.Unresolved)
					if r.Note != "" {
						out.print("# %s\n", r.Note)
					}
					out.steps(r.Results, false)
				})
			})
		},
	}
	c.Flags().IntVar(&depth, "depth", query.MaxDepth, "calls at most")
	return c
}

func (a *App) affectedCmd() *command.Command {
	var o query.AffectedOptions
	since := ""
	c := &command.Command{
		Use:   "affected --since REV",
		Short: "The tests and entry points that the changes since a commit reach",
		Long: `The tests and entry points that the changes since a commit reach: the lines that
differ from REV, the declarations they lie in, and who uses those, and so on.
Of declarations that vanished the uses that nothing binds any more are followed.
Without --commit the changes in the working tree count as well.`,
		Example: `  pindex affected --since main
  pindex affected --since HEAD~3 --json`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			if since == "" {
				return fail.New(fail.Usage, "say which commit to compare with, such as --since main", "--since is missing")
			}
			return a.withSession(c.Context(), func(s *session) error {
				err := s.followable()
				if err != nil {
					return err
				}
				if o.Changed, err = a.changedSince(c.Context(), s, since); err != nil {
					return err
				}
				r, err := s.engine.Affected(c.Context(), o)
				if err != nil {
					return err
				}
				r.Since, r.Freshness = since, s.freshness()
				return a.found(len(r.Tests)+len(r.Entries)+len(r.Changed)+len(r.Vanished)+len(r.Unread), r, func(out *output) {
					vanished := ""
					if r.VanishedTotal > 0 {
						vanished = fmt.Sprintf("%d vanished, ", r.VanishedTotal)
					}
					out.head(r.Header, "%s, %s, %s%s, %s%s; %s ambiguous, %d unresolved",
						count(r.Files, "changed file"), count(r.ChangedTotal, "changed declaration"), vanished, count(r.Total, "test"),
						count(r.EntryTotal, "entry point"), cut(r.Cut), count(r.Ambiguous, "use"), r.Unresolved)
					out.print("# changed:\n")
					for _, h := range r.Changed {
						out.declaration(h, "")
					}
					out.vanished(r)
					out.print("# tests:\n")
					out.steps(r.Tests, true)
					out.print("# entry points:\n")
					out.steps(r.Entries, true)
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&since, "since", "", "the `REV` to compare with")
	f.IntVar(&o.Depth, "depth", query.MaxDepth, "steps at most")
	f.CountVar(&o.K, query.DefaultUses, "results at most, of each kind")
	return c
}

// vanished writes what is no longer there, and how it was followed.
func (o *output) vanished(r *query.AffectedResult) {
	if len(r.Vanished)+len(r.Unread) > 0 {
		o.print("# vanished, with lines of the earlier text:\n")
	}
	for _, v := range r.Vanished {
		note := v.Note
		if note == "" {
			note = "heuristic: " + count(v.Uses, "use") + " that nothing binds now followed"
		}
		o.print("%s:%d  %s  (%s)\n", o.name(v.Path), v.Line, o.name(v.Name), note)
	}
	for _, path := range r.Unread {
		o.print("%s  (deleted; no declaration was told in it, nothing was followed)\n", o.name(path))
	}
}

// changedSince compares what is answered from with an older commit.
func (a *App) changedSince(ctx context.Context, s *session, rev string) ([]query.ChangedFile, error) {
	repo, err := a.Repo(ctx)
	if err != nil {
		return nil, err
	}
	id, err := repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	old, err := repo.Tree(ctx, id)
	if err != nil {
		return nil, err
	}
	now, err := treeOf(ctx, s.answering())
	if err != nil {
		return nil, err
	}
	was := make(map[string]git.Entry, len(old))
	for _, e := range old {
		was[e.Path] = e
	}
	blobs, err := repo.Blobs(ctx)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	var out []query.ChangedFile
	there := make(map[string]bool, len(now))
	for _, e := range now {
		there[e.Path] = true
		before, known := was[e.Path]
		if known && before.ID == e.ID {
			continue
		}
		text, err := textOf(s.answering(), e.Path)
		if err != nil {
			return nil, err
		}
		var oldText []byte
		if known && before.Size <= maxDiffed {
			if oldText, err = blobs.Read(before.ID, nil); err != nil {
				return nil, err
			}
		}
		f := query.ChangedFile{Path: e.Path, Old: oldText}
		for _, h := range linediff.Lines(oldText, text) {
			f.Lines = append(f.Lines, [2]int{h.NewStart + 1, h.NewEnd})
			f.Gone = append(f.Gone, [2]int{h.OldStart + 1, h.OldEnd})
		}
		out = append(out, f)
	}
	for _, e := range old {
		if !there[e.Path] {
			f := query.ChangedFile{Path: e.Path, Deleted: true}
			if e.Size >= 0 && e.Size <= maxDiffed && e.Mode&0o170000 == 0o100000 {
				if f.Old, err = blobs.Read(e.ID, nil); err != nil {
					return nil, err
				}
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// maxDiffed is the size in bytes above which a file counts as changed in every
// line.
const maxDiffed = 16 << 20

// textOf returns a file's verbatim bytes, nil for a file that is in no view.
func textOf(ix *artifact.Index, path string) ([]byte, error) {
	p, f, ok, err := ix.FindFile(path)
	if err != nil || !ok {
		return nil, err
	}
	src, err := ix.Source(p)
	if err != nil {
		return nil, err
	}
	return src.Content(f), nil
}

func (a *App) graphCmd() *command.Command {
	var o query.GraphOptions
	form := ""
	c := &command.Command{
		Use:   "graph TARGET",
		Short: "The calls around a declaration as a graph: dot, mermaid or JSON",
		Long:  "The calls around a declaration as a graph: who calls it, and what it calls.\n\n" + targetHelp,
		Example: `  pindex graph Flask.dispatch_request | dot -Tsvg > graph.svg
  pindex graph ServeHTTP --depth 2 --format mermaid`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			if form != "dot" && form != "mermaid" {
				return fail.New(fail.Usage, "use --format dot or mermaid, or --json", "there is no format %q", form)
			}
			return a.withSession(c.Context(), func(s *session) error {
				o.Target = a.treePath(args[0])
				r, err := s.engine.Graph(c.Context(), o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Nodes), r, func(out *output) {
					if form == "dot" {
						writeDot(out, r)
						return
					}
					writeMermaid(out, r)
				})
			})
		},
	}
	f := c.Flags()
	f.IntVar(&o.Depth, "depth", 1, "steps at most, in each direction")
	f.CountVar(&o.K, 200, "nodes at most")
	f.StringVar(&form, "format", "dot", "dot or mermaid")
	return c
}

func writeDot(o *output, r *query.GraphResult) {
	if r.Omitted != "" {
		o.print("// %s\n", Visible(r.Omitted))
	}
	o.print("digraph pindex {\n  label=%q;\n  node [shape=box];\n", "commit "+short(r.Commit)+" "+r.Freshness.State)
	for i, n := range r.Nodes {
		o.print("  n%d [label=%s];\n", i, dotText(n.Symbol+"\n"+n.FilePath()))
	}
	for _, e := range r.Edges {
		style := ""
		if e.Provenance == query.Heuristic {
			style = " [style=dashed]"
		}
		o.print("  n%d -> n%d%s;\n", e.From, e.To, style)
	}
	o.print("}\n")
}

// dotText quotes a text so that nothing in it is markup.
func dotText(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
	return `"` + Visible(s) + `"`
}

func writeMermaid(o *output, r *query.GraphResult) {
	o.print("%%%% commit %s %s\nflowchart LR\n", short(r.Commit), r.Freshness.State)
	if r.Omitted != "" {
		o.print("  %%%% %s\n", Visible(r.Omitted))
	}
	for i, n := range r.Nodes {
		o.print("  n%d[\"%s\"]\n", i, mermaidText(n.Symbol+" "+n.FilePath()))
	}
	for _, e := range r.Edges {
		arrow := "-->"
		if e.Provenance == query.Heuristic {
			arrow = "-.->"
		}
		o.print("  n%d %s n%d\n", e.From, arrow, e.To)
	}
}

// mermaidText writes what could be markup as character references.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range Visible(s) {
		if strings.ContainsRune("\"#<>&[](){}|`;", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (o *output) targets(ts []query.SymbolHit) {
	for _, t := range ts {
		o.print("# target ")
		o.declaration(t, "")
	}
}

// steps writes what was reached, each with the line that leads on.
func (o *output) steps(steps []query.SymbolStep, depth bool) {
	for _, s := range steps {
		indent := ""
		if depth {
			indent = strings.Repeat("  ", max(0, s.Depth-1))
		}
		o.declaration(s.SymbolHit, indent)
		if v := s.Via; v != nil {
			o.print("%s    %s:%d  %s\n", indent, o.name(v.FilePath()), v.StartLine, o.text(string(trimSpace(v.Bytes()))))
		}
	}
}

func (o *output) types(ts []query.TypeStep) {
	for _, t := range ts {
		o.declaration(t.SymbolHit, strings.Repeat("  ", max(0, t.Depth-1)))
	}
}
