package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
)

// Options say what a server answers about.
type Options struct {
	// Name and Version are the program's.
	Name, Version string
	// Further are tools beside the default ones.
	Further []tools.Definition
	// Open opens the index of the repository at root, which is Root or what
	// Find gave. See tools.Options.
	Open func(ctx context.Context, root string) (tools.Session, error)
	// Root is the repository that calls without a root are about; "" leaves it
	// to Open to find one.
	Root string
	// Find returns the root of the repository or worktree that holds a folder,
	// where the peer may ask about it. granted are the folders that the peer
	// says it works on, none of a peer on another machine. A nil Find serves
	// one repository, and its tools have no root argument.
	Find func(dir string, granted []string) (root string, err error)
	// FollowPeer lets the first of the peer's own folders that is in a
	// repository stand in for Root.
	FollowPeer bool
}

// maxRoots bounds the repositories that are open at once: each holds mappings
// and may hold statistics of its index.
const maxRoots = 8

// hub holds a set of tools for each root that was asked about.
type hub struct {
	o Options

	mu     sync.Mutex
	sets   map[string]*entry
	clock  int // of uses, to know which was used last
	closed bool
	ending sync.WaitGroup
	errs   error // of sets that were closed
}

type entry struct {
	set   *tools.Set
	users int
	used  int
}

func newHub(o Options) *hub { return &hub{o: o, sets: map[string]*entry{}} }

func (h *hub) newSet(root string) *tools.Set {
	return tools.NewSet(tools.Options{
		Name: h.o.Name, Version: h.o.Version, Further: h.o.Further,
		Open: func(ctx context.Context) (tools.Session, error) { return h.o.Open(ctx, root) },
	})
}

// acquire returns the tools for a root; release gives them back.
func (h *hub) acquire(root string) (set *tools.Set, release func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, fail.New(fail.Interrupted, "start the server again", "the server is ending")
	}
	e := h.sets[root]
	if e == nil {
		if len(h.sets) >= maxRoots && !h.evict() {
			return nil, nil, fail.New(fail.Usage, "ask again when the other calls are answered", "%d repositories are being asked about at once", maxRoots)
		}
		e = &entry{set: h.newSet(root)}
		h.sets[root] = e
	}
	h.clock++
	e.users, e.used = e.users+1, h.clock
	return e.set, func() {
		h.mu.Lock()
		e.users--
		h.mu.Unlock()
	}, nil
}

// evict closes the set that nobody uses and that was used longest ago. The
// caller holds the lock.
func (h *hub) evict() bool {
	oldest, found := "", false
	for root, e := range h.sets {
		if e.users == 0 && (!found || e.used < h.sets[oldest].used) {
			oldest, found = root, true
		}
	}
	if found {
		h.end(context.Background(), h.sets[oldest].set)
		delete(h.sets, oldest)
	}
	return found
}

// end closes a set behind the caller, who holds the lock.
func (h *hub) end(ctx context.Context, set *tools.Set) {
	h.ending.Go(func() {
		if err := set.Close(ctx); err != nil {
			h.mu.Lock()
			h.errs = errors.Join(h.errs, err)
			h.mu.Unlock()
		}
	})
}

// start begins to open a root's index in the background.
func (h *hub) start(root string) {
	if set, release, err := h.acquire(root); err == nil {
		set.Start()
		release()
	}
}

// close ends all sets; ctx bounds how long it waits for what they open.
func (h *hub) close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for root, e := range h.sets {
		h.end(ctx, e.set)
		delete(h.sets, root)
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() { h.ending.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.errs
}
