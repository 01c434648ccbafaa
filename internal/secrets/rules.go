package secrets

import (
	"bytes"
	"hash/crc32"
)

// rule is one kind of token. It holds where its prefix stands, not in the
// middle of a word, and a run of its alphabet of one of its lengths follows
// and ends there.
type rule struct {
	name     string
	prefix   string
	skip     int // where in the prefix the scan's window starts
	alphabet *alphabet
	lengths  []int // of what follows the prefix; from, to, from, to, ...
	// more is asked in the end about what follows the prefix; nil is random.
	more func(body []byte) bool
	// custom replaces all of the above but the prefix: the text and where
	// the prefix starts in it.
	custom func(text []byte, start int) bool
}

// maxToken bounds how far a rule looks for a token's end.
const maxToken = 512

func rules() []rule {
	out := []rule{
		{name: "private key", prefix: "-----BEGIN ", skip: 5, custom: isKeyBlock},
		{name: "private key", prefix: "AGE-SECRET-KEY-1", alphabet: upperNum, lengths: []int{58, 58}},
		{name: "GitHub token", prefix: "github_pat_", skip: 5, alphabet: newAlphabet(digitChars + upperChars + lowerChars + "_"), lengths: []int{82, 82}},
		{name: "GitLab token", prefix: "glpat-", alphabet: newAlphabet(digitChars + upperChars + lowerChars + "-_."), lengths: []int{20, 20, 40, 320}},
		{name: "GitLab token", prefix: "gldt-", alphabet: base64URL, lengths: []int{20, 20}},
		{name: "GitLab token", prefix: "glrt-", alphabet: base64URL, lengths: []int{20, 20}},
		{name: "Slack token", prefix: "xoxb-", custom: isSlackToken},
		{name: "Slack token", prefix: "xoxp-", custom: isSlackToken},
		{name: "Slack token", prefix: "xoxa-", custom: isSlackToken},
		{name: "Slack webhook", prefix: "hooks.slack.com/services/T", skip: 4, custom: isSlackHook},
		{name: "Stripe key", prefix: "sk_live_", alphabet: alnum, lengths: []int{24, 24, 99, 99}},
		{name: "Stripe key", prefix: "rk_live_", alphabet: alnum, lengths: []int{24, 24, 99, 99}},
		{name: "Google API key", prefix: "AIza", alphabet: base64URL, lengths: []int{35, 35}},
		{name: "Google client secret", prefix: "GOCSPX-", alphabet: base64URL, lengths: []int{28, 28}},
		{name: "npm token", prefix: "npm_", alphabet: alnum, lengths: []int{36, 36}},
		{name: "PyPI token", prefix: "pypi-AgEIcHlwaS5vcmc", skip: 1, alphabet: base64URL, lengths: []int{50, maxToken}},
		{name: "Docker token", prefix: "dckr_pat_", alphabet: base64URL, lengths: []int{27, 27}},
		{name: "DigitalOcean token", prefix: "dop_v1_", alphabet: hexDigits, lengths: []int{64, 64}},
		{name: "Anthropic key", prefix: "sk-ant-", alphabet: base64URL, lengths: []int{90, 120}},
		{name: "OpenAI key", prefix: "T3BlbkFJ", custom: isOpenAIKey},
		{name: "Azure storage key", prefix: "AccountKey=", alphabet: base64Std, lengths: []int{88, 88}, more: isAzureKey},
		{name: "AWS key", prefix: "AKIA", custom: isAWSKey},
		{name: "AWS key", prefix: "ASIA", custom: isAWSKey},
	}
	// Personal, OAuth, user-to-server, server-to-server and refresh tokens.
	for _, prefix := range []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"} {
		out = append(out, rule{name: "GitHub token", prefix: prefix, alphabet: alnum, lengths: []int{36, 36}, more: hasChecksum})
	}
	return out
}

func (r *rule) holds(text []byte, start int) bool {
	if r.custom != nil {
		return r.custom(text, start)
	}
	if start > 0 && alnum.has(text[start-1]) {
		return false
	}
	rest := text[start+len(r.prefix):]
	n := r.alphabet.run(rest, maxToken+1)
	for i := 0; i < len(r.lengths); i += 2 {
		if n < r.lengths[i] || n > r.lengths[i+1] {
			continue
		}
		if n < len(rest) && alnum.has(rest[n]) {
			return false
		}
		if r.more != nil {
			return r.more(rest[:n])
		}
		return random(rest[:n])
	}
	return false
}

// hasChecksum reports whether the last six characters are the CRC-32 of the
// others, to the base 62, as in GitHub's tokens. No placeholder has that.
func hasChecksum(body []byte) bool {
	const base62 = digitChars + upperChars + lowerChars
	data, sum := body[:len(body)-6], body[len(body)-6:]
	n := crc32.ChecksumIEEE(data)
	for i := len(sum) - 1; i >= 0; i-- {
		if sum[i] != base62[n%62] {
			return false
		}
		n /= 62
	}
	return true
}

// isAzureKey leaves out the key that every copy of the storage emulator has.
func isAzureKey(body []byte) bool {
	return bytes.HasSuffix(body, []byte("==")) && !bytes.HasPrefix(body, []byte("Eby8vdM02xNOcqFl")) && random(body)
}

// isSlackToken: two or three numbers and then 24 or more letters and digits,
// with dashes between.
func isSlackToken(text []byte, start int) bool {
	if start > 0 && alnum.has(text[start-1]) {
		return false
	}
	rest := text[start+len("xoxb-"):]
	parts := bytes.SplitN(rest[:base64URL.run(rest, 128)], []byte("-"), 5)
	last := parts[len(parts)-1]
	if len(parts) < 3 || len(parts) > 4 || len(last) < 24 || len(last) > 64 || !random(last) {
		return false
	}
	for _, p := range parts[:len(parts)-1] {
		if len(p) < 9 || len(p) > 14 || digits.run(p, len(p)) != len(p) {
			return false
		}
	}
	return true
}

// isSlackHook: T and B identifiers, then 24 letters and digits.
func isSlackHook(text []byte, start int) bool {
	rest := text[start+len("hooks.slack.com/services/"):]
	parts := bytes.SplitN(rest[:min(len(rest), 80)], []byte("/"), 3)
	if len(parts) < 3 || alnum.run(parts[2], 25) != 24 {
		return false
	}
	t, b := parts[0], parts[1]
	return len(t) >= 9 && upperNum.run(t, len(t)) == len(t) && len(b) >= 9 && b[0] == 'B' && upperNum.run(b, len(b)) == len(b) &&
		random(parts[2][:24])
}

// isOpenAIKey: the mark stands in the middle of what starts with sk-.
func isOpenAIKey(text []byte, start int) bool {
	lo := start
	for lo > 0 && start-lo < maxToken && base64URL.has(text[lo-1]) {
		lo--
	}
	head := text[lo:start]
	rest := text[start+len("T3BlbkFJ"):]
	n := base64URL.run(rest, maxToken)
	return bytes.HasPrefix(head, []byte("sk-")) && len(head) >= len("sk-")+20 && n >= 20 && random(rest[:n])
}

// nearAWS is how far from its id an AWS secret key is looked for, in bytes.
const nearAWS = 400

// isAWSKey: 16 characters of base 32 behind the prefix, and near it 40 of base
// 64 that stand alone. Amazon's own examples say so in both.
func isAWSKey(text []byte, start int) bool {
	const idLen = 20
	if start > 0 && alnum.has(text[start-1]) || upperNum.run(text[start:], idLen+1) != idLen {
		return false
	}
	id := text[start : start+idLen]
	if start+idLen < len(text) && alnum.has(text[start+idLen]) || bytes.Contains(id, []byte("EXAMPLE")) {
		return false
	}
	around := text[max(0, start-nearAWS):min(len(text), start+idLen+nearAWS)]
	for i := 0; i < len(around); {
		if !awsSecret.has(around[i]) {
			i++
			continue
		}
		n := awsSecret.run(around[i:], len(around))
		if s := around[i : i+n]; n == 40 && random(s) && hasCases(s) && !bytes.Contains(s, []byte("EXAMPLE")) {
			return true
		}
		i += n
	}
	return false
}

var awsSecret = newAlphabet(digitChars + upperChars + lowerChars + "+/")

// hasCases tells base 64 from hexadecimal digits, such as a commit's.
func hasCases(b []byte) bool {
	return bytes.ContainsAny(b, upperChars) && bytes.ContainsAny(b, lowerChars[6:])
}
