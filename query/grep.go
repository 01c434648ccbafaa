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

// MaxGrepHits bounds the lines of an answer that is collected in memory. An
// answer that is streamed has no bound.
const MaxGrepHits = 100_000

// maxSpans bounds the matches whose places are listed for one line; all are
// counted.
const maxSpans = 1000

// Grep finds every line of every indexed file that matches, in path order, and
// collects them: at most MaxResults, or MaxGrepHits without a bound, with
// totals that count all and Truncated where that is more. UTF-16 files are
// searched as text, with positions in their own bytes. What has no content in
// the index is counted in NotSearched.
func (e *Engine) Grep(ctx context.Context, o GrepOptions) (*GrepResult, error) {
	if o.MaxResults == 0 {
		o.MaxResults = MaxGrepHits
	}
	hits := []GrepHit{}
	res, err := e.GrepEach(ctx, o, func(h *GrepHit) error {
		hits = append(hits, *h)
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Results = hits
	return res, nil
}

// GrepEach is Grep that hands every hit to each, in path order, as soon as it
// is found, and returns the totals without results. Its memory does not grow
// with the number of hits. An error of each ends the search and is returned.
func (e *Engine) GrepEach(ctx context.Context, o GrepOptions, each func(*GrepHit) error) (*GrepResult, error) {
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
	parts, given, err := e.grepBoth(ctx, o, pat, f, each)
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
		if g.changed > 0 && e.over == nil {
			res.NotSearched[notSearchedChanged] += g.changed
		}
	}
	res.Truncated = given < res.Total
	res.Header = e.header(begun)
	return res, nil
}

// grepBatch is how many hits travel together from a worker to the caller.
const grepBatch = 256

// grepStream searches the partitions in parallel and hands their hits over in
// order. Workers take partitions in order and wait when the caller is behind,
// so only a few batches a worker are ever in memory.
func (e *Engine) grepStream(ctx context.Context, o GrepOptions, pat *pattern, f *filter, each func(*GrepHit) error) ([]grepPart, int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := make([]grepPart, e.parts())
	for p := range parts {
		parts[p].out = make(chan []GrepHit, 2)
	}
	workers := make([]*grepWorker, e.workers)
	done := make(chan error, 1)
	go func() {
		err := e.answer(func() error {
			return e.each(ctx, func(w, p int) error {
				if workers[w] == nil {
					workers[w] = &grepWorker{e: e, o: &o, pat: pat, scan: newLineScan(pat), filter: f}
				}
				err := workers[w].partition(ctx, p, &parts[p])
				if err == nil {
					err = workers[w].flush(ctx, &parts[p])
				}
				if err == nil {
					parts[p].closed = true
					close(parts[p].out)
				}
				return err
			})
		})
		for p := range parts {
			if !parts[p].closed {
				close(parts[p].out)
			}
		}
		done <- err
	}()
	given := 0
	var failed error
	for p := range parts {
		for batch := range parts[p].out {
			for i := range batch {
				if failed != nil || o.MaxResults > 0 && given >= o.MaxResults {
					break
				}
				given++
				if failed = each(&batch[i]); failed != nil {
					cancel()
				}
			}
		}
	}
	err := <-done
	if failed != nil {
		err = failed
	}
	return parts, given, err
}

// notSearchedChanged is the reason why a hidden file was not searched.
const notSearchedChanged = "changed in the working tree"

// grepPart is what one partition contributes.
type grepPart struct {
	total, matches, files, searched int
	skipped                         [256]int // by artifact.Skip
	changed                         int      // hidden files, see Options.Hidden
	made                            int      // hits made, for MaxResults
	hits                            []GrepHit
	out                             chan []GrepHit
	closed                          bool
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
func (g *grepWorker) partition(ctx context.Context, p int, out *grepPart) error {
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
			g.wide(ctx, u, f, src.Content(f), out)
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
		g.run(ctx, u, text[from:from+g.blocks[len(g.blocks)-1]], out)
	}
	return nil
}

// put adds a hit and sends a full batch off; false means that nobody waits for
// it any more.
func (g *grepWorker) put(ctx context.Context, out *grepPart, h GrepHit) bool {
	out.made++
	out.hits = append(out.hits, h)
	return len(out.hits) < grepBatch || g.flush(ctx, out) == nil
}

// flush sends off what put has collected.
func (g *grepWorker) flush(ctx context.Context, out *grepPart) error {
	if len(out.hits) == 0 {
		return nil
	}
	select {
	case out.out <- out.hits:
		out.hits = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run searches a run of files, whose blocks end at g.blocks in text.
func (g *grepWorker) run(ctx context.Context, u *artifact.UnitsReader, text []byte, out *grepPart) {
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
		if g.o.MaxResults > 0 && out.made >= g.o.MaxResults {
			out.matches += g.pat.count(text[start:end])
			return true
		}
		if path == "" {
			path = u.Path(file)
		}
		line += bytes.Count(text[counted:start], lf)
		counted = start
		spans, n := g.pat.spans(text[start:end])
		out.matches += n
		h := GrepHit{Place: placeOf(path, line, line), SourceText: sourceText(text[start-bom : end]), Origin: g.e.origin()}
		h.Spans = make([][2]int, len(spans))
		for i, s := range spans {
			h.Spans[i] = [2]int{bom + s[0] + 1, bom + s[1]}
		}
		first := lo - g.owner[k].bom
		h.Before, h.After = contextLines(text[first:g.blocks[k]], start-bom-first, end-first, g.o.Context)
		return g.put(ctx, out, h)
	})
}

// wide searches one UTF-16 file in its UTF-8 form and gives positions in its
// own bytes.
func (g *grepWorker) wide(ctx context.Context, u *artifact.UnitsReader, f int, raw []byte, out *grepPart) {
	t := transcode(raw, u.Encoding(f))
	counted, line, seen := 0, 1, false
	g.scan.run(t.text, []int{len(t.text)}, func(start, end int) bool {
		if !seen {
			seen = true
			out.files++
		}
		out.total++
		spans, n := g.pat.spans(t.text[start:end])
		out.matches += n
		if g.o.MaxResults > 0 && out.made >= g.o.MaxResults {
			return true
		}
		line += bytes.Count(t.text[counted:start], lf)
		counted = start
		h := GrepHit{Place: placeOf(u.Path(f), line, line), SourceText: sourceText(t.text[start:end]), Origin: g.e.origin()}
		base := t.originalLineStart(start)
		h.Spans = make([][2]int, len(spans))
		for i, s := range spans {
			h.Spans[i] = [2]int{int(t.orig[start+s[0]]) - base + 1, int(t.orig[start+s[1]]) - base}
		}
		h.Before, h.After = contextLines(t.text, start, end, g.o.Context)
		return g.put(ctx, out, h)
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
