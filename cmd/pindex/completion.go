package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
)

var shells = []string{"bash", "zsh", "fish"}

func completionCmd(a *cli.App) *command.Command {
	return &command.Command{
		Use:   "completion SHELL",
		Short: "A script that completes commands, flags and their values in bash, zsh or fish",
		Long: `A script that completes commands, flags and their values in bash, zsh or fish.
The shell reads it when it starts:

  bash  pindex completion bash > ~/.local/share/bash-completion/completions/pindex
  zsh   pindex completion zsh > "${fpath[1]}/_pindex"
  fish  pindex completion fish > ~/.config/fish/completions/pindex.fish`,
		Example: `  source <(pindex completion bash)
  pindex completion fish > ~/.config/fish/completions/pindex.fish`,
		Args: command.ExactArgs(1),
		RunE: func(c *command.Command, args []string) error {
			write := map[string]func(io.Writer, []completable){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[args[0]]
			if write == nil {
				return fail.New(fail.Usage, "use "+strings.Join(shells, ", "), "there is no completion for %q", args[0])
			}
			var b strings.Builder
			write(&b, completables(c.Root()))
			_, err := io.WriteString(a.Stdout, b.String())
			return err
		},
	}
}

// fixedValues are those of flags, by command and flag, or by flag alone, and
// those of a command's argument.
var fixedValues = map[string][]string{
	"--progress":         {"auto", "plain", "none"},
	"--git":              {"auto", "program", "embedded"},
	"--views":            {"source", "lexical", "dense", "structural"},
	"search --route":     {"auto", "lexical", "semantic", "hybrid", "structural"},
	"search --level":     {"unit", "file"},
	"context --route":    {"auto", "lexical", "semantic", "hybrid", "structural"},
	"context --policy":   {"files", "eager", "compact"},
	"context --format":   {"markdown", "xml"},
	"graph --format":     {"dot", "mermaid"},
	"compile --parent":   {"auto", "none"},
	"compile --embedder": {builtinEmbedder},
	"compile --scip":     {"auto", "parent"},
	"mcp --tools":        {"default", "all"},
	"init --agent":       agentNames(),
	"init --workflow":    {workflowAuto, workflowYes, workflowNo},
	"completion":         shells,
}

// completable is a command as a script knows it: its path below the program, ""
// for the program.
type completable struct {
	path     string
	commands []*command.Command
	flags    []completableFlag
	args     []string // fixed ones
}

type completableFlag struct {
	command.FlagInfo
	values []string
	files  string // "file", "folder" or "": what its value names
}

func completables(root *command.Command) []completable {
	var out []completable
	var walk func(c *command.Command, path string)
	walk = func(c *command.Command, path string) {
		k := completable{path: path, commands: slices.Clone(c.Commands()), args: fixedValues[path]}
		slices.SortFunc(k.commands, func(x, y *command.Command) int { return strings.Compare(x.Name(), y.Name()) })
		if path == "help" {
			for _, o := range root.Commands() {
				k.args = append(k.args, o.Name())
			}
			slices.Sort(k.args)
		}
		for _, f := range c.AllFlags() {
			g := completableFlag{FlagInfo: f, values: fixedValues[path+" --"+f.Name]}
			if g.values == nil {
				g.values = fixedValues["--"+f.Name]
			}
			switch f.Kind {
			case "FILE", "PATH", "PROGRAM":
				g.files = "file"
			case "DIR", "REF", "DIRS":
				g.files = "folder"
			}
			k.flags = append(k.flags, g)
		}
		slices.SortFunc(k.flags, func(x, y completableFlag) int { return strings.Compare(x.Name, y.Name) })
		out = append(out, k)
		for _, below := range k.commands {
			walk(below, strings.TrimPrefix(path+" "+below.Name(), " "))
		}
	}
	walk(root, "")
	return out
}

// withValue returns the flags of all commands that take a value, as words.
func withValue(list []completable) []string {
	var out []string
	for _, k := range list {
		for _, f := range k.flags {
			if f.Kind == "" {
				continue
			}
			out = append(out, f.words()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// words returns a flag's spellings.
func (f completableFlag) words() []string {
	out := []string{"--" + f.Name}
	if f.Letter != "" {
		out = append(out, "-"+f.Letter)
	}
	return out
}

// commandCases writes a case for each command below another one: the path so
// far and the command's word lead to its path. open begins a pattern as the
// shell writes it, with a place for the text.
func commandCases(w io.Writer, list []completable, open string) {
	for _, k := range list {
		if k.path != "" {
			above, name := split(k.path)
			fmt.Fprintf(w, "\t\t"+open+") at='%s' ;;\n", above+"/"+name, k.path)
		}
	}
}

// valueCases writes a case for the value of each flag whose values are known,
// are files or are folders. open is as for commandCases; values has a place for
// the values.
func valueCases(w io.Writer, list []completable, open, values, files, folders string) {
	for _, k := range list {
		for _, f := range k.flags {
			complete := ""
			switch {
			case f.Kind == "":
			case len(f.values) > 0:
				complete = fmt.Sprintf(values, strings.Join(f.values, " "))
			case f.files == "file":
				complete = files
			case f.files == "folder":
				complete = folders
			}
			if complete == "" {
				continue
			}
			for _, word := range f.words() {
				fmt.Fprintf(w, "\t\t"+open+") %s ;;\n", k.path+" "+word, complete)
			}
		}
	}
}

func bashCompletion(w io.Writer, list []completable) {
	fmt.Fprint(w, `# Completion of pindex for bash: source it.
_pindex() {
	local cur=${COMP_WORDS[COMP_CWORD]} at= flag= word i commands= flags= args=
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
`)
	fmt.Fprintf(w, "\t\t%s)\n", strings.Join(withValue(list), "|"))
	fmt.Fprint(w, `			flag=$word
			((i++))
			[[ ${COMP_WORDS[i]} == = ]] && ((i++))
			if ((i < COMP_CWORD)); then flag=; fi
			continue ;;
		-*) continue ;;
		esac
		case "$at/$word" in
`)
	commandCases(w, list, "'%s'")
	fmt.Fprint(w, `		esac
	done
	[[ $cur == = ]] && cur=
	COMPREPLY=()
	if [[ -n $flag ]]; then
		case "$at $flag" in
`)
	valueCases(w, list, "'%s'", `COMPREPLY=($(compgen -W '%s' -- "$cur"))`, `COMPREPLY=($(compgen -f -- "$cur"))`, `COMPREPLY=($(compgen -d -- "$cur"))`)
	fmt.Fprint(w, `		esac
		return
	fi
	case $at in
`)
	for _, k := range list {
		var commands, flags []string
		for _, c := range k.commands {
			commands = append(commands, c.Name())
		}
		for _, f := range k.flags {
			flags = append(flags, f.words()...)
		}
		fmt.Fprintf(w, "\t'%s') commands='%s' args='%s' flags='%s' ;;\n", k.path, strings.Join(commands, " "), strings.Join(k.args, " "), strings.Join(flags, " "))
	}
	fmt.Fprint(w, `	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
	elif [[ -n $commands$args ]]; then
		COMPREPLY=($(compgen -W "$commands $args" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -o bashdefault -F _pindex pindex
`)
}

func split(path string) (above, name string) {
	if i := strings.LastIndexByte(path, ' '); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// quoted is a word in single quotes, for zsh and fish; colons separate what is
// described from what describes it.
func quoted(s string, fish bool) string {
	if fish {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func zshCompletion(w io.Writer, list []completable) {
	fmt.Fprint(w, `#compdef pindex
# Completion of pindex for zsh: put it into a folder of $fpath as _pindex.
_pindex() {
	local at= flag= word i
	local -a commands flags args
	for ((i = 2; i < CURRENT; i++)); do
		word=$words[i]
		case $word in
`)
	fmt.Fprintf(w, "\t\t(%s))\n", strings.Join(withValue(list), "|"))
	fmt.Fprint(w, `			flag=$word
			((i++))
			if ((i < CURRENT)); then flag=; fi
			continue ;;
		(-*) continue ;;
		esac
		case "$at/$word" in
`)
	commandCases(w, list, "('%s'")
	fmt.Fprint(w, `		esac
	done
	if [[ -z $flag && $words[CURRENT] == --*=* ]]; then
		flag=${words[CURRENT]%%=*}
		compset -P '*='
	fi
	if [[ -n $flag ]]; then
		case "$at $flag" in
`)
	valueCases(w, list, "('%s'", "compadd -- %s", "_files", "_files -/")
	fmt.Fprint(w, `		esac
		return
	fi
	case $at in
`)
	colon := strings.NewReplacer(`\`, `\\`, ":", `\:`)
	for _, k := range list {
		fmt.Fprintf(w, "\t('%s')\n", k.path)
		list := func(name string, items []string) {
			if len(items) > 0 {
				fmt.Fprintf(w, "\t\t%s=(\n\t\t\t%s\n\t\t)\n", name, strings.Join(items, "\n\t\t\t"))
			}
		}
		var commands, args, flags []string
		for _, c := range k.commands {
			commands = append(commands, quoted(c.Name()+":"+colon.Replace(c.Short), false))
		}
		for _, v := range k.args {
			args = append(args, quoted(v, false))
		}
		for _, f := range k.flags {
			for _, word := range f.words() {
				flags = append(flags, quoted(word+":"+colon.Replace(f.Usage), false))
			}
		}
		list("commands", commands)
		list("args", args)
		list("flags", flags)
		fmt.Fprint(w, "\t\t;;\n")
	}
	fmt.Fprint(w, `	esac
	if [[ $words[CURRENT] == -* ]]; then
		_describe flag flags
	elif (($#commands)); then
		_describe command commands
	elif (($#args)); then
		compadd -a args
	else
		_files
	fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_pindex "$@"
else
	compdef _pindex pindex
fi
`)
}

func fishCompletion(w io.Writer, list []completable) {
	fmt.Fprint(w, `# Completion of pindex for fish.
function __pindex_at --description 'whether the words so far lead to these commands'
	set -l at
	set -l skip 0
	for word in (commandline -opc)[2..-1]
		if test $skip = 1
			set skip 0
			continue
		end
		switch $word
`)
	fmt.Fprintf(w, "\t\t\tcase %s\n", strings.Join(withValue(list), " "))
	fmt.Fprint(w, `				set skip 1
			case '-*'
			case '*'
				set -a at $word
		end
	end
	set -l n (count $argv)
	if test $n = 0
		test (count $at) = 0
		return
	end
	test "$at[1..$n]" = "$argv"
end
complete -c pindex -f
`)
	for _, k := range list {
		when := ""
		if k.path != "" {
			when = " -n '__pindex_at " + k.path + "'"
		}
		for _, c := range k.commands {
			if k.path == "" {
				fmt.Fprintf(w, "complete -c pindex -n __pindex_at -a %s -d %s\n", c.Name(), quoted(c.Short, true))
			} else {
				fmt.Fprintf(w, "complete -c pindex%s -a %s -d %s\n", when, c.Name(), quoted(c.Short, true))
			}
		}
		if len(k.args) > 0 {
			fmt.Fprintf(w, "complete -c pindex%s -a %s\n", when, quoted(strings.Join(k.args, " "), true))
		} else if len(k.commands) == 0 {
			fmt.Fprintf(w, "complete -c pindex%s -F\n", when)
		}
		for _, f := range k.flags {
			if k.path != "" && (f.Global || f.Name == "help") {
				continue // the program's are offered everywhere
			}
			fmt.Fprintf(w, "complete -c pindex%s -l %s", when, f.Name)
			if f.Letter != "" {
				fmt.Fprintf(w, " -s %s", f.Letter)
			}
			switch {
			case f.Kind == "":
			case len(f.values) > 0:
				fmt.Fprintf(w, " -x -a %s", quoted(strings.Join(f.values, " "), true))
			case f.files == "file":
				fmt.Fprint(w, " -r -F")
			case f.files == "folder":
				fmt.Fprint(w, " -x -a '(__fish_complete_directories)'")
			default:
				fmt.Fprint(w, " -x")
			}
			fmt.Fprintf(w, " -d %s\n", quoted(f.Usage, true))
		}
	}
}
