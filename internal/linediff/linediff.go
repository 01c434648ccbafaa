// Package linediff compares two texts line by line.
package linediff

import (
	"bytes"
	"slices"
)

// Hunk is a run of lines that differ: lines OldStart to OldEnd of the old text
// became lines NewStart to NewEnd of the new one. Lines count from 0, ends are
// exclusive; one of the runs may be empty.
type Hunk struct{ OldStart, OldEnd, NewStart, NewEnd int }

// maxEdits bounds the work on texts that have little in common. Beyond it, what
// lies between the common beginning and end is one hunk.
const maxEdits = 1000

// Lines returns the hunks between two texts, in order. Lines end at LF. The
// method is E. W. Myers, An O(ND) Difference Algorithm and Its Variations,
// Algorithmica 1 (1986).
func Lines(old, now []byte) []Hunk {
	a, b := split(old), split(now)
	lo := 0
	for lo < len(a) && lo < len(b) && bytes.Equal(a[lo], b[lo]) {
		lo++
	}
	hi := 0
	for hi < len(a)-lo && hi < len(b)-lo && bytes.Equal(a[len(a)-1-hi], b[len(b)-1-hi]) {
		hi++
	}
	a, b = a[lo:len(a)-hi], b[lo:len(b)-hi]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	matches, ok := match(a, b)
	if !ok {
		matches = nil
	}
	var out []Hunk
	i, j := 0, 0
	for _, m := range append(matches, [2]int{len(a), len(b)}) {
		if m[0] > i || m[1] > j {
			out = append(out, Hunk{lo + i, lo + m[0], lo + j, lo + m[1]})
		}
		i, j = m[0]+1, m[1]+1
	}
	return out
}

// split cuts a text into lines with their ends.
func split(text []byte) [][]byte {
	var out [][]byte
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// match returns the pairs of lines on a shortest edit script, ascending; false
// when that has more than maxEdits edits.
func match(a, b [][]byte) ([][2]int, bool) {
	limit := min(len(a)+len(b), maxEdits)
	furthest := make([]int, 2*limit+2) // by diagonal, offset by limit
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), furthest...))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && furthest[limit+k-1] < furthest[limit+k+1]:
				x = furthest[limit+k+1]
			default:
				x = furthest[limit+k-1] + 1
			}
			y := x - k
			for x < len(a) && y >= 0 && y < len(b) && bytes.Equal(a[x], b[y]) {
				x, y = x+1, y+1
			}
			furthest[limit+k] = x
			if x >= len(a) && y >= len(b) {
				return backtrack(trace, limit, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// backtrack follows the furthest points back from the end and returns the
// matches on the way.
func backtrack(trace [][]int, limit, x, y int) [][2]int {
	var out [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		v, k := trace[d], x-y
		px, py, sx, sy := 0, 0, 0, 0 // the point before the edit, and after it
		switch {
		case d == 0:
		case k == -d || k != d && v[limit+k-1] < v[limit+k+1]:
			px = v[limit+k+1]
			py = px - k - 1
			sx, sy = px, py+1
		default:
			px = v[limit+k-1]
			py = px - k + 1
			sx, sy = px+1, py
		}
		for x > sx && y > sy {
			x, y = x-1, y-1
			out = append(out, [2]int{x, y})
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}
