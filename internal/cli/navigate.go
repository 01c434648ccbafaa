package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/query"
)

const targetHelp = `TARGET is a name (url_for, Flask.url_for, flask.helpers.url_for), a place
(path:line or path:line:col), a name in a file (path:name), or a symbol id.
Paths are from the root of the repository; ./ and ../ and absolute paths are
from where you are.`

func (a *App) symbolsCmd() *command.Command {
	var o query.SymbolsOptions
	c := &command.Command{
		Use:   "symbols NAME",
		Short: "Declarations by name: exact, then prefix, then similar",
		Example: `  pindex symbols Flask
  pindex symbols openSes --kind method --json`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Name = args[0]
				r, err := s.engine.Symbols(c.Context(), o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				return a.found(len(r.Results), r, func(out *output) {
					out.head(r.Header, "%d of %s", len(r.Results), count(r.Total, "declaration"))
					for _, h := range r.Results {
						out.declaration(h, "")
					}
				})
			})
		},
	}
	f := c.Flags()
	f.CountVar(&o.K, 20, "results at most")
	f.StringVar(&o.Kind, "kind", "", "only this kind, such as class or function")
	a.pathVar(f, &o.PathGlob, "only files that match this `GLOB`")
	f.StringVar(&o.Lang, "lang", "", "only files in this language")
	return c
}

func (a *App) defCmd() *command.Command {
	var live liveFlags
	c := &command.Command{
		Use:   "def TARGET",
		Short: "Where a name is declared",
		Long:  "Where a name is declared.\n\n" + targetHelp,
		Example: `  pindex def flask.helpers.url_for
  pindex def src/flask/app.py:1012:22`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				r, beside, err := a.defLive(c.Context(), s, live, a.treePath(args[0]))
				if err != nil {
					return err
				}
				ans := struct {
					*query.DefResult
					Live *liveReport `json:"live,omitempty"`
				}{r, beside}
				return a.found(len(r.Results)+beside.size(), ans, func(out *output) {
					out.head(r.Header, "%s, %d of %s", r.Binding, len(r.Results), count(r.Total, "declaration"))
					if r.Note != "" {
						out.print("# %s\n", out.text(r.Note))
					}
					for _, h := range r.Results {
						out.declaration(h, "")
					}
					out.liveReport(beside)
				})
			})
		},
	}
	a.liveFlags(c, &live)
	return c
}

// uses makes the commands that list uses of a name.
func (a *App) uses(use, what, example string, ask func(context.Context, *session, query.UsesOptions) (*query.UsesResult, *liveReport, error)) *command.Command {
	var o query.UsesOptions
	c := &command.Command{
		Use:     use + " TARGET",
		Short:   what,
		Long:    what + ".\n\n" + targetHelp,
		Example: example,
		Args:    command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			return a.withSession(c.Context(), func(s *session) error {
				o.Target = a.treePath(args[0])
				r, beside, err := ask(c.Context(), s, o)
				if err != nil {
					return err
				}
				r.Freshness = s.freshness()
				ans := struct {
					*query.UsesResult
					Live *liveReport `json:"live,omitempty"`
				}{r, beside}
				return a.found(len(r.Results)+len(r.Ambiguous)+beside.size(), ans, func(out *output) {
					writeUses(out, use, r)
					out.liveReport(beside)
				})
			})
		},
	}
	f := c.Flags()
	f.CountVar(&o.K, 50, "results at most")
	a.pathVar(f, &o.PathGlob, "only uses in files that match this `GLOB`")
	f.BoolVar(&o.All, "all", false, "list what no rule binds as well")
	return c
}

// indexOnly is a question that no language server is asked.
func indexOnly(ask func(*query.Engine, context.Context, query.UsesOptions) (*query.UsesResult, error)) func(context.Context, *session, query.UsesOptions) (*query.UsesResult, *liveReport, error) {
	return func(ctx context.Context, s *session, o query.UsesOptions) (*query.UsesResult, *liveReport, error) {
		r, err := ask(s.engine, ctx, o)
		return r, nil, err
	}
}

func (a *App) refsCmd() *command.Command {
	var live liveFlags
	c := a.uses("refs", "Where a declaration is used", "  pindex refs Flask.url_for\n  pindex refs src/flask/helpers.py:url_for --json",
		func(ctx context.Context, s *session, o query.UsesOptions) (*query.UsesResult, *liveReport, error) {
			return a.refsLive(ctx, s, live, o)
		})
	a.liveFlags(c, &live)
	return c
}

func (a *App) callersCmd() *command.Command {
	return a.uses("callers", "Who calls it, at the line of the call", "  pindex callers url_for\n  pindex callers Context.JSON -k 200",
		indexOnly((*query.Engine).Callers))
}

func (a *App) calleesCmd() *command.Command {
	return a.uses("callees", "What it calls, and where that is declared", "  pindex callees Flask.dispatch_request\n  pindex callees gin.go:ServeHTTP",
		indexOnly((*query.Engine).Callees))
}

func writeUses(o *output, use string, r *query.UsesResult) {
	o.head(r.Header, "%d of %s, %d ambiguous, %d external, %d unresolved",
		len(r.Results), count(r.Total, "bound use"), r.AmbiguousTotal, r.External, r.Unresolved)
	for _, t := range r.Targets {
		o.print("# target ")
		o.declaration(t, "")
	}
	if r.Note != "" {
		o.print("# %s\n", o.text(r.Note))
	}
	list := func(title string, hits []query.UseHit, total int) {
		if len(hits) == 0 {
			return
		}
		if title != "" {
			o.print("# %s, %d of %d:\n", title, len(hits), total)
		}
		said := usualMark(hits)
		if said != "" {
			o.print("# without a mark: %s\n", said)
		}
		for _, h := range hits {
			o.use(h, use == "callees", said)
		}
	}
	list("", r.Results, r.Total)
	list("ambiguous", r.Ambiguous, r.AmbiguousTotal)
	list("unresolved or external", r.UnresolvedUses, r.External+r.Unresolved)
}

// declaration writes one declaration on one line.
func (o *output) declaration(h query.SymbolHit, indent string) {
	o.print("%s%s:%d:%d  %s %s", indent, o.name(h.FilePath()), h.NameLine, h.Col, h.Kind, o.name(h.Symbol))
	switch {
	case h.Provenance != "":
		o.print("  [%s: %s]", h.Provenance, h.Rule)
	case h.Rule != "" && h.Rule != "exact name":
		o.print("  [%s]", h.Rule)
	}
	if b := h.Bytes(); len(b) > 0 {
		o.print("  | %s", o.text(string(trimSpace(b))))
	}
	o.print("\n")
}

// fewMarks is how many uses say by themselves which rule binds them.
const fewMarks = 3

// usualMark returns the mark that more uses bear than any other, so that it can
// be said once; "" where it is not worth a line.
func usualMark(hits []query.UseHit) string {
	counts := map[string]int{}
	best := ""
	for i := range hits {
		m := mark(string(hits[i].Provenance), hits[i].Rule)
		if counts[m]++; m != "" && counts[m] > fewMarks && counts[m] > counts[best] {
			best = m
		}
	}
	if counts[""] > 0 {
		return "" // then a use without one would seem to bear it
	}
	return best
}

func mark(provenance, rule string) string {
	if provenance == "" {
		return ""
	}
	return "[" + provenance + ": " + rule + "]"
}

// use writes one use on one line; where asked for, its targets below it. The
// mark that was said before is left out.
func (o *output) use(h query.UseHit, targets bool, said string) {
	o.print("%s:%d:%d  %s", o.name(h.FilePath()), h.StartLine, h.Col, h.Role)
	if h.Symbol != "" {
		o.print(" in %s", o.name(h.Symbol))
	}
	if m := mark(string(h.Provenance), h.Rule); m != said {
		o.print("  %s", m)
	}
	o.print("  | %s\n", o.text(string(trimSpace(h.Bytes()))))
	if !targets {
		return
	}
	for _, t := range h.Targets {
		o.declaration(t, "    -> ")
	}
	if h.TargetTotal > len(h.Targets) {
		o.print("    -> and %d more\n", h.TargetTotal-len(h.Targets))
	}
}

// trimSpace removes indentation and the carriage return of a line, where a
// line stands beside its place and not under its neighbours.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == '\r' || b[len(b)-1] == '\n') {
		b = b[:len(b)-1]
	}
	return b
}

// found answers, and ends with exit code 1 where there is no result.
func (a *App) found(n int, v any, text func(*output)) error {
	if err := a.answer(v, text); err != nil {
		return err
	}
	if n == 0 {
		return nothing()
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
