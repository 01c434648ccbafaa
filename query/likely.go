package query

// halving is how far, in thousandths of the learned score, a file must lie
// behind another to be half as likely: the ranking's models are trained so that
// odds fall by a factor of e with each thousand.
const halving = 693

// Likelihood tells from the score of a file's best result, and from that of the
// first result of the same answer, how likely the file is what was looked for,
// against the first one's file: in millionths, from 1 to a million.
func Likelihood(score, first int64) int64 {
	if score <= 0 || first <= score {
		if first <= score {
			return micro
		}
		return 1
	}
	// Scores fall off as 1/(1+d), where d is how far the learned score lies
	// behind. Between two halvings the line is straight: integers alone, so
	// that every machine gives the same.
	behind := (micro*1000/score - micro*1000/first)
	q, r := behind/halving, behind%halving
	if q >= 20 {
		return 1
	}
	return max(1, int64(micro)>>q*(2*halving-r)/(2*halving))
}
