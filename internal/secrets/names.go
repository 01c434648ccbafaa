package secrets

import (
	"bytes"
	"strings"
)

// Name reports whether a regular file of this path is a secret whatever is in
// it. Letters of either case are equal.
func Name(path string) bool {
	dir, base := split(path)
	switch base {
	case ".env",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
		".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".htdigest",
		".git-credentials", ".dockercfg", ".vault-token", ".s3cfg",
		"kubeconfig", "secring.gpg", "credentials.tfrc.json":
		return true
	case "credentials":
		return lastOf(dir) == ".aws" || lastOf(dir) == ".gem"
	case "config":
		return lastOf(dir) == ".kube"
	}
	if rest, ok := strings.CutPrefix(base, ".env."); ok {
		return !isExample(rest)
	}
	for _, ext := range []string{
		".jks", ".jceks", ".bks", ".p12", ".pfx", ".keystore", // Java's and Windows' keystores
		".kdb", ".kdbx", ".keychain", ".keychain-db", // password managers'
		".ppk", ".kubeconfig",
		".tfstate", ".tfstate.backup",
	} {
		if strings.HasSuffix(base, ext) {
			return true
		}
	}
	// Terraform's older backups: NAME.tfstate.1234567890.backup.
	return strings.HasSuffix(base, ".backup") && strings.Contains(base, ".tfstate.")
}

// isExample reports whether what follows ".env." says that the file shows
// which variables there are, or is code.
func isExample(rest string) bool {
	for part := range strings.SplitSeq(rest, ".") {
		switch part {
		case "example", "sample", "template", "tmpl", "tpl", "dist", "defaults", "schema",
			"md", "ts", "js", "mjs", "cjs", "py", "go", "rb":
			return true
		}
	}
	return false
}

// named applies the rules of names that make a weaker sign enough.
func named(path string, text []byte) string {
	dir, base := split(path)
	has := func(signs ...string) bool {
		for _, s := range signs {
			if bytes.Contains(text, []byte(s)) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasSuffix(base, ".pem"), strings.HasSuffix(base, ".key"), strings.HasSuffix(base, ".p8"):
		if has("PRIVATE KEY-----") || base == "master.key" && isHex(bytes.TrimSpace(text), 32) {
			return "private key"
		}
	case base == ".npmrc" || base == ".yarnrc" || base == ".yarnrc.yml":
		if hasValue(text, "_authToken", '=') || hasValue(text, "_auth", '=') || hasValue(text, "_password", '=') || hasValue(text, "npmAuthToken", ':') {
			return "package registry credential"
		}
	case base == ".pypirc" || base == "pip.conf":
		if hasValue(text, "password", '=') || hasValue(text, "password", ':') {
			return "package registry credential"
		}
	case base == "config.json" && lastOf(dir) == ".docker", base == ".dockerconfigjson":
		if has(`"auth"`, `"identitytoken"`) {
			return "registry credential"
		}
	case base == "credentials.json" || base == "client_secret.json" || base == "application_default_credentials.json" ||
		strings.HasPrefix(base, "service-account") && strings.HasSuffix(base, ".json") ||
		strings.HasPrefix(base, "service_account") && strings.HasSuffix(base, ".json"):
		if has(`"private_key"`, `"client_secret"`, `"refresh_token"`) {
			return "service account"
		}
	}
	return ""
}

// hasValue reports whether a line gives the key (or, as .npmrc has it,
// something that ends in the key) a value that is not a reference to a
// variable.
func hasValue(text []byte, key string, sep byte) bool {
	for line := range bytes.Lines(text) {
		k, v, ok := bytes.Cut(bytes.TrimSpace(line), []byte{sep})
		k, v = bytes.TrimSpace(k), bytes.Trim(v, " \t\"'")
		if !ok || len(v) == 0 || !bytes.HasSuffix(k, []byte(key)) || k[0] == '#' || k[0] == ';' {
			continue
		}
		if v[0] != '$' && v[0] != '%' && v[0] != '<' && v[0] != '{' {
			return true
		}
	}
	return false
}

func isHex(b []byte, n int) bool {
	if len(b) != n {
		return false
	}
	for _, c := range b {
		if !hexDigits.has(c) {
			return false
		}
	}
	return true
}

// split returns the folder and the last part of a path in small letters.
func split(path string) (dir, base string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", strings.ToLower(path)
	}
	return strings.ToLower(path[:i]), strings.ToLower(path[i+1:])
}

// lastOf returns the last part of a folder's path.
func lastOf(dir string) string { return dir[strings.LastIndexByte(dir, '/')+1:] }
