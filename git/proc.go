package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// launcher starts git processes for one repository.
type launcher struct {
	exe  string   // absolute path of the git program
	args []string // in front of every command
	env  []string
	dir  string // working directory
}

func (l *launcher) command(ctx context.Context, args ...string) *exec.Cmd {
	all := make([]string, 0, len(l.args)+len(args))
	all = append(append(all, l.args...), args...)
	cmd := exec.CommandContext(ctx, l.exe, all...)
	cmd.Env = l.env
	cmd.Dir = l.dir
	// For a grandchild that holds a pipe open. On a machine with much to do, what
	// the process wrote last may take its time to be read.
	cmd.WaitDelay = 20 * time.Second
	detach(cmd)
	return cmd
}

// run runs one command to its end and returns what it wrote. A failure is a
// *runError.
func (l *launcher) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, string, error) {
	cmd := l.command(ctx, args...)
	var out bytes.Buffer
	var stderr capped
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		return out.Bytes(), stderr.String(), &runError{command: args[0], stderr: stderr.String(), err: err}
	}
	return out.Bytes(), stderr.String(), nil
}

// runError is a git command's failure.
type runError struct {
	command string
	stderr  string
	err     error
}

func (e *runError) Error() string {
	if m := message(e.stderr); m != "" {
		return "git " + e.command + ": " + m
	}
	return "git " + e.command + ": " + e.err.Error()
}

func (e *runError) Unwrap() error { return e.err }

// message returns the lines in which git reports errors, on one line.
func message(stderr string) string {
	var lines []string
	for _, s := range strings.Split(stderr, "\n") {
		if m, ok := strings.CutPrefix(s, "fatal: "); ok {
			lines = append(lines, m)
		} else if m, ok := strings.CutPrefix(s, "error: "); ok {
			lines = append(lines, m)
		}
	}
	return strings.ToValidUTF8(strings.Join(lines, "; "), "\uFFFD")
}

// capped keeps the first bytes of what is written to it.
type capped struct{ b []byte }

const maxStderr = 64 << 10

func (c *capped) Write(p []byte) (int, error) {
	if room := maxStderr - len(c.b); room > 0 {
		c.b = append(c.b, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (c *capped) String() string { return string(c.b) }

// process is a long-lived git process that answers on its standard output
// what it is asked on its standard input. It is waited for from the start, so
// it never stays as a zombie, whoever ends it.
//
// Its standard error goes to an unlinked file and not through a pipe: a pipe
// needs someone to drain it, and then nobody could tell whether the message
// that explains an answer has already arrived.
type process struct {
	in     *os.File // our end of its standard input
	out    *os.File // our end of its standard output
	errs   *os.File // its standard error; nil when no temporary file could be made
	cmd    *exec.Cmd
	cancel context.CancelFunc
	done   chan struct{} // closed once the process is gone
}

func (l *launcher) start(args ...string) (*process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cmd: l.command(ctx, args...), cancel: cancel, done: make(chan struct{})}
	var childIn, childOut *os.File
	var err error
	if childIn, p.in, err = os.Pipe(); err == nil {
		p.out, childOut, err = os.Pipe()
	}
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout = childIn, childOut
		if p.errs = tempFile(); p.errs != nil {
			p.cmd.Stderr = p.errs
		}
		err = p.cmd.Start()
	}
	for _, f := range []*os.File{childIn, childOut} {
		if f != nil {
			f.Close()
		}
	}
	if err != nil {
		cancel()
		p.closeFiles()
		return nil, fmt.Errorf("start git %s: %w", args[0], err)
	}
	go func() {
		defer close(p.done)
		p.cmd.Wait()
	}()
	return p, nil
}

// kill ends the process at once; what is read from it then fails.
func (p *process) kill() { p.cancel() }

// close ends the process, waits until it is gone and releases its files. A
// process that is idle ends by itself once its input is closed; there is
// nothing that it could lose, so it is not waited for politely.
func (p *process) close() {
	p.cancel()
	<-p.done
	p.closeFiles()
}

func (p *process) closeFiles() {
	for _, f := range []*os.File{p.in, p.out} {
		if f != nil {
			f.Close()
		}
	}
	if p.errs != nil {
		p.errs.Close()
		os.Remove(p.errs.Name()) // gone already where open files can be unlinked
	}
}

// stderr returns what the process has written to its standard error.
func (p *process) stderr() string {
	if p.errs == nil {
		return ""
	}
	b := make([]byte, maxStderr)
	n, err := p.errs.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return string(b[:n])
}

func tempFile() *os.File {
	f, err := os.CreateTemp("", "pindex-git-*.log")
	if err != nil {
		return nil
	}
	os.Remove(f.Name())
	return f
}
