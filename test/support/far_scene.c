/*
 * far_scene.c - arrays in sources beside the same in files.
 */
#include "support/far_scene.h"

#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct kind far_kinds[FAR_KINDS] = {
    {"cubes",
     "<i4",
     3,
     {100, 90, 80},
     {30, 30, 30},
     {10, 10, 15},
     TESS_CODEC_LZ4,
     5,
     {0, TESS_FILTER_SHUFFLE},
     20,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"delta",
     "<i4",
     2,
     {700, 900},
     {200, 300},
     {50, 64},
     TESS_CODEC_ZSTD,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
     20,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"many small chunks",
     "<i2",
     2,
     {1100, 900},
     {20, 30},
     {10, 15},
     TESS_CODEC_BLOSCLZ,
     5,
     {0, TESS_FILTER_BITSHUFFLE},
     13,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"one chunk of 9 MiB",
     "|u1",
     1,
     {9 << 20},
     {9 << 20},
     {1 << 16},
     TESS_CODEC_LZ4,
     5,
     {0, 0},
     8,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"stored blocks",
     "<f8",
     2,
     {400, 600},
     {150, 160},
     {30, 40},
     TESS_CODEC_ZLIB,
     0,
     {0, 0},
     60,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"one block a chunk",
     "<i4",
     1,
     {600000},
     {9000},
     {9000},
     TESS_CODEC_LZ4HC,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_BYTEDELTA},
     22,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"directory",
     "<i4",
     2,
     {700, 700},
     {100, 200},
     {20, 50},
     TESS_CODEC_LZ4,
     5,
     {0, TESS_FILTER_SHUFFLE},
     22,
     TESS_LAYOUT_SPARSE,
     true},
    {"delta in a directory",
     "<i4",
     1,
     {400000},
     {70000},
     {3000},
     TESS_CODEC_ZSTD,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
     22,
     TESS_LAYOUT_SPARSE,
     true},
};
int64_t
far_nitems(const struct kind *k)
{
    int64_t n = 1;
    for (int i = 0; i < k->ndim; i++)
        n *= k->shape[i];
    return n;
}

const char *
far_make_with(const struct kind *k, uint64_t seed, tess_checksums checksums)
{
    const char *const path = files_path("array");
    const size_t size = k->dtype[1] == 'f' ? 8 : (size_t)(k->dtype[2] - '0');
    const int64_t n = far_nitems(k), hole = n / 9;
    uint8_t *const items = calloc((size_t)n, size);
    struct random r;
    tess_storage storage;
    tess_params p;
    tess_array *a;
    assert_non_null(items);
    random_init(&r, seed);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = random_next(&r) >> (64 - k->noise);
        memcpy(items + (size_t)i * size, &x, size < 8 || k->noise < 60 ? size : 7);
    }
    for (int64_t at = hole; k->holes && at + hole < n; at += 3 * hole)
        memset(items + (size_t)at * size, at == hole ? 0 : 1, (size_t)hole * size);
    tess_params_init(&p);
    p.dtype = k->dtype;
    p.ndim = k->ndim;
    for (int i = 0; i < k->ndim; i++) {
        p.shape[i] = k->shape[i];
        p.chunkshape[i] = k->chunkshape[i];
        p.blockshape[i] = k->blockshape[i];
    }
    p.codec = k->codec;
    p.clevel = k->clevel;
    memset(p.filters, 0, sizeof p.filters);
    memcpy(p.filters + TESS_MAX_FILTERS - 2, k->filters, 2);
    p.layout = k->layout;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.checksums = checksums;
    ok(tess_array_from(&storage, &p, items, (size_t)n * size, &a, err));
    ok(tess_array_close(a, err));
    free(items);
    return path;
}

const char *
far_make(const struct kind *k, uint64_t seed)
{
    return far_make_with(k, seed, TESS_CHECKSUMS_WRITE);
}

// Each chunk is read as its object is opened.
const struct kind far_short_chunks = {
    .dtype = "<i4",
    .ndim = 1,
    .shape = {400000},
    .chunkshape = {10000},
    .blockshape = {1000},
    .codec = TESS_CODEC_LZ4,
    .noise = 20,
    .layout = TESS_LAYOUT_SPARSE,
};

const char *
far_make_written(const struct written *w)
{
    static int32_t items[WRITTEN_ITEMS];
    const char *const path = files_path("array");
    int order[WRITTEN_MOST];
    struct random r;
    tess_storage storage;
    tess_params p;
    tess_array *a;
    random_init(&r, 7);
    tess_params_init(&p);
    p.dtype = NATIVE "i4";
    p.ndim = 1;
    p.shape[0] = (int64_t)w->n * WRITTEN_ITEMS;
    p.chunkshape[0] = WRITTEN_ITEMS;
    p.blockshape[0] = WRITTEN_BLOCK;
    p.codec = TESS_CODEC_LZ4;
    p.clevel = 5;
    memset(p.filters, 0, sizeof p.filters);
    p.layout = w->layout;
    p.filters[TESS_MAX_FILTERS - 2] = w->delta ? TESS_FILTER_DELTA : 0;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (int i = 0; i < w->n; i++) {
        const int k = w->shuffled ? (int)random_below(&r, (uint64_t)i + 1) : i;
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < w->n; i++) {
        const int64_t start = (int64_t)order[i] * WRITTEN_ITEMS, stop = start + WRITTEN_ITEMS;
        const int bits = 4 + (int)random_below(&r, 26);
        for (int k = 0; k < WRITTEN_ITEMS; k++)
            items[k] = (int32_t)(random_next(&r) >> (64 - bits));
        if (order[i] % w->every == 0)
            ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
    }
    ok(tess_array_close(a, err));
    return path;
}

void
far_draw_scene(struct scene *s, struct random *r)
{
    static const int64_t aheads[] = {1, 1000, 100000, 1 << 20, 0, 64 << 20};
    struct conduct *const c = &s->conduct;
    conduct_init(c);
    c->latency = random_below(r, 3) ? FAR : 0;
    c->requests = (int)random_below(r, 21);
    c->guarded = random_below(r, 2);
    c->ends = random_below(r, 2);
    c->tells = random_below(r, 2);
    c->order = (enum arrival)random_below(r, ORDERS);
    tess_context_init(&s->context);
    s->context.threads = 1 + (int)random_below(r, 4);
    s->context.ahead = aheads[random_below(r, sizeof aheads / sizeof *aheads)];
    s->context.cache = random_below(r, 2) ? 0 : TESS_CACHE_SHARED;
    s->checksums = random_below(r, 2) ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
}

tess_status
far_open_here(struct scene *s, tess_error *err)
{
    const tess_source source = object_source(&s->object);
    tess_storage storage;
    tess_storage_init(&storage);
    storage.source = &source;
    storage.context = &s->context;
    storage.checksums = s->checksums;
    const tess_status st = tess_array_open(&storage, &s->here, err);
    assert_true((st == TESS_OK) == (s->here != NULL));
    return st;
}

void
far_open_there(struct scene *s)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = s->path;
    ok(tess_array_open(&storage, &s->there, err));
}

void
far_check_closed(const struct scene *s, bool was_open)
{
    assert_false(atomic_load(&s->conduct.closed_early));
    assert_int_equal(atomic_load(&s->conduct.closed),
                     atomic_load(&s->conduct.opened) + (was_open ? 1 : 0));
}

void
far_load(struct scene *s, const char *path, bool directory)
{
    s->path = path;
    object_load(&s->object, &s->conduct, path, directory);
}

void
far_close_here(struct scene *s)
{
    ok(tess_array_close(s->here, err));
    far_check_closed(s, true);
    object_finish(&s->object);
}

void
far_open_to_count(struct scene *s, const char *path, bool directory, tess_checksums checksums)
{
    struct random r;
    random_init(&r, 1);
    far_draw_scene(s, &r);
    far_load(s, path, directory);
    s->conduct.latency = FAR;
    s->conduct.requests = 8;
    s->conduct.ends = true;
    s->conduct.guarded = true;
    s->context.cache = 0;
    s->context.ahead = 0;
    s->checksums = checksums;
    ok(far_open_here(s, err));
}
