/*
 * plugin_arrays.c - making arrays that need plugins, and looking at them.
 */
#include "api/plugin_arrays.h"

#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Of a random array.
enum { CHUNKS_MAX = 300 };

tess_storage
place(const char *path, tess_mode mode, const struct kit *kit)
{
    // Without a cache, what a plugin answers comes from the call that makes it work.
    static const tess_context direct = {.struct_size = sizeof direct};
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    storage.plugins = kit ? &kit->plugins : NULL;
    storage.context = &direct;
    return storage;
}

void
check_path(const char *path, const struct kit *kit, const struct reference *want)
{
    tess_storage storage = place(path, TESS_MODE_READ, kit);
    tess_array *a = NULL;

    for (int mapped = 0; mapped < 2; mapped++) {
        storage.mmap = mapped;
        ok(tess_array_open(&storage, &a, err));
        check_array(a, want);
        ok(tess_array_close(a, err));
    }
}

void
plain_params(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<u4";
    p->typesize = 4;
    p->ndim = 2;
    memcpy(p->shape, (int64_t[]){40, 30}, 2 * sizeof *p->shape);
    memcpy(p->chunkshape, (int64_t[]){20, 10}, 2 * sizeof *p->shape);
    memcpy(p->blockshape, (int64_t[]){10, 10}, 2 * sizeof *p->shape);
    p->codec = (tess_codec)RUNS;
    p->codec_meta = 77;
    p->filters[4] = ADD;
    p->filters_meta[4] = 99;
}

void
plain_items(struct reference *r, const tess_params *p)
{
    reference_init(r, p->ndim, p->shape, (size_t)p->typesize);
    for (size_t i = 0; i < reference_size(r); i++)
        r->data[i] = (uint8_t)(i % r->typesize < 2 ? i / 200 + 1 : 3);
}

void
make(const char *path, const struct kit *kit, const tess_params *p, const struct reference *r)
{
    const tess_storage storage = place(path, TESS_MODE_REPLACE, kit);
    tess_array *a = NULL;
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    check_array(a, r);
    ok(tess_array_close(a, err));
}

tess_array *
reopen(const char *path, tess_mode mode, const struct kit *kit)
{
    const tess_storage storage = place(path, mode, kit);
    tess_array *a = NULL;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

tess_status
read_all(const tess_array *a, struct reference *r, tess_error *err)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    return tess_array_read(a, origin, r->shape, r->data, reference_size(r), err);
}

uint8_t *
take_image(tess_array *a, size_t *size)
{
    const void *bytes = NULL;
    ok(tess_array_image(a, &bytes, size, err));
    uint8_t *const image = malloc(*size);
    assert_non_null(image);
    memcpy(image, bytes, *size);
    return image;
}

size_t
find(const uint8_t *image, size_t size, const uint8_t *what, size_t what_size)
{
    for (size_t i = 0; i + what_size <= size; i++)
        if (memcmp(image + i, what, what_size) == 0)
            return i;
    fail_msg("the bytes looked for are not in the frame");
    return 0;
}

tess_array *
open_home(int home, const struct kit *kit, tess_params *p, const struct reference *r)
{
    static const char *const names[] = {NULL, "file", "folder"};
    const char *const path = home > 0 ? files_path(names[home]) : NULL;
    const tess_storage storage = place(path, TESS_MODE_REPLACE, kit);
    tess_array *a = NULL;

    p->layout = home == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    if (home > 0) {
        make(path, kit, p, r);
        return reopen(path, TESS_MODE_UPDATE, kit);
    }
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    return a;
}

// -- random arrays

int64_t
below(struct subject *s, int64_t n)
{
    return (int64_t)random_below(&s->random, (uint64_t)n);
}

bool
one_in(struct subject *s, int64_t n)
{
    return below(s, n) == 0;
}

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

bool
small(const tess_params *p, const int64_t *shape)
{
    double chunk = p->typesize, nchunks = 1, nitems = 1;

    for (int i = 0; i < p->ndim; i++) {
        chunk *= (double)(divide_up(p->chunkshape[i], p->blockshape[i]) * p->blockshape[i]);
        nchunks *= (double)divide_up(shape[i], p->chunkshape[i]);
        nitems *= (double)shape[i];
    }
    return chunk <= BYTES_MAX && nchunks <= CHUNKS_MAX && nitems <= 2 * ITEMS_MAX &&
           nitems * p->typesize <= 2 * BYTES_MAX;
}

static void
draw_shapes(struct subject *s)
{
    tess_params *const p = &s->params;
    int64_t budget = ITEMS_MAX < BYTES_MAX / p->typesize ? ITEMS_MAX : BYTES_MAX / p->typesize;

    p->ndim = one_in(s, 3) ? (int)below(s, 9) : 1 + (int)below(s, 3);
    for (int i = 0; i < p->ndim; i++) {
        const int64_t most = i == p->ndim - 1 ? budget : p->ndim > 4 ? 4 : 4 + budget / 40;
        p->shape[i] = 1 + below(s, most < budget ? most : budget);
        budget /= p->shape[i];
    }
    do {
        for (int i = 0; i < p->ndim; i++) {
            p->chunkshape[i] = 1 + below(s, p->shape[i] + (one_in(s, 3) ? 5 : 1));
            p->blockshape[i] = 1 + below(s, p->chunkshape[i]);
        }
    } while (!small(p, p->shape));
    if (p->ndim > 0 && one_in(s, 12))
        p->shape[below(s, p->ndim)] = 0;
}

static void
draw_filters(struct subject *s)
{
    static const uint8_t exact[] = {
        0,
        0,
        0,
        ADD,
        ADD,
        MIRROR,
        TESS_FILTER_SHUFFLE,
        TESS_FILTER_BITSHUFFLE,
        TESS_FILTER_DELTA,
        TESS_FILTER_BYTEDELTA,
    };
    tess_params *const p = &s->params;

    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        p->filters[i] = exact[below(s, sizeof exact)];
        const bool ours = p->filters[i] == ADD || p->filters[i] == MIRROR;
        p->filters_meta[i] = ours ? (uint8_t)below(s, 256) : 0;
    }
}

void
draw_params(struct subject *s)
{
    static const int codecs[] = {
        RUNS,
        RUNS,
        JP,
        ITEMS,
        TESS_CODEC_BLOSCLZ,
        TESS_CODEC_LZ4,
        TESS_CODEC_LZ4HC,
        TESS_CODEC_ZLIB,
        TESS_CODEC_ZSTD,
    };
    tess_params *const p = &s->params;

    tess_params_init(p);
    p->typesize = one_in(s, 2) ? 1 << below(s, 4) : 1 + (int32_t)below(s, 300);
    draw_shapes(s);
    draw_filters(s);
    p->codec = (tess_codec)codecs[below(s, sizeof codecs / sizeof *codecs)];
    p->clevel = 1 + (int)below(s, 9);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + below(s, 3));
    if (p->codec >= 32)
        p->codec_meta = (uint8_t)below(s, 256);
    if ((int)p->codec == ITEMS) {
        p->split = one_in(s, 2) ? TESS_SPLIT_NEVER : TESS_SPLIT_AUTO;
        memset(p->filters, 0, sizeof p->filters);
    }
}

uint8_t *
draw_items(struct subject *s, size_t size)
{
    const int64_t kind = below(s, 4);
    uint8_t *const bytes = malloc(size > 0 ? size : 1);
    uint8_t byte = (uint8_t)below(s, 256);

    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        if (kind == 0)
            byte = (uint8_t)(i / 300 + i % s->reference.typesize);
        else if (one_in(s, 40))
            byte = (uint8_t)below(s, 256);
        bytes[i] = byte;
    }
    if (kind == 1)
        random_bytes(&s->random, bytes, size);
    return bytes;
}

// -- around a test

int
begin(void **state)
{
    (void)state;
    files_begin();
    return 0;
}

int
end(void **state)
{
    const struct subject *const s = *state;

    if (s)
        print_error(
            "TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1 repeats: "
            "codec %d level %d, typesize %d, split %d, filters %d %d %d %d %d %d, ndim %d\n",
            s->seed, (int)s->params.codec, s->params.clevel, (int)s->params.typesize,
            (int)s->params.split, s->params.filters[0], s->params.filters[1], s->params.filters[2],
            s->params.filters[3], s->params.filters[4], s->params.filters[5], s->params.ndim);
    files_end();
    return 0;
}
