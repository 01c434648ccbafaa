package query

import (
	"context"
	"strings"
)

// imported counts, for each name in lower case, the files that import a module
// whose last component it is. It is a rough measure of what the tree rests on,
// good enough to tell a hub from a leaf, and costs one walk over the modules'
// names at the first search.
func (e *Engine) imported(ctx context.Context) (map[string]int32, error) {
	return e.popular.get(func() (map[string]int32, error) {
		part := make([]map[string]int32, e.workers)
		err := e.each(ctx, func(w, p int) error {
			r, err := e.ix.Imports(p)
			if err != nil {
				return err
			}
			if part[w] == nil {
				part[w] = map[string]int32{}
			}
			r.EachModule(func(m []byte, files int) {
				if n := moduleStem(string(m)); n != "" {
					part[w][n] += int32(files)
				}
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
		all := map[string]int32{}
		for _, c := range part {
			for n, k := range c {
				all[n] += k
			}
		}
		return all, nil
	})
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
