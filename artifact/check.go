package artifact

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Check opens every segment of every view that the manifest calls ready and
// decodes all of it, which a reader that answers questions never does. It
// returns how many segments it has been through. An error names the partition
// and the view.
func (ix *Index) Check(ctx context.Context) (segments int, err error) {
	var done atomic.Int64
	err = ix.EachPartition(ctx, func(p int) error {
		for _, v := range Views {
			if ix.manifest.Views[v.String()].State != ViewReady {
				continue
			}
			if err := ix.checkSegment(p, v); err != nil {
				return fmt.Errorf("%s segment of partition %d: %w", v, p, err)
			}
			done.Add(1)
		}
		return nil
	})
	return int(done.Load()), err
}

func (ix *Index) checkSegment(p int, v View) error {
	switch v {
	case Units:
		_, err := ix.Units(p) // opening it validates every table
		return err
	case Source:
		return ix.checkSource(p)
	case Lexical:
		r, err := ix.Lexical(p)
		if err != nil {
			return err
		}
		return r.Verify()
	case Dense:
		_, err := ix.Dense(p)
		return err
	case Structural:
		return ix.checkOccurrences(p)
	}
	return nil
}

// checkSource compares each file's length with what the units say of it.
func (ix *Index) checkSource(p int) error {
	r, err := ix.Source(p)
	if err != nil {
		return err
	}
	u, err := ix.Units(p)
	if err != nil {
		return err
	}
	for f := range r.NumFiles() {
		lo, hi := r.FileRange(f)
		want := uint64(0)
		if u.Skip(f) == SkipNone {
			want = u.Size(f)
		}
		if uint64(hi-lo) != want {
			return damaged("%q has %d bytes, not %d", u.Path(f), hi-lo, want)
		}
	}
	return nil
}

// checkOccurrences decodes what the structural segment keeps in coded form.
func (ix *Index) checkOccurrences(p int) error {
	r, err := ix.Structural(p)
	if err != nil {
		return err
	}
	n, imports := 0, 0
	for f := range r.NumFiles() {
		if err := r.FileOccurrences(f, func(Occurrence) bool { n++; return true }); err != nil {
			return err
		}
		list, err := r.FileImports(f)
		if err != nil {
			return err
		}
		imports += len(list)
	}
	if n != r.NumOccurrences() || imports != r.NumImports() {
		return damaged("%d occurrences and %d imports decode, %d and %d are announced", n, imports, r.NumOccurrences(), r.NumImports())
	}
	return nil
}
