package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/setup"
	"github.com/pindex-dev/pindex/registry"
)

func (d *doctor) checkRepository(ctx context.Context) {
	l, err := git.FindLayout(d.app.RepoDir())
	if err != nil && !errors.Is(err, git.ErrUnsupported) {
		d.failed("repository", err)
		return
	}
	d.layout = l
	if d.repo, err = d.app.Repo(ctx); err != nil {
		d.failed("repository", err)
		return
	}
	if d.head, err = d.app.Asked(ctx); err != nil {
		d.failed("repository", err)
		return
	}
	if l == nil {
		d.ok("repository", "readable by the full reader alone, at %s", d.head[:12])
		return
	}
	kind := []string{}
	if l.WorkTree == "" {
		kind = append(kind, "bare")
	}
	if l.GitDir != l.CommonDir {
		kind = append(kind, "a linked worktree")
	}
	if l.Format == gitobj.SHA256 {
		kind = append(kind, "sha256")
	}
	_, err = os.Stat(filepath.Join(l.CommonDir, "shallow"))
	shallow := err == nil
	if shallow {
		kind = append(kind, "shallow")
	}
	if l.Partial {
		kind = append(kind, "partial")
	}
	if len(kind) == 0 {
		kind = []string{"whole"}
	}
	d.ok("repository", "%s (%s), at %s", or(l.WorkTree, l.GitDir), strings.Join(kind, ", "), d.head[:12])
	if shallow {
		d.warn("repository", "git fetch --unshallow", "the clone is shallow: of ancestors that it lacks no index can be found, and log and eval see a part of the history")
	}
	if l.Partial {
		d.warn("repository", "git fetch --refetch --no-filter, or accept that a compile leaves out what is missing", "the clone is partial: files that it lacks are not fetched")
	}
	if _, err := exec.LookPath("git"); err != nil {
		d.warn("repository", "install git", "there is no git program: compiles use the slower built-in reader")
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// checkSettings reads .pindex.yaml of the commit as a compile would.
func (d *doctor) checkSettings(ctx context.Context) {
	if d.repo == nil || d.head == "" {
		return
	}
	o := compile.Options{Repo: d.repo, Rev: d.head, AllowMissing: true}
	p, err := compile.Plan(ctx, o)
	if err != nil {
		d.failed("settings", err)
		return
	}
	tree, err := d.repo.Tree(ctx, p.Commit)
	there := err == nil && slices.ContainsFunc(tree, func(e git.Entry) bool { return e.Path == compile.ConfigPath })
	if there {
		d.ok("settings", "%s of the commit is valid", compile.ConfigPath)
	} else {
		d.ok("settings", "the commit has no %s; the defaults are used", compile.ConfigPath)
	}
}

func (d *doctor) checkLock(context.Context) {
	if d.layout == nil || d.layout.WorkTree == "" {
		return
	}
	f, err := os.Open(filepath.Join(d.layout.WorkTree, fetch.LockName))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var lock *fetch.Lock
	if err == nil {
		lock, err = fetch.ParseLock(f)
		f.Close()
	}
	const remedy = "write it again with 'pindex pull --write-lock', or remove it"
	switch {
	case err != nil:
		d.fail("lock", fail.Verification, remedy, "%s cannot be used: %v", fetch.LockName, err)
	case d.head != "" && lock.Commit != d.head:
		d.warn("lock", remedy, "%s names commit %.12s, and HEAD is %.12s: 'pull --locked' brings an older index", fetch.LockName, lock.Commit, d.head)
	default:
		d.ok("lock", "%s names the index of HEAD", fetch.LockName)
	}
}

func (d *doctor) checkCache(ctx context.Context) {
	cache := d.app.Cache()
	if notes := cache.Notes(); len(notes) > 0 {
		for _, n := range notes {
			d.fail("cache", fail.Usage, "name another folder with "+fetch.DirEnv+", or make this one yours alone (chmod 700)", "%s", n)
		}
		return
	}
	kinds, err := cache.Usage(ctx)
	if err != nil {
		d.failed("cache", err)
		return
	}
	var files int
	var bytes int64
	for _, u := range kinds {
		files, bytes = files+u.Files, bytes+u.Bytes
	}
	dir := cache.Dir()
	if err := tryWrite(dir); err != nil {
		d.warn("cache", "make it writable, or name another folder with "+fetch.DirEnv, "%s holds %s in %s and cannot be written to: index files are unpacked into memory each time (%v)", dir, size(bytes), plural(files, "file"), err)
		return
	}
	const much = 20 << 30
	if bytes > much {
		d.warn("cache", "pindex cache prune --max-size 5G", "%s holds %s", dir, size(bytes))
		return
	}
	d.ok("cache", "%s holds %s in %s", dir, size(bytes), plural(files, "file"))
}

// tryWrite writes a file where the cache would, and removes it. A folder that is
// not there yet is judged by the one that it would be made in.
func tryWrite(dir string) error {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, durable.TempPrefix+"*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}

func (d *doctor) checkStore(ctx context.Context) {
	store, err := d.app.Store()
	if err != nil {
		d.failed("store", err)
		return
	}
	d.store = store
	from := "the default"
	switch dir, _ := fetch.DefaultDir(); {
	case d.app.StoreRef() != "":
		from = "of --store"
	case os.Getenv("PINDEX_STORE") != "":
		from = "of PINDEX_STORE"
	case store.Name() != filepath.Join(dir, fetch.StoreDir):
		from = "of your configuration"
	}
	if d.head == "" {
		d.ok("store", "%s, %s", store.Name(), from)
		return
	}
	qctx, cancel := d.bounded(ctx)
	defer cancel()
	_, err = store.Resolve(qctx, registry.CommitTag(d.head))
	r, far := store.(*registry.Remote)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		if fetch.Known(store, d.app.Cache(), d.head) {
			d.warn("store", "connect to the network before the next commit", "%s, %s, does not answer; what was pulled answers without it: %v", store.Name(), from, short(err))
			d.store = nil
			d.ok("index", "the index of HEAD was pulled before")
			return
		}
		d.failed("store", err)
		d.store = nil
		return
	}
	if !far {
		d.ok("store", "%s, %s", store.Name(), from)
		if from == "the default" && d.layout != nil && onGitHub(d.layout.RemoteURL("origin")) {
			d.warn("store", "set PINDEX_STORE to your registry's repository, such as ghcr.io/OWNER/REPOSITORY/pindex", "indexes are looked for on this machine alone, and made when there is none")
		}
		return
	}
	d.ok("store", "%s, %s, answers", store.Name(), from)
	source, problem := r.Credentials()
	switch {
	case problem != nil:
		d.warn("credentials", "run 'docker login' again, or set PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD", "%v", problem)
	case source != "":
		d.ok("credentials", "those of %s are used", source)
	default:
		d.ok("credentials", "none were needed to read")
	}
}

func short(err error) string {
	var e *fail.Error
	if errors.As(err, &e) {
		return e.What
	}
	return err.Error()
}

// nearBy is how many ancestors are looked at for an index.
const nearBy = 32

func (d *doctor) checkIndex(ctx context.Context) {
	if d.store == nil || d.head == "" {
		return
	}
	qctx, cancel := d.bounded(ctx)
	defer cancel()
	commits := []string{d.head}
	if id, err := gitobj.ParseID(d.head); err == nil && d.repo != nil {
		commits = cli.Ancestors(ctx, d.repo, id, nearBy)
	}
	at, err := fetch.Nearest(qctx, d.store, commits)
	if err != nil {
		d.failed("index", err)
		return
	}
	tag := ""
	if at >= 0 {
		tag = registry.CommitTag(commits[at])
	} else if tag, _ = fetch.StandIn(qctx, d.store, d.head); tag != "" {
		at = 0
	}
	_, far := d.store.(*registry.Remote)
	switch {
	case at < 0 && far:
		d.warn("index", "push the branch and let the workflow build it, or run 'pindex compile'", "%s has no index of HEAD or of its %d nearest ancestors", d.store.Name(), len(commits)-1)
		return
	case at < 0:
		d.warn("index", "the next search makes it, or run 'pindex compile'", "there is no index of HEAD yet")
		return
	case at > 0 && far:
		d.warn("index", "'pindex pull --max-distance "+fmt.Sprint(at)+"' brings it; 'pindex pull --wait 10m' waits for HEAD's", "the nearest index is of %.12s, %s before HEAD", commits[at], plural(at, "commit"))
	case at > 0:
		d.ok("index", "the nearest is of %.12s, %s before HEAD; the next search makes HEAD's on top of it", commits[at], plural(at, "commit"))
	}
	art, _, err := registry.ReadArtifact(qctx, d.store, tag)
	if err == nil {
		var b []byte
		if b, err = d.store.Fetch(qctx, art.Manifest); err == nil {
			d.manifest, err = artifact.DecodeManifest(b)
		}
	}
	switch {
	case errors.Is(err, artifact.ErrTooNew):
		d.fail("index", fail.Verification, "install the newer version of pindex", "the index was made by a newer version: %v", err)
		return
	case err != nil:
		d.failed("index", err)
		return
	}
	store := d.store
	d.model = func(ctx context.Context) ([]byte, error) {
		return fetch.Model(ctx, store, d.app.Cache(), *d.manifest.Model)
	}
	if at == 0 {
		d.ok("index", "HEAD has one: %s, %d of %d files, %s", art.Index(), d.manifest.Indexed, d.manifest.Files, size(art.TravelSize()))
	}
	for _, name := range slices.Sorted(maps.Keys(d.manifest.Views)) {
		if v := d.manifest.Views[name]; v.State != artifact.ViewReady {
			d.warn("index", "compile the commit again with --replace", "the view %s is missing: %s", name, v.Reason)
		}
	}
}

// checkVersion plans what this program would make of the index's commit with the
// index's settings, and compares the profiles. A remote model's is its own.
func (d *doctor) checkVersion(ctx context.Context) {
	if d.manifest == nil || d.repo == nil || d.remoteModel() {
		return
	}
	o := compile.Options{Repo: d.repo, Rev: d.manifest.Commit, AllowMissing: true}
	var err error
	if o.Views, err = parseViews(strings.Fields(d.manifest.Profile.Options["views"])); err == nil {
		o.AllowSecrets, err = compile.AllowedSecrets(&d.manifest.Profile)
	}
	if err == nil {
		var p *compile.Preview
		if p, err = compile.Plan(ctx, o); err == nil && p.Profile.Digest == d.manifest.Profile.Digest {
			d.ok("version", "pindex %s makes the same index: overlays and deltas build on it", d.app.Version)
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	d.warn("version", "use the version that made it, or compile the commit with this one",
		"the index was made by another version of pindex: it is read, but changed files cannot be built on top of it")
}

func (d *doctor) remoteModel() bool {
	return d.manifest.Model != nil && d.manifest.Views[artifact.Dense.String()].Reproducible == artifact.NotAtAll
}

// checkEmbedder asks the server that an index with a remote model needs.
func (d *doctor) checkEmbedder(ctx context.Context) {
	if d.manifest == nil || !d.remoteModel() {
		return
	}
	qctx, cancel := d.bounded(ctx)
	defer cancel()
	b, err := d.model(qctx)
	if err != nil {
		d.failed("embedder", err)
		return
	}
	e, err := embed.OpenModel(b)
	model, ok := e.(*embed.Remote)
	if err != nil || !ok {
		d.fail("embedder", fail.Verification, "compile the commit again", "the index's model cannot be read: %v", err)
		return
	}
	endpoint := os.Getenv(remote.EnvEmbedder)
	if endpoint == "" {
		d.warn("embedder", "set "+remote.EnvEmbedder+" to the URL of a server that has the model", "the index has vectors of %q, and no server is named: searches are lexical", model.ModelName)
		return
	}
	client, err := embedderClient(endpoint, remote.ForQueries)
	if err == nil {
		var got *embed.Remote
		if got, err = client.Describe(qctx, []*embed.Remote{model}); err == nil && got != model {
			d.warn("embedder", "name the server that has the model", "the server's model %q is not the index's %q: searches are lexical", got.ModelName, model.ModelName)
			return
		}
	}
	if err != nil {
		d.failed("embedder", err)
		return
	}
	d.ok("embedder", "the server has the index's model %q", model.ModelName)
}

func (d *doctor) checkAgents(ctx context.Context) {
	if d.layout == nil || d.layout.WorkTree == "" {
		return
	}
	root := d.layout.WorkTree
	home, _ := os.UserHomeDir()
	m := setup.Machine{Home: home, Getenv: os.Getenv, LookPath: exec.LookPath}
	var without []string
	answers := map[string]string{} // of programs that were started
	for _, g := range setup.Agents() {
		r, err := g.Registered(root)
		switch {
		case err != nil:
			d.failed("agents", err)
		case r != nil:
			d.checkServer(ctx, g, r, root, answers)
		case len(m.Found(root, g)) > 0:
			without = append(without, g.Title)
		}
	}
	if len(without) > 0 {
		d.warn("agents", "pindex init", "%s: found here and not told of pindex", strings.Join(without, ", "))
	}
}

// checkServer looks at one agent's entry. Its text comes from the repository.
func (d *doctor) checkServer(ctx context.Context, g setup.Agent, r *setup.Registered, root string, answers map[string]string) {
	const remedy = "pindex init --replace"
	if r.Disabled {
		d.warn("agents", "enable it in "+r.File, "%s: the server is disabled in %s", g.Title, r.File)
		return
	}
	if len(r.Argv) < 2 || r.Argv[1] != "mcp" {
		d.warn("agents", remedy, "%s: %s starts something else than 'pindex mcp'", g.Title, r.File)
		return
	}
	program, refused, err := setup.Program(root, r.Argv[0])
	switch {
	case err != nil:
		d.fail("agents", fail.Usage, "put pindex on the PATH, or run '"+remedy+"'", "%s: %s starts %q, which is not there", g.Title, r.File, r.Argv[0])
		return
	case refused != "":
		d.warn("agents", "look at "+r.File+", and mend it with '"+remedy+"'", "%s: %s starts %q; %s, so it was not started", g.Title, r.File, r.Argv[0], refused)
		return
	}
	name, asked := answers[program]
	if !asked {
		// Not with the arguments of the configuration, and without compiling.
		argv := []string{program, "mcp", "--repo", root}
		if !strings.Contains(filepath.Base(r.Argv[0]), "client") {
			argv = append(argv, "--no-compile")
		}
		qctx, cancel := d.bounded(ctx)
		name, err = setup.Handshake(qctx, argv, root)
		cancel()
		if err != nil {
			d.fail("agents", fail.Usage, "try '"+r.Argv[0]+" mcp' by hand, and install pindex again", "%s: %q does not answer: %v", g.Title, r.Argv[0], err)
			return
		}
		answers[program] = name
	}
	d.ok("agents", "%s: %s starts %s, which answers as %s", g.Title, r.File, program, name)
}

func (d *doctor) checkWorkflow(context.Context) {
	if d.layout == nil || d.layout.WorkTree == "" {
		return
	}
	path, text := setup.FindWorkflow(d.layout.WorkTree)
	if path == "" {
		if d.layout != nil && onGitHub(d.layout.RemoteURL("origin")) {
			d.warn("workflow", "pindex init --workflow yes", "no workflow builds the index of what is pushed")
		}
		return
	}
	faults, unwise := setup.WorkflowFaults(text)
	for _, f := range faults {
		d.fail("workflow", fail.Usage, "give that job 'permissions: {contents: read, packages: write}'", "%s: %s", path, f)
	}
	for _, u := range unwise {
		d.warn("workflow", "docs/SANDBOXES.md has an example", "%s: %s", path, u)
	}
	if len(faults) == 0 {
		d.ok("workflow", "%s may push the index", path)
	}
}
