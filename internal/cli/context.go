package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// contextFlags are what 'context' was asked for beside the question.
type contextFlags struct {
	bundle.Options
	format       string
	budget       int
	receipt      string
	diff         string
	filesFrom    string
	history      string
	selector     string
	allowOverlay bool
}

func (a *App) contextCmd() *command.Command {
	var o contextFlags
	c := &command.Command{
		Use:   "context QUERY",
		Short: "One bounded, verbatim bundle of the lines that a task needs",
		Long: `One bounded bundle of the lines that a task needs: verbatim, behind their
numbers, never more tokens than the budget.

The policy files gives up to twelve files that probably have to be edited, each a
share of the budget as large as its odds, whole where it fits, and definitions,
callers and tests from at most eight others. The policy eager gives the ten best
functions, methods and the like, whole. The policy compact needs no query: it
rewrites the messages of a session (--history) by rule.

A receipt (--receipt) names every line by path, number and blob, so that 'replay'
makes the same bytes again anywhere. --diff says what the bundle has that an
older receipt's had not, and the other way.`,
		Example: `  pindex context "sessions are lost when the cookie is larger than 4 kB" --budget 13800
  pindex context "where are routes matched" --policy eager --receipt routes.receipt`,
		Args: func(_ *command.Command, args []string) error {
			if none := o.Policy == "compact" || o.diff != ""; len(args) > 1 || len(args) == 0 && !none {
				return errors.New("one query is needed; put several words in quotes")
			}
			return nil
		},
		RunE: func(c *command.Command, args []string) error {
			if len(args) > 0 {
				o.Query = args[0]
			}
			return a.context(c, &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Policy, "policy", bundle.Files, "files, eager or compact")
	f.IntVar(&o.budget, "budget", bundle.DefaultBudget, "tokens at most, by a bound that is never below o200k's count")
	f.StringVar(&o.format, "format", string(bundle.Markdown), "markdown or xml")
	f.StringVar(&o.Route, "route", "auto", "of the search: auto, lexical, semantic, hybrid or structural")
	f.IntVar(&o.Lines, "eager-lines", 0, "lines of a unit at most under eager; 0 for whole units")
	f.StringVar(&o.filesFrom, "files-from", "", "read ranked lists of paths from `FILE`: one path a line, an empty line between two lists, or JSON")
	if a.Selector != nil {
		f.StringVar(&o.selector, "selector", "", "let the chat model at this `URL[#MODEL]` choose the files; it sees the question and paths only, and its key comes from PINDEX_SELECTOR_KEY")
	}
	f.StringVar(&o.history, "history", "", "messages of a session as JSON in `FILE`, for compact (- for standard input)")
	f.StringVar(&o.receipt, "receipt", "", "write the receipt to `FILE`")
	f.BoolVar(&o.allowOverlay, "allow-overlay", false, "let the receipt hold the text of files that no commit has")
	f.StringVar(&o.diff, "diff", "", "say what differs from the bundle of an older receipt, in `FILE`")
	return c
}

func (a *App) context(c *command.Command, o *contextFlags) error {
	if o.Policy == "compact" {
		return a.compact(o)
	}
	if err := bundle.CheckBudget(o.budget); err != nil {
		return err
	}
	format := bundle.Format(o.format)
	if a.json {
		format = bundle.JSON
	} else if format != bundle.Markdown && format != bundle.XML {
		return fail.New(fail.Usage, "use markdown or xml, or --json", "there is no format %q", o.format)
	}
	if o.history != "" {
		return fail.New(fail.Usage, "add --policy compact", "--history is for the policy compact")
	}
	if o.selector != "" && (o.filesFrom != "" || o.Policy != bundle.Files) {
		return fail.New(fail.Usage, "leave one of them out", "--selector is for the policy files without --files-from")
	}
	if o.filesFrom != "" {
		text, err := a.readInput(o.filesFrom, maxLists)
		if err != nil {
			return err
		}
		if o.Lists, err = parseLists(text); err != nil {
			return err
		}
	}
	var old *bundle.Receipt
	if o.diff != "" {
		var err error
		if old, err = readReceipt(o.diff); err != nil {
			return err
		}
		a.asBefore(c, o, old)
		format = old.Format
	}
	ctx := c.Context()
	return a.withSession(ctx, func(s *session) error {
		if o.receipt != "" && !o.allowOverlay && (s.over != nil || s.distance > 0) {
			return fail.New(fail.Usage, "commit the changes, name the commit with --commit, or give --allow-overlay to put the text of changed files into the receipt",
				"the answer is not that of one indexed commit (%s), so its receipt could not be replayed from it", s.fresh.State)
		}
		if o.selector != "" {
			if err := a.choose(ctx, s, o); err != nil {
				return err
			}
		}
		b, out, r, err := a.bundleOf(ctx, s, o.Options, o.budget, format)
		if err != nil {
			return err
		}
		if o.receipt != "" {
			if err := writeReceipt(o.receipt, r); err != nil {
				return err
			}
		}
		if old != nil {
			return a.printChanges(old, r)
		}
		files := len(b.Files)
		a.Note("commit %s %s: policy %s, lines of %s, %d of %d tokens at most (%s)", short(b.Commit), b.State, b.Policy, count(files, "file"), r.Tokens, o.budget, bundle.Counter)
		if files == 0 {
			a.Note("the budget of %d tokens is too small for any line", o.budget)
		}
		return a.writeBundle(out)
	})
}

// compact rewrites a session's history. The answer is JSON in any case.
func (a *App) compact(o *contextFlags) error {
	switch {
	case o.history == "":
		return fail.New(fail.Usage, "name the file of messages with --history, or - for standard input", "the policy compact rewrites a history, and none was given")
	case o.receipt != "" || o.diff != "" || o.filesFrom != "":
		return fail.New(fail.Usage, "leave --receipt, --diff and --files-from out", "the policy compact reads no commit")
	}
	text, err := a.readInput(o.history, maxHistory)
	if err != nil {
		return err
	}
	out, done, err := bundle.Rewrite(text)
	if err != nil {
		return err
	}
	if !done {
		a.Note("the history is as it was: it has no successful read of a file yet, or was cut before")
	}
	w := a.output()
	w.w.Write(out)
	return w.close()
}

// asBefore takes from an older receipt what the command line does not say.
func (a *App) asBefore(c *command.Command, o *contextFlags, old *bundle.Receipt) {
	before := old.Options
	before.Query = old.Query()
	if o.Query != "" {
		before.Query = o.Query
	}
	set := c.Flags().Changed
	if set("policy") {
		before.Policy = o.Policy
	}
	if set("route") {
		before.Route = o.Route
	}
	if set("eager-lines") {
		before.Lines = o.Lines
	}
	if o.Lists != nil || o.selector != "" {
		before.Lists, before.Searches, before.Selector = o.Lists, nil, ""
	}
	if !set("budget") {
		o.budget = old.Budget
	}
	o.Options = before
}

// choose lets the selector choose the files.
func (a *App) choose(ctx context.Context, s *session, o *contextFlags) error {
	if o.Policy == bundle.Eager { // as an older receipt's
		return fail.New(fail.Usage, "add --policy files", "--selector chooses files, and the policy is eager")
	}
	o.Leave = s.leave()
	chosen, notes, err := a.Selector(ctx, o.selector, s.engine, o.Options)
	for _, n := range notes {
		a.Note("%s", n)
	}
	o.Options = chosen
	return err
}

// leave returns the files that are not answered from.
func (s *session) leave() map[string]bool {
	if s.over != nil {
		return nil
	}
	m := make(map[string]bool, len(s.changes))
	for _, path := range s.changes {
		m[path] = true
	}
	return m
}

// bundleOf makes a bundle of what the user has in front of them, and its
// receipt.
func (a *App) bundleOf(ctx context.Context, s *session, o bundle.Options, budget int, f bundle.Format) (*bundle.Bundle, []byte, *bundle.Receipt, error) {
	o.Leave = s.leave()
	p, err := bundle.NewPlan(ctx, s.engine, o)
	if err != nil {
		return nil, nil, nil, err
	}
	h := p.Head()
	h.State, h.Distance, h.Changed = s.fresh.State, s.fresh.Distance, s.fresh.Files
	b, out, err := p.Fit(ctx, budget, f)
	if err != nil {
		return nil, nil, nil, err
	}
	embed := func(path string, blob gitobj.ID) bool {
		if s.over == nil {
			return false
		}
		id, ok, err := blobAt(s, path)
		return err != nil || !ok || id != blob
	}
	return b, out, bundle.NewReceipt(a.Name+" "+a.Version, o, b, f, out, s.index.Manifest().Commit, embed), nil
}

// blobAt returns the blob that the index's commit has at a path.
func blobAt(s *session, path string) (gitobj.ID, bool, error) {
	p, f, ok, err := s.index.FindFile(path)
	if err != nil || !ok {
		return gitobj.ID{}, false, err
	}
	u, err := s.index.Units(p)
	if err != nil {
		return gitobj.ID{}, false, err
	}
	return u.Blob(f), true, nil
}

// writeBundle writes the bundle: the exact bytes in a pipe, and on a terminal
// nothing that could steer it.
func (a *App) writeBundle(out []byte) error {
	o := a.output()
	if !o.terminal {
		o.w.Write(out)
		return o.close()
	}
	for _, l := range lines(out) {
		o.print("%s\n", Visible(strings.TrimSuffix(string(l), "\r")))
	}
	return o.close()
}

func writeReceipt(path string, r *bundle.Receipt) error {
	b, err := r.Encode()
	if err != nil {
		return err
	}
	if err := durable.WriteBytes(path, 0o644, b); err != nil {
		return fail.Wrap(fail.Usage, err, "name a file that can be written", "the receipt could not be written")
	}
	return nil
}

func readReceipt(path string) (*bundle.Receipt, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "name a file that 'context --receipt' wrote", "cannot read the receipt")
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, bundle.MaxReceipt+1))
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "name a file that 'context --receipt' wrote", "cannot read the receipt")
	}
	return bundle.ReadReceipt(b)
}

// maxLists bounds a file of ranked lists, and maxHistory one of messages, in
// bytes.
const (
	maxLists   = 16 << 20
	maxHistory = 256 << 20
)

// readInput reads a file, or standard input for "-".
func (a *App) readInput(path string, limit int64) ([]byte, error) {
	in := a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fail.Wrap(fail.Usage, err, "name a file, or - for standard input", "cannot read %s", path)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "name a smaller file", "cannot read %s", path)
	}
	return b, nil
}

// parseLists reads ranked lists of paths: a JSON array of arrays, or lines.
func parseLists(text []byte) ([]string, error) {
	var lists []string
	if t := bytes.TrimSpace(text); bytes.HasPrefix(t, []byte("[")) {
		var all [][]string
		if err := json.Unmarshal(t, &all); err != nil {
			return nil, fail.Wrap(fail.Usage, err, `write [["a.go","b.go"],["b.go"]], or one path a line`, "the ranked lists cannot be read")
		}
		for _, l := range all {
			if len(l) > 0 {
				lists = append(lists, strings.Join(l, "\n"))
			}
		}
	} else {
		for _, block := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\n") {
			if block = strings.Trim(block, "\n"); block != "" {
				lists = append(lists, block)
			}
		}
	}
	if len(lists) == 0 {
		return nil, fail.New(fail.Usage, "write one path a line, and an empty line between two lists", "there are no ranked lists in it")
	}
	return lists, nil
}

type changesReply struct {
	Schema  string          `json:"schema"`
	From    string          `json:"from"` // commit
	To      string          `json:"to"`
	Same    bool            `json:"same"`
	Changes []bundle.Change `json:"changes"`
}

// printChanges says what a new bundle has that an old one has not.
func (a *App) printChanges(old, now *bundle.Receipt) error {
	r := changesReply{Schema: "pindex.context-diff/0", From: old.Head.Commit, To: now.Head.Commit, Changes: bundle.Compare(old, now)}
	r.Same = len(r.Changes) == 0
	if r.Same {
		r.Changes = []bundle.Change{}
	}
	return a.answer(r, func(o *output) {
		o.print("# from commit %s to %s: %s\n", short(r.From), short(r.To), count(len(r.Changes), "difference"))
		for i := range r.Changes {
			c := &r.Changes[i]
			o.print("%-10s  %s  %s -> %s\n", c.What, o.name(c.FilePath()), runs(c.Old), runs(c.New))
		}
	})
}

// runs writes runs of lines.
func runs(spans []bundle.Span) string {
	if len(spans) == 0 {
		return "-"
	}
	var parts []string
	for _, s := range spans {
		parts = append(parts, fmt.Sprintf("%d-%d", s.Start, s.End))
	}
	return strings.Join(parts, ",")
}
