package compile

import (
	"crypto/sha256"
	"encoding/binary"
)

// partitionTarget is the number of partitions that k keeps a repository
// under. It is part of the profile.
const partitionTarget = 320

// maxPartitionBits bounds k; 2^40 files per partition is far beyond any tree.
const maxPartitionBits = 40

// partitionBits returns k for a tree with the given number of entries: the
// smallest k ≥ 0 with files/2^k ≤ partitionTarget. It depends on the number
// of entries alone, so that limits stay where they are when contents change.
func partitionBits(files int) int {
	k := 0
	for k < maxPartitionBits && files > partitionTarget<<k {
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
