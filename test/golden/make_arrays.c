/*
 * make_arrays.c - arrays of many kinds, for another reader to compare.
 *
 *     make_arrays FOLDER
 *
 * Names say what the array is. Used by interop.py; record.h says what is written.
 */
#include "golden/record.h"
#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct codec {
    const char *name;
    tess_codec id;
};

static const struct codec codecs[] = {
    {"blosclz", TESS_CODEC_BLOSCLZ}, {"lz4", TESS_CODEC_LZ4},   {"lz4hc", TESS_CODEC_LZ4HC},
    {"zlib", TESS_CODEC_ZLIB},       {"zstd", TESS_CODEC_ZSTD},
};

struct filters {
    const char *name;
    uint8_t ids[TESS_MAX_FILTERS];
    uint8_t metas[TESS_MAX_FILTERS];
};

static const struct filters filters[] = {
    {"nofilter", {0}, {0}},
    {"shuffle", {0, 0, 0, 0, 0, 1}, {0}},
    {"bitshuffle", {0, 0, 0, 0, 0, 2}, {0}},
    {"delta", {0, 0, 0, 0, 0, 3}, {0}},
    {"delta_shuffle", {0, 0, 0, 0, 3, 1}, {0}},
    {"shuffle_bytedelta", {0, 0, 0, 0, 1, 35}, {0}},
    {"bitshuffle_delta", {2, 3}, {0}},
    {"all", {3, 1, 2, 35, 1, 2}, {0}},
};

static const struct filters lossy[] = {
    {"trunc_prec", {0, 0, 0, 0, 4, 1}, {0, 0, 0, 0, 10, 0}},
    {"int_trunc", {0, 0, 0, 0, 36, 2}, {0, 0, 0, 0, 0xfc, 0}},
};

struct grid {
    const char *name;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t chunks[TESS_MAX_NDIM];
    int64_t blocks[TESS_MAX_NDIM];
};

static const struct grid grids[] = {
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

static const struct grid *const edges = &grids[5];
static const int32_t typesizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 255, 256, 300};

static tess_storage
storage_of(const char *name)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = record_path(name, "");
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

static tess_params
params_of(const struct codec *codec, const struct filters *f, const struct grid *grid,
          int32_t typesize)
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
    return p;
}

// Items that compress a little, with a run here and there.
static void
fill(struct reference *r, uint32_t seed)
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

// What the filters of `lossy` would not change: only the two highest bytes of an item are used.
static void
fill_lossy(struct reference *r, uint32_t seed)
{
    const size_t size = reference_size(r);

    fill(r, seed);
    for (size_t i = 0; i < size; i++)
        if (i % r->typesize < r->typesize - 2)
            r->data[i] = 0;
}

// An array made from memory.
static void
make(const char *name, const tess_params *params, uint32_t seed, bool is_lossy)
{
    const tess_storage storage = storage_of(name);
    struct reference r;
    tess_array *a = NULL;

    reference_init(&r, params->ndim, params->shape, (size_t)params->typesize);
    if (is_lossy)
        fill_lossy(&r, seed);
    else
        fill(&r, seed);
    MUST(tess_array_from(&storage, params, r.data, reference_size(&r), &a, err));
    record_array(name, a, &r);
    reference_finish(&r);
}

static void
codecs_and_filters(void)
{
    static const int levels[] = {1, 5, 9};
    static const int32_t sizes[] = {1, 4, 8, 12};
    char name[200];
    uint32_t seed = 1;

    for (size_t c = 0; c < COUNT(codecs); c++)
        for (size_t f = 0; f < COUNT(filters); f++)
            for (size_t t = 0; t < COUNT(sizes); t++) {
                tess_params p = params_of(&codecs[c], &filters[f], edges, sizes[t]);
                p.clevel = levels[seed % 3];
                (void)snprintf(name, sizeof name, "%s_%s_%d_level%d", codecs[c].name,
                               filters[f].name, (int)sizes[t], p.clevel);
                make(name, &p, seed++, false);
            }
    for (size_t c = 0; c < COUNT(codecs); c++)
        for (size_t f = 0; f < COUNT(lossy); f++)
            for (int32_t t = 4; t <= 8; t += 4) {
                tess_params p = params_of(&codecs[c], &lossy[f], edges, t);
                (void)snprintf(name, sizeof name, "%s_%s_%d", codecs[c].name, lossy[f].name,
                               (int)t);
                make(name, &p, seed++, true);
            }
}

static void
shapes_and_typesizes(void)
{
    char name[200];
    uint32_t seed = 1000;

    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t t = 0; t < COUNT(typesizes); t++) {
            const struct codec *codec = &codecs[seed % COUNT(codecs)];
            const struct filters *f = &filters[seed / 3 % COUNT(filters)];
            tess_params p = params_of(codec, f, &grids[g], typesizes[t]);

            (void)snprintf(name, sizeof name, "shape_%s_%d_%s_%s", grids[g].name, (int)typesizes[t],
                           codec->name, f->name);
            make(name, &p, seed++, false);
        }
}

static void
splits_and_levels(void)
{
    static const tess_split splits[] = {TESS_SPLIT_ALWAYS, TESS_SPLIT_NEVER, TESS_SPLIT_AUTO};
    static const struct grid large = {"large", 1, {3000}, {2000}, {500}};
    char name[200];
    uint32_t seed = 2000;

    for (size_t c = 0; c < COUNT(codecs); c++)
        for (size_t s = 0; s < COUNT(splits); s++)
            for (int32_t t = 2; t <= 16; t *= 2) {
                tess_params p = params_of(&codecs[c], &filters[1], &large, t);
                p.split = splits[s];
                (void)snprintf(name, sizeof name, "split%d_%s_%d", (int)splits[s], codecs[c].name,
                               (int)t);
                make(name, &p, seed++, false);
            }
    for (size_t c = 0; c < COUNT(codecs); c++)
        for (int level = 0; level <= 9; level++) {
            tess_params p = params_of(&codecs[c], &filters[level % 4], &large, 4);
            p.clevel = level;
            (void)snprintf(name, sizeof name, "level%d_%s", level, codecs[c].name);
            make(name, &p, seed++, false);
        }
}

// Chunks of one value, untouched and written over.
static void
specials(void)
{
    static const char *const kinds[] = {"uninit", "zeros", "nan", "full"};
    static const uint8_t nan[2][8] = {{0, 0, 0xc0, 0x7f}, {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}};
    uint8_t value[300];
    uint8_t box[300 * 9];
    char name[200];

    memset(box, 7, sizeof box);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (uint8_t)(i + 1);
    for (int kind = 0; kind < 4; kind++)
        for (size_t t = 0; t < COUNT(typesizes); t++)
            for (int over = 0; over < 2; over++) {
                const int32_t ts = typesizes[t];
                const tess_params p =
                    params_of(&codecs[t % COUNT(codecs)], &filters[t % 5], edges, ts);
                struct reference r;
                tess_array *a = NULL;

                if (kind == 2 && ts != 4 && ts != 8)
                    continue;
                (void)snprintf(name, sizeof name, "special_%s_%d%s", kinds[kind], (int)ts,
                               over ? "_over" : "");
                const tess_storage storage = storage_of(name);
                reference_init(&r, p.ndim, p.shape, (size_t)ts);
                if (kind == 0)
                    MUST(tess_array_uninit(&storage, &p, &a, err));
                else if (kind == 1)
                    MUST(tess_array_zeros(&storage, &p, &a, err));
                else if (kind == 2)
                    MUST(tess_array_nan(&storage, &p, &a, err));
                else
                    MUST(tess_array_full(&storage, &p, value, (size_t)ts, &a, err));
                if (kind > 1)
                    reference_fill(&r, kind == 2 ? nan[ts / 8] : value);
                if (over) {
                    const int64_t start[2] = {7, 5};
                    const int64_t stop[2] = {10, 8};
                    MUST(tess_array_write(a, start, stop, box, (size_t)ts * 9, err));
                    reference_set(&r, start, stop, box);
                }
                record_array(name, a, &r);
                reference_finish(&r);
            }
}

// Arrays with a past: written in parts, grown, shrunk, with commits in between.
static void
histories(void)
{
    char name[200];

    for (size_t c = 0; c < COUNT(codecs); c++)
        for (size_t f = 0; f < COUNT(filters); f++) {
            const tess_params p = params_of(&codecs[c], &filters[f], edges, 4);
            const int64_t shapes[][2] = {{20, 13}, {20, 20}, {9, 20}, {0, 20}, {12, 14}};
            uint8_t row[100];
            struct reference r;
            tess_array *a = NULL;

            (void)snprintf(name, sizeof name, "history_%s_%s", codecs[c].name, filters[f].name);
            const tess_storage storage = storage_of(name);
            reference_init(&r, 2, p.shape, 4);
            fill(&r, (uint32_t)(c * 10 + f));
            MUST(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
            for (size_t i = 0; i < 3 + (c + f) % 3; i++) {
                memset(row, (int)(i + f), sizeof row);
                row[5] = (uint8_t)c;
                for (int64_t y = (int64_t)i; y < r.shape[0]; y += 4) {
                    const int64_t start[2] = {y, 0};
                    const int64_t stop[2] = {y + 1, r.shape[1]};
                    MUST(tess_array_write(a, start, stop, row, (size_t)r.shape[1] * 4, err));
                    reference_set(&r, start, stop, row);
                }
                MUST(tess_vlmeta_set(a, i % 2 ? "odd" : "even", row, 3 + 20 * i, err));
                MUST(tess_array_flush(a, err));
                MUST(tess_array_resize(a, shapes[i], err));
                reference_resize(&r, shapes[i]);
            }
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

static void
layers(void)
{
    static uint8_t bytes[70000];
    const tess_metalayer metas[] = {
        {"one", "\x93\x01\x02\x03", 4},
        {"empty", NULL, 0},
        {"large", bytes, 3000},
        {"1234567890123456789012345678901", "x", 1},
    };
    const size_t sizes[] = {0, 1, 31, 32, 33, 200, 65536, 70000};
    char name[200];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 9);
    for (int layer = 0; layer < 2; layer++)
        for (size_t n = 0; n <= COUNT(metas); n++) {
            tess_params p = params_of(&codecs[4], &filters[1], edges, 2);
            struct reference r;
            tess_array *a = NULL;
            char vl[32];

            p.layer = layer ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
            p.metalayers = metas;
            p.nmetalayers = (int)n;
            (void)snprintf(name, sizeof name, "layers%zu_%s", n, layer ? "caterva" : "b2nd");
            const tess_storage storage = storage_of(name);
            reference_init(&r, 2, p.shape, 2);
            fill(&r, (uint32_t)n);
            MUST(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
            for (size_t i = 0; i < 2 * n; i++) {
                (void)snprintf(vl, sizeof vl, "vl %zu", i);
                MUST(
                    tess_vlmeta_set(a, vl, bytes + i, sizes[i] - (sizes[i] == 70000 ? i : 0), err));
            }
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

// Filters and codecs that look at the shape of blocks.
static void
cells(void)
{
    static const struct filters ndcell[] = {
        {"ndcell", {0, 0, 0, 0, 0, 32}, {0, 0, 0, 0, 0, 2}},
        {"ndcell_shuffle", {0, 0, 0, 0, 32, 1}, {0, 0, 0, 0, 1, 0}},
        {"delta_ndcell", {3, 32}, {0, 2}},
    };
    static const struct filters ndmean = {"ndmean", {0, 0, 0, 0, 33, 1}, {0, 0, 0, 0, 2, 0}};
    char name[200];
    uint32_t seed = 3000;

    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t f = 0; f < COUNT(ndcell); f++)
            for (size_t t = 0; t < COUNT(typesizes); t++) {
                const struct codec *codec = &codecs[seed % COUNT(codecs)];
                tess_params p = params_of(codec, &ndcell[f], &grids[g], typesizes[t]);
                int64_t cell = 1, items = 1;

                for (int i = 0; i < p.ndim; i++) {
                    cell *= ndcell[f].metas[f == 0 ? 5 : f == 1 ? 4 : 1];
                    items *= p.blockshape[i];
                }
                if (p.ndim < 1 || p.ndim > 8 || p.typesize > 255 || cell > items)
                    continue;
                (void)snprintf(name, sizeof name, "%s_%s_%d_%s", ndcell[f].name, grids[g].name,
                               (int)p.typesize, codec->name);
                make(name, &p, seed++, false);
            }
    for (int32_t t = 4; t <= 8; t += 4) // means: we and the other reader must read the same ones
        for (size_t c = 0; c < COUNT(codecs); c++) {
            static const int64_t origin[TESS_MAX_NDIM] = {0};
            const tess_params p = params_of(&codecs[c], &ndmean, edges, t);
            struct reference r;
            tess_array *a = NULL;

            (void)snprintf(name, sizeof name, "ndmean_%d_%s", (int)t, codecs[c].name);
            const tess_storage storage = storage_of(name);
            reference_init(&r, 2, p.shape, (size_t)t);
            fill(&r, seed++);
            MUST(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
            MUST(tess_array_read(a, origin, r.shape, r.data, reference_size(&r), err));
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

// NDLZ: bytes, or larger items that are split.
static void
ndlz(void)
{
    static const struct grid large[] = {
        {"exact", 2, {96, 64}, {48, 64}, {16, 32}},
        {"edges", 2, {71, 53}, {40, 30}, {13, 18}},
        {"tiny", 2, {30, 30}, {10, 10}, {3, 5}},
    };
    static const struct codec codec = {"ndlz", TESS_CODEC_NDLZ};
    char name[200];
    uint32_t seed = 4000;

    for (size_t g = 0; g < COUNT(large); g++)
        for (size_t f = 0; f < 6; f++)
            for (size_t t = 0; t < 7; t++)
                for (int side = 4; side <= 8; side += 4) {
                    tess_params p = params_of(&codec, &filters[f], &large[g], typesizes[t]);

                    p.codec_meta = (uint8_t)side;
                    p.split = typesizes[t] == 1 && seed % 2 ? TESS_SPLIT_AUTO : TESS_SPLIT_ALWAYS;
                    (void)snprintf(name, sizeof name, "ndlz%d_%s_%s_%d", side, large[g].name,
                                   filters[f].name, (int)p.typesize);
                    make(name, &p, seed++, false);
                }
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: make_arrays FOLDER\n", stderr);
        return 2;
    }
    record_begin(argv[1]);
    codecs_and_filters();
    shapes_and_typesizes();
    splits_and_levels();
    specials();
    histories();
    layers();
    cells();
    ndlz();
    record_end();
    return 0;
}
