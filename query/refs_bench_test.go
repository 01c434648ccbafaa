package query

import (
	"context"
	"testing"
)

// generated returns an engine over a tree of n Python files that all use one
// type of a common module, each in a few ways.
func generated(b *testing.B, n int) *Engine {
	b.Helper()
	var files []source
	add := func(path, text string) { files = append(files, source{path: path, content: []byte(text)}) }
	add("pkg/__init__.py", "from .models import Model\n")
	add("pkg/models.py", "class Model:\n    def save(self) -> 'Model':\n        return self\n\n    def delete(self):\n        self.save()\n")
	for i := range n {
		name := "pkg/m" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + ".py"
		add(name, "from . import Model\n\n\nclass Child(Model):\n    def run(self, other: Model):\n        made = Model()\n        made.save().delete()\n        other.save()\n        self.save()\n        return made\n")
	}
	return New(compileIndex(b, files, 64, nil), Options{})
}

// BenchmarkRefs lists the uses of the tree's most used names, warm.
func BenchmarkRefs(b *testing.B) {
	e := generated(b, 600)
	for _, target := range []string{"Model", "Model.save"} {
		b.Run(target, func(b *testing.B) {
			for b.Loop() {
				r, err := e.Refs(context.Background(), UsesOptions{Target: target})
				if err != nil || r.Total < 600 {
					b.Fatalf("%+v, %v", r, err)
				}
			}
		})
	}
}

// BenchmarkDef finds the definition of a member through the type of a local.
func BenchmarkDef(b *testing.B) {
	e := generated(b, 600)
	for b.Loop() {
		r, err := e.Def(context.Background(), "pkg/maaa.py:7:14")
		if err != nil || len(r.Results) != 1 {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
