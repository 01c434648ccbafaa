package query

import "github.com/pindex-dev/pindex/internal/fail"

// Kept keeps things that follow from the index alone, by name. What it gives
// back is what it was given under the same name, for the same index; it may
// have lost it. It is safe for concurrent use.
type Kept interface {
	Derived(name string) []byte // nil where there is nothing
	Keep(name string, content []byte)
}

// The names of what is kept. The number behind each is raised when the same
// index comes to give other bytes, or other bytes are expected: see TestKept.
const (
	keptImports = "import counts/0"
	keptFiles   = "file table/0"
	keptNames   = "declared names/0"
	keptClasses = "classes/0"
)

// kept returns what an earlier process kept under a name, opened, where that is
// fit to be opened; else what work gives, which is kept. P is a pointer.
func kept[P any](e *Engine, name string, open func(b []byte) (P, bool), work func() ([]byte, error)) (none P, err error) {
	if e.opt.Kept != nil {
		if v, ok := open(e.opt.Kept.Derived(name)); ok {
			return v, nil
		}
	}
	b, err := work()
	if err != nil {
		return none, err
	}
	if e.opt.Kept != nil {
		e.opt.Kept.Keep(name, b)
	}
	v, ok := open(b)
	if !ok {
		return none, fail.New(fail.Internal, "report this as a defect", "the %s of the index cannot be read", name)
	}
	return v, nil
}
