package tools

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// Session is an open index, as the caller of this package opens it. Its
// methods are called from several goroutines.
type Session interface {
	// Engine answers queries until Close.
	Engine() *query.Engine
	// State says how the index relates to what the user has in front of them
	// now. It is asked for every answer.
	State(ctx context.Context) (State, error)
	// Store names where the index comes from.
	Store() string
	Close() error
}

// State is how an index relates to the working tree.
type State struct {
	Freshness query.Freshness
	// Changed are the paths of tracked files that differ from the index's
	// commit. Search and navigation leave their results out.
	Changed []string
	// ByLines are the paths of files that differ and that the engine has read
	// by lines, or leaves out by itself.
	ByLines []string
	// Moved is the commit that an opening would pin now, where that is
	// another than the session's; "" where it is the same.
	Moved string
}

// Options say what a Set works on.
type Options struct {
	// Name and Version are the program's.
	Name, Version string
	// Open opens the index. It is called at the first need and, while the
	// tools go on answering from the older one, when the commit has moved. Its
	// context ends with the server.
	Open func(ctx context.Context) (Session, error)
	// Further are tools beside those of Definitions, such as those of Further.
	Further []Definition
}

// Set is the tools over an index that is opened when it is first needed. It is
// safe for concurrent use.
type Set struct {
	o      Options
	life   context.Context // ends with the Set; what is opened belongs to it and to no call
	cancel context.CancelFunc
	work   chan struct{} // limits the queries that run at once

	mu      sync.Mutex
	opening *opening // the one that runs, or nil
	current *session
	failed  string // the commit whose opening failed last
	closed  bool
	idle    sync.WaitGroup // openings
}

// opening is one attempt to open the index.
type opening struct {
	done chan struct{}
	err  error // set when done is closed
}

// session counts who uses an open index, so that it is closed when a newer
// one has taken its place and the last answer from it is given.
type session struct {
	Session
	users int // and one for being current; guarded by Set.mu
}

// maxQueries is how many queries run at once; each uses all processors.
const maxQueries = 2

// NewSet returns tools that open their index when Start or a call asks.
func NewSet(o Options) *Set {
	s := &Set{o: o, work: make(chan struct{}, maxQueries)}
	s.life, s.cancel = context.WithCancel(context.Background())
	return s
}

// Name and Version are the program's.
func (s *Set) Name() string    { return s.o.Name }
func (s *Set) Version() string { return s.o.Version }

// Start begins to open the index in the background, if nobody has.
func (s *Set) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		s.begin("")
	}
}

// begin starts an opening unless one runs. The caller holds the lock.
func (s *Set) begin(commit string) *opening {
	if s.opening != nil {
		return s.opening
	}
	o := &opening{done: make(chan struct{})}
	if s.closed {
		o.err = errClosed
		close(o.done)
		return o
	}
	s.opening = o
	s.idle.Go(func() {
		opened, err := s.o.Open(s.life)
		s.mu.Lock()
		var old *session
		switch {
		case err != nil:
			s.failed = commit
		case s.closed:
			old, err = &session{Session: opened}, errClosed
		default:
			old, s.current = s.current, &session{Session: opened, users: 1}
			s.failed = ""
		}
		o.err = err
		s.opening = nil
		s.mu.Unlock()
		close(o.done)
		if old != nil {
			s.release(old)
		}
	})
	return o
}

var errClosed = fail.New(fail.Interrupted, "start the server again", "the server is ending")

// Waiting is called now and then while a call waits for the index; n counts
// the calls from 1.
type Waiting func(n int)

// acquire returns the open index, waiting for it if need be. The caller
// releases it.
func (s *Set) acquire(ctx context.Context, waiting Waiting) (*session, error) {
	for {
		s.mu.Lock()
		if s.current != nil {
			c := s.current
			c.users++
			s.mu.Unlock()
			return c, nil
		}
		o := s.begin("")
		s.mu.Unlock()
		if err := o.wait(ctx, waiting); err != nil {
			return nil, err
		}
	}
}

func (o *opening) wait(ctx context.Context, waiting Waiting) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-o.done:
			return o.err
		default:
		}
		if waiting != nil {
			waiting(n)
		}
		select {
		case <-o.done:
			return o.err
		case <-ctx.Done():
			return fail.Wrap(fail.Interrupted, context.Cause(ctx), "ask again; the index is still being opened", "the call was stopped")
		case <-tick.C:
		}
	}
}

// release gives an index back.
func (s *Set) release(c *session) {
	s.mu.Lock()
	c.users--
	last := c.users <= 0
	s.mu.Unlock()
	if last {
		_ = c.Close() // nothing was written: there is nothing to lose
	}
}

// follow begins to open the commit that HEAD has moved to, once for each, and
// says what the reader of an answer should know of it.
func (s *Set) follow(moved string) string {
	if moved == "" {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	to := "HEAD is now at " + moved[:min(12, len(moved))]
	if s.failed == moved && s.opening == nil {
		return to + ", whose index could not be opened"
	}
	s.begin(moved)
	return to + ", whose index is being opened"
}

// Close ends what runs and closes the index when the last call has given it
// back. It waits for an opening that runs; ctx bounds that.
func (s *Set) Close(ctx context.Context) error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	c := s.current
	s.current = nil
	s.mu.Unlock()
	s.cancel()
	if c != nil && !again {
		s.release(c)
	}
	done := make(chan struct{})
	go func() { s.idle.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("the opening of the index has not ended")
	}
}

// WaitingMessage is what a peer is told while a call waits.
const WaitingMessage = "opening the index"
