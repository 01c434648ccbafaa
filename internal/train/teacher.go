package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// teacher is a small BERT whose vectors of single words are where training
// starts from. Only what a word means by itself is taken from it.
type teacher struct {
	pieces map[string]int
	tensor map[string][]float32
	layers int
}

// Sizes of the only teacher that is supported, MiniLM-L6.
const (
	hidden = 384
	heads  = 12
	inner  = 1536
)

// distil writes the teacher's vectors of the vocabulary's words, reduced to
// fewer dimensions by their principal components.
func distil(args []string) error {
	f := flag.NewFlagSet("distil", flag.ContinueOnError)
	dims := f.Int("dims", 256, "numbers in a vector")
	rest, err := parseFlags(f, args, 2)
	if err != nil {
		return err
	}
	v, err := readVocabulary(filepath.Join(rest[0], "vocab.tsv"))
	if err != nil {
		return err
	}
	t, err := readTeacher(rest[1])
	if err != nil {
		return err
	}
	rows := make([]float32, len(v.words)*hidden)
	byLength := map[int][]int{}
	tokens := make([][]int, len(v.words))
	for i, w := range v.words {
		tokens[i] = t.tokens(w)
		byLength[len(tokens[i])] = append(byLength[len(tokens[i])], i)
	}
	for n, list := range byLength {
		size := 64
		for at := 0; at < len(list); at += size {
			batch := list[at:min(at+size, len(list))]
			out := t.encode(tokens, batch, n)
			for k, i := range batch {
				copy(rows[i*hidden:(i+1)*hidden], out[k*hidden:])
			}
		}
	}
	reduced := principal(rows, len(v.words), hidden, *dims)
	tab := &table{dims: *dims, vec: reduced, weight: make([]float32, len(v.words))}
	for i := range v.words {
		r := tab.row(uint16(i))
		l := float32(math.Sqrt(float64(dot(r, r)))) + 1e-9
		for j := range r {
			r[j] /= l
		}
	}
	return tab.write(filepath.Join(rest[0], "init.bin"))
}

func readTeacher(dir string) (*teacher, error) {
	b, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(b)
	var head map[string]struct {
		Dtype   string
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(b[8:8+n], &head); err != nil {
		return nil, err
	}
	t := &teacher{pieces: map[string]int{}, tensor: map[string][]float32{}}
	body := b[8+n:]
	for name, h := range head {
		if h.Dtype != "F32" {
			continue
		}
		raw := body[h.Offsets[0]:h.Offsets[1]]
		x := make([]float32, len(raw)/4)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		t.tensor[name] = x
	}
	for t.tensor[fmt.Sprintf("encoder.layer.%d.output.dense.weight", t.layers)] != nil {
		t.layers++
	}
	words, err := os.ReadFile(filepath.Join(dir, "vocab.txt"))
	if err != nil {
		return nil, err
	}
	for i, w := range strings.Split(strings.TrimSuffix(string(words), "\n"), "\n") {
		t.pieces[w] = i
	}
	return t, nil
}

// tokens cuts a word into the teacher's pieces, longest first.
func (t *teacher) tokens(w string) []int {
	out := []int{t.pieces["[CLS]"]}
	for start := 0; start < len(w); {
		end := len(w)
		for ; end > start; end-- {
			p := w[start:end]
			if start > 0 {
				p = "##" + p
			}
			if id, ok := t.pieces[p]; ok {
				out = append(out, id)
				break
			}
		}
		if end == start {
			out = append(out[:1], t.pieces["[UNK]"])
			break
		}
		start = end
	}
	return append(out, t.pieces["[SEP]"])
}

// encode returns the mean of the last layer over each text of n tokens.
func (t *teacher) encode(tokens [][]int, batch []int, n int) []float32 {
	m := len(batch) * n
	m = (m + panelRows - 1) / panelRows * panelRows
	x := make([]float32, m*hidden)
	word, pos, kind := t.tensor["embeddings.word_embeddings.weight"], t.tensor["embeddings.position_embeddings.weight"], t.tensor["embeddings.token_type_embeddings.weight"]
	for k, i := range batch {
		for p, id := range tokens[i] {
			r := x[(k*n+p)*hidden : (k*n+p+1)*hidden]
			for j := range r {
				r[j] = word[id*hidden+j] + pos[p*hidden+j] + kind[j]
			}
		}
	}
	t.norm(x, "embeddings.LayerNorm")
	for l := range t.layers {
		name := fmt.Sprintf("encoder.layer.%d.", l)
		q := t.linear(x, hidden, hidden, name+"attention.self.query")
		k := t.linear(x, hidden, hidden, name+"attention.self.key")
		v := t.linear(x, hidden, hidden, name+"attention.self.value")
		y := t.linear(attend(q, k, v, len(batch), n), hidden, hidden, name+"attention.output.dense")
		for i := range x {
			x[i] += y[i]
		}
		t.norm(x, name+"attention.output.LayerNorm")
		h := t.linear(x, hidden, inner, name+"intermediate.dense")
		for i, a := range h {
			h[i] = a * float32(0.5*(1+math.Erf(float64(a)/math.Sqrt2)))
		}
		y = t.linear(h, inner, hidden, name+"output.dense")
		for i := range x {
			x[i] += y[i]
		}
		t.norm(x, name+"output.LayerNorm")
	}
	out := make([]float32, len(batch)*hidden)
	for k := range batch {
		for p := range n {
			axpy(1/float32(n), x[(k*n+p)*hidden:(k*n+p+1)*hidden], out[k*hidden:(k+1)*hidden])
		}
	}
	return out
}

// attend is attention within each text.
func attend(q, k, v []float32, texts, n int) []float32 {
	const d = hidden / heads
	out := make([]float32, len(q))
	w := make([]float64, n)
	for s := range texts {
		for h := range heads {
			at := func(p int) (int, int) { return (s*n+p)*hidden + h*d, (s*n+p)*hidden + (h+1)*d }
			for i := range n {
				lo, hi := at(i)
				sum := 0.0
				for j := range n {
					l, r := at(j)
					w[j] = math.Exp(float64(dot(q[lo:hi], k[l:r])) / math.Sqrt(d))
					sum += w[j]
				}
				for j := range n {
					l, r := at(j)
					axpy(float32(w[j]/sum), v[l:r], out[lo:hi])
				}
			}
		}
	}
	return out
}

// linear is x × weightᵀ + bias.
func (t *teacher) linear(x []float32, in, out int, name string) []float32 {
	m := len(x) / in
	packed := t.tensor[name+".packed"]
	if packed == nil {
		packed = make([]float32, in*out)
		packByRow(packed, t.tensor[name+".weight"], in, panelCols, 0, out/panelCols)
		t.tensor[name+".packed"] = packed
	}
	a := make([]float32, m*in)
	packByRow(a, x, in, panelRows, 0, m/panelRows)
	y := make([]float32, m*out)
	parallel(m/panelRows, func(_, lo, hi int) { product(y, a, packed, out, in, lo, hi) })
	bias := t.tensor[name+".bias"]
	for i := range y {
		y[i] += bias[i%out]
	}
	return y
}

// norm is layer normalisation.
func (t *teacher) norm(x []float32, name string) {
	w, b := t.tensor[name+".weight"], t.tensor[name+".bias"]
	for at := 0; at < len(x); at += hidden {
		r := x[at : at+hidden]
		var sum, sq float64
		for _, v := range r {
			sum += float64(v)
		}
		mean := sum / hidden
		for _, v := range r {
			sq += (float64(v) - mean) * (float64(v) - mean)
		}
		k := 1 / math.Sqrt(sq/hidden+1e-12)
		for i, v := range r {
			r[i] = float32((float64(v)-mean)*k)*w[i] + b[i]
		}
	}
}

// principal projects n rows of d numbers, less their mean, on their first
// principal components, found by orthogonal iteration.
func principal(rows []float32, n, d, keep int) []float32 {
	mean := make([]float64, d)
	for i, x := range rows {
		mean[i%d] += float64(x) / float64(n)
	}
	cov := make([]float32, d*d)
	r := make([]float32, d)
	for i := range n {
		for j := range r {
			r[j] = rows[i*d+j] - float32(mean[j])
		}
		copy(rows[i*d:], r)
		for j, x := range r {
			axpy(x/float32(n), r, cov[j*d:(j+1)*d])
		}
	}
	// The basis, a row for each component.
	basis := make([]float32, keep*d)
	for i := range basis {
		basis[i] = float32(math.Sin(float64(i) * 12.9898)) // anything that is not degenerate
	}
	next := make([]float32, d)
	for range 40 {
		for k := range keep {
			b := basis[k*d : (k+1)*d]
			for j := range next {
				next[j] = dot(cov[j*d:(j+1)*d], b)
			}
			for p := range k {
				o := basis[p*d : (p+1)*d]
				axpy(-dot(o, next), o, next)
			}
			l := 1 / (float32(math.Sqrt(float64(dot(next, next)))) + 1e-20)
			for j := range b {
				b[j] = next[j] * l
			}
		}
	}
	out := make([]float32, n*keep)
	for i := range n {
		for k := range keep {
			out[i*keep+k] = dot(basis[k*d:(k+1)*d], rows[i*d:(i+1)*d])
		}
	}
	return out
}
