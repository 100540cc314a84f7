/*
 * files.c - the files in the directory of a sparse frame.
 *
 * Not here: which numbers of files are taken (numbers.c), what becomes of them in a commit
 * (sparse.c).
 */
#include "frame/sparse/files.h"

#include "base/log.h"
#include "base/memory.h"
#include "frame/commit/current.h"
#include "frame/format/checksums.h"
#include "frame/private.h"
#include "frame/sparse/numbers.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/names/path.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sparse_remove_next(const struct folder *folder)
{
    folder_remove(folder, FRAME_FOLDER_NEXT);
}

// Besides the index: chunks, what a writer may have left, and the lock of c-blosc2.
static bool
is_part(const char *name)
{
    return sparse_is_chunk_name(name) || strcmp(name, FRAME_FOLDER_NEXT) == 0 ||
           strcmp(name, ".b2lock") == 0;
}

const struct folder_kind frame_folder_kind = {.index = FRAME_FOLDER_INDEX, .is_part = is_part};

// -- files of chunks

void
sparse_chunk_name(int64_t entry, char *name)
{
    snprintf(name, SPARSE_NAME_SIZE, "%08" PRIX32 ".chunk", (uint32_t)entry);
}

bool
sparse_is_chunk_name(const char *name)
{
    enum { DIGITS = 8 };
    int n = 0;
    while (n < DIGITS && isxdigit((unsigned char)name[n]))
        n++;
    return n == DIGITS && strcmp(name + DIGITS, ".chunk") == 0;
}

bool
sparse_chunk_number(const char *name, int64_t *number)
{
    char again[SPARSE_NAME_SIZE];
    if (!sparse_is_chunk_name(name))
        return false;
    *number = (int64_t)strtoul(name, NULL, 16);
    sparse_chunk_name(*number, again);
    return strcmp(name, again) == 0;
}

static tess_status
note_number(void *arg, const char *name, tess_error *err)
{
    struct chunk_numbers *const x = arg;
    int64_t number;
    if (!sparse_chunk_number(name, &number))
        return TESS_OK;
    if (x->count == x->capacity) {
        const int64_t capacity = x->capacity > 0 ? 2 * x->capacity : 64;
        int64_t *const items = mem_resize(x->items, (size_t)capacity * sizeof *items);
        if (!items)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of files");
        x->items = items;
        x->capacity = capacity;
    }
    x->items[x->count++] = number;
    return TESS_OK;
}

tess_status
sparse_list_chunks(const struct folder *folder, struct chunk_numbers *found, tess_error *err)
{
    return folder_each(folder, note_number, found, err);
}

tess_status
sparse_open_chunk(const struct folder *folder, int64_t number, size_t first,
                  const struct io_progress *p, struct io **io, tess_error *err)
{
    char name[SPARSE_NAME_SIZE];
    sparse_chunk_name(number, name);
    return folder_read_ends(folder, name, first, 0, p, io, err);
}

void
sparse_remove_chunk(const struct folder *folder, int64_t number)
{
    char name[SPARSE_NAME_SIZE];
    sparse_chunk_name(number, name);
    folder_remove(folder, name);
}

tess_status
sparse_write_chunk(const struct folder *folder, int64_t number, const uint8_t *chunk, int32_t size,
                   bool sync, tess_error *err)
{
    char name[SPARSE_NAME_SIZE];
    struct io *io;
    sparse_chunk_name(number, name);
    tess_status st = folder_write(folder, name, &io, err);
    if (st != TESS_OK)
        return st;
    st = io_write(io, 0, chunk, (size_t)size, err);
    if (st == TESS_OK && sync)
        st = io_sync(io, err);
    io_close(io);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", name);
}

// -- those that are not synced

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

// -- orphans

enum { FEW = 1024 }; // numbers of files that take no time to list

static bool
exists(const struct frame *f, int64_t number)
{
    struct io *io;
    if (sparse_open_chunk(f->folder, number, 0, NULL, &io, NULL) != TESS_OK)
        return false;
    io_close(io);
    return true;
}

// They are listed before any is removed (io/folder.h).
static int64_t
remove_listed(const struct frame *f)
{
    struct chunk_numbers found = {0};
    int64_t removed = 0;
    (void)sparse_list_chunks(f->folder, &found, NULL);
    for (int64_t i = 0; i < found.count; i++) {
        if (numbers_is_taken(&f->directory.numbers, found.items[i]))
            continue;
        sparse_remove_chunk(f->folder, found.items[i]);
        removed++;
    }
    mem_free(found.items);
    return removed;
}

void
orphans_remove(struct frame *f)
{
    const int64_t last = numbers_last(&f->directory.numbers),
                  lowest = numbers_lowest_free(&f->directory.numbers);
    if (f->options.never_reuse || !frame_is_locked(f))
        return;
    if (last >= FEW && !exists(f, lowest) && !exists(f, last + 1))
        return;
    const int64_t removed = remove_listed(f);
    if (removed > 0)
        LOG(TESS_LOG_INFO, TESS_EVENT_LEFTOVER, io_path_name(f->options.path),
            "%" PRId64 " chunk files of a writer that did not commit them were removed", removed);
}
