package query

import (
	"time"

	"github.com/pindex-dev/pindex/artifact"
)

// StatusResult is the answer of Engine.Status: what is indexed.
type StatusResult struct {
	Header
	Tree         string                       `json:"tree"`
	Profile      string                       `json:"profile"` // digest of θ
	Files        int                          `json:"files"`   // tree entries
	Indexed      int                          `json:"indexed"` // entries whose content is in the views
	Units        int                          `json:"units"`
	Documents    int                          `json:"documents"`
	Bytes        int64                        `json:"bytes"` // of indexed files
	Partitions   int                          `json:"partitions"`
	Views        map[string]ViewStatus        `json:"views"`
	Languages    map[string]artifact.Language `json:"languages"`
	Skipped      map[string]int               `json:"skipped"`
	Degraded     map[string]int               `json:"degraded"`
	Capabilities []string                     `json:"capabilities"`
	Model        *artifact.ModelInfo          `json:"model,omitempty"`
}

// ViewStatus says whether a view can be used, and what it weighs.
type ViewStatus struct {
	State        string `json:"state"`
	Reason       string `json:"reason,omitempty"`
	Type         string `json:"type,omitempty"`
	Reproducible string `json:"reproducible"`
	Bytes        int64  `json:"bytes"` // of its segments, uncompressed
}

// Status says what is indexed. It reads the manifest alone.
func (e *Engine) Status() *StatusResult {
	begun := time.Now()
	m := e.ix.Manifest()
	s := &StatusResult{
		Tree: m.Tree, Profile: m.Profile.Digest.String(), Files: m.Files, Indexed: m.Indexed, Units: m.Units, Documents: m.Docs,
		Bytes: m.Bytes, Partitions: len(m.Partitions), Views: map[string]ViewStatus{}, Languages: m.Languages,
		Skipped: m.Skipped, Degraded: m.Degraded, Capabilities: m.Capabilities, Model: m.Model,
	}
	for name, v := range m.Views {
		st := ViewStatus{State: string(v.State), Reason: v.Reason, Type: v.Type, Reproducible: string(v.Reproducible)}
		for i := range m.Partitions {
			st.Bytes += m.Partitions[i].Segments[name].Size
		}
		s.Views[name] = st
	}
	s.Header = e.header(begun)
	return s
}

// SkippedFile is one tree entry without content in the views, or one whose
// units are not what its language would give.
type SkippedFile struct {
	Place
	Reason   string `json:"reason"`
	Degraded bool   `json:"degraded"` // indexed, with line units or gaps
}

// Skips lists the entries that are not indexed and those that are indexed in
// a weaker form, in path order.
func (e *Engine) Skips() ([]SkippedFile, error) {
	out := []SkippedFile{}
	err := e.answer(func() error {
		for p := range e.parts() {
			u, err := e.ix.Units(p)
			if err != nil {
				return err
			}
			for f := range u.NumFiles() {
				skip, degraded := u.Skip(f), u.Degraded(f)
				if skip == artifact.SkipNone && degraded == artifact.DegradedNone {
					continue
				}
				s := SkippedFile{Place: placeOf(u.Path(f), 1, int(max(1, u.File(f).Lines))), Reason: skip.String()}
				if skip == artifact.SkipNone {
					s.Reason, s.Degraded = degraded.String(), true
				}
				out = append(out, s)
			}
		}
		return nil
	})
	return out, err
}
