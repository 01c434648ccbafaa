package main

import (
	"context"
	"path/filepath"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/overlay"
)

// layOver compiles what differs from an index's commit.
func layOver(ctx context.Context, r cli.OverlayRequest) (*artifact.Index, error) {
	commit, err := gitobj.ParseID(r.Commit)
	if err != nil {
		return nil, err
	}
	o := overlay.Request{Base: r.Base, Repo: r.Repo, Commit: commit, WorkTree: r.WorkTree, Changes: r.Changes, Entries: r.Entries}
	if dir := r.Cache.Dir(); dir != "" {
		o.Known = overlay.Packs{Dir: filepath.Join(dir, "overlay")}
	}
	e, err := overlayEmbedder(r)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return overlay.Build(ctx, o)
	}
	o.Embedder, o.Vectors = e.model, e
	ix, err := overlay.Build(ctx, o)
	// What the cache could not keep is asked for again.
	_ = e.vectors.Cache.Close()
	return ix, unreachable(err)
}
