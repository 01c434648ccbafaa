package artifact

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Pack layout (see FORMAT.md):
//
//	0   8  magic "PINDEXPK"
//	8   2  format version
//	10  2  number of segments
//	12  4  zero
//	16  8  size of the pack
//	24  4  CRC-32C of the table of contents
//	28  4  CRC-32C of bytes 0..27
//	32  48 × segments: view u8, codec u8, zero u16, length u32, uncompressed
//	       length u32, zero u32, sha256 of the uncompressed segment
//	..  the stored segments back to back, in the order of the table
const (
	packMagic      = "PINDEXPK"
	packHeaderSize = 32
	packEntrySize  = 48
	maxPackEntries = 64
)

// PackTOCMax is a number of bytes from the start of a pack that always
// suffices for ReadPackTOC.
const PackTOCMax = packHeaderSize + maxPackEntries*packEntrySize

// PackTOCSize returns how many bytes of a pack of n segments suffice for
// ReadPackTOC.
func PackTOCSize(n int) int64 { return packHeaderSize + int64(n)*packEntrySize }

// Codec says how a segment is stored in a pack. The number is part of the
// format.
type Codec uint8

const (
	CodecRaw  Codec = 0
	CodecZstd Codec = 1 // one zstd frame
)

// PackSegment is one segment to be packed.
type PackSegment struct {
	View   View
	Digest Digest // of Bytes; may be zero, then it is computed
	Bytes  []byte
}

// PackEntry is one row of a pack's table of contents.
type PackEntry struct {
	View      View
	Codec     Codec
	Offset    int64 // in the pack
	Length    int64 // as stored
	RawLength int64 // of the segment
	Digest    Digest
}

// packWindow is the window of the zstd encoder: what level 3 of its own
// defaults to, pinned here.
const packWindow = 8 << 20

// newPackEncoder returns an encoder whose output is a function of its input
// and the library's version alone, which the golden pack pins. The content
// checksum is left out: the table of contents holds a sha256.
func newPackEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(packWindow), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true),
		// Vectors repeat nothing and still have a sixth to spare.
		zstd.WithAllLitEntropyCompression(true))
}

var packEncoders = sync.Pool{New: func() any {
	e, err := newPackEncoder()
	if err != nil {
		return err
	}
	return e
}}

// EncodePack returns a pack of the given segments in their order, which must
// be that of their views. Each is compressed by itself where that saves at
// least one byte in 32.
func EncodePack(segs []PackSegment) ([]byte, error) {
	if len(segs) > maxPackEntries {
		return nil, fmt.Errorf("pack of %d segments, more than %d", len(segs), maxPackEntries)
	}
	enc := packEncoders.Get()
	encoder, ok := enc.(*zstd.Encoder)
	if !ok {
		return nil, fmt.Errorf("zstd encoder: %v", enc)
	}
	defer packEncoders.Put(encoder)
	le := binary.LittleEndian
	head := packHeaderSize + packEntrySize*len(segs)
	b := make([]byte, head)
	for i, s := range segs {
		if i > 0 && s.View <= segs[i-1].View {
			return nil, fmt.Errorf("pack: the %s segment stands behind the %s segment", s.View, segs[i-1].View)
		}
		if len(s.Bytes) == 0 || len(s.Bytes) > MaxSegmentSize {
			return nil, fmt.Errorf("pack: a %s segment of %d bytes, allowed are 1 to %d", s.View, len(s.Bytes), MaxSegmentSize)
		}
		digest := DigestOf(s.Bytes)
		if !s.Digest.IsZero() && s.Digest != digest {
			return nil, fmt.Errorf("pack: the %s segment has digest %s, not %s", s.View, digest, s.Digest)
		}
		offset, codec := len(b), CodecZstd
		b = encoder.EncodeAll(s.Bytes, b)
		if len(b)-offset > len(s.Bytes)-len(s.Bytes)/32-1 {
			codec = CodecRaw
			b = append(b[:offset], s.Bytes...)
		}
		e := b[packHeaderSize+packEntrySize*i:]
		e[0], e[1] = byte(s.View), byte(codec)
		le.PutUint32(e[4:], uint32(len(b)-offset))
		le.PutUint32(e[8:], uint32(len(s.Bytes)))
		copy(e[16:48], digest[:])
	}
	copy(b, packMagic)
	le.PutUint16(b[8:], FormatVersion)
	le.PutUint16(b[10:], uint16(len(segs)))
	le.PutUint64(b[16:], uint64(len(b)))
	le.PutUint32(b[24:], crc32.Checksum(b[packHeaderSize:head], castagnoli))
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b, checkPack(b, segs)
}

// checkPack reads back what EncodePack wrote.
func checkPack(b []byte, segs []PackSegment) error {
	p, err := OpenPack(b)
	if err != nil {
		return err
	}
	for _, s := range segs {
		got, err := p.Segment(s.View)
		if err != nil {
			return err
		}
		if string(got) != string(s.Bytes) {
			return damaged("pack: the %s segment differs when read back", s.View)
		}
	}
	return nil
}

// ReadPackTOC reads the table of contents from the first bytes of a pack.
// When prefix is too short, need is the number of bytes that are wanted
// (PackTOCMax always suffices) and the rest is zero. size is the size of the
// whole pack. Errors wrap ErrNotPindex, ErrTooNew or ErrDamaged.
func ReadPackTOC(prefix []byte) (entries []PackEntry, size int64, need int, err error) {
	if n := min(len(prefix), len(packMagic)); string(prefix[:n]) != packMagic[:n] {
		return nil, 0, 0, fmt.Errorf("%w: no pack", ErrNotPindex)
	}
	if len(prefix) < packHeaderSize {
		return nil, 0, packHeaderSize, nil
	}
	le := binary.LittleEndian
	if v := le.Uint16(prefix[8:]); v != FormatVersion {
		return nil, 0, 0, fmt.Errorf("%w: pack format %d, this reader knows %d", ErrTooNew, v, FormatVersion)
	}
	if crc32.Checksum(prefix[:28], castagnoli) != le.Uint32(prefix[28:]) {
		return nil, 0, 0, damaged("pack header checksum")
	}
	n := int(le.Uint16(prefix[10:]))
	if n > maxPackEntries {
		return nil, 0, 0, damaged("pack of %d segments", n)
	}
	if !allZero(prefix[12:16]) {
		return nil, 0, 0, fmt.Errorf("%w: reserved bytes of the pack header", ErrTooNew)
	}
	head := packHeaderSize + n*packEntrySize
	if len(prefix) < head {
		return nil, 0, head, nil
	}
	if crc32.Checksum(prefix[packHeaderSize:head], castagnoli) != le.Uint32(prefix[24:]) {
		return nil, 0, 0, damaged("pack table of contents checksum")
	}
	total := le.Uint64(prefix[16:])
	at := uint64(head)
	entries = make([]PackEntry, n)
	for i := range entries {
		b := prefix[packHeaderSize+i*packEntrySize:]
		length, raw := uint64(le.Uint32(b[4:])), uint64(le.Uint32(b[8:]))
		e := PackEntry{View: View(b[0]), Codec: Codec(b[1]), Offset: int64(at), Length: int64(length), RawLength: int64(raw), Digest: Digest(b[16:48])}
		if !allZero(b[2:4]) || !allZero(b[12:16]) || e.Codec > CodecZstd {
			return nil, 0, 0, fmt.Errorf("%w: codec %d of a pack", ErrTooNew, e.Codec)
		}
		if i > 0 && e.View <= entries[i-1].View {
			return nil, 0, 0, damaged("views of a pack do not ascend")
		}
		if length == 0 || length > total || raw == 0 || raw > MaxSegmentSize ||
			e.Codec == CodecRaw && raw != length || e.Codec == CodecZstd && raw > maxZstdRatio*length {
			return nil, 0, 0, damaged("segment %d of a pack: %d bytes for %d", i, length, raw)
		}
		at += length
		entries[i] = e
	}
	if at != total {
		return nil, 0, 0, damaged("a pack says it has %d bytes, its segments end at %d", total, at)
	}
	return entries, int64(total), 0, nil
}

// Pack is an open pack.
type Pack struct {
	b       []byte
	entries []PackEntry
}

// OpenPack reads the table of contents of a whole pack. Segments are checked
// when they are read. Errors wrap ErrNotPindex, ErrTooNew or ErrDamaged.
func OpenPack(b []byte) (*Pack, error) {
	entries, size, need, err := ReadPackTOC(b)
	if err != nil {
		return nil, err
	}
	if need > 0 || size != int64(len(b)) {
		return nil, damaged("pack of %d bytes, the file has %d", max(size, int64(need)), len(b))
	}
	return &Pack{b, entries}, nil
}

// Entries returns the table of contents, in the order of views.
func (p *Pack) Entries() []PackEntry { return p.entries }

// Entry returns the row of the given view.
func (p *Pack) Entry(v View) (PackEntry, bool) {
	for _, e := range p.entries {
		if e.View == v {
			return e, true
		}
	}
	return PackEntry{}, false
}

// Segment returns the segment of the given view: decompressed, of the length
// and with the digest that the table of contents names. It aliases the pack
// where it is stored raw.
func (p *Pack) Segment(v View) ([]byte, error) {
	e, ok := p.Entry(v)
	if !ok {
		return nil, damaged("the pack has no %s segment", v)
	}
	return e.Decode(p.b[e.Offset : e.Offset+e.Length])
}

// SegmentAs is Segment, for a caller that knows from the manifest what the
// segment must be: nothing is decompressed unless the table agrees.
func (p *Pack) SegmentAs(v View, want SegmentInfo) ([]byte, error) {
	e, ok := p.Entry(v)
	if !ok {
		return nil, damaged("the pack has no %s segment", v)
	}
	if err := e.Check(want); err != nil {
		return nil, err
	}
	return p.Segment(v)
}

// Check compares a row with what the manifest says about the segment.
func (e PackEntry) Check(want SegmentInfo) error {
	if e.RawLength != want.Size || e.Digest != want.Digest {
		return damaged("the pack's %s segment is %s of %d bytes, the manifest's %s of %d bytes",
			e.View, e.Digest, e.RawLength, want.Digest, want.Size)
	}
	return nil
}

// maxZstdRatio is more than zstd can ever compress: a block of 128 KiB from
// four bytes. It keeps a table of contents from asking for memory that its
// stored bytes could not fill.
const maxZstdRatio = 128 << 10 / 4

// packDecoder is shared: its DecodeAll is safe for concurrent use, and the
// capacity of the destination limits its output.
var packDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(MaxSegmentSize))
})

// Decode returns the segment whose stored bytes are given, such as those of a
// Range read: decompressed with an output limit of RawLength, and checked
// against the digest. It returns stored itself where that is raw.
func (e PackEntry) Decode(stored []byte) ([]byte, error) {
	if int64(len(stored)) != e.Length || e.RawLength < 0 || e.RawLength > MaxSegmentSize {
		return nil, damaged("%d stored bytes of the %s segment, not %d", len(stored), e.View, e.Length)
	}
	raw := stored
	switch e.Codec {
	case CodecRaw:
	case CodecZstd:
		dec, err := packDecoder()
		if err != nil {
			return nil, fmt.Errorf("zstd decoder: %w", err)
		}
		if raw, err = dec.DecodeAll(stored, make([]byte, 0, e.RawLength)); err != nil {
			return nil, damaged("decompressing the %s segment: %v", e.View, err)
		}
	default:
		return nil, fmt.Errorf("%w: codec %d of a pack", ErrTooNew, e.Codec)
	}
	if int64(len(raw)) != e.RawLength || DigestOf(raw) != e.Digest {
		return nil, damaged("the %s segment does not have the digest of the pack's table of contents", e.View)
	}
	return raw, nil
}
