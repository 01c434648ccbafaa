package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/registry"
)

// prepareAnswer is what 'prepare' prints.
type prepareAnswer struct {
	Schema string `json:"schema"`
	Commit string `json:"commit"`
	Parent string `json:"parent"` // whose manifests were brought; "" where there is none
	Store  string `json:"store"`
	Into   string `json:"into"`
}

const schemaPrepare = "pindex.prepare/0"

func prepareCmd(a *cli.App) *command.Command {
	var f prepareFlags
	c := &command.Command{
		Use:   "prepare [REV] --into DIR",
		Short: "Ready a folder for a compile without the registry and its credentials",
		Long: `Bring the manifests, and no packs, of the index that a compile of REV (default:
HEAD) would take segments over from into the OCI layout DIR. A compile into DIR
with --parent and the printed commit then names those segments without having
them, and 'cp DIR STORE' pushes the rest. What reads the commit needs no
credentials, and what is unchanged is neither downloaded nor uploaded.`,
		Example: `  pindex prepare --store ghcr.io/o/r/pindex --into ./index
  pindex prepare v2.0 --store ghcr.io/o/r/pindex --into ./index --branch main
  pindex compile --store ./index --parent COMMIT && pindex cp ./index ghcr.io/o/r/pindex`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error { return runPrepare(c.Context(), a, args, f) },
	}
	c.Flags().StringVar(&f.into, "into", "", "the folder `DIR`")
	c.Flags().StringSliceVar(&f.views, "views", nil, "the views that the compile will build")
	c.Flags().StringArrayVar(&f.allow, "allow-secret", nil, "as the compile will have it (repeatable)")
	c.Flags().StringVar(&f.mount, "mount-from", "", "take an index in `REPOSITORY` of the same registry where the store has none; give 'cp' the same")
	c.Flags().StringVar(&f.branch, "branch", "", "the branch `NAME` whose index does as well where no ancestor has one")
	return c
}

type prepareFlags struct {
	into   string
	branch string
	mount  string
	views  []string
	allow  []string
}

func runPrepare(ctx context.Context, a *cli.App, args []string, f prepareFlags) error {
	if f.into == "" {
		return fail.New(fail.Usage, "name a folder with --into", "--into is missing")
	}
	// The small reader starts no program that could read the credentials.
	repo, err := a.History(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	rev, err := a.Revision(args)
	if err != nil {
		return err
	}
	store, err := a.Store()
	if err != nil {
		return err
	}
	to, err := registry.OpenLocal(f.into)
	if err != nil {
		return err
	}
	views, err := parseViews(f.views)
	if err != nil {
		return err
	}
	other, err := a.MountFrom(f.mount, store)
	if err != nil {
		return err
	}
	find := parentFinder{repo: repo, store: store, other: other, cache: a.Cache(), choice: parentAuto, branch: f.branch}
	plan, err := compile.Plan(ctx, compile.Options{Repo: repo, Rev: rev, Views: views, AllowSecrets: f.allow, FindParent: find.find})
	if err != nil {
		return err
	}
	ans := prepareAnswer{Schema: schemaPrepare, Commit: plan.Commit.String(), Store: store.Name(), Into: to.Name()}
	if find.found != nil {
		ans.Parent = find.found.Commit
		tag := registry.CommitTag(ans.Parent)
		if !plan.DefaultProfile && find.found.Manifest.Profile.Digest == plan.Profile.Digest {
			tag = registry.ProfileTag(ans.Parent, find.found.Manifest.Profile.Digest)
		}
		if err := registry.CopyManifests(ctx, find.at, to, find.found.Artifact, tag); err != nil {
			return err
		}
	}
	return a.Print(ans, func(w io.Writer) {
		if ans.Parent == "" {
			fmt.Fprintf(w, "%s has no index that a compile of %s could take segments over from\n", ans.Store, ans.Commit)
			return
		}
		fmt.Fprintf(w, "parent %s\ninto   %s\n", ans.Parent, ans.Into)
	})
}

// branchAnswer is what 'branch' prints.
type branchAnswer struct {
	Schema string `json:"schema"`
	Commit string `json:"commit"`
	Tag    string `json:"tag"`
	Moved  bool   `json:"moved"`
	Held   string `json:"held"` // the commit that the tag held before; "" for none
}

const schemaBranch = "pindex.branch/0"

func branchCmd(a *cli.App) *command.Command {
	return &command.Command{
		Use:   "branch NAME [REV]",
		Short: "Let a branch's tag follow to a commit's index",
		Long: `Let the tag branch-NAME follow to the index of REV (default: HEAD), unless it
holds one of a commit that REV does not descend from: a late job for an older
commit cannot move it back.`,
		Example: `  pindex branch main --store ghcr.io/o/r/pindex
  pindex branch release/2.x v2.4`,
		Args: command.RangeArgs(1, 2),
		RunE: func(c *command.Command, args []string) error {
			ctx := c.Context()
			repo, err := a.History(ctx)
			if err != nil {
				return err
			}
			defer repo.Close()
			rev, err := a.Revision(args[1:])
			if err != nil {
				return err
			}
			if rev == "" {
				rev = "HEAD"
			}
			store, err := a.Store()
			if err != nil {
				return err
			}
			var commit gitobj.ID
			if commit, err = repo.Resolve(ctx, rev); err != nil {
				return err
			}
			art, _, err := registry.ReadArtifact(ctx, store, registry.CommitTag(commit.String()))
			if err != nil {
				return fail.Wrap(fail.NoIndex, err, "compile the commit first", "%s has no index of %s", store.Name(), commit)
			}
			m, err := moveBranch(ctx, a, repo, store, args[0], commit, art.Descriptor)
			if err != nil {
				return err
			}
			ans := branchAnswer{schemaBranch, commit.String(), m.Tag, m.Moved, m.Held}
			return a.Print(ans, func(w io.Writer) {
				state := "stays"
				if ans.Moved {
					state = "moved to " + ans.Commit
				}
				fmt.Fprintf(w, "%s %s\n", ans.Tag, state)
			})
		},
	}
}
