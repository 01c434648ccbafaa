// Package fetch turns a commit's name into an open index: it resolves the tag
// in a store, verifies what it finds from the top down, keeps the segments
// uncompressed in a private cache and maps them from there.
//
// # The cache
//
//	$PINDEX_CACHE_DIR, else pindex in the user's cache folder
//	├── part/ab/<64 digits>      uncompressed segments of one partition, see bundle.go
//	├── manifest/ab/<64 digits>  pindex manifests, by index digest; of remote stores OCI manifests and configs too
//	├── model/ab/<64 digits>     embedder tables
//	├── tag/ab/<64 digits>       what tags of remote stores held when they were last asked for
//	├── derived/ab/<64 digits>   what would have to be worked out again, see derived.go
//	└── store/                   the default local store (its own format: package registry)
//
// ab stands for the first two digits. The folders have mode 0700 and must
// belong to this user, the files have mode 0400. A file is written beside its
// place and renamed, so any number of processes share the cache without a
// lock, and a mapped file never changes. Everything in the cache can be
// deleted at any time; it costs the next reader the unpacking. Prune does so for
// what was not used for longest: the time of a file is that of its last use, to
// the hour.
//
// # What is verified when
//
// Bytes enter the cache after their digest has been verified, and never
// otherwise. They are not synced to disk, which would cost a second and more
// for a large index. A power loss can therefore leave an empty or torn file
// under a digest's name. It cannot mislead anybody: a file that was last
// written or verified before this machine started is verified against its
// digest once more, and then stamped with the time; one of another size than
// the manifest says is no segment; and a segment's header and each of its
// sections have checksums that are checked before they are read. What fails
// when a segment is opened is a miss and is unpacked anew from the store; what
// fails later is an error with code Verification, and Pull mends it.
//
// What was derived is read whole and compared with the sha256 in front of it each
// time. It may say what follows from an index, under the index's digest, or what
// lstat said of a folder when it was listed; it is never what a store sent.
//
// # Faults
//
// Reading a mapping of a file that somebody truncated, or that lies on a disk
// that fails, raises a signal in the goroutine that reads. Guard turns it
// into an error; it says what code that starts goroutines has to do.
//
// # Remote stores
//
// What Pull brought opens again without the network: the tag, the OCI manifest
// and the config are in the cache too. A tag is asked for anew by Pull, and
// after a blob that it led to turned out to be gone. An index that is named by
// its digest is looked for by that first, and then costs no request at all.
//
// # Tenants
//
// The cache belongs to one user of the system. Where one user's processes work
// for tenants with different credentials, two rules keep what is private apart.
// What was read with some credentials (those of PINDEX_REGISTRY_PASSWORD and
// GITHUB_TOKEN, or a Docker configuration that was chosen by DOCKER_CONFIG) is
// not believed when others are given: the registry is asked, and says what they
// may read. And a manifest counts as a store's when it came from there: a
// registry that names the digests of another one's index is given nothing of it
// by the cache. Segments and models are shared by everybody, as whoever has a
// manifest knows what it names. Who gives no credentials at all is taken for the
// user after they were taken away, which is how an agent's sandbox is readied; a
// service with anonymous tenants gives those a cache of their own.
//
// # Some views alone
//
// Of a distant store's packs, a pull of some views reads the table of contents
// and then only the segments that it wants, neighbours in one request. A part
// of a pack cannot be verified by the pack's digest, so the table is believed
// no further than the manifest confirms it: a segment is used when it has the
// size and the digest that the manifest says. Where a part turns out to be
// something else, the pack is read whole and its own digest decides. Packs are
// read whole, too, where nearly all of them is wanted, where they are small,
// and where a registry ignores Range.
//
// A partition of which the cache has some views is a file with those segments
// alone. When another view is needed, the rest is fetched and a file with more
// takes its place.
//
// # Without a usable cache
//
// On a read-only or full disk, or where the folder belongs to somebody else,
// segments are unpacked into memory for as long as the index is open. Notes
// say so.
package fetch
