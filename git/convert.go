package git

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// conversion is what git may do to a file between the working tree and its
// blob.
type conversion uint8

const (
	convertsLines conversion = 1 << iota // CR LF becomes LF
	convertsMore                         // a filter, an encoding, $Id$
)

// conversions tells which conversions may apply to a path. It errs on the
// side of yes: only files whose bytes differ from their blob are asked for.
// It is safe for concurrent use.
type conversions struct {
	l    *Layout
	once sync.Once
	all  conversion // by configuration, for every path
	base []attribute

	mu    sync.Mutex
	files map[string][]attribute // of .gitattributes, by folder with '/'
}

// attribute is one line of an attributes file.
type attribute struct {
	pattern string // matched against the last part of the path; "" for any path
	sets    conversion
}

func newConversions(l *Layout) *conversions {
	return &conversions{l: l, files: map[string][]attribute{}}
}

// of returns the conversions that may apply to a path.
func (c *conversions) of(p string) conversion {
	c.once.Do(c.load)
	name := path.Base(p)
	conv := c.all | match(c.base, name)
	for end := 0; ; {
		conv |= match(c.attributes(p[:end]), name)
		i := strings.IndexByte(p[end:], '/')
		if i < 0 {
			return conv
		}
		end += i + 1
	}
}

func match(list []attribute, name string) (conv conversion) {
	for _, a := range list {
		if conv|a.sets == conv {
			continue
		}
		if ok, err := path.Match(a.pattern, name); a.pattern == "" || ok || err != nil {
			conv |= a.sets
		}
	}
	return conv
}

// attributes returns what the .gitattributes file of a folder says.
func (c *conversions) attributes(dir string) []attribute {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, ok := c.files[dir]
	if !ok {
		list = readAttributes(filepath.Join(c.l.WorkTree, filepath.FromSlash(dir), ".gitattributes"), readPlain)
		c.files[dir] = list
	}
	return list
}

// load reads the settings outside of the working tree.
func (c *conversions) load() {
	configs := []config{c.l.config}
	var attributesFile string
	for _, file := range globalConfigs() {
		if cfg, err := readConfig(file); err == nil {
			configs = append(configs, cfg)
		} else {
			c.all |= convertsLines // what it says is not known
		}
	}
	for i, cfg := range configs {
		for _, s := range cfg {
			switch {
			case s.section == "core" && s.key == "autocrlf" && !strings.EqualFold(s.value, "false"),
				strings.HasPrefix(s.section, "include"):
				c.all |= convertsLines
			case s.section == "core" && s.key == "attributesfile" && (attributesFile == "" || i == 0):
				attributesFile = s.value
			}
		}
	}
	home, _ := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(attributesFile, "~/"); ok {
		attributesFile = filepath.Join(home, rest)
	}
	if attributesFile == "" {
		attributesFile = filepath.Join(xdgConfig(home), "git", "attributes")
	}
	for _, file := range []string{systemFile("gitattributes"), attributesFile, filepath.Join(c.l.CommonDir, "info", "attributes")} {
		if file != "" {
			c.base = append(c.base, readAttributes(file, readLimited)...)
		}
	}
}

// globalConfigs returns where the configuration of the user and the machine
// may be.
func globalConfigs() []string {
	var files []string
	if v := os.Getenv("GIT_CONFIG_SYSTEM"); v != "" {
		files = append(files, v)
	} else if f := systemFile("gitconfig"); f != "" {
		files = append(files, f)
	}
	if v, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return append(files, v)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return files
	}
	return append(files, filepath.Join(xdgConfig(home), "git", "config"), filepath.Join(home, ".gitconfig"))
}

func xdgConfig(home string) string {
	if v := os.Getenv("XDG_CONFIG_HOME"); v != "" {
		return v
	}
	return filepath.Join(home, ".config")
}

func systemFile(name string) string {
	if v := os.Getenv("GIT_CONFIG_NOSYSTEM"); v != "" && v != "0" && v != "false" {
		return ""
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("PROGRAMFILES"), "Git", "etc", name)
	}
	return "/etc/" + name
}

// readAttributes reads the lines of an attributes file that may convert.
func readAttributes(file string, read func(path string, max int64) ([]byte, error)) []attribute {
	b, err := read(file, 100<<20)
	if errors.Is(err, os.ErrNotExist) || isNotDir(err) {
		return nil
	}
	if err != nil {
		return []attribute{{sets: convertsLines | convertsMore}} // what it says is not known
	}
	return parseAttributes(b)
}

func parseAttributes(b []byte) []attribute {
	var list []attribute
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 2 || f[0][0] == '#' {
			continue
		}
		a := attribute{pattern: f[0]}
		if strings.ContainsAny(f[0], `/"\`) || strings.HasPrefix(f[0], "[attr]") || strings.HasPrefix(f[0], "!") {
			a.pattern = "" // not worth an exact match
		}
		for _, attr := range f[1:] {
			name, value, _ := strings.Cut(attr, "=")
			switch name {
			case "text", "crlf", "eol":
				a.sets |= convertsLines
			case "filter", "working-tree-encoding":
				if value != "" {
					a.sets |= convertsMore
				}
			case "ident":
				a.sets |= convertsMore
			}
		}
		if a.sets != 0 {
			list = append(list, a)
		}
	}
	return list
}
