/*
 * lost_items.c - items that an array loses are in none of its chunks any more.
 *
 * Items are random words of 8 bytes that nothing compresses, so those that are stored can be found
 * among the bytes of an image, which has the chunks of the array as they stand and nothing else.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROWS = 11, COLUMNS = 10, RANDOM_CASES = 150 };

struct layout {
    const char *what;
    tess_codec codec;
    int clevel;
    int64_t cache;
};

static const struct layout layouts[] = {
    {"plain bytes", TESS_CODEC_BLOSCLZ, 0, 0},
    {"blocks", TESS_CODEC_LZ4, 1, 0},
    {"blocks that wait in the cache", TESS_CODEC_LZ4, 1, 1 << 20},
    {"another codec", TESS_CODEC_BLOSCLZ, 9, 0},
};

static tess_array *
create(const struct layout *l, const int64_t *shape, const int64_t *fill, tess_context *context)
{
    tess_storage storage;
    tess_params p;
    tess_array *a;

    tess_context_init(context);
    context->cache = l->cache;
    tess_storage_init(&storage);
    storage.context = context;
    tess_params_init(&p);
    p.dtype = "<i8";
    p.ndim = 2;
    memcpy(p.shape, shape, 2 * sizeof *shape);
    p.chunkshape[0] = p.chunkshape[1] = 4;
    p.blockshape[0] = 2;
    p.blockshape[1] = 3;
    p.codec = l->codec;
    p.clevel = l->clevel;
    memset(p.filters, 0, sizeof p.filters);
    p.fill = fill;
    p.fill_size = fill ? sizeof *fill : 0;
    ok(tess_array_zeros(&storage, &p, &a, err));
    return a;
}

static int64_t
word(struct random *r)
{
    int64_t v;
    random_bytes(r, (uint8_t *)&v, sizeof v);
    return v | INT64_C(0x0101010101010101); // no zero bytes
}

// Set all items to words that nothing else has.
static void
set_words(struct random *r, tess_array *a, struct reference *ref)
{
    static const int64_t origin[2];
    for (size_t i = 0; i < reference_size(ref); i += 8) {
        const int64_t v = word(r);
        memcpy(ref->data + i, &v, 8);
    }
    ok(tess_array_write(a, origin, ref->shape, ref->data, reference_size(ref), err));
}

static bool
holds(const uint8_t *bytes, size_t size, const uint8_t *item)
{
    for (size_t i = 0; i + 8 <= size; i++)
        if (bytes[i] == item[0] && memcmp(bytes + i, item, 8) == 0)
            return true;
    return false;
}

// The bytes of an image hold none of the items of `before` that the array has not any more; where
// all are stored as they are, they hold the others.
static void
check_bytes(tess_array *a, const struct reference *ref, const struct reference *before, bool plain,
            const char *what)
{
    void *bytes;
    size_t size;

    check_array(a, ref);
    ok(tess_array_to_image(a, &bytes, &size, err));
    for (size_t i = 0; i < reference_size(before); i += 8) {
        bool kept = false;
        for (size_t k = 0; k < reference_size(ref) && !kept; k += 8)
            kept = memcmp(before->data + i, ref->data + k, 8) == 0;
        if ((!kept || plain) && holds(bytes, size, before->data + i) != kept)
            fail_msg("%s: item %zu %s", what, i / 8, kept ? "is not found" : "is still there");
    }
    tess_free(bytes);
}

// Another shape, where item [row, column] of the change is the first that goes.
struct change {
    int64_t shape[2], start[2];
};

static void
check_change(struct random *r, const struct layout *l, const struct change *c, const int64_t *fill)
{
    static const int64_t shape[2] = {ROWS, COLUMNS};
    struct reference ref, before;
    tess_context context;
    char what[120];
    tess_array *const a = create(l, shape, fill, &context);

    reference_init(&ref, 2, shape, 8);
    if (fill)
        reference_grow_with(&ref, fill);
    set_words(r, a, &ref);
    reference_copy(&before, &ref);
    snprintf(what, sizeof what, "%s: %dx%d at %d, %d", l->what, (int)c->shape[0], (int)c->shape[1],
             (int)c->start[0], (int)c->start[1]);
    ok(tess_array_resize_at(a, c->shape, c->start, err));
    for (int axis = 0; axis < 2; axis++) {
        const int64_t gone = shape[axis] - c->shape[axis];
        if (gone > 0)
            reference_delete(&ref, axis, c->start[axis], gone);
    }
    for (int axis = 0; axis < 2; axis++) {
        const int64_t more = c->shape[axis] - shape[axis];
        if (more > 0)
            reference_insert(&ref, axis, c->start[axis], more, NULL);
    }
    check_bytes(a, &ref, &before, l->clevel == 0, what);
    ok(tess_array_close(a, err));
    reference_finish(&ref);
    reference_finish(&before);
}

// All shapes, cut at the ends.
static void
test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct random r;
        random_init(&r, random_seed());
        for (int64_t rows = 0; rows <= ROWS; rows++)
            for (int64_t columns = 0; columns <= COLUMNS; columns += rows % 3 == 0 ? 1 : 3)
                check_change(&r, &layouts[i], &(struct change){{rows, columns}, {rows, columns}},
                             NULL);
    }
}

// Layers that go anywhere.
static void
test_deleted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct random r;
        random_init(&r, random_seed());
        for (int64_t count = 1; count <= ROWS; count++)
            for (int64_t at = 0; at <= ROWS - count; at++) {
                check_change(&r, &layouts[i],
                             &(struct change){{ROWS - count, COLUMNS}, {at, COLUMNS}}, NULL);
                if (count < COLUMNS && at <= COLUMNS - count)
                    check_change(&r, &layouts[i],
                                 &(struct change){{ROWS, COLUMNS - count}, {ROWS, at}}, NULL);
            }
    }
}

// One axis shorter, the other longer, at any place, with a fill value or without.
static void
test_both(void **state)
{
    static const int64_t shape[2] = {ROWS, COLUMNS};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int n = 0; n < RANDOM_CASES; n++) {
        const int64_t fill = word(&r);
        struct change c;
        for (int axis = 0; axis < 2; axis++) {
            c.shape[axis] = (int64_t)random_below(&r, 2 * (uint64_t)shape[axis]);
            const int64_t most = c.shape[axis] < shape[axis] ? c.shape[axis] : shape[axis];
            c.start[axis] = (int64_t)random_below(&r, (uint64_t)most + 1);
        }
        check_change(&r, &layouts[n % (int)COUNT(layouts)], &c, n % 3 ? &fill : NULL);
    }
}

// A chunk of one item stays that, whatever its padding shows.
static void
test_constants(void **state)
{
    static const int64_t shape[2] = {ROWS, COLUMNS}, cut[2] = {ROWS - 2, COLUMNS - 1};
    static const int64_t fill = 77, origin[2];
    struct reference ref;
    tess_context context;
    tess_chunk_info chunk;
    tess_info info;
    tess_array *const a = create(&layouts[1], shape, &fill, &context);

    (void)state;
    ok(tess_array_fill(a, origin, shape, NULL, &fill, sizeof fill, err));
    ok(tess_array_resize(a, cut, err));
    tess_array_info(a, &info);
    for (int64_t n = 0; n < info.nchunks; n++) {
        ok(tess_array_chunk(a, n, &chunk, err));
        assert_int_equal(chunk.kind, TESS_CHUNK_VALUE);
    }
    reference_init(&ref, 2, cut, 8);
    reference_fill(&ref, &fill);
    check_array(a, &ref);
    reference_finish(&ref);
    ok(tess_array_close(a, err));
}

// Means of cells would change with what is in the cells; items that stay do not.
static void
test_lossy(void **state)
{
    static const int64_t shape[2] = {12, 12}, cut[2] = {9, 7}, origin[2];
    struct reference ref;
    struct random r;
    tess_storage storage;
    tess_chunk_info chunk;
    tess_params p;
    tess_array *a;
    uint8_t read[12 * 12 * 4];
    float items[12 * 12];

    (void)state;
    random_init(&r, random_seed());
    tess_storage_init(&storage);
    for (int n = 0; n < 3; n++) {
        const bool means = n % 2, plain = n / 2; // noise is stored as it is
        tess_params_init(&p);
        p.dtype = "<f4";
        p.ndim = 2;
        memcpy(p.shape, shape, sizeof shape);
        p.chunkshape[0] = p.chunkshape[1] = 12;
        p.blockshape[0] = p.blockshape[1] = 4;
        memset(p.filters, 0, sizeof p.filters);
        p.filters[TESS_MAX_FILTERS - 1] = means ? TESS_FILTER_NDMEAN : TESS_FILTER_TRUNC_PREC;
        p.filters_meta[TESS_MAX_FILTERS - 1] = means ? 4 : plain ? 22 : 10;
        for (int i = 0; i < 12 * 12; i++)
            items[i] = plain ? 1 + (float)random_below(&r, 1 << 23) / (1 << 23) : (float)(i / 7);
        ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
        ok(tess_array_chunk(a, 0, &chunk, err));
        assert_int_equal(chunk.kind, plain ? TESS_CHUNK_PLAIN : TESS_CHUNK_BLOCKS);
        ok(tess_array_read(a, origin, shape, read, sizeof read, err));
        reference_init(&ref, 2, shape, 4);
        memcpy(ref.data, read, sizeof read);
        reference_resize(&ref, cut);
        ok(tess_array_resize(a, cut, err));
        check_array(a, &ref);
        ok(tess_array_close(a, err));
        reference_finish(&ref);
    }
}

// Whether a chunk of an array of int64 has `inside` items of a value, and else zeros.
static void
check_padding(const tess_array *a, int64_t n, int64_t value, int inside, tess_chunk_kind kind)
{
    int64_t items[36];
    tess_chunk_info info;
    tess_error err = {0};
    int found = 0;
    assert_int_equal(tess_array_chunk(a, n, &info, &err), TESS_OK);
    assert_int_equal(info.kind, kind);
    assert_int_equal(info.nbytes, sizeof items);
    assert_int_equal(tess_schunk_decode(a, n, items, sizeof items, &err), TESS_OK);
    for (size_t i = 0; i < COUNT(items); i++) {
        found += items[i] == value;
        assert_true(items[i] == value || items[i] == 0);
    }
    assert_int_equal(found, inside);
}

// tess_storage.zero_padding: chunks of one value, by each way to write items.
static void
zeros_in_padding(void **state)
{
    const int64_t shape[2] = {6, 6}, none[2] = {0}, value = 7;
    int64_t items[36];
    (void)state;
    for (size_t i = 0; i < COUNT(items); i++)
        items[i] = value;
    for (int way = 0; way < 4; way++) {
        for (int zeros = 0; zeros < 2; zeros++) {
            tess_context context;
            const tess_chunk_kind kind = zeros && way < 3 ? TESS_CHUNK_BLOCKS : TESS_CHUNK_VALUE;
            tess_storage storage;
            tess_params p;
            tess_array *a;
            tess_error err = {0};
            tess_storage_init(&storage);
            storage.zero_padding = zeros;
            tess_context_init(&context);
            context.cache = way == 2 ? 1 << 20 : 0;
            storage.context = &context;
            tess_params_init(&p);
            p.dtype = "<i8";
            p.ndim = 2;
            p.codec = TESS_CODEC_LZ4;
            memcpy(p.shape, shape, sizeof shape);
            p.chunkshape[0] = p.chunkshape[1] = 6;
            p.blockshape[0] = p.blockshape[1] = 3;
            if (way == 0) {
                assert_int_equal(tess_array_from(&storage, &p, items, sizeof items, &a, &err),
                                 TESS_OK);
                check_padding(a, 0, value, 36, TESS_CHUNK_VALUE); // without padding
                tess_array_discard(a);
            }
            p.shape[0] = 4;
            if (way == 0) {
                assert_int_equal(
                    tess_array_from(&storage, &p, items, sizeof items / 6 * 4, &a, &err), TESS_OK);
            } else {
                assert_int_equal(tess_array_zeros(&storage, &p, &a, &err), TESS_OK);
                if (way == 1)
                    assert_int_equal(tess_array_write(a, none, p.shape, items, sizeof items, &err),
                                     TESS_OK);
                for (int64_t row = 0; way == 2 && row < 4; row++) { // in the cache, block by block
                    const int64_t start[2] = {row, 0}, stop[2] = {row + 1, 6};
                    assert_int_equal(tess_array_write(a, start, stop, items, 48, &err), TESS_OK);
                }
                if (way == 3) {
                    tess_array_discard(a);
                    assert_int_equal(tess_array_full(&storage, &p, &value, sizeof value, &a, &err),
                                     TESS_OK);
                }
            }
            check_padding(a, 0, value, kind == TESS_CHUNK_VALUE ? 36 : 24, kind);
            tess_array_discard(a);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_in_padding), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_deleted),     cmocka_unit_test(test_both),
        cmocka_unit_test(test_constants),   cmocka_unit_test(test_lossy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
