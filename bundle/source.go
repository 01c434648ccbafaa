package bundle

import (
	"context"

	"github.com/pindex-dev/pindex/artifact"
)

// source is one file of the index, opened.
type source struct {
	path  string
	rec   artifact.File
	lines *lineTable
	cost  []int // of each line with its number, in tokens; counted when first needed
	units []artifact.Unit
	ids   map[string]int
}

// source opens a file; nil where its text is not in the index, or where its
// lines are not those of its bytes.
func (p *Plan) source(ctx context.Context, path string) (*source, error) {
	if s, ok := p.files[path]; ok {
		return s, nil
	}
	p.files[path] = nil
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ix := p.e.Index()
	n, f, ok, err := ix.FindFile(path)
	if err != nil || !ok {
		return nil, err
	}
	u, err := ix.Units(n)
	if err != nil || u.Skip(f) != artifact.SkipNone {
		return nil, err
	}
	switch u.Encoding(f) {
	case artifact.EncodingUTF16LE, artifact.EncodingUTF16BE:
		return nil, nil
	}
	src, err := ix.Source(n)
	if err != nil {
		return nil, err
	}
	s := &source{path: path, rec: u.File(f), lines: newLines(src.Content(f)), ids: map[string]int{}}
	if s.lines.count() == 0 {
		return nil, nil
	}
	lo, hi := u.FileUnits(f)
	for i, id := range u.FileUnitIDs(f) {
		s.ids[id] = i
		s.units = append(s.units, u.Unit(lo+i))
	}
	for i := range s.units {
		s.units[i].Parent -= int32(lo)
	}
	_ = hi
	p.files[path] = s
	return s, nil
}

// unit returns the lines of the unit with an id.
func (s *source) unit(id string) (Span, bool) {
	i, ok := s.ids[id]
	if !ok {
		return Span{}, false
	}
	return s.span(i), true
}

func (s *source) span(i int) Span {
	u := &s.units[i]
	last := max(1, min(int(u.EndLine), s.lines.count()))
	return Span{max(1, min(int(u.StartLine), last)), last}
}

// around returns the innermost leaf declaration that holds a line, -1 for none.
func (s *source) around(line int) int {
	best := -1
	for i := range s.units {
		u := &s.units[i]
		if u.Level == artifact.L2 && u.Kind != artifact.KindRemainder && int(u.StartLine) <= line && line <= int(u.EndLine) {
			if best < 0 || u.StartLine >= s.units[best].StartLine {
				best = i
			}
		}
	}
	return best
}

// own returns the first lines of a unit that no child has: a container's head.
func (s *source) own(i int) Span {
	sp := s.span(i)
	for k := i + 1; k < len(s.units); k++ {
		if int(s.units[k].Parent) == i {
			if first := s.span(k).Start; first > sp.Start {
				sp.End = min(sp.End, first-1)
			}
			break
		}
	}
	return sp
}
