package compile

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Stage is a part of a compile that takes time.
type Stage string

const (
	StagePlan    Stage = "planning"   // resolve, tree, configuration, keys
	StageBuild   Stage = "compiling"  // blobs to packs
	StagePublish Stage = "publishing" // manifest and tag
	StageDone    Stage = "done"
)

// Event says how far a compile is.
type Event struct {
	Stage Stage
	Done  int    // files finished, of Total; both 0 where a stage does not count
	Total int    // files
	Note  string // a sentence worth a line of its own, such as a worker's restart; "" mostly
}

// Progress is told events. Calls come one at a time, often; an
// implementation decides what it shows.
type Progress interface {
	Event(e Event)
}

// NewProgress returns the implementation for a mode: "auto" (or "") is a bar
// on a terminal and plain lines elsewhere or where the environment variable
// CI is set; "plain" and "none" are what they say. w is where it is shown:
// standard error in a program, so that standard output holds answers alone.
func NewProgress(mode string, w *os.File) (Progress, error) {
	switch mode {
	case "none":
		return nil, nil
	case "plain":
		return &plain{w: w, now: time.Now}, nil
	case "", "auto":
		if os.Getenv("CI") == "" && term.IsTerminal(int(w.Fd())) {
			return &bar{w: w, now: time.Now, width: func() int {
				n, _, err := term.GetSize(int(w.Fd()))
				if err != nil {
					return 80
				}
				return n
			}}, nil
		}
		return &plain{w: w, now: time.Now}, nil
	}
	return nil, fail.New(fail.Usage, "use auto, plain or none", "unknown progress mode %q", mode)
}

// plain writes a line at every stage, and while files are counted one for
// each tenth, no more often than every two seconds.
type plain struct {
	w     io.Writer
	now   func() time.Time
	stage Stage
	last  time.Time
	tenth int
}

const plainInterval = 2 * time.Second

func (p *plain) Event(e Event) {
	if e.Note != "" {
		fmt.Fprintf(p.w, "pindex: %s\n", e.Note)
	}
	if e.Stage != p.stage {
		p.stage, p.tenth, p.last = e.Stage, 0, p.now()
		if e.Total > 0 {
			noun := "files"
			if e.Total == 1 {
				noun = "file"
			}
			fmt.Fprintf(p.w, "pindex: %s %d %s\n", e.Stage, e.Total, noun)
		}
		return
	}
	if e.Total == 0 || e.Done == e.Total {
		return
	}
	tenth := 10 * e.Done / e.Total
	if t := p.now(); tenth > p.tenth && t.Sub(p.last) >= plainInterval {
		p.tenth, p.last = tenth, t
		fmt.Fprintf(p.w, "pindex: %s %d%% (%d/%d files)\n", e.Stage, 100*e.Done/e.Total, e.Done, e.Total)
	}
}

// bar redraws one line of a terminal.
type bar struct {
	w     io.Writer
	now   func() time.Time
	width func() int
	last  time.Time
	drawn bool
}

const barInterval = 100 * time.Millisecond

func (b *bar) Event(e Event) {
	if e.Note != "" {
		b.clear()
		fmt.Fprintf(b.w, "pindex: %s\n", e.Note)
	}
	if e.Stage == StageDone {
		b.clear()
		return
	}
	if t := b.now(); t.Sub(b.last) >= barInterval || e.Done == e.Total {
		b.last, b.drawn = t, true
		fmt.Fprintf(b.w, "\r\x1b[K%s", b.line(e))
	}
}

func (b *bar) clear() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

func (b *bar) line(e Event) string {
	head := string(e.Stage)
	if e.Total == 0 {
		return head
	}
	count := fmt.Sprintf(" %3d%% %d/%d files", 100*e.Done/e.Total, e.Done, e.Total)
	room := min(40, b.width()-1-len(head)-len(count)-3)
	if room < 5 {
		return head + count
	}
	full := room * e.Done / e.Total
	return head + " [" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + count
}

// teller serialises events from many goroutines to one Progress.
type teller struct {
	mu sync.Mutex
	to Progress
	e  Event
}

func (t *teller) stage(s Stage, total int) {
	t.tell(func(e *Event) { *e = Event{Stage: s, Total: total} })
}
func (t *teller) files(n int) { t.tell(func(e *Event) { e.Done = min(e.Done+n, e.Total) }) }

func (t *teller) note(format string, args ...any) {
	t.tell(func(e *Event) { e.Note = fmt.Sprintf(format, args...) })
}

func (t *teller) tell(change func(*Event)) {
	if t.to == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.e)
	t.to.Event(t.e)
	t.e.Note = ""
}
