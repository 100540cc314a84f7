/*
 * place.c - the array at a place of a store.
 *
 * What is in a zip file or in embed.b2e is opened as an object of a source (tessera/source.h), so
 * that it is read like any array that is not a file of its own. Files of a directory are opened by
 * their paths.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/items/box.h"
#include "array/open/open.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/box.h"
#include "grid/box_memory.h"
#include "io/io.h"
#include "store/listing.h"
#include "store/manifest.h"

#include <inttypes.h>
#include <string.h>

// Of the commit that is read, if it has the file.
static tess_status
open_below(const tess_store *s, const char *file, tess_array **a, tess_error *err)
{
    const struct manifest_file *const listed = s->state ? manifest_find(&s->state->m, file) : NULL;
    return listed ? store_state_file(s, listed, a, err)
                  : store_open_as_it_is(s, file, false, a, err);
}

// The bytes of an array in embed.b2e; allocated for the caller.
static tess_status
embedded_read(const tess_store *s, const struct place *at, uint8_t **bytes, tess_error *err)
{
    tess_array *a = NULL;
    struct reading r;
    uint8_t *own = NULL;
    tess_status st = store_open_place(s, &s->listing.embedded, &a, err);
    *bytes = NULL;
    if (st != TESS_OK)
        return err_prefix(err, st, "embed.b2e");
    const int64_t start = at->offset, stop = at->offset + at->size;
    if (a->g->ndim != 1 || a->g->typesize != 1 || stop > a->g->shape[0])
        st = err_set(err, TESS_ERR_CORRUPT, -1,
                     "embed.b2e does not have the bytes %" PRId64 " to %" PRId64, start, stop);
    else if (at->size > s->storage.limits.memory)
        st = err_set(err, TESS_ERR_LIMIT, -1,
                     "an array of %" PRId64 " bytes in embed.b2e, the limit is %" PRId64, at->size,
                     s->storage.limits.memory);
    else if (!(own = mem_alloc((size_t)at->size + 1)))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array of %" PRId64 " bytes",
                     at->size);
    if (st == TESS_OK && at->size > 0) {
        const struct box box = {&start, &stop, NULL};
        const struct box_memory dst = {.items = own, .stride = {1}};
        st = reading_begin(&r, a, at->size, err);
        if (st == TESS_OK)
            st = array_read(a, &box, &dst, &r.watch, err);
        st = reading_end(&r, st, err);
    }
    array_free(a);
    if (st == TESS_OK)
        *bytes = own;
    else
        mem_free(own);
    return st;
}

// A zip file that was written over has other members where the list says.
static tess_status
check_same_file(const tess_store *s, tess_error *err)
{
    struct io_stamp now;
    const tess_status st = io_stamp(s->io, &now, err);
    if (st == TESS_OK && memcmp(&now, &s->stamp, sizeof now) != 0)
        return err_set(err, TESS_ERR_STALE, -1,
                       "another program wrote to the zip file since its list was read");
    return st;
}

tess_status
store_open_place(const tess_store *s, const struct place *at, tess_array **a, tess_error *err)
{
    tess_source source;
    uint8_t *bytes;
    tess_status st;
    *a = NULL;
    if (at->kind == PLACE_FILE)
        return open_below(s, at->file, a, err);
    if (at->kind == PLACE_MEMBER) {
        st = check_same_file(s, err);
        if (st == TESS_OK)
            st = member_source(s, at->index, &source, err);
    } else {
        st = embedded_read(s, at, &bytes, err);
        if (st == TESS_OK)
            st = bytes_source(bytes, (size_t)at->size, &source, err);
    }
    return st == TESS_OK ? store_open_in_source(s, &source, a, err) : st;
}
