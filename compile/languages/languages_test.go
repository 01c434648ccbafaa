package languages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

func parse(t testing.TB, lang, src string) *syntax.Facts {
	t.Helper()
	f, err := Parse(lang, []byte(src), syntax.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, lang, []byte(src), f)
	return f
}

// check holds joined facts against what compile/syntax promises.
func check(t testing.TB, lang string, src []byte, f *syntax.Facts) {
	t.Helper()
	last := map[int32]uint32{}
	for i, d := range f.Decls {
		if d.Start > d.End || int(d.End) > len(src) || d.Parent >= int32(i) {
			t.Fatalf("%s: %q at %d-%d with parent %d", lang, d.Name, d.Start, d.End, d.Parent)
		}
		if d.Parent >= 0 {
			if p := f.Decls[d.Parent]; d.Start < p.Start || d.End > p.End {
				t.Fatalf("%s: %q reaches out of its parent", lang, d.Name)
			}
		}
		if d.Start < last[d.Parent] && d.Start < d.End {
			t.Fatalf("%s: %q overlaps its sibling", lang, d.Name)
		}
		last[d.Parent] = d.End
	}
	for _, o := range f.Occurrences {
		part, _, _ := strings.Cut(o.Name, ":")
		if int(o.At) > len(src) || !bytes.HasPrefix(src[o.At:], []byte(part)) {
			t.Fatalf("%s: use of %q does not stand at %d", lang, o.Name, o.At)
		}
	}
	for _, u := range f.LocalUses {
		if u.Local < 0 || int(u.Local) >= len(f.Locals) {
			t.Fatalf("%s: use of local %d of %d", lang, u.Local, len(f.Locals))
		}
	}
}

// decl returns "kind name" of each declaration with the text of its range.
func decls(src string, f *syntax.Facts) string {
	var b strings.Builder
	names, _ := f.Qualified()
	for i, d := range f.Decls {
		b.WriteString(d.Kind.String() + " " + names[i] + " " + strings.Join(strings.Fields(src[d.Start:d.End]), " ") + "\n")
	}
	return b.String()
}

func TestComponent(t *testing.T) {
	src := `<template>
  <div><template v-if="a">x</template></div>
</template>
<script setup lang="ts">
import Foo from './Foo.vue'
const limit: number = 3
function go(a: string) { return Foo(a) }
</script>
<style scoped>.a { b: c }</style>
`
	f := parse(t, "vue", src)
	want := `entry template <template> <div><template v-if="a">x</template></div> </template>
variable limit const limit: number = 3
function go function go(a: string) { return Foo(a) }
entry style <style scoped>.a { b: c }</style>
`
	if got := decls(src, f); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(f.Imports) != 1 || f.Imports[0].Module != "./Foo.vue" || !strings.HasPrefix(src[f.Imports[0].At:], "Foo") {
		t.Errorf("imports %+v", f.Imports)
	}
}

func TestHTML(t *testing.T) {
	src := `<!doctype html>
<link rel="stylesheet" href="a.css">
<!-- <div id="no"> -->
<div id="app"><p id="x">a<br>b</p><ul><li id=one>1<li>2</ul></div>
<script src="b.js"></script>
<script>
function go() { other() }
</script>
<script type="application/json">{"function": 1}</script>
`
	f := parse(t, "html", src)
	got := decls(src, f)
	for _, want := range []string{"entry app <div id=\"app\">", "entry app.x ", "entry app.one ", "function go function go() { other() }"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "no") && strings.Contains(got, "entry no") || len(f.Imports) != 2 {
		t.Errorf("%s%+v", got, f.Imports)
	}
}

func TestNotebook(t *testing.T) {
	src := `{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "def no(): pass"]},
  {"cell_type": "code", "metadata": {}, "outputs": [{"text": ["def no(): pass"]}],
   "source": [
    "%matplotlib inline\n",
    "import os.path as p\n",
    "def add(a, b):\n",
    "    \"\"\"Adds \u00e9.\"\"\"\n",
    "    return p.join(a, b)"
   ]},
  {"cell_type": "code", "source": "class C:\n    def m(self):\n        return add(1, 2)\n"},
  {"cell_type": "code", "source": ["%%bash\n", "def no(): pass"]}
 ],
 "metadata": {"kernelspec": {"language": "python", "name": "python3"}}
}`
	f := parse(t, "jupyter", src)
	named := map[string]string{}
	cells := 0
	for _, d := range f.Decls {
		if d.Name == "" {
			cells++
			continue
		}
		named[d.Name] = src[d.Start:d.End]
		if !strings.HasPrefix(src[d.NameAt:], d.Name) {
			t.Errorf("%s does not stand at %d", d.Name, d.NameAt)
		}
	}
	if cells != 4 || named["no"] != "" {
		t.Errorf("%d cells, %v", cells, named)
	}
	if !strings.HasPrefix(named["add"], "def add(a, b):\\n") || !strings.HasSuffix(named["add"], "p.join(a, b)") {
		t.Errorf("add is %q", named["add"])
	}
	if named["C"] != `class C:\n    def m(self):\n        return add(1, 2)` {
		t.Errorf("C is %q", named["C"])
	}
	calls := 0
	for _, o := range f.Occurrences {
		if o.Role == artifact.RoleCall && o.Name == "add" {
			calls++
		}
	}
	if calls != 1 || len(f.Imports) != 1 {
		t.Errorf("%d calls of add, imports %+v", calls, f.Imports)
	}
}

// TestOdd gives the joined readers pieces of files.
func TestOdd(t *testing.T) {
	for lang, src := range seeds {
		for cut := 0; cut <= len(src); cut += 11 {
			parse(t, lang, src[:cut])
		}
		parse(t, lang, strings.Repeat(src, 20))
	}
	parse(t, "html", strings.Repeat("<div id=a>", 5000))
	parse(t, "html", strings.Repeat("<a b", 3000))
	parse(t, "vue", strings.Repeat("<script>", 5000))
	parse(t, "jupyter", strings.Repeat(`{"cells":[`, 5000))
}

var seeds = map[string]string{
	"vue":     "<script lang=\"ts\">\nexport default { a() { b() } }\n</script><template><p/></template>",
	"svelte":  "<script>let a = 1; function f() {}</script>\n<h1 id=x>{a}</h1>",
	"astro":   "---\nconst a: string = f();\n---\n<p>{a}</p><script>g()</script>",
	"html":    "<div id=\"a\"><script>function f() { g() }</script></div>",
	"jupyter": `{"cells":[{"cell_type":"code","source":["def f\u0061():\n","  pass"]}],"metadata":{"language_info":{"name":"python"}}}`,
}

func FuzzEmbedded(f *testing.F) {
	for i, lang := range embedded {
		f.Add(byte(i), []byte(seeds[lang]))
	}
	f.Fuzz(func(t *testing.T, n byte, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		lang := embedded[int(n)%len(embedded)]
		facts, err := Parse(lang, src, syntax.Limits{Work: 2_000_000, Depth: 500})
		if err != nil {
			t.Fatal(err)
		}
		check(t, lang, src, facts)
	})
}

func TestEveryReaderHasAVersion(t *testing.T) {
	versions := Versions()
	for lang, backend := range Backends() {
		if versions[lang] == "" || backend == "" || !Supports(lang) {
			t.Errorf("%s: backend %q, version %q", lang, backend, versions[lang])
		}
	}
	if len(versions) != len(Backends()) {
		t.Errorf("%d versions of %d readers", len(versions), len(Backends()))
	}
}
