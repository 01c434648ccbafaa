package units

import (
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/filetext"
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
		for _, u := range Build(File{Lang: lang, Text: filetext.Decode([]byte(text))}).Units {
			found = found || u.Kind == artifact.KindSection || u.Kind == artifact.KindEntry
		}
		if listed := Backend(lang) != "lines"; listed != found {
			t.Errorf("%s: Backend says %q, and the scanner found units: %v", lang, Backend(lang), found)
		}
	}
}
