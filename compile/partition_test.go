package compile

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"testing"
)

func TestPartitionBits(t *testing.T) {
	for _, c := range []struct{ files, want int }{
		{0, 0}, {1, 0}, {40, 0}, {41, 1}, {160, 1}, {161, 2}, {640, 2}, {641, 3}, {2560, 3}, {2561, 4}, {5120, 4}, {5121, 5},
		{7066, 5}, {13_024, 6}, {40_961, 8}, {200_000, 8}, {1_000_000, 8},
	} {
		if got := partitionBits(c.files); got != c.want {
			t.Errorf("partitionBits(%d) = %d, want %d", c.files, got, c.want)
		}
	}
}

// TestStartsPartition reads the digest as one big-endian number, which is
// what the documentation says, and so would another implementation.
func TestStartsPartition(t *testing.T) {
	for i := range 4000 {
		path := fmt.Sprintf("dir%d/file-%d.go", i%7, i)
		sum := sha256.Sum256([]byte(path))
		n := new(big.Int).SetBytes(sum[:])
		for _, k := range []int{0, 1, 3, 8, 12} {
			mod := new(big.Int).Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(k)))
			if got, want := startsPartition(path, k), mod.Sign() == 0; got != want {
				t.Fatalf("startsPartition(%q, %d) = %v", path, k, got)
			}
		}
	}
}

// TestPartitionsStay checks what the rule is for: an added path moves the
// limits of one partition at most.
func TestPartitionsStay(t *testing.T) {
	var paths []string
	for i := range 2000 {
		paths = append(paths, fmt.Sprintf("%03d/%d.py", i%90, i))
	}
	slices.Sort(paths)
	runs := func(paths []string) []string {
		starts := partitions(len(paths), 3, func(i int) string { return paths[i] })
		var out []string
		for i := range len(starts) - 1 {
			out = append(out, fmt.Sprint(paths[starts[i]:starts[i+1]]))
		}
		return out
	}
	before := runs(paths)
	for _, added := range []string{"000/a.py", "045/zz.py", "999", "\x00"} {
		i, _ := slices.BinarySearch(paths, added)
		changed := 0
		for _, run := range runs(slices.Insert(slices.Clone(paths), i, added)) {
			if !slices.Contains(before, run) {
				changed++
			}
		}
		if changed > 2 {
			t.Errorf("adding %q changes %d of %d partitions", added, changed, len(before))
		}
	}
	if got := partitions(0, 0, nil); !slices.Equal(got, []int{0}) {
		t.Errorf("an empty tree has partitions %v", got)
	}
}
