package scip

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// Input is the normalised documents of a commit's files. It is safe for
// concurrent use until it is closed.
type Input struct {
	Documents []Stored // in path order
	Tools     []string // ascending
	Digest    artifact.Digest
	spool     *os.File
}

// Stored is one document of an Input.
type Stored struct {
	Path, Tool string
	Digest     artifact.Digest // of its bytes
	off, size  int64
}

// Finish normalises what was collected; it takes the place of Close. An input
// without documents is nil.
func (c *Collector) Finish() (*Input, error) {
	defer c.Close()
	if len(c.docs) == 0 {
		return nil, nil
	}
	w, err := newInputWriter()
	if err != nil {
		return nil, err
	}
	for _, p := range slices.Sorted(maps.Keys(c.docs)) {
		e := c.docs[p]
		doc, err := c.read(e)
		if err == nil {
			doc.normalise(c.own)
			err = w.add(p, strings.Join(e.tools, " and "), doc.Encode())
		}
		if err != nil {
			w.in.Close()
			return nil, err
		}
	}
	return w.finish(), nil
}

// Restore returns the input that blobs of an artifact carry, in partition
// order, checking each document's form and nothing else: whoever asks has to
// compare the digest with the manifest's.
func Restore(blobs [][]byte) (*Input, error) {
	w, err := newInputWriter()
	if err != nil {
		return nil, err
	}
	for _, b := range blobs {
		docs, err := artifact.DecodeInput(b)
		for _, d := range docs {
			if n := len(w.in.Documents); n > 0 && w.in.Documents[n-1].Path >= d.Path {
				err = errors.New("its documents are out of order")
			}
			if err == nil {
				_, err = DecodeDocument(d.Content)
			}
			if err == nil {
				err = w.add(d.Path, d.Tool, d.Content)
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			w.in.Close()
			return nil, err
		}
	}
	return w.finish(), nil
}

type inputWriter struct {
	in   *Input
	end  int64
	hash artifact.InputHash
}

func newInputWriter() (*inputWriter, error) {
	spool, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &inputWriter{in: &Input{spool: spool}}, nil
}

func (w *inputWriter) add(p, tool string, b []byte) error {
	s := Stored{Path: p, Tool: tool, Digest: artifact.DigestOf(b), off: w.end, size: int64(len(b))}
	if _, err := w.in.spool.WriteAt(b, s.off); err != nil {
		return fmt.Errorf("SCIP documents cannot be kept: %w", err)
	}
	w.end += s.size
	w.hash.Add(p, s.Digest)
	w.in.Documents = append(w.in.Documents, s)
	if i, ok := slices.BinarySearch(w.in.Tools, tool); !ok {
		w.in.Tools = slices.Insert(w.in.Tools, i, tool)
	}
	return nil
}

func (w *inputWriter) finish() *Input {
	w.in.Digest = w.hash.Sum()
	return w.in
}

// Find returns the number of the document of a path.
func (in *Input) Find(p string) (int, bool) {
	if in == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(in.Documents, p, func(s Stored, p string) int { return cmp.Compare(s.Path, p) })
}

// Read returns the bytes of document i.
func (in *Input) Read(i int) ([]byte, error) {
	s := in.Documents[i]
	b := make([]byte, s.size)
	if _, err := in.spool.ReadAt(b, s.off); err != nil {
		return nil, fmt.Errorf("SCIP documents cannot be read back: %w", err)
	}
	return b, nil
}

// Close drops the documents.
func (in *Input) Close() {
	if in != nil {
		dropSpool(in.spool)
		in.spool = nil
	}
}
