package cli

import "testing"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "func main() {", "func main() {"},
		{"tab stays", "\treturn", "\treturn"},
		{"letters of any script stay", "café 검색 検索", "café 검색 検索"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"carriage return", "ok\roverwritten", `ok\x0doverwritten`},
		{"bell, backspace, delete", "a\a\b\x7f", `a\x07\x08\x7f`},
		{"C1 control", "a\u009bb", `a\x9bb`},
		{"no UTF-8", "caf\xe9", `caf\xe9`},
		{"bidirectional override", "a\u202eb", `a\u202eb`},
		{"zero width", "pass\u200bword", `pass\u200bword`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"new line in a path", "a\nb", `a\x0ab`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Visible(c.in); got != c.want {
				t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}
