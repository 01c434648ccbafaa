package main

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/query"
)

// corpus is the text of a commit as the baselines see it: every file that
// pindex has text of, but for those that a change hardly begins in (tests,
// documents, generated and vendored files), which pindex leaves out as well.
type corpus struct {
	files []textFile
	at    map[string]int
}

type textFile struct {
	path, lang string
	lines      [][]byte // without their line feeds
}

func readCorpus(e *query.Engine, question string) (*corpus, error) {
	aside := e.Aside(question)
	c := &corpus{at: map[string]int{}}
	ix := e.Index()
	for p := range ix.NumPartitions() {
		u, err := ix.Units(p)
		if err != nil {
			return nil, err
		}
		src, err := ix.Source(p)
		if err != nil {
			return nil, err
		}
		for f := range u.NumFiles() {
			path := u.Path(f)
			if u.Skip(f) != artifact.SkipNone || u.Encoding(f) == artifact.EncodingUTF16LE || u.Encoding(f) == artifact.EncodingUTF16BE || u.Lang(f) == "" || aside(path) != "" {
				continue
			}
			text := bytes.TrimSuffix(src.Content(f), []byte("\n"))
			if len(text) == 0 {
				continue
			}
			c.at[path] = len(c.files)
			c.files = append(c.files, textFile{path, u.Lang(f), bytes.Split(text, []byte("\n"))})
		}
	}
	return c, nil
}

// part is a run of lines of a file of a corpus.
type part struct {
	file       int
	start, end int // lines
}

// shown is what a bundle shows of one file.
type shown struct {
	Path  string
	Spans []bundle.Span
}

// page writes chosen lines as pindex's Markdown has them, so that equal lines
// have equal prices.
type page struct {
	c     *corpus
	meter *bundle.Meter
	order []int          // files, in the order in which they came
	keep  map[int][]bool // by file and line
}

func newPage(c *corpus, m *bundle.Meter) *page { return &page{c: c, meter: m, keep: map[int][]bool{}} }

// A page's prices of what is no line, in tokens: of a file's heading beside
// its path, and of a run's fences and the marker before it.
const (
	pageHeading = 16
	pageRun     = 24
)

// take adds whole lines of a part up to the first that room is too small for,
// and returns what is left of it.
func (p *page) take(x part, room int) int {
	f := &p.c.files[x.file]
	keep := p.keep[x.file]
	if keep == nil {
		heading := pageHeading + p.meter.Count([]byte(f.path))
		if room < heading+pageRun {
			return room
		}
		room -= heading
		keep = make([]bool, len(f.lines)+2)
		p.keep[x.file] = keep
		p.order = append(p.order, x.file)
	}
	var b []byte
	for n := x.start; n <= x.end; n++ {
		if keep[n] {
			continue
		}
		b = appendNumbered(b[:0], n, f.lines[n-1])
		price := p.meter.Count(b)
		if !keep[n-1] && !keep[n+1] {
			price += pageRun
		}
		if price > room {
			break // a run ends where its next line has no room
		}
		keep[n] = true
		room -= price
	}
	return room
}

func appendNumbered(b []byte, n int, line []byte) []byte {
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, '\t')
	b = append(b, line...)
	return append(b, '\n')
}

func (p *page) shown() (out []shown) {
	for _, file := range p.order {
		s := shown{Path: p.c.files[file].path}
		keep := p.keep[file]
		for n := range keep {
			if !keep[n] {
				continue
			}
			if k := len(s.Spans); k > 0 && s.Spans[k-1].End == n-1 {
				s.Spans[k-1].End = n
			} else {
				s.Spans = append(s.Spans, bundle.Span{Start: n, End: n})
			}
		}
		if len(s.Spans) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// tokens counts the page as it would be written.
func (p *page) tokens() int {
	var b []byte
	for _, s := range p.shown() {
		f := &p.c.files[p.c.at[s.Path]]
		b = append(b, "\n## "+s.Path+"\n"...)
		next := 1
		gap := func(to int) {
			if to >= next {
				b = append(b, "\n… lines "+strconv.Itoa(next)+"–"+strconv.Itoa(to)+" left out\n"...)
			}
		}
		for _, sp := range s.Spans {
			gap(sp.Start - 1)
			b = append(b, "\n```"+f.lang+"\n"...)
			for n := sp.Start; n <= sp.End; n++ {
				b = appendNumbered(b, n, f.lines[n-1])
			}
			b = append(b, "```\n"...)
			next = sp.End + 1
		}
		gap(len(f.lines))
	}
	return p.meter.Count(b)
}

// tolerance is the share of a budget, in hundredths, by which bundles that are
// compared may differ.
const tolerance = 2

// spend takes parts in their order until the written page has the wanted
// tokens, or there are no more parts.
func spend(c *corpus, m *bundle.Meter, parts []part, want int) (out []shown, tokens int) {
	room := want
	for range 8 {
		p := newPage(c, m)
		left := room
		for _, x := range parts {
			if left = p.take(x, left); left < pageHeading+pageRun || left < want/200 {
				break
			}
		}
		n := p.tokens()
		if n <= want && n > tokens {
			out, tokens = p.shown(), n
		}
		if n <= want && n*100 >= want*(100-tolerance/2) || n == 0 || n < want && left > room/20 {
			break
		}
		room = room * (2*want*100 - want*tolerance/2) / 2 / 100 / n
	}
	return out, tokens
}

// words are a question's words, cut from identifiers and in small letters, and
// numbered.
func words(question string) map[string]int {
	out := map[string]int{}
	eachPart([]byte(question), func(w []byte) {
		if _, ok := out[string(w)]; !ok {
			out[string(w)] = len(out)
		}
	})
	return out
}

// eachPart cuts a text into the parts of its identifiers, at signs,
// underscores and capitals, in small letters.
func eachPart(text []byte, word func([]byte)) {
	var buf [40]byte
	n := 0
	end := func() {
		if n > 1 && n < len(buf) {
			word(buf[:n])
		}
		n = 0
	}
	for i, b := range text {
		switch {
		case 'A' <= b && b <= 'Z':
			if i > 0 && ('a' <= text[i-1] && text[i-1] <= 'z') {
				end()
			}
			b |= 0x20
		case 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b >= 0x80:
		default:
			end()
			continue
		}
		if n < len(buf) {
			buf[n] = b
			n++
		}
	}
	end()
}

// chunked counts a question's words in runs of lines.
type chunked struct {
	parts []part
	tf    []map[int]int
	size  []int // words of every kind
}

// chunk cuts every file into runs of so many lines, 0 for whole files. The
// words of the path count as words of each run.
func (c *corpus) chunk(ws map[string]int, lines int) *chunked {
	out := &chunked{}
	for i := range c.files {
		f := &c.files[i]
		step := lines
		if step == 0 {
			step = len(f.lines)
		}
		for from := 0; from < len(f.lines); from += step {
			to := min(from+step, len(f.lines))
			tf := map[int]int{}
			size := 0
			count := func(w []byte) {
				size++
				if n, ok := ws[string(w)]; ok {
					tf[n]++
				}
			}
			eachPart([]byte(f.path), count)
			for _, l := range f.lines[from:to] {
				eachPart(l, count)
			}
			out.parts = append(out.parts, part{i, from + 1, to})
			out.tf = append(out.tf, tf)
			out.size = append(out.size, size)
		}
	}
	return out
}

// bm25 returns the parts that have a word of the question, best first; k1 is
// 1.2 and b 0.75.
func (k *chunked) bm25(words int) []part {
	const k1, b = 1.2, 0.75
	df := make([]float64, words)
	total := 0.0
	for i, tf := range k.tf {
		for w := range tf {
			df[w]++
		}
		total += float64(k.size[i])
	}
	mean := total / math.Max(1, float64(len(k.parts)))
	score := make([]float64, len(k.parts))
	for i, tf := range k.tf {
		for w := range words { // in their order: a sum of floats depends on it
			n := float64(tf[w])
			if n == 0 {
				continue
			}
			idf := math.Log(1 + (float64(len(k.parts))-df[w]+0.5)/(df[w]+0.5))
			score[i] += idf * n * (k1 + 1) / (n + k1*(1-b+b*float64(k.size[i])/mean))
		}
	}
	return best(k.parts, score)
}

// best returns the parts with a score, best first, then in their order.
func best(parts []part, score []float64) []part {
	at := make([]int, 0, len(parts))
	for i := range parts {
		if score[i] > 0 {
			at = append(at, i)
		}
	}
	sortBy(at, func(a, b int) bool { return score[a] > score[b] })
	out := make([]part, len(at))
	for i, n := range at {
		out[i] = parts[n]
	}
	return out
}

// grepContext is how many lines grep shows on each side of a hit.
const grepContext = 3

// grepHit is a line that has a word.
type grepHit struct{ file, line int }

// grep finds the identifiers of a question as whole words.
func (c *corpus) grep(question string) (words []string, hits map[string][]grepHit) {
	hits = map[string][]grepHit{}
	for _, w := range strings.FieldsFunc(question, func(r rune) bool { return !identifier(byte(min(r, 0x80))) }) {
		if len(w) > 2 && (w[0] < '0' || w[0] > '9') {
			if _, ok := hits[w]; !ok {
				hits[w] = nil
				words = append(words, w)
			}
		}
	}
	for i := range c.files {
		for n, l := range c.files[i].lines {
			for at := 0; at < len(l); {
				if !identifier(l[at]) {
					at++
					continue
				}
				from := at
				for at < len(l) && identifier(l[at]) {
					at++
				}
				if h, ok := hits[string(l[from:at])]; ok {
					if k := len(h); k == 0 || h[k-1] != (grepHit{i, n + 1}) {
						hits[string(l[from:at])] = append(h, grepHit{i, n + 1})
					}
				}
			}
		}
	}
	// Rare words first: what stands nowhere, or in more lines than one reads,
	// comes last.
	sortBy(words, func(a, b string) bool { return len(hits[a]) < len(hits[b]) })
	return words, hits
}

func identifier(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '_'
}

// grepped are the hits of the words, the rarest word first, with lines around
// them.
func (c *corpus) grepped(question string) (out []part) {
	words, hits := c.grep(question)
	for _, w := range words {
		for _, h := range hits[w] {
			out = append(out, part{h.file, max(1, h.line-grepContext), min(len(c.files[h.file].lines), h.line+grepContext)})
		}
	}
	return out
}

// bestLines are the single lines of some files, by the weights of the
// question's words in a line and, by half, in the two lines on each side.
func (c *corpus) bestLines(ws map[string]int, files []int) []part {
	df := make([]float64, len(ws))
	all := 0.0
	type line struct {
		part part
		has  []int
	}
	var lines []line
	for _, i := range files {
		for n, l := range c.files[i].lines {
			x := line{part: part{i, n + 1, n + 1}}
			seen := map[int]bool{}
			eachPart(l, func(w []byte) {
				if k, ok := ws[string(w)]; ok && !seen[k] {
					seen[k] = true
					x.has = append(x.has, k)
					df[k]++
				}
			})
			all++
			lines = append(lines, x)
		}
	}
	own := make([]float64, len(lines))
	for i, l := range lines {
		for _, w := range l.has {
			own[i] += math.Log(1 + (all-df[w]+0.5)/(df[w]+0.5))
		}
	}
	parts := make([]part, len(lines))
	score := make([]float64, len(lines))
	for i := range lines {
		parts[i] = lines[i].part
		score[i] = own[i] + 1e-9 // every line of the files may be taken
		for d := -2; d <= 2; d++ {
			if k := i + d; d != 0 && k >= 0 && k < len(lines) && lines[k].part.file == lines[i].part.file {
				score[i] += own[k] / 2
			}
		}
	}
	return best(parts, score)
}
