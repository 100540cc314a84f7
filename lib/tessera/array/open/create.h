/*
 * create.h - new arrays.
 *
 * The new array belongs to the calling thread until it is returned, so that nothing is locked here
 * but what the frame locks on the disk. The frame is committed before it is published: a path never
 * leads to an array that is half made.
 */
#ifndef ARRAY_OPEN_CREATE_H
#define ARRAY_OPEN_CREATE_H

#include "array/array.h"
#include "array/open/home.h"

// What the items of a new array are.
struct array_content {
    bool plain; // no N-dimensional layer, and no chunk yet: nothing else counts
    enum chunk_special special; // SPECIAL_NONE: from src, or sources
    const struct copy_sources
        *sources; // array/copy/copy_items.h; the first one's attributes come with it
    bool inherits; // codec and filters are those of the first source, as far as they fit
    const uint8_t *item; // SPECIAL_VALUE
    const void *src; // C order
    // Or written here, into an open change of a new array of zeros; a failure ends the call.
    tess_status (*make)(void *user, tess_array *a, struct watch *watch, tess_error *err);
    void *user;
};
// The home belongs to the array from here on, also after a failure.
tess_status array_create(const struct home *home, const tess_storage *storage,
                         const tess_params *params, const struct array_content *content,
                         tess_array **a, tess_error *err);

#endif
