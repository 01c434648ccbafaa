package query

import "strings"

// common reports whether a name is so common among methods that a use of it
// with an unknown receiver says nothing, even when the tree declares it once.
func common(name string) bool {
	switch strings.ToLower(strings.TrimLeft(name, "_")) {
	case "get", "set", "add", "append", "push", "pop", "put", "insert", "remove", "delete", "del", "discard", "clear", "reset",
		"update", "replace", "merge", "extend", "copy", "clone", "close", "open", "read", "readline", "write", "writeln", "flush",
		"seek", "tell", "send", "recv", "receive", "emit", "on", "off", "once", "start", "stop", "run", "exec", "execute", "call",
		"apply", "bind", "invoke", "wait", "join", "split", "strip", "trim", "format", "encode", "decode", "lower", "upper",
		"index", "indexof", "find", "search", "match", "test", "count", "len", "length", "size", "empty", "isempty", "contains",
		"has", "includes", "keys", "values", "items", "entries", "sort", "sorted", "reverse", "map", "filter", "reduce", "each",
		"foreach", "some", "every", "any", "all", "then", "catch", "finally", "next", "iter", "first", "last", "min", "max", "sum",
		"slice", "concat", "fill", "equals", "equal", "eq", "compare", "cmp", "hash", "hashcode", "tostring", "string", "str",
		"repr", "error", "errors", "debug", "info", "warn", "warning", "log", "print", "printf", "println", "name", "value", "type",
		"id", "key", "data", "text", "path", "url", "status", "code", "message", "body", "headers", "init", "new", "create", "make",
		"build", "load", "save", "dump", "loads", "dumps", "parse", "render", "handle", "process", "validate", "check", "lock",
		"unlock", "acquire", "release", "do", "ok", "err", "unwrap", "expect", "into", "from", "as_ref", "as_str", "to_string",
		"collect", "fold", "take", "skip", "zip", "chain", "with", "enter", "exit", "connect", "disconnect", "commit", "rollback",
		"begin", "end", "done", "cancel", "submit", "result", "context", "config", "options", "args", "self", "this", "setup",
		"teardown", "dispose", "register", "unregister", "subscribe", "publish", "notify", "fetch", "request", "response", "query",
		"select", "where", "order", "group", "limit", "offset", "exists", "refresh", "sleep", "now", "time", "date", "children",
		"parent", "node", "list", "dict", "tuple", "array", "object", "number", "bool", "int", "float", "bytes":
		return true
	}
	return len(name) <= 2
}

// builtin reports whether a bare name belongs to the language's own globals.
// Languages whose parser facts leave them out already need no list.
func builtin(lang, name string) bool {
	switch family(lang) {
	case "c":
		switch name {
		case "printf", "fprintf", "sprintf", "snprintf", "malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset",
			"memcmp", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr", "strstr", "assert", "sizeof", "abort",
			"exit", "fopen", "fclose", "fread", "fwrite", "puts", "getenv", "qsort", "NULL":
			return true
		}
	case "ruby":
		switch name {
		case "puts", "print", "p", "raise", "require", "require_relative", "attr_reader", "attr_writer", "attr_accessor", "include",
			"extend", "private", "protected", "public", "lambda", "proc", "loop", "format", "sprintf", "freeze", "block_given?":
			return true
		}
	case "php":
		switch name {
		case "isset", "empty", "count", "array_map", "array_filter", "array_merge", "in_array", "sprintf", "implode", "explode",
			"strlen", "str_replace", "is_array", "is_string", "is_null", "json_encode", "json_decode":
			return true
		}
	case "lua":
		switch name {
		case "print", "pairs", "ipairs", "require", "type", "tostring", "tonumber", "error", "pcall", "setmetatable", "getmetatable",
			"table", "string", "math", "io", "os", "select", "unpack", "rawget", "rawset", "next", "assert":
			return true
		}
	case "bash", "zsh":
		switch name {
		case "echo", "printf", "cd", "test", "exit", "return", "local", "export", "source", "set", "unset", "shift", "read", "eval",
			"exec", "trap", "grep", "sed", "awk", "cat", "rm", "cp", "mv", "mkdir", "ls", "find", "git", "true", "false":
			return true
		}
	}
	return false
}
