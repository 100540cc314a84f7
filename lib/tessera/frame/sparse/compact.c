/*
 * compact.c - the directory of a sparse frame without what its state does not need.
 *
 * Writers that died leave chunk files that no index names, and an index that was not renamed. Other
 * implementations write chunks over longer ones and leave the end. Nothing is removed before the
 * state that stays is known to be on the disk, with all its chunks.
 *
 * Not here: files (copy.c).
 */
#include "frame/copy.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/commit/current.h"
#include "frame/container.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/private.h"
#include "frame/sparse/files.h"
#include "io/folder.h"
#include "io/io.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Whether the file of a chunk is longer than the chunk. Those of less than a header's size are, for
// other readers (copy.c).
static tess_status
is_longer(const struct frame *f, int64_t entry, bool *longer, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    struct chunk_place place;
    tess_status st = f->container->locate(f, entry, NULL, &place, err);
    if (st != TESS_OK)
        return st;
    st = io_read(place.io, 0, head, sizeof head, err);
    *longer = st == TESS_OK && place.room > max_i64(get_i32le(head + 12), CHUNK_HEADER_SIZE);
    io_close(place.io);
    return st;
}

static tess_status
store_anew(struct frame *f, int64_t n, struct chunk_scratch *s, tess_error *err)
{
    struct stored_chunk sc;
    const uint8_t *bytes;
    int32_t size;
    bool longer = false;
    tess_status st = is_longer(f, f->index.entries[n], &longer, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "chunk %" PRId64, n);
    if (!longer)
        return TESS_OK;
    st = stored_chunk_load(&sc, f, n, &f->checksums, s, &bytes, &size, err);
    if (st != TESS_OK)
        return st;
    if (size >= CHUNK_HEADER_SIZE)
        st = frame_put(f, NULL, n, bytes, size, err);
    stored_chunk_close(&sc);
    return st;
}

static tess_status
shorten_chunks(struct frame *f, struct watch *watch, tess_error *err)
{
    struct chunk_scratch s = {.limit = f->options.limits.memory};
    tess_status st = TESS_OK;
    watch_job(watch, f->index.nchunks);
    frame_begin(f);
    for (int64_t n = 0; f->index.entries && n < f->index.nchunks && st == TESS_OK; n++) {
        if (f->index.entries[n] >= 0)
            st = store_anew(f, n, &s, err);
        watch_add(watch, 1);
        if (st == TESS_OK)
            st = watch_look(watch, err);
    }
    scratch_finish(&s);
    if (st != TESS_OK) {
        frame_undo(f);
        return st;
    }
    frame_keep(f);
    return frame_commit(f, err);
}

static tess_status
sync_chunk(const struct frame *f, int64_t entry, tess_error *err)
{
    struct chunk_place place;
    tess_status st = f->container->locate(f, entry, NULL, &place, err);
    if (st != TESS_OK)
        return st;
    st = io_sync(place.io, err);
    io_close(place.io);
    return st;
}

// Below TESS_DURABILITY_FSYNC an earlier state may be all that is on the disk for sure.
static tess_status
sync_state(const struct frame *f, const int64_t *live, size_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    if (f->options.durability < TESS_DURABILITY_ORDERED)
        return TESS_OK;
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        st = sync_chunk(f, live[i], err);
    if (st == TESS_OK)
        st = io_sync(f->io, err);
    return st == TESS_OK ? folder_sync(f->folder, err) : st;
}

static int
compact_by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static tess_status
remove_orphans(const struct frame *f, tess_error *err)
{
    struct chunk_numbers found = {0};
    int64_t *live = NULL;
    size_t nlive = 0;
    tess_status st = TESS_OK;

    TRY(sparse_list_chunks(f->folder, &found, err));
    TRY(index_sorted(&f->index, &live, &nlive, err));
    int64_t norphans = 0;
    for (int64_t i = 0; i < found.count; i++)
        if (!bsearch(&found.items[i], live, nlive, sizeof *live, compact_by_value))
            found.items[norphans++] = found.items[i];
    TRY(sync_state(f, live, norphans > 0 ? nlive : 0, err));
    for (int64_t i = 0; i < norphans; i++)
        sparse_remove_chunk(f->folder, found.items[i]);
    sparse_remove_next(f->folder);
out:
    mem_free(found.items);
    mem_free(live);
    return st;
}

tess_status
frame_compact_folder(struct frame *f, struct watch *watch, tess_error *err)
{
    tess_status st = frame_check_shared(f, err);
    if (st == TESS_OK)
        st = frame_need_checksums(f, err);
    if (st == TESS_OK)
        st = shorten_chunks(f, watch, err);
    if (st == TESS_OK)
        st = frame_check_unchanged(f, err);
    return st == TESS_OK ? remove_orphans(f, err) : st;
}

struct adding {
    const struct folder *folder;
    int64_t size;
};

static tess_status
add_size(void *user, const char *name, tess_error *err)
{
    struct adding *const sum = user;
    struct io *io;
    int64_t size;
    if (!frame_folder_kind.is_part(name) && strcmp(name, frame_folder_kind.index) != 0)
        return TESS_OK;
    tess_status st = folder_read(sum->folder, name, false, &io, err);
    if (st != TESS_OK)
        return st;
    st = io_size(io, &size, err);
    if (st == TESS_OK && !add_i64(sum->size, size, &sum->size))
        sum->size = INT64_MAX;
    io_close(io);
    return st;
}

tess_status
frame_stored_size(const struct frame *f, int64_t *size, tess_error *err)
{
    struct adding sum = {.folder = f->folder};
    if (!f->folder)
        return io_size(f->io, size, err);
    const tess_status st = folder_each(f->folder, add_size, &sum, err);
    *size = sum.size;
    return st;
}
