package fetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

// LockName is the name of the lock file at the root of a working tree.
const LockName = ".pindex.lock"

// maxLock is the size in bytes that a lock file cannot exceed.
const maxLock = 4 << 10

const lockSchema = "pindex.lock/0"

// Lock says which index is to be used, to the byte. Its file is JSON with one
// key a line, sorted, and has exactly one spelling.
//
// A lock file may come with a commit, so it can only tighten what its reader
// does: it names the one index that is accepted, and never where to look for
// it. Store is where the index was when the lock was written; it helps to word
// a message, and is not opened.
type Lock struct {
	Commit  string          // full hash
	Digest  artifact.Digest // index digest
	Profile artifact.Digest
	Store   string // a repository in a registry; "" for another kind of store
}

// lockFile is the file's form; its fields are sorted by key.
type lockFile struct {
	Commit  string `json:"commit"`
	Digest  string `json:"digest"`
	Profile string `json:"profile"`
	Schema  string `json:"schema"`
	Store   string `json:"store"`
}

// Encode returns the file's bytes.
func (l *Lock) Encode() ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(lockFile{l.Commit, l.Digest.String(), l.Profile.String(), lockSchema, l.Store})
	return b.Bytes(), err
}

func (l *Lock) check() error {
	if id, err := gitobj.ParseID(l.Commit); err != nil || id.String() != l.Commit || strings.Trim(l.Commit, "0") == "" {
		return fmt.Errorf("%.100q is not a full commit hash", l.Commit)
	}
	if l.Digest.IsZero() || l.Profile.IsZero() {
		return errors.New("a digest is missing")
	}
	if l.Store == "" {
		return nil
	}
	for _, c := range []byte(l.Store) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '@' {
			return fmt.Errorf("%.100q is not a repository in a registry", l.Store)
		}
	}
	if len(l.Store) > 512 || !registry.IsRemote(l.Store) {
		return fmt.Errorf("%.100q is not a repository in a registry", l.Store)
	}
	return nil
}

// ParseLock reads a lock file, which is not trusted. Anything but the bytes
// that Encode writes is refused, save that lines may end in CR LF, which is
// what git makes of them on some systems.
func ParseLock(r io.Reader) (*Lock, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxLock+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxLock {
		return nil, fmt.Errorf("more than %d bytes", maxLock)
	}
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	var schema struct{ Schema string }
	if err := json.Unmarshal(b, &schema); err != nil {
		return nil, err
	}
	if schema.Schema != lockSchema {
		return nil, fmt.Errorf("schema %.100q, this reader knows %q", schema.Schema, lockSchema)
	}
	var f lockFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	l := &Lock{Commit: f.Commit, Store: f.Store}
	if l.Digest, err = artifact.ParseDigest(f.Digest); err != nil {
		return nil, err
	}
	if l.Profile, err = artifact.ParseDigest(f.Profile); err != nil {
		return nil, err
	}
	want, err := l.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(b, want) {
		return nil, errors.New("it is not written as pindex writes it")
	}
	return l, nil
}
