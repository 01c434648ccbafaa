package compile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
)

// Memory is a Sink that keeps everything in memory, for tests and for small
// repositories. The zero value is ready to use.
type Memory struct {
	// Parent holds the packs of the parent that is found; set it before the compile.
	Parent *Memory

	mu    sync.Mutex
	packs map[int][]byte
	final *Final
}

// Pack implements Sink.
func (m *Memory) Pack(_ context.Context, partition int, pack []byte, _ []artifact.PackSegment) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.packs == nil {
		m.packs = map[int][]byte{}
	}
	m.packs[partition] = pack
	return nil
}

// Reuse implements Sink.
func (m *Memory) Reuse(ctx context.Context, partition, from int) (bool, error) {
	if m.Parent == nil {
		return false, nil
	}
	pack := m.Parent.PackBytes(from)
	return pack != nil, m.Pack(ctx, partition, pack, nil)
}

// Publish implements Sink.
func (m *Memory) Publish(_ context.Context, f *Final) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.final = f
	return nil
}

// Final returns what was published; nil before.
func (m *Memory) Final() *Final {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.final
}

// PackBytes returns a partition's pack as it travels; nil when there is none.
func (m *Memory) PackBytes(partition int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.packs[partition]
}

// Open returns the published index, read from the packs.
func (m *Memory) Open() (*artifact.Index, error) {
	f := m.Final()
	if f == nil {
		return nil, errors.New("nothing was published")
	}
	decoded, err := artifact.DecodeManifest(f.Encoded)
	if err != nil {
		return nil, err
	}
	open := func(partition int, v artifact.View, want artifact.SegmentInfo) ([]byte, error) {
		p, err := artifact.OpenPack(m.PackBytes(partition))
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(p.Entries(), func(e artifact.PackEntry) bool { return e.View == v })
		if i < 0 || p.Entries()[i].Digest != want.Digest {
			return nil, fmt.Errorf("the pack of partition %d does not hold segment %s", partition, want.Digest)
		}
		return p.Segment(v)
	}
	return artifact.NewIndex(decoded, artifact.DigestOf(f.Encoded), open, nil), nil
}

// Discard is a Sink for a compile of which only the digest is wanted.
type Discard struct{}

// Pack implements Sink.
func (Discard) Pack(context.Context, int, []byte, []artifact.PackSegment) error { return nil }

// Reuse implements Sink.
func (Discard) Reuse(context.Context, int, int) (bool, error) { return true, nil }

// Publish implements Sink.
func (Discard) Publish(context.Context, *Final) error { return nil }
