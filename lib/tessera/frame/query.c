/*
 * query.c - what is known of a frame in memory.
 */
#include "frame/query.h"

#include "base/checked.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/private.h"
#include "io/folder.h"
#include "io/gather.h"
#include "io/io.h"
#include "io/memory.h"
#include "io/names/path.h"

const struct frame_header *
frame_header(const struct frame *f)
{
    return &f->h;
}

const uint8_t *
frame_head(const struct frame *f, size_t *size)
{
    *size = f->disk.head_size;
    return f->disk.head;
}

const struct frame_index *
frame_list(const struct frame *f)
{
    return &f->index;
}

int64_t
frame_nchunks(const struct frame *f)
{
    return f->index.nchunks;
}

bool
frame_is_uniform(const struct frame *f)
{
    return !f->index.entries;
}

int64_t
frame_entry(const struct frame *f, int64_t n)
{
    return index_get(&f->index, n);
}

enum chunk_special
frame_special(const struct frame *f, int64_t n)
{
    return index_special(index_get(&f->index, n));
}

int32_t
frame_chunk_nbytes(const struct frame *f, int64_t n)
{
    return frame_header_chunk_nbytes(&f->h, n);
}

int64_t
frame_mean_cbytes(const struct frame *f)
{
    return f->h.cbytes / max_i64(f->index.nchunks, 1);
}

int64_t
frame_generation(const struct frame *f)
{
    return f->generation;
}

bool
frame_is_writable(const struct frame *f)
{
    return f->rights.writable;
}

bool
frame_is_dirty(const struct frame *f)
{
    return f->batch.dirty;
}

bool
frame_is_published(const struct frame *f)
{
    return f->rights.published;
}

bool
frame_is_sparse(const struct frame *f)
{
    return f->folder != NULL;
}

bool
frame_in_memory(const struct frame *f)
{
    return f->storage.in_memory;
}

const struct io_manner *
frame_manner(const struct frame *f)
{
    return &f->storage.manner;
}

bool
frame_is_once(const struct frame *f)
{
    return f->storage.once;
}

bool
frame_is_verified(const struct frame *f)
{
    return f->options.checksums == TESS_CHECKSUMS_VERIFY;
}

bool
frame_is_sealed(const struct frame *f)
{
    return f->disk.sealed;
}

uint64_t
frame_commit_number(const struct frame *f)
{
    return f->disk.sealed ? f->disk.number : 0;
}

bool
frame_header_is_changed(const struct frame *f)
{
    return f->disk.header_changed;
}

const struct frame_options *
frame_options(const struct frame *f)
{
    return &f->options;
}

const tess_limits *
frame_limits(const struct frame *f)
{
    return &f->options.limits;
}

struct frame_options
frame_options_of_successor(const struct frame *f)
{
    struct frame_options options = f->options;
    options.lock_file = NULL; // f has its lock
    options.path = NULL;
    options.number = f->disk.number;
    return options;
}

struct io *
frame_file(const struct frame *f)
{
    return f->storage.gathers ? io_gather_file(f->io) : f->io;
}

bool
frame_is_at(const struct frame *f, const char *path)
{
    struct io_identity own;
    const tess_status st =
        f->folder ? folder_identify(f->folder, &own, NULL) : io_identify(f->io, &own, NULL);
    return st == TESS_OK && io_identity_is_at(&own, path);
}

const char *
frame_name(const struct frame *f)
{
    return io_path_name(f->options.path);
}

bool
frame_contains(const struct frame *f, const char *path)
{
    struct io_identity own;
    return f->folder && folder_identify(f->folder, &own, NULL) == TESS_OK &&
           io_identity_contains(&own, path);
}

const uint8_t *
frame_image(const struct frame *f, size_t *size)
{
    *size = (size_t)f->h.frame_len;
    return f->storage.in_memory ? io_view(f->io, 0, *size) : NULL;
}

void
frame_take_image(struct frame *f, void **image, size_t *size)
{
    io_memory_take(f->io, image, size);
}

// -- metalayers

const struct layers *
frame_metas(const struct frame *f)
{
    return &f->metas;
}

const struct layers *
frame_vlmetas(const struct frame *f)
{
    return &f->vlmetas;
}

struct layers *
frame_edit_metas(struct frame *f)
{
    return &f->metas;
}

struct layers *
frame_edit_vlmetas(struct frame *f)
{
    return &f->vlmetas;
}

void
frame_mark_changed(struct frame *f)
{
    f->batch.dirty = true;
}
