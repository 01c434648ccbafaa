// Command pindex-client answers from indexes and makes none: the reading
// commands of pindex in one small static file, without a parser, without an
// embedded reader of git repositories, and with no need of a git program or a
// repository where the commit is given as a full hash.
package main

import (
	"os"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/mcp/stdio"
)

// version is set by the linker in a release.
var version = "0.0.0-dev"

func main() { os.Exit(cli.Main(program())) }

func program() cli.Program {
	return cli.Program{Name: "pindex-client", Version: version, MCP: stdio.Serve}
}
