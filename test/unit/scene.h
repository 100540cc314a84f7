/*
 * scene.h - arrays in memory for tests of lib/tessera/grid, lib/tessera/select and
 * lib/tessera/array, and what they hold.
 *
 * What is read from an array is compared with a reference that was changed alike, item by item.
 */
#ifndef UNIT_SCENE_H
#define UNIT_SCENE_H

#include "array/array.h"
#include "base/limits.h"
#include "grid/box_memory.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

struct scene {
    tess_array *a;
    struct reference ref;
};

// What the items of a new array are.
enum scene_items {
    SCENE_ZEROS, // no chunk is stored
    SCENE_LIKELY, // what codecs like
    SCENE_NOISE, // what they cannot make smaller
};

// Shapes of up to ndim_max axes and some thousand items; items of 1 to 16 bytes; any codec, filters
// and split mode that bring items back.
void scene_params(struct random *r, int ndim_max, tess_params *p);

// Contexts with so many threads and bytes of cache; negative: the default.
void scene_context(tess_context *c, int threads, int64_t cache);

// A new array in memory; c and storage may be NULL. Failures fail the test; so below.
void scene_new(struct scene *s, const tess_params *p, const tess_context *c, enum scene_items items,
               struct random *r);
void scene_random(struct scene *s, struct random *r, const tess_context *c, enum scene_items items);
void scene_close(struct scene *s);

// The committed bytes, to be freed; and an array that reads them, to be closed.
uint8_t *scene_image(struct scene *s, size_t *size);
tess_array *scene_open(const uint8_t *image, size_t size, tess_checksums checksums,
                       const tess_context *c);

// The array has the items of the reference; the second call commits, and looks at what another
// program would see.
void scene_check(const tess_array *a, const struct reference *ref);
void scene_check_stored(struct scene *s);

// A box with items; and a step along each axis, for which stop is moved next to the last item.
void scene_box(struct random *r, int ndim, const int64_t *shape, int64_t *start, int64_t *stop);
void scene_steps(struct random *r, int ndim, const int64_t *start, int64_t *stop, int64_t *step);
// How many items it has along each axis; step NULL: every item.
int64_t scene_counts(int ndim, const int64_t *start, const int64_t *stop, const int64_t *step,
                     int64_t *count);

// The next index in C order; false: that was the last.
bool scene_next(int ndim, const int64_t *count, int64_t *at);

// An item of the reference.
uint8_t *scene_item(const struct reference *ref, const int64_t *index);

// Memory for a box: its axes in any order and either direction, with gaps, in random bytes.
struct scene_memory {
    uint8_t *bytes; // free() it
    size_t size;
    struct box_memory at;
    struct box_memory_const from; // the same
};
void scene_memory(struct random *r, int ndim, const int64_t *count, int64_t typesize,
                  struct scene_memory *m);

// What a read or a write of a box does, item by item; step NULL: every item.
void scene_gather(const struct reference *ref, const int64_t *start, const int64_t *stop,
                  const int64_t *step, const struct box_memory *dst);
void scene_scatter(struct reference *ref, const int64_t *start, const int64_t *stop,
                   const int64_t *step, const struct box_memory_const *src);

// Evaluates `call`, which passes `err`, and shows the sentence if it fails.
#define ok(call)                                                                        \
    do {                                                                                \
        tess_error err_ = {0};                                                          \
        tess_error *const err = &err_;                                                  \
        if ((call) != TESS_OK)                                                          \
            fail_msg("%s: %s: %s", #call, tess_status_name(err_.status), err_.message); \
    } while (0)

#endif
