package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// MediaTypeShard is the artifact type and the config of a shard record.
const MediaTypeShard = "application/vnd.pindex.shard.v1+json"

// Shard is one machine's part of a commit's index: the packs that it made, and
// a record that says of which partitions they are. It has a tag of its own, so
// that no registry collects the packs before they are joined, and is no index:
// nothing can be answered from it.
type Shard struct {
	Commit  string
	Profile artifact.Digest
	Number  int                  // 1 to Of
	Of      int                  // shards in all
	Record  []byte               // JSON; at most MaxManifest bytes
	Packs   []ocispec.Descriptor // as Push returned them, in the record's order
}

// Tag returns the tag that a shard is kept under.
func (s *Shard) Tag() string {
	return fmt.Sprintf("%s-%s.shard-%d-%d", s.Commit, s.Profile.Hex()[:profileDigits], s.Number, s.Of)
}

// tagging is a store that can tag a manifest that is no index.
type tagging interface {
	Store
	putTag(ctx context.Context, tag string, manifest []byte, blobs []ocispec.Descriptor) error
}

// PublishShard makes a shard visible to Seal's machine. One that was there is
// replaced: the same commit and profile have the same packs.
func PublishShard(ctx context.Context, store Store, s *Shard) error {
	t, ok := store.(tagging)
	if !ok {
		return fail.New(fail.Usage, "compile shards into a registry or a folder", "%s cannot keep shards", store.Name())
	}
	if !validCommit(s.Commit) || s.Profile.IsZero() || s.Of < 1 || s.Number < 1 || s.Number > s.Of || len(s.Record) == 0 || len(s.Record) > MaxManifest {
		return fail.New(fail.Internal, "", "shard %d of %d of %.80q cannot be published", s.Number, s.Of, s.Commit)
	}
	up := &pusher{ctx: ctx, s: store}
	config := up.push(MediaTypeShard, s.Record, nil)
	if up.err != nil {
		return up.err
	}
	b, err := marshalManifest(ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: MediaTypeShard,
		Config:       plain(config),
		Layers:       plainAll(s.Packs),
		Annotations:  map[string]string{ocispec.AnnotationRevision: s.Commit},
	})
	if err != nil {
		return fail.Wrap(fail.Usage, err, "use more shards", "shard %d of %d has too many packs", s.Number, s.Of)
	}
	return t.putTag(ctx, s.Tag(), b, append([]ocispec.Descriptor{config}, s.Packs...))
}

func plainAll(ds []ocispec.Descriptor) []ocispec.Descriptor {
	out := make([]ocispec.Descriptor, len(ds))
	for i, d := range ds {
		out[i] = plain(d)
	}
	return out
}

// ReadShard fills in the record and packs of a shard whose other fields are
// set. One that is not there gives ErrNotFound. The record is as its writer
// left it: what it claims is the caller's to check.
func ReadShard(ctx context.Context, store Store, s *Shard) error {
	d, err := store.Resolve(ctx, s.Tag())
	if err != nil {
		return err
	}
	wrong := func(err error) error {
		return fail.Wrap(fail.Verification, err, "compile that shard again", "shard %d of %d in %s cannot be used", s.Number, s.Of, store.Name())
	}
	if err := checkDescriptor(d, MaxOCIManifest); err != nil {
		return wrong(err)
	}
	b, err := store.Fetch(ctx, d)
	if err != nil {
		return err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return wrong(err)
	}
	if m.Config.MediaType != MediaTypeShard {
		return wrong(fmt.Errorf("its config is a %.80q", m.Config.MediaType))
	}
	if len(m.Layers) > MaxLayers {
		return wrong(fmt.Errorf("it has %d layers", len(m.Layers)))
	}
	if err := checkDescriptor(m.Config, MaxManifest); err != nil {
		return wrong(err)
	}
	for _, l := range m.Layers {
		if l.MediaType != MediaTypePack {
			return wrong(fmt.Errorf("one of its layers is a %.80q", l.MediaType))
		}
		if err := checkDescriptor(l, MaxBlob); err != nil {
			return wrong(err)
		}
	}
	if s.Record, err = store.Fetch(ctx, m.Config); err != nil {
		return Incomplete(store, err)
	}
	s.Packs = m.Layers
	return nil
}

// RemoveShard removes a shard's tag. A registry that cannot remove a tag alone
// keeps it: ErrUnsupported.
func RemoveShard(ctx context.Context, store Store, s *Shard) error {
	err := store.Untag(ctx, s.Tag())
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (l *Local) putTag(ctx context.Context, tag string, manifest []byte, blobs []ocispec.Descriptor) error {
	d, err := l.Push(ctx, Blob{ocispec.MediaTypeImageManifest, manifest})
	if err != nil {
		return err
	}
	blobs = append(blobs, d)
	if err := l.sync(blobs); err != nil {
		return err
	}
	return l.update(ctx, func(x *layoutIndex) (bool, error) {
		if err := l.present(blobs); err != nil {
			return false, err
		}
		x.set(tag, d)
		return true, nil
	})
}

func (r *Remote) putTag(ctx context.Context, tag string, manifest []byte, _ []ocispec.Descriptor) error {
	return r.putManifest(ctx, describe(ocispec.MediaTypeImageManifest, manifest), manifest, tag)
}
