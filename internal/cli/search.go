package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) searchCmd() *command.Command {
	var o query.SearchOptions
	var batch, rerank string
	c := &command.Command{
		Use:   "search QUERY",
		Short: "Ranked source units for words, a symbol or a question",
		Long: `Ranked source units for words, a symbol or a question.

With --batch, one JSON object a line in (id, query and optional k, level, path,
lang, kind, route), one result object with that id a line out; a query that
finds nothing is no failure then. A line that cannot be answered gets an object
with id, line, error and remedy, and the command ends with exit code 2.

A query of nothing but quoted phrases asks for the units that hold them all.
Among other words a phrase is evidence: what holds it comes up. The text of an
error message is that too, without quotes, and FILE:LINE, FILE(LINE,COL) or a
frame of a traceback brings up the unit that holds the line.`,
		Example: `  pindex search "where are session cookies signed"
  pindex search SecureCookieSessionInterface --json -k 3`,
		Args: func(_ *command.Command, args []string) error {
			switch {
			case batch != "" && len(args) > 0:
				return errors.New("a query and --batch exclude each other")
			case batch == "" && len(args) != 1:
				return errors.New("one query is needed; put several words in quotes")
			}
			return nil
		},
		RunE: func(c *command.Command, args []string) error {
			if rerank == "" && c.Flags().Changed("rerank") {
				return fail.New(fail.Usage, "give the URL of a reranker, such as http://localhost:8080/v1/rerank#model-name, or leave --rerank out", "--rerank is empty")
			}
			var err error
			if o.Reranker, err = a.reranker(rerank); err != nil {
				return err
			}
			return a.withSession(c.Context(), func(s *session) error {
				if batch != "" {
					return a.searchBatch(c.Context(), s, batch, o)
				}
				o.Query = args[0]
				return a.searchOne(c.Context(), s, o)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.Route, "route", "auto", "auto, lexical, semantic, hybrid or structural")
	f.CountVar(&o.K, 10, fmt.Sprintf("results at most, 1 to %d", query.MaxK))
	f.StringVar(&o.Level, "level", "unit", "unit or file")
	a.pathVar(f, &o.PathGlob, "only files that match this `GLOB` (** crosses folders)")
	f.StringVar(&o.Lang, "lang", "", "only files in this language")
	f.StringVar(&o.Kind, "kind", "", "only units of this kind, such as function or class")
	f.BoolVar(&o.Explain, "explain", false, "show terms, weights and the parts of each score")
	if a.Reranker != nil {
		f.StringVar(&rerank, "rerank", "", "have the best results ordered by the reranker at this `URL[#MODEL]` (Jina's and Cohere's /rerank); its key comes from PINDEX_RERANKER_KEY")
	}
	f.StringVar(&batch, "batch", "", "read queries from `FILE` (- for standard input)")
	return c
}

func (a *App) searchOne(ctx context.Context, s *session, o query.SearchOptions) error {
	r, err := s.engine.Search(ctx, o)
	if err != nil {
		return err
	}
	r.Freshness = s.freshness()
	if err := a.answer(r, func(out *output) { writeSearch(out, r) }); err != nil {
		return err
	}
	if len(r.Results) == 0 {
		return nothing()
	}
	return nil
}

func writeSearch(o *output, r *query.SearchResult) {
	route := r.Route
	if r.RouteWhy != "" {
		route += " (" + r.RouteWhy + ")"
	}
	if r.Reranked != "" {
		route += ", reranked by " + o.text(r.Reranked)
	}
	o.head(r.Header, "%s, %d of %d", route, len(r.Results), r.Total)
	if r.Unmatched && len(r.Results) > 0 {
		o.print("# no word of the query stands in the index; these only resemble it\n")
	}
	if r.UnknownName != "" && len(r.Results) > 0 {
		o.print("# nothing in the index has the name %s; these have words of it\n", o.name(r.UnknownName))
	}
	if r.NoFile {
		o.print("# no file of the commit lies there; paths are from the root of the repository\n")
	}
	for _, p := range r.PhrasesNotFound {
		o.print("# the phrase \"%s\" stands nowhere in the index\n", o.text(p))
	}
	for _, h := range r.Results {
		o.print("\n%s:%d-%d  %s", o.name(h.FilePath()), h.StartLine, h.EndLine, h.Kind)
		if h.Symbol != "" {
			o.print(" %s", o.name(h.Symbol))
		}
		o.print("\n")
		snippet := h.SnippetB64
		if snippet == nil {
			snippet = []byte(h.Snippet)
		}
		shown := lines(snippet)
		for n := len(shown); n > 0 && len(trimSpace(shown[n-1])) == 0; n-- {
			shown = shown[:n-1] // blank lines at the end say nothing
		}
		for i, l := range shown {
			o.line(h.SnippetLine+i, l)
		}
		for _, p := range h.Explain {
			o.print("        %-28s %12.6f\n", p.Name, float64(p.Value)/1e6)
		}
	}
	if e := r.Explain; e != nil {
		o.print("\n# %d documents, k_ret %d, k_out %d, %d lexical matches, %d rows scanned %s\n",
			e.Documents, e.KRet, e.KOut, e.Lexical, e.Semantic, e.Embedder)
		if r.Route == query.RouteStructural {
			o.print("# seeds %d, links %d, candidates that links alone lead to %d\n", e.Seeds, e.Links, e.Reached)
		}
		if e.Reranker != "" {
			o.print("# k′ %d candidates seen by the reranker %s\n", e.KPrime, o.text(e.Reranker))
		}
		for _, t := range e.Terms {
			o.print("#   %-24s %-10s df %-7d weight %.6f\n", o.text(t.Term), t.Role, t.DocFreq, float64(t.Weight)/1e6)
		}
	}
}

// batchQuery is one line of a batch.
type batchQuery struct {
	ID    json.RawMessage `json:"id"`
	Query string          `json:"query"`
	K     *int            `json:"k"`
	Level string          `json:"level"`
	Path  string          `json:"path"`
	Lang  string          `json:"lang"`
	Kind  string          `json:"kind"`
	Route string          `json:"route"`
}

// maxBatchLine bounds one line of a batch, in bytes.
const maxBatchLine = 4 << 20

func (a *App) searchBatch(ctx context.Context, s *session, file string, defaults query.SearchOptions) error {
	var in io.Reader = a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fail.Wrap(fail.Usage, err, "name a file of JSON lines, or - for standard input", "cannot read the batch")
		}
		defer f.Close()
		in = f
	}
	out := bufio.NewWriterSize(a.Stdout, 64<<10)
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 64<<10), maxBatchLine)
	wrong := 0
	var first *fail.Error
	for n := 1; scan.Scan(); n++ {
		line := bytes.TrimSpace(scan.Bytes())
		if len(line) == 0 {
			continue
		}
		q, err := readBatchQuery(line)
		var r *query.SearchResult
		if err == nil {
			r, err = s.engine.Search(ctx, q.options(defaults))
		}
		if bad := (*fail.Error)(nil); fail.CodeOf(err) == fail.Usage && errors.As(err, &bad) {
			// The other lines are answered all the same.
			wrong++
			if first == nil {
				first = fail.Wrap(fail.Usage, bad.Err, bad.Remedy, "line %d of the batch: %s", n, bad.What)
			}
			b, err := marshal(batchError{rawID(q.ID), n, bad.What, bad.Remedy})
			if err != nil {
				return err
			}
			out.Write(b)
			out.WriteByte('\n')
			continue
		}
		if err != nil {
			return errors.Join(out.Flush(), fmt.Errorf("line %d of the batch: %w", n, err))
		}
		r.Freshness = s.freshness()
		b, err := marshal(struct {
			ID any `json:"id"`
			*query.SearchResult
		}{rawID(q.ID), r})
		if err != nil {
			return err
		}
		out.Write(b)
		out.WriteByte('\n')
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := scan.Err(); err != nil {
		return errors.Join(out.Flush(), fail.Wrap(fail.Usage, err, fmt.Sprintf("a line has at most %d bytes", maxBatchLine), "cannot read the batch"))
	}
	if err := written(out.Flush()); err != nil || wrong == 0 {
		return err
	}
	if wrong > 1 {
		first.What += fmt.Sprintf("; nor can %d others be answered", wrong-1)
	}
	return first
}

// batchError is what a line of a batch gets that cannot be answered.
type batchError struct {
	ID     any    `json:"id"`
	Line   int    `json:"line"`
	Error  string `json:"error"`
	Remedy string `json:"remedy,omitempty"`
}

// readBatchQuery reads a line of a batch. Errors have code Usage.
func readBatchQuery(line []byte) (q batchQuery, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err = d.Decode(&q)
	bad := func(format string, args ...any) error {
		return fail.New(fail.Usage, "each line is an object with query and, if wanted, id, k, level, path, lang, kind and route", format, args...)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return q, bad("it is of type %s, not an object", wrong.Value)
	case errors.As(err, &wrong) && wrong.Field == "k":
		return q, bad("k is of type %s, not a whole number", wrong.Value)
	case errors.As(err, &wrong):
		return q, bad("%s is of type %s, not a string", wrong.Field, wrong.Value)
	case err != nil:
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return q, bad("there is no field %s", name)
		}
		return q, bad("it is no JSON object")
	case d.More():
		return q, bad("something follows behind the object")
	case q.K != nil && *q.K == 0:
		return q, fail.New(fail.Usage, "leave k out for the default", "k is 0, not in 1 to %d", query.MaxK)
	}
	return q, nil
}

func (q batchQuery) options(o query.SearchOptions) query.SearchOptions {
	o.Query = q.Query
	if q.K != nil {
		o.K = *q.K
	}
	for _, set := range []struct {
		to   *string
		from string
	}{{&o.Level, q.Level}, {&o.PathGlob, q.Path}, {&o.Lang, q.Lang}, {&o.Kind, q.Kind}, {&o.Route, q.Route}} {
		if set.from != "" {
			*set.to = set.from
		}
	}
	return o
}

// rawID gives an id back as it came.
func rawID(id json.RawMessage) any {
	if len(id) == 0 {
		return nil
	}
	return id
}

func (a *App) reranker(address string) (*query.Reranker, error) {
	if address == "" || a.Reranker == nil {
		return nil, nil
	}
	return a.Reranker(address)
}
