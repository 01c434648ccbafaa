package main

import (
	"sort"

	"github.com/pindex-dev/pindex/query"
)

// What the second order looks at; query/place.go has the same numbers.
const (
	placedFiles = 10
	placedUnits = 3
)

// place trains the second order of the first files: the file's score and those
// of its best units. The scores of a list are by a model that was trained
// without its repository.
func (m *trained) place(train []*list, units []float64, set settings, l2 float64) {
	const parts = 4
	part := func(l *list) int { return foldOf("in"+l.s.Task.Mirror, parts) }
	m.units = units
	var rows []*list
	for p := range parts {
		var rest []*list
		for _, l := range train {
			if part(l) != p {
				rest = append(rest, l)
			}
		}
		first := &trained{linear: fitLinear(rest, priorOf(len(m.linear)), l2, set.steps, set.off)}
		for _, l := range train {
			if part(l) == p {
				rows = append(rows, m.placeRow(l, first.ranked(l)))
			}
		}
	}
	m.placing = fitLinear(rows, []float64{1, 0, 0, 0}, 1e-3, set.steps, nil)
}

// unitScale brings a unit's score into the range of a file's.
const unitScale = 0.25

func (m *trained) placeRow(l *list, files []scored) *list {
	row := &list{s: l.s, weight: l.weight}
	for _, f := range files[:min(placedFiles, len(files))] {
		x := []float32{float32(f.score), 0, 0, 0}
		for k, v := range m.bestUnits(l.s.Files[f.file].Units) {
			x[1+k] = float32(v * unitScale)
		}
		row.x, row.gain = append(row.x, x), append(row.gain, l.gain[f.file])
		if l.gain[f.file] {
			row.good++
		}
	}
	return row
}

// bestUnits returns the scores of the best units of a file, best first.
func (m *trained) bestUnits(us []query.StudiedUnit) []float64 {
	var out []float64
	for k := range us {
		var v float64
		for j, w := range m.units {
			v += w * float64(us[k].Features[j]) / 1000
		}
		out = append(out, v)
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(out)))
	return out[:min(placedUnits, len(out))]
}

// ranked returns a list's files, best first. Each place keeps the score that
// the first order gives it.
func (m *trained) ranked(l *list) []scored {
	out := make([]scored, len(l.x))
	for i, x := range l.x {
		out[i] = scored{i, m.score(x)}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].score > out[b].score })
	if m.placing == nil {
		return out
	}
	first := make([]scored, min(placedFiles, len(out)))
	for i, x := range m.placeRow(l, out).x {
		first[i].file = out[i].file
		for j, w := range m.placing {
			first[i].score += w * float64(x[j])
		}
	}
	sort.SliceStable(first, func(a, b int) bool { return first[a].score > first[b].score })
	for i := range first {
		out[i].file = first[i].file
	}
	return out
}

// placesOf are the best units of files in order.
func placesOf(s *sample, files []scored) []place {
	out := make([]place, len(files))
	for r := range files {
		f := &s.Files[files[r].file]
		out[r] = place{Path: f.Path}
		if len(f.Units) > 0 {
			out[r].Start, out[r].End = f.Units[0].Start, f.Units[0].End
		}
	}
	return out
}
