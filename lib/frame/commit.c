/*
 * commit.c - when a state goes to the disk, and whether the disk still has the last one.
 *
 * Not here: how it goes there (contiguous.c, sparse.c).
 */
#include "frame/container.h"

#include "base/bytes.h"
#include "base/checked.h"

#include <stdlib.h>

enum {
    FRAME_LEN_AT = 16,
    BATCH_MIN = 64 << 20,
    BATCH_SHARE = 20, // of the stored data: dead space stays small
};

static tess_status
compare(struct io *io, int64_t position, const uint8_t *known, size_t size, tess_error *err)
{
    uint8_t *const now = malloc(size);
    if (!now)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    tess_status st = io_read(io, position, now, size, err);
    if (st == TESS_OK && memcmp(now, known, size) != 0)
        st = err_set(err, TESS_ERR_STALE, position,
                     "the file was changed by another program since it was opened");
    free(now);
    return st;
}

tess_status
frame_check_current(const struct frame *f, tess_error *err)
{
    struct io *io;
    bool owned;
    if (!f->head || f->io->in_memory) // nobody else can change it
        return TESS_OK;
    tess_status st = f->container->current(f, &io, &owned, err);
    if (st != TESS_OK)
        return st;
    st = compare(io, 0, f->head, FRAME_HEADER_SECTOR, err);
    if (owned)
        io_close(io);
    return st;
}

// The whole header and trailer.
static tess_status
check_unchanged(const struct frame *f, tess_error *err)
{
    struct io *io;
    bool owned;
    if (!f->head || f->io->in_memory)
        return TESS_OK;
    tess_status st = f->container->current(f, &io, &owned, err);
    if (st != TESS_OK)
        return st;
    const int64_t frame_len = (int64_t)get_u64be(f->head + FRAME_LEN_AT);
    st = compare(io, 0, f->head, f->head_size, err);
    if (st == TESS_OK)
        st = compare(io, frame_len - (int64_t)f->tail_size, f->tail, f->tail_size, err);
    if (owned)
        io_close(io);
    return st;
}

tess_status
frame_commit(struct frame *f, tess_error *err)
{
    if (!f->dirty)
        return TESS_OK;
    tess_status st = check_unchanged(f, err);
    if (st == TESS_OK)
        st = f->container->commit(f, err);
    if (st == TESS_OK) {
        f->dirty = false;
        f->written = 0;
    }
    return st;
}

tess_status
frame_commit_if_large(struct frame *f, tess_error *err)
{
    if (f->written < max_i64(BATCH_MIN, f->h.cbytes / BATCH_SHARE))
        return TESS_OK;
    return frame_commit(f, err);
}

tess_status
frame_publish(struct frame *f, tess_error *err)
{
    return f->container->publish(f, err);
}
