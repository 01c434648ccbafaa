package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/stats"
)

const (
	gate = -0.05
	// fewSnapshots is the number below which an interval says little.
	fewSnapshots = 10
)

// row is one question with the figures of each arm.
type row struct {
	snapshot string
	recall   map[string]float64
	tokens   map[string]float64
}

func rowsOf(qs []question, all []trajectory) ([]row, error) {
	var out []row
	for i := range qs {
		r := row{qs[i].snapshot(), map[string]float64{}, map[string]float64{}}
		for k := range all {
			if t := &all[k]; t.ID == qs[i].ID {
				r.recall[t.Arm], r.tokens[t.Arm] = t.Recall, float64(t.tokens())
			}
		}
		for _, arm := range arms {
			if _, ok := r.recall[arm]; !ok {
				return nil, fmt.Errorf("%s has no trajectory of %s", qs[i].ID, arm)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// estimate is a figure with its 95% interval.
type estimate struct{ at, low, high float64 }

func (e estimate) String() string { return fmt.Sprintf("%.3f (%.3f to %.3f)", e.at, e.low, e.high) }

// bootstrap estimates a figure of rows from samples of whole snapshots, drawn
// with a fixed seed.
func bootstrap(rows []row, figure func([]row) float64) estimate {
	var names []string
	clusters := map[string][]row{}
	for _, r := range rows {
		if clusters[r.snapshot] == nil {
			names = append(names, r.snapshot)
		}
		clusters[r.snapshot] = append(clusters[r.snapshot], r)
	}
	slices.Sort(names)
	low, high := stats.Interval(stats.Bootstrap(len(names), rand.New(rand.NewPCG(1, 2)), func(drawn []int) (float64, bool) {
		var of []row
		for _, i := range drawn {
			of = append(of, clusters[names[i]]...)
		}
		return figure(of), true
	}))
	return estimate{figure(rows), low, high}
}

func meanOf(rows []row, of func(*row) float64) float64 {
	sum := 0.0
	for i := range rows {
		sum += of(&rows[i])
	}
	return sum / float64(len(rows))
}

func recallOf(arm string) func([]row) float64 {
	return func(rows []row) float64 { return meanOf(rows, func(r *row) float64 { return r.recall[arm] }) }
}

func tokensOf(arm string) func([]row) float64 {
	return func(rows []row) float64 { return meanOf(rows, func(r *row) float64 { return r.tokens[arm] }) }
}

// recallGain is how much better an arm answers than another one.
func recallGain(arm, than string) func([]row) float64 {
	return func(rows []row) float64 { return recallOf(arm)(rows) - recallOf(than)(rows) }
}

// tokenShare is what an arm costs as a share of another one.
func tokenShare(arm, of string) func([]row) float64 {
	return func(rows []row) float64 { return tokensOf(arm)(rows) / tokensOf(of)(rows) }
}

// verdict is what the figures come to.
type verdict struct {
	passes   map[string]bool
	cheapest string // of the arms that pass
	best     string // in recall; of equals the cheaper one
}

func judge(rows []row) verdict {
	v := verdict{passes: map[string]bool{}}
	for _, arm := range arms {
		v.passes[arm] = arm == armGrep || bootstrap(rows, recallGain(arm, armGrep)).low >= gate
		if v.passes[arm] && (v.cheapest == "" || tokensOf(arm)(rows) < tokensOf(v.cheapest)(rows)) {
			v.cheapest = arm
		}
		if v.best == "" || recallOf(arm)(rows) > recallOf(v.best)(rows) ||
			recallOf(arm)(rows) == recallOf(v.best)(rows) && tokensOf(arm)(rows) < tokensOf(v.best)(rows) {
			v.best = arm
		}
	}
	return v
}

func report(w io.Writer, qs []question, all []trajectory) error {
	rows, err := rowsOf(qs, all)
	if err != nil {
		return err
	}
	snapshots := map[string]bool{}
	for _, r := range rows {
		snapshots[r.snapshot] = true
	}
	fmt.Fprintf(w, "%s: %d questions of %d snapshots; intervals of 95%% by %d samples of whole snapshots\n", all[0].Model, len(rows), len(snapshots), stats.Draws)
	if len(snapshots) < fewSnapshots {
		fmt.Fprintf(w, "fewer than %d snapshots: the intervals say little\n", fewSnapshots)
	}
	if slices.ContainsFunc(all, func(t trajectory) bool { return t.Counted }) {
		fmt.Fprintf(w, "the server does not count tokens; they are counted by %s\n", bundle.Counter)
	}
	fmt.Fprintln(w, "\n| arm | AnswerRecall@5 | tokens of a trajectory | turns | calls | rewritten | without an answer | recall against grep | tokens against grep | gate |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	v := judge(rows)
	for _, arm := range arms {
		var turns, calls, rewritten, none float64
		for i := range all {
			if t := &all[i]; t.Arm == arm {
				turns, calls, rewritten = turns+float64(t.Turns), calls+float64(t.Calls), rewritten+float64(t.Rewritten)
				if len(t.Answer) == 0 {
					none++
				}
			}
		}
		n := float64(len(rows))
		tok := bootstrap(rows, tokensOf(arm))
		passes := map[bool]string{true: "passes", false: "fails"}[v.passes[arm]]
		fmt.Fprintf(w, "| %s | %s | %.0f (%.0f to %.0f) | %.1f | %.1f | %.0f%% | %.0f%% | %s | %s | %s |\n", arm,
			bootstrap(rows, recallOf(arm)), tok.at, tok.low, tok.high, turns/n, calls/n, 100*rewritten/n, 100*none/n,
			bootstrap(rows, recallGain(arm, armGrep)), bootstrap(rows, tokenShare(arm, armGrep)), passes)
	}
	fmt.Fprintf(w, "\ncheapest arm that passes the gate of %.2f: %s\nbest recall: %s\n", gate, v.cheapest, v.best)
	fmt.Fprintf(w, "retention (eager against compact, the only pair that differs in it alone): recall %s, tokens %s\n",
		bootstrap(rows, recallGain(armEager, armCompact)), bootstrap(rows, tokenShare(armEager, armCompact)))
	return nil
}
