/*
 * mask.c - masks over the first axes of an array, against the slow reference.
 *
 * Random arrays: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the number that
 * a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more. And the files
 * of other writers, where reading all says what the items are.
 */
#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 250,
    CASES_LONG = 30000,
    ROUNDS = 4, // of an array
    ITEMS_MAX = 700, // of an array: in memory for one item, each is a piece
};

static uint64_t running; // the seed of the case
static const int64_t origin[TESS_MAX_NDIM];
static const struct draw_type byte_type = {"|u1", 1, 1, false};

// -- masks

// A mask as it is given, and what it says.
struct drawn_mask {
    tess_mask mask;
    uint8_t *bytes;
    int64_t nbytes, chosen; // of the mask
    int64_t inner; // items of the array for each of the mask
    struct drawn array;
    bool in_array;
};

// From one item to all; next to each other, or anywhere. Any byte but 0 chooses.
static void
draw_bytes(struct random *r, uint8_t *bytes, int64_t n)
{
    const int64_t style = below(r, 7);
    const int64_t first = n > 0 ? below(r, n) : 0;
    const int64_t stop = n > 0 ? first + 1 + below(r, n - first) : 0;
    const int64_t most = style == 4 ? 300 : style == 5 ? 20 : 2;

    for (int64_t k = 0; k < n; k++) {
        const bool chosen = style == 0   ? false
                            : style == 1 ? true
                            : style == 2 ? k == first
                            : style == 3 ? k >= first && k < stop
                            : style == 6 ? below(r, 20) > 0
                                         : below(r, most) == 0;
        bytes[k] = chosen ? (uint8_t)(1 + below(r, 255)) : 0;
    }
    if (style == 4 && n > 0)
        bytes[first] = 1;
}

static void
count_bytes(struct drawn_mask *m)
{
    m->chosen = 0;
    for (int64_t k = 0; k < m->nbytes; k++)
        m->chosen += m->bytes[k] != 0;
}

static void
draw_mask(struct random *r, int ndim, const int64_t *shape, struct drawn_mask *m)
{
    memset(m, 0, sizeof *m);
    m->mask.ndim = (int)below(r, ndim + 1);
    if (below(r, 2))
        m->mask.ndim = ndim;
    m->nbytes = reference_nitems(m->mask.ndim, shape);
    m->inner = reference_nitems(ndim - m->mask.ndim, shape + m->mask.ndim);
    m->bytes = exact_memory((size_t)m->nbytes);
    draw_bytes(r, m->bytes, m->nbytes);
    m->in_array = below(r, 2);
    if (m->in_array) {
        draw_array(r, "mask", &byte_type, m->mask.ndim, shape, true, &m->array);
        ok(tess_array_write(m->array.a, origin, shape, m->bytes, (size_t)m->nbytes, err));
        memcpy(m->array.ref.data, m->bytes, (size_t)m->nbytes);
        m->mask.array = m->array.a;
    } else {
        m->mask.bytes = m->bytes;
        m->mask.bytes_size = (size_t)m->nbytes;
    }
    count_bytes(m);
}

static void
mask_finish(struct drawn_mask *m)
{
    if (m->in_array)
        draw_finish(&m->array);
    free(m->bytes);
}

// -- the definition

static void
expect_get(const struct reference *ref, const struct drawn_mask *m, uint8_t *dst)
{
    const size_t size = (size_t)m->inner * ref->typesize;
    for (int64_t k = 0; k < m->nbytes; k++)
        if (m->bytes[k]) {
            memcpy(dst, ref->data + (size_t)k * size, size);
            dst += size;
        }
}

// `same`: one item for all.
static void
expect_set(struct reference *ref, const struct drawn_mask *m, const uint8_t *src, bool same)
{
    const size_t ts = ref->typesize;
    for (int64_t k = 0; k < m->nbytes * m->inner; k++)
        if (m->bytes[k / m->inner]) {
            memcpy(ref->data + (size_t)k * ts, src, ts);
            src += same ? 0 : ts;
        }
}

static void
check_get(const tess_array *a, const struct reference *ref, const struct drawn_mask *m)
{
    const size_t size = (size_t)(m->chosen * m->inner) * ref->typesize;
    uint8_t *const got = exact_memory(size), *const want = exact_memory(size);
    int64_t count = -1;

    ok(tess_array_count_mask(a, &m->mask, &count, err));
    assert_int_equal(count, m->chosen * m->inner);
    memset(got, 0x5a, size);
    ok(tess_array_get_mask(a, &m->mask, got, size, err));
    expect_get(ref, m, want);
    if (size > 0)
        assert_memory_equal(got, want, size);
    if (size > 0)
        refused(TESS_ERR_ARG, tess_array_get_mask(a, &m->mask, got, size - 1, err));
    free(got);
    free(want);
}

static void
check_set(struct random *r, tess_array *a, struct reference *ref, const struct drawn_mask *m)
{
    const int64_t n = m->chosen * m->inner;
    const bool same = below(r, 3) == 0;
    const size_t size = (size_t)(same ? 1 : n) * ref->typesize;
    uint8_t *const items = exact_memory(size);

    draw_items(r, items, same ? 1 : n, ref->typesize);
    ok(tess_array_set_mask(a, &m->mask, items, size, err));
    expect_set(ref, m, items, same);
    free(items);
}

// -- random arrays

static void
live(struct random *r)
{
    const struct draw_type *const type = &draw_types[below(r, DRAW_TYPES)];
    const int ndim = (int)below(r, 5);
    int64_t shape[TESS_MAX_NDIM] = {0};
    struct drawn d;

    draw_empty_shape(r, ndim, ITEMS_MAX, shape);
    draw_array(r, "array", type, ndim, shape, below(r, 3), &d);
    for (int i = 0; i < ROUNDS; i++) {
        struct drawn_mask m;
        draw_mask(r, ndim, shape, &m);
        check_get(d.a, &d.ref, &m);
        if (d.writable) {
            check_set(r, d.a, &d.ref, &m);
            check_get(d.a, &d.ref, &m);
        }
        if (m.in_array)
            check_array(m.array.a, &m.array.ref);
        mask_finish(&m);
    }
    check_array(d.a, &d.ref);
    draw_finish(&d);
}

static int
end_random(void **state)
{
    fprintf(stderr, "last case: TESS_TEST_SEED=%" PRIu64 "\n", running);
    return files_teardown(state);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random *const r = user;
    (void)name;
    for (int i = 0; i < 6; i++) {
        struct drawn_mask m;
        if (ref->ndim > 4) // masks in arrays are drawn with few axes
            break;
        draw_mask(r, ref->ndim, ref->shape, &m);
        check_get(a, ref, &m);
        mask_finish(&m);
    }
}

static void
golden_files(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    files_begin();
    check_golden_files(check_golden, &r);
    files_end();
}

// -- damage

enum { ROWS = 40, COLUMNS = 30 };

// 5 x 3 chunks; of the last one, no block can be decoded.
static tess_array *
damaged(tess_mode mode, size_t ts, int64_t memory, int64_t cache, struct reference *ref)
{
    static const int64_t start[] = {32, 20}, stop[] = {ROWS, COLUMNS};
    tess_context context;
    tess_storage storage;
    tess_params p;
    struct random r;
    tess_array *a;
    size_t size, last = 0;

    tess_context_init(&context);
    context.memory = memory;
    context.cache = cache;
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_REPLACE;
    storage.path = files_path("damaged");
    storage.context = &context;
    tess_params_init(&p);
    p.dtype = ts == 1 ? "|u1" : "<u4";
    p.ndim = 2;
    p.codec = TESS_CODEC_ZLIB;
    p.split = TESS_SPLIT_NEVER;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = i == 0 ? ROWS : COLUMNS;
        p.chunkshape[i] = i == 0 ? 8 : 10;
        p.blockshape[i] = p.chunkshape[i];
    }
    random_init(&r, 5);
    reference_init(ref, 2, p.shape, ts);
    for (size_t k = 0; k < reference_size(ref); k++)
        ref->data[k] = (uint8_t)below(&r, ts > 1 && k % ts < 1 ? 256 : 3);
    ok(tess_array_from(&storage, &p, ref->data, reference_size(ref), &a, err));
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(storage.path, &size);
    for (size_t k = 0; k + 8 < size; k++) // the start of a zlib stream
        if (bytes[k] == 0x78 && (bytes[k] * 256 + bytes[k + 1]) % 31 == 0)
            last = k;
    bytes[last] = 0xff;
    files_write(storage.path, bytes, size);
    free(bytes);
    storage.mode = mode;
    ok(tess_array_open(&storage, &a, err));
    uint8_t got[8 * 10 * 4];
    assert_int_equal(tess_array_read(a, start, stop, got, sizeof got, NULL), TESS_ERR_CORRUPT);
    return a;
}

// All is as it was, but for the last chunk.
static void
check_rest(const tess_array *a, const struct reference *ref)
{
    for (int part = 0; part < 2; part++) {
        const int64_t start[] = {part ? 32 : 0, 0},
                      stop[] = {part ? ROWS : 32, part ? 20 : COLUMNS};
        const size_t size = reference_box_size(ref, start, stop);
        uint8_t *const got = exact_memory(size), *const want = exact_memory(size);
        ok(tess_array_read(a, start, stop, got, size, err));
        reference_get(ref, start, stop, want);
        assert_memory_equal(got, want, size);
        free(got);
        free(want);
    }
}

// None is set if one cannot be.
static void
all_or_none(void **state)
{
    static uint8_t bytes[ROWS * COLUMNS];
    static uint32_t items[ROWS * COLUMNS];

    (void)state;
    for (int style = 0; style < 8; style++) {
        struct reference ref;
        const bool dense = style & 1, same = style & 2;
        tess_array *const a =
            damaged(TESS_MODE_UPDATE, 4, style & 4 ? 64 : 1 << 20, style & 4 ? 0 : 1 << 16, &ref);
        const tess_mask mask = {.ndim = 2, .bytes = bytes, .bytes_size = sizeof bytes};
        size_t n = 0;
        memset(bytes, 0, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k += dense ? 2 : 333)
            bytes[k] = 1;
        bytes[sizeof bytes - 1] = 1;
        for (size_t k = 0; k < sizeof bytes; k++)
            n += bytes[k];
        memset(items, 0x77, sizeof items);
        refused(TESS_ERR_CORRUPT, tess_array_set_mask(a, &mask, items, same ? 4 : n * 4, err));
        refused(TESS_ERR_CORRUPT, tess_array_get_mask(a, &mask, items, sizeof items, err));
        check_rest(a, &ref);
        ok(tess_array_close(a, err));
        tess_storage storage;
        tess_array *again;
        tess_storage_init(&storage);
        storage.path = files_path("damaged");
        ok(tess_array_open(&storage, &again, err));
        check_rest(again, &ref);
        ok(tess_array_close(again, err));
        reference_finish(&ref);
    }
}

// A mask that cannot be read: nothing happens.
static void
damaged_mask(void **state)
{
    static const uint8_t item[4] = {7};
    struct reference ref, zeros;
    tess_array *const m = damaged(TESS_MODE_READ, 1, 1 << 20, 0, &ref);
    tess_storage storage;
    tess_params p;
    tess_array *a;

    (void)state;
    for (int ndim = 2; ndim < 4; ndim++) {
        uint8_t got[ROWS * COLUMNS * 4 * 2];
        const tess_mask mask = {.ndim = 2, .array = m};
        int64_t count;
        tess_params_init(&p);
        p.typesize = 4;
        p.ndim = ndim;
        p.shape[0] = ROWS;
        p.shape[1] = COLUMNS;
        p.shape[2] = 2;
        tess_storage_init(&storage);
        ok(tess_array_zeros(&storage, &p, &a, err));
        refused(TESS_ERR_CORRUPT, tess_array_count_mask(a, &mask, &count, err));
        refused(TESS_ERR_CORRUPT, tess_array_get_mask(a, &mask, got, sizeof got, err));
        refused(TESS_ERR_CORRUPT, tess_array_set_mask(a, &mask, item, sizeof item, err));
        reference_init(&zeros, ndim, p.shape, 4);
        check_array(a, &zeros);
        reference_finish(&zeros);
        ok(tess_array_close(a, err));
    }
    ok(tess_array_close(m, err));
    reference_finish(&ref);
}

// -- arguments

static tess_array *
fives(int ndim, int64_t rows, int64_t columns, const char *dtype)
{
    static const uint8_t item[8] = {5};
    tess_params p;
    tess_storage storage;
    tess_array *a;

    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = ndim;
    p.shape[0] = rows;
    p.shape[1] = columns;
    tess_storage_init(&storage);
    ok(tess_array_full(&storage, &p, item, (size_t)tess_dtype_parse(dtype).size, &a, err));
    return a;
}

#define check_sentence(call, sentence)                   \
    do {                                                 \
        tess_error error_ = {0};                         \
        {                                                \
            tess_error *const err = &error_;             \
            assert_int_equal((call), TESS_ERR_ARG);      \
        }                                                \
        assert_string_equal(error_.message, (sentence)); \
        refused(TESS_ERR_ARG, call);                     \
    } while (0)

static void
sentences(void **state)
{
    static const uint8_t bytes[20] = {0, 1, 0, 1};
    tess_array *const a = fives(2, 4, 5, "<i4"), *const m = fives(2, 4, 5, "|u1");
    tess_array *const words = fives(2, 4, 5, "<i2"), *const line = fives(1, 4, 0, "|u1");
    tess_array *const other = fives(2, 4, 6, "|u1");
    const tess_mask good = {.ndim = 2, .bytes = bytes, .bytes_size = 20}, none = {.ndim = 2};
    const tess_mask small = {.ndim = 2, .bytes = bytes, .bytes_size = 19};
    const tess_mask both = {.ndim = 2, .bytes = bytes, .array = m};
    const tess_mask deep = {.ndim = 3, .bytes = bytes}, flat = {.ndim = -1, .bytes = bytes};
    const tess_mask wide = {.ndim = 2, .array = words}, less = {.ndim = 2, .array = line};
    const tess_mask shape = {.ndim = 2, .array = other};
    const struct {
        const tess_mask *mask;
        const char *sentence;
    } masks[] = {
        {NULL, "no array or no mask is given"},
        {&none, "a mask needs bytes or an array, not both"},
        {&both, "a mask needs bytes or an array, not both"},
        {&deep, "a mask with 3 dimensions for an array with 2"},
        {&flat, "a mask with -1 dimensions for an array with 2"},
        {&wide, "a mask with items of 2 bytes"},
        {&less, "a mask with 2 dimensions in an array with 1"},
        {&small, "a mask of 19 bytes, the axes have 20"},
        {&shape, "axis 1 has 6 items in the mask, 5 in the array"},
    };
    int32_t items[20] = {1};
    int64_t count;

    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        const tess_mask *const mask = masks[i].mask;
        check_sentence(tess_array_count_mask(a, mask, &count, err), masks[i].sentence);
        check_sentence(tess_array_get_mask(a, mask, items, sizeof items, err), masks[i].sentence);
        check_sentence(tess_array_set_mask(a, mask, items, sizeof items, err), masks[i].sentence);
    }
    check_sentence(tess_array_count_mask(a, &good, NULL, err), "no place for the number is given");
    check_sentence(tess_array_count_mask(NULL, &good, &count, err), "no array or no mask is given");
    check_sentence(tess_array_get_mask(NULL, &good, items, 80, err),
                   "no array or no mask is given");
    check_sentence(tess_array_set_mask(NULL, &good, items, 8, err), "no array is given");
    check_sentence(tess_array_get_mask(a, &good, items, 7, err),
                   "7 bytes of memory for 2 items of 4 bytes");
    check_sentence(tess_array_get_mask(a, &good, NULL, 8, err), "no memory is given");
    check_sentence(tess_array_set_mask(a, &good, NULL, 8, err), "no memory is given");
    static const size_t wrong[] = {0, 1, 3, 5, 7};
    static const char *const said[] = {"0", "1", "3", "5", "7"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char sentence[100];
        snprintf(sentence, sizeof sentence, "%s bytes for 2 items of 4 bytes", said[i]);
        check_sentence(tess_array_set_mask(a, &good, items, wrong[i], err), sentence);
    }
    const tess_mask large = {.ndim = 1, .bytes = bytes, .bytes_size = sizeof bytes};
    ok(tess_array_count_mask(a, &large, &count, err)); // more than needed
    assert_int_equal(count, 10);
    ok(tess_array_get_mask(a, &good, items, sizeof items, err));
    ok(tess_array_set_mask(a, &good, items, 9, err));
    ok(tess_array_set_mask(a, &good, items, SIZE_MAX, err));
    tess_array *view;
    ok(tess_array_view_slice(m, origin, (const int64_t[]){4, 5}, NULL, &view, err));
    const tess_mask self = {.ndim = 2, .array = m}, itself = {.ndim = 2, .array = view};
    check_sentence(tess_array_set_mask(m, &self, bytes, 1, err), "an array cannot be its own mask");
    check_sentence(tess_array_set_mask(m, &itself, bytes, 1, err),
                   "an array cannot be its own mask");
    check_sentence(tess_array_set_mask(view, &self, bytes, 1, err),
                   "an array cannot be its own mask");
    uint8_t got[20];
    ok(tess_array_get_mask(m, &self, got, sizeof got, err)); // but may be read by it
    assert_true(got[0] == 5 && got[19] == 5);

    uint8_t now[20][4];
    ok(tess_array_read(a, origin, (const int64_t[]){4, 5}, now, sizeof now, err));
    for (int k = 0; k < 20; k++)
        assert_memory_equal(now[k], ((uint8_t[]){5, 0, 0, 0}), 4);
    tess_array *const all[] = {view, a, m, words, line, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ok(tess_array_close(all[i], err));
}

// Nothing chosen, no items: no memory is needed.
static void
nothing(void **state)
{
    static const uint8_t no[20] = {0};
    tess_array *const a = fives(2, 4, 5, "<i4"), *const empty = fives(2, 0, 5, "<i4");
    tess_array *const item = fives(0, 0, 0, "<i4");
    const tess_mask none = {.ndim = 2, .bytes = no, .bytes_size = sizeof no};
    const tess_mask absent = {.ndim = 2}, point = {.bytes = no, .bytes_size = 1};
    int32_t value = 9;
    int64_t count = -1;

    (void)state;
    ok(tess_array_count_mask(a, &none, &count, err));
    assert_int_equal(count, 0);
    ok(tess_array_get_mask(a, &none, NULL, 0, err));
    ok(tess_array_set_mask(a, &none, NULL, 0, err));
    ok(tess_array_set_mask(a, &none, &value, 4, err));
    ok(tess_array_count_mask(empty, &absent, &count, err));
    assert_int_equal(count, 0);
    ok(tess_array_get_mask(empty, &absent, NULL, 0, err));
    ok(tess_array_set_mask(empty, &absent, NULL, 0, err));
    ok(tess_array_get_mask(item, &point, NULL, 0, err));
    const tess_mask whole = {.bytes = (const uint8_t *)"\xff", .bytes_size = 1};
    ok(tess_array_set_mask(item, &whole, &value, 4, err));
    value = 0;
    ok(tess_array_get_mask(item, &whole, &value, 4, err));
    assert_int_equal(value, 9);
    ok(tess_array_close(a, err));
    ok(tess_array_close(empty, err));
    ok(tess_array_close(item, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_arrays, files_setup, end_random),
        cmocka_unit_test(golden_files),
        cmocka_unit_test_setup_teardown(all_or_none, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_mask, files_setup, files_teardown),
        cmocka_unit_test(sentences),
        cmocka_unit_test(nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
