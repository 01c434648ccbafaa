// Package distribution runs the conformance suite of registry.Store against
// the reference implementation of the registry protocol, in this process. It is
// a module of its own because that implementation brings some hundred modules
// along, which the program itself must not depend on.
package distribution

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// serve starts a registry in memory that lets tags be removed.
func serve(t *testing.T) string {
	t.Helper()
	c := &configuration.Configuration{Storage: configuration.Storage{
		"inmemory": nil, "delete": configuration.Parameters{"enabled": true},
		"maintenance": configuration.Parameters{"uploadpurging": map[any]any{"enabled": false}},
	}}
	c.Log.Level = "panic"
	c.Log.AccessLog.Disabled = true
	c.Catalog.MaxEntries = 100
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(handlers.NewApp(ctx, c))
	t.Cleanup(func() { s.Close(); cancel() })
	return strings.TrimPrefix(s.URL, "http://")
}

func TestConformance(t *testing.T) {
	registrytest.Run(t, func(t *testing.T) registry.Store {
		r, err := registry.OpenRemote(serve(t)+"/owner/pindex", registry.RemoteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
}
