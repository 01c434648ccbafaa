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
	e      *Engine
	q      *queryTerms
	w      *Weights
	waived pathClass // classes that the question is about
	sc     *searchScratch
	useLex bool
	slots  []int64 // weight of each slot
	noting bool    // keep what each candidate\'s score is made of

	want, last string // of a single identifier: dotted, and its last component
	name       []byte // scratch
}

func (s *search) newRanker() *ranker {
	r := &ranker{e: s.e, q: s.q, w: s.w, sc: s.sc, useLex: s.useLex, waived: waivedClasses(s.q)}
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

// rank orders the candidates, at most one for each unit.
func (r *ranker) rank(cands []candidate) ([]candidate, error) {
	for i := range cands {
		if err := r.locate(&cands[i]); err != nil {
			return nil, err
		}
	}
	cands = bestOfUnits(cands)
	if err := r.support(cands); err != nil {
		return nil, err
	}
	for i := range cands {
		if err := r.score(&cands[i]); err != nil {
			return nil, err
		}
	}
	r.spread(cands)
	return cands, nil
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

// fileEvidence is what the routes found in a whole file.
type fileEvidence struct {
	support  int64 // its best documents together, in thousandths of the best file's
	coverage int64 // share of the query's weight that stands in it, in thousandths
}

// support lets the documents of one file vouch for each other: a file in which
// several units answer, and that holds more of what was asked, is likelier to
// be the right one.
func (r *ranker) support(cands []candidate) error {
	type key struct{ part, file int }
	found := map[key]fileEvidence{}
	var top int64
	for i := range cands {
		c := &cands[i]
		k := key{c.part, c.file}
		if _, ok := found[k]; ok {
			continue
		}
		u, err := r.e.ix.Units(c.part)
		if err != nil {
			return err
		}
		ev := r.evidence(u, c)
		found[k] = ev
		top = max(top, ev.support)
	}
	for i := range cands {
		c := &cands[i]
		ev := found[key{c.part, c.file}]
		if top > 0 {
			c.support = ev.support * 1000 / top
		}
		c.fileCover = ev.coverage
		c.cover = r.share(r.matched(c.doc))
	}
	return nil
}

// evidence looks at all documents of the candidate's file. Each further
// document counts half of the one before.
func (r *ranker) evidence(u *artifact.UnitsReader, c *candidate) fileEvidence {
	lo, hi := u.FileDocs(c.file)
	base := r.e.docBase[c.part]
	var best [4]int64
	var mask uint64
	for d := base + lo; d < base+hi; d++ {
		mask |= r.matched(d)
		s := r.strength(d)
		for k := range best {
			if s > best[k] {
				s, best[k] = best[k], s
			}
		}
	}
	var ev fileEvidence
	for k, s := range best {
		ev.support += s >> k
	}
	ev.coverage = r.share(mask)
	return ev
}

// strength is a document's score on the route that was taken.
func (r *ranker) strength(d int) int64 {
	if r.useLex {
		return toMicro(r.sc.score[d])
	}
	return int64(max(0, r.sc.dots[d]))
}

func (r *ranker) matched(d int) uint64 {
	if !r.useLex {
		return 0
	}
	return r.sc.matched[d]
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

// score computes one candidate's final score: what the routes found, plus
// bonuses, times what its path says.
func (r *ranker) score(c *candidate) error {
	u, err := r.e.ix.Units(c.part)
	if err != nil {
		return err
	}
	w := r.w
	c.path = u.Path(c.file)
	score := c.base
	add := func(name string, v int64) {
		if v != 0 {
			score += v * (micro / 1000)
			r.note(c, name, v*(micro/1000))
		}
	}
	add("support of its file", w.FileSupport*c.support/1000)
	add("terms in it", w.Coverage*c.cover/1000)
	add("terms in its file", w.FileCoverage*c.fileCover/1000)
	r.nameBonus(c, u, add)
	r.pathBonus(c, add)
	times := func(name string, f int64) {
		if f != 1000 {
			score = permille(score, f)
			r.note(c, name, f*(micro/1000))
		}
	}
	c.class = classify(c.path)
	switch {
	case u.UnitLevel(c.unit) == artifact.L1:
		times("container", w.Container)
	case u.UnitKind(c.unit) == artifact.KindRemainder && c.class&(classDocs|classData) == 0:
		times("between declarations", w.Remainder)
	}
	if inTestModule(u.UnitSymbolBytes(c.unit)) {
		c.class |= classTest
	}
	if u.Degraded(c.file) == artifact.DegradedMinified {
		c.class |= classMinified
	}
	for _, f := range []struct {
		class  pathClass
		factor int64
	}{
		{classTest, w.Test}, {classExample, w.Example}, {classVendored, w.Vendored}, {classGenerated, w.Generated},
		{classMinified, w.Minified}, {classDocs, w.Docs}, {classData, w.Data}, {classStub, w.Stub}, {classBuild, w.Build}, {classLegacy, w.Legacy},
	} {
		if c.class&f.class&^r.waived != 0 {
			times(f.class.String(), f.factor)
		}
	}
	c.score = score
	return nil
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

func (r *ranker) pathBonus(c *candidate, add func(string, int64)) {
	text := strings.TrimSpace(r.q.text)
	if looksLikePath(text) {
		t := strings.Trim(strings.TrimPrefix(text, "./"), "/")
		switch {
		case c.path == t:
			add("exact path", r.w.ExactPath)
			return
		case strings.HasSuffix(c.path, "/"+t):
			add("end of the path", r.w.ExactPath*4/5)
			return
		case strings.Contains("/"+c.path+"/", "/"+t+"/"):
			add("part of the path", r.w.ExactPath/2)
			return
		}
	} else if r.q.long && strings.Contains(r.q.text, baseName(c.path)) && len(baseName(c.path)) > 4 {
		// An issue or a trace names the file.
		if mentionsPath(r.q.text, c.path) {
			add("path in the query", r.w.ExactPath/3)
			return
		}
	}
	r.name = normalName([]byte(fileStem(c.path)), r.name)
	stem := string(r.name)
	if len(stem) < 2 {
		return
	}
	if m := r.q.names[stem]; m != 0 {
		add("file name", r.w.StemMatch)
		return
	}
	for _, word := range r.q.words {
		if len(word) >= 4 && len(stem) >= 4 && (strings.HasPrefix(word, stem) || strings.HasPrefix(stem, word) && len(stem) <= len(word)+3) {
			add("file name", r.w.StemMatch*3/5)
			return
		}
	}
	dir := dirName(c.path)
	for dir != "" {
		base := lowerName(baseName(dir))
		if m := r.q.names[base]; m != 0 && len(base) > 2 {
			add("folder name", r.w.FolderMatch)
			return
		}
		dir = dirName(dir)
	}
}

// mentionsPath reports whether text names path by at least two of its
// components, or all when it has fewer.
func mentionsPath(text, path string) bool {
	tail := path
	for strings.Count(tail, "/") > 1 {
		tail = tail[strings.IndexByte(tail, '/')+1:]
	}
	return strings.Contains(text, tail) ||
		strings.Contains(text, strings.ReplaceAll(strings.TrimSuffix(tail, extOf(tail)), "/", "."))
}

// spread orders candidates by score and holds back the second and later units
// of a file, so that the first results come from different files.
func (r *ranker) spread(cands []candidate) {
	r.sort(cands)
	type key struct{ part, file int }
	seen := make(map[key]int, len(cands))
	for i := range cands {
		c := &cands[i]
		f := key{c.part, c.file}
		c.again = seen[f]
		for range min(c.again, 4) {
			c.score = permille(c.score, r.w.Again)
		}
		seen[f]++
	}
	r.sort(cands)
}

// account computes a candidate's score once more and keeps what it is made of.
func (r *ranker) account(c *candidate) error {
	final := c.score
	r.noting = true
	err := r.score(c)
	r.noting = false
	c.score = final
	if c.again > 0 {
		c.bonuses = append(c.bonuses, Part{"again the same file", int64(c.again) * micro})
	}
	return err
}

// sort orders by score, then path, then start line, then unit: total, since
// units are distinct.
func (r *ranker) sort(cands []candidate) {
	slices.SortFunc(cands, func(a, b candidate) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		// Documents are numbered by path and then by position.
		return cmp.Compare(a.doc, b.doc)
	})
}
