package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/stats"
	"github.com/pindex-dev/pindex/query"
)

// kPrimes are how many results the reranker orders.
var kPrimes = []int{30, 50, 100}

// notReranked is the order that the others are compared with.
const notReranked = "no reranker"

// rerankFlags say which server is asked, and on how large commits.
type rerankFlags struct {
	url   string
	pid   int
	files int
}

func (f *rerankFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&f.url, "rerank", "", "`URL[#MODEL]` of a /rerank server")
	fs.IntVar(&f.pid, "pid", 0, "process of that server on this machine, whose processor time rerank counts")
	fs.IntVar(&f.files, "files", 0, "files that a commit of rerank's sample has at most; 0 for any number")
}

// reranked is what came of one query; a file for each is kept.
type reranked struct {
	ID, Query string
	Orders    map[string][]place // by what orderName gives
	Own       time.Duration      // processor time of the search without a reranker
	Server    map[int]time.Duration
	Bytes     map[int]int // of the texts that the reranker saw
}

func orderName(k int) string {
	if k == 0 {
		return notReranked
	}
	return fmt.Sprintf("k′ %d", k)
}

// run asks a sample: of the commits with at most so many files, the first n
// queries by the hash of their ids, at most per of one repository.
func (f *rerankFlags) run(ctx context.Context, tasks []task, mirrors, work string, n, per int, within time.Duration) error {
	e, err := remote.ParseEndpoint(f.url, "rerank", remote.EnvRerankerKey, os.Getenv(remote.EnvRerankerKey))
	if err != nil {
		return err
	}
	client := remote.NewReranker(e, remote.Limits{Attempts: 2, Timeout: 10 * time.Minute, Wait: time.Second, MaxWait: time.Second})
	var small []task
	for _, ts := range commits(tasks) {
		// The whole commit is compiled, whatever folder is asked about.
		folder, _, err := folderOf(ctx, mirrors, &task{Mirror: ts[0].Mirror, Commit: ts[0].Commit})
		if err == nil && (f.files == 0 || len(folder) <= f.files) {
			small = append(small, ts...)
		}
	}
	if per <= 0 {
		per = len(small)
	}
	sample := hashed(small, n, per)
	kept := filepath.Join(work, "rerank", fmt.Sprintf("%x", sha256.Sum256([]byte(client.Name())))[:12])
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	deadline := time.Now().Add(within)
	var got []reranked
	var missing []string
	for i := range sample {
		t := &sample[i]
		name := filepath.Join(kept, strings.ReplaceAll(t.ID, "/", "_")+".json")
		var r reranked
		if readJSON(name, &r) == nil && r.Query == t.Query {
			got = append(got, r)
			continue
		}
		err := errors.New("not asked in the time")
		if time.Now().Before(deadline) {
			err = r.ask(ctx, t, client.Rerank, f.pid, mirrors, work)
		}
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", t.ID, err))
			continue
		}
		fmt.Fprintln(os.Stderr, t.ID, r.Own.Round(time.Millisecond), r.Server)
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := durable.WriteBytes(name, 0o644, b); err != nil {
			return err
		}
		got = append(got, r)
	}
	rerankTables(client.Name(), sample, got)
	fmt.Printf("\n%d of the sample's %d queries are missing\n", len(missing), len(sample))
	for _, m := range missing {
		fmt.Println(" ", m)
	}
	return nil
}

// ask searches without a reranker and with one at each k′. Each text is given
// to the reranker once: its score is taken not to depend on the texts beside
// it, as rerankers of pairs have it, so that the time of a larger k′ is that of
// the smaller and of the further texts.
func (r *reranked) ask(ctx context.Context, t *task, rerank func(context.Context, string, []string) ([]int64, error), pid int, mirrors, work string) error {
	e, err := engine(ctx, mirrors, t.Mirror, t.Commit, work)
	if err != nil {
		return err
	}
	*r = reranked{ID: t.ID, Query: t.Query, Orders: map[string][]place{}, Server: map[int]time.Duration{}, Bytes: map[int]int{}}
	o := query.SearchOptions{Query: t.Query, Route: query.RouteHybrid, PathGlob: t.Glob, K: 10}
	if t.Set == "loc" {
		o.K, o.Level = 20, "file"
	}
	search := func(k int) error {
		res, err := e.Search(ctx, o)
		if err != nil {
			return err
		}
		places := []place{}
		for _, h := range res.Results {
			places = append(places, place{h.Path, h.StartLine, h.EndLine})
		}
		r.Orders[orderName(k)] = places
		return nil
	}
	if err := search(0); err != nil { // what a first search loads is not its cost
		return err
	}
	begun := stats.CPU()
	if err := search(0); err != nil {
		return err
	}
	r.Own = stats.CPU() - begun
	known := map[string]int64{}
	var server time.Duration
	var size int
	for _, k := range kPrimes {
		var failed error
		o.Reranker = &query.Reranker{K: k, Rerank: func(ctx context.Context, question string, texts []string) ([]int64, error) {
			var fresh []string
			for _, x := range texts {
				if _, ok := known[x]; !ok && !slices.Contains(fresh, x) {
					fresh = append(fresh, x)
					size += len(x)
				}
			}
			if len(fresh) > 0 {
				before, err := processTime(pid)
				if err != nil {
					failed = err
					return nil, err
				}
				scores, err := rerank(ctx, question, fresh)
				if err != nil {
					failed = err
					return nil, err
				}
				after, err := processTime(pid)
				if err != nil {
					failed = err
					return nil, err
				}
				server += after - before
				for i, x := range fresh {
					known[x] = scores[i]
				}
			}
			out := make([]int64, len(texts))
			for i, x := range texts {
				out[i] = known[x]
			}
			return out, nil
		}}
		if err := search(k); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
		r.Server[k], r.Bytes[k] = server, size
	}
	return nil
}

// rerankTables prints the orders' scores and what they cost.
func rerankTables(name string, sample []task, got []reranked) {
	by := map[string]*task{}
	for i := range sample {
		by[sample[i].ID] = &sample[i]
	}
	scores := []struct {
		set, title string
		of         func(*measure) float64
	}{
		{"semble", "NDCG@10", func(m *measure) float64 { return m.NDCG }},
		{"loc", "Recall@10", func(m *measure) float64 { return m.R10 }},
		{"loc", "Recall@1", func(m *measure) float64 { return m.R1 }},
	}
	for _, s := range scores {
		c := contest{score: s.of}
		for _, k := range append([]int{0}, kPrimes...) {
			var ms []measure
			for _, r := range got {
				if t := by[r.ID]; t.Set == s.set {
					ms = append(ms, judge(t, r.Orders[orderName(k)]))
				}
			}
			if len(ms) > 0 {
				c.add(orderName(k), ms)
			}
		}
		if len(c.names) == 0 {
			continue
		}
		fmt.Printf("\n%s, %s:\n", s.title, name)
		c.print()
		for _, k := range kPrimes {
			c.paired(orderName(k), notReranked)
		}
	}
	if len(got) == 0 {
		return
	}
	fmt.Println("\n| k′ | processor ms of the reranker a query, p50 | p95 | bytes of text it saw, mean | the search itself, p50 |\n|---|---|---|---|---|")
	for _, k := range kPrimes {
		var cpu, own []float64
		var size int
		for _, r := range got {
			cpu = append(cpu, float64(r.Server[k].Microseconds())/1000)
			own = append(own, float64(r.Own.Microseconds())/1000)
			size += r.Bytes[k]
		}
		fmt.Printf("| %d | %.0f | %.0f | %d | %.1f |\n", k, stats.Quantile(cpu, 0.5), stats.Quantile(cpu, 0.95), size/len(got), stats.Quantile(own, 0.5))
	}
}

// tick is the unit of processor time in /proc.
const tick = 10 * time.Millisecond

// processTime is the processor time of a process until now; 0 for process 0.
func processTime(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(b)
}

// parseStat reads user and system time from a process's stat line, whose
// second field is a name that may hold anything.
func parseStat(b []byte) (time.Duration, error) {
	at := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[at+1:]))
	if at < 0 || len(fields) < 13 {
		return 0, fmt.Errorf("%q tells no times", b)
	}
	var n int64
	for _, f := range fields[11:13] {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		n += v
	}
	return time.Duration(n) * tick, nil
}
