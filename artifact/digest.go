package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest is a sha256 digest of content. It is comparable, and its text form
// is "sha256:" and 64 lower-case hexadecimal digits.
type Digest [sha256.Size]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// ParseDigest reads a digest's text form.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	h, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(h) != 2*sha256.Size || strings.ToLower(h) != h {
		return d, fmt.Errorf("digest %q is not sha256: and 64 lower-case hexadecimal digits", s)
	}
	if _, err := hex.Decode(d[:], []byte(h)); err != nil {
		return Digest{}, fmt.Errorf("digest %q: %w", s, err)
	}
	return d, nil
}

// IsZero reports whether d was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// Hex returns the 64 hexadecimal digits alone.
func (d Digest) Hex() string { return hex.EncodeToString(d[:]) }

// String returns the text form.
func (d Digest) String() string { return "sha256:" + d.Hex() }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(b []byte) error {
	p, err := ParseDigest(string(b))
	if err != nil {
		return err
	}
	*d = p
	return nil
}
