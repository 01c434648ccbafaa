//go:build dockerregistry

package registry_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var dockerRegistry = flag.String("docker-registry", "", "the registry program to test against")

// The password file of the registries below: user "user", password "secret".
const htpasswd = "user:$2a$04$XTh/P3HdBYJQSE5KMcIw0OlvVLC2rkBoLtfUrkUDxSJXn1VAkA5fG\n"

// startDockerRegistry runs a registry process on a loopback port and returns
// its host:port.
func startDockerRegistry(t *testing.T, withAuth bool) string {
	t.Helper()
	if *dockerRegistry == "" {
		t.Fatal("name the registry program with -docker-registry; Debian's package docker-registry has it")
	}
	dir := t.TempDir()
	port := func() string { // free a moment ago, which is as good as it gets
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.Addr().String()
	}()
	config := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage:\n  filesystem: {rootdirectory: %q}\n  delete: {enabled: true}\nhttp: {addr: %q}\n", filepath.Join(dir, "data"), port)
	if withAuth {
		path := filepath.Join(dir, "htpasswd")
		if err := os.WriteFile(path, []byte(htpasswd), 0o600); err != nil {
			t.Fatal(err)
		}
		config += fmt.Sprintf("auth:\n  htpasswd: {realm: test, path: %q}\n", path)
	}
	path := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var output syncBuffer
	cmd := exec.Command(*dockerRegistry, "serve", path)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	for range 400 {
		if resp, err := http.Get("http://" + port + "/v2/"); err == nil {
			resp.Body.Close()
			return port
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the registry ended: %v\n%s", err, output.String())
		case <-time.After(25 * time.Millisecond):
		}
	}
	t.Fatalf("the registry does not answer\n%s", output.String())
	return ""
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

func TestDockerRegistry(t *testing.T) {
	for name, o := range map[string]registry.RemoteOptions{
		"anonymous": {},
		"htpasswd":  {Username: "user", Password: "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			host := startDockerRegistry(t, o.Password != "")
			n := 0
			registrytest.Run(t, func(t *testing.T) registry.Store {
				n++
				return openRemote(t, fmt.Sprintf("%s/owner/repo%d/pindex", host, n), o)
			})
		})
	}
}

func TestDockerRegistryRefusesStrangers(t *testing.T) {
	ref := startDockerRegistry(t, true) + "/owner/pindex"
	for name, o := range map[string]registry.RemoteOptions{
		"nobody":         {},
		"wrong password": {Username: "user", Password: "guess"},
	} {
		r := openRemote(t, ref, o)
		_, err := r.Resolve(context.Background(), registrytest.Commit(1))
		var known *fail.Error
		if !errors.As(err, &known) || known.Code != fail.Network || !strings.Contains(known.Remedy, "docker login") || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := registrytest.Small(1).Publish(context.Background(), r); fail.CodeOf(err) != fail.Network {
			t.Errorf("%s: publish: %v", name, err)
		}
	}
}
