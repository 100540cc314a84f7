/*
 * frame.c - opening, making and closing a frame.
 *
 * Opening reads header, trailer and index, and no chunk.
 *
 * Not here: chunks (frame/chunks), changes and commits (frame/commit).
 */
#include "frame/frame.h"

#include "base/limits.h"
#include "base/memory.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/space.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/private.h"
#include "frame/sparse/files.h"
#include "frame/sparse/numbers.h"
#include "io/folder.h"
#include "io/gather.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/names/path.h"
#include "meta/layers.h"

#include <errno.h>
#include <tessera/attr.h>

#include <inttypes.h>
#include <string.h>

enum {
    MEMORY_DEFAULT = 1 << 30,
    NCHUNKS_DEFAULT = 1 << 28,
    WAITING_LEAST = 4 << 20,
};

void
frame_complete_limits(tess_limits *limits)
{
    if (limits->memory <= 0)
        limits->memory = MEMORY_DEFAULT;
    if (limits->nchunks <= 0)
        limits->nchunks = NCHUNKS_DEFAULT;
    if (limits->ndim <= 0)
        limits->ndim = NDIM_MAX;
    if (limits->nesting <= 0)
        limits->nesting = TESS_VALUE_MAX_DEPTH;
}

struct frame *
frame_new(struct io *io, struct folder *folder, const struct frame_options *options)
{
    struct frame *const f = mem_zeroed(1, sizeof *f);
    if (!f) {
        io_close(io);
        folder_close(folder);
        lock_file_close(options->lock_file);
        io_path_close(options->path);
        return NULL;
    }
    if (io && io->writable && !io->in_memory) { // chunks go to a file one behind the other
        f->storage.gathers = true;
        io->eager = options->durability >= TESS_DURABILITY_ORDERED;
        if (io_gather(io, &io, NULL) != TESS_OK) {
            mem_free(f);
            lock_file_close(options->lock_file);
            io_path_close(options->path);
            return NULL;
        }
    }
    f->io = io;
    f->folder = folder;
    if (io) {
        f->storage.manner = io->manner;
        f->storage.in_memory = io->in_memory;
        f->storage.once = io->once;
    }
    f->container = folder ? &container_sparse : &container_contiguous;
    f->options = *options;
    f->options.never_reuse |= f->storage.once;
    f->disk.number = options->number;
    frame_set_owner(f);
    usage_init(&f->usage, -1);
    f->waiting_least = WAITING_LEAST;
    frame_complete_limits(&f->options.limits);
    return f;
}

void
frame_close(struct frame *f)
{
    if (!f)
        return;
    lock_file_close(f->options.lock_file);
    io_path_close(f->options.path);
    io_close(f->io);
    folder_close(f->folder);
    numbers_finish(&f->directory.numbers);
    unsynced_finish(&f->directory.unsynced);
    layers_finish(&f->metas);
    layers_finish(&f->vlmetas);
    index_finish(&f->index);
    index_finish(&f->change.replaced);
    mem_free(f->change.puts);
    mem_free(f->change.dropped);
    space_finish(&f->space);
    extents_finish(&f->staging.leased);
    order_finish(&f->order);
    checksums_finish(&f->checksums);
    mem_free(f->disk.head);
    mem_free(f->disk.attempted);
    mem_free(f->disk.torn);
    mem_free(f->disk.tail);
    mem_free(f);
}

void
frame_set_grid(struct frame *f, const struct block_grid *grid)
{
    f->grid = grid;
}

void
frame_set_chunksize(struct frame *f, int32_t chunksize)
{
    f->h.chunksize = chunksize;
}

void
frame_swap(struct frame *a, struct frame *b)
{
    const struct frame x = *a;
    *a = *b;
    *b = x;
}

void
frame_attach(struct frame *f, const struct plugins *plugins, const tess_context *context)
{
    f->options.plugins = plugins;
    f->options.context = context;
    f->grid = NULL;
}

void
frame_opened(struct frame *f)
{
    io_opened(f->io);
}

// Complete the write of a header of which only some sectors are there.
static tess_status
write_torn_header(struct frame *f, tess_error *err)
{
    tess_status st = io_write(f->io, 0, f->disk.torn, f->disk.head_size, err);
    if (st == TESS_OK && f->options.durability >= TESS_DURABILITY_ORDERED)
        st = io_sync(f->io, err);
    if (st != TESS_OK)
        return st;
    mem_free(f->disk.head);
    f->disk.head = f->disk.torn;
    f->disk.torn = NULL;
    return TESS_OK;
}

// What a frame must be like for us to change it.
static tess_status
frame_prepare_writing(struct frame *f, tess_error *err)
{
    if (f->h.version < 2)
        return err_set(err, TESS_ERR_UNSUPPORTED, 0,
                       "a frame from before c-blosc2 2.0, which can only be read");

    if (f->disk.torn) {
        const tess_status st = write_torn_header(f, err);
        if (st != TESS_OK)
            return st;
    }
    const size_t layers = layers_size(&f->metas);
    uint8_t *const again = mem_alloc(layers);
    if (!again)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayers of %zu bytes", layers);
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, again);
    const bool usual = FRAME_HEADER_SIZE + layers == f->disk.head_size &&
                       memcmp(again, f->disk.head + FRAME_HEADER_SIZE, layers) == 0;
    mem_free(again);
    if (!usual)
        return err_set(err, TESS_ERR_UNSUPPORTED, FRAME_HEADER_SIZE,
                       "metalayers that are not laid out as usual; the file can only be read");

    f->disk.lens[f->disk.next_len++] = f->h.frame_len;
    return f->container->prepare(f, err);
}

// From the io of header and index on.
static tess_status
frame_open_frame(struct frame *f, struct frame **frame, tess_error *err)
{
    tess_status st = TESS_OK;
    int64_t nstored, nmissing;
    TRY(frame_load(f, err));
    if (f->folder && f->storage.manner.far) // once: each job asks for it (chunks/ahead.c)
        frame_count_chunks(f, &nstored, &nmissing);
    f->rights.published = f->rights.exposed = true;
    if (f->rights.writable)
        TRY(frame_prepare_writing(f, err));
    *frame = f;
    f = NULL; // now the caller's
out:
    frame_close(f);
    return st;
}

tess_status
frame_open(struct io *io, bool writable, const struct frame_options *options, struct frame **frame,
           tess_error *err)
{
    struct frame *const f = frame_new(io, NULL, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    f->rights.writable = writable;
    return frame_open_frame(f, frame, err);
}

tess_status
frame_open_folder(struct folder *folder, bool writable, const struct frame_options *options,
                  struct frame **frame, tess_error *err)
{
    struct frame *const f = frame_new(NULL, folder, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    f->rights.writable = writable;
    tess_error why;
    tess_status st = folder_read(folder, FRAME_FOLDER_INDEX, true, &f->io, &why);
    if (st != TESS_OK && folder_is_replaced(folder)) // and emptied
        st = err_set(&why, TESS_ERR_STALE, -1, "was replaced while it was opened");
    else if (st != TESS_OK && why.sys == ENOENT)
        st = err_set(&why, TESS_ERR_FORMAT, -1,
                     "a directory without an array: there is no %s in it", FRAME_FOLDER_INDEX);
    if (st != TESS_OK) {
        if (err)
            *err = why;
        frame_close(f);
        return st;
    }
    f->storage.manner = f->io->manner;
    return frame_open_frame(f, frame, err);
}

void
frame_start(struct frame *f, const struct frame_header *h, const struct layers *metas,
            int64_t nchunks, enum chunk_special special)
{
    f->rights.writable = true;
    f->h = *h;
    f->h.version = h->chunksize == 0 || h->vlblocks ? 3 : 2;
    f->h.sparse = f->folder != NULL;
    f->h.fixed_size = FRAME_HEADER_SIZE;
    f->h.header_len = (int32_t)(FRAME_HEADER_SIZE + layers_size(metas));
    f->h.frame_len = 0;
    f->h.nbytes = nchunks * h->chunksize;
    f->h.cbytes = 0;
    f->metas = *metas;
    index_init_uniform(&f->index, nchunks, special);
    usage_init(&f->usage, 0);
    space_init(&f->space, f->h.header_len, (struct extent){0});
    f->keeps_ledger = f->options.checksums != TESS_CHECKSUMS_NONE;
    f->checksums_known = true; // there are none
    f->space.keeps = f->options.never_reuse;
    f->batch.dirty = true;
}

static tess_status
frame_create_frame(struct frame *f, const struct frame_header *h, struct layers *metas,
                   int64_t nchunks, enum chunk_special special, struct frame **frame,
                   tess_error *err)
{
    if (nchunks > INDEX_NCHUNKS_MAX) {
        frame_close(f);
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId64 " chunks, a frame has at most %d",
                       nchunks, INDEX_NCHUNKS_MAX);
    }
    frame_start(f, h, metas, nchunks, special);
    *metas = (struct layers){0};
    *frame = f;
    return TESS_OK;
}

tess_status
frame_create(struct io *io, const struct frame_header *h, struct layers *metas, int64_t nchunks,
             enum chunk_special special, const struct frame_options *options, struct frame **frame,
             tess_error *err)
{
    struct frame *const f = frame_new(io, NULL, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    return frame_create_frame(f, h, metas, nchunks, special, frame, err);
}

tess_status
frame_create_folder(struct folder *folder, const struct frame_header *h, struct layers *metas,
                    int64_t nchunks, enum chunk_special special,
                    const struct frame_options *options, struct frame **frame, tess_error *err)
{
    struct frame *const f = frame_new(NULL, folder, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    return frame_create_frame(f, h, metas, nchunks, special, frame, err);
}
