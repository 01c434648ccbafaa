// Command pindex compiles commits into indexes and answers from them.
package main

import (
	"context"
	"os"

	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git/gogit"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
)

// version is set by the linker in a release.
var version = "0.0.0-dev"

func main() {
	if compile.IsWorker(os.Args) {
		os.Exit(compile.WorkerMain(context.Background()))
	}
	os.Exit(cli.Main(program()))
}

func program() cli.Program {
	return cli.Program{
		Name:      "pindex",
		Version:   version,
		Embedded:  gogit.Open,
		Compile:   compileMissing,
		Rebuild:   rebuild,
		Overlay:   layOver,
		CheckPush: checkPush,
		Live:      live,
		Questions: remoteQueries,
		Reranker:  reranker,
		Selector:  chooseFiles,
		Commands: func(a *cli.App) []*command.Command {
			return append(cli.Further(a), compileCmd(a), sealCmd(a), prepareCmd(a), branchCmd(a), exportCmd(a), evalCmd(a),
				mcpCmd(a), initCmd(a), doctorCmd(a), completionCmd(a))
		},
	}
}
