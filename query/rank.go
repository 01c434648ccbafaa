package query

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
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
	slots    []int64 // weight of each slot
	model    *model
	files    []fileCand
	imported map[string]int32 // see Engine.imported
	noting   bool             // keep what each candidate\'s score is made of

	want, last string // of a single identifier: dotted, and its last component
	name       []byte // scratch
}

func (s *search) newRanker() *ranker {
	r := &ranker{e: s.e, q: s.q, w: s.w, sc: s.sc, useLex: s.useLex, useSem: s.useSem, model: modelFor(s.q, s.useLex, s.useSem), waived: waivedClasses(s.q)}
	for i := range s.q.slots {
		r.slots = append(r.slots, toMicro(s.q.slots[i].score))
	}
	if s.q.single {
		r.want = toDots.Replace(s.q.ident)
		r.last = r.want[strings.LastIndexByte(r.want, '.')+1:]
	}
	return r
}

// toDots writes any language's qualifiers as dots.
var toDots = strings.NewReplacer("::", ".", "#", ".", "->", ".")

// waivedClasses returns the kinds of files that the question speaks of, which
// are then not held back.
func waivedClasses(q *queryTerms) pathClass {
	var c pathClass
	// A long question mentions tests and docs in passing.
	if q.long {
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

func (r *ranker) note(c *candidate, name string, v int64) {
	if r.noting {
		c.bonuses = append(c.bonuses, Part{name, v})
	}
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
func (r *ranker) rank(cands []candidate) ([]candidate, error) {
	for i := range cands {
		if err := r.locate(&cands[i]); err != nil {
			return nil, err
		}
	}
	cands = bestOfUnits(cands)
	if err := r.gather(cands); err != nil {
		return nil, err
	}
	r.orderFiles()
	return r.spread(), nil
}

// gather groups the candidates by file, and measures files and units.
func (r *ranker) gather(cands []candidate) error {
	type key struct{ part, file int }
	at := make(map[key]int, len(cands))
	g := r.newGauge()
	for i := range cands {
		c := &cands[i]
		u, err := r.e.ix.Units(c.part)
		if err != nil {
			return err
		}
		k := key{c.part, c.file}
		n, ok := at[k]
		if !ok {
			n = len(r.files)
			at[k] = n
			lo, hi := u.FileDocs(c.file)
			base := r.e.docBase[c.part]
			r.files = append(r.files, fileCand{part: c.part, file: c.file, lo: base + lo, hi: base + hi, path: u.Path(c.file)})
		}
		f := &r.files[n]
		c.path = f.path
		f.seeded, f.exact = f.seeded || c.seeded, f.exact || c.exact
		f.units = append(f.units, *c)
	}
	for i := range r.files {
		f := &r.files[i]
		u, err := r.e.ix.Units(f.part)
		if err != nil {
			return err
		}
		g.measure(f, u)
		for k := range f.units {
			r.scoreUnit(&f.units[k], f, u)
		}
		slices.SortFunc(f.units, func(a, b candidate) int {
			if c := cmp.Compare(b.score, a.score); c != 0 {
				return c
			}
			return cmp.Compare(a.doc, b.doc)
		})
	}
	g.compare(r.files)
	return nil
}

// orderFiles puts the best file first. Equal scores are ordered by document,
// which is path order.
func (r *ranker) orderFiles() {
	for i := range r.files {
		r.files[i].score = r.model.score(&r.files[i].x)
	}
	slices.SortFunc(r.files, func(a, b fileCand) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return cmp.Compare(a.lo, b.lo)
	})
	for i := range r.files {
		// Positive, and half for each thousand below the best, at first.
		r.files[i].rank = micro * 1000 / (1000 + r.files[0].score - r.files[i].score)
	}
}

// spread returns the units in their final order: a further unit of a file
// gets a part of what the one before got.
func (r *ranker) spread() []candidate {
	var out []candidate
	for i := range r.files {
		f := &r.files[i]
		score := f.rank
		for k := range f.units {
			c := &f.units[k]
			c.inFile, c.score, c.again, c.from = c.score, max(score, 1), k, i
			out = append(out, *c)
			score = permille(score, r.w.Again)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		return cmp.Compare(a.again, b.again)
	})
	return out
}

// ranksOf numbers the files from 0 by a measure, the largest first.
func ranksOf(files []fileCand, of func(*fileCand) int64) []int {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(&files[b]), of(&files[a])) })
	out := make([]int, len(files))
	for n, i := range order {
		out[i] = n
	}
	return out
}

// bestOfUnits keeps the best document of each unit.
func bestOfUnits(cands []candidate) []candidate {
	type key struct{ part, unit int }
	best := make(map[key]int, len(cands))
	out := cands[:0]
	for _, c := range cands {
		k := key{c.part, c.unit}
		i, ok := best[k]
		if !ok {
			best[k] = len(out)
			c.parts = 1
			out = append(out, c)
			continue
		}
		b := &out[i]
		c.parts, c.seeded, c.exact = b.parts+1, b.seeded || c.seeded, b.exact || c.exact
		if c.base > b.base || c.base == b.base && c.doc < b.doc {
			out[i] = c
		} else {
			b.parts, b.seeded, b.exact = c.parts, c.seeded, c.exact
		}
	}
	return out
}

// share returns the part of the query's weight that the slots in mask have, in
// thousandths.
func (r *ranker) share(mask uint64) int64 {
	var sum, all int64
	for i, w := range r.slots {
		all += w
		if mask&(1<<i) != 0 {
			sum += w
		}
	}
	if all == 0 {
		return 0
	}
	return sum * 1000 / all
}

// scoreUnit scores a unit against the others of its file: what the routes
// found, plus bonuses, times what its kind says.
func (r *ranker) scoreUnit(c *candidate, f *fileCand, u *artifact.UnitsReader) {
	w := r.w
	score := c.base
	add := func(name string, v int64) {
		if v != 0 {
			score += v * (micro / 1000)
			r.note(c, name, v*(micro/1000))
		}
	}
	if r.useLex {
		add("terms in it", w.Coverage*r.share(r.sc.matched[c.doc].any)/1000)
	}
	r.nameBonus(c, u, add)
	times := func(name string, f int64) {
		if f != 1000 {
			score = permille(score, f)
			r.note(c, name, f*(micro/1000))
		}
	}
	switch {
	case u.UnitLevel(c.unit) == artifact.L1:
		times("container", w.Container)
	case u.UnitKind(c.unit) == artifact.KindRemainder && f.class&(classDocs|classData) == 0:
		times("between declarations", w.Remainder)
	}
	if inTestModule(u.UnitSymbolBytes(c.unit)) && r.waived&classTest == 0 {
		times("module of tests", w.Test)
	}
	c.score = score
}

// inTestModule reports whether a symbol lies in a module of tests within a
// file of production code, as in Rust.
func inTestModule(symbol []byte) bool {
	return bytes.HasPrefix(symbol, []byte("tests.")) || bytes.HasPrefix(symbol, []byte("test.")) || bytes.Contains(symbol, []byte(".tests."))
}

func (r *ranker) nameBonus(c *candidate, u *artifact.UnitsReader, add func(string, int64)) {
	name := u.UnitNameBytes(c.unit)
	if len(name) == 0 && !c.seeded {
		return
	}
	if r.q.single {
		want, last := r.want, r.last
		have := toDots.Replace(u.UnitSymbol(c.unit))
		switch {
		case c.exact:
			add("what the name means", 2*r.w.ExactSymbol)
			c.name = nameWhole
			return
		case have == want:
			add("exact symbol", r.w.ExactSymbol)
			c.name = nameWhole
			return
		case strings.HasSuffix(have, "."+want), string(name) == last && last != want && qualifierMatches(c.path, have, want):
			add("exact symbol", r.w.ExactSymbol)
			c.name = nameWhole
			return
		case string(name) == want:
			add("exact name", r.w.ExactName)
			c.name = nameWhole
			return
		case c.seeded && last != want:
			add("declares the name, elsewhere", r.w.NamedInQuery)
			c.name = nameIdent
			return
		case c.seeded:
			add("declares the name", r.w.ExactName)
			c.name = nameWhole
			return
		}
	}
	r.name = normalName(name, r.name)
	m := r.q.names[string(r.name)]
	if r.q.single && r.last != r.want && !sameName(name, r.last) {
		return // a qualifier of the name, not the name
	}
	c.name = m
	switch m {
	case nameIdent:
		add("named in the query", r.w.NamedInQuery)
	case nameJoined:
		add("words of the query joined", r.w.JoinedName)
	case nameWord:
		add("a word of the query", r.w.WordName)
	}
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
	b := baseName(path)
	if i := strings.LastIndexByte(b, '.'); i > 0 {
		return b[i:]
	}
	return ""
}

// symbolMatch says how well the file declares the name that the question
// consists of, in thousandths.
func (r *ranker) symbolMatch(f *fileCand, u *artifact.UnitsReader) int64 {
	var best int64
	for i := range f.units {
		c := &f.units[i]
		if !c.seeded {
			continue
		}
		have := toDots.Replace(u.UnitSymbol(c.unit))
		name := u.UnitName(c.unit)
		v := int64(300)
		switch {
		case c.exact:
			v = 1000
		case have == r.want:
			v = 900
		case strings.HasSuffix(have, "."+r.want), name == r.last && r.last != r.want && qualifierMatches(f.path, have, r.want):
			v = 850
		case name == r.want:
			v = 700
		case r.last == r.want:
			v = 600
		}
		best = max(best, v)
	}
	return best
}

// account writes down what a result's score is made of: what each feature adds
// to the file's score, and the unit's parts among those of its file.
func (r *ranker) account(c *candidate) error {
	f := &r.files[c.from]
	by, rest := r.model.account(&f.x)
	for i, v := range by {
		if v != 0 {
			c.bonuses = append(c.bonuses, Part{"file: " + featureNames[i], v * (micro / 1000)})
		}
	}
	c.bonuses = append(c.bonuses, Part{"file: constant", rest * (micro / 1000)}, Part{"file", f.score * (micro / 1000)})
	u, err := r.e.ix.Units(c.part)
	if err != nil {
		return err
	}
	final := c.score
	r.noting = true
	r.scoreUnit(c, f, u)
	r.noting = false
	c.bonuses = append(c.bonuses, Part{"unit", c.score})
	c.score = final
	if c.again > 0 {
		c.bonuses = append(c.bonuses, Part{"again the same file", int64(c.again) * micro})
	}
	return nil
}

// why names the features that speak for the file most, best first.
func (r *ranker) why(c *candidate) []string {
	f := &r.files[c.from]
	by, _ := r.model.account(&f.x)
	var order []int
	for i, v := range by {
		if telling[i] && v > 0 && f.x[i] >= 300 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	var out []string
	for _, i := range order[:min(len(order), 3)] {
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
