package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

const scipUsage = "SCIP index `FILE` whose documents are precise, FILE@DIR when its paths start from a folder (repeatable); " +
	"parent takes over what the nearest indexed ancestor has of unchanged files; " +
	"auto runs the indexers that are installed, which run the project's code"

const (
	scipAuto   = "auto"
	scipParent = "parent"
)

// addSCIP reads the --scip flags.
func addSCIP(a *cli.App, o *compile.Options, store registry.Store, f compileFlags) error {
	for _, s := range f.scip {
		switch s {
		case "":
			return fail.New(fail.Usage, "name a SCIP index, parent or auto", "--scip has no value")
		case scipAuto:
			o.Indexers = &scip.Indexers{Generate: f.cmake, Note: a.Note}
		case scipParent:
			o.Inherit = inherit(o, store, a.Cache())
		default:
			x, err := scipIndex(s)
			if err != nil {
				return err
			}
			o.SCIP = append(o.SCIP, x)
		}
	}
	if f.cmake && o.Indexers == nil {
		return fail.New(fail.Usage, "use it with --scip auto", "--scip-cmake serves the indexers that --scip auto runs")
	}
	o.RequireSCIP = f.require
	return nil
}

// scipIndex reads FILE or FILE@DIR.
func scipIndex(s string) (compile.SCIPIndex, error) {
	file, dir := s, ""
	if _, err := os.Stat(file); err != nil {
		if i := strings.LastIndexByte(s, '@'); i > 0 {
			file, dir = s[:i], path.Clean(filepath.ToSlash(s[i+1:]))
		}
	}
	if dir == "." {
		dir = ""
	}
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") {
		return compile.SCIPIndex{}, fail.New(fail.Usage, "give the folder's path from the root of the repository", "%q is no folder of the tree", dir)
	}
	if fi, err := os.Stat(file); err != nil || fi.IsDir() {
		return compile.SCIPIndex{}, fail.New(fail.Usage, "name a SCIP index, such as the index.scip that an indexer writes", "there is no SCIP index %s", file)
	}
	return compile.SCIPIndex{Name: filepath.Base(file), Prefix: dir, Open: func() (io.ReadCloser, error) { return os.Open(file) }}, nil
}

// inherit finds the documents of the nearest ancestor that has some.
func inherit(o *compile.Options, store registry.Store, cache *fetch.Cache) func(context.Context, compile.Wanted) (*compile.Inherited, error) {
	return func(ctx context.Context, w compile.Wanted) (*compile.Inherited, error) {
		var profile artifact.Digest
		if !w.DefaultProfile {
			profile = w.Profile.Digest
		}
		for commits := cli.Ancestors(ctx, o.Repo, w.Commit, knownParents); len(commits) > 0; {
			found, err := fetch.FindParent(ctx, store, cache, commits, profile)
			if err != nil || found == nil {
				return nil, err
			}
			id, err := o.Repo.Resolve(ctx, found.Commit)
			if err != nil {
				return nil, err
			}
			if len(found.Artifact.Inputs) == 0 || id == w.Commit {
				commits = commits[slices.Index(commits, found.Commit)+1:]
				continue
			}
			inputs, err := fetch.Inputs(ctx, store, found.Artifact)
			return &compile.Inherited{Commit: id, Inputs: inputs}, err
		}
		return nil, nil
	}
}

// maxRejectedShown bounds the rejected documents that are named for one index.
const maxRejectedShown = 5

// writeSCIP says what became of SCIP indexes.
func writeSCIP(w io.Writer, list []*scip.IndexReport, precise int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "precise %d files\n", precise)
	for _, r := range list {
		name := cli.Visible(r.Name)
		if r.Absent != "" {
			fmt.Fprintf(w, "scip    %s: absent: %s\n", name, cli.Visible(r.Absent))
		} else {
			by := ""
			if r.Tool != "" {
				by = " by " + cli.Visible(r.Tool)
			}
			fmt.Fprintf(w, "scip    %s%s: %d occurrences in %d documents, %d refused, %d documents rejected\n",
				name, by, r.Occurrences, r.Documents, r.Refused.Total(), r.RejectedAll)
		}
		for i, x := range r.Rejected {
			if i == maxRejectedShown {
				fmt.Fprintf(w, "        and %d more\n", r.RejectedAll-i)
				break
			}
			fmt.Fprintf(w, "        %s: %s\n", cli.Visible(x.Path), cli.Visible(x.Reason))
		}
	}
}
