package main

import "strings"

// A pair is a text in words and the code that it is about.
type rawPair struct{ words, code string }

// hashComment are the languages in which # begins a comment.
var hashComment = map[string]bool{"python": true, "ruby": true, "bash": true, "shell": true, "elixir": true, "php": true, "perl": true, "r": true, "julia": true, "cmake": true, "make": true, "nim": true, "fish": true, "zsh": true}

// dashComment are those in which -- does.
var dashComment = map[string]bool{"haskell": true, "lua": true, "sql": true, "ada": true, "elm": true}

// commentPairs finds comments on lines of their own, with the code below.
func commentPairs(lang, body string, maxCode int) (out []rawPair) {
	lines := strings.Split(body, "\n")
	for i := 0; i < len(lines); {
		if _, ok := commentLine(lang, lines[i]); !ok {
			if lang == "elixir" {
				if p, next := heredoc(lines, i, maxCode); next > i {
					if p.words != "" {
						out = append(out, p)
					}
					i = next
					continue
				}
			}
			i++
			continue
		}
		var comment []string
		for ; i < len(lines); i++ {
			words, ok := commentLine(lang, lines[i])
			if !ok {
				break
			}
			comment = append(comment, words)
		}
		var code []string
		for j := i; j < len(lines) && len(code) < maxCode; j++ {
			if _, ok := commentLine(lang, lines[j]); ok {
				break
			}
			if strings.TrimSpace(lines[j]) == "" {
				if len(code) >= 3 {
					break
				}
				continue
			}
			code = append(code, lines[j])
		}
		if len(code) >= 2 {
			out = append(out, rawPair{strings.Join(comment, "\n"), strings.Join(code, "\n")})
		}
	}
	return out
}

// commentLine returns the words of a line that is all comment.
func commentLine(lang, line string) (string, bool) {
	l := strings.TrimSpace(line)
	for _, mark := range []string{"///", "//!", "//", "/**", "/*", "*/", "* "} {
		if rest, ok := strings.CutPrefix(l, mark); ok && !hashComment[lang] && !dashComment[lang] {
			return strings.TrimSuffix(rest, "*/"), true
		}
	}
	if l == "*" && !hashComment[lang] && !dashComment[lang] {
		return "", true
	}
	if rest, ok := strings.CutPrefix(l, "#"); ok && hashComment[lang] && !strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "[") {
		return rest, true
	}
	if lang == "php" && (strings.HasPrefix(l, "//") || strings.HasPrefix(l, "/*") || strings.HasPrefix(l, "*")) {
		return strings.Trim(l, "/* "), true
	}
	if rest, ok := strings.CutPrefix(l, "--"); ok && dashComment[lang] {
		return strings.TrimLeft(rest, "-| "), true
	}
	return "", false
}

// heredoc reads Elixir's documentation strings.
func heredoc(lines []string, i, maxCode int) (p rawPair, next int) {
	l := strings.TrimSpace(lines[i])
	if !strings.HasPrefix(l, "@doc \"\"\"") && !strings.HasPrefix(l, "@moduledoc \"\"\"") && !strings.HasPrefix(l, "@doc ~S\"\"\"") {
		return p, i
	}
	j := i + 1
	for j < len(lines) && strings.TrimSpace(lines[j]) != "\"\"\"" {
		j++
	}
	p.words = strings.Join(lines[i+1:min(j, len(lines))], "\n")
	j = min(j+1, len(lines))
	var code []string
	for k := j; k < len(lines) && len(code) < maxCode && !strings.Contains(lines[k], "@doc"); k++ {
		code = append(code, lines[k])
	}
	if p.code = strings.Join(code, "\n"); len(code) < 2 {
		p.words = ""
	}
	return p, j
}

// firstSentence returns a documentation's beginning: what a question is like.
func firstSentence(doc string) string {
	d := strings.TrimSpace(doc)
	for i := 0; i+1 < len(d); i++ {
		if i <= 20 {
			continue
		}
		if d[i] == '.' && (d[i+1] == ' ' || d[i+1] == '\n') {
			return d[:i]
		}
		if d[i] == '\n' {
			if next, _, _ := strings.Cut(d[i+1:], "\n"); strings.Trim(next, "/*#; \t") == "" {
				return d[:i] // an empty line
			}
		}
	}
	return d
}

// legal tells a licence notice from documentation.
func legal(words string) bool {
	w := strings.ToLower(words)
	return strings.Contains(w, "copyright") || strings.Contains(w, "licensed under") || strings.Contains(w, "all rights reserved") || strings.Contains(w, "warranty")
}
