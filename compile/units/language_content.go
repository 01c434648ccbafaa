package units

import (
	"bytes"
	"strings"
)

// byContent settles extensions that several languages share.
func byContent(lang string, head []byte) string {
	switch lang {
	case "h":
		return headerLanguage(head)
	case "typescript":
		// Qt Linguist's translations have the extension too.
		if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<?xml")) || bytes.HasPrefix(head, []byte("<!DOCTYPE TS")) {
			return "xml"
		}
	case "inc":
		if bytes.HasPrefix(head, []byte("<?")) {
			return "php"
		}
		return byFirstLine(head)
	case "v":
		for line := range bytes.Lines(head) {
			w, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
			switch string(w) {
			case "module":
				if bytes.ContainsAny(line, "(;#") {
					return "verilog"
				}
			case "endmodule", "`timescale", "`include", "`define", "`ifdef", "`ifndef":
				return "verilog"
			case "Require", "Theorem", "Lemma":
				return "coq"
			}
		}
	case "text":
		// Some projects write reStructuredText into .txt files.
		for line := range bytes.Lines(head) {
			l := bytes.TrimSpace(line)
			if bytes.HasPrefix(line, []byte(".. ")) && (bytes.Contains(l, []byte("::")) || l[len(l)-1] == ':' && bytes.HasPrefix(l, []byte(".. _"))) {
				return "rst"
			}
		}
	case "objective-c":
		for line := range bytes.Lines(head) {
			l := bytes.TrimSpace(line)
			if len(l) > 0 && l[0] == '%' || bytes.HasPrefix(l, []byte("function ")) {
				return "matlab"
			}
			if bytes.HasPrefix(l, []byte("#import")) || bytes.HasPrefix(l, []byte("#include")) || bytes.HasPrefix(l, []byte("@")) {
				break
			}
		}
	case "perl":
		for line := range bytes.Lines(head) {
			if bytes.HasPrefix(line, []byte(":-")) {
				return "prolog"
			}
		}
	case "ini":
		// .conf and .cfg are anything; without a section there is nothing to
		// cut by, and the name would mislead.
		for line := range bytes.Lines(head) {
			if l := bytes.TrimSpace(line); len(l) > 2 && l[0] == '[' && bytes.IndexByte(l, ']') > 0 {
				return "ini"
			}
		}
		return "conf"
	}
	return lang
}

// headerLanguage looks for the first line that only C++ or Objective-C begins
// with.
func headerLanguage(head []byte) string {
	comment := false
	for line := range bytes.Lines(head) {
		l := bytes.TrimSpace(line)
		if comment {
			comment = !bytes.Contains(l, []byte("*/"))
			continue
		}
		if bytes.HasPrefix(l, []byte("/*")) {
			comment = !bytes.Contains(l, []byte("*/"))
			continue
		}
		if bytes.HasPrefix(l, []byte("@interface")) || bytes.HasPrefix(l, []byte("@protocol")) || bytes.HasPrefix(l, []byte("@class")) || bytes.HasPrefix(l, []byte("#import ")) {
			return "objective-c"
		}
		end := 0
		for end < len(l) && (l[end] == '_' || l[end] >= 'a' && l[end] <= 'z') {
			end++
		}
		rest := bytes.TrimLeft(l[end:], " \t")
		switch string(l[:end]) {
		case "class", "namespace":
			if len(rest) > 0 && rest[0] != ';' && rest[0] != '=' && rest[0] != ',' {
				return "cpp"
			}
		case "template":
			if len(rest) > 0 && rest[0] == '<' {
				return "cpp"
			}
		case "using":
			if len(rest) > 0 {
				return "cpp"
			}
		case "public", "private", "protected":
			if len(rest) > 0 && rest[0] == ':' {
				return "cpp"
			}
		}
		if inc, ok := bytes.CutPrefix(l, []byte("#include <")); ok {
			name, _, _ := bytes.Cut(inc, []byte(">"))
			if len(name) > 0 && !bytes.ContainsAny(name, "./") && cppHeader(string(name)) {
				return "cpp"
			}
		}
	}
	return "c"
}

func cppHeader(name string) bool {
	switch name {
	case "algorithm", "any", "array", "atomic", "bitset", "chrono", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring",
		"deque", "exception", "functional", "initializer_list", "iostream", "iterator", "limits", "list", "map", "memory",
		"mutex", "new", "optional", "ostream", "istream", "queue", "set", "span", "sstream", "stdexcept", "string",
		"string_view", "thread", "tuple", "type_traits", "typeinfo", "unordered_map", "unordered_set", "utility",
		"variant", "vector":
		return true
	}
	return false
}

func byFirstLine(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSpace(line)
	switch {
	case bytes.HasPrefix(line, []byte("#!")):
		return byInterpreter(string(line[2:]))
	case bytes.HasPrefix(line, []byte("<?xml")):
		return "xml"
	case bytes.HasPrefix(line, []byte("<?php")):
		return "php"
	}
	return ""
}

// byInterpreter reads a shebang without its two first characters, such as
// "/usr/bin/env -S FOO=1 python3.12 -u".
func byInterpreter(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	prog := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if prog == "env" {
		prog = ""
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				prog = w[strings.LastIndexByte(w, '/')+1:]
				break
			}
		}
	}
	switch prog = strings.TrimRight(prog, "0123456789.-"); prog {
	case "python", "pypy":
		return "python"
	case "sh", "bash", "dash", "ash", "ksh", "mksh":
		return "bash"
	case "zsh", "fish", "awk", "sed", "perl", "groovy", "julia", "elixir", "crystal", "raku", "racket":
		return prog
	case "gawk", "mawk":
		return "awk"
	case "node", "nodejs", "bun":
		return "javascript"
	case "deno", "ts-node", "tsx":
		return "typescript"
	case "ruby", "jruby", "rake":
		return "ruby"
	case "php", "lua", "scala", "haskell", "kotlin":
		return prog
	case "luajit", "texlua":
		return "lua"
	case "runhaskell", "runghc", "stack":
		return "haskell"
	case "amm":
		return "scala"
	case "Rscript":
		return "r"
	case "pwsh", "powershell":
		return "powershell"
	case "tclsh", "wish", "expect":
		return "tcl"
	case "escript":
		return "erlang"
	case "make":
		return "make"
	case "guile":
		return "scheme"
	case "emacs":
		return "elisp"
	}
	return ""
}
