package scan

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

var update = flag.Bool("update", false, "rewrite the expected facts in testdata")

// TestGolden scans the source section of testdata/LANGUAGE.txtar and compares
// what was found with the section that follows it.
func TestGolden(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			src, want, file := fixture(t, lang)
			f := Scan(lang, []byte(src))
			checkFacts(t, []byte(src), f)
			if len(f.Decls) < 3 {
				t.Errorf("%d declarations", len(f.Decls))
			}
			got := render(src, f)
			if *update {
				if err := os.WriteFile(file, []byte("-- source --\n"+src+"-- facts --\n"+got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("facts differ (run with -update to accept)\ngot:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func fixture(t testing.TB, lang string) (src, facts, file string) {
	t.Helper()
	file = filepath.Join("testdata", lang+".txtar")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "-- source --\n")
	if !ok {
		t.Fatalf("%s has no source", file)
	}
	src, facts, _ = strings.Cut(rest, "-- facts --\n")
	return src, facts, file
}

// render writes facts for people, one a line with its place.
func render(src string, f *syntax.Facts) string {
	starts := []int{0}
	for i := range src {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	line := func(at uint32) int { return sort.SearchInts(starts, int(at)+1) }
	pos := func(at uint32) string { return fmt.Sprintf("%d:%d", line(at), int(at)-starts[line(at)-1]+1) }
	var b strings.Builder
	names, descriptors := f.Qualified()
	for i, d := range f.Decls {
		last := line(max(d.End, d.Start+1) - 1)
		fmt.Fprintf(&b, "decl %s %s %s lines %d-%d %s", pos(d.NameAt), d.Kind, names[i], line(d.Start), last, descriptors[i])
		if d.DocEnd > d.DocStart {
			fmt.Fprintf(&b, " doc %d-%d", line(d.DocStart), line(d.DocEnd-1))
		}
		for _, fl := range []struct {
			f artifact.SymbolFlags
			s string
		}{{artifact.SymbolLocal, "local"}, {artifact.SymbolForward, "forward"}, {artifact.SymbolStatic, "static"}, {artifact.SymbolExported, "exported"}} {
			if d.Flags&fl.f != 0 {
				b.WriteString(" " + fl.s)
			}
		}
		fmt.Fprintf(&b, " sig %q\n", strings.Join(strings.Fields(src[d.SigStart:d.SigEnd]), " "))
	}
	for _, o := range f.Occurrences {
		fmt.Fprintf(&b, "use %s %s %q %s\n", pos(o.At), o.Role, o.Receiver, o.Name)
	}
	for _, m := range f.Imports {
		fmt.Fprintf(&b, "import %s module %q name %q alias %q\n", pos(m.At), m.Module, m.Name, m.Alias)
	}
	return b.String()
}

// checkFacts holds facts against what the package comment promises.
func checkFacts(t testing.TB, src []byte, f *syntax.Facts) {
	t.Helper()
	last := map[int32]uint32{} // by parent: the end of its last child
	for i, d := range f.Decls {
		switch {
		case d.Parent >= int32(i):
			t.Fatalf("declaration %d has parent %d", i, d.Parent)
		case d.Start > d.End || int(d.End) > len(src):
			t.Fatalf("declaration %q has range %d-%d of %d", d.Name, d.Start, d.End, len(src))
		case d.SigStart < d.Start || d.SigEnd > d.End || d.DocStart < d.Start || d.DocEnd > d.End:
			t.Fatalf("declaration %q: signature %d-%d or documentation %d-%d outside of %d-%d", d.Name, d.SigStart, d.SigEnd, d.DocStart, d.DocEnd, d.Start, d.End)
		case d.Name == "":
			t.Fatalf("declaration %d has no name", i)
		case i > 0 && d.Start < f.Decls[i-1].Start:
			t.Fatalf("declaration %d starts before the one in front of it", i)
		}
		if d.Parent >= 0 {
			if p := f.Decls[d.Parent]; d.Start < p.Start || d.End > p.End {
				t.Fatalf("%q at %d-%d reaches out of %q at %d-%d", d.Name, d.Start, d.End, p.Name, p.Start, p.End)
			}
		}
		if d.Start < last[d.Parent] && d.Start < d.End {
			t.Fatalf("%q at %d overlaps what is in front of it", d.Name, d.Start)
		}
		last[d.Parent] = d.End
	}
	for i, o := range f.Occurrences {
		if i > 0 && o.At < f.Occurrences[i-1].At {
			t.Fatalf("use %d is out of order", i)
		}
		if len(o.Receiver) > maxReceiver {
			t.Fatalf("receiver %q is too long", o.Receiver)
		}
		part, _, _ := strings.Cut(o.Name, ":") // a selector's parts stand apart
		if !bytes.HasPrefix(src[o.At:], []byte(part)) {
			t.Fatalf("use of %q does not stand at %d", o.Name, o.At)
		}
	}
}

// TestManyFunctions gives each language a file of its fixture over and over:
// every copy must be found, which an unbalanced string or bracket would spoil.
func TestManyFunctions(t *testing.T) {
	for _, lang := range Languages() {
		src, _, _ := fixture(t, lang)
		if strings.Contains(src, "__END__") {
			src, _, _ = strings.Cut(src, "__END__")
		}
		one := len(Scan(lang, []byte(src)).Decls)
		const copies = 50
		many := Scan(lang, []byte(strings.Repeat(src, copies)))
		// Variables of a build file are declared once.
		if n := len(many.Decls); n < one*copies*9/10 && lang != "make" && lang != "just" && lang != "cmake" {
			t.Errorf("%s: %d declarations in %d copies of %d", lang, n, copies, one)
		}
		checkFacts(t, []byte(strings.Repeat(src, copies)), many)
	}
}

// TestOddInput checks that line ends, a byte order mark, invalid UTF-8 and
// truncation change nothing that they should not, and that facts stay sound.
func TestOddInput(t *testing.T) {
	for _, lang := range Languages() {
		src, _, _ := fixture(t, lang)
		want := len(Scan(lang, []byte(src)).Decls)
		crlf := strings.ReplaceAll(src, "\n", "\r\n")
		if f := Scan(lang, []byte(crlf)); len(f.Decls) != want {
			t.Errorf("%s: %d declarations with CRLF, not %d", lang, len(f.Decls), want)
		} else {
			checkFacts(t, []byte(crlf), f)
		}
		for cut := 0; cut < len(src); cut += 23 {
			checkFacts(t, []byte(src[:cut]), Scan(lang, []byte(src[:cut])))
		}
		for _, odd := range []string{"\xff\xfe" + src, src + "\x00", strings.ReplaceAll(src, "a", "\xe4"), "", "\n", "(", strings.Repeat("{", 3000), strings.Repeat("(\"", 3000), strings.Repeat("/*", 3000)} {
			checkFacts(t, []byte(odd), Scan(lang, []byte(odd)))
		}
		noise := make([]byte, 20_000)
		rng := rand.New(rand.NewSource(1))
		rng.Read(noise)
		if f := Scan(lang, noise); f.Degraded != artifact.DegradedNotText {
			t.Errorf("%s: random bytes are %q", lang, f.Degraded)
		}
	}
}

// TestWorkIsBounded gives each language what makes a scanner look ahead in
// vain, in two sizes: the larger must not cost much more a byte. The count of
// looked-at bytes is not kept, so what is checked is that a megabyte ends.
func TestWorkIsBounded(t *testing.T) {
	for _, lang := range Languages() {
		for _, piece := range []string{"a(", "@a(", "func f<", "def f(x) ", "\"", "'", "<<A\n", "#{", "$(", "`", "(* ", "a <- ", "-a ", "[a ", "module ", "if x\n", "<a ", "x.y."} {
			src := bytes.Repeat([]byte(piece), 60_000/len(piece))
			checkFacts(t, src, Scan(lang, src))
		}
	}
}

func TestSameBytesSameFacts(t *testing.T) {
	for _, lang := range Languages() {
		src, _, _ := fixture(t, lang)
		a := Scan(lang, []byte(src))
		Scan(lang, []byte(src+src))
		if b := Scan(lang, []byte(src)); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: facts differ", lang)
		}
	}
}

// FuzzScan scans arbitrary bytes as every language.
func FuzzScan(f *testing.F) {
	langs := Languages()
	for i, lang := range langs {
		src, _, _ := fixture(f, lang)
		f.Add(byte(i), []byte(src))
	}
	f.Fuzz(func(t *testing.T, n byte, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		lang := langs[int(n)%len(langs)]
		checkFacts(t, src, Scan(lang, src))
	})
}

func BenchmarkScan(b *testing.B) {
	for _, lang := range Languages() {
		src, _, _ := fixture(b, lang)
		text := []byte(strings.Repeat(src, 50))
		b.Run(lang, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Scan(lang, text)
			}
		})
	}
}
