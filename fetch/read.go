package fetch

import (
	"context"
	"errors"
	"fmt"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

const (
	// rangeSaves is how many bytes of a pack have to stay behind for a part of
	// it to be asked for: about what travels in the time that another request
	// costs where several run at a time.
	rangeSaves = 32 << 10
	// rangeGap is how many bytes that are not wanted are taken along rather
	// than asked around.
	rangeGap = 16 << 10
)

// stored is how many bytes of a hundred are left of a view's segments in a
// pack, on average: what part of a pack a segment may be before the pack's
// table of contents is known. A wrong guess costs a request.
var stored = [8]int64{artifact.Units: 64, artifact.Source: 34, artifact.Lexical: 74, artifact.Dense: 77, artifact.Structural: 58}

// read reads segments of partition p, verified against the manifest: out of
// parts of its pack where that saves something, else out of the whole of it.
func (s *source) read(ctx context.Context, p int, views viewSet) (segments, error) {
	desc := s.artifact.Packs[p]
	if store, ok := bare(s.store).(registry.RangeFetcher); ok {
		if lead, ok := s.lead(p, views); ok {
			got, err := s.readParts(ctx, store, p, views, lead)
			if err == nil || !foreign(err) {
				return got, s.gone(err)
			}
			// What came is not what the manifest says. Read whole, the pack
			// can be verified, and tells whether it is the pack that is wrong
			// or who sent a part of it.
		}
	}
	b, err := s.store.Fetch(ctx, desc)
	if err != nil {
		return segments{}, s.gone(err)
	}
	s.bytes.Add(int64(len(b)))
	got, err := s.unpackAll(b, p, views)
	if err != nil {
		return segments{}, s.explain(err, p)
	}
	return got, nil
}

// foreign reports whether an error is about the bytes of a pack.
func foreign(err error) bool {
	return errors.Is(err, artifact.ErrDamaged) || errors.Is(err, artifact.ErrNotPindex) || errors.Is(err, artifact.ErrTooNew)
}

// gone explains a store's error. A pack that is not there means that what is
// remembered of the commit's tags leads nowhere.
func (s *source) gone(err error) error {
	if err == nil {
		return nil
	}
	if r, ok := s.store.(*remembering); ok && errors.Is(err, registry.ErrNotFound) {
		r.forget(registry.CommitTag(s.manifest.Commit), registry.ProfileTag(s.manifest.Commit, s.manifest.Profile.Digest), indexTag(s.artifact.Index()), onlyTag(s.manifest.Commit))
	}
	return registry.Incomplete(s.store, err)
}

// unpackAll takes segments out of a whole pack.
func (s *source) unpackAll(b []byte, p int, views viewSet) (got segments, err error) {
	pack, err := artifact.OpenPack(b)
	if err != nil {
		return got, err
	}
	for _, v := range artifact.Views {
		if views.contains(v) {
			if got[v], err = pack.SegmentAs(v, s.manifest.Partitions[p].Segments[v.String()]); err != nil {
				return segments{}, err
			}
		}
	}
	return got, nil
}

// lead returns how many bytes of a pack are worth asking for first: its table
// of contents, and about as much as those of the wanted segments have that
// follow it. ok is false when so much of the pack is wanted that it is better
// read whole.
func (s *source) lead(p int, views viewSet) (n int64, ok bool) {
	info := s.manifest.Partitions[p].Segments
	size, head := s.artifact.Packs[p].Size, artifact.PackTOCSize(len(info))
	body := size - head
	if body < rangeSaves {
		return 0, false
	}
	var total, wanted, first int64
	leading := true
	for _, v := range artifact.Views {
		guess := info[v.String()].Size * stored[v] // at most 2^32 × 100
		total += guess
		if views.contains(v) {
			wanted += guess
		}
		if leading = leading && (views.contains(v) || guess == 0); leading {
			first += guess
		}
	}
	share := func(part int64) int64 { return int64(float64(body) * float64(part) / float64(max(total, 1))) }
	if share(total-wanted) < rangeSaves {
		return 0, false
	}
	n = head + share(first)
	return min(n+n/8, size), true
}

// byParts reports whether these views of partition p would be read by parts of
// its pack.
func (s *source) byParts(p int, views viewSet) bool {
	_, ranges := bare(s.store).(registry.RangeFetcher)
	_, less := s.lead(p, views)
	return ranges && less
}

// chunk is a part of a pack.
type chunk struct {
	offset int64
	bytes  []byte
}

// readParts reads segments by parts of a pack: from the first lead bytes its
// table of contents, and then what of the segments did not come with it. The
// table is believed only as far as the manifest confirms it: each segment has
// to have the manifest's size and digest. An error for which foreign holds
// means that what came cannot be right.
func (s *source) readParts(ctx context.Context, store registry.RangeFetcher, p int, views viewSet, lead int64) (got segments, err error) {
	desc := s.artifact.Packs[p]
	prefix, whole, err := store.FetchRange(ctx, desc, 0, lead)
	if err != nil {
		return got, err
	}
	s.bytes.Add(int64(len(prefix)))
	if whole {
		return s.unpackAll(prefix, p, views)
	}
	entries, err := table(prefix, desc, s.manifest.Partitions[p])
	if err != nil {
		return got, err
	}
	chunks := []chunk{{0, prefix}}
	for _, r := range missingRuns(entries, views, lead) {
		b, whole, err := store.FetchRange(ctx, desc, r[0], r[1]-r[0])
		if err != nil {
			return got, err
		}
		s.bytes.Add(int64(len(b)))
		if whole {
			return s.unpackAll(b, p, views)
		}
		chunks = append(chunks, chunk{r[0], b})
	}
	for _, v := range artifact.Views {
		if !views.contains(v) {
			continue
		}
		for _, e := range entries {
			if e.View != v {
				continue
			}
			if got[v], err = e.Decode(cut(chunks, e.Offset, e.Length)); err != nil {
				return segments{}, err
			}
		}
		if got[v] == nil {
			return segments{}, fmt.Errorf("%w: the pack has no %s segment", artifact.ErrDamaged, v)
		}
	}
	return got, nil
}

// table reads the table of contents from the first bytes of a pack, and checks
// it against the pack's descriptor and the manifest.
func table(prefix []byte, desc ocispec.Descriptor, part artifact.PartitionInfo) ([]artifact.PackEntry, error) {
	entries, size, need, err := artifact.ReadPackTOC(prefix)
	if err != nil {
		return nil, err
	}
	if need > 0 || size != desc.Size || len(entries) != len(part.Segments) {
		return nil, fmt.Errorf("%w: the table of contents is of another pack", artifact.ErrDamaged)
	}
	for _, e := range entries {
		if err := e.Check(part.Segments[e.View.String()]); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// missingRuns returns the ranges of a pack that hold the segments of views and
// lie behind the first have bytes, joined where little lies between them.
func missingRuns(entries []artifact.PackEntry, views viewSet, have int64) [][2]int64 {
	var runs [][2]int64
	for _, e := range entries {
		lo, hi := max(e.Offset, have), e.Offset+e.Length
		if !views.contains(e.View) || lo >= hi {
			continue
		}
		if n := len(runs); n > 0 && lo-runs[n-1][1] <= rangeGap {
			runs[n-1][1] = hi
			continue
		}
		runs = append(runs, [2]int64{lo, hi})
	}
	return runs
}

// cut returns the bytes [offset, offset+length) of a pack, of which chunks, in
// ascending order, have all.
func cut(chunks []chunk, offset, length int64) []byte {
	var out []byte
	for _, c := range chunks {
		lo, hi := max(offset, c.offset), min(offset+length, c.offset+int64(len(c.bytes)))
		if lo >= hi {
			continue
		}
		part := c.bytes[lo-c.offset : hi-c.offset : hi-c.offset]
		if hi-lo == length {
			return part
		}
		out = append(out, part...)
	}
	return out
}

// Tables returns the table of contents of each of an index's packs, in
// partition order. Of a distant store nothing else of the packs is read: then
// how long a segment is as it travels is the word of who keeps the pack, while
// its uncompressed size and digest are the manifest's.
func Tables(ctx context.Context, store registry.Store, art *registry.Artifact, m *artifact.Manifest) ([][]artifact.PackEntry, error) {
	s := newSource(store, nil, art, m, nil)
	if len(s.packs) != len(art.Packs) {
		return nil, fmt.Errorf("%d packs for %d partitions", len(art.Packs), len(s.packs))
	}
	out := make([][]artifact.PackEntry, len(art.Packs))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel(store))
	for p := range out {
		g.Go(func() (err error) {
			out[p], err = s.table(gctx, p)
			return err
		})
	}
	return out, g.Wait()
}

func (s *source) table(ctx context.Context, p int) ([]artifact.PackEntry, error) {
	desc, part := s.artifact.Packs[p], s.manifest.Partitions[p]
	n := artifact.PackTOCSize(len(part.Segments))
	if store, ok := bare(s.store).(registry.RangeFetcher); ok && n < desc.Size {
		b, _, err := store.FetchRange(ctx, desc, 0, n)
		if err != nil {
			return nil, s.gone(err)
		}
		if entries, err := table(b, desc, part); err == nil {
			return entries, nil
		}
	}
	b, err := s.store.Fetch(ctx, desc)
	if err != nil {
		return nil, s.gone(err)
	}
	entries, err := table(b, desc, part)
	if err != nil {
		return nil, s.explain(err, p)
	}
	return entries, nil
}
