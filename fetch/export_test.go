package fetch

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

// SeenName is the cache's name of a manifest that a store was found to have.
func SeenName(store registry.Store, d artifact.Digest) artifact.Digest { return seenName(store, d) }

// CachedSegment tells tests where a segment lies in the cache: the file of
// its partition when the given views (nil for all) were unpacked, and its
// offset there.
func CachedSegment(c *Cache, m *artifact.Manifest, p int, views []artifact.View, v artifact.View) (path string, offset int64) {
	s := newSource(nil, c, nil, m, views)
	form := s.form(p, s.wanted(p))
	part, _ := form.find(v, m.Partitions[p].Segments[v.String()])
	return c.path(partitions, form.name), part.offset
}
