package main

import (
	"fmt"
	"io"
	"slices"
)

// compare says how far two runs of an oracle agree. What an oracle cannot say
// twice it cannot hold against anybody.
func compare(w io.Writer, fileA, fileB string) error {
	a, err := readRecords(fileA)
	if err != nil {
		return err
	}
	b, err := readRecords(fileB)
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d positions against %d", len(a), len(b))
	}
	var defs, refs, n, m, failed int
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Path != y.Path || x.Line != y.Line || x.Col != y.Col {
			return fmt.Errorf("position %d differs: %s:%d:%d against %s:%d:%d", i+1, x.Path, x.Line, x.Col, y.Path, y.Line, y.Col)
		}
		if !x.Answered && !y.Answered {
			continue
		}
		if x.Error != "" || y.Error != "" {
			failed++
			continue
		}
		n++
		if slices.Equal(x.Def, y.Def) && x.External == y.External {
			defs++
		} else {
			fmt.Fprintf(w, "def  %s:%d:%d %s: %v against %v\n", x.Path, x.Line, x.Col, x.Name, x.Def, y.Def)
		}
		if len(x.Def) == 0 && len(y.Def) == 0 {
			continue
		}
		m++
		if slices.Equal(x.Refs, y.Refs) {
			refs++
		} else {
			fmt.Fprintf(w, "refs %s:%d:%d %s: %d against %d\n", x.Path, x.Line, x.Col, x.Name, len(x.Refs), len(y.Refs))
		}
	}
	fmt.Fprintf(w, "%s, %s: two runs agree in %d of %d definition sets and %d of %d reference sets; %d positions left out, where one of them failed\n",
		a[0].Repo, a[0].Lang, defs, n, refs, m, failed)
	return nil
}
