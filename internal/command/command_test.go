package command

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// program is one with a flag of each kind.
func program(out *strings.Builder) *Command {
	var (
		dir, where   string
		quiet, loud  bool
		k            int
		wait         time.Duration
		list, slices []string
	)
	root := &Command{
		Use: "prog", Short: "Does things", Version: "1.2",
		Args: func(_ *Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(c *Command, _ []string) error { return c.Help() },
	}
	root.SetOut(out)
	root.SetFlagErrorFunc(func(c *Command, err error) error { return fmt.Errorf("%s: %w", c.CommandPath(), err) })
	root.PersistentFlags().StringVar(&dir, "dir", "", "`DIR` to work in")
	root.PersistentFlags().BoolVarP(&quiet, "quiet", "q", false, "say nothing")
	do := &Command{
		Use: "do WHAT", Short: "Do it", Args: RangeArgs(1, 2), Example: "  prog do it",
		RunE: func(c *Command, args []string) error {
			fmt.Fprintf(out, "%s dir=%s quiet=%t loud=%t k=%d wait=%s where=%s list=%q slices=%q args=%q given=%t", c.Name(), dir, quiet, loud, k, wait, where, list, slices, args, c.Flags().Changed("where"))
			return nil
		},
	}
	f := do.Flags()
	f.BoolVarP(&loud, "loud", "l", false, "shout")
	f.IntVarP(&k, "number", "k", 3, "how many")
	f.DurationVar(&wait, "wait", time.Second, "how long")
	f.StringVar(&where, "where", "here", "the place")
	f.StringArrayVar(&list, "item", nil, "an item")
	f.StringSliceVar(&slices, "views", []string{"a"}, "some views")
	sub := &Command{Use: "sub", Short: "Below", Args: NoArgs, RunE: func(*Command, []string) error { out.WriteString("sub"); return nil }}
	do.AddCommand(sub)
	root.AddCommand(do)
	return root
}

func TestCommandLines(t *testing.T) {
	const none = `do dir= quiet=false loud=false k=3 wait=1s where=here list=[] slices=["a"] args=["x"] given=false`
	for line, want := range map[string]string{
		"do x":                           none,
		"do sub":                         "sub",
		"do x --dir d -q":                strings.NewReplacer("dir=", "dir=d", "quiet=false", "quiet=true").Replace(none),
		"--dir=d do x --quiet":           strings.NewReplacer("dir=", "dir=d", "quiet=false", "quiet=true").Replace(none),
		"do -lqk7 x":                     strings.NewReplacer("loud=false", "loud=true", "quiet=false", "quiet=true", "k=3", "k=7").Replace(none),
		"do -k 7 x -l=true":              strings.NewReplacer("loud=false", "loud=true", "k=3", "k=7").Replace(none),
		"do --number=0x10 x":             strings.NewReplacer("k=3", "k=16").Replace(none),
		"do x --wait 2m --where here":    strings.NewReplacer("wait=1s", "wait=2m0s", "given=false", "given=true").Replace(none),
		"do x --item a,b --item c":       strings.NewReplacer("list=[]", `list=["a,b" "c"]`).Replace(none),
		"do x --views b,c --views d":     strings.NewReplacer(`slices=["a"]`, `slices=["b" "c" "d"]`).Replace(none),
		"do x -- -l":                     strings.NewReplacer(`["x"]`, `["x" "-l"]`).Replace(none),
		"do x -":                         strings.NewReplacer(`["x"]`, `["x" "-"]`).Replace(none),
		"do x --loud=false":              none,
		"do":                             "error: accepts from 1 up to 2 arguments, received 0",
		"do sub x":                       `error: accepts no argument, received "x"`,
		"do x --what":                    "error: prog do: unknown flag: --what",
		"do x -lz":                       `error: prog do: unknown shorthand flag: "z" in -lz`,
		"do x --number":                  "error: prog do: flag needs an argument: --number",
		"do x -k":                        "error: prog do: flag needs an argument: -k, --number",
		"do x -k many":                   `error: prog do: invalid argument "many" for --number: invalid syntax`,
		"do x -k 99999999999999999999":   `error: prog do: invalid argument "99999999999999999999" for --number: value out of range`,
		"do x --wait 3":                  `error: prog do: invalid argument "3" for --wait: time: missing unit in duration "3"`,
		"--number 3 do x":                "error: prog: unknown flag: --number",
		"nonsense":                       `error: unknown command "nonsense"`,
		"help nonsense":                  `error: prog: unknown help topic "nonsense"`,
		"--version":                      "prog version 1.2\n",
		"-v":                             "prog version 1.2\n",
		"do --help x --wait 2m --item z": doHelp,
		"help do":                        doHelp,
	} {
		var out strings.Builder
		if err := program(&out).ExecuteContext(context.Background(), strings.Fields(line)); err != nil {
			out.WriteString("error: " + err.Error())
		}
		if out.String() != want {
			t.Errorf("%s\n got %s\nwant %s", line, out.String(), want)
		}
	}
}

const doHelp = `Do it

Usage:
  prog do WHAT [flags]
  prog do [command]

Examples:
  prog do it

Available Commands:
  sub   Below

Flags:
  -h, --help            help for do
      --item string     an item
  -l, --loud            shout
  -k, --number int      how many (default 3)
      --views strings   some views (default a)
      --wait duration   how long (default 1s)
      --where string    the place (default "here")

Global Flags:
      --dir DIR   DIR to work in
  -q, --quiet     say nothing

Use "prog do [command] --help" for more information about a command.
`

func TestHelpOfTheProgram(t *testing.T) {
	var texts []string
	for _, line := range []string{"", "--help", "help"} {
		var out strings.Builder
		if err := program(&out).ExecuteContext(context.Background(), strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, out.String())
	}
	if !reflect.DeepEqual(texts, []string{texts[0], texts[0], texts[0]}) || !strings.Contains(texts[0], "\nAvailable Commands:\n  do     Do it\n  help   Help about a command\n") || !strings.Contains(texts[0], "-v, --version") {
		t.Errorf("help of the program:\n%s", strings.Join(texts, "\n----\n"))
	}
}
