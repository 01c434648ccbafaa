package infer

// Bounds of one inference, in steps and in depth.
const (
	maxSteps = 20_000
	maxDepth = 100
)

// limits bounds one inference.
type limits struct {
	steps, depth int
	cut          bool // a bound was met since the latest begin that has not ended
}

// tooMuch counts a step and reports whether the inference should end.
func (l *limits) tooMuch() bool {
	l.steps++
	if l.steps > maxSteps || l.depth > maxDepth {
		l.cut = true
		return true
	}
	return false
}

// begin starts what may be kept for other questions, if no bound cuts it short:
// another question may get further, and no answer depends on which one came
// before. Its result is for end.
func (l *limits) begin() (outer bool) {
	outer, l.cut = l.cut, false
	return outer
}

// end reports whether what began was not cut short.
func (l *limits) end(outer bool) (whole bool) {
	whole = !l.cut
	l.cut = l.cut || outer
	return whole
}
