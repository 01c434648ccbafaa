package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// completions are what a shell offers for words, of which the last may be begun.
var completions = []struct {
	words      []string
	want, lack []string // among what is offered
	only       bool     // nothing else is
}{
	{words: []string{"sea"}, want: []string{"seal", "search"}, only: true},
	{words: []string{""}, want: []string{"search", "init", "doctor", "mcp"}, lack: []string{"--json", "prune"}},
	{words: []string{"--js"}, want: []string{"--json"}, only: true},
	{words: []string{"search", "--ro"}, want: []string{"--route"}, only: true},
	{words: []string{"search", "x", "--route", ""}, want: []string{"auto", "hybrid", "lexical", "semantic", "structural"}, only: true},
	{words: []string{"search", "x", "--route", "h"}, want: []string{"hybrid"}, only: true},
	{words: []string{"--progress", "pl"}, want: []string{"plain"}, only: true},
	{words: []string{"refs", "f", "--progress", "n"}, want: []string{"none"}, only: true},
	{words: []string{"cache", ""}, want: []string{"prune"}, only: true},
	{words: []string{"cache", "prune", "--max"}, want: []string{"--max-size"}, only: true},
	// The value of a flag is no command.
	{words: []string{"--repo", "search", "--route"}, lack: []string{"--route"}},
	{words: []string{"--repo", "search", "ini"}, want: []string{"init"}, only: true},
	{words: []string{"-q", "init", "--agent", "co"}, want: []string{"codex"}, only: true},
	{words: []string{"completion", ""}, want: shells, only: true},
	{words: []string{"context", "x", "--receipt", "some-f"}, want: []string{"some-file"}, only: true},
	{words: []string{"show", "some-f"}, want: []string{"some-file"}, only: true},
}

// checkCompletions asks a shell for each line by a script that prints what is
// offered, one a line.
func checkCompletions(t *testing.T, shell string, script func(words []string) string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Fatalf("there is no %s to try the completion with: install it", shell)
	}
	var b strings.Builder
	map[string]func(*strings.Builder){
		"bash": func(b *strings.Builder) { bashCompletion(b, completables(commands())) },
		"zsh":  func(b *strings.Builder) { zshCompletion(b, completables(commands())) },
		"fish": func(b *strings.Builder) { fishCompletion(b, completables(commands())) },
	}[shell](&b)
	dir := t.TempDir()
	write(t, dir+"/some-file", "")
	write(t, dir+"/completion", b.String())
	for _, c := range completions {
		args := map[string][]string{"bash": {"--norc", "--noprofile"}, "zsh": {"-f"}, "fish": {"--no-config"}}[shell]
		cmd := exec.Command(path, append(args, "-c", script(c.words))...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %q: %v\n%s", shell, c.words, err, out)
			continue
		}
		got := strings.Fields(string(out))
		slices.Sort(got)
		if c.only && !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: %q offers %q, not %q alone", shell, c.words, got, c.want)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q does not offer %q: %.300q", shell, c.words, w, got)
			}
		}
		for _, w := range c.lack {
			if slices.Contains(got, w) {
				t.Errorf("%s: %q offers %q", shell, c.words, w)
			}
		}
	}
}

func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, quoted(w, false))
	}
	return strings.Join(out, " ")
}

func TestCompletionBash(t *testing.T) {
	checkCompletions(t, "bash", func(words []string) string {
		return fmt.Sprintf("source ./completion; COMP_WORDS=(pindex %s); COMP_CWORD=%d; _pindex; printf '%%s\\n' \"${COMPREPLY[@]}\"", shellWords(words), len(words))
	})
	// With an equals sign, which bash takes for a word of its own.
	words := completions
	defer func() { completions = words }()
	completions = completions[:0:0]
	completions = append(completions, words[4], words[5])
	completions[0].words = []string{"search", "x", "--route", "="}
	completions[1].words = []string{"search", "x", "--route", "=", "h"}
	checkCompletions(t, "bash", func(words []string) string {
		return fmt.Sprintf("source ./completion; COMP_WORDS=(pindex %s); COMP_CWORD=%d; _pindex; printf '%%s\\n' \"${COMPREPLY[@]}\"", shellWords(words), len(words))
	})
}

// What is fixed is what the flags say themselves.
func TestFixedValues(t *testing.T) {
	used := map[string]bool{}
	for _, k := range completables(commands()) {
		if k.path == "completion" {
			used[k.path] = true
		}
		for _, f := range k.flags {
			for _, key := range []string{k.path + " --" + f.Name, "--" + f.Name} {
				if fixedValues[key] == nil {
					continue
				}
				used[key] = true
				for _, v := range fixedValues[key] {
					// prepare and seal refer to the views of the compile.
					if !strings.Contains(f.Usage, v) && f.Name != "views" {
						t.Errorf("%s --%s: %q is not in %q", k.path, f.Name, v, f.Usage)
					}
				}
				break
			}
		}
	}
	for key := range fixedValues {
		if !used[key] {
			t.Errorf("%q is no flag", key)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
