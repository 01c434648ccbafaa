package compile

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
)

// clock is a time that tests move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestPlainProgress(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(0, 0)}
	tell := &teller{to: &plain{w: &out, now: c.now}}
	tell.stage(StagePlan, 0)
	tell.stage(StageBuild, 1000)
	for range 1000 {
		c.t = c.t.Add(10 * time.Millisecond)
		tell.files(1)
	}
	tell.note("a worker %s", "ended")
	tell.stage(StagePublish, 0)
	tell.stage(StageDone, 0)
	want := `pindex: compiling 1000 files
pindex: compiling 20% (200/1000 files)
pindex: compiling 40% (400/1000 files)
pindex: compiling 60% (600/1000 files)
pindex: compiling 80% (800/1000 files)
pindex: a worker ended
`
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}

func TestBarProgress(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(0, 0)}
	tell := &teller{to: &bar{w: &out, now: c.now, width: func() int { return 60 }}}
	tell.stage(StageBuild, 200)
	for range 200 {
		c.t = c.t.Add(time.Millisecond)
		tell.files(1)
	}
	tell.note("note")
	tell.stage(StageDone, 0)
	s := out.String()
	if n := strings.Count(s, "\r"); n < 3 || n > 8 {
		t.Errorf("%d redraws in 200 ms: %q", n, s)
	}
	for _, want := range []string{" 100% 200/200 files", "pindex: note\n"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in %q", want, s)
		}
	}
	for line := range strings.SplitSeq(s, "\r\x1b[K") {
		if len(strings.TrimSuffix(line, "\n")) > 59 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
	if !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("the bar stays behind: %q", s)
	}
}

func TestNewProgress(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, mode := range []string{"", "auto", "plain"} {
		p, err := NewProgress(mode, file)
		if _, ok := p.(*plain); !ok || err != nil {
			t.Errorf("%q on a file gives %T, %v", mode, p, err)
		}
	}
	if p, err := NewProgress("none", file); p != nil || err != nil {
		t.Errorf("none gives %v, %v", p, err)
	}
	if _, err := NewProgress("bar", file); fail.CodeOf(err) != fail.Usage {
		t.Errorf("an unknown mode gives %v", err)
	}
}

func TestFileNoteJSON(t *testing.T) {
	notes := []FileNote{{"a b", "binary", 5, ""}, {"a\xff", "too large", 0, ""}, {".env", "secret", 0, secretName}}
	b, err := json.Marshal(notes)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"path":"a b","reason":"binary","size":5},{"path_b64":"Yf8=","reason":"too large","size":0},{"path":".env","reason":"secret","size":0,"rule":"file name"}]`; string(b) != want {
		t.Errorf("got %s", b)
	}
	var back []FileNote
	if err := json.Unmarshal(b, &back); err != nil || !slices.Equal(back, notes) {
		t.Errorf("read back as %+v, %v", back, err)
	}
}
