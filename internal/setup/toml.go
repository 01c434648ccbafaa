package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A table that is not there is added at the end of the text, where it can
// belong to nothing else. Whether that is so, and what was edited, is judged by
// reading the text before and after with a full reader; nothing is guessed from
// its form.

// tomlValues reads a TOML text.
func tomlValues(doc []byte) (map[string]any, error) {
	m := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(doc, bom), &m); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, _ := at.Position()
			return nil, fmt.Errorf("line %d: %w", row, err)
		}
		return nil, err
	}
	return m, nil
}

// tomlTable returns the table at a path.
func tomlTable(m map[string]any, path []string) (map[string]any, bool) {
	for _, name := range path {
		below, ok := m[name].(map[string]any)
		if !ok {
			return nil, false
		}
		m = below
	}
	return m, true
}

func renderTOML(path []string, values pairs, nl string) string {
	var b strings.Builder
	b.WriteString("[" + strings.Join(path, ".") + "]" + nl)
	for _, p := range values {
		b.WriteString(p.key + " = ")
		// A JSON string, boolean or array of strings is one of TOML too.
		style{nl: nl, flat: true}.render(&b, p.value, "")
		b.WriteString(nl)
	}
	return b.String()
}

// setTOML adds the table at path, or replaces one that is there.
func setTOML(doc []byte, path []string, values pairs, replace bool) (splice, error) {
	before, err := tomlValues(doc)
	if err != nil {
		return splice{}, err
	}
	nl := newline(doc)
	text := renderTOML(path, values, nl)
	if _, ok := tomlTable(before, path); ok {
		if !replace {
			return splice{}, nil
		}
		lo, hi, ok := findTOML(doc, path)
		if !ok {
			return splice{}, fmt.Errorf("%s is there in a form that is not edited here; change it by hand", strings.Join(path, "."))
		}
		if old := doc[lo:hi]; !sameText(old, []byte(text)) {
			return splice{lo, old, []byte(text)}, nil
		}
		return splice{}, nil
	}
	if body := bytes.TrimPrefix(doc, bom); len(body) > 0 {
		if body[len(body)-1] != '\n' {
			text = nl + nl + text
		} else if !bytes.HasSuffix(body, []byte(nl+nl)) {
			text = nl + text
		}
	}
	s := splice{off: len(doc), ins: []byte(text)}
	after, err := tomlValues(s.apply(doc))
	if err == nil {
		parent, ok := tomlTable(after, path[:len(path)-1])
		if !ok {
			err = errors.New("the table is not where it should be")
		} else {
			delete(parent, path[len(path)-1])
			if _, was := tomlTable(before, path[:len(path)-1]); !was {
				prune(after, path[:len(path)-1])
			}
			if fmt.Sprintf("%#v", after) != fmt.Sprintf("%#v", before) {
				err = errors.New("the rest would change")
			}
		}
	}
	if err != nil {
		return splice{}, fmt.Errorf("the table %s cannot be added at the end: %w", strings.Join(path, "."), err)
	}
	return s, nil
}

// prune removes empty tables along a path, from its end.
func prune(m map[string]any, path []string) {
	for n := len(path); n > 0; n-- {
		parent, ok := tomlTable(m, path[:n-1])
		below, isTable := parent[path[n-1]].(map[string]any)
		if !ok || !isTable || len(below) > 0 {
			return
		}
		delete(parent, path[n-1])
	}
}

// maxTOMLTries bounds how many places are tried as a table's end.
const maxTOMLTries = 64

// findTOML returns the lines of the table at path and of those below it: the
// ones without which the text says the same but for that table.
func findTOML(doc []byte, path []string) (lo, hi int, ok bool) {
	want, err := tomlValues(doc)
	if err != nil {
		return 0, 0, false
	}
	if parent, ok := tomlTable(want, path[:len(path)-1]); ok {
		delete(parent, path[len(path)-1])
		prune(want, path[:len(path)-1])
	}
	expected := fmt.Sprintf("%#v", want)
	header := strings.Join(path, ".")
	tries := 0
	for at := 0; at < len(doc); at = lineEnd(doc, at) {
		line := strings.TrimSpace(string(bytes.TrimPrefix(doc[at:lineEnd(doc, at)], bom)))
		name, isHeader := strings.CutPrefix(line, "[")
		name, _, closed := strings.Cut(name, "]")
		if !isHeader || !closed || strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(name) != header {
			continue
		}
		for end := lineEnd(doc, at); tries < maxTOMLTries; end = lineEnd(doc, end) {
			if end < len(doc) && !bytes.HasPrefix(bytes.TrimLeft(doc[end:], " \t"), []byte("[")) {
				continue
			}
			tries++
			rest, err := tomlValues(splice{off: at, del: doc[at:end]}.apply(doc))
			if err == nil {
				prune(rest, path[:len(path)-1])
				if fmt.Sprintf("%#v", rest) == expected {
					return at, at + len(ownLines(doc[at:end])), true
				}
			}
			if end == len(doc) {
				break
			}
		}
	}
	return 0, 0, false
}

// ownLines cuts off blank lines and comments at the end: they belong to what
// follows.
func ownLines(b []byte) []byte {
	for len(b) > 0 {
		start := bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n') + 1
		if line := bytes.TrimSpace(b[start:]); len(line) > 0 && line[0] != '#' {
			break
		}
		b = b[:start]
	}
	return b
}

func lineEnd(doc []byte, at int) int {
	if n := bytes.IndexByte(doc[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(doc)
}

// removeTOML takes the table at path out.
func removeTOML(doc []byte, path []string) ([]byte, bool, error) {
	m, err := tomlValues(doc)
	if err != nil {
		return doc, false, err
	}
	if _, ok := tomlTable(m, path); !ok {
		return doc, false, nil
	}
	lo, hi, ok := findTOML(doc, path)
	if !ok {
		return doc, false, fmt.Errorf("%s is there in a form that is not edited here; remove it by hand", strings.Join(path, "."))
	}
	// The blank line in front was put there with it.
	if at := len(bytes.TrimRight(doc[:lo], " \t\r\n")); hi == len(doc) && at > 0 {
		lo = lineEnd(doc, at)
	}
	if blank := lineEnd(doc, hi); hi < len(doc) && len(bytes.TrimSpace(doc[hi:blank])) == 0 && len(bytes.TrimSpace(lastLine(doc[:lo]))) == 0 {
		hi = blank
	}
	return splice{off: lo, del: doc[lo:hi]}.apply(doc), true, nil
}

// lastLine returns the last line of a text.
func lastLine(b []byte) []byte {
	return b[bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')+1:]
}
