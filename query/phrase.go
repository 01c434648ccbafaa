package query

import (
	"context"
	"slices"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
)

// markPhrases sets sc.allowed for every document that holds each of the
// phrases: by positions where the segment stores them, on the source where it
// does not.
func (e *Engine) markPhrases(ctx context.Context, phrases []analysis.Phrase, sc *searchScratch) error {
	sc.allowed = grow(sc.allowed, e.docs)
	return e.each(ctx, func(wk, p int) error {
		r, err := e.ix.Lexical(p)
		if err != nil {
			return err
		}
		allowed := sc.allowed[e.docBase[p]:e.docBase[p+1]]
		for i := range phrases {
			docs, err := e.phraseDocs(p, r, &phrases[i], &sc.worker[wk])
			if err != nil {
				return err
			}
			if i == 0 {
				for _, d := range docs {
					allowed[d] = true
				}
				continue
			}
			for d := range allowed {
				if _, ok := slices.BinarySearch(docs, uint32(d)); !ok {
					allowed[d] = false
				}
			}
		}
		return nil
	})
}

// phraseDocs returns the documents of a partition that hold the phrase in one
// of their fields, ascending.
func (e *Engine) phraseDocs(p int, r *artifact.LexicalReader, ph *analysis.Phrase, ws *workerScratch) ([]uint32, error) {
	terms := make([]artifact.Term, len(ph.Terms))
	for i, t := range ph.Terms {
		term, ok, err := r.Lookup(t)
		if err != nil || !ok {
			return nil, err
		}
		terms[i] = term
	}
	// The documents that hold every term.
	var docs []uint32
	positions := true
	for i, t := range terms {
		positions = positions && t.HasPositions()
		var err error
		if ws.postings, err = r.Postings(t, ws.postings[:0]); err != nil {
			return nil, err
		}
		if i == 0 {
			for _, po := range ws.postings {
				docs = append(docs, po.Doc)
			}
			continue
		}
		docs = intersect(docs, ws.postings)
	}
	if len(docs) == 0 {
		return nil, nil
	}
	if !positions {
		return e.phraseOnSource(p, docs, ph)
	}
	found := map[uint32]bool{}
	for f := range artifact.Field(artifact.NumFields) {
		if err := phraseInField(r, terms, f, docs, ws, found); err != nil {
			return nil, err
		}
	}
	out := docs[:0]
	for _, d := range docs {
		if found[d] {
			out = append(out, d)
		}
	}
	return out, nil
}

func intersect(docs []uint32, postings []artifact.Posting) []uint32 {
	out := docs[:0]
	k := 0
	for _, d := range docs {
		for k < len(postings) && postings[k].Doc < d {
			k++
		}
		if k < len(postings) && postings[k].Doc == d {
			out = append(out, d)
		}
	}
	return out
}

// phraseInField notes the documents in which the terms stand side by side in
// field f.
func phraseInField(r *artifact.LexicalReader, terms []artifact.Term, f artifact.Field, docs []uint32, ws *workerScratch, found map[uint32]bool) error {
	starts := map[uint32][]uint32{} // document -> places where the phrase may begin
	list := &ws.lists[f]
	for i, t := range terms {
		var err error
		if ws.postings, err = r.Postings(t, ws.postings[:0]); err != nil {
			return err
		}
		ok, err := r.Positions(t, f, list)
		if err != nil || !ok {
			return err
		}
		next := map[uint32][]uint32{}
		for k, po := range ws.postings {
			if _, ok := slices.BinarySearch(docs, po.Doc); !ok || po.TF[f] == 0 {
				continue
			}
			for _, at := range list.At(k) {
				if at < uint32(i) {
					continue
				}
				if begin := at - uint32(i); i == 0 || slices.Contains(starts[po.Doc], begin) {
					next[po.Doc] = append(next[po.Doc], begin)
				}
			}
		}
		if starts = next; len(starts) == 0 {
			return nil
		}
	}
	for d := range starts {
		found[d] = true
	}
	return nil
}

// phraseOnSource keeps the documents whose text holds the terms in a row.
func (e *Engine) phraseOnSource(p int, docs []uint32, ph *analysis.Phrase) ([]uint32, error) {
	u, err := e.ix.Units(p)
	if err != nil {
		return nil, err
	}
	src, err := e.ix.Source(p)
	if err != nil {
		return nil, err
	}
	var a analysis.Analyzer
	var out []uint32
	for _, d := range docs {
		if holdsPhrase(&a, documentText(u, src, int(d)), ph.Terms) {
			out = append(out, d)
		}
	}
	return out, nil
}

// documentText returns the text of a document of a partition, in UTF-8.
func documentText(u *artifact.UnitsReader, src *artifact.SourceReader, d int) []byte {
	doc, file := u.Doc(d), u.DocFile(d)
	text := src.Content(file)
	if isUTF16(u.Encoding(file)) {
		t := transcode(text, u.Encoding(file))
		return linesOf(t.text, int(doc.StartLine), int(doc.EndLine))
	}
	return text[doc.Start:doc.End]
}

func linesOf(text []byte, first, last int) []byte {
	a, b, _ := lineRange(text, first, last)
	return text[a:b]
}

// holdsPhrase reports whether the terms stand side by side in text.
func holdsPhrase(a *analysis.Analyzer, text []byte, terms []string) bool {
	ring := make([]string, len(terms))
	n, found := 0, false
	a.Scan(text, func(t analysis.Token) {
		if found || t.Kind == analysis.Whole {
			return
		}
		ring[n%len(ring)] = string(t.Term)
		n++
		if n < len(ring) {
			return
		}
		for i, want := range terms {
			if ring[(n+i)%len(ring)] != want {
				return
			}
		}
		found = true
	})
	return found
}
