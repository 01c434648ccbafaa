package compile

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
)

func privateKey(t testing.TB) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed([]byte("a seed of thirty-two bytes, zebra")[:32]))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE" + " KEY", Bytes: der}))
}

func secretTree(t testing.TB) tree {
	key := privateKey(t)
	return tree{
		"a.py":           text("def a(): pass\n"),
		".env":           text("ZEBRA=giraffe\n"),
		".env.example":   text("OSTRICH=\n"),
		"link/.env":      {mode: modeSymlink, content: "../a.py"},
		"tls/server.txt": text("hippopotamus\n" + key),
		"tls/utf16.txt":  text(utf16Text(key, false)),
		"tls/parser.py":  text("def p(b): return b.startswith('-----BEGIN PRIVATE" + " KEY-----')\n"),
		"store.jks":      text("\x00\x01"),
	}
}

func TestSecretsAreSkipped(t *testing.T) {
	tr := secretTree(t)
	x, res := compileTree(t, tr)
	for path, want := range map[string]string{
		".env": "secret", "tls/server.txt": "secret", "tls/utf16.txt": "secret", "store.jks": "secret",
		"a.py": "", ".env.example": "", "link/.env": "", "tls/parser.py": "",
	} {
		if got := note(res.Report.Skipped, path); got != want {
			t.Errorf("%s is skipped as %q, want %q", path, got, want)
		}
		f := x.file(path)
		if (want == "secret") != (f.Skip == artifact.SkipSecret) || want != "" && x.content(path) != "" {
			t.Errorf("%s: %+v", path, f)
		}
	}
	rules := map[string]string{}
	for _, n := range res.Report.Skipped {
		rules[n.Path] = n.Rule
	}
	if want := map[string]string{
		".env": secretName, "store.jks": secretName, "tls/server.txt": "private key", "tls/utf16.txt": "private key",
	}; !maps.Equal(rules, want) {
		t.Errorf("rules %q, want %q", rules, want)
	}
	if m := res.Manifest; m.Skipped["secret"] != 4 || m.Indexed != 4 {
		t.Errorf("%d files indexed, skipped %v", m.Indexed, m.Skipped)
	}
	if x.hasTerm("giraffe") || x.hasTerm("hippopotamus") || !x.hasTerm("ostrich") {
		t.Error("terms")
	}
}

func TestAllowedSecrets(t *testing.T) {
	r := newRepo(t)
	r.commit(secretTree(t))
	allow := func(paths ...string) func(*Options) { return func(o *Options) { o.AllowSecrets = paths } }
	plainMemory, plain := compileRepo(t, r)
	m, res := compileRepo(t, r, allow("tls/server.txt", ".env", "nowhere", ".env"))
	x := openTester(t, m)
	if got := x.content(".env"); got != "ZEBRA=giraffe\n" {
		t.Errorf(".env holds %q", got)
	}
	if !x.hasTerm("hippopotamus") || x.file("tls/utf16.txt").Skip != artifact.SkipSecret || x.file("store.jks").Skip != artifact.SkipSecret {
		t.Error("other files are allowed than were named")
	}
	if plain.Manifest.Profile.Digest == res.Manifest.Profile.Digest || m.Final().DefaultProfile || !plainMemory.Final().DefaultProfile {
		t.Error("what is allowed is no part of the profile")
	}
	if plain.Manifest.Partitions[0].Segments["source"].Key == res.Manifest.Partitions[0].Segments["source"].Key {
		t.Error("what is allowed is no part of the segment's key")
	}
	got, err := AllowedSecrets(&res.Manifest.Profile)
	if want := []string{".env", "nowhere", "tls/server.txt"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the profile allows %q, %v", got, err)
	}
	_, again := compileRepo(t, r, allow("nowhere", ".env", "tls/server.txt"))
	if again.Digest != res.Digest {
		t.Error("the order of allowed paths matters")
	}
	// One that is no secret anyway still names another profile.
	_, other := compileRepo(t, r, allow("a.py"))
	if other.Manifest.Indexed != plain.Manifest.Indexed || other.Digest == plain.Digest {
		t.Errorf("%d files indexed", other.Manifest.Indexed)
	}
	for _, bad := range []string{"", "/.env", "./.env", "a/../.env", "../.env", "tls/", "."} {
		_, err := Run(context.Background(), Options{Repo: r.open(), Sink: &Memory{}, InProcess: true, AllowSecrets: []string{bad}})
		if fail.CodeOf(err) != fail.Usage {
			t.Errorf("allowing %q: %v", bad, err)
		}
	}
}

// TestCommitAllowsNothing: there is no key for it, and including a path is
// not allowing it.
func TestCommitAllowsNothing(t *testing.T) {
	for _, key := range []string{"allow", "allow_secret", "allow_secrets", "secrets", "profile"} {
		if _, err := ParseConfig([]byte(key+": [.env]\n"), nil, builtInLimits); fail.CodeOf(err) != fail.Usage {
			t.Errorf("%s: %v", key, err)
		}
	}
	tr := secretTree(t)
	tr[ConfigPath] = text("include: [.env, tls, a.py]\n")
	x, res := compileTree(t, tr)
	if got := x.file(".env").Skip; got != artifact.SkipSecret || res.Manifest.Skipped["secret"] != 3 {
		t.Errorf(".env: %v, skipped %v", got, res.Manifest.Skipped)
	}
}

func TestProfilePaths(t *testing.T) {
	for _, paths := range [][]string{nil, {"a"}, {"a b", "c\"d\\ e", "\xff\xfe\n", "日本 語"}} {
		p := artifact.Profile{Options: map[string]string{}}
		if paths != nil {
			p.Options[allowOption] = formatPaths(paths)
		}
		if got, err := AllowedSecrets(&p); err != nil || !slices.Equal(got, paths) {
			t.Errorf("%q come back as %q, %v", paths, got, err)
		}
	}
	for _, bad := range []string{"a", `"a`, `"a" b`, " "} {
		if got, err := AllowedSecrets(&artifact.Profile{Options: map[string]string{allowOption: bad}}); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

// TestSecretOfPartialClone: a secret by name need not be there, and is
// recorded alike where it is.
func TestSecretOfPartialClone(t *testing.T) {
	there := git.Entry{Path: ".env", Mode: 0o100644, Size: 10}
	missing := there
	missing.Size = -1
	for _, e := range []git.Entry{there, missing} {
		d := decide(e, &Config{}, builtInLimits, nil)
		if d.skip != artifact.SkipSecret || recordedSize(e, d) != 0 {
			t.Errorf("%+v: %+v, size %d", e, d, recordedSize(e, d))
		}
	}
	if d := decide(missing, &Config{}, builtInLimits, []string{".env"}); d.skip != artifact.SkipMissing {
		t.Errorf("an allowed one that is missing: %+v", d)
	}
}
