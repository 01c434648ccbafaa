package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// maxRefs is the size in bytes of the largest packed-refs file that is read.
const maxRefs = 1 << 30

// maxSymbolic is how many symbolic references may lead to another, as in git.
const maxSymbolic = 5

// Ref reads one reference by its full name, such as "HEAD" or
// "refs/heads/main", and follows symbolic ones. name is the last reference of
// the chain: that of the branch for a HEAD that is not detached. The id is
// zero where that one does not exist, which is no error.
func (l *Layout) Ref(ref string) (name string, id gitobj.ID, err error) {
	name = ref
	for range maxSymbolic + 1 {
		if !validRef(name) {
			return name, id, damagedRef(ref, fmt.Errorf("%q is no valid name", name))
		}
		target, direct, err := l.looseRef(name)
		if err != nil {
			return name, id, damagedRef(name, err)
		}
		if target != "" {
			name = target
			continue
		}
		if direct.IsZero() {
			if direct, err = l.packedRef(name); err != nil {
				return name, id, damagedRef(name, err)
			}
		}
		return name, direct, nil
	}
	return name, id, damagedRef(ref, errors.New("symbolic references that lead in a circle"))
}

func damagedRef(name string, err error) error {
	return fail.Wrap(fail.Repository, err, "`git show-ref` and `git fsck` tell what is wrong with it", "cannot read the reference %s", name)
}

// refFile returns the path of a loose reference.
func (l *Layout) refFile(name string) string {
	dir := l.CommonDir
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			dir = l.GitDir
		}
	}
	if !strings.HasPrefix(name, "refs/") {
		dir = l.GitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// looseRef reads a reference from its own file: a symbolic target, an id, or
// neither where there is no such file.
func (l *Layout) looseRef(name string) (target string, id gitobj.ID, err error) {
	path := l.refFile(name)
	if link, err := os.Readlink(path); err == nil && strings.HasPrefix(filepath.ToSlash(link), "refs/") {
		return filepath.ToSlash(link), id, nil
	}
	fi, err := os.Stat(path)
	if err == nil && fi.IsDir() {
		return "", id, nil
	}
	var b []byte
	if err == nil {
		b, err = readLimited(path, 1<<16)
	}
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return "", id, nil
	}
	if err != nil {
		return "", id, err
	}
	if t, ok := bytes.CutPrefix(b, []byte("ref:")); ok {
		return string(bytes.TrimSpace(t)), id, nil
	}
	n := 2 * l.Format.Size()
	if len(b) < n || len(b) > n && !isSpace(b[n]) {
		return "", id, errors.New("its file holds no object id")
	}
	id, err = gitobj.ParseID(string(b[:n]))
	return "", id, err
}

// packedRef looks a reference up in packed-refs. The zero id means that it
// is not there.
func (l *Layout) packedRef(name string) (gitobj.ID, error) {
	b, err := readLimited(filepath.Join(l.CommonDir, "packed-refs"), maxRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return gitobj.ID{}, nil
	}
	if err != nil {
		return gitobj.ID{}, err
	}
	return findPacked(b, name, l.Format)
}

// findPacked finds a line "<id> <name>" in a packed-refs file.
func findPacked(b []byte, name string, f gitobj.Format) (gitobj.ID, error) {
	n := 2 * f.Size()
	needle := []byte(" " + name)
	for at := 0; ; {
		i := bytes.Index(b[at:], needle)
		if i < 0 {
			return gitobj.ID{}, nil
		}
		i += at
		at = i + len(needle)
		if at < len(b) && b[at] != '\n' && b[at] != '\r' {
			continue // the beginning of a longer name
		}
		if start := i - n; start >= 0 && (start == 0 || b[start-1] == '\n') {
			return gitobj.ParseID(string(b[start:i]))
		} else if line := b[bytes.LastIndexByte(b[:i], '\n')+1 : i]; len(line) > 0 && line[0] != '#' {
			return gitobj.ID{}, fmt.Errorf("packed-refs has it with the id %.100q", line)
		}
	}
}

// anyRef reports whether the repository has any reference below refs/.
func (l *Layout) anyRef() bool {
	if b, err := readLimited(filepath.Join(l.CommonDir, "packed-refs"), maxRefs); err == nil {
		for line := range bytes.Lines(b) {
			if line[0] != '#' {
				return true
			}
		}
	}
	found := false
	filepath.WalkDir(filepath.Join(l.CommonDir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// shallowCommits reads which commits a shallow clone has without their
// parents. It is nil for a whole repository.
func (l *Layout) shallowCommits() (map[gitobj.ID]bool, error) {
	path := filepath.Join(l.CommonDir, "shallow")
	b, err := readLimited(path, maxRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m map[gitobj.ID]bool
	for line := range bytes.Lines(b) {
		if m == nil {
			m = map[gitobj.ID]bool{}
		}
		var id gitobj.ID
		if id, err = gitobj.ParseID(string(bytes.TrimSpace(line))); err != nil {
			break
		}
		m[id] = true
	}
	if err != nil {
		return nil, fail.Wrap(fail.Repository, err, "`git fetch --unshallow` writes it anew", "cannot read %s", path)
	}
	return m, nil
}

// validRef applies the rules of git-check-ref-format(1), so that a name never
// leads out of the git directory. Outside refs/ only names like HEAD and
// ORIG_HEAD are references.
func validRef(name string) bool {
	if len(name) > 4096 || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	if strings.HasPrefix(name, "refs/") {
		return true
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
