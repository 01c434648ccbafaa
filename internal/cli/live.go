package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/lateregexp"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

// LiveRequest asks a language server about one place of a working tree that is
// the commit's own.
type LiveRequest struct {
	Root      string // of the working tree
	Lang      string // of the file
	Path      string // from the root, with slashes
	Line, Col int    // from 1; bytes
	Refs      bool   // where it is used, instead of where it is defined
}

// LiveAnswer is what a language server said.
type LiveAnswer struct {
	Server  string
	Places  []LivePlace // in the tree, sorted and distinct
	Outside int         // targets outside the tree
	Start   time.Duration
	Warm    time.Duration // from the start until the project was read
	Answer  time.Duration
}

// LivePlace is a place by its line, which is what index and server are
// compared by.
type LivePlace struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

func (p LivePlace) compare(q LivePlace) int {
	if n := strings.Compare(p.Path, q.Path); n != 0 {
		return n
	}
	return p.Line - q.Line
}

// liveReport is the part of an answer that a language server has given.
type liveReport struct {
	Server    string      `json:"server"`
	Asked     string      `json:"asked"` // PATH:LINE:COL
	Agree     bool        `json:"agree"` // both name the same lines
	Total     int         `json:"total"`
	Outside   int         `json:"outside"` // targets outside the tree
	Results   []LivePlace `json:"results"`
	OnlyLive  []LivePlace `json:"only_live"`
	OnlyIndex []LivePlace `json:"only_index"`
	StartMS   int64       `json:"start_ms"`
	WarmMS    int64       `json:"warm_ms"`
	AnswerUS  int64       `json:"answer_us"`
}

// liveFlags are the options that ask for a language server.
type liveFlags struct {
	on      bool
	timeout time.Duration
}

const liveHelp = `

--live also asks a language server that is on PATH (gopls, basedpyright or
pyright, typescript-language-server, rust-analyzer, clangd) about the working
tree, which must be the commit's own, and shows where the two differ. Such a
server runs the project's own tools: use it on code that you trust. It sees no
tokens or passwords of the environment.`

func (a *App) liveFlags(c *command.Command, l *liveFlags) {
	if a.Live == nil {
		return
	}
	c.Long += liveHelp
	c.Flags().BoolVar(&l.on, "live", false, "ask a language server as well, and show the difference")
	c.Flags().DurationVar(&l.timeout, "live-timeout", 5*time.Minute, "for the language server to start, read the project and answer")
}

var exactPlace = lateregexp.Regexp{Expr: `^(.+):([0-9]{1,9}):([0-9]{1,9})$`}

// live asks the language server about a target. decls is what the index says
// that the target is; given are the lines that it answered with.
func (a *App) live(ctx context.Context, s *session, l liveFlags, target string, refs bool, decls []query.SymbolHit, given []LivePlace) (*liveReport, error) {
	r := LiveRequest{Refs: refs}
	switch m := exactPlace.Get().FindStringSubmatch(target); {
	case m != nil:
		r.Path = m[1]
		r.Line, _ = strconv.Atoi(m[2])
		r.Col, _ = strconv.Atoi(m[3])
	case len(decls) == 1 && decls[0].NameLine > 0:
		r.Path, r.Line, r.Col = decls[0].FilePath(), decls[0].NameLine, decls[0].Col
	default:
		return nil, fail.New(fail.Usage, "name one place as PATH:LINE:COL", "a language server is asked about one place, and %q means %d declarations", target, len(decls))
	}
	if err := a.sameTree(ctx, s, &r); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	ans, err := a.Live(ctx, r)
	if err != nil {
		return nil, err
	}
	order.Sort(given, LivePlace.compare)
	given = slices.Compact(given)
	return &liveReport{
		Server: ans.Server, Asked: fmt.Sprintf("%s:%d:%d", r.Path, r.Line, r.Col), Agree: slices.Equal(given, ans.Places),
		Total: len(ans.Places), Outside: ans.Outside, Results: ans.Places,
		OnlyLive: without(ans.Places, given), OnlyIndex: without(given, ans.Places),
		StartMS: ans.Start.Milliseconds(), WarmMS: ans.Warm.Milliseconds(), AnswerUS: ans.Answer.Microseconds(),
	}, nil
}

// sameTree checks that the working tree holds the commit that is answered
// from, and fills in where it is and what the file is.
func (a *App) sameTree(ctx context.Context, s *session, r *LiveRequest) error {
	layout, err := git.FindLayout(a.repoDir)
	if err != nil {
		return fail.Wrap(fail.Repository, err, "run this inside the repository, or name it with --repo", "there is no working tree for a language server")
	}
	if layout.WorkTree == "" {
		return fail.New(fail.Usage, "run this in a clone with a working tree", "the repository is bare, and a language server reads files")
	}
	r.Root = layout.WorkTree
	commit := s.index.Manifest().Commit
	if id, ok := a.head(); !ok || id != commit {
		return fail.New(fail.Usage, fmt.Sprintf("check out %s, or ask without --live", short(commit)),
			"the working tree is not at commit %s, which is answered from", short(commit))
	}
	tree, err := treeOf(ctx, s.index)
	if err != nil {
		return err
	}
	changes, err := git.Changed(ctx, a.repoDir, tree, git.Options{})
	if err != nil {
		return err
	}
	if changed := pathsOf(changes); len(changed) > 0 {
		return fail.New(fail.Usage, "commit or stash the changes, or ask without --live",
			"the working tree differs from commit %s in %s, such as %q", short(commit), count(len(changed), "file"), changed[0])
	}
	p, f, ok, err := s.index.FindFile(r.Path)
	if err != nil {
		return err
	}
	if !ok {
		return fail.New(fail.NotFound, "give a path from the repository's root", "%q is not in the commit", r.Path)
	}
	u, err := s.index.Units(p)
	if err != nil {
		return err
	}
	r.Lang = u.File(f).Lang
	return nil
}

// without returns the places of a that are not in b. Both are sorted.
func without(a, b []LivePlace) []LivePlace {
	out := []LivePlace{}
	for _, p := range a {
		if _, ok := slices.BinarySearchFunc(b, p, LivePlace.compare); !ok {
			out = append(out, p)
		}
	}
	return out
}

// size is the number of places that the server named.
func (r *liveReport) size() int {
	if r == nil {
		return 0
	}
	return len(r.Results)
}

// liveReport writes what the server said below the index's answer.
func (o *output) liveReport(r *liveReport) {
	if r == nil {
		return
	}
	verdict := "agrees"
	if !r.Agree {
		verdict = fmt.Sprintf("differs: %d only there, %d only in the index", len(r.OnlyLive), len(r.OnlyIndex))
	}
	o.print("# live: %s at %s %s; %d in the tree, %d outside; start %d ms, reading %d ms, answer %.1f ms\n", r.Server, o.name(r.Asked), verdict,
		r.Total, r.Outside, r.StartMS, r.WarmMS, float64(r.AnswerUS)/1000)
	for _, p := range r.OnlyLive {
		o.print("+ %s:%d  only %s\n", o.name(p.Path), p.Line, r.Server)
	}
	for _, p := range r.OnlyIndex {
		o.print("- %s:%d  only the index\n", o.name(p.Path), p.Line)
	}
}

// defLive is Def with a language server beside it. A place where the index
// knows no name is asked about all the same.
func (a *App) defLive(ctx context.Context, s *session, l liveFlags, target string) (*query.DefResult, *liveReport, error) {
	r, err := s.engine.Def(ctx, target)
	if fail.CodeOf(err) == fail.NotFound && l.on && exactPlace.Get().MatchString(target) {
		r, err = &query.DefResult{Target: target, Binding: query.Unresolved, Note: err.Error(), Results: []query.SymbolHit{}}, nil
		r.Header = query.Header{Schema: query.Schema, Commit: s.index.Manifest().Commit, Digest: s.index.Digest().String()}
	}
	if err != nil {
		return nil, nil, err
	}
	r.Freshness = s.freshness()
	if !l.on {
		return r, nil, nil
	}
	var given []LivePlace
	for _, h := range r.Results {
		line := h.NameLine
		if line == 0 { // a file
			line = h.StartLine
		}
		given = append(given, LivePlace{h.FilePath(), line})
	}
	live, err := a.live(ctx, s, l, target, false, r.Results, given)
	return r, live, err
}

// refsLive is Refs with a language server beside it: all uses are compared,
// and as many as were asked for are listed.
func (a *App) refsLive(ctx context.Context, s *session, l liveFlags, o query.UsesOptions) (*query.UsesResult, *liveReport, error) {
	if !l.on {
		r, err := s.engine.Refs(ctx, o)
		return r, nil, err
	}
	if o.PathGlob != "" {
		return nil, nil, fail.New(fail.Usage, "leave --path out", "a language server lists the uses in all files")
	}
	k := o.K
	o.K = liveUses
	r, err := s.engine.Refs(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	var given []LivePlace
	for _, h := range r.Results {
		given = append(given, LivePlace{h.FilePath(), h.StartLine})
	}
	live, err := a.live(ctx, s, l, o.Target, true, r.Targets, given)
	if err != nil {
		return nil, nil, err
	}
	r.Results = r.Results[:min(k, len(r.Results))]
	r.Ambiguous = r.Ambiguous[:min(k, len(r.Ambiguous))]
	r.UnresolvedUses = r.UnresolvedUses[:min(k, len(r.UnresolvedUses))]
	return r, live, nil
}

// liveUses is the number of uses that are compared with a server's.
const liveUses = 100_000
