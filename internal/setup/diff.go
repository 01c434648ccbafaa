package setup

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/internal/linediff"
)

// around is how many lines a diff shows about what changes.
const around = 3

// Diff returns a change as a unified diff.
func (c Change) Diff() string {
	var b strings.Builder
	from, to := "a/"+c.Path, "b/"+c.Path
	switch c.Action {
	case "keep":
		return ""
	case "create":
		from = "/dev/null"
	case "delete":
		to = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	old, now := splitLines(c.Before), splitLines(c.After)
	hunks := linediff.Lines(c.Before, c.After)
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].OldStart-hunks[j-1].OldEnd <= 2*around {
			j++
		}
		first, last := hunks[i], hunks[j-1]
		before := min(around, first.OldStart)
		after := min(around, len(old)-last.OldEnd)
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(first.OldStart-before, last.OldEnd+after), span(first.NewStart-before, last.NewEnd+after))
		at := first.OldStart - before
		for _, h := range hunks[i:j] {
			write(&b, ' ', old[at:h.OldStart])
			write(&b, '-', old[h.OldStart:h.OldEnd])
			write(&b, '+', now[h.NewStart:h.NewEnd])
			at = h.OldEnd
		}
		write(&b, ' ', old[at:last.OldEnd+after])
		i = j
	}
	return b.String()
}

func span(lo, hi int) string {
	if lo == hi {
		return fmt.Sprintf("%d,0", lo)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi-lo)
}

func write(b *strings.Builder, sign byte, lines [][]byte) {
	for _, l := range lines {
		b.WriteByte(sign)
		b.Write(bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte("\r")))
		b.WriteByte('\n')
		if !bytes.HasSuffix(l, []byte("\n")) {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

func splitLines(b []byte) [][]byte {
	var out [][]byte
	for at := 0; at < len(b); {
		end := lineEnd(b, at)
		out = append(out, b[at:end])
		at = end
	}
	return out
}
