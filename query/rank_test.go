package query

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

// TestAccount checks that what --explain shows adds up to what ranks.
func TestAccount(t *testing.T) {
	m := &hybridModels[queryIssue]
	x := &features{}
	for i := range x {
		x[i] = int32(i*337%1900) - 50
	}
	by, rest := m.account(x)
	sum := rest
	for _, v := range by {
		sum += v
	}
	if sum != m.score(x) {
		t.Errorf("the parts make %d, the score is %d", sum, m.score(x))
	}
}

// TestExplainedScore checks the same on an answer.
func TestExplainedScore(t *testing.T) {
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	for _, text := range []string{"open session", "open_session", "Session lost\n\nThe session is not opened again when the request comes back."} {
		r, err := e.Search(context.Background(), SearchOptions{Query: text, Explain: true})
		if err != nil || len(r.Results) == 0 {
			t.Fatal(r, err)
		}
		for _, h := range r.Results {
			var sum, file, placed, place int64
			for _, p := range h.Explain {
				switch {
				case strings.HasPrefix(p.Name, "file: "):
					sum += p.Value
				case p.Name == "file":
					file = p.Value
				case strings.HasPrefix(p.Name, "place: "):
					placed += p.Value
				case p.Name == "place":
					place = p.Value
				}
			}
			if placed != place || strings.Contains(text, "\n") == (place == 0) {
				t.Errorf("%q, %s: parts of %d make %d of its place", text, h.Path, placed, place)
			}
			if sum != file {
				t.Errorf("%q, %s: parts of %d make a file's score of %d", text, h.Path, sum, file)
			}
		}
	}
}

// TestSameAnswer checks that workers, partitions and repetition change nothing.
func TestSameAnswer(t *testing.T) {
	var want []SearchHit
	for _, per := range []int{1, 2, 10} {
		for _, workers := range []int{1, 3} {
			e := New(querytest.New(searchFiles(), querytest.Options{PerPartition: per}), Options{Workers: workers})
			for range 2 {
				r, err := e.Search(context.Background(), SearchOptions{Query: "open a session of the request"})
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = r.Results
				} else if !reflect.DeepEqual(r.Results, want) {
					t.Fatalf("%d files a partition, %d workers: another answer", per, workers)
				}
			}
		}
	}
}

// TestOtherScripts checks that questions in Chinese, Japanese and Korean find
// comments and identifiers.
func TestOtherScripts(t *testing.T) {
	files := []querytest.File{
		{Path: "a.py", Lang: "python", Content: "# 校验用户的登录令牌\ndef check_token(t):\n    return t\n"},
		{Path: "b.py", Lang: "python", Content: "# セッションを保存する\ndef save(s):\n    return s\n"},
		{Path: "c.py", Lang: "python", Content: "# 요청의 쿠키를 읽는다\ndef read(r):\n    return r\n"},
		{Path: "d.py", Lang: "python", Content: "def 해시_계산(x):\n    return x\n"},
		{Path: "e.py", Lang: "python", Content: "def other(x):\n    return x\n"},
	}
	e := New(querytest.New(files, querytest.Options{}), Options{})
	for query, want := range map[string]string{
		"登录令牌在哪里校验": "a.py", "セッションの保存": "b.py", "쿠키 읽기": "c.py", "해시 계산": "d.py", "check_token 在哪里": "a.py",
	} {
		for _, route := range []string{RouteAuto, RouteLexical} {
			r, err := e.Search(context.Background(), SearchOptions{Query: query, Route: route})
			if err != nil || len(r.Results) == 0 || r.Results[0].Path != want {
				t.Errorf("%s on %s: %q %v, want %s first", query, route, paths(r), err, want)
			}
		}
	}
}

func TestInflection(t *testing.T) {
	files := []querytest.File{
		{Path: "a.py", Lang: "python", Content: "def signing(key):\n    pass\n", Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "signing", StartLine: 1, EndLine: 2}}},
		{Path: "b.py", Lang: "python", Content: "def design(key):\n    pass\n", Units: []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "design", StartLine: 1, EndLine: 2}}},
	}
	e := New(querytest.New(files, querytest.Options{}), Options{})
	r, err := e.Search(context.Background(), SearchOptions{Query: "where are keys signed"})
	if err != nil || len(r.Results) == 0 || r.Results[0].Path != "a.py" {
		t.Errorf("%v %v", paths(r), err)
	}
}

// TestUnmatched checks that an answer says when none of the question's words
// stand in the index.
func TestUnmatched(t *testing.T) {
	e := New(querytest.New(searchFiles(), querytest.Options{}), Options{})
	for query, want := range map[string]bool{"xylophone quartet": true, "session xylophone": false} {
		r, err := e.Search(context.Background(), SearchOptions{Query: query, Route: RouteHybrid})
		if err != nil || r.Unmatched != want {
			t.Errorf("%s: unmatched %v %v", query, r.Unmatched, err)
		}
	}
}

func TestMentions(t *testing.T) {
	m := mentionsOf("Q objects fail in `resolve_ref`\n\nSee django/db/models/query.py and django.db.models.fields.CharField:\n" +
		"  File \"/usr/lib/python3/site-packages/django/db/models/sql/compiler.py\", line 12, in as_sql\n```\nfoo.bar()\n```\n")
	for name, least := range map[string]int64{"Q": mentionProper, "resolve_ref": mentionMarked, "CharField": mentionName, "bar": mentionCoded} {
		if m.names[name] < least {
			t.Errorf("%s is mentioned with %d, want %d at least", name, m.names[name], least)
		}
	}
	if m.names["fail"] > mentionCoded {
		t.Errorf("a plain word counts %d", m.names["fail"])
	}
	if !m.funcs["as_sql"] {
		t.Error("the frame's function is lost")
	}
	for path, want := range map[string][2]int64{
		"django/db/models/query.py": {1000, 0}, "django/db/models/fields/__init__.py": {900, 0}, "django/db/models/sql/compiler.py": {0, 1000}, "tests/query.py": {150, 0}, "a/b.py": {0, 0},
	} {
		named, framed := m.pathMention(path)
		if got := [2]int64{named, framed}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestReadable(t *testing.T) {
	for in, want := range map[string][]string{
		"see https://github.com/o/r/blob/main/lib/a.py#L3 now": {"see", "lib/a.py", "now"},
		"see https://example.org/x":                            {"see"},
		"https://example.org/x":                                {"https://example.org/x"},
	} {
		if got := strings.Fields(readable(in)); !slices.Equal(got, want) {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := withoutComments("a<!-- fill this in -->b<!-- and this"); got != "ab" {
		t.Errorf("%q", got)
	}
	if got := withoutComments("<!-- only -->"); got != "<!-- only -->" {
		t.Errorf("%q", got)
	}
}

func TestMirrors(t *testing.T) {
	paths := []string{"p/fields.py", "p/v1/fields.py", "p/v1/other.py", "legacy/p/fields.py", "v1/legacy/q.py", "v1/q.py"}
	want := []bool{false, true, false, true, true, false}
	files := make([]fileCand, len(paths))
	for i, path := range paths {
		files[i].fileFacts = &fileFacts{path: path, older: olderPaths(path)}
	}
	mirrors(files)
	for i, path := range paths {
		if got := files[i].x[fMirror] == 1000; got != want[i] {
			t.Errorf("%s: %v", path, got)
		}
	}
}
