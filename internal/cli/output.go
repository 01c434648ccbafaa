package cli

import (
	"bufio"
	"errors"
	"fmt"
	"syscall"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// output writes one answer. Text that comes from the repository goes through
// text or source, which make it safe on a terminal and leave it alone in a
// pipe.
type output struct {
	w        *bufio.Writer
	terminal bool
}

func (a *App) output() *output {
	return &output{w: bufio.NewWriterSize(a.Stdout, 64<<10), terminal: isTerminal(a.Stdout)}
}

// print writes text of our own.
func (o *output) print(format string, args ...any) { fmt.Fprintf(o.w, format, args...) }

// text returns a path, name or line that comes from the repository, as it may
// be written to this output within a line.
func (o *output) text(s string) string {
	if o.terminal {
		return Visible(s)
	}
	return s
}

// name is text for paths and symbols, which must not break a line even in a
// pipe: whoever splits the output by lines would take half of one for a whole.
func (o *output) name(s string) string {
	if o.terminal || hasLineBreak(s) {
		return Visible(s)
	}
	return s
}

func hasLineBreak(s string) bool {
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' {
			return true
		}
	}
	return false
}

// line writes one line of source behind its number and a tab, as bundles do:
// padding would cost an agent a token a line.
func (o *output) line(n int, b []byte) {
	o.print("%d\t%s\n", n, o.text(string(trimEOL(b))))
}

func trimEOL(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		b = b[:n-1]
	}
	return b
}

// close flushes; an answer that could not be written is an error.
func (o *output) close() error { return written(o.w.Flush()) }

// written gives a failure to write the answer its remedy. A reader that went
// away is no failure; the caller ends quietly.
func written(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return err
	}
	return fail.Wrap(fail.Usage, err, "write it to a place with room", "the answer could not be written")
}

// answer writes v as JSON, or calls text for the readable form.
func (a *App) answer(v any, text func(o *output)) error {
	o := a.output()
	if a.json {
		b, err := marshal(v)
		if err != nil {
			return err
		}
		o.w.Write(b)
		o.w.WriteByte('\n')
	} else {
		text(o)
	}
	return o.close()
}

// head is the first line of a readable answer: which commit it is for, how
// fresh it is, and how much of it is shown.
func (o *output) head(h query.Header, format string, args ...any) {
	o.print("# commit %s %s", short(h.Commit), h.Freshness.State)
	n := h.Freshness.Distance
	switch {
	case n > 0 && h.Freshness.State == stateBase:
		o.print(" (the index is of %s before)", count(n, "commit"))
	case n > 0:
		o.print(", %s before the one asked for", count(n, "commit"))
	}
	if h.Freshness.Files > 0 {
		what := "left out"
		if s := h.Freshness.State; s == stateOverlay || s == stateBase {
			what = "as they are"
			if h.Freshness.Files == 1 {
				what = "as it is"
			}
		}
		if h.Freshness.Lacks != "" {
			what = "read by lines"
		}
		o.print(" (%s in the working tree %s)", count(h.Freshness.Files, "changed file"), what)
	}
	o.print(", %s\n", fmt.Sprintf(format, args...))
	if h.Omitted != "" {
		o.print("# %s\n", o.text(h.Omitted))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lines splits verbatim text into lines at LF alone, without the line ends.
func lines(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		i := 0
		for i < len(b) && b[i] != '\n' {
			i++
		}
		out = append(out, b[:i])
		b = b[min(i+1, len(b)):]
	}
	return out
}
