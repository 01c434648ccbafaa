package query

import (
	"math/bits"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
)

// features are what the final ranker knows of a file, in thousandths. Those
// that compare are relative to the best candidate.
type features [numFeatures]int32

// The features. Their order is that of the models' weights.
const (
	fLexBest        = iota // best document's BM25F, relative
	fLexSum                // best documents together: first, 0.2 second, 0.1 third; relative
	fLexShare              // best document's BM25F as a share of what it could be at most
	fLexDecay              // four best documents, each half of the one before; relative
	fSemBest               // best document's cosine, relative, between the weakest and the best
	fSemSum                // three best documents together, likewise
	fSemCos                // cosine itself
	fFused                 // 0.4 BM25F + 0.6 cosine
	fCover                 // share of the question's weight that stands in the file
	fCoverDoc              // in one document
	fCoverName             // in names of the file
	fCoverNameDoc          // in one document's names
	fCoverSig              // in signatures
	fCoverDocs             // in documentation
	fCoverTitle            // share of the first line's weight
	fCoverIdent            // share of the identifiers' weight
	fCoverIdentName        // in names
	fName                  // best declared name: harmonic mean of what it covers and how much of it is asked for
	fNameWhole             // a declared name is asked for in one piece
	fNames                 // how many declared names are covered, damped
	fMention               // strongest literal mention of a declared name, over how many files declare it
	fMentions              // all of them together, damped
	fStem                  // share of the file stem's words that are asked for
	fStemIDF               // share of the question's weight that the stem holds
	fStemWhole             // the stem is asked for in one piece
	fStemPrefix            // a word asked for and the stem begin alike
	fDir                   // share of the folder names' words that are asked for
	fDirIDF                // share of the question's weight that folders hold
	fPath                  // stem and folders together
	fPathNamed             // the question writes the path, or its end
	fPathFramed            // a traceback goes through the file; the innermost frame counts most
	fPathExact             // the question is the path
	fMates                 // files of the same folder among the best candidates
	fFacade                // index, mod, __init__, main, lib: collects what other files define
	fTest
	fExample
	fVendored
	fGenerated
	fMinified
	fDocs
	fData
	fStub
	fBuild
	fLegacy
	fDepth       // folders above the file, in tenths
	fSize        // logarithm of the number of documents
	fNoCode      // no declaration was found in it
	fExactSymbol // a name that is asked for alone, declared here: qualified or not
	fLexRank     // place on the lexical route
	fSemRank     // place on the semantic route
	fStemFit     // harmonic mean of the stem's share of the question and the question's share of the stem
	fPathFit     // the same for the stem and the folder around it
	fCoverRel    // terms in the file, relative to the best file
	fNameFull    // share of the question's weight that one declared name holds, all of whose words are asked for
	fImported    // logarithm of how many files import something of that name
	fMirror      // a versioned or legacy copy of another candidate
	fTitleLex    // BM25F of the first line of a long question, best document, relative
	fTitleSem    // cosine with that line, relative, between the weakest and the best
	fTitleCos    // that cosine itself
	fPulled      // the best candidates import something of its name
	numFeatures
)

var featureNames = [numFeatures]string{
	"best lexical", "lexical of its file", "lexical, absolute", "lexical, decayed",
	"best semantic", "semantic of its file", "cosine", "fused",
	"terms in its file", "terms in one unit", "terms in names", "terms in one unit's names", "terms in signatures", "terms in documentation",
	"terms of the first line", "identifiers in its file", "identifiers in names",
	"declared name", "whole name", "declared names", "named in the query", "names in the query",
	"file name", "terms in the file name", "whole file name", "file name, beginning", "folder name", "terms in folder names", "terms in the path",
	"path in the query", "frame of the traceback", "exact path", "folder", "facade",
	"test", "example", "vendored", "generated", "minified", "docs", "data", "declaration stub", "build", "legacy",
	"depth", "size", "no declarations", "exact symbol", "lexical rank", "semantic rank",
	"file name, both ways", "path, both ways", "terms in its file, relative", "declared name, all of it", "imported", "mirror of another",
	"first line, lexical", "first line, semantic", "first line, cosine",
	"imported by the best",
}

// classFeatures maps a file's classes to features.
var classFeatures = []struct {
	class   pathClass
	feature int
}{
	{classTest, fTest}, {classExample, fExample}, {classVendored, fVendored}, {classGenerated, fGenerated}, {classMinified, fMinified},
	{classDocs, fDocs}, {classData, fData}, {classStub, fStub}, {classBuild, fBuild}, {classLegacy, fLegacy},
}

// fileCand is a file on its way to being a result.
type fileCand struct {
	*fileFacts
	part, file int
	units      []candidate // of its units, best first
	places     int         // units that answer
	seeded     bool
	exact      bool

	lex   [4]int64
	sem   [4]int64
	title int64    // best document for the first line, lexical
	tsem  int64    // and semantic
	decls []string // declared names that the question may mean literally
	x     features
	told  int64 // what stands in its best unit verbatim is worth, in thousandths
	links int64 // what edges that lead here are worth, in thousandths
	score int64 // the model's and the links', in thousandths
	rank  int64 // what its best unit gets, in millionths

	best   bestUnits // of the files whose units are ranked
	placed int64     // the score among the first files, in thousandths; 0 where they keep their order
}

// gauge measures files.
type gauge struct {
	r         *ranker
	ws        *workerScratch // of the goroutine that measures
	termSlot  map[string]int // term -> slot
	all       int64          // weight of all slots
	title     uint64         // slots of the first line
	ident     uint64         // slots that come from identifiers
	titleAll  int64
	identAll  int64
	m         *mentions
	perName   map[string]int // files among the candidates that declare a name
	pathQuery string
}

func (r *ranker) newGauge() *gauge {
	q := r.q
	g := &gauge{r: r, ws: &r.sc.worker[0], termSlot: make(map[string]int, len(q.terms)), m: q.mentions(), perName: map[string]int{}}
	for i := range r.sc.worker {
		clear(r.sc.worker[i].slotOf)
	}
	for i := range q.slots {
		s := &q.slots[i]
		for _, a := range s.alts {
			t := q.terms[a.term]
			if _, ok := g.termSlot[t]; !ok {
				g.termSlot[t] = i
			}
		}
		g.all += r.slots[i]
		if s.title {
			g.title |= 1 << i
			g.titleAll += r.slots[i]
		}
		if s.ident {
			g.ident |= 1 << i
			g.identAll += r.slots[i]
		}
	}
	if t := strings.TrimSpace(q.text); looksLikePath(t) {
		g.pathQuery = strings.Trim(strings.TrimPrefix(t, "./"), "/")
	}
	return g
}

// forWorkers returns a gauge for each worker.
func (g *gauge) forWorkers() []gauge {
	out := make([]gauge, len(g.r.sc.worker))
	for i := range out {
		out[i] = *g
		out[i].ws = &g.r.sc.worker[i]
	}
	return out
}

// weightOf adds up the weights of the slots in mask.
func (g *gauge) weightOf(mask uint64) (sum int64) {
	for ; mask != 0; mask &= mask - 1 {
		sum += g.r.slots[bits.TrailingZeros64(mask)]
	}
	return sum
}

func ratio(part, whole int64) int32 {
	if whole <= 0 {
		return 0
	}
	return int32(min(part*1000/whole, 4000))
}

// damped maps 0, 1, 2, 3 … to 0, 500, 667, 750 … thousandths.
func damped(n int64) int32 { return int32(n * 1000 / (n + 1)) }

// measure fills in what can be told of one file alone.
func (g *gauge) measure(f *fileCand, u *artifact.UnitsReader) {
	r := g.r
	base := r.e.docBase[f.part]
	var seen docMatch
	var bestDoc, bestNameDoc int64
	var bestName, fullName, wholeName, names int64
	lastUnit := -1
	for d := f.lo; d < f.hi; d++ {
		if r.useSem {
			push(&f.sem, int64(r.sc.dots[d]))
		}
		if !r.useLex {
			continue
		}
		m := &r.sc.matched[d]
		if m.any == 0 {
			continue
		}
		push(&f.lex, toMicro(r.sc.score[d]))
		if r.useTitle {
			f.title = max(f.title, toMicro(r.sc.title[d]))
		}
		seen.any |= m.any
		seen.sig |= m.sig
		seen.doc |= m.doc
		bestDoc = max(bestDoc, g.weightOf(m.any))
		if m.name == 0 {
			continue
		}
		seen.name |= m.name
		bestNameDoc = max(bestNameDoc, g.weightOf(m.name))
		n := u.DocUnit(d - base)
		if n == lastUnit {
			continue
		}
		lastUnit = n
		name := u.UnitNameBytes(n)
		if len(name) == 0 {
			continue
		}
		fit, full, whole := g.nameFit(f.name(g, n, name))
		bestName, fullName = max(bestName, fit), max(fullName, full)
		if whole {
			wholeName = 1000
		}
		if fit > 0 {
			names++
		}
		if s := g.m.names[string(name)]; s > 0 {
			f.declares(string(name))
		}
	}
	x := &f.x
	x[fCover] = ratio(g.weightOf(seen.any), g.all)
	x[fCoverDoc] = ratio(bestDoc, g.all)
	x[fCoverName] = ratio(g.weightOf(seen.name), g.all)
	x[fCoverNameDoc] = ratio(bestNameDoc, g.all)
	x[fCoverSig] = ratio(g.weightOf(seen.sig), g.all)
	x[fCoverDocs] = ratio(g.weightOf(seen.doc), g.all)
	x[fCoverTitle] = ratio(g.weightOf(seen.any&g.title), g.titleAll)
	x[fCoverIdent] = ratio(g.weightOf(seen.any&g.ident), g.identAll)
	x[fCoverIdentName] = ratio(g.weightOf(seen.name&g.ident), g.identAll)
	x[fName], x[fNameFull] = int32(bestName), int32(fullName)
	x[fNameWhole] = int32(wholeName)
	x[fNames] = damped(names)
	g.paths(f)
	for _, c := range classFeatures {
		if f.class&c.class&^r.waived != 0 {
			x[c.feature] = 1000
		}
	}
	x[fDepth] = int32(min(f.depth, 20)) * 100
	x[fSize] = int32(bits.Len(uint(f.hi-f.lo))) * 100
	if f.noCode {
		x[fNoCode] = 1000
	}
	if f.seeded {
		x[fExactSymbol] = int32(r.symbolMatch(f, u))
	}
}

func (f *fileCand) declares(name string) {
	for _, n := range f.decls {
		if n == name {
			return
		}
	}
	f.decls = append(f.decls, name)
}

func push(best *[4]int64, v int64) {
	for k := range best {
		if v > best[k] {
			v, best[k] = best[k], v
		}
	}
}

// nameFit compares a declared name with the question: the harmonic mean of the
// share of the question's weight that it holds and of the share of its own
// words that are asked for. whole says that it is asked for in one piece.
// full is that share when all of its words are.
func (g *gauge) nameFit(name *spelling) (fit, full int64, whole bool) {
	parts, hit, mask, whole := g.words(name)
	if parts == 0 || hit == 0 || g.all == 0 {
		return 0, 0, whole
	}
	a := g.weightOf(mask) * 1000 / g.all
	if hit == parts {
		full = a
	}
	return harmonic(a, hit*1000/parts), full, whole || parts == 1 && hit == 1
}

func harmonic(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

// words counts the words of a name or of a path's component, and those asked
// for. whole says that it is asked for in one piece.
func (g *gauge) words(name *spelling) (parts, hit int64, mask uint64, whole bool) {
	for i, w := range name.words {
		slot := g.slot(w)
		switch {
		case slot < 0:
		case i >= name.parts:
			whole = true
		default:
			hit++
			mask |= 1 << slot
		}
	}
	parts = int64(name.parts)
	return parts, hit, mask, whole || parts == 1 && hit == 1
}

// slot returns the slot that a word belongs to, by its number; negative for
// none. What it has found it keeps: 0 stands for nothing, 1 for no slot.
func (g *gauge) slot(word uint32) int {
	if n := int(word) + 1 - len(g.ws.slotOf); n > 0 {
		g.ws.slotOf = append(g.ws.slotOf, make([]int16, n)...)
	}
	known := &g.ws.slotOf[word]
	if *known == 0 {
		*known = 1
		if i, ok := g.termSlot[g.r.e.known.words.word(word)]; ok {
			*known = int16(i) + 2
		}
	}
	return int(*known) - 2
}

func (g *gauge) paths(f *fileCand) {
	x := &f.x
	if f.facade {
		x[fFacade] = 1000
	}
	parts, hit, mask, whole := g.words(&f.stemWords)
	if parts > 0 {
		x[fStem] = int32(hit * 1000 / parts)
	}
	x[fStemIDF] = ratio(g.weightOf(mask), g.all)
	if whole {
		x[fStemWhole] = 1000
	}
	if low := f.stem; hit == 0 && len(low) >= 4 {
		for _, w := range g.r.q.words {
			if len(w) >= 4 && (strings.HasPrefix(w, low) || strings.HasPrefix(low, w) && len(low) <= len(w)+4) {
				x[fStemPrefix] = 1000
				break
			}
		}
	}
	x[fStemFit] = int32(harmonic(int64(x[fStemIDF]), int64(x[fStem])))
	x[fImported] = int32(f.imported) * 100
	nparts, nhit, nmask, _ := g.words(&f.nearWords)
	x[fPathFit] = int32(harmonic(int64(ratio(g.weightOf(mask|nmask), g.all)), (hit+nhit)*1000/max(1, parts+nparts)))
	dparts, dhit, dmask, _ := g.words(&f.dirWords)
	if dparts > 0 {
		x[fDir] = int32(dhit * 1000 / dparts)
	}
	x[fDirIDF] = ratio(g.weightOf(dmask), g.all)
	x[fPath] = ratio(g.weightOf(mask|dmask), g.all)
	named, framed := g.m.pathMention(f.path)
	x[fPathNamed], x[fPathFramed] = int32(named), int32(framed)
	if t := g.pathQuery; t != "" {
		switch {
		case f.path == t:
			x[fPathExact] = 1000
		case strings.HasSuffix(f.path, "/"+t):
			x[fPathExact] = 800
		case strings.Contains("/"+f.path+"/", "/"+t+"/"):
			x[fPathExact] = 500
		}
	}
}

// compare fills in what a file is beside the others.
func (g *gauge) compare(files []fileCand) {
	var lexBest, lexSum, lexDecay, semBest, semSum int64
	semLow := int64(1 << 62)
	lexOf := func(f *fileCand) int64 { return f.lex[0] + f.lex[1]/5 + f.lex[2]/10 }
	semOf := func(f *fileCand) int64 { return f.sem[0] + f.sem[1]/5 + f.sem[2]/10 }
	decayOf := func(f *fileCand) int64 { return f.lex[0] + f.lex[1]/2 + f.lex[2]/4 + f.lex[3]/8 }
	semSumLow, tsemLow := int64(1<<62), int64(1<<62)
	var titleBest, tsemBest int64
	for i := range files {
		f := &files[i]
		lexBest, lexSum, lexDecay = max(lexBest, f.lex[0]), max(lexSum, lexOf(f)), max(lexDecay, decayOf(f))
		semBest, semSum = max(semBest, f.sem[0]), max(semSum, semOf(f))
		titleBest, tsemBest, tsemLow = max(titleBest, f.title), max(tsemBest, f.tsem), min(tsemLow, f.tsem)
		semLow, semSumLow = min(semLow, max(0, f.sem[0])), min(semSumLow, max(0, semOf(f)))
	}
	var most int64
	for i := range g.r.q.slots {
		most += toMicro(g.r.q.slots[i].score * (g.r.w.K1 + 1))
	}
	var cover int32
	for i := range files {
		cover = max(cover, files[i].x[fCover])
		for _, n := range files[i].decls {
			g.perName[n]++
		}
	}
	var byLex, bySem []int
	if g.r.useLex {
		byLex = ranksOf(files, lexOf)
	}
	if g.r.useSem {
		bySem = ranksOf(files, semOf)
	}
	for i := range files {
		f := &files[i]
		x := &f.x
		x[fLexBest], x[fLexSum], x[fLexDecay] = ratio(f.lex[0], lexBest), ratio(lexOf(f), lexSum), ratio(decayOf(f), lexDecay)
		x[fLexShare] = ratio(f.lex[0], most)
		x[fSemBest] = ratio(max(0, f.sem[0]-semLow), spreadOf(semBest, semLow))
		x[fSemSum] = ratio(max(0, semOf(f)-semSumLow), spreadOf(semSum, semSumLow))
		x[fSemCos] = ratio(max(0, f.sem[0]), embed.Norm*embed.Norm)
		x[fTitleLex], x[fTitleSem] = ratio(f.title, titleBest), ratio(f.tsem-tsemLow, spreadOf(tsemBest, tsemLow))
		x[fTitleCos] = ratio(f.tsem, embed.Norm*embed.Norm)
		x[fFused] = (4*x[fLexSum] + 6*x[fSemSum]) / 10
		if g.r.useLex && f.lex[0] > 0 {
			x[fLexRank] = int32(1000 * 5 / (5 + byLex[i]))
		}
		if g.r.useSem && f.sem[0] > 0 {
			x[fSemRank] = int32(1000 * 5 / (5 + bySem[i]))
		}
		x[fCoverRel] = ratio(int64(x[fCover]), int64(cover))
		var strongest, sum int64
		for _, n := range f.decls {
			s := g.m.names[n] * 1000 / int64(500+500*g.perName[n])
			strongest = max(strongest, s)
			sum += s
		}
		x[fMention] = int32(strongest)
		x[fMentions] = int32(sum * 1000 / (sum + 1500))
	}
	mirrors(files)
	mates(files)
}

// spreadOf is the distance between the best and the weakest cosine, but at
// least three tenths of the best, so that few and equal candidates are not
// torn apart.
func spreadOf(best, low int64) int64 { return max(best-low, best*3/10) }

// mates lets files of one folder vouch for each other.
func mates(files []fileCand) {
	sums := map[uint32]int64{}
	for i := range files {
		sums[files[i].folder] += files[i].vouches()
	}
	for i := range files {
		f := &files[i]
		s := sums[f.folder] - f.vouches()
		f.x[fMates] = int32(s * 1000 / (s + 3000))
	}
}

// vouches is how much a file speaks for those beside it.
func (f *fileCand) vouches() int64 {
	v := int64(f.x[fLexSum] + f.x[fSemSum])
	return v * v / 2000
}

// mirrors finds the files that are versioned or legacy copies of another
// candidate.
func mirrors(files []fileCand) {
	var paths map[string]bool // of all, where a file may be a copy
	for i := range files {
		for _, path := range files[i].older {
			if paths == nil {
				paths = make(map[string]bool, len(files))
				for k := range files {
					paths[files[k].path] = true
				}
			}
			if paths[path] {
				files[i].x[fMirror] = 1000
			}
		}
	}
}
