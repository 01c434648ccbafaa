package compile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/internal/fail"
)

// remote builds in a worker process, and starts another when that dies.
type remote struct {
	r       *run
	hello   []byte
	profile artifact.Digest
	p       *process // nil after a death
}

func newRemote(ctx context.Context, r *run) (*remote, error) {
	// The worker computes the same profile from the caller's limits; what
	// the commit tightens is in the decisions already.
	limits, err := r.o.Limits.orDefault()
	if err != nil {
		return nil, err
	}
	profile, err := newProfile(limits, r.o.Embedder, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	hello := le.AppendUint32(nil, protocolVersion)
	hello = append(hello, profile.Digest[:]...)
	hello = le.AppendUint64(hello, uint64(limits.ParseBytes))
	hello = le.AppendUint64(hello, uint64(limits.IndexBytes))
	// A worker has the built-in model itself; the profile's digest says whether
	// it is the same.
	if !builtin.Is(r.o.Embedder) {
		hello = append(hello, r.o.Embedder.Model()...)
	}
	e := &remote{r: r, hello: hello, profile: profile.Digest}
	return e, e.start(ctx)
}

func (e *remote) start(ctx context.Context) (err error) {
	if e.p != nil {
		return nil
	}
	hang := hangCPU
	if e.r.o.hooks.hang > 0 {
		hang = e.r.o.hooks.hang
	}
	e.p, err = startProcess(ctx, e.r.o.WorkerCommand, e.r.o.workerEnv, e.hello, e.profile, hang)
	var c *crash
	if errors.As(err, &c) {
		return fail.New(fail.Internal, "report this as a defect", "a worker process could not be started: it %s", c.detail)
	}
	return err
}

// do runs one job in a worker, a fresh one where there is none.
func (e *remote) do(ctx context.Context, j *job) (*built, error) {
	if err := e.start(ctx); err != nil {
		return nil, err
	}
	b, err := e.p.do(ctx, j)
	if err != nil {
		e.p = nil
		e.r.mu.Lock()
		e.r.restarts++
		e.r.mu.Unlock()
	}
	return b, err
}

// build builds a partition. A file that kills its worker is tried once more,
// alone and in a fresh worker; if that dies as well, the parser crashes on
// this file, and the partition is built with the file read by lines.
// Anything that kills a worker without such a pattern fails the compile.
func (e *remote) build(ctx context.Context, j *job) (*built, error) {
	tried := map[int]bool{}
	for {
		b, err := e.do(ctx, j)
		var c *crash
		if !errors.As(err, &c) {
			return b, err
		}
		if tried[c.file] {
			return nil, e.defect(j, c)
		}
		tried[c.file] = true
		if c.file < 0 {
			e.r.tell.note("a worker %s while it built partition %d; trying again", c.detail, j.partition)
			continue
		}
		f := &j.files[c.file]
		e.r.tell.note("a worker %s while it read %q; trying that file alone", c.detail, f.path)
		_, err = e.do(ctx, j.alone(c.file))
		var again *crash
		switch {
		case errors.As(err, &again):
			f.parse, f.degraded = false, artifact.DegradedCrash
			e.r.tell.note("%q is read by lines: its parser crashes", f.path)
		case err != nil:
			return nil, err
		}
	}
}

func (e *remote) defect(j *job, c *crash) error {
	where := fmt.Sprintf("building partition %d", j.partition)
	if c.file >= 0 {
		where = fmt.Sprintf("reading %q", j.files[c.file].path)
	}
	return fail.New(fail.Internal, "report this as a defect", "a worker process %s while %s, again and again", c.detail, where)
}

func (e *remote) close() {
	if e.p != nil {
		_ = e.p.close() // it has answered everything it was asked
	}
}
