// Package registrytest holds what every implementation of registry.Store has
// to do, as a suite of tests, and the small artifacts that it works with.
package registrytest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

// Index describes a small artifact whose every byte follows from its fields.
// The packs are not real ones: a store does not look into them.
type Index struct {
	Commit  string
	Theta   string   // the profile's digest is the digest of this
	Variant string   // makes another index of the same commit and profile
	Packs   []string // contents
	Model   string   // "" for none
}

// Commit returns a commit hash that follows from n.
func Commit(n int) string { return fmt.Sprintf("%040x", n+1) }

// Small returns an index of the numbered commit with three packs, the first
// of which all commits share, and a model that all commits share.
func Small(n int) Index {
	return Index{
		Commit: Commit(n), Theta: "default",
		Packs: []string{"shared pack", fmt.Sprintf("pack of %d", n), strings.Repeat(fmt.Sprintf("long pack of %d ", n), 500)},
		Model: "the model",
	}
}

// Profile returns the profile's digest.
func (x Index) Profile() artifact.Digest { return artifact.DigestOf([]byte(x.Theta)) }

// Manifest returns the pindex manifest's bytes.
func (x Index) Manifest() []byte {
	m := map[string]any{
		"schema": artifact.ManifestSchema, "commit": x.Commit, "variant": x.Variant,
		"profile": map[string]any{"digest": x.Profile()}, "packs": x.Packs,
	}
	if x.Model != "" {
		m["model"] = map[string]any{"digest": artifact.DigestOf([]byte(x.Model))}
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and digests always encode
	}
	return b
}

// Date is the commit date of every fixture.
var Date = time.Date(2024, 2, 29, 12, 30, 0, 0, time.FixedZone("", 3600))

// Push stores the packs and the model and returns a publication for the
// commit's own tag that is ready for Publish.
func (x Index) Push(ctx context.Context, s registry.Store) (registry.Publication, error) {
	p := registry.Publication{
		Commit: x.Commit, Profile: x.Profile(), Default: true, Manifest: x.Manifest(),
		Created: Date, Source: "https://example.org/repo",
	}
	for _, content := range x.Packs {
		d, err := s.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte(content)})
		if err != nil {
			return p, err
		}
		p.Packs = append(p.Packs, d)
	}
	if x.Model != "" {
		d, err := s.Push(ctx, registry.Blob{MediaType: registry.MediaTypeModel, Bytes: []byte(x.Model)})
		if err != nil {
			return p, err
		}
		p.Model = &d
	}
	return p, nil
}

// Publish pushes and publishes x.
func (x Index) Publish(ctx context.Context, s registry.Store) (registry.Published, error) {
	p, err := x.Push(ctx, s)
	if err != nil {
		return registry.Published{}, err
	}
	return s.Publish(ctx, p)
}

// Check returns an error when the tag does not lead to x, whole.
func (x Index) Check(ctx context.Context, s registry.Store, tag string) error {
	a, c, err := registry.ReadArtifact(ctx, s, tag)
	if err != nil {
		return err
	}
	if c.Commit != x.Commit || c.Profile != x.Profile() || a.Index() != artifact.DigestOf(x.Manifest()) {
		return fmt.Errorf("tag %s holds commit %s, profile %s, index %s", tag, c.Commit, c.Profile, c.Index)
	}
	want := append([]string{string(x.Manifest())}, x.Packs...)
	got := append([]ocispec.Descriptor{a.Manifest}, a.Packs...)
	if x.Model != "" {
		if a.Model == nil {
			return fmt.Errorf("tag %s has no model", tag)
		}
		want, got = append(want, x.Model), append(got, *a.Model)
	}
	if len(got) != len(want) {
		return fmt.Errorf("tag %s has %d blobs, not %d", tag, len(got), len(want))
	}
	for i, d := range got {
		b, err := s.Fetch(ctx, d)
		if err != nil {
			return err
		}
		if string(b) != want[i] {
			return fmt.Errorf("tag %s: blob %d differs", tag, i)
		}
	}
	return nil
}

// CheckWhole returns an error when any tag of the store leads to a blob that
// is missing or damaged, whoever published it.
func CheckWhole(ctx context.Context, s registry.Store) error { return new(Whole).Check(ctx, s) }

// Whole checks a store again and again. What it has read once, it does not read
// again: no digest changes its content.
type Whole struct {
	seen map[digest.Digest]bool
}

// Check is CheckWhole.
func (w *Whole) Check(ctx context.Context, s registry.Store) error {
	tags, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, t := range tags {
		if err := w.checkTag(ctx, s, t); err != nil {
			return fmt.Errorf("tag %s: %w", t.Tag, err)
		}
	}
	return nil
}

func (w *Whole) read(ctx context.Context, s registry.Store, blobs ...ocispec.Descriptor) error {
	if w.seen == nil {
		w.seen = map[digest.Digest]bool{}
	}
	for _, d := range blobs {
		if w.seen[d.Digest] {
			continue
		}
		if _, err := s.Fetch(ctx, d); err != nil {
			return err
		}
		w.seen[d.Digest] = true
	}
	return nil
}

var (
	shardTag  = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})-[0-9a-f]{12}\.shard-[0-9]+-[0-9]+$`)
	branchTag = regexp.MustCompile(`^branch-.`)
)

func (w *Whole) checkTag(ctx context.Context, s registry.Store, t registry.Tagged) error {
	if shardTag.MatchString(t.Tag) {
		return w.checkShard(ctx, s, t.Descriptor)
	}
	tag, ok := registry.ParseTag(t.Tag)
	if !ok && !branchTag.MatchString(t.Tag) {
		return fmt.Errorf("not a tag that pindex writes")
	}
	if tag.Report {
		_, err := registry.ReadReport(ctx, s, t.Tag)
		return err
	}
	a, c, err := registry.ReadArtifact(ctx, s, t.Tag)
	if err != nil {
		return err
	}
	if ok && c.Commit != tag.Commit {
		return fmt.Errorf("holds commit %s", c.Commit)
	}
	return w.read(ctx, s, append(a.Blobs(), a.Descriptor, a.Config)...)
}

// checkShard reads what the record of a shard names.
func (w *Whole) checkShard(ctx context.Context, s registry.Store, d ocispec.Descriptor) error {
	b, err := s.Fetch(ctx, d)
	if err != nil {
		return err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	return w.read(ctx, s, append(m.Layers, m.Config)...)
}
