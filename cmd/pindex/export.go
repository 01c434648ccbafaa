package main

import (
	"context"
	"io"

	"github.com/pindex-dev/pindex/export"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

func exportCmd(a *cli.App) *command.Command {
	var scipOut, lines, heuristic bool
	c := &command.Command{
		Use:   "export --scip|--jsonl [FILE]",
		Short: "Write the structural view as a SCIP index or as JSON lines",
		Long: `Write the structural view of a commit's index to FILE, or to standard output:
with --scip as a SCIP index, with --jsonl as one JSON object a line, declarations
("unit") and bound uses ("edge"). Files with a SCIP document give it back. All
others have symbols that name the file and the declaration and stay when lines
move, and the uses that syntax binds; --heuristic adds likely ones.`,
		Example: `  pindex export --scip index.scip
  pindex export --jsonl | grep '"type":"edge"'`,
		Args: command.MaximumNArgs(1),
		RunE: func(c *command.Command, args []string) error {
			if scipOut == lines {
				return fail.New(fail.Usage, "choose --scip or --jsonl", "export needs one form")
			}
			write := export.JSONLines
			if scipOut {
				write = export.SCIP
			}
			return runExport(c.Context(), a, args, func(e *query.Engine, w io.Writer) error {
				return write(c.Context(), e, w, export.Options{Version: version, Heuristic: heuristic})
			})
		},
	}
	c.Flags().BoolVar(&scipOut, "scip", false, "as a SCIP index")
	c.Flags().BoolVar(&lines, "jsonl", false, "as JSON lines")
	c.Flags().BoolVar(&heuristic, "heuristic", false, "with bindings that are likely and not proven")
	return c
}

func runExport(ctx context.Context, a *cli.App, args []string, write func(*query.Engine, io.Writer) error) error {
	ix, err := a.Index(ctx)
	if err != nil {
		return err
	}
	defer ix.Close()
	e := query.New(ix, query.Options{})
	if len(args) == 0 || args[0] == "-" {
		return write(e, a.Stdout)
	}
	var failed error
	err = durable.WriteFile(args[0], 0o644, func(w io.Writer) error {
		failed = write(e, w)
		return failed
	})
	if err != nil && failed == nil {
		return fail.Wrap(fail.Usage, err, "name a file in a folder that can be written to and has room", "cannot write %s", args[0])
	}
	return err
}
