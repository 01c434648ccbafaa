package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
)

// vocabulary numbers the words that have a vector.
type vocabulary struct {
	words []string
	id    map[string]uint16
	df    []float64 // share of texts that hold the word
	memo  map[string][]uint16
}

const (
	maxWord    = 24 // bytes
	minPiece   = 3  // bytes of a piece of an unknown word
	maxSegment = 32 // bytes of an unknown word that are looked at
)

// eachTerm calls f for the words and parts of a text; whole identifiers are
// left out, as their parts say the same.
func eachTerm(a *analysis.Analyzer, text string, f func(term []byte)) {
	a.Scan([]byte(text), func(t analysis.Token) {
		if t.Kind != analysis.Whole {
			f(t.Term)
		}
	})
}

type wordCount struct {
	df, packs int
	last      string
	text      int
}

// countWords ranks words by √df × packages^0.75 and keeps the first size.
func countWords(file string, size int) (*vocabulary, error) {
	counts := map[string]*wordCount{}
	var a analysis.Analyzer
	n := 0
	err := readTexts(file, func(t *text) error {
		n++
		for _, s := range []string{t.path, t.symbol, t.signature, t.doc, t.body} {
			eachTerm(&a, s, func(term []byte) {
				if len(term) > maxWord || len(term) > 4 && term[0] >= '0' && term[0] <= '9' {
					return
				}
				c := counts[string(term)]
				if c == nil {
					c = &wordCount{}
					counts[string(term)] = c
				}
				if c.text != n {
					c.text = n
					c.df++
				}
				if c.last != t.pack {
					c.last = t.pack
					c.packs++
				}
			})
		}
		if n%200000 == 0 {
			for w, c := range counts {
				if c.df == 1 {
					delete(counts, w)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	type ranked struct {
		word string
		rank float64
	}
	var all []ranked
	for w, c := range counts {
		if c.packs >= 3 {
			all = append(all, ranked{w, math.Sqrt(float64(c.df)) * math.Pow(float64(c.packs), 0.75)})
		}
	}
	slices.SortFunc(all, func(x, y ranked) int {
		if x.rank != y.rank {
			if x.rank > y.rank {
				return -1
			}
			return 1
		}
		return strings.Compare(x.word, y.word)
	})
	v := &vocabulary{id: map[string]uint16{}, memo: map[string][]uint16{}}
	for _, r := range all[:min(size, len(all))] {
		v.id[r.word] = uint16(len(v.words))
		v.words = append(v.words, r.word)
		v.df = append(v.df, float64(counts[r.word].df)/float64(n))
	}
	fmt.Printf("%d texts, %d words, %d kept; the last is %q\n", n, len(counts), len(v.words), v.words[len(v.words)-1])
	return v, nil
}

func (v *vocabulary) write(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i, s := range v.words {
		fmt.Fprintf(w, "%s\t%.9g\n", s, v.df[i])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func readVocabulary(file string) (*vocabulary, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := &vocabulary{id: map[string]uint16{}, memo: map[string][]uint16{}}
	for l := range strings.Lines(string(b)) {
		w, df, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		var f float64
		if _, err := fmt.Sscan(df, &f); err != nil {
			return nil, err
		}
		v.id[w] = uint16(len(v.words))
		v.words = append(v.words, w)
		v.df = append(v.df, f)
	}
	return v, nil
}

// ids returns the vocabulary's words that make up a term.
func (v *vocabulary) ids(term []byte) []uint16 {
	if id, ok := v.id[string(term)]; ok {
		return []uint16{id}
	}
	if ids, ok := v.memo[string(term)]; ok {
		return ids
	}
	ids := v.segment(string(term))
	if len(v.memo) < 1<<20 {
		v.memo[string(term)] = ids
	}
	return ids
}

// segment covers an unknown word with known ones of at least three bytes:
// the sum of their squared lengths is the highest, of equal ones the first
// found from the left with the longest piece. The rule is package embed's.
func (v *vocabulary) segment(w string) []uint16 {
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return nil
	}
	n := min(len(w), maxSegment)
	var best, from [maxSegment + 1]int
	for end := 1; end <= n; end++ {
		best[end], from[end] = best[end-1], -1
		for start := 0; start+minPiece <= end; start++ {
			if _, ok := v.id[w[start:end]]; ok {
				if s := best[start] + (end-start)*(end-start); s > best[end] {
					best[end], from[end] = s, start
				}
			}
		}
	}
	var out []uint16
	for end := n; end > 0; {
		if from[end] < 0 {
			end--
			continue
		}
		out = append(out, v.id[w[from[end]:end]])
		end = from[end]
	}
	slices.Reverse(out)
	return out
}
