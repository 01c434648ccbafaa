package git

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/order"
)

// maxDeltas is the longest chain of deltas that is followed. Git's own limit
// for the chains that it writes is 4,095.
const maxDeltas = 4096

// unpacker reads objects of a store. It serves one goroutine.
type unpacker struct {
	s     *objectStore
	in    *bufio.Reader
	z     io.ReadCloser // reset for each stream; nil at first
	cache baseCache
	delta []byte
}

func newUnpacker(s *objectStore) *unpacker {
	return &unpacker{s: s, in: bufio.NewReaderSize(nil, 16<<10)}
}

// read appends an object's content to dst, checked against its id.
func (u *unpacker) read(id gitobj.ID, dst []byte) (typ string, out []byte, err error) {
	err = u.s.try(id, func(w where) (err error) {
		if w.pack == nil {
			typ, out, err = u.loose(w.file, dst)
		} else {
			typ, out, err = u.packed(w.pack, w.at, dst)
		}
		if err == nil && gitobj.Hash(id.Format(), typ, out[len(dst):]) != id {
			err = errors.New("its content has another hash")
		}
		return err
	})
	if err != nil {
		return "", dst, err
	}
	return typ, out, nil
}

// info returns an object's type and size without reading more than needed.
func (u *unpacker) info(id gitobj.ID) (typ string, size int64, err error) {
	err = u.s.try(id, func(w where) (err error) {
		if w.pack == nil {
			typ, size, err = u.looseInfo(w.file)
		} else {
			typ, size, err = u.packedInfo(w.pack, w.at)
		}
		return err
	})
	return typ, size, err
}

// inflate prepares to read a zlib stream.
func (u *unpacker) inflate(r io.Reader) (io.Reader, error) {
	u.in.Reset(r)
	if u.z == nil {
		z, err := zlib.NewReader(u.in)
		u.z = z
		return z, err
	}
	return u.z, u.z.(zlib.Resetter).Reset(u.in, nil)
}

// readExact appends exactly n bytes and makes sure that none follows. What it
// reserves grows with what arrives: n comes from outside.
func readExact(r io.Reader, n int64, dst []byte) ([]byte, error) {
	start := len(dst)
	for int64(len(dst)-start) < n {
		step := int(min(n-int64(len(dst)-start), max(1<<20, int64(len(dst)-start))))
		at := len(dst)
		dst = slices.Grow(dst, step)[:at+step]
		if _, err := io.ReadFull(r, dst[at:]); err != nil {
			return dst[:start], io.ErrUnexpectedEOF
		}
	}
	var one [1]byte
	if k, err := io.ReadFull(r, one[:]); k != 0 || err != io.EOF {
		return dst[:start], errors.New("its compressed data are damaged")
	}
	return dst, nil
}

func (u *unpacker) openLoose(file string) (f *os.File, r io.Reader, typ string, size int64, err error) {
	if f, err = os.Open(file); err != nil {
		return nil, nil, "", 0, err
	}
	if r, err = u.inflate(f); err == nil {
		typ, size, err = looseHeader(r)
	}
	if err != nil {
		f.Close()
	}
	return f, r, typ, size, err
}

// looseHeader reads "TYPE SIZE\0" from the beginning of a loose object.
func looseHeader(r io.Reader) (typ string, size int64, err error) {
	var b [32]byte
	n := 0
	for ; ; n++ {
		if n == len(b) {
			return "", 0, errors.New("a loose object without a header")
		}
		if _, err := io.ReadFull(r, b[n:n+1]); err != nil {
			return "", 0, fmt.Errorf("a loose object without a header: %w", err)
		}
		if b[n] == 0 {
			break
		}
	}
	t, digits, _ := bytes.Cut(b[:n], []byte{' '})
	size, err = strconv.ParseInt(string(digits), 10, 64)
	if err != nil || size < 0 || size > maxObject || !slices.Contains(packTypes[packCommit:packTag+1], string(t)) {
		return "", 0, fmt.Errorf("a loose object with the header %q", b[:n])
	}
	return string(t), size, nil
}

func (u *unpacker) loose(file string, dst []byte) (string, []byte, error) {
	f, r, typ, size, err := u.openLoose(file)
	if err != nil {
		return "", dst, err
	}
	defer f.Close()
	out, err := readExact(r, size, dst)
	return typ, out, err
}

func (u *unpacker) looseInfo(file string) (string, int64, error) {
	f, _, typ, size, err := u.openLoose(file)
	if err != nil {
		return "", 0, err
	}
	f.Close()
	return typ, size, nil
}

// stream inflates what stands behind a packed object's header.
func (u *unpacker) stream(p *pack, h packedHeader) (io.Reader, error) {
	return u.inflate(io.NewSectionReader(p.f, h.data, p.size-h.data))
}

// base resolves a delta's base to a place in a pack or, for an id that only
// another pack or a loose file holds, to its content.
func (u *unpacker) base(p *pack, h packedHeader) (at int64, err error) {
	if h.typ == packOfs {
		return h.base, nil
	}
	at, ok := p.x.find(h.baseID.Bytes())
	if !ok {
		return 0, fmt.Errorf("a delta against %s, which is not in its pack", h.baseID)
	}
	return at, nil
}

// packed appends the object at an offset of a pack to dst.
func (u *unpacker) packed(p *pack, at int64, dst []byte) (string, []byte, error) {
	// From the object down to one that is whole or cached …
	var chain []packedHeader
	var content []byte
	typ := 0
	for {
		if c, ok := u.cache.get(p, at); ok {
			typ, content = c.typ, c.content
			break
		}
		h, err := p.header(at, u.s.format)
		if err != nil {
			return "", dst, err
		}
		if h.typ != packOfs && h.typ != packRef {
			r, err := u.stream(p, h)
			if err != nil {
				return "", dst, err
			}
			if len(chain) == 0 {
				out, err := readExact(r, h.size, dst)
				return packTypes[h.typ], out, err
			}
			if content, err = readExact(r, h.size, nil); err != nil {
				return "", dst, err
			}
			typ = h.typ
			u.cache.put(p, at, typ, content)
			break
		}
		if len(chain) == maxDeltas {
			return "", dst, errors.New("a chain of deltas that does not end")
		}
		here := at
		if at, err = u.base(p, h); err != nil {
			return "", dst, err
		}
		h.base = here // from now on: where the delta itself stands
		chain = append(chain, h)
	}
	if len(chain) == 0 {
		return packTypes[typ], append(dst, content...), nil
	}
	// … and up again.
	for i := len(chain) - 1; i >= 0; i-- {
		h := chain[i]
		r, err := u.stream(p, h)
		if err != nil {
			return "", dst, err
		}
		if u.delta, err = readExact(r, h.size, u.delta[:0]); err != nil {
			return "", dst, err
		}
		if i == 0 {
			out, err := applyDelta(dst, content, u.delta)
			return packTypes[typ], out, err
		}
		if content, err = applyDelta(nil, content, u.delta); err != nil {
			return "", dst, err
		}
		u.cache.put(p, h.base, typ, content)
	}
	return packTypes[typ], dst, nil
}

// packedInfo returns the type and the size of the object at an offset.
func (u *unpacker) packedInfo(p *pack, at int64) (string, int64, error) {
	size := int64(-1)
	for range maxDeltas {
		h, err := p.header(at, u.s.format)
		if err != nil {
			return "", 0, err
		}
		if h.typ != packOfs && h.typ != packRef {
			if size < 0 {
				size = h.size
			}
			return packTypes[h.typ], size, nil
		}
		if size < 0 {
			r, err := u.stream(p, h)
			if err != nil {
				return "", 0, err
			}
			var b [20]byte
			n, err := io.ReadFull(r, b[:])
			if err != nil && err != io.ErrUnexpectedEOF {
				return "", 0, err
			}
			if _, size, _, err = deltaSizes(b[:n]); err != nil {
				return "", 0, err
			}
			if size > maxObject {
				return "", 0, errors.New("an object that is too large")
			}
		}
		if at, err = u.base(p, h); err != nil {
			return "", 0, err
		}
	}
	return "", 0, errors.New("a chain of deltas that does not end")
}

// baseCache keeps the bases of deltas that were used last.
type baseCache struct {
	m     map[baseKey]*cachedBase
	tick  uint64
	bytes int
}

type baseKey struct {
	p  *pack
	at int64
}

type cachedBase struct {
	typ     int
	content []byte
	used    uint64
}

const (
	maxCached     = 24 << 20 // bytes of one reader's cache
	maxCachedItem = 2 << 20
)

func (c *baseCache) get(p *pack, at int64) (*cachedBase, bool) {
	b, ok := c.m[baseKey{p, at}]
	if ok {
		c.tick++
		b.used = c.tick
	}
	return b, ok
}

func (c *baseCache) put(p *pack, at int64, typ int, content []byte) {
	if len(content) > maxCachedItem {
		return
	}
	if c.m == nil {
		c.m = map[baseKey]*cachedBase{}
	}
	if c.bytes+len(content) > maxCached {
		c.evict()
	}
	c.tick++
	if old := c.m[baseKey{p, at}]; old != nil {
		c.bytes -= len(old.content)
	}
	c.m[baseKey{p, at}] = &cachedBase{typ: typ, content: content, used: c.tick}
	c.bytes += len(content)
}

// evict drops the half that was not used for the longest time.
func (c *baseCache) evict() {
	used := make([]uint64, 0, len(c.m))
	for _, b := range c.m {
		used = append(used, b.used)
	}
	order.Sort(used, cmp.Compare)
	limit := used[len(used)/2]
	for k, b := range c.m {
		if b.used <= limit {
			c.bytes -= len(b.content)
			delete(c.m, k)
		}
	}
}
