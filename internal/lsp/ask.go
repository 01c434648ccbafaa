package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is a position in a file of the tree: a path from its root with
// slashes, a line and a byte column, both from 1.
type Place struct {
	Path string
	Line int
	Col  int
}

// Answer is what a server says to one question. Places are sorted and
// distinct.
type Answer struct {
	Places  []Place
	Outside int // targets outside the tree
}

// maxFile is the largest file that is handed to a server.
const maxFile = 16 << 20

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
	// A server may send links although none were asked for.
	TargetURI   string `json:"targetUri"`
	TargetRange span   `json:"targetSelectionRange"`
}

// Open tells the server about a file, once.
func (c *Client) Open(ctx context.Context, path string) error {
	_, err := c.document(ctx, path)
	return err
}

// Forget closes a file in the server.
func (c *Client) Forget(ctx context.Context, path string) error {
	c.mu.Lock()
	_, ok := c.open[path]
	delete(c.open, path)
	c.mu.Unlock()
	if !ok {
		return nil
	}
	return c.notify(ctx, "textDocument/didClose", map[string]any{"textDocument": c.id(path)})
}

func (c *Client) document(ctx context.Context, path string) (*document, error) {
	c.mu.Lock()
	d := c.open[path]
	c.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d, err := c.load(path)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.open[path] = d
	c.mu.Unlock()
	return d, c.notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": c.uri(path), "languageId": languageID(path), "version": 1, "text": string(d.text),
	}})
}

// load reads a file of the tree.
func (c *Client) load(path string) (*document, error) {
	full := filepath.Join(c.root, filepath.FromSlash(path))
	fi, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxFile {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", path, maxFile)
	}
	b, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%s is not UTF-8, which the protocol needs", path)
	}
	d := &document{text: b, lines: []int{0}}
	for i, x := range b {
		if x == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d, nil
}

// line returns the bytes of a line, from 0, without its end.
func (d *document) line(n int) []byte {
	if n < 0 || n >= len(d.lines) {
		return nil
	}
	b := d.text[d.lines[n]:]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	return b
}

// character turns a byte offset in a line into the protocol's count.
func (c *Client) character(line []byte, off int) int {
	off = min(max(off, 0), len(line))
	if c.utf8 {
		return off
	}
	n := 0
	for _, r := range string(line[:off]) {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// offset turns the protocol's count into a byte offset.
func (c *Client) offset(line []byte, character int) int {
	if c.utf8 {
		return min(max(character, 0), len(line))
	}
	n := 0
	for i, r := range string(line) {
		if n >= character {
			return i
		}
		n++
		if r > 0xffff {
			n++
		}
	}
	return len(line)
}

// Definition asks where what stands at a place is defined.
func (c *Client) Definition(ctx context.Context, p Place) (Answer, error) {
	if c.server.Name == "clangd" {
		return c.clangdDefinition(ctx, p)
	}
	return c.ask(ctx, "textDocument/definition", p, nil)
}

// References asks where what stands at a place is used, without where it is
// declared.
func (c *Client) References(ctx context.Context, p Place) (Answer, error) {
	if strings.HasSuffix(c.server.Name, "pyright") {
		// Asked to leave the declaration out, it leaves out the place of the
		// question, whatever stands there.
		def, err := c.Definition(ctx, p)
		if err != nil {
			return Answer{}, err
		}
		a, err := c.ask(ctx, "textDocument/references", p, map[string]any{"includeDeclaration": true})
		a.Places = slices.DeleteFunc(a.Places, func(p Place) bool { return slices.Contains(def.Places, p) })
		return a, err
	}
	return c.ask(ctx, "textDocument/references", p, map[string]any{"includeDeclaration": false})
}

func (c *Client) ask(ctx context.Context, method string, p Place, extra any) (Answer, error) {
	at, err := c.at(ctx, p)
	if err != nil {
		return Answer{}, err
	}
	if extra != nil {
		at["context"] = extra
	}
	var raw json.RawMessage
	if err := c.call(ctx, method, at, &raw); err != nil {
		return Answer{}, err
	}
	locs, err := locations(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: the answer to %s has another form: %w", c.server.Name, method, err)
	}
	return c.answer(locs), nil
}

func (c *Client) at(ctx context.Context, p Place) (map[string]any, error) {
	d, err := c.document(ctx, p.Path)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"textDocument": c.id(p.Path),
		"position":     position{p.Line - 1, c.character(d.line(p.Line-1), p.Col-1)},
	}, nil
}

// locations reads the three forms of an answer: nothing, one, several.
func locations(raw json.RawMessage) ([]location, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	var many []location
	if raw[0] == '{' {
		many = make([]location, 1)
		return many, json.Unmarshal(raw, &many[0])
	}
	return many, json.Unmarshal(raw, &many)
}

func (c *Client) answer(locs []location) Answer {
	var a Answer
	for _, l := range locs {
		uri, r := l.URI, l.Range
		if uri == "" {
			uri, r = l.TargetURI, l.TargetRange
		}
		path, ok := c.inside(uri)
		if !ok {
			a.Outside++
			continue
		}
		p := Place{Path: path, Line: r.Start.Line + 1, Col: r.Start.Character + 1}
		if !c.utf8 {
			// Without the text the count is the column, as it is wherever
			// nothing but ASCII stands before it.
			c.mu.Lock()
			d := c.open[path]
			c.mu.Unlock()
			if d != nil {
				p.Col = c.offset(d.line(r.Start.Line), r.Start.Character) + 1
			}
		}
		a.Places = append(a.Places, p)
	}
	slices.SortFunc(a.Places, func(x, y Place) int {
		if n := strings.Compare(x.Path, y.Path); n != 0 {
			return n
		}
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return x.Col - y.Col
	})
	a.Places = slices.Compact(a.Places)
	return a
}

// clangdDefinition asks clangd, which leads from a definition to the
// declaration: it is asked first whether a definition stands there.
func (c *Client) clangdDefinition(ctx context.Context, p Place) (Answer, error) {
	at, err := c.at(ctx, p)
	if err != nil {
		return Answer{}, err
	}
	var details []struct {
		Definition  *location `json:"definitionRange"`
		Declaration *location `json:"declarationRange"`
	}
	if err := c.call(ctx, "textDocument/symbolInfo", at, &details); err != nil {
		return Answer{}, err
	}
	for _, s := range details {
		if s.Definition == nil {
			continue
		}
		a := c.answer([]location{*s.Definition})
		if len(a.Places) == 1 && a.Places[0].Path == p.Path && a.Places[0].Line == p.Line && a.Places[0].Col == p.Col {
			return a, nil
		}
	}
	return c.ask(ctx, "textDocument/definition", p, nil)
}

// tokenTypes are the kinds of semantic tokens that are asked for.
var tokenTypes = []string{
	"namespace", "type", "class", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property",
	"enumMember", "event", "function", "method", "macro", "decorator",
}

// notNames are kinds of semantic tokens that are no names.
var notNames = []string{
	"keyword", "comment", "string", "number", "regexp", "operator", "modifier", "punctuation", "label", "boolean", "character",
	"escapeSequence", "formatSpecifier", "brace", "bracket", "parenthesis", "angle", "comma", "dot", "colon", "semicolon",
	"arithmetic", "bitwise", "logical", "comparison", "negation", "attributeBracket", "lifetime", "unresolvedReference", "generic",
	"builtinType", "selfKeyword", "selfTypeKeyword", "builtinAttribute", "macroBang", "builtinConstant", "bracket",
}

// Occurrences returns where the server sees names in a file: its semantic
// tokens that are neither the language's own words nor signs. A server without
// semantic tokens returns none.
func (c *Client) Occurrences(ctx context.Context, path string) ([]Place, error) {
	d, err := c.document(ctx, path)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	legend := c.legend
	c.mu.Unlock()
	if len(legend) == 0 {
		return nil, nil
	}
	var r struct {
		Data []int `json:"data"`
	}
	if err := c.call(ctx, "textDocument/semanticTokens/full", map[string]any{"textDocument": c.id(path)}, &r); err != nil {
		return nil, err
	}
	var out []Place
	line, char := 0, 0
	for i := 0; i+5 <= len(r.Data); i += 5 {
		if r.Data[i] > 0 {
			char = 0
		}
		line, char = line+r.Data[i], char+r.Data[i+1]
		kind := r.Data[i+3]
		if kind < 0 || kind >= len(legend) || slices.Contains(notNames, legend[kind]) {
			continue
		}
		out = append(out, Place{path, line + 1, c.offset(d.line(line), char) + 1})
	}
	return out, nil
}

func (c *Client) id(path string) map[string]any { return map[string]any{"uri": c.uri(path)} }

func (c *Client) uri(path string) string {
	return pathURI(filepath.Join(c.root, filepath.FromSlash(path)))
}

func pathURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// inside returns the path in the tree that a URI names.
func (c *Client) inside(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	rel, err := filepath.Rel(c.root, filepath.FromSlash(path))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	// Dependencies that were installed into the tree are not of the tree.
	if strings.HasPrefix(rel, "node_modules/") || strings.Contains(rel, "/node_modules/") || strings.HasPrefix(rel, ".venv/") {
		return "", false
	}
	return rel, true
}

// languageID names a file's language as the protocol does.
func languageID(path string) string {
	switch filepath.Ext(path) {
	case ".go":
		return "go"
	case ".py", ".pyi":
		return "python"
	case ".ts", ".mts", ".cts":
		return "typescript"
	case ".tsx":
		return "typescriptreact"
	case ".js", ".mjs", ".cjs":
		return "javascript"
	case ".jsx":
		return "javascriptreact"
	case ".rs":
		return "rust"
	case ".c":
		return "c"
	case ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".inl", ".ipp":
		return "cpp"
	}
	return strings.TrimPrefix(filepath.Ext(path), ".")
}
