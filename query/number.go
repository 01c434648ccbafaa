package query

import "math/bits"

// micro is the unit of scores: one is a million.
const micro = 1_000_000

// toMicro rounds a non-negative score to millionths. The product is rounded
// before it is used, so that no machine fuses it with the addition.
func toMicro(x float64) int64 {
	p := float64(x * micro)
	return int64(p + 0.5)
}

// permille multiplies a score by f thousandths, rounding down.
func permille(score, f int64) int64 { return score * f / 1000 }

// log2Fixed returns the base-2 logarithm of x ≥ 1 with 32 fractional bits. It
// is computed by integers alone: math.Log is assembly on some machines, and
// its last bit is not promised.
func log2Fixed(x uint64) uint64 {
	n := bits.Len64(x) - 1
	m := x << (63 - n) // the mantissa in [1, 2), 63 fractional bits
	out := uint64(n) << 32
	for bit := uint64(1) << 31; bit != 0; bit >>= 1 {
		hi, _ := bits.Mul64(m, m) // 62 fractional bits
		if hi>>63 != 0 {
			out |= bit
			m = hi
		} else {
			m = hi << 1
		}
	}
	return out
}

// idf returns the inverse document frequency of BM25, ln(1 + (n-df+½)/(df+½)),
// for df ≤ n.
func idf(n, df uint64) float64 {
	df = min(df, n)
	l := log2Fixed(2*n+2) - log2Fixed(2*df+1)
	const ln2 = 0.6931471805599453
	return float64(l) / (1 << 32) * ln2
}
