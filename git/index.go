package git

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// The index, big-endian; h = 20 or 32:
//
//	size   content
//	4      "DIRC"
//	4      version: 2, 3 or 4
//	4      number of entries
//	…      entries, sorted by path and stage
//	…      extensions: 4 bytes of name, 4 of length, content
//	h      hash of all of the above, or zeros
//
// An entry:
//
//	40     what lstat said: ctime and mtime in seconds and nanoseconds,
//	       device, inode, mode, user, group, size; the low 32 bits of each
//	h      object id
//	2      flags: assume valid (1 bit), extended (1), stage (2), length of
//	       the path, at most 4095 (12)
//	2      further flags, in extended entries of versions 3 and 4
//	…      versions 2 and 3: path, and 1 to 8 NULs up to a multiple of 8;
//	       version 4: how many bytes to drop from the last path, as a
//	       varint, what to add to it, and a NUL

// maxIndex is the size in bytes of the largest index file that is read.
const maxIndex = 2 << 30

// indexEntry is one entry of the index.
type indexEntry struct {
	path  string
	mode  uint32
	stage uint8
	id    gitobj.ID
	stat  statData
	skip  bool // not checked out on purpose (sparse checkout)
	doubt bool // its stat data say nothing: the file must be read
}

// statData is what the index keeps of lstat's answer.
type statData struct {
	ctime, ctimeNano uint32
	mtime, mtimeNano uint32
	dev, ino         uint32
	uid, gid         uint32
	size             uint32
}

// index is a parsed index.
type index struct {
	entries     []indexEntry
	mtime       uint32 // of the index file itself
	mtimeNano   uint32
	assumeClean bool // entries without doubt need no lstat
}

// readIndex reads an index file. One that does not exist is empty. Forms that
// only git knows (split, sparse, or from the future) give ErrUnsupported.
func readIndex(path string, f gitobj.Format) (*index, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() > maxIndex {
		return nil, fmt.Errorf("%w: an index of %d bytes", ErrUnsupported, fi.Size())
	}
	b := make([]byte, fi.Size())
	if _, err := file.ReadAt(b, 0); err != nil {
		return nil, err
	}
	entries, err := parseIndex(b, f)
	if err != nil {
		return nil, err
	}
	t := fi.ModTime()
	return &index{entries: entries, mtime: uint32(t.Unix()), mtimeNano: uint32(t.Nanosecond())}, nil
}

var errIndexCut = errors.New("an index that is cut")

// parseIndex parses the bytes of an index file.
func parseIndex(b []byte, f gitobj.Format) ([]indexEntry, error) {
	h := f.Size()
	if len(b) < 12+h || string(b[:4]) != "DIRC" {
		return nil, errors.New("it is no index")
	}
	version := binary.BigEndian.Uint32(b[4:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("%w: an index of version %d", ErrUnsupported, version)
	}
	body, sum := b[:len(b)-h], b[len(b)-h:]
	if !checksumOK(body, sum, f) {
		return nil, errors.New("an index whose bytes do not match its checksum")
	}
	n := int(binary.BigEndian.Uint32(b[8:]))
	if n > len(body)/(40+h+2) {
		return nil, errIndexCut
	}
	p := indexParser{bytes: body, text: string(body), pos: 12, h: h, version: version}
	entries := make([]indexEntry, n)
	for i := range entries {
		if err := p.entry(&entries[i]); err != nil {
			return nil, err
		}
		if i > 0 && !inOrder(&entries[i-1], &entries[i]) {
			return nil, errors.New("an index that is not sorted")
		}
	}
	return entries, p.extensions()
}

// checksumOK checks the index's own hash. Zeros say that there is none.
func checksumOK(body, sum []byte, f gitobj.Format) bool {
	if bytes.Count(sum, []byte{0}) == len(sum) {
		return true
	}
	if f == gitobj.SHA256 {
		s := sha256.Sum256(body)
		return bytes.Equal(s[:], sum)
	}
	s := sha1.Sum(body)
	return bytes.Equal(s[:], sum)
}

func inOrder(a, b *indexEntry) bool {
	if a.path != b.path {
		return a.path < b.path
	}
	return a.stage != 0 && a.stage < b.stage
}

type indexParser struct {
	bytes   []byte
	text    string // the same; paths are parts of it
	pos     int
	h       int
	version uint32
	last    string // version 4: the path of the entry in front
}

func (p *indexParser) u32(at int) uint32 { return binary.BigEndian.Uint32(p.bytes[at:]) }

func (p *indexParser) entry(e *indexEntry) error {
	start := p.pos
	fixed := 40 + p.h + 2
	if len(p.text)-start < fixed {
		return errIndexCut
	}
	e.stat = statData{
		ctime: p.u32(start), ctimeNano: p.u32(start + 4), mtime: p.u32(start + 8), mtimeNano: p.u32(start + 12),
		dev: p.u32(start + 16), ino: p.u32(start + 20), uid: p.u32(start + 28), gid: p.u32(start + 32), size: p.u32(start + 36),
	}
	e.mode = p.u32(start + 24)
	var err error
	if e.id, err = gitobj.IDFromBytes(p.bytes[start+40 : start+40+p.h]); err != nil {
		return err
	}
	p.pos = start + fixed
	flags := uint16(p.text[p.pos-2])<<8 | uint16(p.text[p.pos-1])
	e.stage = uint8(flags >> 12 & 3)
	// "Assume valid" (0x8000) asks git not to look. It is not obeyed: an
	// answer about the working tree is to be about what is there.
	if flags&0x4000 != 0 {
		if p.version < 3 || len(p.text)-p.pos < 2 {
			return errIndexCut
		}
		more := uint16(p.text[p.pos])<<8 | uint16(p.text[p.pos+1])
		p.pos += 2
		if more&^0x6000 != 0 {
			return fmt.Errorf("%w: an index entry with unknown flags", ErrUnsupported)
		}
		e.skip = more&0x4000 != 0
		e.doubt = more&0x2000 != 0 // added by intention only
	}
	if e.stage != 0 {
		e.doubt = true
	}
	if p.version == 4 {
		err = p.compressedPath(e)
	} else {
		err = p.plainPath(e, start)
	}
	if err != nil {
		return err
	}
	if e.path == "" {
		return fmt.Errorf("%w: a split index", ErrUnsupported)
	}
	switch e.mode & modeType {
	case ModeFile & modeType, ModeSymlink, ModeSubmodule:
	case modeTree:
		return fmt.Errorf("%w: a sparse index", ErrUnsupported)
	default:
		return fmt.Errorf("an index entry with the mode %o", e.mode)
	}
	if !safePath(e.path) {
		return fmt.Errorf("an index entry with the path %q", e.path)
	}
	return nil
}

func (p *indexParser) plainPath(e *indexEntry, start int) error {
	n := strings.IndexByte(p.text[p.pos:], 0)
	if n < 0 {
		return errIndexCut
	}
	e.path = p.text[p.pos : p.pos+n]
	size := p.pos + n - start
	p.pos = start + (size+8)&^7
	if p.pos > len(p.text) {
		return errIndexCut
	}
	return nil
}

func (p *indexParser) compressedPath(e *indexEntry) error {
	drop := 0
	for first := true; ; first = false {
		if p.pos == len(p.text) || drop > 1<<40 {
			return errIndexCut
		}
		c := p.text[p.pos]
		p.pos++
		if !first {
			drop++
		}
		drop = drop<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			break
		}
	}
	n := strings.IndexByte(p.text[p.pos:], 0)
	if n < 0 || drop > len(p.last) || len(p.last)-drop+n > maxPathBytes {
		return errIndexCut
	}
	e.path = p.last[:len(p.last)-drop] + p.text[p.pos:p.pos+n]
	p.last = e.path
	p.pos += n + 1
	return nil
}

// extensions makes sure that nothing behind the entries changes their
// meaning. Those whose name begins with a capital letter may be ignored.
func (p *indexParser) extensions() error {
	for rest := p.text[p.pos:]; len(rest) > 0; {
		if len(rest) < 8 {
			return errIndexCut
		}
		name := rest[:4]
		size := int64(p.u32(len(p.text) - len(rest) + 4))
		if size > int64(len(rest)-8) {
			return errIndexCut
		}
		if name[0] < 'A' || name[0] > 'Z' {
			return fmt.Errorf("%w: an index with the extension %q", ErrUnsupported, name)
		}
		rest = rest[8+size:]
	}
	return nil
}

// safePath reports whether a path of the index stays inside of the working
// tree and outside of the git directory.
func safePath(path string) bool {
	if path != "" && path[0] != '.' && path[0] != '/' && path[len(path)-1] != '/' &&
		!strings.Contains(path, "/.") && !strings.Contains(path, "//") {
		return true // the usual case, at once
	}
	for len(path) > 0 {
		part, rest, more := strings.Cut(path, "/")
		if part == "" || part == "." || part == ".." || len(part) == 4 && strings.EqualFold(part, ".git") || more && rest == "" {
			return false
		}
		if !more {
			return strings.IndexByte(path, 0) < 0
		}
		path = rest
	}
	return false
}
