package query

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// importCounts says, for each name in lower case, how many files import a
// module whose last component it is. It is a rough measure of what the tree
// rests on, good enough to tell a hub from a leaf.
//
//	0        4 n
//	4        n × 4 where each name ends in the heap
//	4+4n     n × 4 files that import it
//	4+8n     heap: the names in byte order, back to back
//
// All numbers are little-endian.
type importCounts struct {
	n            int
	ends, counts []byte
	heap         []byte
}

// openImportCounts opens the bytes of importCounts; ok is false where they are
// something else.
func openImportCounts(b []byte) (c *importCounts, ok bool) {
	if len(b) < 4 {
		return nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > uint64(len(b)-4)/8 {
		return nil, false
	}
	b = b[4:]
	c = &importCounts{n: int(n), ends: b[:4*n], counts: b[4*n : 8*n], heap: b[8*n:]}
	end := 0
	for i := range c.n {
		e := c.end(i)
		if e < end || e > len(c.heap) {
			return nil, false
		}
		end = e
	}
	return c, end == len(c.heap)
}

func (c *importCounts) end(i int) int {
	return int(binary.LittleEndian.Uint32(c.ends[4*i:]))
}

func (c *importCounts) name(i int) []byte {
	if i == 0 {
		return c.heap[:c.end(0)]
	}
	return c.heap[c.end(i-1):c.end(i)]
}

// of returns the number of files that import something of that name.
func (c *importCounts) of(name string) uint32 {
	if c == nil {
		return 0
	}
	i := sort.Search(c.n, func(i int) bool { return string(c.name(i)) >= name })
	if i == c.n || string(c.name(i)) != name {
		return 0
	}
	return binary.LittleEndian.Uint32(c.counts[4*i:])
}

// encodeImportCounts returns the bytes of importCounts.
func encodeImportCounts(counts map[string]uint32) []byte {
	names := make([]string, 0, len(counts))
	size := 4
	for n := range counts {
		names = append(names, n)
		size += 8 + len(n)
	}
	slices.Sort(names)
	le := binary.LittleEndian
	b := le.AppendUint32(make([]byte, 0, size), uint32(len(names)))
	end := 0
	for _, n := range names {
		end += len(n)
		b = le.AppendUint32(b, uint32(end))
	}
	for _, n := range names {
		b = le.AppendUint32(b, counts[n])
	}
	for _, n := range names {
		b = append(b, n...)
	}
	return b
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
