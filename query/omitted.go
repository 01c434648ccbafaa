package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// maxOmittedNamed bounds the changed files that an answer names.
const maxOmittedNamed = 4

// navHeader is the header of an answer about names. Where files are hidden it
// says what the answer lacks: with names, when a hidden file mentions one of
// them, as the index has it or as it is now; without, whenever there is one.
func (e *Engine) navHeader(ctx context.Context, begun time.Time, names ...string) (Header, error) {
	h := e.header(begun)
	var err error
	h.Omitted, err = e.omitted(ctx, names)
	return h, err
}

// omitted says what hidden files an answer lacks, "" for none.
func (e *Engine) omitted(ctx context.Context, names []string) (string, error) {
	if len(e.hidden) == 0 {
		return "", nil
	}
	if len(names) == 0 {
		return fmt.Sprintf("the symbols of %s are left out, and links through them", changedFiles(len(e.hidden))), nil
	}
	var found []string
	err := artifact.Guard(func() error {
		for path := range e.hidden {
			if err := ctx.Err(); err != nil {
				return err
			}
			hit, err := mentioned(e.ix, path, names)
			if err == nil && !hit && e.over != nil {
				hit, err = mentioned(e.over.ix, path, names)
			}
			if err != nil {
				return err
			}
			if hit {
				found = append(found, path)
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return "", err
	}
	slices.Sort(found)
	var list []string
	for _, path := range found[:min(len(found), maxOmittedNamed)] {
		list = append(list, quote(path))
	}
	if n := len(found) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("the symbols of %s are left out, where %s stands: %s; grep reads those",
		changedFiles(len(found)), quote(names[0]), strings.Join(list, ", ")), nil
}

func changedFiles(n int) string {
	if n == 1 {
		return "1 changed file"
	}
	return fmt.Sprintf("%d changed files", n)
}

// mentioned reports whether one of the names stands in a file as a word. A file
// whose text is not there may hold any.
func mentioned(ix *artifact.Index, path string, names []string) (bool, error) {
	p, f, ok, err := ix.FindFile(path)
	if err != nil || !ok {
		return false, err
	}
	src, err := ix.Source(p)
	if errors.Is(err, artifact.ErrViewAbsent) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	text := src.Content(f)
	for _, name := range names {
		if hasWord(text, name) {
			return true, nil
		}
	}
	return false, nil
}

func hasWord(text []byte, name string) bool {
	word := []byte(name)
	for at := 0; len(word) > 0; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(word)
		if (begin == 0 || !isWordByte(text[begin-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		at = begin + 1
	}
	return false
}

// namesOf are the names that a target and what was found for it bear; none for
// a place whose name is not known.
func namesOf(text string, hits []SymbolHit) []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text = strings.TrimSpace(text)
	if !idForm.Get().MatchString(text) && !positionForm.Get().MatchString(text) {
		if i := strings.LastIndexByte(text, ':'); i >= 0 {
			if text = text[i+1:]; idForm.Get().MatchString(text) {
				text = ""
			}
		}
		if c := nameComponents(text); len(c) > 0 {
			add(c[len(c)-1])
		}
	}
	for i := range hits {
		add(hits[i].Name)
	}
	return names
}

// missing adds to the error of a name that was not found the changed files in
// which it may be.
func (e *Engine) missing(ctx context.Context, err error, text string) error {
	var known *fail.Error
	if len(e.hidden) == 0 || !errors.As(err, &known) || known.Code != fail.NotFound {
		return err
	}
	names := namesOf(text, nil)
	if len(names) == 0 {
		return err
	}
	note, nerr := e.omitted(ctx, names)
	if nerr != nil || note == "" {
		return err
	}
	more := *known
	more.What += "; " + note
	return &more
}
