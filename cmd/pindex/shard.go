package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// parseShard reads I/N; nil for "".
func parseShard(s string) (*compile.Shard, error) {
	if s == "" {
		return nil, nil
	}
	i, n, ok := strings.Cut(s, "/")
	number, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil {
		return nil, fail.New(fail.Usage, "give I/N, such as 2/8", "%q is no shard", s)
	}
	return &compile.Shard{Number: number, Of: of}, nil
}

// shardAnswer is what 'compile --shard' prints.
type shardAnswer struct {
	Schema     string `json:"schema"`
	Commit     string `json:"commit"`
	Store      string `json:"store"`
	Tag        string `json:"tag"` // of the shard's record
	Number     int    `json:"shard"`
	Of         int    `json:"of"`
	Partitions int    `json:"partitions"` // of this shard
	Parent     string `json:"parent"`
	Reused     int    `json:"segments_reused"`
	Built      int    `json:"segments_built"`
}

const schemaShard = "pindex.compile-shard/0"

// compileShard builds one shard and publishes its record.
func compileShard(ctx context.Context, a *cli.App, opts compile.Options, store registry.Store, f compileFlags, s compile.Shard) error {
	if len(f.scip) > 0 {
		return fail.New(fail.Usage, "compile without --shard", "shards take no SCIP indexes")
	}
	other, err := a.MountFrom(f.mount, store)
	if err != nil {
		return err
	}
	find := parentFinder{repo: opts.Repo, store: store, other: other, cache: a.Cache(), choice: f.parent, shard: true, note: a.Note, deepen: true}
	build := func() (*compile.ShardResult, []ocispec.Descriptor, error) {
		sink := fetch.NewSink(store, a.Cache(), fetch.SinkOptions{})
		defer sink.Close()
		find.sink = sink
		opts.Sink, opts.FindParent = adapter{sink}, find.find
		r, err := compile.RunShard(ctx, opts, s)
		if err != nil {
			return nil, nil, err
		}
		packs, err := sink.Packs(ctx, r.Partitions)
		return r, packs, err
	}
	publish := func() (*compile.ShardResult, *registry.Shard, error) {
		r, packs, err := build()
		if err != nil {
			return nil, nil, err
		}
		rec := &registry.Shard{Commit: r.Commit.String(), Profile: r.Profile, Number: s.Number, Of: s.Of, Record: r.Record, Packs: packs}
		return r, rec, registry.PublishShard(ctx, store, rec)
	}
	r, rec, err := publish()
	if missing := new(registry.MissingError); errors.As(err, &missing) {
		a.Note("%v; building them again", missing)
		find.lose(missing.Digests)
		r, rec, err = publish()
	}
	if err != nil {
		return err
	}
	if f.report != "" {
		if err := writeReport(f.report, r.Report); err != nil {
			return err
		}
	}
	ans := shardAnswer{
		Schema: schemaShard, Commit: rec.Commit, Store: store.Name(), Tag: rec.Tag(), Number: s.Number, Of: s.Of,
		Partitions: len(r.Partitions), Parent: r.Report.Parent, Reused: r.Report.SegmentsReused, Built: r.Report.SegmentsBuilt,
	}
	return a.Print(ans, func(w io.Writer) {
		fmt.Fprintf(w, "shard %d of %d of %s: %d partitions, %d segments built, %d reused\nstore  %s, tag %s; 'pindex seal' joins the shards when all are there\n",
			ans.Number, ans.Of, ans.Commit, ans.Partitions, ans.Built, ans.Reused, ans.Store, ans.Tag)
	})
}

type sealFlags struct {
	shards  int
	views   []string
	allow   []string
	embed   string
	source  string
	replace bool
	public  bool
	keep    bool
}

func sealCmd(a *cli.App) *command.Command {
	var f sealFlags
	c := &command.Command{
		Use:   "seal [REV]",
		Short: "Join the shards of a distributed compile into one index",
		Long: `Join the shards that 'compile --shard I/N' made of a commit (default: HEAD) into
one index, which is the very one that a compile on one machine makes: every
partition is in exactly one shard, and under the key that it would be built
with. The shards' tags are removed then, where the registry can do that.`,
		Example: `  pindex compile --shard 1/2 && pindex compile --shard 2/2 && pindex seal
  pindex seal v2.0 --store ghcr.io/owner/repository/pindex --shards 8`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error { return runSeal(c.Context(), a, f, args) },
	}
	fl := c.Flags()
	fl.IntVar(&f.shards, "shards", 0, "shards in all (default: as many as the store's records say)")
	fl.StringSliceVar(&f.views, "views", nil, "the views that the shards were compiled with")
	fl.StringArrayVar(&f.allow, "allow-secret", nil, "as the shards were compiled with (repeatable)")
	fl.StringVar(&f.embed, "embedder", builtinEmbedder, "as the shards were compiled with")
	fl.StringVar(&f.source, "source", "", "`URL` of the repository to write into the artifact's annotations")
	fl.BoolVar(&f.replace, "replace", false, "let the commit's tag move even when it holds another index")
	fl.BoolVar(&f.public, "allow-public", false, cli.AllowPublicUsage)
	fl.BoolVar(&f.keep, "keep-shards", false, "leave the shards' tags where they are")
	return c
}

// sealAnswer is what 'seal' prints.
type sealAnswer struct {
	Schema     string   `json:"schema"`
	Commit     string   `json:"commit"`
	Digest     string   `json:"digest"`
	OCIDigest  string   `json:"oci_digest"`
	Tag        string   `json:"tag"`
	Store      string   `json:"store"`
	Unchanged  bool     `json:"unchanged"`
	Shards     int      `json:"shards"`
	Partitions int      `json:"partitions"`
	Kept       []string `json:"kept,omitempty"` // tags of shards that could not be removed
}

const schemaSeal = "pindex.seal/0"

func runSeal(ctx context.Context, a *cli.App, f sealFlags, args []string) error {
	store, opts, err := begin(ctx, a, args, f.views, f.allow, f.public)
	if err != nil {
		return err
	}
	sink := fetch.NewSink(store, a.Cache(), fetch.SinkOptions{Source: f.source, Replace: f.replace})
	defer sink.Close()
	j := joiner{store: store, sink: sink, shards: f.shards}
	opts.Sink, opts.FindParent, opts.Complete = adapter{sink}, j.find, true
	server, err := newEmbedder(ctx, a.Cache(), f.embed, a.Note)
	if err != nil {
		return err
	}
	defer server.close(a)
	server.options(&opts)
	r, err := compile.Run(ctx, opts)
	if errors.Is(err, errShardFailed) {
		// What one shard could not build is in no shard's index.
		a.Note("%v; building the commit here", err)
		opts.FindParent, opts.Complete = nil, false
		r, err = compile.Run(ctx, opts)
	}
	if err != nil {
		return err
	}
	p := sink.Published()
	ans := sealAnswer{
		Schema: schemaSeal, Commit: r.Commit.String(), Digest: r.Digest.String(), OCIDigest: string(p.Descriptor.Digest), Tag: p.Tag,
		Store: store.Name(), Unchanged: p.Unchanged, Shards: len(j.found), Partitions: len(r.Manifest.Partitions),
	}
	for _, s := range j.found {
		if f.keep {
			break
		}
		if err := registry.RemoveShard(ctx, store, s); errors.Is(err, registry.ErrUnsupported) {
			ans.Kept = append(ans.Kept, s.Tag())
		} else if err != nil {
			return err
		}
	}
	return a.Print(ans, func(w io.Writer) {
		fmt.Fprintf(w, "sealed %s from %d shards\ndigest %s\nstore  %s, tag %s\n", ans.Commit, ans.Shards, ans.Digest, ans.Store, ans.Tag)
		if len(ans.Kept) > 0 {
			fmt.Fprintf(w, "the registry cannot remove the shards' tags; they do no harm: %s\n", strings.Join(ans.Kept, ", "))
		}
	})
}

// errShardFailed means that a shard lacks a view that it could not build.
var errShardFailed = errors.New("a shard could not build all views")

// joiner finds a commit's shards.
type joiner struct {
	store  registry.Store
	sink   *fetch.Sink
	shards int // as asked for; 0 to find out

	found []*registry.Shard
}

func (j *joiner) find(ctx context.Context, w compile.Wanted) (*compile.Parent, error) {
	of := j.shards
	if of == 0 {
		var err error
		if of, err = j.count(ctx, w); err != nil {
			return nil, err
		}
	}
	if of < 1 || of > compile.MaxShards {
		return nil, fail.New(fail.Usage, fmt.Sprintf("give --shards from 1 to %d", compile.MaxShards), "there are no %d shards", of)
	}
	var sealed []compile.SealedShard
	for n := 1; n <= of; n++ {
		s := &registry.Shard{Commit: w.Commit.String(), Profile: w.Profile.Digest, Number: n, Of: of}
		err := registry.ReadShard(ctx, j.store, s)
		if errors.Is(err, registry.ErrNotFound) {
			return nil, fail.New(fail.NoIndex, fmt.Sprintf("run pindex compile --shard %d/%d for this commit with the same version and settings", n, of),
				"shard %d of %d of %s is not in %s", n, of, w.Commit, j.store.Name())
		}
		if err != nil {
			return nil, err
		}
		j.found = append(j.found, s)
		sealed = append(sealed, compile.SealedShard{Shard: compile.Shard{Number: n, Of: of}, Record: s.Record, Packs: len(s.Packs)})
	}
	joined, err := compile.Join(w.Commit, w.Profile, w.PartitionBits, sealed)
	if err != nil {
		return nil, err
	}
	if len(joined.Failed) > 0 {
		return nil, fmt.Errorf("%w: %s", errShardFailed, strings.Join(joined.Failed, ", "))
	}
	art := &registry.Artifact{}
	for _, from := range joined.From {
		art.Packs = append(art.Packs, j.found[from[0]].Packs[from[1]])
	}
	if s, ok := j.store.(interface{ Assume(*registry.Artifact) }); ok {
		s.Assume(&registry.Artifact{Packs: art.Packs})
	}
	j.sink.From(&fetch.Parent{Commit: w.Commit.String(), Artifact: art, Manifest: joined.Parent.Manifest})
	return joined.Parent, nil
}

// count finds out from the store's tags how many shards the commit was cut
// into.
func (j *joiner) count(ctx context.Context, w compile.Wanted) (int, error) {
	tags, err := tagNames(ctx, j.store)
	if err != nil {
		return 0, err
	}
	first := (&registry.Shard{Commit: w.Commit.String(), Profile: w.Profile.Digest, Number: 1, Of: 1}).Tag()
	prefix := strings.TrimSuffix(first, "1-1")
	found := map[int]bool{}
	for _, t := range tags {
		rest, ok := strings.CutPrefix(t, prefix)
		if !ok {
			continue
		}
		if _, n, ok := strings.Cut(rest, "-"); ok {
			if of, err := strconv.Atoi(n); err == nil {
				found[of] = true
			}
		}
	}
	switch len(found) {
	case 0:
		return 0, fail.New(fail.NoIndex, "run pindex compile --shard I/N for every I from 1 to N",
			"%s has no shard of %s under these settings", j.store.Name(), w.Commit)
	case 1:
		for of := range found {
			return of, nil
		}
	}
	return 0, fail.New(fail.Usage, "say with --shards which of them to join", "%s was cut into shards in %d ways", w.Commit, len(found))
}

func tagNames(ctx context.Context, store registry.Store) ([]string, error) {
	if t, ok := store.(interface {
		Tags(context.Context) ([]string, error)
	}); ok {
		return t.Tags(ctx)
	}
	list, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Tag
	}
	return names, nil
}
