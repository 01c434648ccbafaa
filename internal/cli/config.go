package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/pindex-dev/pindex/internal/fail"
)

// userConfig is the user's own configuration, config.yaml in the pindex
// folder of the user's configuration folder. It is never read from a commit.
type userConfig struct {
	// Store is the default of --store.
	Store string `yaml:"store"`
	// Mirrors are hosts that are asked before a registry, for reading:
	// host[:port], or host[:port]/repository.
	Mirrors []string `yaml:"mirrors"`
}

func loadConfig() (userConfig, error) {
	var c userConfig
	dir, err := os.UserConfigDir()
	if err != nil {
		return c, nil // no home, no configuration
	}
	path := filepath.Join(dir, "pindex", "config.yaml")
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fail.Wrap(fail.Usage, err, "make the file readable, or remove it", "cannot read the configuration %s", path)
	}
	defer f.Close()
	d := yaml.NewDecoder(io.LimitReader(f, 1<<20))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return userConfig{}, fail.Wrap(fail.Usage, err, "its keys are store (a folder or host/repository) and mirrors (a list of hosts)", "the configuration %s cannot be read", path)
	}
	return c, nil
}
