package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

type compileFlags struct {
	missing bool // --allow-missing
	views   []string
	report  string
	source  string
	replace bool
	workers int
	allow   []string
	public  bool
	parent  string
	dryRun  bool
	shard   string
	branch  string
	scip    []string
	embed   string
	require bool
	cmake   bool
	mount   string // --mount-from
}

func compileCmd(a *cli.App) *command.Command {
	var f compileFlags
	c := &command.Command{
		Use:   "compile [REV]",
		Short: "Build a commit's index from git objects and publish it to the store",
		Long: `Build a commit's index (default: HEAD) from git objects, never from the working
tree, and publish it to the store. The same commit and settings give the same
index digest on any machine.

Files that are secrets, by name (.env, private keys, keystores, ...) or by
content (private key blocks, access tokens), are in no view and are listed with
the reason "secret". --allow-secret indexes one of them all the same; the index
then has a profile of its own. No file in the commit can allow a secret.`,
		Example: `  pindex compile
  pindex compile v2.0 --store ./index --report report.json
  pindex compile --dry-run`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error { return runCompile(c.Context(), a, f, args) },
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.views, "views", nil, "views to build: source, lexical, dense, structural (default: all)")
	fl.StringVar(&f.parent, "parent", parentAuto, "index to reuse segments of: auto (the nearest indexed ancestor's), none, or that of a `REV`")
	fl.StringVar(&f.mount, "mount-from", "", cli.MountUsage)
	fl.StringVar(&f.branch, "branch", "", "move the tag branch-`NAME` to this index, unless it holds one of a commit that this one does not descend from")
	fl.StringVar(&f.shard, "shard", "", "build the partitions of shard `I/N` alone, for 'pindex seal' to join")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print what would be reused and built, and why, and do nothing")
	fl.StringArrayVar(&f.scip, "scip", nil, scipUsage)
	fl.BoolVar(&f.require, "scip-required", false, "fail when a SCIP index has nothing that fits the commit, or no indexer makes one")
	fl.BoolVar(&f.cmake, "scip-cmake", false, "with --scip auto: let CMake make the compile_commands.json that C and C++ need")
	fl.StringVar(&f.embed, "embedder", builtinEmbedder, embedderUsage)
	fl.StringVar(&f.report, "report", "", "write the build report to `FILE` as JSON")
	fl.StringVar(&f.source, "source", "", "`URL` of the repository to write into the artifact's annotations")
	fl.BoolVar(&f.replace, "replace", false, "let the commit's tag move even when it holds another index, and write anew what is damaged in a folder")
	fl.StringArrayVar(&f.allow, "allow-secret", nil, "index the file at this `PATH` from the repository's root although it looks like a secret (repeatable)")
	fl.BoolVar(&f.missing, "allow-missing", false, "leave out files that a partial clone lacks, also in a registry; the index then has a profile of its own")
	fl.BoolVar(&f.public, "allow-public", false, cli.AllowPublicUsage)
	fl.IntVar(&f.workers, "workers", 0, "partitions built at the same time (default: one for each processor)")
	return c
}

// compileAnswer is what 'compile' prints.
type compileAnswer struct {
	Schema    string `json:"schema"`
	Commit    string `json:"commit"`
	Digest    string `json:"digest"`     // index digest
	OCIDigest string `json:"oci_digest"` // transport
	Tag       string `json:"tag"`
	Store     string `json:"store"`
	Unchanged bool   `json:"unchanged"` // the store held this index already
	Files     int    `json:"files"`
	Indexed   int    `json:"indexed"`
	Units     int    `json:"units"`
	Skipped   int    `json:"skipped"`
	Degraded  int    `json:"degraded"`
	Parent    string `json:"parent"` // commit whose index segments were taken over from; "" for none
	Reused    int    `json:"segments_reused"`
	Built     int    `json:"segments_built"`
	// Bytes is the size of the artifact as it travels, Uploaded what of it a
	// registry had not yet, with manifests and all; 0 for a folder.
	Bytes    int64 `json:"bytes"`
	Uploaded int64 `json:"uploaded_bytes"`
	// Mounted is how many bytes the registry took over from another of its
	// repositories.
	Mounted int64 `json:"mounted_bytes,omitempty"`
	// SCIP says what became of each index and indexer; Precise counts the
	// files that have a document.
	SCIP    []*scip.IndexReport `json:"scip,omitempty"`
	Precise int                 `json:"precise_files"`
	// Embedding says what a remote model cost.
	Embedding *compile.EmbeddingUse `json:"embedding,omitempty"`
}

const schemaCompile = "pindex.compile/0"

func runCompile(ctx context.Context, a *cli.App, f compileFlags, args []string) error {
	if dir := filepath.Dir(f.report); f.report != "" {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			return fail.New(fail.Usage, "name a file in a folder that exists", "there is no folder %s for the report", dir)
		}
	}
	store, opts, err := begin(ctx, a, args, f.views, f.allow, f.public)
	if err != nil {
		return err
	}
	repo := opts.Repo
	opts.Workers = f.workers
	opts.AllowMissing = opts.AllowMissing || f.missing
	if err := addSCIP(a, &opts, store, f); err != nil {
		return err
	}
	server, err := newEmbedder(ctx, a.Cache(), f.embed, a.Note)
	if err != nil {
		return err
	}
	defer server.close(a)
	server.options(&opts)
	if f.dryRun {
		return printPlan(ctx, a, opts, store, f)
	}
	shard, err := parseShard(f.shard)
	if err != nil {
		return err
	}
	if shard != nil {
		return compileShard(ctx, a, opts, store, f, *shard)
	}
	other, err := a.MountFrom(f.mount, store)
	if err != nil {
		return err
	}
	find := parentFinder{repo: repo, store: store, other: other, cache: a.Cache(), choice: f.parent, branch: f.branch, note: a.Note, deepen: true}
	build := func() (*fetch.Sink, *compile.Result, error) {
		sink := fetch.NewSink(store, a.Cache(), fetch.SinkOptions{Source: f.source, Replace: f.replace})
		defer sink.Close()
		find.sink = sink
		opts.Sink, opts.FindParent = adapter{sink}, find.find
		r, err := compile.Run(ctx, opts)
		return sink, r, err
	}
	sink, r, err := build()
	if missing := new(registry.MissingError); errors.As(err, &missing) {
		// Now that the store knows that it lacks them, they are pushed.
		a.Note("%v; building them again", missing)
		find.lose(missing.Digests)
		sink, r, err = build()
	}
	if err != nil {
		return err
	}
	p := sink.Published()
	r.Report.Unchanged = p.Unchanged
	if f.branch != "" {
		if _, err := moveBranch(ctx, a, repo, store, f.branch, r.Commit, p.Descriptor); err != nil {
			return err
		}
	}
	if f.report != "" {
		if err := writeReport(f.report, r.Report); err != nil {
			return err
		}
	}
	ans := compileAnswer{
		Schema: schemaCompile, Commit: r.Commit.String(), Digest: r.Digest.String(),
		OCIDigest: string(p.Descriptor.Digest), Tag: p.Tag, Store: store.Name(), Unchanged: p.Unchanged, Bytes: p.Size,
		Files: r.Manifest.Files, Indexed: r.Manifest.Indexed, Units: r.Manifest.Units,
		Skipped: sum(r.Manifest.Skipped), Degraded: sum(r.Manifest.Degraded),
		Parent: r.Report.Parent, Reused: r.Report.SegmentsReused, Built: r.Report.SegmentsBuilt,
		SCIP: r.Report.SCIP, Embedding: r.Report.Embedding,
	}
	for _, l := range r.Manifest.Languages {
		ans.Precise += l.Precise
	}
	if remote, ok := store.(*registry.Remote); ok {
		ans.Uploaded = remote.Sent()
		_, ans.Mounted = remote.Mounted()
	}
	return a.Print(ans, func(w io.Writer) {
		state := "compiled"
		if ans.Unchanged {
			state = "unchanged"
		}
		fmt.Fprintf(w, "%s %s\ndigest %s\nstore  %s, tag %s\n%d of %d files indexed in %d units, %d skipped, %d degraded ('pindex status --files' lists them)\n",
			state, ans.Commit, ans.Digest, ans.Store, ans.Tag, ans.Indexed, ans.Files, ans.Units, ans.Skipped, ans.Degraded)
		writeSCIP(w, ans.SCIP, ans.Precise)
		if e := ans.Embedding; e != nil {
			fmt.Fprintf(w, "embedder %s: %d texts, %d with vectors of the parent's, %d of the cache's, %d sent in %d requests, %d equal to others of these\nqueries need it too: set %s='%s'\n",
				cli.Visible(e.Model), e.Texts, e.FromParent, e.FromCache, e.Sent, e.Requests, e.Repeated, remote.EnvEmbedder, cli.Visible(f.embed))
		}
	})
}

// begin reads what every command needs that writes indexes: the store, and the
// options of a compile. It refuses to write where that would show a private
// repository's source, unless public allows it.
func begin(ctx context.Context, a *cli.App, args, viewNames, allow []string, public bool) (registry.Store, compile.Options, error) {
	o := compile.Options{AllowSecrets: allow}
	var err error
	if o.Repo, err = a.Repo(ctx); err != nil {
		return nil, o, err
	}
	if o.Rev, err = a.Revision(args); err != nil {
		return nil, o, err
	}
	store, err := a.Store()
	if err != nil {
		return nil, o, err
	}
	if o.Views, err = parseViews(viewNames); err != nil {
		return nil, o, err
	}
	if o.Progress, err = newProgress(a.Progress(), a.Stderr); err != nil {
		return nil, o, err
	}
	// Into a registry goes what every clone would make; a folder is one's own.
	_, shared := store.(*registry.Remote)
	o.AllowMissing = !shared
	if public {
		return store, o, nil
	}
	return store, o, checkPush(ctx, store, o.Repo)
}

// compileMissing compiles a commit that a reading command found no index of.
func compileMissing(ctx context.Context, r cli.CompileRequest) error {
	progress, err := newProgress(r.Progress, r.Stderr)
	if err != nil {
		return err
	}
	sink := fetch.NewSink(r.Store, r.Cache, fetch.SinkOptions{})
	find := parentFinder{repo: r.Repo, store: r.Store, cache: r.Cache, choice: parentAuto, sink: sink}
	_, err = compile.Run(ctx, compile.Options{Repo: r.Repo, Rev: r.Rev, Sink: adapter{sink}, FindParent: find.find, AllowMissing: true, Progress: progress})
	return err
}

// rebuild compiles an index's commit into nothing, with the same views, and
// returns the index digest.
func rebuild(ctx context.Context, r cli.RebuildRequest) (*cli.Rebuilt, error) {
	progress, err := newProgress(r.Progress, r.Stderr)
	if err != nil {
		return nil, err
	}
	views, err := parseViews(strings.Fields(r.Manifest.Profile.Options["views"])) // none named: all
	if err != nil {
		return nil, err
	}
	// What the index allowed is allowed here: nothing is published.
	allowed, err := compile.AllowedSecrets(&r.Manifest.Profile)
	if err != nil {
		return nil, fail.Wrap(fail.Verification, err, "compile the commit again", "the index's profile is not one of this program's")
	}
	if left, ok := remoteView(r.Manifest); ok {
		return rebuildOthers(ctx, r, left, compile.Options{
			Repo: r.Repo, Rev: r.Manifest.Commit, Sink: compile.Discard{}, Views: others(views, left), AllowSecrets: allowed, Inputs: r.Inputs, Progress: progress,
			AllowMissing: r.Manifest.Profile.Gaps() > 0,
		})
	}
	res, err := compile.Run(ctx, compile.Options{
		Repo: r.Repo, Rev: r.Manifest.Commit, Sink: compile.Discard{}, Views: views, AllowSecrets: allowed, Inputs: r.Inputs, Progress: progress,
		AllowMissing: r.Manifest.Profile.Gaps() > 0,
	})
	if err != nil {
		return nil, err
	}
	if res.Manifest.Profile.Digest != r.Manifest.Profile.Digest {
		return nil, fail.New(fail.Usage, "rebuild with the version and settings that made it; 'pindex inspect' shows its profile",
			"the index was made under another profile (%s) than this program's (%s)", r.Manifest.Profile.Digest, res.Manifest.Profile.Digest)
	}
	return &cli.Rebuilt{Digest: res.Digest.String()}, nil
}

// adapter hands a compile's results to the store and the cache.
type adapter struct{ sink *fetch.Sink }

func (a adapter) Pack(ctx context.Context, partition int, pack []byte, segs []artifact.PackSegment) error {
	return a.sink.Pack(ctx, partition, pack, segs)
}

func (a adapter) Reuse(ctx context.Context, partition, from int) (bool, error) {
	return a.sink.Reuse(ctx, partition, from)
}

func (a adapter) Publish(ctx context.Context, f *compile.Final) error {
	report, err := json.Marshal(f.Report)
	if err != nil {
		return err
	}
	var model artifact.Digest
	if f.Manifest.Model != nil {
		model = f.Manifest.Model.Digest
	}
	return a.sink.Publish(ctx, fetch.Final{
		Commit: f.Commit.String(), CommitUnix: f.CommitUnix, Profile: f.Manifest.Profile.Digest,
		Manifest: f.Encoded, Model: f.Model, ModelIs: model, Inputs: f.Inputs, Partitions: f.Partitions, Default: f.DefaultProfile, Report: report,
	})
}

func parseViews(names []string) ([]artifact.View, error) {
	var views []artifact.View
	for _, n := range names {
		v, ok := artifact.ParseView(strings.TrimSpace(n))
		if !ok || v == artifact.Units {
			return nil, fail.New(fail.Usage, "use source, lexical, dense and structural, separated by commas", "unknown view %q", n)
		}
		views = append(views, v)
	}
	return views, nil
}

// newProgress shows progress on w, which is a file except in tests.
func newProgress(mode string, w io.Writer) (compile.Progress, error) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, nil
	}
	return compile.NewProgress(mode, f)
}

func writeReport(path string, r *compile.Report) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = durable.WriteFile(path, 0o644, func(w io.Writer) error {
			_, err := w.Write(append(b, '\n'))
			return err
		})
	}
	if err != nil {
		return fail.Wrap(fail.Usage, err, "name a file in a folder that can be written to", "cannot write the report")
	}
	return nil
}
