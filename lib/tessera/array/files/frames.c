/*
 * frames.c - what a path leads to, and the frames that a file holds, by their headers.
 *
 * A list costs time in proportion to the file: a frame that is whole is passed over by its length,
 * which is at least that of what was read of it; everything else is searched once.
 */
#include "array/files/frames.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/format/found.h"
#include "frame/frame.h"
#include "frame/sparse/sparse.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/storage.h"
#include "task/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void
describe(const struct found *x, tess_frame_info *frame)
{
    *frame = (tess_frame_info){
        .kind = !x->whole     ? TESS_FRAME_DAMAGED
                : x->is_array ? TESS_FRAME_ARRAY
                              : TESS_FRAME_PLAIN,
        .contiguous = !x->h.sparse,
        .offset = x->offset,
        .size = x->size,
        .typesize = x->h.typesize,
    };
    if (frame->kind != TESS_FRAME_ARRAY)
        return;
    frame->layer = x->caterva ? "caterva" : "b2nd";
    frame->ndim = x->nd.ndim;
    memcpy(frame->shape, x->nd.shape, (size_t)x->nd.ndim * sizeof *frame->shape);
}

tess_status
frames_look(struct io *io, int64_t offset, int64_t size, const tess_limits *limits,
            tess_frame_info *frame, tess_error *err)
{
    struct found x;
    tess_error why;
    *frame = (tess_frame_info){0};
    const tess_status st = found_read(io, offset, size, limits->memory, &x, &why);
    switch (st) {
    case TESS_OK:
        describe(&x, frame);
        found_finish(&x);
        return st;
    case TESS_ERR_FORMAT:
        return TESS_OK;
    case TESS_ERR_CORRUPT:
    case TESS_ERR_UNSUPPORTED: // all that is known are its first bytes
        *frame = (tess_frame_info){
            .kind = TESS_FRAME_DAMAGED,
            .contiguous = true,
            .offset = offset,
            .size = size - offset,
        };
        return TESS_OK;
    default:
        if (err)
            *err = why;
        return st;
    }
}

// The file, or the index of a directory; *io NULL: a directory without one. *folder: whose it is.
static tess_status
open_bytes(const tess_storage *storage, struct folder **folder, struct io **io, tess_error *err)
{
    struct storage_opened o;
    tess_error why;
    tess_storage at = *storage;
    at.mode = TESS_MODE_READ;
    at.mmap = false;
    at.offset = 0;
    *io = NULL;
    tess_status st = storage_open(&at, &o, err);
    if (st != TESS_OK)
        return st;
    *folder = o.folder;
    *io = o.io;
    if (!o.folder)
        return TESS_OK;
    st = folder_read(o.folder, FRAME_FOLDER_INDEX, false, io, &why);
    if (st != TESS_OK)
        *io = NULL;
    if (st == TESS_OK || why.sys == ENOENT)
        return TESS_OK;
    if (err)
        *err = why;
    return st;
}

static tess_status
check_offset(const tess_storage *storage, const struct folder *folder, int64_t size,
             tess_error *err)
{
    if (folder && storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 " in a directory", storage->offset);
    if (storage->offset < 0 || storage->offset > size)
        return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 ", the file has %" PRId64 " bytes",
                       storage->offset, size);
    return TESS_OK;
}

tess_status
frames_probe(const tess_storage *storage, tess_frame_info *frame, tess_error *err)
{
    struct folder *folder = NULL;
    struct io *io = NULL;
    tess_limits limits = storage->limits;
    int64_t size = 0;
    frame_complete_limits(&limits);
    *frame = (tess_frame_info){0};
    tess_status st = open_bytes(storage, &folder, &io, err);
    if (st == TESS_OK && io)
        st = io_size(io, &size, err);
    if (st == TESS_OK)
        st = check_offset(storage, folder, size, err);
    if (st == TESS_OK && io)
        st = frames_look(io, storage->offset, size, &limits, frame, err);
    if (st == TESS_OK && folder && frame->kind != TESS_FRAME_NONE && frame->contiguous)
        frame->kind = TESS_FRAME_DAMAGED; // a file of one program under the name of another's
    if (folder)
        frame->contiguous = false;
    io_close(io);
    folder_close(folder);
    return st;
}

// A list that grows.
struct frames_found {
    tess_frame_info *items;
    int64_t count, capacity;
    int64_t memory; // bytes it may have
};

static tess_status
frames_found_add(struct frames_found *list, const tess_frame_info *frame, tess_error *err)
{
    if (list->count == list->capacity) {
        const int64_t most = list->memory / (int64_t)sizeof *list->items;
        const int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        const int64_t next = capacity < most ? capacity : most;
        if (list->count >= most)
            return err_set(err, TESS_ERR_LIMIT, frame->offset,
                           "more than %" PRId64 " frames, whose list would take more than %" PRId64
                           " bytes",
                           list->count, list->memory);
        tess_frame_info *const items = mem_resize(list->items, (size_t)next * sizeof *list->items);
        if (!items)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %" PRId64 " frames",
                           next);
        list->items = items;
        list->capacity = next;
    }
    list->items[list->count++] = *frame;
    return TESS_OK;
}

static tess_status
list_frames(struct io *io, int64_t from, int64_t size, const tess_limits *limits,
            struct watch *watch, struct frames_found *list, tess_error *err)
{
    tess_frame_info frame;
    tess_status st = TESS_OK;
    int64_t at = from;
    while (st == TESS_OK && at >= 0 && at < size) {
        st = frames_look(io, at, size, limits, &frame, err);
        if (st == TESS_OK && frame.kind != TESS_FRAME_NONE)
            st = frames_found_add(list, &frame, err);
        if (st != TESS_OK)
            break;
        if (frame.kind == TESS_FRAME_ARRAY || frame.kind == TESS_FRAME_PLAIN) {
            watch_add(watch, frame.size);
            st = watch_look(watch, err);
            at += frame.size;
        } else {
            st = found_search(io, at + 1, size, watch, &at, err);
        }
    }
    return st;
}

tess_status
frames_list(const tess_storage *storage, tess_frame_info **frames, int64_t *count, tess_error *err)
{
    static const tess_context nobody = {0}; // watches
    struct folder *folder = NULL;
    struct io *io = NULL;
    struct frames_found list = {0};
    tess_limits limits = storage->limits;
    struct watch watch;
    int64_t size = 0;
    frame_complete_limits(&limits);
    list.memory = limits.memory;
    tess_status st = open_bytes(storage, &folder, &io, err);
    if (st == TESS_OK && folder)
        st = err_set(err, TESS_ERR_ARG, -1, "a directory, not a file with frames in it");
    if (st == TESS_OK)
        st = io_size(io, &size, err);
    if (st == TESS_OK)
        st = check_offset(storage, NULL, size, err);
    if (st == TESS_OK) {
        watch_begin(&watch, storage->context ? storage->context : &nobody, size - storage->offset);
        watch_job(&watch, size - storage->offset);
        st = watch_end(&watch, list_frames(io, storage->offset, size, &limits, &watch, &list, err));
    }
    io_close(io);
    folder_close(folder);
    if (st != TESS_OK) {
        mem_free(list.items);
        list = (struct frames_found){0};
    }
    *frames = list.items;
    *count = list.count;
    return st;
}
