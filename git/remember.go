package git

import (
	"encoding/binary"
	"os"
)

// What a follower learned of a working tree's folders, as another process can
// take it up: what each held when it was read and what lstat said of it then. A
// folder counts as unchanged by the same rule as within one process, so what is
// remembered can save reading a folder and never hides a file.
//
//	text    memoryMagic, the user's number, working tree, git directory, and what
//	        else decides what is ignored; each preceded by its length
//	varint  folders
//	varint  names in all of them
//
// and for each folder its path as text, its stamp, 1 and the stamp of its rules
// or 0, and two lists of names, files and folders: a varint for their number and
// each as text. A length is a varint.
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
		b = appendText(b, s)
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
		b = f.stamp.append(appendText(b, path))
		if f.ruled.there {
			b = f.ruled.append(append(b, 1))
		} else {
			b = append(b, 0)
		}
		for _, list := range [][]string{f.files, f.folders} {
			b = binary.AppendUvarint(b, uint64(len(list)))
			for _, name := range list {
				b = appendText(b, name)
			}
		}
	}
	return b
}

// keeps reports whether what is known of the folder can be told from what comes
// later.
func (f *otherFolder) keeps() bool { return f.stamp.there && !f.stamp.racy && !f.ruled.racy }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

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
	d := memoryReader{b: b, text: string(b)}
	for _, want := range o.owner() {
		if d.str() != want {
			return
		}
	}
	settled := d.str()
	n, names := d.count(), d.count()
	if n > len(d.b)/stampSize {
		return
	}
	all := make([]string, 0, names)
	slab := make([]otherFolder, n)
	folders := make(map[string]*otherFolder, n)
	for i := range slab {
		f := &slab[i]
		path := d.str()
		f.stamp = d.stamp()
		if d.byte() == 1 {
			f.ruled, f.unread = d.stamp(), true
		}
		for _, list := range []*[]string{&f.files, &f.folders} {
			from := len(all)
			for k := d.count(); k > 0 && !d.bad; k-- {
				all = append(all, d.str())
			}
			*list = all[from:len(all):len(all)]
		}
		folders[path] = f
	}
	if d.bad || len(d.b) > 0 || len(folders) != n {
		return
	}
	o.settled, o.folders = settled, folders
}

// memoryReader reads what encode wrote. What is not there is zero, and bad set.
type memoryReader struct {
	b    []byte
	text string // of which b is the rest
	bad  bool
}

// count reads a number that cannot be larger than what is left.
func (d *memoryReader) count() int {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > uint64(len(d.b)-n) {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return int(v)
}

func (d *memoryReader) str() string {
	n := d.count()
	at := len(d.text) - len(d.b)
	d.b = d.b[n:]
	return d.text[at : at+n]
}

func (d *memoryReader) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *memoryReader) stamp() stamp {
	if len(d.b) < stampSize {
		d.bad, d.b = true, nil
		return stamp{}
	}
	le := binary.LittleEndian
	s := stamp{there: true, bytes: int64(le.Uint64(d.b[36:])), exec: d.b[44] == 1}
	for i, n := range [...]*uint32{&s.ctime, &s.ctimeNano, &s.mtime, &s.mtimeNano, &s.dev, &s.ino, &s.uid, &s.gid, &s.size} {
		*n = le.Uint32(d.b[4*i:])
	}
	d.b = d.b[stampSize:]
	return s
}
