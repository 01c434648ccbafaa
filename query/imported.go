package query

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/internal/wire"
)

// importCounts says, for each name in lower case, how many files import a
// module whose last component it is. It is a rough measure of what the tree
// rests on, good enough to tell a hub from a leaf.
type importCounts struct {
	names []string // in byte order
	files []uint32 // that import each
}

// of returns the number of files that import something of that name.
func (c *importCounts) of(name string) uint32 {
	if c == nil {
		return 0
	}
	i, ok := slices.BinarySearch(c.names, name)
	if !ok {
		return 0
	}
	return c.files[i]
}

// encodeImportCounts returns the counts as they are kept, in the form of package
// wire: their number, and a text and a number for each, in byte order.
func encodeImportCounts(counts map[string]uint32) []byte {
	b := binary.AppendUvarint(nil, uint64(len(counts)))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		b = binary.AppendUvarint(wire.AppendText(b, name), uint64(counts[name]))
	}
	return b
}

// openImportCounts is the opposite; ok is false where b is something else.
func openImportCounts(b []byte) (c *importCounts, ok bool) {
	r := wire.NewReader(b)
	n := r.Count(2)
	c = &importCounts{names: make([]string, n), files: make([]uint32, n)}
	for i := range n {
		c.names[i], c.files[i] = r.Text(), uint32(r.Number())
	}
	return c, r.Whole()
}

// imported returns the import counts of the whole index. To count them costs
// one walk over the names of modules in each partition, so what an earlier
// process counted is used.
func (e *Engine) imported(ctx context.Context) (*importCounts, error) {
	return e.popular.get(func() (*importCounts, error) {
		return kept(e, keptImports, openImportCounts, func() ([]byte, error) {
			counts, err := e.countImports(ctx)
			return encodeImportCounts(counts), err
		})
	})
}

func (e *Engine) countImports(ctx context.Context) (map[string]uint32, error) {
	part := make([]map[string]uint32, e.workers)
	err := e.each(ctx, func(w, p int) error {
		r, err := e.ix.Imports(p)
		if err != nil {
			return err
		}
		if part[w] == nil {
			part[w] = map[string]uint32{}
		}
		r.EachModule(func(m []byte, files int) {
			if n := moduleStem(string(m)); n != "" {
				part[w][n] += uint32(files)
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string]uint32{}
	for _, c := range part {
		for n, k := range c {
			all[n] += k
		}
	}
	return all, nil
}

// moduleStem returns the last component of a module's name in lower case,
// without a file's extension: "fields" for "django.db.models.fields",
// "store" for "./lib/store.js".
func moduleStem(m string) string {
	m = strings.TrimRight(m, "/.*;")
	if i := strings.LastIndexAny(m, `/\:`); i >= 0 {
		m = m[i+1:]
	}
	if b, ext, ok := cutLast(m, "."); ok {
		if fileExtensions[ext] {
			m = b
		} else {
			m = ext
		}
	}
	return lowerName(m)
}
