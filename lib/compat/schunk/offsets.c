/*
 * offsets.c - where the chunks of a frame are, and which of them a slice meets.
 *
 * Offsets are read from the frame itself: its header says where the index chunk is.
 */
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/schunk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the header of a frame, big-endian numbers.
enum { AT_HEADER_LEN = 11, AT_FRAME_LEN = 16, AT_CBYTES = 39, HEADER_LEAST = 87 };

static int64_t
big_endian(const uint8_t *at, int size)
{
    uint64_t x = 0;

    for (int i = 0; i < size; i++)
        x = x << 8 | at[i];
    return (int64_t)x;
}

// -- the frame, in memory or in a file

struct bytes {
    const uint8_t *memory; // NULL: file
    int64_t size;
    FILE *file;
    int64_t offset;
};

static bool
read_at(const struct bytes *b, int64_t position, void *dst, int64_t size)
{
    if (b->memory) {
        if (position < 0 || size < 0 || size > b->size - position)
            return false;
        memcpy(dst, b->memory + position, (size_t)size);
        return true;
    }
    return fseeko(b->file, (off_t)(b->offset + position), SEEK_SET) == 0 &&
           fread(dst, 1, (size_t)size, b->file) == (size_t)size;
}

// The index chunk; free() it. NULL: there is none, or it cannot be read.
static uint8_t *
read_index(const struct bytes *b, bool sparse, int32_t *cbytes)
{
    uint8_t head[HEADER_LEAST], chunk[BLOSC_EXTENDED_HEADER_LENGTH];

    if (!read_at(b, 0, head, sizeof head))
        return NULL;
    const int64_t at =
        big_endian(head + AT_HEADER_LEN, 4) + (sparse ? 0 : big_endian(head + AT_CBYTES, 8));
    const int64_t room = big_endian(head + AT_FRAME_LEN, 8) - at;
    if (at < HEADER_LEAST || room < (int64_t)sizeof chunk || !read_at(b, at, chunk, sizeof chunk) ||
        blosc2_cbuffer_sizes(chunk, NULL, cbytes, NULL) < 0 || *cbytes > room)
        return NULL;
    uint8_t *const index = malloc((size_t)*cbytes);
    if (index && read_at(b, at, index, *cbytes))
        return index;
    free(index);
    return NULL;
}

static int64_t *
decode_offsets(const struct bytes *b, bool sparse, int64_t nchunks)
{
    const int64_t size = nchunks * (int64_t)sizeof(int64_t);
    int32_t cbytes = 0;
    uint8_t *const index = read_index(b, sparse, &cbytes);
    int64_t *offsets = index && size <= INT32_MAX ? malloc((size_t)size) : NULL;

    if (offsets && blosc2_decompress(index, cbytes, offsets, (int32_t)size) != size) {
        free(offsets);
        offsets = NULL;
    }
    free(index);
    return offsets;
}

static FILE *
open_file(const struct b2_schunk *s)
{
    static const char name[] = "/chunks.b2frame";
    char *const path = malloc(strlen(s->path) + sizeof name);

    if (!path)
        return NULL;
    (void)strcpy(path, s->path);
    if (!s->of.storage->contiguous)
        (void)strcat(path, name);
    FILE *const file = fopen(path, "rb");
    free(path);
    return file;
}

static int64_t *
offsets_of_file(struct b2_schunk *s)
{
    struct bytes b = {.offset = s->offset};
    tess_error err = {0};
    int64_t *offsets = NULL;

    b2_schunk_alone_begin(s);
    if (!s->writable || b2_code(tess_array_flush(s->a, &err), &err) == 0) {
        b.file = open_file(s);
        if (b.file) {
            offsets = decode_offsets(&b, !s->of.storage->contiguous, s->of.nchunks);
            (void)fclose(b.file);
        }
    }
    b2_schunk_end(s);
    return offsets;
}

static int64_t *
offsets_of_memory(blosc2_schunk *schunk)
{
    uint8_t *frame = NULL;
    bool needs_free = false;
    const int64_t size = blosc2_schunk_to_buffer(schunk, &frame, &needs_free);
    const struct bytes b = {.memory = frame, .size = size};
    int64_t *const offsets = size > 0 ? decode_offsets(&b, false, schunk->nchunks) : NULL;

    if (needs_free)
        free(frame);
    return offsets;
}

int64_t *
blosc2_frame_get_offsets(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s || !schunk->frame || schunk->nchunks == 0)
        return NULL;
    return s->path ? offsets_of_file(s) : offsets_of_memory(schunk);
}

// -- slices

// n numbers, for the program to free.
static int64_t *
numbers(int64_t n)
{
    return malloc((size_t)(n > 0 ? n : 1) * sizeof(int64_t));
}

static int64_t
chunks_in_row(const blosc2_schunk *schunk, int64_t start, int64_t stop, int64_t **list)
{
    const int64_t size = schunk->typesize, chunksize = schunk->chunksize;

    if (schunk->nchunks == 0 || start >= stop)
        return 0;
    if (start < 0 || stop > schunk->nbytes / size || chunksize <= 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items %" PRId64 " to %" PRId64, start, stop);
    const int64_t first = start * size / chunksize, last = (stop * size - 1) / chunksize;
    *list = numbers(last - first + 1);
    if (!*list)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    for (int64_t n = first; n <= last; n++)
        (*list)[n - first] = n;
    return last - first + 1;
}

static int64_t
chunks_in_grid(const tess_info *info, const int64_t *start, const int64_t *stop, int64_t **list)
{
    int64_t lo[TESS_MAX_NDIM], hi[TESS_MAX_NDIM], at[TESS_MAX_NDIM], count = 1, n = 0;

    for (int i = 0; i < info->ndim; i++) {
        if (start[i] < 0 || stop[i] > info->shape[i] || start[i] > stop[i])
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: items %" PRId64 " to %" PRId64 " of %" PRId64, i, start[i],
                           stop[i], info->shape[i]);
        if (start[i] == stop[i])
            return 0;
        at[i] = lo[i] = start[i] / info->chunkshape[i];
        hi[i] = (stop[i] - 1) / info->chunkshape[i];
        count *= hi[i] - lo[i] + 1;
    }
    *list = numbers(count);
    if (!*list)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    while (n < count) {
        int64_t number = 0;
        for (int i = 0; i < info->ndim; i++)
            number =
                number * ((info->shape[i] + info->chunkshape[i] - 1) / info->chunkshape[i]) + at[i];
        (*list)[n++] = number;
        for (int i = info->ndim - 1; i >= 0 && ++at[i] > hi[i]; i--)
            at[i] = lo[i];
    }
    return count;
}

int64_t
blosc2_get_slice_nchunks(blosc2_schunk *schunk, int64_t *start, int64_t *stop, int64_t **chunks_idx)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_info info;

    if (!s || !start || !stop || !chunks_idx)
        return BLOSC2_ERROR_NULL_POINTER;
    *chunks_idx = NULL;
    const int rc = b2_schunk_read_begin(s);
    if (rc < 0)
        return rc;
    tess_array_info(s->a, &info);
    const int64_t n = info.plain ? chunks_in_row(schunk, *start, *stop, chunks_idx)
                                 : chunks_in_grid(&info, start, stop, chunks_idx);
    b2_schunk_end(s);
    return n;
}
