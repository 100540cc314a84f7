/*
 * storage.c - the table of the kinds of storage, what is the same for all of them, and parts of
 * files.
 *
 * A window is an io on another, which moves all offsets. One behind the end of a file, for
 * something new, makes the file as long as it was when it is closed before it is published.
 */
#include "io/storage.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/io.h"
#include "io/memory.h"
#include "io/names/path.h"
#include "io/source.h"

#include <inttypes.h>
#include <unistd.h>

// -- a part of a file

struct window {
    struct io io;
    struct io *whole;
    int64_t base;
    bool unpublished;
    pid_t process; // that made it
};

static struct window *
window_of(struct io *io)
{
    return (struct window *)io;
}

// A position in the whole file.
static tess_status
window_place(const struct window *w, int64_t offset, int64_t *position, tess_error *err)
{
    if (add_i64(w->base, offset, position))
        return TESS_OK;
    return err_set(err, TESS_ERR_IO, -1, "position %" PRId64 " behind byte %" PRId64 " of a file",
                   offset, w->base);
}

static tess_status
window_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct window *const w = window_of(io);
    int64_t position = 0;
    const tess_status st = window_place(w, offset, &position, err);
    return st == TESS_OK ? io_read(w->whole, position, dst, size, err) : st;
}

static tess_status
window_move_ranges(const struct window *w, tess_range *moved, const tess_range *ranges, size_t n,
                   tess_error *err)
{
    tess_status st = TESS_OK;
    for (size_t i = 0; i < n && st == TESS_OK; i++) {
        moved[i] = ranges[i];
        st = window_place(w, ranges[i].offset, &moved[i].offset, err);
    }
    return st;
}

static tess_status
window_read_many(struct io *io, const tess_range *ranges, size_t n, const struct io_progress *p,
                 tess_error *err)
{
    enum { FEW = 64 };
    const struct window *const w = window_of(io);
    tess_range few[FEW];
    tess_range *const moved = n <= FEW ? few : mem_zeroed(n, sizeof *moved);
    if (!moved)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu ranges", n);
    tess_status st = window_move_ranges(w, moved, ranges, n, err);
    if (st == TESS_OK)
        st = io_read_many(w->whole, moved, n, p, err);
    if (moved != few)
        mem_free(moved);
    return st;
}

static tess_status
window_read_again(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct window *const w = window_of(io);
    int64_t position = 0;
    const tess_status st = window_place(w, offset, &position, err);
    return st == TESS_OK ? io_read_again(w->whole, position, dst, size, err) : st;
}

static tess_status
window_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    const struct window *const w = window_of(io);
    int64_t position = 0;
    const tess_status st = window_place(w, offset, &position, err);
    return st == TESS_OK ? io_write(w->whole, position, src, size, err) : st;
}

static const uint8_t *
window_view(struct io *io, int64_t offset, size_t size)
{
    const struct window *const w = window_of(io);
    int64_t position = 0;
    return add_i64(w->base, offset, &position) ? io_view(w->whole, position, size) : NULL;
}

static tess_status
window_size(struct io *io, int64_t *size, tess_error *err)
{
    const struct window *const w = window_of(io);
    const tess_status st = io_size(w->whole, size, err);
    if (st == TESS_OK)
        *size = max_i64(*size - w->base, 0); // the file may have become shorter
    return st;
}

static tess_status
window_truncate(struct io *io, int64_t size, tess_error *err)
{
    const struct window *const w = window_of(io);
    int64_t end = 0;
    const tess_status st = window_place(w, size, &end, err);
    return st == TESS_OK ? io_truncate(w->whole, end, err) : st;
}

static tess_status
window_sync(struct io *io, tess_error *err)
{
    return io_sync(window_of(io)->whole, err);
}

// The file has its name already.
static tess_status
window_publish(struct io *io, bool durable, tess_error *err)
{
    (void)durable;
    (void)err;
    window_of(io)->unpublished = false;
    return TESS_OK;
}

static tess_status
window_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    return io_identify(window_of(io)->whole, identity, err);
}

static void
window_opened(struct io *io)
{
    io_opened(window_of(io)->whole);
}

static void
window_close(struct io *io)
{
    struct window *const w = window_of(io);
    if (w->unpublished && w->process == getpid())
        (void)io_truncate(w->whole, w->base, NULL);
    io_close(w->whole);
    mem_free(w);
}

static const struct io_ops window_ops = {
    .read = window_read,
    .read_many = window_read_many,
    .write = window_write,
    .view = window_view,
    .size = window_size,
    .truncate = window_truncate,
    .sync = window_sync,
    .publish = window_publish,
    .identify = window_identify,
    .read_again = window_read_again,
    .opened = window_opened,
    .close = window_close,
};

static tess_status
check_base(struct io *whole, int64_t base, tess_error *err)
{
    int64_t size;
    const tess_status st = io_size(whole, &size, err);
    if (st == TESS_OK && (base < 0 || base > size))
        return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 " in a file of %" PRId64 " bytes",
                       base, size);
    return st;
}

static tess_status
window_new(struct io *whole, int64_t base, bool at_end, struct io **io, tess_error *err)
{
    struct window *const w = mem_alloc(sizeof *w);
    if (!w) {
        io_close(whole);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a part of a file");
    }
    *w = (struct window){
        .io = *whole,
        .whole = whole,
        .base = base,
        .unpublished = at_end,
        .process = getpid(),
    };
    w->io.ops = &window_ops;
    *io = &w->io;
    return TESS_OK;
}

tess_status
io_window(struct io *whole, int64_t base, struct io **io, tess_error *err)
{
    const tess_status st = check_base(whole, base, err);
    if (st == TESS_OK)
        return window_new(whole, base, false, io, err);
    io_close(whole);
    return st;
}

tess_status
io_window_at_end(struct io *whole, int64_t *base, struct io **io, tess_error *err)
{
    const tess_status st = io_size(whole, base, err);
    if (st == TESS_OK)
        return window_new(whole, *base, true, io, err);
    io_close(whole);
    return st;
}

// -- what a place means

// The first that holds, or takes, an array is its kind.
static const struct storage_kind *const kinds[] = {
    &storage_directory, &storage_file, &storage_source_directory, &storage_source, &storage_memory,
};

enum { NKINDS = sizeof kinds / sizeof *kinds };

const struct storage_kind *
storage_find(const tess_storage *storage)
{
    for (int i = 0; i < NKINDS; i++)
        if (kinds[i]->holds(storage))
            return kinds[i];
    return NULL;
}

const struct storage_kind *
storage_find_new(const tess_storage *storage, tess_layout layout)
{
    for (int i = 0; i < NKINDS; i++)
        if (kinds[i]->layout == layout && kinds[i]->takes(storage))
            return kinds[i];
    return NULL;
}

bool
storage_in_source(const tess_storage *storage)
{
    const struct storage_kind *const kind = storage_find(storage);
    return kind == &storage_source || kind == &storage_source_directory;
}

// A frame that does not start with the file.
static tess_status
open_inside(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    struct io *whole;
    if (o->kind->layout == TESS_LAYOUT_SPARSE)
        return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 " in a directory", storage->offset);
    if (storage->mode == TESS_MODE_UPDATE)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a frame inside a file, at offset %" PRId64 ", can only be read",
                       storage->offset);
    const tess_status st = o->kind->open(storage, false, &whole, NULL, err);
    return st == TESS_OK ? io_window(whole, storage->offset, &o->io, err) : st;
}

tess_status
storage_open(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    const bool writable = storage->mode == TESS_MODE_UPDATE;
    *o = (struct storage_opened){.offset = storage->offset};
    if (storage->mmap && (writable || !storage->path))
        return err_set(err, TESS_ERR_ARG, -1, "only a file that is read can be mapped");
    o->kind = storage_find(storage);
    if (!o->kind)
        return err_set(err, TESS_ERR_ARG, -1,
                       "neither a path, nor an image, nor a source is given");
    if (storage->offset != 0)
        return open_inside(storage, o, err);
    return o->kind->open(storage, writable, &o->io, &o->folder, err);
}

// Behind what a file holds.
static tess_status
open_end(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    struct io *whole;
    if (o->kind->layout == TESS_LAYOUT_SPARSE)
        return err_set(err, TESS_ERR_ARG, -1, "a sparse array is a directory, not part of a file");
    const tess_status st = o->kind->open(storage, true, &whole, NULL, err);
    return st == TESS_OK ? io_window_at_end(whole, &o->offset, &o->io, err) : st;
}

tess_status
storage_create(const tess_storage *storage, tess_layout layout, const struct folder_kind *parts,
               struct storage_opened *o, tess_error *err)
{
    *o = (struct storage_opened){0};
    if (storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "offset %" PRId64 ": an array is created behind a file's end, with the mode "
                       "APPEND and offset 0",
                       storage->offset);
    if (layout != TESS_LAYOUT_SPARSE && layout != TESS_LAYOUT_CONTIGUOUS)
        return err_set(err, TESS_ERR_ARG, -1, "layout %d is not known", (int)layout);
    o->kind = storage_find_new(storage, layout);
    if (!o->kind)
        return storage->source
                   ? err_set(err, TESS_ERR_ARG, -1, "a source that cannot be written so")
                   : err_set(err, TESS_ERR_ARG, -1, "a sparse array cannot be made in memory");
    if (storage->path && storage->mode == TESS_MODE_APPEND)
        return open_end(storage, o, err);
    if ((storage->path || storage->source) && storage->mode != TESS_MODE_NEW &&
        storage->mode != TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_ARG, -1,
                       storage->path ? "creating a file needs the mode NEW, REPLACE or APPEND"
                                     : "writing to a source needs the mode NEW or REPLACE");
    return o->kind->create(storage, parts, &o->io, &o->folder, err);
}
