#include "runtime.h"

#include <setjmp.h>
#include <stdlib.h>

#include "arena.h"

// tree-sitter's own declarations: the runtime's, and the layout of a generated
// language of ABI 14.

typedef uint16_t TSSymbol;
typedef uint16_t TSFieldId;
typedef uint16_t TSStateId;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;

typedef struct {
  uint32_t row;
  uint32_t column;
} TSPoint;

typedef uint32_t (*DecodeFunction)(const uint8_t *string, uint32_t length, int32_t *code_point);

typedef enum {
  TSInputEncodingUTF8,
  TSInputEncodingUTF16LE,
  TSInputEncodingUTF16BE,
  TSInputEncodingCustom,
} TSInputEncoding;

typedef enum {
  TSSymbolTypeRegular,
  TSSymbolTypeAnonymous,
  TSSymbolTypeSupertype,
  TSSymbolTypeAuxiliary,
} TSSymbolType;

typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte_index, TSPoint position, uint32_t *bytes_read);
  TSInputEncoding encoding;
  DecodeFunction decode;
} TSInput;

typedef struct {
  void *payload;
  uint32_t current_byte_offset;
  bool has_error;
} TSParseState;

typedef struct {
  void *payload;
  bool (*progress_callback)(TSParseState *state);
} TSParseOptions;

typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

typedef struct TSLexer TSLexer;

struct TSLexer {
  int32_t lookahead;
  TSSymbol result_symbol;
  void (*advance)(TSLexer *, bool);
  void (*mark_end)(TSLexer *);
  uint32_t (*get_column)(TSLexer *);
  bool (*is_at_included_range_start)(const TSLexer *);
  bool (*eof)(const TSLexer *);
  void (*log)(const TSLexer *, const char *, ...);
};

enum { LANGUAGE_ABI = 14 };

struct TSLanguage {
  uint32_t abi_version;
  uint32_t counts[8];
  uint16_t max_alias_sequence_length;
  const void *tables[13];
  bool (*lex_fn)(TSLexer *, TSStateId);
  bool (*keyword_lex_fn)(TSLexer *, TSStateId);
  TSSymbol keyword_capture_token;
  struct {
    const bool *states;
    const TSSymbol *symbol_map;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, TSLexer *, const bool *);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } external_scanner;
  const TSStateId *primary_state_ids;
};

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *self);
bool ts_parser_set_language(TSParser *self, const TSLanguage *language);
TSTree *ts_parser_parse_with_options(TSParser *self, const TSTree *old_tree, TSInput input, TSParseOptions options);
TSNode ts_tree_root_node(const TSTree *self);
TSSymbol ts_node_symbol(TSNode self);
uint32_t ts_node_start_byte(TSNode self);
uint32_t ts_node_end_byte(TSNode self);
uint32_t ts_node_descendant_count(TSNode self);
bool ts_node_is_named(TSNode self);
bool ts_node_is_missing(TSNode self);
bool ts_node_is_extra(TSNode self);
bool ts_node_has_error(TSNode self);
TSTreeCursor ts_tree_cursor_new(TSNode node);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *self);
TSFieldId ts_tree_cursor_current_field_id(const TSTreeCursor *self);
bool ts_tree_cursor_goto_parent(TSTreeCursor *self);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *self);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *self);
uint32_t ts_language_symbol_count(const TSLanguage *self);
const char *ts_language_symbol_name(const TSLanguage *self, TSSymbol symbol);
TSSymbolType ts_language_symbol_type(const TSLanguage *self, TSSymbol symbol);
uint32_t ts_language_field_count(const TSLanguage *self);
const char *ts_language_field_name_for_id(const TSLanguage *self, TSFieldId id);
void ts_set_allocator(void *(*new_malloc)(size_t), void *(*new_calloc)(size_t, size_t),
                      void *(*new_realloc)(void *, size_t), void (*new_free)(void *));

static const TSSymbol error_symbol = (TSSymbol)-1;

void px_setup(void) {
  // The Go binding routes every allocation through a Go callback, which costs
  // more than the parsing.
  ts_set_allocator(px_malloc, px_calloc, px_realloc, px_free);
}

// How many characters this thread's parse has read. Characters that error
// recovery reads again count again, which makes the sum a measure of work.
static _Thread_local uint64_t px_characters;

// px_decode reads one character of UTF-8. A byte that is not part of a valid
// sequence is one invalid character (-1), which no token accepts outside of
// comments and strings.
static uint32_t px_decode(const uint8_t *s, uint32_t len, int32_t *code_point) {
  px_characters++;
  uint32_t c = s[0];
  if (c < 0x80) {
    *code_point = (int32_t)c;
    return 1;
  }
  if (c >= 0xC2 && c < 0xE0 && len >= 2 && (s[1] & 0xC0) == 0x80) {
    *code_point = (int32_t)((c & 0x1F) << 6 | (s[1] & 0x3Fu));
    return 2;
  }
  if (c >= 0xE0 && c < 0xF0 && len >= 3 && (s[1] & 0xC0) == 0x80 && (s[2] & 0xC0) == 0x80) {
    uint32_t v = (c & 0x0F) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
    if (v >= 0x800 && (v < 0xD800 || v > 0xDFFF)) {
      *code_point = (int32_t)v;
      return 3;
    }
  }
  if (c >= 0xF0 && c < 0xF5 && len >= 4 && (s[1] & 0xC0) == 0x80 && (s[2] & 0xC0) == 0x80 &&
      (s[3] & 0xC0) == 0x80) {
    uint32_t v = (c & 0x07) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
    if (v >= 0x10000 && v <= 0x10FFFF) {
      *code_point = (int32_t)v;
      return 4;
    }
  }
  *code_point = -1;
  return 1;
}

typedef struct {
  const char *src;
  uint32_t len;
} px_text;

static const char *px_read(void *payload, uint32_t at, TSPoint position, uint32_t *n) {
  (void)position;
  const px_text *t = payload;
  if (at >= t->len) {
    *n = 0;
    return "";
  }
  *n = t->len - at;
  return t->src + at;
}

typedef struct {
  const px_arena *arena;
  uint64_t max_work;
  bool stopped;
} px_meter;

static uint64_t work_done(const px_arena *arena) { return px_characters + arena->work; }

// The runtime calls this once every hundred parser steps.
static bool px_progress(TSParseState *state) {
  px_meter *m = state->payload;
  m->stopped = m->stopped || work_done(m->arena) > m->max_work;
  return m->stopped;
}

// An external scanner may forget the end of the file: Kotlin's reads an
// annotation "until white space", which never comes there, inside of one call,
// where the runtime does not ask px_progress. The functions below stand
// between the runtime and the grammar and leave the parse when a lexer or a
// scanner keeps reading at the end.

enum { MAX_READS_AT_END = 10000 };

typedef bool (*lex_function)(TSLexer *lexer, TSStateId state);

static _Thread_local struct {
  lex_function lex;
  bool (*scan)(void *payload, TSLexer *lexer, const bool *valid);
  void (*advance)(TSLexer *lexer, bool skip);
  uint32_t reads_at_end;
  jmp_buf leave;
} guard;

static void guarded_advance(TSLexer *lexer, bool skip) {
  if (lexer->lookahead == 0 && lexer->eof(lexer) && ++guard.reads_at_end > MAX_READS_AT_END) longjmp(guard.leave, 1);
  guard.advance(lexer, skip);
}

static inline void guard_lexer(TSLexer *lexer) {
  guard.reads_at_end = 0;
  if (lexer->advance != guarded_advance) {
    guard.advance = lexer->advance;
    lexer->advance = guarded_advance;
  }
}

static bool guarded_lex(TSLexer *lexer, TSStateId state) {
  guard_lexer(lexer);
  return guard.lex(lexer, state);
}

static bool guarded_scan(void *payload, TSLexer *lexer, const bool *valid) {
  guard_lexer(lexer);
  return guard.scan(payload, lexer, valid);
}

struct px_language {
  TSLanguage guarded;
  const TSLanguage *original;
};

const px_language *px_load(const TSLanguage *language) {
  if (language->abi_version != LANGUAGE_ABI) return NULL; // another layout
  px_language *l = malloc(sizeof *l);
  if (l == NULL) return NULL;
  l->original = language;
  l->guarded = *language;
  l->guarded.lex_fn = guarded_lex;
  if (language->external_scanner.scan != NULL) l->guarded.external_scanner.scan = guarded_scan;
  return l;
}

// flatten writes the tree's nodes to out, which has room for all of them.
static void flatten(const px_options *o, TSNode root, px_node *out, px_result *r) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  int32_t parent = -1;
  uint32_t depth = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    TSSymbol symbol = ts_node_symbol(node);
    uint16_t kind = symbol == error_symbol ? o->error_kind : symbol < o->nkinds ? o->kinds[symbol] : 0;
    TSFieldId f = ts_tree_cursor_current_field_id(&cursor);
    uint8_t field = f < o->nfields ? o->fields[f] : 0;
    bool inner = ts_tree_cursor_goto_first_child(&cursor);
    bool named = ts_node_is_named(node);
    if (inner || kind != 0 || (field != 0 && named) || parent < 0) {
      px_node *n = &out[r->count];
      n->start = ts_node_start_byte(node);
      n->end = ts_node_end_byte(node);
      n->parent = parent;
      n->next = (int32_t)r->count + 1;
      n->kind = kind;
      n->field = field;
      n->flags = (named ? PX_NAMED : 0) | (ts_node_is_missing(node) ? PX_MISSING : 0) |
                 (ts_node_is_extra(node) ? PX_EXTRA : 0) | (symbol == error_symbol ? PX_ERROR : 0) |
                 (ts_node_has_error(node) ? PX_BROKEN : 0);
      r->count++;
    }
    if (inner) {
      parent = (int32_t)r->count - 1;
      if (++depth > r->depth) r->depth = depth;
      if (depth > o->max_depth) {
        r->status = PX_DEPTH;
        return;
      }
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (parent < 0 || !ts_tree_cursor_goto_parent(&cursor)) return;
      out[parent].next = (int32_t)r->count;
      parent = out[parent].parent;
      depth--;
    }
  }
}

px_result px_parse(px_options options, const char *src, uint32_t len, px_node *out, uint32_t cap,
                   void *scratch, size_t scratch_size) {
  px_result r = {0};
  px_arena arena;
  px_arena_begin(&arena, scratch, scratch_size);
  px_characters = 0;
  guard.lex = options.language->original->lex_fn;
  guard.scan = options.language->original->external_scanner.scan;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, &options.language->guarded)) {
    r.status = PX_FAILED;
  } else if (setjmp(guard.leave) != 0) {
    r.status = PX_BUDGET;
  } else {
    px_text text = {src, len};
    px_meter meter = {&arena, options.max_work, false};
    TSInput input = {&text, px_read, TSInputEncodingCustom, px_decode};
    TSParseOptions parse_options = {&meter, px_progress};
    TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, parse_options);
    if (tree == NULL) {
      r.status = meter.stopped ? PX_BUDGET : PX_FAILED;
    } else {
      TSNode root = ts_tree_root_node(tree);
      uint32_t most = ts_node_descendant_count(root);
      if (most > cap) {
        out = r.extra = malloc((size_t)most * sizeof *out);
      }
      r.has_error = ts_node_has_error(root);
      if (out == NULL) {
        r.status = PX_MEMORY;
      } else {
        flatten(&options, root, out, &r);
      }
    }
  }
  // The external scanner has memory of its own, which only this releases; the
  // tree goes with the arena.
  ts_parser_delete(parser);
  r.work = work_done(&arena);
  r.memory = arena.used;
  px_arena_end(&arena);
  return r;
}

void px_free_nodes(px_node *nodes) { free(nodes); }

uint32_t px_symbol_count(const TSLanguage *language) { return ts_language_symbol_count(language); }

const char *px_symbol_name(const TSLanguage *language, uint16_t symbol, bool *named) {
  *named = ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular;
  return ts_language_symbol_name(language, symbol);
}

uint32_t px_field_count(const TSLanguage *language) { return ts_language_field_count(language); }

const char *px_field_name(const TSLanguage *language, uint16_t field) {
  return ts_language_field_name_for_id(language, field);
}
