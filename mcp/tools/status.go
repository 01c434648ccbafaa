package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/internal/order"
)

type statusReply struct {
	head
	Digest    string            `json:"digest"`
	Store     string            `json:"store"`
	Files     int               `json:"files"`
	Indexed   int               `json:"indexed"`
	Units     int               `json:"units"`
	Views     map[string]string `json:"views"`     // name -> state
	Languages map[string]int    `json:"languages"` // name -> files
	Skipped   map[string]int    `json:"skipped"`   // reason -> files without content in the index
	Degraded  map[string]int    `json:"degraded"`  // reason -> files in a weaker form
	Changed   []any             `json:"changed,omitempty"`
}

func (s *Set) status(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	r := c.Engine().Status()
	out := statusReply{
		head: h, Digest: r.Digest, Store: oneLine(c.Store()), Files: r.Files, Indexed: r.Indexed, Units: r.Units,
		Views: map[string]string{}, Languages: map[string]int{}, Skipped: r.Skipped, Degraded: r.Degraded,
	}
	var b strings.Builder
	fmt.Fprintf(&b, "digest %s\nstore %s\nfiles %d, indexed %d, units %d\nviews", r.Digest, out.Store, r.Files, r.Indexed, r.Units)
	for _, name := range sortedKeys(r.Views) {
		out.Views[name] = r.Views[name].State
		fmt.Fprintf(&b, " %s=%s", name, r.Views[name].State)
	}
	b.WriteString("\nlanguages")
	for name, l := range r.Languages {
		if name == "" {
			name = "other"
		}
		out.Languages[name] += l.Files
	}
	writeCounts(&b, out.Languages)
	b.WriteString("\nskipped")
	writeCounts(&b, r.Skipped)
	b.WriteString("\ndegraded")
	writeCounts(&b, r.Degraded)
	b.WriteString("\n")
	differ := append(st.Changed, st.ByLines...)
	items := make([]item, len(differ))
	for i, path := range differ {
		items[i] = item{full: oneLine(path), lean: nil, fullText: "changed " + oneLine(path) + "\n"}
	}
	var left leftOut
	var changed string
	out.Changed, changed, left = fit(a.budget()-2*b.Len(), items)
	out.LeftOut = left.orNil()
	return reply(out, headLine(out.head, "index %s", short(r.Digest))+b.String()+changed)
}

// writeCounts writes names and numbers, the largest first.
func writeCounts(b *strings.Builder, m map[string]int) {
	names := sortedKeys(m)
	order.Stable(names, func(x, y string) int { return cmp.Compare(m[y], m[x]) })
	if len(names) == 0 {
		b.WriteString(" none")
	}
	for _, n := range names {
		fmt.Fprintf(b, " %s=%d", strings.ReplaceAll(oneLine(n), " ", "-"), m[n])
	}
}

func short(digest string) string {
	_, hex, _ := strings.Cut(digest, ":")
	return hex[:min(12, len(hex))]
}
