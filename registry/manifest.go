package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// ConfigSchema names the config's form.
const ConfigSchema = "pindex.config/0"

// Config is the content of the config blob: enough to say what an artifact
// is without reading its manifest.
type Config struct {
	Schema  string          `json:"schema"`
	Commit  string          `json:"commit"`
	Profile artifact.Digest `json:"profile"` // digest of θ
	Index   artifact.Digest `json:"index"`   // digest of the pindex manifest
	// Inputs is one digest for all that the index was made of besides the
	// commit; nil for nothing.
	Inputs *artifact.Digest `json:"inputs,omitempty"`
}

// Artifact is an OCI manifest of pindex's form, read and checked.
type Artifact struct {
	Descriptor  ocispec.Descriptor // of the OCI manifest itself
	Config      ocispec.Descriptor
	Manifest    ocispec.Descriptor   // the pindex manifest; its digest is the index digest
	Packs       []ocispec.Descriptor // in partition order
	Model       *ocispec.Descriptor  // nil when there is none
	Inputs      []ocispec.Descriptor // in partition order; partitions without inputs have none
	Annotations map[string]string
}

// Index returns the index digest.
func (a *Artifact) Index() artifact.Digest {
	d, _ := artifact.ParseDigest(string(a.Manifest.Digest)) // ParseArtifact checked it
	return d
}

// encodeConfig returns the config of a publication.
func encodeConfig(p Publication) ([]byte, error) {
	c := Config{Schema: ConfigSchema, Commit: p.Commit, Profile: p.Profile, Index: artifact.DigestOf(p.Manifest)}
	inputs, err := inputsOf(p.Manifest)
	if err != nil {
		return nil, err
	}
	if !inputs.IsZero() {
		c.Inputs = &inputs
	}
	return json.Marshal(c)
}

// inputsOf returns the digest of all inputs that a pindex manifest names.
func inputsOf(manifest []byte) (artifact.Digest, error) {
	var m artifact.Manifest
	if err := json.Unmarshal(manifest, &struct {
		Inputs *[]artifact.InputInfo `json:"inputs"`
	}{&m.Inputs}); err != nil {
		return artifact.Digest{}, err
	}
	return m.InputsDigest(), nil
}

// ParseConfig reads a config blob.
func ParseConfig(b []byte) (*Config, error) {
	if len(b) > MaxConfig {
		return nil, fmt.Errorf("config has %d bytes, more than %d", len(b), MaxConfig)
	}
	var c Config
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	switch {
	case c.Schema != ConfigSchema:
		return nil, fmt.Errorf("config has schema %.64q, this reader knows %q", c.Schema, ConfigSchema)
	case !validCommit(c.Commit):
		return nil, fmt.Errorf("config names commit %.80q", c.Commit)
	case c.Profile.IsZero() || c.Index.IsZero():
		return nil, errors.New("config lacks a digest")
	}
	return &c, nil
}

// encodeManifest returns the OCI manifest of a publication. It is a pure
// function of its arguments.
func encodeManifest(p Publication, config, manifest ocispec.Descriptor) ([]byte, error) {
	layers := make([]ocispec.Descriptor, 0, len(p.Packs)+2)
	layers = append(layers, plain(manifest))
	for _, d := range p.Packs {
		layers = append(layers, plain(d))
	}
	if p.Model != nil {
		layers = append(layers, plain(*p.Model))
	}
	for _, d := range p.Inputs {
		layers = append(layers, plain(d))
	}
	return marshalManifest(ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: MediaTypeIndex,
		Config:       plain(config),
		Layers:       layers,
		Annotations:  annotations(p),
	})
}

// emptyJSON is the content of a config that says nothing. Registries refuse
// blobs of no bytes.
var emptyJSON = []byte("{}")

// encodeReport returns the OCI manifest of a build report.
func encodeReport(p Publication, config, report ocispec.Descriptor) ([]byte, error) {
	return marshalManifest(ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: MediaTypeReport,
		Config:       plain(config),
		Layers:       []ocispec.Descriptor{plain(report)},
		Annotations:  annotations(p),
	})
}

// marshalManifest encodes m. encoding/json writes struct fields in order and
// maps sorted, which is all the determinism that is needed here.
func marshalManifest(m ocispec.Manifest) ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxOCIManifest {
		return nil, fmt.Errorf("the OCI manifest would have %d bytes, registries take %d", len(b), MaxOCIManifest)
	}
	return b, nil
}

// annotations describes where the artifact comes from. The date is the
// commit's own: a build's clock would make equal artifacts differ.
func annotations(p Publication) map[string]string {
	a := map[string]string{ocispec.AnnotationRevision: p.Commit}
	// git stores dates that RFC 3339 cannot write; those are left out.
	if t := p.Created.UTC(); !p.Created.IsZero() && t.Year() >= 0 && t.Year() <= 9999 {
		a[ocispec.AnnotationCreated] = t.Format(time.RFC3339)
	}
	if p.Source != "" {
		a[ocispec.AnnotationSource] = p.Source
	}
	return a
}

// plain drops everything but what identifies content.
func plain(d ocispec.Descriptor) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
}

// describe returns the descriptor of content.
func describe(mediaType string, b []byte) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(b), Size: int64(len(b))}
}

// checkDescriptor refuses what pindex never writes: digests other than
// sha256, blobs of no bytes or of more than limit.
func checkDescriptor(d ocispec.Descriptor, limit int64) error {
	if _, err := artifact.ParseDigest(string(d.Digest)); err != nil {
		return err
	}
	if d.Size < 1 || d.Size > limit {
		return fmt.Errorf("blob %s has %d bytes, allowed are 1 to %d", d.Digest, d.Size, limit)
	}
	return nil
}

// ParseArtifact reads the OCI manifest b, which desc describes and which is
// not trusted. Layers of unknown media types are skipped: later versions may
// add optional ones.
func ParseArtifact(desc ocispec.Descriptor, b []byte) (*Artifact, error) {
	if len(b) > MaxOCIManifest {
		return nil, fmt.Errorf("the OCI manifest has %d bytes, more than %d", len(b), MaxOCIManifest)
	}
	var m struct {
		ocispec.Manifest
		Layers manyDescriptors `json:"layers"`
	}
	m.Layers.limit = MaxLayers
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("OCI manifest: %w", err)
	}
	layers := m.Layers.list
	switch {
	case m.SchemaVersion != 2 || m.MediaType != ocispec.MediaTypeImageManifest:
		return nil, fmt.Errorf("not an OCI image manifest but schema %d, media type %.128q", m.SchemaVersion, m.MediaType)
	case m.ArtifactType != MediaTypeIndex || m.Config.MediaType != MediaTypeIndex:
		return nil, fmt.Errorf("not a pindex index: artifact type %.128q, config %.128q", m.ArtifactType, m.Config.MediaType)
	case len(layers) == 0 || layers[0].MediaType != MediaTypeManifest:
		return nil, errors.New("the first layer is not a pindex manifest")
	}
	if err := checkDescriptor(m.Config, MaxConfig); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if err := checkDescriptor(layers[0], MaxManifest); err != nil {
		return nil, fmt.Errorf("manifest layer: %w", err)
	}
	a := &Artifact{Descriptor: desc, Config: plain(m.Config), Manifest: plain(layers[0]), Annotations: m.Annotations}
	for i, d := range layers[1:] {
		if err := checkDescriptor(d, MaxBlob); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i+1, err)
		}
		switch d.MediaType {
		case MediaTypePack:
			if a.Model != nil {
				return nil, fmt.Errorf("layer %d: a pack behind the model", i+1)
			}
			a.Packs = append(a.Packs, plain(d))
		case MediaTypeModel:
			if a.Model != nil {
				return nil, fmt.Errorf("layer %d: a second model", i+1)
			}
			model := plain(d)
			a.Model = &model
		case MediaTypeInput:
			a.Inputs = append(a.Inputs, plain(d))
		case MediaTypeManifest:
			return nil, fmt.Errorf("layer %d: a second pindex manifest", i+1)
		}
	}
	return a, nil
}

// Blobs returns everything that the artifact leads to but its config: the
// pindex manifest, packs, model and inputs.
func (a *Artifact) Blobs() []ocispec.Descriptor {
	blobs := append([]ocispec.Descriptor{a.Manifest}, a.Packs...)
	if a.Model != nil {
		blobs = append(blobs, *a.Model)
	}
	return append(blobs, a.Inputs...)
}

// TravelSize is the size in bytes of all that belongs to the artifact.
func (a *Artifact) TravelSize() int64 {
	n := a.Descriptor.Size + a.Config.Size
	for _, d := range a.Blobs() {
		n += d.Size
	}
	return n
}

// ReadArtifact resolves a tag and reads the OCI manifest and config behind
// it, each verified against its digest and against the other.
func ReadArtifact(ctx context.Context, s Store, tag string) (*Artifact, *Config, error) {
	desc, err := s.Resolve(ctx, tag)
	if err != nil {
		return nil, nil, err
	}
	return ReadDescriptor(ctx, s, desc)
}

// ReadDescriptor is ReadArtifact for a tag that is resolved already. A blob
// that is missing behind the tag is damage, see Incomplete.
func ReadDescriptor(ctx context.Context, s Store, desc ocispec.Descriptor) (*Artifact, *Config, error) {
	wrong := func(err error) error {
		return fail.Wrap(fail.Verification, err, "publish the commit again with pindex compile --replace",
			"the artifact %s in %s cannot be used", desc.Digest, s.Name())
	}
	if err := checkDescriptor(desc, MaxOCIManifest); err != nil {
		return nil, nil, wrong(err)
	}
	b, err := s.Fetch(ctx, desc)
	if err != nil {
		return nil, nil, Incomplete(s, err)
	}
	a, err := ParseArtifact(desc, b)
	if err != nil {
		return nil, nil, wrong(err)
	}
	if b, err = s.Fetch(ctx, a.Config); err != nil {
		return nil, nil, Incomplete(s, err)
	}
	c, err := ParseConfig(b)
	if err != nil {
		return nil, nil, wrong(err)
	}
	if c.Index != a.Index() {
		return nil, nil, wrong(fmt.Errorf("the config names index %s, the manifest layer is %s", c.Index, a.Manifest.Digest))
	}
	return a, c, nil
}

// ReadReport returns the build report behind a report's tag.
func ReadReport(ctx context.Context, s Store, tag string) ([]byte, error) {
	desc, err := s.Resolve(ctx, tag)
	if err != nil {
		return nil, err
	}
	wrong := func(err error) error {
		return fail.Wrap(fail.Verification, err, "", "the build report %s in %s cannot be used", tag, s.Name())
	}
	if err := checkDescriptor(desc, MaxOCIManifest); err != nil {
		return nil, wrong(err)
	}
	b, err := s.Fetch(ctx, desc)
	if err != nil {
		return nil, Incomplete(s, err)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, wrong(err)
	}
	if m.ArtifactType != MediaTypeReport || len(m.Layers) != 1 {
		return nil, wrong(fmt.Errorf("artifact type %.128q with %d layers", m.ArtifactType, len(m.Layers)))
	}
	if err := checkDescriptor(m.Layers[0], MaxManifest); err != nil {
		return nil, wrong(err)
	}
	b, err = s.Fetch(ctx, m.Layers[0])
	return b, Incomplete(s, err)
}

// Incomplete turns the absence of a blob that an artifact names, which is
// damage, into an error with code Verification that is not ErrNotFound: that
// is kept for what was asked for. Other errors are returned as they are.
func Incomplete(s Store, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	return fail.New(fail.Verification,
		"if it was pruned just now, run the command again; else write it again with pindex compile --replace",
		"an index in %s is incomplete: %v", s.Name(), err)
}
