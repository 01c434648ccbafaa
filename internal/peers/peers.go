// Package peers drives programs that pindex is measured beside: how each
// indexes a folder, and how one process of it answers many questions.
//
// A peer runs as it was installed, in a home folder of its own, without
// telemetry and without the network as far as its settings allow. What it
// answers is foreign output: counted, bounded and checked before it is scored.
package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Question is one question to a peer.
type Question struct {
	Text  string `json:"text"`
	Limit int    `json:"limit"` // how many results are wanted
}

// Place is one result: lines Start to End (from 1, both included) of a file
// below the indexed folder, '/'-separated. Lines are 0 where the peer named
// none.
type Place struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Peer is a program as it is installed here.
type Peer interface {
	// Label names the peer with its version and settings; what two labels
	// have in common is not compared.
	Label(ctx context.Context) (string, error)
	// Index is the command that indexes the folder in which it runs; nil for
	// a peer that indexes when it is asked.
	Index() []string
	// Ask puts the questions to one process of the peer, which answers from
	// the folder dir, and returns the results of each.
	Ask(ctx context.Context, dir string, qs []Question) ([][]Place, error)
}

// Run runs one command of a peer in dir and returns what it printed.
func Run(ctx context.Context, dir string, argv []string, in io.Reader) ([]byte, error) {
	home, err := os.MkdirTemp("", "peer-home-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"DO_NOT_TRACK=1", "CODEGRAPH_TELEMETRY=0", "HF_HUB_OFFLINE=1")
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		tail := strings.TrimSpace(msg.String())
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, tail[max(0, len(tail)-400):])
	}
	return out.Bytes(), nil
}

// ask runs a script that reads questions, one JSON object a line, and prints
// answers.
func ask(ctx context.Context, dir string, argv []string, qs []Question) ([][]Place, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, q := range qs {
		if err := enc.Encode(q); err != nil {
			return nil, err
		}
	}
	out, err := Run(ctx, dir, argv, &in)
	if err != nil {
		return nil, err
	}
	return parseAnswers(out, dir, qs)
}

// maxLine bounds the answer to one question, in bytes.
const maxLine = 4 << 20

// parseAnswers reads the lines {"question":N,"places":[...]} of a script: one
// for each question, in their order. Paths may be absolute below dir. Lines
// that are no JSON objects are a peer's chatter and are passed over.
func parseAnswers(out []byte, dir string, qs []Question) ([][]Place, error) {
	var all [][]Place
	scan := bufio.NewScanner(bytes.NewReader(out))
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		line := bytes.TrimSpace(scan.Bytes())
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		var a struct {
			Question *int    `json:"question"`
			Places   []Place `json:"places"`
			Error    string  `json:"error"`
		}
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, fmt.Errorf("answer %d cannot be read: %w", len(all), err)
		}
		if a.Error != "" {
			return nil, errors.New(a.Error)
		}
		if a.Question == nil || *a.Question != len(all) || len(all) >= len(qs) {
			return nil, fmt.Errorf("answer %d is to another question", len(all))
		}
		if limit := qs[len(all)].Limit; len(a.Places) > limit {
			return nil, fmt.Errorf("answer %d has %d results, and %d were wanted", len(all), len(a.Places), limit)
		}
		for i := range a.Places {
			if err := a.Places[i].clean(dir); err != nil {
				return nil, fmt.Errorf("answer %d: %w", len(all), err)
			}
		}
		all = append(all, a.Places)
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(all) != len(qs) {
		return nil, fmt.Errorf("%d answers to %d questions", len(all), len(qs))
	}
	return all, nil
}

// clean makes a path relative to dir and refuses what is no place in it.
func (p *Place) clean(dir string) error {
	path := filepath.ToSlash(p.Path)
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(rel)
	}
	if path = strings.TrimPrefix(path, "./"); !filepath.IsLocal(path) || path == "." {
		return fmt.Errorf("%q is no file of the folder", p.Path)
	}
	if p.Start < 0 || p.End < p.Start {
		return fmt.Errorf("%s has no lines %d to %d", path, p.Start, p.End)
	}
	p.Path = path
	return nil
}

// OneAFile keeps the first result of each file, at most n.
func OneAFile(places []Place, n int) []Place {
	var out []Place
	seen := map[string]bool{}
	for _, p := range places {
		if len(out) == n {
			break
		}
		if !seen[p.Path] {
			seen[p.Path] = true
			out = append(out, p)
		}
	}
	return out
}
