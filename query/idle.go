package query

import (
	"bytes"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// idleUnit is what a unit loses, in thousandths of a score, that holds imports,
// comments and licences alone: it comes behind the other units of its file.
const idleUnit = 1 << 30

// maxIdle bounds the remainder that is read for this, in bytes. A longer one is
// taken to hold code.
const maxIdle = 16 << 10

// asksForIdle are words of questions that such a unit may answer.
var asksForIdle = []string{
	"import", "imports", "imported", "include", "includes", "require", "requires", "package", "module", "dependency", "dependencies",
	"license", "licence", "copyright", "header", "comment", "comments",
}

// holdsBackIdle reports whether units without code are held back: not where the
// question asks for them. Where it is a name, which only an import may have, they
// come behind those alone that have as much of it.
func (r *ranker) holdsBackIdle() bool {
	return r.e.has(artifact.Source) && (r.q.single || r.q.class() != querySymbol) &&
		!slices.ContainsFunc(r.q.words, func(w string) bool { return slices.Contains(asksForIdle, w) })
}

// idle reports whether a unit lies between declarations and has no code.
func (r *ranker) idle(c *candidate, f *fileCand, u *artifact.UnitsReader) (bool, error) {
	if u.UnitKind(c.unit) != artifact.KindRemainder {
		return false, nil
	}
	kept := &f.unit(c.unit).idle
	if known := kept.Load(); known != 0 {
		return known == isIdle, nil
	}
	idle, err := r.readsIdle(c, u)
	if err != nil {
		return false, err
	}
	if idle {
		kept.Store(isIdle)
	} else {
		kept.Store(isBusy)
	}
	return idle, nil
}

// What is known of a unit once its text was read.
const (
	isIdle = 1 + iota
	isBusy
)

func (r *ranker) readsIdle(c *candidate, u *artifact.UnitsReader) (bool, error) {
	unit := u.Unit(c.unit)
	if unit.End-unit.Start > maxIdle || isUTF16(u.Encoding(c.file)) {
		return false, nil
	}
	src, err := r.e.ix.Source(c.part)
	if err != nil {
		return false, err
	}
	return !hasCode(src.Content(c.file)[unit.Start:unit.End]), nil
}

// Beginnings of lines that say what a file uses or is, and of comments. They
// are the same words in so many languages that one list does for all; a line
// that is none of them is code.
var (
	importWords = []string{
		"import", "from", "use", "pub use", "using", "require", "require_relative", "include", "package", "open", "extern crate",
		"#include", "#import", "#pragma", "@import", "export *", "library", "part",
	}
	lineComments = []string{"//", "--", ";;", "%%", "* ", "*/", "#!", "# ", "'use strict'", "\"use strict\""}
	blockComment = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"{-", "-}"}, {"(*", "*)"}, {"<!--", "-->"}, {"--[[", "]]"}}
)

// hasCode reports whether a line of the text is neither blank nor a comment nor
// an import, which may go on over several lines in brackets.
func hasCode(text []byte) bool {
	end := ""   // of the comment that is open
	nested := 0 // brackets that are open in an import
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if end != "" {
			if bytes.Contains(line, []byte(end)) {
				end = ""
			}
			continue
		}
		if nested > 0 {
			nested += brackets(line)
			continue
		}
		if len(line) == 0 || string(line) == "#" || string(line) == "*" || startsWith(line, lineComments) {
			continue
		}
		if end = opensComment(line); end != "" {
			if end == "-" {
				end = ""
			}
			continue
		}
		if !importLine(line) {
			return true
		}
		nested = max(0, brackets(line))
	}
	return false
}

// opensComment returns what ends the comment that a line begins with, "-" where
// the line itself does, and "" where there is none.
func opensComment(line []byte) string {
	for _, b := range blockComment {
		if rest, ok := bytes.CutPrefix(line, []byte(b[0])); ok {
			if bytes.Contains(rest, []byte(b[1])) {
				return "-"
			}
			return b[1]
		}
	}
	return ""
}

func startsWith(line []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(line, []byte(w)) })
}

func importLine(line []byte) bool {
	if bytes.Contains(line, []byte("= require(")) && startsWith(line, []string{"const ", "let ", "var ", "local "}) {
		return true
	}
	for _, w := range importWords {
		rest, ok := bytes.CutPrefix(line, []byte(w))
		if ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t({'\"<;"), rest[0]) >= 0) {
			return true
		}
	}
	return false
}

// brackets returns how many brackets of a line stay open.
func brackets(line []byte) (n int) {
	for _, c := range line {
		switch c {
		case '(', '{', '[':
			n++
		case ')', '}', ']':
			n--
		}
	}
	return n
}
