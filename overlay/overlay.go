// Package overlay makes an index of what a user has in front of them, a working
// tree with edits or a commit that has no index yet, on top of an index of
// something near.
//
// The tree is compiled as if it were a commit, and every partition whose files
// are those of the base is taken over from it. So what is answered equals, to
// the last position and score, what a fresh index of the same tree would
// answer, and nothing has to be hidden, mapped or corrected; the price is that
// the neighbours of a changed file are built anew with it. Nothing is
// published: the segments that were built live in memory and, by key, in the
// user's cache.
package overlay

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Request says what to lay over what.
type Request struct {
	Base *artifact.Index // stays the caller's, and open as long as the overlay is used
	Repo git.Repository
	// Commit is the commit that the tree is that of, or that the working tree
	// was checked out from.
	Commit gitobj.ID
	// WorkTree is the folder that changed files are read from; "" for none.
	WorkTree string
	// Changes are the files of the working tree that differ from the commit's
	// tree, untracked ones among them as added.
	Changes []git.Change
	// Entries is Commit's tree as Repo lists it; nil has it listed.
	Entries  []git.Entry
	Known    compile.Known // packs of earlier overlays; nil for none
	Embedder embed.Embedder
	Vectors  compile.Vectors // asks the server of a remote embedder
	Workers  int
	// InProcess builds in this process, where a crash of a parser ends it.
	InProcess bool
}

// ErrProfile means that the base was made by another version of the program,
// or with settings that it does not know: nothing could be taken over.
var ErrProfile = fail.New(fail.NoIndex, "compile the commit with this version of pindex", "the index was made under another profile than this program's")

// Build returns the index of the asked tree. Its manifest names a commit that
// exists nowhere but there: the tree with the base commit as its parent; for a
// commit without changes it is that commit, and the index is the one that a
// compile would publish. Embedding tables are the base's.
func Build(ctx context.Context, r Request) (*artifact.Index, error) {
	t, err := newTree(ctx, &r)
	if err != nil {
		return nil, err
	}
	profile := &r.Base.Manifest().Profile
	allowed, err := compile.AllowedSecrets(profile)
	if err != nil {
		return nil, ErrProfile
	}
	views, ok := viewsOf(profile)
	if !ok {
		return nil, ErrProfile
	}
	s := &sink{base: r.Base, packs: map[int][]artifact.PackSegment{}, from: map[int]int{}}
	find := func(_ context.Context, w compile.Wanted) (*compile.Parent, error) {
		if w.Profile.Digest != profile.Digest {
			return nil, ErrProfile
		}
		dense := func(_ context.Context, p int) (*artifact.DenseReader, error) { return r.Base.Dense(p) }
		return &compile.Parent{Manifest: r.Base.Manifest(), Dense: dense}, nil
	}
	var inherit func(context.Context, compile.Wanted) (*compile.Inherited, error)
	if len(r.Base.Manifest().Inputs) > 0 {
		// What the base knows precisely of unchanged files holds here too.
		inherit = func(context.Context, compile.Wanted) (*compile.Inherited, error) {
			return &compile.Inherited{Commit: t.commit.ID, Index: r.Base}, nil
		}
	}
	_, err = compile.Run(ctx, compile.Options{
		Inherit: inherit,
		Repo:    t, Rev: t.commit.ID.String(), Sink: s, FindParent: find, Known: r.Known, Views: views,
		AllowSecrets: allowed, AllowMissing: profile.Gaps() > 0, Embedder: r.Embedder, Vectors: r.Vectors, Workers: r.Workers, InProcess: r.InProcess,
	})
	if err != nil {
		return nil, err
	}
	ix := artifact.NewIndex(s.manifest, s.digest, s.open, nil)
	ix.Borrow(r.Base, s.from)
	return ix, nil
}

// viewsOf returns the views that were chosen for a profile, nil for all.
func viewsOf(p *artifact.Profile) (views []artifact.View, ok bool) {
	for _, name := range strings.Fields(p.Options["views"]) {
		v, ok := artifact.ParseView(name)
		if !ok {
			return nil, false
		}
		views = append(views, v)
	}
	return views, true
}

// sink keeps what was built in memory and remembers what comes from the base.
type sink struct {
	base *artifact.Index

	mu       sync.Mutex
	packs    map[int][]artifact.PackSegment
	from     map[int]int
	manifest *artifact.Manifest
	digest   artifact.Digest
}

func (s *sink) Pack(_ context.Context, partition int, _ []byte, segments []artifact.PackSegment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packs[partition] = segments
	delete(s.from, partition)
	return nil
}

func (s *sink) Reuse(_ context.Context, partition, from int) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from[partition] = from
	return true, nil
}

func (s *sink) Publish(_ context.Context, f *compile.Final) error {
	m, err := artifact.DecodeManifest(f.Encoded) // as any reader would see it
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manifest, s.digest = m, f.Digest
	return err
}

// open is the index's opener. Nothing changes any more when it is called.
func (s *sink) open(p int, v artifact.View, want artifact.SegmentInfo) ([]byte, error) {
	if from, ok := s.from[p]; ok {
		return s.base.Segment(from, v)
	}
	for _, seg := range s.packs[p] {
		if seg.View == v && seg.Digest == want.Digest {
			return seg.Bytes, nil
		}
	}
	return nil, fmt.Errorf("partition %d of the overlay has no %s segment", p, v)
}
