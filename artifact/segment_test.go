package artifact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
)

// resealSegment rewrites the checksums of a segment in place as far as its
// table can be read, so that tests reach what lies behind them.
func resealSegment(b []byte) []byte {
	if len(b) < segmentHeaderSize {
		return b
	}
	le := binary.LittleEndian
	n := int(b[11])
	off := segmentHeaderSize + n*sectionEntrySize
	if n > maxSections || off > len(b) {
		return b
	}
	head := off
	for i := range n {
		e := b[segmentHeaderSize+i*sectionEntrySize:]
		length := le.Uint64(e[8:])
		if length > uint64(len(b)-off) {
			break
		}
		le.PutUint32(e[4:], crc32.Checksum(b[off:off+int(length)], castagnoli))
		off = min(len(b), align(off+int(length)))
	}
	le.PutUint32(b[12:], headSum(b, head))
	return b
}

// testSegment has three sections: 7 (required), 9 (optional), 8 (required and
// empty).
func testSegment() []byte {
	w := newSegmentWriter(Source, DigestOf([]byte("key")))
	w.add(7, sectionRequired, []byte("seven"))
	w.add(9, 0, bytes.Repeat([]byte{9}, 16))
	w.add(8, sectionRequired, nil)
	return w.bytes()
}

// contents returns every section's content, or the first error.
func contents(b []byte) (string, error) {
	s, err := openSegment(b, Source, 7, 8, 9)
	if err != nil {
		return "", err
	}
	out := string(s.key[:])
	for _, id := range []uint16{7, 8, 9} {
		data, err := s.need(id)
		if err != nil {
			return "", err
		}
		out += string(data) + "|"
	}
	return out, nil
}

func TestSegmentRoundTrip(t *testing.T) {
	got, err := contents(testSegment())
	key := DigestOf([]byte("key"))
	if want := string(key[:]) + "seven||" + string(bytes.Repeat([]byte{9}, 16)) + "|"; err != nil || got != want {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

func TestSegmentFlippedBits(t *testing.T) {
	b := testSegment()
	for i := range b {
		for bit := range 8 {
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			if got, err := contents(c); err == nil {
				t.Fatalf("byte %d bit %d flipped: no error, content %q", i, bit, got)
			}
			if _, err := contents(resealSegment(c)); err != nil && !isFormatError(err) {
				t.Fatalf("byte %d bit %d flipped behind checksums: %v", i, bit, err)
			}
		}
	}
	for n := range b {
		if _, err := contents(b[:n]); err == nil {
			t.Fatalf("cut to %d bytes: no error", n)
		}
	}
	if _, err := contents(append(slices.Clone(b), make([]byte, 16)...)); !errors.Is(err, ErrDamaged) {
		t.Fatalf("bytes behind the last section: %v", err)
	}
}

// isFormatError reports whether err wraps one of the three sentinels that
// every parser of this package promises.
func isFormatError(err error) bool {
	return errors.Is(err, ErrNotPindex) || errors.Is(err, ErrTooNew) || errors.Is(err, ErrDamaged)
}

func TestSegmentRefusals(t *testing.T) {
	le := binary.LittleEndian
	entry := func(b []byte, i int) []byte { return b[segmentHeaderSize+i*sectionEntrySize:] }
	for _, c := range []struct {
		name string
		edit func(b []byte) []byte
		want error
	}{
		{"empty", func([]byte) []byte { return nil }, ErrNotPindex},
		{"magic", func(b []byte) []byte { b[0] = 'X'; return b }, ErrNotPindex},
		{"a pack", func(b []byte) []byte { copy(b, packMagic); return b }, ErrNotPindex},
		{"later version", func(b []byte) []byte { b[8] = FormatVersion + 1; return b }, ErrTooNew},
		{"other view", func(b []byte) []byte { b[10] = byte(Dense); return b }, ErrDamaged},
		{"too many sections", func(b []byte) []byte { b[11] = 255; return b }, ErrDamaged},
		{"one section less", func(b []byte) []byte { b[11]--; return b }, ErrDamaged},
		{"unknown required section", func(b []byte) []byte { le.PutUint16(entry(b, 0), 99); return b }, ErrTooNew},
		{"id twice", func(b []byte) []byte { le.PutUint16(entry(b, 0), 8); return b }, ErrDamaged},
		{"section reaches outside", func(b []byte) []byte { le.PutUint64(entry(b, 2)[8:], 1); return b }, ErrDamaged},
		{"length that overflows", func(b []byte) []byte { le.PutUint64(entry(b, 0)[8:], 1<<64-1); return b }, ErrDamaged},
		{"length near the largest int", func(b []byte) []byte { le.PutUint64(entry(b, 0)[8:], 1<<63-1); return b }, ErrDamaged},
		{"section cut short", func(b []byte) []byte { le.PutUint64(entry(b, 1)[8:], 0); return b }, ErrDamaged},
		{"padding", func(b []byte) []byte { b[segmentHeaderSize+3*sectionEntrySize+5] = 1; return b }, ErrDamaged},
	} {
		if _, err := contents(resealSegment(c.edit(testSegment()))); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestSegmentUnknownOptionalSection(t *testing.T) {
	s, err := openSegment(testSegment(), Source, 7, 8)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := s.need(7); err != nil || string(data) != "seven" {
		t.Fatalf("section 7: %q, %v", data, err)
	}
	if _, ok, err := s.section(10); ok || err != nil {
		t.Fatalf("section 10: %t, %v", ok, err)
	}
	if _, err := s.need(10); !errors.Is(err, ErrDamaged) {
		t.Fatalf("need(10): %v", err)
	}
	// Its damage is nobody's business.
	b := testSegment()
	b[len(b)-1] ^= 1
	if s, err = openSegment(b, Source, 7, 8); err != nil {
		t.Fatal(err)
	}
	if _, err := s.need(7); err != nil {
		t.Fatal(err)
	}
}

// TestTableLaterColumns: columns that a later writer adds are ignored.
func TestTableLaterColumns(t *testing.T) {
	w := newTableWriter(3, 3)
	for i := range 3 {
		w.set(i, 0, uint64(i))
		w.set(i, 1, uint64(i)<<8)
		w.set(i, 2, 1<<63)
	}
	rows, cols, err := openTable(w.bytes(), "test", 1, 2)
	if err != nil || rows != 3 || len(cols) != 2 || cols[1].at(2) != 512 {
		t.Fatalf("%d rows, %d columns, %v", rows, len(cols), err)
	}
	if _, _, err := openTable(w.bytes(), "test", 1, 1); !errors.Is(err, ErrDamaged) {
		t.Fatalf("a column wider than allowed: %v", err)
	}
	if _, _, err := openTable(w.bytes(), "test", 1, 2, 8, 1); !errors.Is(err, ErrDamaged) {
		t.Fatalf("a column too few: %v", err)
	}
}

func TestTableRoundTrip(t *testing.T) {
	r := newRand(7)
	space := getWorkspace() // of which each column is to get a part of its own, whatever lay there before
	defer space.put()
	for range 200 {
		space.free = space.numbers
		rows, n := r.IntN(40), 1+r.IntN(5)
		w := newTableWriter(rows, n)
		limits := make([]uint8, n)
		for c := range n {
			limits[c] = 8
			shift := r.IntN(65)
			for i := range rows {
				w.set(i, c, r.Uint64()>>shift)
			}
		}
		got, cols, err := openTable(w.bytes(), "test", limits...)
		if err != nil || got != rows {
			t.Fatal(got, err)
		}
		for c := range n {
			var all []uint32
			if cols[c].w <= 4 {
				all = space.all(&cols[c])
			}
			for i := range rows {
				v := w.columns[c][i]
				if all != nil && all[i] != uint32(v) {
					t.Fatalf("all: column %d row %d: %d, want %d", c, i, all[i], v)
				}
				if cols[c].at(i) != v {
					t.Fatalf("column %d row %d: %d, want %d", c, i, cols[c].at(i), v)
				}
			}
			for range 20 {
				if rows == 0 {
					break
				}
				lo := r.IntN(rows)
				hi := lo + r.IntN(rows-lo+1)
				v := w.columns[c][r.IntN(rows)]
				want := lo
				for want < hi && w.columns[c][want] != v {
					want++
				}
				if k := cols[c].next(v, lo, hi); k != want {
					t.Fatalf("next(%d, %d, %d) = %d, want %d", v, lo, hi, k, want)
				}
			}
		}
	}
}

// TestTableRowsAreBounded: columns of zero width must not let a few bytes
// stand for billions of rows.
func TestTableRowsAreBounded(t *testing.T) {
	b := make([]byte, tableHeader+2)
	binary.LittleEndian.PutUint32(b, 1<<30)
	binary.LittleEndian.PutUint16(b[4:], 2)
	if _, _, err := openTable(b, "test", 8, 8); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

func TestStringTable(t *testing.T) {
	r := newRand(8)
	for _, longest := range []int{0, 3, 300, 70000} {
		s := newStringBuilder()
		for range r.IntN(100) + 1 {
			v := make([]byte, r.IntN(longest+1))
			for i := range v {
				v[i] = "ab\x00\xff"[r.IntN(4)]
			}
			s.id(string(v))
		}
		s.sort()
		b, err := encodeStrings(s.list)
		if err != nil {
			t.Fatal(err)
		}
		o, err := openStrings(b, "test")
		if err != nil {
			t.Fatal(err)
		}
		if o.n != len(s.list) || !o.sorted() || !slices.Equal(o.all(), s.list) {
			t.Fatal("strings differ")
		}
		for i, v := range s.list {
			if k, ok := o.find(v); !ok || k != i || o.str(i) != v {
				t.Fatalf("string %d: found %d, %t", i, k, ok)
			}
			if _, ok := o.find(v + "x"); ok {
				t.Fatal("found a string that is not there")
			}
			var walked []string
			o.walk(i, func(k int, v []byte) bool { walked = append(walked, string(v)); return len(walked) < 5 })
			if !slices.Equal(walked, s.list[i:min(len(s.list), i+5)]) {
				t.Fatalf("walk from %d: %q", i, walked)
			}
		}
		for i := range len(b) {
			if len(b) > 5000 && i > 60 {
				break
			}
			for _, v := range []byte{0, 1, 0x7f, 0xff} {
				c := slices.Clone(b)
				c[i] = v
				if o, err := openStrings(c, "test"); err == nil {
					for i := range o.n {
						o.bytes(i)
					}
				} else if !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
			}
			if _, err := openStrings(b[:i], "test"); err == nil {
				t.Fatalf("cut to %d bytes: no error", i)
			}
		}
	}
}
