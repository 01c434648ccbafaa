package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/stats"
)

// latency prints what bundles cost in processor time, one after another in one
// process: of each issue the first, with an index that nothing was asked of,
// and a second.
func latency(ctx context.Context, tasks []task, mirrors, work string) error {
	type kind struct{ policy, when string }
	var kinds []kind
	took := map[kind][]time.Duration{}
	for i := range tasks {
		t := &tasks[i]
		for _, policy := range []string{bundle.Files, bundle.Eager} {
			e, err := engine(ctx, mirrors, t.Mirror, t.Commit, work)
			if err != nil {
				return err
			}
			for _, when := range []string{"first", "second"} {
				begun := stats.CPU()
				p, err := bundle.NewPlan(ctx, e, bundle.Options{Query: t.Query, Policy: policy})
				if fail.CodeOf(err) == fail.NotFound {
					continue
				}
				if err != nil {
					return err
				}
				if _, _, err := p.Fit(ctx, 13_800, bundle.Markdown); err != nil {
					return err
				}
				k := kind{policy, when}
				if took[k] == nil {
					kinds = append(kinds, k)
				}
				took[k] = append(took[k], stats.CPU()-begun)
			}
		}
	}
	fmt.Println("| policy | bundle | n | processor time, median | 95% |")
	fmt.Println("|---|---|---|---|---|")
	for _, k := range kinds {
		d := slices.Sorted(slices.Values(took[k]))
		fmt.Printf("| %s | %s | %d | %v | %v |\n", k.policy, k.when, len(d), d[len(d)/2].Round(time.Millisecond), d[len(d)*95/100].Round(time.Millisecond))
	}
	return nil
}
