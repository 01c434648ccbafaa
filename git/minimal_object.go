package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// maxAlternates is how many steps a chain of alternates may have, as in git.
const maxAlternates = 5

// objectStore finds objects in the object folders of one repository. It is
// safe for concurrent use; unpackers read what it finds.
type objectStore struct {
	format gitobj.Format
	dirs   []string
	lost   error // an alternate that is named and not there

	mu     sync.Mutex
	packs  []*pack
	seen   map[string]bool
	closed bool
}

func openObjects(l *Layout) (*objectStore, error) {
	s := &objectStore{format: l.Format, seen: map[string]bool{}}
	if err := s.addDir(l.Objects, 0); err != nil {
		return nil, readError(l.GitDir, err)
	}
	for _, dir := range l.Alternates {
		if err := s.addDir(dir, 1); err != nil {
			return nil, readError(l.GitDir, err)
		}
	}
	s.rescan()
	return s, nil
}

// addDir adds an object folder and its alternates.
func (s *objectStore) addDir(dir string, depth int) error {
	if depth > maxAlternates || slices.Contains(s.dirs, dir) {
		return nil
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		s.lost = fmt.Errorf("the object folder %s, which objects/info/alternates names, is not there", dir)
		return nil
	}
	s.dirs = append(s.dirs, dir)
	list, err := readAlternates(dir)
	for _, path := range list {
		if err == nil {
			err = s.addDir(path, depth+1)
		}
	}
	return err
}

// readAlternates returns the object folders that an object folder borrows
// from.
func readAlternates(dir string) ([]string, error) {
	file := filepath.Join(dir, "info", "alternates")
	b, err := readLimited(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			if line, err = unquote(line); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		list = append(list, absolute(dir, line))
	}
	return list, nil
}

// HasAlternates reports whether the repository borrows objects from others.
func (l *Layout) HasAlternates() (bool, error) {
	list, err := readAlternates(l.Objects)
	if err != nil {
		return false, readError(l.GitDir, err)
	}
	return len(list)+len(l.Alternates) > 0, nil
}

// unquote reads a path in git's C-like quotes.
func unquote(s string) (string, error) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", errors.New("a quoted path that does not end")
	}
	u, err := strconv.Unquote(s)
	if err != nil {
		err = errors.New("a quoted path that cannot be read")
	}
	return u, err
}

// rescan looks for packs that are not known yet and reports whether there are
// any: git may have packed loose objects meanwhile.
func (s *objectStore) rescan() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := false
	for _, dir := range s.dirs {
		list, err := filepath.Glob(filepath.Join(escapeGlob(dir), "pack", "*.idx"))
		if err != nil {
			continue
		}
		for _, idx := range list {
			path := strings.TrimSuffix(idx, ".idx")
			if !s.seen[path] && !s.closed {
				s.seen[path], added = true, true
				s.packs = append(s.packs, &pack{path: path})
			}
		}
	}
	return added
}

func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no escape, and only '[' could be meant
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (s *objectStore) list() ([]*pack, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	return s.packs, nil
}

func (s *objectStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, p := range s.packs {
		p.close()
	}
}

// where is a place that holds an object: a loose file, or a pack.
type where struct {
	file string
	pack *pack
	at   int64
}

// find returns places that hold an object: the first one, or all of them,
// which matters where the first is damaged.
func (s *objectStore) find(id gitobj.ID, all bool) (places []where, err error) {
	for {
		packs, err := s.list()
		if err != nil {
			return nil, err
		}
		var damaged error
		for _, p := range packs {
			if err := p.open(s.format); err != nil {
				if errors.Is(err, errClosed) {
					return nil, err
				}
				if !errors.Is(err, fs.ErrNotExist) { // else git has repacked it
					damaged = err
				}
				continue
			}
			if at, ok := p.x.find(id.Bytes()); ok {
				if places = append(places, where{pack: p, at: at}); !all {
					return places, nil
				}
			}
		}
		hex := id.String()
		for _, dir := range s.dirs {
			file := filepath.Join(dir, hex[:2], hex[2:])
			if fi, err := os.Lstat(file); err == nil && !fi.IsDir() {
				places = append(places, where{file: file})
			}
		}
		if len(places) > 0 {
			return places, nil
		}
		if s.rescan() {
			continue
		}
		if damaged == nil {
			damaged = s.lost
		}
		if damaged != nil {
			return nil, NewCorrupt(id, damaged)
		}
		return nil, NewMissing(id)
	}
}

// try runs read at the places that hold an object until one succeeds.
func (s *objectStore) try(id gitobj.ID, read func(w where) error) error {
	places, err := s.find(id, false)
	if err != nil {
		return err
	}
	if err = read(places[0]); err == nil {
		return nil
	}
	places, again := s.find(id, true)
	if again != nil {
		return again
	}
	for _, w := range places {
		if err = read(w); err == nil {
			return nil
		}
	}
	return NewCorrupt(id, err)
}

// abbreviated lists the ids that begin with the digits.
func (s *objectStore) abbreviated(digits string) ([]gitobj.ID, error) {
	packs, err := s.list()
	if err != nil {
		return nil, err
	}
	var ids []gitobj.ID
	add := func(id gitobj.ID) {
		if strings.HasPrefix(id.String(), digits) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	first, err := strconv.ParseUint(digits[:2], 16, 8)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if err := p.open(s.format); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, readError(p.path, err)
		}
		lo := 0
		if first > 0 {
			lo = int(p.x.fanout[first-1])
		}
		for i := lo; i < int(p.x.fanout[first]) && len(ids) < maxAbbreviated; i++ {
			if id, err := gitobj.IDFromBytes(p.x.id(i)); err == nil {
				add(id)
			}
		}
	}
	for _, dir := range s.dirs {
		list, err := os.ReadDir(filepath.Join(dir, digits[:2]))
		if err != nil {
			continue // there need not be one
		}
		for _, e := range list {
			if id, err := gitobj.ParseID(digits[:2] + e.Name()); err == nil && len(ids) < maxAbbreviated {
				add(id)
			}
		}
	}
	return ids, nil
}

// maxAbbreviated is how many objects an abbreviation is compared with.
const maxAbbreviated = 10_000
