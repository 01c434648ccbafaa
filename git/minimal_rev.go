package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Objects reads the objects of one repository.
type Objects interface {
	// Object reads an object's type and content, checked against its id.
	// An object that is not there gives an error for which
	// errors.Is(err, ErrMissing) holds.
	Object(id gitobj.ID) (typ string, content []byte, err error)
	// Abbreviated lists the objects whose ids begin with the given
	// lower-case hexadecimal digits, each once, in any order.
	Abbreviated(prefix string) ([]gitobj.ID, error)
}

// Resolve turns a revision into the commit that it names, as git would: the
// names of references, full and abbreviated hashes, the output of git
// describe, and any number of the suffixes ~N, ^N, ^{}, ^{commit}, ^{object}
// and ^{tag} behind them. Forms that need a reflog or a search are refused
// with an error for which errors.Is(err, ErrUnsupported) holds; they never
// give a wrong commit.
func (l *Layout) Resolve(ctx context.Context, objects Objects, rev string) (gitobj.ID, error) {
	if err := ctx.Err(); err != nil {
		return gitobj.ID{}, err
	}
	if err := checkRev(rev); err != nil {
		return gitobj.ID{}, err
	}
	shallow, err := l.shallowCommits()
	if err != nil {
		return gitobj.ID{}, err
	}
	r := resolver{ctx: ctx.Err, l: l, objects: objects, rev: rev, shallow: shallow}
	id, err := r.object(rev, 0)
	if err == nil {
		id, err = r.commit(id)
	}
	return id, err
}

// resolver resolves one revision.
type resolver struct {
	ctx     func() error
	l       *Layout
	objects Objects
	rev     string
	shallow map[gitobj.ID]bool
}

func (r *resolver) unknown() error { return unknownRev(r.rev, r.shallow != nil) }

// maxSuffixes is how many suffixes a revision may have.
const maxSuffixes = 1000

// object returns the object that rev names, tags not peeled unless a suffix
// says so.
func (r *resolver) object(rev string, depth int) (id gitobj.ID, err error) {
	if depth > maxSuffixes {
		return id, r.unknown()
	}
	if base, spec, ok := cutBraces(rev); ok {
		return r.peel(base, spec, depth)
	}
	digits := len(rev) - len(strings.TrimRight(rev, "0123456789"))
	at := len(rev) - digits - 1
	if at < 0 || rev[at] != '~' && rev[at] != '^' {
		return r.named(rev)
	}
	n := 1
	if digits > 0 {
		if n, err = strconv.Atoi(rev[at+1:]); err != nil || n > 1<<30 {
			return id, r.unknown()
		}
	}
	if id, err = r.object(rev[:at], depth+1); err != nil {
		return id, err
	}
	if id, err = r.commit(id); err != nil || n == 0 {
		return id, err
	}
	if rev[at] == '^' {
		return r.parent(id, n)
	}
	for ; n > 0 && err == nil; n-- {
		id, err = r.parent(id, 1)
	}
	return id, err
}

// cutBraces splits "BASE^{SPEC}".
func cutBraces(rev string) (base, spec string, ok bool) {
	i := strings.LastIndex(rev, "^{")
	if i < 0 || !strings.HasSuffix(rev, "}") {
		return rev, "", false
	}
	return rev[:i], rev[i+2 : len(rev)-1], true
}

func (r *resolver) peel(base, spec string, depth int) (gitobj.ID, error) {
	if strings.HasPrefix(spec, "/") {
		return gitobj.ID{}, r.unsupported()
	}
	id, err := r.object(base, depth+1)
	if err != nil {
		return id, err
	}
	switch spec {
	case "commit":
		return r.commit(id)
	case "object":
		return id, nil
	case "":
		id, _, err = r.peelTags(id)
		return id, err
	case "tag":
		typ, _, err := r.objects.Object(id)
		if err == nil && typ != "tag" {
			err = r.unknown()
		}
		return id, err
	case "tree":
		return id, notCommit(r.rev, "tree")
	}
	return id, r.unknown()
}

func (r *resolver) unsupported() error {
	return NewUnsupported(r.l.GitDir, fmt.Sprintf("can be read, but the revision %q needs the git program", r.rev))
}

// peelTags follows annotated tags to what they name.
func (r *resolver) peelTags(id gitobj.ID) (gitobj.ID, string, error) {
	for range maxSuffixes {
		if err := r.ctx(); err != nil {
			return id, "", err
		}
		typ, content, err := r.objects.Object(id)
		if err != nil {
			if errors.Is(err, ErrMissing) {
				err = NewCorrupt(id, fmt.Errorf("%s leads to it and it is not there", r.rev))
			}
			return id, "", err
		}
		if typ != "tag" {
			return id, typ, nil
		}
		next, _, ok := parseTag(r.l.Format, content)
		if !ok {
			return id, "", NewCorrupt(id, errors.New("a tag that names no object"))
		}
		id = next
	}
	return id, "", NewCorrupt(id, errors.New("tags that lead in a circle"))
}

func (r *resolver) commit(id gitobj.ID) (gitobj.ID, error) {
	id, typ, err := r.peelTags(id)
	if err == nil && typ != "commit" {
		err = notCommit(r.rev, typ)
	}
	return id, err
}

// parent returns the n-th parent of a commit, from 1.
func (r *resolver) parent(id gitobj.ID, n int) (gitobj.ID, error) {
	if err := r.ctx(); err != nil {
		return id, err
	}
	_, raw, err := r.objects.Object(id)
	if err != nil {
		return id, err
	}
	c, err := ParseCommit(id, raw)
	if err != nil {
		return id, err
	}
	if n > len(c.Parents) || r.shallow[id] {
		return id, r.unknown()
	}
	return c.Parents[n-1], nil
}

// named resolves a revision without suffixes.
func (r *resolver) named(name string) (gitobj.ID, error) {
	if name == "@" {
		name = "HEAD"
	}
	if strings.Contains(name, "@{") || strings.HasPrefix(name, ":/") {
		return gitobj.ID{}, r.unsupported()
	}
	if id, err := gitobj.ParseID(name); err == nil && id.Format() == r.l.Format {
		_, _, err := r.objects.Object(id)
		if errors.Is(err, ErrMissing) {
			err = r.unknown()
		}
		return id, err
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		if id, err := r.ref(prefix + name); err != nil || !id.IsZero() {
			return id, err
		}
	}
	if id, err := r.ref("refs/remotes/" + name + "/HEAD"); err != nil || !id.IsZero() {
		return id, err
	}
	if name == "HEAD" {
		ref, _, err := r.l.Ref("HEAD")
		if err != nil {
			return gitobj.ID{}, err
		}
		return gitobj.ID{}, unbornHead(r.l.GitDir, ref, r.l.anyRef())
	}
	if i := strings.LastIndex(name, "-g"); i > 0 && isHex(name[i+2:]) && validRef("refs/tags/"+name) {
		return r.abbreviated(name[i+2:])
	}
	if isHex(name) {
		return r.abbreviated(name)
	}
	return gitobj.ID{}, r.unknown()
}

func (r *resolver) ref(name string) (gitobj.ID, error) {
	if !validRef(name) {
		return gitobj.ID{}, nil
	}
	_, id, err := r.l.Ref(name)
	return id, err
}

// abbreviated finds the one commit, or tag of a commit, whose hash begins
// with the digits. Objects of other types do not make it ambiguous.
func (r *resolver) abbreviated(digits string) (gitobj.ID, error) {
	list, err := r.objects.Abbreviated(strings.ToLower(digits))
	if err != nil {
		return gitobj.ID{}, err
	}
	var found []gitobj.ID
	for _, id := range list {
		_, typ, err := r.peelTags(id)
		if err != nil && fail.CodeOf(err) != fail.Repository {
			return id, err
		}
		if err == nil && typ == "commit" {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(list) == 1:
		return list[0], nil
	case len(list) > 1:
		return gitobj.ID{}, ambiguousRev(r.rev)
	}
	return gitobj.ID{}, r.unknown()
}

// isHex reports whether s can abbreviate a hash.
func isHex(s string) bool {
	return len(s) >= 4 && len(s) < 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
