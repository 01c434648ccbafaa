// Package selfeval measures retrieval on a repository's own history: commits
// that look like mended bugs ask, with their message, for the files that they
// touched, in the index of their parent.
//
// It is a measure of what people can expect, and no proof: messages are written
// by those who know the answer, and a commit touches files besides those that
// were at fault.
package selfeval

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Task is one question with its answer.
type Task struct {
	Commit   gitobj.ID // that mended the bug
	Snapshot gitobj.ID // its parent, whose index is asked
	Query    string
	Files    []string // that the commit changed, in path order
}

const (
	maxFiles     = 10      // a commit that changes more is no single bug
	minMessage   = 20      // bytes; less says nothing
	maxMessage   = 4000    // bytes of a question
	walkPerTask  = 60      // commits looked at for each task that is asked for
	maxWalk      = 200_000 // commits looked at in all
	treesPerTask = 4       // pairs of trees compared for each task
)

var (
	buglike = expression(`(?i)\b(fix(e[sd])?|fixing|bugs?|bugfix|crash(e[sd])?|regressions?|broken|wrong(ly)?|incorrect(ly)?|fail(s|ed|ure)?|leak(s|ed)?|panic(s|ked)?|deadlock|hang(s)?|traceback|exception|race condition)\b`)
	notABug = expression(`(?i)\b(typos?|spelling|lint(er)?|whitespace|format(ting)?|changelog|bump(s|ed)?|release|revert(s|ed)?|merge|docs?|documentation|readme|comments?|tests?|ci|flaky)\b`)
	trailer = expression(`(?i)^([A-Za-z-]+-by|cc|change-id|closes?|see|refs?|fixes|bug|issue|reviewed-on|git-svn-id): |^(fixes|closes|refs) #`)
)

// expression compiles when it is first needed, not whenever a program starts.
func expression(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// Mine walks the first parents of head and returns at most n tasks, newest
// first, and how many commits it looked at. Where the history ends, as in a
// shallow clone, so does the list.
func Mine(ctx context.Context, repo git.Repository, head gitobj.ID, n int) (tasks []Task, walked int, err error) {
	trees := 0
	for id := head; len(tasks) < n && walked < min(maxWalk, n*walkPerTask) && trees < n*treesPerTask; walked++ {
		if err := ctx.Err(); err != nil {
			return nil, walked, err
		}
		c, err := repo.ReadCommit(ctx, id)
		if err != nil || len(c.Parents) == 0 {
			break // the end of the history, or of what is here of it
		}
		parent := c.Parents[0]
		if q, ok := Question(c.Raw); ok && len(c.Parents) == 1 {
			trees++
			files, err := changed(ctx, repo, parent, id)
			if err != nil {
				break
			}
			if len(files) > 0 && len(files) <= maxFiles {
				tasks = append(tasks, Task{Commit: id, Snapshot: parent, Query: q, Files: files})
			}
		}
		id = parent
	}
	return tasks, walked, nil
}

// Question makes a question of a commit's raw object, and says whether the
// commit looks like a mended bug.
func Question(raw []byte) (string, bool) {
	_, body, ok := bytes.Cut(raw, []byte("\n\n"))
	if !ok || !utf8.Valid(body) {
		return "", false
	}
	subject, _, _ := strings.Cut(string(body), "\n")
	if !buglike().MatchString(subject) || notABug().MatchString(subject) {
		return "", false
	}
	var lines []string
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimSpace(line); !trailer().MatchString(line) {
			lines = append(lines, line)
		}
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	return text, len(text) >= minMessage
}

// changed returns the code files that both commits have and that differ.
func changed(ctx context.Context, repo git.Repository, from, to gitobj.ID) ([]string, error) {
	a, err := repo.Tree(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := repo.Tree(ctx, to)
	if err != nil {
		return nil, err
	}
	var files []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Path < b[j].Path:
			i++
		case a[i].Path > b[j].Path:
			j++
		default:
			if a[i].ID != b[j].ID && a[i].Mode&0o170000 == 0o100000 && isCode(a[i].Path) {
				files = append(files, a[i].Path)
			}
			i, j = i+1, j+1
		}
	}
	return files, nil
}

var proseExtensions = []string{".md", ".rst", ".txt", ".adoc", ".lock", ".sum", ".po", ".svg", ".png", ".snap"}

// isCode reports whether a file may be at fault: it is no test and no prose.
func isCode(p string) bool {
	if slices.Contains(proseExtensions, strings.ToLower(path.Ext(p))) {
		return false
	}
	for _, part := range strings.Split(strings.ToLower(p), "/") {
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return r == '_' || r == '.' || r == '-' }) {
			switch word {
			case "test", "tests", "testing", "testdata", "spec", "specs", "docs", "doc", "changelog", "changes", "fixtures", "vendor", "authors":
				return false
			}
		}
	}
	return true
}
