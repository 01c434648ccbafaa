package compile

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// Run compiles one commit. After an error, a *fail.Error where the reader can
// do something, the sink may have got packs and has got no index.
func Run(ctx context.Context, o Options) (*Result, error) {
	r, err := newRun(&o)
	if err != nil {
		return nil, err
	}
	res, err := r.run(ctx)
	return res, r.interrupted(ctx, err)
}

func newRun(o *Options) (*run, error) {
	if o.Repo == nil || o.Sink == nil {
		return nil, errors.New("compile needs a repository and a sink")
	}
	if err := o.normalize(); err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &run{o: o, started: time.Now(), tell: &teller{to: o.Progress}}, nil
}

// interrupted gives an error its name when it came of the context's end.
func (r *run) interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fail.Wrap(fail.Interrupted, context.Cause(ctx), "run it again", "the compile was interrupted and nothing was published")
	}
	return err
}

// normalize brings what enters the profile into its one form.
func (o *Options) normalize() error {
	if err := o.normalizeViews(); err != nil {
		return err
	}
	if err := o.normalizeAllowed(); err != nil {
		return err
	}
	if k := o.PartitionBits; k != nil && (*k < 0 || *k > maxPartitionBits) {
		return fail.New(fail.Usage, "", "k = %d is not between 0 and %d", *k, maxPartitionBits)
	}
	if o.Embedder == nil {
		var err error
		if o.Embedder, err = builtin.New(); err != nil {
			return fmt.Errorf("the built-in model: %w", err)
		}
	}
	if _, ok := o.Embedder.(*embed.Remote); ok && o.Vectors == nil && !o.Complete && o.Sink != nil && wants(o.Views, artifact.Dense) {
		return fail.New(fail.Usage, "name its server with --embedder", "the model is a server's, and there is none to ask")
	}
	return nil
}

// normalizeViews gives each choice of views one form: nil for all of them.
func (o *Options) normalizeViews() error {
	var chosen []artifact.View
	for _, v := range o.Views {
		if !slices.Contains(artifact.Views, v) {
			return fail.New(fail.Usage, "choose among source, lexical, dense and structural", "no view has number %d", v)
		}
		if v != artifact.Units && !slices.Contains(chosen, v) {
			chosen = append(chosen, v)
		}
	}
	slices.Sort(chosen)
	if len(chosen) == len(artifact.Views)-1 {
		chosen = nil
	}
	o.Views = chosen
	return nil
}

// normalizeAllowed gives each set of allowed paths one form.
func (o *Options) normalizeAllowed() error {
	for _, p := range o.AllowSecrets {
		if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == "." || p == ".." || strings.HasPrefix(p, "../") {
			return fail.New(fail.Usage, "give the file's path from the root of the repository, as 'pindex status --files' lists it",
				"%q is not the path of one file that may be a secret", p)
		}
	}
	o.AllowSecrets = slices.Compact(slices.Sorted(slices.Values(o.AllowSecrets)))
	return nil
}

func wants(chosen []artifact.View, v artifact.View) bool {
	return chosen == nil || slices.Contains(chosen, v)
}

// run is the state of one compile.
type run struct {
	o       *Options
	plan    *plan
	parent  *Parent // nil for none
	shard   *Shard  // that is built alone; nil for all
	started time.Time
	tell    *teller
	wall    Wall

	mu       sync.Mutex
	parts    []*part // by partition; nil until built
	failures map[artifact.View]failure
	rules    map[string]string // by path: what makes a file's content a secret
	timing   timing
	restarts int
	peaks    map[int]int64 // peak memory by worker
	old      oldRows       // of a remote model
	taken    map[int]bool  // partitions of the parent that were taken over
}

// part is what is kept of a finished partition.
type part struct {
	views    []artifact.View // in the pack
	segments map[artifact.View]segmentSum
	files    []builtFile // nil for a reused partition
	counts   *artifact.FileCounts
	units    int
	docs     int
	reused   bool
}

type segmentSum struct {
	digest artifact.Digest
	size   int64
	packed int64
}

// failure is why a view cannot be built. Of several partitions the first in
// order names the reason, so that it does not depend on which came first in
// time: partitions are handed out in order and a view is given up only after
// one of them failed, so every earlier one has tried.
type failure struct {
	partition int
	reason    string
}

// make plans, and builds what the plan asks for and nothing else has.
func (r *run) make(ctx context.Context) error {
	r.tell.stage(StagePlan, 0)
	var err error
	if r.plan, err = makePlan(ctx, r.o); err != nil {
		return err
	}
	for _, p := range r.o.AllowSecrets {
		if _, ok := r.plan.find(p); !ok {
			r.tell.note("the commit has no file %q to allow", p)
		}
	}
	if n := len(r.plan.missing); n > 0 {
		r.tell.note("files that this partial clone lacks are left out: %d, such as %q; the index has a profile of its own", n, r.plan.missing[0])
	}
	r.wall.Plan = time.Since(r.started).Milliseconds()
	r.parts = make([]*part, r.plan.partitions())
	r.failures, r.rules = map[artifact.View]failure{}, map[string]string{}
	r.peaks = map[int]int64{}

	start := time.Now()
	r.tell.stage(StageBuild, len(r.plan.entries))
	todo, err := r.reuse(ctx)
	if err != nil {
		return err
	}
	if r.o.Complete && len(todo) > 0 {
		return r.incomplete(todo)
	}
	for ; len(todo) > 0; todo = r.stale() {
		if err := r.build(ctx, todo); err != nil {
			return err
		}
	}
	r.wall.Build = time.Since(start).Milliseconds()
	return nil
}

func (r *run) run(ctx context.Context) (*Result, error) {
	defer r.close()
	if err := r.make(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	r.tell.stage(StagePublish, 0)
	final, err := r.final()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.o.Sink.Publish(ctx, final); err != nil {
		return nil, err
	}
	final.Report.WallMS.Publish = time.Since(start).Milliseconds()
	final.Report.WallMS.Total = time.Since(r.started).Milliseconds()
	r.tell.stage(StageDone, 0)
	return &Result{Commit: final.Commit, Digest: final.Digest, Manifest: final.Manifest, Report: final.Report}, nil
}

// viewsNow returns the views that are still to be built.
func (r *run) viewsNow() []artifact.View {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]artifact.View, 0, len(r.plan.views))
	for _, v := range r.plan.views {
		if _, failed := r.failures[v]; !failed {
			out = append(out, v)
		}
	}
	return out
}

// stale returns the partitions whose packs hold a view that was given up
// later: they are built again without it.
func (r *run) stale() []int {
	now := r.viewsNow()
	var out []int
	for n, p := range r.parts {
		if p != nil && !slices.Equal(p.views, now) {
			out = append(out, n)
		}
	}
	return out
}

// close releases what the plan holds open.
func (r *run) close() {
	if r.plan != nil {
		r.plan.close()
	}
}

// executor builds jobs, one at a time.
type executor interface {
	build(ctx context.Context, j *job) (*built, error)
	close()
}

// workerBytes is the content for which another worker is started: to start one
// takes about as much processor time as to build a tenth of it.
const workerBytes = 256 << 10

// workers returns how many workers the given partitions are worth.
func (r *run) workers(todo []int) int {
	var bytes int64
	for _, n := range todo {
		for i := r.plan.starts[n]; i < r.plan.starts[n+1]; i++ {
			if r.plan.decisions[i].skip == artifact.SkipNone {
				bytes += r.plan.entries[i].Size
			}
		}
	}
	return min(r.o.Workers, len(todo), 1+int(bytes/workerBytes))
}

// build builds the given partitions: one goroutine reads blobs, in order and
// one partition ahead; each worker's goroutine builds and hands packs on. At
// most Workers+1 partitions are in memory.
func (r *run) build(ctx context.Context, todo []int) error {
	g, ctx := errgroup.WithContext(ctx)
	jobs := make(chan *job)
	g.Go(func() error {
		defer close(jobs)
		return r.read(ctx, todo, jobs)
	})
	for n := range r.workers(todo) {
		g.Go(func() error {
			e, err := r.newExecutor(ctx, n)
			if err != nil {
				return err
			}
			defer e.close()
			for j := range jobs {
				b, err := e.build(ctx, j)
				if err != nil {
					return err
				}
				if err := r.finish(ctx, n, j, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// read fills jobs with contents and hands them out.
func (r *run) read(ctx context.Context, todo []int, jobs chan<- *job) error {
	if len(todo) == 0 {
		return nil
	}
	blobs, err := r.o.Repo.Blobs(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = blobs.Close() }() // it has nothing to lose
	var ids []gitobj.ID
	for _, n := range todo {
		for i := r.plan.starts[n]; i < r.plan.starts[n+1]; i++ {
			if r.plan.decisions[i].skip == artifact.SkipNone {
				ids = append(ids, r.plan.entries[i].ID)
			}
		}
	}
	git.Expect(blobs, ids)
	for _, n := range todo {
		start := time.Now()
		j := r.plan.jobFor(n, r.viewsNow())
		for i := range j.files {
			if err := ctx.Err(); err != nil {
				return err
			}
			rule, err := readContent(ctx, blobs, r.plan.format, &j.files[i])
			if err != nil {
				return err
			}
			if rule != "" {
				r.mu.Lock()
				r.rules[j.files[i].path] = rule
				r.mu.Unlock()
			}
			if j.files[i].input, err = r.plan.readDocument(r.plan.starts[n]+i, j.views); err != nil {
				return err
			}
		}
		r.mu.Lock()
		r.timing.add(workRead, start)
		r.mu.Unlock()
		select {
		case jobs <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// readContent reads a file's blob, checks that it is what its id says, and
// drops what no view will hold. It returns the rule by which that is a secret.
func readContent(ctx context.Context, blobs git.BlobReader, format gitobj.Format, f *jobFile) (rule string, err error) {
	if f.skip != artifact.SkipNone {
		return "", nil
	}
	content, err := blobs.Read(f.blob, make([]byte, 0, f.size))
	if err != nil {
		return "", readError(ctx, err, f.path)
	}
	if uint64(len(content)) != f.size || gitobj.Hash(format, "blob", content) != f.blob {
		return "", fail.New(fail.Repository, "run git fsck in the repository",
			"the content of %q does not match its object id %s", f.path, f.blob)
	}
	if f.skip = filetext.Inspect(content); f.skip != artifact.SkipNone {
		return "", nil
	}
	if !f.allowed && f.mode&modeKind != modeSymlink {
		if rule := secrets.Content(f.path, textOf(content)); rule != "" {
			f.skip = artifact.SkipSecret
			return rule, nil
		}
	}
	f.content = content
	return "", nil
}

// textOf returns the text that rules about text are for. Only UTF-16 differs
// from what is stored, and its byte order marks start no other text.
func textOf(content []byte) []byte {
	if len(content) > 0 && content[0] >= 0xfe {
		return filetext.Decode(content).Bytes
	}
	return content
}

// finish records a built partition and hands its pack on.
func (r *run) finish(ctx context.Context, worker int, j *job, b *built) error {
	if reason := b.failed[artifact.Units]; reason != "" {
		return fail.New(fail.Internal, "report this as a defect", "the units of partition %d cannot be built: %s", j.partition, reason)
	}
	if b.pack == nil {
		if err := r.embed(ctx, j, b); err != nil {
			return err
		}
	}
	p := &part{files: b.files, counts: r.plan.count(j.partition, b.files), units: b.units, docs: b.docs, segments: map[artifact.View]segmentSum{}}
	for _, s := range b.segments {
		p.views = append(p.views, s.View)
		p.segments[s.View] = segmentSum{digest: s.Digest, size: int64(len(s.Bytes))}
	}
	pack, err := artifact.OpenPack(b.pack)
	if err != nil {
		return fail.Wrap(fail.Internal, err, "report this as a defect", "the pack of partition %d is not readable", j.partition)
	}
	for _, e := range pack.Entries() {
		s, ok := p.segments[e.View]
		if !ok || s.digest != e.Digest {
			return fail.New(fail.Internal, "report this as a defect", "the pack of partition %d holds other segments than were built", j.partition)
		}
		s.packed = int64(e.Length)
		p.segments[e.View] = s
	}
	r.mu.Lock()
	for _, v := range j.views {
		if reason := b.failed[v]; reason != "" {
			if f, ok := r.failures[v]; !ok || j.partition < f.partition {
				r.failures[v] = failure{j.partition, reason}
			}
		} else if _, ok := p.segments[v]; !ok {
			r.mu.Unlock()
			return fail.New(fail.Internal, "report this as a defect", "partition %d came back without its %s segment", j.partition, v)
		}
	}
	first := r.parts[j.partition] == nil
	r.parts[j.partition] = p
	r.timing.plus(&b.timing)
	r.peaks[worker] = max(r.peaks[worker], b.peakRSS)
	r.mu.Unlock()
	if r.o.Known != nil && slices.Equal(p.views, r.plan.views) {
		r.o.Known.Built(r.plan.packKey(j.partition), b.pack)
	}
	if err := r.o.Sink.Pack(ctx, j.partition, b.pack, b.segments); err != nil {
		return err
	}
	if first {
		r.tell.files(len(j.files))
	}
	return nil
}

func (r *run) newExecutor(ctx context.Context, n int) (executor, error) {
	if r.o.InProcess {
		return &local{newBuilder(r.o.Embedder.Clone(), r.o.builders, r.o.hooks)}, nil
	}
	if r.o.builders != nil || r.o.hooks.parse != nil {
		return nil, fmt.Errorf("replaced builders and hooks work in process only")
	}
	return newRemote(ctx, r)
}

// local builds in this process.
type local struct{ b *builder }

func (l *local) build(ctx context.Context, j *job) (*built, error) {
	return l.b.build(ctx, j, func(uint32) error { return ctx.Err() })
}

func (l *local) close() {}
