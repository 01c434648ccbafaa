package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// lockFile is the file whose lock guards index.json. It is empty and stays.
const lockFile = "index.json.lock"

// ingestDir is where earlier versions, and other programs, write blobs before
// they rename them.
const ingestDir = "ingest"

// Local is a Store in an OCI image layout on disk. It is written here and not
// taken from oras-go, whose store reads and walks every manifest when it is
// opened (some fifty times the cost of resolving a tag here, with 500 commits)
// and knows nothing of other processes.
//
// # Many processes
//
// Blobs are written beside their place and renamed to their digest, so they
// need no lock. index.json is read, changed and replaced under the lock of
// index.json.lock; readers take no lock and see the old file or the new one.
// Programs that do not know this lock must not write to the same layout at
// the same time.
//
// # Crashes
//
// A process killed at any moment leaves a layout that reads as before. Before
// a tag is written, every blob that it leads to is synced to disk, so that the
// same holds for a power loss. A blob file that was torn before that has the
// wrong content under a digest's name: Fetch finds out, and the next Push of
// the same content replaces it.
type Local struct {
	dir string

	// writer is held by the one goroutine that changes index.json, so that
	// goroutines queue here and only processes poll the lock file.
	writer chan struct{}

	mu       sync.Mutex
	prepared bool            // the layout exists
	synced   map[string]bool // digests whose files this Local has synced
	promised *promises       // read when it is first needed
}

var _ Store = (*Local)(nil)

// OpenLocal opens the OCI layout in dir, which need not exist: the first
// write creates it, and until then it is empty. A folder that holds something
// else is refused when it is written to.
func OpenLocal(dir string) (*Local, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "", "cannot use %s as a store", dir)
	}
	l := &Local{dir: abs, writer: make(chan struct{}, 1), synced: make(map[string]bool)}
	if _, err := l.checkLayout(); err != nil {
		return nil, err
	}
	return l, nil
}

// Name returns the layout's folder.
func (l *Local) Name() string { return l.dir }

// Gone reports whether there is no layout in the folder, or none any more.
func (l *Local) Gone() bool {
	there, err := l.checkLayout()
	return err == nil && !there
}

// checkLayout reads the oci-layout file and reports whether it is there.
func (l *Local) checkLayout() (bool, error) {
	path := filepath.Join(l.dir, ocispec.ImageLayoutFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, l.readError(err, ocispec.ImageLayoutFile)
	}
	var layout ocispec.ImageLayout
	if err := json.Unmarshal(b, &layout); err != nil || layout.Version != ocispec.ImageLayoutVersion {
		return false, fail.New(fail.Verification, "name another folder with --store",
			"%s is not an OCI layout of version %s", l.dir, ocispec.ImageLayoutVersion)
	}
	return true, nil
}

// prepare creates what of the layout is missing. It may run in many processes
// at once.
func (l *Local) prepare() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.prepared {
		return nil
	}
	there, err := l.checkLayout()
	if err != nil {
		return err
	}
	if !there {
		if err := l.refuseForeign(); err != nil {
			return err
		}
		// A store holds source text, so a new one is private. Who wants to
		// share one makes the folder before, or opens it afterwards: below
		// it, nothing but the umask restricts reading.
		if err := os.MkdirAll(l.dir, 0o700); err != nil {
			return l.writeError(err)
		}
		b, err := json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
		if err != nil {
			return fail.Wrap(fail.Internal, err, "", "cannot create %s", l.dir)
		}
		if err := durable.WriteBytes(filepath.Join(l.dir, ocispec.ImageLayoutFile), 0o644, b); err != nil {
			return l.writeError(err)
		}
	}
	if err := os.MkdirAll(l.blobDir(), 0o777); err != nil {
		return l.writeError(err)
	}
	l.prepared = true
	return nil
}

// refuseForeign refuses a folder that is in use for something else. What a
// killed process may have left of a layout is no such thing.
func (l *Local) refuseForeign() error {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return l.writeError(err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ocispec.ImageBlobsDir, name == ocispec.ImageIndexFile, name == ocispec.ImageLayoutFile:
		case name == lockFile, name == ingestDir, strings.HasPrefix(name, durable.TempPrefix):
		default:
			return fail.New(fail.Usage, "name an empty or new folder, or an OCI layout, with --store",
				"%s is not an OCI layout and holds %q", l.dir, name)
		}
	}
	return nil
}

func (l *Local) blobDir() string {
	return filepath.Join(l.dir, ocispec.ImageBlobsDir, "sha256")
}

// blobPath returns the file of a blob whose digest was checked or computed.
func (l *Local) blobPath(d ocispec.Descriptor) string {
	return filepath.Join(l.blobDir(), d.Digest.Encoded())
}

// Push implements Store. A file that is there already is compared with the
// content, so that a pushed blob is known to be whole.
func (l *Local) Push(ctx context.Context, b Blob) (ocispec.Descriptor, error) {
	if len(b.Bytes) == 0 || len(b.Bytes) > MaxBlob {
		return ocispec.Descriptor{}, fail.New(fail.Internal, "", "a blob of %d bytes cannot be stored", len(b.Bytes))
	}
	if err := context.Cause(ctx); err != nil {
		return ocispec.Descriptor{}, err
	}
	if err := l.prepare(); err != nil {
		return ocispec.Descriptor{}, err
	}
	desc := describe(b.MediaType, b.Bytes)
	path := l.blobPath(desc)
	equal, err := sameContent(path, b.Bytes)
	if err == nil && equal {
		// Prune spares young files: this one is in use again.
		now := time.Now()
		err = os.Chtimes(path, now, now)
		if err == nil || errors.Is(err, fs.ErrPermission) {
			return desc, nil // somebody else's file, in a shared store
		}
	}
	switch {
	case err == nil: // other content under this digest
		err = durable.WriteBytes(path, 0o444, b.Bytes)
	case errors.Is(err, fs.ErrNotExist):
		// Not synced: Publish syncs what a tag leads to, many at a time.
		err = durable.Replace(path, 0o444, func(w io.Writer) error {
			_, err := w.Write(b.Bytes)
			return err
		})
	}
	if err != nil {
		return ocispec.Descriptor{}, l.writeError(err)
	}
	return desc, nil
}

// sameContent reports whether the file at path holds exactly want.
func sameContent(path string, want []byte) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() != int64(len(want)) {
		return false, err
	}
	buf := make([]byte, min(len(want), 256<<10))
	for len(want) > 0 {
		n, err := io.ReadFull(f, buf[:min(len(buf), len(want))])
		if err != nil {
			return false, err
		}
		if !bytes.Equal(buf[:n], want[:n]) {
			return false, nil
		}
		want = want[n:]
	}
	return true, nil
}

// Resolve implements Store.
func (l *Local) Resolve(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	if err := context.Cause(ctx); err != nil {
		return ocispec.Descriptor{}, err
	}
	b, err := l.readIndexFile()
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	if d, ok := scanTag(b, tag); ok {
		return d, nil
	}
	x, err := l.parseIndex(b)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	d, ok := x.find(tag)
	if !ok {
		return ocispec.Descriptor{}, fmt.Errorf("tag %s: %w: %s", tag, ErrNotFound, l.dir)
	}
	return d, nil
}

// Fetch implements Store.
func (l *Local) Fetch(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := checkDescriptor(d, MaxBlob); err != nil {
		return nil, l.damagedBlob(d, err)
	}
	r, err := os.Open(l.blobPath(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w: %s", d.Digest, ErrNotFound, l.dir)
	}
	if err != nil {
		return nil, l.readError(err, string(d.Digest))
	}
	defer r.Close()
	// The file decides how much memory is set aside, not the descriptor.
	info, err := r.Stat()
	if err != nil {
		return nil, l.readError(err, string(d.Digest))
	}
	if info.Size() != d.Size {
		return nil, l.damagedBlob(d, fmt.Errorf("the file has %d bytes, not %d", info.Size(), d.Size))
	}
	b := make([]byte, d.Size)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, l.readError(err, string(d.Digest))
	}
	if got := artifact.DigestOf(b); got.String() != string(d.Digest) {
		return nil, l.damagedBlob(d, fmt.Errorf("the content has digest %s", got))
	}
	return b, nil
}

// Holds reports whether an artifact in this layout may name a blob: whether it
// is there, by its size alone, or promised.
func (l *Local) Holds(d ocispec.Descriptor) bool { return l.has(d) || l.isPromised(d) }

// has reports whether the blob's file is there with the right size. It does
// not read it.
func (l *Local) has(d ocispec.Descriptor) bool {
	info, err := os.Stat(l.blobPath(d))
	return err == nil && info.Mode().IsRegular() && info.Size() == d.Size
}

// List implements Store.
func (l *Local) List(ctx context.Context) ([]Tagged, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	x, err := l.readIndex()
	if err != nil {
		return nil, err
	}
	return x.tagged(), nil
}

// Untag implements Store.
func (l *Local) Untag(ctx context.Context, tag string) error {
	if there, err := l.checkLayout(); err != nil {
		return err
	} else if !there {
		return fmt.Errorf("tag %s: %w: %s", tag, ErrNotFound, l.dir)
	}
	return l.update(ctx, func(x *layoutIndex) (bool, error) {
		if !x.remove(tag) {
			return false, fmt.Errorf("tag %s: %w: %s", tag, ErrNotFound, l.dir)
		}
		x.remove(ReportTag(tag))
		return true, nil
	})
}

// update reads the index, lets change edit it, and writes it when change says
// so, all under the lock.
func (l *Local) update(ctx context.Context, change func(*layoutIndex) (bool, error)) error {
	select {
	case l.writer <- struct{}{}:
		defer func() { <-l.writer }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	lock, err := durable.Lock(ctx, filepath.Join(l.dir, lockFile))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return l.writeError(err)
	}
	defer lock.Unlock()
	x, err := l.readIndex()
	if err != nil {
		return err
	}
	changed, err := change(x)
	if err != nil || !changed {
		return err
	}
	return l.writeIndex(x)
}

// writeError explains a failed write.
func (l *Local) writeError(err error) error {
	var known *fail.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case durable.IsFull(err):
		return fail.Wrap(fail.Network, err,
			"free some room there, such as by pindex cache prune where the cache is on that disk, or name a store elsewhere with --store, PINDEX_STORE or, for the default store, PINDEX_CACHE_DIR; what is stored already is unharmed",
			"no room left to write to the store %s", l.dir)
	case durable.IsDenied(err):
		return fail.Wrap(fail.Network, err,
			"make the folder writable for this user, or name a store elsewhere with --store, PINDEX_STORE or, for the default store, PINDEX_CACHE_DIR",
			"the store %s cannot be written to", l.dir)
	default:
		return fail.Wrap(fail.Network, err, "", "writing to the store %s failed", l.dir)
	}
}

// readError explains a failed read of one file.
func (l *Local) readError(err error, name string) error {
	remedy := ""
	if durable.IsDenied(err) {
		remedy = "make the folder readable for this user, or name another store with --store or PINDEX_STORE"
	}
	return fail.Wrap(fail.Network, err, remedy, "cannot read %s in the store %s", name, l.dir)
}

func (l *Local) damagedBlob(d ocispec.Descriptor, err error) error {
	return fail.Wrap(fail.Verification, err,
		"write it again with pindex compile --replace",
		"blob %.100s in the store %s is damaged", d.Digest, l.dir)
}
