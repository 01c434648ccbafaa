package query

import (
	"context"
	"encoding/binary"
	"sort"

	"github.com/pindex-dev/pindex/artifact"
)

// declaredNames tells which partitions may declare a name, so that the others
// need not be opened for it.
//
//	0     4 n
//	4     n × 4 hashes of names, ascending
//	4+4n  n × 2 the partition of each, ascending among equal hashes
//
// All numbers are little-endian. A partition without the name stands there when
// it declares one with the same hash, and none that has it is missing.
type declaredNames struct {
	n             int
	hashes, parts []byte
}

// maxNamedParts is up to how many partitions there are declaredNames.
const maxNamedParts = 1 << 16

// openDeclaredNames opens the bytes of declaredNames over an index of as many
// partitions; ok is false where they are something else.
func openDeclaredNames(b []byte, parts int) (d *declaredNames, ok bool) {
	if len(b) < 4 {
		return nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if uint64(len(b)-4) != 6*n {
		return nil, false
	}
	d = &declaredNames{n: int(n), hashes: b[4:][:4*n], parts: b[4+4*n:]}
	for i := range d.n {
		if d.part(i) >= parts {
			return nil, false
		}
	}
	return d, true
}

func (d *declaredNames) hash(i int) uint32 { return binary.LittleEndian.Uint32(d.hashes[4*i:]) }

func (d *declaredNames) part(i int) int { return int(binary.LittleEndian.Uint16(d.parts[2*i:])) }

// of returns the partitions that may declare a name, ascending.
func (d *declaredNames) of(name string) []int {
	h := nameHash(name)
	var out []int
	for i := sort.Search(d.n, func(i int) bool { return d.hash(i) >= h }); i < d.n && d.hash(i) == h; i++ {
		out = append(out, d.part(i))
	}
	return out
}

func nameHash[T string | []byte](name T) uint32 { return uint32(artifact.HashTerm(name) >> 32) }

// declaring returns the partitions that may declare a name, ascending. Without
// anybody to keep what was found all may: to find out costs as much as to look.
func (e *Engine) declaring(ctx context.Context, name string) ([]int, error) {
	if e.opt.Kept == nil || e.parts() > maxNamedParts {
		all := make([]int, e.parts())
		for p := range all {
			all[p] = p
		}
		return all, nil
	}
	d, err := e.names.get(func() (*declaredNames, error) {
		return kept(e, keptNames, func(b []byte) (*declaredNames, bool) { return openDeclaredNames(b, e.parts()) },
			func() ([]byte, error) { return e.listDeclared(ctx) })
	})
	if err != nil {
		return nil, err
	}
	return d.of(name), nil
}

// listDeclared returns the bytes of declaredNames.
func (e *Engine) listDeclared(ctx context.Context) ([]byte, error) {
	byWorker := make([]hashedNames, e.workers)
	err := e.each(ctx, func(w, p int) error {
		st, err := e.ix.Structural(p)
		if err != nil {
			return err
		}
		st.WalkNames("", func(name []byte) bool {
			byWorker[w] = append(byWorker[w], uint64(nameHash(name))<<16|uint64(p))
			return true
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all hashedNames
	for _, names := range byWorker {
		all = append(all, names...)
	}
	sort.Sort(all)
	n := 0 // of different ones
	for i, v := range all {
		if i == 0 || v != all[n-1] {
			all[n] = v
			n++
		}
	}
	le := binary.LittleEndian
	b := le.AppendUint32(make([]byte, 0, 4+6*n), uint32(n))
	for _, v := range all[:n] {
		b = le.AppendUint32(b, uint32(v>>16))
	}
	for _, v := range all[:n] {
		b = le.AppendUint16(b, uint16(v))
	}
	return b, nil
}

// hashedNames are hashes of names, each times 2^16 and plus a partition.
type hashedNames []uint64

func (h hashedNames) Len() int           { return len(h) }
func (h hashedNames) Less(i, j int) bool { return h[i] < h[j] }
func (h hashedNames) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
