package artifact

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrViewAbsent means that a view was not built for this artifact. The error
// in hand is a *ViewAbsentError with the reason.
var ErrViewAbsent = errors.New("the artifact lacks a view")

// ErrClosed means that an index was used after Close.
var ErrClosed = errors.New("the index is closed")

// ViewAbsentError names the view that is missing and why.
type ViewAbsentError struct {
	View   View
	Reason string // the manifest's
}

func (e *ViewAbsentError) Error() string {
	return fmt.Sprintf("the artifact has no %s view: %s", e.View, e.Reason)
}

// Is makes errors.Is(err, ErrViewAbsent) hold.
func (e *ViewAbsentError) Is(target error) bool { return target == ErrViewAbsent }

// Opener returns the bytes of a segment, verified against seg.Digest. They
// must stay valid and unchanged until the index is closed. When an opener is
// asked for the same segment again, what it gave before turned out to be
// damaged: one that trusted a cached file verifies it then, and fetches anew.
type Opener func(partition int, v View, seg SegmentInfo) ([]byte, error)

// Index is one commit's open index. Segments are opened when they are first
// asked for, and once; what failed to open is tried again. It is safe for
// concurrent use.
type Index struct {
	manifest *Manifest
	digest   Digest
	open     Opener
	close    func() error
	closed   atomic.Bool
	base     *Index      // see Borrow
	from     map[int]int // partition -> partition of base

	units      []slot[*UnitsReader]
	source     []slot[*SourceReader]
	lexical    []slot[*LexicalReader]
	dense      []slot[*DenseReader]
	structural []slot[*StructuralReader]
	imports    []slot[*ImportsReader]

	shared []sharedBytes // structural segments, which both of the last two read
}

// slot holds a reader, a pointer, once it is open.
type slot[R any] struct {
	ready atomic.Bool
	mu    sync.Mutex
	r     R
}

// get returns the reader, opening it where nobody has.
func (s *slot[R]) get(open func() (R, error)) (R, error) {
	if s.ready.Load() {
		return s.r, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready.Load() {
		return s.r, nil
	}
	r, err := open()
	if err == nil {
		s.r = r
		s.ready.Store(true)
	}
	return r, err
}

// sharedBytes are a segment's bytes, which several readers are opened over.
type sharedBytes struct {
	mu sync.Mutex
	b  []byte
}

// NewIndex returns the index that m (decoded and thereby validated) and the
// segments behind open make up. digest is the index digest. close may be nil.
func NewIndex(m *Manifest, digest Digest, open Opener, close func() error) *Index {
	n := len(m.Partitions)
	return &Index{
		manifest: m, digest: digest, open: open, close: close,
		units: make([]slot[*UnitsReader], n), source: make([]slot[*SourceReader], n), lexical: make([]slot[*LexicalReader], n),
		dense: make([]slot[*DenseReader], n), structural: make([]slot[*StructuralReader], n), imports: make([]slot[*ImportsReader], n),
		shared: make([]sharedBytes, n),
	}
}

// Borrow makes the index use another's readers for the partitions that from
// maps to partitions of it, which are the same bytes. It is called before the
// first use; base must stay open as long as this index is used.
func (ix *Index) Borrow(base *Index, from map[int]int) { ix.base, ix.from = base, from }

// borrowed returns the other index's partition that partition p is.
func (ix *Index) borrowed(p int) (q int, ok bool) {
	if ix.base == nil || ix.closed.Load() {
		return 0, false
	}
	q, ok = ix.from[p]
	return q, ok
}

// Manifest returns the manifest, which must not be changed.
func (ix *Index) Manifest() *Manifest { return ix.manifest }

// Digest returns the index digest.
func (ix *Index) Digest() Digest { return ix.digest }

// NumPartitions returns the number of partitions.
func (ix *Index) NumPartitions() int { return len(ix.manifest.Partitions) }

// Segment returns the bytes of one segment, as verified by whoever opened the
// index; they stay valid until Close.
func (ix *Index) Segment(p int, v View) ([]byte, error) {
	if ix.closed.Load() {
		return nil, ErrClosed
	}
	if p < 0 || p >= ix.NumPartitions() {
		return nil, fmt.Errorf("partition %d of %d", p, ix.NumPartitions())
	}
	info, ok := ix.manifest.Partitions[p].Segments[v.String()]
	if !ok {
		return nil, &ViewAbsentError{v, ix.manifest.Views[v.String()].Reason}
	}
	return ix.open(p, v, info)
}

// Close releases what the segments' bytes stand on. Readers and byte slices
// from them must not be used afterwards.
func (ix *Index) Close() error {
	if ix.closed.Swap(true) || ix.close == nil {
		return nil
	}
	return ix.close()
}

// openView gets the bytes of one segment and hands them to parse, which
// returns the reader, a pointer, and the key that stands in the segment.
func openView[R any](ix *Index, slots []slot[R], p int, v View, parse func(b []byte, info *PartitionInfo) (R, Digest, error)) (none R, err error) {
	if ix.closed.Load() {
		return none, ErrClosed
	}
	if p < 0 || p >= len(slots) {
		return none, fmt.Errorf("partition %d of %d", p, len(slots))
	}
	return slots[p].get(func() (R, error) {
		if view := ix.manifest.Views[v.String()]; view.State != ViewReady {
			return none, &ViewAbsentError{v, view.Reason}
		}
		part := &ix.manifest.Partitions[p]
		info, ok := part.Segments[v.String()]
		if !ok {
			return none, damaged("partition %d has no %s segment", p, v)
		}
		b, err := ix.bytes(p, v, info, false)
		if err != nil {
			return none, err
		}
		r, err := parseSegment(b, info, part, parse)
		if err != nil { // even "too new" may be a flipped bit
			if b, err = ix.bytes(p, v, info, true); err != nil {
				return none, err
			}
			r, err = parseSegment(b, info, part, parse)
		}
		if err != nil {
			return none, fmt.Errorf("%s segment of partition %d: %w", v, p, err)
		}
		return r, nil
	})
}

// bytes returns the bytes of a segment, asking the opener once for each view,
// and again where what it gave is damaged.
func (ix *Index) bytes(p int, v View, info SegmentInfo, again bool) ([]byte, error) {
	if v != Structural {
		return ix.open(p, v, info)
	}
	s := &ix.shared[p]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.b != nil && !again {
		return s.b, nil
	}
	b, err := ix.open(p, v, info)
	if err == nil {
		s.b = b
	}
	return b, err
}

func parseSegment[R any](b []byte, info SegmentInfo, part *PartitionInfo, parse func([]byte, *PartitionInfo) (R, Digest, error)) (none R, err error) {
	if int64(len(b)) != info.Size {
		return none, damaged("%d bytes, the manifest says %d", len(b), info.Size)
	}
	r, key, err := parse(b, part)
	if err != nil {
		return none, err
	}
	if key != info.Key {
		return none, damaged("its key is %s, the manifest's %s", key, info.Key)
	}
	return r, nil
}

// counts compares what a segment counts with what the manifest does.
func counts(what string, got, want int) error {
	if got != want {
		return damaged("%d %s, the manifest says %d", got, what, want)
	}
	return nil
}

// Units returns the units of partition p.
func (ix *Index) Units(p int) (*UnitsReader, error) {
	if q, ok := ix.borrowed(p); ok {
		return ix.base.Units(q)
	}
	return openView(ix, ix.units, p, Units, func(b []byte, info *PartitionInfo) (*UnitsReader, Digest, error) {
		r, err := OpenUnits(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.Key(), errors.Join(counts("files", r.NumFiles(), info.Files), counts("units", r.NumUnits(), info.Units),
			counts("docs", r.NumDocs(), info.Docs))
	})
}

// Source returns the source text of partition p. Each file's content is as
// long as its units say, so byte ranges of units lie inside it.
func (ix *Index) Source(p int) (*SourceReader, error) {
	if q, ok := ix.borrowed(p); ok {
		return ix.base.Source(q)
	}
	return openView(ix, ix.source, p, Source, func(b []byte, info *PartitionInfo) (*SourceReader, Digest, error) {
		r, err := OpenSource(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.Key(), errors.Join(counts("files", r.NumFiles(), info.Files), ix.checkSizes(p, r))
	})
}

// checkSizes compares the lengths of contents with the units' file sizes.
func (ix *Index) checkSizes(p int, r *SourceReader) error {
	u, err := ix.Units(p)
	if err != nil {
		return err
	}
	for f := range min(u.NumFiles(), r.NumFiles()) {
		want := uint64(0)
		if u.Skip(f) == SkipNone {
			want = u.Size(f)
		}
		if lo, hi := r.FileRange(f); uint64(hi-lo) != want {
			return damaged("file %d has %d bytes, not %d", f, hi-lo, want)
		}
	}
	return nil
}

// Lexical returns the postings of partition p.
func (ix *Index) Lexical(p int) (*LexicalReader, error) {
	if q, ok := ix.borrowed(p); ok {
		return ix.base.Lexical(q)
	}
	return openView(ix, ix.lexical, p, Lexical, func(b []byte, info *PartitionInfo) (*LexicalReader, Digest, error) {
		r, err := OpenLexical(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.Key(), counts("docs", r.NumDocs(), info.Docs)
	})
}

// Dense returns the embeddings of partition p.
func (ix *Index) Dense(p int) (*DenseReader, error) {
	if q, ok := ix.borrowed(p); ok {
		return ix.base.Dense(q)
	}
	return openView(ix, ix.dense, p, Dense, func(b []byte, info *PartitionInfo) (*DenseReader, Digest, error) {
		r, err := OpenDense(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.SegmentKey(), ix.checkDense(r, info)
	})
}

// checkDense compares a dense segment with the model and the documents.
func (ix *Index) checkDense(r *DenseReader, info *PartitionInfo) error {
	m := ix.manifest.Model
	if m == nil || r.Model() != m.Digest || r.Dims() != m.Dims {
		return damaged("its rows are of a model that the manifest does not name")
	}
	if n := r.Len(); n > 0 && int(r.Doc(n-1)) >= info.Docs { // docs ascend
		return damaged("row of doc %d of %d", r.Doc(n-1), info.Docs)
	}
	return nil
}

// Structural returns the symbols, occurrences and imports of partition p. Each
// symbol's unit is one of its own file. Lines may lie behind the file's end:
// whoever looks them up in the source has to check.
func (ix *Index) Structural(p int) (*StructuralReader, error) {
	if q, ok := ix.borrowed(p); ok {
		return ix.base.Structural(q)
	}
	return openView(ix, ix.structural, p, Structural, func(b []byte, info *PartitionInfo) (*StructuralReader, Digest, error) {
		r, err := OpenStructural(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.Key(), errors.Join(counts("files", r.NumFiles(), info.Files), counts("units", r.NumUnits(), info.Units),
			ix.checkSymbols(p, r))
	})
}

// checkSymbols compares the files of symbols with those of their units.
func (ix *Index) checkSymbols(p int, r *StructuralReader) error {
	u, err := ix.Units(p)
	if err != nil {
		return err
	}
	for f := range min(u.NumFiles(), r.NumFiles()) {
		lo, hi := r.FileSymbols(f)
		for i := lo; i < hi; i++ {
			if unit := r.SymbolUnit(i); unit >= u.NumUnits() || u.UnitFile(unit) != f {
				return damaged("symbol %d of file %d is of unit %d", i, f, unit)
			}
		}
	}
	return nil
}

// FindFile returns the partition and the number of the file with the given
// path. It opens the units of a logarithmic number of partitions.
func (ix *Index) FindFile(path string) (p, f int, ok bool, err error) {
	// The last partition that starts at or before path.
	n := sort.Search(ix.NumPartitions(), func(i int) bool {
		if err != nil {
			return true
		}
		var u *UnitsReader
		if u, err = ix.Units(i); err != nil {
			return true
		}
		return string(u.PathBytes(0)) > path
	})
	if err != nil || n == 0 {
		return 0, 0, false, err
	}
	u, err := ix.Units(n - 1)
	if err != nil {
		return 0, 0, false, err
	}
	f, ok = u.FindFile(path)
	if !ok {
		return 0, 0, false, nil
	}
	return n - 1, f, true, nil
}

// EachPartition calls fn for every partition on as many goroutines as the
// program may use processors, and waits for them. After a failure no later
// partition is begun; the error of the lowest partition that failed is
// returned, so it does not depend on timing. A memory fault in fn is an error,
// see Guard. When ctx ends first, its error is returned.
func (ix *Index) EachPartition(ctx context.Context, fn func(p int) error) error {
	n := ix.NumPartitions()
	var (
		next  atomic.Int64
		mu    sync.Mutex
		first = n // lowest partition that failed
		cause error
		wg    sync.WaitGroup
	)
	work := func() {
		for ctx.Err() == nil {
			// Partitions are handed out in order, so whatever is lower than a
			// failed one has been begun and will be waited for.
			p := int(next.Add(1)) - 1
			mu.Lock()
			stop := p >= first
			mu.Unlock()
			if stop || p >= n {
				return
			}
			if err := Guard(func() error { return fn(p) }); err != nil {
				mu.Lock()
				if p < first {
					first, cause = p, err
				}
				mu.Unlock()
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if cause == nil && int(next.Load()) < n {
		return ctx.Err()
	}
	return cause
}
