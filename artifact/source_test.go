package artifact

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestSource(t *testing.T) {
	for _, contents := range [][][]byte{
		nil,
		{nil},
		{[]byte("only")},
		{nil, []byte("a\n"), nil, nil, []byte("\x00\xff\r\n"), nil},
		{bytes.Repeat([]byte("x"), 70000), []byte("y")},
	} {
		b, err := EncodeSource(Digest{2}, contents)
		if err != nil {
			t.Fatal(err)
		}
		r, err := OpenSource(b)
		if err != nil {
			t.Fatal(err)
		}
		if r.Key() != (Digest{2}) || r.NumFiles() != len(contents) || !bytes.Equal(r.Text(), slices.Concat(contents...)) {
			t.Fatalf("key %v, %d files", r.Key(), r.NumFiles())
		}
		off := 0
		for i, c := range contents {
			lo, hi := r.FileRange(i)
			if !bytes.Equal(r.Content(i), c) || lo != off || hi != off+len(c) {
				t.Fatalf("file %d: %q at [%d, %d)", i, r.Content(i), lo, hi)
			}
			for k := lo; k < hi; k += 1 + len(c)/50 {
				if r.FileAt(k) != i {
					t.Fatalf("byte %d is of file %d, not %d", k, r.FileAt(k), i)
				}
			}
			off = hi
		}
	}
}

func TestSourceRules(t *testing.T) {
	segment := func(text string, ends ...uint64) []byte {
		w := newSegmentWriter(Source, Digest{})
		table := newTableWriter(len(ends), 1)
		for i, e := range ends {
			table.set(i, 0, e)
		}
		w.add(secSourceEnds, sectionRequired, table.bytes())
		w.add(secSourceText, sectionRequired, []byte(text))
		return w.bytes()
	}
	if _, err := OpenSource(segment("abc", 0, 2, 3)); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"text without a file":   segment("abc", 0, 2),
		"end behind the text":   segment("abc", 0, 4),
		"ends descend":          segment("abc", 2, 1, 3),
		"end above every text":  segment("abc", 1<<63, 3),
		"text without any file": segment("abc"),
	} {
		if _, err := OpenSource(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
