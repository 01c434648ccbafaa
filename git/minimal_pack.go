package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// A pack's index of version 2; n = fanout[255] objects, h = 20 or 32:
//
//	offset        size   content
//	0             4      "\377tOc"
//	4             4      2
//	8             1024   fanout: 256 big-endian counts
//	1032          n*h    ids, sorted
//	1032+n*h      n*4    CRC-32 of the packed bytes (not used)
//	   +n*4       n*4    offsets; with the high bit set, a row of the next table
//	   +n*4       m*8    offsets beyond 2 GiB
//	   …          2*h    hashes of the pack and of this index (not used)
//
// Version 1 has no magic; behind the fanout stand n rows of a 4-byte offset
// and an id. Hashes are not checked here: every object is, against its id.

var packIndexMagic = []byte("\377tOc")

// maxPackIndex is the size in bytes of the largest pack index that is read.
const maxPackIndex = 4 << 30

// packIndex finds objects in one pack. It is immutable.
type packIndex struct {
	b      []byte
	fanout [256]uint32
	n, h   int
	ids    int // offset of the first id
	stride int // from one id to the next
	v1     bool
}

func parsePackIndex(b []byte, f gitobj.Format) (*packIndex, error) {
	x := &packIndex{b: b, h: f.Size(), v1: !bytes.HasPrefix(b, packIndexMagic)}
	head := 1024
	if !x.v1 {
		if len(b) < 8 || binary.BigEndian.Uint32(b[4:]) != 2 {
			return nil, errors.New("a pack index of an unknown version")
		}
		head += 8
	}
	if len(b) < head {
		return nil, errors.New("a pack index that is cut")
	}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(b[head-1024+4*i:])
		if i > 0 && x.fanout[i] < x.fanout[i-1] {
			return nil, errors.New("a pack index whose counts decrease")
		}
	}
	x.n = int(x.fanout[255])
	x.ids, x.stride = head, x.h
	row := x.h + 8
	if x.v1 {
		x.ids, x.stride = head+4, x.h+4
		row = x.h + 4
	}
	if uint64(len(b)) < uint64(head)+uint64(x.n)*uint64(row)+2*uint64(x.h) {
		return nil, errors.New("a pack index that is cut")
	}
	return x, nil
}

func (x *packIndex) id(i int) []byte { return x.b[x.ids+i*x.stride:][:x.h] }

// search returns the first position whose id is not less than prefix, which
// has at least one byte.
func (x *packIndex) search(prefix []byte) int {
	lo := 0
	if prefix[0] > 0 {
		lo = int(x.fanout[prefix[0]-1])
	}
	hi := int(x.fanout[prefix[0]])
	return lo + sort.Search(hi-lo, func(i int) bool { return bytes.Compare(x.id(lo+i), prefix) >= 0 })
}

// find returns where in the pack the object begins.
func (x *packIndex) find(id []byte) (int64, bool) {
	i := x.search(id)
	if i >= x.n || !bytes.Equal(x.id(i), id) {
		return 0, false
	}
	return x.offset(i)
}

func (x *packIndex) offset(i int) (int64, bool) {
	if x.v1 {
		return int64(binary.BigEndian.Uint32(x.b[x.ids+i*x.stride-4:])), true
	}
	table := x.ids + x.n*(x.h+4)
	v := binary.BigEndian.Uint32(x.b[table+4*i:])
	if v&(1<<31) == 0 {
		return int64(v), true
	}
	at := table + 4*x.n + 8*int(v&^(1<<31))
	if at+8 > len(x.b)-2*x.h {
		return 0, false
	}
	v64 := binary.BigEndian.Uint64(x.b[at:])
	return int64(v64), v64 < 1<<62
}

// pack is one pack file. It is safe for concurrent use.
type pack struct {
	path string // without ".idx" or ".pack"
	once sync.Once
	x    *packIndex
	f    packFile
	size int64
	err  error
}

// packFile is an open pack.
type packFile interface {
	io.ReaderAt
	io.Closer
}

// open reads the index and opens the pack, once.
func (p *pack) open(f gitobj.Format) error {
	p.once.Do(func() {
		b, err := readLimited(p.path+".idx", maxPackIndex)
		if err == nil {
			p.x, err = parsePackIndex(b, f)
		}
		if err != nil {
			p.err = fmt.Errorf("%s.idx: %w", p.path, err)
			return
		}
		file, err := os.Open(p.path + ".pack")
		if err == nil {
			p.f = file
			if p.size, err = file.Seek(0, io.SeekEnd); err == nil {
				err = p.checkHead()
			}
		}
		if err != nil {
			p.err = fmt.Errorf("%s.pack: %w", p.path, err)
		}
	})
	return p.err
}

func (p *pack) checkHead() error {
	var head [12]byte
	if _, err := p.f.ReadAt(head[:], 0); err != nil {
		return err
	}
	if v := binary.BigEndian.Uint32(head[4:]); string(head[:4]) != "PACK" || v != 2 && v != 3 {
		return errors.New("it is no pack of a known version")
	}
	return nil
}

func (p *pack) close() {
	p.once.Do(func() { p.err = errClosed })
	if p.f != nil {
		p.f.Close()
	}
}

// Types of packed objects.
const (
	packCommit = 1
	packTree   = 2
	packBlob   = 3
	packTag    = 4
	packOfs    = 6 // delta against the object at a distance in front of it
	packRef    = 7 // delta against the object with an id
)

var packTypes = [8]string{packCommit: "commit", packTree: "tree", packBlob: "blob", packTag: "tag"}

// packedHeader is what stands in front of a packed object's zlib stream.
type packedHeader struct {
	typ    int
	size   int64 // of the inflated stream: of the object, or of the delta
	data   int64 // where the stream begins
	base   int64 // of an offset delta
	baseID gitobj.ID
}

// header reads an object's header. The pack's trailer is no object's.
func (p *pack) header(at int64, f gitobj.Format) (h packedHeader, err error) {
	end := p.size - int64(f.Size())
	if at < 12 || at >= end {
		return h, errors.New("an offset outside of the pack")
	}
	var buf [64]byte
	b := buf[:min(int64(len(buf)), end-at)]
	if _, err := p.f.ReadAt(b, at); err != nil {
		return h, err
	}
	h, n, err := parsePackedHeader(b, at, f)
	h.data = at + int64(n)
	// zlib makes at most 1,032 bytes out of one.
	if err == nil && (h.size > maxObject || h.size/1032 > end-h.data) {
		err = errors.New("an object larger than its pack can hold")
	}
	return h, err
}

// parsePackedHeader reads the header of an object at a pack's offset at from
// its first bytes, and returns the header's length.
func parsePackedHeader(b []byte, at int64, f gitobj.Format) (h packedHeader, n int, err error) {
	bad := errors.New("a header that does not end")
	if len(b) == 0 {
		return h, 0, bad
	}
	c := b[0]
	n = 1
	h.typ = int(c >> 4 & 7)
	h.size = int64(c & 15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if n == len(b) || shift > 53 {
			return h, n, bad
		}
		c = b[n]
		n++
		h.size |= int64(c&0x7f) << shift
	}
	switch h.typ {
	case packCommit, packTree, packBlob, packTag:
	case packRef:
		if len(b)-n < f.Size() {
			return h, n, bad
		}
		h.baseID, err = gitobj.IDFromBytes(b[n : n+f.Size()])
		n += f.Size()
	case packOfs:
		var back int64
		for first := true; ; first = false {
			if n == len(b) || back > 1<<54 {
				return h, n, bad
			}
			c = b[n]
			n++
			if !first {
				back++
			}
			back = back<<7 | int64(c&0x7f)
			if c&0x80 == 0 {
				break
			}
		}
		if h.base = at - back; back == 0 || h.base < 12 {
			return h, n, errors.New("a delta against something outside of the pack")
		}
	default:
		return h, n, fmt.Errorf("an object of the unknown type %d", h.typ)
	}
	return h, n, err
}

// deltaSizes reads the two lengths at the beginning of a delta: of its base
// and of its result.
func deltaSizes(delta []byte) (base, result int64, rest []byte, err error) {
	for _, v := range []*int64{&base, &result} {
		for shift := 0; ; shift += 7 {
			if len(delta) == 0 || shift > 56 {
				return 0, 0, nil, errors.New("a delta without its lengths")
			}
			c := delta[0]
			delta = delta[1:]
			*v |= int64(c&0x7f) << shift
			if c&0x80 == 0 {
				break
			}
		}
	}
	return base, result, delta, nil
}

// applyDelta appends to dst what the delta makes of its base.
func applyDelta(dst, base, delta []byte) ([]byte, error) {
	bad := errors.New("a delta that does not fit its base")
	want, size, delta, err := deltaSizes(delta)
	if err != nil {
		return dst, err
	}
	if want != int64(len(base)) || size > maxObject {
		return dst, bad
	}
	start := len(dst)
	// An instruction makes at most 16 MiB; hostile lengths do not reserve
	// more than the instructions could fill.
	dst = slices.Grow(dst, int(min(size, int64(len(delta))<<24)))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(delta) {
				return dst[:start], bad
			}
			dst = append(dst, delta[:n]...)
			delta = delta[n:]
		} else {
			var arg [7]byte // 4 of the offset, 3 of the length
			for i := range arg {
				if op>>i&1 != 0 {
					if len(delta) == 0 {
						return dst[:start], bad
					}
					arg[i] = delta[0]
					delta = delta[1:]
				}
			}
			off := int64(arg[0]) | int64(arg[1])<<8 | int64(arg[2])<<16 | int64(arg[3])<<24
			n := int64(arg[4]) | int64(arg[5])<<8 | int64(arg[6])<<16
			if n == 0 {
				n = 0x10000
			}
			if off+n > int64(len(base)) {
				return dst[:start], bad
			}
			dst = append(dst, base[off:off+n]...)
		}
		if int64(len(dst)-start) > size {
			return dst[:start], bad
		}
	}
	if int64(len(dst)-start) != size {
		return dst[:start], bad
	}
	return dst, nil
}
