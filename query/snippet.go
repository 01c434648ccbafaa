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
	f := u.File(c.file)
	var text []byte
	if isUTF16(f.Encoding) {
		t := transcode(src.Content(c.file), f.Encoding)
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
	window := min(n, maxSnippetLines)
	best, bestAt := int64(-1), 0
	var sum int64
	for i := range n {
		sum += gain[i]
		if i >= window {
			sum -= gain[i-window]
		}
		if i >= window-1 && sum > best {
			best, bestAt = sum, i-window+1
		}
	}
	first = bestAt
	// Begin shortly before the first line that counts, where there is room.
	if first > 0 {
		lead := first
		for lead < first+window-1 && gain[lead] == 0 {
			lead++
		}
		first = min(max(bestAt, lead-2), n-window)
		first = max(first, 0)
	}
	end := first
	size := 0
	for end < first+window && end < n {
		next := len(text)
		if end+1 < n {
			next = t.starts[end+1]
		}
		if size += next - t.starts[end]; size > maxSnippetBytes {
			break
		}
		end++
	}
	if end == first {
		return nil, 0
	}
	stop := len(text)
	if end < n {
		stop = t.starts[end]
	}
	return text[t.starts[first]:stop], first
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
