package syntax

import "testing"

// BenchmarkParse measures the bytes of generated source that one core turns
// into facts each second: many small functions.
func BenchmarkParse(b *testing.B) {
	for _, lang := range languageNames() {
		b.Run(lang, func(b *testing.B) {
			src := tiny(b, lang, 2000)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				mustParse(b, lang, src, Limits{})
			}
		})
	}
}

// BenchmarkExtract measures the extractor alone, on the nodes of its golden
// files.
func BenchmarkExtract(b *testing.B) {
	for _, lang := range languageNames() {
		b.Run(lang, func(b *testing.B) {
			l := languages[lang]
			g, err := l.grammar()
			if err != nil {
				b.Fatal(err)
			}
			src := seeds(b, lang)[0]
			nodes, _, _, status, err := g.parse(src, 1<<62, 1<<20, new(buffers))
			if err != nil || status != statusOK {
				b.Fatal(status, err)
			}
			x := new(extraction)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				x.reset(l, src, nodes)
				l.extract(x)
				x.finish()
			}
		})
	}
}
