package query

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// fileFacts is what the ranker knows of a file whatever is asked. It is made
// when the file is a candidate for the first time, and kept.
type fileFacts struct {
	path   string
	lo, hi int       // documents, over all partitions
	class  pathClass // minified too, which the path does not say
	facade bool
	depth  int // folders above the file
	noCode bool
	folder uint32   // a number of its own for each folder
	older  []string // paths of which this one is a versioned or legacy copy

	// What it is called: by its name, or by its folder where files of its name
	// mostly collect what others define.
	stem      string
	stemWords spelling
	nearWords spelling // of the folder above
	dirWords  spelling // of all folders
	imported  int      // files that import something of that name
	pulls     string   // the name by which an import means it
	firstUnit int
	members   []unitFacts              // by unit
	imports   atomic.Pointer[[]string] // names that it imports, in lower case, once they are asked for
}

// unitFacts is what it knows of a unit, once it is asked for.
type unitFacts struct {
	name atomic.Pointer[spelling]
	idle atomic.Uint32 // isIdle, isBusy or 0
}

func (f *fileFacts) unit(n int) *unitFacts { return &f.members[n-f.firstUnit] }

// maxKeptUnits bounds the units of the files whose facts are kept, to some tens
// of megabytes.
const maxKeptUnits = 1 << 18

// factTable keeps the facts of an index's files.
type factTable struct {
	files []atomic.Pointer[fileFacts] // by file over all partitions
	units atomic.Int64                // of the files that are kept
	words vocabulary
}

// facts returns the facts of a file of partition p.
func (r *ranker) facts(g *gauge, p, file int, u *artifact.UnitsReader) *fileFacts {
	t := &r.e.known
	kept := &t.files[r.e.fileBase[p]+file]
	if f := kept.Load(); f != nil {
		return f
	}
	f := r.newFacts(g, p, file, u)
	if n := int64(len(f.members)); t.units.Add(n) <= maxKeptUnits {
		kept.Store(f)
	} else {
		t.units.Add(-n)
	}
	return f
}

func (r *ranker) newFacts(g *gauge, p, file int, u *artifact.UnitsReader) *fileFacts {
	path := u.Path(file)
	first, end := u.FileUnits(file)
	lo, hi := u.FileDocs(file)
	base := r.e.docBase[p]
	stem, dir := treepath.Stem(path), treepath.Dir(path)
	f := &fileFacts{
		path: path, lo: base + lo, hi: base + hi,
		class: classify(path), depth: strings.Count(path, "/"),
		noCode: end-first < 2 || !declaring(u, first, end),
		folder: r.e.known.words.number([]byte(dir)), older: olderPaths(path),
		facade: isFacade(stem), pulls: lowerName(stem),
		firstUnit: first, members: make([]unitFacts, end-first),
	}
	if u.Degraded(file) == artifact.DegradedMinified {
		f.class |= classMinified
	}
	if f.facade {
		f.pulls = lowerName(treepath.Base(dir))
		if dir != "" && stem != "main" {
			stem, dir = treepath.Base(dir), treepath.Dir(dir)
		}
	}
	f.stem = lowerName(stem)
	f.imported = bits.Len32(r.imported.of(f.stem))
	f.stemWords, f.nearWords, f.dirWords = g.spell([]byte(stem)), g.spell([]byte(treepath.Base(dir))), g.spell([]byte(dir))
	return f
}

// declaring reports whether one of the units lo to hi declares something.
func declaring(u *artifact.UnitsReader, lo, hi int) bool {
	for n := lo; n < hi; n++ {
		if len(u.UnitNameBytes(n)) > 0 && u.UnitLevel(n) != artifact.L0 {
			return true
		}
	}
	return false
}

// isFacade reports whether a file of that stem mostly collects what others
// define.
func isFacade(stem string) bool {
	switch lowerName(stem) {
	case "index", "__init__", "mod", "lib", "main", "init", "package", "all", "prelude", "exports":
		return true
	}
	return false
}

// olderPaths returns the path less each folder that names a version or says
// that its content is kept for old times' sake.
func olderPaths(path string) (out []string) {
	for at := 0; ; {
		i := strings.IndexByte(path[at:], '/')
		if i < 0 {
			return out
		}
		c := path[at : at+i]
		if versionName(c) || classOfFolder(lowerName(c))&classLegacy != 0 {
			out = append(out, path[:at]+path[at+i+1:])
		}
		at += i + 1
	}
}

// versionName reports whether s is v1, v2 and so on.
func versionName(s string) bool {
	if len(s) < 2 || len(s) > 3 || s[0] != 'v' {
		return false
	}
	for _, b := range []byte(s[1:]) {
		if b-'0' >= 10 {
			return false
		}
	}
	return true
}

// name returns the spelling of a unit's name.
func (f *fileFacts) name(g *gauge, unit int, name []byte) *spelling {
	kept := &f.unit(unit).name
	s := kept.Load()
	if s == nil {
		made := g.spell(name)
		s = &made
		kept.Store(s)
	}
	return s
}

// spelling is a name or a path cut into words by their numbers: first the
// parts, then what several parts give in one piece.
type spelling struct {
	words []uint32
	parts int
}

// spell cuts a name or a path into words.
func (g *gauge) spell(text []byte) spelling {
	var parts, wholes []uint32
	g.ws.scan.Scan(text, func(t analysis.Token) {
		n := g.r.e.known.words.number(t.Term)
		if t.Kind == analysis.Whole {
			wholes = append(wholes, n)
		} else {
			parts = append(parts, n)
		}
	})
	return spelling{append(parts, wholes...), len(parts)}
}

// vocabulary numbers words, from 0. It is safe for concurrent use.
type vocabulary struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	words   []string
}

// number returns the number of a word.
func (v *vocabulary) number(word []byte) uint32 {
	v.mu.RLock()
	n, ok := v.numbers[string(word)]
	v.mu.RUnlock()
	if ok {
		return n
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, ok := v.numbers[string(word)]; ok {
		return n
	}
	if v.numbers == nil {
		v.numbers = map[string]uint32{}
	}
	n = uint32(len(v.words))
	v.words = append(v.words, string(word))
	v.numbers[v.words[n]] = n
	return n
}

// word returns the word that has a number.
func (v *vocabulary) word(n uint32) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.words[n]
}
