package compile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

func TestNoCommits(t *testing.T) {
	r := newRepo(t)
	_, err := Run(context.Background(), Options{Repo: r.open(), Sink: &Memory{}, InProcess: true})
	if fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "(") {
		t.Errorf("want exit code 6 with a remedy, got %v", err)
	}
}

func TestUnknownRevision(t *testing.T) {
	r := newRepo(t)
	r.commit(tree{"a": text("a\n")})
	_, err := Run(context.Background(), Options{Repo: r.open(), Rev: "nowhere", Sink: &Memory{}, InProcess: true})
	if err == nil || fail.CodeOf(err) == fail.Internal {
		t.Errorf("got %v", err)
	}
}

func TestEmptyTree(t *testing.T) {
	x, res := compileTree(t, tree{})
	if x.ix.NumPartitions() != 0 || res.Manifest.Files != 0 || len(res.Manifest.Partitions) != 0 {
		t.Errorf("an empty tree gives %+v", res.Manifest)
	}
	if _, _, ok, err := x.ix.FindFile("a"); ok || err != nil {
		t.Errorf("FindFile: %v, %v", ok, err)
	}
}

func TestOneFile(t *testing.T) {
	src := "def f():\n    return zebra()\n"
	x, res := compileTree(t, tree{"a.py": text(src)})
	if m := res.Manifest; m.Files != 1 || m.Indexed != 1 || len(m.Partitions) != 1 || m.Bytes != int64(len(src)) {
		t.Errorf("manifest: %+v", m)
	}
	if got := x.content("a.py"); got != src {
		t.Errorf("content %q", got)
	}
	if got := x.symbols("a.py"); !slices.Contains(got, "f") {
		t.Errorf("symbols %q", got)
	}
	if !x.hasTerm("zebra") || x.hasTerm("giraffe") {
		t.Error("terms")
	}
}

func TestOddNames(t *testing.T) {
	long := strings.Repeat("long/", 799) + "n.py" // 3,999 bytes
	names := []string{
		"a b.py", "a\nb.py", `a"b'c\d.py`, "\xff\xfe.py", "tab\there.py", "-dash.py", "café.py", "日本.py", " ", "...", "x", "X",
		"README.md", "readme.md", "Dir/f.py", "dir/f.py", long,
	}
	tr := tree{}
	for i, n := range names {
		tr[n] = text(fmt.Sprintf("def function%d():\n    pass\n", i))
	}
	x, res := compileTree(t, tr)
	if res.Manifest.Indexed != len(names) {
		t.Errorf("%d of %d files are indexed", res.Manifest.Indexed, len(names))
	}
	for i, n := range names {
		if got := x.content(n); got != tr[n].content {
			t.Errorf("%.40q holds %q", n, got)
		}
		if got := x.file(n); got.Path != n || got.Lines != 2 {
			t.Errorf("%.40q: %+v", n, got)
		}
		if want := fmt.Sprintf("function%d", i); strings.HasSuffix(n, ".py") && !slices.Contains(x.symbols(n), want) {
			t.Errorf("%.40q declares %q", n, x.symbols(n))
		}
	}
}

func utf16Text(s string, big bool) string {
	order := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }
	if big {
		order = func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	}
	out := order(0xfeff)
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, order(u)...)
	}
	return string(out)
}

func TestOddEncodings(t *testing.T) {
	const src = "def alpha():\n    return \"é\"\n\n\ndef beta():\n    pass\n"
	cases := []struct {
		name, content string
		encoding      artifact.Encoding
		lines         uint32
	}{
		{"plain.py", src, artifact.EncodingUTF8, 6},
		{"crlf.py", strings.ReplaceAll(src, "\n", "\r\n"), artifact.EncodingUTF8, 6},
		{"cr.py", strings.ReplaceAll(src, "\n", "\r"), artifact.EncodingUTF8, 1},
		{"bom.py", "\xef\xbb\xbf" + src, artifact.EncodingUTF8BOM, 6},
		{"le.py", utf16Text(src, false), artifact.EncodingUTF16LE, 6},
		{"be.py", utf16Text(src, true), artifact.EncodingUTF16BE, 6},
		{"latin1.py", strings.ReplaceAll(src, "é", "\xe9"), artifact.EncodingOther, 6},
		{"no-end.py", strings.TrimSuffix(src, "\n"), artifact.EncodingUTF8, 6},
		{"empty.py", "", artifact.EncodingUTF8, 0},
	}
	tr := tree{}
	for _, c := range cases {
		tr[c.name] = text(c.content)
	}
	x, _ := compileTree(t, tr)
	for _, c := range cases {
		f := x.file(c.name)
		if f.Encoding != c.encoding || f.Lines != c.lines || f.Skip != 0 {
			t.Errorf("%s: %+v", c.name, f)
		}
		if x.content(c.name) != c.content {
			t.Errorf("%s is not stored verbatim", c.name)
		}
		if c.content == "" {
			continue
		}
		if got := x.symbols(c.name); !slices.Contains(got, "alpha") || !slices.Contains(got, "beta") {
			t.Errorf("%s declares %q", c.name, got)
		}
	}
	// The unit of beta lies where the original file has it.
	p, f := x.find("le.py")
	u := x.units(p)
	for i, hi := u.FileUnits(f); i < hi; i++ {
		if unit := u.Unit(i); unit.Name == "beta" {
			if got, want := x.content("le.py")[unit.Start:unit.End], utf16Text("def beta():\n    pass\n", false)[2:]; got != want || unit.StartLine != 5 {
				t.Errorf("beta is %q from line %d", got, unit.StartLine)
			}
		}
	}
}

func TestSkippedEntries(t *testing.T) {
	lfs := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 12345\n"
	x, res := compileTree(t, tree{
		"a.py":       text("import os\n"),
		"data.bin":   text("\x00\x01\x02"),
		"model.onnx": text(lfs),
		"link.py":    {mode: modeSymlink, content: "a.py"},
		"outside":    {mode: modeSymlink, content: "../../etc/passwd"},
		"folder":     {mode: modeSymlink, content: "sub"},
		"sub/b.py":   text("def b(): pass\n"),
		"module":     {mode: modeModule, content: strings.Repeat("12", 20)},
		"tool":       {mode: 0o100755, content: "#!/usr/bin/env python3\ndef tool():\n    pass\n"},
	})
	for path, want := range map[string]string{
		"data.bin": "binary", "model.onnx": "lfs pointer", "module": "submodule", "a.py": "", "link.py": "",
	} {
		if got := note(res.Report.Skipped, path); got != want {
			t.Errorf("%s is skipped as %q, want %q", path, got, want)
		}
	}
	if got := res.Manifest.Skipped; len(got) != 3 || got["binary"] != 1 || got["lfs pointer"] != 1 || got["submodule"] != 1 {
		t.Errorf("manifest counts %v", got)
	}
	for path, target := range map[string]string{"link.py": "a.py", "outside": "../../etc/passwd", "folder": "sub"} {
		f := x.file(path)
		if got := x.content(path); got != target || f.Lang != "" || f.Mode != modeSymlink {
			t.Errorf("link %s holds %q: %+v", path, got, f)
		}
	}
	if _, _, ok, _ := x.ix.FindFile("folder/b.py"); ok {
		t.Error("a link was followed")
	}
	if got := x.file("tool"); got.Lang != "python" || got.Mode != 0o100755 {
		t.Errorf("tool: %+v", got)
	}
	if got := x.symbols("tool"); !slices.Equal(got, []string{"tool"}) {
		t.Errorf("tool declares %q", got)
	}
}

func TestLargeFiles(t *testing.T) {
	line := "x = 1 # generated\n"
	x, res := compileTree(t, tree{
		"huge.py":  text(strings.Repeat(line, 20<<20/len(line))),
		"large.py": text(strings.Repeat(line, 2<<20/len(line))),
		"large.md": text(strings.Repeat("words and words\n", 2<<20/16)),
		"a.py":     text("def a(): pass\n"),
	})
	if got := note(res.Report.Skipped, "huge.py"); got != "too large" {
		t.Errorf("huge.py: %q", got)
	}
	if got := note(res.Report.Degraded, "large.py"); got != "too large to parse" {
		t.Errorf("large.py: %q", got)
	}
	if got := note(res.Report.Degraded, "large.md"); got != "" {
		t.Errorf("large.md: %q", got)
	}
	if x.file("huge.py").Size < 19<<20 || len(x.content("large.py")) < 1<<20 || len(x.content("huge.py")) != 0 {
		t.Error("sizes")
	}
	if len(x.symbols("large.py")) != 0 || len(x.symbols("a.py")) != 1 {
		t.Error("symbols")
	}
}

func TestManyFunctions(t *testing.T) {
	var b strings.Builder
	for i := range 22_000 {
		fmt.Fprintf(&b, "def f%d(): return %d\n", i, i)
	}
	x, res := compileTree(t, tree{"many.py": text(b.String()), "a.py": text("def a(): pass\n")})
	if got := note(res.Report.Degraded, "many.py"); got != "" {
		t.Errorf("degraded: %q", got)
	}
	if got := x.symbols("many.py"); len(got) != 22_000 || got[21_999] != "f21999" {
		t.Errorf("%d symbols", len(got))
	}
}

func TestHostileCode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300<<10)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	printable := make([]byte, 300<<10)
	for i := range printable {
		printable[i] = byte(' ' + random.IntN(95))
		if random.IntN(60) == 0 {
			printable[i] = '\n'
		}
	}
	minified := "function a(){return 1}" + strings.Repeat(";var x=function(b){return b+1}", 5000)
	x, res := compileTree(t, tree{
		"noise.py":     text(string(noise)),
		"printable.py": text(string(printable)),
		"deep.py":      text("x = " + strings.Repeat("(\n", 20_000) + "1" + strings.Repeat(")\n", 20_000)),
		"deep.js":      text(strings.Repeat("{\n", 20_000) + strings.Repeat("}\n", 20_000)),
		"deep-line.py": text("x = " + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000) + "\n"),
		"open.go":      text("package p\nvar x = " + strings.Repeat("[]", 20_000)),
		"min.js":       text(minified),
		"broken.py":    text("def before():\n    pass\n\n\ndef broken(:\n    x = = 3\n\n\ndef after():\n    pass\n"),
		"broken.go":    text("package p\n\nfunc Before() {}\n\nfunc Broken( {\n\tx :=\n}\n\nfunc After() {}\n"),
		"a.py":         text("def good(): pass\n"),
	})
	if got := note(res.Report.Skipped, "noise.py"); got != "binary" {
		t.Errorf("noise.py is skipped as %q", got)
	}
	for path, want := range map[string]string{
		"deep.py": "nesting too deep", "deep.js": "nesting too deep", "min.js": "minified", "deep-line.py": "minified",
		"broken.py": "syntax errors", "broken.go": "syntax errors", "a.py": "",
	} {
		if got := note(res.Report.Degraded, path); got != want {
			t.Errorf("%s is degraded as %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"printable.py", "open.go", "deep.py", "min.js"} {
		if x.content(path) == "" {
			t.Errorf("%s is not in the source view", path)
		}
	}
	for path, want := range map[string][]string{
		"broken.py": {"before", "after"}, "broken.go": {"Before", "After"}, "a.py": {"good"},
	} {
		got := x.symbols(path)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s declares %q, without %s", path, got, name)
			}
		}
	}
}

func TestFolderCalledTest(t *testing.T) {
	r := newRepoAt(t, filepath.Join(t.TempDir(), "test", "tests", "repo.git"))
	r.commit(tree{"src/a.py": text("def a(): pass\n"), "test/b.py": text("def b(): pass\n")})
	_, res := compileRepo(t, r)
	if res.Manifest.Indexed != 2 {
		t.Errorf("%d files are indexed", res.Manifest.Indexed)
	}
}

func TestConfigInCommit(t *testing.T) {
	files := tree{
		"src/a.py": text("def a(): pass\n"), "src/gen/b.py": text("def b(): pass\n"), "src/c.go": text("package c\n\nfunc C() {}\n"),
		"big.py": text("def big(): pass\n" + strings.Repeat("x = 1\n", 400)), "tool": text("#!/usr/bin/python\ndef t(): pass\n"),
		"other": text("#!/usr/bin/ruby\ndef o; end\n"),
	}
	files[ConfigPath] = text("exclude: [src/gen]\nlimits: {parse: 1KiB}\nlanguages: [python]\nviews: [source, structural]\n")
	x, res := compileTree(t, files)
	if got := note(res.Report.Skipped, "src/gen/b.py"); got != "excluded" {
		t.Errorf("b.py: %q", got)
	}
	if got := note(res.Report.Degraded, "big.py"); got != "too large to parse" {
		t.Errorf("big.py: %q", got)
	}
	for path, want := range map[string]int{"src/a.py": 1, "src/c.go": 0, "tool": 1, "other": 0} {
		if got := x.symbols(path); len(got) != want {
			t.Errorf("%s declares %q", path, got)
		}
	}
	for _, v := range []artifact.View{artifact.Lexical, artifact.Dense} {
		if info := res.Manifest.Views[v.String()]; info.State != artifact.ViewAbsent || !strings.Contains(info.Reason, ConfigPath) {
			t.Errorf("%s: %+v", v, info)
		}
	}
	if got := res.Manifest.Capabilities; slices.Contains(got, "search.lexical") || !slices.Contains(got, "nav.symbols") {
		t.Errorf("capabilities %q", got)
	}

	r := newRepo(t)
	r.commit(tree{ConfigPath: text("vews: []\n")})
	_, err := Run(context.Background(), Options{Repo: r.open(), Sink: &Memory{}, InProcess: true})
	if fail.CodeOf(err) != fail.Usage || !strings.Contains(err.Error(), ConfigPath+":1: unknown key") {
		t.Errorf("a misspelled key gives %v", err)
	}

	// A link of that name configures nothing.
	_, res = compileTree(t, tree{ConfigPath: {mode: modeSymlink, content: "nowhere"}, "a": text("a\n")})
	if res.Manifest.Indexed != 2 {
		t.Errorf("%d files are indexed", res.Manifest.Indexed)
	}
}

// TestChosenViews checks that a choice of views is another profile, changes
// no byte of what is chosen, and is stated.
func TestChosenViews(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	all, whole := compileRepo(t, r)
	some, part := compileRepo(t, r, func(o *Options) { o.Views = []artifact.View{artifact.Structural, artifact.Source} })
	if !all.Final().DefaultProfile || some.Final().DefaultProfile {
		t.Error("which of the two is the default profile?")
	}
	if whole.Manifest.Profile.Digest == part.Manifest.Profile.Digest {
		t.Error("a choice of views leaves the profile as it is")
	}
	for n, p := range part.Manifest.Partitions {
		if len(p.Segments) != 3 {
			t.Errorf("partition %d has %d segments", n, len(p.Segments))
		}
		for v, s := range p.Segments {
			if s != whole.Manifest.Partitions[n].Segments[v] {
				t.Errorf("partition %d: another %s segment", n, v)
			}
		}
	}
	if info := part.Manifest.Views["dense"]; info.State != artifact.ViewAbsent || info.Reason == "" || part.Manifest.Model != nil || some.Final().Model != nil {
		t.Errorf("dense: %+v", info)
	}
	_, same := compileRepo(t, r, func(o *Options) {
		o.Views = []artifact.View{artifact.Dense, artifact.Structural, artifact.Source, artifact.Lexical, artifact.Source}
	})
	if same.Digest != whole.Digest {
		t.Error("naming all views is another index than naming none")
	}
	_, err := Run(context.Background(), Options{Repo: r.open(), Sink: &Memory{}, Views: []artifact.View{99}})
	if fail.CodeOf(err) != fail.Usage {
		t.Errorf("view 99: %v", err)
	}
}

// TestOwnLimits checks that limits are part of the profile and of what they
// decide alone.
func TestOwnLimits(t *testing.T) {
	r := newRepo(t)
	r.commit(tree{"a.py": text("def a(): pass\n"), "b.py": text("def b(): pass\n" + strings.Repeat("x = 1\n", 100))})
	m, want := compileRepo(t, r)
	_, got := compileRepo(t, r, func(o *Options) { o.Limits.ParseBytes = 500 })
	if note(got.Report.Degraded, "b.py") != "too large to parse" || m.Final().Digest == got.Digest {
		t.Errorf("degraded: %v", got.Report.Degraded)
	}
	a, b := want.Manifest.Partitions, got.Manifest.Partitions
	if a[0].Segments["units"] != b[0].Segments["units"] || a[1].Segments["units"] == b[1].Segments["units"] {
		t.Error("a limit changes other files than it decides about")
	}
	_, err := Run(context.Background(), Options{Repo: r.open(), Sink: &Memory{}, Limits: Limits{IndexBytes: 1 << 40}})
	if fail.CodeOf(err) != fail.Usage {
		t.Errorf("a limit out of range: %v", err)
	}
}
