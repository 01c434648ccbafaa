// A region of memory for one parse. tree-sitter allocates a small block for
// nearly every token and frees all of them one by one; here freed blocks are
// kept by size for the same parse, and the whole region is dropped at the end
// of the call without a walk over the tree.

#ifndef PINDEX_SYNTAX_ARENA_H
#define PINDEX_SYNTAX_ARENA_H

#include <stddef.h>
#include <stdint.h>

// The time of a parse follows the memory that it asks for: about half a block
// for each byte of sound source, some for each byte where the parser looks for
// a way out of an error, and large blocks where an error grows. A block counts
// PX_BLOCK_WORK and a quarter of its size.
enum { PX_BLOCK_WORK = 64 };

enum { PX_SMALL_CLASSES = 65, PX_CLASSES = PX_SMALL_CLASSES + 32 };

typedef struct px_chunk {
  struct px_chunk *next;
} px_chunk;

typedef struct {
  char *at, *end;              // free space of the current chunk
  px_chunk *chunks;            // further chunks, from malloc
  size_t chunk_size;           // of the last one
  size_t used;                 // bytes in chunks
  uint64_t work;               // see PX_BLOCK_WORK
  void *free[PX_CLASSES];      // freed blocks by size class
} px_arena;

// px_arena_begin makes this thread's runtime allocations come from arena,
// first from buf, until px_arena_end, which frees everything. Both must be
// called within one call from Go.
void px_arena_begin(px_arena *arena, void *buf, size_t size);
void px_arena_end(px_arena *arena);

// The four functions for ts_set_allocator. Outside of begin and end they are
// the C library's.
void *px_malloc(size_t size);
void *px_calloc(size_t count, size_t size);
void *px_realloc(void *block, size_t size);
void px_free(void *block);

#endif
