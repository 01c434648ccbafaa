package tools

import (
	"context"
	"fmt"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

type symbolReply struct {
	head
	Binding    string       `json:"binding,omitempty"` // of the target
	Total      int          `json:"total"`
	Ambiguous  int          `json:"ambiguous,omitempty"`
	External   int          `json:"external,omitempty"`
	Unresolved int          `json:"unresolved,omitempty"`
	Targets    []briefPlace `json:"targets,omitempty"`
	Results    []any        `json:"results"`
}

// briefPlace is a declaration that is named beside a result.
type briefPlace struct {
	where
	Line   int    `json:"line"`
	Kind   string `json:"kind"`
	Symbol string `json:"symbol"`
	ID     string `json:"id,omitempty"`
}

type symbolHit struct {
	where
	Line       int          `json:"line"`
	Col        int          `json:"col"`
	Role       string       `json:"role,omitempty"`
	Kind       string       `json:"kind,omitempty"`
	Symbol     string       `json:"symbol,omitempty"` // declared here, or around the use
	ID         string       `json:"id,omitempty"`
	Binding    string       `json:"binding,omitempty"`
	Provenance string       `json:"provenance,omitempty"`
	Rule       string       `json:"rule,omitempty"`
	Text       string       `json:"text,omitempty"` // the line
	TextB64    []byte       `json:"text_b64,omitempty"`
	Targets    []briefPlace `json:"targets,omitempty"`
	Depth      int          `json:"depth,omitempty"` // steps from the target
	Via        string       `json:"via,omitempty"`   // what leads there
	NotShown   int          `json:"not_shown_bytes,omitempty"`
}

const defaultUses = 50

func (s *Set) symbol(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	k := a.number["k"]
	if k == 0 {
		k = defaultUses
	}
	v := symbolView{out: symbolReply{head: h, Results: []any{}}, changed: set(st.Changed), page: page{offset: a.number["offset"], k: k}, relation: a.text["relation"]}
	if v.relation == "" {
		v.relation = "definition"
	}
	if err := v.answer(ctx, c.Engine(), a); err != nil {
		note := noAnswer(err)
		if note == "" {
			return nil, err
		}
		v.out.add(note)
		return reply(v.out, headLine(v.out.head, "nothing found"))
	}
	var left leftOut
	var body string
	v.out.Results, body, left = fit(a.budget()-v.targetsSize(), v.items)
	left.Changed = v.dropped
	v.out.Next = v.page.next(len(v.out.Results))
	v.out.LeftOut = left.orNil()
	return reply(v.out, headLine(v.out.head, "%s: %s", v.relation, v.summary())+v.targetsText()+body)
}

// symbolView gathers the answer to one symbol call.
type symbolView struct {
	out      symbolReply
	relation string
	page
	changed map[string]bool
	dropped int // results in changed files
}

func (v *symbolView) answer(ctx context.Context, e *query.Engine, a arguments) error {
	if v.relation == "definition" {
		r, err := e.Def(ctx, a.text["target"])
		if err != nil {
			return err
		}
		v.out.Binding, v.out.Total = string(r.Binding), r.Total
		v.out.add(r.Note)
		v.out.add(r.Omitted)
		for i := range r.Results {
			if v.keep(r.Results[i].FilePath()) {
				v.items = append(v.items, declarationItem(&r.Results[i]))
			}
		}
		return nil
	}
	uses := query.UsesOptions{Target: a.text["target"], K: v.ask(len(v.changed) > 0), PathGlob: a.text["path"]}
	switch v.relation {
	case "implementations":
		r, err := e.Implementations(ctx, uses)
		if err != nil {
			return err
		}
		v.out.Total = r.Total
		v.out.add(r.Omitted)
		v.about(r.Targets)
		for i := range r.Results {
			t := &r.Results[i]
			v.reach(&t.SymbolHit, t.Depth, clip(t.How+" "+oneLine(t.Of), maxBrief))
		}
		return nil
	case "impact":
		r, err := e.Impact(ctx, query.ImpactOptions{Target: uses.Target, K: uses.K, PathGlob: uses.PathGlob})
		if err != nil {
			return err
		}
		v.out.Total, v.out.Ambiguous, v.out.Unresolved = r.Total, r.Ambiguous, r.Unresolved
		v.out.add(r.Omitted)
		v.about(r.Targets)
		v.steps(r.Results, r.Cut)
		return nil
	case "trace":
		if a.text["to"] == "" {
			return fail.New(fail.Usage, "give the argument to", "a trace needs two symbols")
		}
		r, err := e.Trace(ctx, uses.Target, a.text["to"], 0)
		if err != nil {
			return err
		}
		v.out.Total, v.out.Ambiguous, v.out.Unresolved = len(r.Results), r.Ambiguous, r.Unresolved
		v.out.add(r.Note)
		v.out.add(r.Omitted)
		v.steps(r.Results, r.Cut)
		return nil
	}
	ask := map[string]func(*query.Engine, context.Context, query.UsesOptions) (*query.UsesResult, error){
		"references": (*query.Engine).Refs, "callers": (*query.Engine).Callers, "callees": (*query.Engine).Callees,
	}[v.relation]
	r, err := ask(e, ctx, uses)
	if err != nil {
		return err
	}
	v.out.Total, v.out.Ambiguous, v.out.External, v.out.Unresolved = r.Total, r.AmbiguousTotal, r.External, r.Unresolved
	v.out.add(r.Note)
	v.out.add(r.Omitted)
	v.about(r.Targets)
	for _, list := range [][]query.UseHit{r.Results, r.Ambiguous} {
		for i := range list {
			if v.keep(list[i].FilePath()) {
				v.items = append(v.items, v.useItem(&list[i]))
			}
		}
	}
	return nil
}

// about lists what the target means.
func (v *symbolView) about(targets []query.SymbolHit) {
	for i := range targets {
		if t := &targets[i]; !v.changed[t.FilePath()] {
			v.out.Targets = append(v.out.Targets, brief(t))
		}
	}
}

// steps lists declarations that were reached, each with the use on the way.
func (v *symbolView) steps(steps []query.SymbolStep, cut bool) {
	if cut {
		v.out.add("more could be followed than was; ask about a narrower target")
	}
	for i := range steps {
		s := &steps[i]
		via := ""
		if u := s.Via; u != nil && !v.changed[u.FilePath()] {
			via = fmt.Sprintf("%s at %s:%d", u.Role, oneLine(u.FilePath()), u.StartLine)
		}
		v.reach(&s.SymbolHit, s.Depth, via)
	}
}

// reach lists a declaration that is some steps away.
func (v *symbolView) reach(h *query.SymbolHit, depth int, via string) {
	if !v.keep(h.FilePath()) {
		return
	}
	hit, place := declarationHit(h)
	hit.Depth, hit.Via = depth, via
	place += fmt.Sprintf("  (%s", count(depth, "step"))
	if via != "" {
		place += ", " + via
	}
	v.items = append(v.items, lineItem(hit, place+")", h.SourceText, ""))
}

// keep reports whether a result in that file is given.
func (v *symbolView) keep(path string) bool {
	if v.changed[path] {
		v.dropped++
		return false
	}
	return v.wants()
}

func (v *symbolView) summary() string {
	s := fmt.Sprintf("%d of %d", len(v.out.Results), v.out.Total+v.out.Ambiguous)
	if v.out.Binding != "" {
		s += ", " + v.out.Binding
	}
	switch v.relation {
	case "definition":
	case "implementations", "impact", "trace":
		s = fmt.Sprintf("%d of %d", len(v.out.Results), v.out.Total)
		if n := v.out.Ambiguous + v.out.Unresolved; n > 0 {
			s += fmt.Sprintf("; %s on the way may lead further", count(n, "use"))
		}
	default:
		s += fmt.Sprintf(" (%d bound, %d ambiguous), %d external, %d unresolved", v.out.Total, v.out.Ambiguous, v.out.External, v.out.Unresolved)
	}
	return s
}

func (v *symbolView) targetsText() string {
	s := ""
	for _, t := range v.out.Targets {
		s += "# target " + t.String() + "\n"
	}
	return s
}

func (v *symbolView) targetsSize() int {
	return jsonSize(v.out.Targets) + len(v.targetsText())
}

// maxBrief bounds the symbol of a declaration that stands beside a result.
const maxBrief = 160

func brief(h *query.SymbolHit) briefPlace {
	return briefPlace{where: whereOf(h.Place), Line: h.NameLine, Kind: h.Kind, Symbol: clip(oneLine(h.Symbol), maxBrief), ID: h.ID}
}

func (b briefPlace) String() string {
	path := b.Path
	if b.PathB64 != nil {
		path = string(b.PathB64)
	}
	return fmt.Sprintf("%s:%d  %s %s", oneLine(path), b.Line, b.Kind, b.Symbol)
}

func declarationItem(h *query.SymbolHit) item {
	hit, place := declarationHit(h)
	return lineItem(hit, place, h.SourceText, "")
}

func declarationHit(h *query.SymbolHit) (symbolHit, string) {
	hit := symbolHit{
		where: whereOf(h.Place), Line: h.NameLine, Col: h.Col, Kind: h.Kind, Symbol: oneLine(h.Symbol), ID: h.ID,
		Provenance: string(h.Provenance), Rule: oneLine(h.Rule),
	}
	place := fmt.Sprintf("%s:%d:%d  lines %d-%d  %s %s", oneLine(h.FilePath()), h.NameLine, h.Col, h.StartLine, h.EndLine, h.Kind, hit.Symbol)
	return hit, place
}

func (v *symbolView) useItem(h *query.UseHit) item {
	hit := symbolHit{
		where: whereOf(h.Place), Line: h.StartLine, Col: h.Col, Role: h.Role, Kind: h.Kind, Symbol: oneLine(h.Symbol), ID: h.ID,
		Binding: string(h.Binding), Provenance: string(h.Provenance), Rule: oneLine(h.Rule),
	}
	place := fmt.Sprintf("%s:%d:%d  %s", oneLine(h.FilePath()), h.StartLine, h.Col, h.Role)
	if h.Symbol != "" {
		place += " in " + hit.Symbol
	}
	if h.Binding == query.Ambiguous {
		place += "  (ambiguous)"
	}
	below := ""
	if v.relation == "callees" || h.Binding == query.Ambiguous {
		for i := range h.Targets {
			if t := &h.Targets[i]; !v.changed[t.FilePath()] {
				hit.Targets = append(hit.Targets, brief(t))
				below += "    -> " + brief(t).String() + "\n"
			}
		}
	}
	return lineItem(hit, place, h.SourceText, below)
}

// lineItem is a result with the source line at its place.
func lineItem(hit symbolHit, place string, src query.SourceText, below string) item {
	if hit.Provenance != "" {
		place += fmt.Sprintf("  [%s: %s]", hit.Provenance, hit.Rule)
	}
	line := src.Bytes()
	lean := hit
	lean.NotShown = len(line)
	hit.Text, hit.TextB64 = src.Text, src.TextB64
	return item{
		full: hit, fullText: place + "  | " + lineText(line) + "\n" + below,
		lean: lean, leanText: fmt.Sprintf("%s  (line of %d bytes not shown)\n%s", place, len(line), below),
	}
}
