package query

// Aside returns, for a question, what tells the class of a path that a change
// is unlikely to begin in: "test", "docs", "generated", "vendored" or
// "minified"; "" for any other path, and where the question is about that class.
func (e *Engine) Aside(question string) func(path string) string {
	const held = classTest | classDocs | classGenerated | classVendored | classMinified
	waived := waivedClasses(analyse(question, &e.weights))
	return func(path string) string {
		c := classify(path) & held
		if c&^waived == 0 {
			return ""
		}
		return (c & -c).String()
	}
}
