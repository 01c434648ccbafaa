package query

import (
	"fmt"
	"slices"
	"testing"
)

// TestOtherNames asks for the uses of what is exported, or assigned, under
// another name.
func TestOtherNames(t *testing.T) {
	e := New(compileIndex(t, archive([]byte(`
-- a.ts --
export class X { go() { return 1 } }
export { X as Y }
-- b.ts --
import { Y } from './a'; export class Z extends Y {}; new Y()
-- c.ts --
export { X as W } from './a'
export { Y as default } from './a'
export * from './a'
-- d.ts --
import D from './c';
import { W as Q } from './c';
import * as ns from './c';
new D();
new Q();
new ns.W();
new ns.Y();
-- other.ts --
class Y {}
new Y();
-- m.py --
class Base:
    pass
Alias = Base
def _hidden(): pass
-- pkg/__init__.py --
from m import _hidden as shown
-- n.py --
import m
from m import Alias as B2
from pkg import shown
class E(m.Alias): pass
class F(B2): pass
shown()
`)), 2, nil), Options{})
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"a.ts:X", []string{"b.ts:1", "d.ts:4", "d.ts:5", "d.ts:6", "d.ts:7"}},
		{"m.py:_hidden", []string{"n.py:6"}},
	} {
		r, err := e.Callers(t.Context(), UsesOptions{Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		if got := short(r.Results); !slices.Equal(got, c.want) || r.Unresolved > 0 {
			t.Errorf("%s: got %q, want %q; %d unresolved", c.target, got, c.want, r.Unresolved)
		}
	}
	for target, want := range map[string]string{"a.ts:X": "[] [Z]", "m.py:Base": "[] [E F]", "n.py:E": "[Base] []"} {
		r, err := e.Hierarchy(t.Context(), UsesOptions{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		names := func(steps []TypeStep) (out []string) {
			for _, s := range steps {
				out = append(out, s.Symbol)
			}
			return out
		}
		if got := fmt.Sprint(names(r.Supertypes), names(r.Subtypes)); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
}
