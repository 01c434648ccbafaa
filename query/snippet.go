package query

import (
	"bytes"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/analysis"
)

// Bounds on a snippet. Lines are never cut: a line that is longer than
// maxSnippetBytes is left out.
const (
	maxSnippetLines = 12
	maxSnippetBytes = 4 << 10
	maxSnippetScan  = 64 << 10 // of a document's text that is searched for the best place
)

// snippet fills in the hit's snippet: whole lines around the best match inside
// the candidate's document.
func (e *Engine) snippet(h *SearchHit, c *candidate, weight map[string]int64) error {
	u, err := e.ix.Units(c.part)
	if err != nil {
		return err
	}
	src, err := e.ix.Source(c.part)
	if err != nil {
		return err
	}
	d := u.Doc(c.doc - e.docBase[c.part])
	var text []byte
	if enc := u.Encoding(c.file); isUTF16(enc) {
		t := transcode(src.Content(c.file), enc)
		text = linesOf(t.text, int(d.StartLine), int(d.EndLine))
	} else {
		content := src.Content(c.file)
		start, _ := lineBounds(content, int(d.Start))
		end := int(d.End)
		if end > start && content[end-1] != '\n' {
			_, end = lineBounds(content, end-1)
			end = min(end+1, len(content))
		}
		text = content[start:end]
	}
	lines, first := bestLines(text, weight)
	if len(lines) == 0 {
		return nil
	}
	h.SnippetLine = int(d.StartLine) + first
	if utf8.Valid(lines) {
		h.Snippet = string(lines)
	} else {
		h.SnippetB64 = append([]byte(nil), lines...)
	}
	return nil
}

// bestLines returns the run of at most maxSnippetLines whole lines of text
// that holds the most of the terms, and the number, from 0, of its first line.
func bestLines(text []byte, weight map[string]int64) (lines []byte, first int) {
	if len(text) > maxSnippetScan {
		text = text[:bytes.LastIndexByte(text[:maxSnippetScan], '\n')+1]
	}
	t := newLineTable(text)
	n := len(t.starts)
	if n == 0 {
		return nil, 0
	}
	gain := make([]int64, n)
	var a analysis.Analyzer
	seen := make(map[string]int, len(weight)) // line of the last time counted, + 1
	at := 0
	a.Scan(text, func(tok analysis.Token) {
		w, ok := weight[string(tok.Term)]
		if !ok {
			return
		}
		for at+1 < n && t.starts[at+1] <= tok.Start {
			at++
		}
		switch last := seen[string(tok.Term)]; {
		case last == 0:
			gain[at] += w
		case last != at+1:
			gain[at] += w / 4 // said before
		}
		seen[string(tok.Term)] = at + 1
	})
	lineEnd := func(i int) int {
		if i+1 < n {
			return t.starts[i+1]
		}
		return len(text)
	}
	// The best window among the runs of lines that are short enough to show.
	best, first, window := int64(-1), 0, 0
	for lo := 0; lo < n; {
		hi := lo
		for hi < n && lineEnd(hi)-t.starts[hi] <= maxSnippetBytes {
			hi++
		}
		if gained, at, size := bestWindow(gain[lo:hi]); size > 0 && gained > best {
			best, first, window = gained, lo+at, size
		}
		lo = hi + 1
	}
	end := first
	size := 0
	for end < first+window {
		if size += lineEnd(end) - t.starts[end]; size > maxSnippetBytes {
			break
		}
		end++
	}
	if end == first {
		return nil, 0
	}
	return text[t.starts[first]:lineEnd(end-1)], first
}

// bestWindow returns the run of at most maxSnippetLines lines with the highest
// gain: where it begins, shortly before the first line that counts, and how
// many lines it has.
func bestWindow(gain []int64) (best int64, first, window int) {
	window = min(len(gain), maxSnippetLines)
	if window == 0 {
		return 0, 0, 0
	}
	best = -1
	var sum int64
	for i, g := range gain {
		sum += g
		if i >= window {
			sum -= gain[i-window]
		}
		if i >= window-1 && sum > best {
			best, first = sum, i-window+1
		}
	}
	if first > 0 {
		lead := first
		for lead < first+window-1 && gain[lead] == 0 {
			lead++
		}
		first = max(0, min(max(first, lead-2), len(gain)-window))
	}
	return best, first, window
}

// snippetWeights gives each term's weight for choosing lines.
func snippetWeights(q *queryTerms) map[string]int64 {
	w := make(map[string]int64, len(q.terms))
	for i := range q.slots {
		s := &q.slots[i]
		for _, a := range s.alts {
			w[q.terms[a.term]] = max(1, toMicro(float64(s.score*a.weight)))
		}
	}
	return w
}
