// Package registry keeps pindex artifacts in OCI stores: layouts on disk
// (Local), repositories of remote registries (Remote) and layouts in one file
// (Archive), behind one interface. It knows media types, tags and descriptors,
// moves verified bytes, and never looks into a pack or a segment.
//
// # What is stored for one commit
//
//	tag ──► OCI manifest (artifactType MediaTypeIndex)
//	          config    MediaTypeIndex      commit, profile and index digest
//	          layers[0] MediaTypeManifest   the pindex manifest; its digest is the index digest
//	          layers…   MediaTypePack       one a partition, in partition order
//	          last      MediaTypeModel      the embedder's table, when there is one
//
// # Order
//
// Publishing goes bottom up: packs and model, then manifest layer and config,
// then the OCI manifest, then the tag. A reader goes top down, so whatever it
// finds by a tag is complete. A publisher that dies leaves blobs that no tag
// names; they cost room until Prune, and nothing else.
package registry

import (
	"context"
	"errors"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
)

// Media types of what pindex stores.
const (
	MediaTypeIndex    = "application/vnd.pindex.index.v1+json"    // artifact type and config
	MediaTypeManifest = "application/vnd.pindex.manifest.v1+json" // the pindex manifest, first layer
	MediaTypePack     = "application/vnd.pindex.pack.v1"          // segments of one partition, each compressed on its own
	MediaTypeModel    = "application/vnd.pindex.model.v1"         // an embedder's table
	MediaTypeInput    = "application/vnd.pindex.input.v1+zstd"    // normalised inputs of one partition
	MediaTypeReport   = "application/vnd.pindex.report.v1+json"   // artifact type and layer of a build report
)

// Limits on what a store may claim. A store is not trusted: whatever exceeds
// a limit is refused before memory is set aside for it.
const (
	MaxBlob        = 4 << 30                  // bytes of any blob
	MaxOCIManifest = 4 << 20                  // bytes of an OCI manifest: what registries accept
	MaxLayers      = 100_000                  // layers of an OCI manifest
	MaxConfig      = 64 << 10                 // bytes of a config
	MaxManifest    = artifact.MaxManifestSize // bytes of a pindex manifest, or of a report
	MaxIndexJSON   = 64 << 20                 // bytes of a layout's index.json
	MaxTags        = 250_000                  // entries of a layout's index.json
)

var (
	// ErrNotFound means that the store has no such tag or blob.
	ErrNotFound = errors.New("not found in the store")
	// ErrTagTaken means that a tag holds another digest for the same profile.
	ErrTagTaken = errors.New("the tag holds another index of the same commit and profile")
	// ErrUnsupported means that a registry does not offer what was asked for.
	ErrUnsupported = errors.New("the registry does not offer this")
)

// Store keeps artifacts. Implementations are safe for concurrent use, also by
// several processes where the medium is shared. Errors that a user can mend
// are *fail.Error.
type Store interface {
	// Name is the store as a user would write it after --store.
	Name() string
	// Push stores a blob under its digest, and is cheap when it is there
	// already. A pushed blob becomes visible by a tag alone, and durable no
	// later than Publish returns.
	Push(ctx context.Context, b Blob) (ocispec.Descriptor, error)
	// Publish makes a commit's index visible. All its packs, and its model,
	// must have been pushed. It is atomic: readers see all of it or nothing.
	// A tag that holds another index digest for the same profile gives an
	// error for which errors.Is(err, ErrTagTaken) holds.
	Publish(ctx context.Context, p Publication) (Published, error)
	// Resolve returns what a tag holds. An unknown tag gives an error for
	// which errors.Is(err, ErrNotFound) holds.
	Resolve(ctx context.Context, tag string) (ocispec.Descriptor, error)
	// Fetch returns a blob whose digest and size have been verified against
	// the descriptor. A missing blob gives ErrNotFound; one that does not
	// verify gives code Verification.
	Fetch(ctx context.Context, d ocispec.Descriptor) ([]byte, error)
	// List returns every tag, sorted by name, also those of other programs.
	List(ctx context.Context) ([]Tagged, error)
	// Untag removes a tag, and the tag of its report. What it held stays
	// until it is pruned. An unknown tag gives ErrNotFound, a registry that
	// cannot remove a tag alone ErrUnsupported.
	Untag(ctx context.Context, tag string) error
}

// Blob is content to store. Bytes must not be empty.
type Blob struct {
	MediaType string
	Bytes     []byte
}

// Tagged is one entry of a store.
type Tagged struct {
	Tag        string
	Descriptor ocispec.Descriptor
}

// Publication is one commit's index, ready to become visible.
type Publication struct {
	Commit   string               // 40 or 64 lower-case hexadecimal digits
	Profile  artifact.Digest      // of θ
	Default  bool                 // may take the commit's own tag; see TagFor
	Manifest []byte               // the pindex manifest, canonical; its digest is the index digest
	Packs    []ocispec.Descriptor // as Push returned them, in partition order
	Model    *ocispec.Descriptor  // as Push returned it; nil without a dense view
	Inputs   []ocispec.Descriptor // as Push returned them, in partition order; none where the commit is all that the index was made of
	Created  time.Time            // the commit's own date, never the clock's; zero leaves it out
	Source   string               // address of the repository, as configured; may be empty
	Report   []byte               // the build report as JSON; nil publishes none
	Replace  bool                 // let the tag move even when it holds something else
}

// Published says what became of a publication.
type Published struct {
	Tag        string
	Descriptor ocispec.Descriptor // what Tag holds now
	Unchanged  bool               // the same index was there already, whole
	Size       int64              // bytes of all that belongs to the artifact
}
