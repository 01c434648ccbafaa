package fetch

import (
	"encoding/binary"
	"io"

	"github.com/pindex-dev/pindex/artifact"
)

// bundle is the form of the cache's file of one partition: the uncompressed
// segments of some of its views, in the order of views, each starting at a
// multiple of bundleAlign. There is no header: name, size and offsets follow
// from the segments' digests and sizes, which whoever opens it knows from the
// manifest.
//
// One file for all views, because making files is what filling the cache
// costs (a file takes the system longer to create than a segment takes to
// decompress), and opening them is what a cold start costs.
type bundle struct {
	name  artifact.Digest // of what the bundle holds, not of its bytes
	size  int64
	parts []bundlePart
	set   viewSet // the views of the parts, where it is known
}

type bundlePart struct {
	view   artifact.View
	digest artifact.Digest
	offset int64
	size   int64
}

// bundleAlign is a cache line, so that no segment's rows straddle one more
// than they have to.
const bundleAlign = 64

// add appends a segment. Views must be added in order.
func (b *bundle) add(v artifact.View, digest artifact.Digest, size int64) {
	offset := (b.size + bundleAlign - 1) &^ (bundleAlign - 1)
	b.parts = append(b.parts, bundlePart{v, digest, offset, size})
	b.size = offset + size
}

// seal computes the name: the digest of the parts, framed by their fixed
// lengths.
func (b *bundle) seal() {
	text := append(make([]byte, 0, 32+len(b.parts)*48), "pindex.bundle/0\n"...)
	for _, p := range b.parts {
		text = append(text, byte(p.view))
		text = append(text, p.digest[:]...)
		text = binary.LittleEndian.AppendUint64(text, uint64(p.size))
	}
	b.name = artifact.DigestOf(text)
}

// find returns the part of a view, if it is the wanted segment.
func (b *bundle) find(v artifact.View, want artifact.SegmentInfo) (bundlePart, bool) {
	for _, p := range b.parts {
		if p.view == v {
			return p, p.digest == want.Digest && p.size == want.Size
		}
	}
	return bundlePart{}, false
}

// verify compares every segment in the bundle's bytes with its digest.
func (b *bundle) verify(data []byte) bool {
	for _, p := range b.parts {
		if artifact.DigestOf(p.of(data)) != p.digest {
			return false
		}
	}
	return true
}

// of returns the part's bytes out of the bundle's.
func (p bundlePart) of(data []byte) []byte {
	return data[p.offset : p.offset+p.size : p.offset+p.size]
}

// write writes the bundle; segments holds one content for each part.
func (b *bundle) write(w io.Writer, segments [][]byte) error {
	var pad [bundleAlign]byte
	at := int64(0)
	for i, p := range b.parts {
		if _, err := w.Write(pad[:p.offset-at]); err != nil {
			return err
		}
		if _, err := w.Write(segments[i]); err != nil {
			return err
		}
		at = p.offset + p.size
	}
	return nil
}
