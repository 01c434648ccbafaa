package main

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/stats"
)

// evalRepo is a repository of the search set, cut into units.
type evalRepo struct {
	Name, Language string
	Units          []evalUnit
	Queries        []evalQuery
}

type evalUnit struct {
	Path, Symbol, Signature, Doc, Body string
	First, Last                        int // lines
}

type evalQuery struct {
	Text, Category string
	Targets        []evalTarget
}

// evalTarget is a file, or lines of one where Last is not 0.
type evalTarget struct {
	Path        string
	First, Last int
}

// evaluate measures a model on the development side of the search set: NDCG@10
// as the benchmark defines it, of the vectors alone over units, of files by
// their best units, and of files by a plain BM25 without and with the vectors.
// Every model behind the first is compared with it, repository by repository.
func evaluate(args []string) error {
	f := flag.NewFlagSet("eval", flag.ContinueOnError)
	mirrors := f.String("mirrors", "", "`folder` of bare repositories, owner+name/repo")
	eval := f.String("eval", "", "`folder` of the evaluation data")
	cache := f.String("cache", "", "`file` to keep the repositories' units in")
	perRepo := f.Bool("per-repo", false, "print each repository")
	if err := f.Parse(args); err != nil {
		return err
	}
	repos, err := evalRepos(*mirrors, *eval, *cache)
	if err != nil {
		return err
	}
	var first [][]float64
	for _, file := range f.Args() {
		var e embed.Embedder
		if file == "hashed" {
			e = embed.NewHashed()
		} else {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if e, err = embed.OpenModel(b); err != nil {
				return err
			}
		}
		byRepo := score(file, e, repos, *perRepo)
		if first == nil {
			first = byRepo
			continue
		}
		for k, route := range routes {
			gain := make([]float64, len(repos))
			for i := range gain {
				gain[i] = byRepo[k][i] - first[k][i]
			}
			lo, hi := interval(gain)
			fmt.Printf("  %-12s %+.4f (%+.3f to %+.3f) against %s\n", route, stats.Mean(gain), lo, hi, f.Arg(0))
		}
	}
	return nil
}

func evalRepos(mirrors, eval, cache string) ([]evalRepo, error) {
	var repos []evalRepo
	if in, err := os.Open(cache); err == nil {
		defer in.Close()
		return repos, gob.NewDecoder(in).Decode(&repos)
	}
	var specs []repoSpec
	if err := readJSON(filepath.Join(eval, "semble/repos.json"), &specs); err != nil {
		return nil, err
	}
	for _, s := range specs {
		dir := filepath.Join(mirrors, strings.Replace(s.Repository, "/", "+", 1), "repo")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "not at hand:", s.Repository)
			continue
		}
		r := evalRepo{Name: s.Name, Language: s.Language}
		err := eachBlob(dir, s.Revision, s.Root, map[string]bool{}, func(name string, b []byte) {
			if len(b) > 1<<20 || filetext.Inspect(b) != artifact.SkipNone {
				return
			}
			t := filetext.Decode(b)
			eachUnit(units.Language(name, t.Bytes), name, t, func(u *text) {
				r.Units = append(r.Units, evalUnit{u.path, u.symbol, u.signature, u.doc, u.body, u.lines[0], u.lines[1]})
			})
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if r.Queries, err = evalQueries(filepath.Join(eval, "semble/annotations", s.Name+".json")); err != nil {
			return nil, err
		}
		repos = append(repos, r)
	}
	if cache == "" {
		return repos, nil
	}
	out, err := os.Create(cache)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(out).Encode(repos); err != nil {
		return nil, err
	}
	return repos, out.Close()
}

func evalQueries(file string) ([]evalQuery, error) {
	var items []struct {
		Query, Category     string
		Relevant, Secondary []json.RawMessage
	}
	if err := readJSON(file, &items); err != nil {
		return nil, err
	}
	var out []evalQuery
	for _, it := range items {
		q := evalQuery{Text: it.Query, Category: it.Category}
		switch {
		case q.Category != "":
		case !strings.Contains(strings.TrimSpace(q.Text), " "):
			q.Category = "symbol"
		case strings.HasPrefix(strings.ToLower(q.Text), "how "):
			q.Category = "architecture"
		default:
			q.Category = "semantic"
		}
		for _, raw := range slices.Concat(it.Relevant, it.Secondary) {
			var t struct {
				Path  string
				First int `json:"start_line"`
				Last  int `json:"end_line"`
			}
			if json.Unmarshal(raw, &t.Path) != nil {
				if err := json.Unmarshal(raw, &t); err != nil {
					return nil, err
				}
			}
			q.Targets = append(q.Targets, evalTarget(t))
		}
		out = append(out, q)
	}
	return out, nil
}

func (t *evalTarget) hit(u *evalUnit) bool {
	if u.Path != t.Path && !strings.HasSuffix(u.Path, "/"+t.Path) && !strings.HasSuffix(t.Path, "/"+u.Path) {
		return false
	}
	return t.First == 0 || t.Last == 0 || u.Last >= t.First && u.First <= t.Last
}

// ndcg scores the first ten of ranked units.
func ndcg(us []evalUnit, ranked []int, targets []evalTarget) float64 {
	if len(targets) == 0 {
		return 0
	}
	var gain [10]bool
	for _, t := range targets {
		for i, u := range ranked[:min(10, len(ranked))] {
			if t.hit(&us[u]) {
				gain[i] = true
				break
			}
		}
	}
	got, ideal := 0.0, 0.0
	for i, g := range gain {
		if g {
			got += 1 / math.Log2(float64(i+2))
		}
		if i < len(targets) {
			ideal += 1 / math.Log2(float64(i+2))
		}
	}
	return got / ideal
}

// routes that are measured.
var routes = []string{"units", "files", "bm25 files", "fused files"}

// score prints a model's figures and returns each route's, a repository.
func score(name string, e embed.Embedder, repos []evalRepo, perRepo bool) [][]float64 {
	byRepo := make([][]float64, len(routes))
	byQuery := make([][]float64, len(routes))
	category := map[string][]float64{}
	units, begun := 0, stats.CPU()
	var buf []int8
	for i := range repos {
		units += len(repos[i].Units)
		buf = embedAll(e, &repos[i], buf[:0])
	}
	took := stats.CPU() - begun
	var found []float64
	for i := range repos {
		found = append(found, ownDocs(e, &repos[i]))
		r := &repos[i]
		sums := make([]float64, len(routes))
		scored := newScorer(e, r)
		for _, q := range r.Queries {
			for k, ranked := range scored.rank(q.Text) {
				s := ndcg(r.Units, ranked, q.Targets)
				sums[k] += s
				byQuery[k] = append(byQuery[k], s)
				if k == 1 {
					category[q.Category] = append(category[q.Category], s)
				}
			}
		}
		for k := range routes {
			sums[k] /= float64(len(r.Queries))
			byRepo[k] = append(byRepo[k], sums[k])
		}
		if perRepo {
			fmt.Printf("  %-20s %-10s units %.3f  files %.3f  bm25 %.3f  fused %.3f\n", r.Name, r.Language, sums[0], sums[1], sums[2], sums[3])
		}
	}
	fmt.Printf("%s: %d units embedded at %.0f a second of processor time\n", name, units, float64(units)/took.Seconds())
	fmt.Printf("%s: NDCG@10, mean over %d repositories (95%% interval) and over %d queries\n", name, len(repos), len(byQuery[0]))
	for k, route := range routes {
		lo, hi := interval(byRepo[k])
		fmt.Printf("  %-12s %.4f (%.3f to %.3f)  %.4f\n", route, stats.Mean(byRepo[k]), lo, hi, stats.Mean(byQuery[k]))
	}
	lo, hi := interval(found)
	fmt.Printf("  %-12s %.4f (%.3f to %.3f)  mean reciprocal rank of the unit that a documentation's first sentence was taken from\n", "own words", stats.Mean(found), lo, hi)
	for _, c := range slices.Sorted(maps.Keys(category)) {
		fmt.Printf("  files, %s: %.4f (%d)", c, stats.Mean(category[c]), len(category[c]))
	}
	fmt.Println()
	return byRepo
}

// interval is the 95% bootstrap interval of a mean.
func interval(v []float64) (lo, hi float64) {
	return stats.Interval(stats.Bootstrap(len(v), rand.New(rand.NewPCG(1, 1)), func(drawn []int) (float64, bool) {
		sum := 0.0
		for _, i := range drawn {
			sum += v[i]
		}
		return sum / max(float64(len(v)), 1), true
	}))
}

// scorer ranks one repository's units.
type scorer struct {
	e       embed.Embedder
	r       *evalRepo
	rows    []int8
	a       analysis.Analyzer
	posting map[string][]posting
	length  []float64
	mean    float64
}

type posting struct {
	unit int
	n    float64
}

func newScorer(e embed.Embedder, r *evalRepo) *scorer {
	s := &scorer{e: e, r: r, posting: map[string][]posting{}}
	s.rows = embedAll(e, r, nil)
	for i := range r.Units {
		u := &r.Units[i]
		count := map[string]float64{}
		n := 0.0
		for _, t := range []string{u.Path, u.Path, u.Symbol, u.Symbol, u.Signature, u.Doc, u.Body} {
			s.a.Scan([]byte(t), func(t analysis.Token) { count[string(t.Term)]++; n++ })
		}
		for t, c := range count {
			s.posting[t] = append(s.posting[t], posting{i, c})
		}
		s.length = append(s.length, n)
		s.mean += n / float64(len(r.Units))
	}
	return s
}

// ownDocs takes the documentation from some units and asks for each by its
// first sentence: which unit it is matters here, not which file.
func ownDocs(e embed.Embedder, r *evalRepo) float64 {
	rows := embedAll(e, r, nil)
	d := e.Dims()
	var asked []int
	for i := range r.Units {
		if len(firstSentence(r.Units[i].Doc)) > 30 && r.Units[i].Symbol != "" {
			asked = append(asked, i)
		}
	}
	for i := 0; len(asked) > 150; i++ {
		// Every second one, until few are left.
		asked = slices.DeleteFunc(asked, func(u int) bool { return (u>>i)&1 == 1 })
		if i > 20 {
			asked = asked[:150]
		}
	}
	if len(asked) == 0 {
		return 0
	}
	for _, i := range asked {
		u := &r.Units[i]
		e.Embed(embed.Document{Path: u.Path, Symbol: []byte(u.Symbol), Signature: [][]byte{[]byte(u.Signature)}, Body: [][]byte{[]byte(u.Body)}}, rows[i*d:(i+1)*d])
	}
	q, dots := make([]int8, d), make([]int32, len(r.Units))
	sum := 0.0
	for _, i := range asked {
		e.EmbedQuery(firstSentence(r.Units[i].Doc), q)
		embed.Scan(q, rows, d, dots)
		rank := 1
		for _, x := range dots {
			if x > dots[i] {
				rank++
			}
		}
		sum += 1 / float64(rank)
	}
	return sum / float64(len(asked))
}

// embedAll appends the vectors of all units.
func embedAll(e embed.Embedder, r *evalRepo, rows []int8) []int8 {
	d := e.Dims()
	rows = slices.Grow(rows, d*len(r.Units))[:d*len(r.Units)]
	for i := range r.Units {
		u := &r.Units[i]
		e.Embed(embed.Document{Path: u.Path, Symbol: []byte(u.Symbol), Signature: [][]byte{[]byte(u.Signature)}, Doc: [][]byte{[]byte(u.Doc)}, Body: [][]byte{[]byte(u.Body)}}, rows[i*d:(i+1)*d])
	}
	return rows
}

func (s *scorer) rank(q string) [][]int {
	d, n := s.e.Dims(), len(s.r.Units)
	v := make([]int8, d)
	s.e.EmbedQuery(q, v)
	dots := make([]int32, n)
	embed.Scan(v, s.rows, d, dots)
	dense, lexical, fused := make([]float64, n), make([]float64, n), make([]float64, n)
	top := 1e-9
	s.a.Scan([]byte(q), func(t analysis.Token) {
		list := s.posting[string(t.Term)]
		idf := math.Log(1 + (float64(n)-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			lexical[p.unit] += idf * p.n * 2.2 / (p.n + 1.2*(0.25+0.75*s.length[p.unit]/s.mean))
			top = max(top, lexical[p.unit])
		}
	})
	best := 1e-9
	for i, x := range dots {
		dense[i] = float64(x) / (embed.Norm * embed.Norm)
		best = max(best, dense[i])
	}
	for i := range fused {
		fused[i] = 0.4*lexical[i]/top + 0.6*dense[i]/best
	}
	return [][]int{ranked(dense), s.files(dense), s.files(lexical), s.files(fused)}
}

func ranked(scores []float64) []int {
	out := make([]int, len(scores))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int {
		if scores[a] > scores[b] {
			return -1
		}
		if scores[a] < scores[b] {
			return 1
		}
		return 0
	})
	return out
}

// files ranks files by their best unit, a fifth of the second and a tenth of
// the third, and returns each file's best unit.
func (s *scorer) files(scores []float64) []int {
	byFile := map[string][]int{}
	var order []string
	for _, u := range ranked(scores) {
		p := s.r.Units[u].Path
		if byFile[p] == nil {
			order = append(order, p)
		}
		byFile[p] = append(byFile[p], u)
	}
	value := func(p string) float64 {
		v := 0.0
		for i, u := range byFile[p][:min(3, len(byFile[p]))] {
			v += scores[u] * []float64{1, 0.2, 0.1}[i]
		}
		return v
	}
	slices.SortStableFunc(order, func(a, b string) int {
		if x, y := value(a), value(b); x > y {
			return -1
		} else if x < y {
			return 1
		}
		return 0
	})
	out := make([]int, len(order))
	for i, p := range order {
		out[i] = byFile[p][0]
	}
	return out
}
