package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// benchLatency times process start to first answer, then warm queries in one
// process. The repository's HEAD must have been compiled into the default store
// before.
func benchLatency(repo, queryFile string, runs int) error {
	sets, err := querySets(repo, queryFile)
	if err != nil {
		return err
	}
	first := sets[0].queries[0]
	for _, c := range []struct {
		name string
		args []string
	}{
		{"start: hybrid", []string{"search", "--route", "hybrid", first}},
		{"start: lexical", []string{"search", "--route", "lexical", first}},
		{"start: grep literal", []string{"grep", "-F", "raise ", "-k", "10"}},
	} {
		for _, commit := range [][]string{nil, {"--commit", "HEAD"}} {
			args := append(append(slices.Clone(c.args), "--repo", repo, "--quiet"), commit...)
			times, cpu, err := starts(args, runs)
			if err != nil {
				return err
			}
			fmt.Printf("| %s %s | wall: %s | processor: %s |\n", c.name, strings.Join(commit, " "), quantiles(times), quantiles(cpu))
		}
	}
	for _, set := range sets {
		for _, route := range []string{"lexical", "semantic", "hybrid"} {
			times, err := warm(repo, route, set.queries)
			if err != nil {
				return err
			}
			fmt.Printf("| warm: %s, %s | %s |\n", set.name, route, quantiles(times))
		}
	}
	return nil
}

// querySet is a list of questions of one form.
type querySet struct {
	name    string
	queries []string
}

// querySets returns the questions of a file of JSON lines, or sets made from
// the messages of a repository's newest commits: words that people wrote about
// this code.
func querySets(repo, file string) ([]querySet, error) {
	if file == "" {
		return messageQueries(repo)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := querySet{name: file}
	for _, line := range bytes.Split(b, []byte("\n")) {
		var q struct{ Query string }
		if json.Unmarshal(line, &q) == nil && q.Query != "" {
			set.queries = append(set.queries, q.Query)
		}
	}
	if len(set.queries) == 0 {
		return nil, fmt.Errorf("%s holds no query", file)
	}
	return []querySet{set}, nil
}

// Sizes of the sets that messageQueries makes.
const (
	messages  = 400
	subjects  = 200
	issueSize = 4096 // bytes of a long question
	issues    = 16
)

// messageQueries makes three sets of the newest commits' messages: their
// subjects; two to four words of each, in order, without numbers and the words
// that only hold a sentence together; and texts as long as an issue, of one
// message after another.
func messageQueries(repo string) ([]querySet, error) {
	out, err := exec.Command("git", "-C", repo, "log", "-n", strconv.Itoa(messages), "--no-merges", "-z", "--format=%B").Output()
	if err != nil {
		return nil, err
	}
	var short, whole, long []string
	var text strings.Builder
	for i, m := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		subject, _, _ := strings.Cut(m, "\n")
		if len(whole) < subjects && len(strings.Fields(subject)) >= 3 {
			whole = append(whole, subject)
			if words := contentWords(subject); len(words) >= 2 {
				short = append(short, strings.Join(words[:min(len(words), 2+i%3)], " "))
			}
		}
		if text.WriteString(m); text.Len() >= issueSize && len(long) < issues {
			long = append(long, strings.ToValidUTF8(text.String()[:issueSize], ""))
			text.Reset()
		}
	}
	if len(short) == 0 {
		return nil, fmt.Errorf("%s has no commit subjects of three words", repo)
	}
	sets := []querySet{{"two to four words", short}, {"subjects of commits", whole}}
	if len(long) > 0 {
		sets = append(sets, querySet{"4 kB of messages", long})
	}
	return sets, nil
}

// contentWords returns the words of a subject that are not there for grammar,
// for the form of a message, or to count.
func contentWords(subject string) []string {
	const idle = " a an and as at be by for from in into is it its not of on or that the this to when with without " +
		"add added adds fix fixed fixes made make makes remove removed removes refs update updated updates use used uses "
	words := strings.FieldsFunc(subject, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
	})
	return slices.DeleteFunc(words, func(w string) bool {
		w = strings.Trim(w, "._")
		return len(w) < 2 || !strings.ContainsFunc(w, unicode.IsLetter) || strings.Contains(idle, " "+strings.ToLower(w)+" ")
	})
}

// starts runs the program several times, after one run that does not count, and
// returns how long each took and how much processor time.
func starts(args []string, runs int) (out, cpu []time.Duration, err error) {
	for i := range runs + 1 {
		cmd := exec.Command(program(), args...)
		cmd.Stderr = os.Stderr
		begun := time.Now()
		if err := cmd.Run(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		if i > 0 {
			out = append(out, time.Since(begun))
			cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	return out, cpu, nil
}

// warm sends all queries twice to one process and keeps the second round.
func warm(repo, route string, queries []string) ([]time.Duration, error) {
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for round := range 2 {
		for _, q := range queries {
			if err := e.Encode(map[string]any{"id": round, "query": q}); err != nil {
				return nil, err
			}
		}
	}
	cmd := exec.Command(program(), "search", "--batch", "-", "--route", route, "--json", "--repo", repo, "--quiet", "--no-compile")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var out []time.Duration
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var r struct {
			ID     int   `json:"id"`
			TookUS int64 `json:"took_us"`
		}
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			return nil, err
		}
		if r.ID == 1 {
			out = append(out, time.Duration(r.TookUS)*time.Microsecond)
		}
	}
	return out, scan.Err()
}

func quantiles(d []time.Duration) string {
	slices.Sort(d)
	at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000 }
	return fmt.Sprintf("min %.2f ms, p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, n %d", at(0), at(0.5), at(0.95), at(0.99), len(d))
}
