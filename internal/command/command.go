// Package command is the command line's grammar: a program with commands, each
// with flags and arguments, and help for all of them. It does what the reading
// commands need and no more, because the client must stay small: a library of
// commands and flags for every purpose is a quarter of a megabyte.
//
// Flags are --name VALUE, --name=VALUE, -x VALUE, -xVALUE; flags without a value
// are --name, --name=false and -x, and several may follow one dash. They stand
// anywhere after the command that has them; those of the program stand anywhere.
// All after "--" are arguments.
package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Command is one command, or the program itself.
type Command struct {
	Use     string // its name, then its arguments as help shows them
	Short   string // one line for the list of commands
	Long    string // what help says; Short where it is empty
	Example string // lines for help
	Version string // of the program; gives it --version

	// Args checks the arguments; nil allows any.
	Args func(c *Command, args []string) error
	// PersistentPreRunE runs before the command and those below it.
	PersistentPreRunE func(c *Command, args []string) error
	// RunE does the work; nil for a command that only holds others.
	RunE func(c *Command, args []string) error

	parent     *Command
	commands   []*Command
	own, below FlagSet
	ctx        context.Context
	out        io.Writer
	flagError  func(c *Command, err error) error
	help, vers bool
}

// Name returns the first word of Use.
func (c *Command) Name() string {
	name, _, _ := strings.Cut(c.Use, " ")
	return name
}

// AddCommand puts commands below c.
func (c *Command) AddCommand(list ...*Command) {
	for _, k := range list {
		k.parent = c
		c.commands = append(c.commands, k)
	}
}

// Commands returns the commands below c, in the order in which they were added.
func (c *Command) Commands() []*Command { return c.commands }

// Flags returns the flags of c alone.
func (c *Command) Flags() *FlagSet { return &c.own }

// PersistentFlags returns the flags of c and of all commands below it.
func (c *Command) PersistentFlags() *FlagSet { return &c.below }

// Context returns what ExecuteContext was given.
func (c *Command) Context() context.Context { return c.root().ctx }

// SetOut says where help goes.
func (c *Command) SetOut(w io.Writer) { c.out = w }

// SetFlagErrorFunc says what becomes of an error in flags.
func (c *Command) SetFlagErrorFunc(f func(c *Command, err error) error) { c.flagError = f }

// CommandPath returns the names from the program's down to c's.
func (c *Command) CommandPath() string {
	if c.parent == nil {
		return c.Name()
	}
	return c.parent.CommandPath() + " " + c.Name()
}

// UseLine returns how c is called.
func (c *Command) UseLine() string {
	line := c.Use
	if c.parent != nil {
		line = c.parent.CommandPath() + " " + c.Use
	}
	if !strings.Contains(line, "[flags]") {
		line += " [flags]"
	}
	return line
}

func (c *Command) root() *Command {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// find returns the command of a name below c, or nil.
func (c *Command) find(name string) *Command {
	for _, k := range c.commands {
		if k.Name() == name {
			return k
		}
	}
	return nil
}

// ExecuteContext runs the command that the arguments name.
func (c *Command) ExecuteContext(ctx context.Context, args []string) error {
	c.ctx = ctx
	if c.find("help") == nil {
		c.AddCommand(&Command{Use: "help [COMMAND]", Short: "Help about a command", RunE: helpOf})
	}
	k, rest, err := c.parse(args)
	if err != nil {
		if c.flagError != nil {
			err = c.flagError(k, err)
		}
		return err
	}
	switch {
	case k.help:
		return k.Help()
	case c.vers:
		_, err := fmt.Fprintf(c.out, "%s version %s\n", c.Name(), c.Version)
		return err
	}
	if k.Args != nil {
		if err := k.Args(k, rest); err != nil {
			return err
		}
	}
	if k.RunE == nil {
		return k.Help()
	}
	for p := k; p != nil; p = p.parent {
		if p.PersistentPreRunE != nil {
			if err := p.PersistentPreRunE(k, rest); err != nil {
				return err
			}
		}
	}
	return k.RunE(k, rest)
}

// parse sets flags and returns the command and its arguments.
func (c *Command) parse(args []string) (*Command, []string, error) {
	k := c
	var rest []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return k, append(rest, args...), nil
		case len(arg) < 2 || arg[0] != '-':
			if len(rest) == 0 {
				if below := k.find(arg); below != nil {
					k = below
					continue
				}
			}
			rest = append(rest, arg)
		default:
			var err error
			if args, err = k.flag(arg, args); err != nil {
				return k, nil, err
			}
		}
	}
	return k, rest, nil
}

// flag sets what one word with a dash says, and returns the words after it.
func (c *Command) flag(arg string, rest []string) ([]string, error) {
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, value, given := strings.Cut(long, "=")
		f := c.lookup(func(f *flag) bool { return f.name == name })
		switch {
		case f == nil:
			return nil, fmt.Errorf("unknown flag: --%s", name)
		case given:
		case f.bare:
			value = "true"
		case len(rest) == 0:
			return nil, fmt.Errorf("flag needs an argument: --%s", name)
		default:
			value, rest = rest[0], rest[1:]
		}
		return rest, f.put(value)
	}
	for letters := arg[1:]; letters != ""; {
		f := c.lookup(func(f *flag) bool { return f.letter == letters[:1] })
		if f == nil {
			return nil, fmt.Errorf("unknown shorthand flag: %q in %s", letters[:1], arg)
		}
		value := letters[1:]
		letters = ""
		switch {
		case strings.HasPrefix(value, "="):
			value = value[1:]
		case f.bare:
			letters, value = value, "true"
		case value != "":
		case len(rest) == 0:
			return nil, fmt.Errorf("flag needs an argument: -%s, --%s", f.letter, f.name)
		default:
			value, rest = rest[0], rest[1:]
		}
		if err := f.put(value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// lookup finds a flag of c, of those above it, or one that every command has.
func (c *Command) lookup(is func(*flag) bool) *flag {
	for _, f := range c.own.list {
		if is(f) {
			return f
		}
	}
	for k := c; k != nil; k = k.parent {
		for _, f := range k.below.list {
			if is(f) {
				return f
			}
		}
	}
	for _, f := range c.every() {
		if is(f) {
			return f
		}
	}
	return nil
}

// every returns the flags that come by themselves.
func (c *Command) every() []*flag {
	list := []*flag{{name: "help", letter: "h", usage: "help for " + c.Name(), bare: true, set: setBool(&c.help)}}
	if c.Version != "" {
		list = append(list, &flag{name: "version", letter: "v", usage: "version of " + c.Name(), bare: true, set: setBool(&c.vers)})
	}
	return list
}

// NoArgs allows no argument.
func NoArgs(_ *Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("accepts no argument, received %q", args[0])
	}
	return nil
}

// ExactArgs allows n arguments.
func ExactArgs(n int) func(*Command, []string) error { return RangeArgs(n, n) }

// MaximumNArgs allows up to n arguments.
func MaximumNArgs(n int) func(*Command, []string) error { return RangeArgs(0, n) }

// RangeArgs allows from lo up to hi arguments.
func RangeArgs(lo, hi int) func(*Command, []string) error {
	return func(_ *Command, args []string) error {
		switch n := len(args); {
		case lo <= n && n <= hi:
			return nil
		case lo == hi:
			return fmt.Errorf("accepts %d argument(s), received %d", lo, n)
		default:
			return fmt.Errorf("accepts from %d up to %d arguments, received %d", lo, hi, n)
		}
	}
}
