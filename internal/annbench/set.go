package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"unsafe"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/registry"
)

const (
	dims      = 256
	questions = 200
)

// vectors are rows of dims numbers, back to back.
type vectors []int8

func (v vectors) len() int         { return len(v) / dims }
func (v vectors) row(i int) []int8 { return v[i*dims : (i+1)*dims : (i+1)*dims] }

// gather writes the distinct vectors of some indexes, shuffled. A source is the
// full hash of a commit that the store has an index of, or a file that
// `evalbench vectors` wrote.
func gather(ctx context.Context, dir, out string, sources []string) error {
	var rows vectors
	for _, name := range sources {
		var err error
		if strings.HasSuffix(name, ".gob") {
			var g *gathered
			if g, err = readGathered(name); err == nil {
				rows = append(rows, g.Rows...)
			}
		} else {
			rows, err = appendIndex(ctx, rows, dir, name)
		}
		if err != nil {
			return err
		}
	}
	all := rows.len()
	rows = distinct(rows)
	fmt.Printf("%d vectors, %d of them distinct\n", all, rows.len())
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(rows.len()) {
		if _, err := w.Write(raw(rows.row(i))); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// appendIndex appends the vectors of a commit's index.
func appendIndex(ctx context.Context, rows vectors, dir, hash string) (vectors, error) {
	store, err := registry.OpenLocal(dir)
	if err != nil {
		return nil, err
	}
	// The units come along whatever is asked for.
	ix, err := fetch.Open(ctx, store, fetch.OpenCache(""), hash, fetch.OpenOptions{
		Views: []artifact.View{artifact.Dense}, Only: func(string, int) {},
	})
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	for p := range ix.NumPartitions() {
		d, err := ix.Dense(p)
		if err != nil {
			return nil, err
		}
		if d.Dims() != dims {
			return nil, fmt.Errorf("%s has vectors of %d dimensions, not %d", hash, d.Dims(), dims)
		}
		rows = append(rows, d.Rows()...)
	}
	return rows, nil
}

// load reads n vectors and the questions of a file that gather wrote, or all of
// both that `evalbench vectors` wrote of a commit.
func load(name string, n int) (set, asked vectors, err error) {
	if !strings.HasSuffix(name, ".gob") {
		return readSet(name, n, questions)
	}
	g, err := readGathered(name)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range g.Asked {
		asked = append(asked, a.Query...)
	}
	return g.Rows, asked, nil
}

// readSet reads the first n vectors of a file, and the last ones as questions.
func readSet(name string, n, asked int) (set, last vectors, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if all := int(st.Size() / dims); n < 1 || all < n+asked {
		return nil, nil, fmt.Errorf("%s has %d vectors, too few for a set of %d and %d questions", name, all, n, asked)
	}
	set, last = make(vectors, n*dims), make(vectors, asked*dims)
	if _, err := io.ReadFull(f, raw(set)); err != nil {
		return nil, nil, err
	}
	if _, err := f.ReadAt(raw(last), st.Size()-int64(len(last))); err != nil {
		return nil, nil, err
	}
	return set, last, nil
}

func raw(v []int8) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)) }

// distinct drops equal vectors, such as those of generated code: a graph whose
// neighbours are all copies of one another has no way out. It keeps the first
// of each, and uses the memory that it is given.
func distinct(rows vectors) vectors {
	seen := make(map[[dims]int8]struct{}, rows.len())
	out := rows[:0]
	for i := range rows.len() {
		k := [dims]int8(rows.row(i))
		if _, ok := seen[k]; !ok {
			seen[k] = struct{}{}
			out = append(out, k[:]...)
		}
	}
	return out
}
