package query

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Options are the engine's settings; the zero value is good.
type Options struct {
	// Workers bounds the goroutines of one query; 0 means one for each CPU.
	Workers int
	// Model returns the bytes of the model that the manifest names, for an
	// embedder that is not built in. It is called once, when the dense view
	// is first needed. Nil means that only built-in embedders can be used.
	Model func(m artifact.ModelInfo) ([]byte, error)
	// Remote asks the server of a remote model for the vectors of questions;
	// nil where there is none to ask.
	Remote func(ctx context.Context, m *embed.Remote, questions []string) ([][]int8, error)
	// Hidden are paths of files that differ from the commit in front of the
	// user. Nothing that lies in them is part of an answer: a stale result is
	// worse than none, and the caller says how many were left out.
	Hidden []string
	// Over is an index of some of the hidden files as they are now, with
	// source and terms but without vectors and symbols. Exact search, source
	// lines and ranked search by words answer from both indexes.
	Over *artifact.Index
	// Kept keeps what was worked out of the whole index for later processes;
	// nil keeps nothing.
	Kept Kept
	// Pinned, when it is set, is what answers name instead of the index's own
	// commit and digest: what an overlay was laid over.
	Pinned *Pinned
}

// Engine answers queries over one index. It is safe for concurrent use. The
// index must stay open as long as the engine is used.
type Engine struct {
	ix      *artifact.Index
	workers int
	opt     Options
	hidden  map[string]bool
	weights Weights

	docBase []int // number of documents in earlier partitions; one more entry than partitions
	docs    int
	// fileBase and unitBase are the numbers of files and of units in earlier
	// partitions.
	fileBase, unitBase []int

	over  *Engine // over Options.Over; nil without
	under *Engine // the one that this is the over of

	*caches
}

// caches are what engines over one index have in common, whatever they hide.
type caches struct {
	stats    lazy[*lexicalStats]
	embed    lazy[embed.Embedder]
	table    lazy[*fileTable]
	projects lazy[*projects]
	sketches sketchCache
	popular  lazy[*importCounts]
	names    lazy[*declaredNames]
	classes  lazy[*Engine]   // see loadClasses
	class    []atomic.Uint32 // see classOf; by document
	known    factTable
	scratch  sync.Pool // *searchScratch
}

// New returns an engine over ix. It opens nothing yet.
func New(ix *artifact.Index, opt Options) *Engine {
	e := &Engine{ix: ix, opt: opt, workers: opt.Workers, weights: defaultWeights, caches: &caches{}}
	if e.workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	e.hide(opt.Hidden, opt.Over)
	m := ix.Manifest()
	e.docBase = make([]int, len(m.Partitions)+1)
	e.fileBase, e.unitBase = make([]int, len(e.docBase)), make([]int, len(e.docBase))
	for i, p := range m.Partitions {
		e.docBase[i+1] = e.docBase[i] + p.Docs
		e.fileBase[i+1] = e.fileBase[i] + p.Files
		e.unitBase[i+1] = e.unitBase[i] + p.Units
	}
	e.docs = e.docBase[len(m.Partitions)]
	e.class = make([]atomic.Uint32, e.docs)
	e.known.files = make([]atomic.Pointer[fileFacts], e.fileBase[len(m.Partitions)])
	return e
}

// With returns an engine over the same index that hides other files and has
// another index over them. The two share what they computed.
func (e *Engine) With(hidden []string, over *artifact.Index) *Engine {
	n := *e
	n.opt.Hidden, n.opt.Over = hidden, over
	n.hide(hidden, over)
	return &n
}

func (e *Engine) hide(hidden []string, over *artifact.Index) {
	e.hidden, e.over = nil, nil
	for _, path := range hidden {
		if e.hidden == nil {
			e.hidden = make(map[string]bool, len(hidden))
		}
		e.hidden[path] = true
	}
	if over != nil {
		e.over = New(over, Options{Workers: e.workers, Pinned: &Pinned{e.Commit(), e.digest()}})
		e.over.under = e
	}
}

// Pinned names a commit and an index.
type Pinned struct {
	Commit string
	Digest artifact.Digest
}

// Commit returns the commit that answers name.
func (e *Engine) Commit() string {
	if e.opt.Pinned != nil {
		return e.opt.Pinned.Commit
	}
	return e.ix.Manifest().Commit
}

func (e *Engine) digest() artifact.Digest {
	if e.opt.Pinned != nil {
		return e.opt.Pinned.Digest
	}
	return e.ix.Digest()
}

// Index returns the index that the engine answers from.
func (e *Engine) Index() *artifact.Index { return e.ix }

// parts is the number of partitions.
func (e *Engine) parts() int { return len(e.docBase) - 1 }

// header returns the head of an answer that was begun at the given time.
func (e *Engine) header(begun time.Time) Header {
	return Header{
		Schema:    Schema,
		Commit:    e.Commit(),
		Digest:    e.digest().String(),
		Freshness: Freshness{State: "exact"},
		TookUS:    time.Since(begun).Microseconds(),
	}
}

// need returns nil when the view is ready, else an error that says what needs
// it and why it is absent.
func (e *Engine) need(v artifact.View, what string) error {
	info, ok := e.ix.Manifest().Views[v.String()]
	if ok && info.State == artifact.ViewReady {
		return nil
	}
	reason := info.Reason
	if reason == "" {
		reason = "it was not built"
	}
	return fail.New(fail.NotFound, "compile the commit again with this view",
		"%s needs the %s view, which this index does not have: %s", what, v, reason)
}

// hiddenFile is the error of a question about a hidden file.
func (e *Engine) hiddenFile(path string) error {
	if e.over != nil {
		if _, _, there, err := e.over.ix.FindFile(path); err == nil && !there {
			return fail.New(fail.NotFound, "ask for the commit's own text with --commit HEAD", "%s is deleted in the working tree", quote(path))
		}
	}
	return fail.New(fail.NotFound, "read it in the working tree, or ask for the commit's own text with --commit HEAD",
		"%s differs in the working tree from the commit that is indexed", quote(path))
}

func (e *Engine) has(v artifact.View) bool { return e.need(v, "") == nil }

// answer runs fn, the work of one query on the calling goroutine, so that a
// fault in a mapping is an error, and gives errors the exit code that they
// call for.
func (e *Engine) answer(fn func() error) error {
	err := artifact.Guard(fn)
	var known *fail.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, artifact.ErrDamaged), errors.Is(err, artifact.ErrNotPindex):
		return fail.Wrap(fail.Verification, err, "delete the cached index and fetch or compile it again", "the index cannot be read")
	case errors.Is(err, artifact.ErrTooNew):
		return fail.Wrap(fail.Verification, err, "use a newer pindex", "the index cannot be read")
	case errors.Is(err, artifact.ErrViewAbsent):
		return fail.Wrap(fail.NotFound, err, "compile the commit again with this view", "the question cannot be answered")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail.Wrap(fail.Interrupted, err, "", "the query was stopped")
	}
	return err
}

// each calls fn for every partition, in parallel. worker numbers the calling
// goroutine from 0 below e.workers. The error of the lowest partition wins, so
// that what the user sees does not depend on timing.
func (e *Engine) each(ctx context.Context, fn func(worker, p int) error) error {
	return e.share(ctx, e.parts(), fn)
}

// share is each for the numbers below n.
func (e *Engine) share(ctx context.Context, n int, fn func(worker, i int) error) error {
	workers := min(e.workers, n)
	var (
		next    atomic.Int64
		mu      sync.Mutex
		failed  error
		failedP = n
		stop    atomic.Bool
	)
	run := func(w int) error {
		for !stop.Load() {
			p := int(next.Add(1)) - 1
			if p >= n {
				return nil
			}
			err := ctx.Err()
			if err == nil {
				err = fn(w, p)
			}
			if err != nil {
				stop.Store(true)
				mu.Lock()
				if p < failedP {
					failed, failedP = err, p
				}
				mu.Unlock()
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	errs := make([]error, max(workers, 1))
	for w := 1; w < workers; w++ {
		wg.Go(func() { errs[w] = artifact.Guard(func() error { return run(w) }) })
	}
	if workers > 0 {
		errs[0] = artifact.Guard(func() error { return run(0) })
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lazy computes a value once and keeps it; a failure is not kept, so that a
// cancelled query does not spoil the next one.
type lazy[T any] struct {
	mu   sync.Mutex
	done atomic.Bool
	v    T
}

func (l *lazy[T]) get(make func() (T, error)) (T, error) {
	if l.done.Load() {
		return l.v, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done.Load() {
		return l.v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	l.v = v
	l.done.Store(true)
	return v, nil
}
