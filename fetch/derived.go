package fetch

import (
	"crypto/sha256"
	"io"

	"github.com/pindex-dev/pindex/artifact"
)

// Derived files hold what a process worked out and another one would have to
// work out again: counts over a whole index, what the folders of a working tree
// held. Nothing depends on them. One that is missing, torn or damaged is worked
// out anew, and one that cannot be written is no failure and no note.
//
//	0   32 sha256 of the name's sha256 and the content
//	32  .. the content
//
// The name says everything that the content follows from, so a file is never
// out of date; where that cannot be said, as of a working tree, the content has
// to carry what it is checked by.

// maxDerived is the size in bytes that a derived file cannot exceed.
const maxDerived = 64 << 20

// Derived returns what Keep kept under a name, nil where there is nothing, or
// nothing whole.
func (c *Cache) Derived(name string) []byte {
	if !c.readable {
		return nil
	}
	digest := artifact.DigestOf([]byte(name))
	path := c.path(derived, digest)
	b, used := readSmall(path, maxDerived)
	if len(b) < len(artifact.Digest{}) {
		return nil
	}
	content := b[len(artifact.Digest{}):]
	if artifact.Digest(b) != derivedSum(digest, content) {
		return nil
	}
	c.used(path, used)
	return content
}

// Keep keeps content under a name, for any later process of this user. Of
// several that keep at a time one wins.
func (c *Cache) Keep(name string, content []byte) {
	if len(content) > maxDerived-len(artifact.Digest{}) {
		return
	}
	digest := artifact.DigestOf([]byte(name))
	sum := derivedSum(digest, content)
	_ = c.tryPut(derived, digest, func(w io.Writer) error {
		if _, err := w.Write(sum[:]); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	})
}

func derivedSum(name artifact.Digest, content []byte) (sum artifact.Digest) {
	h := sha256.New()
	h.Write(name[:])
	h.Write(content)
	h.Sum(sum[:0])
	return sum
}
