/*
 * plugin_arrays.c - making arrays that need plugins, and looking at them.
 */
#include "support/plugin_arrays.h"

#include "support/exact.h"
#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

const struct draw_limits plugin_limits = {
    .ndim = 8, .items = 4000, .bytes = 100000, .chunks = 300, .empty = true};

void
draw_subject(struct subject *s)
{
    static const int codecs[] = {RUNS, RUNS, JP, ITEMS};
    struct random *const r = &s->random;
    tess_params *const p = &s->params;

    draw_params(r, &plugin_limits, NULL, p);
    p->clevel = p->clevel > 0 ? p->clevel : 1;
    p->dictionary = false;
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        if (one_in(r, 3)) {
            p->filters[i] = one_in(r, 3) ? MIRROR : ADD;
            p->filters_meta[i] = (uint8_t)below(r, 256);
        }
    if (one_in(r, 2)) {
        p->codec = (tess_codec)codecs[below(r, 4)];
        p->codec_meta = (uint8_t)below(r, 256);
    }
    if ((int)p->codec == ITEMS) {
        p->split = one_in(r, 2) ? TESS_SPLIT_NEVER : TESS_SPLIT_AUTO;
        memset(p->filters, 0, sizeof p->filters);
        memset(p->filters_meta, 0, sizeof p->filters_meta);
    }
}

uint8_t *
new_items(struct subject *s, size_t size)
{
    const size_t ts = s->reference.typesize;
    uint8_t *const items = exact_memory(size);
    draw_items(&s->random, items, (int64_t)(size / ts), ts);
    random_bytes(&s->random, items + size / ts * ts, size % ts);
    return items;
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
