package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Layout is where the parts of a repository are, and what its own
// configuration says of them. All paths are absolute. It is found without the
// git program, executes nothing, and is safe for concurrent use.
type Layout struct {
	GitDir     string        // HEAD and index are here
	CommonDir  string        // everything else; GitDir unless this is a linked worktree
	WorkTree   string        // "" for a bare repository
	Objects    string        // the object folder
	Alternates []string      // further object folders, from the environment
	Index      string        // the index file
	Format     gitobj.Format // of all ids
	Partial    bool          // a promisor remote has what is missing here

	config config
}

// FindLayout finds the repository that encloses dir. "" is the working
// directory; then, and only then, GIT_DIR and the other variables count by
// which git tells its hooks and aliases where the repository is. A repository
// that needs a newer or fuller reader than this gives an error for which
// errors.Is(err, ErrUnsupported) holds. All errors are *fail.Error.
func FindLayout(dir string) (*Layout, error) {
	abs, err := folder(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real // parent folders are those of the real path
	}
	env := func(key string) string {
		v := os.Getenv(key)
		if dir != "" || v == "" {
			return ""
		}
		return absolute(abs, v)
	}
	l := &Layout{}
	explicit := env("GIT_DIR")
	if explicit != "" {
		if l.GitDir, err = gitFile(explicit); err != nil || !isGitDir(l.GitDir) {
			return nil, notRepository(explicit)
		}
	} else if err := l.discover(abs); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(l.GitDir); err == nil {
		l.GitDir = real
	}
	if l.CommonDir = env("GIT_COMMON_DIR"); l.CommonDir == "" {
		if l.CommonDir, err = commonDir(l.GitDir); err != nil {
			return nil, readError(l.GitDir, err)
		}
	}
	if l.Objects = env("GIT_OBJECT_DIRECTORY"); l.Objects == "" {
		l.Objects = filepath.Join(l.CommonDir, "objects")
	}
	if v := os.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); v != "" && dir == "" {
		for _, p := range filepath.SplitList(v) {
			l.Alternates = append(l.Alternates, absolute(abs, p))
		}
	}
	if l.Index = env("GIT_INDEX_FILE"); l.Index == "" {
		l.Index = filepath.Join(l.GitDir, "index")
	}
	if err := l.configure(); err != nil {
		return nil, err
	}
	l.findWorkTree(env("GIT_WORK_TREE"), explicit, abs)
	return l, nil
}

// discover walks up from dir to the first folder that is a repository or has
// one, as git does. It sets GitDir and, where a ".git" names it, WorkTree.
func (l *Layout) discover(dir string) error {
	ceilings := map[string]bool{}
	for _, c := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		if real, err := filepath.EvalSymlinks(c); err == nil && filepath.IsAbs(c) {
			ceilings[real] = true
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		dotGit := filepath.Join(at, ".git")
		gitDir, err := gitFile(dotGit)
		switch {
		case err == nil && isGitDir(gitDir):
			l.GitDir, l.WorkTree = gitDir, at
			return nil
		case err == nil && gitDir != dotGit, err != nil && !errors.Is(err, os.ErrNotExist):
			// A file that names no repository ends the search.
			return fail.Wrap(fail.Repository, err, "run pindex inside a git repository or name one with --repo DIR; `git worktree repair` mends a worktree that was moved",
				"%s is not in a git repository: %s leads nowhere", dir, dotGit)
		}
		if isGitDir(at) {
			l.GitDir = at
			return nil
		}
		if parent := filepath.Dir(at); parent == at || ceilings[parent] {
			return notRepository(dir)
		}
	}
}

// gitFile returns the git directory that path is or, as a file, names.
func gitFile(path string) (string, error) {
	fi, err := os.Stat(path)
	if err != nil || fi.IsDir() {
		return path, err
	}
	if !fi.Mode().IsRegular() {
		return "", errors.New("it is no file")
	}
	b, err := readLimited(path, 1<<20)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(b), "gitdir: ")
	if target = strings.TrimRight(target, "\r\n"); !ok || target == "" {
		return "", errors.New("it does not begin with \"gitdir: \"")
	}
	return absolute(filepath.Dir(path), target), nil
}

// isGitDir reports whether git would take dir for a git directory.
func isGitDir(dir string) bool {
	head := filepath.Join(dir, "HEAD")
	if link, err := os.Readlink(head); err == nil {
		if !strings.HasPrefix(filepath.ToSlash(link), "refs/") {
			return false
		}
	} else if b, err := readLimited(head, 1<<16); err != nil || !isHead(string(b)) {
		return false
	}
	common, err := commonDir(dir)
	if err != nil {
		return false
	}
	for _, sub := range []string{"objects", "refs"} {
		if fi, err := os.Stat(filepath.Join(common, sub)); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

func isHead(text string) bool {
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(name, " \t"), "refs/")
	}
	text = strings.TrimSpace(text)
	_, err := gitobj.ParseID(text)
	return err == nil
}

func commonDir(gitDir string) (string, error) {
	b, err := readLimited(filepath.Join(gitDir, "commondir"), 1<<16)
	if errors.Is(err, os.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	return absolute(gitDir, strings.TrimRight(string(b), "\r\n")), nil
}

// configure reads the repository's configuration and refuses what this
// reader could misunderstand.
func (l *Layout) configure() error {
	c, err := readConfig(filepath.Join(l.CommonDir, "config"))
	if err != nil {
		return fail.Wrap(fail.Repository, err, "mend that line; `git config --edit` opens the file", "cannot read the configuration of %s", l.CommonDir)
	}
	l.config, l.Format = c, gitobj.SHA1
	version := 0
	if v, ok := c.last("core", "repositoryformatversion"); ok {
		if version, err = strconv.Atoi(v); err != nil || version < 0 {
			return NewUnsupported(l.CommonDir, fmt.Sprintf("has the format version %q", v))
		}
	}
	if version > 1 {
		return NewUnsupported(l.CommonDir, fmt.Sprintf("has the format version %d, which is later than this program", version))
	}
	worktreeConfig := false
	for _, s := range c {
		switch {
		case s.section == "remote" && (s.key == "promisor" || s.key == "partialclonefilter"):
			l.Partial = true
		case s.section == "extensions" && s.sub == "":
			switch s.key {
			case "noop", "preciousobjects":
			case "partialclone":
				l.Partial = true
			case "worktreeconfig":
				worktreeConfig = config{s}.isTrue("extensions", s.key, false)
			case "objectformat":
				switch {
				case s.value == "sha256" && version == 1:
					l.Format = gitobj.SHA256
				case s.value != "sha1" || version == 0:
					return NewUnsupported(l.CommonDir, fmt.Sprintf("has objects in the format %q", s.value))
				}
			case "refstorage":
				if s.value != "files" {
					return NewUnsupported(l.CommonDir, fmt.Sprintf("keeps its references in the format %q", s.value))
				}
			case "noop-v1", "relativeworktrees":
			default:
				if version > 0 { // version 0 says that extensions may be ignored
					return NewUnsupported(l.CommonDir, fmt.Sprintf("has the extension %q, which this program does not know", s.key))
				}
			}
		}
	}
	if worktreeConfig {
		own, err := readConfig(filepath.Join(l.GitDir, "config.worktree"))
		if err != nil {
			return fail.Wrap(fail.Repository, err, "mend that line; `git config --worktree --edit` opens the file", "cannot read the configuration of %s", l.GitDir)
		}
		l.config = append(l.config, own...)
	}
	return nil
}

// findWorkTree completes WorkTree, by git's order of precedence.
func (l *Layout) findWorkTree(fromEnv, explicitGitDir, cwd string) {
	set, isSet := l.config.last("core", "worktree")
	switch {
	case fromEnv != "":
		l.WorkTree = fromEnv
	case isSet && l.CommonDir == l.GitDir:
		l.WorkTree = absolute(l.GitDir, set)
	case l.CommonDir == l.GitDir && l.config.isTrue("core", "bare", false):
		l.WorkTree = ""
	case l.WorkTree != "":
	case explicitGitDir != "":
		l.WorkTree = cwd
	case filepath.Base(l.GitDir) == ".git":
		l.WorkTree = filepath.Dir(l.GitDir)
	}
	if real, err := filepath.EvalSymlinks(l.WorkTree); err == nil && l.WorkTree != "" {
		l.WorkTree = real
	}
}

// RemoteURL returns the fetch address of a remote as the repository's own
// configuration has it, without credentials; "" where there is none.
func (l *Layout) RemoteURL(name string) string {
	return CleanURL(l.config.first("remote", name, "url"))
}
