package sketch

import (
	"strings"
	"testing"
)

// everything asks a sketch all that can be asked at each byte.
func everything(f *File) {
	for at := range uint32(len(f.Text)) {
		f.At(at)
		f.Token(at)
		f.Around(at)
		f.Holder(at)
		f.Idle(at)
		f.LocalAt(at)
		if u, ok := f.UseAt(at); ok {
			f.Local(at, u.Node.Name)
			f.Label(at, u.Node.Name)
		}
	}
	f.AllUses("x", func(Use) {})
}

var seeds = map[string][]string{
	"go": {
		"package p\n\nfunc (r *T[K]) m(a, b int, c ...[]x) (err error) {\n\tfor i, v := range f(a) { x := v.(type) }\nL:\n\tgoto L\n}\n",
		"package p; type S[T any] struct { a, b T; *E; p.Q }; var x = S[int]{a: 1, b: map[string][]S{{}, {1}}}",
		"func (", "package p; func f(", "type T [", "x := {", "package p\nfunc f() { switch x := y.(type) { case",
	},
	"rust": {
		"use a::{b::{self, c as d}, *};\nimpl<T: X> Y for Z<T> where T: W { fn f(&self, (a, b): (u8, u8)) -> R { if let Some(x) = self.a.b()? { x.c } else { match y { Q { r, .. } => r, _ => 0 } } } }",
		"macro_rules! m { ($e:expr) => { $e } } m! { fn x() {} } fn f<'a>() { 'l: loop { break 'l; } let c = |x: T| x + 1; println!(\"{x}\"); }",
		"fn f(", "impl<", "use a::{", "enum E { A(", "r#\"", "'",
	},
	"c": {
		"#define M(x) ((x)->y)\n#if A\nint f(int x) {\n#else\nint f() {\n#endif\n\tstruct s *p = (struct s *)x, q = { .a = 1 }; for (int i = 0; i < 3; i++) p->b[i].c(); return sizeof(x); }\n",
		"struct {", "int (*f(int))(", "#define", "#if (", "typedef struct a { struct { int b; }; M; } a_t, *b_t;",
	},
	"cpp": {
		"namespace a::b { template <typename T, int N = 3> class C : public D<T> { C() : x_{1} {} ~C(); int operator()(T t) const { auto f = [&, y = 1](auto z) { return z.w<T>(); }; return f(t); } int x_; }; }\nint a::b::C<int>::m() { for (auto &[k, v] : q) {} return static_cast<int>(1); }",
		"template <", "class A : ", "A::~", "R\"x(", "using a = ", "[](",
	},
}

func FuzzNew(f *testing.F) {
	for lang, texts := range seeds {
		for _, text := range texts {
			f.Add(lang, text)
		}
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		if len(text) > 1<<14 {
			return
		}
		if s := New(lang, []byte(text)); s != nil {
			everything(s)
		}
	})
}

// Deep nesting and long runs of brackets end, and cost no stack.
func TestDeep(t *testing.T) {
	for _, lang := range []string{"go", "rust", "c", "cpp"} {
		for _, piece := range []string{"(", "[", "{", "<", "a.b(", "if x {", "*", "&", "-", "func(", "|x|", "struct {", "#if\n", "::", "a<"} {
			text := "package p\nfunc f() {" + strings.Repeat(piece, 20_000)
			if s := New(lang, []byte(text)); s != nil {
				s.UseAt(uint32(len(text) - 1))
				s.AllUses("a", func(Use) {})
			}
		}
	}
}
