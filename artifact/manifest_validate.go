package artifact

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// MaxSegmentSize is the largest segment, in uncompressed bytes.
const MaxSegmentSize = 1 << 30

// Validate checks that m is complete and does not contradict itself, and that
// the commit object is that of the commit and names the tree. Errors wrap
// ErrDamaged.
func (m *Manifest) Validate() error {
	if m.Schema != ManifestSchema || m.FormatVersion != FormatVersion {
		return damaged("manifest schema %q, format version %d", m.Schema, m.FormatVersion)
	}
	for _, check := range []func() error{m.validateCommit, m.validateProfile, m.validateCounts, m.validateViews, m.validatePartitions} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Format returns the object format that the manifest names.
func (m *Manifest) Format() (gitobj.Format, error) {
	for _, f := range []gitobj.Format{gitobj.SHA1, gitobj.SHA256} {
		if f.String() == m.ObjectFormat {
			return f, nil
		}
	}
	return 0, damaged("object format %q", m.ObjectFormat)
}

func (m *Manifest) validateCommit() error {
	format, err := m.Format()
	if err != nil {
		return err
	}
	for _, s := range []string{m.Commit, m.Tree} {
		if id, err := gitobj.ParseID(s); err != nil || id.String() != s || id.Format() != format {
			return damaged("%q is no %s object id", s, format)
		}
	}
	if got := gitobj.Hash(format, "commit", m.CommitObject).String(); got != m.Commit {
		return damaged("the commit object is that of %s, not of %s", got, m.Commit)
	}
	tree, err := CommitTree(m.CommitObject)
	if err != nil {
		return err
	}
	if tree.String() != m.Tree {
		return damaged("the commit's tree is %s, not %s", tree, m.Tree)
	}
	return nil
}

func (m *Manifest) validateProfile() error {
	for _, t := range []map[string]string{m.Profile.Views, m.Profile.Languages, m.Profile.Options} {
		if err := validTexts(t); err != nil {
			return err
		}
	}
	want, err := m.Profile.Compute()
	if err != nil {
		return damaged("profile: %v", err)
	}
	if m.Profile.Digest != want {
		return damaged("the profile's digest is %s, its content's %s", m.Profile.Digest, want)
	}
	return nil
}

func (m *Manifest) validateCounts() error {
	if m.PartitionBits < 0 || m.PartitionBits > 64 {
		return damaged("%d partition bits", m.PartitionBits)
	}
	if m.Bytes < 0 || m.Bytes > maxInteger {
		return damaged("%d bytes of indexed files", m.Bytes)
	}
	for _, n := range []int{m.Files, m.Indexed, m.Units, m.Docs} {
		if n < 0 || n > maxRows {
			return damaged("a count of %d is out of range", n)
		}
	}
	skipped, err := sumCounts(m.Skipped, m.Files)
	if err != nil {
		return err
	}
	if m.Indexed+skipped != m.Files {
		return damaged("%d indexed and %d skipped files are not %d", m.Indexed, skipped, m.Files)
	}
	if _, err := sumCounts(m.Degraded, m.Indexed); err != nil {
		return err
	}
	files, size := 0, int64(0)
	for _, name := range slices.Sorted(maps.Keys(m.Languages)) {
		l := m.Languages[name]
		if name == "" || l.Files < 0 || l.Files > m.Indexed-files || l.Bytes < 0 || l.Bytes > m.Bytes-size || l.Precise < 0 || l.Precise > l.Files {
			return damaged("language %q has %d files and %d bytes", name, l.Files, l.Bytes)
		}
		files, size = files+l.Files, size+l.Bytes
		if err := validTexts(map[string]string{name: ""}, l.Backends); err != nil {
			return err
		}
	}
	if err := validateInputs(m.Inputs, m.Indexed); err != nil {
		return err
	}
	if i := slices.IndexFunc(m.Capabilities, func(s string) bool { return s == "" || !utf8.ValidString(s) }); i >= 0 {
		return damaged("capability %d is no text", i)
	}
	for i := 1; i < len(m.Capabilities); i++ {
		if m.Capabilities[i-1] >= m.Capabilities[i] {
			return damaged("capabilities do not ascend")
		}
	}
	return nil
}

func (m *Manifest) validateViews() error {
	for _, name := range slices.Sorted(maps.Keys(m.Views)) {
		if _, ok := ParseView(name); !ok {
			return damaged("view %q is unknown", name)
		}
	}
	for _, v := range Views {
		info, ok := m.Views[v.String()]
		if !ok {
			return damaged("view %s is not mentioned", v)
		}
		switch {
		case info.State == ViewAbsent && info.Reason != "":
		case info.State == ViewReady:
		default:
			return damaged("view %s has state %q and reason %q", v, info.State, info.Reason)
		}
		switch info.Reproducible {
		case ByCommit, ByInputs, NotAtAll:
		default:
			return damaged("view %s is reproducible %q", v, info.Reproducible)
		}
		if err := validTexts(map[string]string{info.Type: info.Reason}, info.Settings); err != nil {
			return err
		}
		if info.Type == "" {
			return damaged("view %s has no type", v)
		}
	}
	if m.Views[Units.String()].State != ViewReady {
		return damaged("the units are absent")
	}
	if m.Model != nil {
		if o := m.Model; o.Name == "" || !utf8.ValidString(o.Name) || o.Dims < 1 || o.Dims > maxDenseDims ||
			o.Digest.IsZero() || o.Size < 1 || o.Size > maxInteger {
			return damaged("model %q of %d dimensions and %d bytes", o.Name, o.Dims, o.Size)
		}
	} else if m.Views[Dense.String()].State == ViewReady {
		return damaged("the dense view has no model")
	}
	return nil
}

func (m *Manifest) validatePartitions() error {
	files, units, docs := 0, 0, 0
	for i := range m.Partitions {
		p := &m.Partitions[i]
		if p.Files < 1 || p.Files > m.Files-files || p.Units < 0 || p.Units > m.Units-units || p.Docs < 0 || p.Docs > m.Docs-docs {
			return damaged("partition %d has %d files, %d units, %d docs", i, p.Files, p.Units, p.Docs)
		}
		files, units, docs = files+p.Files, units+p.Units, docs+p.Docs
		ready := 0
		for _, v := range Views {
			s, ok := p.Segments[v.String()]
			if want := m.Views[v.String()].State == ViewReady; ok != want {
				return damaged("partition %d: a %s segment is there: %t, the view is ready: %t", i, v, ok, want)
			}
			if !ok {
				continue
			}
			ready++
			if s.Size < segmentHeaderSize || s.Size > MaxSegmentSize || s.Key.IsZero() || s.Digest.IsZero() {
				return damaged("partition %d: the %s segment has %d bytes, or no key or digest", i, v, s.Size)
			}
		}
		if ready != len(p.Segments) {
			return damaged("partition %d has segments of unknown views", i)
		}
	}
	if files != m.Files || units != m.Units || docs != m.Docs {
		return damaged("the partitions have %d files, %d units, %d docs in all, not %d, %d, %d",
			files, units, docs, m.Files, m.Units, m.Docs)
	}
	return m.validateFileCounts()
}

// validateFileCounts checks that either no partition counts its files, or all
// do and they add up to the manifest's counts.
func (m *Manifest) validateFileCounts() error {
	var sum FileCounts
	counted := 0
	for i := range m.Partitions {
		p := &m.Partitions[i]
		if p.Counts == nil {
			continue
		}
		counted++
		skipped, err := sumCounts(p.Counts.Skipped, p.Files)
		if err != nil {
			return err
		}
		if _, err := sumCounts(p.Counts.Degraded, p.Files-skipped); err != nil {
			return err
		}
		if p.Counts.Bytes < 0 || p.Counts.Bytes > m.Bytes-sum.Bytes {
			return damaged("partition %d has %d bytes", i, p.Counts.Bytes)
		}
		files, size := 0, int64(0)
		for _, name := range slices.Sorted(maps.Keys(p.Counts.Languages)) {
			l := p.Counts.Languages[name]
			if l.Files < 1 || l.Files > p.Files-skipped-files || l.Bytes < 0 || l.Bytes > p.Counts.Bytes-size || l.Precise < 0 || l.Precise > l.Files {
				return damaged("partition %d: language %q has %d files and %d bytes", i, name, l.Files, l.Bytes)
			}
			files, size = files+l.Files, size+l.Bytes
		}
		sum.Add(p.Counts)
	}
	if counted == 0 {
		return nil
	}
	languages := make(map[string]LanguageCount, len(m.Languages))
	for name, l := range m.Languages {
		languages[name] = LanguageCount{Files: l.Files, Bytes: l.Bytes, Precise: l.Precise}
	}
	if counted != len(m.Partitions) || sum.Bytes != m.Bytes || !maps.Equal(sum.Languages, languages) ||
		!maps.Equal(sum.Skipped, m.Skipped) || !maps.Equal(sum.Degraded, m.Degraded) {
		return damaged("the partitions' counts do not add up to the manifest's")
	}
	return nil
}

// Add adds the counts of other files.
func (c *FileCounts) Add(o *FileCounts) {
	c.Bytes += o.Bytes
	for name, l := range o.Languages {
		if c.Languages == nil {
			c.Languages = map[string]LanguageCount{}
		}
		sum := c.Languages[name]
		c.Languages[name] = LanguageCount{Files: sum.Files + l.Files, Bytes: sum.Bytes + l.Bytes, Precise: sum.Precise + l.Precise}
	}
	for reason, n := range o.Skipped {
		if c.Skipped == nil {
			c.Skipped = map[string]int{}
		}
		c.Skipped[reason] += n
	}
	for reason, n := range o.Degraded {
		if c.Degraded == nil {
			c.Degraded = map[string]int{}
		}
		c.Degraded[reason] += n
	}
}

// sumCounts adds up counts that must have names and not exceed limit.
func sumCounts(counts map[string]int, limit int) (int, error) {
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		if name == "" || !utf8.ValidString(name) || n < 0 || n > limit-sum {
			return 0, damaged("%q counts %d files of %d", name, n, limit)
		}
		sum += n
	}
	return sum, nil
}

// validTexts checks that all strings are UTF-8.
func validTexts(tables ...map[string]string) error {
	for _, t := range tables {
		for k, v := range t {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return fmt.Errorf("%w: the manifest holds a string that is not UTF-8", ErrDamaged)
			}
		}
	}
	return nil
}
