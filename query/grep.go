package query

import (
	"bytes"
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// GrepOptions say what to search for and where.
type GrepOptions struct {
	// Pattern is in RE2 syntax and applied to each line without its line
	// feed; a carriage return in front of that belongs to the line.
	Pattern    string
	Literal    bool // the pattern is text, not a regular expression
	IgnoreCase bool
	// Word asks for a word boundary on both sides of a match; a literal that
	// begins or ends with another character needs none on that side.
	Word     bool
	PathGlob string // see Globs in the package's documentation; "" for all
	Lang     string // language name; "" for all
	// MaxResults bounds the lines in the answer, 0 for no bound. Totals are
	// counted beyond it.
	MaxResults int
	Context    int // lines before and after each matching line, 0 to MaxContext
}

// MaxContext bounds GrepOptions.Context.
const MaxContext = 100

// Grep finds every line of every indexed file that matches, in path order.
// UTF-16 files are searched as text, with positions in their own bytes. What
// has no content in the index is counted in NotSearched.
func (e *Engine) Grep(ctx context.Context, o GrepOptions) (*GrepResult, error) {
	begun := time.Now()
	if err := e.need(artifact.Source, "grep"); err != nil {
		return nil, err
	}
	if o.Context < 0 || o.Context > MaxContext {
		return nil, fail.New(fail.Usage, "ask for fewer lines of context", "context is %d, not in 0 to %d", o.Context, MaxContext)
	}
	if o.MaxResults < 0 {
		return nil, fail.New(fail.Usage, "use 0 for no bound", "the number of results is %d", o.MaxResults)
	}
	pat, err := compilePattern(o)
	if err != nil {
		return nil, err
	}
	f, err := e.newFilter(o.PathGlob, o.Lang, "")
	if err != nil {
		return nil, err
	}
	parts := make([]grepPart, e.parts())
	workers := make([]*grepWorker, e.workers)
	err = e.answer(func() error {
		return e.each(ctx, func(w, p int) error {
			if workers[w] == nil {
				workers[w] = &grepWorker{e: e, o: &o, pat: pat, scan: newLineScan(pat), filter: f}
			}
			return workers[w].partition(p, &parts[p])
		})
	})
	if err != nil {
		return nil, err
	}
	res := &GrepResult{Pattern: o.Pattern, NotSearched: map[string]int{}, Results: []GrepHit{}}
	for i := range parts {
		g := &parts[i]
		res.Total += g.total
		res.Matches += g.matches
		res.Files += g.files
		res.Searched += g.searched
		for s, n := range g.skipped {
			if n > 0 {
				res.NotSearched[artifact.Skip(s).String()] += n
			}
		}
		if g.changed > 0 {
			res.NotSearched[notSearchedChanged] += g.changed
		}
		take := len(g.hits)
		if o.MaxResults > 0 {
			take = min(take, o.MaxResults-len(res.Results))
		}
		res.Results = append(res.Results, g.hits[:take]...)
	}
	res.Truncated = len(res.Results) < res.Total
	res.Header = e.header(begun)
	return res, nil
}

// notSearchedChanged is the reason why a hidden file was not searched.
const notSearchedChanged = "changed in the working tree"

// grepPart is what one partition contributes.
type grepPart struct {
	total, matches, files, searched int
	skipped                         [256]int // by artifact.Skip
	changed                         int      // hidden files, see Options.Hidden
	hits                            []GrepHit
}

type grepWorker struct {
	e      *Engine
	o      *GrepOptions
	pat    *pattern
	scan   *lineScan
	filter *filter
	blocks []int   // where each block of a run of files ends
	owner  []owner // what each block is
}

// owner says what a block of a run of files is: a file's text, or the byte
// order mark in front of it, which is no part of the line that it stands on.
type owner struct {
	file int // -1 for a byte order mark
	bom  int // bytes of the mark in front of the block
}

// utf8BOM is the length of UTF-8's byte order mark.
const utf8BOM = 3

// partition searches one partition: runs of neighbouring files that pass the
// filter at once, UTF-16 files one by one.
func (g *grepWorker) partition(p int, out *grepPart) error {
	u, err := g.e.ix.Units(p)
	if err != nil {
		return err
	}
	src, err := g.e.ix.Source(p)
	if err != nil {
		return err
	}
	text := src.Text()
	for f := 0; f < u.NumFiles(); {
		if !g.filter.file(u, f) {
			if g.filter.hidden(u, f) && g.filter.asked(u, f) {
				out.changed++
			}
			f++
			continue
		}
		if s := u.Skip(f); s != artifact.SkipNone {
			out.skipped[s]++
			f++
			continue
		}
		if isUTF16(u.Encoding(f)) {
			out.searched++
			g.wide(u, f, src.Content(f), out)
			f++
			continue
		}
		from, _ := src.FileRange(f)
		g.blocks, g.owner = g.blocks[:0], g.owner[:0]
		for ; f < u.NumFiles() && g.filter.file(u, f); f++ {
			if s := u.Skip(f); s != artifact.SkipNone {
				out.skipped[s]++
			} else if isUTF16(u.Encoding(f)) {
				break
			} else {
				out.searched++
			}
			lo, hi := src.FileRange(f)
			bom := 0
			if u.Encoding(f) == artifact.EncodingUTF8BOM && hi-lo >= utf8BOM {
				bom = utf8BOM
				g.blocks, g.owner = append(g.blocks, lo-from+bom), append(g.owner, owner{file: -1})
			}
			g.blocks, g.owner = append(g.blocks, hi-from), append(g.owner, owner{f, bom})
		}
		g.run(u, text[from:from+g.blocks[len(g.blocks)-1]], out)
	}
	return nil
}

// run searches a run of files, whose blocks end at g.blocks in text.
func (g *grepWorker) run(u *artifact.UnitsReader, text []byte, out *grepPart) {
	k, lo := 0, 0           // the current block and where it begins
	counted, line := 0, 1   // line number at offset counted
	seen, path := false, "" // the current file has a match; its path
	g.scan.run(text, g.blocks, func(start, end int) bool {
		for start >= g.blocks[k] {
			lo = g.blocks[k]
			k++
			counted, line, seen, path = lo, 1, false, ""
		}
		file, bom := g.owner[k].file, 0
		if file < 0 {
			return true
		}
		if start == lo {
			bom = g.owner[k].bom
		}
		if !seen {
			seen = true
			out.files++
		}
		out.total++
		if g.o.MaxResults > 0 && len(out.hits) >= g.o.MaxResults {
			out.matches += g.pat.count(text[start:end])
			return true
		}
		if path == "" {
			path = u.Path(file)
		}
		line += bytes.Count(text[counted:start], lf)
		counted = start
		spans := g.pat.spans(text[start:end])
		out.matches += len(spans)
		h := GrepHit{Place: placeOf(path, line, line), SourceText: sourceText(text[start-bom : end]), Origin: OriginArtifact}
		h.Spans = make([][2]int, len(spans))
		for i, s := range spans {
			h.Spans[i] = [2]int{bom + s[0] + 1, bom + s[1]}
		}
		first := lo - g.owner[k].bom
		h.Before, h.After = contextLines(text[first:g.blocks[k]], start-bom-first, end-first, g.o.Context)
		out.hits = append(out.hits, h)
		return true
	})
}

// wide searches one UTF-16 file in its UTF-8 form and gives positions in its
// own bytes.
func (g *grepWorker) wide(u *artifact.UnitsReader, f int, raw []byte, out *grepPart) {
	t := transcode(raw, u.Encoding(f))
	counted, line, seen := 0, 1, false
	g.scan.run(t.text, []int{len(t.text)}, func(start, end int) bool {
		if !seen {
			seen = true
			out.files++
		}
		out.total++
		spans := g.pat.spans(t.text[start:end])
		out.matches += len(spans)
		if g.o.MaxResults > 0 && len(out.hits) >= g.o.MaxResults {
			return true
		}
		line += bytes.Count(t.text[counted:start], lf)
		counted = start
		h := GrepHit{Place: placeOf(u.Path(f), line, line), SourceText: sourceText(t.text[start:end]), Origin: OriginArtifact}
		base := t.originalLineStart(start)
		h.Spans = make([][2]int, len(spans))
		for i, s := range spans {
			h.Spans[i] = [2]int{int(t.orig[start+s[0]]) - base + 1, int(t.orig[start+s[1]]) - base}
		}
		h.Before, h.After = contextLines(t.text, start, end, g.o.Context)
		out.hits = append(out.hits, h)
		return true
	})
}

// contextLines returns up to n lines before and after the line [start, end)
// of a file's text.
func contextLines(text []byte, start, end, n int) (before, after []SourceText) {
	for at := start; len(before) < n && at > 0; {
		lineStart, lineEnd := lineBounds(text, at-1)
		before = append(before, sourceText(text[lineStart:lineEnd]))
		at = lineStart
	}
	for i, j := 0, len(before)-1; i < j; i, j = i+1, j-1 {
		before[i], before[j] = before[j], before[i]
	}
	for at := end + 1; len(after) < n && at < len(text); {
		lineStart, lineEnd := lineBounds(text, at)
		after = append(after, sourceText(text[lineStart:lineEnd]))
		at = lineEnd + 1
	}
	return before, after
}
