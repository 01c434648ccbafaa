package setup

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// ServerName is the name under which agents know the MCP server.
const ServerName = "pindex"

// format is the form of a configuration file.
type format int

const (
	jsonc format = iota
	tomlFile
)

// Agent is a program that pindex can be registered with.
type Agent struct {
	Name  string // as --agent takes it
	Title string // as its makers write it

	// Config is the project's own configuration, the path from the root with
	// slashes; where others do as well, the first that is there counts.
	Config []string
	format format
	// keys lead to the object of servers, and first is what a new file begins
	// with.
	keys  []string
	first []pair
	entry func(command string) pairs

	// strict agents read JSON without comments and trailing commas alone, and
	// nothing of a file that has some.
	strict bool

	// Instructions is the file that it reads before it works.
	Instructions string

	// What tells that it is used: paths in the project, in the home folder, and
	// programs.
	project, home, programs []string
	// HomeEnv is a variable that moves a folder of its own.
	homeEnv string
}

// Agents returns the agents that are known, in the order in which they are
// shown. Their configuration is that of the project, which can be committed.
func Agents() []Agent {
	plain := func(kind bool, args ...string) func(string) pairs {
		return func(command string) pairs {
			p := pairs{{"command", command}, {"args", append([]string{"mcp"}, args...)}}
			if kind {
				p = append(pairs{{"type", "stdio"}}, p...)
			}
			return p
		}
	}
	return []Agent{
		{
			Name: "claude", Title: "Claude Code", Config: []string{".mcp.json"}, keys: []string{"mcpServers"},
			strict: true, entry: plain(true), Instructions: "CLAUDE.md",
			project: []string{".claude", "CLAUDE.md", ".mcp.json"}, home: []string{".claude", ".claude.json"}, programs: []string{"claude"},
		},
		{
			Name: "codex", Title: "Codex", Config: []string{".codex/config.toml"}, format: tomlFile, keys: []string{"mcp_servers"},
			entry: plain(false), Instructions: "AGENTS.md",
			project: []string{".codex"}, home: []string{".codex"}, homeEnv: "CODEX_HOME", programs: []string{"codex"},
		},
		{
			Name: "cursor", Title: "Cursor", Config: []string{".cursor/mcp.json"}, keys: []string{"mcpServers"},
			entry: plain(true, "--repo", "${workspaceFolder}"), Instructions: cursorRule,
			project: []string{".cursor", ".cursorrules"}, home: []string{".cursor"}, programs: []string{"cursor", "cursor-agent"},
		},
		{
			Name: "vscode", Title: "VS Code", Config: []string{".vscode/mcp.json"}, keys: []string{"servers"},
			entry: plain(true, "--repo", "${workspaceFolder}"), Instructions: "AGENTS.md",
			project: []string{".vscode"}, home: []string{".vscode", ".vscode-server", ".config/Code", "Library/Application Support/Code", "AppData/Roaming/Code"}, programs: []string{"code", "code-insiders"},
		},
		{
			Name: "gemini", Title: "Gemini CLI", Config: []string{".gemini/settings.json"}, keys: []string{"mcpServers"},
			entry: plain(false), Instructions: "GEMINI.md",
			project: []string{".gemini", "GEMINI.md"}, home: []string{".gemini"}, programs: []string{"gemini"},
		},
		{
			Name: "opencode", Title: "opencode",
			Config: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"}, keys: []string{"mcp"},
			first: []pair{{"$schema", "https://opencode.ai/config.json"}},
			entry: func(command string) pairs {
				return pairs{{"type", "local"}, {"command", []string{command, "mcp"}}}
			},
			Instructions: "AGENTS.md",
			project:      []string{"opencode.json", "opencode.jsonc", ".opencode"}, home: []string{".config/opencode", ".opencode"}, programs: []string{"opencode"},
		},
		{
			Name: "zed", Title: "Zed", Config: []string{".zed/settings.json"}, keys: []string{"context_servers"},
			entry: func(command string) pairs {
				return pairs{{"source", "custom"}, {"command", command}, {"args", []string{"mcp"}}, {"env", pairs{}}}
			},
			Instructions: "AGENTS.md",
			project:      []string{".zed"}, home: []string{".config/zed", "AppData/Roaming/Zed"}, programs: []string{"zed", "zeditor"},
		},
	}
}

// cursorRule is the rule file of Cursor's own, where its project has rules;
// elsewhere Cursor reads AGENTS.md.
const cursorRule = ".cursor/rules/pindex.mdc"

// Machine is what is looked at to find agents.
type Machine struct {
	Home     string                            // "" for none
	Getenv   func(string) string               // of the environment
	LookPath func(name string) (string, error) // of programs
}

// Found returns what tells that an agent is used: paths and programs; none when
// nothing does.
func (m Machine) Found(root string, a Agent) []string {
	var why []string
	there := func(path string) bool {
		_, err := lstat(path)
		return err == nil
	}
	for _, p := range a.project {
		if there(filepath.Join(root, filepath.FromSlash(p))) {
			why = append(why, p)
		}
	}
	home := a.home
	if a.homeEnv != "" && m.Getenv(a.homeEnv) != "" {
		if home = nil; there(m.Getenv(a.homeEnv)) {
			why = append(why, "$"+a.homeEnv)
		}
	}
	for _, p := range home {
		if m.Home != "" && there(filepath.Join(m.Home, filepath.FromSlash(p))) {
			why = append(why, "~/"+p)
		}
	}
	for _, p := range a.programs {
		if _, err := m.LookPath(p); err == nil {
			why = append(why, p+" on PATH")
		}
	}
	return why
}

// config returns which of the possible files is the agent's.
func (a Agent) config(root string) string {
	for _, p := range a.Config {
		if _, err := lstat(filepath.Join(root, filepath.FromSlash(p))); err == nil {
			return p
		}
	}
	return a.Config[0]
}

// instructions returns the file that the block goes to.
func (a Agent) instructions(root string, read func(string) ([]byte, error)) string {
	path := a.Instructions
	if path == cursorRule {
		if fi, err := lstat(filepath.Join(root, ".cursor", "rules")); err != nil || !fi.IsDir() {
			return "AGENTS.md"
		}
		return path
	}
	// A file that imports AGENTS.md has what is there.
	if path != "AGENTS.md" {
		if b, err := read(path); err == nil && imports(b, "AGENTS.md") {
			return "AGENTS.md"
		}
	}
	return path
}

// imports reports whether a line of an instruction file is the import of another.
func imports(text []byte, name string) bool {
	for line := range strings.SplitSeq(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "@"+name || line == "@./"+name {
			return true
		}
	}
	return false
}

// path returns the names that lead to the servers in a text. opencode has two
// forms, and reads the older one in either version.
func (a Agent) path(doc []byte) []string {
	if a.Name != "opencode" {
		return a.keys
	}
	if t, err := parseJSONC(doc); err == nil && !t.empty {
		if n, found, err := t.at([]string{"mcp", "servers"}); err == nil && found == 2 {
			if _, server := n.member("type"); !server { // a server may have that name
				return []string{"mcp", "servers"}
			}
		}
	}
	return a.keys
}

// set returns the edit that registers the server.
func (a Agent) set(doc []byte, command string, replace bool) (splice, error) {
	if a.format == tomlFile {
		return setTOML(doc, append(a.path(doc), ServerName), a.entry(command), replace)
	}
	if err := a.readable(doc); err != nil {
		return splice{}, err
	}
	return setJSON(doc, a.path(doc), pair{ServerName, a.entry(command)}, a.first, replace)
}

// readable says what the agent itself does not read in its JSON.
func (a Agent) readable(doc []byte) error {
	if !a.strict {
		return nil
	}
	t, err := parseJSONC(doc)
	if err != nil {
		return err
	}
	for i := range doc {
		if doc[i] != t.plain[i] && i >= len(doc)-len(bytes.TrimPrefix(doc, bom)) {
			return fmt.Errorf("line %d has a comment or a comma before the end, with which %s reads nothing of the file", 1+bytes.Count(doc[:i], []byte("\n")), a.Title)
		}
	}
	return nil
}

// remove takes the server out.
func (a Agent) remove(doc []byte) ([]byte, bool, error) {
	if a.format == tomlFile {
		return removeTOML(doc, append(a.path(doc), ServerName))
	}
	return removeJSON(doc, a.path(doc), ServerName)
}

// Registered is what an agent's configuration says of the server.
type Registered struct {
	File     string   // from the root, with slashes
	Argv     []string // of the server; nil where it is not a program
	Disabled bool
}

// Registered reads an agent's configuration; nil where the server is not in it.
// A file that cannot be read is an error.
func (a Agent) Registered(root string) (*Registered, error) {
	r := &Registered{File: a.config(root)}
	f, err := openFile(root, r.File)
	if err != nil {
		return nil, err
	}
	if !f.exists {
		return nil, nil
	}
	var v any
	if a.format == tomlFile {
		v, err = tomlValues(f.now)
	} else {
		if err = a.readable(f.now); err == nil {
			v, err = plainJSON(f.now)
		}
	}
	if err != nil {
		return nil, f.broken(err)
	}
	m, _ := v.(map[string]any)
	for _, name := range append(a.path(f.now), ServerName) {
		m, _ = m[name].(map[string]any)
	}
	if m == nil {
		return nil, nil
	}
	switch c := m["command"].(type) {
	case string:
		r.Argv = append([]string{c}, stringsOf(m["args"])...)
	case []any:
		r.Argv = stringsOf(c)
	}
	r.Disabled = m["enabled"] == false || m["disabled"] == true
	return r, nil
}

func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
