package query

import (
	"context"
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// filter restricts a query to files and units. It is safe for concurrent use.
type filter struct {
	e    *Engine
	glob *glob
	lang string
	kind artifact.Kind
	all  bool // everything passes
}

func (e *Engine) newFilter(pathGlob, lang, kind string) (*filter, error) {
	lang = strings.ToLower(lang)
	if name, ok := langAliases[lang]; ok {
		lang = name
	}
	f := &filter{e: e, lang: lang}
	var err error
	if f.glob, err = compileGlob(pathGlob); err != nil {
		return nil, err
	}
	if lang != "" {
		_, ok := e.ix.Manifest().Languages[lang]
		for _, other := range []*Engine{e.over, e.under} {
			if other != nil && !ok {
				_, ok = other.ix.Manifest().Languages[lang]
			}
		}
		if !ok {
			return nil, fail.New(fail.Usage, "the index has "+e.languageNames(), "no file of the index is in language %s", quote(lang))
		}
	}
	if kind != "" {
		k, ok := artifact.ParseKind(strings.ToLower(kind))
		if !ok || k == artifact.KindUnknown {
			return nil, fail.New(fail.Usage, "the kinds are "+kindNames(), "there is no kind %s", quote(kind))
		}
		f.kind = k
	}
	f.all = f.glob == nil && lang == "" && f.kind == artifact.KindUnknown && len(e.hidden) == 0
	return f, nil
}

// langAliases are other names by which users call languages.
var langAliases = map[string]string{
	"ts": "typescript", "js": "javascript", "jsx": "javascript", "py": "python", "rs": "rust", "golang": "go", "rb": "ruby",
	"c++": "cpp", "cs": "csharp", "c#": "csharp", "kt": "kotlin", "sh": "bash", "shell": "bash", "md": "markdown", "yml": "yaml",
	"hs": "haskell", "objc": "objective-c", "ex": "elixir", "pl": "perl",
}

// kindNames lists the kinds that units have.
func kindNames() string {
	var names []string
	for k := artifact.KindUnknown + 1; k.String() != "unknown"; k++ {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
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
	return f.asked(u, file) && !f.hidden(u, file)
}

// asked reports whether a file is one of those that the user asked for.
func (f *filter) asked(u *artifact.UnitsReader, file int) bool {
	return (f.lang == "" || u.Lang(file) == f.lang) && (f.glob == nil || f.glob.match(u.Path(file)))
}

// hidden reports whether a file is in no answer, see Options.Hidden.
func (f *filter) hidden(u *artifact.UnitsReader, file int) bool {
	return len(f.e.hidden) > 0 && f.e.hidden[u.Path(file)]
}

// documents marks every document that passes in pass, which must be false
// throughout and have an element for each document.
func (f *filter) documents(ctx context.Context, pass []bool) error {
	return f.e.each(ctx, func(_, p int) error {
		u, err := f.e.ix.Units(p)
		if err != nil {
			return err
		}
		base := f.e.docBase[p]
		for file := range u.NumFiles() {
			if u.Skip(file) != artifact.SkipNone || !f.file(u, file) {
				continue
			}
			lo, hi := u.FileDocs(file)
			for d := lo; d < hi; d++ {
				pass[base+d] = f.kind == artifact.KindUnknown || u.UnitKind(u.DocUnit(d)) == f.kind
			}
		}
		return nil
	})
}
