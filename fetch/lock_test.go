package fetch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
)

var (
	lockCommit = strings.Repeat("ab", 20)
	lockText   = `{
  "commit": "` + lockCommit + `",
  "digest": "sha256:` + strings.Repeat("1", 64) + `",
  "profile": "sha256:` + strings.Repeat("2", 64) + `",
  "schema": "pindex.lock/0",
  "store": "ghcr.io/owner/pindex"
}
`
)

func TestLock(t *testing.T) {
	l, err := fetch.ParseLock(strings.NewReader(lockText))
	if err != nil {
		t.Fatal(err)
	}
	if l.Commit != lockCommit || l.Store != "ghcr.io/owner/pindex" || l.Digest.Hex() != strings.Repeat("1", 64) || l.Profile.Hex() != strings.Repeat("2", 64) {
		t.Errorf("%+v", l)
	}
	if _, err := fetch.ParseLock(strings.NewReader(strings.ReplaceAll(lockText, "\n", "\r\n"))); err != nil {
		t.Errorf("CR LF: %v", err)
	}
	for name, change := range map[string][2]string{
		"empty":                   {lockText, ""},
		"no JSON":                 {"{", "["},
		"more behind":             {"}\n", "}\n{}"},
		"space behind":            {"}\n", "}\n\n"},
		"another key":             {`  "store"`, "  \"policy\": \"none\",\n  \"store\""},
		"a key twice":             {`  "schema"`, "  \"digest\": \"sha256:" + strings.Repeat("3", 64) + "\",\n  \"schema\""},
		"a key in capitals":       {`"digest"`, `"Digest"`},
		"a later schema":          {"lock/0", "lock/1"},
		"a short commit":          {lockCommit, "abab"},
		"a commit in capitals":    {lockCommit, strings.ToUpper(lockCommit)},
		"no commit":               {lockCommit, strings.Repeat("0", 40)},
		"another algorithm":       {"sha256:1", "sha512:1"},
		"no digest":               {strings.Repeat("1", 64), strings.Repeat("0", 64)},
		"no profile":              {strings.Repeat("2", 64), strings.Repeat("0", 64)},
		"a folder":                {"ghcr.io/owner/pindex", "/etc"},
		"a password":              {"ghcr.io/owner/pindex", "https://u:p@ghcr.io/owner/pindex"},
		"a terminal's sequence":   {"ghcr.io/owner/pindex", `ghcr.io/owner/pindex\u001b[2J`},
		"a list":                  {`"ghcr.io/owner/pindex"`, `["ghcr.io/owner/pindex"]`},
		"null":                    {`"ghcr.io/owner/pindex"`, `null`},
		"a long store":            {"ghcr.io/owner/pindex", "ghcr.io/" + strings.Repeat("a", 600)},
		"more than a lock has":    {"ghcr.io/owner/pindex", strings.Repeat("a", 5000)},
		"a character otherwise":   {"ghcr.io", `ghcr\u002eio`},
		"indented by tabs":        {"  ", "\t"},
		"a byte order mark":       {"{", "\ufeff{"},
		"text that is not UTF-8":  {"ghcr.io", "ghcr\xff.io"},
		"a number for the schema": {`"pindex.lock/0"`, "0"},
	} {
		text := strings.Replace(lockText, change[0], change[1], 1)
		if l, err := fetch.ParseLock(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(lockText))
	f.Add([]byte(strings.Replace(lockText, "ghcr.io/owner/pindex", "", 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := fetch.ParseLock(bytes.NewReader(b))
		if err != nil {
			return
		}
		// What is accepted has one spelling.
		again, err := l.Encode()
		if err != nil || !bytes.Equal(again, bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))) {
			t.Errorf("%q became %q, %v", b, again, err)
		}
	})
}

// Who names an index digest gets that index or none, and what a refused index
// hid behind the tag is not remembered.
func TestPullOneDigest(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	right := fetch.OpenOptions{Index: artifact.DigestOf(x.encoded), Profile: x.manifest.Profile.Digest}
	out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), right, nil)
	if err != nil || out.Digest != right.Index || out.Profile != right.Profile {
		t.Fatalf("%+v, %v", out, err)
	}
	// Somebody replaces the index by another one of the same commit.
	y := newFixture(t, small, "")
	info := y.manifest.Views["dense"]
	info.Type = "other"
	y.manifest.Views["dense"] = info
	if y.encoded, _, err = y.manifest.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := y.tryPublish(t, remote(), fetch.OpenCache(t.TempDir()), fetch.SinkOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	// Who has it keeps it, and who has not does not get the other one for it.
	if out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), right, nil); err != nil || out.Digest != right.Index {
		t.Errorf("the index in the cache: %+v, %v", out, err)
	}
	_, err = fetch.Pull(t.Context(), remote(), fetch.OpenCache(t.TempDir()), x.commit(), right, nil)
	if fail.CodeOf(err) != fail.Verification || !strings.Contains(err.Error(), right.Index.String()) {
		t.Errorf("another index: %v", err)
	}
	s.ResetCounts()
	x.check(t, open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}))
	if len(s.Counts()) != 0 {
		t.Errorf("requests: %v", s.Counts())
	}
	// Without the digest, the tag counts.
	if out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil || out.Digest != artifact.DigestOf(y.encoded) {
		t.Errorf("%+v, %v", out, err)
	}
	other := right
	other.Profile = artifact.DigestOf([]byte("another"))
	if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), other, nil); fail.CodeOf(err) != fail.NoIndex {
		t.Errorf("another profile: %v", err)
	}
}
