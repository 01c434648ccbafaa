package query

import (
	"context"
	"encoding/binary"

	"github.com/pindex-dev/pindex/artifact"
)

// loadClasses notes down the class of every document where somebody keeps them:
// to tell the classes of all paths takes a tenth of a first search.
func (e *Engine) loadClasses(ctx context.Context) error {
	if e.opt.Kept == nil {
		return nil
	}
	_, err := e.classes.get(func() (*Engine, error) {
		return kept(e, keptClasses, e.openClasses, func() ([]byte, error) { return e.listClasses(ctx) })
	})
	return err
}

// listClasses returns two bytes for each document: the class of its file.
func (e *Engine) listClasses(ctx context.Context) ([]byte, error) {
	out := make([]byte, 2*e.docs)
	err := e.each(ctx, func(_, p int) error {
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			if u.Skip(f) != artifact.SkipNone {
				continue
			}
			c := classify(u.Path(f))
			lo, hi := u.FileDocs(f)
			for d := lo; d < hi; d++ {
				binary.LittleEndian.PutUint16(out[2*(e.docBase[p]+d):], uint16(c))
			}
		}
		return nil
	})
	return out, err
}

// openClasses notes down what listClasses listed; ok is false where b is
// something else.
func (e *Engine) openClasses(b []byte) (_ *Engine, ok bool) {
	if len(b) != 2*e.docs {
		return nil, false
	}
	for d := range e.docs {
		e.class[d].Store(uint32(binary.LittleEndian.Uint16(b[2*d:])) | classKnown)
	}
	return e, true
}
