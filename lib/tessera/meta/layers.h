/*
 * layers.h - named byte strings: the metalayers of a frame's header and of its trailer.
 *
 * Both places have one structure, a msgpack array of 3 (index size, map name -> offset, array of
 * bin32 values); they differ in where offsets count from and how the index size is measured.
 * layers_parse() is the one place that reads it. The values of the trailer are Blosc2 chunks; here
 * they are bytes (frame/ encodes and decodes them).
 *
 * Not here: what the N-dimensional layer means (ndlayer.h).
 */
#ifndef META_LAYERS_H
#define META_LAYERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYER_NAME_MAX 31
#define LAYERS_FIXED_MAX 16
#define LAYERS_VL_MAX 8192 // of readers, and of arrays in memory
#define LAYERS_VL_WRITE_MAX 16 // of writers that change files of each other
#define LAYER_CONTENT_MAX (INT32_MAX - 64) // bytes of a value of the trailer, before it is a chunk

enum layers_place { LAYERS_HEADER, LAYERS_TRAILER };

struct layer {
    char name[LAYER_NAME_MAX + 1];
    uint8_t *content; // owned; NULL if size is 0
    uint32_t size;
};

// A list that owns its layers. Zeroed is empty.
struct layers {
    struct layer *items;
    int count;
    int capacity;
};

void layers_finish(struct layers *l); // NULL, zeroed: fine; leaves it empty

/*
 * Parse the structure in src (from the byte 93 on; exactly the bytes up to the end of the
 * header, or up to 23 bytes before the end of the trailer). `base` is the position of src from
 * where offsets count: 87 in a header of today, 2 in a trailer. Checks what spec 80 asks for:
 * markers, counts, names (no NUL, unique), every offset and length inside, allocations only for
 * bytes at hand (values that overlap so much that they exceed them are refused). On failure *l is
 * empty, and err->offset counts from where offsets do.
 */
tess_status layers_parse(const uint8_t *src, size_t src_size, size_t base, enum layers_place place,
                         struct layers *l, tess_error *err);

/*
 * Of a structure that is damaged, the layers that can be read, LAYERS_FIXED_MAX at most; without
 * those that are empty. src_size may be more than it has. *lost: how many more it says there were.
 * *end: where the last one ends, from src on. TESS_ERR_NOMEM.
 */
tess_status layers_salvage(const uint8_t *src, size_t src_size, size_t base, struct layers *l,
                           int *lost, size_t *end, tess_error *err);

// Bytes that layers_write() will make.
size_t layers_size(const struct layers *l);

// Write the structure; dst holds layers_size() bytes. `base` as above. That base + layers_size()
// is below 2^31 has been checked by the caller.
void layers_write(const struct layers *l, size_t base, enum layers_place place, uint8_t *dst);

// The layer of that name, or NULL.
struct layer *layers_find(const struct layers *l, const char *name);

// Append a layer; copies content. TESS_ERR_ARG: the name is empty, too long, or taken;
// TESS_ERR_LIMIT: more than `max` layers, or 2^31 bytes; TESS_ERR_NOMEM. Layers found before may
// move.
tess_status layers_add(struct layers *l, int max, const char *name, const void *content,
                       size_t size, tess_error *err);

// Whether layers_add() would accept that name, for callers that have no content yet.
tess_status layers_check_new(const struct layers *l, int max, const char *name, tess_error *err);

// Replace the content; copies it. The list is as it was on failure (TESS_ERR_NOMEM, TESS_ERR_LIMIT
// for 2^31 bytes or more).
tess_status layer_set(struct layer *layer, const void *content, size_t size, tess_error *err);

// Remove a layer of the list; the others keep their order.
void layers_remove(struct layers *l, struct layer *layer);

#endif
