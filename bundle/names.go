package bundle

import (
	"cmp"
	"context"
	"math/bits"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// maxWords bounds the words of a question that names are compared with.
const maxWords = 64

// filesByName ranks files by how many of the question's words stand in their
// path and in the names that they declare, the rarer the better.
func (p *Plan) filesByName(ctx context.Context) ([]string, error) {
	number := map[string]int{}
	eachWord([]byte(p.o.Query[:min(len(p.o.Query), 64<<10)]), func(w []byte) {
		if _, ok := number[string(w)]; !ok && len(w) > 2 && len(number) < maxWords {
			number[string(w)] = len(number)
		}
	})
	type file struct {
		path        string
		place, name uint64 // words in the path and in names
	}
	var files []file
	ix := p.e.Index()
	for n := range ix.NumPartitions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u, err := ix.Units(n)
		if err != nil {
			return nil, err
		}
		for f := range u.NumFiles() {
			if u.Skip(f) != artifact.SkipNone {
				continue
			}
			var x file
			mark := func(to *uint64) func([]byte) {
				return func(w []byte) {
					if i, ok := number[string(w)]; ok {
						*to |= 1 << i
					}
				}
			}
			eachWord(u.PathBytes(f), mark(&x.place))
			lo, hi := u.FileUnits(f)
			for i := lo; i < hi; i++ {
				eachWord(u.UnitNameBytes(i), mark(&x.name))
			}
			if x.place|x.name != 0 {
				if x.path = u.Path(f); !p.o.Leave[x.path] {
					files = append(files, x)
				}
			}
		}
	}
	var with [maxWords]int // files that have the word
	for i := range files {
		for m := files[i].place | files[i].name; m != 0; m &= m - 1 {
			with[bits.TrailingZeros64(m)]++
		}
	}
	// Each halving of the files that have a word is worth one.
	score := func(x *file) (s int) {
		for m := x.place | x.name; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			worth := bits.Len(uint(len(files)/with[i])) * 2
			if x.place>>i&1 == 1 {
				worth = worth * 3 / 2
			}
			s += worth
		}
		return s
	}
	order.Stable(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(score(&b), score(&a)), strings.Compare(a.path, b.path))
	})
	var out []string
	for i := 0; i < len(files) && i < rankedFiles; i++ {
		out = append(out, files[i].path)
	}
	return out, nil
}

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
