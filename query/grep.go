package query

// GrepOptions say what to search for and where.
type GrepOptions struct {
	Pattern    string // RE2 syntax, applied to each line without its line feed
	Literal    bool   // the pattern is text, not a regular expression
	IgnoreCase bool
	// Word asks for a word boundary on both sides of a match; a literal that
	// begins or ends with another character needs none on that side.
	Word     bool
	PathGlob string // see DESIGN: `*`, `**`, `?`, classes, braces; "" for all
	Lang     string // language name; "" for all
	// MaxResults bounds the lines in the answer, 0 for no bound. Totals are
	// counted beyond it.
	MaxResults int
	Context    int // lines of context before and after each matching line
}

type Weights struct{}
