package query

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

func randomDocs(rng *rand.Rand, n int) []string {
	words := strings.Fields("request response handler parse_header session cookie flask url_for render template cache backend token error user id json encode reading reads read")
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for range 1 + rng.IntN(50) {
			b.WriteString(words[rng.IntN(len(words))*rng.IntN(len(words))/len(words)])
			b.WriteByte(' ')
		}
		out[i] = b.String()
	}
	return out
}

// TestLexicalScores compares the engine's scores with BM25F computed straight
// from the texts, and checks that how the documents are cut into partitions
// changes nothing.
func TestLexicalScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	ctx := context.Background()
	for range 10 {
		docs := randomDocs(rng, 20+rng.IntN(150))
		plain := naiveDocs(docs)
		engines := []*Engine{
			New(querytest.New(nil, querytest.Options{Docs: docs, PerPartition: len(docs)}), Options{Workers: 1}),
			New(querytest.New(nil, querytest.Options{Docs: docs, PerPartition: 7}), Options{Workers: 4}),
		}
		for _, text := range []string{"session cookie", "parse_header of the request", "read", "json encoding errors for users", "url_for"} {
			var first []float64
			for i, e := range engines {
				q := analyse(text, &e.weights)
				sc := e.getScratch()
				if err := e.lookUp(ctx, q, sc); err != nil {
					t.Fatal(err)
				}
				if err := e.scoreLexical(ctx, q, &e.weights, sc); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = slices.Clone(sc.score)
					for d, got := range first {
						if want := naiveScore(plain, d, q, &e.weights); math.Abs(got-want) > 1e-9*(1+want) {
							t.Fatalf("%q, document %d: %v, want %v", text, d, got, want)
						}
					}
				} else if !slices.Equal(first, sc.score) {
					t.Fatalf("%q: scores depend on how documents are cut into partitions", text)
				}
			}
		}
	}
}

// naiveScore is BM25F over the path and body fields from the texts alone, with
// the slots' own weights.
func naiveScore(docs []naiveDoc, doc int, q *queryTerms, w *Weights) float64 {
	fields := []artifact.Field{artifact.FieldPath, artifact.FieldBody}
	n := float64(len(docs))
	var avg [artifact.NumFields]float64
	for _, d := range docs {
		for _, f := range fields {
			avg[f] += d.length[f] / n
		}
	}
	var score float64
	for i := range q.slots {
		s := &q.slots[i]
		var df, tf float64
		for _, alt := range s.alts {
			term := q.terms[alt.term]
			for _, d := range docs {
				if d.count[artifact.FieldPath][term]+d.count[artifact.FieldBody][term] > 0 {
					df++
				}
			}
			for _, f := range fields {
				norm := 1 - w.LenB[f] + w.LenB[f]*docs[doc].length[f]/avg[f]
				tf += alt.weight * w.Field[f] * docs[doc].count[f][term] / norm
			}
		}
		df = min(df, n)
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		score += s.weight * idf * (w.K1 + 1) * tf / (w.K1 + tf)
	}
	return score
}

// naiveDoc is a document's term counts and lengths by field.
type naiveDoc struct {
	count  [artifact.NumFields]map[string]float64
	length [artifact.NumFields]float64
}

func naiveDocs(docs []string) []naiveDoc {
	var a analysis.Analyzer
	out := make([]naiveDoc, len(docs))
	for d, body := range docs {
		for f, text := range map[artifact.Field]string{artifact.FieldPath: fmt.Sprintf("doc/%06d.txt", d), artifact.FieldBody: body} {
			m := map[string]float64{}
			out[d].length[f] = float64(a.Scan([]byte(text), func(t analysis.Token) { m[string(t.Term)]++ }))
			out[d].count[f] = m
		}
	}
	return out
}

// TestBestDocs compares the partial sort with a full one.
func TestBestDocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		score := make([]int32, rng.IntN(60))
		for i := range score {
			score[i] = int32(rng.IntN(8)) - 1
		}
		k := rng.IntN(12)
		keep := func(d int) bool { return d%3 != 1 }
		var want []int
		b := bestDocs{k: k}
		o := bestDocs{k: k} // of another worker
		for d, s := range score {
			if !keep(d) || s <= 0 {
				continue
			}
			want = append(want, d)
			w := &b
			if rng.IntN(2) == 0 {
				w = &o
			}
			if v := (scored{int64(s), int32(d)}); w.takes(v) {
				w.add(v)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int { return int(score[b] - score[a]) })
		want = want[:min(k, len(want))]
		b.join(&o)
		if got := b.sorted(); !slices.Equal(got, want) {
			t.Fatalf("scores %v, k %d: %v, want %v", score, k, got, want)
		}
	}
}
