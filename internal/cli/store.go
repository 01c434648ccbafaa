package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Schemas of this package's own answers.
const (
	schemaList    = "pindex.list/0"
	schemaInspect = "pindex.inspect/0"
)

type listAnswer struct {
	Schema  string     `json:"schema"`
	Store   string     `json:"store"`
	Results []listItem `json:"results"`
}

type listItem struct {
	Tag       string `json:"tag"`
	Commit    string `json:"commit"`
	Digest    string `json:"digest"`     // index digest
	OCIDigest string `json:"oci_digest"` // of the OCI manifest: transport
	Bytes     int64  `json:"bytes"`      // of everything that the tag leads to, as it travels
	Packs     int    `json:"packs"`
	Problem   string `json:"problem,omitempty"`
}

func (a *App) lsCmd() *command.Command {
	return &command.Command{
		Use:   "ls",
		Short: "The indexes in the store",
		Example: `  pindex ls
  pindex ls --store ./index --json`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			store, err := a.Store()
			if err != nil {
				return err
			}
			ans, err := listStore(c.Context(), store)
			if err != nil {
				return err
			}
			return a.found(len(ans.Results), ans, func(o *output) {
				o.print("# %s\n", o.name(ans.Store))
				for _, r := range ans.Results {
					o.print("%s  %s  %d bytes in %s", r.Tag, r.Digest, r.Bytes, count(r.Packs, "pack"))
					if r.Problem != "" {
						o.print("  (%s)", o.text(r.Problem))
					}
					o.print("\n")
				}
			})
		},
	}
}

// listStore lists a store's indexes. One that cannot be read is listed with
// its problem and costs only itself.
func listStore(ctx context.Context, store registry.Store) (*listAnswer, error) {
	tags, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	ans := &listAnswer{Schema: schemaList, Store: store.Name(), Results: []listItem{}}
	for _, t := range tags {
		tag, ok := registry.ParseTag(t.Tag)
		if !ok || tag.Report {
			continue
		}
		item := listItem{Tag: t.Tag, Commit: tag.Commit, OCIDigest: string(t.Descriptor.Digest)}
		switch art, _, err := registry.ReadDescriptor(ctx, store, t.Descriptor); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			item.Problem = err.Error()
		default:
			item.Digest, item.Bytes, item.Packs = art.Index().String(), art.TravelSize(), len(art.Packs)
		}
		ans.Results = append(ans.Results, item)
	}
	return ans, nil
}

type inspectAnswer struct {
	Schema        string                       `json:"schema"`
	Store         string                       `json:"store"`
	Tag           string                       `json:"tag"`
	Commit        string                       `json:"commit"`
	Tree          string                       `json:"tree"`
	Digest        string                       `json:"digest"`
	OCIDigest     string                       `json:"oci_digest"`
	FormatVersion int                          `json:"format_version"`
	Profile       artifact.Profile             `json:"profile"`
	PartitionBits int                          `json:"partition_bits"`
	Partitions    int                          `json:"partitions"`
	Files         int                          `json:"files"`
	Indexed       int                          `json:"indexed"`
	Units         int                          `json:"units"`
	Docs          int                          `json:"docs"`
	SourceBytes   int64                        `json:"source_bytes"`
	Bytes         int64                        `json:"bytes"` // as they travel
	Views         map[string]inspectView       `json:"views"`
	Languages     map[string]artifact.Language `json:"languages"`
	Skipped       map[string]int               `json:"skipped"`
	Degraded      map[string]int               `json:"degraded"`
	Model         *artifact.ModelInfo          `json:"model,omitempty"`
	Capabilities  []string                     `json:"capabilities"`
	Annotations   map[string]string            `json:"annotations,omitempty"`
}

type inspectView struct {
	artifact.ViewInfo
	Bytes  int64 `json:"bytes"`  // uncompressed, over all partitions
	Packed int64 `json:"packed"` // as they travel
}

func (a *App) inspectCmd() *command.Command {
	return &command.Command{
		Use:   "inspect [REV]",
		Short: "What an index in the store consists of",
		Example: `  pindex inspect
  pindex inspect v2.0 --json`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error {
			ans, err := a.inspect(c.Context(), args)
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) { writeInspect(o, ans) })
		},
	}
}

// stored is an artifact in a store, read down to its manifest.
type stored struct {
	store    registry.Store
	tag      string
	commit   string
	artifact *registry.Artifact
	manifest *artifact.Manifest
}

// stored reads the artifact of the commit that REV, --commit or HEAD names.
func (a *App) stored(ctx context.Context, args []string) (*stored, error) {
	if _, err := a.Revision(args); err != nil {
		return nil, err
	}
	commit, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	tag := registry.CommitTag(commit)
	art, _, err := registry.ReadArtifact(ctx, store, tag)
	if errors.Is(err, registry.ErrNotFound) {
		if only, of := fetch.StandIn(ctx, store, commit); only != "" {
			a.noteOnly(only, of)
			tag = only
			art, _, err = registry.ReadArtifact(ctx, store, tag)
		}
	}
	if errors.Is(err, registry.ErrNotFound) {
		remedy := fmt.Sprintf("make one with 'pindex compile %s', or name another store with --store", short(commit))
		if others := fetch.Profiles(ctx, store, commit); len(others) > 0 {
			remedy = "the store has it under other profiles (" + strings.Join(others, ", ") + "): " + remedy
		}
		return nil, fail.New(fail.NoIndex, remedy,
			"%s has no index of %s", store.Name(), commit)
	}
	if err != nil {
		return nil, err
	}
	b, err := store.Fetch(ctx, art.Manifest)
	if err != nil {
		return nil, err
	}
	m, err := artifact.DecodeManifest(b)
	if err != nil {
		return nil, fail.Wrap(fail.Verification, err, "compile the commit again with --replace", "the manifest of %s in %s", short(commit), store.Name())
	}
	if m.Commit != commit {
		return nil, fail.New(fail.Verification, "compile the commit again with --replace", "the index under %s is one of commit %s", commit, m.Commit)
	}
	if len(art.Packs) != len(m.Partitions) {
		return nil, fail.New(fail.Verification, "compile the commit again with --replace", "the index of %s has %d packs for %d partitions", commit, len(art.Packs), len(m.Partitions))
	}
	return &stored{store, tag, commit, art, m}, nil
}

func (a *App) inspect(ctx context.Context, args []string) (*inspectAnswer, error) {
	at, err := a.stored(ctx, args)
	if err != nil {
		return nil, err
	}
	store, art, m := at.store, at.artifact, at.manifest
	ans := &inspectAnswer{
		Schema: schemaInspect, Store: store.Name(), Tag: at.tag,
		Commit: m.Commit, Tree: m.Tree, Digest: art.Index().String(), OCIDigest: string(art.Descriptor.Digest),
		FormatVersion: m.FormatVersion, Profile: m.Profile, PartitionBits: m.PartitionBits, Partitions: len(m.Partitions),
		Files: m.Files, Indexed: m.Indexed, Units: m.Units, Docs: m.Docs, SourceBytes: m.Bytes, Bytes: art.TravelSize(),
		Views: map[string]inspectView{}, Languages: m.Languages, Skipped: m.Skipped, Degraded: m.Degraded,
		Model: m.Model, Capabilities: m.Capabilities, Annotations: art.Annotations,
	}
	for name, v := range m.Views {
		ans.Views[name] = inspectView{ViewInfo: v}
	}
	tables, err := fetch.Tables(ctx, store, art, m)
	if err != nil {
		return nil, err
	}
	for _, entries := range tables {
		for _, e := range entries {
			v := ans.Views[e.View.String()]
			v.Bytes += e.RawLength
			v.Packed += e.Length
			ans.Views[e.View.String()] = v
		}
	}
	return ans, nil
}

func writeInspect(o *output, i *inspectAnswer) {
	o.print("commit      %s\ntree        %s\ndigest      %s\noci digest  %s\nprofile     %s\n", i.Commit, i.Tree, i.Digest, i.OCIDigest, i.Profile.Digest)
	o.print("files       %d, of which %d indexed (%d bytes)\n", i.Files, i.Indexed, i.SourceBytes)
	o.print("units       %d, in %d search documents\n", i.Units, i.Docs)
	o.print("partitions  %d (k = %d), %d bytes as they travel\n", i.Partitions, i.PartitionBits, i.Bytes)
	o.print("views                  bytes      packed\n")
	for _, name := range sortedKeys(i.Views) {
		v := i.Views[name]
		o.print("  %-11s %12d %11d  %s, %s", name, v.Bytes, v.Packed, v.State, v.Type)
		if v.Reason != "" {
			o.print(": %s", o.text(v.Reason))
		}
		o.print("\n")
	}
	if i.Model != nil {
		o.print("model       %s, %d dimensions, %d bytes, %s\n", i.Model.Name, i.Model.Dims, i.Model.Size, i.Model.Digest)
	}
	o.print("capabilities")
	for _, c := range i.Capabilities {
		o.print(" %s", c)
	}
	o.print("\n")
	for _, k := range sortedKeys(i.Annotations) {
		o.print("annotation  %s = %s\n", o.name(k), o.text(i.Annotations[k]))
	}
}
