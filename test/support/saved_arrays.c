/*
 * saved_arrays.c - arrays that are written to another place, or made behind other data.
 */
#include "support/saved_arrays.h"

#include "support/files.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

uint8_t saved_junk[JUNK];
static const int64_t origin[TESS_MAX_NDIM] = {0};

tess_storage
saved_at(const char *name, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE; // quicker
    return storage;
}

static const tess_metalayer layers[] = {{"first", "one", 3}, {"empty", "", 0}, {"last", "z", 1}};

void
saved_params(tess_params *p, tess_layout layout)
{
    tess_params_init(p);
    p->layout = layout;
    p->dtype = "<i8";
    p->ndim = 2;
    p->shape[0] = ROWS;
    p->shape[1] = COLUMNS;
    p->chunkshape[0] = 16;
    p->chunkshape[1] = 8;
    p->blockshape[0] = 5;
    p->blockshape[1] = 8;
    p->codec = TESS_CODEC_ZLIB;
    p->clevel = 7;
    p->split = TESS_SPLIT_NEVER;
    p->filters[4] = TESS_FILTER_DELTA;
    p->filters[5] = TESS_FILTER_BITSHUFFLE;
    p->filters_meta[5] = 3;
    p->metalayers = layers;
    p->nmetalayers = COUNT(layers);
}

void
saved_reference(struct reference *r, uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    reference_init(r, 2, (const int64_t[]){ROWS, COLUMNS}, 8);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        const int64_t column = i % COLUMNS;
        uint64_t value = column < 8 ? random_next(&random) : random_next(&random) % 11;
        if (i / COLUMNS >= 16 && i / COLUMNS < 32 && column >= 16 && column < 24)
            value = 0;
        memcpy(r->data + 8 * i, &value, 8);
    }
}

tess_array *
saved_make(const char *name, tess_mode mode, tess_layout layout, const struct reference *r)
{
    tess_storage storage = saved_at(name ? name : "", mode);
    tess_params params;
    tess_array *a;
    if (!name)
        storage.path = NULL;
    saved_params(&params, layout);
    ok(tess_array_from(&storage, &params, r->data, reference_size(r), &a, err));
    ok(tess_vlmeta_set(a, "title", "waves", 5, err));
    ok(tess_vlmeta_set(a, "nothing", "", 0, err));
    ok(tess_array_flush(a, err));
    return a;
}

tess_array *
saved_reopen(const char *name, tess_mode mode, bool mapped, int64_t offset)
{
    tess_storage storage = saved_at(name, mode);
    tess_array *a = NULL;
    storage.mmap = mapped;
    storage.offset = offset;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

void
saved_change(tess_array *a, struct reference *r)
{
    static const int64_t start[] = {10, 5}, stop[] = {33, 17};
    struct reference box, more;
    reference_init(&box, 2, (const int64_t[]){23, 12}, 8);
    reference_init(&more, 2, (const int64_t[]){7, COLUMNS}, 8);
    memset(box.data, 0x33, reference_size(&box));
    memset(more.data, 0x77, reference_size(&more));
    ok(tess_array_write(a, start, stop, box.data, reference_size(&box), err));
    reference_set(r, start, stop, box.data);
    ok(tess_array_append(a, 0, 7, more.data, reference_size(&more), NULL, err));
    reference_append(r, 0, 7, more.data);
    ok(tess_meta_set(a, "first", "two", 3, err));
    ok(tess_vlmeta_set(a, "title", "tides and waves", 15, err));
    ok(tess_vlmeta_delete(a, "nothing", err));
    reference_finish(&box);
    reference_finish(&more);
}

static void
check_same_metalayers(tess_array *a, tess_array *b, const tess_info *info)
{
    for (int i = 0; i < info->nmetalayers; i++) {
        tess_metalayer x, y;
        ok(tess_meta_at(a, i, &x, err));
        ok(tess_meta_at(b, i, &y, err));
        assert_string_equal(x.name, y.name);
        assert_int_equal(x.size, y.size);
        if (x.size > 0)
            assert_memory_equal(x.content, y.content, x.size);
    }
    for (int i = 0; i < info->nvlmetalayers; i++) {
        const char *const name = tess_vlmeta_name(a, i);
        void *x, *y;
        size_t x_size, y_size;
        assert_string_equal(name, tess_vlmeta_name(b, i));
        ok(tess_vlmeta_get(a, name, &x, &x_size, err));
        ok(tess_vlmeta_get(b, name, &y, &y_size, err));
        assert_int_equal(x_size, y_size);
        if (x_size > 0)
            assert_memory_equal(x, y, x_size);
        tess_free(x);
        tess_free(y);
    }
}

static void
check_same_items(tess_array *a, tess_array *b, const tess_info *info)
{
    const size_t size = (size_t)info->nitems * (size_t)info->typesize;
    uint8_t *const x = calloc(1, size + 1), *const y = calloc(1, size + 1);
    assert_non_null(x);
    assert_non_null(y);
    const tess_status st = tess_array_read(a, origin, info->shape, x, size, NULL);
    assert_int_equal(tess_array_read(b, origin, info->shape, y, size, NULL), st);
    if (st == TESS_OK)
        assert_memory_equal(x, y, size + 1);
    else
        assert_int_equal(st, TESS_ERR_UNSUPPORTED); // a codec that this build lacks
    free(x);
    free(y);
}

void
saved_check_same(tess_array *a, tess_array *b)
{
    tess_info x, y;
    tess_array_info(a, &x);
    tess_array_info(b, &y);
    assert_int_equal(x.ndim, y.ndim);
    assert_memory_equal(x.shape, y.shape, sizeof x.shape);
    assert_memory_equal(x.chunkshape, y.chunkshape, sizeof x.chunkshape);
    assert_memory_equal(x.blockshape, y.blockshape, sizeof x.blockshape);
    assert_int_equal(x.dtype != NULL, y.dtype != NULL);
    if (x.dtype)
        assert_string_equal(x.dtype, y.dtype);
    assert_int_equal(x.dtype_format, y.dtype_format);
    assert_int_equal(x.typesize, y.typesize);
    assert_int_equal(x.codec, y.codec);
    assert_int_equal(x.codec_meta, y.codec_meta);
    assert_int_equal(x.clevel, y.clevel);
    assert_memory_equal(x.filters, y.filters, sizeof x.filters);
    assert_memory_equal(x.filters_meta, y.filters_meta, sizeof x.filters_meta);
    assert_int_equal(x.split, y.split);
    assert_int_equal(x.nitems, y.nitems);
    assert_int_equal(x.nchunks, y.nchunks);
    assert_int_equal(x.nbytes, y.nbytes);
    assert_int_equal(x.chunksize, y.chunksize);
    assert_int_equal(x.blocksize, y.blocksize);
    assert_int_equal(x.layer != NULL, y.layer != NULL);
    if (x.layer)
        assert_string_equal(x.layer, y.layer);
    assert_int_equal(x.plain, y.plain);
    assert_int_equal(x.vlblocks, y.vlblocks);
    assert_int_equal(x.frame_version, y.frame_version);
    assert_int_equal(x.nmetalayers, y.nmetalayers);
    assert_int_equal(x.nvlmetalayers, y.nvlmetalayers);
    check_same_metalayers(a, b, &x);
    check_same_items(a, b, &x);
}

int
saved_begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof saved_junk; i++)
        saved_junk[i] = (uint8_t)(i * i + 3);
    files_begin();
    return 0;
}

void
saved_remove(tess_layout layout)
{
    if (layout == TESS_LAYOUT_SPARSE) {
        char path[100];
        for (unsigned n = 0; n < 64; n++) {
            snprintf(path, sizeof path, "copy/%08X.chunk", n);
            (void)unlink(files_path(path));
        }
        assert_int_equal(unlink(files_path("copy/chunks.b2frame")), 0);
    }
    assert_int_equal(remove(files_path("copy")), 0); // there was nothing else in it
}

void
saved_check_copies(tess_array *a, tess_status sparse)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    const int nfiles = files_count();
    for (size_t i = 0; i < COUNT(layouts); i++) {
        const tess_storage storage = saved_at("copy", TESS_MODE_REPLACE);
        const tess_storage again = saved_at("again", TESS_MODE_REPLACE);
        if (layouts[i] == TESS_LAYOUT_SPARSE && sparse != TESS_OK) {
            refused(sparse, tess_array_save(a, &storage, layouts[i], err));
            continue;
        }
        ok(tess_array_save(a, &storage, layouts[i], err));
        tess_array *const b = saved_reopen("copy", TESS_MODE_READ, false, 0);
        saved_check_same(a, b);
        ok(tess_array_save(b, &again, TESS_LAYOUT_CONTIGUOUS, err)); // and back
        tess_array *const c = saved_reopen("again", TESS_MODE_READ, true, 0);
        saved_check_same(a, c);
        ok(tess_array_close(c, err));
        ok(tess_array_close(b, err));
        assert_int_equal(unlink(files_path("again")), 0);
        saved_remove(layouts[i]);
    }
    assert_int_equal(files_count(), nfiles);
}

void
saved_check_junk(const char *name)
{
    size_t size;
    uint8_t *const bytes = files_read(files_path(name), &size);
    assert_int_equal(size, JUNK);
    assert_memory_equal(bytes, saved_junk, JUNK);
    free(bytes);
}
