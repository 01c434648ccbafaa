package syntax

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

var update = flag.Bool("update", false, "rewrite the expected facts in testdata")

// TestGolden parses every source section of testdata/LANGUAGE/*.txtar and
// compares the facts with the section of the same name that follows it.
func TestGolden(t *testing.T) {
	for _, lang := range languageNames() {
		t.Run(lang, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("testdata", lang, "*.txtar"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no test data for %s (%v)", lang, err)
			}
			for _, file := range files {
				golden(t, lang, file)
			}
		})
	}
}

func golden(t *testing.T, lang, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, sections := sections(string(data))
	var out strings.Builder
	out.WriteString(head)
	seen := false
	for i := 0; i < len(sections); i++ {
		s := sections[i]
		if strings.HasSuffix(s.name, ".facts") {
			t.Errorf("%s: section %s follows no source", file, s.name)
			continue
		}
		seen = true
		f, err := Parse(lang, []byte(s.body), Limits{})
		if err != nil {
			t.Fatalf("%s: %s: %v", file, s.name, err)
		}
		checkInvariants(t, file+": "+s.name, []byte(s.body), f)
		got := render(s.body, f)
		fmt.Fprintf(&out, "-- %s --\n%s-- %s.facts --\n%s", s.name, s.body, s.name, got)
		want := ""
		if i+1 < len(sections) && sections[i+1].name == s.name+".facts" {
			i++
			want = sections[i].body
		}
		if got != want && !*update {
			t.Errorf("%s: %s: facts differ (run with -update to accept)\n%s", file, s.name, lineDiff(want, got))
		}
	}
	if !seen {
		t.Errorf("%s: no source in it", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func languageNames() []string {
	var names []string
	for name := range languages {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

type section struct{ name, body string }

// sections splits text at lines of the form "-- NAME --".
func sections(text string) (head string, list []section) {
	var body *string = &head
	for _, line := range strings.SplitAfter(text, "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- "); ok {
			if name, ok = strings.CutSuffix(name, " --"); ok {
				list = append(list, section{name: name})
				body = &list[len(list)-1].body
				continue
			}
		}
		*body += line
	}
	return head, list
}

// render writes facts for people: one declaration, import or use a line, with
// positions as line:column.
func render(src string, f *Facts) string {
	starts := []int{0}
	for i := range src {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	pos := func(at uint32) string {
		l := sort.SearchInts(starts, int(at)+1)
		return fmt.Sprintf("%d:%d", l, int(at)-starts[l-1]+1)
	}
	line := func(at uint32) int { return sort.SearchInts(starts, int(at)+1) }
	quote := func(from, to uint32) string {
		s := strings.Join(strings.Fields(src[from:to]), " ")
		if len(s) > 60 {
			s = s[:40] + " ... " + s[len(s)-15:]
		}
		return s
	}
	var b strings.Builder
	if f.Degraded != artifact.DegradedNone {
		fmt.Fprintf(&b, "degraded: %s\n", f.Degraded)
	}
	names, descriptors := f.Qualified()
	for i, d := range f.Decls {
		depth := 0
		for p := d.Parent; p >= 0; p = f.Decls[p].Parent {
			depth++
		}
		fmt.Fprintf(&b, "%s%s %s  %s  lines %d-%d name %s", strings.Repeat("  ", depth), d.Kind, names[i], descriptors[i],
			line(d.Start), line(max(d.Start+1, d.End)-1), pos(d.NameAt))
		for _, fl := range []struct {
			f artifact.SymbolFlags
			s string
		}{{artifact.SymbolExported, "exported"}, {artifact.SymbolLocal, "local"}, {artifact.SymbolStatic, "static"}, {artifact.SymbolForward, "forward"}} {
			if d.Flags&fl.f != 0 {
				b.WriteString(" " + fl.s)
			}
		}
		fmt.Fprintf(&b, "  sig{%s}", quote(d.SigStart, d.SigEnd))
		if d.DocEnd > d.DocStart {
			fmt.Fprintf(&b, "  doc{%s}", quote(d.DocStart, d.DocEnd))
		}
		b.WriteByte('\n')
	}
	for _, im := range f.Imports {
		fmt.Fprintf(&b, "import %s module %q name %q alias %q\n", pos(im.At), im.Module, im.Name, im.Alias)
	}
	for _, o := range f.Occurrences {
		fmt.Fprintf(&b, "%s %s ", pos(o.At), o.Role)
		if o.Receiver != "" {
			fmt.Fprintf(&b, "[%s] ", o.Receiver)
		}
		b.WriteString(o.Name + "\n")
	}
	uses := make([]string, len(f.Locals))
	for _, u := range f.LocalUses {
		uses[u.Local] += " " + pos(u.At)
		if u.Role != artifact.RoleRead {
			uses[u.Local] += u.Role.String()[:1]
		}
	}
	for i, l := range f.Locals {
		if l.Kind == artifact.KindUnknown {
			fmt.Fprintf(&b, "type %s %s %s\n", pos(l.At), l.Name, l.Type)
			continue
		}
		fmt.Fprintf(&b, "local %s %s %s in %s-%s", pos(l.At), l.Kind, l.Name, pos(l.Start), pos(l.End))
		if l.Type != "" {
			b.WriteString("  {" + l.Type + "}")
		}
		b.WriteString(uses[i] + "\n")
	}
	return b.String()
}

func lineDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	count := make(map[string]int)
	for _, l := range w {
		count[l]++
	}
	for _, l := range g {
		count[l]--
	}
	var b strings.Builder
	for _, l := range w {
		if count[l] > 0 {
			count[l]--
			b.WriteString("  lost  " + l + "\n")
		}
	}
	for _, l := range g {
		if count[l] < 0 {
			count[l]++
			b.WriteString("  new   " + l + "\n")
		}
	}
	return b.String()
}

// checkInvariants checks what every caller relies on, whatever the input.
func checkInvariants(t *testing.T, what string, src []byte, f *Facts) {
	t.Helper()
	n := uint32(len(src))
	last := map[int32]int{}
	for i, d := range f.Decls {
		if int(d.Parent) >= i || d.Parent < -1 {
			t.Fatalf("%s: declaration %d (%s) has parent %d", what, i, d.Name, d.Parent)
		}
		if d.Start > d.End || d.End > n || d.NameAt > n {
			t.Fatalf("%s: declaration %s has range %d..%d name %d of %d", what, d.Name, d.Start, d.End, d.NameAt, n)
		}
		if d.SigStart > d.SigEnd || d.SigStart < d.Start || d.SigEnd > d.End {
			t.Fatalf("%s: declaration %s: signature %d..%d outside of %d..%d", what, d.Name, d.SigStart, d.SigEnd, d.Start, d.End)
		}
		if d.DocStart > d.DocEnd || d.DocStart < d.Start || d.DocEnd > d.End {
			t.Fatalf("%s: declaration %s: documentation %d..%d outside of %d..%d", what, d.Name, d.DocStart, d.DocEnd, d.Start, d.End)
		}
		if d.Name == "" || d.Descriptor == "" {
			t.Fatalf("%s: declaration %d has no name", what, i)
		}
		if p := d.Parent; p >= 0 && (f.Decls[p].Start > d.Start || f.Decls[p].End < d.End) {
			t.Fatalf("%s: declaration %s reaches out of %s", what, d.Name, f.Decls[p].Name)
		}
		if s, ok := last[d.Parent]; ok && f.Decls[s].End > d.Start {
			t.Fatalf("%s: declarations %s and %s overlap", what, f.Decls[s].Name, d.Name)
		}
		last[d.Parent] = i
	}
	for i, o := range f.Occurrences {
		if o.Name == "" || len(o.Receiver) > maxReceiver || !bytes.HasPrefix(src[o.At:], []byte(o.Name)) {
			t.Fatalf("%s: occurrence %+v does not stand in the source", what, o)
		}
		if i > 0 && f.Occurrences[i-1].At > o.At {
			t.Fatalf("%s: occurrences out of order at %d", what, o.At)
		}
	}
	for _, l := range f.Locals {
		if l.Name == "" || l.Start > l.End || l.End > n || len(l.Type) > artifact.MaxTypeHint || !bytes.HasPrefix(src[l.At:], []byte(l.Name)) {
			t.Fatalf("%s: local %+v does not stand in the source", what, l)
		}
	}
	for i, u := range f.LocalUses {
		if int(u.Local) >= len(f.Locals) || i > 0 && f.LocalUses[i-1].At >= u.At || !bytes.HasPrefix(src[u.At:], []byte(f.Locals[u.Local].Name)) {
			t.Fatalf("%s: use %+v of a local does not stand in the source", what, u)
		}
	}
	for i, im := range f.Imports {
		if im.At > n || i > 0 && f.Imports[i-1].At > im.At {
			t.Fatalf("%s: import %+v is misplaced", what, im)
		}
	}
}
