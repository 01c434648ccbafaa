package query

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

func TestException(t *testing.T) {
	for text, want := range map[string][2]string{
		"ValueError: no such file here":                               {"ValueError", "no such file here"},
		"error: the branch is not merged":                             {"error", "the branch is not merged"},
		"Uncaught TypeError: x is not a function":                     {"TypeError", "x is not a function"},
		"com.example.BadThing: it went wrong today":                   {"com.example.BadThing", "it went wrong today"},
		"KeyError: 'id'":                                              {},
		"how do I raise an error":                                     {},
		"note: this is prose and not what a program says: is it good": {},
	} {
		name, said, ok := exception(text)
		if name != want[0] || said != want[1] || ok != (want[0] != "") {
			t.Errorf("%s: %q %q %v", text, name, said, ok)
		}
	}
}

func TestPhrasesOf(t *testing.T) {
	for _, c := range []struct {
		text    string
		phrases []string
		pure    bool
	}{
		{`"open file"`, []string{"open file"}, true},
		{`"open file" "read only",`, []string{"open file", "read only"}, true},
		{`where is "open file" raised`, []string{"open file"}, false},
		{`File "/venv/lib/pkg/app.py", line 12, in run`, nil, false},
		{`post("https://x.org/up", 1) says "expected bytes here"`, []string{"expected bytes here"}, false},
		{`"src/app.py"`, []string{"src/app.py"}, true},
		{`no "partner here`, nil, false},
	} {
		q := analyse(c.text, &defaultWeights)
		var got []string
		for _, p := range q.phrases {
			got = append(got, p.Text)
		}
		if !slices.Equal(got, c.phrases) || q.pure != c.pure {
			t.Errorf("%s: %q %v", c.text, got, q.pure)
		}
	}
}

func TestPlacesOf(t *testing.T) {
	for text, want := range map[string][]sourceLine{
		"src/click/core.py:1434":                                   {{"src/click/core.py", 1434, ""}},
		"net.c:264:12: warning: unused":                            {{"net.c", 264, ""}},
		"at a.B.c(JsonReader.java:1636)":                           {{"jsonreader.java", 1636, ""}},
		"src/context.ts(345,3): error TS2322":                      {{"src/context.ts", 345, ""}},
		`File "pkg/x.py", line 12`:                                 {{"pkg/x.py", 12, ""}},
		`File "C:\v\x.py", line 12, in Foo.run` + "\n    return 1": {{"/v/x.py", 12, "run"}},
		`File "a.py", line 1, in f; File "b.py", line 2, in g`:     {{"b.py", 2, "g"}, {"a.py", 1, "f"}},
		"see core.py#L14 or core.py on line 15":                    {{"core.py", 14, ""}, {"core.py", 15, ""}},
		"version 1.2:3 of core.py":                                 nil,
	} {
		got := placesOf(text)
		for i := range got {
			if got[i].path == "c:/v/x.py" {
				got[i].path = "/v/x.py"
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestRunScan(t *testing.T) {
	tokens := tokensOf("the value is not a whole number")
	var w runScan
	for _, c := range []struct {
		text    string
		covered []int
		longest int
	}{
		{`raise E("the value", x, "is not a whole number")`, []int{2, 3, 4, 5, 6}, 5},
		{"a number is whole", nil, 1},
		{"The value is\nnot a Whole number", []int{0, 1, 2, 3, 4, 5, 6}, 7},
		{"is not a, is not a whole", []int{2, 3, 4, 5}, 4},
		{"", nil, 0},
	} {
		covered, longest := w.scan([]byte(c.text), tokens, 3)
		var got []int
		for i, in := range covered {
			if in {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.covered) || longest != c.longest {
			t.Errorf("%s: %v %d", c.text, got, longest)
		}
	}
}

func evidenceFiles() []querytest.File {
	unit := func(kind artifact.Kind, symbol string, from, to int) querytest.Unit {
		return querytest.Unit{Kind: kind, Symbol: symbol, StartLine: from, EndLine: to}
	}
	return []querytest.File{
		{Path: "pkg/value_error.py", Lang: "python", Content: "class ValueErrorNumber:\n    number = 'value'\n    whole = 'positive'\n",
			Units: []querytest.Unit{unit(artifact.KindClass, "ValueErrorNumber", 1, 3)}},
		{Path: "pkg/check.py", Lang: "python", Content: "def low(x):\n    return x\n\ndef check(x):\n    if x:\n        raise ValueError('a whole and positive number must be given')\n",
			Units: []querytest.Unit{unit(artifact.KindFunction, "low", 1, 2), unit(artifact.KindFunction, "check", 4, 6)}},
		{Path: "pkg/other.py", Lang: "python", Content: "def given(number):\n    \"\"\"Whole number, positive, which must be a value given.\"\"\"\n    return number\n",
			Units: []querytest.Unit{unit(artifact.KindFunction, "given", 1, 3)}},
	}
}

// TestEvidence checks what stands word by word in a unit, and what a question
// says of a line.
func TestEvidence(t *testing.T) {
	e := New(querytest.New(evidenceFiles(), querytest.Options{}), Options{})
	for _, c := range []struct {
		query, first string
		line         int
		missing      []string
		none         bool
	}{
		{query: "ValueError: a whole and positive number must be given", first: "pkg/check.py", line: 4},
		{query: "a whole and positive number must be given", first: "pkg/check.py", line: 4},
		{query: `who says "whole and positive number"`, first: "pkg/check.py", line: 4},
		{query: `"whole and positive number"`, first: "pkg/check.py", line: 4},
		{query: `given number "no such words"`, first: "pkg/other.py", line: 1, missing: []string{"no such words"}},
		{query: `"positive whole number"`, none: true, missing: []string{"positive whole number"}},
		{query: "pkg/check.py:2", first: "pkg/check.py", line: 1},
		{query: "check.py:5", first: "pkg/check.py", line: 4},
		{query: `File "/venv/site-packages/pkg/check.py", line 2, in low`, first: "pkg/check.py", line: 1},
		{query: `File "/venv/site-packages/pkg/check.py", line 2, in check`, first: "pkg/check.py", line: 4}, // of another version
	} {
		r, err := e.Search(context.Background(), SearchOptions{Query: c.query})
		if err != nil || !slices.Equal(r.PhrasesNotFound, c.missing) || (len(r.Results) == 0) != c.none {
			t.Errorf("%s: %v, %q not found, %v", c.query, paths(r), r.PhrasesNotFound, err)
			continue
		}
		if !c.none && (r.Results[0].Path != c.first || r.Results[0].StartLine != c.line) {
			t.Errorf("%s: %s:%d", c.query, r.Results[0].Path, r.Results[0].StartLine)
		}
	}
}

// TestLiftTests checks that tests are not held back where they alone have the
// rare words of a question.
func TestLiftTests(t *testing.T) {
	unit := []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "f", StartLine: 1, EndLine: 2}}
	files := []querytest.File{
		{Path: "src/a.py", Lang: "python", Content: "def f():\n    return undefined\n", Units: unit},
		{Path: "src/undefined.py", Lang: "python", Content: "def f():\n    return undefined or 1\n", Units: unit},
		{Path: "tests/test_a.py", Lang: "python", Content: "def f():\n    assert クッキー is not undefined\n", Units: unit},
	}
	for n := range 20 {
		files = append(files, querytest.File{Path: fmt.Sprintf("src/m%d.py", n), Lang: "python", Content: "def f():\n    return undefined\n", Units: unit})
	}
	e := New(querytest.New(files, querytest.Options{}), Options{})
	for query, want := range map[string]string{"クッキーの値が undefined になる": "tests/test_a.py", "is it undefined": "src/undefined.py"} {
		r, err := e.Search(context.Background(), SearchOptions{Query: query, Route: RouteLexical})
		if err != nil || len(r.Results) == 0 || r.Results[0].Path != want {
			t.Errorf("%s: %v %v", query, paths(r), err)
		}
	}
}
