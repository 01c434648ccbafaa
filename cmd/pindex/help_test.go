package main

import (
	"io"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
)

func commands() *command.Command {
	a := &cli.App{Program: program(), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
	return a.Root()
}

// Every command shows how it is used, by two calls or more that it would accept.
func TestExamples(t *testing.T) {
	var walk func(c *command.Command)
	walk = func(c *command.Command) {
		if c != c.Root() {
			examples := 0
			for line := range strings.SplitSeq(c.Example, "\n") {
				calls, ok := exampleCalls(line)
				if !ok || len(calls) == 0 {
					t.Errorf("%s: the example %q does not call pindex", c.CommandPath(), line)
				}
				for _, args := range calls {
					got, err := commands().Check(args) // each by a program of its own
					if err != nil {
						t.Errorf("%s: the example %q is not accepted: %v", c.CommandPath(), line, err)
					} else if got.CommandPath() == c.CommandPath() {
						examples++
					}
				}
			}
			if examples < 2 {
				t.Errorf("%s has %d examples, not two", c.CommandPath(), examples)
			}
		}
		for _, k := range c.Commands() {
			walk(k)
		}
	}
	walk(commands())
}

// exampleCalls returns the arguments of each call of pindex in a line of a shell.
func exampleCalls(line string) (calls [][]string, ok bool) {
	for {
		_, rest, found := strings.Cut(line, "pindex ")
		if !found {
			return calls, true
		}
		var args []string
		var word strings.Builder
		var quote rune
		begun := false
		end := func() {
			if begun {
				args = append(args, word.String())
			}
			word.Reset()
			begun = false
		}
		at := len(rest)
	scan:
		for i, r := range rest {
			switch {
			case quote != 0 && r == quote:
				quote = 0
			case quote != 0:
				word.WriteRune(r)
			case r == '\'' || r == '"':
				quote, begun = r, true
			case r == ' ':
				end()
			case r == ')' || !begun && strings.ContainsRune("|>#;&", r):
				at = i
				break scan
			default:
				word.WriteRune(r)
				begun = true
			}
		}
		end()
		if quote != 0 {
			return nil, false
		}
		calls = append(calls, args)
		line = rest[at:]
	}
}
