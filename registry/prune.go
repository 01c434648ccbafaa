package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// PruneGrace is how old an unreferenced blob has to be before Prune should
// remove it: a compile that runs now pushes blobs long before it publishes
// the tag that names them.
const PruneGrace = 24 * time.Hour

// Pruned says what Prune removed.
type Pruned struct {
	Tags  []string // removed tags, sorted, those of reports included
	Blobs int      // removed files
	Bytes int64    // their size
}

// Prune removes the tags that keep refuses (nil keeps all), and then every
// blob that no entry of index.json leads to and that was last written or
// pushed more than grace ago. A report's tag goes with its artifact's, and
// keep is asked about it only when there is no such artifact. It works under
// the layout's lock, so publications wait; readers do not, and one that still
// follows a removed tag gets ErrNotFound.
//
// Prune removes nothing at all when an entry cannot be read, because what it
// leads to is then unknown.
func (l *Local) Prune(ctx context.Context, keep func(Tagged) bool, grace time.Duration) (Pruned, error) {
	var out Pruned
	if there, err := l.checkLayout(); err != nil || !there {
		return out, err
	}
	err := l.update(ctx, func(x *layoutIndex) (bool, error) {
		for _, t := range refused(x, keep) {
			x.remove(t)
			out.Tags = append(out.Tags, t)
		}
		used, err := l.reachable(ctx, x)
		if err != nil {
			return false, err
		}
		// The tags first: a blob must not go while a tag leads to it.
		if len(out.Tags) > 0 {
			if err := l.writeIndex(x); err != nil {
				return false, err
			}
		}
		return false, l.removeUnused(ctx, used, grace, &out)
	})
	return out, err
}

// refused returns the tags that keep does not want, sorted.
func refused(x *layoutIndex, keep func(Tagged) bool) []string {
	if keep == nil {
		return nil
	}
	gone := make(map[string]bool)
	var tags []string
	list := x.tagged()
	for _, t := range list {
		if base, isReport := strings.CutSuffix(t.Tag, reportSuffix); isReport {
			if _, there := x.find(base); there {
				continue
			}
		}
		gone[t.Tag] = !keep(t)
	}
	for _, t := range list {
		base, _ := strings.CutSuffix(t.Tag, reportSuffix)
		if gone[t.Tag] || gone[base] {
			tags = append(tags, t.Tag)
		}
	}
	return tags
}

// reachable returns the digests that the index leads to, through image
// manifests and nested indexes.
func (l *Local) reachable(ctx context.Context, x *layoutIndex) (map[string]bool, error) {
	used := make(map[string]bool)
	queue := append([]ocispec.Descriptor(nil), x.oci.Manifests...)
	for len(queue) > 0 {
		d := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if used[string(d.Digest)] {
			continue
		}
		used[string(d.Digest)] = true
		if !isManifest(d.MediaType) {
			continue
		}
		refs, err := l.references(ctx, d)
		if err != nil {
			return nil, fail.Wrap(fail.Verification, err, "remove that tag, or publish its commit again with pindex compile --replace",
				"nothing was pruned from %s: %s %q cannot be read", l.dir, d.Digest, tagOf(d))
		}
		queue = append(queue, refs...)
	}
	return used, nil
}

// isManifest reports whether blobs of this media type name other blobs.
func isManifest(mediaType string) bool {
	switch mediaType {
	case ocispec.MediaTypeImageManifest, ocispec.MediaTypeImageIndex,
		"application/vnd.docker.distribution.manifest.v2+json",
		"application/vnd.docker.distribution.manifest.list.v2+json",
		"application/vnd.oci.artifact.manifest.v1+json":
		return true
	}
	return false
}

// references returns what a manifest or index names.
func (l *Local) references(ctx context.Context, d ocispec.Descriptor) ([]ocispec.Descriptor, error) {
	if d.Size > MaxIndexJSON {
		return nil, fmt.Errorf("a manifest of %d bytes", d.Size)
	}
	b, err := l.Fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	// The union of the fields of every form that names blobs.
	var m struct {
		Config    *ocispec.Descriptor
		Layers    []ocispec.Descriptor
		Blobs     []ocispec.Descriptor
		Manifests []ocispec.Descriptor
		Subject   *ocispec.Descriptor
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	refs := append(append(m.Layers, m.Blobs...), m.Manifests...)
	for _, p := range []*ocispec.Descriptor{m.Config, m.Subject} {
		if p != nil {
			refs = append(refs, *p)
		}
	}
	// A nested manifest may be absent, as a platform that was never copied
	// or a subject that is gone; it then names nothing.
	kept := refs[:0]
	for _, r := range refs {
		if !isManifest(r.MediaType) || l.has(r) {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// removeUnused removes old blob files that are not in used, and stale
// temporary files.
func (l *Local) removeUnused(ctx context.Context, used map[string]bool, grace time.Duration, out *Pruned) error {
	dir := l.blobDir()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return l.readError(err, dir)
	}
	limit := time.Now().Add(-grace)
	for _, e := range entries {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name := e.Name()
		if len(name) != 64 || !isHex(name) || !e.Type().IsRegular() || used["sha256:"+name] {
			continue
		}
		info, err := e.Info()
		if err != nil || info.ModTime().After(limit) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return l.writeError(err)
		}
		out.Blobs++
		out.Bytes += info.Size()
	}
	durable.Sweep(l.dir, 0)
	durable.Sweep(dir, 0)
	durable.SweepNamed(filepath.Join(l.dir, ingestDir), "", 0)
	return nil
}
