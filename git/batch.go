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
	p   *process
	r   *bufio.Reader
	req []byte
	buf []byte
}

func startBatch(l *launcher) (*batch, error) {
	p, err := l.start("cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return &batch{p: p, r: bufio.NewReaderSize(p.out, 64<<10)}, nil
}

func (b *batch) close() { b.p.close() }

func (b *batch) ask(ids ...gitobj.ID) error {
	b.req = b.req[:0]
	for _, id := range ids {
		b.req = append(append(b.req, id.String()...), '\n')
	}
	_, err := b.p.in.Write(b.req)
	return err
}

// broken marks an error after which the process cannot be used again. It
// never leaves this file.
type broken struct{ error }

// unbreak takes the mark off.
func unbreak(err error) (error, bool) {
	if b, ok := err.(broken); ok {
		return b.error, true
	}
	return err, false
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
		return dst, broken{fail.New(fail.Repository, "exclude the file, or let Git LFS keep it",
			"object %s has %d bytes, more than the %d that can be read", id, n, maxObject)}
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

func (b *batch) fail(id gitobj.ID, err error) error {
	b.p.kill()
	<-b.p.done // so that its last words are there
	if m := message(b.p.stderr()); m != "" {
		return broken{NewCorrupt(id, errors.New(m))}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return broken{fail.Wrap(fail.Repository, err, "run this again; if it fails again, `git fsck --full` tells whether the repository is whole",
		"git cat-file ended while it read object %s", id)}
}

// read reads one object.
func (b *batch) read(id gitobj.ID, typ string, dst []byte) ([]byte, error) {
	if err := b.ask(id); err != nil {
		return dst, b.fail(id, err)
	}
	return b.answer(id, typ, dst)
}

// readAll reads many objects of one type, asking ahead. The content given to
// fn is valid until fn returns.
func (b *batch) readAll(ids []gitobj.ID, typ string, fn func(i int, content []byte) error) error {
	asked := 0
	for i, id := range ids {
		// Refill when half of the window is used, so that one write
		// carries many requests.
		if asked-i <= ahead/2 && asked < len(ids) {
			n := min(ahead-(asked-i), len(ids)-asked)
			if err := b.ask(ids[asked : asked+n]...); err != nil {
				return b.fail(id, err)
			}
			asked += n
		}
		var err error
		if b.buf, err = b.answer(id, typ, b.buf[:0]); err == nil {
			err = fn(i, b.buf)
		}
		if err != nil {
			if err, _ = unbreak(err); asked > i+1 {
				return broken{err} // answers that nobody will read
			}
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
	closed bool
}

func newPool(l *launcher) *pool {
	return &pool{l: l, inUse: map[*batch]bool{}}
}

var errClosed = errors.New("the repository is closed")

func (p *pool) get() (*batch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
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

// put takes a batch back; broken ones are closed.
func (p *pool) put(b *batch, bad bool) {
	p.mu.Lock()
	keep := !bad && !p.closed && len(p.idle) < 4
	delete(p.inUse, b)
	if keep {
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	if !keep {
		b.close()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	for b := range p.inUse {
		b.p.kill() // its user sees an error and puts it back
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
	alive := stop()
	err, bad := unbreak(err)
	p.put(b, !alive || bad)
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

// Read implements BlobReader. After an object that git cannot read the
// process is started anew, so that damage costs that object alone.
func (r *blobReader) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	if err := r.ctx(); err != nil {
		return dst, err
	}
	if r.b == nil {
		if err := r.open(); err != nil {
			return dst, err
		}
	}
	out, err := r.b.read(id, "blob", dst)
	err, bad := unbreak(err)
	if bad {
		r.release(true)
	}
	if err != nil && r.ctx() != nil {
		return dst, r.ctx()
	}
	return out, err
}

func (r *blobReader) release(bad bool) {
	if r.b == nil {
		return
	}
	alive := r.stop()
	r.pool.put(r.b, bad || !alive)
	r.b = nil
}

// Close implements BlobReader.
func (r *blobReader) Close() error {
	r.release(false)
	return nil
}
