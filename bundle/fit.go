package bundle

import (
	"context"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// evidenceShare is the part of a budget that is for evidence, in thousandths.
// What evidence leaves goes to the files to edit.
const evidenceShare = 150

// Prices of what is no line, in tokens, at least: of the head, of a file's
// heading beside its words, and of the smallest part that is worth a file.
const (
	headCost = 160
	fileCost = 40
	minShare = 350
)

// maxAttempts bounds how often a bundle is made smaller until its written form
// fits: the prices of lines are exact, those around them are not.
const maxAttempts = 8

// Fit spends a budget of tokens on the plan. The written form in the given
// format never has more, by Count; when nothing fits, the bundle has no files,
// and when not even its head fits, Render writes nothing.
func (p *Plan) Fit(ctx context.Context, budget int, f Format) (b *Bundle, out []byte, err error) {
	err = artifact.Guard(func() error {
		b, out, err = p.fit(ctx, budget, f)
		return err
	})
	return b, out, err
}

func (p *Plan) fit(ctx context.Context, budget int, f Format) (*Bundle, []byte, error) {
	if err := CheckBudget(budget); err != nil {
		return nil, nil, err
	}
	spend := budget
	for range maxAttempts {
		b := &Bundle{Head: p.head, Budget: budget}
		if spend > headCost {
			if err := p.spend(ctx, b, spend); err != nil {
				return nil, nil, err
			}
		}
		out, err := Render(b, f)
		if err != nil {
			return nil, nil, err
		}
		n := p.counter.count(out)
		if n <= budget {
			return b, out, nil
		}
		// By what it was too large, and a little.
		spend = int(int64(spend) * int64(budget) / int64(n) * 97 / 100)
	}
	b := &Bundle{Head: p.head, Budget: budget}
	out, err := Render(b, f)
	if err == nil && p.counter.count(out) > budget {
		out = nil
	}
	return b, out, err
}

func (p *Plan) spend(ctx context.Context, b *Bundle, budget int) error {
	if p.o.Policy == Eager {
		return p.fitEager(ctx, b, budget-headCost)
	}
	room := budget - headCost
	proofs := int(int64(room) * evidenceShare / 1000)
	cuts, spare, err := p.fitEdits(ctx, room-proofs)
	if err != nil {
		return err
	}
	evidence, left, err := p.fitEvidence(ctx, cuts, proofs)
	if err != nil {
		return err
	}
	p.fill(cuts, spare+left)
	for i, c := range cuts {
		if spans := c.spans(); len(spans) > 0 {
			b.Files = append(b.Files, c.src.file(Edit, p.edits[i].why, spans))
		}
	}
	b.Files = append(b.Files, evidence...)
	return nil
}

// bestUnits is the number of units, over all files, up to which a unit is given
// of a file that is not the first: such files are there in case the ranking
// errs, and get more only where nothing else needs the room.
const bestUnits = 40

// fitEdits gives each file to edit a share as large as its odds: whole where it
// fits, else by units. What a file leaves goes to the first ones that could use
// it. It returns a cut of each file and the room that is left.
func (p *Plan) fitEdits(ctx context.Context, room int) (cuts []*cut, spare int, err error) {
	n := min(len(p.edits), max(1, room/minShare))
	total := int64(0)
	for i := range n {
		total += p.odds(i)
	}
	cuts = make([]*cut, n)
	for i := range n {
		src, err := p.source(ctx, p.edits[i].path)
		if err != nil {
			return nil, 0, err
		}
		share := int(int64(room)*p.odds(i)/total) - p.headingCost(p.edits[i].path)
		cuts[i] = p.newCut(src, share)
		p.fitFile(cuts[i], i, false)
		spare += max(0, cuts[i].room)
		cuts[i].room = 0
	}
	for i, c := range cuts {
		c.room = spare
		p.fitFile(c, i, true)
		spare = c.room
	}
	return cuts, spare, nil
}

// leastOdds, in millionths, keeps a small share for each file.
const leastOdds = 5_000

func (p *Plan) odds(i int) int64 { return max(leastOdds, p.edits[i].odds) }

// fill spends what is left: on whole files where they fit, else on whatever
// units the search found in them.
func (p *Plan) fill(cuts []*cut, room int) {
	for _, c := range cuts {
		c.room = room
		if !c.add(Span{1, c.src.lines.count()}) {
			for i := range p.units {
				if f := &p.units[i]; f.path == c.src.path {
					c.add(f.whole)
				}
			}
		}
		room = c.room
	}
}

func (p *Plan) headingCost(path string) int { return fileCost + p.counter.count([]byte(path)) }

// fitFile takes a file whole where it fits, else its units in the order of the
// search. rank is its place among the files; with spare, the room is what others
// have left.
func (p *Plan) fitFile(c *cut, rank int, spare bool) {
	if c.room <= 0 {
		return
	}
	everything := Span{1, c.src.lines.count()}
	if c.add(everything) {
		return
	}
	first := 0
	for i := range p.units {
		f := &p.units[i]
		if f.path != c.src.path {
			continue
		}
		if first == 0 {
			first = f.match.Start
		} else if rank > 0 && i >= bestUnits {
			break
		}
		own := f.whole
		if n, ok := c.src.ids[f.id]; ok && !f.leaf {
			own = c.src.own(n)
		}
		c.unit(own, f.match)
		p.header(c, f.id)
	}
	switch {
	case first == 0:
		c.near(Span{1, 1}, Span{1, min(everything.End, headLines)})
	case rank == 0 && spare:
		c.near(Span{first, first}, everything)
	}
}

// headLines is how much is given of a file that no unit speaks for.
const headLines = 40

// header takes the first line of what a unit is declared in.
func (p *Plan) header(c *cut, id string) {
	i, ok := c.src.ids[id]
	if !ok {
		return
	}
	if up := int(c.src.units[i].Parent); up > 0 {
		s := c.src.span(up)
		c.add(Span{s.Start, s.Start})
	}
}

// file makes the file of a bundle.
func (s *source) file(role, why string, spans []Span) File {
	return File{Path: s.path, Blob: s.rec.Blob, Role: role, Why: why, Lang: s.rec.Lang, Lines: s.lines.count(), Spans: spans, text: s.lines.text}
}

// wholeUnit is the length up to which a unit is evidence as a whole, and
// aroundUse the lines on each side of what matters in a longer one.
const (
	wholeUnit = 60
	aroundUse = 8
)

// fitEvidence chooses what stands beside the files to edit, from at most
// maxEvidence other files, and returns the room that is left.
func (p *Plan) fitEvidence(ctx context.Context, edits []*cut, room int) (files []File, left int, err error) {
	type part struct {
		c   *cut
		why []string
	}
	edit := map[string]bool{}
	for _, c := range edits {
		edit[c.src.path] = true
	}
	var parts []*part
	at := map[string]*part{}
	for i := 0; room >= minShare; i++ {
		proofs, more, err := p.proofsOf(ctx, i)
		if err != nil {
			return nil, 0, err
		}
		if !more {
			break
		}
		for _, pr := range proofs {
			if edit[pr.path] {
				continue
			}
			pt := at[pr.path]
			heading := 0
			if pt == nil {
				if len(parts) == maxEvidence {
					continue
				}
				src, err := p.source(ctx, pr.path)
				if err != nil {
					return nil, 0, err
				}
				pt = &part{c: p.newCut(src, 0)}
				heading = p.headingCost(pr.path)
			}
			heading += p.counter.count([]byte(pr.why))
			pt.c.room = room - heading
			s := pr.span
			if s.End-s.Start >= wholeUnit {
				s = Span{max(s.Start, pr.line-aroundUse), min(s.End, pr.line+aroundUse)}
			}
			if pt.c.price(s) == 0 || pt.c.room <= 0 || !pt.c.add(s) {
				continue
			}
			if pr.span.Start < s.Start {
				pt.c.add(Span{pr.span.Start, pr.span.Start})
			}
			room = pt.c.room
			if at[pr.path] == nil {
				at[pr.path] = pt
				parts = append(parts, pt)
			}
			if len(pt.why) < 3 && !slices.Contains(pt.why, pr.why) {
				pt.why = append(pt.why, pr.why)
			}
		}
	}
	for _, pt := range parts {
		files = append(files, pt.c.src.file(Evidence, strings.Join(pt.why, "; "), pt.c.spans()))
	}
	return files, room, nil
}

// fitEager adds the best leaf units, whole. Where an index has none, any unit
// will do.
func (p *Plan) fitEager(ctx context.Context, b *Bundle, room int) error {
	var cuts []*cut
	at := map[string]*cut{}
	names := map[string][]string{}
	taken := 0
	for _, leaf := range []bool{true, false} {
		for i := range p.units {
			f := &p.units[i]
			if f.leaf != leaf || taken == eagerUnits {
				continue
			}
			c := at[f.path]
			heading := 0
			if c == nil {
				src, err := p.source(ctx, f.path)
				if err != nil {
					return err
				}
				c = p.newCut(src, 0)
				heading = p.headingCost(f.path)
			}
			s := f.whole
			if n := p.o.Lines; n > 0 && s.End-s.Start >= n {
				s.Start = max(s.Start, min(f.match.Start, s.End-n+1))
				s.End = s.Start + n - 1
			}
			if c.room = room - heading; c.room <= 0 {
				continue
			}
			before := c.room
			if c.unit(s, f.match); c.room == before {
				continue
			}
			taken++
			room = c.room
			if f.symbol != "" {
				names[f.path] = append(names[f.path], label(f.symbol))
			}
			if at[f.path] == nil {
				at[f.path] = c
				cuts = append(cuts, c)
			}
		}
		if taken > 0 {
			break
		}
	}
	for _, c := range cuts {
		b.Files = append(b.Files, c.src.file(Unit, strings.Join(names[c.src.path], ", "), c.spans()))
	}
	return nil
}
