package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query/querytest"
)

// short writes a list of uses as PATH:LINE or, for other than bound and
// syntactic ones, with what they are.
func short(uses []UseHit) []string {
	var out []string
	for _, u := range uses {
		s := fmt.Sprintf("%s:%d", u.Path, u.StartLine)
		if u.Binding != Bound || u.Provenance != Syntactic {
			s += " " + string(u.Binding)
			if u.Provenance != "" {
				s += " " + string(u.Provenance)
			}
		}
		out = append(out, s)
	}
	return out
}

func TestCallers(t *testing.T) {
	for _, c := range []struct {
		archive, target string
		want            []string
		unresolved      int
		external        int
	}{
		// The function, through every way of importing it; never the method.
		{"python", "shop.helpers.link_for", []string{
			"src/shop/views.py:8", "src/shop/views.py:9", "src/shop/views.py:10", "src/shop/views.py:11", "tests/test_app.py:10",
		}, 0, 0},
		// The method: through the written type, and by guess where the
		// receiver is not known.
		{"python", "Shop.link_for", []string{
			"src/shop/helpers.py:7 bound heuristic", "src/shop/views.py:12", "src/shop/views.py:13 bound heuristic",
		}, 0, 0},
		{"python", "shop.link_for", []string{
			"src/shop/views.py:8", "src/shop/views.py:9", "src/shop/views.py:10", "src/shop/views.py:11", "tests/test_app.py:10",
		}, 0, 0},
		// Inherited, and called on an unknown receiver in a test.
		{"python", "Base.setup_routes", []string{"src/shop/app.py:14", "tests/test_app.py:16 bound heuristic"}, 0, 0},
		{"python", "Base.announce", []string{"src/shop/base.py:3", "src/shop/app.py:15"}, 0, 0},
		// A renamed import, and a wildcard import.
		{"python", "get_root", []string{"src/shop/app.py:21"}, 0, 0},
		{"python", "src/shop/signals.py:ping", []string{"src/shop/app.py:21", "src/shop/views.py:14"}, 0, 0},
		// Production code is never bound into tests.
		{"python", "Widget.only_here", []string{"tests/test_app.py:15"}, 1, 0},
		// A local function.
		{"python", "inner", []string{"src/shop/globals.py:7"}, 0, 0},
		{"python", "Shop.make", []string{"src/shop/app.py:29", "src/shop/views.py:17"}, 0, 0},

		{"go", "kit/store.Open", nil, -1, 0},
		{"go", "store.Open", []string{"server.go:25", "server.go:26"}, 0, 0},
		{"go", "helper.go:helper", []string{"server.go:24"}, 0, 0},
		{"go", "store/store.go:helper", []string{"store/store.go:10"}, 0, 0},
		{"go", "Server.prepare", []string{"server.go:23"}, 0, 0},
		{"go", "Server.Serve", []string{
			"other/other.go:6", "server.go:35", "server.go:38", "server_test.go:11",
		}, 0, 0},
		// Through what a function of the index returns.
		{"go", "DB.Flush", []string{"server.go:27", "server.go:36"}, 0, 0},
		{"go", "New", []string{"other/other.go:7", "server.go:41", "server_test.go:11"}, 0, 0},
		{"go", "onlyInTests", []string{"server_test.go:10"}, 1, 0},
	} {
		t.Run(c.archive+"/"+c.target, func(t *testing.T) {
			e := testEngine(t, c.archive)
			r, err := e.Callers(context.Background(), UsesOptions{Target: c.target})
			if c.unresolved < 0 {
				if fail.CodeOf(err) != fail.NotFound {
					t.Fatalf("got %v, want an error that it was not found", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := append(short(r.Results), short(r.Ambiguous)...)
			want := slices.Clone(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if r.Unresolved != c.unresolved || r.External != c.external {
				t.Errorf("unresolved %d, external %d; want %d, %d", r.Unresolved, r.External, c.unresolved, c.external)
			}
			if r.Total != len(r.Results) || r.AmbiguousTotal != len(r.Ambiguous) {
				t.Errorf("totals %d and %d of %d and %d", r.Total, r.AmbiguousTotal, len(r.Results), len(r.Ambiguous))
			}
			for _, u := range r.Results {
				if !strings.Contains(u.Text, u.Name) {
					t.Errorf("%s:%d: the line %q does not hold the call of %s", u.Path, u.StartLine, u.Text, u.Name)
				}
			}
		})
	}
}

func TestCallees(t *testing.T) {
	e := testEngine(t, "python")
	r, err := e.Callees(context.Background(), UsesOptions{Target: "Shop.announce", All: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range r.Results {
		got = append(got, u.Name+" -> "+u.Targets[0].Path+":"+u.Targets[0].Symbol)
	}
	want := []string{"ping -> src/shop/signals.py:ping", "root -> src/shop/helpers.py:get_root"}
	if !slices.Equal(got, want) || r.Unresolved != 1 || r.UnresolvedUses[0].Name != "unknown_thing" {
		t.Errorf("callees %q, %d unresolved %v", got, r.Unresolved, short(r.UnresolvedUses))
	}
	for _, u := range r.Results {
		if u.Symbol != "Shop.announce" {
			t.Errorf("a call inside the method is said to lie in %q", u.Symbol)
		}
	}
}

func TestDef(t *testing.T) {
	for _, c := range []struct {
		archive, target string
		binding         Binding
		want            []string
	}{
		{"python", "link_for", Ambiguous, []string{"src/shop/helpers.py:5", "src/shop/app.py:17"}},
		{"python", "Shop.link_for", Bound, []string{"src/shop/app.py:17"}},
		{"python", "Shop::link_for", Bound, []string{"src/shop/app.py:17"}},
		{"python", "src/shop/app.py:link_for", Bound, []string{"src/shop/app.py:17"}},
		{"python", "src/shop/app.py:17", Bound, []string{"src/shop/app.py:17"}},
		{"python", "./src/shop/app.py:18", Bound, []string{"src/shop/app.py:17"}},
		{"python", "src/shop/views.py:8:10", Bound, []string{"src/shop/helpers.py:5"}},
		{"python", "src/shop/views.py:18:18", Unresolved, nil},
		{"python", "src/shop/app.py:18:22", External, nil},
		{"python", "src/shop/views.py:3:40", Bound, []string{"src/shop/signals.py:1"}},
		{"go", "Server", Bound, []string{"server.go:11"}},
		{"go", "kit.Server", NotFoundHere, nil},
		{"go", "server.go:24:3", Bound, []string{"helper.go:3"}},
	} {
		t.Run(c.archive+"/"+c.target, func(t *testing.T) {
			r, err := testEngine(t, c.archive).Def(context.Background(), c.target)
			if c.binding == NotFoundHere {
				if fail.CodeOf(err) != fail.NotFound {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range r.Results {
				line := h.NameLine
				if h.Kind == "file" {
					line = h.StartLine
				}
				got = append(got, fmt.Sprintf("%s:%d", h.Path, line))
			}
			if r.Binding != c.binding || !slices.Equal(got, c.want) {
				t.Errorf("%s %q, want %s %q (%s)", r.Binding, got, c.binding, c.want, r.Note)
			}
		})
	}
}

// NotFoundHere marks a case that must fail.
const NotFoundHere Binding = "not found"

func TestDefByID(t *testing.T) {
	e := testEngine(t, "python")
	r, err := e.Def(context.Background(), "Shop.link_for")
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Def(context.Background(), r.Results[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if again.Results[0].Symbol != "Shop.link_for" {
		t.Errorf("id %s is %s", r.Results[0].ID, again.Results[0].Symbol)
	}
	// In its file, and with a file that does not have it.
	if again, err = e.Def(context.Background(), r.Results[0].Path+":"+r.Results[0].ID); err != nil || again.Results[0].Symbol != "Shop.link_for" {
		t.Errorf("with its path: %v, %v", again, err)
	}
	if again, err = e.Def(context.Background(), "src/shop/views.py:"+r.Results[0].ID); err == nil {
		t.Errorf("another file has it as well: %v", again.Results)
	}
}

func TestLook(t *testing.T) {
	e := testEngine(t, "python")
	all, err := e.Callers(context.Background(), UsesOptions{Target: "shop.helpers.link_for"})
	if err != nil {
		t.Fatal(err)
	}
	for look := 1; look <= 8; look++ {
		for k := 1; k <= 6; k++ {
			r, err := e.Callers(context.Background(), UsesOptions{Target: "shop.helpers.link_for", K: k, Look: look})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(r.Results); n > min(k, look) || n > 0 && r.Results[n-1].StartLine != all.Results[n-1].StartLine {
				t.Errorf("%d of %d looked at: %d results of %d", k, look, n, len(all.Results))
			}
			if look == 8 && k == 6 && len(r.Results) != len(all.Results) {
				t.Errorf("a look that bounds nothing: %d results of %d", len(r.Results), len(all.Results))
			}
		}
	}
}

// Halved with each step of 693, never rising, never 0.
func TestLikelihood(t *testing.T) {
	last := int64(micro)
	for behind := int64(0); behind < 30_000; behind++ {
		got := Likelihood(micro*1000/(1000+behind), micro)
		if got > last || got < 1 {
			t.Fatalf("%d behind is %d, and %d one before", behind, got, last)
		}
		if want := math.Exp(-float64(behind)/1000) * micro; behind < 5000 && math.Abs(float64(got)-want) > want*0.08+2 {
			t.Errorf("%d behind is %d, not about %.0f", behind, got, want)
		}
		last = got
	}
	for _, c := range [][2]int64{{0, 5}, {-3, 9}, {5, 5}, {9, 5}, {1, micro}, {1, 1}} {
		if got := Likelihood(c[0], c[1]); got < 1 || got > micro {
			t.Errorf("%v gives %d", c, got)
		}
	}
}

func TestSymbols(t *testing.T) {
	e := testEngine(t, "python")
	for _, c := range []struct {
		o    SymbolsOptions
		want []string
	}{
		{SymbolsOptions{Name: "link_for"}, []string{"link_for", "Shop.link_for"}},
		{SymbolsOptions{Name: "linkFor"}, []string{"link_for", "Shop.link_for"}},
		{SymbolsOptions{Name: "link"}, []string{"link_for", "Shop.link_for"}},
		{SymbolsOptions{Name: "Shop.link"}, []string{"Shop.link_for"}},
		{SymbolsOptions{Name: "strt"}, nil},
		{SymbolsOptions{Name: "setr"}, []string{"Base.setup_routes"}},
		{SymbolsOptions{Name: "routes"}, []string{"Base.setup_routes"}},
		{SymbolsOptions{Name: "link", Exact: true}, nil},
		{SymbolsOptions{Name: "ping"}, []string{"ping", "Widget.ping"}},
		{SymbolsOptions{Name: "ping", PathGlob: "tests/**"}, []string{"Widget.ping"}},
		{SymbolsOptions{Name: "Widget", Kind: "class"}, []string{"Widget"}},
		{SymbolsOptions{Name: "Widget", Kind: "function"}, nil},
	} {
		r, err := e.Symbols(context.Background(), c.o)
		if err != nil {
			t.Fatalf("%+v: %v", c.o, err)
		}
		var got []string
		for _, h := range r.Results {
			got = append(got, h.Symbol)
		}
		if !slices.Equal(got, c.want) || r.Total != len(c.want) {
			t.Errorf("%+v: %q (total %d), want %q", c.o, got, r.Total, c.want)
		}
	}
}

func TestShowAndOutline(t *testing.T) {
	e := testEngine(t, "python")
	ctx := context.Background()
	r, err := e.Show(ctx, "src/shop/signals.py", 2, 9)
	if err != nil || r.Text != "    return x\n" || r.StartLine != 2 || r.EndLine != 2 || r.Lines != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = e.Show(ctx, "src/shop/signal.py", 0, 0)
	if fail.CodeOf(err) != fail.NotFound || !strings.Contains(err.Error(), "src/shop/signals.py") {
		t.Errorf("a path that is not there: %v", err)
	}
	if _, err = e.Show(ctx, "src/shop/signals.py", 3, 4); fail.CodeOf(err) != fail.NotFound {
		t.Errorf("lines behind the end: %v", err)
	}
	if _, err = e.Show(ctx, "src/shop/signals.py", 3, 2); fail.CodeOf(err) != fail.Usage {
		t.Errorf("lines backwards: %v", err)
	}
	o, err := e.Outline(ctx, "src/shop/app.py")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range o.Results {
		if x.Name != "" {
			got = append(got, fmt.Sprintf("%d %s", x.Depth, x.Symbol))
		}
	}
	if want := []string{"1 Shop", "2 Shop.default", "2 Shop.__init__", "2 Shop.link_for", "2 Shop.announce", "2 Shop.make", "2 Shop.total"}; !slices.Equal(got, want) {
		t.Errorf("outline %q, want %q", got, want)
	}
	o, err = e.Outline(ctx, "./tests/")
	if err != nil || len(o.Results) != 1 || o.Results[0].Path != "tests/test_app.py" {
		t.Errorf("outline of a folder: %+v %v", o, err)
	}
	if o, err = e.Outline(ctx, "."); err != nil || o.Total != 8 {
		t.Errorf("outline of everything: %+v %v", o, err)
	}
	if _, err = e.Outline(ctx, "nope"); fail.CodeOf(err) != fail.NotFound {
		t.Errorf("outline of nothing: %v", err)
	}
}

// TestAbsentViews checks that what needs a view says why it is not there, and
// that the rest still answers.
func TestAbsentViews(t *testing.T) {
	ctx := context.Background()
	files := []querytest.File{{Path: "a.txt", Content: "alpha beta\ngamma\n"}, {Path: "b.txt", Content: "delta\n"}}
	with := func(absent ...artifact.View) *Engine {
		m := map[artifact.View]string{}
		for _, v := range absent {
			m[v] = "the builder broke on purpose"
		}
		return New(querytest.New(files, querytest.Options{Absent: m}), Options{})
	}
	says := func(t *testing.T, err error) {
		t.Helper()
		var f *fail.Error
		if !errors.As(err, &f) || f.Code != fail.NotFound || !strings.Contains(err.Error(), "on purpose") {
			t.Errorf("got %v, want an error with the manifest's reason", err)
		}
	}
	e := with(artifact.Structural)
	_, err := e.Def(ctx, "x")
	says(t, err)
	_, err = e.Symbols(ctx, SymbolsOptions{Name: "x"})
	says(t, err)
	_, err = e.Refs(ctx, UsesOptions{Target: "x"})
	says(t, err)
	if r, err := e.Search(ctx, SearchOptions{Query: "alpha"}); err != nil || len(r.Results) != 1 {
		t.Errorf("search without the structural view: %+v %v", r, err)
	}

	e = with(artifact.Source)
	_, err = e.Grep(ctx, GrepOptions{Pattern: "a"})
	says(t, err)
	_, err = e.Show(ctx, "a.txt", 0, 0)
	says(t, err)
	if r, err := e.Search(ctx, SearchOptions{Query: "alpha"}); err != nil || len(r.Results) != 1 || r.Results[0].Snippet != "" {
		t.Errorf("search without the source view: %+v %v", r, err)
	}

	e = with(artifact.Dense)
	_, err = e.Search(ctx, SearchOptions{Query: "alpha", Route: RouteSemantic})
	says(t, err)
	for _, route := range []string{RouteHybrid, RouteAuto} {
		r, err := e.Search(ctx, SearchOptions{Query: "where is alpha", Route: route})
		if err != nil || r.Route != RouteLexical || !strings.Contains(r.RouteWhy, "on purpose") || len(r.Results) == 0 {
			t.Errorf("%s without the dense view: %+v %v", route, r, err)
		}
	}

	e = with(artifact.Lexical)
	_, err = e.Search(ctx, SearchOptions{Query: "alpha", Route: RouteLexical})
	says(t, err)
	r, err := e.Search(ctx, SearchOptions{Query: "alpha"})
	if err != nil || r.Route != RouteSemantic || len(r.Results) == 0 || r.Results[0].Path != "a.txt" {
		t.Errorf("search without the lexical view: %+v %v", r, err)
	}
	_, err = with(artifact.Lexical, artifact.Dense).Search(ctx, SearchOptions{Query: "alpha"})
	says(t, err)
}
