package query

import "strconv"

// quoteASCII quotes s and escapes what a terminal might act on.
func quoteASCII(s string) string { return strconv.Quote(s) }
