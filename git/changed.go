package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/plainfile"
)

// ChangeKind says how a tracked file of the working tree differs from a tree.
type ChangeKind uint8

const (
	Modified ChangeKind = iota + 1 // another content, mode or type
	Added                          // in the index and the working tree, not in the tree
	Deleted                        // in the tree, not in the index or not in the working tree
)

// String returns the kind in a word.
func (k ChangeKind) String() string {
	switch k {
	case Modified:
		return "modified"
	case Added:
		return "added"
	case Deleted:
		return "deleted"
	}
	return "unknown"
}

// Change is one tracked file of the working tree that differs from a tree.
type Change struct {
	Path string // from the root of the working tree, '/'-separated
	Kind ChangeKind
	Mode uint32 // of the file as it is now; 0 for a deleted one
	// Converted says that the bytes differ from the tree's, and that
	// nothing but a conversion may be the reason that git makes on
	// checkout (a filter, an encoding, $Id$) and that is not made here.
	Converted bool
}

// fileKind is a file's type.
type fileKind uint8

const (
	kindOther fileKind = iota
	kindRegular
	kindSymlink
	kindFolder
)

// fileStat is a file as lstat describes it.
type fileStat struct {
	statData
	bytes int64
	kind  fileKind
	exec  bool
}

// raceNanos is how much older than the index a file must be for its time to
// prove that it was not written since. File systems keep time in steps; the
// longest usual one, of a 100 Hz kernel clock, is 10 ms.
const raceNanos = 20e6

// Changed returns the tracked files of the working tree at or around dir that
// differ from the given tree entries, which must be sorted by path, as Tree
// returns them. It reads the index itself and, where that has a form that
// only git knows, asks the git program; without one the error is
// ErrUnsupported. Files that git does not track are not looked for.
func Changed(ctx context.Context, dir string, entries []Entry, o Options) ([]Change, error) {
	l, err := FindLayout(dir)
	if err == nil {
		var changes []Change
		if changes, err = l.Changed(ctx, entries); err == nil {
			return changes, nil
		}
	}
	if !errors.Is(err, ErrUnsupported) || o.Backend == Embedded {
		return nil, err
	}
	exe, lookErr := findGit(o.Git)
	if lookErr != nil {
		return nil, err
	}
	p, err := openWorkTree(ctx, exe, dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.changed(ctx, entries)
}

// openWorkTree opens the repository at or around dir, which has to have a
// working tree.
func openWorkTree(ctx context.Context, exe, dir string) (*program, error) {
	abs, err := folder(dir)
	if err != nil {
		return nil, err
	}
	p, err := openProgram(ctx, exe, abs, dir == "")
	if err != nil {
		return nil, err
	}
	if p.workTree == "" {
		_ = p.Close()
		return nil, noWorkTree(p.dir)
	}
	return p, nil
}

// inWorkTree runs git on the index and the working tree.
func (p *program) inWorkTree(ctx context.Context, args ...string) (string, error) {
	l := p.refs
	l.dir = p.workTree
	l.env = setenv(l.env, "GIT_WORK_TREE", p.workTree)
	out, _, err := l.run(ctx, nil, args...)
	if err != nil {
		return "", openError(p.dir, err)
	}
	return string(out), nil
}

// Changed is the function of that name without the git program: an index of a
// form that only git knows gives ErrUnsupported.
func (l *Layout) Changed(ctx context.Context, entries []Entry) ([]Change, error) {
	if l.WorkTree == "" {
		return nil, noWorkTree(l.GitDir)
	}
	x, err := l.readIndex()
	if err != nil {
		return nil, err
	}
	return l.compare(ctx, x, entries)
}

// readIndex reads the repository's index; ErrUnsupported is the error for a
// form that only git knows.
func (l *Layout) readIndex() (*index, error) {
	x, err := readIndex(l.Index, l.Format)
	if errors.Is(err, ErrUnsupported) {
		return nil, NewUnsupported(l.GitDir, "has an index that needs the git program: "+err.Error())
	}
	if err != nil {
		return nil, fail.Wrap(fail.Repository, err, "`git status` tells what is wrong; removing the file and `git reset` write a new one", "cannot read the index %s", l.Index)
	}
	return x, nil
}

func noWorkTree(dir string) error {
	return fail.New(fail.Repository, "name a commit with --commit", "the repository %s is bare and has no working tree", dir)
}

// pair is a path of the index, of the tree, or of both.
type pair struct {
	index *indexEntry // nil where only the tree has it
	entry *Entry      // nil where only the index has it
}

// compare compares the working tree with the tree entries.
func (l *Layout) compare(ctx context.Context, x *index, entries []Entry) ([]Change, error) {
	c := comparer{
		l: l, x: x, conv: newConversions(l),
		fileMode:  l.config.isTrue("core", "filemode", runtime.GOOS != "windows"),
		symlinks:  l.config.isTrue("core", "symlinks", true),
		trustTime: l.config.isTrue("core", "trustctime", true) && fullStat,
		fullStat:  fullStat,
	}
	if v, _ := l.config.last("core", "checkstat"); strings.EqualFold(v, "minimal") {
		c.fullStat = false
	}
	pairs := join(x.entries, entries)
	// Many small runs, so that one with slow files does not hold up all.
	const run = 256
	results := make([][]Change, (len(pairs)+run-1)/run)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, len(results)) {
		wg.Go(func() {
			w := worker{comparer: &c}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(results) || ctx.Err() != nil {
					return
				}
				for _, p := range pairs[i*run : min((i+1)*run, len(pairs))] {
					if ch, ok := w.check(p); ok {
						results[i] = append(results[i], ch)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.Concat(results...), nil
}

// join merges two lists that are sorted by path. Of a path with conflicts,
// which the index has several times, one entry is kept.
func join(x []indexEntry, entries []Entry) []pair {
	pairs := make([]pair, 0, max(len(x), len(entries)))
	j := 0
	for i := range x {
		if i > 0 && x[i].path == x[i-1].path {
			continue
		}
		for j < len(entries) && entries[j].Path < x[i].path {
			pairs = append(pairs, pair{entry: &entries[j]})
			j++
		}
		p := pair{index: &x[i]}
		if j < len(entries) && entries[j].Path == x[i].path {
			p.entry = &entries[j]
			j++
		}
		pairs = append(pairs, p)
	}
	for ; j < len(entries); j++ {
		pairs = append(pairs, pair{entry: &entries[j]})
	}
	return pairs
}

type comparer struct {
	l         *Layout
	x         *index
	conv      *conversions
	fileMode  bool // the executable bit means something
	symlinks  bool // links are links, not files that hold their target
	trustTime bool // ctime means something
	fullStat  bool // inode, user and group mean something
}

// worker compares files, one after another.
type worker struct {
	*comparer
	dir   string // the folder checked last, with '/' behind it
	dirOK bool
	buf   []byte
}

func (w *worker) check(p pair) (Change, bool) {
	if p.index == nil {
		return Change{Path: p.entry.Path, Kind: Deleted}, true
	}
	x := p.index
	gone := Change{Path: x.path, Kind: Deleted}
	if isSubmodule(x.mode) {
		// The submodule's own working tree is its own matter.
		same := p.entry != nil && p.entry.ID == x.id && isSubmodule(p.entry.Mode)
		return w.change(p, ModeSubmodule, false), !same
	}
	if w.x.assumeClean && !x.doubt {
		same := p.entry != nil && p.entry.ID == x.id && canonical(p.entry.Mode) == canonical(x.mode)
		return w.change(p, canonical(x.mode), false), !same
	}
	full := w.l.WorkTree + "/" + x.path
	st, err := lstat(full)
	if err == nil && !x.doubt && w.fullStat && w.matches(st, x) {
		// The very file that was added, by its inode. Whether one of the
		// folders above it is now a symbolic link is not asked then: it
		// would double the time and could not change the content.
		mode, _ := w.mode(st, x)
		same := p.entry != nil && p.entry.ID == x.id && canonical(p.entry.Mode) == mode
		return w.change(p, mode, false), !same
	}
	if err != nil || !w.inFolders(x.path) {
		if err == nil || errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
			if x.skip { // absent on purpose: it is what the index says
				same := p.entry != nil && p.entry.ID == x.id && canonical(p.entry.Mode) == canonical(x.mode)
				return w.change(p, canonical(x.mode), false), !same
			}
			return gone, p.entry != nil
		}
		// It is there and cannot be looked at; reading it will say why.
		return w.change(p, canonical(x.mode), false), true
	}
	mode, ok := w.mode(st, x)
	if !ok { // a folder or a device
		return gone, p.entry != nil
	}
	if p.entry == nil {
		return w.change(p, mode, false), true
	}
	sameMode := canonical(p.entry.Mode) == mode
	if !x.doubt && w.matches(st, x) {
		return w.change(p, mode, false), !sameMode || p.entry.ID != x.id
	}
	same, converted := w.sameContent(full, st, p.entry, mode)
	return w.change(p, mode, converted), !same || !sameMode
}

func (w *worker) change(p pair, mode uint32, converted bool) Change {
	kind := Modified
	if p.entry == nil {
		kind = Added
	}
	return Change{Path: p.index.path, Kind: kind, Mode: mode, Converted: converted}
}

// inFolders reports whether all folders above a path are folders, and none a
// symbolic link that leads elsewhere.
func (w *worker) inFolders(path string) bool {
	end := strings.LastIndexByte(path, '/') + 1
	dir := path[:end]
	if dir == w.dir {
		return w.dirOK || end == 0
	}
	// What it shares with the folder checked last is known.
	known := 0
	if w.dirOK {
		for i := 0; i < min(len(dir), len(w.dir)) && dir[i] == w.dir[i]; i++ {
			if dir[i] == '/' {
				known = i + 1
			}
		}
	}
	w.dir, w.dirOK = dir, true
	for at := known; at < end; {
		at += strings.IndexByte(dir[at:], '/') + 1
		st, err := lstat(w.l.WorkTree + "/" + dir[:at-1])
		if err != nil || st.kind != kindFolder {
			w.dirOK = false
			return false
		}
	}
	return true
}

// mode returns the mode that git would give to the file, and false for what
// git does not track.
func (w *worker) mode(st fileStat, x *indexEntry) (uint32, bool) {
	switch st.kind {
	case kindSymlink:
		return ModeSymlink, true
	case kindRegular:
		if !w.symlinks && x.mode&modeType == ModeSymlink {
			return ModeSymlink, true
		}
		if !w.fileMode && x.mode&modeType == ModeFile&modeType {
			return canonical(x.mode), true
		}
		if st.exec {
			return ModeExecutable, true
		}
		return ModeFile, true
	}
	return 0, false
}

// canonical returns the mode that git would write today.
func canonical(mode uint32) uint32 {
	if mode&modeType != ModeFile&modeType {
		return mode & modeType
	}
	if mode&0o100 != 0 {
		return ModeExecutable
	}
	return ModeFile
}

// matches reports whether the file is certainly the one that was added to the
// index.
func (w *worker) matches(st fileStat, x *indexEntry) bool {
	a, b := &st.statData, &x.stat
	if a.size != b.size || a.mtime != b.mtime || b.mtimeNano != 0 && a.mtimeNano != b.mtimeNano {
		return false
	}
	if w.trustTime && w.fullStat && (a.ctime != b.ctime || b.ctimeNano != 0 && a.ctimeNano != b.ctimeNano) {
		return false
	}
	if w.fullStat && (a.ino != b.ino || a.uid != b.uid || a.gid != b.gid) {
		return false
	}
	isLink := x.mode&modeType == ModeSymlink
	if isLink != (st.kind == kindSymlink) && (st.kind == kindSymlink || w.symlinks) {
		return false
	}
	// A file that was written when the index was may have been written
	// again, with another content of the same size and time.
	if b.mtimeNano == 0 || w.x.mtimeNano == 0 {
		return b.mtime < w.x.mtime
	}
	return int64(b.mtime)*1e9+int64(b.mtimeNano)+raceNanos < int64(w.x.mtime)*1e9+int64(w.x.mtimeNano)
}

// sameContent compares a file's content with a blob's id.
func (w *worker) sameContent(full string, st fileStat, e *Entry, mode uint32) (same, converted bool) {
	if isSubmodule(e.Mode) {
		return false, false
	}
	if st.kind == kindSymlink {
		target, err := os.Readlink(full)
		return err == nil && gitobj.Hash(e.ID.Format(), "blob", []byte(filepath.ToSlash(target))) == e.ID, false
	}
	conv := w.conv.of(e.Path)
	if mode == ModeSymlink {
		conv = 0
	}
	if conv == 0 && e.Size >= 0 && st.bytes != e.Size || st.bytes > maxObject {
		return false, false
	}
	var err error
	if w.buf, err = readFile(full, w.buf[:0]); err != nil {
		return false, false
	}
	if gitobj.Hash(e.ID.Format(), "blob", w.buf) == e.ID {
		return true, false
	}
	if conv&convertsLines != 0 && bytes.Contains(w.buf, []byte("\r\n")) {
		if gitobj.Hash(e.ID.Format(), "blob", bytes.ReplaceAll(w.buf, []byte("\r\n"), []byte("\n"))) == e.ID {
			return true, false
		}
	}
	return false, conv&convertsMore != 0
}

func readFile(path string, buf []byte) ([]byte, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	b := bytes.NewBuffer(buf)
	_, err = io.Copy(b, io.LimitReader(f, maxObject+1))
	return b.Bytes(), err
}

// changed asks the git program what its index holds and which of its entries
// may not be what the working tree has.
func (p *program) changed(ctx context.Context, entries []Entry) ([]Change, error) {
	out, err := p.inWorkTree(ctx, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	x := &index{assumeClean: true}
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		e, ok := parseStaged(line)
		if !ok && line != "" {
			return nil, readError(p.dir, errors.New("unexpected answer of git ls-files"))
		}
		if ok {
			x.entries = append(x.entries, e)
		}
	}
	out, err = p.inWorkTree(ctx, "diff-files", "-z", "--name-only", "--ignore-submodules", "--no-ext-diff", "--no-renames")
	if err != nil {
		return nil, err
	}
	doubt := map[string]bool{}
	for path := range strings.SplitSeq(out, "\x00") {
		doubt[path] = true
	}
	for i := range x.entries {
		x.entries[i].doubt = x.entries[i].doubt || doubt[x.entries[i].path]
	}
	layout := &Layout{GitDir: p.dir, CommonDir: p.dir, WorkTree: p.workTree, Format: p.format}
	if layout.config, err = readConfig(filepath.Join(p.dir, "config")); err != nil {
		return nil, readError(p.dir, err)
	}
	return layout.compare(ctx, x, entries)
}

// parseStaged reads "MODE ID STAGE\tPATH".
func parseStaged(line string) (e indexEntry, ok bool) {
	head, path, ok := strings.Cut(line, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 || len(f[2]) != 1 || !safePath(path) {
		return e, false
	}
	for _, c := range []byte(f[0]) {
		if c < '0' || c > '7' {
			return e, false
		}
		e.mode = e.mode<<3 | uint32(c-'0')
	}
	id, err := gitobj.ParseID(f[1])
	e.path, e.id, e.stage = path, id, f[2][0]-'0'
	e.doubt = e.stage != 0
	return e, err == nil
}
