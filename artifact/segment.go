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
//	11  1  number of sections
//	12  4  CRC-32C of the 8+4 bytes before, and of all bytes from 16 to the end of the table
//	16  32 segment key
//	48  16 × sections: id u16, flags u16, CRC-32C of the content u32, length u64
//	..  the sections in table order, each from a multiple of 16 on, zero-padded to one
//
// Offsets follow from the lengths, so sections cannot overlap or leave gaps,
// and the last one has to end with the file.
const (
	segmentMagic      = "PINDEXSG"
	segmentHeaderSize = 48
	sectionEntrySize  = 16
	sectionAlign      = 16
	maxSections       = 64
)

// sectionRequired marks a section that a reader must understand; an unknown
// section without it is skipped. Readers ignore the other bits.
const sectionRequired uint16 = 1

// segmentWriter collects sections and lays them out.
type segmentWriter struct {
	view     View
	key      Digest
	sections []sectionOut
}

type sectionOut struct {
	id, flags uint16
	data      []byte
}

func newSegmentWriter(v View, key Digest) *segmentWriter {
	return &segmentWriter{view: v, key: key}
}

// add appends a section. The data is kept, not copied, until bytes is called.
//
//go:noinline
func (w *segmentWriter) add(id, flags uint16, data []byte) {
	w.sections = append(w.sections, sectionOut{id, flags, data})
}

func align(n int) int { return (n + sectionAlign - 1) &^ (sectionAlign - 1) }

// bytes returns the finished segment.
func (w *segmentWriter) bytes() []byte {
	head := segmentHeaderSize + sectionEntrySize*len(w.sections)
	size := head
	for _, s := range w.sections {
		size += align(len(s.data))
	}
	b := make([]byte, size)
	le := binary.LittleEndian
	copy(b, segmentMagic)
	le.PutUint16(b[8:], FormatVersion)
	b[10], b[11] = byte(w.view), byte(len(w.sections))
	copy(b[16:48], w.key[:])
	off := head
	for i, s := range w.sections {
		e := b[segmentHeaderSize+sectionEntrySize*i:]
		le.PutUint16(e[0:], s.id)
		le.PutUint16(e[2:], s.flags)
		le.PutUint32(e[4:], crc32.Checksum(s.data, castagnoli))
		le.PutUint64(e[8:], uint64(len(s.data)))
		copy(b[off:], s.data)
		off += align(len(s.data))
	}
	le.PutUint32(b[12:], headSum(b, head))
	return b
}

// headSum returns the checksum of a segment's header and table, which end at
// head.
func headSum(b []byte, head int) uint32 {
	return crc32.Update(crc32.Checksum(b[:12], castagnoli), castagnoli, b[16:head])
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
	id, flags uint16
	data      []byte
	padding   []byte
	sum       uint32
	checked   atomic.Bool
}

// SegmentKeyOf returns the key that stands in a segment's header; the rest of
// the segment is not looked at.
func SegmentKeyOf(b []byte) (Digest, error) {
	if len(b) < segmentHeaderSize || string(b[:8]) != segmentMagic {
		return Digest{}, ErrNotPindex
	}
	return Digest(b[16:48]), nil
}

// openSegment checks the header and the section table of b. known lists the
// section ids that the caller understands.
func openSegment(b []byte, v View, known ...uint16) (*segment, error) {
	if len(b) < segmentHeaderSize || string(b[:8]) != segmentMagic {
		return nil, ErrNotPindex
	}
	le := binary.LittleEndian
	if ver := le.Uint16(b[8:]); ver != FormatVersion {
		return nil, fmt.Errorf("%w: segment format %d, this reader knows %d", ErrTooNew, ver, FormatVersion)
	}
	n := int(b[11])
	head := segmentHeaderSize + n*sectionEntrySize
	if n > maxSections || head > len(b) {
		return nil, damaged("segment of %d bytes has %d sections", len(b), n)
	}
	if headSum(b, head) != le.Uint32(b[12:]) {
		return nil, damaged("segment header checksum")
	}
	if View(b[10]) != v {
		return nil, damaged("segment holds view %d, not %d", b[10], v)
	}
	s := &segment{view: v, raw: b, sections: make([]sectionIn, n)}
	copy(s.key[:], b[16:48])
	rest := b[head:]
	for i := range s.sections {
		e := b[segmentHeaderSize+i*sectionEntrySize:]
		in := &s.sections[i]
		in.id, in.flags, in.sum = le.Uint16(e[0:]), le.Uint16(e[2:]), le.Uint32(e[4:])
		length := le.Uint64(e[8:])
		if length > uint64(len(rest)) || align(int(length)) > len(rest) {
			return nil, damaged("section %d lies outside the file", in.id)
		}
		padded := align(int(length))
		in.data, in.padding, rest = rest[:length:length], rest[length:padded], rest[padded:]
		for j := range i {
			if s.sections[j].id == in.id {
				return nil, damaged("section id %d stands twice", in.id)
			}
		}
		if in.flags&sectionRequired != 0 && !slices.Contains(known, in.id) {
			return nil, fmt.Errorf("%w: required section %d", ErrTooNew, in.id)
		}
	}
	if len(rest) != 0 {
		return nil, damaged("%d bytes behind the last section", len(rest))
	}
	return s, nil
}

// section returns the content of the section with the given id, checked
// against its checksum at the first call. A missing section gives ok false.
func (s *segment) section(id uint16) (data []byte, ok bool, err error) {
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
func (s *segment) need(id uint16) ([]byte, error) {
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
func (s *segment) table(id uint16, what string, limits ...uint8) (int, []column, error) {
	b, err := s.need(id)
	if err != nil {
		return 0, nil, err
	}
	return openTable(b, what, limits...)
}

// strings opens a required section as a string table.
func (s *segment) strings(id uint16, what string) (*stringTable, error) {
	b, err := s.need(id)
	if err != nil {
		return nil, err
	}
	return openStrings(b, what)
}
