package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/stats"
)

func TestPlot(t *testing.T) {
	p := &plot{title: "a <title>", x: "commits", y: "bytes", logY: true, lines: []line{
		{name: "one & two", points: [][2]float64{{1, 0}, {2, 1500}, {3, 4e9}}},
		{name: "dots", dots: true, points: [][2]float64{{1, 10}, {3, 20}}},
		{name: "none"},
	}}
	b := p.svg()
	if !bytes.Equal(b, p.svg()) {
		t.Error("two drawings differ")
	}
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, b)
		}
	}
	for _, want := range []string{"a &lt;title&gt;", "one &amp; two", "1 k", "10 G", "<circle"} {
		if want == "1 k" {
			want = ">1000<"
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q in\n%s", want, b)
		}
	}
	if strings.Contains(string(b), "NaN") || strings.Contains(string(b), "Inf") {
		t.Errorf("a coordinate is no number:\n%s", b)
	}
	if empty := (&plot{}).svg(); strings.Contains(string(empty), "NaN") {
		t.Errorf("an empty plot has no coordinates:\n%s", empty)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{5, 1, 4, 2, 3}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.5, 3}, {0.8, 4}, {0.95, 5}, {1, 5}} {
		if got := stats.Quantile(v, c.q); got != c.want {
			t.Errorf("quantile %v = %v, want %v", c.q, got, c.want)
		}
	}
	if stats.Quantile(nil, 0.5) != 0 {
		t.Error("no values have a quantile")
	}
}
