package query

import (
	"context"
	"sort"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query/treepath"
)

// fileEntry is one indexed file.
type fileEntry struct {
	p, f int // partition and number in it
	path string
	lang string
	test bool // test or example code
}

// fileTable lists the indexed files in path order, with the look-ups that
// resolving imports needs. It is built when first needed and never changes.
type fileTable struct {
	files  []fileEntry
	first  []int   // first entry of each partition; one more for the end
	number [][]int // partition, file -> entry, -1 for skipped ones

	once sync.Once // of the maps
	base map[string][]int32
	dir  map[string][]int32
}

func (e *Engine) fileTable(ctx context.Context) (*fileTable, error) {
	return e.table.get(func() (*fileTable, error) {
		return kept(e, keptFiles, e.openFileTable, func() ([]byte, error) { return e.listFiles(ctx) })
	})
}

// listFiles returns the bytes of the file table.
func (e *Engine) listFiles(ctx context.Context) ([]byte, error) {
	parts := make([][]fileEntry, e.parts())
	err := e.each(ctx, func(_, p int) error {
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			if u.Skip(f) == artifact.SkipNone {
				path := u.Path(f)
				parts[p] = append(parts[p], fileEntry{p: p, f: f, path: path, lang: u.Lang(f), test: isTestCode(path)})
			}
		}
		return nil
	})
	return encodeFileTable(parts), err
}

// newFileTable returns a table of files, which are sorted, without their
// partitions' limits.
func (e *Engine) newFileTable(files []fileEntry) *fileTable {
	t := &fileTable{files: files, number: make([][]int, e.parts())}
	for p := range t.number {
		t.number[p] = make([]int, e.fileBase[p+1]-e.fileBase[p])
		for f := range t.number[p] {
			t.number[p][f] = -1
		}
	}
	for i := range files {
		f := &files[i]
		for len(t.first) <= f.p {
			t.first = append(t.first, i)
		}
		t.number[f.p][f.f] = i
	}
	for len(t.first) <= e.parts() {
		t.first = append(t.first, len(files))
	}
	return t
}

// byBase returns the entries by the last component of their path.
func (t *fileTable) byBase() map[string][]int32 {
	t.once.Do(t.sort)
	return t.base
}

// byDir returns the entries by the folder that they lie in directly.
func (t *fileTable) byDir() map[string][]int32 {
	t.once.Do(t.sort)
	return t.dir
}

func (t *fileTable) sort() {
	t.base, t.dir = map[string][]int32{}, map[string][]int32{}
	for i := range t.files {
		base, dir := treepath.Base(t.files[i].path), treepath.Dir(t.files[i].path)
		t.base[base] = append(t.base[base], int32(i))
		t.dir[dir] = append(t.dir[dir], int32(i))
	}
}

// find returns the entry with the given path.
func (t *fileTable) find(path string) (int, bool) {
	i := sort.Search(len(t.files), func(i int) bool { return t.files[i].path >= path })
	return i, i < len(t.files) && t.files[i].path == path
}

// withSuffix returns the entries whose path is suffix or ends with "/"+suffix.
func (t *fileTable) withSuffix(suffix string) []int {
	var out []int
	for _, i := range t.byBase()[treepath.Base(suffix)] {
		p := t.files[i].path
		if p == suffix || strings.HasSuffix(p, suffix) && p[len(p)-len(suffix)-1] == '/' {
			out = append(out, int(i))
		}
	}
	return out
}

// hasDir reports whether some indexed file lies directly in the folder.
func (t *fileTable) hasDir(dir string) bool { return len(t.byDir()[dir]) > 0 }

// near returns up to n paths that someone who wrote path may have meant: the
// same file name first, then the closest spelling.
func (t *fileTable) near(path string, n int) []string {
	type scored struct {
		path string
		d    int
	}
	var all []scored
	base := lowerName(treepath.Base(path))
	for i := range t.files {
		p := t.files[i].path
		b := lowerName(treepath.Base(p))
		d := 100
		switch {
		case strings.EqualFold(p, path):
			d = 0
		case b == base:
			d = 1 + distance(lowerName(p), lowerName(path), 40)
		default:
			if x := distance(b, base, max(2, len(base)/3)); x <= max(2, len(base)/3) {
				d = 41 + x
			}
		}
		if d < 100 {
			all = append(all, scored{p, d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].d < all[j].d })
	var out []string
	for _, s := range all[:min(n, len(all))] {
		out = append(out, s.path)
	}
	return out
}

// distance is the edit distance of a and b, or limit+1 when it is larger.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	if len(a) > 512 || len(b) > 512 {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		best := row[0]
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
			best = min(best, cost)
		}
		if best > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}

// inFolder returns the first names in a folder, folders with a slash behind
// them, and how many there are; none where the path is no folder.
func (t *fileTable) inFolder(path string, most int) (names []string, n int) {
	under := path + "/"
	if path == "" {
		under = ""
	}
	last := ""
	i, _ := t.find(under)
	for ; i < len(t.files) && strings.HasPrefix(t.files[i].path, under); i++ {
		name := t.files[i].path[len(under):]
		if j := strings.IndexByte(name, '/'); j >= 0 {
			name = name[:j+1]
		}
		if name == last {
			continue
		}
		last = name
		if n++; n <= most {
			names = append(names, strings.Trim(quote(name), `"`))
		}
	}
	return names, n
}

// Remedies that name commands of the program; other front ends have their own
// words for them.
const (
	listFolder = "list it with outline, and name a file of it"
	listPaths  = "list the paths with outline"
)

// noSuchPath is the error for a path that the index does not hold.
func (t *fileTable) noSuchPath(path string) error {
	if in, n := t.inFolder(path, 12); n > 0 {
		what := quote(path)
		if path == "" {
			what = "the root"
		}
		if len(in) < n {
			in = append(in, "…")
		}
		return fail.New(fail.NotFound, listFolder, "%s is a folder of %d: %s", what, n, strings.Join(in, ", "))
	}
	remedy := listPaths
	if near := t.near(path, 3); len(near) > 0 {
		for i := range near {
			near[i] = quote(near[i])
		}
		remedy = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fail.New(fail.NotFound, remedy, "the commit has no file %s in the index", quote(path))
}

// cleanPath writes a user's path as the index does.
func cleanPath(path string) string {
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	path = strings.TrimRight(path, "/")
	if path == "." {
		return ""
	}
	return path
}
