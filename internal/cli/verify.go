package cli

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

const schemaVerify = "pindex.verify/0"

type verifyAnswer struct {
	Schema    string `json:"schema"`
	Store     string `json:"store"`
	Commit    string `json:"commit"`
	Tree      string `json:"tree"`
	Digest    string `json:"digest"`
	OCIDigest string `json:"oci_digest"`
	// Segments, with their packs, whose digests and structure are right.
	Segments int `json:"segments"`
	// The commit proof: ids recomputed from the artifact alone.
	Entries   int            `json:"entries"`    // tree entries that hash to the tree
	Blobs     int            `json:"blobs"`      // files whose content hashes to their entry's id
	NoContent map[string]int `json:"no_content"` // reason -> entries proved by id alone
	Rebuilt   bool           `json:"rebuilt"`    // a fresh build gave the same digest
	// Left are the views that no fresh build can give again, a remote model's,
	// and that were left out of the comparison.
	Left []string `json:"not_reproducible,omitempty"`
}

func (a *App) verifyCmd() *command.Command {
	var again bool
	c := &command.Command{
		Use:   "verify [REV]",
		Short: "Digests, structure and commit proof of an index",
		Long: `Check an index in the store without trusting who made it: the digest of every
blob and segment, the structure of every segment, and that the recomputed blob,
tree and commit ids are the commit's. Exit code 4 says that something is wrong.`,
		Example: `  pindex verify
  pindex verify v2.0`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error {
			ans, err := a.verify(c.Context(), args, again)
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) { writeVerify(o, ans) })
		},
	}
	if a.Rebuild != nil {
		c.Short += "; with --rebuild, equality with a fresh build"
		c.Example += " --rebuild"
		c.Flags().BoolVar(&again, "rebuild", false, "compile the commit anew and compare the index digests")
	}
	return c
}

func (a *App) verify(ctx context.Context, args []string, again bool) (*verifyAnswer, error) {
	at, err := a.stored(ctx, args)
	if err != nil {
		return nil, err
	}
	store, art, m, commit := at.store, at.artifact, at.manifest, at.commit
	wrong := func(err error) error {
		if code := fail.CodeOf(err); code != fail.Internal || ctx.Err() != nil {
			return err
		}
		return fail.Wrap(fail.Verification, err, "do not use this index; compile the commit again with --replace", "the index of %s in %s is wrong", short(commit), store.Name())
	}
	ix := artifact.NewIndex(m, art.Index(), packOpener(ctx, store, art, m), func() error { return nil })
	defer ix.Close()
	ans := &verifyAnswer{
		Schema: schemaVerify, Store: store.Name(), Commit: commit, Tree: m.Tree,
		Digest: art.Index().String(), OCIDigest: string(art.Descriptor.Digest),
	}
	if ans.Segments, err = ix.Check(ctx); err != nil {
		return nil, wrong(err)
	}
	proof, err := ix.Prove(ctx)
	if err != nil {
		return nil, wrong(err)
	}
	ans.Entries, ans.Blobs, ans.NoContent = proof.Entries, proof.Blobs, proof.NoContent
	if again {
		if err := a.compareRebuild(ctx, ans, m, art, store); err != nil {
			return nil, err
		}
	}
	return ans, nil
}

func (a *App) compareRebuild(ctx context.Context, ans *verifyAnswer, m *artifact.Manifest, art *registry.Artifact, store registry.Store) error {
	repo, err := a.Repo(ctx)
	if err != nil {
		return err
	}
	inputs, err := fetch.Inputs(ctx, store, art)
	if err != nil {
		return err
	}
	if (len(inputs) == 0) != (len(m.Inputs) == 0) {
		return fail.New(fail.Verification, "do not use this index; compile the commit again with --replace",
			"the index names %d inputs and carries %d layers of them", len(m.Inputs), len(inputs))
	}
	fresh, err := a.Rebuild(ctx, RebuildRequest{Repo: repo, Manifest: m, Inputs: inputs, Progress: a.Progress(), Stderr: a.Stderr})
	if err != nil {
		return err
	}
	if fresh.Digest != ans.Digest {
		return fail.New(fail.Verification, "do not use this index; compile the commit again with --replace",
			"a fresh build of %s gives %s, the index in %s is %s", short(ans.Commit), fresh.Digest, store.Name(), ans.Digest)
	}
	ans.Rebuilt, ans.Left = true, fresh.Left
	return nil
}

// packOpener reads segments out of a store's packs, past every cache. It keeps
// the pack that was read last, because all views of a partition are asked for
// in a row.
func packOpener(ctx context.Context, store registry.Store, art *registry.Artifact, m *artifact.Manifest) artifact.Opener {
	var (
		mu   sync.Mutex
		last = map[int]*artifact.Pack{}
	)
	return func(p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
		mu.Lock()
		pack := last[p]
		mu.Unlock()
		if pack == nil {
			if p >= len(art.Packs) {
				return nil, errors.New("the index has fewer packs than partitions")
			}
			b, err := store.Fetch(ctx, art.Packs[p])
			if err != nil {
				return nil, err
			}
			if pack, err = artifact.OpenPack(b); err != nil {
				return nil, err
			}
			mu.Lock()
			last[p] = pack
			mu.Unlock()
		}
		return pack.SegmentAs(v, seg)
	}
}

func writeVerify(o *output, v *verifyAnswer) {
	o.print("commit  %s\ndigest  %s\n", v.Commit, v.Digest)
	o.print("ok      %d segments have their digests and are well formed\n", v.Segments)
	o.print("ok      %d tree entries hash to tree %s, and that to the commit\n", v.Entries, v.Tree)
	o.print("ok      %d files hold exactly their blob's bytes\n", v.Blobs)
	for _, reason := range sortedKeys(v.NoContent) {
		o.print("        %s proved by id alone (%s)\n", count(v.NoContent[reason], "file"), reason)
	}
	switch {
	case v.Rebuilt && len(v.Left) > 0:
		o.print("ok      a fresh build gives the same segments, but for those of the view that is not reproducible: %s\n", strings.Join(v.Left, ", "))
	case v.Rebuilt:
		o.print("ok      a fresh build gives the same digest\n")
	}
}
