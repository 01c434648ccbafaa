// Package compile turns one commit into one index: tree entries, source
// units, views, segments, packs and, last of all, the manifest.
//
// The way of the data:
//
//	commit -> tree entries -> .pindex.yaml -> a decision for every file   (plan.go, config.go, decide.go, secrets)
//	       -> SCIP indexes -> documents that fit the commit               (input.go, scip)
//	       -> partitions, segment keys                                   (partition.go, plan.go, profile.go)
//	       -> blobs -> worker processes: parse, units, views, pack        (pool.go, worker.go, protocol.go, build.go)
//	       -> Sink.Pack in any order -> manifest -> Sink.Publish          (run.go, manifest.go)
//
// What is promised: for one commit and one profile there is one index digest,
// whatever the number of workers, the process mode, the git backend, the
// folder and the machine. A file that cannot be read, parsed or decoded costs
// itself alone and is listed with a reason. A view that cannot be built is
// absent with a reason and takes no other view with it. What fails for a
// passing cause (memory, a kill, a full disk) fails the compile, and nothing
// is published.
package compile

import (
	"context"
	"io"
	"iter"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Options say what to compile and how. Repo and Sink are required; the zero
// value of every other field is a good default.
type Options struct {
	Repo git.Repository
	Rev  string // revision to compile; "" is HEAD
	Sink Sink   // where packs and the manifest go

	// Views to build besides the units, which are always built; none
	// named means all. The choice is part of the profile.
	Views []artifact.View
	// Embedder of the dense view; nil is the built-in one.
	Embedder embed.Embedder
	// Vectors asks the server of an Embedder that is an embed.Remote. This
	// process asks, never a worker. What it cannot have fails the compile: a
	// server that is down is no property of the commit.
	Vectors Vectors
	// AllowMissing leaves out files whose blobs a partial clone lacks, where a
	// compile fails otherwise. The index has a profile of its own then, which
	// names the gaps: it is not the commit's.
	AllowMissing bool
	// Limits in work, not in time; zero fields mean the built-in values. They
	// are part of the profile.
	Limits Limits
	// PartitionBits is k, 0 to 40, for measuring what other numbers of
	// partitions cost; nil lets the number of files say it, as every index has
	// it. A given k is part of the profile.
	PartitionBits *int
	// AllowSecrets are the paths, from the root of the tree, of files that
	// are indexed although package secrets holds them for secrets. They are
	// part of the profile, whether or not the commit has such files. Only
	// the user may give them, never anything that comes from the commit.
	AllowSecrets []string

	// SCIP are indexes whose documents are precise. An index that cannot be
	// read fails the compile; what in it does not fit the commit is left out
	// and reported.
	SCIP []SCIPIndex
	// Indexers are run on a temporary checkout of the commit, and what they
	// make is taken like SCIP; nil runs none. They execute what the commit
	// holds: only the user may ask for that. One that fails is reported.
	Indexers *scip.Indexers
	// RequireSCIP fails the compile when an index has no document that fits
	// the commit, or no indexer makes one.
	RequireSCIP bool
	// Inherit takes over an index's documents of files that are in this
	// commit as they were in that one and that SCIP says nothing of; nil for
	// none.
	Inherit func(ctx context.Context, w Wanted) (*Inherited, error)
	// Inputs are the input layers of an artifact: the documents that it was
	// made of, instead of everything above.
	Inputs [][]byte

	// FindParent returns an index that partitions are taken over from where
	// they are as they would be built, nil for none; a nil function builds
	// everything. It does not change a byte of the result.
	FindParent func(ctx context.Context, w Wanted) (*Parent, error)

	// Complete fails the compile where the parent has not every partition: it
	// is how shards are joined.
	Complete bool

	// Known, which may be nil, hands out packs that were built before, by the
	// key of their partition. Like a parent it spares work and does not change
	// a byte.
	Known Known

	// Workers is the number of partitions that are built at the same time,
	// each in a process of its own; 0 is the number of usable processors.
	// It does not change a byte of the result.
	Workers int
	// InProcess builds in goroutines of this process. A crash of a parser
	// then ends the program: it is for tests and for platforms where a
	// program cannot start itself again.
	InProcess bool
	// WorkerCommand is the program, with its arguments, that runs RunWorker
	// on its standard input and output; nil is this executable with
	// WorkerArg as its only argument.
	WorkerCommand []string

	// Progress is told how far the compile is; nil tells nobody.
	Progress Progress

	// builders replace the view builders in tests, in process only.
	builders map[artifact.View]Builder
	// workerEnv is added to the environment of the workers in tests.
	workerEnv []string
	// hooks see files before they are parsed, in tests, in process only.
	hooks hooks
}

// Known is a store of packs. It is asked from one goroutine and told from
// several.
type Known interface {
	// Find returns the pack that was built under a key, nil where there is
	// none. What it returns is checked: it may be damaged or another's.
	Find(key artifact.Digest) []byte
	// Built is told of every pack that had to be built. It must not keep the
	// slice's capacity or change its bytes.
	Built(key artifact.Digest, pack []byte)
}

// Vectors makes the rows of texts.
type Vectors interface {
	// Embed fills dst with one row for each text. keys are the begins of
	// digests of (model, text): equal keys mean equal rows. It is called from
	// several goroutines.
	Embed(ctx context.Context, keys [][16]byte, texts []string, dst []int8) error
	// Account fills in what was asked for.
	Account(u *EmbeddingUse)
}

// SCIPIndex is one SCIP index.
type SCIPIndex struct {
	Name   string // for reports: the file's name without its folder
	Prefix string // folder of the tree that its paths start from; "" is the root
	Open   func() (io.ReadCloser, error)
}

// Inherited is what an index of an ancestor was made of.
type Inherited struct {
	Commit gitobj.ID
	Inputs [][]byte // its input layers
	// Index is the index itself, which serves where its layers are not at
	// hand; nil otherwise.
	Index *artifact.Index
}

// Wanted is what a parent is looked for.
type Wanted struct {
	Commit         gitobj.ID
	Profile        artifact.Profile
	DefaultProfile bool // see Final
	PartitionBits  int
}

// Parent is an index of the same trust domain, most often that of an ancestor.
type Parent struct {
	Manifest *artifact.Manifest
	// Gone reports partitions whose packs are known to be lost; may be nil.
	Gone func(partition int) bool
	// Dense returns the embeddings of a partition, for a compile with a remote
	// model; may be nil. An error means that they cannot be had.
	Dense func(ctx context.Context, partition int) (*artifact.DenseReader, error)
}

// Sink takes what a compile produces. The implementation stores packs and
// publishes the index; a compile that fails never calls Publish.
type Sink interface {
	// Pack takes the finished pack of one partition: the bytes that travel,
	// and the same segments uncompressed, for a sink that fills a local
	// cache as well. Packs come in any order and from several goroutines at
	// once, never two at once for the same partition. A second call for a
	// partition replaces the first: that happens when a view turned out to
	// be impossible to build after the pack had been made. The slices belong
	// to the sink.
	Pack(ctx context.Context, partition int, pack []byte, segments []artifact.PackSegment) error
	// Reuse takes over the pack of a partition of Options.Parent instead of
	// a built one. False says that the pack cannot be had: the partition is
	// then built. It is called for no partition after its Pack.
	Reuse(ctx context.Context, partition, from int) (bool, error)
	// Publish comes once, after all packs.
	Publish(ctx context.Context, f *Final) error
}

// Final is what a sink needs to publish an index.
type Final struct {
	Commit     gitobj.ID
	CommitUnix int64 // the committer's time in seconds since 1970
	Manifest   *artifact.Manifest
	Encoded    []byte          // the canonical manifest
	Digest     artifact.Digest // of Encoded: the index digest
	Model      []byte          // the embedder's table; nil when there is no dense view
	// Inputs yields the input layers, in partition order; nil without inputs.
	Inputs     iter.Seq2[[]byte, error]
	Partitions int // packs are numbered from 0 to Partitions-1
	// DefaultProfile says that no option departs from its default, so that
	// the index deserves the commit's plain tag.
	DefaultProfile bool
	// Report is complete but for the time that publishing takes.
	Report *Report
}

// Result is what a compile made.
type Result struct {
	Commit   gitobj.ID
	Digest   artifact.Digest // the index digest
	Manifest *artifact.Manifest
	Report   *Report
}
