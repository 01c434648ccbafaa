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
	// Old is the earlier text, nil where there is none to compare with, and
	// Gone are the runs of its lines that Lines replace, one for one.
	Old  []byte
	Gone [][2]int
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
	Since        string      `json:"since,omitempty"` // filled in by the caller
	Files        int         `json:"files"`           // changed files
	Deleted      int         `json:"deleted"`         // of those
	ChangedTotal int         `json:"changed_total"`   // declarations with changed lines
	Changed      []SymbolHit `json:"changed"`
	// What the earlier text declares and the index no longer has there is known
	// by its name alone: uses that nothing binds now are followed, as a guess.
	VanishedTotal int            `json:"vanished_total"`
	Vanished      []VanishedName `json:"vanished"`
	// Unread are deleted files in which no declaration was told: nothing of
	// them was followed.
	Unread     []string     `json:"unread,omitempty"`
	Total      int          `json:"total"` // tests that reach a change, or are changed
	Tests      []SymbolStep `json:"tests"`
	EntryTotal int          `json:"entry_total"` // what reaches a change and is itself called by nothing that is known
	Entries    []SymbolStep `json:"entries"`
	Cut        bool         `json:"cut"`
	Ambiguous  int          `json:"ambiguous"`
	Unresolved int          `json:"unresolved"` // uses of the names on the way that no rule binds
}

// Affected lists the tests and entry points that a change reaches, by the calls
// and other uses that syntax can follow.
func (e *Engine) Affected(ctx context.Context, o AffectedOptions) (*AffectedResult, error) {
	begun := time.Now()
	res := &AffectedResult{Files: len(o.Changed), Changed: []SymbolHit{}, Vanished: []VanishedName{}, Tests: []SymbolStep{}, Entries: []SymbolStep{}}
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
		changed, lost, err := b.changedNodes(o.Changed, res)
		if err != nil {
			return err
		}
		return b.affected(changed, lost, depth, o.K, res)
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

// changedNodes returns the declarations, and top levels of files, that the
// changed lines lie in, and what vanished with the removed ones.
func (b *binder) changedNodes(files []ChangedFile, res *AffectedResult) ([]spot, []VanishedName, error) {
	var out []spot
	var lost []VanishedName
	seen := map[spotKey]bool{}
	add := func(n spot) {
		if !seen[n.key()] {
			seen[n.key()] = true
			out = append(out, n)
		}
	}
	for _, f := range files {
		names, err := b.vanished(f)
		if err != nil {
			return nil, nil, err
		}
		lost = append(lost, names...)
		if f.Deleted {
			res.Deleted++
			if len(names) == 0 {
				res.Unread = append(res.Unread, f.Path)
			}
			continue
		}
		i, ok := b.t.find(f.Path)
		if !ok {
			continue // not indexed
		}
		for r, run := range f.Lines {
			if run[1] < run[0] && r < len(f.Gone) {
				indent, declares := f.deletion(f.Gone[r], names)
				if indent < 0 {
					continue // blank lines
				}
				n, err := b.deletedIn(i, run[0], indent)
				if err != nil {
					return nil, nil, err
				}
				if n.decl != nil || !declares {
					add(n)
				}
				continue
			}
			for line := run[0]; line <= max(run[0], run[1]); line++ {
				n, err := b.lineNode(i, line)
				if err != nil {
					return nil, nil, err
				}
				add(n)
			}
		}
	}
	return out, lost, nil
}

// lineNode returns the node that a line of a file lies in.
func (b *binder) lineNode(file, line int) (spot, error) {
	in, err := b.enclosing(file, artifact.Position{Line: uint32(max(1, line)), Col: 1 << 20})
	if err != nil {
		return spot{}, err
	}
	if in == nil {
		if in, err = b.enclosing(file, artifact.Position{Line: uint32(max(1, line)), Col: 1}); err != nil {
			return spot{}, err
		}
	}
	return b.node(file, in)
}

// affected walks back from the changed nodes and sorts out what is a test and
// what nothing else uses.
func (b *binder) affected(changed []spot, lost []VanishedName, depth, k int, res *AffectedResult) error {
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
	below := func(d *decl, depth int) error {
		// One at a time, so that each name's uses are looked up once.
		one := &walk{b: b, depth: depth, seen: w.seen, used: w.used}
		if err := one.from(d); err != nil {
			return err
		}
		w.seen, w.used = one.seen, one.used
		for _, r := range one.list {
			r.depth += w.depth - depth
			w.list = append(w.list, r)
		}
		w.cut = w.cut || one.cut
		w.loose.ambiguous += one.loose.ambiguous
		w.loose.unresolved += one.loose.unresolved
		return nil
	}
	for _, d := range targets {
		if err := below(d, depth); err != nil {
			return err
		}
		if len(w.list) >= maxVisited {
			w.cut = true
			break
		}
	}
	if err := b.affectedByLost(lost, w, below, k, res); err != nil {
		return err
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

// affectedByLost adds to a walk what uses the names that vanished.
func (b *binder) affectedByLost(lost []VanishedName, w *walk, below func(*decl, int) error, k int, res *AffectedResult) error {
	if w.seen == nil {
		w.seen, w.used = map[spotKey]bool{}, map[spotKey]bool{}
	}
	met := map[string]VanishedName{}
	for _, v := range lost {
		res.VanishedTotal++
		if first, ok := met[extOf(v.Path)+" "+v.Name]; ok {
			v.Uses, v.Note = first.Uses, first.Note
		} else if len(w.list) >= maxVisited {
			w.cut, v.Note = true, "not followed: enough was met before"
		} else {
			edges, err := b.followVanished(&v)
			if err != nil {
				return err
			}
			met[extOf(v.Path)+" "+v.Name] = v
			for _, e := range edges {
				if w.seen[e.from.key()] {
					continue
				}
				w.seen[e.from.key()] = true
				w.list = append(w.list, reached{e.from, 1, e, -1})
				if d := e.from.decl; d != nil && !d.local() && w.depth > 1 {
					if err := below(d, w.depth-1); err != nil {
						return err
					}
				}
			}
		}
		if len(res.Vanished) < k {
			res.Vanished = append(res.Vanished, v)
		}
	}
	return nil
}
