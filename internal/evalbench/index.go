package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/durable"
)

// memory is a compile's sink that keeps the index in memory.
type memory struct {
	mu    sync.Mutex
	segs  map[int]map[artifact.View][]byte // nil where nobody wants them
	sums  map[int]artifact.Digest          // of packs; nil where nobody wants them
	final *compile.Final
}

func (m *memory) Pack(_ context.Context, partition int, pack []byte, segs []artifact.PackSegment) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sums != nil {
		m.sums[partition] = artifact.DigestOf(pack)
	}
	if m.segs == nil {
		return nil
	}
	by := map[artifact.View][]byte{}
	for _, s := range segs {
		by[s.View] = s.Bytes
	}
	m.segs[partition] = by
	return nil
}

// Reuse implements compile.Sink; there is no parent to take from.
func (m *memory) Reuse(context.Context, int, int) (bool, error) { return false, nil }

func (m *memory) Publish(_ context.Context, f *compile.Final) error {
	m.final = f
	return nil
}

// packs is a folder of packs by the key of their partition.
type packs struct{ dir string }

func (p packs) path(key artifact.Digest) string {
	name := fmt.Sprintf("%x", key[:])
	return filepath.Join(p.dir, name[:2], name)
}

// Find implements compile.Known.
func (p packs) Find(key artifact.Digest) []byte {
	b, err := os.ReadFile(p.path(key))
	if err != nil {
		return nil
	}
	return b
}

// Built implements compile.Known. A pack that cannot be kept is built again.
func (p packs) Built(key artifact.Digest, pack []byte) {
	path := p.path(key)
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = durable.WriteBytes(path, 0o644, pack)
	}
}

// index compiles a commit and opens what came out. What a partial clone lacks,
// such as large data files, is left out.
func index(ctx context.Context, dir, rev, work string) (*artifact.Index, *compile.Final, error) {
	m := &memory{segs: map[int]map[artifact.View][]byte{}}
	if _, err := compileInto(ctx, dir, rev, m, packs{filepath.Join(work, "packs")}, false); err != nil {
		return nil, nil, err
	}
	open := func(p int, v artifact.View, _ artifact.SegmentInfo) ([]byte, error) {
		b, ok := m.segs[p][v]
		if !ok {
			return nil, fmt.Errorf("partition %d has no %s", p, v)
		}
		return b, nil
	}
	return artifact.NewIndex(m.final.Manifest, m.final.Digest, open, nil), m.final, nil
}

func compileInto(ctx context.Context, dir, rev string, m *memory, known compile.Known, inProcess bool) (*compile.Final, error) {
	repo, err := git.Open(ctx, dir, git.Options{})
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	_, err = compile.Run(ctx, compile.Options{Repo: repo, Rev: rev, Sink: m, AllowMissing: true, Known: known, InProcess: inProcess})
	return m.final, err
}
