package registry

import (
	"context"
	"errors"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// placement says under which tag an index is found, and which tags have to be
// written for that.
type placement struct {
	tag   string
	held  ocispec.Descriptor // what tag holds now, when it is not written
	write []string
}

// holding is what a tag holds, as seen by somebody about to publish.
type holding int

const (
	free    holding = iota // nothing, or nothing that can be read
	same                   // this index, whole
	partial                // this index with blobs missing
	stale                  // another index of this profile
	other                  // another profile, or this one with inputs where there are none now
	poorer                 // another index of this profile, without the inputs that there are now
)

// view is what a store holds at the moment of a publication.
type view interface {
	Store
	// lookup is Resolve that sees what the publication is about to change.
	lookup(ctx context.Context, tag string) (ocispec.Descriptor, error)
	// holds reports whether all of the blobs are there.
	holds(ctx context.Context, blobs []ocispec.Descriptor) (bool, error)
}

// localView is a layout whose index is locked.
type localView struct {
	*Local
	index *layoutIndex
}

func (v localView) lookup(_ context.Context, tag string) (ocispec.Descriptor, error) {
	if d, ok := v.index.find(tag); ok {
		return d, nil
	}
	return ocispec.Descriptor{}, ErrNotFound
}

func (v localView) holds(_ context.Context, blobs []ocispec.Descriptor) (bool, error) {
	for _, d := range blobs {
		if !v.has(d) {
			return false, nil
		}
	}
	return true, nil
}

// place decides which tags get a publication: the rules that every store
// keeps. Which tag it is: the commit's own when p.Default is set and that tag
// is free or p.Replace is set, or when it holds the same profile already; else
// the profile's. A tag whose artifact cannot be read any more counts as free.
// An index with inputs takes the place of one of the same profile without,
// which says less; one without leaves the other where it is.
func place(ctx context.Context, v view, p Publication) (placement, error) {
	commitTag, profileTag := CommitTag(p.Commit), ProfileTag(p.Commit, p.Profile)
	commit, commitDesc, err := held(ctx, v, commitTag, p)
	if err != nil {
		return placement{}, err
	}
	profile, profileDesc, err := held(ctx, v, profileTag, p)
	if err != nil {
		return placement{}, err
	}
	out := placement{tag: profileTag, held: profileDesc}
	state := profile
	switch {
	case commit == same, commit == partial, commit == stale, commit == poorer,
		p.Default && (commit == free || p.Replace):
		out.tag, out.held, state = commitTag, commitDesc, commit
	}
	if !p.Replace && (commit == stale || profile == stale || out.tag == profileTag && profile == other) {
		taken := commitTag
		if commit != stale {
			taken = profileTag
		}
		return placement{}, fail.Wrap(fail.Verification, ErrTagTaken,
			"two builds of one commit, profile and inputs must be equal: find out why they differ, or overwrite with --replace",
			"%s in %s was not overwritten", taken, v.Name())
	}
	if state != same {
		out.write = append(out.write, out.tag)
	}
	// An older index of this profile must not survive under the second tag.
	if out.tag == commitTag && (profile == stale || profile == partial || profile == poorer) {
		out.write = append(out.write, profileTag)
	}
	return out, nil
}

// held reads what tag holds.
func held(ctx context.Context, v view, tag string, p Publication) (holding, ocispec.Descriptor, error) {
	desc, err := v.lookup(ctx, tag)
	var a *Artifact
	var c *Config
	if err == nil {
		a, c, err = ReadDescriptor(ctx, v, desc)
	}
	switch {
	case errors.Is(err, ErrNotFound), fail.CodeOf(err) == fail.Verification:
		return free, desc, nil
	case err != nil:
		return free, desc, err
	case c.Profile != p.Profile:
		return other, desc, nil
	case c.Index != artifact.DigestOf(p.Manifest):
		inputs, err := inputsOf(p.Manifest)
		switch {
		case err != nil:
			return free, desc, err
		case c.Inputs == nil && !inputs.IsZero():
			return poorer, desc, nil
		case c.Inputs != nil && inputs.IsZero():
			return other, desc, nil
		}
		return stale, desc, nil
	}
	whole, err := v.holds(ctx, a.Blobs())
	if err != nil {
		return free, desc, err
	}
	if !whole {
		return partial, desc, nil
	}
	return same, desc, nil
}
