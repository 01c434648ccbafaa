package artifact

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
)

// A table is a section of rows × columns of unsigned integers. Every column
// has one width for all rows, so each value is found without decoding others,
// and stores its bytes plane by plane (all low bytes, then all second bytes
// ...), which halves what zstd makes of it:
//
//	0  4  rows
//	4  2  columns
//	6  2  zero
//	8  columns × 1  width in bytes, 0..8; 0 stands for "all zero"
//	.. for each column: width × rows bytes
//
// The first column is at least one byte wide where there are rows, so that
// the number of rows is bounded by the section's real size. A reader ignores
// columns behind those that it knows.
const tableHeader = 8

// maxRows bounds every count in a segment, so that counts fit an int32.
const maxRows = math.MaxInt32

// tableWriter collects columns.
type tableWriter struct {
	rows    int
	columns [][]uint64
}

//go:noinline
func newTableWriter(rows, columns int) *tableWriter {
	t := &tableWriter{rows: rows, columns: make([][]uint64, columns)}
	flat := make([]uint64, rows*columns)
	for i := range t.columns {
		t.columns[i] = flat[i*rows : (i+1)*rows : (i+1)*rows]
	}
	return t
}

// set is called, not inlined: tables of twenty columns would make every
// program that writes them larger.
//
//go:noinline
func (t *tableWriter) set(row, column int, v uint64) { t.columns[column][row] = v }

func (t *tableWriter) bytes() []byte {
	b := make([]byte, tableHeader, tableHeader+len(t.columns)*(1+t.rows))
	binary.LittleEndian.PutUint32(b, uint32(t.rows))
	binary.LittleEndian.PutUint16(b[4:], uint16(len(t.columns)))
	for i, c := range t.columns {
		w := byteWidth(c)
		if i == 0 && t.rows > 0 {
			w = max(w, 1)
		}
		b = append(b, byte(w))
	}
	for i, c := range t.columns {
		for k := range int(b[tableHeader+i]) {
			for _, v := range c {
				b = append(b, byte(v>>(8*k)))
			}
		}
	}
	return b
}

// byteWidth returns how many bytes the largest of vs needs.
func byteWidth(vs []uint64) int {
	var or uint64
	for _, v := range vs {
		or |= v
	}
	return (bits.Len64(or) + 7) / 8
}

// column is one column of an open table.
type column struct {
	data []byte
	rows int
	w    int
}

// at returns the value in row i, which must lie in [0, rows).
func (c *column) at(i int) uint64 {
	if c.w == 1 {
		return uint64(c.data[i])
	}
	return c.wide(i)
}

// wide is at for all widths but 1. It is called, not inlined with at.
//
//go:noinline
func (c *column) wide(i int) uint64 {
	if c.w == 2 {
		return uint64(c.data[i]) | uint64(c.data[c.rows+i])<<8
	}
	var v uint64
	for k := range c.w {
		v |= uint64(c.data[k*c.rows+i]) << (8 * k)
	}
	return v
}

// cell is at, called and not inlined, for rows of many columns that are read
// whole: a program that reads them would be larger by them.
//
//go:noinline
func (c *column) cell(i int) uint64 { return c.at(i) }

// u32 returns the value in row i of a column that is at most 4 bytes wide.
func (c *column) u32(i int) uint32 { return uint32(c.at(i)) }

// openTable checks a table section and returns its first columns. limits
// holds the largest width of each column that the caller knows.
func openTable(b []byte, what string, limits ...uint8) (rows int, cols []column, err error) {
	if len(b) < tableHeader {
		return 0, nil, damaged("%s: table of %d bytes", what, len(b))
	}
	n := binary.LittleEndian.Uint32(b)
	count := int(binary.LittleEndian.Uint16(b[4:]))
	if b[6] != 0 || b[7] != 0 {
		return 0, nil, damaged("%s: reserved bytes of the table", what)
	}
	if count < len(limits) || len(b) < tableHeader+count {
		return 0, nil, damaged("%s: %d columns", what, count)
	}
	widths := b[tableHeader : tableHeader+count]
	data := b[tableHeader+count:]
	if uint64(n) > min(maxRows, uint64(len(data))) || n > 0 && widths[0] == 0 {
		return 0, nil, damaged("%s: %d rows in %d bytes", what, n, len(data))
	}
	rows = int(n)
	total := uint64(0)
	for i, w := range widths {
		if w > 8 || i < len(limits) && w > limits[i] {
			return 0, nil, damaged("%s: column %d is %d bytes wide", what, i, w)
		}
		total += uint64(w) * uint64(n)
	}
	if total != uint64(len(data)) {
		return 0, nil, damaged("%s: %d bytes of columns, not %d", what, len(data), total)
	}
	cols = make([]column, len(limits))
	for i := range cols {
		size := int(widths[i]) * rows
		cols[i] = column{data: data[:size:size], rows: rows, w: int(widths[i])}
		data = data[size:]
	}
	return rows, cols, nil
}

// zigzag maps small negative and positive numbers to small unsigned ones.
func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// read writes the values of all rows of a column that is at most 4 bytes wide
// to out, which has as many.
func (c *column) read(out []uint32) {
	switch c.w {
	case 0:
		clear(out)
	case 1:
		for i, v := range c.data[:len(out)] {
			out[i] = uint32(v)
		}
	case 2:
		low, high := c.data[:len(out)], c.data[len(out):][:len(out)]
		for i := range out {
			out[i] = uint32(low[i]) | uint32(high[i])<<8
		}
	case 3, 4:
		for i := range out {
			out[i] = uint32(c.wide(i))
		}
	}
}

// workspace is memory that the checks of one segment after another use: a
// process opens hundreds before its first answer, and pages that nobody has
// touched yet cost more than the checks.
type workspace struct {
	numbers []uint32
	free    []uint32 // of numbers
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// getWorkspace returns one for a check; put gives it back, and with it all that
// it gave out.
func getWorkspace() *workspace {
	w := workspaces.Get().(*workspace)
	w.free = w.numbers
	return w
}

func (w *workspace) put() { workspaces.Put(w) }

// take returns n numbers of any value.
func (w *workspace) take(n int) []uint32 {
	if n > len(w.free) {
		w.numbers = make([]uint32, max(16*n, 2*len(w.numbers)))
		w.free = w.numbers
	}
	out := w.free[:n:n]
	w.free = w.free[n:]
	return out
}

// all returns the values of all rows of a column that is at most 4 bytes wide.
func (w *workspace) all(c *column) []uint32 {
	out := w.take(c.rows)
	c.read(out)
	return out
}

// next returns the first row in [lo, hi) whose value is v, or hi.
func (c *column) next(v uint64, lo, hi int) int {
	if c.w == 0 {
		if v == 0 {
			return lo
		}
		return hi
	}
	for lo < hi {
		k := bytes.IndexByte(c.data[lo:hi], byte(v))
		if k < 0 {
			return hi
		}
		lo += k
		if c.at(lo) == v {
			return lo
		}
		lo++
	}
	return hi
}
