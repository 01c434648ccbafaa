//go:build dockerregistry

package registry_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var dockerRegistry = flag.String("docker-registry", "", "the registry program to test against")

// startDockerRegistry runs a registry process on a loopback port and returns
// its host:port.
func startDockerRegistry(t *testing.T, withAuth bool) string {
	t.Helper()
	p, err := registrytest.StartProcess(*dockerRegistry, t.TempDir(), withAuth)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p.Host
}

func TestDockerRegistry(t *testing.T) {
	for name, o := range map[string]registry.RemoteOptions{
		"anonymous": {},
		"htpasswd":  {Username: registrytest.ProcessUser, Password: registrytest.ProcessPassword},
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

func TestDockerRegistryMounts(t *testing.T) {
	for name, o := range map[string]registry.RemoteOptions{
		"anonymous": {},
		"htpasswd":  {Username: registrytest.ProcessUser, Password: registrytest.ProcessPassword},
	} {
		t.Run(name, func(t *testing.T) {
			host := startDockerRegistry(t, o.Password != "")
			registrytest.RunMount(t, func(repository string) *registry.Remote {
				return openRemote(t, host+"/"+repository, o)
			}, true)
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
