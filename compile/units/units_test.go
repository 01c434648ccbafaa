package units

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// outline lists units as "kind symbol first-last" and their documents.
func outline(r *Result) string {
	var b strings.Builder
	for i, u := range r.Units {
		if i == 0 {
			continue
		}
		fmt.Fprintf(&b, "%v %s %d-%d", u.Kind, u.Symbol, u.StartLine, u.EndLine)
		for d, doc := range r.Docs {
			if int(doc.Unit) != i {
				continue
			}
			fmt.Fprintf(&b, " [%d-%d", doc.StartLine, doc.EndLine)
			if k := r.Fields[d]; k.NamesLo < k.NamesHi {
				fmt.Fprintf(&b, " %s", strings.Join(r.Names[k.NamesLo:k.NamesHi], ","))
			}
			b.WriteString("]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLineFiles(t *testing.T) {
	for _, c := range []struct{ name, lang, text, want string }{
		{"markdown", "markdown", `---
title: x
# not a heading
---
Before.

# Install #

Text.

## From source {#src}

` + "```sh\n# not a heading\n```" + `

Setext title
------------

    # code, not a heading
<!--
# nor this
-->
# Use
`, `remainder  1-5 [1-5]
section Install 7-9 [7-9]
section Install > From source 11-15 [11-15]
section Install > Setext title 17-23 [17-23]
section Use 24-24 [24-24]
`},
		{"markdown without headings", "markdown", "just\ntext\n", "remainder  1-2 [1-2]\n"},
		{"markdown rule is no heading", "markdown", "a\nb\n---\n\n---\n", "remainder  1-5 [1-5]\n"},
		{"rst", "rst", `=====
Title
=====

Intro::

    Not
    ---

Install
-------

Text

From source
~~~~~~~~~~~

Use
---
`, `section Title 1-8 [1-8]
section Title > Install 10-13 [10-13]
section Title > Install > From source 15-16 [15-16]
section Title > Use 18-19 [18-19]
`},
		{"asciidoc", "asciidoc", "= A\n\n----\n== no\n----\n\n== B\ntext\n", "section A 1-5 [1-5]\nsection A > B 7-8 [7-8]\n"},
		{"org", "org", "* A\n#+begin_src\n* no\n#+end_src\n** B\n", "section A 1-4 [1-4]\nsection A > B 5-5 [5-5]\n"},
		{"yaml", "yaml", `name: x
on: push

# The jobs.
jobs:
  a:
    run: |
      b: c
"quoted key":
- a
- b
- c
`, `remainder  1-2 [1-2 name,on]
entry jobs 4-8 [4-8]
entry quoted key 9-12 [9-12]
`},
		{"json", "json", `{
  "name": "x",
  "scripts": {
    "a": "{",
    "b": ["}"]
  },
  "z": 1
}
`, `remainder  1-2 [1-2 name]
entry scripts 3-6 [3-6]
remainder  7-8 [7-8 z]
`},
		{"json, several values", "json", "{\"a\":\n1,\n2:\n3}\n{\"b\":\n1}\n", "remainder  1-6 [1-6]\n"},
		{"json, broken", "json", "{\"a\": [\n1,\n2,\n3\n}\n", "remainder  1-5 [1-5]\n"},
		{"toml", "toml", `title = "x"
list = [
  "[no]",
  [1],
]

# Of the server.
[server]
a = """
[no]
"""
b = 1

[[small]]
`, `remainder  1-1 [1-1 title]
entry list 2-5 [2-5]
entry server 7-12 [7-12]
remainder  14-14 [14-14 small]
`},
		{"ini", "ini", "[a]\nx=1\ny=2\nz=3\n\n[b]\n", "entry a 1-4 [1-4]\nremainder  6-6 [6-6 b]\n"},
		{"hcl", "hcl", `resource "aws_x" "web" {
  policy = <<EOF
{
}
EOF
}
variable "v" {
}
`, `entry resource.aws_x.web 1-6 [1-6]
remainder  7-8 [7-8 variable.v]
`},
		{"protobuf", "protobuf", "// Doc.\nmessage Order {\n  int64 id = 1;\n}\n", "entry Order 1-4 [1-4]\n"},
		{"make", "make", "X := 1\n\nall: a b\n\tcc\n\tdd\n\tee\n\nsmall:\n\tx\n", "remainder  1-1 [1-1]\nentry all 3-6 [3-6]\nremainder  8-9 [8-9 small]\n"},
		{"carriage returns end no line", "", "a\rb\rc", "remainder  1-1 [1-1]\n"},
		{"blank", "", "\n \n\t\n", ""},
		{"empty", "", "", ""},
		{"brackets alone", "", "}\n", ""},
	} {
		r := Build(File{Lang: c.lang, Text: filetext.Decode([]byte(c.text))})
		if got := outline(r); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
		if len(r.Docs) == 0 {
			t.Errorf("%s: no document", c.name)
		}
	}
}

func TestRemaindersAndParts(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		if i%20 == 19 {
			b.WriteString("\n")
		} else {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
	}
	r := Build(File{Text: filetext.Decode([]byte(b.String()))})
	if got, want := outline(r), "remainder  1-39 [1-39]\nremainder  41-99 [41-99]\nremainder  101-139 [101-139]\nremainder  141-199 [141-199]\n"; got != want {
		t.Errorf("remainders:\n%s\nwant:\n%s", got, want)
	}
	text := "def f():\n    " + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n    ") + "\n"
	facts := &syntax.Facts{Decls: []syntax.Decl{{Kind: artifact.KindFunction, Name: "f", Descriptor: "f().", Parent: -1,
		NameAt: 4, End: uint32(len(text)) - 1, SigEnd: 8}}}
	r = Build(File{Lang: "python", Text: filetext.Decode([]byte(text)), Facts: facts})
	if got, want := outline(r), "function f 1-200 [1-40] [42-80] [82-120] [122-160] [162-200]\n"; got != want {
		t.Errorf("parts:\n%s\nwant:\n%s", got, want)
	}
	for d := range r.Docs {
		if r.Fields[d].Symbol != "f" || r.Docs[d].Part != uint32(d) {
			t.Errorf("part %d: %+v %+v", d, r.Docs[d], r.Fields[d])
		}
	}
}

// decl finds a declaration's range by its text.
func decl(text, body, name string, kind artifact.Kind, parent int32) syntax.Decl {
	start := strings.Index(text, body)
	if start < 0 {
		panic(body)
	}
	return syntax.Decl{Kind: kind, Name: name, Descriptor: name + ".", Parent: parent, Start: uint32(start), End: uint32(start + len(body)),
		NameAt: uint32(start + strings.Index(body, name)), SigStart: uint32(start), SigEnd: uint32(start + min(len(body), 5))}
}

func TestDeclarations(t *testing.T) {
	text := `import a

const A = 1
const B = 2

# Doc of C.
class C:
    x = 1
    y = {
        1: 2,
        3: 4,
    }

    def m(self):
        def inner():
            pass
        return inner

    def n(self): pass

z; def f(): pass; def g(): pass
}
`
	ds := []syntax.Decl{
		decl(text, "const A = 1", "A", artifact.KindConstant, -1),
		decl(text, "const B = 2", "B", artifact.KindConstant, -1),
		decl(text, text[strings.Index(text, "# Doc of C"):strings.Index(text, "\n\nz;")], "C", artifact.KindClass, -1),
		decl(text, "x = 1", "x", artifact.KindField, 2),
		decl(text, "y = {\n        1: 2,\n        3: 4,\n    }", "y", artifact.KindField, 2),
		decl(text, "def m(self):\n        def inner():\n            pass\n        return inner", "m", artifact.KindMethod, 2),
		decl(text, "def inner():\n            pass", "inner", artifact.KindFunction, 5),
		decl(text, "def n(self): pass", "n", artifact.KindMethod, 2),
		decl(text, "def f(): pass", "f", artifact.KindFunction, -1),
		decl(text, "def g(): pass", "g", artifact.KindFunction, -1),
	}
	ds[2].NameAt = uint32(strings.Index(text, "C:"))
	ds[2].DocStart, ds[2].DocEnd = ds[2].Start, ds[2].Start+11
	ds[2].SigStart, ds[2].SigEnd = ds[2].Start+12, ds[2].Start+20
	r := Build(File{Lang: "python", Text: filetext.Decode([]byte(text)), Facts: &syntax.Facts{Decls: ds}})
	want := `remainder  1-4 [1-4 A,B]
class C 6-19 [6-8 x]
field C.y 9-12 [9-12]
method C.m 14-17 [14-17]
method C.n 19-19 [19-19]
remainder  21-21 [21-21]
function f 21-21 [21-21]
function g 21-21 [21-21]
`
	if got := outline(r); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for _, s := range r.Symbols {
		u := r.Units[s.Unit]
		wantUnit := map[string]string{"A": "", "B": "", "x": "C", "inner": "C.m"}
		if w, ok := wantUnit[s.Name]; ok && u.Symbol != w {
			t.Errorf("symbol %s is of unit %q", s.Name, u.Symbol)
		}
		if local := s.Flags&artifact.SymbolLocal != 0; local != (s.Name == "inner") {
			t.Errorf("symbol %s: local is %v", s.Name, local)
		}
	}
	if s := r.Symbols[2]; s.Name != "C" || s.Start != (artifact.Position{Line: 6, Col: 1}) || s.NamePos != (artifact.Position{Line: 7, Col: 7}) {
		t.Errorf("symbol C: %+v", s)
	}
	for d, doc := range r.Docs {
		if r.Units[doc.Unit].Symbol != "C" {
			continue
		}
		var got []string
		for _, s := range r.Spans[r.Fields[d].SpansLo:r.Fields[d].SpansHi] {
			got = append(got, fmt.Sprintf("%d %v %q", s.Field, s.Prose, text[s.Start:s.End]))
		}
		want := []string{`3 true "# Doc of C."`, `4 false "\n"`, `2 false "class C:"`, `4 false "\n    x = 1\n"`}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("spans of C: %q, want %q", got, want)
		}
	}
}

func TestProseSpans(t *testing.T) {
	text := "# Title\n\nSome words.\n\n```go\nfunc f() {}\n```\nMore.\n"
	r := Build(File{Lang: "markdown", Text: filetext.Decode([]byte(text))})
	var got []string
	for _, s := range r.Spans {
		got = append(got, fmt.Sprintf("%d %v %q", s.Field, s.Prose, text[s.Start:s.End]))
	}
	want := `2 true "# Title\n"|4 true "\nSome words.\n\n"|4 false "` + "```go\\nfunc f() {}\\n```\\n" + `"|4 true "More.\n"`
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestScale(t *testing.T) {
	// 22,000 small functions, each a unit and a document.
	var b strings.Builder
	var ds []syntax.Decl
	for i := range 22000 {
		start := b.Len()
		fmt.Fprintf(&b, "def f%d(): return %d\n", i, i)
		ds = append(ds, syntax.Decl{Kind: artifact.KindFunction, Name: fmt.Sprintf("f%d", i), Parent: -1,
			NameAt: uint32(start + 4), Start: uint32(start), End: uint32(b.Len() - 1)})
	}
	r := Build(File{Text: filetext.Decode([]byte(b.String())), Facts: &syntax.Facts{Decls: ds}})
	if len(r.Units) != 22001 || len(r.Docs) != 22000 || len(r.Symbols) != 22000 {
		t.Errorf("%d units, %d documents, %d symbols", len(r.Units), len(r.Docs), len(r.Symbols))
	}
	// 20,000 classes one inside the other, on one line.
	const deep = 20000
	text := strings.Repeat("a{", deep) + strings.Repeat("}", deep)
	ds = ds[:0]
	for i := range deep {
		ds = append(ds, syntax.Decl{Kind: artifact.KindClass, Name: "a", Descriptor: "a#", Parent: int32(i - 1),
			NameAt: uint32(2 * i), Start: uint32(2 * i), End: uint32(len(text) - i)})
	}
	r = Build(File{Text: filetext.Decode([]byte(text)), Facts: &syntax.Facts{Decls: ds}})
	if len(r.Units) != deep+1 || len(r.Symbols) != deep {
		t.Errorf("nesting: %d units, %d symbols", len(r.Units), len(r.Symbols))
	}
	for _, u := range r.Units {
		if len(u.Symbol) > maxSymbol+8 {
			t.Fatalf("a symbol of %d bytes", len(u.Symbol))
		}
	}
	// One line of a megabyte is one document, which analysis reads in part.
	r = Build(File{Lang: "javascript", Text: filetext.Decode([]byte(strings.Repeat("var a=1;", 1<<17)))})
	read := uint32(0)
	for _, s := range r.Spans {
		read += s.End - s.Start
	}
	if len(r.Docs) != 1 || read > MaxDocBytes || read < MaxDocBytes-maxName || r.Degraded != artifact.DegradedMinified {
		t.Errorf("a long line: %d documents that read %d bytes, degraded %v", len(r.Docs), read, r.Degraded)
	}
}
