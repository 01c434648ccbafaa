package lsp

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	for _, c := range []struct{ name, in, err string }{
		{"whole", "Content-Length: 2\r\n\r\n{}", ""},
		{"other headers", "content-type: x\r\nCONTENT-LENGTH: 2\r\n\r\n{}", ""},
		{"no length", "X: 1\r\n\r\n{}", "without its length"},
		{"negative", "Content-Length: -1\r\n\r\n", "not a number"},
		{"too long", "Content-Length: 999999999999\r\n\r\n", "not a number"},
		{"cut off", "Content-Length: 10\r\n\r\n{}", "ends after 2 of 10"},
		{"cut off in the header", "Content-Le", "unexpected EOF"},
		{"no JSON", "Content-Length: 3\r\n\r\nabc", "not JSON-RPC"},
		{"endless header", strings.Repeat("A: b\r\n", 2000), "longer than"},
	} {
		_, err := readMessage(bufio.NewReader(strings.NewReader(c.in)))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// No bytes of a server may bring its reader down.
func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 60\r\n\r\n{\"id\":1,\"result\":[{\"uri\":\"file:///a\",\"range\":{}}]}"))
	f.Add([]byte("\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bufio.NewReader(bytes.NewReader(b))
		for range 100 {
			m, err := readMessage(r)
			if err != nil {
				return
			}
			if locs, err := locations(m.Result); err == nil {
				c := &Client{root: "/", open: map[string]*document{}}
				c.answer(locs)
			}
		}
	})
}
