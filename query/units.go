package query

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
)

// unitFeatures are what the final ranker knows of a unit beside the others of
// its file, in thousandths.
type unitFeatures [numUnitFeatures]int32

const (
	uLexRel     = iota // BM25F, relative to the file's best
	uLexShare          // as a share of what it could be at most
	uSemRel            // cosine, relative to the file's best
	uSemCos            // cosine itself
	uCover             // share of the question's weight that stands in it
	uCoverName         // in its names
	uCoverIdent        // share of the identifiers' weight
	uCoverTitle        // share of the first line's weight
	uName              // see fName
	uNameFull          // see fNameFull
	uMention           // its name is written in the question
	uFrame             // a frame of a traceback names it
	uAsked             // the question is its name
	uContainer
	uRemainder
	uCallable
	uFile    // the file itself
	uTest    // it lies in a module of tests
	uSize    // logarithm of its lines
	uParts   // it has several documents that answer
	uPrivate // its name begins with an underscore
	numUnitFeatures
)

var unitFeatureNames = [numUnitFeatures]string{
	"lexical", "lexical, absolute", "semantic", "cosine", "terms", "terms in names", "identifiers", "terms of the first line",
	"declared name", "declared name, all of it", "named in the query", "frame of the traceback", "exact symbol",
	"container", "between declarations", "callable", "whole file", "module of tests", "size", "several parts", "private",
}

// studiedFiles is the number of the best files all of whose units Study ranks;
// of the others only those that the routes found are.
const studiedFiles = 20

// orderUnits ranks the units of each file that is looked at.
func (r *ranker) orderUnits(g *gauge) error {
	var most int64
	for k := range r.q.slots {
		most += toMicro(r.q.slots[k].score * (r.w.K1 + 1))
	}
	set := &r.sc.set
	sc := r.sc
	sc.shown, sc.measures = sc.shown[:0], sc.measures[:0]
	heldBack, byName := r.holdsBackIdle(), r.q.class() == querySymbol
	for i := range r.files[:min(len(r.files), r.need)] {
		f := &r.files[i]
		u, err := r.e.ix.Units(f.part)
		if err != nil {
			return err
		}
		if i < studiedFiles || r.need < math.MaxInt {
			r.openFile(f, u)
		}
		best := bestDocs{k: len(f.units), h: make([]scored, 0, len(f.units))}
		set.reset(r.e.docs)
		sc.measures = slices.Grow(sc.measures, len(f.units)) // none moves that a unit points to
		for k := range f.units {
			c := &f.units[k]
			sc.measures = append(sc.measures, unitFeatures{})
			c.x = &sc.measures[len(sc.measures)-1]
			r.measureUnit(g, c, f, u, most)
			c.links = r.links(c.doc, c.doc+1)
			c.inFile = r.units.score(c.x)
			f.best.add(c.inFile)
			c.inFile += permille(c.links, r.w.Links) + c.told
			if c.seeded {
				c.inFile -= besideType(u.UnitKind(c.unit))
			}
			if heldBack {
				if c.idle, err = r.idle(c, f, u); err != nil {
					return err
				}
				if c.idle && byName && !covers(f.units, c, r.sc) {
					c.idle = false
				}
				if c.idle {
					c.inFile -= idleUnit
				}
			}
			best.add(scored{c.inFile, int32(c.doc)})
			set.number(c.doc, k)
		}
		from := len(sc.shown)
		for _, doc := range best.sorted() {
			k, _ := set.number(doc, 0)
			sc.shown = append(sc.shown, f.units[k])
		}
		f.units = sc.shown[from:len(sc.shown):len(sc.shown)]
	}
	return nil
}

// covers reports whether another of the units holds all that c does of the
// question. An import may be all that has a name.
func covers(units []candidate, c *candidate, sc *searchScratch) bool {
	has := sc.matched[c.doc].any
	for i := range units {
		if o := &units[i]; o.unit != c.unit && !o.idle && has&^sc.matched[o.doc].any == 0 {
			return true
		}
	}
	return false
}

// besideType is what a unit loses, in thousandths, that has a type's name and is
// not the type's declaration, when the name is asked for.
func besideType(k artifact.Kind) int64 {
	if k == artifact.KindImpl || k == artifact.KindConstructor {
		return 2500
	}
	return 0
}

// answers reports whether a document answers at all.
func (r *ranker) answers(d int) bool {
	return (r.useLex && r.sc.matched[d].any != 0 || r.useSem && r.sc.dots[d] > 0) && r.keep(d)
}

// countUnits returns how many units openFile makes candidates of.
func (r *ranker) countUnits(f *fileCand, u *artifact.UnitsReader) int {
	base, n, last := r.e.docBase[f.part], 0, -1
	for d := f.lo; d < f.hi; d++ {
		if !r.answers(d) {
			continue
		}
		// The documents of a unit stand together.
		if unit := u.DocUnit(d - base); unit != last {
			n, last = n+1, unit
		}
	}
	for k := range f.units {
		if r.answers(f.units[k].doc) {
			continue
		}
		// Of its name or its links alone.
		lo, hi := u.UnitDocs(f.units[k].unit)
		answers := false
		for d := lo; d < hi && !answers; d++ {
			answers = r.answers(base + d)
		}
		if !answers {
			n++
		}
	}
	return n
}

// openFile makes candidates of all units of a file that answer at all. They
// stay until the next file is opened.
func (r *ranker) openFile(f *fileCand, u *artifact.UnitsReader) {
	set := &r.sc.set
	set.reset(r.e.unitBase[r.e.parts()])
	found := len(f.units) // by the routes
	units := append(r.sc.opened[:0], f.units...)
	ofUnits := r.e.unitBase[f.part]
	for k := range units {
		set.number(ofUnits+units[k].unit, k)
	}
	base := r.e.docBase[f.part]
	for d := f.lo; d < f.hi; d++ {
		if !r.answers(d) {
			continue
		}
		n := u.DocUnit(d - base)
		k, ok := set.number(ofUnits+n, len(units))
		told := r.told[d]
		if ok && k < found {
			if b := &units[k]; told > b.told {
				c := r.fuse.candidate(d)
				b.doc, b.lex, b.sem, b.base, b.told = d, c.lex, c.sem, c.base, told
			}
			continue
		}
		c := r.fuse.candidate(d)
		c.part, c.file, c.unit, c.parts, c.told = f.part, f.file, n, 1, told
		if ok {
			b := &units[k]
			if c.told > b.told || c.told == b.told && c.base > b.base {
				c.parts = b.parts
				*b = c
			}
			b.parts++
			continue
		}
		units = append(units, c)
	}
	f.units, r.sc.opened = units, units
}

func (r *ranker) measureUnit(g *gauge, c *candidate, f *fileCand, u *artifact.UnitsReader, most int64) {
	x := c.x
	x[uLexRel], x[uLexShare] = ratio(c.lex, f.lex[0]), ratio(c.lex, most)
	x[uSemRel], x[uSemCos] = ratio(max(0, c.sem), f.sem[0]), ratio(max(0, c.sem), embed.Norm*embed.Norm)
	name := u.UnitNameBytes(c.unit)
	if r.useLex {
		m := r.sc.matched[c.doc]
		x[uCover], x[uCoverName] = ratio(g.weightOf(m.any), g.all), ratio(g.weightOf(m.name), g.all)
		x[uCoverIdent], x[uCoverTitle] = ratio(g.weightOf(m.any&g.ident), g.identAll), ratio(g.weightOf(m.any&g.title), g.titleAll)
		if m.name != 0 && len(name) > 0 {
			fit, full, _ := g.nameFit(f.name(g, c.unit, name))
			x[uName], x[uNameFull] = int32(fit), int32(full)
		}
	}
	if len(name) > 0 {
		if s := g.m.names[string(name)]; s > 0 {
			x[uMention] = int32(s)
		}
		if g.m.funcs[string(name)] {
			x[uFrame] = 1000
		}
		if name[0] == '_' {
			x[uPrivate] = 1000
		}
	}
	if c.seeded {
		x[uAsked] = int32(r.unitAsked(c, f, u))
	}
	switch level := u.UnitLevel(c.unit); {
	case u.UnitKind(c.unit) == artifact.KindRemainder:
		x[uRemainder] = 1000
	case level == artifact.L1:
		x[uContainer] = 1000
	case level == artifact.L0:
		x[uFile] = 1000
	case callableKind(u.UnitKind(c.unit)):
		x[uCallable] = 1000
	}
	if inTestModule(u.UnitSymbolBytes(c.unit)) && r.waived&classTest == 0 {
		x[uTest] = 1000
	}
	first, last := u.UnitLines(c.unit)
	x[uSize] = int32(bits.Len32(last-first+1)) * 100
	if c.parts > 1 {
		x[uParts] = 1000
	}
}

// unitModel is the weighted sum of a unit's features.
type unitModel struct{ weights [numUnitFeatures]int32 }

func (m *unitModel) score(x *unitFeatures) int64 {
	var sum int64
	for i, w := range m.weights {
		sum += int64(w) * int64(x[i])
	}
	return sum / 1000
}

// maxHitLines bounds the lines of a result at level unit. A longer unit is
// shown by the part of it that answers.
const maxHitLines = 60

// lines returns the lines of a candidate's unit or, when those are too many,
// of its document, the first maxHitLines at most.
func (e *Engine) lines(u *artifact.UnitsReader, c *candidate) (first, last int) {
	from, to := u.UnitLines(c.unit)
	if to-from < maxHitLines {
		return int(from), int(to)
	}
	d := u.Doc(c.doc - e.docBase[c.part])
	first, last = int(d.StartLine), int(d.EndLine)
	return first, min(last, first+maxHitLines-1)
}

// around moves a shortened result so that it holds its snippet.
func (s *search) around(h *SearchHit, c *candidate) error {
	n := strings.Count(h.Snippet, "\n") + bytes.Count(h.SnippetB64, []byte("\n"))
	if s.o.Level == "file" || h.SnippetLine == 0 || h.SnippetLine+n <= h.EndLine {
		return nil
	}
	u, err := s.e.ix.Units(c.part)
	if err != nil {
		return err
	}
	d := u.Doc(c.doc - s.e.docBase[c.part])
	h.EndLine = min(int(d.EndLine), h.SnippetLine+n+maxHitLines/3)
	h.StartLine = max(int(d.StartLine), h.EndLine-maxHitLines+1)
	return nil
}
