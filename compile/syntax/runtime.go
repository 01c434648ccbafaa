package syntax

/*
#include "runtime.h"
*/
import "C"

import (
	"errors"
	"runtime"
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
	ptr    *C.px_language
	kinds  []C.uint16_t // by symbol
	fields []C.uint8_t  // by field id
}

// loadGrammar resolves the names that an extractor uses in a grammar. A name
// in kinds stands for a named node; with a leading apostrophe, such as
// "'static", for a token of that text; with a leading question mark for one
// that a grammar which shares the extractor may lack. Other names that the
// grammar does not have are returned in missing. A grammar that does not fit
// the runtime gives nil.
func loadGrammar(ptr unsafe.Pointer, kinds []string) (g *grammar, missing []string) {
	setupRuntime()
	lang := (*C.TSLanguage)(ptr)
	g = &grammar{ptr: C.px_load(lang)}
	if g.ptr == nil {
		return nil, nil
	}
	number := make(map[string]uint16, len(kinds))
	for i, name := range kinds {
		if name != "" {
			number[strings.TrimPrefix(name, "?")] = uint16(i)
		}
	}
	found := make(map[string]bool, len(kinds))
	g.kinds = make([]C.uint16_t, int(C.px_symbol_count(lang)))
	for s := range g.kinds {
		var named C.bool
		name := C.GoString(C.px_symbol_name(lang, C.uint16_t(s), &named))
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
	g.fields = make([]C.uint8_t, int(C.px_field_count(lang))+1)
	for f := 1; f < len(g.fields); f++ {
		name := C.GoString(C.px_field_name(lang, C.uint16_t(f)))
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

// The C side writes nodes as Go reads them.
var _ [unsafe.Sizeof(node{})]byte = [C.sizeof_px_node]byte{}

// buffers is the memory that parses reuse.
type buffers struct {
	nodes   []node
	scratch []byte
}

// What is kept of the buffers between files, at most. A file of 1 MiB needs
// about 10 MB of nodes and some tens of MB for its tree.
const (
	keptNodes   = 1 << 20
	keptScratch = 8 << 20
	minScratch  = 256 << 10
)

// parse parses src and returns its nodes in preorder, which are valid until
// the next call with the same buffers. src must not be longer than 2^31-1
// bytes. A status other than statusOK comes without nodes.
func (g *grammar) parse(src []byte, maxWork uint64, maxDepth uint32, b *buffers) (nodes []node, hasError bool, work uint64, status parseStatus, err error) {
	var zero C.char
	text := &zero
	if len(src) > 0 {
		text = (*C.char)(unsafe.Pointer(unsafe.SliceData(src)))
	}
	if b.nodes == nil {
		b.nodes = make([]node, 4096)
		b.scratch = make([]byte, minScratch)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(unsafe.SliceData(g.kinds))
	pins.Pin(unsafe.SliceData(g.fields))
	options := C.px_options{
		language: g.ptr, max_work: C.uint64_t(maxWork), max_depth: C.uint32_t(maxDepth),
		kinds: unsafe.SliceData(g.kinds), nkinds: C.uint32_t(len(g.kinds)),
		fields: unsafe.SliceData(g.fields), nfields: C.uint32_t(len(g.fields)),
		error_kind: C.uint16_t(kindError),
	}
	r := C.px_parse(options, text, C.uint32_t(len(src)),
		(*C.px_node)(unsafe.Pointer(unsafe.SliceData(b.nodes))), C.uint32_t(len(b.nodes)),
		unsafe.Pointer(unsafe.SliceData(b.scratch)), C.size_t(len(b.scratch)))
	if r.memory > 0 && len(b.scratch) < keptScratch {
		b.scratch = make([]byte, min(len(b.scratch)+int(r.memory), keptScratch))
	}
	nodes = b.nodes[:min(int(r.count), len(b.nodes))]
	if r.extra != nil {
		nodes = make([]node, int(r.count))
		copy(nodes, unsafe.Slice((*node)(unsafe.Pointer(r.extra)), int(r.count)))
		C.px_free_nodes(r.extra)
		if len(nodes) <= keptNodes {
			b.nodes = nodes
		}
	}
	work = uint64(r.work)
	switch r.status {
	case C.PX_OK:
		return nodes, bool(r.has_error), work, statusOK, nil
	case C.PX_BUDGET:
		return nil, false, work, statusBudget, nil
	case C.PX_DEPTH:
		return nil, false, work, statusDepth, nil
	case C.PX_MEMORY:
		return nil, false, work, statusOK, errors.New("no memory for the syntax nodes")
	default:
		return nil, false, work, statusOK, errors.New("the parser returned no tree")
	}
}
