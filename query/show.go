package query

import (
	"context"
	"sort"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Show returns lines first to last of a file, verbatim with their line ends.
// first 0 means from the start, last 0 to the end; a last line beyond the end
// is the end. The bytes are the file's own, whatever their encoding.
func (e *Engine) Show(ctx context.Context, path string, first, last int) (*ShowResult, error) {
	begun := time.Now()
	if err := e.need(artifact.Source, "show"); err != nil {
		return nil, err
	}
	if first < 0 || last < 0 || last > 0 && last < first {
		return nil, fail.New(fail.Usage, "give FIRST-LAST, counted from 1", "there are no lines %d-%d", first, last)
	}
	from, err := e.holding(cleanPath(path))
	if err != nil {
		return nil, err
	}
	var res *ShowResult
	err = e.answer(func() error {
		var err error
		res, err = from.show(ctx, cleanPath(path), first, last)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Header = e.header(begun)
	return res, nil
}

func (e *Engine) show(ctx context.Context, path string, first, last int) (*ShowResult, error) {
	p, f, err := e.indexedFile(ctx, path)
	if err != nil {
		return nil, err
	}
	u, err := e.ix.Units(p)
	if err != nil {
		return nil, err
	}
	src, err := e.ix.Source(p)
	if err != nil {
		return nil, err
	}
	rec := u.File(f)
	text := src.Content(f)
	res := &ShowResult{Lines: int(rec.Lines), Lang: rec.Lang, Origin: e.origin()}
	if first == 0 {
		first = 1
	}
	if last == 0 {
		last = max(res.Lines, first)
	}
	start, end, got := lineRange(text, first, last)
	if isUTF16(rec.Encoding) {
		t := transcode(text, rec.Encoding)
		start, end, got = lineRange(t.text, first, last)
		if got > 0 {
			start, end = t.originalLineStart(start), int(t.orig[end])
		}
	}
	if got == 0 {
		if res.Lines > 0 || first > 1 {
			return nil, fail.New(fail.NotFound, "ask for lines inside the file", "%s has %d lines, not %d", quote(path), res.Lines, first)
		}
		got = 0 // an empty file has no lines, and showing it shows nothing
	}
	res.Place = placeOf(path, first, got)
	res.SourceText = sourceText(text[start:end])
	return res, nil
}

// indexedFile finds a file whose content is in the index.
func (e *Engine) indexedFile(ctx context.Context, path string) (p, f int, err error) {
	if e.hidden[path] {
		return 0, 0, e.hiddenFile(path)
	}
	p, f, ok, err := e.ix.FindFile(path)
	if err != nil {
		return 0, 0, err
	}
	if !ok {
		t, err := e.fileTable(ctx)
		if err != nil {
			return 0, 0, err
		}
		return 0, 0, t.noSuchPath(path)
	}
	u, err := e.ix.Units(p)
	if err != nil {
		return 0, 0, err
	}
	if s := u.Skip(f); s != artifact.SkipNone {
		return 0, 0, fail.New(fail.NotFound, "read it from the repository", "the content of %s is not in the index: %s", quote(path), s)
	}
	return p, f, nil
}

// Outline lists the units of a file, or the files below a folder ("" or "."
// for all). Skipped files are listed with the reason.
func (e *Engine) Outline(ctx context.Context, path string) (*OutlineResult, error) {
	begun := time.Now()
	res := &OutlineResult{Path: cleanPath(path), Results: []OutlineEntry{}}
	err := e.answer(func() error { return e.outline(ctx, res) })
	if err != nil {
		return nil, err
	}
	res.Total = len(res.Results)
	res.Header = e.header(begun)
	return res, nil
}

func (e *Engine) outline(ctx context.Context, res *OutlineResult) error {
	path := res.Path
	if from, err := e.holding(path); err != nil {
		return err
	} else if from == e.over && from != nil {
		return changedOutline(path)
	}
	if path != "" {
		p, f, ok, err := e.ix.FindFile(path)
		if err != nil {
			return err
		}
		if ok {
			u, err := e.ix.Units(p)
			if err != nil {
				return err
			}
			res.Results = append(res.Results, fileOutline(u, f))
			return unitOutline(u, f, res)
		}
	}
	prefix := path + "/"
	if path == "" {
		prefix = ""
	}
	for p := range e.parts() {
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n := u.NumFiles()
		lo := sort.Search(n, func(i int) bool { return string(u.PathBytes(i)) >= prefix })
		for f := lo; f < n && strings.HasPrefix(string(u.PathBytes(f)), prefix); f++ {
			if !e.hidden[u.Path(f)] {
				res.Results = append(res.Results, fileOutline(u, f))
			}
		}
	}
	if e.over != nil {
		if err := e.addChanged(prefix, res); err != nil {
			return err
		}
	}
	if len(res.Results) == 0 && path != "" {
		t, err := e.fileTable(ctx)
		if err != nil {
			return err
		}
		return t.noSuchPath(path)
	}
	return nil
}

func fileOutline(u *artifact.UnitsReader, f int) OutlineEntry {
	rec := u.File(f)
	return OutlineEntry{
		Place: placeOf(rec.Path, 1, int(max(1, rec.Lines))), Level: levelName(artifact.L0), Kind: artifact.KindFile.String(),
		Lang: rec.Lang, Skipped: rec.Skip.String(), Degraded: rec.Degraded.String(),
	}
}

func unitOutline(u *artifact.UnitsReader, f int, res *OutlineResult) error {
	lo, hi := u.FileUnits(f)
	ids := u.FileUnitIDs(f)
	depth := make([]int, hi-lo)
	for i := lo; i < hi; i++ {
		unit := u.Unit(i)
		if unit.Level == artifact.L0 {
			res.Results[0].ID = ids[i-lo]
			continue
		}
		depth[i-lo] = depth[int(unit.Parent)-lo] + 1
		res.Results = append(res.Results, OutlineEntry{
			Place: placeOf(u.Path(f), int(unit.StartLine), int(unit.EndLine)), Depth: depth[i-lo],
			Level: levelName(unit.Level), Kind: unit.Kind.String(), Name: unit.Name, Symbol: unit.Symbol, ID: ids[i-lo],
		})
	}
	return nil
}
