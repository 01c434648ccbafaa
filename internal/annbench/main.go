// Command annbench measures approximate nearest neighbours beside the flat scan
// of package embed, on the dense views of indexes:
//
//	cd internal/annbench && go run . -n 10000 -store DIR HASH [HASH ...]
//
// It is a module of its own, so that the product depends on no graph library.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/coder/hnsw"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/registry"
)

const dims, top, queries = 256, 10, 200

func main() {
	n := flag.Int("n", 10000, "vectors")
	dir := flag.String("store", "", "a local store")
	flag.Parse()
	var rows []int8
	store, err := registry.OpenLocal(*dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, hash := range flag.Args() {
		ix, err := fetch.Open(context.Background(), store, fetch.OpenCache(""), hash, fetch.OpenOptions{})
		if err != nil {
			log.Fatal(err)
		}
		for p := range ix.NumPartitions() {
			d, err := ix.Dense(p)
			if err != nil || d.Dims() != dims {
				log.Fatal("no dense view of 256 dimensions: ", err)
			}
			rows = append(rows, d.Rows()...)
		}
	}
	rows = distinct(rows)
	all := len(rows) / dims
	if all < *n+queries {
		log.Fatalf("the indexes have %d vectors", all)
	}
	// Units that are not in the set are the questions.
	order := rand.New(rand.NewPCG(1, 1)).Perm(all)
	take := func(from, to int) []int8 {
		out := make([]int8, 0, (to-from)*dims)
		for _, i := range order[from:to] {
			out = append(out, rows[i*dims:(i+1)*dims]...)
		}
		return out
	}
	set, qs := take(0, *n), take(*n, *n+queries)

	dst := make([]int32, *n)
	truth := make([][]int, queries)
	start := cpu()
	for q := range truth {
		embed.Scan(qs[q*dims:(q+1)*dims], set, dims, dst)
		truth[q] = best(dst, nil)
	}
	flat := (cpu() - start) / queries
	fmt.Printf("flat n=%d per search %v, bytes %d\n", *n, flat, len(set))
	ivf(set, qs, truth, flat)
	graph(set, qs, truth, flat)
}

// distinct drops equal vectors, such as those of generated code: a graph whose
// neighbours are all copies of one another has no way out.
func distinct(rows []int8) []int8 {
	seen := map[[dims]int8]bool{}
	out := rows[:0:0]
	for i := 0; i+dims <= len(rows); i += dims {
		if k := [dims]int8(rows[i : i+dims]); !seen[k] {
			seen[k] = true
			out = append(out, k[:]...)
		}
	}
	return out
}

// cpu is the processor time of this process: other work on the machine is not
// in it.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// best returns the numbers of the highest scores; ids names them.
func best(scores []int32, ids []int) []int {
	idx := make([]int, len(scores))
	for i := range idx {
		idx[i] = i
	}
	k := min(top, len(idx))
	for i := range k { // partial selection, cheaper than sorting all
		m := i
		for j := i + 1; j < len(idx); j++ {
			if scores[idx[j]] > scores[idx[m]] {
				m = j
			}
		}
		idx[i], idx[m] = idx[m], idx[i]
	}
	out := idx[:k]
	if ids != nil {
		for i, x := range out {
			out[i] = ids[x]
		}
	}
	return out
}

func report(name string, hits int, took, flat, build time.Duration) {
	overlap := float64(hits) / (top * queries)
	even := "never"
	if took < flat {
		even = fmt.Sprint(int(build / (flat - took)))
	}
	fmt.Printf("%-22s overlap %.3f per search %-10v build %-8v break-even %s searches\n", name, overlap, took, build.Round(time.Millisecond), even)
}

func count(got, want []int) (n int) {
	for _, x := range got {
		if slices.Contains(want, x) {
			n++
		}
	}
	return n
}

// ivf is a deterministic inverted file: √n lists by four rounds of k-means from
// evenly spread seeds; the lists that are nearest are scanned exactly.
func ivf(set, qs []int8, truth [][]int, flat time.Duration) {
	n := len(set) / dims
	k := int(math.Sqrt(float64(n)))
	start := cpu()
	cent := make([]int8, 0, k*dims)
	for i := range k {
		cent = append(cent, set[i*(n/k)*dims:(i*(n/k)+1)*dims]...)
	}
	lists := make([][]int, k)
	sc := make([]int32, k)
	for round := range 5 {
		clear(lists)
		for i := range n {
			embed.Scan(set[i*dims:(i+1)*dims], cent, dims, sc)
			b := 0
			for j := range sc {
				if sc[j] > sc[b] {
					b = j
				}
			}
			lists[b] = append(lists[b], i)
		}
		if round == 4 {
			break
		}
		for j, l := range lists {
			var sum [dims]int64
			sq := 0.0
			for _, i := range l {
				for d := range dims {
					sum[d] += int64(set[i*dims+d])
				}
			}
			for _, x := range sum {
				sq += float64(x) * float64(x)
			}
			if sq == 0 {
				continue
			}
			for d := range dims {
				cent[j*dims+d] = int8(max(-127, min(127, math.Round(float64(sum[d])*embed.Norm/math.Sqrt(sq)))))
			}
		}
	}
	var packed []int8
	var ids []int
	at := []int{0}
	for _, l := range lists {
		for _, i := range l {
			packed, ids = append(packed, set[i*dims:(i+1)*dims]...), append(ids, i)
		}
		at = append(at, len(ids))
	}
	build := (cpu() - start)
	for _, probe := range []int{1, 4, 8, 16, 32, 64} {
		if probe > k {
			break
		}
		hits := 0
		begun := cpu()
		for q := range truth {
			v := qs[q*dims : (q+1)*dims]
			embed.Scan(v, cent, dims, sc)
			near := make([]int, k)
			for j := range near {
				near[j] = j
			}
			slices.SortFunc(near, func(a, b int) int { return cmp.Or(cmp.Compare(sc[b], sc[a]), a-b) })
			var scores []int32
			var names []int
			for _, j := range near[:probe] {
				part := make([]int32, at[j+1]-at[j])
				embed.Scan(v, packed[at[j]*dims:at[j+1]*dims], dims, part)
				scores, names = append(scores, part...), append(names, ids[at[j]:at[j+1]]...)
			}
			hits += count(best(scores, names), truth[q])
		}
		report(fmt.Sprintf("ivf %d of %d", probe, k), hits, (cpu()-begun)/queries, flat, build)
	}
}

func graph(set, qs []int8, truth [][]int, flat time.Duration) {
	floats := func(v []int8) []float32 {
		out := make([]float32, dims)
		for i, x := range v {
			out[i] = float32(x) / embed.Norm
		}
		return out
	}
	start := cpu()
	g := hnsw.NewGraph[int]()
	g.M, g.Ml, g.Distance, g.EfSearch = 32, 0.25, hnsw.CosineDistance, 200
	for i := range len(set) / dims {
		g.Add(hnsw.MakeNode(i, hnsw.Vector(floats(set[i*dims:(i+1)*dims]))))
	}
	build := (cpu() - start)
	for _, ef := range []int{16, 64, 200, 400} {
		g.EfSearch = ef
		hits := 0
		begun := cpu()
		for q := range truth {
			var got []int
			for _, node := range g.Search(floats(qs[q*dims:(q+1)*dims]), top) {
				got = append(got, node.Key)
			}
			hits += count(got, truth[q])
		}
		report(fmt.Sprintf("hnsw ef %d", ef), hits, (cpu()-begun)/queries, flat, build)
	}
}
