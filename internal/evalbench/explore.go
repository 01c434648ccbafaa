package main

import (
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

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
func (s pinned) Store() string         { return "" }
func (s pinned) Close() error          { return nil }
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

// explore walks through every task and prints what it cost.
func explore(ctx context.Context, tasks []task, mirrors, work string, fresh bool) error {
	groups := commits(tasks)
	failed := eachGroup(groups, func(ts []task) error {
		name := filepath.Join(work, "walks", ts[0].Commit+".gob")
		if _, err := os.Stat(name); err == nil && !fresh {
			return nil
		}
		start := time.Now()
		e, err := engine(ctx, mirrors, ts[0].Mirror, ts[0].Commit, work)
		if err != nil {
			return err
		}
		var out explored
		for i := range ts {
			c, err := readCorpus(e, ts[i].Query)
			if err != nil {
				return err
			}
			ws, err := exploreTask(ctx, &ts[i], e, c)
			if err != nil {
				return err
			}
			ms, err := variantsOf(ctx, &ts[i], e, c)
			if err != nil {
				return err
			}
			out.Walks = append(out.Walks, ws...)
			out.Bundles = append(out.Bundles, ms...)
		}
		fmt.Fprintln(os.Stderr, ts[0].Mirror, ts[0].Commit, len(ts), "tasks", time.Since(start).Round(time.Millisecond))
		return writeGob(name, out)
	})
	var all []walk
	var ms []bundleMeasure
	byID := map[string]*task{}
	for _, ts := range groups {
		f, err := os.Open(filepath.Join(work, "walks", ts[0].Commit+".gob"))
		if err != nil {
			continue
		}
		var one explored
		err = gob.NewDecoder(f).Decode(&one)
		f.Close()
		if err != nil {
			return err
		}
		all, ms = append(all, one.Walks...), append(ms, one.Bundles...)
		for i := range ts {
			byID[ts[i].ID] = &ts[i]
		}
	}
	walkTables(all)
	printBundles(ms, byID)
	return failed
}

// sizes are the classes of repositories, by lines of source.
var sizes = []struct {
	name  string
	limit int
}{{"below 20,000 lines", 20_000}, {"20,000 to 100,000", 100_000}, {"above 100,000", math.MaxInt}}

func walkTables(all []walk) {
	fmt.Println("| repositories | issues | explorer | found | tokens, mean | tokens, median | calls, mean | tokens against grep, by issue |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	grep := map[string]*walk{}
	for i := range all {
		if all[i].Explorer == grepExplorer {
			grep[all[i].ID] = &all[i]
		}
	}
	least := 0
	for _, size := range sizes {
		for _, name := range []string{grepExplorer, searchExplorer, contextExplorer} {
			var tokens, calls, ratio []float64
			found := 0
			for i := range all {
				w := &all[i]
				if w.Explorer != name || w.Lines < least || w.Lines >= size.limit {
					continue
				}
				tokens, calls = append(tokens, float64(w.Tokens)), append(calls, float64(w.Calls))
				ratio = append(ratio, math.Log(float64(w.Tokens)/float64(grep[w.ID].Tokens)))
				if w.Found {
					found++
				}
			}
			if len(tokens) == 0 {
				continue
			}
			fmt.Printf("| %s | %d | %s | %d | %.0f | %.0f | %.1f | %.2f |\n", size.name, len(tokens), name, found, average(tokens), median(tokens), average(calls), math.Exp(average(ratio)))
		}
		least = size.limit
	}
	for _, name := range []string{searchExplorer, contextExplorer} {
		fmt.Println(name + ": " + crossing(all, grep, name))
	}
}

// crossing tells from which size of a repository on an explorer takes fewer
// tokens than grep: where the line through the logarithms of the ratio, a mean
// for each repository, against the logarithm of its lines meets 1; with a 95%
// interval from 2000 draws of repositories.
func crossing(all []walk, grep map[string]*walk, name string) string {
	type point struct{ x, y, n float64 }
	by := map[string]*point{}
	var repos []string
	for i := range all {
		w := &all[i]
		if w.Explorer != name {
			continue
		}
		p := by[w.Repo]
		if p == nil {
			p = &point{}
			by[w.Repo] = p
			repos = append(repos, w.Repo)
		}
		p.x += math.Log(float64(w.Lines))
		p.y += math.Log(float64(w.Tokens) / float64(grep[w.ID].Tokens))
		p.n++
	}
	sort.Strings(repos)
	line := func(repos []string) (slope, at float64) {
		var sx, sy, sxx, sxy, n float64
		for _, r := range repos {
			x, y := by[r].x/by[r].n, by[r].y/by[r].n
			sx, sy, sxx, sxy, n = sx+x, sy+y, sxx+x*x, sxy+x*y, n+1
		}
		slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
		return slope, math.Exp(-(sy - slope*sx) / n / slope)
	}
	slope, at := line(repos)
	rng := rand.New(rand.NewPCG(1, 2))
	var ats []float64
	for range 2000 {
		draw := make([]string, len(repos))
		for i := range draw {
			draw[i] = repos[rng.IntN(len(repos))]
		}
		if s, a := line(draw); s < 0 {
			ats = append(ats, a)
		}
	}
	if slope >= 0 || len(ats) == 0 {
		return fmt.Sprintf("no size shows at which it begins to pay (slope %.2f over %d repositories)", slope, len(repos))
	}
	sort.Float64s(ats)
	return fmt.Sprintf("pays from %.0f lines on [%.0f, %.0f; %d of 2000 draws slope down], tokens change by a factor of %.2f for each tenfold size, %d repositories",
		at, ats[len(ats)*25/1000], ats[len(ats)*975/1000], len(ats), math.Pow(10, slope), len(repos))
}

func average(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
