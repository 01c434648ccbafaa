package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Tools returns the definitions with their schemas.
func (s *Set) Tools() []Definition {
	defs := s.definitions()
	for i := range defs {
		defs[i].Input = inputSchema(defs[i].args)
	}
	return defs
}

func (s *Set) definitions() []Definition { return append(Definitions(), s.o.Further...) }

// Call answers one call. All that can go wrong is in the reply, except the
// name of a tool that does not exist: ok is false then. waiting may be nil.
func (s *Set) Call(ctx context.Context, name string, raw json.RawMessage, waiting Waiting) (_ *Reply, ok bool) {
	for _, d := range s.definitions() {
		if d.Name == name {
			r, err := s.answer(ctx, &d, raw, waiting)
			if err != nil {
				r = ErrorReply(err)
			}
			return r, true
		}
	}
	return nil, false
}

func (s *Set) answer(ctx context.Context, d *Definition, raw json.RawMessage, waiting Waiting) (r *Reply, err error) {
	args, err := parseArguments(d.args, raw)
	if err != nil {
		return nil, err
	}
	// What ends the server ends the call.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	c, err := s.acquire(ctx, waiting)
	if err != nil {
		return nil, err
	}
	defer s.release(c)
	select {
	case s.work <- struct{}{}:
		defer func() { <-s.work }()
	case <-ctx.Done():
		return nil, fail.Wrap(fail.Interrupted, context.Cause(ctx), "", "the call was stopped")
	}
	// One call's defect must not end the others.
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fail.New(fail.Internal, "this is a defect in pindex; please report it", "the tool %s failed: %s", d.Name, fmt.Sprint(p))
		}
	}()
	return d.call(s, ctx, c, args)
}

// head returns the head of an answer and the files whose results it leaves
// out.
func (s *Set) head(ctx context.Context, c *session) (head, State, error) {
	st, err := c.State(ctx)
	if err != nil {
		return head{}, st, err
	}
	h := head{Commit: c.Engine().Commit(), Freshness: st.Freshness, Note: s.follow(st.Moved)}
	return h, st, nil
}

// add joins a sentence to the head's note.
func (h *head) add(note string) {
	if note == "" {
		return
	}
	if h.Note != "" {
		h.Note += "; "
	}
	h.Note += sentence(note)
}
