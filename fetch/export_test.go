package fetch

import "github.com/pindex-dev/pindex/artifact"

// CachedSegment tells tests where a segment lies in the cache: the file of
// its partition when the given views (nil for all) were unpacked, and its
// offset there.
func CachedSegment(c *Cache, m *artifact.Manifest, p int, views []artifact.View, v artifact.View) (path string, offset int64) {
	_, form := newSource(nil, c, nil, m, views).bundles(p)
	part, _ := form.find(v, m.Partitions[p].Segments[v.String()])
	return c.path(partitions, form.name), part.offset
}
