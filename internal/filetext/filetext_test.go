package filetext

import (
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		raw, text string
		enc       artifact.Encoding
		at        map[uint32]uint32 // text offset -> original offset
	}{
		{"abc", "abc", artifact.EncodingUTF8, map[uint32]uint32{0: 0, 2: 2, 3: 3}},
		{"\xef\xbb\xbfabc", "abc", artifact.EncodingUTF8BOM, map[uint32]uint32{0: 3, 3: 6}},
		{"a\xffb", "a\xffb", artifact.EncodingOther, map[uint32]uint32{2: 2}},
		{"\xff\xfea\x00\xe4\x00b\x00", "aäb", artifact.EncodingUTF16LE, map[uint32]uint32{0: 2, 1: 4, 2: 4, 3: 6, 4: 8}},
		{"\xfe\xff\x00a\xd8\x35\xdc\xb3\x00b", "a\U0001d4b3b", artifact.EncodingUTF16BE, map[uint32]uint32{1: 4, 5: 8, 6: 10}},
		{"\xff\xfe\x35\xd8b\x00c", "\ufffdb\ufffd", artifact.EncodingUTF16LE, map[uint32]uint32{3: 4, 4: 6, 7: 7}},
		{"\xff\xfe", "", artifact.EncodingUTF16LE, map[uint32]uint32{0: 2}},
		{"\xff\xfe\x00\x00a\x00\x00\x00", "\xff\xfe\x00\x00a\x00\x00\x00", artifact.EncodingOther, nil}, // UTF-32
		{"", "", artifact.EncodingUTF8, map[uint32]uint32{0: 0}},
	} {
		d := Decode([]byte(c.raw))
		if string(d.Bytes) != c.text || d.Encoding != c.enc {
			t.Errorf("Decode(%q) = %q, %v", c.raw, d.Bytes, d.Encoding)
		}
		for off, want := range c.at {
			if got := d.Original(off); got != want {
				t.Errorf("Decode(%q).Original(%d) = %d, want %d", c.raw, off, got, want)
			}
		}
	}
}

func TestInspect(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
	for _, c := range []struct {
		raw  string
		want artifact.Skip
	}{
		{"", artifact.SkipNone}, {"text\n", artifact.SkipNone}, {"\x1b[1mbold\x1b[0m", artifact.SkipNone},
		{"a\x00b", artifact.SkipBinary}, {strings.Repeat("a", 9000) + "\x00", artifact.SkipNone},
		{"\xff\xfea\x00b\x00", artifact.SkipNone}, {"\xff\xfea\x00\x00\x00b\x00", artifact.SkipBinary},
		{"\xff\xfe\x00\x00a\x00\x00\x00", artifact.SkipBinary},
		{"ab\x01\x02\x03\x04", artifact.SkipBinary}, {strings.Repeat("a", 100) + "\x01", artifact.SkipNone},
		{pointer, artifact.SkipLFS}, {pointer + strings.Repeat("x", 1024), artifact.SkipNone},
		{"version https://git-lfs.github.com/spec/v1\n", artifact.SkipNone},
	} {
		if got := Inspect([]byte(c.raw)); got != c.want {
			t.Errorf("Inspect(%.40q) = %v, want %v", c.raw, got, c.want)
		}
	}
}

func TestMinified(t *testing.T) {
	code := strings.Repeat("function f() { return 1 }\n", 400)
	packed := strings.Repeat("a=1;", 5000)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"code", code, false}, {"packed", packed, true}, {"licence and packed", "/*\n * (c)\n */\n" + packed, true},
		{"short", "a=1;", false}, {"code with one long line", code + packed, false}, {"empty", "", false},
	} {
		if got := Minified([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
