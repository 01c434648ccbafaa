//go:build shells

package main

import (
	"fmt"
	"os"
	"testing"
)

// These need shells that are not everywhere: go test -tags shells.

func TestCompletionZsh(t *testing.T) {
	// Without a terminal there is no line to complete: what the script would offer
	// is taken from its calls.
	checkCompletions(t, "zsh", func(words []string) string {
		return fmt.Sprintf(`compdef() { : }; zmodload zsh/complist 2>/dev/null
compadd() { local -a all; if [[ $1 == -a ]]; then all=(${(P)2}); else shift; all=($@); fi; print -l -- ${(M)all:#${words[CURRENT]}*} }
_describe() { local -a all; all=(${(P)2}); all=(${all%%%%:*}); print -l -- ${(M)all:#${words[CURRENT]}*} }
_files() { print -l -- ${words[CURRENT]}*(N) }
compset() { : }
source ./completion; words=(pindex %s); CURRENT=%d; _pindex; true`, shellWords(words), len(words)+1)
	})
}

func TestCompletionFish(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	os.Setenv("XDG_CONFIG_HOME", os.Getenv("HOME"))
	checkCompletions(t, "fish", func(words []string) string {
		line := "pindex"
		for _, w := range words {
			line += " " + w
		}
		return fmt.Sprintf("source ./completion; complete -C %s | string replace -r '\\t.*' ''; true", quoted(line, true))
	})
}
