package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// plot is a line chart. Its SVG is a pure function of its fields.
type plot struct {
	title, x, y string
	logX, logY  bool
	lines       []line
}

type line struct {
	name   string
	dots   bool // marks the points, and joins them
	points [][2]float64
}

// The canvas and its margins, in pixels.
const (
	plotWidth, plotHeight = 720, 400
	marginLeft            = 78
	marginRight           = 24
	marginTop             = 40
	marginBottom          = 52
)

// colours tell lines apart; their dashes do as well, for whoever cannot see
// colours.
var (
	colours = []string{"#1f6f8b", "#c8553d", "#4f772d", "#7b2d8b", "#8a6d1f", "#444444", "#b5179e", "#0a9396"}
	dashes  = []string{"", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3", "8 3 2 3"}
)

// svg draws the plot.
func (p *plot) svg() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	text := func(x, y float64, anchor, s, more string) {
		fmt.Fprintf(&b, `<text x="%s" y="%s" text-anchor="%s"%s>%s</text>`+"\n", pixel(x), pixel(y), anchor, more, html.EscapeString(s))
	}
	text(plotWidth/2, 22, "middle", p.title, ` font-size="14"`)
	xs, ys := p.scales()
	for _, t := range xs.ticks() {
		x := xs.at(t)
		fmt.Fprintf(&b, `<path d="M%s %dV%d" stroke="#dddddd"/>`+"\n", pixel(x), marginTop, plotHeight-marginBottom)
		text(x, plotHeight-marginBottom+16, "middle", number(t), "")
	}
	for _, t := range ys.ticks() {
		y := ys.at(t)
		fmt.Fprintf(&b, `<path d="M%d %sH%d" stroke="#dddddd"/>`+"\n", marginLeft, pixel(y), plotWidth-marginRight)
		text(marginLeft-6, y+4, "end", number(t), "")
	}
	text((marginLeft+plotWidth-marginRight)/2, plotHeight-14, "middle", p.x, "")
	mid := pixel(float64(marginTop+plotHeight-marginBottom) / 2)
	text(16, float64(marginTop+plotHeight-marginBottom)/2, "middle", p.y, fmt.Sprintf(` transform="rotate(-90 16 %s)"`, mid))
	for i, l := range p.lines {
		colour, dash := colours[i%len(colours)], dashes[i%len(dashes)]
		var d strings.Builder
		for n, pt := range l.points {
			op := "L"
			if n == 0 {
				op = "M"
			}
			d.WriteString(op + pixel(xs.at(pt[0])) + " " + pixel(ys.at(pt[1])))
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.8" stroke-dasharray="%s"/>`+"\n", d.String(), colour, dash)
		if l.dots {
			for _, pt := range l.points {
				fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="3.5" fill="%s"/>`+"\n", pixel(xs.at(pt[0])), pixel(ys.at(pt[1])), colour)
			}
		}
		y := float64(marginTop + 14 + 16*i)
		fmt.Fprintf(&b, `<path d="M%d %sh26" stroke="%s" stroke-width="1.8" stroke-dasharray="%s"/>`+"\n", marginLeft+10, pixel(y-4), colour, dash)
		text(marginLeft+42, y, "start", l.name, "")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// pixel writes a coordinate to a tenth.
func pixel(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// number writes a tick.
func number(v float64) string {
	switch {
	case v >= 1e9:
		return strconv.FormatFloat(v/1e9, 'g', 4, 64) + " G"
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + " M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 4, 64) + " k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// scale maps values to pixels.
type scale struct {
	lo, hi   float64 // values
	from, to float64 // pixels
	log      bool
}

func (p *plot) scales() (x, y scale) {
	x = scale{lo: math.Inf(1), hi: math.Inf(-1), from: marginLeft, to: plotWidth - marginRight, log: p.logX}
	y = scale{lo: math.Inf(1), hi: math.Inf(-1), from: plotHeight - marginBottom, to: marginTop, log: p.logY}
	for _, l := range p.lines {
		for _, pt := range l.points {
			x.lo, x.hi = min(x.lo, pt[0]), max(x.hi, pt[0])
			y.lo, y.hi = min(y.lo, pt[1]), max(y.hi, pt[1])
		}
	}
	x.round()
	y.round()
	return x, y
}

// round widens the scale to round values.
func (s *scale) round() {
	if s.lo > s.hi {
		s.lo, s.hi = 1, 10 // nothing to draw
	}
	if s.log {
		s.lo, s.hi = math.Pow(10, math.Floor(math.Log10(max(s.lo, 1)))), math.Pow(10, math.Ceil(math.Log10(max(s.hi, 2))))
		return
	}
	s.lo = min(0, s.lo)
	step := s.step()
	s.hi = max(math.Ceil(s.hi/step), 1) * step
}

// step is the distance of ticks: 1, 2 or 5 times a power of ten.
func (s *scale) step() float64 {
	span := max(s.hi-s.lo, 1e-9)
	p := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*p) <= 7 {
			return m * p
		}
	}
	return 10 * p
}

func (s *scale) ticks() []float64 {
	var out []float64
	if s.log {
		for v := s.lo; v <= s.hi*1.001; v *= 10 {
			out = append(out, v)
		}
		return out
	}
	step := s.step()
	for i := 0; s.lo+float64(i)*step <= s.hi*1.0001; i++ {
		out = append(out, s.lo+float64(i)*step)
	}
	return out
}

func (s *scale) at(v float64) float64 {
	lo, hi := s.lo, s.hi
	if s.log {
		lo, hi, v = math.Log10(lo), math.Log10(hi), math.Log10(max(v, s.lo))
	}
	return s.from + (v-lo)/(hi-lo)*(s.to-s.from)
}
