package query

import (
	"slices"
	"testing"
)

func TestDeclaredByText(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       []string
	}{
		{"a.py", "LIMIT: int = 3\nclass A(B):\n    x = 1\n    async def go(self):\n        def inner(): pass\n        y = 2\n    def stop(self): pass\nif LIMIT == 3:\n    f(x)\n", []string{"LIMIT", "A", "go", "stop"}},
		{"a.go", "func (s *Store) Open(x int) error {\n\tvar y = 1\n\treturn f(y)\n}\ntype Store struct{}\nvar Default = 1\n", []string{"Open", "Store", "Default"}},
		{"a.ts", "export default class A {\n  private go(x: number): void {\n    if (x) {\n    }\n  }\n}\nexport const f = () => 1\nexport async function g() {}\n", []string{"A", "go", "f", "g"}},
		{"A.java", "public final class A {\n  @Override public List<String> names(int n) {\n    return new B(n);\n  }\n}\n", []string{"A", "names"}},
		{"a.rs", "pub(crate) fn go<T>() {}\nmacro_rules! m { }\nimpl A { }\n", []string{"go", "m"}},
		{"a.c", "#define LIMIT 3\nstatic int *walk(struct a *x)\n{\n\treturn f(x);\n}\nint proto(void);\n", []string{"LIMIT", "walk"}},
		{"a.py", "", nil},
	} {
		var got []string
		for _, g := range declaredByText(c.path, []byte(c.text)) {
			got = append(got, g.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.path, got, c.want)
		}
	}
}
