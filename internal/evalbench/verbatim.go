package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/query"
)

// blobs are a commit's files as git has them.
type blobs struct {
	ids    map[string]gitobj.ID
	reader git.BlobReader
}

// lines returns the lines of a file, each with its line feed.
func (b *blobs) lines(path string) ([][]byte, error) {
	text, err := b.text(path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines, nil
}

func (b *blobs) text(path string) ([]byte, error) {
	id, ok := b.ids[path]
	if !ok {
		return nil, fmt.Errorf("the commit has no file %q", path)
	}
	return b.reader.Read(id, nil)
}

func openBlobs(ctx context.Context, repo git.Repository, commit string) (*blobs, error) {
	id, err := repo.Resolve(ctx, commit)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Tree(ctx, id)
	if err != nil {
		return nil, err
	}
	b := &blobs{ids: map[string]gitobj.ID{}}
	for _, e := range entries {
		b.ids[e.Path] = e.ID
	}
	b.reader, err = repo.Blobs(ctx)
	return b, err
}

// given is a run of lines as a reader of a written bundle finds it: with text,
// or left out.
type given struct {
	path       string
	start, end int
	text       [][]byte // with their line feeds; nil where the lines are left out
}

// readBundle reads the written form of a bundle by the rules that its form
// promises, and by nothing else.
func readBundle(out []byte, f bundle.Format) ([]given, error) {
	switch f {
	case bundle.JSON:
		return readJSONBundle(out)
	case bundle.XML:
		return readTagged(out)
	}
	return readMarkdown(out)
}

func readJSONBundle(out []byte) (gs []given, err error) {
	var v struct {
		Files []struct {
			Path    string `json:"path"`
			PathB64 []byte `json:"path_b64"`
			Spans   []struct {
				Start   int    `json:"start_line"`
				End     int    `json:"end_line"`
				Text    string `json:"text"`
				TextB64 []byte `json:"text_b64"`
			} `json:"spans"`
		} `json:"files"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, err
	}
	for _, f := range v.Files {
		path := f.Path
		if f.PathB64 != nil {
			path = string(f.PathB64)
		}
		for _, s := range f.Spans {
			text := []byte(s.Text)
			if s.TextB64 != nil {
				text = s.TextB64
			}
			lines := bytes.SplitAfter(text, []byte("\n"))
			if n := len(lines); len(lines[n-1]) == 0 {
				lines = lines[:n-1]
			}
			if len(lines) != s.End-s.Start+1 {
				return nil, fmt.Errorf("%s %d-%d has %d lines", path, s.Start, s.End, len(lines))
			}
			gs = append(gs, given{path, s.Start, s.End, lines})
		}
	}
	return gs, nil
}

// numbered reads a line behind its number.
func numbered(l []byte, path string) (given, error) {
	n, text, ok := bytes.Cut(l, []byte("\t"))
	no, err := strconv.Atoi(string(n))
	if !ok || err != nil {
		return given{}, fmt.Errorf("%s: %.60q has no number", path, l)
	}
	return given{path, no, no, [][]byte{text}}, nil
}

var leftOutMark = regexp.MustCompile("^… lines ([0-9]+)–([0-9]+) left out\n$")

func readMarkdown(out []byte) (gs []given, err error) {
	path, fence := "", ""
	for l := range bytes.Lines(out) {
		s := string(l)
		switch {
		case fence != "":
			if s == fence+"\n" {
				fence = ""
				continue
			}
			g, err := numbered(l, path)
			if err != nil {
				return nil, err
			}
			gs = append(gs, g)
		case strings.HasPrefix(s, "## "):
			path = strings.TrimSuffix(s[3:], "\n")
		case strings.HasPrefix(s, "```"):
			fence = s[:len(s)-len(strings.TrimLeft(s, "`"))]
		default:
			if m := leftOutMark.FindStringSubmatch(s); m != nil {
				a, _ := strconv.Atoi(m[1])
				b, _ := strconv.Atoi(m[2])
				gs = append(gs, given{path: path, start: a, end: b})
			}
		}
	}
	if fence != "" {
		return nil, errors.New("the last fence is open")
	}
	return gs, nil
}

var (
	fileTag    = regexp.MustCompile(`^<file path="([^"]*)" about="[^"]*">\n$`)
	sourceTag  = regexp.MustCompile(`^<(source(?:-[0-9]+)?) lines="[0-9]+-[0-9]+">\n$`)
	leftOutTag = regexp.MustCompile(`^<left-out lines="([0-9]+)-([0-9]+)"/>\n$`)
)

func readTagged(out []byte) (gs []given, err error) {
	path, closing := "", ""
	for l := range bytes.Lines(out) {
		s := string(l)
		if closing != "" {
			if s == closing {
				closing = ""
				continue
			}
			g, err := numbered(l, path)
			if err != nil {
				return nil, err
			}
			gs = append(gs, g)
			continue
		}
		if m := fileTag.FindStringSubmatch(s); m != nil {
			path = html.UnescapeString(m[1])
		} else if m := sourceTag.FindStringSubmatch(s); m != nil {
			closing = "</" + m[1] + ">\n"
		} else if m := leftOutTag.FindStringSubmatch(s); m != nil {
			a, _ := strconv.Atoi(m[1])
			b, _ := strconv.Atoi(m[2])
			gs = append(gs, given{path: path, start: a, end: b})
		}
	}
	if closing != "" {
		return nil, errors.New("the last tag is open")
	}
	return gs, nil
}

// checkBundle holds every line of a written bundle against git's blob, and what
// is left out against what is not there. It returns how many lines it compared.
func checkBundle(out []byte, f bundle.Format, b *blobs) (lines int, err error) {
	gs, err := readBundle(out, f)
	if err != nil {
		return 0, err
	}
	next := map[string]int{}
	for _, g := range gs {
		all, err := b.lines(g.path)
		if err != nil {
			return 0, err
		}
		if g.start < max(1, next[g.path]) || g.end < g.start || g.end > len(all) {
			return 0, fmt.Errorf("%s: lines %d-%d of %d, behind %d", g.path, g.start, g.end, len(all), next[g.path])
		}
		if f != bundle.JSON && g.start != max(1, next[g.path]) {
			return 0, fmt.Errorf("%s: nothing is said of lines %d-%d", g.path, next[g.path], g.start-1)
		}
		next[g.path] = g.end + 1
		for i, text := range g.text {
			want := all[g.start-1+i]
			if f != bundle.JSON { // its lines end in the bundle's own line feed
				text, want = bytes.TrimSuffix(text, []byte("\n")), bytes.TrimSuffix(want, []byte("\n"))
			}
			if !bytes.Equal(text, want) {
				return 0, fmt.Errorf("%s:%d is %.80q, git has %.80q", g.path, g.start+i, text, want)
			}
			lines++
		}
	}
	if f != bundle.JSON {
		for path, n := range next {
			if all, _ := b.lines(path); n != len(all)+1 {
				return 0, fmt.Errorf("%s: nothing is said of lines from %d on", path, n)
			}
		}
	}
	return lines, nil
}

// checkRewrite holds the read that a rewritten history keeps against the blob.
func checkRewrite(question, path string, text []byte, anthropic bool) (lines int, err error) {
	h := []any{
		map[string]any{"role": "user", "content": question},
		map[string]any{"role": "assistant", "content": "I read.", "tool_calls": []any{map[string]any{"id": "1", "type": "function", "function": map[string]any{"name": "read_file", "arguments": fmt.Sprintf(`{"path":%q}`, "x")}}}},
		map[string]any{"role": "tool", "tool_call_id": "1", "content": string(text)},
	}
	if anthropic {
		h[1] = map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "1", "name": "view", "input": map[string]any{"path": path}}}}
		h[2] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "1", "content": string(text)}}}
	}
	raw, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	out, cut, err := bundle.Rewrite(raw)
	if err != nil {
		return 0, err
	}
	if strings.TrimSpace(string(text)) == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(text))), "error") {
		return 0, nil // no successful read
	}
	var messages []struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(out, &messages); err != nil {
		return 0, err
	}
	if !cut || !strings.Contains(messages[len(messages)-1].Content, string(text)) {
		return 0, fmt.Errorf("%s: the history does not hold the read as it was", path)
	}
	return bytes.Count(text, []byte("\n")), nil
}

// tally counts what was compared.
type tally struct{ bundles, lines, files int }

// verbatimOf makes n bundles of one commit, by every policy and in every form,
// and compares each line. Questions are issues, where there are some, and the
// names and paths of declarations.
func verbatimOf(ctx context.Context, e *query.Engine, b *blobs, issues []string, n int, seed uint64) (t tally, err error) {
	r := rand.New(rand.NewPCG(seed, 7))
	ix := e.Index()
	name := func() (question, path string, err error) {
		for range 1000 {
			u, err := ix.Units(r.IntN(ix.NumPartitions()))
			if err != nil {
				return "", "", err
			}
			if u.NumUnits() == 0 {
				continue
			}
			k := r.IntN(u.NumUnits())
			if f := u.UnitFile(k); u.Skip(f) == artifact.SkipNone && u.UnitSymbol(k) != "" {
				return u.UnitSymbol(k), u.Path(f), nil
			}
		}
		return "main", "", nil
	}
	forms := []bundle.Format{bundle.Markdown, bundle.XML, bundle.JSON}
	tokens := []int{1_000, 4_000, 13_800, 80_000}
	for i := 0; t.bundles < n && i < 20*n; i++ {
		q, path, err := name()
		if err != nil {
			return t, err
		}
		if k := i % 8; k < 2 {
			text, err := b.text(path)
			if err != nil || !utf8.Valid(text) {
				continue
			}
			lines, err := checkRewrite(q, path, text, k == 1)
			if err != nil {
				return t, err
			}
			t.bundles, t.lines, t.files = t.bundles+1, t.lines+lines, t.files+1
			continue
		}
		if len(issues) > 0 && r.IntN(2) == 0 {
			q = issues[r.IntN(len(issues))]
		}
		o := bundle.Options{Query: q, Policy: []string{bundle.Files, bundle.Eager}[i/4%2], Lines: r.IntN(2) * 15}
		p, err := bundle.NewPlan(ctx, e, o)
		if fail.CodeOf(err) == fail.NotFound {
			continue
		}
		if err != nil {
			return t, err
		}
		f := forms[i%3]
		budget := tokens[r.IntN(len(tokens))]
		made, out, err := p.Fit(ctx, budget, f)
		if err != nil {
			return t, err
		}
		if got := bundle.Count(out); got > budget {
			return t, fmt.Errorf("%q: %d tokens, budget %d", q, got, budget)
		}
		lines, err := checkBundle(out, f, b)
		if err != nil {
			return t, fmt.Errorf("%q, %s, %s, %d tokens: %w", q, o.Policy, f, budget, err)
		}
		t.bundles, t.lines, t.files = t.bundles+1, t.lines+lines, t.files+len(made.Files)
	}
	if t.bundles < n {
		return t, fmt.Errorf("%d bundles of %d could be made", t.bundles, n)
	}
	return t, nil
}

// verbatim makes n bundles, as many of one commit of each of so many
// repositories, and compares every line with git's blobs.
func verbatim(ctx context.Context, tasks []task, mirrors, work string, n, repositories int) error {
	var one []task
	issues := map[string][]string{}
	for _, t := range hashed(tasks, len(tasks), len(tasks)) {
		if issues[t.Repo] == nil && len(one) < repositories {
			one = append(one, t)
		}
		issues[t.Repo] = append(issues[t.Repo], t.Query)
	}
	slices.SortFunc(one, func(a, b task) int { return strings.Compare(a.Repo, b.Repo) })
	var sum tally
	for i, t := range one {
		e, err := engine(ctx, mirrors, t.Mirror, t.Commit, work)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Repo, err)
		}
		repo, err := git.Open(ctx, clone(mirrors, t.Mirror), git.Options{})
		if err != nil {
			return err
		}
		b, err := openBlobs(ctx, repo, t.Commit)
		if err != nil {
			repo.Close()
			return err
		}
		share := n/len(one) + min(1, max(0, n%len(one)-i))
		got, err := verbatimOf(ctx, e, b, issues[t.Repo], share, uint64(i))
		b.reader.Close()
		repo.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", t.Repo, err)
		}
		fmt.Fprintf(os.Stderr, "%s %s: %d bundles, %d files, %d lines\n", t.Repo, t.Commit, got.bundles, got.files, got.lines)
		sum.bundles, sum.lines, sum.files = sum.bundles+got.bundles, sum.lines+got.lines, sum.files+got.files
	}
	fmt.Printf("%d bundles of %d repositories: %d files, %d lines, every one as git has it\n", sum.bundles, len(one), sum.files, sum.lines)
	return nil
}
