package git

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

func TestProgramEnv(t *testing.T) {
	in := []string{
		"PATH=/bin", "HOME=/h", "GITHUB_TOKEN=secret", "SSH_AUTH_SOCK=/s", "GIT_ASKPASS=/a", "GIT_SSH_COMMAND=x", "GIT_DIR=/d", "GIT_WORK_TREE=/w",
		"GIT_TRACE=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_REPLACE_REF_BASE=x", "GIT_EXTERNAL_DIFF=x", "LANG=de", "LC_ALL=de",
	}
	for _, locate := range []bool{false, true} {
		env := programEnv(in, locate)
		for _, kv := range []string{"PATH=/bin", "HOME=/h", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0"} {
			if !slices.Contains(env, kv) {
				t.Errorf("%s is not in the environment", kv)
			}
		}
		for _, k := range []string{"GITHUB_TOKEN", "SSH_AUTH_SOCK", "GIT_ASKPASS", "GIT_SSH_COMMAND", "GIT_TRACE", "GIT_REPLACE_REF_BASE", "GIT_EXTERNAL_DIFF", "LANG"} {
			if environ(env, k) != "" {
				t.Errorf("%s is in the environment", k)
			}
		}
		if got := environ(env, "GIT_DIR") != ""; got != locate {
			t.Errorf("GIT_DIR is in the environment: %v, want %v", got, locate)
		}
	}
}

func TestCleanURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "",
		"https://example.com/o/r.git":           "https://example.com/o/r.git",
		"https://token@example.com/o/r":         "https://example.com/o/r",
		"https://u:p@example.com:8443/o/r?q=1":  "https://example.com:8443/o/r",
		"https://u:p@w@example.com/o":           "https://example.com/o",
		"https://u:p/w@example.com/o":           "https://example.com/o",
		"https://example.com:8443/@a/b":         "https://example.com:8443/@a/b",
		"https://[::1]:8443/@a/b":               "https://[::1]:8443/@a/b",
		"ssh://git@example.com/o/r":             "ssh://git@example.com/o/r",
		"ssh://git:pw@example.com:22/o/r":       "ssh://git@example.com:22/o/r",
		"git+ssh://git:pw@example.com/o/r":      "git+ssh://git@example.com/o/r",
		"git@example.com:o/r.git":               "git@example.com:o/r.git",
		"file:///srv/a?b#c@d":                   "file:///srv/a?b#c@d",
		"../relative/path":                      "../relative/path",
		`C:\repo`:                               `C:\repo`,
		"ext::ssh -o x secret":                  "",
		"codecommit::https://u:p@example.com/x": "codecommit::https://example.com/x",
		"FTP://u:p@example.com/x":               "FTP://example.com/x",
	} {
		if got := CleanURL(in); got != want {
			t.Errorf("CleanURL(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	c, err := parseConfig("; c\n[core]\n\tBare = TRUE ; c\n\tx\n[remote \"A b\\\"\\\\\"]\n url = \" a\\tb \" c  # d\n  two = one\\\n two\r\n[Old.Sub] k = v\n[a]b=1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		{"core", "", "bare", "TRUE", false}, {"core", "", "x", "", true}, {"remote", `A b"\`, "url", " a\tb  c", false},
		{"remote", `A b"\`, "two", "one two", false}, {"old", "sub", "k", "v", false}, {"a", "", "b", "1", false},
	}
	if !slices.Equal(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	if !c.isTrue("core", "bare", false) || !c.isTrue("core", "x", false) || c.isTrue("core", "absent", false) {
		t.Error("truth values are misread")
	}
	for _, bad := range []string{"[core", "[core\n]", "[core]\nx = \"", "[core]\nx = \\q", "[core]\n=x", "x = 1", "[a b]", "[a \"b\" c]", "[a]\nx y", "[a]\x00"} {
		if c, err := parseConfig(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, c)
		}
	}
}

// TestTreeBomb reads a tree of a few objects that names 10^30 paths.
func TestTreeBomb(t *testing.T) {
	sub := make([]byte, 0, 300)
	self := gitobj.Hash(gitobj.SHA1, "tree", nil)
	for c := byte('0'); c <= '9'; c++ {
		sub = append(append(sub, "40000 "...), c, 0)
		sub = append(sub, self.Bytes()...)
	}
	_, err := walkTreeLimited(context.Background(), self, func(ids []gitobj.ID, fn func(int, []byte) error) error {
		for i := range ids {
			if err := fn(i, sub); err != nil {
				return err
			}
		}
		return nil
	}, nil, 100_000)
	if fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "limits") {
		t.Errorf("got %v", err)
	}
}
