package command

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// Help writes what c does and how it is called.
func (c *Command) Help() error {
	var b strings.Builder
	long := c.Long
	if long == "" {
		long = c.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n", strings.TrimSpace(long))
	if c.RunE != nil {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if len(c.commands) > 0 {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if len(c.commands) > 0 {
		var rows [][2]string
		for _, k := range c.commands {
			rows = append(rows, [2]string{k.Name(), k.Short})
		}
		sort.Slice(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
		table(&b, "Available Commands", rows)
	}
	table(&b, "Flags", flagRows(append(append(append([]*flag(nil), c.own.list...), c.below.list...), c.every()...)))
	var above []*flag
	for k := c.parent; k != nil; k = k.parent {
		above = append(above, k.below.list...)
	}
	table(&b, "Global Flags", flagRows(above))
	if len(c.commands) > 0 {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	_, err := io.WriteString(c.root().out, b.String())
	return err
}

// flagRows describes flags, sorted by name.
func flagRows(list []*flag) [][2]string {
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	var rows [][2]string
	for _, f := range list {
		if f.usage == "" {
			continue
		}
		left := "    --" + f.name
		if f.letter != "" {
			left = "-" + f.letter + ", --" + f.name
		}
		kind, usage := valueName(f)
		if kind != "" {
			left += " " + kind
		}
		if f.initial != "" {
			usage += " (default " + f.initial + ")"
		}
		rows = append(rows, [2]string{left, usage})
	}
	return rows
}

// valueName returns the name of a flag's value, and its usage without backquotes.
func valueName(f *flag) (kind, usage string) {
	if before, rest, ok := strings.Cut(f.usage, "`"); ok {
		if word, after, ok := strings.Cut(rest, "`"); ok {
			return word, before + word + after
		}
	}
	return f.kind, f.usage
}

// table writes rows in two columns.
func table(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, r := range rows {
		fmt.Fprintf(b, "  %-*s   %s\n", width, r[0], r[1])
	}
}

// helpOf is the command help.
func helpOf(c *Command, args []string) error {
	k := c.root()
	for _, name := range args {
		below := k.find(name)
		if below == nil {
			err := fmt.Errorf("unknown help topic %q", name)
			if check := c.root().flagError; check != nil {
				err = check(k, err)
			}
			return err
		}
		k = below
	}
	return k.Help()
}
