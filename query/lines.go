package query

import (
	"bytes"
	"strconv"

	"github.com/pindex-dev/pindex/artifact"
)

// lineBounds returns the bounds of the line that holds offset off, without
// its line feed. An offset at a line feed belongs to the line that it ends.
func lineBounds(text []byte, off int) (start, end int) {
	start = bytes.LastIndexByte(text[:off], '\n') + 1
	end = bytes.IndexByte(text[off:], '\n')
	if end < 0 {
		return start, len(text)
	}
	return start, off + end
}

var lf = []byte{'\n'}

// countLines returns the number of lines; a last line without a line feed
// counts, and an empty text has none.
func countLines(text []byte) int {
	n := bytes.Count(text, lf)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// lineCount writes a number of lines.
func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return strconv.Itoa(n) + " lines"
}

// lineRange returns the byte range of lines first to last (from 1, inclusive)
// with their line feeds, and the number of the last line that was there. A
// file that has fewer than first lines gives got 0.
func lineRange(text []byte, first, last int) (start, end, got int) {
	pos := 0
	for n := 1; n < first; n++ {
		i := bytes.IndexByte(text[pos:], '\n')
		if i < 0 {
			return 0, 0, 0
		}
		pos += i + 1
	}
	if pos >= len(text) {
		return 0, 0, 0
	}
	start, end = pos, pos
	for n := first; n <= last && end < len(text); n++ {
		got = n
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		end += i + 1
	}
	return start, end, got
}

// chomp returns line without the line feed at its end.
func chomp(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[:n-1]
	}
	return line
}

// lineTable gives fast access to the lines of one text.
type lineTable struct {
	text   []byte
	starts []int // offset of each line's first byte
}

func newLineTable(text []byte) *lineTable {
	t := &lineTable{text: text, starts: make([]int, 0, 1+bytes.Count(text, lf))}
	for pos := 0; pos < len(text); {
		t.starts = append(t.starts, pos)
		i := bytes.IndexByte(text[pos:], '\n')
		if i < 0 {
			break
		}
		pos += i + 1
	}
	return t
}

// line returns line n (from 1) without its line feed; nil when there is none.
func (t *lineTable) line(n int) []byte {
	if n < 1 || n > len(t.starts) {
		return nil
	}
	end := len(t.text)
	if n < len(t.starts) {
		end = t.starts[n]
	}
	return chomp(t.text[t.starts[n-1]:end])
}

// isUTF16 reports whether a file's bytes have to be transcoded to be searched.
func isUTF16(e artifact.Encoding) bool {
	return e == artifact.EncodingUTF16LE || e == artifact.EncodingUTF16BE
}
