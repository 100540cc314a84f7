/*
 * unsynced.c - chunk files of a sparse frame that were written, but not brought to the disk yet.
 */
#include "frame/sparse/unsynced.h"

#include "base/memory.h"
#include "frame/format/checksums.h"
#include "io/io.h"

#include <inttypes.h>
#include <string.h>

void
unsynced_finish(struct unsynced *u)
{
    for (int i = 0; i < u->count; i++)
        io_close(u->files[i].io);
    u->count = 0;
}

static void
unsynced_drop(struct unsynced *u, int i)
{
    io_close(u->files[i].io);
    u->count--;
    memmove(&u->files[i], &u->files[i + 1], (size_t)(u->count - i) * sizeof u->files[0]);
}

// After a sync that failed, the system may take for written what is not. What it has is compared
// with the checksum, if there is one, and written again.
static tess_status
unsynced_write_again(const struct unsynced_file *file, const struct checksums *checksums,
                     tess_error *err)
{
    const uint64_t expected = checksums_get(checksums, file->number);
    uint8_t *const bytes = mem_alloc((size_t)file->size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", file->size);
    tess_status st = io_read(file->io, 0, bytes, (size_t)file->size, err);
    const uint64_t found =
        st == TESS_OK && expected != 0 ? checksum_of(bytes, (size_t)file->size) : expected;
    if (st == TESS_OK && found != expected)
        st = err_set(err, TESS_ERR_CORRUPT, 0,
                     "a chunk that could not be brought to the disk has the checksum %016" PRIx64
                     " now, not %016" PRIx64,
                     found, expected);
    if (st == TESS_OK)
        st = io_write(file->io, 0, bytes, (size_t)file->size, err);
    mem_free(bytes);
    return st;
}

// The oldest one.
static tess_status
sync_first(struct unsynced *u, const struct checksums *checksums, bool *unsure, tess_error *err)
{
    struct unsynced_file *const file = &u->files[0];
    tess_status st = file->failed ? unsynced_write_again(file, checksums, err) : TESS_OK;
    if (st == TESS_OK) {
        st = io_sync(file->io, err);
        *unsure |= st != TESS_OK;
    }
    if (st == TESS_OK)
        unsynced_drop(u, 0);
    else
        file->failed = true;
    return st;
}

tess_status
unsynced_reserve(struct unsynced *u, const struct checksums *checksums, bool *unsure,
                 tess_error *err)
{
    return u->count < UNSYNCED_MAX ? TESS_OK : sync_first(u, checksums, unsure, err);
}

void
unsynced_add(struct unsynced *u, int64_t number, struct io *io, int32_t size)
{
    u->files[u->count++] = (struct unsynced_file){io, number, size, false};
}

void
unsynced_forget(struct unsynced *u, int64_t number)
{
    for (int i = 0; i < u->count; i++)
        if (u->files[i].number == number) {
            unsynced_drop(u, i);
            return;
        }
}

tess_status
unsynced_sync(struct unsynced *u, const struct checksums *checksums, bool *unsure, tess_error *err)
{
    tess_status st = TESS_OK;
    while (u->count > 0 && st == TESS_OK)
        st = sync_first(u, checksums, unsure, err);
    return st;
}
