package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Backend selects an implementation of Repository.
type Backend string

const (
	// Auto is the git program where there is one, and the embedded
	// implementation where there is none.
	Auto Backend = ""
	// Program is the git program.
	Program Backend = "git"
	// Embedded is the implementation that the caller brought along.
	Embedded Backend = "go-git"
)

// Opener opens the repository that encloses a folder. The folder "" stands
// for the working directory and lets the variables GIT_DIR and GIT_WORK_TREE
// count.
type Opener func(ctx context.Context, dir string) (Repository, error)

// Options say how a repository is opened. The zero value is ready to use.
type Options struct {
	// Backend is the implementation to use: Auto unless set.
	Backend Backend
	// Embedded opens a repository without the git program. Without one,
	// Auto needs the git program. It is given here so that this package
	// links no implementation that its user does not want.
	Embedded Opener
	// Git is the path of the git program; "" looks for "git" in PATH.
	Git string
}

// Open opens the repository that encloses dir. "" is the working directory;
// then, and only then, GIT_DIR and the other variables count by which git
// tells its hooks and aliases where the repository is. All errors but the
// context's are *fail.Error with code fail.Repository.
func Open(ctx context.Context, dir string, o Options) (Repository, error) {
	switch o.Backend {
	case Auto, Program:
		exe, err := findGit(o.Git)
		if err == nil {
			abs, err := folder(dir)
			if err != nil {
				return nil, err
			}
			p, err := openProgram(ctx, exe, abs, dir == "")
			if err != nil {
				return nil, err
			}
			return p, nil
		}
		if o.Backend == Program || o.Embedded == nil {
			return nil, fail.Wrap(fail.Repository, err, "install git (https://git-scm.com/downloads), or add its folder to PATH", "there is no git program")
		}
	case Embedded:
		if o.Embedded == nil {
			return nil, fail.New(fail.Usage, "use the git program", "this program has no embedded reader of git repositories")
		}
	default:
		return nil, fail.New(fail.Usage, "use git or go-git", "there is no git backend %q", string(o.Backend))
	}
	if _, err := folder(dir); err != nil {
		return nil, err
	}
	return o.Embedded(ctx, dir)
}

// findGit returns the absolute path of the git program. A program in the
// working directory is not taken for it, even where PATH would allow that.
func findGit(name string) (string, error) {
	if name == "" {
		name = "git"
	}
	exe, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(exe)
}

// folder returns dir as an absolute path and makes sure that it is a folder.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fail.Wrap(fail.Repository, err, "change to a folder that exists", "there is no working directory")
	}
	fi, err := os.Stat(abs)
	if err == nil && !fi.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return "", fail.Wrap(fail.Repository, err, "name an existing folder with --repo DIR", "cannot read %s", abs)
	}
	return abs, nil
}
