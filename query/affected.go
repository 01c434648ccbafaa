package query

import (
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// ChangedFile is a file of the index's tree, or one that was deleted from it,
// with the lines that differ from an earlier tree.
type ChangedFile struct {
	Path    string
	Deleted bool
	// Lines are runs [first, last] of changed lines, from 1; a run with
	// last = first - 1 stands for lines that were removed before first.
	Lines [][2]int
}

// AffectedOptions say what changed.
type AffectedOptions struct {
	Changed []ChangedFile
	Depth   int // steps at most; 0 means MaxDepth
	K       int // results at most of each list; 0 means DefaultUses
}

// AffectedResult is the answer of Engine.Affected.
type AffectedResult struct {
	Header
	Since        string       `json:"since,omitempty"` // filled in by the caller
	Files        int          `json:"files"`           // changed files
	Deleted      int          `json:"deleted"`         // of those; what they declared is no longer there to follow
	ChangedTotal int          `json:"changed_total"`   // declarations with changed lines
	Changed      []SymbolHit  `json:"changed"`
	Total        int          `json:"total"` // tests that reach a change, or are changed
	Tests        []SymbolStep `json:"tests"`
	EntryTotal   int          `json:"entry_total"` // what reaches a change and is itself called by nothing that is known
	Entries      []SymbolStep `json:"entries"`
	Cut          bool         `json:"cut"`
	Ambiguous    int          `json:"ambiguous"`
	Unresolved   int          `json:"unresolved"` // uses of the names on the way that no rule binds
}

// Affected lists the tests and entry points that a change reaches, by the calls
// and other uses that syntax can follow.
func (e *Engine) Affected(ctx context.Context, o AffectedOptions) (*AffectedResult, error) {
	begun := time.Now()
	res := &AffectedResult{Files: len(o.Changed), Changed: []SymbolHit{}, Tests: []SymbolStep{}, Entries: []SymbolStep{}}
	err := e.answer(func() error {
		b, err := e.newBinderFor(ctx, "affected")
		if err != nil {
			return err
		}
		if o.K == 0 {
			o.K = DefaultUses
		}
		if o.K < 1 || o.K > maxUses {
			return fail.New(fail.Usage, "ask for fewer results", "k is %d, not in 1 to %d", o.K, maxUses)
		}
		depth := MaxDepth
		if o.Depth != 0 {
			if depth, err = depthOf(o.Depth); err != nil {
				return err
			}
		}
		changed, err := b.changedNodes(o.Changed, res)
		if err != nil {
			return err
		}
		return b.affected(changed, depth, o.K, res)
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

// changedNodes returns the declarations, and top levels of files, that the
// changed lines lie in.
func (b *binder) changedNodes(files []ChangedFile, res *AffectedResult) ([]spot, error) {
	var out []spot
	seen := map[spotKey]bool{}
	for _, f := range files {
		if f.Deleted {
			res.Deleted++
			continue
		}
		i, ok := b.t.find(f.Path)
		if !ok {
			continue // not indexed
		}
		for _, run := range f.Lines {
			for line := run[0]; line <= max(run[0], run[1]); line++ {
				in, err := b.enclosing(i, artifact.Position{Line: uint32(max(1, line)), Col: 1 << 20})
				if err != nil {
					return nil, err
				}
				if in == nil {
					in, err = b.enclosing(i, artifact.Position{Line: uint32(max(1, line)), Col: 1})
					if err != nil {
						return nil, err
					}
				}
				n, err := b.node(i, in)
				if err != nil {
					return nil, err
				}
				if !seen[n.key()] {
					seen[n.key()] = true
					out = append(out, n)
				}
			}
		}
	}
	return out, nil
}

// affected walks back from the changed nodes and sorts out what is a test and
// what nothing else uses.
func (b *binder) affected(changed []spot, depth, k int, res *AffectedResult) error {
	var targets []*decl
	var start []reached
	for _, n := range changed {
		res.ChangedTotal++
		if len(res.Changed) < k {
			h, err := b.nodeHit(n, "", "")
			if err != nil {
				return err
			}
			res.Changed = append(res.Changed, h)
		}
		start = append(start, reached{node: n, prev: -1})
		if n.decl != nil {
			targets = append(targets, n.decl)
		}
	}
	w := &walk{b: b, depth: depth}
	for _, d := range targets {
		// One at a time, so that each name's uses are looked up once.
		one := &walk{b: b, depth: depth, seen: w.seen, used: w.used}
		if err := one.from(d); err != nil {
			return err
		}
		w.seen, w.used = one.seen, one.used
		w.list = append(w.list, one.list...)
		w.cut = w.cut || one.cut
		w.loose.ambiguous += one.loose.ambiguous
		w.loose.unresolved += one.loose.unresolved
		if len(w.list) >= maxVisited {
			w.cut = true
			break
		}
	}
	res.Cut, res.Ambiguous, res.Unresolved = w.cut, w.loose.ambiguous, w.loose.unresolved
	for _, r := range append(start, w.list...) {
		test := b.t.files[r.node.file].test
		entry := !test && !w.used[r.node.key()] && r.depth > 0
		if !test && !entry {
			continue
		}
		list, total := &res.Tests, &res.Total
		if entry {
			list, total = &res.Entries, &res.EntryTotal
		}
		*total++
		if len(*list) >= k {
			continue
		}
		if r.depth == 0 {
			h, err := b.nodeHit(r.node, "", "")
			if err != nil {
				return err
			}
			*list = append(*list, SymbolStep{SymbolHit: h, Test: test})
			continue
		}
		s, err := b.step(r)
		if err != nil {
			return err
		}
		*list = append(*list, s)
	}
	return nil
}
