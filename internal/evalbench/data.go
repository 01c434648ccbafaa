// Command evalbench measures and trains the ranking on the evaluation data, and
// measures what bundles of it are worth.
//
//	go run ./internal/evalbench eval   -data DIR -mirrors DIR -work DIR
//	    studies every query, trains with repositories held out, prints the tables
//	go run ./internal/evalbench ablate -data DIR -work DIR
//	    the same without one group of features after another, hybrid route
//	go run ./internal/evalbench worst  -data DIR -work DIR
//	    the queries that held-out models answer worst, with what stands where
//	go run ./internal/evalbench experiment -data DIR -work DIR
//	    the structural route against the one that its seeds come from
//	go run ./internal/evalbench export -data DIR -work DIR
//	    trains on everything and writes query/model_table.go
//	go run ./internal/evalbench bundles -set loc -data DIR -mirrors DIR -work DIR
//	    makes bundles for every issue at four budgets, and those of baselines with
//	    as many tokens, and prints how much of the fix they show
//	go run ./internal/evalbench explore -set loc -n 100 -data DIR -mirrors DIR -work DIR
//	    walks through issues by script, with grep and with pindex, until every
//	    file of the fix was read; what histories hold; eager with units cut short
//	go run ./internal/evalbench verbatim -set loc -n 1000 -data DIR -mirrors DIR -work DIR
//	    makes bundles of twenty repositories, by every policy and in every form,
//	    and holds each line against git's blob
//	go run ./internal/evalbench latency -set loc -n 20 -ids FILE -data DIR -mirrors DIR -work DIR
//	    the processor time of bundles
//	go run ./internal/evalbench vectors -set loc -n 60 -per 5 -data DIR -mirrors DIR -work DIR
//	    writes the vectors of the questions and of their indexes for internal/annbench
//	go run ./internal/evalbench peer -set semble -data DIR -mirrors DIR -work DIR -peer NAME -program FILE
//	    checks each queried folder out, lets a peer (codegraph, semble) answer its
//	    queries, and prints its scores beside those of pindex with the repository
//	    held out, which needs the features that eval leaves; what was answered is kept
//	go run ./internal/evalbench rerank -set semble -n 65 -per 5 -files 300 -data DIR -mirrors DIR -work DIR -rerank URL -pid N
//	    the first 30, 50 and 100 results in the order of a reranker beside pindex's
//	    own, on a sample of the queries, with the processor time of process N
//
// DIR of -data has the folders semble and loc, DIR of -mirrors bare clones
// named owner+name/repo, owner/name.git or owner/name. -work keeps packs by the
// keys of their partitions and the features of every candidate, so that a
// commit costs what it does not share with the ones before. -set and -ids
// narrow the queries.
//
// A query's score is of the order that a model gives which has seen no query of
// its repository. Means over repositories come first, with a 95% interval from
// 2000 draws of repositories, then means over queries.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// task is one query with what a good answer holds.
type task struct {
	ID       string // unique over both sets
	Set      string // "semble" or "loc"
	Repo     string // what folds and macro averages go by
	Mirror   string // owner/name of the clone that has the commit
	Commit   string
	Query    string
	Glob     string // what the query is restricted to; "" for all
	Category string // semble: symbol, semantic or architecture; loc: swebench or git
	Language string
	Named    bool     // loc: the text names a wanted file's path
	Targets  []target // semble: each worth 1; loc: wanted files and, with lines, changed runs
	Files    []string // loc: wanted files
}

// target is a file, or a run of its lines.
type target struct {
	Path       string
	Start, End int // 0 where the whole file is meant
}

func (t *target) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Path)
	}
	var v struct {
		Path  string `json:"path"`
		Start int    `json:"start_line"`
		End   int    `json:"end_line"`
	}
	err := json.Unmarshal(b, &v)
	*t = target{v.Path, v.Start, v.End}
	return err
}

// overlaps reports whether lines start to end of path touch the target.
func (t *target) overlaps(path string, start, end int) bool {
	if !samePath(path, t.Path) {
		return false
	}
	return t.Start == 0 || t.End == 0 || start <= t.End && end >= t.Start
}

func samePath(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// readTasks reads the semble side ("semble"), the localisation side ("loc")
// or both ("all") of the evaluation data in dir.
func readTasks(dir, which string) ([]task, error) {
	var out []task
	if which == "semble" || which == "all" {
		ts, err := readSemble(filepath.Join(dir, "semble"))
		if err != nil {
			return nil, err
		}
		out = append(out, ts...)
	}
	if which == "loc" || which == "all" {
		ts, err := readLoc(filepath.Join(dir, "loc"))
		if err != nil {
			return nil, err
		}
		out = append(out, ts...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no set %q in %s", which, dir)
	}
	return out, nil
}

func readSemble(dir string) ([]task, error) {
	var repos []struct {
		Name       string `json:"name"`
		Language   string `json:"language"`
		Root       string `json:"benchmark_root"`
		Repository string `json:"repository"`
		Revision   string `json:"revision"`
	}
	if err := readJSON(filepath.Join(dir, "repos.json"), &repos); err != nil {
		return nil, err
	}
	var out []task
	for _, r := range repos {
		var items []struct {
			Query     string   `json:"query"`
			Category  string   `json:"category"`
			Relevant  []target `json:"relevant"`
			Secondary []target `json:"secondary"`
		}
		if err := readJSON(filepath.Join(dir, "annotations", r.Name+".json"), &items); err != nil {
			return nil, err
		}
		glob := ""
		if r.Root != "" {
			glob = strings.TrimRight(r.Root, "/") + "/**"
		}
		for i, it := range items {
			cat := it.Category
			switch {
			case cat != "":
			case !strings.Contains(strings.TrimSpace(it.Query), " "):
				cat = "symbol"
			case strings.HasPrefix(strings.ToLower(it.Query), "how "):
				cat = "architecture"
			default:
				cat = "semantic"
			}
			out = append(out, task{
				ID: fmt.Sprintf("semble/%s/%d", r.Name, i), Set: "semble", Repo: r.Name, Mirror: r.Repository, Commit: r.Revision,
				Query: it.Query, Glob: glob, Category: cat, Language: r.Language, Targets: append(it.Relevant, it.Secondary...),
			})
		}
	}
	return out, nil
}

func readLoc(dir string) ([]task, error) {
	f, err := os.Open(filepath.Join(dir, "instances.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []task
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var v struct {
			ID        string   `json:"instance_id"`
			Repo      string   `json:"repo"`
			Commit    string   `json:"base_commit"`
			Text      string   `json:"problem_statement"`
			Gold      []string `json:"gold_files"`
			Lines     [][3]any `json:"gold_lines"`
			Source    string   `json:"source"`
			Sets      []string `json:"sets"`
			Language  string   `json:"language"`
			Available bool     `json:"available"`
			Mirror    string   `json:"mirror"`
			Named     bool     `json:"path_in_text"`
		}
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			return nil, err
		}
		if !v.Available {
			continue
		}
		t := task{
			ID: "loc/" + v.ID, Set: "loc", Repo: v.Repo, Mirror: v.Mirror, Commit: v.Commit, Query: v.Text,
			Category: "swebench", Language: v.Language, Named: v.Named, Files: v.Gold,
		}
		if slices.Contains(v.Sets, "git") {
			t.Category = "git"
		}
		for _, l := range v.Lines {
			path, _ := l[0].(string)
			a, _ := l[1].(float64)
			b, _ := l[2].(float64)
			t.Targets = append(t.Targets, target{path, int(a), int(b)})
		}
		out = append(out, t)
	}
	return out, scan.Err()
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// commits groups tasks by the commit that they ask about, in an order in which
// neighbours share most of their files: by clone, then as given.
func commits(tasks []task) [][]task {
	type key struct{ mirror, commit string }
	at := map[key]int{}
	var out [][]task
	for _, t := range tasks {
		k := key{t.Mirror, t.Commit}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], t)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i][0].Mirror < out[j][0].Mirror })
	return out
}

// clone returns the git directory of a repository below root.
func clone(root, repo string) string {
	for _, p := range []string{strings.Replace(repo, "/", "+", 1) + "/repo", repo + ".git", repo} {
		if st, err := os.Stat(filepath.Join(root, p)); err == nil && st.IsDir() {
			return filepath.Join(root, p)
		}
	}
	return ""
}
