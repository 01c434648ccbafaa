package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pindex-dev/pindex/internal/fail"
)

// userConfig is the user's own configuration, config.json in the pindex
// folder of the user's configuration folder. It is never read from a commit. It
// is JSON because the client reads that anyway: a YAML reader weighs 0.2 MB.
type userConfig struct {
	// Store is the default of --store.
	Store string `json:"store"`
	// Mirrors are hosts that are asked before a registry, for reading:
	// host[:port], or host[:port]/repository.
	Mirrors []string `json:"mirrors"`
	// MountFrom is the default of --mount-from, for stores of the same
	// registry.
	MountFrom string `json:"mount_from"`
}

func loadConfig() (userConfig, error) {
	var c userConfig
	dir, err := os.UserConfigDir()
	if err != nil {
		return c, nil // no home, no configuration
	}
	path := filepath.Join(dir, "pindex", "config.json")
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fail.Wrap(fail.Usage, err, "make the file readable, or remove it", "cannot read the configuration %s", path)
	}
	defer f.Close()
	d := json.NewDecoder(io.LimitReader(f, 1<<20))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return userConfig{}, fail.Wrap(fail.Usage, err, "its keys are store (a folder or host/repository), mirrors (a list of hosts) and mount_from (host/repository)", "the configuration %s cannot be read", path)
	}
	return c, nil
}
