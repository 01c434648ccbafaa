package syntax

import (
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

// TestRoles checks that each language tells how names are used, in every role
// that has a meaning in it. No language marks overriding: at query time it
// follows from inheritance.
func TestRoles(t *testing.T) {
	type use struct {
		role artifact.Role
		name string
	}
	const (
		read, write, call, typ     = artifact.RoleRead, artifact.RoleWrite, artifact.RoleCall, artifact.RoleType
		imports, exports           = artifact.RoleImport, artifact.RoleExport
		inherit, implement         = artifact.RoleInherit, artifact.RoleImplement
		decorate, create, argument = artifact.RoleDecorate, artifact.RoleInstantiate, artifact.RoleArgument
	)
	seen := make(map[string]bool)
	for _, c := range []struct {
		lang, src string
		want      []use
	}{
		{"go", "package p\nimport \"q\"\ntype A struct { B }\nfunc f(c C) { g(); v = w; _ = D{}; q.H() }\n",
			[]use{{inherit, "B"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}, {call, "H"}}},
		{"python", "from m import N\n@dec\nclass A(B):\n    def f(self, x: C):\n        g(key=w)\n        self.v = w\n__all__ = ['A']\n",
			[]use{{decorate, "dec"}, {inherit, "B"}, {typ, "C"}, {call, "g"}, {argument, "key"}, {read, "w"}, {write, "v"}, {imports, "N"}}},
		{"javascript", "import { N } from 'm';\nclass A extends B { f() { g(); this.v = w; new D(); } }\nexport { A };\n",
			[]use{{imports, "N"}, {inherit, "B"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}, {exports, "A"}}},
		{"typescript", "import { N } from 'm';\n@dec class A extends B implements I { f(c: C) { g(); this.v = w; new D(); } }\nexport { A };\n",
			[]use{{imports, "N"}, {decorate, "dec"}, {inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}, {exports, "A"}}},
		{"tsx", "class A extends B implements I { f(c: C) { g(); this.v = w; return <D/>; } }\n",
			[]use{{inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}}},
		{"rust", "use m::N;\n#[dec]\nstruct A;\ntrait T: B {}\nimpl I for A { fn f(c: C) { g(); V = W; D { x: 1 }; } }\n",
			[]use{{imports, "N"}, {decorate, "dec"}, {inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "V"}, {read, "W"}, {create, "D"}}},
		{"java", "import m.N;\n@Dec class A extends B implements I { void f(C c) { g(); v = w; new D(); } }\n",
			[]use{{imports, "N"}, {decorate, "Dec"}, {inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"csharp", "using N;\n[Dec] class A : B, IDo { void f(C c) { g(); v = w; new D(); } }\n",
			[]use{{decorate, "Dec"}, {inherit, "B"}, {implement, "IDo"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"cpp", "using m::N;\nclass A : public B { void f(C c) { g(); v = w; new D(); } };\n",
			[]use{{imports, "N"}, {inherit, "B"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"c", "struct s v;\nvoid f(C c) { g(); v = w; h((struct D){1}); }\n",
			[]use{{typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"php", "<?php\nuse m\\N;\n#[Dec] class A extends B implements I { function f(C $c) { g(); $this->v = $this->w; new D(); } }\n",
			[]use{{imports, "N"}, {decorate, "Dec"}, {inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"ruby", "class A < B\n  def f\n    g()\n    @v = W\n    D.new\n  end\nend\n",
			[]use{{inherit, "B"}, {call, "g"}, {read, "W"}, {create, "D"}}},
		{"kotlin", "import m.N\n@Dec class A : B(), I {\n    fun f(c: C) {\n        g()\n        v = w\n    }\n}\n",
			[]use{{imports, "N"}, {decorate, "Dec"}, {inherit, "B"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}}},
		{"scala", "import m.N\n@dec class A extends B with I { def f(c: C) = { g(); v = w; new D() } }\n",
			[]use{{imports, "N"}, {decorate, "dec"}, {inherit, "B"}, {inherit, "I"}, {typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"lua", "function f() g(); v = w end\n", []use{{call, "g"}, {write, "v"}, {read, "w"}}},
		{"bash", "f() { g; v=$w; }\nexport E\n", []use{{call, "g"}, {read, "w"}, {exports, "E"}}},
		{"zig", "fn f(c: C) void { g(); v = w; _ = D{ .x = 1 }; }\n",
			[]use{{typ, "C"}, {call, "g"}, {write, "v"}, {read, "w"}, {create, "D"}}},
		{"haskell", "module M (f) where\nimport Q (n)\ninstance I A where\n  h = w\nf :: C -> C\nf x = g x\n",
			[]use{{exports, "f"}, {imports, "n"}, {implement, "I"}, {typ, "C"}, {call, "g"}, {read, "w"}}},
	} {
		seen[c.lang] = true
		f := mustParse(t, c.lang, []byte(c.src), Limits{})
		if f.Degraded != 0 {
			t.Errorf("%s: degraded %v", c.lang, f.Degraded)
		}
		for _, w := range c.want {
			if !slices.ContainsFunc(f.Occurrences, func(o Occurrence) bool { return o.Role == w.role && o.Name == w.name }) {
				t.Errorf("%s: no %s of %s among %v", c.lang, w.role, w.name, f.Occurrences)
			}
		}
	}
	for lang := range languages {
		if !seen[lang] {
			t.Errorf("%s: its roles are not tested", lang)
		}
	}
}
