package registry

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// promisedFile lists blobs that a layout does not hold and may name all the
// same: the store that its index is going to has them. A compile into such a
// layout needs neither that store nor its credentials.
const promisedFile = "pindex-promised.json"

type promises struct {
	Store string           `json:"store"` // that has the blobs
	Blobs map[string]int64 `json:"blobs"` // digest -> size
}

// maxPromises bounds the file that is read.
const maxPromises = 64 << 20

func (l *Local) promises() promises {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.promised == nil {
		p := promises{}
		if f, err := os.Open(filepath.Join(l.dir, promisedFile)); err == nil {
			b, err := io.ReadAll(io.LimitReader(f, maxPromises))
			if err != nil || json.Unmarshal(b, &p) != nil {
				p = promises{} // nothing is promised then, and all is built
			}
			f.Close()
		}
		l.promised = &p
	}
	return *l.promised
}

func (l *Local) isPromised(d ocispec.Descriptor) bool {
	size, ok := l.promises().Blobs[string(d.Digest)]
	return ok && size == d.Size
}

// CopyManifests brings the manifests of an artifact into a layout, under a tag
// that is its commit's there, and leaves its packs, model and inputs
// where they are: the layout may name them, and cannot read them.
func CopyManifests(ctx context.Context, from Store, to *Local, a *Artifact, tag string) error {
	for _, d := range []ocispec.Descriptor{a.Manifest, a.Config, a.Descriptor} {
		b, err := from.Fetch(ctx, d)
		if err != nil {
			return Incomplete(from, err)
		}
		if _, err := to.Push(ctx, Blob{d.MediaType, b}); err != nil {
			return err
		}
	}
	p := promises{Store: from.Name(), Blobs: map[string]int64{}}
	for digest, size := range to.promises().Blobs {
		p.Blobs[digest] = size
	}
	for _, d := range a.Blobs() {
		if d.Digest != a.Manifest.Digest {
			p.Blobs[string(d.Digest)] = d.Size
		}
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := durable.WriteBytes(filepath.Join(to.dir, promisedFile), 0o644, b); err != nil {
		return to.writeError(err)
	}
	to.mu.Lock()
	to.promised = &p
	to.mu.Unlock()
	d := a.Descriptor
	d.ArtifactType = MediaTypeIndex
	return to.update(ctx, func(x *layoutIndex) (bool, error) {
		x.set(tag, d)
		return true, nil
	})
}

// brokenPromise explains a promised blob that is nowhere.
func brokenPromise(l *Local, to Store, d ocispec.Descriptor) error {
	return fail.New(fail.Network, "compile the commit again with --parent none",
		"blob %s was promised to be in %s and is not; %s has only its name", d.Digest, to.Name(), l.dir)
}
