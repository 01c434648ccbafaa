package query

import (
	"encoding/binary"
	"math"
)

// The file table as it is kept. All numbers are varints, a text is preceded by
// its length.
//
//	number of languages, and each as text
//	for each partition: the number of its indexed files, and for each
//	    its number in the partition less that of the one before, less 1
//	    language, 0 for none, times 2, plus 1 for test or example code
//	    bytes of its path that the path before, of whatever partition, has too
//	    the rest of the path as text

// encodeFileTable returns the bytes of a file table, given by partition.
func encodeFileTable(parts [][]fileEntry) []byte {
	langs := map[string]uint64{"": 0}
	var names, b []byte
	last := ""
	for _, files := range parts {
		b = binary.AppendUvarint(b, uint64(len(files)))
		before := -1
		for i := range files {
			f := &files[i]
			b = binary.AppendUvarint(b, uint64(f.f-before-1))
			before = f.f
			lang, ok := langs[f.lang]
			if !ok {
				lang = uint64(len(langs))
				langs[f.lang] = lang
				names = appendText(names, f.lang)
			}
			lang <<= 1
			if f.test {
				lang |= 1
			}
			b = binary.AppendUvarint(b, lang)
			same := 0
			for same < min(len(last), len(f.path)) && last[same] == f.path[same] {
				same++
			}
			b = binary.AppendUvarint(b, uint64(same))
			b = appendText(b, f.path[same:])
			last = f.path
		}
	}
	return append(append(binary.AppendUvarint(nil, uint64(len(langs)-1)), names...), b...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// openFileTable is the opposite for a table of this index; ok is false where b
// is something else.
func (e *Engine) openFileTable(b []byte) (t *fileTable, ok bool) {
	r := keptReader{b: b}
	langs := []string{""}
	for range r.count() {
		langs = append(langs, string(r.text()))
	}
	var files []fileEntry
	// The paths are put together in one piece of memory, of which they are
	// parts: thousands of small ones would cost more than all the rest.
	var heap []byte
	var ends []int
	last := 0 // where the last path begins
	for p := range e.parts() {
		before := -1
		for range r.count() {
			f := before + 1 + r.number()
			lang := r.number()
			same := r.number()
			rest := r.text()
			if r.bad || f >= e.fileBase[p+1]-e.fileBase[p] || lang>>1 >= len(langs) || same > len(heap)-last {
				return nil, false
			}
			before = f
			next := len(heap)
			heap = append(append(heap, heap[last:last+same]...), rest...)
			last = next
			files = append(files, fileEntry{p: p, f: f, lang: langs[lang>>1], test: lang&1 == 1})
			ends = append(ends, len(heap))
		}
	}
	if r.bad || len(r.b) > 0 {
		return nil, false
	}
	all, start := string(heap), 0
	for i, end := range ends {
		files[i].path, start = all[start:end], end
	}
	return e.newFileTable(files), true
}

// keptReader reads numbers and texts. What is not there is zero, and bad set.
type keptReader struct {
	b   []byte
	bad bool
}

// number reads a number that fits an int32.
func (r *keptReader) number() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt32 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// count reads a number of things that take a byte each at least.
func (r *keptReader) count() int {
	n := r.number()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

func (r *keptReader) text() []byte {
	n := r.count()
	t := r.b[:n]
	r.b = r.b[n:]
	return t
}
