package secrets

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// No token stands in this file: each is put together here, so that nobody's
// scanner, ours among them, takes the tests for a leak.

// token returns n random characters of the alphabet.
func token(r *mathrand.Rand, chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[r.IntN(len(chars))]
	}
	return string(b)
}

const (
	alnumChars = digitChars + upperChars + lowerChars
	urlChars   = alnumChars + "-_"
)

// withChecksum returns 36 characters whose last six are the CRC of the others.
func withChecksum(r *mathrand.Rand) string {
	body := token(r, alnumChars, 30)
	n, sum := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		sum = alnumChars[n%62:n%62+1] + sum
		n /= 62
	}
	return body + sum
}

// ofAnyLength are the cases below that are tokens with a longer end, too.
var ofAnyLength = map[string]bool{
	"PyPI token 0": true, "Slack token 0": true, "Slack token 1": true, "OpenAI key 0": true, "Anthropic key 0": true, "GitLab token 1": true,
}

func TestTokens(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(1, 2))
	all := map[string][]func() string{
		"GitHub token": {
			func() string { return "ghp" + "_" + withChecksum(r) },
			func() string { return "ghs" + "_" + withChecksum(r) },
			func() string { return "github" + "_pat_" + token(r, alnumChars, 22) + "_" + token(r, alnumChars, 59) },
		},
		"GitLab token": {
			func() string { return "glp" + "at-" + token(r, urlChars, 20) },
			func() string {
				return "glp" + "at-" + token(r, urlChars, 60) + ".01." + token(r, digitChars+lowerChars, 9)
			},
		},
		"Slack token": {
			func() string {
				return "xox" + "b-" + token(r, digitChars, 12) + "-" + token(r, digitChars, 13) + "-" + token(r, alnumChars, 24)
			},
			func() string {
				d := func() string { return token(r, digitChars, 12) + "-" }
				return "xox" + "p-" + d() + d() + d() + token(r, "0123456789abcdef", 32)
			},
		},
		"Slack webhook": {func() string {
			return "https://hooks.slack" + ".com/services/T" + token(r, upperChars+digitChars, 8) + "/B" + token(r, upperChars+digitChars, 10) + "/" + token(r, alnumChars, 24)
		}},
		"Stripe key": {
			func() string { return "sk" + "_live_" + token(r, alnumChars, 24) },
			func() string { return "rk" + "_live_" + token(r, alnumChars, 99) },
		},
		"Google API key":       {func() string { return "AI" + "za" + token(r, urlChars, 35) }},
		"Google client secret": {func() string { return "GOC" + "SPX-" + token(r, urlChars, 28) }},
		"npm token":            {func() string { return "npm" + "_" + token(r, alnumChars, 36) }},
		"PyPI token":           {func() string { return "pypi" + "-AgEIcHlwaS5vcmc" + token(r, urlChars, 120) }},
		"Docker token":         {func() string { return "dckr" + "_pat_" + token(r, urlChars, 27) }},
		"DigitalOcean token":   {func() string { return "dop" + "_v1_" + token(r, "0123456789abcdef", 64) }},
		"Anthropic key":        {func() string { return "sk" + "-ant-api03-" + token(r, urlChars, 93) + "AA" }},
		"OpenAI key": {func() string {
			return "sk" + "-proj-" + token(r, urlChars, 40) + "T3Blbk" + "FJ" + token(r, urlChars, 40)
		}},
		"Azure storage key": {func() string {
			return "Account" + "Key=" + token(r, alnumChars+"+/", 86) + "=="
		}},
		"AWS key": {func() string {
			return "AK" + "IA" + token(r, upperChars+"234567", 16) + "\naws_secret_access_key = " + token(r, alnumChars+"+/", 40) + "\n"
		}},
		"private key": {func() string { return "AGE-SECRET" + "-KEY-1" + token(r, upperChars+digitChars, 58) }},
	}
	// In one order, so that every run draws the same tokens.
	for _, want := range slices.Sorted(maps.Keys(all)) {
		for n, make := range all[want] {
			missed := 0
			const tries = 200
			for range tries {
				tok := make()
				for _, text := range []string{tok, "x = \"" + tok + "\"\n", strings.Repeat("-_ lorem sk_", 50) + "\n" + tok + "\n"} {
					if got := Content("src/app.py", []byte(text)); got != want {
						missed++
					}
				}
				// Longer or within a word, it is something else.
				if last := tok[len(tok)-1]; alnum.has(last) && !ofAnyLength[fmt.Sprint(want, " ", n)] {
					if got := Content("src/app.py", []byte(tok+"abcde")); got != "" {
						t.Errorf("%s %d with a tail counts as %q", want, n, got)
					}
				}
				if got := Content("src/app.py", []byte("abc"+tok)); got != "" && want != "Slack webhook" {
					t.Errorf("%s %d within a word counts as %q", want, n, got)
				}
			}
			// What random asks for is rarely missing in a random token.
			if missed > tries*3/20 {
				t.Errorf("%s %d: %d of %d are missed", want, n, missed, tries*3)
			}
		}
	}
}

// privateKeys returns keys as their programs write them.
func privateKeys(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(name, label string, der []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
	}
	const label = "PRIVATE KEY"
	rk, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ek, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed)
	add("RSA", "RSA "+label, x509.MarshalPKCS1PrivateKey(rk), nil)
	der, err := x509.MarshalPKCS8PrivateKey(rk)
	add("RSA, PKCS 8", label, der, err)
	der, err = x509.MarshalECPrivateKey(ek)
	add("EC", "EC "+label, der, err)
	der, err = x509.MarshalPKCS8PrivateKey(ek)
	add("EC, PKCS 8", label, der, err)
	der, err = x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed))
	add("Ed25519", label, der, err)
	noise := make([]byte, 1200)
	_, _ = rand.Read(noise)
	add("OpenSSH", "OPENSSH "+label, append([]byte("openssh-key-v1\x00"), noise...), nil)
	add("PGP", "PGP "+label+" BLOCK", append([]byte{0x95, 0x03}, noise...), nil)
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "RSA " + label, Bytes: noise, Headers: map[string]string{
		"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,0123456789ABCDEF0123456789ABCDEF",
	}})
	out["RSA, encrypted"] = string(encrypted)
	return out
}

func TestPrivateKeys(t *testing.T) {
	for name, key := range privateKeys(t) {
		inJSON, err := json.Marshal(map[string]string{"type": "service_account", "private_key": key})
		if err != nil {
			t.Fatal(err)
		}
		lines := ""
		for line := range strings.Lines(key) {
			lines += fmt.Sprintf("\t\t%q +\n", line)
		}
		for form, text := range map[string]string{
			"file":     key,
			"CRLF":     strings.ReplaceAll(key, "\n", "\r\n"),
			"JSON":     string(inJSON),
			"string":   "var key = " + strconv.Quote(key) + "\n",
			"lines":    "const key = \"\" +\n" + lines + "\t\t\"\"\n",
			"indented": "key: |\n  " + strings.ReplaceAll(key, "\n", "\n  "),
			"raw":      "package main\n\nvar key = []byte(`" + key + "`)\n",
		} {
			if got := Content("a/b.txt", []byte(text)); got != "private key" {
				t.Errorf("%s as %s: %q", name, form, got)
			}
		}
		// Half a block, and a block of another label, are no keys.
		cut := key[:len(key)*2/3]
		if got := Content("a/b.txt", []byte(cut)); got != "" {
			t.Errorf("%s without its end: %q", name, got)
		}
	}
	ppk := "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\nAAAA\n"
	if got := Content("k", []byte(ppk)); got != "private key" {
		t.Errorf("PuTTY: %q", got)
	}
}

// TestMentions holds what looks like a secret to who does not look well.
func TestMentions(t *testing.T) {
	const begin, end = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"
	r := mathrand.New(mathrand.NewPCG(3, 4))
	sha1 := token(r, "0123456789abcdef", 40)
	for name, text := range map[string]string{
		"nothing":              "",
		"a marker":             begin,
		"a parser":             "if bytes.HasPrefix(b, []byte(\"" + begin + "\")) && bytes.Contains(b, []byte(\"" + end + "\")) {\n",
		"a pattern":            "re.compile(r'" + begin + "[A-Za-z0-9+/=\\s]+" + end + "')",
		"dots":                 begin + "\nMIIEpAIBAAKCAQEA...\n...\n" + end + "\n",
		"words":                begin + "\n" + strings.Repeat("put your own private key here please\n", 5) + end,
		"one letter":           begin + "\n" + strings.Repeat(strings.Repeat("x", 64)+"\n", 12) + end,
		"a placeholder":        begin + "\nMIIE" + strings.Repeat(strings.Repeat("A", 64)+"\n", 12) + end,
		"not a key's start":    begin + "\n" + strings.Repeat(token(r, alnumChars[:52], 63)+"\n", 3)[1:] + end,
		"another label":        begin + "\nMIIE" + token(r, alnumChars, 400) + "\n-----END CERTIFICATE-----\n",
		"a certificate":        "-----BEGIN CERTIFICATE-----\nMIIE" + token(r, alnumChars, 400) + "\n-----END CERTIFICATE-----\n",
		"a public key":         "-----BEGIN PUBLIC KEY-----\nMIIE" + token(r, alnumChars, 400) + "\n-----END PUBLIC KEY-----\n",
		"GitHub, no checksum":  "ghp" + "_" + strings.Repeat("a1B2", 9),
		"GitHub, wrong":        "ghp" + "_" + withChecksum(r)[:35] + "_",
		"GitHub, placeholder":  "ghp" + "_" + strings.Repeat("x", 36),
		"GitLab, placeholder":  "glp" + "at-" + strings.Repeat("x", 20),
		"GitLab, ascending":    "glp" + "at-" + "abcdefghij1234567890",
		"Stripe, test":         "sk" + "_test_" + token(r, alnumChars, 24),
		"Stripe, placeholder":  "sk" + "_live_" + "xxxxxxxxxxxxxxxxxxxxxxxx",
		"AWS id alone":         "AK" + "IA" + token(r, upperChars, 16),
		"AWS example":          "AK" + "IAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
		"AWS id and a commit":  "AK" + "IA" + token(r, upperChars, 16) + " " + sha1,
		"AWS secret far away":  "AK" + "IA" + token(r, upperChars, 16) + strings.Repeat(" .", 500) + token(r, alnumChars, 40),
		"npm setting":          "npm_config_registry_of_the_whole_company_there",
		"Google, longer":       "AI" + "za" + token(r, urlChars, 50) + "zz",
		"the storage emulator": "Account" + "Key=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
		"Slack, placeholder":   "xox" + "b-your-token-here xoxb-123456789012-123456789012-xxxxxxxxxxxxxxxxxxxxxxxx",
		"a password":           "password = \"hunter2\"\napi_key: 0123456789abcdef0123456789abcdef\n",
		"a PuTTY reader":       "var magic = \"PuTTY-User-Key-File-2\"\n// \nPrivate-Lines: \n",
	} {
		if got := Content("src/a.go", []byte(text)); got != "" {
			t.Errorf("%s counts as %q", name, got)
		}
	}
}

func TestNames(t *testing.T) {
	for path, want := range map[string]bool{
		".env": true, "a/.env": true, ".ENV": true, ".env.local": true, "deploy/.env.production": true, ".env.test": true,
		".env.example": false, ".env.sample": false, ".env.template": false, ".env.production.example": false, ".env.d.ts": false,
		".env/x.py": false, "env": false, ".envrc": false, "x.env": false,
		"id_rsa": true, ".ssh/id_ed25519": true, "id_rsa.pub": false, "id_rsa.go": false,
		"release.jks": true, "a.p12": true, "a.pfx": true, "debug.keystore": true, "keystore.go": false, "p12.py": false, "a.kdbx": true, "k.ppk": true,
		"kubeconfig": true, ".kube/config": true, "kube/config": false, "kubeconfig.go": false, "prod.kubeconfig": true, "config": false,
		".netrc": true, "_netrc": true, "netrc.go": false, ".pgpass": true, ".htpasswd": true, "htpasswd.py": false, ".git-credentials": true,
		".aws/credentials": true, "credentials": false, "aws/credentials/doc.go": false,
		"terraform.tfstate": true, "terraform.tfstate.backup": true, "a.tfstate.1700000000.backup": true, "tfstate.go": false, "main.tf": false,
		// What the content decides.
		"a.pem": false, "a.key": false, ".npmrc": false, ".pypirc": false, "credentials.json": false,
		"README.md": false, "": false,
	} {
		if got := Name(path); got != want {
			t.Errorf("Name(%q) is %v", path, got)
		}
	}
}

func TestNamesWithContent(t *testing.T) {
	key := privateKeys(t)["EC"]
	for _, c := range []struct {
		path, text, want string
	}{
		{"tls/a.pem", "some text before\n" + key, "private key"},
		{"tls/a.key", strings.Replace(key, "M", "*", 1), "private key"}, // damaged, but what else should it be
		{"tls/a.pem", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n", ""},
		{"config/master.key", "0123456789abcdef0123456789abcdef\n", "private key"},
		{"i18n/en.key", "hello\n", ""},
		{".npmrc", "//registry.example.com/:_authToken=abcdef\n", "package registry credential"},
		{".npmrc", "//registry.example.com/:_authToken=${NPM_TOKEN}\nsave-exact=true\n", ""},
		{".npmrc", "# _authToken=abc\n\n=\nengine-strict=true\n", ""},
		{".pypirc", "[pypi]\nusername = a\npassword = hunter2\n", "package registry credential"},
		{".pypirc", "[distutils]\nindex-servers = pypi\n", ""},
		{".docker/config.json", `{"auths":{"a":{"auth":"dXNlcjpw"}}}`, "registry credential"},
		{".docker/config.json", `{"credsStore":"pass"}`, ""},
		{"app/config.json", `{"auth":"none"}`, ""},
		{"credentials.json", `{"installed":{"client_secret":"x"}}`, "service account"},
		{"credentials.json", `{"help":"put yours here"}`, ""},
	} {
		if got := Content(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.path, c.text, got, c.want)
		}
	}
}

// TestScan compares the scan with looking for each prefix on its own.
func TestScan(t *testing.T) {
	all := rules()
	r := mathrand.New(mathrand.NewPCG(5, 6))
	for range 3000 {
		var b []byte
		for range r.IntN(30) {
			p := all[r.IntN(len(all))].prefix
			b = append(b, p[r.IntN(len(p)):]...)
			if r.IntN(2) == 0 {
				b = append(b, p...)
			}
		}
		want := map[string]bool{}
		for _, r := range all {
			if bytes.Contains(b, []byte(r.prefix)) {
				want[r.prefix] = true
			}
		}
		s := *theScanner()
		got := map[string]bool{}
		s.ends = map[[2]byte][]*rule{}
		for _, r := range all {
			r.custom = func([]byte, int) bool { got[r.prefix] = true; return false }
			end := [2]byte{r.prefix[r.skip+window-2], r.prefix[r.skip+window-1]}
			s.ends[end] = append(s.ends[end], &r)
		}
		s.find(b)
		if len(got) != len(want) {
			t.Fatalf("in %q the scan finds %v, not %v", b, got, want)
		}
	}
}

func FuzzContent(f *testing.F) {
	for _, k := range privateKeys(f) {
		f.Add("a.pem", []byte(k))
	}
	for _, r := range rules() {
		f.Add(".npmrc", []byte(r.prefix))
	}
	f.Add(".npmrc", []byte("_authToken=x"))
	f.Add(".env.x", []byte("-----BEGIN PRIVATE"+" KEY-----\\"))
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		Name(path)
		if a, b := Content(path, text), Content(path, bytes.Clone(text)); a != b {
			t.Errorf("%q and %q", a, b)
		}
	})
}

// BenchmarkContent reads source text; BenchmarkHostile what makes every rule
// look as far as it may.
func BenchmarkContent(b *testing.B) {
	text := bytes.Repeat([]byte("func (r *run) finish(ctx context.Context, worker int, j *job) error {\n\tif err != nil {\n\t\treturn err\n\t}\n}\n"), 10000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Content("a.go", text)
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, r := range rules() {
		text := bytes.Repeat([]byte(r.prefix+"-"), (1<<20)/len(r.prefix))
		if r.skip == 5 && r.prefix[0] == '-' {
			text = bytes.Repeat([]byte(r.prefix+"PRIVATE KEY-----"), (1<<20)/27)
		}
		b.Run(r.prefix, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Content("a.go", text)
			}
		})
	}
}
