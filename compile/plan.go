package compile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// plan is all that is known of an index before a byte of content is read,
// but for the configuration in the commit.
type plan struct {
	commit    *git.Commit
	format    gitobj.Format
	profile   artifact.Profile
	isDefault bool // the profile that no option departs from
	limits    Limits
	config    *Config
	views     []artifact.View // to be built; Units first
	// absent gives the reason for each view that is not to be built.
	absent    map[artifact.View]string
	entries   []git.Entry
	decisions []decision
	input     *scip.Input // nil without documents
	indexes   []*scip.IndexReport
	missing   []string // paths that are left out because their blobs are not here
	bits      int
	starts    []int               // first entry of each partition, and len(entries)
	keys      [][]artifact.Digest // by partition and view number
}

func (p *plan) partitions() int { return len(p.starts) - 1 }

// makePlan resolves the revision and decides what to do with every entry.
func makePlan(ctx context.Context, o *Options) (*plan, error) {
	p := &plan{format: o.Repo.Format(), absent: map[artifact.View]string{}}
	var err error
	if p.limits, err = o.Limits.orDefault(); err != nil {
		return nil, err
	}
	if p.profile, err = newProfile(p.limits, o.Embedder, o.PartitionBits, o.Views, o.AllowSecrets); err != nil {
		return nil, err
	}
	own, err := builtin.New()
	if err != nil {
		return nil, fmt.Errorf("the built-in model: %w", err)
	}
	standard, err := newProfile(builtInLimits, own, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	p.isDefault = p.profile.Digest == standard.Digest
	rev := o.Rev
	if rev == "" {
		rev = "HEAD"
	}
	id, err := o.Repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	if p.commit, err = o.Repo.ReadCommit(ctx, id); err != nil {
		return nil, err
	}
	if p.entries, err = o.Repo.Tree(ctx, id); err != nil {
		return nil, err
	}
	if err := checkTree(p.entries); err != nil {
		return nil, err
	}
	if err := p.readConfig(ctx, o.Repo); err != nil {
		return nil, err
	}
	p.chooseViews(o.Views)
	if err := p.decide(o); err != nil {
		return nil, err
	}
	if err := p.takeInput(ctx, o); err != nil {
		p.close()
		return nil, err
	}
	p.computeKeys()
	return p, nil
}

// checkTree refuses what the partitions and the proof of the tree rest on
// not being so: every backend must give the same order.
func checkTree(entries []git.Entry) error {
	for i := 1; i < len(entries); i++ {
		if entries[i-1].Path >= entries[i].Path {
			return fail.New(fail.Repository, "run git fsck in the repository",
				"the commit's tree lists %q and %q out of order or twice", entries[i-1].Path, entries[i].Path)
		}
	}
	return nil
}

// find returns the number of the entry of this path.
func (p *plan) find(path string) (i int, ok bool) {
	return slices.BinarySearchFunc(p.entries, path, func(e git.Entry, path string) int {
		return strings.Compare(e.Path, path)
	})
}

// readConfig reads .pindex.yaml from the commit. A symbolic link or a
// submodule of that name is not followed and configures nothing.
func (p *plan) readConfig(ctx context.Context, repo git.Repository) error {
	p.config = &Config{}
	i, ok := p.find(ConfigPath)
	if !ok {
		return nil
	}
	e := p.entries[i]
	if kind := e.Mode & modeKind; kind == modeSymlink || kind == modeModule {
		return nil
	}
	if e.Size > maxConfigSize {
		return fail.New(fail.Usage, configRemedy, "%s: has %d bytes, more than %d", ConfigPath, e.Size, maxConfigSize)
	}
	r, err := repo.Blobs(ctx)
	if err != nil {
		return err
	}
	b, err := r.Read(e.ID, nil)
	if err := errors.Join(err, r.Close()); err != nil {
		return readError(ctx, err, e.Path)
	}
	c, err := ParseConfig(b, languageNames(), builtInLimits)
	if err != nil {
		return err
	}
	p.config = c
	p.limits = p.limits.tighten(c.Limits)
	return nil
}

// chooseViews intersects what the caller and the commit ask for.
func (p *plan) chooseViews(chosen []artifact.View) {
	for _, v := range artifact.Views {
		switch {
		case v == artifact.Units:
			p.views = append(p.views, v)
		case chosen != nil && !slices.Contains(chosen, v):
			p.absent[v] = "not chosen for this compile"
		case p.config.Views != nil && !slices.Contains(p.config.Views, v):
			p.absent[v] = "not chosen by " + ConfigPath
		default:
			p.views = append(p.views, v)
		}
	}
}

// decide makes every file's decision and cuts partitions.
func (p *plan) decide(o *Options) error {
	p.decisions = make([]decision, len(p.entries))
	var missing []string
	for i, e := range p.entries {
		p.decisions[i] = decide(e, p.config, p.limits, o.AllowSecrets)
		if p.decisions[i].skip == artifact.SkipMissing {
			missing = append(missing, e.Path)
		}
	}
	if err := p.leaveOut(missing, o.AllowMissing); err != nil {
		return err
	}
	p.bits = partitionBits(len(p.entries))
	if o.PartitionBits != nil {
		p.bits = *o.PartitionBits
	}
	p.starts = partitions(len(p.entries), p.bits, func(i int) string { return p.entries[i].Path })
	return nil
}

// computeKeys computes the segment keys. Inputs enter those of the structural
// view alone: nothing else is built from them.
func (p *plan) computeKeys() {
	p.keys = make([][]artifact.Digest, p.partitions())
	thetas := make([]string, len(artifact.Views)+1)
	for _, v := range artifact.Views {
		thetas[v] = viewTheta(&p.profile, v)
	}
	for n := range p.keys {
		files := make([]artifact.KeyFile, 0, p.starts[n+1]-p.starts[n])
		langs := map[string]bool{} // "" stands for any
		for i := p.starts[n]; i < p.starts[n+1]; i++ {
			e, d := p.entries[i], p.decisions[i]
			files = append(files, artifact.KeyFile{Path: e.Path, Mode: e.Mode, Blob: e.ID, Decision: d.String()})
			if d.parse {
				for _, lang := range possibleOrAny(e.Path) {
					langs[lang] = true
				}
			}
		}
		p.keys[n] = make([]artifact.Digest, len(thetas))
		parsers := langThetas(&p.profile, langs)
		for _, v := range artifact.Views {
			p.keys[n][v] = artifact.SegmentKey(v, thetas[v], parsers, files)
		}
		// No parser has a say in the verbatim bytes.
		p.keys[n][artifact.Source] = artifact.SegmentKey(artifact.Source, thetas[artifact.Source], nil, files)
		if p.input == nil {
			continue
		}
		for i := range files {
			if d, ok := p.document(p.starts[n] + i); ok {
				files[i].Input = p.input.Documents[d].Digest
			}
		}
		p.keys[n][artifact.Structural] = artifact.SegmentKey(artifact.Structural, thetas[artifact.Structural], parsers, files)
	}
}

// leaveOut makes an index with gaps one of another profile: the commit's own
// has none.
func (p *plan) leaveOut(missing []string, allowed bool) error {
	switch {
	case len(missing) == 0:
		return nil
	case !allowed:
		return fail.New(fail.Repository, "fetch them with: git fetch --refetch --no-filter; or compile in a full clone; or leave them out with --allow-missing",
			"files of the commit are not in this partial clone: %d, such as %q", len(missing), missing[0])
	}
	p.profile.Options[artifact.GapsOption] = fmt.Sprintf("%d files, %s", len(missing), artifact.DigestOf([]byte(strings.Join(missing, "\x00"))))
	p.isDefault, p.missing = false, missing
	var err error
	p.profile.Digest, err = p.profile.Compute()
	return err
}

func possibleOrAny(path string) []string {
	if langs := possibleLanguages(path); langs != nil {
		return langs
	}
	return []string{""}
}

// readError explains a blob that cannot be read.
func readError(ctx context.Context, err error, path string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, git.ErrMissing) {
		return fail.Wrap(fail.Repository, err, "fetch it with: git fetch --refetch --no-filter; or compile in a full clone",
			"the content of %q is not in this repository", path)
	}
	var known *fail.Error
	if errors.As(err, &known) {
		return err
	}
	return fail.Wrap(fail.Repository, err, "run git fsck in the repository", "cannot read the content of %q", path)
}

// jobFor returns the work of one partition, without contents.
func (p *plan) jobFor(n int, views []artifact.View) *job {
	lo, hi := p.starts[n], p.starts[n+1]
	j := &job{partition: n, views: views, languages: p.config.Languages, files: make([]jobFile, hi-lo)}
	copy(j.keys[:], p.keys[n])
	for i := range j.files {
		e, d := p.entries[lo+i], p.decisions[lo+i]
		j.files[i] = jobFile{
			path: e.Path, mode: e.Mode, blob: e.ID, size: recordedSize(e, d),
			skip: d.skip, allowed: d.allowed, parse: d.parse, degraded: d.degraded,
		}
	}
	return j
}

// recordedSize is the size that the index states. What a clone without the
// blob cannot know is stated as 0 everywhere.
func recordedSize(e git.Entry, d decision) uint64 {
	switch d.skip {
	case artifact.SkipExcluded, artifact.SkipSubmodule, artifact.SkipSecret, artifact.SkipMissing:
		return 0
	}
	return uint64(e.Size)
}
