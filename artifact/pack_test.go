package artifact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
)

func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	c := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = c.Read(b)
	return b
}

func testPack(t testing.TB) ([]PackSegment, []byte) {
	t.Helper()
	segs := []PackSegment{
		{View: Units, Bytes: bytes.Repeat([]byte("units "), 500)},
		{View: Source, Bytes: noise(1, 3000)}, // does not compress
		{View: Dense, Bytes: []byte{1}},
	}
	b, err := EncodePack(segs)
	if err != nil {
		t.Fatal(err)
	}
	return segs, b
}

func TestPackRoundTrip(t *testing.T) {
	segs, b := testPack(t)
	p, err := OpenPack(b)
	if err != nil {
		t.Fatal(err)
	}
	codecs := []Codec{CodecZstd, CodecRaw, CodecRaw}
	at := int64(packHeaderSize + 3*packEntrySize)
	for i, e := range p.Entries() {
		if e.View != segs[i].View || e.Codec != codecs[i] || e.RawLength != int64(len(segs[i].Bytes)) || e.Offset != at || e.Digest != DigestOf(segs[i].Bytes) {
			t.Fatalf("entry %d: %+v", i, e)
		}
		at += e.Length
		info := SegmentInfo{Digest: e.Digest, Size: e.RawLength}
		for _, read := range []func() ([]byte, error){
			func() ([]byte, error) { return p.Segment(e.View) },
			func() ([]byte, error) { return p.SegmentAs(e.View, info) },
			func() ([]byte, error) { return e.Decode(b[e.Offset : e.Offset+e.Length]) },
		} {
			if got, err := read(); err != nil || !bytes.Equal(got, segs[i].Bytes) {
				t.Fatalf("segment %d: %v", i, err)
			}
		}
		for _, other := range []SegmentInfo{{Digest: e.Digest, Size: e.RawLength + 1}, {Digest: Digest{1}, Size: e.RawLength}} {
			if _, err := p.SegmentAs(e.View, other); !errors.Is(err, ErrDamaged) {
				t.Fatalf("another segment than the manifest's: %v", err)
			}
		}
		if _, err := e.Decode(b[e.Offset : e.Offset+e.Length-1]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a byte short: %v", err)
		}
	}
	if at != int64(len(b)) {
		t.Fatalf("segments end at %d of %d", at, len(b))
	}
	if _, err := p.Segment(Lexical); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	empty, err := EncodePack(nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := OpenPack(empty); err != nil || len(p.Entries()) != 0 {
		t.Fatal(err)
	}
}

// TestPackTOC reads the table of contents from every possible prefix.
func TestPackTOC(t *testing.T) {
	_, b := testPack(t)
	head := packHeaderSize + 3*packEntrySize
	for n := range b {
		entries, size, need, err := ReadPackTOC(b[:n])
		switch {
		case err != nil:
			t.Fatalf("%d bytes: %v", n, err)
		case n < packHeaderSize && need != packHeaderSize, n >= packHeaderSize && n < head && need != head:
			t.Fatalf("%d bytes: need %d", n, need)
		case n >= head && (need != 0 || len(entries) != 3 || size != int64(len(b))):
			t.Fatalf("%d bytes: %d entries, size %d, need %d", n, len(entries), size, need)
		}
		if _, err := OpenPack(b[:n]); err == nil {
			t.Fatalf("a pack of %d bytes opens", n)
		}
	}
	if _, err := OpenPack(append(slices.Clone(b), 0)); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

// TestPackEncoderState: what was compressed before does not show.
func TestPackEncoderState(t *testing.T) {
	s := newSample(newRand(4), 20, 20)
	segs := s.encode(t, Digest{1})
	enc, err := newPackEncoder()
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for _, p := range segs {
		fresh, err := newPackEncoder()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fresh.EncodeAll(p.Bytes, nil))
	}
	for round := range 30 {
		for i, p := range segs {
			if got := enc.EncodeAll(p.Bytes, nil); !bytes.Equal(got, want[i]) {
				t.Fatalf("round %d: segment %d compresses differently", round, i)
			}
		}
		enc.EncodeAll(noise(uint64(round), 1+round*5000), nil)
	}
}

// TestPackEncoderVector pins the compressed bytes, over more than one block of
// the frame, so that registries go on sharing equal packs: an update of the
// library that changes them shows here.
func TestPackEncoderVector(t *testing.T) {
	var text []byte
	for i, x := 0, uint32(1); i < 60000; i++ {
		x = x*1664525 + 1013904223
		text = append(text, sampleWords[x>>16%uint32(len(sampleWords))]...)
		text = append(text, " \n.(=\t"[x>>28%6])
	}
	b, err := EncodePack([]PackSegment{{View: Source, Bytes: text}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha256:a1970f74f48bed950c5c410b6cd73a2d51c3e238628f6c8d22763a893de93445"
	if got := DigestOf(b).String(); got != want {
		t.Errorf("%d bytes packed from %d have digest %s, want %s", len(b), len(text), got, want)
	}
}

func TestEncodePackRefusals(t *testing.T) {
	one := []byte{1}
	for name, segs := range map[string][]PackSegment{
		"views out of order": {{View: Dense, Bytes: one}, {View: Source, Bytes: one}},
		"view twice":         {{View: Dense, Bytes: one}, {View: Dense, Bytes: one}},
		"empty segment":      {{View: Dense}},
		"another digest":     {{View: Dense, Bytes: one, Digest: Digest{1}}},
		"too many":           make([]PackSegment, maxPackEntries+1),
	} {
		if _, err := EncodePack(segs); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// resealPack rewrites the checksums of a pack in place as far as it can be
// read.
func resealPack(b []byte) []byte {
	if len(b) < packHeaderSize {
		return b
	}
	le := binary.LittleEndian
	if head := packHeaderSize + packEntrySize*int(le.Uint16(b[10:])); head <= len(b) {
		le.PutUint32(b[24:], crc32.Checksum(b[packHeaderSize:head], castagnoli))
	}
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

func TestPackDamage(t *testing.T) {
	segs, good := testPack(t)
	le := binary.LittleEndian
	entry := func(b []byte, i int) []byte { return b[packHeaderSize+i*packEntrySize:] }
	for _, c := range []struct {
		name string
		edit func(b []byte)
		want error
	}{
		{"magic", func(b []byte) { b[0] = 'x' }, ErrNotPindex},
		{"a segment", func(b []byte) { copy(b, segmentMagic) }, ErrNotPindex},
		{"later version", func(b []byte) { b[8] = 1 }, ErrTooNew},
		{"reserved byte", func(b []byte) { b[12] = 1 }, ErrTooNew},
		{"reserved byte of a row", func(b []byte) { entry(b, 0)[3] = 1 }, ErrTooNew},
		{"codec", func(b []byte) { entry(b, 0)[1] = 9 }, ErrTooNew},
		{"too many segments", func(b []byte) { le.PutUint16(b[10:], 65) }, ErrDamaged},
		{"a segment less", func(b []byte) { le.PutUint16(b[10:], 2) }, ErrDamaged},
		{"size", func(b []byte) { b[16]++ }, ErrDamaged},
		{"views out of order", func(b []byte) { entry(b, 0)[0] = 9 }, ErrDamaged},
		{"length", func(b []byte) { entry(b, 1)[4]++ }, ErrDamaged},
		{"length 0", func(b []byte) { le.PutUint32(entry(b, 0)[4:], 0) }, ErrDamaged},
		{"uncompressed length 0", func(b []byte) { le.PutUint32(entry(b, 0)[8:], 0) }, ErrDamaged},
		{"uncompressed length above the limit", func(b []byte) { le.PutUint32(entry(b, 0)[8:], MaxSegmentSize+1) }, ErrDamaged},
		{"uncompressed length beyond any ratio", func(b []byte) { le.PutUint32(entry(b, 0)[8:], MaxSegmentSize) }, ErrDamaged},
		{"raw of another length", func(b []byte) { entry(b, 1)[8]++ }, ErrDamaged},
		{"uncompressed length too small", func(b []byte) { le.PutUint32(entry(b, 0)[8:], 2999) }, ErrDamaged},
		{"uncompressed length too large", func(b []byte) { le.PutUint32(entry(b, 0)[8:], 3001) }, ErrDamaged},
		{"digest", func(b []byte) { entry(b, 0)[16]++ }, ErrDamaged},
		{"compressed byte", func(b []byte) { b[packHeaderSize+3*packEntrySize+8] ^= 0x55 }, ErrDamaged},
		{"raw byte", func(b []byte) { b[len(b)-2] ^= 0x55 }, ErrDamaged},
	} {
		b := slices.Clone(good)
		c.edit(b)
		if err := readAll(resealPack(b)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	for i := range good {
		b := slices.Clone(good)
		b[i] ^= 0x41
		if err := readAll(b); !isFormatError(err) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
	}
	// A bomb: a small frame that the table says is small, too.
	bomb, err := EncodePack([]PackSegment{{View: Units, Bytes: make([]byte, 50<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	le.PutUint32(entry(bomb, 0)[8:], uint32(len(segs[0].Bytes)))
	if err := readAll(resealPack(bomb)); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

// readAll reads every segment of a pack.
func readAll(b []byte) error {
	p, err := OpenPack(b)
	if err != nil {
		return err
	}
	for _, e := range p.Entries() {
		if _, err := p.Segment(e.View); err != nil {
			return err
		}
	}
	return nil
}

func TestSegmentKey(t *testing.T) {
	file := func(path, decision string) KeyFile {
		return KeyFile{Path: path, Mode: 0o100644, Decision: decision}
	}
	type args struct {
		v     View
		theta string
		langs []string
		files []KeyFile
	}
	seen := map[Digest]int{}
	for i, a := range []args{
		{Units, "", nil, nil},
		{Source, "", nil, nil},
		{Units, "a", nil, nil},
		{Units, "", []string{"a"}, nil},
		{Units, "", []string{"", "a"}, nil},
		{Units, "", []string{"a", ""}, nil},
		{Units, "", nil, []KeyFile{file("a", "")}},
		{Units, "", nil, []KeyFile{file("", "a")}},
		{Units, "", nil, []KeyFile{file("ab", "c")}},
		{Units, "", nil, []KeyFile{file("a", "bc")}},
		{Units, "", nil, []KeyFile{file("a", ""), file("b", "")}},
		{Units, "", nil, []KeyFile{{Path: "a", Mode: 0o100755}}},
		{Units, "", nil, []KeyFile{{Path: "a", Mode: 0o100644, Input: Digest{1}}}},
	} {
		k := SegmentKey(a.v, a.theta, a.langs, a.files)
		if j, ok := seen[k]; ok {
			t.Errorf("inputs %d and %d have one key", i, j)
		}
		seen[k] = i
		if k != SegmentKey(a.v, a.theta, a.langs, a.files) {
			t.Errorf("input %d has two keys", i)
		}
	}
	// Many files: the buffer is flushed in between without a trace.
	many := make([]KeyFile, 500)
	for i := range many {
		many[i] = file(string(noise(uint64(i), 40)), "indexed")
	}
	if a, b := SegmentKey(Units, "", nil, many), SegmentKey(Units, "", nil, many[:499]); a == b {
		t.Error("a file does not count")
	}
}
