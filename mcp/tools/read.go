package tools

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/fail"
)

type readReply struct {
	head
	where
	Lines    int    `json:"lines,omitempty"` // of the whole file
	Lang     string `json:"lang,omitempty"`
	Text     string `json:"text,omitempty"`
	TextB64  []byte `json:"text_b64,omitempty"` // in place of text that is not UTF-8
	Next     int    `json:"next_start_line,omitempty"`
	Differs  bool   `json:"differs,omitempty"` // from the file in the working tree
	NotShown int    `json:"not_shown_bytes,omitempty"`
}

func (s *Set) read(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	from, to := a.number["start_line"], a.number["end_line"]
	if to != 0 && from > to {
		return nil, fail.New(fail.Usage, "give lines in order, counted from 1", "there are no lines %d-%d", from, to)
	}
	out := readReply{head: h}
	r, err := c.Engine().Show(ctx, a.text["path"], from, to)
	if noAnswer(err) != "" && from == 0 && to == 0 {
		// Places stand in answers as path:10-20, and come back so.
		if path, first, last := cutLines(a.text["path"]); first > 0 {
			r, err = c.Engine().Show(ctx, path, first, last)
		}
	}
	if err != nil {
		note := noAnswer(err)
		if note == "" {
			return nil, err
		}
		out.add(note)
		return reply(out, headLine(out.head, "nothing to read"))
	}
	path := r.FilePath()
	all := r.Bytes()
	n, size := 0, 0 // lines and bytes that fit
	room := a.budget() - headRoom - 2*len(oneLine(path))
	for _, l := range splitLines(all) {
		if room -= lineCost(l); room < 0 {
			break
		}
		n++
		size += len(l)
	}
	shown := all[:size]
	out.where = whereOf(r.Place)
	out.Lines, out.Lang, out.Differs = r.Lines, r.Lang, set(st.Changed)[path]
	out.EndLine = r.StartLine + n - 1
	if utf8.Valid(shown) {
		out.Text = string(shown)
	} else {
		out.TextB64 = shown
	}
	line := fmt.Sprintf("%s:%d-%d of %d lines", oneLine(path), r.StartLine, out.EndLine, r.Lines)
	notes := ""
	if out.Differs {
		notes += "# the file differs in the working tree; these are the commit's lines\n"
	}
	if out.TextB64 != nil {
		notes += "# bytes that are not UTF-8 stand as \\xNN here and exactly in text_b64\n"
	}
	if size < len(all) {
		out.LeftOut = &leftOut{Lines: r.EndLine - out.EndLine}
		out.NotShown = len(all) - size
		out.Next = out.EndLine + 1
		if n == 0 {
			line = fmt.Sprintf("%s: line %d of %d", oneLine(path), r.StartLine, r.Lines)
			out.where.StartLine, out.EndLine = 0, 0
			out.Next = 0
			if r.StartLine < r.Lines {
				out.Next = r.StartLine + 1
			}
			notes += fmt.Sprintf("# left out: line %d does not fit the reply, and lines are not cut; raise max_tokens (to %d at most)", r.StartLine, MaxTokens)
			if out.Next > 0 {
				notes += fmt.Sprintf(", or go on with start_line %d", out.Next)
			}
			notes += "\n"
		} else {
			notes += fmt.Sprintf("# left out for size: lines %d-%d; go on with start_line %d\n", out.Next, r.EndLine, out.Next)
		}
	}
	texts := []string{headLine(out.head, "%s", line) + notes}
	if n > 0 {
		texts = append(texts, verbatim(shown))
	}
	return reply(out, texts...)
}

// cutLines takes a line or a range of lines off the end of a place; first is 0
// where there is none.
func cutLines(place string) (path string, first, last int) {
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		return place, 0, 0
	}
	from, to, ranged := strings.Cut(place[i+1:], "-")
	if !ranged {
		to = from
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first < 1 || last < first || last > maxLine {
		return place, 0, 0
	}
	return place[:i], first, last
}

// lineCost is what a line adds to both forms at most, in bytes.
func lineCost(l []byte) int {
	if utf8.Valid(l) {
		// In a text that is not UTF-8 elsewhere it may stand in base64.
		return len(l) + max(jsonSize(string(l)), base64.StdEncoding.EncodedLen(len(l)))
	}
	return len(verbatim(l)) + base64.StdEncoding.EncodedLen(len(l))
}
