// Package lsptest is a language server for tests. It knows one rule: a name is
// defined where "func NAME" or "def NAME" stands, and used wherever else it
// stands as a word. And it can go wrong in each of the ways in which servers
// do.
package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Mode says how the server behaves.
type Mode string

const (
	Good    Mode = "good"
	Crash   Mode = "crash"   // ends at the first question
	Hang    Mode = "hang"    // never answers a question
	Garbage Mode = "garbage" // answers a question with something else than the protocol
	Refuse  Mode = "refuse"  // answers a question with an error
	Deaf    Mode = "deaf"    // does not even shake hands, and reads nothing
	Early   Mode = "early"   // ends before the handshake
	Huge    Mode = "huge"    // announces a message without end
	Odd     Mode = "odd"     // answers with JSON of another form
	Outside Mode = "outside" // every definition lies outside the tree
	Wrong   Mode = "wrong"   // every definition is one line too far down
)

// ErrCrash is what Serve returns when it was told to crash.
var ErrCrash = errors.New("crashed, as it was told to")

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RootURI      string `json:"rootUri"`
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Position struct {
			Line      int `json:"line"`
			Character int `json:"character"`
		} `json:"position"`
	} `json:"params"`
}

// Serve speaks the protocol until in ends or the peer says goodbye.
func Serve(in io.Reader, out io.Writer, mode Mode) error {
	switch mode {
	case Deaf:
		time.Sleep(time.Hour)
	case Early:
		return ErrCrash
	}
	r := bufio.NewReader(in)
	root := ""
	for {
		q, err := read(r)
		if err != nil {
			return err
		}
		if q.Method == "" {
			continue // the answer to our question
		}
		if len(q.ID) == 0 {
			if q.Method == "exit" {
				return nil
			}
			continue
		}
		var result any
		switch q.Method {
		case "initialize":
			root = path(q.Params.RootURI)
			result = map[string]any{"capabilities": map[string]any{"positionEncoding": "utf-16"}}
			// Servers ask their client, too.
			if err := send(out, map[string]any{"jsonrpc": "2.0", "id": "s1", "method": "workspace/configuration",
				"params": map[string]any{"items": []any{map[string]any{"section": "x"}}}}); err != nil {
				return err
			}
		case "shutdown":
		default:
			switch mode {
			case Crash:
				return ErrCrash
			case Hang:
				continue
			case Garbage:
				fmt.Fprint(out, "Segmentation fault\r\nthis is no protocol\r\n\r\n")
				continue
			case Huge:
				fmt.Fprint(out, "Content-Length: 99999999999\r\n\r\n{")
				continue
			case Odd:
				result = "a string"
			case Refuse:
				if err := send(out, map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": map[string]any{"code": -32603, "message": "no view of the file"}}); err != nil {
					return err
				}
				continue
			default:
				if result, err = answer(root, q, mode); err != nil {
					return err
				}
			}
		}
		if err := send(out, map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": result}); err != nil {
			return err
		}
	}
}

func read(r *bufio.Reader) (*request, error) {
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if n, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return nil, err
			}
		}
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	q := new(request)
	return q, json.Unmarshal(b, q)
}

func send(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(b), b)
	return err
}

func path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Path
}

var word = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// answer finds the word at the place and looks for it in every file.
func answer(root string, q *request, mode Mode) (any, error) {
	b, err := os.ReadFile(path(q.Params.TextDocument.URI))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(b), "\n")
	if q.Params.Position.Line >= len(lines) {
		return nil, nil
	}
	name := ""
	for _, at := range words(lines[q.Params.Position.Line]) {
		if at.start <= q.Params.Position.Character && q.Params.Position.Character < at.end {
			name = at.text
		}
	}
	if name == "" {
		return nil, nil
	}
	locs := []any{}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(b), "\n") {
			for _, at := range words(line) {
				if at.text != name || at.defines != (q.Method == "textDocument/definition") {
					continue
				}
				file, n := p, i
				switch mode {
				case Outside:
					file = "/elsewhere/file.go"
				case Wrong:
					n++
				}
				locs = append(locs, map[string]any{
					"uri": (&url.URL{Scheme: "file", Path: file}).String(),
					"range": map[string]any{
						"start": map[string]any{"line": n, "character": at.start},
						"end":   map[string]any{"line": n, "character": at.end},
					},
				})
			}
		}
		return nil
	})
	return locs, err
}

type at struct {
	text       string
	start, end int // in UTF-16 units
	defines    bool
}

func words(line string) []at {
	var out []at
	units := func(s string) (n int) {
		for _, r := range s {
			n++
			if r > 0xffff {
				n++
			}
		}
		return n
	}
	for _, m := range word.FindAllStringIndex(line, -1) {
		before := strings.TrimRight(line[:m[0]], " ")
		out = append(out, at{line[m[0]:m[1]], units(line[:m[0]]), units(line[:m[1]]),
			strings.HasSuffix(before, "func") || strings.HasSuffix(before, "def")})
	}
	return out
}
