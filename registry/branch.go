package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/fail"
)

const branchPrefix = "branch-"

// BranchTag returns the moving tag of a branch. What a tag cannot hold stands
// as an underscore and two hexadecimal digits; a name that is too long for a
// tag has none, and gives "".
func BranchTag(name string) string {
	var b strings.Builder
	b.WriteString(branchPrefix)
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	if s := b.String(); name != "" && validTag(s) {
		return s
	}
	return ""
}

// Moved says what became of a branch's tag.
type Moved struct {
	Tag   string
	Moved bool   // false: it holds the index already, or a commit that it must not leave
	Held  string // the commit that it held before; "" for none
}

// MoveBranch lets a branch's tag point at a published index. It moves from one
// commit to another only when descends says that the new one descends from
// the old, so that a late job for an older commit cannot move it back. Two
// jobs at the same moment may still cross, as registries have no conditional
// write; the next push mends that.
func MoveBranch(ctx context.Context, store Store, name string, to ocispec.Descriptor, descends func(old string) (bool, error)) (Moved, error) {
	out := Moved{Tag: BranchTag(name)}
	if out.Tag == "" {
		return out, fail.New(fail.Usage, "use a shorter name", "the branch %.80q has no tag", name)
	}
	t, ok := store.(tagging)
	if !ok {
		return out, fail.New(fail.Usage, "leave --branch out", "%s has no branches", store.Name())
	}
	held, err := store.Resolve(ctx, out.Tag)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return out, err
	case held.Digest == to.Digest:
		return out, nil
	default:
		_, conf, err := ReadDescriptor(ctx, store, held)
		if err != nil && fail.CodeOf(err) != fail.Verification && !errors.Is(err, ErrNotFound) {
			return out, err
		}
		// What cannot be read holds nobody back.
		if err == nil {
			out.Held = conf.Commit
			if ok, err := descends(conf.Commit); err != nil || !ok {
				return out, err
			}
		}
	}
	b, err := store.Fetch(ctx, to)
	if err != nil {
		return out, err
	}
	if err := t.putTag(ctx, out.Tag, b, nil); err != nil {
		return out, err
	}
	out.Moved = true
	return out, nil
}
