package git

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// ParseCommit checks that raw is the content of the commit object with the
// given id and reads its headers. Only the headers in front of the message
// count, and only where git expects them: first "tree", then the parents,
// then author and committer. A committer's date that no number can be read
// from counts as 0, as it does in git.
func ParseCommit(id gitobj.ID, raw []byte) (*Commit, error) {
	if gitobj.Hash(id.Format(), "commit", raw) != id {
		return nil, NewCorrupt(id, errors.New("its content has another hash"))
	}
	c := &Commit{ID: id, Raw: raw}
	rest, ok := bytes.CutPrefix(raw, []byte("tree "))
	if !ok {
		return nil, NewCorrupt(id, errors.New("a commit without a tree"))
	}
	if c.Tree, rest, ok = cutID(id.Format(), rest); !ok {
		return nil, NewCorrupt(id, errors.New("a commit whose tree has no valid id"))
	}
	for {
		line, found := bytes.CutPrefix(rest, []byte("parent "))
		if !found {
			break
		}
		var p gitobj.ID
		if p, rest, ok = cutID(id.Format(), line); !ok {
			return nil, NewCorrupt(id, errors.New("a commit with a parent that has no valid id"))
		}
		c.Parents = append(c.Parents, p)
	}
	for len(rest) > 0 && rest[0] != '\n' {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		if bytes.HasPrefix(line, []byte("committer ")) {
			c.Unix = signatureTime(line)
			break
		}
		rest = after
	}
	return c, nil
}

// cutID reads an id in hexadecimal and the LF behind it.
func cutID(f gitobj.Format, b []byte) (id gitobj.ID, rest []byte, ok bool) {
	n := 2 * f.Size()
	if len(b) <= n || b[n] != '\n' {
		return id, b, false
	}
	id, err := gitobj.ParseID(string(b[:n]))
	return id, b[n+1:], err == nil
}

// signatureTime returns the seconds of "committer NAME <MAIL> SECONDS ZONE".
func signatureTime(line []byte) int64 {
	i := bytes.LastIndexByte(line, '>')
	if i < 0 {
		return 0
	}
	f := bytes.Fields(line[i+1:])
	if len(f) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(f[0]), 10, 64)
	if err != nil || n < 0 || n == math.MaxInt64 {
		return 0
	}
	return n
}

// parseTag returns the object that an annotated tag names, and its type.
func parseTag(f gitobj.Format, raw []byte) (id gitobj.ID, typ string, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte("object "))
	if !ok {
		return id, "", false
	}
	if id, rest, ok = cutID(f, rest); !ok {
		return id, "", false
	}
	rest, ok = bytes.CutPrefix(rest, []byte("type "))
	if !ok {
		return id, "", false
	}
	t, _, ok := bytes.Cut(rest, []byte{'\n'})
	return id, string(t), ok
}
