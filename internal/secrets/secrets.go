// Package secrets tells which files of a commit hold secrets and are therefore
// in no view. What it says is a pure function of a file's path and bytes, and
// of Version.
//
// Two kinds of rule. By name: files that exist to hold credentials, such as
// .env, id_rsa, keystores and Terraform state, whatever is in them; and a few
// names, such as .npmrc, of which only some hold a credential, so that their
// content decides. By content: a private key, or a token that its issuer made
// to be recognized, in a file of any name.
//
// A wrong alarm takes a whole file out of every view, so content rules want
// more than a mention. A private key is its whole block: both marker lines of
// one label and, between them, base64 that starts as such a key does. A parser
// that names the markers, or documentation with dots between them, passes. A
// token is its issuer's prefix, the exact length and alphabet, the checksum
// where the issuer publishes one, and characters as mixed as random ones are;
// an AWS key id counts only with a secret key near it. Assignments such as
// password = "..." are never looked at: they are mostly not secrets.
//
// A key that serves only tests looks like any other, and no name tells them
// apart: what lies under testdata has leaked before. Such a file is left out
// and listed like any other, and its user can allow it by its path.
//
// Rules are code without regular expressions. One pass over the text looks for
// the beginnings of all tokens at once and skips most bytes.
package secrets

// Version changes whenever a rule does; it is part of the profile.
const Version = "1"

// Content returns the name of the first rule by which the text of a file is a
// secret, such as "private key", or "". The path matters where a name makes a
// weaker sign enough. For files that Name tells alone, there is no need to ask.
func Content(path string, text []byte) string {
	if rule := named(path, text); rule != "" {
		return rule
	}
	if hasPuTTYKey(text) {
		return "private key"
	}
	return theScanner().find(text)
}
