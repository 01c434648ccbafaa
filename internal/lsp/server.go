package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Server is a language server and how it is run.
type Server struct {
	Name     string         // such as "gopls"
	Argv     []string       // program and arguments
	Langs    []string       // languages that it answers for, as the index names them
	Init     any            // initializationOptions
	Settings map[string]any // by section
	ready    readiness
}

// readiness is how a server tells that it has read the project.
type readiness int

const (
	readyAtOnce   readiness = iota // it answers when it can
	readyQuiet                     // by experimental/serverStatus
	readyProgress                  // when its work has begun and ended
)

// Known returns the servers that this package knows how to run, in the order
// in which they are preferred.
func Known() []Server {
	python := map[string]any{
		"diagnosticMode": "openFilesOnly", "typeCheckingMode": "off", "autoSearchPaths": true, "useLibraryCodeForTypes": true,
	}
	tsPreferences := map[string]any{"includePackageJsonAutoImports": "off"}
	return []Server{
		{
			Name: "gopls", Argv: []string{"gopls", "serve"}, Langs: []string{"go"},
			Init:     map[string]any{"semanticTokens": true},
			Settings: map[string]any{"gopls": map[string]any{"semanticTokens": true}},
		},
		{
			Name: "basedpyright", Argv: []string{"basedpyright-langserver", "--stdio"}, Langs: []string{"python"},
			Settings: map[string]any{
				"basedpyright": map[string]any{"analysis": python}, "basedpyright.analysis": python,
				"python": map[string]any{"analysis": python}, "python.analysis": python,
			},
		},
		{
			Name: "pyright", Argv: []string{"pyright-langserver", "--stdio"}, Langs: []string{"python"},
			Settings: map[string]any{"python": map[string]any{"analysis": python}, "python.analysis": python},
		},
		{
			Name: "typescript-language-server", Argv: []string{"typescript-language-server", "--stdio"},
			Langs: []string{"typescript", "tsx", "javascript"},
			Init: map[string]any{
				"disableAutomaticTypingAcquisition": true, "preferences": tsPreferences,
				"tsserver": map[string]any{"useSyntaxServer": "never"},
			},
		},
		{
			Name: "rust-analyzer", Argv: []string{"rust-analyzer"}, Langs: []string{"rust"},
			Init: map[string]any{
				"checkOnSave": false, "cargo": map[string]any{"allFeatures": true, "features": "all"},
				"cachePriming": map[string]any{"enable": false},
			},
			ready: readyQuiet,
		},
		{
			Name: "clangd", Argv: []string{"clangd", "--background-index", "--background-index-priority=normal", "--limit-references=0", "--limit-results=0", "--log=error"},
			Langs: []string{"c", "cpp"},
			ready: readyProgress,
		},
	}
}

// Find returns the first known server for a language that is on PATH, with the
// full path of its program.
func Find(lang string) (Server, bool) {
	for _, s := range For(lang) {
		if p, err := exec.LookPath(s.Argv[0]); err == nil {
			if p, err = filepath.Abs(p); err == nil {
				s.Argv = append([]string{p}, s.Argv[1:]...)
				return s, true
			}
		}
	}
	return Server{}, false
}

// For returns the known servers for a language.
func For(lang string) []Server {
	var out []Server
	for _, s := range Known() {
		for _, l := range s.Langs {
			if l == lang {
				out = append(out, s)
			}
		}
	}
	return out
}

// kept are the variables that servers and the tools behind them need. All
// others, among them every token and password, stay out of a program that runs
// a project's code.
var kept = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "GOOS", "GOARCH", "CGO_ENABLED",
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_TARGET_DIR",
	"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "NODE_PATH", "JAVA_HOME",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS",
}

// Environment cuts an environment, in the form of os.Environ, down to what a
// language server needs.
func Environment(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok {
			continue
		}
		name = strings.ToUpper(name)
		keep := strings.HasPrefix(name, "LC_")
		for _, k := range kept {
			keep = keep || k == name
		}
		if keep {
			out = append(out, kv)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "GOFLAGS=-mod=readonly")
}

// OwnEnvironment is Environment of this process.
func OwnEnvironment() []string { return Environment(os.Environ()) }
