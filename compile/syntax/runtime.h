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
typedef struct TSTree TSTree;

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
  PX_SPACE = 4,   // more nodes than the buffer holds
};

typedef struct {
  TSTree *tree;      // NULL unless status is PX_OK
  uint64_t work;     // characters read plus 100 times the progress calls
  uint32_t count;    // an upper bound of the number of nodes
  int32_t status;
  bool has_error;
} px_parsed;

typedef struct {
  uint32_t count;
  uint32_t depth;
  int32_t status;
} px_flat;

// px_setup makes the runtime use the C library's allocator directly.
void px_setup(void);

// px_parse parses src with a parser of its own, so that nothing is carried
// from one file to the next. It stops when the work exceeds max_work.
px_parsed px_parse(const TSLanguage *language, const char *src, uint32_t len, uint64_t max_work);

// px_flatten writes the tree's nodes to out in preorder and frees the tree.
// Leaves that kinds does not name are left out unless they are named nodes in
// a field that fields names.
px_flat px_flatten(TSTree *tree, const uint16_t *kinds, uint32_t nkinds,
                   const uint8_t *fields, uint32_t nfields, uint16_t error_kind,
                   px_node *out, uint32_t cap, uint32_t max_depth);

void px_free_tree(TSTree *tree);

uint32_t px_symbol_count(const TSLanguage *language);
const char *px_symbol_name(const TSLanguage *language, uint16_t symbol, bool *named);
uint32_t px_field_count(const TSLanguage *language);
const char *px_field_name(const TSLanguage *language, uint16_t field);

#endif
