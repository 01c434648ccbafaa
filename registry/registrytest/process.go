package registrytest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Process is a registry program that runs on a loopback port.
type Process struct {
	Host    string // host:port
	program string
	config  string // file
	cmd     *exec.Cmd
	ended   chan error
}

// The user of a Process with a password, and the password.
const (
	ProcessUser     = "user"
	ProcessPassword = "secret"
)

const htpasswd = "user:$2a$04$XTh/P3HdBYJQSE5KMcIw0OlvVLC2rkBoLtfUrkUDxSJXn1VAkA5fG\n"

// StartProcess runs a registry program, such as Debian's docker-registry, with
// its data in dir, and waits until it answers. With password it asks for that of
// ProcessUser.
func StartProcess(program, dir string, password bool) (*Process, error) {
	if program == "" {
		return nil, errors.New("name the registry program with -docker-registry; Debian's package docker-registry has it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Process{Host: l.Addr().String(), program: program, config: filepath.Join(dir, "config.yml")}
	if err := l.Close(); err != nil { // free a moment ago, which is as good as it gets
		return nil, err
	}
	config := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage:\n  filesystem: {rootdirectory: %q}\n  delete: {enabled: true}\nhttp: {addr: %q}\n", filepath.Join(dir, "data"), p.Host)
	if password {
		path := filepath.Join(dir, "htpasswd")
		if err := os.WriteFile(path, []byte(htpasswd), 0o600); err != nil {
			return nil, err
		}
		config += fmt.Sprintf("auth:\n  htpasswd: {realm: test, path: %q}\n", path)
	}
	if err := os.WriteFile(p.config, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return p, p.start()
}

// start runs the program and waits until it answers.
func (p *Process) start() error {
	var output syncBuffer
	p.cmd, p.ended = exec.Command(p.program, "serve", p.config), make(chan error, 1)
	p.cmd.Stdout, p.cmd.Stderr = &output, &output
	if err := p.cmd.Start(); err != nil {
		p.ended <- err
		return err
	}
	cmd, ended := p.cmd, p.ended
	go func() { ended <- cmd.Wait() }()
	for range 400 {
		if resp, err := http.Get("http://" + p.Host + "/v2/"); err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("the registry ended: %w\n%s", err, output.String())
		case <-time.After(25 * time.Millisecond):
		}
	}
	p.Stop()
	return fmt.Errorf("the registry does not answer\n%s", output.String())
}

// Collect removes the blobs that no manifest names, as who runs a registry does
// it: the process ends, its program's garbage-collect works on the data, and a
// new process answers at the same place. Requests under way break off.
func (p *Process) Collect() error {
	p.Stop()
	out, err := exec.Command(p.program, "garbage-collect", p.config).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("collecting garbage: %w\n%s", err, out)
	}
	return errors.Join(err, p.start())
}

// Stop ends the process. Stopping one that ended does nothing.
func (p *Process) Stop() {
	if p.cmd.Process != nil {
		p.cmd.Process.Kill()
	}
	err := <-p.ended
	p.ended <- err
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
