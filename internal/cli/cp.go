package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

const schemaCopy = "pindex.copy/0"

type copyAnswer struct {
	Schema  string     `json:"schema"`
	From    string     `json:"from"`
	To      string     `json:"to"`
	Results []copyItem `json:"results"`
}

type copyItem struct {
	Tag       string `json:"tag"`
	OCIDigest string `json:"oci_digest"`
	Unchanged bool   `json:"unchanged"`
	Blobs     int    `json:"blobs"`             // packs and models that were moved
	Mounted   int    `json:"mounted,omitempty"` // blobs that the registry took over from another repository of its own
	Bytes     int64  `json:"bytes"`             // of those
}

func (a *App) cpCmd() *command.Command {
	var f copyFlags
	c := &command.Command{
		Use:   "cp FROM TO",
		Short: "Copy a commit's index from one store to another, or to one offline file",
		Long: `Copy the index of --commit (default: HEAD), verified, from one store to another.
Each is a registry repository, a folder, or a file that ends in .tar: an OCI
layout in one file, which --store reads without unpacking it. With
--max-distance, the nearest first-parent ancestor's index is copied where the
commit has none, for a compile beside it to take segments over from.`,
		Example: `  pindex cp ghcr.io/owner/repository/pindex ./index
  pindex cp ./index flask.tar --all
  pindex search blueprint --store flask.tar --commit 3a0f2c4e5b6d7a8f9c0b1d2e3f4a5b6c7d8e9f01`,
		Args: command.ExactArgs(2),
		RunE: func(c *command.Command, args []string) error {
			ans, err := a.copy(c.Context(), args[0], args[1], f)
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) {
				for _, r := range ans.Results {
					state := "copied   "
					if r.Unchanged {
						state = "unchanged"
					}
					o.print("%s %s  %d bytes in %s\n", state, r.Tag, r.Bytes, count(r.Blobs, "blob"))
					if r.Mounted > 0 {
						o.print("mounted   %s within the registry\n", count(r.Mounted, "blob"))
					}
				}
				o.print("to        %s\n", o.name(ans.To))
			})
		},
	}
	c.Flags().BoolVar(&f.all, "all", false, "copy every index in the store")
	c.Flags().IntVar(&f.distance, "max-distance", 0, "copy the index of the nearest first-parent ancestor, at most `N` steps back")
	c.Flags().BoolVar(&f.replace, "replace", false, "let tags move, or a file be replaced, that hold something else")
	c.Flags().StringVar(&f.mountFrom, "mount-from", "", MountUsage)
	c.Flags().BoolVar(&f.allowPublic, "allow-public", false, AllowPublicUsage)
	return c
}

type copyFlags struct {
	all, replace, allowPublic bool
	distance                  int
	mountFrom                 string
}

// AllowPublicUsage describes --allow-public.
const AllowPublicUsage = "push to ghcr.io without asking GitHub whether a private repository would become public"

// checkPush refuses to push where that could show a private repository's
// source to anybody.
func (a *App) checkPush(ctx context.Context, to registry.Store) error {
	r, ok := to.(*registry.Remote)
	if !ok || !registry.IsGitHub(r.Host()) {
		return nil
	}
	if a.CheckPush == nil {
		return fail.New(fail.Usage, "use 'pindex cp', or give --allow-public if anybody may read the source in these indexes",
			"this program cannot ask GitHub whether %s is public, so nothing was pushed", to.Name())
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		repo = nil // a copy needs none
	}
	return a.CheckPush(ctx, to, repo)
}

func (a *App) copy(ctx context.Context, fromRef, toRef string, f copyFlags) (*copyAnswer, error) {
	if f.distance < 0 || f.distance > maxDistance || f.distance > 0 && f.all {
		return nil, fail.New(fail.Usage, fmt.Sprintf("--max-distance takes 0 to %d, and not together with --all", maxDistance), "--max-distance %d is out of range", f.distance)
	}
	if err := ambiguousCredentials(fromRef, toRef); err != nil {
		return nil, err
	}
	from, err := a.openStore(fromRef)
	if err != nil {
		return nil, err
	}
	tags, err := a.tagsToCopy(ctx, from, f)
	if err != nil {
		return nil, err
	}
	ans := &copyAnswer{Schema: schemaCopy, From: from.Name(), To: toRef, Results: []copyItem{}}
	if isArchive(toRef) {
		return ans, copyToArchive(ctx, from, toRef, tags, f.replace, ans)
	}
	to, err := a.openStore(toRef)
	if err != nil {
		return nil, err
	}
	ans.To = to.Name()
	if !f.allowPublic {
		if err := a.checkPush(ctx, to); err != nil {
			return nil, err
		}
	}
	for _, tag := range tags {
		if err := a.assumeNear(ctx, to, f.mountFrom, tag, tags); err != nil {
			return nil, err
		}
		out, err := registry.Copy(ctx, from, to, tag, registry.CopyOptions{Replace: f.replace})
		if errors.Is(err, registry.ErrNotFound) {
			return nil, noIndex(from, []string{tag}, nil, nil)
		}
		if err != nil {
			return nil, err
		}
		ans.Results = append(ans.Results, copyItem{out.Tag, string(out.Descriptor.Digest), out.Unchanged, out.Blobs, out.Mounted, out.Bytes})
	}
	return ans, nil
}

// firstParents returns a commit and up to n of its first-parent ancestors.
func (a *App) firstParents(ctx context.Context, commit string, n int) ([]string, error) {
	id, err := gitobj.ParseID(commit)
	if err != nil {
		return nil, err
	}
	repo, err := a.History(ctx)
	if err != nil {
		return nil, err
	}
	return Ancestors(ctx, repo, id, n), repo.Close()
}

// nearToCopy is how far back an index is looked for whose packs a copy need not
// ask about.
const nearToCopy = 16

// assumeNear spares a copy into a registry the questions about what the index of
// the tag's commit there, or of a recent ancestor, holds. Where the commit is in
// no repository at hand, only its own index is looked for. What the
// repository to mount from has of them is mounted.
func (a *App) assumeNear(ctx context.Context, to registry.Store, mountFrom, tag string, beside []string) error {
	t, ok := registry.ParseTag(tag)
	if !ok {
		return nil
	}
	commits, err := a.firstParents(ctx, t.Commit, nearToCopy)
	if err != nil {
		commits = []string{t.Commit}
	}
	// What is copied along may be what the index was made on top of, where the
	// clone is too shallow to know.
	for _, other := range beside {
		if o, ok := registry.ParseTag(other); ok && !slices.Contains(commits, o.Commit) {
			commits = append(commits, o.Commit)
		}
	}
	if err := a.mountNear(ctx, mountFrom, to, commits); err != nil {
		return err
	}
	return fetch.AssumeNearest(ctx, to, commits)
}

// tagsToCopy returns the tag of the asked commit's index, of the nearest one
// that will do, or those of all indexes.
func (a *App) tagsToCopy(ctx context.Context, from registry.Store, f copyFlags) ([]string, error) {
	if !f.all {
		commit, err := a.resolve(ctx)
		if err != nil {
			return nil, err
		}
		candidates := []string{commit}
		if f.distance > 0 {
			if candidates, err = a.firstParents(ctx, commit, f.distance); err != nil {
				return nil, err
			}
		}
		at, err := fetch.Nearest(ctx, from, candidates)
		switch {
		case err != nil:
			return nil, err
		case at >= 0:
			return []string{registry.CommitTag(candidates[at])}, nil
		}
		if only, of := fetch.StandIn(ctx, from, commit); only != "" {
			a.noteOnly(only, of)
			return []string{only}, nil
		}
		return nil, noIndex(from, candidates, nil, fetch.Profiles(ctx, from, commit))
	}
	list, err := registry.Tags(ctx, from)
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, name := range list {
		if t, ok := registry.ParseTag(name); ok && !t.Report {
			tags = append(tags, name)
		}
	}
	if len(tags) == 0 {
		return nil, fail.New(fail.NotFound, "", "%s has no index", from.Name())
	}
	return tags, nil
}

func copyToArchive(ctx context.Context, from registry.Store, path string, tags []string, replace bool, ans *copyAnswer) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return fail.New(fail.Usage, "name another file, or replace it with --replace", "%s is there already", path)
	}
	err := registry.WriteArchive(ctx, path, from, tags, nil)
	if errors.Is(err, registry.ErrNotFound) {
		return noIndex(from, tags[:1], nil, nil)
	}
	if err != nil {
		return err
	}
	// What was written is read back before it is called done.
	to, err := registry.OpenArchive(path)
	if err != nil {
		return err
	}
	for _, tag := range tags {
		art, _, err := registry.ReadArtifact(ctx, to, tag)
		if err != nil {
			return err
		}
		item := copyItem{Tag: tag, OCIDigest: string(art.Descriptor.Digest), Blobs: len(art.Packs) + len(art.Inputs), Bytes: art.TravelSize()}
		if art.Model != nil {
			item.Blobs++
		}
		ans.Results = append(ans.Results, item)
	}
	return nil
}

// ambiguousCredentials refuses to send the one password in the environment to
// two registries.
func ambiguousCredentials(from, to string) error {
	if os.Getenv("PINDEX_REGISTRY_PASSWORD") == "" || os.Getenv("PINDEX_REGISTRY_HOST") != "" {
		return nil
	}
	if h1, h2 := registry.RemoteHost(from), registry.RemoteHost(to); h1 == "" || h2 == "" || h1 == h2 {
		return nil
	}
	return fail.New(fail.Usage, "say with PINDEX_REGISTRY_HOST which host they are for, and use 'docker login' for the other",
		"PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD are set, and two registries are named")
}
