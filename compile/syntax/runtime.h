// The part of tree-sitter's runtime that this package calls, and the two
// calls that it adds. The runtime itself is linked in by
// github.com/tree-sitter/go-tree-sitter; its header is not on our include
// path, so the few stable prototypes are declared here.

#ifndef PINDEX_SYNTAX_RUNTIME_H
#define PINDEX_SYNTAX_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;
typedef struct px_language px_language;

// px_node is one syntax node; the order is preorder. It is laid out like the
// Go type node.
typedef struct {
  uint32_t start;  // byte offset
  uint32_t end;    // byte offset behind the last byte
  int32_t parent;  // index, -1 for the root
  int32_t next;    // index behind the node's last descendant
  uint16_t kind;   // the extractor's number; 0 when it names no such kind
  uint8_t field;   // the field's number; 0 when none or not named
  uint8_t flags;   // PX_* bits
} px_node;

enum {
  PX_NAMED = 1,
  PX_MISSING = 2,
  PX_EXTRA = 4,
  PX_ERROR = 8,
  PX_BROKEN = 16,  // an error lies in it
};

enum {
  PX_OK = 0,
  PX_FAILED = 1,  // the grammar does not fit the runtime
  PX_BUDGET = 2,  // more work than allowed
  PX_DEPTH = 3,   // nested deeper than allowed
  PX_MEMORY = 4,  // no memory for the nodes
};

// px_options says how to parse and what to do with the tree.
typedef struct {
  const px_language *language;
  uint64_t max_work;
  uint32_t max_depth;
  const uint16_t *kinds;  // by symbol: the extractor's kind
  const uint8_t *fields;  // by field id: the extractor's field
  uint32_t nkinds, nfields;
  uint16_t error_kind;
} px_options;

typedef struct {
  px_node *extra;     // the nodes when they did not fit into the buffer; free them
  uint64_t work;      // characters read and memory asked for, see px_arena
  uint64_t memory;    // bytes of memory that the scratch buffer lacked
  uint32_t count;     // nodes written
  uint32_t depth;     // of the deepest one
  int32_t status;
  bool has_error;
} px_result;

// px_setup makes the runtime use this package's allocator.
void px_setup(void);

// px_load prepares a grammar for px_parse; it is never freed. NULL when the
// grammar is of another ABI or there is no memory.
const px_language *px_load(const TSLanguage *language);

// px_parse parses src with a parser of its own, so that nothing is carried
// from one file to the next, and writes the tree's nodes in preorder to out,
// which holds cap of them. Leaves that kinds does not name are left out
// unless they are named nodes in a field that fields names. It stops when the
// work or the depth exceeds the limit. scratch is memory for the parse.
px_result px_parse(px_options options, const char *src, uint32_t len, px_node *out, uint32_t cap,
                   void *scratch, size_t scratch_size);

void px_free_nodes(px_node *nodes);

uint32_t px_symbol_count(const TSLanguage *language);
const char *px_symbol_name(const TSLanguage *language, uint16_t symbol, bool *named);
uint32_t px_field_count(const TSLanguage *language);
const char *px_field_name(const TSLanguage *language, uint16_t field);

#endif
