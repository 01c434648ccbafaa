// Package bylines makes an index of changed files without a parser, for a
// program that has none: verbatim source, units of some tens of lines, and the
// terms in them. It has neither vectors nor symbols. Which files it leaves out,
// and why, are the compiler's rules: text and other bytes, secrets, sizes, and
// the settings in the tree.
//
// It stands beside another index and not on top of it (query.Options.Over):
// what it has is searched, and what the other has of the same files is not.
package bylines

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// File is a file that differs from the index's commit.
type File struct {
	Path string
	Mode uint32 // as git would store it
	// Stamp tells this state of the file from every other: where it is what it
	// was at the last Build, the file need not be read again. "" is unknown.
	Stamp string
}

// Read returns a file's content, for a symbolic link its target, and its size
// in bytes. Of a file above limit the content may be cut behind it. A file that
// is gone gives fs.ErrNotExist.
type Read func(path string, mode uint32, limit int64) (content []byte, size int64, err error)

// ErrMoved means that a file was written while the files were read.
var ErrMoved = errors.New("the working tree changed meanwhile")

// ErrTooMuch means that the changed files have more than maxTotal bytes.
var ErrTooMuch = errors.New("the changed files are too large to be kept in memory")

const maxTotal = 1 << 30

const (
	modeKind    = 0o170000
	modeSymlink = 0o120000
	modeModule  = 0o160000
)

// Builder makes the indexes of one working tree after another over one base,
// and keeps of the last what did not change. It serves one goroutine.
type Builder struct {
	base  *artifact.Index
	rules *rules
	last  map[string]known
	parts map[artifact.Digest]*part
}

// known is a file as it was read.
type known struct {
	stamp string
	file  artifact.File
}

// New returns a builder over base, which stays the caller's.
func New(base *artifact.Index) *Builder { return &Builder{base: base} }

// Result is an index of changed files.
type Result struct {
	Index *artifact.Index // nil for no file
	// Hidden are further paths whose results in the base are not to be shown,
	// since the settings in the working tree leave the files out.
	Hidden []string
}

// Build reads the files, which need not be sorted. Deleted files are none of
// them.
func (b *Builder) Build(ctx context.Context, files []File, read Read) (*Result, error) {
	files = append([]File(nil), files...)
	sortFiles(files)
	res := &Result{}
	var err error
	if files, res.Hidden, err = b.settle(files, read); err != nil {
		return nil, err
	}
	recs := make([]artifact.File, 0, len(files))
	texts := map[string][]byte{}
	total := int64(0)
	now := make(map[string]known, len(files))
	for i, f := range files {
		if i > 0 && f.Path == files[i-1].Path {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, ok := b.last[f.Path]
		if !ok || f.Stamp == "" || k.stamp != f.Stamp || k.file.Mode != f.Mode {
			rec, text, err := b.rules.read(f, read)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			k = known{f.Stamp, rec}
			texts[f.Path] = text
		}
		if k.file.Skip == artifact.SkipNone {
			if total += int64(k.file.Size); total > maxTotal {
				return nil, ErrTooMuch
			}
		}
		now[f.Path] = k
		recs = append(recs, k.file)
	}
	b.last = now
	if len(recs) == 0 {
		b.parts = nil
		return res, nil
	}
	parts := make(map[artifact.Digest]*part)
	var list []*part
	for len(recs) > 0 {
		n := cutAt(recs)
		key := keyOf(recs[:n])
		p := b.parts[key]
		if p == nil {
			if p, err = b.build(ctx, key, recs[:n], texts, read); err != nil {
				return nil, err
			}
		}
		parts[key] = p
		list = append(list, p)
		recs = recs[n:]
	}
	b.parts = parts
	res.Index = b.index(list)
	return res, nil
}

func sortFiles(files []File) {
	order.Sort(files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
}

// maxPart bounds the files of a partition, and partBits says how many low bits
// of a path's hash are zero where one begins: a new file disturbs one.
const (
	maxPart  = 256
	partBits = 4
)

func cutAt(recs []artifact.File) int {
	for n := 1; n < min(len(recs), maxPart); n++ {
		if sum := sha256.Sum256([]byte(recs[n].Path)); sum[0]&(1<<partBits-1) == 0 {
			return n
		}
	}
	return min(len(recs), maxPart)
}

// keyOf names what a partition of these files is.
func keyOf(recs []artifact.File) artifact.Digest {
	var b strings.Builder
	for i := range recs {
		r := &recs[i]
		fmt.Fprintf(&b, "%q %o %s %d %d %q\n", r.Path, r.Mode, r.Blob, r.Size, r.Skip, r.Lang)
	}
	return artifact.DigestOf([]byte(b.String()))
}

// part is one partition.
type part struct {
	recs           []artifact.File
	units, docs    int
	segments       [artifact.Lexical + 1][]byte
	key            artifact.Digest
	langs, skipped map[string]int
}

// build makes a partition. Files that were known are read again.
func (b *Builder) build(ctx context.Context, key artifact.Digest, recs []artifact.File, texts map[string][]byte, read Read) (*part, error) {
	var w writer
	for i := range recs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := &recs[i]
		text, ok := texts[r.Path]
		if !ok && r.Skip == artifact.SkipNone {
			var again artifact.File
			var err error
			if again, text, err = b.rules.read(File{Path: r.Path, Mode: r.Mode}, read); err != nil || again != *r {
				return nil, ErrMoved
			}
		}
		w.file(*r, text)
	}
	return w.finish(key)
}

// index joins partitions. Its manifest says of itself what engines ask for.
func (b *Builder) index(parts []*part) *artifact.Index {
	base := b.base.Manifest()
	absent := artifact.ViewInfo{State: artifact.ViewAbsent, Reason: "changed files are read by lines here", Reproducible: artifact.NotAtAll}
	ready := artifact.ViewInfo{State: artifact.ViewReady, Reproducible: artifact.NotAtAll}
	m := &artifact.Manifest{
		Schema: base.Schema, FormatVersion: base.FormatVersion, ObjectFormat: base.ObjectFormat, Commit: base.Commit, Profile: base.Profile,
		Views: map[string]artifact.ViewInfo{
			artifact.Units.String(): ready, artifact.Source.String(): ready, artifact.Lexical.String(): ready,
			artifact.Dense.String(): absent, artifact.Structural.String(): absent,
		},
		Languages: map[string]artifact.Language{}, Skipped: map[string]int{}, Degraded: map[string]int{},
	}
	for _, p := range parts {
		info := artifact.PartitionInfo{Files: len(p.recs), Units: p.units, Docs: p.docs, Segments: map[string]artifact.SegmentInfo{}}
		for v := artifact.Units; v <= artifact.Lexical; v++ {
			info.Segments[v.String()] = artifact.SegmentInfo{Key: p.key, Size: int64(len(p.segments[v]))}
		}
		m.Partitions = append(m.Partitions, info)
		m.Files, m.Units, m.Docs = m.Files+info.Files, m.Units+info.Units, m.Docs+info.Docs
		for lang, n := range p.langs {
			l := m.Languages[lang]
			l.Files += n
			m.Languages[lang] = l
			m.Indexed += n
		}
		for why, n := range p.skipped {
			m.Skipped[why] += n
		}
	}
	return artifact.NewIndex(m, artifact.Digest{}, func(p int, v artifact.View, _ artifact.SegmentInfo) ([]byte, error) {
		return parts[p].segments[v], nil
	}, nil)
}

// read reads a file and decides what is done with it, as the compiler does.
func (r *rules) read(f File, read Read) (artifact.File, []byte, error) {
	rec := artifact.File{Path: f.Path, Mode: f.Mode, Blob: gitobj.Hash(r.format, "blob", nil)}
	kind := f.Mode & modeKind
	if kind == modeModule {
		rec.Skip = artifact.SkipSubmodule
		return rec, nil, nil
	}
	regular := kind != modeSymlink
	allowed := r.allowed[f.Path]
	limit := r.limit()
	content, size, err := read(f.Path, f.Mode, limit)
	if err != nil {
		return rec, nil, err
	}
	rec.Size = uint64(size)
	switch {
	case r.excludes(f.Path):
		rec.Skip = artifact.SkipExcluded
	case regular && !allowed && secrets.Name(f.Path):
		rec.Skip = artifact.SkipSecret
	case size > limit:
		rec.Skip = artifact.SkipTooLarge
	default:
		rec.Skip = filetext.Inspect(content)
	}
	if rec.Skip != artifact.SkipNone {
		return rec, nil, nil
	}
	text := filetext.Decode(content)
	look := content
	if len(content) > 0 && content[0] >= 0xfe { // UTF-16
		look = text.Bytes
	}
	if regular && !allowed && secrets.Content(f.Path, look) != "" {
		rec.Skip = artifact.SkipSecret
		return rec, nil, nil
	}
	rec.Blob = gitobj.Hash(r.format, "blob", content)
	rec.Encoding = text.Encoding
	rec.Lines = countLines(text.Bytes)
	if regular {
		rec.Lang = r.language(f.Path)
	}
	return rec, content, nil
}
