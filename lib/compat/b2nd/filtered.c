/*
 * filtered.c - items of an array whose context has a postfilter of the program.
 *
 * The library knows no such functions: chunks are decoded one by one by the context, and the items
 * of the box are copied out of their blocks.
 */
#include "b2nd/filtered.h"

#include "b2nd/array.h"
#include "schunk/content.h"

#include <stdlib.h>

// A box that is read, and the chunk at hand.
struct job {
    const b2nd_array_t *array;
    const int64_t *start, *stop;
    void *buffer;
    const int64_t *shape; // of the buffer
    uint8_t *chunk; // its content, one block after the other
    const int64_t *origin; // of the chunk
    int64_t nblocks[B2ND_MAX_DIM]; // of a chunk, along each axis
};

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// What a block of the chunk has of the box.
static void
copy_block(const struct job *job, int64_t nblock)
{
    const b2nd_array_t *const a = job->array;
    const int64_t size = nd_typesize(a), rest = a->blocknitems * size;
    int64_t shape[B2ND_MAX_DIM] = {0}, first[B2ND_MAX_DIM] = {0}, end[B2ND_MAX_DIM] = {0};
    int64_t to[B2ND_MAX_DIM] = {0}, at = nblock;

    for (int i = a->ndim - 1; i >= 0; i--) {
        const int64_t inside = at % job->nblocks[i] * a->blockshape[i];
        const int64_t origin = job->origin[i] + inside;
        const int64_t low = larger(job->start[i], origin);
        const int64_t chunk_end = job->origin[i] + a->chunkshape[i];
        const int64_t high = smaller(job->stop[i], smaller(origin + a->blockshape[i], chunk_end));
        at /= job->nblocks[i];
        if (low >= high)
            return;
        shape[i] = a->blockshape[i];
        first[i] = low - origin;
        end[i] = high - origin;
        to[i] = low - job->start[i];
    }
    b2nd_copy_buffer2(a->ndim, (int32_t)size, job->chunk + nblock * rest, shape, first, end,
                      job->buffer, job->shape, to);
}

static int
read_chunk(void *arg, int64_t n, const int64_t *origin)
{
    struct job *const job = arg;
    const b2nd_array_t *const a = job->array;
    const int rc = b2_chunk_read(nd_schunk(a), n, job->chunk, a->sc->chunksize);

    job->origin = origin;
    for (int64_t b = 0; b < a->extchunknitems / a->blocknitems && rc == 0; b++)
        copy_block(job, b);
    return rc;
}

int
nd_read_filtered(const b2nd_array_t *array, const int64_t *start, const int64_t *stop, void *buffer,
                 const int64_t *shape)
{
    struct job job = {.array = array,
                      .start = start,
                      .stop = stop,
                      .buffer = buffer,
                      .shape = shape,
                      .chunk = malloc((size_t)array->sc->chunksize)};

    if (!job.chunk)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    for (int i = 0; i < array->ndim; i++)
        job.nblocks[i] = array->extchunkshape[i] / array->blockshape[i];
    const int rc = nd_each_chunk(array, start, stop, read_chunk, &job);
    free(job.chunk);
    return rc;
}
