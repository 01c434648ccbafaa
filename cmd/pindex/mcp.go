package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp"
	"github.com/pindex-dev/pindex/mcp/tools"
)

// envMCPToken is the variable with the token that clients over HTTP must bring.
const envMCPToken = "PINDEX_MCP_TOKEN"

type mcpFlags struct {
	http  string
	hosts string
	tools string
	roots string
}

func mcpCmd(a *cli.App) *command.Command {
	var f mcpFlags
	c := &command.Command{
		Use:   "mcp",
		Short: "Serve search, symbol, read, context and status to an agent",
		Long: `Serve the Model Context Protocol, over standard input and output or, with --http,
over streamable HTTP at /mcp. The handshake is answered at once; the index is
opened in the background, and the first call waits for it. Without --commit the
server follows HEAD: when it moves, answers say so, and come from its index as
soon as that is open.

One server answers about several repositories: each tool has an argument root,
a folder of another repository or worktree. It may be one of the folders that
the client says it works on, one below --roots, or a worktree of the server's own
repository. Without --repo and --commit, the client's first folder that is in a
repository is the one that calls without a root are about.

Over HTTP the server listens on this machine alone, unless ADDR says otherwise;
then every request must bring the token of ` + envMCPToken + `.`,
		Example: `  pindex mcp
  pindex mcp --repo ~/src/flask --no-compile
  pindex mcp --http 8191 --roots ~/src --tools all`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error { return f.run(c.Context(), a) },
	}
	fs := c.Flags()
	fs.StringVar(&f.http, "http", "", "serve HTTP on `ADDR`: a port of this machine, or host:port")
	fs.StringVar(&f.hosts, "allow-host", "", "more `NAMES` that HTTP requests may be addressed to and that pages may come from, with commas between them")
	fs.StringVar(&f.tools, "tools", "default", "default, or all: grep, symbols, outline, hierarchy and affected too")
	fs.StringVar(&f.roots, "roots", "", "`DIRS` whose repositories may be asked about, with "+string(os.PathListSeparator)+" between them")
	return c
}

func (f *mcpFlags) run(ctx context.Context, a *cli.App) error {
	o := mcp.Options{Name: a.Name, Version: a.Version}
	switch f.tools {
	case "default":
	case "all":
		o.Further = tools.Further()
	default:
		return fail.New(fail.Usage, "use default or all", "there are no tools %q", f.tools)
	}
	if f.hosts != "" && f.http == "" {
		return fail.New(fail.Usage, "add --http, or leave --allow-host out", "--allow-host is for HTTP")
	}
	dir, named := a.MCPRoot()
	r, err := newRoots(dir, f.roots)
	if err != nil {
		return err
	}
	o.Root, o.Find, o.FollowPeer = r.own, r.find, !named
	o.Open = func(ctx context.Context, root string) (tools.Session, error) {
		if root == r.own {
			root = "" // as the program was started, with whatever its environment says
		}
		return a.OpenForMCP(ctx, root)
	}
	if f.http != "" {
		return f.serveHTTP(ctx, a, o)
	}
	in, ok := a.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(a.Stdin)
	}
	err = mcp.Serve(ctx, in, a.Stdout, o)
	if err != nil && fail.CodeOf(err) == fail.Internal && ctx.Err() == nil {
		return fail.Wrap(fail.Usage, err, "let an MCP client start this command", "the peer cannot be understood")
	}
	return err
}

func (f *mcpFlags) serveHTTP(ctx context.Context, a *cli.App, o mcp.Options) error {
	addr := f.http
	if !strings.Contains(addr, ":") {
		addr = "127.0.0.1:" + addr
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fail.Wrap(fail.Usage, err, "give a free port, or host:port of this machine", "cannot listen on %s", addr)
	}
	h := mcp.HTTPOptions{Token: os.Getenv(envMCPToken), Hosts: splitNames(f.hosts)}
	if err := mcp.CheckHTTP(l.Addr(), h); err != nil {
		return errors.Join(err, l.Close())
	}
	// Whoever starts the server has to learn its port, --quiet or not.
	fmt.Fprintf(a.Stderr, "%s: listening on http://%s%s\n", a.Name, l.Addr(), mcp.HTTPPath)
	return mcp.ServeHTTP(ctx, l, o, h)
}

func splitNames(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
