package artifact

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldenSegment compares got with a committed segment and returns the latter.
// The file has to be there: a reader must go on reading what an earlier
// version wrote. PINDEX_UPDATE_GOLDEN=1 writes it anew.
func goldenSegment(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("PINDEX_UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the encoder no longer writes the bytes of %s: that needs another format version after the first release", path)
	}
	return want
}

// goldenOccurrences uses every form that the format has.
func goldenOccurrences() []occurrence {
	occ := []occurrence{
		{0, FieldBody, "once", 4},
		{9, FieldBody, "once", 1000},
		{3, FieldPath, "path", NoPosition},
		{4, FieldPath, "path", NoPosition},
		{5, FieldBody, "twice", 1},
		{5, FieldBody, "twice", 300},
		{6, FieldSymbol, "fields", NoPosition},
		{6, FieldDoc, "fields", 2},
		{6, FieldBody, "fields", 7},
		{7, FieldDoc, "often", 0},
		{7, FieldDoc, "often", 1},
		{7, FieldBody, "often", 5},
		{8, FieldBody, "mixed", 3},
		{8, FieldBody, "mixed", NoPosition},
		{2, FieldBody, "without", NoPosition},
		{1, FieldSignature, strings.Repeat("long", 20), 0},
		{1, FieldSignature, strings.Repeat("long", 20) + "er", 1},
		{1, FieldBody, "日本", 8},
	}
	for d := range uint32(200) {
		occ = append(occ, occurrence{d, FieldBody, "the", d}, occurrence{d, FieldBody, "the", d + 200})
		for i := range d % 3 {
			occ = append(occ, occurrence{d, FieldBody, "parse" + strings.Repeat("x", int(d%20)), i})
		}
	}
	return occ
}

func TestLexicalGolden(t *testing.T) {
	occ := goldenOccurrences()
	r, err := OpenLexical(goldenSegment(t, "lexical.v0.seg", buildLexical(t, 200, occ)))
	if err != nil {
		t.Fatal(err)
	}
	checkLexical(t, r, 200, occ)
}
