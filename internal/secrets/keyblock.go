package secrets

import "bytes"

const (
	maxLabel = 48       // bytes of a marker's label
	maxBlock = 64 << 10 // bytes of a key block
	// minKey is the base64 of the shortest private key there is, an Ed25519
	// one in PKCS #8, which has 48 bytes.
	minKey = 60
	// minRun is how many base64 characters in a row count as key rather than
	// as words around it.
	minRun = 16
)

// isKeyBlock reports whether a marker begins the whole block of a private key,
// as a file of its own or in a string of a programming language or of JSON:
// line ends may be escapes, and quotes, plus signs or indents may stand
// around each line.
func isKeyBlock(text []byte, start int) bool {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	rest := text[start+len(begin):]
	n := bytes.Index(rest[:min(len(rest), maxLabel)], []byte(dashes))
	if n < 0 {
		return false
	}
	label := rest[:n]
	pgp := bytes.Equal(label, []byte("PGP PRIVATE KEY BLOCK"))
	if !pgp && !bytes.HasSuffix(label, []byte("PRIVATE KEY")) {
		return false
	}
	rest = rest[n+len(dashes):]
	rest = rest[:min(len(rest), maxBlock)]
	// The next marker of any kind ends the search, so that a file of nothing
	// but markers is still read in linear time.
	n = bytes.Index(rest, []byte(dashes))
	if n < 0 || !bytes.HasPrefix(rest[n:], []byte(end)) || !bytes.HasPrefix(rest[n+len(end):], label) {
		return false
	}
	return isKeyBody(rest[:n], label, pgp)
}

// isKeyBody reports whether what stands between the markers is a key: enough
// base64, hardly anything else, and the beginning that such keys have.
func isKeyBody(body, label []byte, pgp bool) bool {
	key, others := 0, 0
	var first []byte
	for i := 0; i < len(body); {
		c := body[i]
		switch {
		case c == '\\':
			i += 2 // an escape, such as a line end
		case base64Std.has(c):
			n := base64Std.run(body[i:], len(body))
			if n < minRun {
				others += n
			} else {
				key += n
				if first == nil {
					first = body[i : i+n]
				}
			}
			i += n
		default:
			if c > ' ' {
				others++
			}
			i++
		}
	}
	// A comment of PGP, or the headers of an encrypted key, are short beside
	// the key itself. The last line may be shorter than a run.
	if key < minKey-minRun || key < 2*others || !mixed(first) {
		return false
	}
	switch {
	case pgp, bytes.Contains(body, []byte("ENCRYPTED")):
		return true
	case bytes.HasPrefix(label, []byte("OPENSSH")):
		return bytes.HasPrefix(first, []byte("b3BlbnNzaC1rZXkt")) // openssh-key-
	}
	// A DER sequence: tag 0x30, and of its length the two highest bits.
	return first[0] == 'M' && first[1] >= 'A' && first[1] <= 'P'
}

// mixed tells key material from a placeholder such as MIIExxxxxxxx.
func mixed(run []byte) bool {
	var seen [256]bool
	kinds := 0
	for _, c := range run {
		if !seen[c] {
			seen[c] = true
			kinds++
		}
	}
	return kinds >= minRun/2
}

// hasPuTTYKey reports whether the file is a private key as PuTTY writes it.
func hasPuTTYKey(text []byte) bool {
	return bytes.HasPrefix(text, []byte("PuTTY-User-Key-File-")) && bytes.Contains(text, []byte("\nPrivate-Lines: "))
}
