package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// Reply is a tool's answer in its two forms.
type Reply struct {
	Texts      []string        // text blocks; the first begins with the head line
	Structured json.RawMessage // nil for an error
	IsError    bool
}

// head is what every structured answer begins with.
type head struct {
	Commit    string          `json:"commit"`
	Freshness query.Freshness `json:"freshness"`
	Note      string          `json:"note,omitempty"`
	LeftOut   *leftOut        `json:"left_out,omitempty"`
	Next      int             `json:"next_offset,omitempty"` // to go on with; 0 where nothing follows
}

// leftOut says what a reply does not hold.
type leftOut struct {
	Results int `json:"results,omitempty"` // did not fit the reply
	Bodies  int `json:"bodies,omitempty"`  // results whose lines did not fit
	Changed int `json:"changed,omitempty"` // lie in files that differ in the working tree
	Lines   int `json:"lines,omitempty"`   // of the range that was asked for
	// Explained counts explanations that were asked for and did not fit.
	Explained int `json:"explanations,omitempty"`
}

func (l *leftOut) orNil() *leftOut {
	if *l == (leftOut{}) {
		return nil
	}
	return l
}

// headRoom is kept free of each budget for heads, notes and braces, in bytes.
const headRoom = 1400

// maxNote bounds a note in either form, in bytes.
const maxNote = 400

// headLine is the first line of every text: the commit and the freshness.
func headLine(h head, format string, args ...any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# commit %s %s", h.Commit[:min(12, len(h.Commit))], h.Freshness.State)
	if n := h.Freshness.Distance; n > 0 {
		fmt.Fprintf(&b, ", %s before the one asked for", count(n, "commit"))
	}
	if h.Freshness.Files > 0 {
		fmt.Fprintf(&b, " (%s in the working tree)", count(h.Freshness.Files, "changed file"))
	}
	fmt.Fprintf(&b, ", %s\n", fmt.Sprintf(format, args...))
	if h.Note != "" {
		fmt.Fprintf(&b, "# %s\n", h.Note)
	}
	if l := h.LeftOut; l != nil {
		var parts []string
		if l.Results > 0 {
			parts = append(parts, count(l.Results, "result"))
		}
		if l.Bodies > 0 {
			parts = append(parts, "the lines of "+count(l.Bodies, "result"))
		}
		if l.Explained > 0 {
			parts = append(parts, count(l.Explained, "explanation"))
		}
		if len(parts) > 0 {
			fmt.Fprintf(&b, "# left out for size: %s; narrow the question or raise max_tokens (to %d at most)\n", strings.Join(parts, ", "), MaxTokens)
		}
		if l.Changed > 0 {
			fmt.Fprintf(&b, "# left out: %s in changed files; read those in the working tree\n", count(l.Changed, "result"))
		}
	}
	if h.Next > 0 {
		fmt.Fprintf(&b, "# more with offset %d\n", h.Next)
	}
	return b.String()
}

// page takes one page out of results that come in order.
type page struct {
	offset, k int // results to pass over, and to take
	items     []item
	passed    int
	more      bool // another one would follow
}

// wants reports whether the next result belongs to the page, and counts it.
func (p *page) wants() bool {
	switch {
	case p.passed < p.offset:
		p.passed++
		return false
	case len(p.items) == p.k:
		p.more = true
		return false
	}
	return true
}

// ask is how many results to ask for, when some may be left out.
func (p *page) ask(changed bool) int {
	n := p.offset + p.k + 1
	if changed {
		n = 2*n + 20
	}
	return n
}

// next is the offset of the page behind the one of which n results were given.
func (p *page) next(n int) int {
	if n == 0 || n == len(p.items) && !p.more {
		return 0
	}
	return p.offset + n
}

// item is one result that can be given whole, or without its lines.
type item struct {
	full, lean any // structured
	fullText   string
	leanText   string // "" where there is no lean form
	// explained is full with what was asked for beside it, explainedText what
	// comes behind fullText then; nil where nothing was asked for.
	explained     any
	explainedText string
}

// fit takes results in order as long as both forms fit the budget, in bytes:
// whole, then, when lines no longer fit, by place alone.
func fit(budget int, items []item) (chosen []any, text string, left leftOut) {
	chosen, text, left, _ = fitExplained(budget, items, 0)
	return chosen, text, left
}

// fitExplained is fit where results may have explanations. They get what is
// left when every result has its place: first the answer's own, of so many
// bytes in both forms together (0 for none), then those of the results in
// order. over reports whether the answer's own fits.
func fitExplained(budget int, items []item, own int) (chosen []any, text string, left leftOut, over bool) {
	chosen = []any{}
	var texts []string
	var whole []int // those given with their lines
	room := budget - headRoom
	for i, it := range items {
		full := jsonSize(it.full) + 1 + len(it.fullText)
		lean := jsonSize(it.lean) + 1 + len(it.leanText)
		if full <= room {
			chosen, texts = append(chosen, it.full), append(texts, it.fullText)
			whole = append(whole, i)
			room -= full
			continue
		}
		if it.leanText == "" || lean > room {
			left.Results = len(items) - i
			break
		}
		chosen, texts = append(chosen, it.lean), append(texts, it.leanText)
		room -= lean
		left.Bodies++
	}
	if own > 0 {
		if over = own <= room; over {
			room -= own
		} else {
			left.Explained++
		}
	}
	for _, i := range whole {
		it := &items[i]
		if it.explained == nil {
			continue
		}
		more := jsonSize(it.explained) - jsonSize(it.full) + len(it.explainedText)
		if more > room {
			left.Explained++
			continue
		}
		chosen[i] = it.explained
		texts[i] += it.explainedText
		room -= more
	}
	return chosen, strings.Join(texts, ""), left, over
}

// reply joins the two forms.
func reply(structured any, texts ...string) (*Reply, error) {
	b, err := encode(structured)
	if err != nil {
		return nil, err
	}
	return &Reply{Texts: texts, Structured: b}, nil
}

// ErrorReply turns an error into what a tool says of it: what happened and
// what to do about it, in one bounded line.
func ErrorReply(err error) *Reply {
	what, remedy := err.Error(), ""
	var e *fail.Error
	if errors.As(err, &e) {
		what, remedy = e.What, e.Remedy
		if e.Err != nil {
			what += ": " + e.Err.Error()
		}
	} else if fail.CodeOf(err) == fail.Internal {
		remedy = "this is a defect in pindex; please report it"
	}
	s := "error: " + clip(oneLine(what), 1200)
	if remedy != "" {
		s += "\nto mend it: " + clip(oneLine(remedy), 600)
	}
	return &Reply{Texts: []string{s}, IsError: true}
}

// sentence bounds a note that the engine wrote.
func sentence(s string) string { return clip(oneLine(s), maxNote) }

// inTools gives remedies that name commands of the program in the words of the
// tools.
var inTools = map[string]string{
	"list it with outline, and name a file of it":                                        "name a file of it",
	"list the paths with outline":                                                        "find paths with search",
	"ask for lines inside the file":                                                      "give a start_line inside of it",
	"look for it with symbols or grep":                                                   "look for it with search",
	"outline the file to see its declarations":                                           "read the file, or name what it declares",
	"read it with show, or search it with grep; the full program knows what it declares": "read it, or find its lines with search",
	"read it in the working tree, or ask for the commit's own text with --commit HEAD":   "read it in the working tree",
}

// noAnswer returns what an error says whose meaning is that there is no
// answer, "" for any other, and what to do about it. Such sentences may name
// paths of the repository.
func noAnswer(err error) string {
	var e *fail.Error
	if !errors.As(err, &e) || e.Code != fail.NotFound {
		return ""
	}
	s, remedy := e.What, e.Remedy
	if r, ok := inTools[remedy]; ok {
		remedy = r
	}
	if remedy != "" && !strings.Contains(remedy, " --") { // a flag is out of reach
		s += "; " + remedy
	}
	return sentence(s)
}
