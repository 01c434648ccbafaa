package main

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/query"
)

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct{ lang, src, want string }{
		{"go", "package a // no\nvar x = \"str\" + `raw\nline` + string('q') /* c\n */ + y2\n", "a x string y2"},
		{"python", "def f(a): # no\n    '''doc\n    no'''\n    return rb'x' + f\"no\" + é\n", "f a é"},
		{"javascript", "const a = `no ${no}`; let $b = 'it\\'s'; a.b\n", "a $b a b"},
		{"rust", "fn f<'a>(x: &'a str) -> char { 'q'; b'c'; r#\"no \" no\"#; m!(y) }", "f x m y"},
		{"c", "#include <a.h>\nint f(void) { return 0x1fULL + 'c'; } /* no */", "a h f"},
		{"cpp", "std::string s = u8\"no\"; L'x';", "std string s"},
	} {
		var got []string
		lines := strings.Split(c.src, "\n")
		for _, tok := range languages[c.lang].identifiers(c.src) {
			got = append(got, tok.name)
			if at := lines[tok.line-1][tok.col-1:]; !strings.HasPrefix(at, tok.name) {
				t.Errorf("%s: %s is said to stand at %q", c.lang, tok.name, at)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.lang, s, c.want)
		}
	}
}

func TestRecordsGoAroundAFile(t *testing.T) {
	in := []record{{Repo: "r", Path: "a.go", Line: 1, Col: 2, Def: []place{{"b.go", 3}}, Refs: []place{}, Answered: true}}
	file := filepath.Join(t.TempDir(), "o.jsonl")
	if err := writeRecords(file, in); err != nil {
		t.Fatal(err)
	}
	out, err := readRecords(file)
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v, %v", out, err)
	}
}

func places(lines ...int) (out []place) {
	for _, l := range lines {
		out = append(out, place{"f", l})
	}
	return out
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name         string
		binding      query.Binding
		oracle, ours []place
		agree        bool
		given, right int
		class        string
	}{
		{"equal", query.Bound, places(1, 2), places(1, 2), true, 2, 2, ""},
		{"superset", query.Bound, places(1), places(1, 2), false, 2, 1, "right and more"},
		{"subset", query.Bound, places(1, 2), places(1), false, 1, 1, "some of several"},
		{"other line", query.Bound, places(1), places(2), false, 1, 0, "wrong line of the right file"},
		{"candidates", query.Ambiguous, places(1), places(1, 2), false, 2, 1, "right among candidates"},
		{"nothing", query.Unresolved, places(1), nil, false, 0, 0, "said unresolved"},
		{"outside, and so are we", query.External, nil, nil, false, 0, 0, ""},
		{"outside, and we are not", query.Bound, nil, places(1), false, 1, 0, "outside the tree, bound inside"},
		{"above the cap", query.Bound, places(upTo(20)...), places(upTo(8)...), true, 8, 8, ""},
	} {
		v := &verdict{record: record{Def: c.oracle, Answered: true}, binding: c.binding, ours: c.ours}
		v.judgeDef()
		if v.agree != c.agree || v.given != c.given || v.right != c.right || v.class != c.class {
			t.Errorf("%s: agree %v, %d of %d right, class %q", c.name, v.agree, v.right, v.given, v.class)
		}
	}
}

func TestJudgeReferences(t *testing.T) {
	for _, c := range []struct {
		name          string
		answer        bool
		oracle, ours  []place
		agree         bool
		right, given  int
		found, wanted int
		f1            float64
	}{
		{"none, and none", true, nil, nil, true, 0, 0, 0, 0, 1},
		{"none, and no answer", false, nil, nil, false, 0, 0, 0, 0, 1},
		{"half", true, places(1, 2), places(2, 3), false, 1, 2, 1, 2, 0.5},
		// Beyond the cap nothing is held against an answer that is whole.
		{"above the cap", true, places(upTo(100)...), places(upTo(100)...), true, 40, 40, 40, 40, 1},
		{"first one missing above the cap", true, places(upTo(100)...), places(upTo(100)[1:]...), false, 40, 40, 39, 40, 2 * 0.975 / 1.975},
	} {
		v := &verdict{record: record{Def: places(9), Refs: c.oracle}, refsAnswer: c.answer, oursRefs: c.ours}
		v.judgeRefs()
		if v.refAgree != c.agree || v.refRight != c.right || v.refGiven != c.given || v.refFound != c.found || v.refWant != c.wanted || math.Abs(v.f1()-c.f1) > 1e-9 {
			t.Errorf("%s: agree %v, %d of %d right, %d of %d found, F1 %v", c.name, v.refAgree, v.refRight, v.refGiven, v.refFound, v.refWant, v.f1())
		}
	}
}

func TestIntervalHoldsTheRatioAndWidensWithClusters(t *testing.T) {
	ratio := func(vs []*verdict) (num, den float64) {
		for _, v := range vs {
			num, den = num+count(v.agree), den+1
		}
		return num, den
	}
	var alike, apart []*verdict
	for i := range 400 {
		repo := []string{"a", "b", "c", "d"}[i%4]
		alike = append(alike, &verdict{record: record{Repo: repo}, agree: i/4%2 == 0})
		apart = append(apart, &verdict{record: record{Repo: repo}, agree: i%4 < 2})
	}
	lo, hi := interval(alike, ratio)
	if lo > 0.5 || hi < 0.5 || hi-lo > 0.2 {
		t.Errorf("repositories that are alike: %v to %v", lo, hi)
	}
	lo2, hi2 := interval(apart, ratio)
	if hi2-lo2 < 2*(hi-lo) {
		t.Errorf("repositories that differ must widen the interval: %v to %v against %v to %v", lo2, hi2, lo, hi)
	}
	if a, b := interval(apart, ratio); a != lo2 || b != hi2 {
		t.Error("the draws are not fixed")
	}
	if !slices.IsSortedFunc(places(1, 2, 3), place.compare) {
		t.Error("places are in no order")
	}
}
