package artifact

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync/atomic"
)

// FormatVersion is the version of every binary form in this package. It is 0
// until the first release; readers refuse any other.
const FormatVersion = 0

var (
	// ErrNotPindex means that the bytes are not a pindex file of the expected
	// kind at all.
	ErrNotPindex = errors.New("not a pindex file")
	// ErrTooNew means that the bytes are of a later format version, or need a
	// section that this reader does not know.
	ErrTooNew = errors.New("written by a later version of pindex")
	// ErrDamaged means that the bytes are of a known version and contradict
	// themselves.
	ErrDamaged = errors.New("damaged")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Segment layout (see FORMAT.md):
//
//	0   8  magic "PINDEXSG"
//	8   2  format version
//	10  1  view
//	11  1  zero
//	12  4  number of sections
//	16  8  file size
//	24  32 segment key
//	56  4  CRC-32C of the section table
//	60  4  CRC-32C of bytes 0..59
//	64  32 × sections: id u32, flags u32, offset u64, length u64, CRC-32C u32, zero u32
//	...    sections, each aligned to 16 bytes, in table order, zero-padded
const (
	segmentMagic      = "PINDEXSG"
	segmentHeaderSize = 64
	sectionEntrySize  = 32
	sectionAlign      = 16
	maxSections       = 64
)

// sectionRequired marks a section that a reader must understand; an unknown
// section without it is skipped.
const sectionRequired uint32 = 1

// segmentWriter collects sections and lays them out.
type segmentWriter struct {
	view     View
	key      Digest
	sections []sectionOut
}

type sectionOut struct {
	id, flags uint32
	data      []byte
}

func newSegmentWriter(v View, key Digest) *segmentWriter {
	return &segmentWriter{view: v, key: key}
}

// add appends a section. The data is kept, not copied, until bytes is called.
func (w *segmentWriter) add(id, flags uint32, data []byte) {
	w.sections = append(w.sections, sectionOut{id, flags, data})
}

func align(n int) int { return (n + sectionAlign - 1) &^ (sectionAlign - 1) }

// bytes returns the finished segment.
func (w *segmentWriter) bytes() []byte {
	size := align(segmentHeaderSize + sectionEntrySize*len(w.sections))
	for _, s := range w.sections {
		size += align(len(s.data))
	}
	b := make([]byte, size)
	le := binary.LittleEndian
	off := align(segmentHeaderSize + sectionEntrySize*len(w.sections))
	for i, s := range w.sections {
		e := b[segmentHeaderSize+sectionEntrySize*i:]
		le.PutUint32(e[0:], s.id)
		le.PutUint32(e[4:], s.flags)
		le.PutUint64(e[8:], uint64(off))
		le.PutUint64(e[16:], uint64(len(s.data)))
		le.PutUint32(e[24:], crc32.Checksum(s.data, castagnoli))
		copy(b[off:], s.data)
		off += align(len(s.data))
	}
	copy(b, segmentMagic)
	le.PutUint16(b[8:], FormatVersion)
	b[10] = byte(w.view)
	le.PutUint32(b[12:], uint32(len(w.sections)))
	le.PutUint64(b[16:], uint64(size))
	copy(b[24:56], w.key[:])
	table := b[segmentHeaderSize : segmentHeaderSize+sectionEntrySize*len(w.sections)]
	le.PutUint32(b[56:], crc32.Checksum(table, castagnoli))
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// segment is an open segment: its header and table are checked, its sections
// are checked against their checksums when first touched.
type segment struct {
	view     View
	key      Digest
	raw      []byte
	sections []sectionIn
}

type sectionIn struct {
	id, flags uint32
	data      []byte
	padding   []byte
	sum       uint32
	checked   atomic.Bool
}

// openSegment checks the header and the section table of b. known lists the
// section ids that the caller understands.
func openSegment(b []byte, v View, known ...uint32) (*segment, error) {
	if len(b) < segmentHeaderSize || string(b[:8]) != segmentMagic {
		return nil, ErrNotPindex
	}
	le := binary.LittleEndian
	if ver := le.Uint16(b[8:]); ver != FormatVersion {
		return nil, fmt.Errorf("%w: segment format %d, this reader knows %d", ErrTooNew, ver, FormatVersion)
	}
	if crc32.Checksum(b[:60], castagnoli) != le.Uint32(b[60:]) {
		return nil, damaged("segment header checksum")
	}
	if View(b[10]) != v {
		return nil, damaged("segment holds view %d, not %d", b[10], v)
	}
	if b[11] != 0 {
		return nil, fmt.Errorf("%w: reserved byte of the segment header", ErrTooNew)
	}
	count := le.Uint32(b[12:])
	if count > maxSections || segmentHeaderSize+int(count)*sectionEntrySize > len(b) {
		return nil, damaged("segment has %d sections", count)
	}
	n := int(count)
	if size := le.Uint64(b[16:]); size != uint64(len(b)) {
		return nil, damaged("segment says it has %d bytes, the file has %d", size, len(b))
	}
	table := b[segmentHeaderSize : segmentHeaderSize+n*sectionEntrySize]
	if crc32.Checksum(table, castagnoli) != le.Uint32(b[56:]) {
		return nil, damaged("section table checksum")
	}
	s := &segment{view: v, raw: b, sections: make([]sectionIn, n)}
	copy(s.key[:], b[24:56])
	floor := uint64(align(segmentHeaderSize + n*sectionEntrySize))
	for i := range s.sections {
		e := table[i*sectionEntrySize:]
		off, length := le.Uint64(e[8:]), le.Uint64(e[16:])
		if off != floor || off%sectionAlign != 0 || length > uint64(len(b)) || off > uint64(len(b))-length {
			return nil, damaged("section %d lies outside the file or over another", i)
		}
		floor = uint64(align(int(off + length)))
		in := &s.sections[i]
		in.id, in.flags, in.sum = le.Uint32(e[0:]), le.Uint32(e[4:]), le.Uint32(e[24:])
		in.data = b[off : off+length : off+length]
		in.padding = b[off+length : min(floor, uint64(len(b)))]
		if le.Uint32(e[28:]) != 0 {
			return nil, fmt.Errorf("%w: reserved bytes of section %d", ErrTooNew, in.id)
		}
		for j := range i {
			if s.sections[j].id == in.id {
				return nil, damaged("section id %d stands twice", in.id)
			}
		}
		if in.flags&sectionRequired != 0 && !slices.Contains(known, in.id) {
			return nil, fmt.Errorf("%w: required section %d", ErrTooNew, in.id)
		}
	}
	if floor != uint64(len(b)) {
		return nil, damaged("%d bytes behind the last section", uint64(len(b))-min(floor, uint64(len(b))))
	}
	return s, nil
}

// section returns the content of the section with the given id, checked
// against its checksum at the first call. A missing section gives ok false.
func (s *segment) section(id uint32) (data []byte, ok bool, err error) {
	for i := range s.sections {
		in := &s.sections[i]
		if in.id != id {
			continue
		}
		if !in.checked.Load() {
			if crc32.Checksum(in.data, castagnoli) != in.sum {
				return nil, true, damaged("checksum of section %d", id)
			}
			if !allZero(in.padding) {
				return nil, true, damaged("padding of section %d", id)
			}
			in.checked.Store(true)
		}
		return in.data, true, nil
	}
	return nil, false, nil
}

// need is section for a section that must be there.
func (s *segment) need(id uint32) ([]byte, error) {
	data, ok, err := s.section(id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, damaged("section %d is missing", id)
	}
	return data, nil
}

// table opens a required section as a table; see openTable.
func (s *segment) table(id uint32, what string, limits ...uint8) (int, []column, error) {
	b, err := s.need(id)
	if err != nil {
		return 0, nil, err
	}
	return openTable(b, what, limits...)
}

// strings opens a required section as a string table.
func (s *segment) strings(id uint32, what string) (*stringTable, error) {
	b, err := s.need(id)
	if err != nil {
		return nil, err
	}
	return openStrings(b, what)
}
