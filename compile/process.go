package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// hangCPU is the processor time that a worker may spend on one file, or on a
// partition's views, before it counts as hung. Parsers have limits in work
// that end them far earlier; this ends what escapes those. Processor time and
// not wall time, so that a busy or suspended machine changes nothing.
const hangCPU = 120 * time.Second

// workerEnvironment names the only variables that a worker inherits: none
// that could hold a credential, and nothing that its output depends on.
var workerEnvironment = []string{"SYSTEMROOT", "GOCOVERDIR", "GOTRACEBACK", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}

// process is one running worker.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *frameWriter
	in     *frameReader
	stderr *opening
	hang   time.Duration

	waited  bool
	waitErr error
}

// crash is the error of a worker that died or hung by itself, for a cause
// that lies in what it was working on.
type crash struct {
	file   int // index in the job's files; -1 when no file was being read
	detail string
}

func (c *crash) Error() string { return "a worker process " + c.detail }

// startProcess starts a worker and greets it.
func startProcess(ctx context.Context, argv []string, extraEnv []string, hello []byte, profile artifact.Digest, hang time.Duration) (*process, error) {
	if len(argv) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fail.Wrap(fail.Internal, err, "", "cannot find this program's own file to start workers")
		}
		argv = []string{self, WorkerArg}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = filepath.VolumeName(argv[0]) + string(filepath.Separator)
	cmd.Env = []string{}
	for _, name := range workerEnvironment {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	// A worker parses one file at a time, on whichever thread: the C library
	// shall not keep freed memory for each thread.
	cmd.Env = append(cmd.Env, "MALLOC_ARENA_MAX=1")
	cmd.Env = append(cmd.Env, extraEnv...)
	cmd.WaitDelay = 5 * time.Second
	p := &process{cmd: cmd, stderr: &opening{}, hang: hang}
	cmd.Stderr = p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fail.Wrap(fail.Internal, err, "", "cannot start a worker process")
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fail.Wrap(fail.Internal, err, "", "cannot start a worker process")
	}
	if err := cmd.Start(); err != nil {
		return nil, fail.Wrap(fail.Internal, err, "", "cannot start the worker process %s", argv[0])
	}
	p.stdin, p.out, p.in = stdin, newFrameWriter(stdin), newFrameReader(stdout)
	if err := p.greet(hello, profile); err != nil {
		return nil, p.died(ctx, -1, err)
	}
	return p, nil
}

func (p *process) greet(hello []byte, profile artifact.Digest) error {
	if err := p.out.write(frameHello, hello); err != nil {
		return err
	}
	if err := p.out.flush(); err != nil {
		return err
	}
	t, b, err := p.in.next()
	if err != nil {
		return err
	}
	f := fields{b: b}
	if t != frameReady || f.u32() != protocolVersion || f.digest() != profile || f.end() != nil {
		return errors.New("its answer to the greeting is not of this program's protocol")
	}
	return nil
}

// do has the worker build one job. After an error the process is gone. A
// *crash says that the job, and not the world around it, is the cause.
func (p *process) do(ctx context.Context, j *job) (*built, error) {
	// The worker takes in the whole job before it starts, and reads on while
	// it works, so that writing everything first cannot block for ever.
	if err := writeJob(p.out, j); err != nil {
		return nil, p.died(ctx, -1, err)
	}
	r := &built{}
	file := -1
	// Workers count the processor time of their whole life. A tick that the
	// job before left behind may come first.
	since := time.Duration(-1)
	for {
		t, b, err := p.in.next()
		if err != nil {
			return nil, p.died(ctx, file, err)
		}
		f := fields{b: b}
		switch t {
		case frameBegin:
			n := f.u32()
			since = time.Duration(f.u64())
			file = -1
			if n != noFile {
				if int64(n) >= int64(len(j.files)) {
					return nil, p.died(ctx, -1, errors.New("it announced a file that is not in its job"))
				}
				file = int(n)
			}
		case frameTick:
			now := time.Duration(f.u64())
			if since < 0 {
				since = now
			}
			if now-since > p.hang {
				p.kill()
				return nil, &crash{file: file, detail: fmt.Sprintf("spent %v of processor time without progress", p.hang)}
			}
		case frameSegment:
			v, d := artifact.View(f.u8()), f.digest()
			if f.err == nil && int(v) < len(j.keys) {
				r.segments = append(r.segments, artifact.PackSegment{View: v, Digest: d, Bytes: f.b})
			}
		case frameFailed:
			if v := f.u8(); int(v) < len(r.failed) {
				r.failed[v] = string(f.b)
			}
		case framePack:
			r.pack = b
		case frameError:
			_ = p.close()
			return nil, fail.New(fail.Internal, "report this as a defect", "a worker process gave up: %s", b)
		case frameDone:
			if err := readDone(b, r); err != nil {
				return nil, p.died(ctx, -1, err)
			}
			if len(r.files) != len(j.files) {
				return nil, p.died(ctx, -1, fmt.Errorf("it reports %d files of %d", len(r.files), len(j.files)))
			}
			return r, nil
		default:
			return nil, p.died(ctx, -1, fmt.Errorf("it sent a frame of type %d", t))
		}
		if f.err != nil {
			return nil, p.died(ctx, -1, f.err)
		}
	}
}

// died turns the end of a conversation into an error: the context's, a
// passing failure of the machine, or a *crash.
func (p *process) died(ctx context.Context, file int, cause error) error {
	// A worker that still runs has broken the protocol.
	running := !errors.Is(cause, io.EOF) && !errors.Is(cause, io.ErrUnexpectedEOF) && !errors.Is(cause, syscall.EPIPE)
	if running {
		p.kill()
	} else {
		_ = p.stdin.Close()
		_ = p.wait()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if running {
		return &crash{file: -1, detail: "broke the protocol: " + cause.Error()}
	}
	said := p.stderr.String()
	if sig := killSignal(p.waitErr); sig != "" {
		return fail.New(fail.Interrupted, "run the compile again, with more free memory or fewer workers",
			"a worker process was stopped from outside (%s); nothing was published", sig)
	}
	if outOfMemory(said) {
		return fail.New(fail.Interrupted, "run the compile again, with more free memory or fewer workers",
			"a worker process ran out of memory; nothing was published")
	}
	detail := "ended"
	if p.waitErr != nil {
		detail += ": " + p.waitErr.Error()
	}
	if line := firstLine(said); line != "" {
		detail += " (" + line + ")"
	}
	return &crash{file: file, detail: detail}
}

// outOfMemory recognises what the Go runtime, the C library and tree-sitter
// say when there is no memory or no thread to be had.
func outOfMemory(stderr string) bool {
	for _, s := range []string{"out of memory", "cannot allocate memory", "failed to allocate", "pthread_create failed", "failed to create new OS thread"} {
		if bytes.Contains([]byte(stderr), []byte(s)) {
			return true
		}
	}
	return false
}

func firstLine(s string) string {
	for line := range bytes.Lines([]byte(s)) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return string(line[:min(len(line), 200)])
		}
	}
	return ""
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.wait()
}

// close ends an idle worker.
func (p *process) close() error {
	_ = p.stdin.Close()
	return p.wait()
}

func (p *process) wait() error {
	if !p.waited {
		p.waited = true
		p.waitErr = p.cmd.Wait()
	}
	return p.waitErr
}

// opening keeps the beginning of what a worker says on its standard error,
// where a crash names its cause.
type opening struct {
	mu sync.Mutex
	b  []byte
}

const openingSize = 8 << 10

func (o *opening) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b = append(o.b, p[:min(len(p), openingSize-len(o.b))]...)
	return len(p), nil
}

func (o *opening) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.b)
}
