package query

import "testing"

func TestHasCode(t *testing.T) {
	for text, want := range map[string]bool{
		"":     false,
		"\n\n": false,
		"import os\nfrom a import (\n  b,\n  c,\n)\n":                   false,
		"import { a,\n  b,\n} from './a'\nimport type { C } from 'c'\n": false,
		"package main\n\nimport (\n\t\"fmt\"\n)\n":                      false,
		"/*\n * A licence.\n */\n// and more\n#include <a.h>\n":         false,
		"\"\"\"What the module\nis for.\"\"\"\nimport os\n":             false,
		"const fs = require('fs')\n'use strict'\n":                      false,
		"use std::{\n  io,\n};\n":                                       false,
		"import os\nlimit = 3\n":                                        true,
		"import { a } from './a'\nexport const b = a()\n":               true,
		"importance = 3\n":                                              true,
		"#define LIMIT 3\n":                                             true,
		"from a import (\n  b\n)\nx = 1\n":                              true,
		"import (\n":                                                    false, // cut short
	} {
		if got := hasCode([]byte(text)); got != want {
			t.Errorf("%q has code: %v, want %v", text, got, want)
		}
	}
}
