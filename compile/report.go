package compile

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/scip"
)

// ReportSchema names the build report's form.
const ReportSchema = "pindex.report/0"

// Report says what a compile did and what it cost. Times and costs live here
// alone: no digest covers them.
type Report struct {
	Schema     string `json:"schema"`
	Commit     string `json:"commit"`
	Digest     string `json:"digest"` // the index digest
	Profile    string `json:"profile"`
	Files      int    `json:"files"`
	Indexed    int    `json:"indexed"`
	Units      int    `json:"units"`
	Docs       int    `json:"docs"`
	Bytes      int64  `json:"bytes"` // of indexed files
	Partitions int    `json:"partitions"`

	// What was taken over, from the index of which commit ("" for none).
	Parent           string `json:"parent"`
	PartitionsReused int    `json:"partitions_reused"`
	SegmentsReused   int    `json:"segments_reused"`
	SegmentsBuilt    int    `json:"segments_built"`
	// Unchanged says that the store held this very index already. It is filled
	// in by whoever published, so a report in a store does not tell.
	Unchanged bool `json:"unchanged"`

	Views    map[string]ViewCost `json:"views"`
	Skipped  []FileNote          `json:"skipped"`  // files in no view, in path order, of the built partitions
	Degraded []FileNote          `json:"degraded"` // files read by lines, or with gaps, in path order, likewise

	SCIP []*scip.IndexReport `json:"scip,omitempty"` // what became of each SCIP index and indexer

	// Embedding says what a remote model cost; nil without one.
	Embedding *EmbeddingUse `json:"embedding,omitempty"`

	GitBackend string `json:"git_backend"`
	Workers    int    `json:"workers"`
	InProcess  bool   `json:"in_process"`
	Restarts   int    `json:"worker_restarts"`

	WallMS Wall             `json:"wall_ms"`
	CPUMS  CPU              `json:"cpu_ms"`
	WorkMS map[string]int64 `json:"work_ms"` // stage -> milliseconds, summed over workers
	Memory MemoryUse        `json:"peak_rss_bytes"`
}

// EmbeddingUse counts the texts of a remote model, of the built partitions.
// What the parent and the cache had not was sent.
type EmbeddingUse struct {
	Model      string `json:"model"`
	Texts      int    `json:"texts"`       // search documents
	FromParent int    `json:"from_parent"` // with the vector that the parent's index has of them
	// The rest is by Vectors.Account.
	FromCache int64 `json:"from_cache"`
	Sent      int64 `json:"sent"`
	Repeated  int64 `json:"repeated"` // texts that others of this compile are equal to
	Requests  int64 `json:"requests"` // retries among them
	Retries   int64 `json:"retries"`
	Shortened int64 `json:"shortened"` // texts of which the model read a beginning only
}

// ViewCost is what a view's segments weigh in bytes.
type ViewCost struct {
	Raw    int64 `json:"raw"`
	Packed int64 `json:"packed"` // as they travel, compressed; built ones alone
}

// FileNote is a file and why it is not indexed or not parsed.
type FileNote struct {
	Path   string
	Reason string
	Size   int64 // bytes; 0 when it was not looked at
	// Rule is by which rule a secret is one, such as "private key", or
	// secretName; "" where that was found by an earlier compile.
	Rule string
}

// secretName is the rule of secrets that their name alone tells.
const secretName = "file name"

type fileNoteJSON struct {
	Path    string `json:"path,omitempty"`
	PathB64 []byte `json:"path_b64,omitempty"`
	Reason  string `json:"reason"`
	Size    int64  `json:"size"`
	Rule    string `json:"rule,omitempty"`
}

// MarshalJSON writes a path that is not UTF-8 as path_b64.
func (n FileNote) MarshalJSON() ([]byte, error) {
	out := fileNoteJSON{Reason: n.Reason, Size: n.Size, Rule: n.Rule}
	if utf8.ValidString(n.Path) {
		out.Path = n.Path
	} else {
		out.PathB64 = []byte(n.Path)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *FileNote) UnmarshalJSON(b []byte) error {
	var in fileNoteJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*n = FileNote{Path: in.Path + string(in.PathB64), Reason: in.Reason, Size: in.Size, Rule: in.Rule}
	return nil
}

// Wall is how long the stages took, in milliseconds.
type Wall struct {
	Plan    int64 `json:"plan"`
	Build   int64 `json:"build"`
	Publish int64 `json:"publish"`
	Total   int64 `json:"total"`
}

// CPU is the processor time used so far, in milliseconds, user and system.
// Children are processes that have ended: workers and git.
type CPU struct {
	Self     int64 `json:"self"`
	Children int64 `json:"children"`
}

// MemoryUse is the most resident memory, in bytes. Processes reach their peaks
// at different moments, so their sum is an upper bound.
type MemoryUse struct {
	Self         int64 `json:"self"`
	Workers      int64 `json:"workers"`       // sum of the workers' peaks
	LargestChild int64 `json:"largest_child"` // worker or git
}

// The stages whose time workers report.
const (
	workRead  = iota // reading blobs from git
	workParse        // tree-sitter and extraction
	workUnits        // decoding, units and documents
	workViews        // + view number: one for each view
	workPack  = workViews + int(artifact.Structural) + 1
	workCount = workPack + 1
)

func workName(i int) string {
	switch i {
	case workRead:
		return "read"
	case workParse:
		return "parse"
	case workUnits:
		return "units"
	case workPack:
		return "pack"
	}
	return "view " + artifact.View(i-workViews).String()
}

// timing is nanoseconds by stage.
type timing [workCount]int64

func (t *timing) add(stage int, since time.Time) { t[stage] += int64(time.Since(since)) }

func (t *timing) plus(o *timing) {
	for i := range t {
		t[i] += o[i]
	}
}

func (t *timing) milliseconds() map[string]int64 {
	out := map[string]int64{}
	for i, ns := range t {
		if ns > 0 {
			out[workName(i)] = ns / int64(time.Millisecond)
		}
	}
	return out
}
