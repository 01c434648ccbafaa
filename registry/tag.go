package registry

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// profileDigits is how many digits of a profile's digest stand in a tag.
const profileDigits = 12

// reportSuffix marks the tag of a build report.
const reportSuffix = ".report"

// Tag is the parsed name of a tag that pindex writes:
//
//	<commit>                            the commit's default profile
//	<commit>-<12 digits of the profile> any other profile
//	either, and ".report"               the build report of that artifact
//
// The default profile of a commit is the one that its own tag was first
// published with: whoever comes later with another profile gets a tag of its
// own, and a plain reader goes on seeing what it saw before.
type Tag struct {
	Commit  string // 40 or 64 lower-case hexadecimal digits
	Profile string // the first 12 hexadecimal digits of the profile; "" for the default one
	Report  bool
}

// CommitTag returns the tag of a commit's default profile.
func CommitTag(commit string) string { return commit }

// ProfileTag returns the tag of a commit's index under a profile that is not
// the default one.
func ProfileTag(commit string, profile artifact.Digest) string {
	return commit + "-" + profile.Hex()[:profileDigits]
}

// ReportTag returns the tag of the build report that belongs to an artifact's
// tag.
func ReportTag(tag string) string { return tag + reportSuffix }

// String returns the tag as written.
func (t Tag) String() string {
	s := t.Commit
	if t.Profile != "" {
		s += "-" + t.Profile
	}
	if t.Report {
		s += reportSuffix
	}
	return s
}

// ParseTag reads a tag; ok is false for one that is not of pindex's form.
func ParseTag(s string) (t Tag, ok bool) {
	s, t.Report = strings.CutSuffix(s, reportSuffix)
	commit, profile, found := strings.Cut(s, "-")
	if !validCommit(commit) || found && (len(profile) != profileDigits || !isHex(profile)) {
		return Tag{}, false
	}
	t.Commit, t.Profile = commit, profile
	return t, true
}

func validCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && isHex(s)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// validTag reports whether s can be a tag in any OCI registry.
func validTag(s string) bool {
	if s == "" || len(s) > 128 || s[0] == '.' || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return true
}
