package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// maxObject is the size in bytes of the largest object that is read whole.
const maxObject = 2 << 30

// ahead is how many requests are written before their answers are read. They
// must fit into the smallest pipe there is (4 KiB), or both sides could wait
// for each other.
const ahead = 48

// batch is a `git cat-file --batch` process. It serves one caller at a time.
type batch struct {
	p      *process
	r      *bufio.Reader
	req    []byte
	buf    []byte
	queue  []gitobj.ID // what the caller is going to read, next first
	asked  int         // how many of queue are written to the process
	failed bool        // the process cannot be used again
}

func startBatch(l *launcher) (*batch, error) {
	p, err := l.start("cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return &batch{p: p, r: bufio.NewReaderSize(p.out, 64<<10)}, nil
}

func (b *batch) close() { b.p.close() }

// expect announces what is read next, in that order, so that the process can
// work on it meanwhile. What was asked already stays in front; where it is no
// longer wanted, read drops the answers.
func (b *batch) expect(ids []gitobj.ID) { b.queue = append(b.queue[:b.asked], ids...) }

// read reads one object and appends its content to dst.
func (b *batch) read(id gitobj.ID, typ string, dst []byte) ([]byte, error) {
	if len(b.queue) == 0 || b.queue[0] != id {
		if err := b.drain(); err != nil {
			return dst, err
		}
		if len(b.queue) == 0 || b.queue[0] != id {
			b.queue = append(b.queue[:0], id) // not what was announced
		}
	}
	// Refill when half of the window is used, so that one write carries
	// many requests.
	if b.asked <= ahead/2 && b.asked < len(b.queue) {
		upto := min(ahead, len(b.queue))
		b.req = b.req[:0]
		for _, id := range b.queue[b.asked:upto] {
			b.req = append(append(b.req, id.String()...), '\n')
		}
		if _, err := b.p.in.Write(b.req); err != nil {
			return dst, b.fail(id, err)
		}
		b.asked = upto
	}
	b.queue, b.asked = b.queue[1:], b.asked-1
	return b.answer(id, typ, dst)
}

// drain reads and drops the answers that nobody is going to ask for.
func (b *batch) drain() error {
	for b.asked > 0 {
		id := b.queue[0]
		b.queue, b.asked = b.queue[1:], b.asked-1
		head, err := b.r.ReadSlice('\n')
		if err != nil {
			return b.fail(id, err)
		}
		if _, rest, ok := cutLast(head[:len(head)-1]); ok {
			if n, err := strconv.ParseInt(rest, 10, 64); err == nil && n >= 0 {
				if _, err := io.CopyN(io.Discard, b.r, n+1); err != nil {
					return b.fail(id, err)
				}
			}
		}
	}
	return nil
}

func cutLast(b []byte) (before []byte, after string, ok bool) {
	i := bytes.LastIndexByte(b, ' ')
	if i < 0 {
		return b, "", false
	}
	return b[:i], string(b[i+1:]), true
}

// answer reads the answer to the oldest unanswered request and appends the
// object's content to dst. The content is checked against the id.
func (b *batch) answer(id gitobj.ID, typ string, dst []byte) ([]byte, error) {
	head, err := b.r.ReadSlice('\n')
	if err != nil {
		return dst, b.fail(id, err)
	}
	name, rest, _ := bytes.Cut(head[:len(head)-1], []byte{' '})
	if string(name) != id.String() {
		return dst, b.fail(id, fmt.Errorf("unexpected answer %q", head))
	}
	if string(rest) == "missing" {
		if m := message(b.p.stderr()); m != "" {
			return dst, NewCorrupt(id, errors.New(m))
		}
		return dst, NewMissing(id)
	}
	got, size, _ := bytes.Cut(rest, []byte{' '})
	n, err := strconv.ParseInt(string(size), 10, 64)
	if err != nil || n < 0 {
		return dst, b.fail(id, fmt.Errorf("unexpected answer %q", head))
	}
	if n > maxObject {
		b.failed = true // rather than to read on to the next answer
		return dst, fail.New(fail.Repository, "exclude the file, or let Git LFS keep it",
			"object %s has %d bytes, more than the %d that can be read", id, n, maxObject)
	}
	gotType := string(got)
	at := len(dst)
	dst = slices.Grow(dst, int(n)+1)[:at+int(n)+1] // the LF behind it too
	if _, err := io.ReadFull(b.r, dst[at:]); err != nil {
		return dst[:at], b.fail(id, err)
	}
	if dst[len(dst)-1] != '\n' {
		return dst[:at], b.fail(id, errors.New("content of another length than announced"))
	}
	dst = dst[:len(dst)-1]
	if gotType != typ {
		return dst[:at], NewCorrupt(id, fmt.Errorf("it is a %s where a %s is needed", gotType, typ))
	}
	if gitobj.Hash(id.Format(), typ, dst[at:]) != id {
		return dst[:at], NewCorrupt(id, errors.New("its content has another hash"))
	}
	return dst, nil
}

// fail ends a process that did not answer as it should.
func (b *batch) fail(id gitobj.ID, err error) error {
	b.failed = true
	b.p.kill()
	<-b.p.done // so that its last words are there
	if m := message(b.p.stderr()); m != "" {
		return NewCorrupt(id, errors.New(m))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return fail.Wrap(fail.Repository, err, "run this again; if it fails again, `git fsck --full` tells whether the repository is whole",
		"git cat-file ended while it read object %s", id)
}

// readAll reads many objects of one type. The content given to fn is valid
// until fn returns.
func (b *batch) readAll(ids []gitobj.ID, typ string, fn func(i int, content []byte) error) error {
	b.expect(ids)
	for i, id := range ids {
		var err error
		if b.buf, err = b.read(id, typ, b.buf[:0]); err == nil {
			err = fn(i, b.buf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pool keeps idle batches for the next caller.
type pool struct {
	l      *launcher
	mu     sync.Mutex
	idle   []*batch
	inUse  map[*batch]bool
	closed atomic.Bool // set under mu
}

func newPool(l *launcher) *pool {
	return &pool{l: l, inUse: map[*batch]bool{}}
}

var errClosed = errors.New("the repository is closed")

func (p *pool) get() (*batch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed.Load() {
		return nil, errClosed
	}
	var b *batch
	if n := len(p.idle); n > 0 {
		b, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		var err error
		if b, err = startBatch(p.l); err != nil {
			return nil, fail.Wrap(fail.Repository, err, "check that the git program can be run", "cannot start git")
		}
	}
	p.inUse[b] = true
	return b, nil
}

// put takes a batch back. It is kept where it is ready for another caller.
func (p *pool) put(b *batch, alive bool) {
	p.mu.Lock()
	keep := alive && !b.failed && b.asked == 0 && !p.closed.Load() && len(p.idle) < 4
	delete(p.inUse, b)
	if keep {
		b.queue = nil
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	if !keep {
		b.close()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed.Store(true)
	idle := p.idle
	p.idle = nil
	for b := range p.inUse {
		b.p.kill() // its user sees an error and puts it back
		<-b.p.done
	}
	p.mu.Unlock()
	for _, b := range idle {
		b.close()
	}
}

// with runs fn with a batch that is killed when ctx ends.
func (p *pool) with(ctx context.Context, fn func(b *batch) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := p.get()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, b.p.kill)
	err = fn(b)
	p.put(b, stop())
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// blobReader reads blobs through a batch of its own.
type blobReader struct {
	pool *pool
	ctx  func() error // the context's state, not the context
	b    *batch
	stop func() bool
	kill func(b *batch) func() bool
}

func (p *pool) blobs(ctx context.Context) (*blobReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &blobReader{pool: p, ctx: ctx.Err, kill: func(b *batch) func() bool { return context.AfterFunc(ctx, b.p.kill) }}
	return r, r.open()
}

func (r *blobReader) open() error {
	b, err := r.pool.get()
	if err != nil {
		return err
	}
	r.b, r.stop = b, r.kill(b)
	return nil
}

// Expect implements Expecter.
func (r *blobReader) Expect(ids []gitobj.ID) {
	if r.b != nil {
		r.b.expect(ids)
	}
}

// Read implements BlobReader. After an object that git cannot read the
// process is started anew, so that damage costs that object alone.
func (r *blobReader) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	if err := r.ctx(); err != nil {
		return dst, err
	}
	if r.pool.closed.Load() {
		return dst, errClosed
	}
	if r.b == nil {
		if err := r.open(); err != nil {
			return dst, err
		}
	}
	out, err := r.b.read(id, "blob", dst)
	if r.b.failed {
		rest := r.b.queue
		r.release()
		if err := r.open(); err == nil {
			r.b.expect(rest)
		}
	}
	if err != nil && r.ctx() != nil {
		return dst, r.ctx()
	}
	return out, err
}

func (r *blobReader) release() {
	if r.b != nil {
		r.pool.put(r.b, r.stop())
		r.b = nil
	}
}

// Close implements BlobReader.
func (r *blobReader) Close() error {
	r.release()
	return nil
}
