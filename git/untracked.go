package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Untracked returns the files of the working tree at or around dir that git
// neither tracks nor ignores, in no order. Where the configuration has a form
// that only git knows it asks the git program; without one the error is
// ErrUnsupported. What lies in a repository inside of the working tree is none
// of it; the program lists that repository's folder, with a slash at the end.
func Untracked(ctx context.Context, dir string, o Options) ([]string, error) {
	l, err := FindLayout(dir)
	if err == nil {
		var paths []string
		if paths, err = newOthers(l).list(ctx, nil); err == nil {
			return paths, nil
		}
	}
	if !errors.Is(err, ErrUnsupported) {
		return nil, err
	}
	exe, lookErr := findGit(o.Git)
	if lookErr != nil || o.Backend == Embedded {
		return nil, NewUnsupported(dir, "needs the git program to tell which files are ignored")
	}
	p, err := openWorkTree(ctx, exe, dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	out, err := p.inWorkTree(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// others finds the files that git neither tracks nor ignores, again and again:
// a folder that was not written to since is not read again. It serves one
// goroutine.
type others struct {
	l       *Layout
	rules   []ignoreRule // of outside the working tree, those that count least first
	fold    bool
	ready   bool   // rules and settled are set
	settled string // what the files of rules outside were when they were read, and what else decides
	folders map[string]*otherFolder
	round   int // number of the walk
	listed  int // folders read since others was made or remembered
}

// otherFolder is what a folder holds that is not ignored.
type otherFolder struct {
	stamp   stamp
	rules   []ignoreRule
	ruled   stamp // of its file of rules
	unread  bool  // the rules are still to be read: the folder is remembered
	files   []string
	folders []string
	round   int // of the walk that came here last
}

func newOthers(l *Layout) *others { return &others{l: l, folders: map[string]*otherFolder{}} }

// list returns the files. x is the index, nil to have it read.
func (o *others) list(ctx context.Context, x *index) ([]string, error) {
	if o.l.WorkTree == "" {
		return nil, noWorkTree(o.l.GitDir)
	}
	if x == nil {
		var err error
		if x, err = o.l.readIndex(); err != nil {
			return nil, err
		}
	}
	tracked := make(map[string]struct{}, len(x.entries))
	modules := map[string]bool{}
	var listed strings.Builder // the paths of the modules
	for i := range x.entries {
		e := &x.entries[i]
		tracked[e.path] = struct{}{}
		if isSubmodule(e.mode) {
			modules[e.path] = true
			listed.WriteString(e.path + "\x00")
		}
	}
	if err := o.settings(listed.String()); err != nil {
		return nil, err
	}
	o.round++
	w := otherWalk{others: o, ctx: ctx, modules: modules, tracked: tracked}
	if err := w.folder("", nil, false); err != nil {
		return nil, err
	}
	for path, f := range o.folders {
		if f.round != o.round {
			delete(o.folders, path)
		}
	}
	return w.found, nil
}

// settings reads the rules outside of the working tree where they changed. The
// folders that were listed are forgotten then, and where other folders are
// submodules, which are not listed.
func (o *others) settings(modules string) error {
	files, fold, ok := o.l.ignoreSettings()
	if !ok {
		return NewUnsupported(o.l.GitDir, "has a configuration that needs the git program to tell which files are ignored")
	}
	var now strings.Builder
	sure := true
	for _, file := range files {
		s, _ := stampOf(file)
		now.WriteString(file + "\x00" + s.text() + "\x00")
		sure = sure && !s.racy
	}
	now.WriteString(modules)
	if fold {
		now.WriteString("fold")
	}
	if sure && o.ready && now.String() == o.settled {
		return nil
	}
	if !sure || now.String() != o.settled {
		clear(o.folders)
	}
	o.rules, o.fold, o.settled, o.ready = nil, fold, now.String(), true
	for i := len(files) - 1; i >= 0; i-- { // the repository's own count more
		o.rules = append(o.rules, readIgnore(files[i], true, fold)...)
	}
	return nil
}

// otherWalk is one walk through the working tree.
type otherWalk struct {
	*others
	ctx     context.Context
	modules map[string]bool
	tracked map[string]struct{}
	found   []string
	path    []byte // scratch
}

// level is the rules of one folder above.
type level struct {
	prefix string
	rules  []ignoreRule
}

// folder walks through a folder, "" or one with a slash at the end. anew says
// that rules above it have changed.
func (w *otherWalk) folder(prefix string, above []level, anew bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	full := w.l.WorkTree + "/" + prefix
	now, kind := stampOf(full)
	if kind != kindFolder {
		return nil // it is gone, or no folder any more
	}
	f := w.folders[prefix]
	var ruled stamp
	if f == nil || f.ruled.there || f.stamp != now || now.racy { // else the folder had none, and has no more since
		ruled, _ = stampOf(full + ".gitignore")
	}
	if f == nil || f.ruled != ruled || ruled.racy || anew {
		f = &otherFolder{ruled: ruled}
		if ruled.there {
			f.rules = readIgnore(full+".gitignore", false, w.fold)
		}
		anew = true // a memory can know folders below of one that it does not
		w.folders[prefix] = f
	} else if f.unread {
		f.rules, f.unread = readIgnore(full+".gitignore", false, w.fold), false
	}
	f.round = w.round
	if len(f.rules) > 0 {
		above = append(above[:len(above):len(above)], level{prefix, f.rules})
	}
	if f.stamp != now || now.racy || !f.stamp.there || anew {
		if err := w.read(full, prefix, above, f); err != nil {
			return err
		}
		f.stamp = now
		w.listed++
	}
	for _, name := range f.files {
		w.path = append(append(w.path[:0], prefix...), name...)
		if _, ok := w.tracked[string(w.path)]; !ok {
			w.found = append(w.found, string(w.path))
		}
	}
	for _, name := range f.folders {
		if err := w.folder(prefix+name+"/", above, anew); err != nil {
			return err
		}
	}
	return nil
}

// read lists a folder without what is ignored.
func (w *otherWalk) read(full, prefix string, above []level, f *otherFolder) error {
	f.files, f.folders = nil, nil
	entries, err := readFolder(full)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // as for git
	}
	if err != nil {
		if _, kind := stampOf(full); kind != kindFolder {
			return nil // something else took its place meanwhile
		}
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if len(name) == 4 && strings.EqualFold(name, ".git") {
			if prefix != "" { // a repository of its own
				f.files, f.folders = nil, nil
				return nil
			}
			continue
		}
		path := prefix + name
		if e.IsDir() {
			if !w.modules[path] && !w.ignored(path, above, true) {
				f.folders = append(f.folders, name)
			}
			continue
		}
		if t := e.Type(); !t.IsRegular() && t&fs.ModeSymlink == 0 {
			continue
		}
		if !w.ignored(path, above, false) {
			f.files = append(f.files, name)
		}
	}
	return nil
}

// ignored asks the nearest rules first.
func (w *otherWalk) ignored(path string, above []level, folder bool) bool {
	if w.fold {
		path = lowerASCII(path)
	}
	for i := len(above) - 1; i >= 0; i-- {
		if ignored, ok := ignores(above[i].rules, path[len(above[i].prefix):], folder); ok {
			return ignored
		}
	}
	ignored, _ := ignores(w.rules, path, folder)
	return ignored
}

// readFolder lists a folder, in no order.
func readFolder(path string) ([]fs.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// stamp tells one state of a file from another.
type stamp struct {
	statData
	bytes int64
	there bool
	exec  bool
	// racy says that it was written so lately that a later state may look the
	// same.
	racy bool
}

// stampOf describes a file as it is now.
func stampOf(path string) (stamp, fileKind) {
	st, err := lstat(filepath.FromSlash(strings.TrimSuffix(path, "/")))
	if err != nil {
		return stamp{}, kindOther
	}
	s := stamp{statData: st.statData, bytes: st.bytes, there: true, exec: st.exec}
	last := max(int64(st.mtime)*1e9+int64(st.mtimeNano), int64(st.ctime)*1e9+int64(st.ctimeNano))
	s.racy = st.mtimeNano == 0 || time.Now().UnixNano()-last < raceNanos
	return s, st.kind
}

// text returns a text that differs from that of every other state, "" where
// that cannot be said.
func (s stamp) text() string {
	if s.racy {
		return ""
	}
	var b strings.Builder
	for _, n := range []uint64{uint64(s.ctime), uint64(s.ctimeNano), uint64(s.mtime), uint64(s.mtimeNano), uint64(s.dev), uint64(s.ino), uint64(s.bytes)} {
		for i := 0; i < 64; i += 8 {
			b.WriteByte(byte(n >> i))
		}
	}
	if s.exec {
		b.WriteByte(1)
	}
	return b.String()
}

// Stamp returns the mode that git would store a file of the working tree with,
// 0 for one that git does not store or that is not there, and a text that tells
// this state of it from every other, "" where that cannot be said yet.
func Stamp(path string) (mode uint32, text string) {
	s, kind := stampOf(path)
	switch {
	case kind == kindSymlink:
		mode = ModeSymlink
	case kind != kindRegular:
		return 0, ""
	case s.exec:
		mode = ModeExecutable
	default:
		mode = ModeFile
	}
	return mode, s.text()
}

// ModeOf returns the mode that git would store a file of the working tree
// with; 0 for one that git does not store.
func ModeOf(info os.FileInfo) uint32 {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return 0o120000
	case !info.Mode().IsRegular():
		return 0
	case info.Mode()&0o111 != 0:
		return 0o100755
	}
	return 0o100644
}
