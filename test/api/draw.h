/*
 * draw.h - random arrays of all kinds, with the reference of each.
 *
 * In memory, in files and directories, open in any way, with blocks that wait in the cache, special
 * chunks, axes without items; and views of such arrays: slices with steps of any sign, squeezed,
 * expanded, permuted.
 */
#ifndef API_DRAW_H
#define API_DRAW_H

#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

enum { DRAW_TYPES = 12, DRAW_NAME = 32 };

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

int64_t draw_below(struct random *r, int64_t n);

// Each item a function of where it is, noise, or the same again and again.
void draw_items(struct random *r, uint8_t *dst, int64_t n, size_t typesize);

// Axes of some items, rarely none; not more than `most` in all.
void draw_shape(struct random *r, int ndim, int64_t most, int64_t *shape);

// Chunks, blocks, codec and filters for a shape: params that are initialized already.
void draw_layout(struct random *r, const int64_t *shape, tess_params *p);

// Threads, cache, and memory for `few` items or more.
void draw_context(struct random *r, size_t typesize, tess_context *context);

// The array lies at that name, if it lies in a folder.
void draw_array(struct random *r, const char *name, const struct draw_type *type, int ndim,
                const int64_t *shape, bool writable, struct drawn *d);

void draw_finish(struct drawn *d);

#endif
