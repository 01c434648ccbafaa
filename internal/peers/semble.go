package peers

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed ask_semble.py
var askSemble string

// Semble is the PyPI package semble.
type Semble struct {
	Python string // an interpreter that has the package
	Model  string // a folder with a model2vec model; "" for the package's own, which is on a hub
	// Alpha is the share of vectors in the order, 0 (words and the package's
	// own ranking alone) to 1; below 0 the package chooses by the question.
	Alpha float64
}

// Index implements Peer.
func (s Semble) Index() []string { return nil }

// Label implements Peer.
func (s Semble) Label(ctx context.Context) (string, error) {
	out, err := Run(ctx, "", []string{s.Python, "-c", "import semble; print(semble.__version__)"}, nil)
	if err != nil {
		return "", err
	}
	label := "semble " + strings.TrimSpace(string(out))
	if s.Alpha != 0 {
		model := "its own model"
		if s.Model != "" {
			model = filepath.Base(s.Model)
		}
		label += " with " + model
	}
	if s.Alpha >= 0 {
		label += fmt.Sprintf(", alpha %g", s.Alpha)
	}
	return label, nil
}

// Ask implements Peer.
func (s Semble) Ask(ctx context.Context, dir string, qs []Question) ([][]Place, error) {
	alpha := ""
	if s.Alpha >= 0 {
		alpha = strconv.FormatFloat(s.Alpha, 'g', -1, 64)
	}
	model := s.Model
	if model != "" {
		var err error
		if model, err = filepath.Abs(model); err != nil {
			return nil, err
		}
		if _, err := os.Stat(model); err != nil {
			return nil, err
		}
	}
	return ask(ctx, dir, []string{s.Python, "-c", askSemble, dir, model, alpha}, qs)
}
