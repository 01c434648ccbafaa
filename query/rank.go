package query

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query/treepath"
)

// ranker is the one final ranker behind every route.
type ranker struct {
	e        *Engine
	q        *queryTerms
	w        *Weights
	waived   pathClass // classes that the question is about
	sc       *searchScratch
	useLex   bool
	useSem   bool
	useTitle bool
	slots    []int64 // weight of each slot
	model    *model
	files    []fileCand
	imported *importCounts // nil without structure; see Engine.imported
	units    *unitModel
	fuse     *fusion
	told     map[int]int64 // by document: what stands in it verbatim is worth
	linked   *expansion    // nil but on the structural route
	keep     func(doc int) bool
	k        int  // results asked for
	need     int  // places of the order that are looked at
	byFile   bool // one result of each file
	total    int  // places of the order; it does not depend on need

	want, last string // of a single identifier: dotted, and its last component
}

func (s *search) newRanker() *ranker {
	r := &ranker{e: s.e, q: s.q, w: s.w, sc: s.sc, useLex: s.useLex, useSem: s.useSem, k: s.o.K, need: s.need(), byFile: s.o.Level == "file", units: &builtInUnits, model: modelFor(s.q, s.useLex, s.useSem), waived: waivedClasses(s.q)}
	for i := range s.q.slots {
		r.slots = append(r.slots, toMicro(s.q.slots[i].score))
	}
	r.useTitle = s.useLex && s.sc.titled
	if s.q.single {
		r.want = toDots.Replace(s.q.ident)
		r.last = r.want[strings.LastIndexByte(r.want, '.')+1:]
	}
	return r
}

// toDots writes any language's qualifiers as dots.
var toDots = strings.NewReplacer("::", ".", "#", ".", "->", ".")

// maxAskingWords is the length up to which a question that says "test" is taken
// to ask for tests.
const maxAskingWords = 10

// waivedClasses returns the kinds of files that the question speaks of, which
// are then not held back.
func waivedClasses(q *queryTerms) pathClass {
	var c pathClass
	// A long question mentions tests and docs in passing.
	if q.issue || len(q.words) > maxAskingWords {
		return 0
	}
	for _, w := range q.words {
		switch w {
		case "test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "mock", "mocks", "testcase", "unittest":
			c |= classTest
		case "example", "examples", "demo", "sample", "samples", "benchmark", "benchmarks", "bench", "tutorial":
			c |= classExample
		case "deprecated", "legacy", "compat", "compatibility":
			c |= classLegacy
		case "vendor", "vendored", "vendoring":
			c |= classVendored
		case "generated", "protobuf":
			c |= classGenerated
		case "minified":
			c |= classMinified
		case "doc", "docs", "documentation", "readme", "changelog", "license", "licence", "guide":
			c |= classDocs
		case "translation", "translations", "locale", "lockfile", "json", "svg", "xml", "csv":
			c |= classData
		case "typing", "typings", "stub", "stubs":
			c |= classStub
		case "workflow", "workflows", "ci", "makefile", "dockerfile", "build", "config", "yaml", "toml", "setup", "install":
			c |= classBuild
		}
	}
	if looksLikePath(strings.TrimSpace(q.text)) {
		c |= classify(strings.TrimSpace(q.text))
	}
	return c
}

// locate fills in where the candidate stands.
func (r *ranker) locate(c *candidate) error {
	p := r.e.partOfDoc(c.doc)
	u, err := r.e.ix.Units(p)
	if err != nil {
		return err
	}
	c.part = p
	c.unit = u.DocUnit(c.doc - r.e.docBase[p])
	c.file = u.UnitFile(c.unit)
	return nil
}

func (e *Engine) partOfDoc(d int) int {
	p, found := slices.BinarySearch(e.docBase, d)
	if !found {
		return p - 1
	}
	// Empty partitions share a base with the next one.
	for e.docBase[p+1] == d {
		p++
	}
	return p
}

// rank orders the candidates, at most one for each unit: files by the model,
// units within their file, and then each file's best unit before further ones.
// Of the order, which has r.total places, it returns as many as are asked for.
func (r *ranker) rank(ctx context.Context, cands []candidate) ([]candidate, error) {
	for i := range cands {
		if err := r.locate(&cands[i]); err != nil {
			return nil, err
		}
	}
	r.total = 0
	if err := r.gather(ctx, r.bestOfUnits(cands)); err != nil {
		return nil, err
	}
	return r.spread(), nil
}

// gather groups the candidates by file, and measures files and units.
func (r *ranker) gather(ctx context.Context, cands []candidate) error {
	set := &r.sc.set
	set.reset(r.e.fileBase[r.e.parts()])
	of := make([]int32, len(cands)) // the file of each candidate
	var first []int32               // of each file
	var count []int32
	for i := range cands {
		n, ok := set.number(r.e.fileBase[cands[i].part]+cands[i].file, len(first))
		if !ok {
			first, count = append(first, int32(i)), append(count, 0)
		}
		of[i] = int32(n)
		count[n]++
	}
	g := r.newGauge()
	r.sc.files, r.sc.units = grow(r.sc.files, len(first)), grow(r.sc.units, len(cands))
	r.files = r.sc.files
	units := r.sc.units
	for n := range r.files {
		f, c := &r.files[n], &cands[first[n]]
		f.part, f.file = c.part, c.file
		f.units, units = units[:0:count[n]], units[count[n]:]
	}
	for i := range cands {
		c, f := &cands[i], &r.files[of[i]]
		f.seeded, f.exact, f.told = f.seeded || c.seeded, f.exact || c.exact, max(f.told, c.told)
		f.units = append(f.units, *c)
	}
	gauges := g.forWorkers()
	err := r.e.share(ctx, len(r.files), func(wk, i int) error { return r.measure(&gauges[wk], &r.files[i]) })
	if err != nil {
		return err
	}
	for i := range r.files {
		r.total += r.files[i].places
	}
	g.compare(r.files)
	if r.e.has(artifact.Structural) {
		if err := r.pulled(); err != nil {
			return err
		}
	}
	if err := r.weighRuns(g); err != nil {
		return err
	}
	r.liftTests()
	r.orderFiles()
	if err := r.orderUnits(g); err != nil {
		return err
	}
	r.placeFirst()
	return nil
}

// measure fills in what can be told of one file alone.
func (r *ranker) measure(g *gauge, f *fileCand) error {
	u, err := r.e.ix.Units(f.part)
	if err != nil {
		return err
	}
	f.fileFacts = r.facts(g, f.part, f.file, u)
	g.measure(f, u)
	f.places = r.countUnits(f, u)
	if r.useSem && len(r.sc.titleVec) > 0 {
		d, err := r.e.ix.Dense(f.part)
		if err != nil {
			return err
		}
		base := r.e.docBase[f.part]
		f.tsem, g.ws.rows = bestFor(r.sc.titleVec, d, f.lo-base, f.hi-base, g.ws.rows)
	}
	return nil
}

// declared is what a file gets for declaring the name that the question consists
// of: what collects names for others is full of them, and declares none.
func declared(f *fileCand) int64 { return int64(f.x[fExactSymbol]) * 5 / 2 }

// orderFiles puts the best files first, as many as are looked at more closely.
// Equal scores are ordered by document, which is path order.
func (r *ranker) orderFiles() {
	best := bestDocs{k: min(len(r.files), r.need)}
	for i := range r.files {
		f := &r.files[i]
		f.links = r.links(f.lo, f.hi)
		f.score = r.model.score(&f.x) + permille(f.links, r.w.Links) + f.told + declared(f)
		if s := (scored{f.score, int32(f.lo)}); best.takes(s) {
			best.add(s)
		}
	}
	at := &r.sc.set
	at.reset(r.e.docs)
	for i := range r.files {
		at.number(r.files[i].lo, i)
	}
	for n, lo := range best.sorted() {
		i, _ := at.number(lo, 0)
		if i == n {
			continue
		}
		r.files[n], r.files[i] = r.files[i], r.files[n]
		at.at[r.files[i].lo] = int32(i)
	}
	for i := range r.files {
		// Positive, and half for each thousand below the best, at first.
		r.files[i].rank = micro * 1000 / (1000 + r.files[0].score - r.files[i].score)
	}
}

// spread returns the units in their final order: a further unit of a file
// gets a part of what the one before got. It ends where enough units are there
// and, where one of each file is shown, enough files; those behind r.need files
// come later than as many units.
func (r *ranker) spread() []candidate {
	type head struct {
		next  int
		score int64 // of the next unit
	}
	var heads []head
	var out []candidate
	again := r.w.Again[r.q.class()]
	begun := 0 // files
	for len(out) < r.need || r.byFile && begun < r.k {
		best := -1
		for i := range heads {
			if h := &heads[i]; h.next < len(r.files[i].units) && (best < 0 || max(h.score, 1) > max(heads[best].score, 1)) {
				best = i
			}
		}
		// Files that follow are no better than the first that was not begun.
		if n := len(heads); n < len(r.files) && n < r.need && (best < 0 || max(r.files[n].rank, 1) > max(heads[best].score, 1)) {
			heads = append(heads, head{score: r.files[n].rank})
			best = n
			begun++
		}
		if best < 0 {
			break
		}
		h, f := &heads[best], &r.files[best]
		c := &f.units[h.next]
		c.score, c.again, c.from = max(h.score, 1), h.next, best
		out = append(out, *c)
		h.score = permille(h.score, again)
		h.next++
	}
	return out
}

// ranksOf numbers the files from 0 by a measure, the largest first.
func ranksOf(files []fileCand, of func(*fileCand) int64) []int {
	best := bestDocs{k: len(files), h: make([]scored, 0, len(files))}
	for i := range files {
		best.add(scored{of(&files[i]), int32(i)})
	}
	out := make([]int, len(files))
	for n, i := range best.sorted() {
		out[i] = n
	}
	return out
}

// bestOfUnits keeps the best document of each unit.
func (r *ranker) bestOfUnits(cands []candidate) []candidate {
	set := &r.sc.set
	set.reset(r.e.unitBase[r.e.parts()])
	out := cands[:0]
	for _, c := range cands {
		i, ok := set.number(r.e.unitBase[c.part]+c.unit, len(out))
		if !ok {
			c.parts = 1
			out = append(out, c)
			continue
		}
		b := &out[i]
		c.parts, c.seeded, c.exact = b.parts+1, b.seeded || c.seeded, b.exact || c.exact
		told := max(b.told, c.told)
		if c.told > b.told || c.told == b.told && (c.base > b.base || c.base == b.base && c.doc < b.doc) {
			out[i] = c
		} else {
			b.parts, b.seeded, b.exact = c.parts, c.seeded, c.exact
		}
		out[i].told = told
	}
	return out
}

// inTestModule reports whether a symbol lies in a module of tests within a
// file of production code, as in Rust.
func inTestModule(symbol []byte) bool {
	return bytes.HasPrefix(symbol, []byte("tests.")) || bytes.HasPrefix(symbol, []byte("test.")) || bytes.Contains(symbol, []byte(".tests."))
}

// qualifierMatches reports whether the dotted name want, whose last component
// is a declared name, fits a declaration: its enclosing symbols and then its
// path must end with the components in front.
func qualifierMatches(path, symbol, want string) bool {
	full := strings.ReplaceAll(strings.TrimSuffix(path, extOf(path)), "/", ".") + "." + symbol
	return strings.HasSuffix(full, "."+want) || full == want ||
		strings.HasSuffix(strings.Replace(full, ".__init__.", ".", 1), "."+want)
}

func extOf(path string) string {
	b := treepath.Base(path)
	if i := strings.LastIndexByte(b, '.'); i > 0 {
		return b[i:]
	}
	return ""
}

// symbolMatch says how well the file declares the name that the question
// consists of, in thousandths.
func (r *ranker) symbolMatch(f *fileCand, u *artifact.UnitsReader) (best int64) {
	for i := range f.units {
		if f.units[i].seeded {
			best = max(best, r.unitAsked(&f.units[i], f, u))
		}
	}
	return best
}

// unitAsked says the same of a unit.
func (r *ranker) unitAsked(c *candidate, f *fileCand, u *artifact.UnitsReader) int64 {
	have := toDots.Replace(u.UnitSymbol(c.unit))
	name := u.UnitName(c.unit)
	switch {
	case c.exact:
		return 1000
	case have == r.want:
		return 900
	case strings.HasSuffix(have, "."+r.want), name == r.last && r.last != r.want && qualifierMatches(f.path, have, r.want):
		return 850
	case name == r.want:
		return 700
	case r.last == r.want:
		return 600
	}
	return 300
}

// account writes down what a result's score is made of: what each feature adds
// to the file's score, and the unit's parts among those of its file.
func (r *ranker) account(c *candidate) {
	f := &r.files[c.from]
	by, rest := r.model.account(&f.x)
	for i, v := range by {
		if v != 0 {
			c.bonuses = append(c.bonuses, Part{"file: " + featureNames[i], v * (micro / 1000)})
		}
	}
	if f.links > 0 {
		c.bonuses = append(c.bonuses, Part{"file: links", permille(f.links, r.w.Links) * (micro / 1000)})
	}
	if v := declared(f); v > 0 {
		c.bonuses = append(c.bonuses, Part{"file: declares it", v * (micro / 1000)})
	}
	if f.told > 0 {
		c.bonuses = append(c.bonuses, Part{"file: verbatim", f.told * (micro / 1000)})
	}
	c.bonuses = append(c.bonuses, Part{"file: rounding", rest * (micro / 1000)}, Part{"file", f.score * (micro / 1000)})
	if f.placed != 0 {
		by := r.model.placing.parts(f)
		for i, name := range [...]string{"place: file", "place: best unit", "place: second unit", "place: third unit"} {
			c.bonuses = append(c.bonuses, Part{name, by[i] * (micro / 1000)})
		}
		c.bonuses = append(c.bonuses, Part{"place", f.placed * (micro / 1000)})
	}
	for i, w := range r.units.weights {
		if v := int64(w) * int64(c.x[i]) / 1000; v != 0 {
			c.bonuses = append(c.bonuses, Part{"unit: " + unitFeatureNames[i], v * (micro / 1000)})
		}
	}
	if c.links > 0 {
		c.bonuses = append(c.bonuses, Part{"unit: links", permille(c.links, r.w.Links) * (micro / 1000)})
	}
	if c.told > 0 {
		c.bonuses = append(c.bonuses, Part{"unit: verbatim", c.told * (micro / 1000)})
	}
	if c.idle {
		c.bonuses = append(c.bonuses, Part{"unit: imports and comments alone", -idleUnit * (micro / 1000)})
	}
	c.bonuses = append(c.bonuses, Part{"unit", c.inFile * (micro / 1000)})
	if c.again > 0 {
		c.bonuses = append(c.bonuses, Part{"again the same file", int64(c.again) * micro})
	}
}

// why names the features that speak for the file most, best first.
func (r *ranker) why(c *candidate) []string {
	f := &r.files[c.from]
	by, _ := r.model.account(&f.x)
	var best []int
	for i, v := range by {
		if telling[i] && v > 0 && f.x[i] >= 300 {
			best = append(best, i)
		}
	}
	order.Stable(best, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	var out []string
	for _, i := range best[:min(len(best), 3)] {
		out = append(out, featureNames[i])
	}
	for _, cf := range classFeatures {
		if f.x[cf.feature] > 0 {
			out = append(out, featureNames[cf.feature])
		}
	}
	return out
}

// telling are the features that say something to a person.
var telling = func() (t [numFeatures]bool) {
	for _, i := range []int{fName, fNameWhole, fMention, fStem, fStemWhole, fStemPrefix, fDir, fPathNamed, fPathFramed, fPathExact, fExactSymbol, fMates} {
		t[i] = true
	}
	return t
}()
