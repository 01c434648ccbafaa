package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

type input struct{ dir, file string }

type scoreOptions struct {
	Show   int
	Filter string
	NoRefs bool
	Flags  []string // of the compile
	Inputs []input
}

// score compares our answers with the oracles' and prints what came out.
func score(ctx context.Context, w io.Writer, o scoreOptions) error {
	byLang := map[string][]*verdict{}
	silentOracle, failed := map[string]int{}, map[string]int{}
	var loads []string
	for _, in := range o.Inputs {
		rs, err := readRecords(in.file)
		if err != nil {
			return err
		}
		c, err := openCheckout(in.dir, "")
		if err != nil {
			return err
		}
		if rs[0].Commit != c.commit {
			return fmt.Errorf("%s is of commit %s, and %s is at %s", in.file, rs[0].Commit, in.dir, c.commit)
		}
		x, err := buildIndex(ctx, c, o.Flags)
		if err != nil {
			return err
		}
		loads = append(loads, fmt.Sprintf("| %s, %s | %d | %d | %.0f |", rs[0].Repo, rs[0].Oracle, rs[0].StartMS, rs[0].WarmMS, float64(x.load.Microseconds())/1000))
		unknown := map[string]bool{}
		for _, f := range rs[0].Unknown {
			unknown[f] = true
		}
		for _, r := range rs {
			switch {
			case unknown[r.Path]:
			case r.Error != "":
				failed[r.Lang]++
			case !r.Answered:
				silentOracle[r.Lang]++
			default:
				v, err := judge(ctx, x.engine, r, !o.NoRefs, unknown)
				if err != nil {
					return errors.Join(err, x.close())
				}
				if v.local, err = x.local(&r); err != nil {
					return errors.Join(err, x.close())
				}
				byLang[r.Lang] = append(byLang[r.Lang], v)
			}
		}
		if err := x.close(); err != nil {
			return err
		}
	}
	for _, lang := range slices.Sorted(maps.Keys(byLang)) {
		vs := byLang[lang]
		fmt.Fprintf(w, "\n## %s\n\n", lang)
		fmt.Fprintf(w, "%d positions have an answer; the oracle knows none at %d and failed at %d\n\n", len(vs), silentOracle[lang], failed[lang])
		summary(w, vs, !o.NoRefs)
		breakdown(w, vs)
		classes(w, vs, o)
	}
	fmt.Fprintf(w, "\n| | server start, ms | server warm-up, ms | our load, ms |\n|---|--:|--:|--:|\n%s\n", strings.Join(loads, "\n"))
	return nil
}

// metric is a ratio over positions.
type metric struct {
	name string
	add  func(v *verdict) (num, den float64)
}

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var defMetrics = []metric{
	{"definition agreement", func(v *verdict) (float64, float64) { return count(v.inTree() && v.agree), count(v.inTree()) }},
	{"definition agreement, names local to a callable", func(v *verdict) (float64, float64) {
		return count(v.local && v.agree), count(v.local)
	}},
	{"definition agreement, all others", func(v *verdict) (float64, float64) {
		return count(!v.local && v.inTree() && v.agree), count(!v.local && v.inTree())
	}},
	{"precision of given definitions", func(v *verdict) (float64, float64) { return float64(v.right), float64(v.given) }},
	{"precision, candidates left out", func(v *verdict) (float64, float64) {
		if v.binding == "ambiguous" {
			return 0, 0
		}
		return float64(v.right), float64(v.given)
	}},
	{"said unresolved", func(v *verdict) (float64, float64) {
		return count(v.inTree() && v.binding == "unresolved"), count(v.inTree())
	}},
	{"said ambiguous", func(v *verdict) (float64, float64) {
		return count(v.inTree() && v.binding == "ambiguous"), count(v.inTree())
	}},
	{"no name there", func(v *verdict) (float64, float64) {
		return count(v.inTree() && v.binding == silent), count(v.inTree())
	}},
	{"outside the tree: not bound inside", func(v *verdict) (float64, float64) {
		return count(!v.inTree() && v.given == 0), count(!v.inTree())
	}},
}

var refMetrics = []metric{
	{"reference set agreement", func(v *verdict) (float64, float64) { return count(v.inTree() && v.refAgree), count(v.inTree()) }},
	{"reference precision", func(v *verdict) (float64, float64) { return float64(v.refRight), float64(v.refGiven) }},
	{"reference recall", func(v *verdict) (float64, float64) { return float64(v.refFound), float64(v.refWant) }},
	{"reference F1, mean of positions", func(v *verdict) (float64, float64) {
		if !v.inTree() {
			return 0, 0
		}
		return v.f1(), 1
	}},
}

// microF1 is the F1 of the pooled precision and recall.
func microF1(vs []*verdict) float64 {
	var given, right, want, found int
	for _, v := range vs {
		given, right, want, found = given+v.refGiven, right+v.refRight, want+v.refWant, found+v.refFound
	}
	p, r := share(right, given), share(found, want)
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func summary(w io.Writer, vs []*verdict, refs bool) {
	metrics := slices.Clone(defMetrics)
	if refs {
		metrics = append(metrics, refMetrics...)
	}
	repos := []string{}
	for _, v := range vs {
		if !slices.Contains(repos, v.Repo) {
			repos = append(repos, v.Repo)
		}
	}
	fmt.Fprintf(w, "| | %s | all | 95%% | n |\n|---|%s--:|--:|--:|\n", strings.Join(repos, " | "), strings.Repeat("--:|", len(repos)))
	row := func(name string, of func([]*verdict) (float64, float64)) {
		fmt.Fprintf(w, "| %s |", name)
		for _, repo := range repos {
			num, den := of(slices.DeleteFunc(slices.Clone(vs), func(v *verdict) bool { return v.Repo != repo }))
			fmt.Fprintf(w, " %s |", percent(num, den))
		}
		num, den := of(vs)
		lo, hi := interval(vs, of)
		fmt.Fprintf(w, " %s | %.1f to %.1f | %.0f |\n", percent(num, den), 100*lo, 100*hi, den)
	}
	for _, m := range metrics {
		row(m.name, func(vs []*verdict) (num, den float64) {
			for _, v := range vs {
				n, d := m.add(v)
				num, den = num+n, den+d
			}
			return num, den
		})
	}
	if refs {
		row("reference F1, pooled", func(vs []*verdict) (float64, float64) {
			n := 0.0
			for _, v := range vs {
				n += float64(v.refWant)
			}
			return microF1(vs) * n, n
		})
	}
	if refs {
		row("reference F1, pooled, names local to a callable left out", func(vs []*verdict) (float64, float64) {
			vs = slices.DeleteFunc(slices.Clone(vs), func(v *verdict) bool { return v.local })
			n := 0.0
			for _, v := range vs {
				n += float64(v.refWant)
			}
			return microF1(vs) * n, n
		})
	}
	for _, s := range []string{"occ", "ident"} {
		n, ok := 0, 0
		for _, v := range vs {
			if v.Sample == s && v.inTree() {
				n++
				if v.agree {
					ok++
				}
			}
		}
		fmt.Fprintf(w, "\ndefinition agreement on the %s sample: %s of %d", s, percent(float64(ok), float64(n)), n)
	}
	fmt.Fprintln(w)
	latency(w, vs)
}

func percent(num, den float64) string {
	if den == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*num/den)
}

// latency compares the times of answers that are equal.
func latency(w io.Writer, vs []*verdict) {
	for _, q := range []struct {
		name string
		of   func(*verdict) (ours, theirs int64, ok bool)
	}{
		{"definitions", func(v *verdict) (int64, int64, bool) { return v.defUS, v.DefUS, v.inTree() && v.agree }},
		{"references", func(v *verdict) (int64, int64, bool) { return v.refsUS, v.RefsUS, v.inTree() && v.refAgree }},
	} {
		var ours, theirs []int64
		for _, v := range vs {
			if a, b, ok := q.of(v); ok {
				ours, theirs = append(ours, a), append(theirs, b)
			}
		}
		if len(ours) == 0 {
			continue
		}
		var sumA, sumB int64
		for i := range ours {
			sumA, sumB = sumA+ours[i], sumB+theirs[i]
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		n := len(ours)
		fmt.Fprintf(w, "latency of %d equal %s: median %d us against %d us of the oracle, ratio of sums %.1f, saving %.1f ms each\n",
			n, q.name, ours[n/2], theirs[n/2], float64(sumB)/float64(max(sumA, 1)), float64(sumB-sumA)/1000/float64(n))
	}
}

// breakdown prints definitions by provenance and by rule.
func breakdown(w io.Writer, vs []*verdict) {
	type sums struct{ n, agree, given, right int }
	table := func(title string, key func(*verdict) string) {
		by := map[string]*sums{}
		for _, v := range vs {
			k := key(v)
			if by[k] == nil {
				by[k] = &sums{}
			}
			s := by[k]
			s.n, s.agree, s.given, s.right = s.n+1, s.agree+int(count(v.agree)), s.given+v.given, s.right+v.right
		}
		keys := slices.Collect(maps.Keys(by))
		slices.SortFunc(keys, func(a, b string) int {
			if n := (by[b].given - by[b].right) - (by[a].given - by[a].right); n != 0 {
				return n
			}
			if n := by[b].n - by[a].n; n != 0 {
				return n
			}
			return strings.Compare(a, b)
		})
		fmt.Fprintf(w, "\n| %s | n | sets agree | given | wrong | precision |\n|---|--:|--:|--:|--:|--:|\n", title)
		for _, k := range keys {
			s := by[k]
			fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %s |\n", k, s.n, percent(float64(s.agree), float64(s.n)), s.given, s.given-s.right, percent(float64(s.right), float64(s.given)))
		}
	}
	table("provenance", func(v *verdict) string {
		if v.provenance == "" || v.binding != "bound" {
			return string(v.binding)
		}
		return string(v.provenance)
	})
	table("rule", func(v *verdict) string { return string(v.binding) + ": " + v.rule })
}

// classes prints the misses by class, with examples.
func classes(w io.Writer, vs []*verdict, o scoreOptions) {
	list := func(title string, class func(*verdict) string, describe func(*verdict) string) {
		by := map[string][]*verdict{}
		for _, v := range vs {
			if c := class(v); c != "" {
				if v.local {
					c += ", local"
				}
				by[c] = append(by[c], v)
			}
		}
		keys := slices.Collect(maps.Keys(by))
		slices.SortFunc(keys, func(a, b string) int {
			if n := len(by[b]) - len(by[a]); n != 0 {
				return n
			}
			return strings.Compare(a, b)
		})
		fmt.Fprintf(w, "\n| %s | n |\n|---|--:|\n", title)
		for _, k := range keys {
			fmt.Fprintf(w, "| %s | %d |\n", k, len(by[k]))
		}
		if o.Show == 0 {
			return
		}
		for _, k := range keys {
			shown := 0
			for _, v := range by[k] {
				if text := k + " " + v.rule + " " + v.Name + " " + v.Path; o.Filter != "" && !strings.Contains(text, o.Filter) {
					continue
				}
				if shown++; shown > o.Show {
					break
				}
				if shown == 1 {
					fmt.Fprintf(w, "\n### %s: %s (%d)\n", title, k, len(by[k]))
				}
				fmt.Fprintf(w, "%s %s:%d:%d %s\n    %s\n", v.Repo, v.Path, v.Line, v.Col, v.Name, describe(v))
			}
		}
	}
	list("misses of definitions", func(v *verdict) string { return v.class }, func(v *verdict) string {
		want := fmt.Sprint(capped(v.Def, maxDefs))
		if !v.inTree() {
			want = "outside the tree"
		}
		return fmt.Sprintf("ours %v, %s %s [%s]; oracle %s", capped(v.ours, 5), v.binding, v.provenance, v.rule, want)
	})
	if o.NoRefs {
		return
	}
	list("misses of references", func(v *verdict) string { return v.refClass }, func(v *verdict) string {
		var miss []string
		for _, p := range capped(v.missing, 5) {
			s := p.String()
			if b, ok := v.left[p]; ok {
				s += " (" + string(b) + ")"
			}
			miss = append(miss, s)
		}
		return fmt.Sprintf("of %d: %d missing %v, %d extra %v; definition %v by [%s], oracle's %v", v.refWant, len(v.missing), miss,
			len(v.extra), capped(v.extra, 5), capped(v.ours, 2), v.rule, capped(v.Def, 2))
	})
}
