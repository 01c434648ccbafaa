// Package git reads git repositories and never writes to them. It hands out
// raw objects: no smudge filter, no lazy fetch from a promisor remote, no
// replacement objects, no hooks, no working-tree conversion.
//
// Three implementations stand behind one interface and pass one conformance
// suite (package gittest): the git program where there is one, go-git as the
// embedded default where there is none (package gogit, so that nobody links
// the library who does not want it), and Minimal, which needs neither and is
// made for the small client. Where one of them could be wrong it refuses with
// the remedy.
package git

import (
	"context"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Entry is one leaf of a commit's tree: a file, a symbolic link or a
// submodule; never a directory.
type Entry struct {
	Path string    // from the root, '/'-separated, raw bytes as git stores them
	Mode uint32    // 0100644, 0100755, 0120000 (symbolic link), 0160000 (submodule), or a legacy mode as stored
	ID   gitobj.ID // the blob's id; for a submodule the commit's id
	Size int64     // bytes of the blob; 0 for a submodule; -1 when unknown because the blob is missing locally
}

// Commit is one commit object.
type Commit struct {
	ID      gitobj.ID
	Tree    gitobj.ID
	Parents []gitobj.ID
	Raw     []byte // the object's content, without git's header; its hash is ID
	Unix    int64  // the committer's time in seconds since 1970
}

// Repository is an open repository. Implementations are safe for concurrent
// use. Errors that a user can mend are *fail.Error with code Repository.
type Repository interface {
	// Backend names the implementation: "git", "go-git" or "minimal".
	Backend() string
	// Dir is the absolute path of the git directory; of a linked worktree
	// that is the common one.
	Dir() string
	// WorkTree is the absolute path of the working tree; "" for a bare one.
	WorkTree() string
	// Format is the repository's object format.
	Format() gitobj.Format
	// Resolve turns a revision ("HEAD", a branch or tag, a full or
	// abbreviated hash, "HEAD~2") into the commit that it names, peeling
	// tags.
	Resolve(ctx context.Context, rev string) (gitobj.ID, error)
	// ReadCommit reads one commit.
	ReadCommit(ctx context.Context, id gitobj.ID) (*Commit, error)
	// Tree lists every leaf below the given commit's tree, sorted by the
	// raw bytes of the path.
	Tree(ctx context.Context, commit gitobj.ID) ([]Entry, error)
	// Blobs returns a reader of blobs. Each reader serves one goroutine;
	// open one for each worker and close it.
	Blobs(ctx context.Context) (BlobReader, error)
	// RemoteURL returns the fetch address of the named remote, "" where
	// there is none. Credentials in the address are removed.
	RemoteURL(ctx context.Context, name string) (string, error)
	// Close releases processes and files.
	Close() error
}

// BlobReader reads blobs one after another.
type BlobReader interface {
	// Read appends the blob's raw content to dst and returns the result.
	// A blob that the repository does not hold (a partial clone's) gives an
	// error for which errors.Is(err, ErrMissing) holds.
	Read(id gitobj.ID, dst []byte) ([]byte, error)
	Close() error
}

// Expecter is what a BlobReader may implement as well.
type Expecter interface {
	// Expect announces which blobs are going to be read next, in that
	// order, so that reading ahead is possible; it replaces what was
	// announced before. Reading another blob is allowed and drops the
	// announcement.
	Expect(ids []gitobj.ID)
}

// Expect announces to r which blobs are going to be read next, where r has a
// use for that. The program backend reads three to four times faster then.
func Expect(r BlobReader, ids []gitobj.ID) {
	if e, ok := r.(Expecter); ok {
		e.Expect(ids)
	}
}
