// Package gitobj knows git's object identities and how they are computed, and
// nothing else of git: no repository, no process, no network. It is the leaf
// that both the repository readers and the artifact's commit proof stand on.
package gitobj

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
)

// Format is a repository's object format.
type Format uint8

const (
	SHA1   Format = 1
	SHA256 Format = 2
)

// Size returns the length of an id in bytes: 20 or 32.
func (f Format) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// String returns git's own name of the format: "sha1" or "sha256".
func (f Format) String() string {
	if f == SHA256 {
		return "sha256"
	}
	return "sha1"
}

func (f Format) new() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// ID is a git object id of either format. The zero ID names no object. IDs
// are comparable and can be map keys.
type ID struct {
	n uint8
	b [32]byte
}

// ParseID reads 40 or 64 lower- or upper-case hexadecimal digits.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 40 && len(s) != 64 {
		return id, fmt.Errorf("object id %q has %d digits, not 40 or 64", s, len(s))
	}
	n, err := hex.Decode(id.b[:], []byte(s))
	if err != nil {
		return ID{}, fmt.Errorf("object id %q: %w", s, err)
	}
	id.n = uint8(n)
	return id, nil
}

// IDFromBytes returns the id whose binary form is b (20 or 32 bytes).
func IDFromBytes(b []byte) (ID, error) {
	var id ID
	if len(b) != sha1.Size && len(b) != sha256.Size {
		return id, fmt.Errorf("binary object id has %d bytes, not 20 or 32", len(b))
	}
	id.n = uint8(copy(id.b[:], b))
	return id, nil
}

// IsZero reports whether id names no object.
func (id ID) IsZero() bool { return id == ID{} }

// Bytes returns the binary form, 20 or 32 bytes; nil for the zero ID.
func (id ID) Bytes() []byte { return id.b[:id.n:id.n] }

// Format returns the object format that the id's length implies.
func (id ID) Format() Format {
	if id.n == sha256.Size {
		return SHA256
	}
	return SHA1
}

// String returns the id in lower-case hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id.b[:id.n]) }

// Hash returns the id of the object of the given type ("blob", "tree",
// "commit", "tag") with the given content.
func Hash(f Format, typ string, content []byte) ID {
	h := f.new()
	h.Write([]byte(typ))
	h.Write([]byte{' '})
	h.Write(strconv.AppendInt(nil, int64(len(content)), 10))
	h.Write([]byte{0})
	h.Write(content)
	var id ID
	id.n = uint8(copy(id.b[:], h.Sum(nil)))
	return id
}
