package query

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mark stands behind a name in a fixture: /*N*/ declares target N, /*>N*/ is a
// use that must lead to it, /*>N,M*/ to both, /*>out*/ outside of the tree, and
// /*>?*/ to nothing.
type mark struct {
	path      string
	line, col int
	want      []string
}

// marks takes the marks out of files and returns them.
func marks(t *testing.T, files []source) (targets map[string]string, uses []mark) {
	t.Helper()
	targets = map[string]string{}
	for i := range files {
		var out []byte
		for n, line := range bytes.SplitAfter(files[i].content, lf) {
			for {
				at := bytes.Index(line, []byte("/*"))
				if at < 0 {
					break
				}
				end := bytes.Index(line[at:], []byte("*/"))
				if end < 0 {
					break
				}
				text := string(line[at+2 : at+end])
				col := at
				for col > 0 && wordByte(line[col-1]) {
					col--
				}
				line = append(line[:at:at], line[at+end+2:]...)
				if to, ok := strings.CutPrefix(text, ">"); ok {
					uses = append(uses, mark{files[i].path, n + 1, col + 1, strings.Split(to, ",")})
				} else {
					targets[text] = fmt.Sprintf("%s:%d:%d", files[i].path, n+1, col+1)
				}
			}
			out = append(out, line...)
		}
		files[i].content = out
	}
	return targets, uses
}

func checkMarks(t *testing.T, name string) {
	t.Helper()
	files := archive(readTestdata(t, name))
	targets, uses := marks(t, files)
	e := New(compileIndex(t, files, 2, nil), Options{})
	refs := map[string][]string{}
	for _, u := range uses {
		at := fmt.Sprintf("%s:%d:%d", u.path, u.line, u.col)
		var want []string
		for _, w := range u.want {
			if w == "out" || w == "?" {
				continue
			}
			if targets[w] == "" {
				t.Fatalf("%s: there is no target %s", at, w)
			}
			want = append(want, targets[w])
			refs[w] = append(refs[w], fmt.Sprintf("%s:%d", u.path, u.line))
		}
		r, err := e.Def(context.Background(), at)
		var got []string
		binding := Unresolved
		if err == nil {
			binding = r.Binding
			for _, h := range r.Results {
				got = append(got, fmt.Sprintf("%s:%d:%d", h.Path, max(h.NameLine, 1), max(h.Col, 1)))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("def %s: got %q, want %q (%v)", at, got, want, err)
		}
		if u.want[0] == "out" && binding != External {
			t.Errorf("def %s: %s, want external", at, binding)
		}
	}
	// A definition leads to itself, and its references are the uses that lead
	// to it.
	for name, at := range targets {
		r, err := e.Def(context.Background(), at)
		if err != nil || len(r.Results) != 1 || fmt.Sprintf("%s:%d:%d", r.Results[0].Path, r.Results[0].NameLine, r.Results[0].Col) != at {
			t.Errorf("def of target %s at %s does not lead to itself: %v", name, at, err)
			continue
		}
		u, err := e.Refs(context.Background(), UsesOptions{Target: at})
		if err != nil {
			t.Errorf("refs of target %s: %v", name, err)
			continue
		}
		var got []string
		for _, h := range append(u.Results, u.Ambiguous...) {
			got = append(got, fmt.Sprintf("%s:%d", h.Path, h.StartLine))
		}
		for _, w := range refs[name] {
			if !slices.Contains(got, w) {
				t.Errorf("refs of target %s at %s: %q lack %s", name, at, got, w)
			}
		}
	}
}

func TestInferGo(t *testing.T)       { checkMarks(t, "infer_go") }
func TestInferRust(t *testing.T)     { checkMarks(t, "infer_rust") }
func TestInferC(t *testing.T)        { checkMarks(t, "infer_c") }
func TestInferCpp(t *testing.T)      { checkMarks(t, "infer_cpp") }
func TestInferOverload(t *testing.T) { checkMarks(t, "infer_overload") }

// Cycles of embedding, inheritance, imports and types end.
func TestInferCycles(t *testing.T) {
	files := archive([]byte(`-- a.go --
package a

type A struct{ *B }
type B struct{ *A }
type C interface{ D }
type D interface{ C }
type E = F
type F = E
type G[T any] struct{ next *G[G[T]] }

var x = y
var y = x

func f(a A, c C, e E, g G[int]) {
	a.Missing()
	c.Missing()
	e.Missing()
	g.next.next.next.Missing()
	x.Missing()
}
-- src/lib.rs --
mod a;
pub use a::*;
pub trait T: U {}
pub trait U: T {}
type X = Y;
type Y = X;
fn f(x: X, t: impl T) { x.missing(); t.missing(); missing(); }
-- src/a.rs --
pub use crate::*;
pub use super::a::b::c;
-- c.cpp --
#include "c.h"
struct A : B { int f() { return missing + g(); } };
struct B : A { int g() { return this->missing; } };
typedef Q P;
typedef P Q;
int h(P p) { return p.missing; }
#define M N
#define N M
int i = M;
-- c.h --
#include "c.cpp"
`))
	e := New(compileIndex(t, files, 2, nil), Options{})
	for _, f := range files {
		for n, line := range strings.Split(string(f.content), "\n") {
			for i := 0; i < len(line); i++ {
				if wordByte(line[i]) && (i == 0 || !wordByte(line[i-1])) {
					at := fmt.Sprintf("%s:%d:%d", f.path, n+1, i+1)
					if r, err := e.Def(context.Background(), at); err == nil && strings.HasPrefix(strings.ToLower(line[i:]), "missing") && r.Binding == Bound {
						t.Errorf("%s: invented %v", at, r.Results)
					}
				}
			}
		}
	}
}

// A file of very many functions, and a name that is declared very often.
func TestInferManyFunctions(t *testing.T) {
	var b strings.Builder
	b.WriteString("package many\n\ntype T struct{ n int }\n\nfunc (t T) M() int { return t.n }\n\n")
	const n = 22_000
	for i := range n {
		fmt.Fprintf(&b, "func f%d(t T) int { x := t; return x.M() }\n", i)
	}
	var dup []source
	for i := range 400 {
		dup = append(dup, source{fmt.Sprintf("d%d/d.go", i), []byte(fmt.Sprintf("package d%d\n\ntype S struct{}\n\nfunc (S) Same() {}\n\nfunc use() { var s S; s.Same() }\n", i))})
	}
	e := New(compileIndex(t, append(dup, source{"many.go", []byte(b.String())}), 64, nil), Options{})
	at := fmt.Sprintf("many.go:%d:%d", 7+n/2, strings.Index(fmt.Sprintf("func f%d(t T) int { x := t; return x.M() }", n/2), "M()")+1)
	r, err := e.Def(context.Background(), at)
	if err != nil || len(r.Results) != 1 || r.Results[0].NameLine != 5 {
		t.Errorf("%s: %v %v", at, r, err)
	}
	u, err := e.Refs(context.Background(), UsesOptions{Target: "many.go:5:12", K: 100_000})
	if err != nil || u.Total != n {
		t.Errorf("refs: %v, %v", u, err)
	}
	r, err = e.Def(context.Background(), "d7/d.go:7:27")
	if err != nil || len(r.Results) != 1 || r.Results[0].Path != "d7/d.go" {
		t.Errorf("one of many: %v %v", r, err)
	}
}

// A question that goes deeper than inference may leaves nothing behind that a
// shallower one would take for an answer.
func TestInferAfterTooDeep(t *testing.T) {
	const n = 400
	for _, lang := range []struct{ path, head, step, use, foot string }{
		{"a.rs", "struct S;\nimpl S {\n    fn hit(&self) {}\n}\nfn f(v0: S) {\n", "    let v%d = v%d;\n", "    v%d.hit();\n", "}\n"},
		{"a.go", "package a\n\ntype S struct{}\n\nfunc (S) hit() {}\n\nfunc f(v0 S) {\n", "\tv%d := v%d\n", "\tv%d.hit()\n", "}\n"},
		{"a.cpp", "struct S {\n  void hit() {}\n};\nvoid f(S v0) {\n", "  auto v%d = v%d;\n", "  v%d.hit();\n", "}\n"},
	} {
		var b strings.Builder
		b.WriteString(lang.head)
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, lang.step, i, i-1)
		}
		line := strings.Count(b.String(), "\n") + 1
		for _, i := range []int{n, 10} {
			fmt.Fprintf(&b, lang.use, i)
		}
		b.WriteString(lang.foot)
		e := New(compileIndex(t, []source{{lang.path, []byte(b.String())}}, 1, nil), Options{})
		for i, want := range []int{0, 1} {
			use := fmt.Sprintf(lang.use, []int{n, 10}[i])
			r, err := e.Def(context.Background(), fmt.Sprintf("%s:%d:%d", lang.path, line+i, strings.Index(use, "hit")+1))
			if err != nil || len(r.Results) < want || i == 1 && r.Binding != Bound {
				t.Errorf("%s: %s: %v, %v", lang.path, strings.TrimSpace(use), r, err)
			}
		}
	}
}

func readTestdata(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
