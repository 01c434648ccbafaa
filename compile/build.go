package compile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/languages"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// viewSlots is the length of arrays that are indexed by view number.
const viewSlots = int(artifact.Structural) + 1

// job is one partition's work, with the contents of its files.
type job struct {
	partition int
	probe     bool            // read the files and build nothing
	views     []artifact.View // to build, in artifact.Views order
	languages []string        // to parse; nil is all
	keys      [viewSlots]artifact.Digest
	files     []jobFile
}

// alone returns a job that reads only the given file.
func (j *job) alone(file int) *job {
	return &job{partition: j.partition, probe: true, languages: j.languages, files: j.files[file : file+1]}
}

// jobFile is one tree entry, with what was decided about it.
type jobFile struct {
	path     string
	mode     uint32
	blob     gitobj.ID
	size     uint64
	skip     artifact.Skip
	allowed  bool // even if it is a secret; workers need not know
	parse    bool
	degraded artifact.Degraded // why it is not parsed, where it could be
	content  []byte
	input    []byte // its SCIP document; nil for none
}

// built is a finished partition.
type built struct {
	segments []artifact.PackSegment // in artifact.Views order, without failed views
	pack     []byte                 // nil while the dense segment is but its texts: see run.embed
	failed   [viewSlots]string      // why a view could not be built; "" where it was
	files    []builtFile
	units    int
	docs     int
	timing   timing
	peakRSS  int64 // bytes, of the process; 0 in process
}

// builtFile is what reading a file told.
type builtFile struct {
	lang     string
	skip     artifact.Skip
	degraded artifact.Degraded
	encoding artifact.Encoding
	lines    uint32
	precise  bool // its SCIP document is in the structural view
}

// Builder builds the segment of one view; an error makes the view absent.
type Builder = views.Builder

// hooks are a test's way to misbehave at a certain file.
type hooks struct {
	parse func(path string)
	hang  time.Duration // instead of hangCPU
}

// builder turns jobs into segments. It is the whole of what runs in a worker,
// and its result is a pure function of the job and the profile. It serves one
// goroutine.
type builder struct {
	model    embed.Embedder
	digest   artifact.Digest // of the model
	remote   bool            // the model is a server's, which a worker does not ask
	replaced map[artifact.View]Builder
	hooks    hooks
}

func newBuilder(model embed.Embedder, replaced map[artifact.View]Builder, h hooks) *builder {
	_, remote := model.(*embed.Remote)
	return &builder{model: model, digest: modelDigest(model), remote: remote, replaced: replaced, hooks: h}
}

// build builds one partition. begin is called before each file and, with
// noFile, before each view. An error is the context's, begin's, or a defect.
func (b *builder) build(ctx context.Context, j *job, begin func(file uint32) error) (*built, error) {
	r := &built{files: make([]builtFile, len(j.files))}
	var batch units.Batch
	contents := make([][]byte, len(j.files))
	for i := range j.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := begin(uint32(i)); err != nil {
			return nil, err
		}
		if err := b.read(&j.files[i], j.languages, &batch, r); err != nil {
			return nil, err
		}
		f := &batch.Files[i]
		precise := len(batch.Precise.Files) > 0 && batch.Precise.Files[len(batch.Precise.Files)-1] == uint32(i)
		r.files[i] = builtFile{lang: f.Lang, skip: f.Skip, degraded: f.Degraded, encoding: f.Encoding, lines: f.Lines, precise: precise}
		if f.Skip == artifact.SkipNone {
			contents[i] = nonNil(j.files[i].content)
		}
	}
	r.units, r.docs = len(batch.Units), len(batch.Docs)
	if j.probe {
		return r, nil
	}
	in := &views.Partition{Batch: &batch, Contents: contents, Embedder: b.model, Model: b.digest}
	for _, v := range j.views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := begin(noFile); err != nil {
			return nil, err
		}
		start := time.Now()
		in.Key = j.keys[v]
		seg, err := b.view(v, in)
		r.timing.add(workViews+int(v), start)
		if err != nil {
			r.failed[v] = err.Error()
			continue
		}
		r.segments = append(r.segments, artifact.PackSegment{View: v, Bytes: seg})
	}
	if b.remote && slices.Contains(j.views, artifact.Dense) && r.failed[artifact.Dense] == "" {
		return r, nil
	}
	return r, r.encode(j.partition)
}

// encode packs the segments and computes their digests.
func (r *built) encode(partition int) error {
	start := time.Now()
	pack, err := artifact.EncodePack(r.segments)
	if err != nil {
		return fmt.Errorf("packing partition %d: %w", partition, err)
	}
	toc, _, _, err := artifact.ReadPackTOC(pack)
	if err != nil || len(toc) != len(r.segments) {
		return fmt.Errorf("packing partition %d: %d of %d segments: %w", partition, len(toc), len(r.segments), err)
	}
	for i := range r.segments {
		r.segments[i].Digest = toc[i].Digest
	}
	r.pack = pack
	r.timing.add(workPack, start)
	return nil
}

// read adds one file to the batch. An error is a defect.
func (b *builder) read(f *jobFile, chosen []string, batch *units.Batch, r *built) error {
	start := time.Now()
	file := artifact.File{Path: f.path, Mode: f.mode, Blob: f.blob, Size: f.size, Skip: f.skip}
	if f.skip != artifact.SkipNone {
		batch.Append(file, nil, nil)
		return nil
	}
	text := filetext.Decode(f.content)
	if f.mode&modeKind != modeSymlink {
		file.Lang = units.Language(f.path, text.Bytes)
	}
	parsable := languages.Supports(file.Lang) && (chosen == nil || slices.Contains(chosen, file.Lang))
	var facts *syntax.Facts
	switch {
	case f.degraded == artifact.DegradedCrash || parsable && !f.parse:
		file.Degraded = f.degraded
	case parsable && !languages.Packed(file.Lang) && filetext.Minified(text.Bytes):
		file.Degraded = artifact.DegradedMinified
	case parsable:
		parse := time.Now()
		facts = b.parse(f.path, file.Lang, text.Bytes, &file)
		took := time.Since(parse)
		r.timing[workParse] += int64(took)
		start = start.Add(took) // what follows is counted apart
	}
	in := units.File{Lang: file.Lang, Text: text, Facts: facts}
	res, err := buildUnits(in)
	if err != nil && facts != nil {
		file.Degraded, in.Facts = artifact.DegradedCrash, nil
		res, err = buildUnits(in)
	}
	if err != nil {
		return fmt.Errorf("the units of %q: %w", f.path, err)
	}
	if len(f.input) > 0 {
		joinDocument(f, res)
	}
	batch.Append(file, res, text.Bytes)
	r.timing.add(workUnits, start)
	return nil
}

// joinDocument puts a SCIP document into the file's records. One that does not
// fit, which is as much a function of the two as what does, changes nothing.
func joinDocument(f *jobFile, res *units.Result) {
	before := *res
	defer func() {
		if recover() != nil {
			*res = before
		}
	}()
	d, err := scip.DecodeDocument(f.input)
	if err == nil {
		err = scip.Join(d, res, f.content)
	}
	if err != nil {
		*res = before
	}
}

// buildUnits is units.Build with a panic as an error.
func buildUnits(in units.File) (res *units.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return units.Build(in), nil
}

// parse calls the parser. A panic of the extraction, which is as much a
// function of the file as its facts are, costs the file.
func (b *builder) parse(path, lang string, text []byte, file *artifact.File) (facts *syntax.Facts) {
	defer func() {
		if recover() != nil {
			facts, file.Degraded = nil, artifact.DegradedCrash
		}
	}()
	if b.hooks.parse != nil {
		b.hooks.parse(path)
	}
	facts, err := languages.Parse(lang, text, syntax.Limits{})
	if err != nil {
		// The language is known and the text is short enough: the grammar
		// itself failed on it.
		file.Degraded = artifact.DegradedCrash
		return nil
	}
	return facts
}

// view builds one segment; a panic is an error like any other.
func (b *builder) view(v artifact.View, in *views.Partition) (seg []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			seg, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	build := views.Builders[v]
	if b.remote && v == artifact.Dense {
		build = views.Texts // what it is made of: run.embed does the rest
	}
	if r, ok := b.replaced[v]; ok {
		build = r
	}
	if build == nil {
		return nil, fmt.Errorf("there is no builder for view %d", v)
	}
	return build(in)
}

// nonNil tells an empty file from a skipped one.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
