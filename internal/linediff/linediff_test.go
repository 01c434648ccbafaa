package linediff

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		old, now string
		want     []Hunk
	}{
		{"", "", nil},
		{"a\nb\n", "a\nb\n", nil},
		{"a\nb\nc\n", "a\nx\nc\n", []Hunk{{1, 2, 1, 2}}},
		{"a\nc\n", "a\nb\nc\n", []Hunk{{1, 1, 1, 2}}},
		{"a\nb\nc\n", "a\nc\n", []Hunk{{1, 2, 1, 1}}},
		{"", "a", []Hunk{{0, 0, 0, 1}}},
		{"a\n", "a", []Hunk{{0, 1, 0, 1}}},
		{"1\na\n2\nb\n3\n", "1\nx\n2\ny\n3\n", []Hunk{{1, 2, 1, 2}, {3, 4, 3, 4}}},
	} {
		if got := Lines([]byte(c.old), []byte(c.now)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, %q: %v, want %v", c.old, c.now, got, c.want)
		}
	}
}

// TestLinesRandom applies the hunks to the old text: the new one comes out, and
// no more lines change than were changed.
func TestLinesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var old []string
		for range r.IntN(40) {
			old = append(old, fmt.Sprintf("%d\n", r.IntN(6)))
		}
		now := append([]string(nil), old...)
		edits := r.IntN(8)
		for range edits {
			switch i := r.IntN(len(now) + 1); {
			case r.IntN(2) == 0 && i < len(now):
				now = append(now[:i], now[i+1:]...)
			default:
				now = append(now[:i], append([]string{fmt.Sprintf("%d\n", r.IntN(9))}, now[i:]...)...)
			}
		}
		hunks := Lines([]byte(strings.Join(old, "")), []byte(strings.Join(now, "")))
		var got []string
		at, changed := 0, 0
		for _, h := range hunks {
			got = append(got, old[at:h.OldStart]...)
			got = append(got, now[h.NewStart:h.NewEnd]...)
			at = h.OldEnd
			changed += h.OldEnd - h.OldStart + h.NewEnd - h.NewStart
		}
		got = append(got, old[at:]...)
		if strings.Join(got, "") != strings.Join(now, "") {
			t.Fatalf("%q, %q: %v", old, now, hunks)
		}
		if changed > edits {
			t.Fatalf("%q, %q: %d lines changed by %d edits: %v", old, now, changed, edits, hunks)
		}
	}
}

// TestLinesBounded gives texts without a common line: the work stays bounded.
func TestLinesBounded(t *testing.T) {
	var a, b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	if got := Lines([]byte(a.String()), []byte(b.String())); !reflect.DeepEqual(got, []Hunk{{0, 20000, 0, 20000}}) {
		t.Errorf("%d hunks", len(got))
	}
}
