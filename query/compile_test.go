package query

import (
	"bytes"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/filetext"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/query/querytest"
)

// source is a file for compileIndex.
type source struct {
	path    string
	content []byte
}

// compileIndex builds an index of files as the compiler does: real parsers,
// real builders, per files in a partition.
func compileIndex(t testing.TB, files []source, per int, absent map[artifact.View]string) *artifact.Index {
	t.Helper()
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	var parts []querytest.Segments
	for lo := 0; lo < len(files); lo += per {
		parts = append(parts, compilePartition(t, files[lo:min(lo+per, len(files))]))
	}
	return querytest.Assemble(parts, absent)
}

func compilePartition(t testing.TB, files []source) querytest.Segments {
	var batch units.Batch
	var contents [][]byte
	for _, f := range files {
		rec := artifact.File{Path: f.path, Mode: 0o100644, Blob: gitobj.Hash(gitobj.SHA1, "blob", f.content), Size: uint64(len(f.content))}
		rec.Skip = filetext.Inspect(f.content)
		if rec.Skip != artifact.SkipNone {
			batch.Append(rec, nil, nil)
			contents = append(contents, nil)
			continue
		}
		text := filetext.Decode(f.content)
		rec.Lang = units.Language(f.path, text.Bytes)
		var facts *syntax.Facts
		if syntax.Supports(rec.Lang) && !filetext.Minified(text.Bytes) && len(text.Bytes) < 1<<20 {
			var err error
			if facts, err = syntax.Parse(rec.Lang, text.Bytes, syntax.Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		batch.Append(rec, units.Build(units.File{Lang: rec.Lang, Text: text, Facts: facts}), text.Bytes)
		contents = append(contents, f.content)
	}
	out := querytest.Segments{}
	in := &views.Partition{Batch: &batch, Contents: contents, Embedder: embed.NewHashed()}
	for v, build := range views.Builders {
		b, err := build(in)
		if err != nil {
			t.Fatalf("%s view: %v", v, err)
		}
		out[v] = b
	}
	return out
}

// archive reads a text archive: sections that begin with "-- NAME --".
func archive(b []byte) (files []source) {
	for _, line := range bytes.SplitAfter(b, lf) {
		if name, ok := bytes.CutPrefix(line, []byte("-- ")); ok && bytes.HasSuffix(bytes.TrimSpace(name), []byte(" --")) {
			files = append(files, source{path: string(bytes.TrimSuffix(bytes.TrimSpace(name), []byte(" --")))})
			continue
		}
		if len(files) > 0 {
			f := &files[len(files)-1]
			f.content = append(f.content, line...)
		}
	}
	return files
}

// testEngine compiles testdata/NAME.txtar.
func testEngine(t testing.TB, name string) *Engine {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return New(compileIndex(t, archive(b), 3, nil), Options{})
}
