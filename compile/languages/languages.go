package languages

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pindex-dev/pindex/compile/scan"
	"github.com/pindex-dev/pindex/compile/syntax"
)

// embeddedVersion changes whenever the joining of embedded source changes what
// Parse returns.
const embeddedVersion = 1

// embedding reads a file that holds source in other languages.
type embedding struct {
	backend string
	inner   []string // the languages that it may hold
	parse   func(src []byte, limits syntax.Limits) (*syntax.Facts, error)
}

// embeddings are the languages whose files hold source in others.
func embeddingOf(lang string) (embedding, bool) {
	scripts := []string{"javascript", "typescript", "tsx"}
	switch lang {
	case "vue", "svelte":
		return embedding{"script blocks by tree-sitter", scripts, parseComponent}, true
	case "astro":
		return embedding{"script blocks by tree-sitter", scripts, parseAstro}, true
	case "html":
		return embedding{"element scanner, scripts by tree-sitter", scripts, parseHTML}, true
	case "jupyter":
		return embedding{"code cells by their language's reader", nil, parseNotebook}, true
	}
	return embedding{}, false
}

var embedded = []string{"astro", "html", "jupyter", "svelte", "vue"}

// Supports reports whether Parse knows the language.
func Supports(lang string) bool {
	_, ok := embeddingOf(lang)
	return ok || syntax.Supports(lang) || scan.Supports(lang)
}

// Parse is syntax.Parse for every language that has a reader.
func Parse(lang string, src []byte, limits syntax.Limits) (*syntax.Facts, error) {
	if e, ok := embeddingOf(lang); ok {
		return e.parse(src, limits)
	}
	if f := scan.Scan(lang, src); f != nil {
		return f, nil
	}
	return syntax.Parse(lang, src, limits)
}

// Names returns every language that Parse knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Backends())) }

// Backends names what reads each language, such as "tree-sitter-python
// 0.23.6".
func Backends() map[string]string {
	m := syntax.Backends()
	for _, lang := range scan.Languages() {
		m[lang] = scan.Backend(lang)
	}
	for _, lang := range embedded {
		e, _ := embeddingOf(lang)
		m[lang] = e.backend
	}
	return m
}

// Versions returns, for each language, everything besides the bytes that can
// change what Parse returns. It belongs in the profile.
func Versions() map[string]string {
	m := syntax.Versions()
	scanners := scan.Versions()
	maps.Copy(m, scanners)
	all := slices.Sorted(maps.Keys(m))
	inner := maps.Clone(m)
	for _, lang := range embedded {
		e, _ := embeddingOf(lang)
		langs := e.inner
		if langs == nil {
			langs = all
		}
		text := fmt.Sprintf("%s %d", e.backend, embeddedVersion)
		for _, l := range langs {
			text += "; " + l + " " + inner[l]
		}
		if len(text) > 400 {
			text = fmt.Sprintf("%s %d; all readers %s", e.backend, embeddedVersion, digest(text))
		}
		m[lang] = text
	}
	return m
}

// Packed reports whether a file of the language is to be parsed even where its
// lines are as long as a program's output: those of a notebook hold pictures.
func Packed(lang string) bool { return lang == "jupyter" }
