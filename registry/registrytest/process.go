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
	Host  string // host:port
	cmd   *exec.Cmd
	ended chan error
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
	p := &Process{Host: l.Addr().String(), ended: make(chan error, 1)}
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
	path := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	var output syncBuffer
	p.cmd = exec.Command(program, "serve", path)
	p.cmd.Stdout, p.cmd.Stderr = &output, &output
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	for range 400 {
		if resp, err := http.Get("http://" + p.Host + "/v2/"); err == nil {
			resp.Body.Close()
			return p, nil
		}
		select {
		case err := <-p.ended:
			p.ended <- err
			return nil, fmt.Errorf("the registry ended: %w\n%s", err, output.String())
		case <-time.After(25 * time.Millisecond):
		}
	}
	p.Stop()
	return nil, fmt.Errorf("the registry does not answer\n%s", output.String())
}

// Stop ends the process.
func (p *Process) Stop() {
	p.cmd.Process.Kill()
	<-p.ended
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
