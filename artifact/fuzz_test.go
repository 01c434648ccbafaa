package artifact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// addGolden seeds a fuzz target with the golden artifacts whose name matches
// the pattern.
func addGolden(f *testing.F, pattern string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join(goldenDir, "*", pattern))
	if err != nil || len(names) == 0 {
		f.Fatalf("no golden artifacts %s, %v", pattern, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// FuzzSegment feeds bytes, as they are and behind mended checksums, to the
// readers of units, source and structural segments.
func FuzzSegment(f *testing.F) {
	addGolden(f, "*.seg")
	for seed := range uint64(3) {
		s := newSample(newRand(seed), 4, 6)
		for _, p := range s.encode(f, Digest{1}) {
			f.Add(p.Bytes)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		exercise(t, b)
		exercise(t, resealSegment(slices.Clone(b)))
	})
}

// FuzzPack: whatever opens gives segments of the promised digests or an error.
func FuzzPack(f *testing.F) {
	addGolden(f, "*.pack")
	_, b := testPack(f)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, resealPack(slices.Clone(b))} {
			if err := readAll(b); err != nil && !isFormatError(err) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzManifest: whatever is accepted is valid, and encodes to something that
// decodes to the same.
func FuzzManifest(f *testing.F) {
	addGolden(f, "manifest.json")
	b, _, err := newSampleArtifact(f, 1, 2).manifest.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeManifest(b)
		if err != nil {
			if !isFormatError(err) {
				t.Fatal(err)
			}
			return
		}
		again, _, err := m.Encode()
		if err != nil {
			t.Fatalf("what decodes does not encode: %v", err)
		}
		if len(again) == len(b) && !bytes.Equal(again, b) {
			t.Fatalf("two encodings of one manifest:\n%s\n%s", b, again)
		}
	})
}

// FuzzCanonical: the strict reader accepts exactly what the writer writes.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2,null,true,false,"x"],"b":{}}`, `"\u0001\n\"\\é"`, `[]`, `0`, `-0`, `1.5`, `{"b":1,"a":2}`, "{\"\U0001f600\":1,\"\ue000\":2}", `"\ud83d\ude00"`} {
		f.Add([]byte(s))
	}
	addGolden(f, "manifest.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &canonicalReader{b: b}
		r.skip(0)
		r.end()
		var want []byte
		var v any
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		err := d.Decode(&v)
		if err == nil && json.Valid(b) {
			want, err = appendCanonical(nil, v)
		}
		canonical := err == nil && json.Valid(b) && bytes.Equal(want, b)
		if (r.err == nil) != canonical && !(canonical && bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{'{'}) > maxDepth) {
			t.Fatalf("%q: the reader says %v, the writer writes %q", b, r.err, want)
		}
	})
}
