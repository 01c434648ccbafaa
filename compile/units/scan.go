package units

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// scan cuts a file that is not parsed by what its lines say. Scanners are
// simple and cannot fail: what they do not understand stays a remainder.
func (b *builder) scan(lang string) {
	text := b.lt.text
	switch lang {
	case "markdown", "mdx":
		b.prose = true
		b.sections(b.markdown())
		return
	case "rst":
		b.prose = true
		b.sections(b.rst())
		return
	case "asciidoc":
		b.prose = true
		b.sections(b.asciidoc())
		return
	case "org":
		b.prose = true
		b.sections(b.org())
		return
	case "text", "latex", "pod":
		b.prose = true
		return
	}
	if lang != "" && filetext.Minified(text) {
		b.res.Degraded = artifact.DegradedMinified
		return
	}
	switch lang {
	case "yaml":
		b.entries(b.yaml())
	case "json", "jsonc":
		b.entries(b.json())
	case "toml":
		b.entries(b.toml())
	case "ini":
		b.entries(b.ini())
	case "hcl", "protobuf", "graphql", "thrift", "prisma":
		b.entries(b.blocks(lang))
	case "make", "just":
		b.entries(b.rules())
	}
}

// Backend names what cuts a file in a language that no parser reads: the
// kinds of scan above, or "lines".
func Backend(lang string) string {
	switch lang {
	case "markdown", "mdx", "rst", "asciidoc", "org":
		return "headings"
	case "yaml", "json", "jsonc", "toml", "ini":
		return "keys"
	case "hcl", "protobuf", "graphql", "thrift", "prisma":
		return "blocks"
	case "make", "just":
		return "rules"
	}
	return "lines"
}

// line returns line i without its end.
func (b *builder) line(i int) []byte {
	return bytes.TrimRight(b.lt.text[b.lt.starts[i]:b.lt.end(i)], "\r\n")
}

// entry is a top-level element of a configuration file: the lines
// [from, to) and its name.
type entry struct {
	from, to int
	at       uint32 // where the name stands
	sigEnd   uint32 // the signature runs from at to here
	name     string
}

// entries makes nodes of the larger entries and leaves of the smaller ones.
// They come in order and share no line.
func (b *builder) entries(es []entry) {
	for _, e := range es {
		for e.to > e.from && len(bytes.TrimSpace(b.line(e.to-1))) == 0 {
			e.to--
		}
		name := clip(e.name, maxName)
		if e.to-e.from < smallLeafLines {
			if name != "" {
				b.leafs = append(b.leafs, leaf{at: e.at, name: name})
			}
			continue
		}
		b.nodes = append(b.nodes, node{start: b.lt.starts[e.from], end: b.lt.end(e.to - 1), decl: -1,
			kind: artifact.KindEntry, name: name, symbol: name})
		b.mark(e.at, e.sigEnd, artifact.FieldSignature, false)
	}
}

// comments returns the first of the comment lines that stand directly above
// line i, but not below line floor.
func (b *builder) comments(i, floor int, starts string) int {
	for i > floor {
		l := bytes.TrimLeft(b.line(i-1), " \t")
		if len(l) == 0 || bytes.IndexByte([]byte(starts), l[0]) < 0 {
			break
		}
		i--
	}
	return i
}

// heading is a heading of prose on lines [line, body).
type heading struct {
	line, body int
	level      int
	name       string
}

const maxHeading = 200

// sections makes one node from each heading to the next.
func (b *builder) sections(hs []heading) {
	type outer struct {
		level int
		path  string
	}
	var around []outer
	for i, h := range hs {
		to := b.lt.count()
		if i+1 < len(hs) {
			to = hs[i+1].line
		}
		for to > h.body && len(bytes.TrimSpace(b.line(to-1))) == 0 {
			to--
		}
		for len(around) > 0 && around[len(around)-1].level >= h.level {
			around = around[:len(around)-1]
		}
		name := clip(h.name, maxHeading)
		path := name
		if len(around) > 0 {
			path = join(around[len(around)-1].path, " > ", name, maxSymbol)
		}
		around = append(around, outer{h.level, path})
		start := b.lt.starts[h.line]
		b.nodes = append(b.nodes, node{start: start, end: b.lt.end(to - 1), decl: -1,
			kind: artifact.KindSection, name: name, symbol: path})
		b.mark(start, b.lt.end(h.body-1), artifact.FieldSignature, true)
	}
}

// code notes that lines [from, to) are no prose.
func (b *builder) code(from, to int) {
	if from < to {
		b.mark(b.lt.starts[from], b.lt.end(to-1), artifact.FieldBody, false)
	}
}
