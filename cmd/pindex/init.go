package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/setup"
)

type initFlags struct {
	agents                          []string
	all, yes, dryRun, undo, replace bool
	command, workflow               string
}

// The values of --workflow.
const (
	workflowAuto = "auto"
	workflowYes  = "yes"
	workflowNo   = "no"
)

func initCmd(a *cli.App) *command.Command {
	var f initFlags
	c := &command.Command{
		Use:   "init",
		Short: "Register the MCP server with the agents found, and write instructions and the workflow",
		Long: `Register the MCP server with the coding agents that are used here: in each one's
own configuration of the project, with a short block of instructions between
markers in the file that it reads, and a workflow that builds the index of each
push. Agents are found by their files in the project and in your home folder, and
by their programs on PATH.

The diff is shown first. On a terminal you are asked; elsewhere --yes writes.
Everything else in those files stays as it is, byte for byte. --undo gives the
bytes back as they were; where a file was changed since, it takes out what init
put in and leaves the rest.

Agents: ` + strings.Join(agentNames(), ", ") + `.`,
		Example: `  pindex init --dry-run
  pindex init --agent claude --agent codex --yes
  pindex init --undo`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error { return runInit(a, f) },
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.agents, "agent", nil, "register with this agent, found or not (repeatable): "+strings.Join(agentNames(), ", "))
	fl.BoolVar(&f.all, "all", false, "register with every agent that is known")
	fl.BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show the diff and write nothing")
	fl.BoolVar(&f.undo, "undo", false, "take back what init wrote")
	fl.BoolVar(&f.replace, "replace", false, "replace the entry of a server named pindex that is there already")
	fl.StringVar(&f.command, "command", "", "`PROGRAM` that agents start (default: pindex where that is on PATH, else this program's path)")
	fl.StringVar(&f.workflow, "workflow", workflowAuto, "write "+setup.WorkflowPath+": auto (where origin is on github.com, or there is a folder .github), yes or no")
	return c
}

func agentNames() []string {
	var names []string
	for _, a := range setup.Agents() {
		names = append(names, a.Name)
	}
	return names
}

type initAnswer struct {
	Schema  string      `json:"schema"`
	Root    string      `json:"root"`
	Agents  []initAgent `json:"agents"` // that are registered with
	Files   []initFile  `json:"files"`
	Written bool        `json:"written"`
}

type initAgent struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Found []string `json:"found"` // what tells that it is used
}

type initFile struct {
	Path   string `json:"path"`
	Action string `json:"action"` // create, edit, delete or keep
	Why    string `json:"why,omitempty"`
	Diff   string `json:"diff,omitempty"`
}

const schemaInit = "pindex.init/0"

func runInit(a *cli.App, f initFlags) error {
	if f.undo && (f.all || len(f.agents) > 0 || f.replace) {
		return fail.New(fail.Usage, "give --undo without --agent, --all and --replace", "--undo takes back all that init wrote")
	}
	layout, err := git.FindLayout(a.RepoDir())
	if err != nil {
		return err
	}
	if layout.WorkTree == "" {
		return fail.New(fail.Usage, "run this in a clone with a working tree", "a bare repository has no place for configuration")
	}
	ans := initAnswer{Schema: schemaInit, Root: layout.WorkTree, Agents: []initAgent{}, Files: []initFile{}}
	o := setup.Options{Root: layout.WorkTree, Command: f.command, Replace: f.replace, StateDir: initState()}
	if o.Command == "" && !f.undo {
		o.Command = ownCommand(a)
	}
	if o.Workflow, err = chooseWorkflow(layout, f); err != nil {
		return err
	}
	if f.undo {
		o.Agents = setup.Agents()
	} else if o.Agents, err = chooseAgents(a, &ans, f); err != nil {
		return err
	}
	plan := setup.New
	if f.undo {
		plan = setup.NewUndo
	}
	p, err := plan(o)
	if err != nil {
		return err
	}
	for _, c := range p.Changes {
		ans.Files = append(ans.Files, initFile{c.Path, c.Action, c.Why, c.Diff()})
	}
	ask, shown := !f.yes && !f.dryRun && !p.Empty(), false
	if ask && terminal(a.Stdin) {
		writeInit(a.Stderr, &ans, f.undo, true)
		if ok, err := confirm(a, p); !ok || err != nil {
			return err
		}
		ask, shown = false, true
	}
	if !ask && !f.dryRun {
		if err := p.Apply(); err != nil {
			return err
		}
		ans.Written = !p.Empty()
	}
	if err := a.Print(ans, func(w io.Writer) {
		if shown && terminal(a.Stdout) {
			writeEnd(w, &ans, f.undo)
			return
		}
		writeInit(w, &ans, f.undo, terminal(a.Stdout))
	}); err != nil {
		return err
	}
	if ask {
		return fail.New(fail.Usage, "write it with --yes, or give --dry-run to look only", "nothing was written: there is no terminal to ask on")
	}
	return nil
}

// initState is where it is kept what init did; "" where there is no home.
func initState() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pindex", "init")
}

// ownCommand returns what starts this program in a configuration that others may
// share.
func ownCommand(a *cli.App) string {
	if _, err := exec.LookPath(a.Name); err == nil {
		return a.Name
	}
	exe, err := os.Executable()
	if err != nil {
		return a.Name
	}
	a.Note("%s is not on PATH, so its path on this machine is written: %s", a.Name, exe)
	return exe
}

func chooseAgents(a *cli.App, ans *initAnswer, f initFlags) ([]setup.Agent, error) {
	home, _ := os.UserHomeDir()
	m := setup.Machine{Home: home, Getenv: os.Getenv, LookPath: exec.LookPath}
	for _, name := range f.agents {
		if !slices.Contains(agentNames(), name) {
			return nil, fail.New(fail.Usage, "use "+strings.Join(agentNames(), ", "), "no agent %q is known", name)
		}
	}
	var chosen []setup.Agent
	for _, g := range setup.Agents() {
		why := m.Found(ans.Root, g)
		if f.all || slices.Contains(f.agents, g.Name) || len(f.agents) == 0 && len(why) > 0 {
			chosen = append(chosen, g)
			ans.Agents = append(ans.Agents, initAgent{g.Name, g.Title, append([]string{}, why...)})
		}
	}
	if len(chosen) == 0 {
		return nil, fail.New(fail.NotFound, "name one with --agent ("+strings.Join(agentNames(), ", ")+"), or give --all", "no agent was found in the project, your home folder or on PATH")
	}
	return chosen, nil
}

// chooseWorkflow returns the workflow's text; "" for none.
func chooseWorkflow(l *git.Layout, f initFlags) (string, error) {
	switch f.workflow {
	case workflowNo:
		return "", nil
	case workflowYes:
	case workflowAuto:
		_, err := os.Stat(filepath.Join(l.WorkTree, ".github"))
		if err != nil && !onGitHub(l.RemoteURL("origin")) && !f.undo {
			return "", nil
		}
	default:
		return "", fail.New(fail.Usage, "use auto, yes or no", "unknown --workflow %q", f.workflow)
	}
	return setup.Workflow(actionRef(), defaultBranch(l)), nil
}

func onGitHub(url string) bool {
	return strings.Contains(url, "://github.com/") || strings.HasPrefix(url, "git@github.com:") || strings.Contains(url, "@github.com/")
}

// actionRef returns the commit of which this program was built; "" where that is
// not known, or would not be it.
func actionRef() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	rev := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return rev
}

// defaultBranch returns the branch that origin calls its own, else the one that
// is checked out, else "".
func defaultBranch(l *git.Layout) string {
	if name, _, err := l.Ref("refs/remotes/origin/HEAD"); err == nil {
		if b, ok := strings.CutPrefix(name, "refs/remotes/origin/"); ok && b != "HEAD" {
			return setup.SafeBranch(b)
		}
	}
	if name, _, err := l.Ref("HEAD"); err == nil {
		if b, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			return setup.SafeBranch(b)
		}
	}
	return ""
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func confirm(a *cli.App, p *setup.Plan) (bool, error) {
	n := 0
	for _, c := range p.Changes {
		if c.Action != "keep" {
			n++
		}
	}
	fmt.Fprintf(a.Stderr, "Write %s? [y/N] ", plural(n, "file"))
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return false, nil
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	a.Note("nothing was written")
	return false, nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeInit shows what init does. Diffs show lines of the project, which must
// not steer a terminal.
func writeInit(w io.Writer, ans *initAnswer, undo, onTerminal bool) {
	safe := func(s string) string { return s }
	if onTerminal {
		safe = cli.Visible
	}
	for _, g := range ans.Agents {
		why := "chosen by --agent or --all"
		if len(g.Found) > 0 {
			why = "found by " + strings.Join(g.Found, ", ")
		}
		fmt.Fprintf(w, "# %s: %s\n", g.Title, why)
	}
	for _, f := range ans.Files {
		if f.Action == "keep" {
			fmt.Fprintf(w, "# %s stays: %s\n", safe(f.Path), f.Why)
		}
	}
	for _, f := range ans.Files {
		for _, l := range strings.SplitAfter(f.Diff, "\n") {
			if body := strings.TrimSuffix(l, "\n"); l != "" {
				fmt.Fprintln(w, safe(body))
			}
		}
	}
	writeEnd(w, ans, undo)
}

func writeEnd(w io.Writer, ans *initAnswer, undo bool) {
	switch {
	case len(ans.Files) == 0:
		fmt.Fprintln(w, "# nothing to take back")
	case ans.Written && undo:
		fmt.Fprintln(w, "# taken back")
	case ans.Written:
		fmt.Fprintln(w, "# written; 'pindex init --undo' takes it back, 'pindex doctor' checks it")
	}
}
