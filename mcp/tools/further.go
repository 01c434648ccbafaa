package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// Further returns the tools that a server offers only when asked to: each more
// tool costs every session of every user its description, and a model the
// choice.
func Further() []Definition {
	return []Definition{
		{
			Name: "grep", Title: "Search text",
			Description: "Every line that matches a regular expression (RE2), none missed.",
			args: []arg{
				{name: "pattern", kind: text, required: true},
				{name: "path", kind: text, about: "glob; ** crosses folders"},
				{name: "lang", kind: text},
				{name: "case", kind: text, choice: []string{"exact", "ignore"}},
				{name: "k", kind: number, min: 1, max: 1000, about: "default 50"},
				offsetArg, maxTokensArg,
			},
			Output: output(results),
			call:   (*Set).grep,
		},
		{
			Name: "symbols", Title: "Find symbols by name",
			Description: "Declarations by name: exact, then by prefix, then similar.",
			args: []arg{
				{name: "name", kind: text, required: true},
				{name: "kind", kind: text, about: "e.g. function, class"},
				{name: "path", kind: text, about: "glob"},
				{name: "lang", kind: text},
				{name: "k", kind: number, min: 1, max: 1000, about: "default 50"},
				offsetArg, maxTokensArg,
			},
			Output: output(results),
			call:   (*Set).symbols,
		},
		{
			Name: "outline", Title: "Outline a file or folder",
			Description: "What a file declares, or the files below a folder.",
			args: []arg{
				{name: "path", kind: text, about: "default the whole commit"},
				{name: "k", kind: number, min: 1, max: 1000, about: "default 200"},
				offsetArg, maxTokensArg,
			},
			Output: output(results),
			call:   (*Set).outline,
		},
		{
			Name: "hierarchy", Title: "Types above and below",
			Description: "The types that a type is made from, and those made from it, nearest first.",
			args: []arg{
				{name: "target", kind: text, required: true, about: "name, path:line[:col], path:name or id"},
				{name: "k", kind: number, min: 1, max: 1000, about: "on each side; default 50"},
				offsetArg, maxTokensArg,
			},
			Output: output(results),
			call:   (*Set).hierarchy,
		},
		{
			Name: "affected", Title: "What a change reaches",
			Description: "Tests and entry points that the changes since a commit reach.",
			args: []arg{
				{name: "since", kind: text, required: true, about: "revision, e.g. main or HEAD~3"},
				{name: "k", kind: number, min: 1, max: 1000, about: "of each kind; default 50"},
				offsetArg, maxTokensArg,
			},
			Output: output(results),
			call:   (*Set).affected,
		},
	}
}

// listReply is the structured form of a list of places.
type listReply struct {
	head
	Total   int   `json:"total"`
	Results []any `json:"results"`
}

// lister gathers one page of a list.
type lister struct {
	page
	out     listReply
	changed map[string]bool
	dropped int
}

func newLister(h head, st State, a arguments, k int) *lister {
	if n := a.number["k"]; n > 0 {
		k = n
	}
	return &lister{page: page{offset: a.number["offset"], k: k}, out: listReply{head: h, Results: []any{}}, changed: set(st.Changed)}
}

// keep reports whether a result in that file belongs to the page.
func (l *lister) keep(path string) bool {
	if l.changed[path] {
		l.dropped++
		return false
	}
	return l.wants()
}

// reply writes the page under a headline.
func (l *lister) reply(a arguments, format string, args ...any) (*Reply, error) {
	var left leftOut
	var body string
	l.out.Results, body, left = fit(a.budget(), l.items)
	left.Changed = l.dropped
	l.out.LeftOut, l.out.Next = left.orNil(), l.next(len(l.out.Results))
	what := fmt.Sprintf(format, args...)
	return reply(l.out, headLine(l.out.head, "%d of %d%s", len(l.out.Results), l.out.Total, what)+body)
}

// nothing answers an error that means that there is no answer; it returns the
// error itself where it means something else.
func (l *lister) nothing(err error) (*Reply, error) {
	note := noAnswer(err)
	if note == "" {
		return nil, err
	}
	l.out.add(note)
	return reply(l.out, headLine(l.out.head, "nothing found"))
}

type grepHit struct {
	where
	Col      int    `json:"col"`
	Text     string `json:"text,omitempty"`
	TextB64  []byte `json:"text_b64,omitempty"`
	NotShown int    `json:"not_shown_bytes,omitempty"`
}

func (s *Set) grep(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	l := newLister(h, st, a, defaultUses)
	r, err := c.Engine().Grep(ctx, query.GrepOptions{
		Pattern: a.text["pattern"], PathGlob: a.text["path"], Lang: a.text["lang"], IgnoreCase: a.text["case"] == "ignore", MaxResults: l.ask(len(st.Changed) > 0),
	})
	if err != nil {
		return l.nothing(err)
	}
	l.out.Total = r.Total
	for i := range r.Results {
		g := &r.Results[i]
		if !l.keep(g.FilePath()) {
			continue
		}
		hit := grepHit{where: whereOf(g.Place), Col: g.Spans[0][0]}
		spot := fmt.Sprintf("%s:%d:%d", oneLine(g.FilePath()), g.StartLine, hit.Col)
		line := g.Bytes()
		lean := hit
		lean.NotShown = len(line)
		hit.Text, hit.TextB64 = g.Text, g.TextB64
		l.items = append(l.items, item{
			full: hit, fullText: spot + "  | " + lineText(line) + "\n",
			lean: lean, leanText: fmt.Sprintf("%s  (line of %d bytes not shown)\n", spot, len(line)),
		})
	}
	return l.reply(a, " lines in %s", count(r.Files, "file"))
}

func (s *Set) symbols(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	l := newLister(h, st, a, defaultUses)
	r, err := c.Engine().Symbols(ctx, query.SymbolsOptions{
		Name: a.text["name"], Kind: a.text["kind"], PathGlob: a.text["path"], Lang: a.text["lang"], K: l.ask(len(st.Changed) > 0),
	})
	if err != nil {
		return l.nothing(err)
	}
	l.out.Total = r.Total
	l.out.add(r.Omitted)
	for i := range r.Results {
		if h := &r.Results[i]; l.keep(h.FilePath()) {
			l.items = append(l.items, declarationItem(h))
		}
	}
	return l.reply(a, " declarations")
}

type outlineHit struct {
	where
	Depth   int    `json:"depth"`
	Kind    string `json:"kind,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	Lang    string `json:"lang,omitempty"`
	Skipped string `json:"skipped,omitempty"`
}

// defaultOutline is how many entries an outline has when nobody says.
const defaultOutline = 200

func (s *Set) outline(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	l := newLister(h, st, a, defaultOutline)
	r, err := c.Engine().Outline(ctx, a.text["path"])
	if err != nil {
		return l.nothing(err)
	}
	l.out.Total = r.Total
	for i := range r.Results {
		e := &r.Results[i]
		// Of a folder the names are listed, whatever the working tree says.
		if path := e.FilePath(); l.changed[path] && e.Depth > 0 && !l.keep(path) {
			continue
		}
		if !l.wants() {
			continue
		}
		hit := outlineHit{where: whereOf(e.Place), Depth: e.Depth, Kind: e.Kind, Symbol: oneLine(e.Symbol), Lang: e.Lang, Skipped: e.Skipped}
		line := fmt.Sprintf("%s%d-%d  %s %s", strings.Repeat("  ", min(e.Depth, 8)), e.StartLine, e.EndLine, e.Kind, clip(oneLine(e.Name), maxBrief))
		if e.Depth == 0 {
			line = fmt.Sprintf("%s  %d lines %s", oneLine(e.FilePath()), e.EndLine, e.Lang)
			if e.Skipped != "" {
				line = oneLine(e.FilePath()) + "  not indexed: " + oneLine(e.Skipped)
			}
		}
		l.items = append(l.items, item{full: hit, lean: hit, fullText: strings.TrimRight(line, " ") + "\n"})
	}
	return l.reply(a, " entries")
}

func (s *Set) hierarchy(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	l := newLister(h, st, a, defaultUses)
	r, err := c.Engine().Hierarchy(ctx, query.UsesOptions{Target: a.text["target"], K: l.ask(len(st.Changed) > 0)})
	if err != nil {
		return l.nothing(err)
	}
	l.out.Total = r.Total
	l.out.add(r.Omitted)
	for side, types := range [][]query.TypeStep{r.Supertypes, r.Subtypes} {
		for i := range types {
			t := &types[i]
			if !l.keep(t.FilePath()) {
				continue
			}
			hit, spot := declarationHit(&t.SymbolHit)
			hit.Depth, hit.Via = t.Depth, clip(t.How+" "+oneLine(t.Of), maxBrief)
			hit.Role = [...]string{"above", "below"}[side]
			l.items = append(l.items, lineItem(hit, fmt.Sprintf("%s %s  (%s)", hit.Role, spot, count(t.Depth, "step")), t.SourceText, ""))
		}
	}
	return l.reply(a, " types; bases external %d, unresolved %d", r.External, r.Unresolved)
}

// Differ is what a Session may be besides: one that knows what changed since
// another commit.
type Differ interface {
	ChangedSince(ctx context.Context, rev string) ([]query.ChangedFile, error)
}

func (s *Set) affected(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	d, ok := c.Session.(Differ)
	if !ok {
		return nil, fail.New(fail.Usage, "ask where the repository is", "there is no history here to compare with")
	}
	if st.Freshness.State == "partial" {
		return nil, fail.New(fail.NoIndex, "ask for affected tests where the full program, pindex, serves", "changed files are read by lines here, so that what they declare and reach is not known")
	}
	since, err := d.ChangedSince(ctx, a.text["since"])
	if err != nil {
		return nil, err
	}
	l := newLister(h, st, a, defaultUses)
	r, err := c.Engine().Affected(ctx, query.AffectedOptions{Changed: since, K: l.ask(len(st.Changed) > 0)})
	if err != nil {
		return l.nothing(err)
	}
	l.out.Total = r.Total + r.EntryTotal
	for side, steps := range [][]query.SymbolStep{r.Tests, r.Entries} {
		for i := range steps {
			t := &steps[i]
			if !l.keep(t.FilePath()) {
				continue
			}
			hit, spot := declarationHit(&t.SymbolHit)
			hit.Depth, hit.Role = t.Depth, [...]string{"test", "entry"}[side]
			l.items = append(l.items, lineItem(hit, fmt.Sprintf("%s %s  (%s)", hit.Role, spot, count(t.Depth, "step")), t.SourceText, ""))
		}
	}
	vanished := ""
	if r.VanishedTotal > 0 {
		vanished = fmt.Sprintf(", %d declarations vanished", r.VanishedTotal)
	}
	return l.reply(a, " (%s, %s) from %s%s", count(r.Total, "test"), count(r.EntryTotal, "entry point"), count(r.Files, "changed file"), vanished)
}
