/*
 * compact.c - a file or directory gives back the space that its array does not need.
 *
 * Another program that changes a metalayer, or a shape within its chunks, writes the header alone;
 * a damaged byte looks alike. Which of the two it was cannot be known, so both readings are told.
 */
#include "array/keep/keep.h"

#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/usage.h"
#include "frame/commit/commit.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/format/ledger.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/query.h"
#include "frame/sparse/files.h"
#include "io/file.h"
#include "io/io.h"
#include "io/names/removal.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Others open the file as long as it has its name, and may have replaced it before it was locked.
static tess_status
check_name(const struct frame *f, struct io *held, const char *path, tess_error *err)
{
    struct io *there;
    tess_error why;
    bool same = false;
    tess_status st = io_file_open(path, false, &there, &why);
    if (st == TESS_OK) {
        st = io_same(held, there, &same, &why);
        io_close(there);
    }
    if (st != TESS_OK && why.sys != ENOENT) {
        if (err)
            *err = why;
        return st;
    }
    if (!same)
        return err_set(err, TESS_ERR_STALE, -1, "another program replaced the file");
    return frame_check_unchanged(f, err);
}

// A new file beside the old one, whose name it takes if it is smaller.
static tess_status
compact_file(const struct frame *f, const char *path, struct watch *watch, tess_error *err)
{
    struct io *io;
    struct frame *copy = NULL;
    const struct frame_options options = frame_options_of_successor(f);
    struct io *const held = frame_file(f);
    int64_t old, size;
    tess_status st = check_name(f, held, path, err);
    if (st == TESS_OK)
        st = io_file_create_over(held, path, &io, err);
    if (st == TESS_OK)
        st = frame_copy(f, io, NULL, &options, NULL, &copy, watch, err);
    if (st != TESS_OK)
        return st;
    TRY(frame_stored_size(f, &old, err));
    TRY(frame_stored_size(copy, &size, err));
    TRY(check_name(f, held, path, err));
    if (size < old)
        TRY(frame_publish(copy, err));
out:
    frame_close(copy);
    return st;
}

// As arrays are opened: another program may replace it meanwhile, again and again.
static tess_status
compact_open_frame(const tess_storage *storage, struct frame **f, tess_error *err)
{
    enum { TRIES = 100 };
    tess_storage place = *storage;
    tess_status st = TESS_ERR_STALE;
    place.mode = TESS_MODE_UPDATE;
    for (int i = 0; i < TRIES && st == TESS_ERR_STALE; i++) {
        struct home home;
        st = home_open(&place, &home, err);
        if (st != TESS_OK)
            continue;
        const struct frame_options options = home_frame_options(&home, storage);
        st = home.at.folder ? frame_open_folder(home.at.folder, true, &options, f, err)
                            : frame_open(home.at.io, true, &options, f, err);
    }
    return st;
}

static tess_status
size_at(const char *path, int64_t *size, tess_error *err)
{
    struct io *io;
    tess_status st = io_file_open(path, false, &io, err);
    if (st != TESS_OK)
        return st;
    st = io_size(io, size, err);
    io_close(io);
    return st;
}

// path: where the file is, without links on the way, which are not to be replaced.
static tess_status
compact_frame(struct frame *f, const char *path, struct watch *watch, int64_t *before,
              int64_t *after, tess_error *err)
{
    tess_status st = frame_lock_take(f, err);
    if (st == TESS_OK)
        st = frame_stored_size(f, before, err);
    if (st == TESS_OK && frame_is_sparse(f)) {
        st = frame_compact_folder(f, watch, err);
        if (st == TESS_OK)
            st = frame_stored_size(f, after, err);
    } else if (st == TESS_OK) {
        st = compact_file(f, path, watch, err);
        if (st == TESS_OK)
            st = size_at(path, after, err);
    }
    return st;
}

tess_status
array_compact(const tess_storage *storage, int64_t *before, int64_t *after, tess_error *err)
{
    static const tess_context nobody = {0}; // watches
    struct frame *f = NULL;
    struct watch watch;
    tess_status st = TESS_OK;
    char *const path = mem_alloc(PATH_MAX);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (!realpath(storage->path, path)) {
        st = err_open(err, errno, "opening the file");
        goto out;
    }
    TRY(compact_open_frame(storage, &f, err));
    leftovers_remove_all(path, &frame_folder_kind);
    watch_begin(&watch, storage->context ? storage->context : &nobody, frame_header(f)->nbytes);
    TRY(watch_end(&watch, compact_frame(f, path, &watch, before, after, err)));
out:
    frame_close(f);
    mem_free(path);
    return st;
}

// -- the header of a state against the copy that its commit kept, in words

enum { SHAPE_SIZE = 22 * NDIM_MAX };

static void
print_shape(const struct ndlayer *nd, char *text)
{
    char *at = text;
    *at = 0;
    for (int i = 0; i < nd->ndim; i++)
        at += sprintf(at, "%s%" PRId64, i > 0 ? "x" : "", nd->shape[i]);
}

static const struct layer *
find_array(const struct layers *l)
{
    const struct layer *const layer = layers_find(l, "b2nd");
    return layer ? layer : layers_find(l, "caterva");
}

static bool
same_content(const struct layer *x, const struct layer *y)
{
    return x->size == y->size && (x->size == 0 || memcmp(x->content, y->content, x->size) == 0);
}

// The shape as committed, and as it stands. False: it is the same, or cannot be read.
static bool
compare_shapes(const struct layer *before, const struct layer *now, tess_error *err)
{
    char shape[SHAPE_SIZE], shape_now[SHAPE_SIZE];
    struct ndlayer nd = {0}, nd_now = {0};
    const bool caterva = before && strcmp(before->name, "caterva") == 0;
    const bool read = before && now &&
                      ndlayer_parse(before->content, before->size, caterva, &nd, NULL) == TESS_OK &&
                      ndlayer_parse(now->content, now->size, caterva, &nd_now, NULL) == TESS_OK;
    if (read) {
        print_shape(&nd, shape);
        print_shape(&nd_now, shape_now);
    }
    const bool differ = read && strcmp(shape, shape_now) != 0;
    if (differ)
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the shape is %s as committed, %s as it stands: another program changed it, or it "
                "is damaged",
                shape, shape_now);
    ndlayer_finish(&nd);
    ndlayer_finish(&nd_now);
    return differ;
}

// The first metalayer that differs. False: none does.
static bool
compare_layers(const struct layers *before, const struct layers *now, tess_error *err)
{
    for (int i = 0; i < now->count; i++) {
        const struct layer *const layer = layers_find(before, now->items[i].name);
        if (layer && same_content(layer, &now->items[i]))
            continue;
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the metalayer %s is not as committed: another program changed it, or it is "
                "damaged",
                now->items[i].name);
        return true;
    }
    return false;
}

static void
compare_bytes(const struct ledger *ledger, const struct frame *f, tess_error *err)
{
    size_t head_size, at = 0;
    const uint8_t *const head = frame_head(f, &head_size);
    const size_t size = ledger->head_size < head_size ? ledger->head_size : head_size;
    while (at < size && ledger->head[at] == head[at])
        at++;
    if (at < size)
        err_set(err, TESS_ERR_CORRUPT, (int64_t)at,
                "byte %zu of the header is 0x%02x as committed, 0x%02x as it stands: another "
                "program changed it, or it is damaged",
                at, ledger->head[at], head[at]);
    else
        err_set(err, TESS_ERR_CORRUPT, 0, "a header of %zu bytes as committed, %zu as it stands",
                ledger->head_size, head_size);
}

tess_status
sealed_header_compare(const tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    struct ledger ledger;
    struct layers before = {0};
    tess_status st = frame_read_ledger(f, &ledger, err);
    if (st != TESS_OK)
        return st;
    if (!ledger.content)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is not as committed: another program changed it, or it is "
                       "damaged");
    const bool parsed =
        ledger.head_size > FRAME_HEADER_SIZE &&
        layers_parse(ledger.head + FRAME_HEADER_SIZE, ledger.head_size - FRAME_HEADER_SIZE,
                     FRAME_HEADER_SIZE, LAYERS_HEADER, &before, NULL) == TESS_OK;
    if (!parsed || (!compare_shapes(find_array(&before), find_array(frame_metas(f)), err) &&
                    !compare_layers(&before, frame_metas(f), err)))
        compare_bytes(&ledger, f, err);
    layers_finish(&before);
    ledger_finish(&ledger);
    return TESS_ERR_CORRUPT;
}
