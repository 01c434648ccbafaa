package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

// seeds returns the sources of a language's golden files.
func seeds(t testing.TB, lang string) [][]byte {
	files, err := filepath.Glob(filepath.Join("testdata", lang, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data for %s (%v)", lang, err)
	}
	var out [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, list := sections(string(data))
		for _, s := range list {
			if !strings.HasSuffix(s.name, ".facts") {
				out = append(out, []byte(s.body))
			}
		}
	}
	return out
}

// FuzzParse parses arbitrary bytes as every language. The work limit is low so
// that one input does not take the whole time.
func FuzzParse(f *testing.F) {
	names := languageNames()
	for i, lang := range names {
		for _, s := range seeds(f, lang) {
			f.Add(byte(i), s)
		}
		f.Add(byte(i), []byte("a"))
	}
	f.Fuzz(func(t *testing.T, which byte, src []byte) {
		lang := names[int(which)%len(names)]
		facts, err := Parse(lang, src, Limits{Work: 2_000_000, Depth: 500})
		if err != nil {
			t.Fatal(err)
		}
		checkInvariants(t, lang, src, facts)
		switch facts.Degraded {
		case artifact.DegradedNotText, artifact.DegradedBudget, artifact.DegradedDepth:
			if len(facts.Decls)+len(facts.Occurrences)+len(facts.Imports) != 0 {
				t.Fatalf("%s and facts", facts.Degraded)
			}
		}
	})
}
