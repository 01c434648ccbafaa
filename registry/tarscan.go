package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// tarScanner lists the entries of a tar file in place. It reads what an
// archive of a layout needs and refuses the rest: names of at most 255 bytes
// and sizes in the header itself. (archive/tar reads all that tar files can
// say, which would be 41 kB of the reading program; a test compares the two.)
type tarScanner struct {
	r    io.ReaderAt
	next int64 // offset of the next header
}

// tarEntry is one entry of a tar file.
type tarEntry struct {
	name string
	kind byte // '0' for a regular file, '5' for a folder, others as tar has them
	extent
}

const tarBlock = 512

// entry returns the next entry, and io.EOF after the last one.
func (s *tarScanner) entry() (tarEntry, error) {
	for {
		var h [tarBlock]byte
		n, err := s.r.ReadAt(h[:], s.next)
		if n == 0 && err == io.EOF {
			return tarEntry{}, io.EOF // without the zeros that should end it
		}
		if n < tarBlock {
			return tarEntry{}, fmt.Errorf("the header at %d: %w", s.next, errors.Join(io.ErrUnexpectedEOF, err))
		}
		if h == [tarBlock]byte{} {
			return tarEntry{}, io.EOF
		}
		e, err := tarHeader(&h)
		if err != nil {
			return tarEntry{}, fmt.Errorf("the header at %d: %w", s.next, err)
		}
		e.offset = s.next + tarBlock
		s.next = e.offset + (e.size+tarBlock-1)/tarBlock*tarBlock
		switch e.kind {
		case 'x', 'g':
			// Times and owners may stand there; a name or a size that counts
			// more than the header's is beyond this reader.
			b, err := e.read(s.r, 1<<20)
			if err != nil {
				return tarEntry{}, fmt.Errorf("the header at %d: %w", e.offset, err)
			}
			for _, key := range []string{"path=", "size=", "GNU.sparse"} {
				if bytes.Contains(b, []byte(key)) {
					return tarEntry{}, fmt.Errorf("the header at %d has an extended %s", e.offset, key)
				}
			}
		case 0:
			e.kind = '0'
			return e, nil
		default:
			return e, nil
		}
	}
}

// tarHeader reads a header block, of the old kind or ustar's or GNU's.
func tarHeader(h *[tarBlock]byte) (tarEntry, error) {
	sum := int64(8 * ' ')
	for i, c := range h {
		if i < 148 || i >= 156 {
			sum += int64(c)
		}
	}
	want, err := tarNumber(h[148:156])
	if err != nil || want != sum {
		return tarEntry{}, errors.New("its checksum is wrong")
	}
	e := tarEntry{name: tarText(h[:100]), kind: h[156]}
	if e.size, err = tarNumber(h[124:136]); err != nil {
		return tarEntry{}, err
	}
	if string(h[257:263]) == "ustar\x00" {
		if string(h[508:]) == "tar\x00" {
			return tarEntry{}, errors.New("it is one of star's")
		}
		if prefix := tarText(h[345:500]); prefix != "" {
			e.name = prefix + "/" + e.name
		}
	}
	return e, nil
}

func tarText(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// tarNumber reads octal digits, which spaces and zero bytes may surround.
func tarNumber(b []byte) (int64, error) {
	b = bytes.Trim(b, " \x00")
	var n int64
	for _, c := range b {
		if c < '0' || c > '7' {
			return 0, errors.New("a number in it is not octal")
		}
		n = n<<3 | int64(c-'0')
	}
	return n, nil
}
