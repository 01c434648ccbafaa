package registry_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// impatient are options whose waits take no time. Waits that were asked for
// are appended to waits, when it is not nil.
func impatient(waits *[]time.Duration) registry.RemoteOptions {
	var o registry.RemoteOptions
	o.SetSleep(func(ctx context.Context, d time.Duration) error {
		if waits != nil {
			*waits = append(*waits, d)
		}
		return context.Cause(ctx)
	})
	return o
}

func startServer(t testing.TB, s *registrytest.Server) *registrytest.Server {
	t.Helper()
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func openRemote(t testing.TB, ref string, o registry.RemoteOptions) *registry.Remote {
	t.Helper()
	r, err := registry.OpenRemote(ref, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRemoteConformance(t *testing.T) {
	for name, server := range map[string]func() *registrytest.Server{
		"anonymous": func() *registrytest.Server { return &registrytest.Server{} },
		"basic": func() *registrytest.Server {
			return &registrytest.Server{Basic: true, User: "user", Password: "secret"}
		},
		"bearer": func() *registrytest.Server {
			return &registrytest.Server{Bearer: true, User: "user", Password: "secret"}
		},
		"careless": func() *registrytest.Server { return &registrytest.Server{Careless: true} },
	} {
		t.Run(name, func(t *testing.T) {
			registrytest.Run(t, func(t *testing.T) registry.Store {
				s := startServer(t, server())
				o := impatient(nil)
				o.Username, o.Password = s.User, s.Password
				return openRemote(t, s.Ref("owner/repo/pindex"), o)
			})
		})
	}
}

// startTLS starts a server with a certificate that is not trusted.
func startTLS(t *testing.T, called func()) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called() }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "https://")
}
