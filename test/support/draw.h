/*
 * draw.h - random arrays of all kinds, with the reference of each: the whole, and its parts.
 *
 * Parameters, places, contexts, items and boxes can be drawn alone, for tests that make arrays of
 * their own. draw_array() makes an array of items of a given type: in memory, in files and
 * directories, open in any way, with blocks that wait in the cache, special chunks, axes without
 * items; or a view of such an array: slices with steps of any sign, squeezed, expanded, permuted.
 * A failing call fails the test.
 */
#ifndef SUPPORT_DRAW_H
#define SUPPORT_DRAW_H

#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRAW_ITEM_MAX = 300 }; // bytes of an item, at most

// What a test can bear.
struct draw_limits {
    int ndim;
    int64_t items; // of an array
    int64_t bytes; // of an array, and of a chunk in blocks, padding included
    int64_t chunks; // of an array
    bool empty; // axes may have no items
    bool chosen; // chunks or blocks may be 0: the library chooses
};

// -- parameters

// 1 to DRAW_ITEM_MAX, mostly small, often a power of two.
int32_t draw_typesize(struct random *r);

// Axes of some items, not more than `most` in all.
void draw_shape(struct random *r, int ndim, int64_t most, int64_t *shape);
// The same; rarely, one axis has none.
void draw_empty_shape(struct random *r, int ndim, int64_t most, int64_t *shape);

// Chunks and blocks of an array of that shape and of the items of `p`.
void draw_grid(struct random *r, const struct draw_limits *l, const int64_t *shape, tess_params *p);

// Codec, level, dictionary and split, and filters that change no item.
void draw_methods(struct random *r, tess_params *p);

// Chunks, blocks, codec and filters for a shape: params that are initialized already.
void draw_layout(struct random *r, const int64_t *shape, tess_params *p);

// All of these; dtype NULL: items of a drawn size.
void draw_params(struct random *r, const struct draw_limits *l, const char *dtype, tess_params *p);

// Of chunks without an array, in blocks of at most so many items, or as the library chooses.
void draw_chunk_params(struct random *r, int64_t block, tess_params *p);

// In place of the filters one that clears low bits, for items of 1, 2, 4 or 8 bytes. Items keep
// their values if draw_exact() has cleared these.
void draw_lossy(struct random *r, tess_params *p);
void draw_exact(const tess_params *p, void *items, size_t size);

// Whether an array of the chunks of `p` that gets that shape has at most twice what the limits say.
bool draw_fits(const struct draw_limits *l, const tess_params *p, const int64_t *shape);

// -- where an array is, and what calls may use

// Threads, and a cache in which no block fits, some do, or all.
void draw_context(struct random *r, tess_context *context);
// Memory for some items or more.
void draw_memory(struct random *r, size_t typesize, tess_context *context);

// A new array in memory, in a file or in a directory of that name, which p->layout says. The path
// is one of files_path().
void draw_place(struct random *r, const char *name, const tess_context *context, tess_params *p,
                tess_storage *storage);

// -- items

// A ramp, noise, runs, copies of what was before, one item or one byte again and again, zeros.
void draw_items(struct random *r, void *dst, int64_t n, size_t typesize);
// Pieces of these: chunks of all kinds come out of it.
void draw_pieces(struct random *r, void *dst, int64_t n, size_t typesize);

// A box: all, or any part, rarely without items.
void draw_box(struct random *r, int ndim, const int64_t *shape, int64_t *start, int64_t *stop);

// A new array: zeros, not written, NaNs, one item, or items. The reference is made, too.
tess_array *draw_create(struct random *r, const tess_storage *storage, const tess_params *p,
                        struct reference *ref);

// A box is written or filled, here and in the reference.
void draw_change(struct random *r, tess_array *a, struct reference *ref);

// -- whole arrays

enum { DRAW_TYPES = 12 };

struct draw_type {
    const char *dtype;
    size_t size, word; // bytes; what changes places with another byte order
    bool ordered; // comes in two byte orders
};

extern const struct draw_type draw_types[DRAW_TYPES];

struct drawn {
    tess_array *a; // the array, or a view
    tess_array *base; // of the view; NULL: `a` is none
    struct reference ref; // of `a`
    tess_context context;
    tess_storage storage; // of the array behind
    bool writable;
};

// The array lies at that name, if it lies in a folder.
void draw_array(struct random *r, const char *name, const struct draw_type *type, int ndim,
                const int64_t *shape, bool writable, struct drawn *d);

void draw_finish(struct drawn *d);

#endif
