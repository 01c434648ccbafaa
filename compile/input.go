package compile

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// takeInput reads the SCIP indexes that the options name, or the documents
// that an artifact carries.
func (p *plan) takeInput(ctx context.Context, o *Options) error {
	asked := len(o.SCIP) > 0 || o.Indexers != nil || len(o.Inputs) > 0 || o.Inherit != nil
	if !asked {
		return nil
	}
	if !slices.Contains(p.views, artifact.Structural) {
		return fail.New(fail.Usage, "let the structural view be built, or leave the SCIP index out",
			"a SCIP index serves the structural view, which is %s", p.absent[artifact.Structural])
	}
	if len(o.Inputs) > 0 {
		in, err := scip.Restore(o.Inputs)
		if err != nil {
			return fail.Wrap(fail.Verification, err, "compile the commit again with its SCIP indexes and --replace",
				"the index's input layers cannot be read")
		}
		p.input = in
		return nil
	}
	blobs, err := o.Repo.Blobs(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = blobs.Close() }() // it has nothing to lose
	c, err := scip.NewCollector(&inputTree{ctx: ctx, plan: p, blobs: blobs})
	if err != nil {
		return err
	}
	defer c.Close()
	for _, x := range o.SCIP {
		if err := p.addIndex(ctx, c, x, o.RequireSCIP); err != nil {
			return err
		}
	}
	if o.Indexers != nil {
		if err := p.runIndexers(ctx, c, o, blobs); err != nil {
			return err
		}
	}
	if o.Inherit != nil {
		if err := p.inherit(ctx, c, o); err != nil {
			return err
		}
	}
	p.input, err = c.Finish()
	return err
}

// inherit takes over an ancestor's documents of unchanged files.
func (p *plan) inherit(ctx context.Context, c *scip.Collector, o *Options) error {
	rep := &scip.IndexReport{Name: "parent", Rejected: []scip.Refusal{}}
	p.indexes = append(p.indexes, rep)
	from, err := o.Inherit(ctx, Wanted{Commit: p.commit.ID, Profile: p.profile, DefaultProfile: p.isDefault})
	if err != nil {
		return err
	}
	if from == nil {
		rep.Absent = "no ancestor has an index with documents"
		return nil
	}
	in, same, err := p.ancestor(ctx, o, from)
	if err != nil {
		return err
	}
	defer in.Close()
	rep.Name = "parent " + from.Commit.String()
	err = c.Inherit(in, rep, func(path string) bool {
		i, ok := p.find(path)
		return ok && p.decisions[i].skip == artifact.SkipNone && same(p.entries[i])
	})
	if rep.Documents == 0 {
		rep.Absent = "no file with a document is as it was"
	}
	return err
}

// ancestor returns an ancestor's documents, and what tells whether an entry
// was the same there.
func (p *plan) ancestor(ctx context.Context, o *Options, from *Inherited) (*scip.Input, func(git.Entry) bool, error) {
	if ix := from.Index; ix != nil {
		in, err := scip.FromIndex(ctx, ix)
		return in, func(e git.Entry) bool {
			n, f, ok, err := ix.FindFile(e.Path)
			if err != nil || !ok {
				return false
			}
			u, err := ix.Units(n)
			if err != nil {
				return false
			}
			was := u.File(f)
			return was.Blob == e.ID && was.Mode&modeKind == e.Mode&modeKind
		}, err
	}
	old, err := o.Repo.Tree(ctx, from.Commit)
	if err != nil {
		return nil, nil, err
	}
	in, err := scip.Restore(from.Inputs)
	if err != nil {
		return nil, nil, fail.Wrap(fail.Verification, err, "leave --scip parent out", "the input layers of the index of %s cannot be read", from.Commit)
	}
	return in, func(e git.Entry) bool {
		k, was := slices.BinarySearchFunc(old, e.Path, func(e git.Entry, path string) int { return strings.Compare(e.Path, path) })
		return was && e.ID == old[k].ID && e.Mode&modeKind == old[k].Mode&modeKind
	}, nil
}

func (p *plan) addIndex(ctx context.Context, c *scip.Collector, x SCIPIndex, required bool) error {
	f, err := x.Open()
	if err != nil {
		return fail.Wrap(fail.Usage, err, "name a SCIP index, such as the index.scip that an indexer writes", "the SCIP index %s cannot be opened", x.Name)
	}
	defer f.Close()
	rep, err := c.Add(ctx, x.Name, x.Prefix, f)
	if err != nil {
		return indexError(ctx, err, x.Name)
	}
	p.indexes = append(p.indexes, rep)
	if required && rep.Absent != "" {
		return fail.New(fail.Usage, "run the indexer on this commit, or leave --scip-required out", "the SCIP index %s gives nothing: %s", x.Name, rep.Absent)
	}
	return nil
}

func indexError(ctx context.Context, err error, name string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *fail.Error
	if errors.As(err, &known) || !scip.Malformed(err) {
		return err
	}
	return fail.Wrap(fail.Usage, err, "run the indexer again", "%s is no SCIP index that can be used", name)
}

// runIndexers checks the commit out and takes what the indexers make of it.
func (p *plan) runIndexers(ctx context.Context, c *scip.Collector, o *Options, blobs git.BlobReader) error {
	dir, err := os.MkdirTemp("", "pindex-checkout-*")
	if err != nil {
		return fail.Wrap(fail.Usage, err, "make room in the folder for temporary files", "the commit cannot be checked out for indexers")
	}
	defer os.RemoveAll(dir)
	if err := p.checkOut(ctx, dir, blobs); err != nil {
		return err
	}
	found := 0
	err = o.Indexers.Run(ctx, dir, func(r scip.IndexerRun) error {
		if r.Absent != "" {
			p.indexes = append(p.indexes, &scip.IndexReport{Name: r.Name, Rejected: []scip.Refusal{}, Absent: r.Absent})
			return nil
		}
		f, err := os.Open(r.Index)
		if err != nil {
			return err
		}
		defer f.Close()
		got, err := c.Add(ctx, r.Name, r.Prefix, f)
		if err != nil {
			return indexError(ctx, err, "what "+r.Name+" wrote")
		}
		p.indexes = append(p.indexes, got)
		found += got.Documents
		return nil
	})
	if err != nil {
		return err
	}
	if o.RequireSCIP && found == 0 {
		return fail.New(fail.Usage, "see the build report for what each indexer said, or leave --scip-required out", "no indexer made anything of the commit")
	}
	return nil
}

// document returns the number of an entry's SCIP document.
func (p *plan) document(entry int) (int, bool) {
	if p.input == nil || p.decisions[entry].skip != artifact.SkipNone || p.entries[entry].Mode&modeKind == modeSymlink {
		return 0, false
	}
	return p.input.Find(p.entries[entry].Path)
}

// readDocument returns an entry's SCIP document for a job that builds the
// given views; nil for none.
func (p *plan) readDocument(entry int, views []artifact.View) ([]byte, error) {
	d, ok := p.document(entry)
	if !ok || !slices.Contains(views, artifact.Structural) {
		return nil, nil
	}
	return p.input.Read(d)
}

// inputLayers yields the documents of each partition that has some.
func (p *plan) inputLayers(yield func([]byte, error) bool) {
	for n := range p.partitions() {
		var docs []artifact.InputDocument
		for i := p.starts[n]; i < p.starts[n+1]; i++ {
			d, ok := p.document(i)
			if !ok {
				continue
			}
			content, err := p.input.Read(d)
			if err != nil {
				yield(nil, err)
				return
			}
			docs = append(docs, artifact.InputDocument{Path: p.entries[i].Path, Tool: p.input.Documents[d].Tool, Content: content})
		}
		if len(docs) > 0 {
			if !yield(artifact.EncodeInput(docs)) {
				return
			}
		}
	}
}

// close drops what the plan holds outside of memory.
func (p *plan) close() {
	if p != nil {
		p.input.Close()
	}
}

// describeInput names the input in the manifest and reports whether there is
// one that the structural view was built from.
func (r *run) describeInput(m *artifact.Manifest, ready map[artifact.View]bool) bool {
	in := r.plan.input
	if in == nil || len(in.Documents) == 0 || !ready[artifact.Structural] {
		return false
	}
	m.Inputs = []artifact.InputInfo{{Type: artifact.InputSCIP, Digest: in.Digest, Documents: len(in.Documents), Tools: in.Tools}}
	v := m.Views[artifact.Structural.String()]
	v.Reproducible = artifact.ByInputs
	m.Views[artifact.Structural.String()] = v
	return true
}

// inputTree shows a plan's files to the collector.
type inputTree struct {
	ctx   context.Context
	plan  *plan
	blobs git.BlobReader
}

// Content implements scip.Tree.
func (t *inputTree) Content(path string) (content []byte, why string, err error) {
	i, ok := t.plan.find(path)
	if !ok {
		return nil, "not in the commit", nil
	}
	e, d := t.plan.entries[i], t.plan.decisions[i]
	switch e.Mode & modeKind {
	case modeSymlink:
		return nil, "a symbolic link", nil
	case modeModule:
		return nil, "a submodule", nil
	}
	f := jobFile{path: e.Path, mode: e.Mode, blob: e.ID, size: uint64(max(e.Size, 0)), skip: d.skip, allowed: d.allowed}
	if _, err := readContent(t.ctx, t.blobs, t.plan.format, &f); err != nil {
		return nil, "", err
	}
	if f.skip != artifact.SkipNone {
		return nil, "not indexed: " + f.skip.String(), nil
	}
	return f.content, "", nil
}

var _ scip.Tree = (*inputTree)(nil)

// checkOut writes the commit's files into dir, as git would without filters.
// Symbolic links that lead out of the tree are left out, and so are secrets.
func (p *plan) checkOut(ctx context.Context, dir string, blobs git.BlobReader) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var ids []gitobj.ID
	for i, e := range p.entries {
		if p.checkedOut(i) {
			ids = append(ids, e.ID)
		}
	}
	git.Expect(blobs, ids)
	for i, e := range p.entries {
		if !p.checkedOut(i) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		content, err := blobs.Read(e.ID, nil)
		if err != nil {
			return readError(ctx, err, e.Path)
		}
		if err := writeEntry(root, e, content); err != nil {
			return fail.Wrap(fail.Usage, err, "make room in the folder for temporary files", "the commit cannot be checked out for indexers")
		}
	}
	return nil
}

// checkedOut reports whether an entry is written for indexers.
func (p *plan) checkedOut(i int) bool {
	e, d := p.entries[i], p.decisions[i]
	return e.Size >= 0 && e.Mode&modeKind != modeModule && d.skip != artifact.SkipSecret
}

// writeEntry writes one entry; what the file system refuses, such as a name
// that it cannot hold or a link out of the folder, is left out.
func writeEntry(root *os.Root, e git.Entry, content []byte) error {
	if dir := path.Dir(e.Path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return nil
		}
	}
	if e.Mode&modeKind == modeSymlink {
		target := string(content)
		if path.IsAbs(target) || strings.HasPrefix(path.Join(path.Dir(e.Path), target), "..") {
			return nil
		}
		_ = root.Symlink(target, e.Path)
		return nil
	}
	mode := os.FileMode(0o644)
	if e.Mode&0o111 != 0 {
		mode = 0o755
	}
	err := root.WriteFile(e.Path, content, mode)
	if errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return nil
}
