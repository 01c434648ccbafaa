package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// asked is how many declarations and how many questions replay asks for.
const asked = 8

// replay opens a commit's index in two stores, each with a cache of its own,
// and compares what they say: the multiset of all declarations and bound uses,
// then definitions and references of some declarations, then the first twenty
// results of some questions on every route, in order. It returns the first
// difference; "" when there is none.
func (b *bench) replay(r *rand.Rand, commit, one, two string) (string, error) {
	ask := func(store string, input []byte, args ...string) ([]byte, error) {
		cache := filepath.Join(b.dir, "replay-"+filepath.Base(store))
		cmd := exec.Command(program(), append(args, "--repo", b.repo, "--commit", commit, "--store", store, "--quiet", "--no-compile")...)
		cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+cache)
		if b.embedder != "" {
			cmd.Env = append(cmd.Env, "PINDEX_EMBEDDER="+b.embedder)
		}
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
			err = nil // nothing found, which is an answer
		}
		if err != nil {
			return nil, fmt.Errorf("pindex %s: %w", strings.Join(args, " "), err)
		}
		return took.ReplaceAll(bytes.ReplaceAll(out, []byte(store), nil), nil), nil
	}
	defer func() {
		for _, store := range []string{one, two} {
			os.RemoveAll(filepath.Join(b.dir, "replay-"+filepath.Base(store)))
		}
	}()
	both := func(input []byte, args ...string) ([]byte, bool, error) {
		x, err := ask(one, input, args...)
		if err != nil {
			return nil, false, err
		}
		y, err := ask(two, input, args...)
		return x, bytes.Equal(x, y), err
	}

	facts := make([][]string, 2)
	for i, store := range []string{one, two} {
		out, err := ask(store, nil, "export", "--jsonl", "--heuristic")
		if err != nil {
			return "", err
		}
		facts[i] = strings.Split(strings.TrimSpace(string(out)), "\n")
		slices.Sort(facts[i])
	}
	if !slices.Equal(facts[0], facts[1]) {
		return "the declarations and uses differ", nil
	}
	var names []string
	for _, line := range facts[0] {
		var fact struct{ Type, Path, Name string }
		if json.Unmarshal([]byte(line), &fact) == nil && fact.Type == "unit" && fact.Name != "" && fact.Path != "" {
			names = append(names, fact.Path+":"+fact.Name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("the export of %s declares nothing", commit)
	}
	var batch bytes.Buffer
	for i := range asked {
		name := names[r.IntN(len(names))]
		for _, command := range []string{"def", "refs"} {
			if _, same, err := both(nil, command, name, "--json"); err != nil || !same {
				return command + " " + name + " differs", err
			}
		}
		words := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("/:._#()", c) })
		for _, route := range []string{"lexical", "semantic", "hybrid"} {
			line, err := json.Marshal(map[string]any{"id": strconv.Itoa(i) + route, "query": strings.Join(words, " "), "k": 20, "route": route})
			if err != nil {
				return "", err
			}
			batch.Write(append(line, '\n'))
		}
	}
	answers, same, err := both(batch.Bytes(), "search", "--batch", "-", "--json")
	if err != nil {
		return "", err
	}
	if !same {
		return "the order of search results differs", nil
	}
	if n := bytes.Count(answers, []byte("\n")); n < 3*asked {
		return "", fmt.Errorf("%d answers to %d questions", n, 3*asked)
	}
	return "", nil
}

// took is what an answer says of its own time.
var took = regexp.MustCompile(`"took_us":[0-9]+,?`)

// touched is the share of a commit's bytes that lie in files which differ from
// its parent's: what replacing whole files would have to do.
func touched(repo, parent, commit string) (float64, error) {
	sizes := map[string]int64{}
	var all, changed int64
	list, err := git(repo, "ls-tree", "-r", "-z", "-l", commit)
	if err != nil {
		return 0, err
	}
	for entry := range strings.SplitSeq(list, "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 || f[1] != "blob" {
			continue
		}
		n, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			continue // a partial clone lacks it
		}
		sizes[path] = n
		all += n
	}
	names, err := git(repo, "diff-tree", "-r", "-z", "--name-only", "--no-renames", parent, commit)
	if err != nil {
		return 0, err
	}
	for name := range strings.SplitSeq(names, "\x00") {
		changed += sizes[name]
	}
	if all == 0 {
		return 0, nil
	}
	return float64(changed) / float64(all), nil
}
