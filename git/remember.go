package git

import (
	"encoding/binary"
	"os"

	"github.com/pindex-dev/pindex/internal/wire"
)

// What a follower learned of a working tree's folders, as another process can
// take it up: what each held when it was read and what lstat said of it then. A
// folder counts as unchanged by the same rule as within one process, so what is
// remembered can save reading a folder and never hides a file.
//
// In the form of package wire: texts for memoryMagic, the user's number, working
// tree, git directory and what else decides what is ignored; numbers for the
// folders and the names in all of them; and for each folder a text for its path,
// its stamp, 1 and the stamp of its rules or 0, and the numbers of files and of
// folders in it, each followed by their names.
const memoryMagic = "pindex folders 1"

// stampSize is the size of a stamp in bytes: the nine numbers that an index has
// too, the size in full, and whether it can be executed.
const stampSize = 9*4 + 8 + 1

// worthKeeping is how many folders, and what part of all, must have been read
// for Memory to return something.
const (
	worthKeeping     = 8
	worthKeepingPart = 16
)

// Memory returns what the follower knows of the working tree's folders, nil
// where little is new since Memory or Remember was called last.
func (f *Follower) Memory() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.others
	if o == nil || o.listed < worthKeeping || o.listed*worthKeepingPart < len(o.folders) {
		return nil
	}
	o.listed = 0
	return o.encode()
}

// Remember makes the follower know what another one of the same working tree
// returned from Memory. Everything else is ignored. It is called before the
// first look.
func (f *Follower) Remember(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory = b
}

func (o *others) owner() []string {
	return []string{memoryMagic, string(binary.AppendUvarint(nil, uint64(os.Geteuid()))), o.l.WorkTree, o.l.GitDir}
}

func (o *others) encode() []byte {
	var b []byte
	for _, s := range append(o.owner(), o.settled) {
		b = wire.AppendText(b, s)
	}
	folders, names := 0, 0
	for _, f := range o.folders {
		if f.keeps() {
			folders++
			names += len(f.files) + len(f.folders)
		}
	}
	b = binary.AppendUvarint(b, uint64(folders))
	b = binary.AppendUvarint(b, uint64(names))
	for path, f := range o.folders {
		if !f.keeps() {
			continue
		}
		b = wire.AppendText(b, path)
		files, below := f.files, f.folders
		if f.stamp.racy { // to be read again, though its rules are as they were
			b, files, below = stamp{}.append(b), nil, nil
		} else {
			b = f.stamp.append(b)
		}
		if f.ruled.there {
			b = f.ruled.append(append(b, 1))
		} else {
			b = append(b, 0)
		}
		for _, list := range [][]string{files, below} {
			b = binary.AppendUvarint(b, uint64(len(list)))
			for _, name := range list {
				b = wire.AppendText(b, name)
			}
		}
	}
	return b
}

// keeps reports whether the folder's rules can be told from what comes later.
// Where they cannot, nothing below is taken up: it was listed by them.
func (f *otherFolder) keeps() bool { return f.stamp.there && !f.ruled.racy }

func (s stamp) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, n := range [...]uint32{s.ctime, s.ctimeNano, s.mtime, s.mtimeNano, s.dev, s.ino, s.uid, s.gid, s.size} {
		b = le.AppendUint32(b, n)
	}
	b = le.AppendUint64(b, uint64(s.bytes))
	if s.exec {
		return append(b, 1)
	}
	return append(b, 0)
}

// decode takes up what encode returned, or nothing.
func (o *others) decode(b []byte) {
	r := wire.NewReader(b)
	for _, want := range o.owner() {
		if r.Text() != want {
			return
		}
	}
	settled := r.Text()
	n := r.Count(stampSize)
	all := make([]string, 0, r.Count(1))
	slab := make([]otherFolder, n)
	folders := make(map[string]*otherFolder, n)
	for i := range slab {
		f := &slab[i]
		path := r.Text()
		f.stamp = readStamp(r)
		if r.Number() == 1 {
			f.ruled, f.unread = readStamp(r), true
		}
		for _, list := range []*[]string{&f.files, &f.folders} {
			from := len(all)
			for range r.Count(1) {
				all = append(all, r.Text())
			}
			*list = all[from:len(all):len(all)]
		}
		folders[path] = f
	}
	if r.Whole() && len(folders) == n {
		o.settled, o.folders = settled, folders
	}
}

func readStamp(r *wire.Reader) stamp {
	b := []byte(r.Take(stampSize))
	if len(b) < stampSize {
		return stamp{}
	}
	le := binary.LittleEndian
	s := stamp{there: true, bytes: int64(le.Uint64(b[36:])), exec: b[44] == 1}
	for i, n := range [...]*uint32{&s.ctime, &s.ctimeNano, &s.mtime, &s.mtimeNano, &s.dev, &s.ino, &s.uid, &s.gid, &s.size} {
		*n = le.Uint32(b[4*i:])
	}
	return s
}
