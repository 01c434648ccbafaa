package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/registry"
)

// packSet collects the packs of one index.
type packSet struct {
	mu sync.Mutex
	by map[int]ocispec.Descriptor
}

func (p *packSet) set(partition int, d ocispec.Descriptor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil {
		p.by = map[int]ocispec.Descriptor{}
	}
	p.by[partition] = d
}

// Pack implements compile.Sink.
func (s *sink) Pack(ctx context.Context, partition int, pack []byte, _ []artifact.PackSegment) error {
	d, err := s.store.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack, Bytes: pack})
	if err != nil {
		return err
	}
	s.packs.set(partition, d)
	return nil
}

// Reuse implements compile.Sink.
func (s *sink) Reuse(_ context.Context, partition, from int) (bool, error) {
	if s.prev == nil {
		return false, nil
	}
	s.packs.set(partition, s.prev.Artifact.Packs[from])
	return true, nil
}

// Publish implements compile.Sink.
func (s *sink) Publish(ctx context.Context, f *compile.Final) error {
	s.row.Packs = s.store.Sent() // nothing else has been sent yet
	report, err := json.Marshal(f.Report)
	if err != nil {
		return err
	}
	p := registry.Publication{
		Commit: f.Commit.String(), Profile: f.Manifest.Profile.Digest, Default: f.DefaultProfile,
		Manifest: f.Encoded, Report: report, Created: time.Unix(f.CommitUnix, 0),
	}
	for n := range f.Partitions {
		d, ok := s.packs.by[n]
		if !ok {
			return fmt.Errorf("partition %d has no pack", n)
		}
		p.Packs = append(p.Packs, d)
	}
	if f.Model == nil {
		return errors.New("the index has no dense view")
	}
	model, err := s.store.Push(ctx, registry.Blob{MediaType: registry.MediaTypeModel, Bytes: f.Model})
	if err != nil {
		return err
	}
	p.Model = &model
	done, err := s.store.Publish(ctx, p)
	if err != nil {
		return err
	}
	s.row.Artifact, s.row.Model = done.Size, model.Size
	s.row.Manifest, s.row.OCI = int64(len(f.Encoded)), done.Descriptor.Size
	b, err := s.store.Fetch(ctx, done.Descriptor)
	if err != nil {
		return err
	}
	a, err := registry.ParseArtifact(done.Descriptor, b)
	if err != nil {
		return err
	}
	s.next = &last{Manifest: f.Encoded, Artifact: *a}
	return nil
}
