package query

import (
	"strings"
	"testing"
)

func TestConstructedType(t *testing.T) {
	for _, c := range []struct{ before, want string }{
		{"new Sub().", "Sub"},
		{"return new a.b.Sub( x , y(1), \")\" )\n    .", "a.b.Sub"},
		{"new Box<List<String>>(f())?.", "Box"},
		{"new Box<>().", "Box"},
		{"new Base() { public void run() { helper('}'); } }.", "Base"},
		{"(new Foo())->", "Foo"},
		{"(new \\\\A\\\\Foo)->", "\\\\A\\\\Foo"},
		{"(new Foo(1, (2))).", "Foo"},
		{"x = ( new Foo ) .", "Foo"},
		{"return (new Foo())->", "Foo"},
		{"myreturn(new Foo())->", ""},
		{"anew Foo().", ""},
		{"renew().", ""},
		{"new Foo().bar().", ""},
		{"f(new Foo()).", ""},
		{"f(new Foo()).x.", ""},
		{"(new Foo().bar()).", ""},
		{"(Foo) new Bar().", "Bar"},
		{"new int[3].", ""},
		{"new Foo()", ""},
		{").", ""},
		{".", ""},
		{"", ""},
		{"}.", ""},
		{"().", ""},
		{"new().", ""},
		{"new ().", ""},
		{strings.Repeat("(", 100) + ")" + ".", ""},
	} {
		before := strings.ReplaceAll(c.before, `\\`, `\`)
		if got, want := constructedType([]byte(before)), strings.ReplaceAll(c.want, `\\`, `\`); got != want {
			t.Errorf("%q constructs %q, not %q", before, got, want)
		}
	}
}

func FuzzConstructedType(f *testing.F) {
	f.Add([]byte("new Box<List<String>>(f(\"x\")) { }."))
	f.Add([]byte("(new Foo)->"))
	f.Fuzz(func(_ *testing.T, b []byte) { constructedType(b) })
}
