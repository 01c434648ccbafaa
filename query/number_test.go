package query

import (
	"math"
	"testing"
)

func TestIDF(t *testing.T) {
	for _, n := range []uint64{1, 2, 10, 999, 60000, 1 << 40} {
		for _, df := range []uint64{0, 1, 2, 5, 9, 500, 59999, 1 << 39} {
			if df > n {
				continue
			}
			want := math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
			if got := idf(n, df); math.Abs(got-want) > 1e-8*(1+want) {
				t.Errorf("idf(%d, %d) = %v, want %v", n, df, got, want)
			}
		}
	}
	if got := idf(3, 9); got < 0 {
		t.Errorf("a frequency above the number of documents gives %v", got)
	}
}
