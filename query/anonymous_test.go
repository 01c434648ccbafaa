package query

import "testing"

func TestBodyBehind(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"() {", 3},
		{"<String, List<T>>(a, b(c)) {", 27},
		{"<>(){", 4},
		{"(\") {\", ')', '\\'')\n{", 19},
		{"( /* ) { */ ) {", 14},
		{"( // ) {\n ) {", 12},
		{"()", -1},
		{"().run() {", -1},
		{")) {", -1},
		{"[3] {", -1},
		{" {", -1},
		{"; {", -1},
		{"() x {", -1},
		{"(\"", -1},
		{"(/*", -1},
		{"", -1},
	} {
		if got := bodyBehind([]byte(c.text)); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
}
