package bundle

// eachWord cuts letters and digits into words at signs, at capitals behind
// small letters, and gives them in small letters. The word is valid until the
// call returns.
func eachWord(s []byte, word func([]byte)) {
	var buf [48]byte
	n := 0
	end := func() {
		if n > 1 && n < len(buf) {
			w := buf[:n]
			if n > 3 && w[n-1] == 's' && w[n-2] != 's' {
				w = w[:n-1] // plurals
			}
			word(w)
		}
		n = 0
	}
	for i, b := range s {
		switch {
		case isUpper(b):
			if i > 0 && !isUpper(s[i-1]) || i+1 < len(s) && isLower(s[i+1]) {
				end()
			}
			b |= 0x20
		case !isLower(b) && !isDigit(b):
			end()
			continue
		}
		if n < len(buf) {
			buf[n] = b
			n++
		}
	}
	end()
}
