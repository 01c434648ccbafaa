package wire

import (
	"encoding/binary"
	"testing"
)

func FuzzReader(f *testing.F) {
	f.Add(uint64(300), "text", 3)
	f.Add(uint64(1<<63), "", 0)
	f.Fuzz(func(t *testing.T, n uint64, s string, cut int) {
		b := AppendText(AppendText(binary.AppendUvarint(nil, n), s), "end")
		r := NewReader(b)
		if got := r.Number(); got != n {
			t.Errorf("number %d, not %d", got, n)
		}
		if r.Whole() {
			t.Error("whole before the end")
		}
		if got := r.Text(); got != s {
			t.Errorf("text %q, not %q", got, s)
		}
		if r.Count(1) != 3 || r.Take(3) != "end" || !r.Whole() {
			t.Error("the end is another")
		}
		if cut >= 0 && cut < len(b) {
			r := NewReader(b[:cut])
			r.Number()
			r.Text()
			if r.Text() == "end" || r.Whole() {
				t.Errorf("%d bytes of %d are whole", cut, len(b))
			}
		}
	})
}

func TestReaderRefuses(t *testing.T) {
	tooLong := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	for _, b := range [][]byte{nil, {0x80}, tooLong, {5, 'a'}} {
		r := NewReader(b)
		if r.Text(); r.Whole() || r.Number() != 0 || r.Take(1) != "" {
			t.Errorf("%v was read", b)
		}
	}
	if r := NewReader([]byte{2, 0, 0, 0}); r.Count(2) != 0 || r.Whole() {
		t.Error("more things than fit")
	}
}
