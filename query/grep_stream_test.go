package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/query/querytest"
)

func engineOf(t *testing.T, texts map[string]string) *Engine {
	t.Helper()
	var files []querytest.File
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, querytest.File{Path: path, Content: texts[path]})
	}
	return New(querytest.New(files, querytest.Options{PerPartition: 3}), Options{Workers: 2})
}

// The stream gives the same hits in the same order as the collected answer,
// however many there are and wherever it is stopped.
func TestGrepStreamEqualsAnswer(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("x\nyy\n", 50*i)
	}
	e := engineOf(t, files)
	ctx := context.Background()
	want, err := e.Grep(ctx, GrepOptions{Pattern: "y*"})
	if err != nil {
		t.Fatal(err)
	}
	if want.Total != 2*50*(39*40/2) || len(want.Results) != want.Total || want.Truncated {
		t.Fatalf("%d lines of %d, truncated %v", len(want.Results), want.Total, want.Truncated)
	}
	var got []GrepHit
	res, err := e.GrepEach(ctx, GrepOptions{Pattern: "y*"}, func(h *GrepHit) error {
		got = append(got, *h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want.Results) || res.Total != want.Total || res.Matches != want.Matches {
		t.Fatal("the stream and the answer differ")
	}
	stop := errors.New("seen enough")
	n := 0
	if _, err := e.GrepEach(ctx, GrepOptions{Pattern: "x"}, func(*GrepHit) error {
		if n++; n == 700 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) || n != 700 {
		t.Fatalf("stopped after %d hits with %v", n, err)
	}
	few, err := e.Grep(ctx, GrepOptions{Pattern: "x", MaxResults: 3})
	if err != nil || len(few.Results) != 3 || !few.Truncated || few.Total != 50*(39*40/2) {
		t.Fatalf("%+v, %v", few, err)
	}
}

// A line of a million matches lists some of them and counts all.
func TestGrepLineOfManyMatches(t *testing.T) {
	e := engineOf(t, map[string]string{"one.txt": strings.Repeat("{", 1<<20)})
	for _, o := range []GrepOptions{{Pattern: "{", Literal: true}, {Pattern: "[{]"}} {
		r, err := e.Grep(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Matches != 1<<20 || len(r.Results) != 1 || len(r.Results[0].Spans) != 1000 {
			t.Errorf("%+v: %d matches, %d spans", o, r.Matches, len(r.Results[0].Spans))
		}
	}
}
