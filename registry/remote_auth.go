package registry

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// RemoteFromEnv returns the options that the environment asks for:
//
//	PINDEX_REGISTRY_USERNAME, PINDEX_REGISTRY_PASSWORD  for the store's own host
//	PINDEX_REGISTRY_HOST    the only host that those two are for
//	GITHUB_TOKEN            for ghcr.io
//	PINDEX_REGISTRY_MIRRORS comma-separated hosts that are read first
//	PINDEX_REGISTRY_PLAIN_HTTP=1  no TLS, whatever the host
//
// and Docker's configuration with its credential helpers.
func RemoteFromEnv(getenv func(string) string) RemoteOptions {
	o := RemoteOptions{
		Username: getenv("PINDEX_REGISTRY_USERNAME"), Password: getenv("PINDEX_REGISTRY_PASSWORD"),
		CredentialHost: getenv("PINDEX_REGISTRY_HOST"),
		GitHubToken:    getenv("GITHUB_TOKEN"), DockerConfig: true,
		PlainHTTP: getenv("PINDEX_REGISTRY_PLAIN_HTTP") == "1",
	}
	for _, m := range strings.Split(getenv("PINDEX_REGISTRY_MIRRORS"), ",") {
		if m = strings.TrimSpace(m); m != "" {
			o.Mirrors = append(o.Mirrors, m)
		}
	}
	return o
}

// gitHubRegistry is the one host that a GITHUB_TOKEN is for.
const gitHubRegistry = "ghcr.io"

// IsGitHub reports whether a host[:port] is GitHub's registry.
func IsGitHub(host string) bool {
	return strings.TrimSuffix(strings.ToLower(host), ":443") == gitHubRegistry
}

// keyring finds the credentials of one host. What it finds stays in memory.
type keyring struct {
	host    string // the only one it answers for
	primary bool   // the store itself, not a mirror
	opt     *RemoteOptions

	mu      sync.Mutex
	source  string // where the credentials that were used came from; "" for none
	problem error  // why Docker's credentials could not be read
}

// find implements auth.CredentialFunc. Another host, such as a redirect's,
// gets nothing.
func (k *keyring) find(ctx context.Context, hostport string) (auth.Credential, error) {
	if hostport != k.host {
		return auth.EmptyCredential, nil
	}
	cred, source, problem := k.search(ctx)
	if err := context.Cause(ctx); err != nil {
		return auth.EmptyCredential, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.source, k.problem = source, problem
	return cred, nil
}

func (k *keyring) search(ctx context.Context) (auth.Credential, string, error) {
	o := k.opt
	if k.primary && o.Password != "" && (o.CredentialHost == "" || o.CredentialHost == k.host) {
		return auth.Credential{Username: o.Username, Password: o.Password}, "PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD", nil
	}
	var problem error
	if o.DockerConfig {
		// A helper that is not there must not stop a pull that needs none.
		store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
		if err == nil {
			var cred auth.Credential
			cred, err = credentials.Credential(store)(ctx, k.host)
			if err == nil && cred != auth.EmptyCredential {
				return cred, "Docker's configuration", nil
			}
		}
		if err != nil {
			problem = fmt.Errorf("the credentials for %s in Docker's configuration cannot be read: %w", k.host, err)
		}
	}
	if k.host == gitHubRegistry && o.GitHubToken != "" {
		return auth.Credential{Username: "x-access-token", Password: o.GitHubToken}, "GITHUB_TOKEN", nil
	}
	return auth.EmptyCredential, "", problem
}

// used says where the credentials came from, and what kept others away.
func (k *keyring) used() (source string, problem error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.source, k.problem
}
