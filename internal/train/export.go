package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/pindex-dev/pindex/embed"
)

// export rounds the trained table to bytes and writes the model file.
func export(args []string) error {
	f := flag.NewFlagSet("export", flag.ContinueOnError)
	name := f.String("fit", "fit.bin", "`name` of the table in DATA")
	fields := f.String("fields", "4 4 4 4 4", "`steps` that one occurrence counts in path, symbol, signature, documentation, body; 4 are one occurrence")
	rest, err := parseFlags(f, args, 2)
	if err != nil {
		return err
	}
	v, err := readVocabulary(filepath.Join(rest[0], "vocab.tsv"))
	if err != nil {
		return err
	}
	t, err := readTable(filepath.Join(rest[0], *name))
	if err != nil {
		return err
	}
	var steps [5]uint16
	if _, err := fmt.Sscan(*fields, &steps[0], &steps[1], &steps[2], &steps[3], &steps[4]); err != nil {
		return fmt.Errorf("fields: %w", err)
	}
	b, err := encode(v, t, steps)
	if err != nil {
		return err
	}
	fmt.Printf("%d words, %d dimensions, %d bytes, sha256 %x\n", len(v.words), t.dims, len(b), sha256.Sum256(b))
	return os.WriteFile(rest[1], b, 0o644)
}

// steps of the frequency table that make one occurrence.
const unit = 4

// encode scales each vector to the whole range of a byte, and puts the scale
// into the word's weight.
func encode(v *vocabulary, t *table, fields [5]uint16) ([]byte, error) {
	m := &embed.StaticModel{Dims: t.dims, Fields: fields, Unit: unit, Freq: embed.StaticFrequency(unit, 64*unit), Piece: minPiece, Words: v.words}
	scale := make([]float64, len(v.words))
	highest := 0.0
	for i := range v.words {
		var top float64
		for _, x := range t.row(uint16(i)) {
			top = max(top, math.Abs(float64(x)))
		}
		for _, x := range t.row(uint16(i)) {
			m.Vectors = append(m.Vectors, int8(math.Round(float64(x)/max(top, 1e-12)*127)))
		}
		scale[i] = top * math.Exp(float64(t.weight[i]))
		highest = max(highest, scale[i])
	}
	for _, s := range scale {
		m.Weights = append(m.Weights, uint16(math.Round(s/highest*65535)))
	}
	return embed.EncodeStatic(m)
}
