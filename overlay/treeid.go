package overlay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// treeID returns the id of the tree object that holds these entries, which are
// sorted by path, as git would write it.
func treeID(format gitobj.Format, entries []git.Entry) (gitobj.ID, error) {
	type child struct {
		name string
		mode uint32
		id   gitobj.ID
	}
	var build func(entries []git.Entry, depth int) (gitobj.ID, error)
	build = func(entries []git.Entry, depth int) (gitobj.ID, error) {
		var children []child
		for i := 0; i < len(entries); {
			rest := entries[i].Path[depth:]
			name, _, nested := strings.Cut(rest, "/")
			if name == "" {
				return gitobj.ID{}, fmt.Errorf("the path %q has an empty name", entries[i].Path)
			}
			if !nested {
				children = append(children, child{name, entries[i].Mode, entries[i].ID})
				i++
				continue
			}
			prefix := entries[i].Path[:depth] + name + "/"
			n := i
			for n < len(entries) && strings.HasPrefix(entries[n].Path, prefix) {
				n++
			}
			id, err := build(entries[i:n], depth+len(name)+1)
			if err != nil {
				return gitobj.ID{}, err
			}
			children = append(children, child{name, 0o40000, id})
			i = n
		}
		// git compares a folder's name as if it ended with a slash.
		key := func(c child) string {
			if c.mode == 0o40000 {
				return c.name + "/"
			}
			return c.name
		}
		slices.SortFunc(children, func(a, b child) int { return strings.Compare(key(a), key(b)) })
		var b []byte
		for _, c := range children {
			b = fmt.Appendf(b, "%o %s\x00", c.mode, c.name)
			b = append(b, c.id.Bytes()...)
		}
		return gitobj.Hash(format, "tree", b), nil
	}
	return build(entries, 0)
}
