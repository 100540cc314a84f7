/*
 * arrays.c - what the arrays of make_arrays.c have in common.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <stdio.h>
#include <string.h>

const struct codec arrays_codecs[NCODECS] = {
    {"blosclz", TESS_CODEC_BLOSCLZ}, {"lz4", TESS_CODEC_LZ4},   {"lz4hc", TESS_CODEC_LZ4HC},
    {"zlib", TESS_CODEC_ZLIB},       {"zstd", TESS_CODEC_ZSTD},
};

const struct filters arrays_filters[NFILTERS] = {
    {"nofilter", {0}, {0}},
    {"shuffle", {0, 0, 0, 0, 0, 1}, {0}},
    {"bitshuffle", {0, 0, 0, 0, 0, 2}, {0}},
    {"delta", {0, 0, 0, 0, 0, 3}, {0}},
    {"delta_shuffle", {0, 0, 0, 0, 3, 1}, {0}},
    {"shuffle_bytedelta", {0, 0, 0, 0, 1, 35}, {0}},
    {"bitshuffle_delta", {2, 3}, {0}},
    {"all", {3, 1, 2, 35, 1, 2}, {0}},
};

const struct grid arrays_grids[NGRIDS] = {
    {"0d", 0, {0}, {0}, {0}},
    {"1d_exact", 1, {96}, {48}, {16}},
    {"1d_edges", 1, {101}, {30}, {7}},
    {"1d_one", 1, {1}, {1}, {1}},
    {"1d_large_chunk", 1, {10}, {40}, {40}},
    {"2d_edges", 2, {17, 13}, {8, 6}, {3, 4}},
    {"2d_one_block", 2, {20, 20}, {10, 10}, {10, 10}},
    {"2d_rows", 2, {9, 40}, {1, 40}, {1, 40}},
    {"2d_zero_axis", 2, {5, 0}, {4, 4}, {2, 2}},
    {"3d_edges", 3, {7, 6, 5}, {4, 3, 5}, {2, 3, 2}},
    {"4d", 4, {4, 3, 5, 3}, {3, 2, 3, 3}, {2, 2, 2, 1}},
    {"8d", 8, {2, 3, 2, 2, 1, 3, 2, 2}, {2, 2, 1, 2, 1, 2, 2, 2}, {1, 2, 1, 2, 1, 2, 1, 2}},
    {"16d",
     16,
     {2, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 1, 2, 1, 2},
     {2, 1, 1, 1, 1, 2, 1, 2, 1, 1, 2, 1, 1, 1, 1, 2},
     {1, 1, 1, 1, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 2}},
};

const struct grid *const arrays_edges = &arrays_grids[5];
const int32_t arrays_typesizes[NTYPESIZES] = {1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 255, 256, 300};

tess_storage
arrays_storage(const char *name)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = record_path(name, "");
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

tess_params
arrays_params(const struct codec *codec, const struct filters *f, const struct grid *grid,
              int32_t typesize, tess_layout layout)
{
    tess_params p;

    tess_params_init(&p);
    p.typesize = typesize;
    p.ndim = grid->ndim;
    memcpy(p.shape, grid->shape, sizeof p.shape);
    memcpy(p.chunkshape, grid->chunks, sizeof p.chunkshape);
    memcpy(p.blockshape, grid->blocks, sizeof p.blockshape);
    p.codec = codec->id;
    memcpy(p.filters, f->ids, sizeof p.filters);
    memcpy(p.filters_meta, f->metas, sizeof p.filters_meta);
    p.layout = layout;
    return p;
}

const char *
arrays_prefix(tess_layout layout)
{
    return layout == TESS_LAYOUT_SPARSE ? "sparse_" : "";
}

// Items that compress a little, with a run here and there.
void
arrays_fill(struct reference *r, uint32_t seed)
{
    const size_t size = reference_size(r);
    uint32_t x = seed * 2654435761u + 1;

    for (size_t i = 0; i < size; i++) {
        const size_t item = i / r->typesize;
        const size_t byte = i % r->typesize;

        x = x * 1664525 + 1013904223;
        if (item % 50 < 20)
            r->data[i] = (uint8_t)(byte == 1 ? item * 3 : seed);
        else
            r->data[i] = (uint8_t)(byte == 0 ? x >> 24 : item + byte);
    }
}

void
arrays_from(const char *name, const tess_params *params, const struct reference *r, tess_array **a)
{
    const tess_storage storage = arrays_storage(name);

    MUST(tess_array_from(&storage, params, r->data, reference_size(r), a, err));
}

void
arrays_make(const char *name, const tess_params *params, uint32_t seed)
{
    struct reference r;
    tess_array *a = NULL;

    if (params->layout == TESS_LAYOUT_SPARSE && seed % 7 > 1)
        return; // many small files: a part of them will do
    reference_init(&r, params->ndim, params->shape, (size_t)params->typesize);
    arrays_fill(&r, seed);
    arrays_from(name, params, &r, &a);
    record_array(name, a, &r);
    reference_finish(&r);
}

void
arrays_write(tess_array *a, struct reference *r, const int64_t *start, const int64_t *stop,
             const void *src)
{
    MUST(tess_array_write(a, start, stop, src, reference_box_size(r, start, stop), err));
    reference_set(r, start, stop, src);
}

void
arrays_resize(tess_array *a, struct reference *r, const int64_t *shape)
{
    MUST(tess_array_resize(a, shape, err));
    reference_resize(r, shape);
}

void
arrays_reopen(const char *name, tess_array **a)
{
    tess_storage storage = arrays_storage(name);

    MUST(tess_array_close(*a, err));
    storage.mode = TESS_MODE_UPDATE;
    MUST(tess_array_open(&storage, a, err));
}
