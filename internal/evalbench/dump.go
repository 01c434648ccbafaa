package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query"
)

// sample is one query on one route, with what the ranker knows of each
// candidate and how good it is.
type sample struct {
	Task  task
	Class string
	Route string
	Free  bool // without the task's path filter; for training alone
	Files []query.StudiedFile

	Seeded []string            // structural route: order without edges
	Links  []query.StudiedLink // edges of the ten best units
}

// dump studies every task and writes the samples, a file for each commit.
func dump(ctx context.Context, groups [][]task, mirrors, work string, fresh bool) error {
	if err := os.MkdirAll(filepath.Join(work, "features"), 0o755); err != nil {
		return err
	}
	jobs := make(chan []task)
	var wg sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ts := range jobs {
				if err := dumpCommit(ctx, ts, mirrors, work, fresh); err != nil {
					fmt.Fprintln(os.Stderr, "FAILED", ts[0].Mirror, ts[0].Commit, err)
				}
			}
		})
	}
	for _, ts := range groups {
		jobs <- ts
	}
	close(jobs)
	wg.Wait()
	return nil
}

func dumpCommit(ctx context.Context, ts []task, mirrors, work string, fresh bool) error {
	out := filepath.Join(work, "features")
	name := filepath.Join(out, ts[0].Set+"-"+ts[0].Commit+".gob")
	if _, err := os.Stat(name); err == nil && !fresh {
		return nil
	}
	dir := clone(mirrors, ts[0].Mirror)
	if dir == "" {
		return errors.New("there is no clone of it")
	}
	start := time.Now()
	ix, final, err := index(ctx, dir, ts[0].Commit, work)
	if err != nil {
		return err
	}
	took := time.Since(start)
	start = time.Now()
	e := query.New(ix, query.Options{Model: func(artifact.ModelInfo) ([]byte, error) { return final.Model, nil }})
	var samples []sample
	for _, t := range ts {
		for _, route := range []string{query.RouteLexical, query.RouteHybrid, query.RouteStructural} {
			for _, free := range []bool{false, true} {
				if free && (t.Glob == "" || route == query.RouteStructural) {
					continue
				}
				o := query.SearchOptions{Query: t.Query, Route: route, PathGlob: t.Glob, K: 10}
				if free {
					o.PathGlob = ""
				}
				if t.Set == "loc" {
					o.K = 20
				}
				st, err := e.Study(ctx, o)
				if err != nil {
					return fmt.Errorf("%s: %w", t.ID, err)
				}
				samples = append(samples, sample{Task: t, Class: st.Class, Route: st.Route, Free: free, Files: st.Files, Seeded: st.Seeded, Links: st.Links})
			}
		}
	}
	f, err := os.CreateTemp(out, "tmp")
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(samples); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, ts[0].Mirror, ts[0].Commit, len(ts), "tasks, index", took.Round(time.Millisecond), "queries", time.Since(start).Round(time.Millisecond))
	return os.Rename(f.Name(), name)
}

// load reads the samples of the given commits; those that are not there are
// counted.
func load(groups [][]task, work string) (out []sample, missing int, err error) {
	for _, ts := range groups {
		f, err := os.Open(filepath.Join(work, "features", ts[0].Set+"-"+ts[0].Commit+".gob"))
		if err != nil {
			missing += len(ts)
			continue
		}
		var ss []sample
		err = gob.NewDecoder(f).Decode(&ss)
		f.Close()
		if err != nil {
			return nil, 0, err
		}
		out = append(out, ss...)
	}
	return out, missing, nil
}
