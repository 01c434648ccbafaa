package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/query"
)

// oneLine returns s so that it stands within one line and shows what it is:
// control characters, invalid UTF-8 and characters that hide or reorder text
// become escapes. For names and paths; source lines stay verbatim.
func oneLine(s string) string {
	clean := func(r rune) bool {
		return r != utf8.RuneError && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != 0x2028 && r != 0x2029
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return !clean(r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case clean(r) || r == utf8.RuneError:
			b.WriteString(s[i : i+n])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// verbatim returns source text as it may stand in a JSON string: as it is
// where it is UTF-8, else with the other bytes as escapes.
func verbatim(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&out, `\x%02x`, b[0])
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return out.String()
}

// clip bounds a sentence, in bytes, at the boundary of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func quote(s string) string { return strconv.Quote(clip(s, 80)) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// splitLines splits text at LF alone and keeps the line ends.
func splitLines(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}

// numbered writes lines behind their numbers.
func numbered(w *strings.Builder, first int, b []byte) {
	for i, l := range splitLines(b) {
		fmt.Fprintf(w, "%6d  %s\n", first+i, strings.TrimSuffix(verbatim(l), "\n"))
	}
}

// lineText is a line as it stands beside its place: without indentation.
func lineText(b []byte) string { return strings.Trim(verbatim(b), " \t\r\n") }

// encode returns the JSON of structured content.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func jsonSize(v any) int {
	b, err := encode(v)
	if err != nil {
		return 1 << 30 // fits nowhere
	}
	return len(b)
}

// where is a place in structured content.
type where struct {
	Path      string `json:"path,omitempty"`
	PathB64   []byte `json:"path_b64,omitempty"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
}

func whereOf(p query.Place) where {
	return where{Path: p.Path, PathB64: p.PathB64, StartLine: p.StartLine, EndLine: p.EndLine}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
