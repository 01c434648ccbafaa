package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
	"github.com/pindex-dev/pindex/query"
)

// The scripted explorers. All follow one policy: three questions, then the best
// file that was not read yet, and one more question after every two reads. A
// question is a word of the issue, those that look like code first. They differ
// in what answers it: grep, or pindex's search, or a bundle in front of that.
const (
	grepExplorer    = "grep and read"
	searchExplorer  = "pindex search and read"
	contextExplorer = "pindex context, then search and read"
)

// Bounds of the explorers.
const (
	firstGreps = 3
	maxCalls   = 40
	grepLines  = 100 // that a question to grep shows
	grepWidth  = 200 // bytes of a line
	readLines  = 200
	readAbove  = 40 // of them, before the line that led there
)

// walk is how an explorer fared with one issue.
type walk struct {
	ID, Repo string
	Explorer string
	Lines    int // of source that the repository has
	Tokens   int // of calls and answers until every file of the fix was seen
	Calls    int
	Found    bool // within maxCalls
}

type explorer struct {
	c     *corpus
	meter *bundle.Meter
	words []string
	hits  map[string][]grepHit
	ask   func(word string) (answer string, hits []grepHit, err error)

	score map[int]float64
	line  map[int]int // that leads into a file
	found []int       // files, in the order in which they were met
	read  map[int]bool
	reads int
	asked int
}

// step does the next thing and returns what it costs, as the call and its
// answer, and what it showed; done when there is nothing left to do.
func (x *explorer) step() (call, answer string, showed []part, done bool, err error) {
	best := -1
	for _, f := range x.found {
		if !x.read[f] && (best < 0 || x.score[f] > x.score[best]) {
			best = f
		}
	}
	if x.asked < len(x.words) && (best < 0 || x.asked < firstGreps || x.reads >= 2*(x.asked-firstGreps+1)) {
		w := x.words[x.asked]
		x.asked++
		text, hits, err := x.ask(w)
		if err != nil {
			return "", "", nil, false, err
		}
		x.follow(hits)
		for _, h := range hits {
			showed = append(showed, part{h.file, h.line, h.line})
		}
		return w, text, showed, false, nil
	}
	if best < 0 {
		return "", "", nil, true, nil
	}
	x.read[best] = true
	x.reads++
	f := &x.c.files[best]
	from := max(1, min(x.line[best]-readAbove, len(f.lines)-readLines+1))
	to := min(len(f.lines), from+readLines-1)
	var b []byte
	for n := from; n <= to; n++ {
		b = appendNumbered(b, n, f.lines[n-1])
	}
	return f.path + ":" + strconv.Itoa(from), string(b), []part{{best, from, to}}, false, nil
}

// follow notes where hits lead: a question that few files answer says more of
// each, and the first that led to a file says where to open it.
func (x *explorer) follow(hits []grepHit) {
	in := map[int]bool{}
	for _, h := range hits {
		in[h.file] = true
	}
	for _, h := range hits {
		if !in[h.file] {
			continue
		}
		delete(in, h.file)
		if _, ok := x.line[h.file]; !ok {
			x.line[h.file] = h.line
			x.found = append(x.found, h.file)
		}
	}
	seen := map[int]bool{}
	for _, h := range hits {
		seen[h.file] = true
	}
	for f := range seen {
		x.score[f] += 1 / float64(len(seen))
	}
}

func newExplorer(c *corpus, m *bundle.Meter, question string) *explorer {
	x := &explorer{c: c, meter: m, words: codeFirst(question), score: map[int]float64{}, line: map[int]int{}, read: map[int]bool{}}
	x.ask = x.grep
	return x
}

func (x *explorer) grep(word string) (string, []grepHit, error) {
	if x.hits == nil {
		_, x.hits = x.c.grep(strings.Join(x.words, " "))
	}
	hits := x.hits[word]
	shown := hits[:min(len(hits), grepLines)]
	var b strings.Builder
	for _, h := range shown {
		f := &x.c.files[h.file]
		l := f.lines[h.line-1]
		fmt.Fprintf(&b, "%s:%d:%s\n", f.path, h.line, l[:min(len(l), grepWidth)])
	}
	if len(hits) > len(shown) {
		fmt.Fprintf(&b, "%d more\n", len(hits)-len(shown))
	}
	if len(hits) == 0 {
		b.WriteString("nothing\n")
	}
	return b.String(), shown, nil
}

// codeFirst are the identifiers of a text that one would ask grep for: those
// that look like code in their order, then the longest words.
func codeFirst(text string) []string {
	seen := map[string]bool{}
	var code, prose []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !identifier(byte(min(r, 0x80))) }) {
		if seen[w] || len(w) < 4 || '0' <= w[0] && w[0] <= '9' {
			continue
		}
		seen[w] = true
		inner := strings.ContainsFunc(w[1:], func(r rune) bool { return 'A' <= r && r <= 'Z' }) && strings.ToUpper(w) != w
		if inner || strings.Contains(strings.Trim(w, "_"), "_") {
			code = append(code, w)
		} else {
			prose = append(prose, w)
		}
	}
	sortBy(prose, func(a, b string) bool { return len(a) > len(b) })
	return append(code, prose...)
}

// pinned is an open index as the tools want it.
type pinned struct{ e *query.Engine }

func (s pinned) Engine() *query.Engine { return s.e }

func (s pinned) Store() string { return "" }

func (s pinned) Close() error { return nil }

func (s pinned) State(context.Context) (tools.State, error) {
	return tools.State{Freshness: query.Freshness{State: "exact"}}, nil
}

// answers calls a tool of pindex's MCP server and returns the text that an
// agent reads.
func answers(ctx context.Context, s *tools.Set, tool string, args map[string]any) (text string, structured []byte, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", nil, err
	}
	r, ok := s.Call(ctx, tool, raw, nil)
	if !ok {
		return "", nil, errors.New("there is no tool " + tool)
	}
	return strings.Join(r.Texts, "\n"), r.Structured, nil
}

// exploreTask walks through one issue with every explorer.
func exploreTask(ctx context.Context, t *task, e *query.Engine, c *corpus) ([]walk, error) {
	lines := 0
	for i := range c.files {
		lines += len(c.files[i].lines)
	}
	meter := bundle.NewMeter()
	set := tools.NewSet(tools.Options{Name: "pindex", Open: func(context.Context) (tools.Session, error) { return pinned{e}, nil }})
	defer set.Close(ctx)
	list, err := json.Marshal(set.Tools())
	if err != nil {
		return nil, err
	}
	places := func(structured []byte, field string) (out []grepHit) {
		var v map[string]json.RawMessage
		var rs []struct {
			Path  string `json:"path"`
			Start int    `json:"start_line"`
			Line  int    `json:"snippet_line"`
		}
		if json.Unmarshal(structured, &v) == nil && json.Unmarshal(v[field], &rs) == nil {
			for _, r := range rs {
				if i, ok := c.at[r.Path]; ok {
					out = append(out, grepHit{i, max(1, r.Start, r.Line)})
				}
			}
		}
		return out
	}
	var out []walk
	for _, name := range []string{grepExplorer, searchExplorer, contextExplorer} {
		w := walk{ID: t.ID, Repo: t.Repo, Explorer: name, Lines: lines}
		x := newExplorer(c, meter, t.Query)
		gold := map[string]bool{}
		for _, f := range t.Files {
			gold[f] = true
		}
		pay := func(texts ...string) {
			w.Calls++
			for _, s := range texts {
				w.Tokens += meter.Count([]byte(s))
			}
		}
		if name != grepExplorer {
			w.Tokens = meter.Count(list)
			x.ask = func(word string) (string, []grepHit, error) {
				text, structured, err := answers(ctx, set, "search", map[string]any{"query": word})
				return text, places(structured, "results"), err
			}
			// The first question is the issue itself; the places of its answer
			// are worth what their ranks say.
			first := func() error {
				text, structured, err := answers(ctx, set, "search", map[string]any{"query": t.Query})
				if err != nil {
					return err
				}
				pay(t.Query, text)
				for i, h := range places(structured, "results") {
					if _, ok := x.line[h.file]; !ok {
						x.line[h.file] = h.line
						x.found = append(x.found, h.file)
						x.score[h.file] = 2 / float64(i+1)
					}
				}
				x.asked, x.words = firstGreps, slices.Concat(make([]string, firstGreps), x.words)
				return nil
			}
			if name == contextExplorer {
				text, structured, err := answers(ctx, set, "context", map[string]any{"query": t.Query})
				if err != nil {
					return nil, err
				}
				pay(t.Query, text)
				for _, h := range places(structured, "files") {
					delete(gold, c.files[h.file].path)
					x.read[h.file] = true
				}
			}
			if len(gold) > 0 {
				if err := first(); err != nil {
					return nil, err
				}
			}
		}
		for len(gold) > 0 && w.Calls < maxCalls {
			call, answer, showed, done, err := x.step()
			if err != nil {
				return nil, err
			}
			if done {
				break
			}
			pay(call, answer)
			// A file is seen when it was read; a hit alone only leads there.
			if len(showed) == 1 && x.read[showed[0].file] {
				delete(gold, c.files[showed[0].file].path)
			}
		}
		w.Found = len(gold) == 0
		out = append(out, w)
	}
	return out, nil
}

// explored is what came of a commit's issues.
type explored struct {
	Walks   []walk
	Bundles []bundleMeasure
}

// shortened are the lengths to which units are cut under eager; 0 for whole
// units.
var shortened = []int{0, 40, 20, 10}

// variantsOf measures what stands in the history of a session, and eager with
// units cut short.
func variantsOf(ctx context.Context, t *task, e *query.Engine, c *corpus) ([]bundleMeasure, error) {
	meter := bundle.NewMeter()
	var out []bundleMeasure
	put := func(policy string, budget int, s []shown, tokens int) {
		m := judgeBundle(t, s, c.length)
		m.Policy, m.Budget, m.Tokens = policy, budget, tokens
		m.Paired = tokens*100 >= budget*(100-tolerance) && tokens*100 <= budget*(100+tolerance)
		out = append(out, m)
	}
	for _, budget := range budgets[:3] {
		for _, name := range []string{keptHistory, compactHistory} {
			s, tokens, err := session(c, meter, t.Query, budget, name == compactHistory)
			if err != nil {
				return nil, err
			}
			put(name, budget, s, tokens)
		}
	}
	for _, lines := range shortened {
		p, err := bundle.NewPlan(ctx, e, bundle.Options{Query: t.Query, Policy: bundle.Eager, Lines: lines})
		if fail.CodeOf(err) == fail.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, budget := range budgets[:2] {
			b, text, err := p.Fit(ctx, budget, bundle.Markdown)
			if err != nil {
				return nil, err
			}
			put(fmt.Sprintf("eager, %d lines a unit", lines), budget, shownBy(b), meter.Count(text))
		}
	}
	return out, nil
}

// hashed returns n tasks, at most perRepo of each repository: the first by the
// sha256 of their names.
func hashed(tasks []task, n, perRepo int) []task {
	key := func(t *task) string {
		sum := sha256.Sum256([]byte(strings.TrimPrefix(t.ID, t.Set+"/")))
		return string(sum[:])
	}
	all := slices.Clone(tasks)
	sort.Slice(all, func(i, j int) bool { return key(&all[i]) < key(&all[j]) })
	of := map[string]int{}
	var out []task
	for _, t := range all {
		if of[t.Repo]++; of[t.Repo] <= perRepo && len(out) < n {
			out = append(out, t)
		}
	}
	return out
}
