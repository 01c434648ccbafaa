package mcp

import (
	"context"
	"io"
	"testing"

	"github.com/pindex-dev/pindex/mcp/mcptest"
	"github.com/pindex-dev/pindex/mcp/tools"
)

// serveOne is Serve for one repository.
func serveOne(ctx context.Context, in io.ReadCloser, out io.Writer, o tools.Options) error {
	return Serve(ctx, in, out, Options{
		Name: o.Name, Version: o.Version, Further: o.Further,
		Open: func(ctx context.Context, _ string) (tools.Session, error) { return o.Open(ctx) },
	})
}

func TestServe(t *testing.T) { mcptest.Run(t, serveOne) }
