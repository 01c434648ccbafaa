package registry

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// ArchiveSuffix ends the name of a file that is an Archive.
const ArchiveSuffix = ".tar"

// Archive is a Store in one file: a tar file that holds an OCI layout. It is
// read in place, nothing is unpacked to disk, and it is written as a whole by
// WriteArchive.
type Archive struct {
	path  string
	gone  bool
	blobs map[string]extent // by digest
	index *layoutIndex
}

// extent is where a file's content lies in the tar file.
type extent struct{ offset, size int64 }

var _ Store = (*Archive)(nil)

// maxArchiveEntries is how many files an archive may hold.
const maxArchiveEntries = 2 * MaxTags

// OpenArchive reads the table of contents of the tar file at path.
func OpenArchive(path string) (*Archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "make one with pindex cp, or name another store with --store", "cannot read the archive %s", path)
	}
	defer f.Close()
	a := &Archive{path: absolute(path), blobs: map[string]extent{}}
	if err := a.scan(f); err != nil {
		return nil, fail.Wrap(fail.Verification, err, "make it again with pindex cp", "%s is no archive of indexes", path)
	}
	return a, nil
}

// AbsentArchive stands for an archive that is not there, or not any more: it
// holds nothing.
func AbsentArchive(path string) *Archive {
	return &Archive{path: absolute(path), gone: true, index: &layoutIndex{}}
}

// absolute is the path that names an archive from everywhere.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Gone reports whether the file is not there.
func (a *Archive) Gone() bool { return a.gone }

func (a *Archive) scan(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	var layout, index *extent
	for s, n := (&tarScanner{r: f}), 0; ; n++ {
		h, err := s.entry()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if n >= maxArchiveEntries {
			return fmt.Errorf("more than %d files", maxArchiveEntries)
		}
		if h.kind == '5' {
			continue
		}
		e := h.extent
		if h.kind != '0' || e.offset > info.Size() || e.size > info.Size()-e.offset {
			return fmt.Errorf("%.100q is no whole regular file", h.name)
		}
		name := strings.TrimPrefix(h.name, "./")
		hex, isBlob := strings.CutPrefix(name, ocispec.ImageBlobsDir+"/sha256/")
		switch {
		case name == ocispec.ImageLayoutFile && layout == nil:
			layout = &e
		case name == ocispec.ImageIndexFile && index == nil:
			index = &e
		case isBlob && len(hex) == 64 && isHex(hex):
			if _, twice := a.blobs["sha256:"+hex]; twice {
				return fmt.Errorf("%s stands there twice", name)
			}
			a.blobs["sha256:"+hex] = e
		default:
			return fmt.Errorf("%.100q has no place in a layout, or stands there twice", h.name)
		}
	}
	if layout == nil || index == nil {
		return errors.New("it holds no OCI layout")
	}
	b, err := layout.read(f, 4096)
	if err != nil {
		return err
	}
	var l ocispec.ImageLayout
	if err := json.Unmarshal(b, &l); err != nil || l.Version != ocispec.ImageLayoutVersion {
		return fmt.Errorf("not an OCI layout of version %s", ocispec.ImageLayoutVersion)
	}
	if b, err = index.read(f, MaxIndexJSON); err != nil {
		return err
	}
	a.index, err = decodeIndex(b)
	return err
}

func (e extent) read(f io.ReaderAt, limit int64) ([]byte, error) {
	if e.size > limit {
		return nil, fmt.Errorf("%d bytes, more than %d", e.size, limit)
	}
	b := make([]byte, e.size)
	if _, err := f.ReadAt(b, e.offset); err != nil {
		return nil, err
	}
	return b, nil
}

// Name returns the file's path.
func (a *Archive) Name() string { return a.path }

// Resolve implements Store.
func (a *Archive) Resolve(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	if err := context.Cause(ctx); err != nil {
		return ocispec.Descriptor{}, err
	}
	d, ok := a.index.find(tag)
	if !ok {
		return ocispec.Descriptor{}, fmt.Errorf("tag %.200q: %w: %s", tag, ErrNotFound, a.path)
	}
	return d, nil
}

// Fetch implements Store.
func (a *Archive) Fetch(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	damaged := func(err error) error {
		return fail.Wrap(fail.Verification, err, "make the archive again with pindex cp", "blob %.100s in %s is damaged", d.Digest, a.path)
	}
	if err := checkDescriptor(d, MaxBlob); err != nil {
		return nil, damaged(err)
	}
	e, ok := a.blobs[string(d.Digest)]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w: %s", d.Digest, ErrNotFound, a.path)
	}
	if e.size != d.Size {
		return nil, damaged(fmt.Errorf("it has %d bytes, not %d", e.size, d.Size))
	}
	f, err := os.Open(a.path)
	if err != nil {
		return nil, fail.Wrap(fail.Network, err, "", "cannot read the archive %s", a.path)
	}
	defer f.Close()
	b, err := e.read(f, MaxBlob)
	if err != nil {
		return nil, damaged(err)
	}
	if got := artifact.DigestOf(b); got.String() != string(d.Digest) {
		return nil, damaged(fmt.Errorf("the content has digest %s", got))
	}
	return b, nil
}

// List implements Store.
func (a *Archive) List(ctx context.Context) ([]Tagged, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return a.index.tagged(), nil
}

func (a *Archive) readOnly() error {
	return fail.Wrap(fail.Usage, ErrUnsupported, "write to a folder or a registry, and make an archive of it with pindex cp", "%s is an archive, which is written as a whole", a.path)
}

// Push implements Store: archives cannot be written to.
func (a *Archive) Push(context.Context, Blob) (ocispec.Descriptor, error) {
	return ocispec.Descriptor{}, a.readOnly()
}

// Publish implements Store: archives cannot be written to.
func (a *Archive) Publish(context.Context, Publication) (Published, error) {
	return Published{}, a.readOnly()
}

// Untag implements Store: archives cannot be written to.
func (a *Archive) Untag(context.Context, string) error { return a.readOnly() }

// WriteArchive writes the artifacts that the tags of a store hold, with their
// reports, into one file, which it replaces. Its bytes follow from what it
// holds. The file is readable by its owner alone: it holds source text.
func WriteArchive(ctx context.Context, path string, from Store, tags []string, progress func(done, total int)) error {
	x := newLayoutIndex()
	var blobs []ocispec.Descriptor
	for _, tag := range tags {
		more, err := collect(ctx, from, tag, x)
		if err != nil {
			return err
		}
		blobs = append(blobs, more...)
	}
	order.Sort(blobs, func(a, b ocispec.Descriptor) int { return strings.Compare(string(a.Digest), string(b.Digest)) })
	blobs = slices.CompactFunc(blobs, func(a, b ocispec.Descriptor) bool { return a.Digest == b.Digest })
	index, err := x.encode()
	if err != nil {
		return fail.Wrap(fail.Internal, err, "", "cannot write %s", path)
	}
	layout, err := json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	if err != nil {
		return fail.Wrap(fail.Internal, err, "", "cannot write %s", path)
	}
	var fetching error
	err = durable.WriteFile(path, 0o600, func(w io.Writer) error {
		t := tar.NewWriter(w)
		add := func(name string, b []byte) error {
			h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(b)), Mode: 0o644, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			_, err := io.Copy(t, bytes.NewReader(b))
			return err
		}
		if err := errors.Join(add(ocispec.ImageLayoutFile, layout), add(ocispec.ImageIndexFile, index)); err != nil {
			return err
		}
		for i, d := range blobs {
			b, err := from.Fetch(ctx, d)
			if err != nil {
				fetching = Incomplete(from, err)
				return fetching
			}
			if err := add(ocispec.ImageBlobsDir+"/sha256/"+d.Digest.Encoded(), b); err != nil {
				return err
			}
			if progress != nil {
				progress(i+1, len(blobs))
			}
		}
		return t.Close()
	})
	if err != nil && fetching == nil {
		return fail.Wrap(fail.Network, err, "name a file in a folder that can be written to and has room", "cannot write %s", path)
	}
	return err
}

// collect enters what tag and its report's tag hold into x and returns all the
// blobs that they lead to.
func collect(ctx context.Context, from Store, tag string, x *layoutIndex) ([]ocispec.Descriptor, error) {
	a, err := readTagged(ctx, from, tag)
	if err != nil {
		return nil, err
	}
	x.set(tag, plain(a.Descriptor))
	blobs := append([]ocispec.Descriptor{plain(a.Descriptor), a.Config}, a.Blobs()...)
	report, err := from.Resolve(ctx, ReportTag(tag))
	if errors.Is(err, ErrNotFound) {
		return blobs, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkDescriptor(report, MaxOCIManifest); err != nil {
		return nil, fail.Wrap(fail.Verification, err, "", "the build report of %s in %s cannot be used", tag, from.Name())
	}
	b, err := from.Fetch(ctx, report)
	if err != nil {
		return nil, Incomplete(from, err)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(b, &m); err != nil || len(m.Layers) > 16 {
		return nil, fail.New(fail.Verification, "", "the build report of %s in %s cannot be used", tag, from.Name())
	}
	x.set(ReportTag(tag), plain(report))
	blobs = append(blobs, plain(report))
	for _, d := range append(m.Layers, m.Config) {
		blobs = append(blobs, plain(d))
	}
	return blobs, nil
}
