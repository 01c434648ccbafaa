package compile

import (
	"crypto/sha256"
	"encoding/binary"
)

// partitionRule names the rule of partitionBits in the profile. It is to be
// changed with it.
const partitionRule = "2"

const (
	// mostPartitions is what k keeps all but the largest trees under: each
	// costs a request of a cold pull and a look into a dictionary for each
	// word of a question.
	mostPartitions = 320
	// leastSquare says how many files a partition has at least in a small
	// tree: files ≤ leastSquare × 4^k, which is 2^k ≥ √files / √leastSquare. A
	// push costs a line of two manifests for every partition, and the bytes of
	// those that changed; the sum is least where their number goes with the
	// root of the size.
	leastSquare = 40
	// mostBits is the largest k: 256 files, in the mean, are the most that one
	// change builds and one worker holds in memory, however large the tree is.
	mostBits = 8
)

// maxPartitionBits bounds Options.PartitionBits.
const maxPartitionBits = 40

// partitionBits returns k for a tree with the given number of entries: the
// smallest k ≥ 0 with files/2^k ≤ mostPartitions and files/4^k ≤ leastSquare,
// or mostBits. It depends on the number of entries alone, so that limits stay
// where they are when contents change. docs/SCALE.md tells how it was chosen.
func partitionBits(files int) int {
	k := 0
	for k < mostBits && (files > mostPartitions<<k || files > leastSquare<<(2*k)) {
		k++
	}
	return k
}

// startsPartition reports whether a path begins a new partition: whether the
// low k bits of SHA-256(path) are zero. The digest is read as one big-endian
// number, so the low bits are those of its last bytes: bit 0 is the least
// significant bit of byte 31.
func startsPartition(path string, k int) bool {
	if k == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(path))
	low := binary.BigEndian.Uint64(sum[sha256.Size-8:])
	return low&(1<<k-1) == 0
}

// partitions cuts n path-sorted entries into runs and returns the first entry
// of each run, followed by n. An empty tree has no partitions.
func partitions(n, k int, path func(i int) string) []int {
	var starts []int
	for i := range n {
		if i == 0 || startsPartition(path(i), k) {
			starts = append(starts, i)
		}
	}
	return append(starts, n)
}
