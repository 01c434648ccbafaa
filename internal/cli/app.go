// Package cli is the command line of the reading side: everything that a
// program does which opens an index and answers from it. It links no parser
// and no compile code; the full program hands those in through Program.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/registry"
)

// Program is what one executable can do.
type Program struct {
	Name    string // such as "pindex"
	Version string

	// Embedded opens a repository without the git program; nil where the
	// program has no such reader.
	Embedded git.Opener
	// Compile builds a commit's index and publishes it to the store; nil in a
	// program that only reads.
	Compile func(ctx context.Context, r CompileRequest) error
	// Rebuild compiles the commit of an index anew with the same settings,
	// stores nothing, and returns the index digest; nil in a program that only
	// reads.
	Rebuild func(ctx context.Context, r RebuildRequest) (*Rebuilt, error)
	// Overlay makes an index of a working tree, or of a commit without one, on
	// top of another; nil in a program that only reads. It gives fail.NoIndex
	// when the base was made by another version of the program.
	Overlay func(ctx context.Context, r OverlayRequest) (*artifact.Index, error)
	// CheckPush returns why an index of this repository (nil: of none that is
	// here) must not be pushed to the store, which is in GitHub's registry;
	// nil in a program that cannot find that out.
	CheckPush func(ctx context.Context, store registry.Store, repo git.Repository) error
	// Live asks a language server; nil in a program that cannot. It is used
	// where the user asked for it by --live, and never over MCP.
	Live func(ctx context.Context, r LiveRequest) (*LiveAnswer, error)
	// Questions returns what asks the user's server for the vectors of
	// questions, nil where the user has named none; a nil field is a program
	// that cannot ask. An index names a model and never an address.
	Questions func() func(ctx context.Context, m *embed.Remote, questions []string) ([][]int8, error)
	// Reranker opens a reranker by its address; nil in a program that asks none.
	Reranker func(address string) (*query.Reranker, error)
	// Selector lets a chat model choose the files of a bundle, and says which of
	// its answers were of no use; nil in a program that asks none.
	Selector func(ctx context.Context, address string, e *query.Engine, o bundle.Options) (bundle.Options, []string, error)
	// MCP serves the Model Context Protocol to one peer; nil in a program
	// without.
	MCP func(ctx context.Context, in io.ReadCloser, out io.Writer, o tools.Options) error
	// Commands are the program's own commands beside the reading ones.
	Commands func(a *App) []*command.Command
}

// CompileRequest asks for one commit's index.
type CompileRequest struct {
	Repo     git.Repository
	Rev      string // resolved: a full hash
	Store    registry.Store
	Cache    *fetch.Cache
	Progress string // auto, plain or none
	Stderr   io.Writer
}

// OverlayRequest asks for an index of what differs from an index's commit.
type OverlayRequest struct {
	Base     *artifact.Index // stays open as long as the result is used
	Repo     git.Repository
	Commit   string // whose tree it is, or that the working tree was checked out from
	WorkTree string
	Changes  []git.Change // of the working tree against Commit; none: Commit's own tree
	Entries  []git.Entry  // Commit's tree as Repo lists it
	Cache    *fetch.Cache
	// Model reads the base's model.
	Model func(artifact.ModelInfo) ([]byte, error)
}

// RebuildRequest asks for a fresh build to compare with.
type RebuildRequest struct {
	Repo     git.Repository
	Manifest *artifact.Manifest // of the index to compare with
	Inputs   [][]byte           // its input layers, in partition order
	Progress string
	Stderr   io.Writer
}

// Rebuilt is what a fresh build gave.
type Rebuilt struct {
	Digest string
	// Left are views that are not reproducible, and were not compared.
	Left []string
}

// App is one run of a program: its streams and its global options.
type App struct {
	Program
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	repoDir   string
	rev       string
	storeRef  string
	json      bool
	quiet     bool
	noCompile bool
	progress  string
	backend   string

	repo    git.Repository // opened once, on demand
	oneShot bool           // the process ends after one answer
	ends    bool           // the process ends with Run
	globs   []*string      // what --path gave the command, see pathVar
}

// Main runs the program with the process's own arguments and streams and
// returns its exit code.
func Main(p Program) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A reader that has seen enough of our notes (2>&1 | head) must not end a
	// compile; one that has seen enough of the answer ends it by an error.
	signal.Ignore(syscall.SIGPIPE)
	a := &App{Program: p, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, ends: true}
	return int(a.Run(ctx, os.Args[1:]))
}

// Run runs one command line.
func (a *App) Run(ctx context.Context, args []string) fail.Code {
	root := a.root()
	root.SetOut(a.Stdout)
	err := root.ExecuteContext(ctx, args)
	// A command line that is wrong may not have been read as far as its --json.
	if i := slices.Index(args, "--json"); i >= 0 && !slices.Contains(args[:i], "--") {
		a.json = true
	}
	if a.repo != nil {
		err = errors.Join(err, a.repo.Close())
	}
	return a.end(ctx, err)
}

// end reports an error, if any, and returns the exit code.
func (a *App) end(ctx context.Context, err error) fail.Code {
	if err == nil {
		return fail.OK
	}
	code := fail.CodeOf(err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		code = fail.Interrupted
		err = fail.New(code, "run the same command again; nothing half-made was published", "interrupted")
	}
	if errors.Is(err, syscall.EPIPE) {
		return fail.OK // the reader of our output has seen enough
	}
	if errors.Is(err, errSaid) {
		return code
	}
	what, remedy := err.Error(), ""
	var e *fail.Error
	if errors.As(err, &e) && e.Remedy != "" {
		if what = e.What; e.Err != nil {
			what += ": " + e.Err.Error()
		}
		remedy = e.Remedy
	}
	if code == fail.Internal && e == nil {
		remedy = "this is a defect in " + a.Name + "; please report it with the command and this message"
	}
	what, remedy = sentence(what), sentence(remedy)
	if a.json {
		// Sentences are clean text, which always encodes.
		b, _ := marshal(struct {
			Error  string `json:"error"`
			Remedy string `json:"remedy,omitempty"`
			Code   int    `json:"exit_code"`
		}{what, remedy, int(code)})
		fmt.Fprintf(a.Stderr, "%s\n", b)
		return code
	}
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, what)
	switch {
	case remedy == "":
	case code == fail.Internal && e == nil:
		fmt.Fprintf(a.Stderr, "  %s\n", remedy)
	default:
		fmt.Fprintf(a.Stderr, "  to mend it: %s\n", remedy)
	}
	return code
}

// sentence makes a message one safe line.
func sentence(s string) string {
	return Visible(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }), "; "))
}

// errSaid marks an error whose message has been printed as part of an answer.
var errSaid = errors.New("said")

// nothing is the error of a question that has no answer: exit code 1, after
// the command itself has said so in its own form.
func nothing() error {
	return &fail.Error{Code: fail.NotFound, What: "nothing found", Err: errSaid}
}

func (a *App) root() *command.Command {
	root := &command.Command{
		Use:     a.Name,
		Short:   "Search, navigate and read one commit of a repository from its index",
		Version: a.Version,
		// A word that is no command comes here.
		Args: func(c *command.Command, args []string) error {
			if len(args) > 0 {
				remedy := fmt.Sprintf("see '%s --help'", c.CommandPath())
				if a.Compile == nil {
					remedy += "; the full program, pindex, has more"
				}
				return fail.New(fail.Usage, remedy, "unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(c *command.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *command.Command, err error) error {
		remedy := fmt.Sprintf("see '%s --help'", c.CommandPath())
		if c.Name() == "grep" {
			remedy += "; " + grepHint
		}
		if c.Name() == "search" || c.Name() == "grep" {
			remedy += "; put -- before what begins with a dash and is to be searched"
		}
		return fail.New(fail.Usage, remedy, "%v", err)
	})
	f := root.PersistentFlags()
	f.StringVar(&a.repoDir, "repo", "", "`DIR` of the repository (default: the one that encloses the working directory)")
	f.StringVar(&a.rev, "commit", "", "`REV` to answer for (default: HEAD)")
	f.StringVar(&a.storeRef, "store", "", "where indexes are kept: host/repository in a registry, a folder, or a .tar file, as `REF` (default: $PINDEX_STORE, else the user's cache)")
	f.BoolVar(&a.json, "json", false, "answer with one JSON object")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on standard error")
	f.StringVar(&a.progress, "progress", "auto", "progress on standard error: auto, plain or none")
	f.StringVar(&a.backend, "git", "auto", "how the repository is read: auto, program or embedded")
	if a.Compile != nil {
		f.BoolVar(&a.noCompile, "no-compile", false, "fail with exit code 3 where no index is found, instead of compiling one")
	}
	root.PersistentPreRunE = func(*command.Command, []string) error {
		switch a.progress {
		case "auto", "plain", "none":
		default:
			return fail.New(fail.Usage, "use auto, plain or none", "unknown --progress %q", a.progress)
		}
		switch a.backend {
		case "auto", "program", "embedded":
		default:
			return fail.New(fail.Usage, "use auto, program or embedded", "unknown --git %q", a.backend)
		}
		if a.rev == "" && f.Changed("commit") {
			return fail.New(fail.Usage, "name a revision, or leave --commit out for HEAD", "--commit is empty")
		}
		return nil
	}
	root.AddCommand(a.searchCmd(), a.grepCmd(), a.symbolsCmd(), a.outlineCmd(), a.showCmd(),
		a.defCmd(), a.refsCmd(), a.callersCmd(), a.calleesCmd(),
		a.impactCmd(), a.implementationsCmd(), a.hierarchyCmd(), a.traceCmd(),
		a.contextCmd(), a.replayCmd(), a.statusCmd(), a.lsCmd(), a.inspectCmd(), a.verifyCmd(), a.pullCmd(), a.cacheCmd())
	if a.MCP != nil {
		root.AddCommand(a.mcpCmd())
	}
	if a.Commands != nil {
		root.AddCommand(a.Commands(a)...)
	}
	for _, c := range root.Commands() {
		usageErrors(c)
	}
	return root
}

// Further returns the commands over stores and answers that the small client
// does without, for their size or because they write to a store: a program
// that has room for them adds them to its own.
func Further(a *App) []*command.Command {
	return []*command.Command{a.graphCmd(), a.logCmd(), a.diffCmd(), a.cpCmd(), a.affectedCmd()}
}

// usageErrors gives argument errors of a command the exit code 2 and its
// usage.
func usageErrors(c *command.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *command.Command, args []string) error {
			if err := check(c, args); err != nil {
				return fail.New(fail.Usage, fmt.Sprintf("usage: %s", c.UseLine()), "%v", err)
			}
			return nil
		}
	}
}

// Note writes a sentence to standard error, unless the user wants quiet.
func (a *App) Note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, Visible(fmt.Sprintf(format, args...)))
	}
}

// Repo opens the repository, once.
func (a *App) Repo(ctx context.Context) (git.Repository, error) {
	if a.repo != nil {
		return a.repo, nil
	}
	o := git.Options{Embedded: a.Embedded}
	switch a.backend {
	case "auto":
	case "program":
		o.Backend = git.Program
	case "embedded":
		o.Backend = git.Embedded
	}
	r, err := git.Open(ctx, a.repoDir, o)
	if err != nil {
		return nil, err
	}
	a.repo = r
	return r, nil
}

// Root returns the program's commands.
func (a *App) Root() *command.Command { return a.root() }

// RepoDir returns the folder that --repo names; "" for the working directory.
func (a *App) RepoDir() string { return a.repoDir }

// StoreRef returns what --store names; "" for nothing.
func (a *App) StoreRef() string { return a.storeRef }

// Asked returns the full hash of the commit that --commit, or HEAD, names.
func (a *App) Asked(ctx context.Context) (string, error) { return a.resolve(ctx) }

// Revision returns the revision that a command's only argument, --commit or
// the default names.
func (a *App) Revision(args []string) (string, error) {
	if len(args) > 0 {
		if a.rev != "" {
			return "", fail.New(fail.Usage, "give the revision once", "both --commit and a revision were given")
		}
		a.rev = args[0]
	}
	return a.rev, nil
}

// Print answers with v as JSON, or with what text writes.
func (a *App) Print(v any, text func(w io.Writer)) error {
	return a.answer(v, func(o *output) { text(o.w) })
}

// Progress returns the progress mode, "none" under --quiet.
func (a *App) Progress() string {
	if a.quiet {
		return "none"
	}
	return a.progress
}

// isTerminal reports whether the writer is a terminal, where repository text
// must not reach the screen as it is.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
