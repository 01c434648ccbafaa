package mcp

import (
	"testing"

	"github.com/pindex-dev/pindex/mcp/mcptest"
)

func TestServe(t *testing.T) { mcptest.Run(t, Serve) }
