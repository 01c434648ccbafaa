package query

const (
	// placedFiles is the number of the first files that are put in order once
	// more.
	placedFiles = 10
	// placedUnits is the number of a file's best units that count then.
	placedUnits = 3
)

// placing orders the first files of an issue once more, by what the ranker gave
// them and by the scores of their best units: what an issue tells stands in a
// few units of the file to change, and all over a file that it only touches.
// Weights are in thousandths: of the file's score, then of its best unit's, its
// second's and its third's. Where all are 0, the first order stays.
type placing [1 + placedUnits]int32

// bestUnits are the scores of a file's best units by the model alone, in
// falling order, 0 where there are fewer.
type bestUnits struct {
	n      int
	scores [placedUnits]int64
}

func (b *bestUnits) add(score int64) {
	at := min(b.n, placedUnits)
	for at > 0 && b.scores[at-1] < score {
		if at < placedUnits {
			b.scores[at] = b.scores[at-1]
		}
		at--
	}
	if at < placedUnits {
		b.scores[at] = score
		b.n = min(b.n+1, placedUnits)
	}
}

// parts returns what each weight contributes, in thousandths.
func (p *placing) parts(f *fileCand) (by [1 + placedUnits]int64) {
	by[0] = permille(f.score, int64(p[0]))
	for k, s := range f.best.scores {
		by[1+k] = permille(s, int64(p[1+k]))
	}
	return by
}

func (p *placing) score(f *fileCand) (sum int64) {
	for _, v := range p.parts(f) {
		sum += v
	}
	return sum
}

// placeFirst puts the first files in order once more. Equal scores stay as they
// are, and each place keeps the score of its results.
func (r *ranker) placeFirst() {
	p := &r.model.placing
	if *p == (placing{}) || r.linked != nil {
		return
	}
	files := r.files[:min(placedFiles, len(r.files))]
	for i := range files {
		files[i].placed = p.score(&files[i])
		for k := i; k > 0 && files[k].placed > files[k-1].placed; k-- {
			files[k], files[k-1] = files[k-1], files[k]
			files[k].rank, files[k-1].rank = files[k-1].rank, files[k].rank
		}
	}
}
