package git

import "strings"

// CleanURL removes what may be a credential from a remote's address: the
// user and password of a URL (of ssh only the password, its user name being
// part of the address), its query and its fragment. The scp-like form
// "git@host:path" and local paths have no place for one and stay as they are.
// An address that a remote helper interprets ("ext::…") is returned as ""
// when it is not a URL itself, because anything may be in it.
func CleanURL(s string) string {
	if helper, rest, ok := strings.Cut(s, "::"); ok && !strings.ContainsAny(helper, "/:@. ") {
		if rest = CleanURL(rest); strings.Contains(rest, "://") {
			return helper + "::" + rest
		}
		return ""
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !isScheme(scheme) {
		return s
	}
	if scheme == "file" {
		return s
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if _, port, ok := strings.Cut(authority, ":"); ok && strings.Trim(port, "0123456789]:") != "" {
		// Not "host:port": a password in which a '/', '?' or '#' was left
		// unescaped. What follows its '@' is the host.
		if at := strings.LastIndexByte(rest, '@'); at >= 0 && !strings.Contains(authority, "@") {
			return CleanURL(scheme + "://" + rest[at+1:])
		}
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, _, _ := strings.Cut(authority[:at], ":")
		authority = authority[at+1:]
		if strings.Contains(scheme, "ssh") && user != "" && !strings.Contains(user, "%") {
			authority = user + "@" + authority
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	if c := scheme + "://" + authority + rest; c != s {
		return CleanURL(c) // what was hidden behind the first may be another
	}
	return s
}

func isScheme(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		default:
			return false
		}
	}
	return s != ""
}
