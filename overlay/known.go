package overlay

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
)

// Packs keeps built packs in a folder, by key, so that an edit is compiled
// once and not by every command that follows it. It implements compile.Known.
// What cannot be kept is built again: nothing here is an error.
type Packs struct {
	Dir string // created when it is needed, readable by the user alone
	// Max is the number of packs kept, those used last; 0 means DefaultPacks.
	Max int
}

// DefaultPacks is how many packs are kept. One is about as large as the source
// that it holds.
const DefaultPacks = 512

const packSuffix = ".pack"

func (p Packs) path(key artifact.Digest) string {
	return filepath.Join(p.Dir, key.Hex()+packSuffix)
}

// Find implements compile.Known.
func (p Packs) Find(key artifact.Digest) []byte {
	path := p.path(key)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it counts as used, where that can be said
	return b
}

// Built implements compile.Known.
func (p Packs) Built(key artifact.Digest, pack []byte) {
	if os.MkdirAll(p.Dir, 0o700) != nil {
		return
	}
	err := durable.Replace(p.path(key), 0o600, func(w io.Writer) error {
		_, err := w.Write(pack)
		return err
	})
	if err == nil {
		p.trim()
	}
}

// trim removes the packs that were not used for longest.
func (p Packs) trim() {
	keep := p.Max
	if keep == 0 {
		keep = DefaultPacks
	}
	entries, err := os.ReadDir(p.Dir)
	if err != nil || len(entries) <= keep {
		return
	}
	type pack struct {
		name string
		used time.Time
	}
	var packs []pack
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), packSuffix) {
			packs = append(packs, pack{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(packs, func(a, b pack) int {
		return cmp.Or(b.used.Compare(a.used), strings.Compare(a.name, b.name))
	})
	for _, old := range packs[min(keep, len(packs)):] {
		_ = os.Remove(filepath.Join(p.Dir, old.name)) // the next one tries again
	}
}
