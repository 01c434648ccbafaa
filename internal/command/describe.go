package command

// FlagInfo describes one flag of a command, for whoever writes completions.
type FlagInfo struct {
	Name, Letter string // without dashes; Letter may be empty
	Kind         string // the value's name in help; "" for a flag without a value
	Usage        string // without backquotes
	Global       bool   // of a command above
}

// Root returns the program.
func (c *Command) Root() *Command { return c.root() }

// AllFlags returns the flags in help that may follow the command's name: its own, those
// of the commands above it, and those that come by themselves.
func (c *Command) AllFlags() []FlagInfo {
	var out []FlagInfo
	add := func(list []*flag, global bool) {
		for _, f := range list {
			if f.usage == "" {
				continue
			}
			i := FlagInfo{Name: f.name, Letter: f.letter, Usage: f.usage, Global: global}
			kind, usage := valueName(f)
			if i.Usage = usage; !f.bare {
				i.Kind = kind
			}
			out = append(out, i)
		}
	}
	add(c.own.list, false)
	add(c.below.list, false)
	add(c.every(), false)
	for k := c.parent; k != nil; k = k.parent {
		add(k.below.list, true)
	}
	return out
}

// Check parses arguments as ExecuteContext does, sets the flags, runs nothing,
// and returns the command that they lead to.
func (c *Command) Check(args []string) (*Command, error) {
	k, rest, err := c.parse(args)
	if err == nil && k.Args != nil {
		err = k.Args(k, rest)
	}
	return k, err
}
