package units

import (
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ path, head, want string }{
		{"a/b.py", "", "python"}, {"a.PY", "", "python"}, {"x.go", "", "go"}, {"x.rs", "", "rust"},
		{"x.c", "", "c"}, {"x.cc", "", "cpp"}, {"x.java", "", "java"}, {"x.jsx", "", "javascript"},
		{"x.mjs", "", "javascript"}, {"x.ts", "export {}", "typescript"}, {"x.d.ts", "", "typescript"}, {"x.tsx", "", "tsx"},
		{"x.ts", "<?xml version='1.0'?>", "xml"},
		{"x.cs", "", "csharp"}, {"Rakefile", "", "ruby"}, {"x.php", "", "php"}, {"x.kts", "", "kotlin"},
		{"build.sbt", "", "scala"}, {"x.lua", "", "lua"}, {".bashrc", "", "bash"}, {"x.hs", "", "haskell"}, {"x.zig", "", "zig"},
		{"x.h", "#ifndef X\nstruct a { int class_; };\n", "c"},
		{"x.h", "/*\n * class of things\n */\nint f(void);\n", "c"},
		{"x.h", "/*\nclass of things\n*/\nint f(void);\n", "c"},
		{"x.h", "#pragma once\nnamespace a {\n", "cpp"},
		{"x.h", "#include <vector>\n", "cpp"}, {"x.h", "#include <stdio.h>\n", "c"},
		{"x.h", "template <class T>\n", "cpp"}, {"x.h", "class A;\n", "cpp"}, {"x.h", "  public:\n", "cpp"},
		{"x.h", "@interface A\n", "objective-c"},
		{"x.inc", "<?php", "php"}, {"x.inc", "text", ""},
		{"x.conf", "a b\n", "conf"}, {"x.conf", "[a]\n", "ini"},
		{"x.v", "module a(b);\n", "verilog"}, {"x.v", "module main\n", "v"},
		{"tool", "#!/bin/sh\n", "bash"}, {"tool", "#!/usr/bin/env -S A=1 python3.12 -u\n", "python"},
		{"tool", "#! /usr/bin/node\r\n", "javascript"}, {"tool", "#!\n", ""}, {"tool", "x", ""},
		{"Dockerfile.dev", "", "dockerfile"}, {"go.mod", "", "gomod"}, {"README", "", "text"}, {"README.md", "", "markdown"},
		{"dir.py/file", "", ""}, {".py", "", "python"}, {"", "", ""},
	} {
		if got := Language(c.path, []byte(c.head)); got != c.want {
			t.Errorf("Language(%q, %q) = %q, want %q", c.path, c.head, got, c.want)
		}
	}
}

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

// A language whose scanner finds something must not be listed as cut by lines,
// and the other way round.
func TestBackendSaysWhatCuts(t *testing.T) {
	body := strings.Repeat("  a: 1\n  b: 2\n", 3)
	for lang, text := range map[string]string{
		"markdown": "# A\n\ntext\n\n# B\n\ntext\n", "rst": "Title\n=====\n\ntext\n\nOther\n=====\n\ntext\n",
		"asciidoc": "= A\n\ntext\n\n== B\n\ntext\n", "org": "* A\ntext\n* B\ntext\n",
		"yaml": "k:\n" + body + "l:\n" + body, "toml": "[a]\n" + body + "[b]\n" + body, "ini": "[a]\n" + body + "[b]\n" + body,
		"json": "{\n\"a\": {\n\"x\": 1,\n\"y\": 2,\n\"z\": 3\n},\n\"b\": 1\n}\n",
		"hcl":  "resource \"a\" \"b\" {\n  x = 1\n  y = 2\n  z = 3\n}\n", "protobuf": "message A {\n  int32 x = 1;\n  int32 y = 2;\n  int32 z = 3;\n}\n",
		"make": "all:\n\ta\n\tb\n\tc\n\td\n\nother:\n\te\n\tf\n\tg\n", "text": "words\n\nwords\n", "css": "a { b: c }\n",
	} {
		found := false
		for _, u := range Build(File{Lang: lang, Text: Decode([]byte(text))}).Units {
			found = found || u.Kind == artifact.KindSection || u.Kind == artifact.KindEntry
		}
		if listed := Backend(lang) != "lines"; listed != found {
			t.Errorf("%s: Backend says %q, and the scanner found units: %v", lang, Backend(lang), found)
		}
	}
}
