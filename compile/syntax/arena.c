#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each block is preceded by eight bytes that hold its size class. Classes up
// to PX_SMALL_CLASSES-1 are multiples of 16 bytes; those above are powers of
// two from 2 KiB.
// What one parse may hold. The work limit ends a parse between two steps of the
// parser; a single step that never ends asks for memory without end instead.
// The process ends then, as at any other crash of a parser: the one file is
// read by lines, and because the count is of bytes asked for, on every machine.
static const size_t MAX_USED = (size_t)1 << 30;

enum { HEADER = 8, GRAIN = 16, SMALL = (PX_SMALL_CLASSES - 1) * GRAIN, FIRST_CHUNK = 256 << 10 };

static _Thread_local px_arena *current;

void px_arena_begin(px_arena *arena, void *buf, size_t size) {
  memset(arena, 0, sizeof *arena);
  size_t skew = (GRAIN - ((uintptr_t)buf + HEADER) % GRAIN) % GRAIN;
  if (buf != NULL && size > skew) {
    arena->at = (char *)buf + skew;
    arena->end = (char *)buf + size;
  }
  current = arena;
}

void px_arena_end(px_arena *arena) {
  current = NULL;
  for (px_chunk *c = arena->chunks; c != NULL;) {
    px_chunk *next = c->next;
    free(c);
    c = next;
  }
}

static void out_of_memory(size_t size) {
  fprintf(stderr, "pindex: no memory for %zu bytes of syntax tree\n", size);
  abort();
}

static void too_much(void) {
  fprintf(stderr, "pindex: a parse holds more than %zu bytes\n", MAX_USED);
  abort();
}

static unsigned class_of(size_t size) {
  if (size <= SMALL) return (unsigned)((size + GRAIN - 1) / GRAIN);
  unsigned bits = 64 - (unsigned)__builtin_clzll((unsigned long long)size - 1);
  return PX_SMALL_CLASSES + bits - 11;
}

static size_t class_size(unsigned class) {
  return class < PX_SMALL_CLASSES ? (size_t)class * GRAIN : (size_t)1 << (class - PX_SMALL_CLASSES + 11);
}

static void *arena_alloc(px_arena *a, size_t size) {
  a->work += PX_BLOCK_WORK + size / 4;
  unsigned class = class_of(size == 0 ? 1 : size);
  if (class >= PX_CLASSES) out_of_memory(size);
  void *block = a->free[class];
  if (block != NULL) {
    memcpy(&a->free[class], block, sizeof(void *));
    return block;
  }
  size_t need = class_size(class) + HEADER;
  need = (need + GRAIN - 1) / GRAIN * GRAIN; // the next header stays aligned
  if (a->at == NULL || (size_t)(a->end - a->at) < need) {
    size_t chunk = a->chunk_size == 0 ? FIRST_CHUNK : a->chunk_size * 2;
    if (chunk > (size_t)8 << 20) chunk = (size_t)8 << 20;
    a->chunk_size = chunk;
    if (chunk < need + 2 * GRAIN) chunk = need + 2 * GRAIN;
    if (a->used > MAX_USED) too_much();
    px_chunk *c = malloc(chunk);
    if (c == NULL) out_of_memory(size);
    c->next = a->chunks;
    a->chunks = c;
    a->at = (char *)c + GRAIN - HEADER + GRAIN;
    a->end = (char *)c + chunk;
    a->used += chunk;
  }
  uint64_t header = class;
  memcpy(a->at, &header, HEADER);
  block = a->at + HEADER;
  a->at += need;
  return block;
}

static unsigned block_class(const void *block) {
  uint64_t header;
  memcpy(&header, (const char *)block - HEADER, HEADER);
  return (unsigned)header;
}

static void arena_free(px_arena *a, void *block) {
  unsigned class = block_class(block);
  memcpy(block, &a->free[class], sizeof(void *));
  a->free[class] = block;
}

void *px_malloc(size_t size) {
  if (current != NULL) return arena_alloc(current, size);
  void *block = malloc(size);
  if (block == NULL && size > 0) out_of_memory(size);
  return block;
}

void *px_calloc(size_t count, size_t size) {
  if (current == NULL) {
    void *block = calloc(count, size);
    if (block == NULL && count * size > 0) out_of_memory(count * size);
    return block;
  }
  if (size != 0 && count > SIZE_MAX / size) out_of_memory(size);
  void *block = arena_alloc(current, count * size);
  memset(block, 0, count * size);
  return block;
}

void *px_realloc(void *block, size_t size) {
  if (current == NULL) {
    void *grown = realloc(block, size);
    if (grown == NULL && size > 0) out_of_memory(size);
    return grown;
  }
  if (block == NULL) return arena_alloc(current, size);
  size_t old = class_size(block_class(block));
  if (size <= old) return block;
  void *grown = arena_alloc(current, size);
  memcpy(grown, block, old);
  arena_free(current, block);
  return grown;
}

void px_free(void *block) {
  if (current == NULL) {
    free(block);
  } else if (block != NULL) {
    arena_free(current, block);
  }
}
