package query

import (
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// filter restricts a query to files and units. It remembers its answer for
// each file and serves one goroutine.
type filter struct {
	e    *Engine
	glob *glob
	lang string
	kind artifact.Kind
	all  bool
	memo map[[2]int]bool
}

func (e *Engine) newFilter(pathGlob, lang, kind string) (*filter, error) {
	f := &filter{e: e, lang: lang}
	var err error
	if f.glob, err = compileGlob(pathGlob); err != nil {
		return nil, err
	}
	if lang != "" {
		if _, ok := e.ix.Manifest().Languages[lang]; !ok {
			return nil, fail.New(fail.Usage, "the index has "+e.languageNames(), "no file of the index is in language %s", quote(lang))
		}
	}
	if kind != "" {
		k, ok := artifact.ParseKind(kind)
		if !ok {
			return nil, fail.New(fail.Usage, "use a kind such as function, method, class or struct", "there is no kind %s", quote(kind))
		}
		f.kind = k
	}
	f.all = f.glob == nil && lang == "" && f.kind == artifact.KindUnknown && len(e.hidden) == 0
	f.memo = map[[2]int]bool{}
	return f, nil
}

func (e *Engine) languageNames() string {
	var names []string
	for n := range e.ix.Manifest().Languages {
		names = append(names, n)
	}
	sort.Strings(names)
	if len(names) == 0 {
		return "no files in a known language"
	}
	return strings.Join(names, ", ")
}

// file reports whether a file passes.
func (f *filter) file(u *artifact.UnitsReader, file int) bool {
	return (f.lang == "" || u.Lang(file) == f.lang) && (f.glob == nil || f.glob.match(u.Path(file))) &&
		(len(f.e.hidden) == 0 || !f.e.hidden[u.Path(file)])
}

// doc reports whether a document passes.
func (f *filter) doc(d int) (bool, error) {
	if f.all {
		return true, nil
	}
	p := f.e.partOfDoc(d)
	u, err := f.e.ix.Units(p)
	if err != nil {
		return false, err
	}
	unit := u.DocUnit(d - f.e.docBase[p])
	if f.kind != artifact.KindUnknown && u.UnitKind(unit) != f.kind {
		return false, nil
	}
	key := [2]int{p, u.UnitFile(unit)}
	ok, known := f.memo[key]
	if !known {
		ok = f.file(u, key[1])
		f.memo[key] = ok
	}
	return ok, nil
}
