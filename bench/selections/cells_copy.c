/*
 * cells_copy.c - new arrays: concatenated, stacked, copied to other chunks, codec and byte order.
 */
#include "hand.h"

#include <tessera/copy.h>

#include <string.h>

static void
any_concatenate(struct turn *t)
{
    t->made = t->side->concatenate(&t->job->array, t->a, t->a, 0);
}

static void
any_concatenate_layers(struct turn *t)
{
    t->made = t->side->concatenate(&t->job->array, t->a, t->a, 1);
}

static void
hand_concatenate(struct turn *t)
{
    hand_twice(t, 0);
}

static void
hand_concatenate_layers(struct turn *t)
{
    hand_twice(t, 1);
}

// The array twice along a new first axis; chunks are the same but for that.
static void
stacked(const struct turn *t, struct side_array *to)
{
    const struct side_array *const from = &t->job->array;

    *to = *from;
    to->ndim = NDIM + 1;
    to->shape[0] = 2;
    to->chunk[0] = to->block[0] = 1;
    memcpy(to->shape + 1, from->shape, NDIM * sizeof *to->shape);
    memcpy(to->chunk + 1, from->chunk, NDIM * sizeof *to->chunk);
    memcpy(to->block + 1, from->block, NDIM * sizeof *to->block);
}

static void
ours_stack(struct turn *t)
{
    tess_array *const arrays[2] = {t->a, t->a};
    struct side_array to;
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_error err;

    stacked(t, &to);
    tess_context_init(&context);
    context.threads = to.threads;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_array_params(t->a, &params);
    params.ndim = to.ndim;
    memcpy(params.shape, to.shape, sizeof to.shape);
    memcpy(params.chunkshape, to.chunk, sizeof to.chunk);
    memcpy(params.blockshape, to.block, sizeof to.block);
    tess_array *made;
    must(tess_array_stack(arrays, 2, 0, &storage, &params, &made, &err), &err);
    t->made = made;
}

static void
hand_stack(struct turn *t)
{
    struct side_array to;
    int64_t lo[NDIM + 1] = {0}, hi[NDIM + 1] = {1};

    stacked(t, &to);
    t->made = t->side->create(&to, NULL, 0);
    for (lo[0] = 0; lo[0] < 2; lo[0]++, hi[0]++)
        for (int64_t i = 0; hand_chunk(&t->job->array, i, lo + 1, hi + 1); i++) {
            const size_t size = (size_t)hand_count(lo + 1, hi + 1) * sizeof(float);
            tess_error err;
            hand_read(t->a, lo + 1, hi + 1, t->job->scratch);
            must(tess_array_write(t->made, lo, hi, t->job->scratch, size, &err), &err);
        }
}

static void
any_copy(struct turn *t)
{
    t->made = t->side->copy(&t->job->array, t->a);
}

// Chunk by chunk of the new array.
static void
hand_copy_as(struct turn *t, const struct side_array *array)
{
    int64_t lo[NDIM], hi[NDIM];

    t->made = t->side->create(array, NULL, 0);
    for (int64_t i = 0; hand_chunk(array, i, lo, hi); i++) {
        hand_read(t->a, lo, hi, t->job->scratch);
        hand_write(t->made, lo, hi, t->job->scratch);
    }
}

static void
hand_copy(struct turn *t)
{
    hand_copy_as(t, &t->job->array);
}

// Flat chunks: a tenth along axis 0, whole along axis 2.
static struct side_array
flat(const struct turn *t)
{
    struct side_array to = t->job->array;

    to.chunk[0] = 10;
    to.chunk[2] = to.shape[2];
    to.block[0] = 5;
    return to;
}

static void
any_rechunk(struct turn *t)
{
    const struct side_array to = flat(t);
    t->made = t->side->copy(&to, t->a);
}

static void
hand_rechunk(struct turn *t)
{
    const struct side_array to = flat(t);
    hand_copy_as(t, &to);
}

static struct side_array
recoded(const struct turn *t)
{
    struct side_array to = t->job->array;

    to.codec = to.codec == TESS_CODEC_LZ4 ? TESS_CODEC_BLOSCLZ : TESS_CODEC_LZ4;
    return to;
}

static void
any_recode(struct turn *t)
{
    const struct side_array to = recoded(t);
    t->made = t->side->copy(&to, t->a);
}

static void
hand_recode(struct turn *t)
{
    const struct side_array to = recoded(t);
    hand_copy_as(t, &to);
}

static void
ours_swap(struct turn *t)
{
    struct side_array to = t->job->array;

    to.dtype = ">f4";
    t->made = t->side->copy(&to, t->a);
}

static void
hand_swap(struct turn *t)
{
    struct side_array to = t->job->array;
    uint32_t *const items = (uint32_t *)(void *)t->job->scratch;
    int64_t lo[NDIM], hi[NDIM];

    to.dtype = ">f4";
    t->made = t->side->create(&to, NULL, 0);
    for (int64_t i = 0; hand_chunk(&to, i, lo, hi); i++) {
        const int64_t n = hand_count(lo, hi);
        hand_read(t->a, lo, hi, t->job->scratch);
        for (int64_t k = 0; k < n; k++)
            items[k] = __builtin_bswap32(items[k]);
        hand_write(t->made, lo, hi, t->job->scratch);
    }
}

#define MOVE "move all chunks into a new array"

const struct cell cells_copy[] = {
    {"concatenate 2, aligned", READS, any_concatenate, NULL, hand_concatenate, MOVE},
    {"concatenate 2, not aligned", READS, any_concatenate_layers, NULL, hand_concatenate_layers,
     MOVE},
    {"stack 2", READS, NULL, ours_stack, hand_stack, MOVE},
    {"copy as it is", READS, any_copy, NULL, hand_copy, "read and write chunk after chunk"},
    {"copy to other chunks", READS, any_rechunk, NULL, hand_rechunk,
     "read and write chunk after chunk of the new array"},
    {"copy to another codec", READS, any_recode, NULL, hand_recode,
     "read and write chunk after chunk"},
    {"copy to the other byte order", READS, NULL, ours_swap, hand_swap,
     "read, swap in a loop, write"},
    {0},
};
