package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/languages"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// final assembles the manifest, in partition order, and the report.
func (r *run) final() (*Final, error) {
	p := r.plan
	m := &artifact.Manifest{
		Schema:        artifact.ManifestSchema,
		FormatVersion: artifact.FormatVersion,
		ObjectFormat:  p.format.String(),
		Commit:        p.commit.ID.String(),
		Tree:          p.commit.Tree.String(),
		CommitObject:  p.commit.Raw,
		Profile:       p.profile,
		PartitionBits: p.bits,
		Files:         len(p.entries),
		Views:         map[string]artifact.ViewInfo{},
		Languages:     map[string]artifact.Language{},
		Skipped:       map[string]int{},
		Degraded:      map[string]int{},
		Partitions:    make([]artifact.PartitionInfo, 0, len(r.parts)),
	}
	ready := r.describeViews(m)
	for n, part := range r.parts {
		m.Units += part.units
		m.Docs += part.docs
		m.Partitions = append(m.Partitions, p.info(n, part))
	}
	r.describeFiles(m, ready)
	m.Capabilities = capabilities(ready, r.describeInput(m, ready))
	if ready[artifact.Dense] {
		model := r.o.Embedder
		m.Model = &artifact.ModelInfo{
			Name: model.Name(), Dims: model.Dims(),
			Digest: modelDigest(model), Size: int64(len(model.Model())),
		}
	}
	encoded, digest, err := m.Encode()
	if err != nil && r.o.Complete { // the partitions are as the shards say
		return nil, fail.Wrap(fail.Verification, err, staleShards, "the shards make no index")
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	f := &Final{
		Commit: p.commit.ID, CommitUnix: p.commit.Unix,
		Manifest: m, Encoded: encoded, Digest: digest,
		Partitions: len(r.parts), DefaultProfile: p.isDefault,
	}
	if m.Model != nil {
		f.Model = r.o.Embedder.Model()
	}
	if m.Inputs != nil {
		f.Inputs = p.inputLayers
	}
	f.Report = r.report(m, digest)
	return f, nil
}

// info describes a finished partition.
func (p *plan) info(n int, part *part) artifact.PartitionInfo {
	info := artifact.PartitionInfo{
		Files: p.starts[n+1] - p.starts[n], Units: part.units, Docs: part.docs,
		Segments: map[string]artifact.SegmentInfo{}, Counts: part.counts,
	}
	for v, s := range part.segments {
		info.Segments[v.String()] = artifact.SegmentInfo{Key: p.keys[n][v], Digest: s.digest, Size: s.size}
	}
	return info
}

// describeViews fills in the state of every view, absent ones with a reason.
func (r *run) describeViews(m *artifact.Manifest) (ready map[artifact.View]bool) {
	model := r.o.Embedder
	types := map[artifact.View]string{
		artifact.Units:      "unit-table",
		artifact.Source:     "verbatim",
		artifact.Lexical:    "fielded-postings",
		artifact.Dense:      "int8-rows",
		artifact.Structural: "symbols-occurrences-imports",
	}
	settings := map[artifact.View]map[string]string{
		artifact.Lexical: {"analysis": analysis.Version},
		artifact.Dense:   {"embedder": model.Name(), "dims": strconv.Itoa(model.Dims())},
	}
	ready = map[artifact.View]bool{}
	for _, v := range artifact.Views {
		info := artifact.ViewInfo{
			State: artifact.ViewReady, Type: types[v],
			Reproducible: artifact.ByCommit, Settings: settings[v],
		}
		if _, ok := model.(*embed.Remote); ok && v == artifact.Dense {
			info.Reproducible = artifact.NotAtAll
		}
		if info.Settings == nil {
			info.Settings = map[string]string{}
		}
		reason := r.plan.absent[v]
		if f, ok := r.failures[v]; ok {
			reason = strings.ToValidUTF8(fmt.Sprintf("partition %d: %s", f.partition, f.reason), "\uFFFD")
		}
		if reason != "" {
			info.State, info.Reason = artifact.ViewAbsent, reason
		}
		ready[v] = reason == ""
		m.Views[v.String()] = info
	}
	return ready
}

// describeFiles adds up the partitions' counts.
func (r *run) describeFiles(m *artifact.Manifest, ready map[artifact.View]bool) {
	var sum artifact.FileCounts
	for _, part := range r.parts {
		sum.Add(part.counts)
	}
	m.Bytes, m.Indexed = sum.Bytes, m.Files
	for reason, n := range sum.Skipped {
		m.Skipped[reason] = n
		m.Indexed -= n
	}
	for reason, n := range sum.Degraded {
		m.Degraded[reason] = n
	}
	for lang, n := range sum.Languages {
		l := artifact.Language{Files: n.Files, Bytes: n.Bytes, Backends: languages.Manifest(lang, units.Backend(lang), ready[artifact.Structural]), Precise: n.Precise}
		if n.Precise > 0 {
			l.Backends["precise"] = artifact.InputSCIP
		}
		m.Languages[lang] = l
	}
}

// count counts the files of a partition by language, skip reason and
// degradation.
func (p *plan) count(n int, files []builtFile) *artifact.FileCounts {
	c := &artifact.FileCounts{}
	for i, f := range files {
		if f.skip != artifact.SkipNone {
			c.Add(&artifact.FileCounts{Skipped: map[string]int{f.skip.String(): 1}})
			continue
		}
		size := p.entries[p.starts[n]+i].Size
		c.Bytes += size
		if f.degraded != 0 {
			c.Add(&artifact.FileCounts{Degraded: map[string]int{f.degraded.String(): 1}})
		}
		if f.lang != "" {
			n := artifact.LanguageCount{Files: 1, Bytes: size}
			if f.precise && p.views[len(p.views)-1] == artifact.Structural {
				n.Precise = 1
			}
			c.Add(&artifact.FileCounts{Languages: map[string]artifact.LanguageCount{f.lang: n}})
		}
	}
	return c
}

// report collects what the build cost.
func (r *run) report(m *artifact.Manifest, digest artifact.Digest) *Report {
	out := &Report{
		Schema: ReportSchema, Commit: m.Commit, Digest: digest.String(), Profile: m.Profile.Digest.String(),
		Files: m.Files, Indexed: m.Indexed, Units: m.Units, Docs: m.Docs, Bytes: m.Bytes,
		Partitions: len(r.parts), Views: map[string]ViewCost{},
		Skipped: []FileNote{}, Degraded: []FileNote{},
		SCIP:       r.plan.indexes,
		GitBackend: r.o.Repo.Backend(), Workers: r.o.Workers, InProcess: r.o.InProcess, Restarts: r.restarts,
		WallMS: r.wall, WorkMS: r.timing.milliseconds(),
		CPUMS:     CPU{Self: processCPU().Milliseconds(), Children: childrenCPU().Milliseconds()},
		Embedding: r.old.use,
		Memory:    MemoryUse{Self: selfPeakRSS(), LargestChild: childPeakRSS()},
	}
	if out.Embedding != nil && r.o.Vectors != nil {
		r.o.Vectors.Account(out.Embedding)
	}
	for _, peak := range r.peaks {
		out.Memory.Workers += peak
	}
	for n, part := range r.parts {
		if part == nil {
			continue // another shard's
		}
		out.SegmentsBuilt += len(part.segments)
		if part.reused {
			out.PartitionsReused++
			out.SegmentsReused += len(part.segments)
			out.SegmentsBuilt -= len(part.segments)
		}
		for v, s := range part.segments {
			c := out.Views[v.String()]
			c.Raw += s.size
			c.Packed += s.packed
			out.Views[v.String()] = c
		}
		for i, f := range part.files {
			e := r.plan.entries[r.plan.starts[n]+i]
			note := FileNote{Path: e.Path, Size: max(e.Size, 0)}
			switch {
			case f.skip != 0:
				note.Reason = f.skip.String()
				if f.skip == artifact.SkipSecret {
					if note.Rule = r.rules[e.Path]; secrets.Name(e.Path) {
						note.Rule = secretName
					}
				}
				out.Skipped = append(out.Skipped, note)
			case f.degraded != 0:
				note.Reason = f.degraded.String()
				out.Degraded = append(out.Degraded, note)
			}
		}
	}
	if r.parent != nil {
		out.Parent = r.parent.Manifest.Commit
	}
	return out
}
