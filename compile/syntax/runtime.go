package syntax

/*
#include "runtime.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	// Links tree-sitter's runtime; the calls go through runtime.c.
	_ "github.com/tree-sitter/go-tree-sitter"
)

var setupRuntime = sync.OnceFunc(func() { C.px_setup() })

// grammar is a loaded tree-sitter grammar together with the tables that turn
// its numbers into the extractor's.
type grammar struct {
	ptr    *C.TSLanguage
	kinds  []C.uint16_t // by symbol
	fields []C.uint8_t  // by field id
}

// loadGrammar resolves the names that an extractor uses in a grammar. A name
// in kinds stands for a named node; with a leading apostrophe, such as
// "'static", for a token of that text; with a leading question mark for one
// that a grammar which shares the extractor may lack. Other names that the
// grammar does not have are returned in missing.
func loadGrammar(ptr unsafe.Pointer, kinds []string) (g *grammar, missing []string) {
	setupRuntime()
	g = &grammar{ptr: (*C.TSLanguage)(ptr)}
	number := make(map[string]uint16, len(kinds))
	for i, name := range kinds {
		if name != "" {
			number[strings.TrimPrefix(name, "?")] = uint16(i)
		}
	}
	found := make(map[string]bool, len(kinds))
	g.kinds = make([]C.uint16_t, int(C.px_symbol_count(g.ptr)))
	for s := range g.kinds {
		var named C.bool
		name := C.GoString(C.px_symbol_name(g.ptr, C.uint16_t(s), &named))
		if !named {
			name = "'" + name
		}
		if k, ok := number[name]; ok {
			g.kinds[s] = C.uint16_t(k)
			found[name] = true
		}
	}
	for _, name := range kinds {
		if name != "" && name[0] != '?' && !found[name] {
			missing = append(missing, name)
		}
	}
	g.fields = make([]C.uint8_t, int(C.px_field_count(g.ptr))+1)
	for f := 1; f < len(g.fields); f++ {
		name := C.GoString(C.px_field_name(g.ptr, C.uint16_t(f)))
		if n, ok := fieldNumbers[name]; ok {
			g.fields[f] = C.uint8_t(n)
		}
	}
	return g, missing
}

type parseStatus int

const (
	statusOK     = parseStatus(C.PX_OK)
	statusBudget = parseStatus(C.PX_BUDGET)
	statusDepth  = parseStatus(C.PX_DEPTH)
)

// parse parses src and returns its nodes in preorder, in buf where that is
// large enough. src must not be longer than 2^31-1 bytes.
func (g *grammar) parse(src []byte, maxWork uint64, maxDepth uint32, buf []node) (nodes []node, hasError bool, work uint64, status parseStatus, err error) {
	var zero C.char
	text := &zero
	if len(src) > 0 {
		text = (*C.char)(unsafe.Pointer(unsafe.SliceData(src)))
	}
	p := C.px_parse(g.ptr, text, C.uint32_t(len(src)), C.uint64_t(maxWork))
	work = uint64(p.work)
	switch p.status {
	case C.PX_OK:
	case C.PX_BUDGET:
		return nil, false, work, statusBudget, nil
	default:
		return nil, false, work, statusOK, fmt.Errorf("the parser returned no tree")
	}
	if cap(buf) < int(p.count) {
		buf = make([]node, int(p.count)+int(p.count)/8)
	}
	buf = buf[:cap(buf)]
	f := C.px_flatten(p.tree,
		unsafe.SliceData(g.kinds), C.uint32_t(len(g.kinds)),
		unsafe.SliceData(g.fields), C.uint32_t(len(g.fields)), C.uint16_t(kindError),
		(*C.px_node)(unsafe.Pointer(unsafe.SliceData(buf))), C.uint32_t(len(buf)), C.uint32_t(maxDepth))
	switch f.status {
	case C.PX_OK:
		return buf[:f.count], bool(p.has_error), work, statusOK, nil
	case C.PX_DEPTH:
		return buf[:0], false, work, statusDepth, nil
	default:
		return nil, false, work, statusOK, fmt.Errorf("the tree has more than the %d nodes that it announced", p.count)
	}
}
