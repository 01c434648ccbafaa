package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

func TestIndex(t *testing.T) {
	a := newSampleArtifact(t, 1, 9)
	ix := a.index(t)
	if ix.NumPartitions() != 9 || ix.Manifest().Commit != a.manifest.Commit {
		t.Fatal("manifest differs")
	}
	for p := range ix.NumPartitions() {
		u, err := ix.Units(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ix.Units(p); err != nil || again != u {
			t.Fatal("a second reader was opened")
		}
		src, err := ix.Source(p)
		if err != nil {
			t.Fatal(err)
		}
		for f, want := range a.parts[p].contents {
			if string(src.Content(f)) != string(want) {
				t.Fatalf("partition %d file %d: content differs", p, f)
			}
		}
		if _, err := ix.Lexical(p); err != nil {
			t.Fatal(err)
		}
		if _, err := ix.Dense(p); err != nil {
			t.Fatal(err)
		}
		if _, err := ix.Structural(p); err != nil {
			t.Fatal(err)
		}
		for f, file := range a.parts[p].units.Files {
			gp, gf, ok, err := ix.FindFile(file.Path)
			if err != nil || !ok || gp != p || gf != f {
				t.Fatalf("FindFile(%q) = %d, %d, %t, %v", file.Path, gp, gf, ok, err)
			}
			if _, _, ok, err := ix.FindFile(file.Path + "x"); ok || err != nil {
				t.Fatal("found a file that is not there", err)
			}
		}
	}
	for _, path := range []string{"", "a", "p", "zzz"} {
		if _, _, ok, err := ix.FindFile(path); ok || err != nil {
			t.Fatalf("FindFile(%q): %t, %v", path, ok, err)
		}
	}
	for _, p := range []int{-1, 9} {
		if _, err := ix.Units(p); err == nil {
			t.Fatalf("partition %d opens", p)
		}
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Units(0); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

// TestIndexOpensOnce: many goroutines, one call of the opener for each segment
// and no more partitions than a look-up needs.
func TestIndexOpensOnce(t *testing.T) {
	a := newSampleArtifact(t, 1, 30)
	var calls atomic.Int64
	closed := 0
	ix := NewIndex(a.manifest, Digest{1}, func(p int, v View, seg SegmentInfo) ([]byte, error) {
		calls.Add(1)
		return a.open(p, v, seg)
	}, func() error { closed++; return errors.New("closing") })
	if ix.Digest() != (Digest{1}) {
		t.Fatal("digest differs")
	}
	if _, _, ok, err := ix.FindFile(a.parts[17].units.Files[0].Path); !ok || err != nil || calls.Load() > 6 {
		t.Fatalf("%t, %v after opening %d partitions", ok, err, calls.Load())
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for p := range ix.NumPartitions() {
				if _, err := ix.Units(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if calls.Load() != 30 {
		t.Fatalf("%d calls", calls.Load())
	}
	if err := ix.Close(); err == nil || closed != 1 {
		t.Fatal("closing was not tried")
	}
	if err := ix.Close(); err != nil || closed != 1 {
		t.Fatal("closed twice")
	}
}

// TestIndexOpensSharedOnce: the imports are a part of the structural segment.
// The opener takes a second question for a damaged segment, so there is one.
func TestIndexOpensSharedOnce(t *testing.T) {
	a := newSampleArtifact(t, 1, 1)
	calls, flipped := 0, false
	ix := NewIndex(a.manifest, Digest{}, func(p int, v View, seg SegmentInfo) ([]byte, error) {
		b, err := a.open(p, v, seg)
		if v == Structural {
			if calls++; calls == 1 && flipped {
				b = bytes.Clone(b)
				b[12] ^= 1
			}
		}
		return b, err
	}, nil)
	read := func(ix *Index) {
		t.Helper()
		if _, err := ix.Imports(0); err != nil {
			t.Fatal(err)
		}
		if _, err := ix.Structural(0); err != nil {
			t.Fatal(err)
		}
	}
	if read(ix); calls != 1 {
		t.Fatalf("%d calls", calls)
	}
	calls, flipped = 0, true
	if read(NewIndex(a.manifest, Digest{}, ix.open, nil)); calls != 2 {
		t.Fatalf("%d calls where the first gave damaged bytes", calls)
	}
}

func TestIndexRetriesFailures(t *testing.T) {
	a := newSampleArtifact(t, 1, 1)
	failures := 1
	ix := NewIndex(a.manifest, Digest{}, func(p int, v View, seg SegmentInfo) ([]byte, error) {
		if failures > 0 {
			failures--
			return nil, errors.New("network")
		}
		return a.open(p, v, seg)
	}, nil)
	if _, err := ix.Units(0); err == nil || err.Error() != "network" {
		t.Fatal(err)
	}
	if _, err := ix.Units(0); err != nil {
		t.Fatal(err)
	}
}

// TestIndexCrossChecks: a segment that is fine in itself must also be the one
// that the manifest means.
func TestIndexCrossChecks(t *testing.T) {
	type readers = func(ix *Index, p int) error
	read := map[View]readers{
		Units:      func(ix *Index, p int) error { _, err := ix.Units(p); return err },
		Source:     func(ix *Index, p int) error { _, err := ix.Source(p); return err },
		Lexical:    func(ix *Index, p int) error { _, err := ix.Lexical(p); return err },
		Dense:      func(ix *Index, p int) error { _, err := ix.Dense(p); return err },
		Structural: func(ix *Index, p int) error { _, err := ix.Structural(p); return err },
	}
	for _, v := range Views {
		base := func() *sampleArtifact { return newSampleArtifact(t, 22, 2) }
		edits := map[string]func(a *sampleArtifact, info *SegmentInfo){
			"another key":         func(a *sampleArtifact, info *SegmentInfo) { info.Key[0]++ },
			"another size":        func(a *sampleArtifact, info *SegmentInfo) { info.Size++ },
			"another view":        func(a *sampleArtifact, info *SegmentInfo) { a.segments[0][v] = a.segments[0][Views[(int(v))%5]] },
			"another partition's": func(a *sampleArtifact, info *SegmentInfo) { a.segments[0][v] = a.segments[1][v] },
			"damaged":             func(a *sampleArtifact, info *SegmentInfo) { a.segments[0][v][20]++ },
			"cut short":           func(a *sampleArtifact, info *SegmentInfo) { a.segments[0][v] = a.segments[0][v][:50] },
			"a file more":         func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Partitions[0].Files++ },
			"a unit more":         func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Partitions[0].Units++ },
			"a doc less":          func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Partitions[0].Docs-- },
			"another model":       func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Model.Digest[0]++ },
			"other dimensions":    func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Model.Dims++ },
			"no model":            func(a *sampleArtifact, info *SegmentInfo) { a.manifest.Model = nil },
			"missing":             func(a *sampleArtifact, info *SegmentInfo) { delete(a.segments[0], v) },
			"not in the manifest": func(a *sampleArtifact, info *SegmentInfo) { delete(a.manifest.Partitions[0].Segments, v.String()) },
			"nothing":             func(a *sampleArtifact, info *SegmentInfo) {},
			"absent in the artifact": func(a *sampleArtifact, info *SegmentInfo) {
				a.manifest.Views[v.String()] = ViewInfo{State: ViewAbsent, Reason: "no model for it"}
			},
		}
		concerned := map[string][]View{
			"a file more": {Units, Source, Structural}, "a unit more": {Units, Source, Structural},
			"a doc less":    {Units, Source, Lexical, Dense, Structural}, // source and structure open the units
			"another model": {Dense}, "other dimensions": {Dense}, "no model": {Dense}, "nothing": {},
		}
		for name, edit := range edits {
			a := base()
			info := a.manifest.Partitions[0].Segments[v.String()]
			old := info
			if a.manifest.Partitions[0].Docs == 0 {
				t.Fatal("the sample has no docs")
			}
			edit(a, &info)
			if info != old {
				a.manifest.Partitions[0].Segments[v.String()] = info
			}
			err := read[v](NewIndex(a.manifest, Digest{}, a.open, nil), 0)
			list, limited := concerned[name]
			fails := !limited
			for _, c := range list {
				fails = fails || c == v
			}
			switch {
			case (err != nil) != fails:
				t.Errorf("%s segment, %s: %v", v, name, err)
			case name == "absent in the artifact":
				var absent *ViewAbsentError
				if !errors.Is(err, ErrViewAbsent) || !errors.As(err, &absent) || absent.View != v || !strings.Contains(err.Error(), "no model for it") {
					t.Errorf("%s segment, %s: %v", v, name, err)
				}
			case fails && name != "missing" && !isFormatError(err):
				t.Errorf("%s segment, %s: %v", v, name, err)
			}
		}
	}
}

// TestIndexSizes: contents that are not as long as the units say would let
// byte ranges point outside.
func TestIndexSizes(t *testing.T) {
	for name, edit := range map[string]func(a *sampleArtifact, contents [][]byte, f File, i int){
		"longer": func(a *sampleArtifact, contents [][]byte, f File, i int) { contents[i] = append(contents[i], 'x') },
		"shorter": func(a *sampleArtifact, contents [][]byte, f File, i int) {
			contents[i] = contents[i][:len(contents[i])/2]
		},
		"skipped with content": func(a *sampleArtifact, contents [][]byte, f File, i int) {
			for i := range a.parts[0].units.Files {
				if a.parts[0].units.Files[i].Skip != SkipNone {
					contents[i] = []byte("content")
				}
			}
		},
	} {
		a := newSampleArtifact(t, 40, 1)
		contents := slices.Clone(a.parts[0].contents)
		done := false
		for i, f := range a.parts[0].units.Files {
			if f.Skip == SkipNone && f.Size > 1 && !done {
				edit(a, contents, f, i)
				done = true
			}
		}
		info := a.manifest.Partitions[0].Segments["source"]
		b, err := EncodeSource(info.Key, contents)
		if err != nil || !done {
			t.Fatal(err, done)
		}
		info.Digest, info.Size = DigestOf(b), int64(len(b))
		a.manifest.Partitions[0].Segments["source"], a.segments[0][Source] = info, b
		_, err = a.index(t).Source(0)
		if a.manifest.Files == a.manifest.Indexed || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, %d of %d files indexed: %v", name, a.manifest.Indexed, a.manifest.Files, err)
		}
	}
}

func TestEachPartition(t *testing.T) {
	ix := newSampleArtifact(t, 3, 40).index(t)
	ctx := context.Background()
	var seen [40]atomic.Int32
	if err := ix.EachPartition(ctx, func(p int) error { seen[p].Add(1); return nil }); err != nil {
		t.Fatal(err)
	}
	for p := range seen {
		if n := seen[p].Load(); n != 1 {
			t.Fatalf("partition %d visited %d times", p, n)
		}
	}
	for range 50 {
		err := ix.EachPartition(ctx, func(p int) error {
			if p%7 == 5 {
				return fmt.Errorf("partition %d", p)
			}
			return nil
		})
		if err == nil || err.Error() != "partition 5" {
			t.Fatalf("got %v, want the error of the lowest partition", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	n := atomic.Int32{}
	err := ix.EachPartition(ctx, func(p int) error {
		if n.Add(1) == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n.Load() > 30 {
		t.Fatalf("%v after %d partitions", err, n.Load())
	}
	if err := newSampleArtifact(t, 3, 0).index(t).EachPartition(context.Background(), func(int) error { return errors.New("called") }); err != nil {
		t.Fatal(err)
	}
}

func TestGuard(t *testing.T) {
	if err := Guard(func() error { return errors.New("own") }); err == nil || err.Error() != "own" {
		t.Fatal(err)
	}
	// An address that no program has mapped, far from nil.
	bad := uintptr(1) << (bits.UintSize - 18)
	err := Guard(func() error {
		if *(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&bad))) == 0 {
			return nil
		}
		return nil
	})
	if !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a panic that is no memory fault was swallowed")
		}
	}()
	_ = Guard(func() error { panic("defect") })
}
