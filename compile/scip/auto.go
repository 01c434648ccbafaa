package scip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Indexers runs the SCIP indexers that are installed. They execute what the
// tree holds (build scripts, package hooks), so nobody but the user may ask
// for them, and they get none of the environment's secrets.
type Indexers struct {
	// LookPath finds programs; nil is exec.LookPath.
	LookPath func(string) (string, error)
	// Environ is the environment to choose from; nil is os.Environ.
	Environ func() []string
	// Generate lets CMake make the compile_commands.json that C and C++ need.
	Generate bool
	// Note is told what is run; nil tells nobody.
	Note func(format string, args ...any)
}

// IndexerRun is what one indexer did.
type IndexerRun struct {
	Name   string // of the indexer, and the folder where that is not the root
	Prefix string // folder of the tree that it ran in; "" is the root
	Index  string // file that it wrote; "" with Absent
	Absent string // why there is no index
}

// indexer is one program and how it is called.
type indexer struct {
	program string
	// marks are names of files, or "*.ext", one of which must be in a folder
	// for the indexer to run there.
	marks []string
	args  func(dir, out string) []string
	// ready says why a folder cannot be indexed; nil or "" lets it be.
	ready func(ctx context.Context, x *Indexers, dir string) string
}

var indexers = []indexer{
	{program: "scip-go", marks: []string{"go.mod"}, args: func(_, out string) []string { return []string{"--output", out} }},
	{program: "scip-typescript", marks: []string{"tsconfig.json", "package.json"}, args: func(dir, out string) []string {
		a := []string{"index", "--output", out}
		if _, err := os.Stat(filepath.Join(dir, "tsconfig.json")); err != nil {
			a = append(a, "--infer-tsconfig")
		}
		return a
	}},
	{program: "scip-python", marks: []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"}, args: func(dir, out string) []string {
		return []string{"index", ".", "--project-name", pythonProject(dir), "--project-version", "0", "--output", out}
	}},
	{program: "rust-analyzer", marks: []string{"Cargo.toml"}, args: func(_, out string) []string { return []string{"scip", ".", "--output", out} }},
	{program: "scip-java", marks: []string{"pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"}, args: func(_, out string) []string { return []string{"index", "--output", out} }},
	{program: "scip-clang", marks: []string{"compile_commands.json", "CMakeLists.txt"}, ready: compileCommands, args: func(dir, out string) []string {
		return []string{"--compdb-path=" + compdb(dir), "--index-output-path=" + out}
	}},
	{program: "scip-ruby", marks: []string{"Gemfile", "*.gemspec"}, args: func(_, out string) []string { return []string{"--index-file", out, "."} }},
	{program: "scip-dotnet", marks: []string{"*.sln", "*.csproj", "*.fsproj", "*.vbproj"}, args: func(_, out string) []string { return []string{"index", "--output", out} }},
}

// maxRoots bounds the folders that one indexer runs in.
const maxRoots = 16

// Run runs every indexer that is installed and that the tree in dir has work
// for, and tells done of each. It ends when ctx does; an indexer that fails
// is an absence, never an error.
func (x *Indexers) Run(ctx context.Context, dir string, done func(IndexerRun) error) error {
	out, err := os.MkdirTemp("", "pindex-scip-out-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	look := x.LookPath
	if look == nil {
		look = exec.LookPath
	}
	for _, ix := range indexers {
		roots := ix.roots(dir)
		if len(roots) == 0 {
			continue
		}
		program, err := look(ix.program)
		if err != nil {
			if err := done(IndexerRun{Name: ix.program, Absent: "it is not installed"}); err != nil {
				return err
			}
			continue
		}
		for n, root := range roots {
			r := IndexerRun{Name: ix.program}
			if root != "." {
				r.Prefix = filepath.ToSlash(root)
				r.Name += " in " + r.Prefix
			}
			at := filepath.Join(dir, root)
			if ix.ready != nil {
				r.Absent = ix.ready(ctx, x, at)
			}
			if r.Absent == "" {
				r.Index = filepath.Join(out, fmt.Sprintf("%s-%d.scip", ix.program, n))
				if x.Note != nil {
					x.Note("running %s", r.Name)
				}
				r.Absent = x.run(ctx, program, ix.args(at, r.Index), at, r.Index)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if r.Absent != "" {
				r.Index = ""
			}
			if err := done(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs one indexer and says why its index cannot be used; "" where it can.
func (x *Indexers) run(ctx context.Context, program string, args []string, dir, index string) string {
	said := &tail{}
	if err := x.command(ctx, program, args, dir, said); err != nil {
		reason := "it failed: " + err.Error()
		if line := said.last(); line != "" {
			reason += " (" + line + ")"
		}
		return reason
	}
	f, err := os.Open(index)
	if err != nil {
		return "it wrote no index"
	}
	defer f.Close()
	documents := 0
	err = readIndex(ctx, f, nil, func(*rawDocument) error { documents++; return nil })
	switch {
	case err != nil:
		return "what it wrote is " + err.Error()
	case documents == 0:
		return "it wrote an index without documents"
	}
	return ""
}

func (x *Indexers) command(ctx context.Context, program string, args []string, dir string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	environ := x.Environ
	if environ == nil {
		environ = os.Environ
	}
	cmd.Env = Scrubbed(environ())
	cmd.WaitDelay = 5 * time.Second
	ownGroup(cmd)
	return cmd.Run()
}

func expression(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// keptVariables are what an indexer or a compiler may need of the environment.
// Everything else stays out: most secrets have names that no list knows.
// Compiled when it is first needed: every start of every worker paid for it.
var keptVariables = expression(`(?i)^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|TMP|TEMP|` +
	`SYSTEMROOT|SYSTEMDRIVE|COMSPEC|PATHEXT|WINDIR|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|USERPROFILE|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|` +
	`XDG_CACHE_HOME|XDG_DATA_HOME|SSL_CERT_FILE|SSL_CERT_DIR|HTTPS?_PROXY|NO_PROXY|` +
	`GO(PATH|ROOT|CACHE|MODCACHE|FLAGS|PROXY|SUMDB|NOSUMDB|PRIVATE|NOPROXY|TOOLCHAIN|OS|ARCH|WORK|TMPDIR|EXPERIMENT|ARM|AMD64)|GO111MODULE|CGO_[A-Z_]+|` +
	`NODE_PATH|NODE_EXTRA_CA_CERTS|NVM_DIR|JAVA_HOME|JDK_HOME|MAVEN_HOME|M2_HOME|GRADLE_HOME|GRADLE_USER_HOME|COURSIER_CACHE|SBT_HOME|` +
	`CARGO_HOME|CARGO_TARGET_DIR|RUSTUP_HOME|RUSTUP_TOOLCHAIN|RUSTFLAGS|VIRTUAL_ENV|PYTHONPATH|PYTHONHOME|CONDA_PREFIX|PYENV_ROOT|` +
	`CC|CXX|AR|LD|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|PKG_CONFIG_PATH|CPATH|LIBRARY_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SDKROOT|CMAKE_PREFIX_PATH|` +
	`DOTNET_ROOT|NUGET_PACKAGES|GEM_HOME|GEM_PATH|RUBYLIB|BUNDLE_PATH|BUNDLE_GEMFILE|RBENV_ROOT)$`)

// credentials recognises addresses with a password in them.
var credentials = expression(`://[^/\s@]*@`)

// Scrubbed returns the variables of an environment that programs of an
// untrusted tree may see: known harmless names, without credentials in
// addresses.
func Scrubbed(environ []string) []string {
	var out []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if keptVariables().MatchString(name) && !credentials().MatchString(value) {
			out = append(out, kv)
		}
	}
	return out
}

// roots lists the folders, relative to dir, that an indexer is to run in: those
// with one of its marks that lie in no other such folder.
func (ix *indexer) roots(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil || !e.IsDir() {
			return nil
		}
		switch e.Name() {
		case "node_modules", "vendor", "testdata", ".git", "third_party":
			if rel != "." {
				return filepath.SkipDir
			}
		}
		for _, m := range ix.marks {
			found, _ := filepath.Glob(filepath.Join(escapeGlob(p), m))
			if slices.ContainsFunc(found, regular) {
				if out = append(out, rel); len(out) == maxRoots {
					return filepath.SkipAll
				}
				return filepath.SkipDir
			}
		}
		return nil
	})
	return out
}

var globMeta = expression(`[*?\[\\]`)

func escapeGlob(p string) string {
	if filepath.Separator == '\\' {
		return p
	}
	return globMeta().ReplaceAllString(p, `\$0`)
}

func regular(p string) bool {
	fi, err := os.Lstat(p)
	return err == nil && fi.Mode().IsRegular()
}

var pythonName = expression(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9][A-Za-z0-9._-]*)["']`)

// pythonProject returns the name that a Python project gives itself.
func pythonProject(dir string) string {
	for _, name := range []string{"pyproject.toml", "setup.cfg"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			if m := pythonName().FindSubmatch(b); m != nil {
				return string(m[1])
			}
		}
	}
	return "project"
}

// compdb returns where a folder's compilation database is.
func compdb(dir string) string {
	for _, p := range []string{"compile_commands.json", filepath.Join("build", "compile_commands.json"), filepath.Join(generated, "compile_commands.json")} {
		if regular(filepath.Join(dir, p)) {
			return p
		}
	}
	return ""
}

// generated is the folder that CMake builds in.
const generated = ".pindex-cmake"

// compileCommands says why C and C++ cannot be indexed: without a compilation
// database that names a file, what an indexer says would be no more than
// syntax.
func compileCommands(ctx context.Context, x *Indexers, dir string) string {
	p := compdb(dir)
	if p == "" && x.Generate {
		if reason := x.cmake(ctx, dir); reason != "" {
			return reason
		}
		p = compdb(dir)
	}
	if p == "" {
		return "there is no compile_commands.json, and C and C++ cannot be precise without one"
	}
	b, err := os.ReadFile(filepath.Join(dir, p))
	if err != nil {
		return "compile_commands.json cannot be read"
	}
	var commands []struct{ File string }
	if err := json.Unmarshal(b, &commands); err != nil {
		return "compile_commands.json is no list of commands"
	}
	if !slices.ContainsFunc(commands, func(c struct{ File string }) bool { return c.File != "" }) {
		return "compile_commands.json names no file"
	}
	return ""
}

func (x *Indexers) cmake(ctx context.Context, dir string) string {
	look := x.LookPath
	if look == nil {
		look = exec.LookPath
	}
	program, err := look("cmake")
	if err != nil {
		return "there is no compile_commands.json, and CMake, which could make one, is not installed"
	}
	said := &tail{}
	err = x.command(ctx, program, []string{"-S", ".", "-B", generated, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"}, dir, said)
	if err != nil {
		return "CMake made no compile_commands.json: " + strings.TrimSpace(err.Error()+" "+said.last())
	}
	return ""
}

// tail keeps the end of what a program says.
type tail struct{ b []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*tailSize {
		t.b = append(t.b[:0], t.b[len(t.b)-tailSize:]...)
	}
	return len(p), nil
}

// last returns the last line that says something.
func (t *tail) last() string {
	line := ""
	for l := range bytes.Lines(t.b) {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			line = string(l)
		}
	}
	if len(line) > 200 {
		line = line[:200]
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// Malformed reports whether an error says that bytes are no SCIP index.
func Malformed(err error) bool { return errors.Is(err, errMalformed) }
