package compile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/internal/fail"
)

// WorkerArg is the only argument of a program that is to call RunWorker
// instead of doing what it is for.
const WorkerArg = "__pindex-compile-worker"

// IsWorker reports whether the program was started as a worker; args are
// os.Args. A main (and a test's TestMain) asks this first of all.
func IsWorker(args []string) bool { return len(args) == 2 && args[1] == WorkerArg }

// tickInterval is how often a worker tells how much processor time it has
// used. It bounds how late a hang is noticed, and no result depends on it.
const tickInterval = time.Second

// maxWorkerStack bounds a goroutine's stack, so that runaway recursion ends
// the worker soon and with little memory.
const maxWorkerStack = 64 << 20

// RunWorker serves a compiling process over its standard input and output
// until the input ends, which is also how the death of the compiling process
// is noticed: RunWorker returns at once then, even in the middle of a parse.
// Nothing else may write to stdout.
func RunWorker(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	setupWorkerProcess()
	return runWorker(ctx, stdin, stdout, hooks{})
}

// setupWorkerProcess makes this process a worker.
func setupWorkerProcess() {
	// Ctrl-C reaches the whole process group; what it means is for the
	// compiling process to decide.
	signal.Ignore(os.Interrupt)
	debug.SetMaxStack(maxWorkerStack)
	tuneWorkerMemory()
}

func runWorker(ctx context.Context, stdin io.Reader, stdout io.Writer, h hooks) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := newFrameReader(stdin)
	w := &workerEnd{out: newFrameWriter(stdout), hooks: h}
	if err := w.greet(in); err != nil {
		return err
	}
	jobs := make(chan *job)
	done := make(chan error, 1)
	go func() { done <- w.serve(ctx, jobs) }()
	read := make(chan error, 1)
	go func() { read <- readJobs(ctx, in, jobs) }()
	select {
	case err := <-done:
		return err
	case err := <-read:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// workerEnd is the worker's side of the conversation.
type workerEnd struct {
	builder *builder
	hooks   hooks

	mu  sync.Mutex
	out *frameWriter
}

// greet answers the hello, which brings what the compiling process has and
// the worker needs: the embedder's model, where it is not the built-in one.
func (w *workerEnd) greet(in *frameReader) error {
	t, b, err := in.next()
	if err != nil {
		return fmt.Errorf("reading the greeting: %w", err)
	}
	f := fields{b: b}
	version, profile := f.u32(), f.digest()
	limits := Limits{ParseBytes: int64(f.u64()), IndexBytes: int64(f.u64())}
	if t != frameHello || f.err != nil || version != protocolVersion {
		return errors.New("the greeting is not of this program's protocol")
	}
	model, err := builtin.New()
	if len(f.b) > 0 {
		model, err = embed.OpenModel(f.b)
	}
	if err != nil {
		return fmt.Errorf("opening the embedder's model: %w", err)
	}
	w.builder = newBuilder(model, nil, w.hooks)
	own, err := newProfile(limits, model, nil, nil, nil)
	if err != nil {
		return err
	}
	if own.Digest != profile {
		return fmt.Errorf("this worker builds under profile %s, not %s", own.Digest, profile)
	}
	ready := binary.LittleEndian.AppendUint32(nil, protocolVersion)
	return w.send(frameReady, append(ready, own.Digest[:]...))
}

func (w *workerEnd) send(t frameType, parts ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.out.write(t, parts...); err != nil {
		return err
	}
	return w.out.flush()
}

// readJobs collects frames to jobs until the input ends.
func readJobs(ctx context.Context, in *frameReader, jobs chan<- *job) error {
	var j *job
	want := 0
	for {
		t, b, err := in.next()
		if err != nil {
			return err
		}
		switch {
		case t == frameJob && j == nil:
			if j, want, err = readJob(b); err != nil {
				return err
			}
		case t == frameFile && j != nil && len(j.files) < want:
			f, err := readFile(b)
			if err != nil {
				return err
			}
			j.files = append(j.files, f)
		case t == frameRun && j != nil && len(j.files) == want:
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
			j = nil
		default:
			return fmt.Errorf("frame of type %d at this place is not of the protocol", t)
		}
	}
}

// serve builds one job after another.
func (w *workerEnd) serve(ctx context.Context, jobs <-chan *job) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case j := <-jobs:
			if err := w.build(ctx, j); err != nil {
				text := []byte(err.Error())
				if sendErr := w.send(frameError, text); sendErr != nil {
					return sendErr
				}
				return err
			}
		}
	}
}

func (w *workerEnd) build(ctx context.Context, j *job) error {
	stop := w.tick()
	defer stop()
	begin := func(file uint32) error {
		b := binary.LittleEndian.AppendUint32(nil, file)
		return w.send(frameBegin, binary.LittleEndian.AppendUint64(b, uint64(processCPU())))
	}
	r, err := w.builder.build(ctx, j, begin)
	if err != nil {
		return err
	}
	for _, s := range r.segments {
		head := append([]byte{byte(s.View)}, s.Digest[:]...)
		if err := w.send(frameSegment, head, s.Bytes); err != nil {
			return err
		}
	}
	for _, v := range artifact.Views {
		if reason := r.failed[v]; reason != "" {
			if err := w.send(frameFailed, []byte{byte(v)}, []byte(reason)); err != nil {
				return err
			}
		}
	}
	if len(r.pack) > 0 {
		if err := w.send(framePack, r.pack); err != nil {
			return err
		}
	}
	r.peakRSS = selfPeakRSS()
	return w.send(frameDone, appendDone(nil, r))
}

// tick reports the processor time used, until stop is called.
func (w *workerEnd) tick() (stop func()) {
	ticker := time.NewTicker(tickInterval)
	quit := make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				b := binary.LittleEndian.AppendUint64(nil, uint64(processCPU()))
				if w.send(frameTick, b) != nil {
					return // the main loop sees the broken pipe as well
				}
			}
		}
	}()
	return func() { close(quit) }
}

// WorkerMain runs a worker on the process's own standard input and output and
// returns its exit code. It is all that a main does for IsWorker.
func WorkerMain(ctx context.Context) int {
	if err := RunWorker(ctx, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pindex compile worker:", err)
		return int(fail.Internal)
	}
	return 0
}
