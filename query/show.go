package query

import (
	"context"
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
			return nil, fail.New(fail.NotFound, "ask for lines inside the file", "%s has %s, not %d", quote(path), lineCount(res.Lines), first)
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
