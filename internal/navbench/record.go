package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Caps of one answer, in places in path order: a name that is used everywhere
// shall not outweigh all others.
const (
	maxDefs = 8
	maxRefs = 40
)

// place is a path and a line from 1. In JSON it is an array of both.
type place struct {
	Path string
	Line int
}

func (p place) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Path, p.Line}) }

func (p *place) UnmarshalJSON(b []byte) error {
	var pair [2]json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if err := json.Unmarshal(pair[0], &p.Path); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &p.Line)
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.Path, p.Line) }

func (p place) compare(q place) int {
	switch {
	case p.Path != q.Path && p.Path < q.Path:
		return -1
	case p.Path != q.Path:
		return 1
	}
	return p.Line - q.Line
}

// record is what an oracle says of one position: one line of a file.
type record struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Lang   string `json:"lang"`
	Oracle string `json:"oracle"`
	Path   string `json:"path"`
	Line   int    `json:"line"` // from 1
	Col    int    `json:"col"`  // bytes, from 1
	Name   string `json:"name"`
	Sample string `json:"sample"` // occ or ident
	// Def and Refs are places in the tree, sorted and distinct, all of them:
	// the caps are the scorer's. Refs are without the declaration.
	Def  []place `json:"def"`
	Refs []place `json:"refs"`
	// External says that a definition lies outside the tree.
	External bool `json:"external"`
	// Answered says that the oracle gave a definition, wherever it lies.
	Answered bool `json:"answered"`
	// Error is why an oracle failed at the position.
	Error string `json:"error,omitempty"`
	// DefUS and RefsUS are the microseconds that the answers took.
	DefUS  int64 `json:"def_us"`
	RefsUS int64 `json:"refs_us"`
	// StartMS and WarmMS are, on the first record alone, the milliseconds of
	// the server's start and of its reading of the project.
	StartMS int64 `json:"start_ms,omitempty"`
	WarmMS  int64 `json:"warm_ms,omitempty"`
	// Unknown are, on the first record alone, the files of the language that
	// the server has no picture of: it lists no uses in them.
	Unknown []string `json:"unknown,omitempty"`
}

func readRecords(file string) ([]record, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []record
	for i, line := range bytes.Split(b, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, i+1, err)
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no record", file)
	}
	return out, nil
}

func writeRecords(file string, rs []record) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range rs {
		if err := e.Encode(r); err != nil {
			_ = f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
