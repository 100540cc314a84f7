/*
 * files.c - what a path leads to, the frames that a file holds, by their headers, and removal.
 *
 * A list costs time in proportion to the file: a frame that is whole is passed over by its length,
 * which is at least that of what was read of it; everything else is searched once.
 *
 * The order of removal: the lock of a writer, a look at what it is, the lock file that other
 * implementations know, what killed programs left, the array itself, the lock file. So a program
 * that dies leaves the array whole, or a lock file that locks nothing.
 */
#include "array/keep/keep.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/lock.h"
#include "frame/format/found.h"
#include "frame/frame.h"
#include "frame/sparse/files.h"
#include "io/directory.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/names/path.h"
#include "io/names/removal.h"
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

// -- the file or directory of an array goes, with what belongs to it

// What is to be removed, in one try.
struct removing {
    const tess_storage *storage;
    struct removal removal;
    struct folder *folder; // NULL: a file
    struct io *io; // of the file, or of the index
    struct frame_options options;
};

static void
removing_end(struct removing *r)
{
    lock_file_close(r->options.lock_file);
    io_path_close(r->options.path);
    io_close(r->io);
    folder_close(r->folder);
    removal_end(&r->removal);
}

// The bytes behind a frame count as unused, unless another one is among them. Where a damaged frame
// ends is not sure.
static tess_status
check_alone(struct io *io, const tess_frame_info *first, int64_t size, tess_error *err)
{
    const int64_t behind = first->kind == TESS_FRAME_DAMAGED ? 1 : first->size;
    int64_t next = -1;
    const tess_status st = found_search(io, behind, size, NULL, &next, err);
    if (st != TESS_OK || next < 0)
        return st;
    return err_set(err, TESS_ERR_UNSUPPORTED, next,
                   "another frame stands behind the array, at byte %" PRId64
                   "; the file is not removed",
                   next);
}

// Whether it is an array, and nothing else. A directory was looked through by removal_begin().
static tess_status
check_removed_array(const struct removing *r, tess_error *err)
{
    tess_frame_info frame;
    int64_t size;
    tess_limits limits = r->storage->limits;
    frame_complete_limits(&limits);
    tess_status st = io_size(r->io, &size, err);
    if (st == TESS_OK)
        st = frames_look(r->io, 0, size, &limits, &frame, err);
    if (st != TESS_OK)
        return st;
    if (frame.kind == TESS_FRAME_NONE)
        return err_set(err, TESS_ERR_FORMAT, 0,
                       r->folder ? "a directory without an array: " FRAME_FOLDER_INDEX
                                   " is not the header of one"
                                 : "not a Blosc2 frame; it is not removed");
    if (r->folder)
        return TESS_OK;
    if (!frame.contiguous)
        return err_set(err, TESS_ERR_FORMAT, 0,
                       "the index of a sparse array, whose directory is to be removed instead");
    return check_alone(r->io, &frame, size, err);
}

// Once.
static tess_status
removing_begin(struct removing *r, const tess_storage *storage, tess_error *err)
{
    const struct storage_kind *const kind = storage_find(storage);
    const bool sparse = kind && kind->layout == TESS_LAYOUT_SPARSE;
    *r = (struct removing){
        .storage = storage,
        .options =
            {
                .context = storage->context,
                .path = io_path_of_name(storage->path), // NULL, no memory: the log has none
                .wait = storage->wait,
            },
    };
    tess_status st =
        removal_begin(&r->removal, storage->path, sparse ? &frame_folder_kind : NULL, err);
    if (st == TESS_OK && storage->require_lock && removal_lock_error(&r->removal) != 0)
        st = err_sys(err, removal_lock_error(&r->removal), "locking it, which is required");
    if (st == TESS_OK && sparse)
        st = directory_open(r->removal.path, false, false, &r->folder, err);
    if (st == TESS_OK)
        st = sparse ? folder_read(r->folder, FRAME_FOLDER_INDEX, false, &r->io, err)
                    : removal_open_file(&r->removal, &r->io, err);
    if (st == TESS_OK)
        st = check_removed_array(r, err);
    if (st == TESS_OK)
        st = lock_file_open(r->folder ? NULL : r->removal.path, r->folder, true, false,
                            storage->require_lock, &r->options.lock_file, err);
    if (st == TESS_OK)
        st = frame_lock_take_early(&r->options, err);
    return st;
}

static tess_status
remove_once(const tess_storage *storage, tess_error *err)
{
    struct removing r;
    tess_status st = removing_begin(&r, storage, err);
    if (st == TESS_OK) {
        leftovers_remove_all(storage->path, &frame_folder_kind);
        st = removal_finish(&r.removal, storage->durability != TESS_DURABILITY_NONE, err);
    }
    if (st == TESS_OK && !r.folder)
        lock_file_remove(r.options.lock_file);
    removing_end(&r);
    if (st == TESS_ERR_NOT_FOUND) // another process may have died removing it
        leftovers_remove_all(storage->path, &frame_folder_kind);
    return st;
}

tess_status
array_remove(const tess_storage *storage, tess_error *err)
{
    enum { TRIES = 100 };
    struct retry p;
    tess_error why;
    tess_status st;
    int replaced = 0;
    retry_begin(&p, storage->context, storage->path, storage->wait);
    do
        st = remove_once(storage, &why);
    while ((st == TESS_ERR_STALE && ++replaced < TRIES) ||
           (st == TESS_ERR_IO && why.sys == EWOULDBLOCK && retry_again(&p, &st, &why)));
    if (st != TESS_OK && err)
        *err = why;
    return st;
}
