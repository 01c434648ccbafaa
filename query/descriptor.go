package query

import "strings"

// descriptorNames returns the names of a symbol's SCIP descriptors, outermost
// first: "Flask#url_for()." gives Flask and url_for. Parameters and type
// parameters give no name.
func descriptorNames(d string) []string {
	var out []string
	for d != "" {
		switch d[0] {
		case '[', '(':
			end := strings.IndexByte(d, closing(d[0]))
			if end < 0 {
				return out
			}
			d = d[end+1:]
			continue
		}
		name, rest := descriptorName(d)
		if rest == "" && name == "" {
			return out
		}
		d = rest
		if d == "" {
			return append(out, name)
		}
		switch d[0] {
		case '(': // method(disambiguator).
			end := strings.IndexByte(d, ')')
			if end < 0 {
				return append(out, name)
			}
			d = d[end+1:]
			d = strings.TrimPrefix(d, ".")
		default: // / # . : !
			d = d[1:]
		}
		out = append(out, name)
	}
	return out
}

func closing(b byte) byte {
	if b == '[' {
		return ']'
	}
	return ')'
}

// descriptorName cuts one name off: plain, or between backticks where a
// backtick is written twice.
func descriptorName(d string) (name, rest string) {
	if d[0] != '`' {
		i := strings.IndexAny(d, "/#.:!([")
		if i < 0 {
			return d, ""
		}
		if i == 0 {
			return "", d[1:]
		}
		return d[:i], d[i:]
	}
	var b strings.Builder
	for i := 1; i < len(d); i++ {
		if d[i] != '`' {
			b.WriteByte(d[i])
			continue
		}
		if i+1 < len(d) && d[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		return b.String(), d[i+1:]
	}
	return b.String(), ""
}
