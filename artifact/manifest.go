package artifact

import (
	"strconv"
	"strings"
)

// ManifestSchema names the manifest's form.
const ManifestSchema = "pindex.manifest/0"

// Manifest names everything that belongs to one commit's index. Its canonical
// encoding (RFC 8785) is what the index digest is the sha256 of. It holds no
// time, host name, path of the builder, or digest of compressed bytes.
type Manifest struct {
	Schema        string              `json:"schema"`
	FormatVersion int                 `json:"format_version"`
	ObjectFormat  string              `json:"object_format"` // "sha1" or "sha256"
	Commit        string              `json:"commit"`
	Tree          string              `json:"tree"`
	CommitObject  []byte              `json:"commit_object"` // raw content; its git hash is Commit
	Profile       Profile             `json:"profile"`
	PartitionBits int                 `json:"partition_bits"` // k
	Files         int                 `json:"files"`          // tree entries
	Indexed       int                 `json:"indexed"`        // entries whose content is in the views
	Units         int                 `json:"units"`
	Docs          int                 `json:"docs"`
	Bytes         int64               `json:"bytes"` // of indexed files
	Views         map[string]ViewInfo `json:"views"` // by view name; units included
	Languages     map[string]Language `json:"languages"`
	Skipped       map[string]int      `json:"skipped"`  // reason -> files
	Degraded      map[string]int      `json:"degraded"` // reason -> files
	Model         *ModelInfo          `json:"model,omitempty"`
	Inputs        []InputInfo         `json:"inputs,omitempty"` // by type
	Partitions    []PartitionInfo     `json:"partitions"`
	Capabilities  []string            `json:"capabilities"` // sorted; derived after all builders ended
}

// Profile is θ: everything besides the commit and the inputs that can change
// a byte. Digest is the sha256 of the canonical encoding of the rest.
type Profile struct {
	Digest    Digest            `json:"digest"`
	Views     map[string]string `json:"views"`     // view -> analyser version and settings
	Languages map[string]string `json:"languages"` // language -> grammar and extractor versions
	Options   map[string]string `json:"options"`   // limits and other options
}

// GapsOption is the profile's entry about files that were left out because their
// blobs are not in the clone: how many, and a digest of their paths.
const GapsOption = "missing_blobs"

// Gaps returns how many files an index of this profile leaves out because the
// clone that it was made of lacks their blobs.
func (p *Profile) Gaps() int {
	option := p.Options[GapsOption]
	number, _, _ := strings.Cut(option, " ")
	n, err := strconv.Atoi(number)
	if option != "" && (err != nil || n < 1) {
		return 1 // somebody's own way to write it
	}
	return n
}

// ViewState says whether a view can be used.
type ViewState string

const (
	ViewReady  ViewState = "ready"
	ViewAbsent ViewState = "absent" // not built; Reason says why
)

// Reproducibility says what has to be equal for a view's bytes to be equal.
type Reproducibility string

const (
	ByCommit Reproducibility = "commit" // the commit and θ
	ByInputs Reproducibility = "inputs" // and the named inputs
	NotAtAll Reproducibility = "no"
)

// ViewInfo describes one view of the artifact.
type ViewInfo struct {
	State        ViewState         `json:"state"`
	Type         string            `json:"type"` // what kind of structure it is, such as "bm25f-postings"
	Reason       string            `json:"reason,omitempty"`
	Reproducible Reproducibility   `json:"reproducible"`
	Settings     map[string]string `json:"settings"`
}

// Language says which backend provides each capability for one language:
// capability ("units", "symbols", "occurrences", "imports", "precise") ->
// backend ("tree-sitter-python 0.23.6", "lines", "scip"). A capability that is not there has
// no key.
type Language struct {
	Files    int               `json:"files"`
	Bytes    int64             `json:"bytes"`
	Backends map[string]string `json:"backends"`
	Precise  int               `json:"precise,omitempty"` // files with a SCIP document
}

// ModelInfo names the embedder's table that queries need.
type ModelInfo struct {
	Name   string `json:"name"`
	Dims   int    `json:"dims"`
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"` // bytes
}

// PartitionInfo describes one partition's segments, keyed by view name.
type PartitionInfo struct {
	Files    int                    `json:"files"`
	Units    int                    `json:"units"`
	Docs     int                    `json:"docs"`
	Segments map[string]SegmentInfo `json:"segments"`
	// Counts are the partition's share in the counts of the whole, so that an
	// index can take a partition over from another without opening it. Indexes
	// of the first versions have none.
	Counts *FileCounts `json:"counts,omitempty"`
}

// FileCounts count the files of a partition.
type FileCounts struct {
	Bytes     int64                    `json:"bytes"`     // of indexed files
	Languages map[string]LanguageCount `json:"languages"` // indexed files by language
	Skipped   map[string]int           `json:"skipped"`   // reason -> files
	Degraded  map[string]int           `json:"degraded"`  // reason -> files
}

// LanguageCount counts the files of one language.
type LanguageCount struct {
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"`
	Precise int   `json:"precise,omitempty"` // files with a SCIP document
}

// SegmentInfo identifies one segment.
type SegmentInfo struct {
	Key    Digest `json:"key"`    // of the inputs, known before building
	Digest Digest `json:"digest"` // of the uncompressed bytes
	Size   int64  `json:"size"`   // uncompressed bytes
}
