/*
 * chunk_files.c - the files of chunks in the directory of a sparse frame.
 */
#include "frame/sparse/chunk_files.h"

#include "base/memory.h"
#include "io/folder.h"
#include "io/io.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
