package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// program reads a repository through the git program.
type program struct {
	refs   launcher // sees the repository: references, configuration
	pool   *pool    // sees its objects
	sizes  launcher // sees its objects
	shadow string   // temporary git directory over the objects; "" where there is none

	dir, workTree    string
	format           gitobj.Format
	remotes          map[string]string
	shallow, partial bool
	closing          sync.Once
}

// openProgram opens the repository that encloses dir through the git program
// exe. With locate, the variables by which git tells its hooks where the
// repository is count.
func openProgram(ctx context.Context, exe, dir string, locate bool) (*program, error) {
	env := programEnv(os.Environ(), locate)
	p := &program{refs: launcher{exe: exe, args: programConfig, env: env, dir: dir}}
	gitDir, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.configure(ctx); err != nil {
		return nil, err
	}
	objects := p.refs
	if p.partial {
		if objects, err = p.makeShadow(objects, gitDir); err != nil {
			return nil, err
		}
	}
	p.pool, p.sizes = newPool(&objects), objects
	return p, nil
}

// discover asks git where the repository is and pins it for later calls.
func (p *program) discover(ctx context.Context) (gitDir string, err error) {
	out, _, err := p.refs.run(ctx, nil, "rev-parse",
		"--is-bare-repository", "--is-shallow-repository", "--show-object-format", "--absolute-git-dir")
	if err != nil {
		return "", openError(p.refs.dir, err)
	}
	f := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 4)
	if len(f) != 4 || !filepath.IsAbs(filepath.FromSlash(f[3])) {
		return "", fail.New(fail.Repository, "install git 2.30 or later", "the git program %s is too old", p.refs.exe)
	}
	switch f[2] {
	case "sha1":
		p.format = gitobj.SHA1
	case "sha256":
		p.format = gitobj.SHA256
	default:
		return "", fail.New(fail.Repository, "update pindex", "the repository %s has objects in the unknown format %q", f[3], f[2])
	}
	gitDir = filepath.FromSlash(f[3])
	p.shallow = f[1] == "true"
	if f[0] != "true" {
		// Fails inside the git directory, which is no error here.
		if out, _, err := p.refs.run(ctx, nil, "rev-parse", "--show-toplevel"); err == nil {
			p.workTree = filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
		} else if ctx.Err() != nil {
			return "", ctx.Err()
		} else if filepath.Base(gitDir) == ".git" {
			p.workTree = filepath.Dir(gitDir)
		}
	}
	p.dir = gitDir
	if common := environ(p.refs.env, "GIT_COMMON_DIR"); common != "" {
		p.dir = absolute(p.refs.dir, common)
	} else if b, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		p.dir = absolute(gitDir, strings.TrimRight(string(b), "\r\n"))
	}
	p.refs.env = setenv(p.refs.env, "GIT_DIR", gitDir)
	return gitDir, nil
}

// configure reads the settings that matter.
func (p *program) configure(ctx context.Context) error {
	out, stderr, err := p.refs.run(ctx, nil, "config", "-z", "--get-regexp",
		`^(remote\..*\.(url|promisor|partialclonefilter)|extensions\.partialclone)$`)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && stderr == "") {
		return openError(p.refs.dir, err)
	}
	p.remotes = map[string]string{}
	for _, kv := range strings.Split(string(out), "\x00") {
		k, v, _ := strings.Cut(kv, "\n")
		name, isURL := strings.CutSuffix(k, ".url")
		switch {
		case k == "":
		case isURL:
			if name = strings.TrimPrefix(name, "remote."); p.remotes[name] == "" {
				p.remotes[name] = v
			}
		default:
			p.partial = true
		}
	}
	return nil
}

// makeShadow makes an empty git directory that borrows the repository's
// objects. A git process in it knows no remote, so a missing object is simply
// missing: no version of git has another way to say so. GIT_NO_LAZY_FETCH,
// where it is known at all, ends the process instead.
func (p *program) makeShadow(l launcher, gitDir string) (launcher, error) {
	objects := environ(l.env, "GIT_OBJECT_DIRECTORY")
	if objects == "" {
		objects = filepath.Join(p.dir, "objects")
	}
	objects = absolute(l.dir, objects)
	dir, err := os.MkdirTemp("", "pindex-git-*")
	if err != nil {
		return l, fail.Wrap(fail.Repository, err, "make the folder for temporary files writable (TMPDIR)", "cannot read the partial clone %s", gitDir)
	}
	p.shadow = dir
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if p.format != gitobj.SHA1 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = " + p.format.String() + "\n"
	}
	err = errors.Join(
		os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		os.RemoveAll(dir)
		return l, fail.Wrap(fail.Repository, err, "make room in the folder for temporary files (TMPDIR)", "cannot read the partial clone %s", gitDir)
	}
	l.env = setenv(setenv(setenv(l.env, "GIT_DIR", dir), "GIT_OBJECT_DIRECTORY", objects), "GIT_COMMON_DIR", "")
	l.env = setenv(setenv(l.env, "GIT_WORK_TREE", ""), "GIT_INDEX_FILE", "")
	l.dir = dir
	return l, nil
}

func (p *program) Backend() string       { return "git" }
func (p *program) Dir() string           { return p.dir }
func (p *program) WorkTree() string      { return p.workTree }
func (p *program) Format() gitobj.Format { return p.format }

// Close implements Repository.
func (p *program) Close() error {
	var err error
	p.closing.Do(func() {
		p.pool.close()
		if p.shadow != "" {
			err = os.RemoveAll(p.shadow)
		}
	})
	return err
}

// Resolve implements Repository. It asks `cat-file --batch-check`, which takes
// any revision that git knows and can not mistake one for an option.
func (p *program) Resolve(ctx context.Context, rev string) (gitobj.ID, error) {
	if err := checkRev(rev); err != nil {
		return gitobj.ID{}, err
	}
	// What it leads to as a commit, as any object, and as what it is.
	query := rev + "^{commit}\n" + rev + "^{}\n" + rev + "\n"
	if strings.HasPrefix(rev, ":") { // ":/text" runs to the end
		query = rev + "\n" + rev + "\n" + rev + "\n"
	}
	l := &p.refs
	if _, err := gitobj.ParseID(rev); err == nil {
		l = &p.sizes // a full hash needs no references, and is never fetched
	}
	out, stderr, err := l.run(ctx, strings.NewReader(query), "cat-file", "--batch-check")
	if ctx.Err() != nil {
		return gitobj.ID{}, ctx.Err()
	}
	lines := strings.SplitN(string(out), "\n", 4)
	if len(lines) != 4 {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return gitobj.ID{}, openError(p.dir, err)
	}
	if id, typ, ok := parseCheck(p.format, lines[0]); ok && typ == "commit" {
		return id, nil
	}
	if strings.HasSuffix(lines[2], " ambiguous") {
		return gitobj.ID{}, ambiguousRev(rev)
	}
	if _, typ, ok := parseCheck(p.format, lines[1]); ok && typ != "commit" {
		return gitobj.ID{}, notCommit(rev, typ)
	}
	if id, typ, ok := parseCheck(p.format, lines[2]); ok {
		if typ == "blob" || typ == "tree" { // REV:PATH, which takes no ^{commit}
			return gitobj.ID{}, notCommit(rev, typ)
		}
		return gitobj.ID{}, NewCorrupt(id, fmt.Errorf("%s does not lead to a commit", rev))
	}
	// Not an object. A reference may name it all the same.
	out, _, err = p.refs.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	if ctx.Err() != nil {
		return gitobj.ID{}, ctx.Err()
	}
	if id, perr := gitobj.ParseID(strings.TrimSpace(string(out))); err == nil && perr == nil && id.String() != strings.ToLower(rev) {
		if m := message(stderr); m != "" {
			return gitobj.ID{}, NewCorrupt(id, errors.New(m))
		}
		return gitobj.ID{}, NewCorrupt(id, fmt.Errorf("%s names it and it is not there", rev))
	}
	if rev == "HEAD" || rev == "@" {
		return gitobj.ID{}, p.unborn(ctx)
	}
	return gitobj.ID{}, unknownRev(rev, p.shallow)
}

// unborn explains why HEAD names no commit.
func (p *program) unborn(ctx context.Context) error {
	head, _, err := p.refs.run(ctx, nil, "symbolic-ref", "--quiet", "HEAD")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return unknownRev("HEAD", p.shallow)
	}
	any, _, err := p.refs.run(ctx, nil, "for-each-ref", "--count=1", "--format=%(objectname)")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return unbornHead(p.dir, strings.TrimSpace(string(head)), err == nil && len(bytes.TrimSpace(any)) > 0)
}

// parseCheck reads a line "<id> <type> <size>" of cat-file --batch-check.
func parseCheck(f gitobj.Format, line string) (id gitobj.ID, typ string, ok bool) {
	id, typ, _, ok = parseCheckSize(f, line)
	return id, typ, ok
}

func parseCheckSize(f gitobj.Format, line string) (id gitobj.ID, typ string, size int64, ok bool) {
	hex, rest, _ := strings.Cut(line, " ")
	typ, digits, _ := strings.Cut(rest, " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 || len(hex) != 2*f.Size() {
		return id, "", 0, false
	}
	id, err = gitobj.ParseID(hex)
	return id, typ, size, err == nil
}

// ReadCommit implements Repository.
func (p *program) ReadCommit(ctx context.Context, id gitobj.ID) (*Commit, error) {
	var c *Commit
	err := p.pool.with(ctx, func(b *batch) error {
		raw, err := b.read(id, "commit", nil)
		if err == nil {
			c, err = ParseCommit(id, raw)
		}
		return err
	})
	return c, err
}

// Tree implements Repository. It reads the tree objects themselves: ls-tree
// rewrites legacy modes, and the ids of the trees could then not be computed
// from its output.
func (p *program) Tree(ctx context.Context, commit gitobj.ID) ([]Entry, error) {
	c, err := p.ReadCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	sizes := p.startSizes(ctx)
	var entries []Entry
	err = p.pool.with(ctx, func(b *batch) error {
		var err error
		entries, err = walkTree(ctx, c.Tree, func(ids []gitobj.ID, fn func(int, []byte) error) error {
			return b.readAll(ids, "tree", fn)
		}, sizes.ask)
		return err
	})
	if err == nil {
		err = sizes.fill(p.dir, entries)
	} else {
		sizes.abort(err)
	}
	if err == nil {
		err = sortEntries(c.Tree, entries)
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// sizes learns the sizes of blobs while their trees are still being read.
type sizes struct {
	w      *bufio.Writer
	pipe   *io.PipeWriter
	done   chan struct{} // closed when the process has ended
	out    []byte
	stderr string
	err    error
}

func (p *program) startSizes(ctx context.Context) *sizes {
	r, w := io.Pipe()
	s := &sizes{w: bufio.NewWriterSize(w, 16<<10), pipe: w, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.out, s.stderr, s.err = p.sizes.run(ctx, r, "cat-file", "--batch-check", "--buffer")
		r.Close() // whoever still writes must not wait
	}()
	return s
}

// ask asks for the size of one entry's blob. A failure shows in fill.
func (s *sizes) ask(e Entry) {
	if !isSubmodule(e.Mode) {
		s.w.WriteString(e.ID.String())
		s.w.WriteByte('\n')
	}
}

func (s *sizes) abort(err error) {
	s.pipe.CloseWithError(err)
	<-s.done
}

// fill sets the sizes of the entries, which are those that ask was called
// with, in that order.
func (s *sizes) fill(dir string, entries []Entry) error {
	s.w.Flush()
	s.pipe.Close()
	<-s.done
	if s.err != nil {
		return readError(dir, s.err)
	}
	lines := string(s.out)
	for i := range entries {
		e := &entries[i]
		if isSubmodule(e.Mode) {
			continue
		}
		var line string
		var ok bool
		if line, lines, ok = strings.Cut(lines, "\n"); !ok {
			return readError(dir, io.ErrUnexpectedEOF)
		}
		id, typ, size, ok := parseCheckSize(e.ID.Format(), line)
		switch {
		case ok && id != e.ID:
			return readError(dir, fmt.Errorf("git cat-file answered %q for %s", line, e.ID))
		case ok && typ != "blob":
			return NewCorrupt(e.ID, fmt.Errorf("it is a %s, and the tree has it as the file %q", typ, e.Path))
		case ok:
			e.Size = size
		case message(s.stderr) != "":
			return NewCorrupt(e.ID, errors.New(message(s.stderr)))
		default:
			e.Size = -1
		}
	}
	return nil
}

// Blobs implements Repository.
func (p *program) Blobs(ctx context.Context) (BlobReader, error) {
	r, err := p.pool.blobs(ctx)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// RemoteURL implements Repository.
func (p *program) RemoteURL(ctx context.Context, name string) (string, error) {
	return CleanURL(p.remotes[name]), ctx.Err()
}

// openError turns a failure to open a repository into one with a remedy.
func openError(dir string, err error) error {
	var run *runError
	if !errors.As(err, &run) {
		return readError(dir, err)
	}
	m := message(run.stderr)
	switch {
	case strings.Contains(m, "dubious ownership"), strings.Contains(m, "unsafe repository"):
		path := dir
		if _, rest, ok := strings.Cut(m, "'"); ok {
			path, _, _ = strings.Cut(rest, "'")
		}
		return fail.New(fail.Repository, "if you trust it, run: git config --global --add safe.directory "+shellQuote(path),
			"git refuses to read %s because another user owns it", path)
	case strings.Contains(m, "safe.bareRepository"):
		return fail.New(fail.Repository, "name it explicitly: GIT_DIR="+shellQuote(dir)+", without --repo",
			"git refuses to read the bare repository %s because safe.bareRepository is set to explicit", dir)
	case strings.Contains(m, "not a git repository"), strings.Contains(m, "gitfile"):
		return notRepository(dir)
	case strings.Contains(m, "git repo version"), strings.Contains(m, "repository extension"):
		return fail.Wrap(fail.Repository, run, "install a newer git", "the git program is too old for the repository %s", dir)
	case strings.Contains(m, "bad config"), strings.Contains(m, "bad numeric config"), strings.Contains(m, "bad boolean config"):
		return fail.Wrap(fail.Repository, run, "mend that line; `git config --edit` opens the repository's file", "cannot read git's configuration for %s", dir)
	}
	return readError(dir, run)
}

func readError(dir string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fail.Wrap(fail.Repository, err, "`git status` and `git fsck` in that folder say more", "cannot read the repository %s", dir)
}

func notRepository(dir string) error {
	return fail.New(fail.Repository, "run pindex inside a git repository or name one with --repo DIR; `git init` makes one",
		"%s is not in a git repository", dir)
}

// shellQuote quotes s for a POSIX shell where that is needed.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// absolute returns path, which is relative to dir.
func absolute(dir, path string) string {
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

func environ(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// setenv returns a copy of env in which key has the value, or is absent where
// the value is empty.
func setenv(env []string, key, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if !strings.HasPrefix(kv, key+"=") {
			out = append(out, kv)
		}
	}
	if value != "" {
		out = append(out, key+"="+value)
	}
	return out
}
