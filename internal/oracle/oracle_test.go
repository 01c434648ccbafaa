package oracle

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/index/scorch"
	blevequery "github.com/blevesearch/bleve/v2/search/query"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/query/querytest"
)

// corpus makes texts in which identifiers, words and numbers repeat unevenly.
func corpus(rng *rand.Rand, n int) []string {
	words := strings.Fields(`request response handler parse_header parseHTTPHeader2 session cookie Flask url_for render template
		QuerySet filter exclude cache backend middleware token validate error Error user User id 42 0xff json JSON encode decode
		日本語 データ naïve straße open close read write buffer stream socket connect retry timeout`)
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for range 1 + rng.IntN(60) {
			// Squaring makes the first words frequent and the last ones rare.
			k := rng.IntN(len(words)) * rng.IntN(len(words)) / len(words)
			b.WriteString(words[k])
			b.WriteByte([]byte(" \n.,(")[rng.IntN(5)])
		}
		out[i] = b.String()
	}
	return out
}

// tokens runs the project's analysis and gives the terms as words for the
// other engine. None of them holds white space.
func tokens(text string) []string {
	var a analysis.Analyzer
	var out []string
	a.Scan([]byte(text), func(t analysis.Token) { out = append(out, string(t.Term)) })
	return out
}

// index gives the tokens to bleve: one text field, no filter, one segment.
func index(t *testing.T, docs []string) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("plain", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		t.Fatal(err)
	}
	m.DefaultAnalyzer = "plain"
	m.ScoringModel = "bm25"
	f := bleve.NewTextFieldMapping()
	f.Store, f.IncludeInAll, f.IncludeTermVectors = false, false, false
	m.DefaultMapping.AddFieldMappingsAt("body", f)
	ix, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	batch := ix.NewBatch()
	for i, d := range docs {
		if err := batch.Index(fmt.Sprintf("%06d", i), map[string]any{"body": strings.Join(tokens(d), " ")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.Batch(batch); err != nil {
		t.Fatal(err)
	}
	return ix
}

// postings is what the lexical view says of one field over all partitions.
type postings struct {
	docs   int
	vocab  map[string]bool
	length []int
	tf     map[string]map[int]int
}

// read collects the body field from every partition's segment.
func read(t *testing.T, ix *artifact.Index) postings {
	t.Helper()
	p := postings{vocab: map[string]bool{}, tf: map[string]map[int]int{}}
	for part := range ix.NumPartitions() {
		r, err := ix.Lexical(part)
		if err != nil {
			t.Fatal(err)
		}
		var sum uint64
		for d := range r.NumDocs() {
			n := r.FieldLength(d, artifact.FieldBody)
			p.length = append(p.length, int(n))
			sum += uint64(n)
		}
		if got := r.TotalLength(artifact.FieldBody); got != sum {
			t.Errorf("partition %d: total length %d, the documents' sum is %d", part, got, sum)
		}
		err = r.WalkPrefix("", func(term []byte, e artifact.Term) bool {
			list, err := r.Postings(e, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != int(e.DocFreq) {
				t.Errorf("%q: %d postings, document frequency %d", term, len(list), e.DocFreq)
			}
			for _, po := range list {
				n := int(po.TF[artifact.FieldBody])
				if n == 0 {
					continue // in another field
				}
				p.vocab[string(term)] = true
				if p.tf[string(term)] == nil {
					p.tf[string(term)] = map[int]int{}
				}
				p.tf[string(term)][p.docs+int(po.Doc)] = n
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		p.docs += r.NumDocs()
	}
	return p
}

// score is bleve's form of BM25 over the given postings: the square root of
// the term frequency, an average length that is the vocabulary's size over the
// number of documents, rounded up, each term's weight times its idf over the
// query's norm, and the share of the terms that match.
func (p postings) score(terms []string, doc int, fieldLength func(doc int) float64) float64 {
	const k1, b = 1.2, 0.75
	avg := math.Ceil(float64(len(p.vocab)) / float64(p.docs))
	var norm, sum float64
	matched := 0
	idf := func(term string) float64 {
		df := float64(len(p.tf[term]))
		return math.Log(1 + (float64(p.docs)-df+0.5)/(df+0.5))
	}
	for _, t := range terms {
		norm += idf(t) * idf(t)
	}
	for _, t := range terms {
		n, ok := p.tf[t][doc]
		if !ok {
			continue
		}
		matched++
		tf := math.Sqrt(float64(n))
		sum += idf(t) * idf(t) / math.Sqrt(norm) * tf * k1 / (tf + k1*(1-b+b*fieldLength(doc)/avg))
	}
	return sum * float64(matched) / float64(len(terms))
}

// TestPostingsAgainstBleve gives the same tokens to both engines and compares
// every score of every matching document, and so document counts, frequencies,
// term frequencies and field lengths.
func TestPostingsAgainstBleve(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			docs := corpus(rng, 50+rng.IntN(300))
			theirs := index(t, docs)
			defer theirs.Close()
			p := read(t, querytest.New(nil, querytest.Options{Docs: docs, PerPartition: 1 + rng.IntN(40)}))
			if p.docs != len(docs) {
				t.Fatalf("%d documents, not %d", p.docs, len(docs))
			}
			// bleve counts every token, the project every position; a whole
			// identifier is a token without a position of its own.
			length := func(doc int) float64 { return float64(len(tokens(docs[doc]))) }
			for doc, text := range docs {
				var a analysis.Analyzer
				if want := a.Scan([]byte(text), func(analysis.Token) {}); int(want) != p.length[doc] {
					t.Fatalf("document %d has length %d, not %d", doc, p.length[doc], want)
				}
			}
			var vocab []string
			for v := range p.vocab {
				vocab = append(vocab, v)
			}
			sort.Strings(vocab)
			for range 40 {
				var terms []string
				var subs []blevequery.Query
				for len(terms) < 2+rng.IntN(4) {
					w := vocab[rng.IntN(len(vocab))]
					if contains(terms, w) {
						continue
					}
					terms = append(terms, w)
					q := bleve.NewTermQuery(w)
					q.SetField("body")
					subs = append(subs, q)
				}
				req := bleve.NewSearchRequest(bleve.NewDisjunctionQuery(subs...))
				req.Size = len(docs)
				res, err := theirs.Search(req)
				if err != nil {
					t.Fatal(err)
				}
				want := map[int]float64{}
				for d := range docs {
					if s := p.score(terms, d, length); s > 0 {
						want[d] = s
					}
				}
				if len(res.Hits) != len(want) {
					t.Fatalf("%q: bleve finds %d documents, the postings %d", terms, len(res.Hits), len(want))
				}
				for _, h := range res.Hits {
					var d int
					if _, err := fmt.Sscanf(h.ID, "%06d", &d); err != nil {
						t.Fatal(err)
					}
					if w := want[d]; math.Abs(h.Score-w) > 1e-5*w {
						t.Fatalf("%q, document %d: bleve scores %v, the postings give %v", terms, d, h.Score, w)
					}
				}
			}
		})
	}
}

// TestSearchFindsWhatBleveFinds compares the sets of matching documents of the
// engine's lexical route, whose formula is its own.
func TestSearchFindsWhatBleveFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	docs := corpus(rng, 120)
	theirs := index(t, docs)
	defer theirs.Close()
	e := query.New(querytest.New(nil, querytest.Options{Docs: docs, PerPartition: 7}), query.Options{})
	for _, w := range []string{"retry", "socket", "timeout", "naïve", "urlfor", "データ"} {
		q := bleve.NewTermQuery(w)
		q.SetField("body")
		req := bleve.NewSearchRequest(q)
		req.Size = len(docs)
		res, err := theirs.Search(req)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, h := range res.Hits {
			want["doc/"+h.ID+".txt"] = true
		}
		got, err := e.Search(context.Background(), query.SearchOptions{Query: w, Route: query.RouteLexical, K: query.MaxK, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		for path := range want {
			found := false
			for _, h := range got.Results {
				found = found || h.Path == path
			}
			if !found {
				missing++
			}
		}
		if missing > 0 {
			t.Errorf("%q: %d of %d documents are missing", w, missing, len(want))
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
