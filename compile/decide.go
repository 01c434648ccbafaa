package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// Limits bound what one file may cost. They count bytes, never seconds.
type Limits struct {
	// ParseBytes is the size above which a file is read by lines instead of
	// parsed; 0 means DefaultParseBytes.
	ParseBytes int64
	// IndexBytes is the size above which a file is in no view; 0 means
	// DefaultIndexBytes.
	IndexBytes int64
}

const (
	DefaultParseBytes = 1 << 20
	DefaultIndexBytes = 16 << 20
	// maxIndexBytes keeps offsets in a partition within 32 bits.
	maxIndexBytes = 64 << 20
)

var builtInLimits = Limits{ParseBytes: DefaultParseBytes, IndexBytes: DefaultIndexBytes}

// orDefault fills zero fields in and refuses what cannot be.
func (l Limits) orDefault() (Limits, error) {
	if l.ParseBytes == 0 {
		l.ParseBytes = DefaultParseBytes
	}
	if l.IndexBytes == 0 {
		l.IndexBytes = DefaultIndexBytes
	}
	if l.ParseBytes < 0 || l.IndexBytes < 0 || l.ParseBytes > maxIndexBytes || l.IndexBytes > maxIndexBytes {
		return l, fail.New(fail.Usage, fmt.Sprintf("give limits between 1 and %d bytes", maxIndexBytes),
			"size limits of %d and %d bytes are out of range", l.ParseBytes, l.IndexBytes)
	}
	return l, nil
}

// tighten returns the smaller of each limit; zero fields of o change nothing.
func (l Limits) tighten(o Limits) Limits {
	if o.ParseBytes > 0 {
		l.ParseBytes = min(l.ParseBytes, o.ParseBytes)
	}
	if o.IndexBytes > 0 {
		l.IndexBytes = min(l.IndexBytes, o.IndexBytes)
	}
	return l
}

// The kinds of tree entry, by mode.
const (
	modeKind    = 0o170000
	modeSymlink = 0o120000
	modeModule  = 0o160000
)

// decision is what is to be done with one tree entry, as far as the tree and
// the configuration tell. What only the content tells (binary, LFS pointer,
// secret) follows when it is read; it is a function of the blob and of this.
type decision struct {
	skip     artifact.Skip
	allowed  bool // by the user, even if it is a secret
	parse    bool
	degraded artifact.Degraded // why a file of a parsable language is not parsed
	// languages are the ones that may be parsed, for a file whose language
	// only its content tells; nil is all.
	languages []string
}

// String is the decision's part of the segment key. Two files of equal path,
// mode, blob and decision have equal records.
func (d decision) String() string {
	if d.allowed {
		d.allowed = false
		return d.String() + "; secret allowed"
	}
	switch {
	case d.skip != artifact.SkipNone:
		return "skip: " + d.skip.String()
	case !d.parse && d.degraded != artifact.DegradedNone:
		return "lines: " + d.degraded.String()
	case !d.parse:
		return "lines"
	case d.languages != nil:
		return "parse: " + strings.Join(d.languages, " ")
	}
	return "parse"
}

// decide makes the decision for a tree entry. allowed are the secrets that the
// user allows, sorted; nothing in the commit has a say in that.
func decide(e git.Entry, c *Config, l Limits, allowed []string) decision {
	d := decideContent(e, c, l)
	regular := e.Mode&modeKind != modeModule && e.Mode&modeKind != modeSymlink
	if !regular || d.skip == artifact.SkipExcluded {
		return d
	}
	if _, ok := slices.BinarySearch(allowed, e.Path); ok {
		d.allowed = true
	} else if secrets.Name(e.Path) {
		return decision{skip: artifact.SkipSecret}
	}
	return d
}

// decideContent is decide for what may be read.
func decideContent(e git.Entry, c *Config, l Limits) decision {
	switch {
	case e.Mode&modeKind == modeModule:
		return decision{skip: artifact.SkipSubmodule}
	case !c.allows(e.Path):
		return decision{skip: artifact.SkipExcluded}
	case e.Size < 0:
		return decision{skip: artifact.SkipMissing}
	case e.Size > l.IndexBytes:
		return decision{skip: artifact.SkipTooLarge}
	case e.Mode&modeKind == modeSymlink:
		return decision{} // its content is the name of its target: one line
	case e.Size > l.ParseBytes:
		return decision{degraded: artifact.DegradedTooLarge}
	}
	if c.Languages == nil {
		return decision{parse: true}
	}
	allowed := 0
	possible := possibleLanguages(e.Path)
	for _, lang := range possible {
		if c.parses(lang) {
			allowed++
		}
	}
	switch {
	case possible == nil || allowed > 0 && allowed < len(possible):
		return decision{parse: true, languages: c.Languages}
	default:
		return decision{parse: allowed > 0}
	}
}

// possibleLanguages returns the languages that a file may turn out to have
// once its content is read, as far as a parser could be concerned; nil means
// any. It rests on units.Language, which goes by the name first.
func possibleLanguages(path string) []string {
	switch lang := units.Language(path, nil); lang {
	case "":
		return nil
	case "c":
		return []string{"c", "cpp", "objective-c"} // headers
	default:
		return []string{lang}
	}
}
