package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// check refuses a publication whose parts contradict each other. The full
// validation of a manifest is its writer's.
func (p Publication) check() error {
	if !validCommit(p.Commit) {
		return fmt.Errorf("%.80q is no full commit hash", p.Commit)
	}
	if p.Profile.IsZero() || len(p.Manifest) == 0 || len(p.Manifest) > MaxManifest {
		return fmt.Errorf("no profile, or a manifest of %d bytes", len(p.Manifest))
	}
	var m struct {
		Commit  string
		Profile struct{ Digest artifact.Digest }
		Model   *struct{ Digest artifact.Digest }
	}
	if err := json.Unmarshal(p.Manifest, &m); err != nil {
		return err
	}
	if m.Commit != p.Commit || m.Profile.Digest != p.Profile {
		return errors.New("the manifest is of another commit or profile")
	}
	if (m.Model == nil) != (p.Model == nil) || m.Model != nil && m.Model.Digest.String() != string(p.Model.Digest) {
		return errors.New("the manifest names another model")
	}
	if len(p.Packs)+len(p.Inputs)+3 > MaxLayers {
		return fmt.Errorf("%d packs", len(p.Packs))
	}
	for _, d := range p.blobs() {
		if err := checkDescriptor(d, MaxBlob); err != nil {
			return err
		}
	}
	return nil
}

// blobs returns what has to be in the store before the publication.
func (p Publication) blobs() []ocispec.Descriptor {
	blobs := append([]ocispec.Descriptor(nil), p.Packs...)
	if p.Model != nil {
		blobs = append(blobs, *p.Model)
	}
	return append(blobs, p.Inputs...)
}

// size is Artifact.TravelSize of what is published, of which the OCI manifest
// is given: nothing has to be read for it.
func (p Publication) size(manifest ocispec.Descriptor) int64 {
	n := manifest.Size + int64(len(p.Manifest))
	if config, err := encodeConfig(p); err == nil { // else it is not published
		n += int64(len(config))
	}
	for _, d := range p.blobs() {
		n += d.Size
	}
	return n
}

// pusher pushes one blob after another and stops at the first error.
type pusher struct {
	ctx    context.Context
	s      Store
	pushed []ocispec.Descriptor
	err    error
}

func (p *pusher) push(mediaType string, b []byte, err error) ocispec.Descriptor {
	if p.err == nil {
		p.err = err
	}
	if p.err != nil {
		return ocispec.Descriptor{}
	}
	var d ocispec.Descriptor
	if d, p.err = p.s.Push(p.ctx, Blob{mediaType, b}); p.err == nil {
		p.pushed = append(p.pushed, d)
	}
	return d
}

// Publish implements Store.
func (l *Local) Publish(ctx context.Context, p Publication) (Published, error) {
	wrap := func(err error) error {
		return fail.Wrap(fail.Internal, err, "", "the index of %.80s cannot be published", p.Commit)
	}
	if err := p.check(); err != nil {
		return Published{}, wrap(err)
	}
	// In the order of the package comment.
	up := &pusher{ctx: ctx, s: l}
	manifest := up.push(MediaTypeManifest, p.Manifest, nil)
	b, err := encodeConfig(p)
	config := up.push(MediaTypeIndex, b, err)
	b, err = encodeManifest(p, config, manifest)
	main := up.push(ocispec.MediaTypeImageManifest, b, err)
	var report ocispec.Descriptor
	if p.Report != nil {
		layer := up.push(MediaTypeReport, p.Report, nil)
		empty := up.push(ocispec.MediaTypeEmptyJSON, emptyJSON, nil)
		b, err = encodeReport(p, empty, layer)
		report = up.push(ocispec.MediaTypeImageManifest, b, err)
	}
	if up.err != nil {
		var known *fail.Error
		if errors.As(up.err, &known) || ctx.Err() != nil {
			return Published{}, up.err
		}
		return Published{}, wrap(up.err)
	}
	blobs := append(p.blobs(), up.pushed...)
	if err := l.present(blobs); err != nil {
		return Published{}, err
	}
	if err := l.sync(blobs); err != nil {
		return Published{}, err
	}
	main.ArtifactType, report.ArtifactType = MediaTypeIndex, MediaTypeReport

	var out Published
	err = l.update(ctx, func(x *layoutIndex) (bool, error) {
		// Prune works under the same lock: what is here now stays.
		if err := l.present(blobs); err != nil {
			return false, err
		}
		place, err := place(ctx, localView{l, x}, p)
		if err != nil {
			return false, err
		}
		for _, tag := range place.write {
			x.set(tag, main)
		}
		changed := len(place.write) > 0
		if _, there := x.find(ReportTag(place.tag)); p.Report != nil && (changed || !there) {
			x.set(ReportTag(place.tag), report)
			changed = true
		}
		held, _ := x.find(place.tag)
		out = Published{Tag: place.tag, Descriptor: held, Unchanged: len(place.write) == 0, Size: p.size(held)}
		return changed, nil
	})
	if err != nil {
		return Published{}, err
	}
	// What killed processes left behind; it costs room and nothing else, so
	// a failure to remove it is no failure of the publication.
	durable.Sweep(l.dir, 0)
	durable.Sweep(l.blobDir(), 0)
	durable.SweepNamed(filepath.Join(l.dir, ingestDir), "", 0)
	return out, nil
}

// present returns an error when a blob that is about to be published is not
// there.
func (l *Local) present(blobs []ocispec.Descriptor) error {
	for _, d := range blobs {
		if !l.Holds(d) {
			return fail.New(fail.Network, "run the command again",
				"blob %s is not in %s any more: something pruned it before it was published", d.Digest, l.dir)
		}
	}
	return nil
}

// Assume takes the blobs of an artifact that a tag of this layout leads to as
// durable: whoever tagged it has synced them. They are looked for before they
// are published again all the same. The artifact may name its packs alone, as
// shards do.
func (l *Local) Assume(a *Artifact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range append(a.Blobs(), a.Config) {
		if d.Digest != "" {
			l.synced[l.blobPath(d)] = true
		}
	}
}

// sync makes blobs durable, those that this Local has not synced before. All
// at once, before the tag: 216 packs of 190 KB on ext4 took 40 to 60 ms that
// way, and 450 to 700 ms more when each was synced as it was pushed.
func (l *Local) sync(blobs []ocispec.Descriptor) error {
	var paths []string
	l.mu.Lock()
	for _, d := range blobs {
		if path := l.blobPath(d); !l.synced[path] {
			paths = append(paths, path)
		}
	}
	l.mu.Unlock()
	paths = slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist) // promised: present has looked
	})
	if err := durable.SyncFiles(paths); err != nil {
		return l.writeError(err)
	}
	if err := durable.SyncDir(l.blobDir()); err != nil {
		return l.writeError(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range paths {
		l.synced[path] = true
	}
	return nil
}
