package query

import "testing"

func TestImportCounts(t *testing.T) {
	for _, counts := range []map[string]uint32{
		{}, {"": 3}, {"a": 1}, {"a": 1, "b": 2, "ab": 3, "": 4, "z": 1<<32 - 1},
	} {
		b := encodeImportCounts(counts)
		c, ok := openImportCounts(b)
		if !ok {
			t.Fatalf("%v cannot be read back", counts)
		}
		for _, name := range []string{"", "a", "aa", "ab", "abc", "b", "z", "zz"} {
			if got := c.of(name); got != counts[name] {
				t.Errorf("%v: %q has %d", counts, name, got)
			}
		}
		for n := range b {
			if _, ok := openImportCounts(b[:n]); ok && n < len(b) {
				t.Errorf("%v: %d of %d bytes pass", counts, n, len(b))
			}
		}
	}
	var none *importCounts
	if none.of("a") != 0 {
		t.Error("without counts there is one")
	}
}
