package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
)

// bag counts words.
type bag []wordN

type wordN struct {
	id uint16
	n  uint8
}

// pair is what one step of training compares: words and the code they are
// about, with the words of its path.
type pair struct {
	group             uint8 // of languages; batches hold one group
	kind              uint8
	held              bool // kept back to measure with
	words, code, path bag
}

// Kinds of pairs.
const (
	docToCode = iota
	nameToCode
	commentToCode
	pathToCode
	kinds
)

// groups are families of languages that share names and habits.
var groups = map[string]int{
	"python": 1, "go": 2, "rust": 3, "javascript": 4, "typescript": 4, "tsx": 4, "jsx": 4, "java": 5, "kotlin": 6, "scala": 7,
	"c": 8, "cpp": 8, "c++": 8, "objc": 8, "csharp": 9, "ruby": 10, "php": 11, "haskell": 12, "elixir": 13, "swift": 14, "lua": 15, "bash": 16, "zig": 17,
}

const groupCount = 18 // 0: any other language

type pairMaker struct {
	v     *vocabulary
	a     analysis.Analyzer
	count map[uint16]int
	seen  map[uint64]uint8
	out   *bufio.Writer
	n     [kinds]int
	lang  map[string]int
}

func makePairs(args []string) error {
	f := flag.NewFlagSet("pairs", flag.ContinueOnError)
	size := f.Int("words", 40000, "size of the vocabulary")
	keep := f.Bool("keep", false, "keep the vocabulary that there is")
	rest, err := parseFlags(f, args, 1)
	if err != nil {
		return err
	}
	texts := filepath.Join(rest[0], "texts.bin")
	list := filepath.Join(rest[0], "vocab.tsv")
	var v *vocabulary
	if *keep {
		v, err = readVocabulary(list)
	} else if v, err = countWords(texts, *size); err == nil {
		err = v.write(list)
	}
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(rest[0], "pairs.bin"))
	if err != nil {
		return err
	}
	m := newPairMaker(v, out)
	var last *text
	err = readTexts(texts, func(t *text) error {
		m.text(t, last)
		last = t
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Println("doc, name, comment, path:", m.n)
	for _, l := range slices.Sorted(maps.Keys(m.lang)) {
		fmt.Printf("%-12s %8d\n", l, m.lang[l])
	}
	if err := m.out.Flush(); err != nil {
		return err
	}
	return out.Close()
}

func newPairMaker(v *vocabulary, out io.Writer) *pairMaker {
	return &pairMaker{v: v, count: map[uint16]int{}, seen: map[uint64]uint8{}, out: bufio.NewWriterSize(out, 1<<20), lang: map[string]int{}}
}

// text makes the pairs of one text.
func (m *pairMaker) text(t, last *text) {
	held := hash64(t.pack)%64 == 0
	path := m.bag(t.path)
	add := func(kind uint8, words string, code bag) {
		if len(words) > 1500 {
			words = words[:1500]
		}
		if legal(words) {
			return
		}
		m.add(t.lang, pair{group: uint8(groups[t.lang]), kind: kind, held: held, words: m.bag(words), code: code, path: path})
	}
	code := strings.TrimSpace(t.symbol + "\n" + t.signature + "\n" + t.body)
	if t.doc != "" {
		b := m.bag(t.symbol, t.signature, t.body)
		first := firstSentence(t.doc)
		// One of the two: the hash decides.
		if hash64(t.doc)%3 != 0 {
			add(docToCode, first, b)
		} else {
			add(docToCode, t.doc, b)
		}
	}
	if t.symbol != "" && len(t.body) > 60 {
		name := t.symbol
		if i := strings.LastIndexAny(name, ".:#"); i >= 0 && hash64(code)%2 == 0 {
			name = name[i+1:]
		}
		doc := t.doc
		if hash64(code)%4 < 2 {
			doc = ""
		}
		add(nameToCode, name, m.bag(doc, t.body))
	}
	maxCode := 12
	if t.symbol == "" {
		maxCode = 25 // no parser cut this text
	}
	for i, p := range commentPairs(t.lang, t.body, maxCode) {
		if i == 6 {
			break
		}
		add(commentToCode, p.words, m.bag(p.code))
	}
	// The beginning of a file stands for it.
	if last == nil || last.pack != t.pack || last.path != t.path {
		add(pathToCode, t.path, m.bag(t.symbol, t.doc, t.signature, t.body))
	}
}

// bag counts the words of texts, at most as many as fit.
func (m *pairMaker) bag(texts ...string) bag {
	clear(m.count)
	for _, s := range texts {
		if len(s) > 6000 {
			s = s[:6000]
		}
		eachTerm(&m.a, s, func(term []byte) {
			for _, id := range m.v.ids(term) {
				m.count[id]++
			}
		})
	}
	b := make(bag, 0, len(m.count))
	for id, n := range m.count {
		b = append(b, wordN{id, uint8(min(n, 255))})
	}
	slices.SortFunc(b, func(x, y wordN) int { return int(x.id) - int(y.id) })
	return b
}

func (m *pairMaker) add(lang string, p pair) {
	rare := 0
	for _, w := range p.words {
		if m.v.df[w.id] < 0.05 {
			rare++
		}
	}
	if rare < 1 || len(p.words) < 2 || len(p.code) < 6 {
		return
	}
	// Copies of one text in many packages count twice at most.
	h := hash64(p.code.append(nil))
	if m.seen[h] >= 2 {
		return
	}
	m.seen[h]++
	m.n[p.kind]++
	m.lang[lang]++
	b := []byte{p.group, p.kind, 0}
	if p.held {
		b[2] = 1
	}
	for _, s := range []bag{p.words, p.code, p.path} {
		b = s.append(b)
	}
	_, _ = m.out.Write(b)
}

func (b bag) append(out []byte) []byte {
	out = binary.LittleEndian.AppendUint16(out, uint16(len(b)))
	for _, w := range b {
		out = binary.LittleEndian.AppendUint16(out, w.id)
		out = append(out, w.n)
	}
	return out
}

func readPairs(file string) ([]pair, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	readBag := func() (bag, error) {
		var n [2]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return nil, err
		}
		raw := make([]byte, 3*int(binary.LittleEndian.Uint16(n[:])))
		if _, err := io.ReadFull(r, raw); err != nil {
			return nil, err
		}
		b := make(bag, len(raw)/3)
		for i := range b {
			b[i] = wordN{binary.LittleEndian.Uint16(raw[3*i:]), raw[3*i+2]}
		}
		return b, nil
	}
	var out []pair
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		p := pair{group: head[0], kind: head[1], held: head[2] != 0}
		for _, b := range []*bag{&p.words, &p.code, &p.path} {
			if *b, err = readBag(); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
}
