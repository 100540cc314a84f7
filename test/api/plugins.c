/*
 * plugins.c - codecs and filters of the program: arrays that need them come back, and what they
 * are told.
 *
 * Random case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure
 * prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/files.h"
#include "support/plugin_arrays.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES = 200,
    CASES_LONG = 5000,
    OPERATIONS_MAX = 8,
    THREADS = 8,
    READS = 150,
};

// -- random arrays

static void
do_write(struct subject *s)
{
    const struct reference *const r = &s->reference;
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++) {
        start[i] = below(&s->random, r->shape[i] + 1);
        stop[i] = start[i] + below(&s->random, r->shape[i] - start[i] + 1);
        if (one_in(&s->random, 3)) {
            start[i] = 0;
            stop[i] = r->shape[i];
        }
    }
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *const items = new_items(s, size);
    ok(tess_array_write(s->array, start, stop, items, size, err));
    reference_set(&s->reference, start, stop, items);
    free(items);
}

static void
do_resize(struct subject *s)
{
    const struct reference *const r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++)
        shape[i] = one_in(&s->random, 2)
                       ? r->shape[i]
                       : below(&s->random, r->shape[i] + 1) + below(&s->random, 6);
    if (!draw_fits(&plugin_limits, &s->params, shape))
        return;
    ok(tess_array_resize(s->array, shape, err));
    reference_resize(&s->reference, shape);
}

static void
do_append(struct subject *s)
{
    const struct reference *const r = &s->reference;
    const int64_t count = below(&s->random, 9);
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;

    if (r->ndim == 0)
        return;
    const int axis = (int)below(&s->random, r->ndim);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || !draw_fits(&plugin_limits, &s->params, shape))
        return;
    uint8_t *const items = new_items(s, layer * (size_t)count);
    ok(tess_array_append(s->array, axis, count, items, layer * (size_t)count, NULL, err));
    reference_append(&s->reference, axis, count, items);
    free(items);
}

static void
do_meta(struct subject *s)
{
    uint8_t *const content = new_items(s, 500);
    void *got = NULL;
    size_t size = 0;

    ok(tess_vlmeta_set(s->array, "note", content, 500, err));
    ok(tess_vlmeta_get(s->array, "note", &got, &size, err));
    assert_int_equal(size, 500);
    assert_memory_equal(got, content, size);
    tess_free(got);
    free(content);
}

static void
do_flush(struct subject *s)
{
    ok(tess_array_flush(s->array, err));
    if (s->storage.path)
        check_path(s->storage.path, &s->kit, &s->reference);
}

static void
do_reopen(struct subject *s)
{
    tess_storage storage = place(s->storage.path, TESS_MODE_READ, &s->kit);
    uint8_t *image = NULL;

    if (!s->storage.path)
        storage.image = image = take_image(s->array, &storage.image_size);
    ok(tess_array_close(s->array, err));
    ok(tess_array_open(&storage, &s->array, err));
    check_array(s->array, &s->reference);
    ok(tess_array_close(s->array, err));
    if (s->storage.path)
        check_path(s->storage.path, &s->kit, &s->reference);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &s->array, err));
    free(image);
}

static void
live(struct subject *s)
{
    static void (*const operations[])(struct subject *) = {
        do_write, do_write, do_write, do_append, do_resize, do_meta, do_flush, do_reopen,
    };
    const int64_t home = below(&s->random, 3);

    draw_subject(s);
    kit_init(&s->kit, &s->params);
    s->storage = place(NULL, TESS_MODE_REPLACE, &s->kit);
    if (home > 0)
        s->storage.path = files_path(home == 1 ? "a.b2nd" : "a.b2nd.d");
    if (home == 2)
        s->params.layout = TESS_LAYOUT_SPARSE;

    reference_init(&s->reference, s->params.ndim, s->params.shape, (size_t)s->params.typesize);
    const size_t size = reference_size(&s->reference);
    uint8_t *const items = new_items(s, size);
    memcpy(s->reference.data, items, size);
    ok(tess_array_from(&s->storage, &s->params, items, size, &s->array, err));
    free(items);
    check_array(s->array, &s->reference);
    kit_check(&s->kit);
    for (int64_t n = below(&s->random, OPERATIONS_MAX + 1); n > 0; n--) {
        operations[below(&s->random, (int64_t)(sizeof operations / sizeof *operations))](s);
        check_array(s->array, &s->reference);
        kit_check(&s->kit);
    }
    do_reopen(s);
    check_array(s->array, &s->reference);
    kit_check(&s->kit);
    ok(tess_array_close(s->array, err));
    reference_finish(&s->reference);
}

static void
random_lives(void **state)
{
    static struct subject s;
    const int64_t n = random_cases(CASES, CASES_LONG);
    const uint64_t seed = random_seed();
    int compressed = 0, filtered = 0;

    print_message("%" PRId64 " cases from seed %" PRIu64 "\n", n, seed);
    for (int64_t i = 0; i < n; i++) {
        memset(&s, 0, sizeof s);
        s.seed = seed + (uint64_t)i;
        random_init(&s.random, s.seed);
        *state = &s;
        live(&s);
        for (int c = 0; c < NCODECS; c++)
            compressed += s.kit.codec[c].back > 0;
        for (int f = 0; f < NFILTERS; f++)
            filtered += s.kit.filter[f].back > 0;
    }
    *state = NULL;
    if (n >= CASES) { // of which three and eight tenths do, about
        assert_true(compressed > n / 10);
        assert_true(filtered > n / 4);
    }
}

// -- what they are told

// Without its metalayer, both the name and what looks like one, a frame is no array, and nobody
// knows the shape of its blocks.
static void
spoil_layer(uint8_t *image, size_t size)
{
    static const uint8_t name[] = {'b', '2', 'n', 'd'}, content[] = {0x97, 0, 2}; // 2 dimensions
    image[find(image, size, name, sizeof name)] = 'q';
    image[find(image, size, content, sizeof content)] = 0xc0;
}

static void
what_they_are_told(void **state)
{
    static const int32_t typesizes[] = {1, 4, 255, 256, 300};
    struct reference r;
    tess_params p;
    struct kit kit;
    tess_info info;

    (void)state;
    for (size_t i = 0; i < sizeof typesizes / sizeof *typesizes; i++) {
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        const tess_block *const codec = &kit.codec[0].told, *const filter = &kit.filter[0].told;
        tess_array *a = NULL;
        size_t size;

        plain_params(&p);
        p.dtype = NULL;
        p.typesize = typesizes[i];
        p.clevel = 3;
        plain_items(&r, &p);
        kit_init(&kit, NULL);
        ok(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        assert_int_equal(codec->clevel, 3);
        assert_int_equal(filter->clevel, 3);
        for (int back = 0; back < 2; back++) {
            assert_int_equal(codec->meta, 77);
            assert_int_equal(filter->meta, 99);
            assert_int_equal(codec->typesize, typesizes[i]);
            assert_int_equal(codec->ndim, 2);
            assert_int_equal(codec->shape[0], 10);
            assert_int_equal(codec->shape[1], 10);
            assert_int_equal(filter->typesize, typesizes[i]);
            assert_int_equal(filter->ndim, 2);
            assert_int_equal(filter->shape[0], 10);
            assert_int_equal(filter->shape[1], 10);
            kit.codec[0].told = kit.filter[0].told = (tess_block){0};
            check_array(a, &r);
            assert_int_equal(codec->clevel, 0);
            assert_int_equal(filter->clevel, 0);
        }
        tess_storage plain = place(NULL, TESS_MODE_READ, &kit);
        uint8_t *const image = take_image(a, &size);
        ok(tess_array_close(a, err));
        plain.image = image;
        plain.image_size = size;
        spoil_layer(image, size);
        ok(tess_array_open(&plain, &a, err));
        tess_array_info(a, &info);
        assert_true(info.plain);
        assert_int_equal(info.nitems, 40 * 30);
        refused(
            TESS_ERR_CORRUPT, // the mark is that of another block
            tess_array_read(a, (int64_t[]){0}, (int64_t[]){1200}, r.data, reference_size(&r), err));
        assert_int_equal(kit.codec[0].told.ndim, -1);
        assert_int_equal(kit.codec[0].told.typesize, typesizes[i] > 255 ? 1 : typesizes[i]);
        assert_int_equal(kit.codec[0].told.meta, 77);
        ok(tess_array_close(a, err));
        free(image);
        kit_check(&kit);
        reference_finish(&r);
    }
}

// -- without them

static void
check_refusal(const char *path, const char *number, const struct reference *r)
{
    const tess_storage update = place(path, TESS_MODE_UPDATE, NULL);
    const int64_t origin[TESS_MAX_NDIM] = {0};
    struct reference got;
    tess_error error;
    tess_array *a = reopen(path, TESS_MODE_READ, NULL);

    reference_copy(&got, r);
    refused(TESS_ERR_UNSUPPORTED, read_all(a, &got, err));
    assert_int_equal(read_all(a, &got, &error), TESS_ERR_UNSUPPORTED);
    if (!strstr(error.message, number))
        fail_msg("no %s in: %s", number, error.message);
    ok(tess_array_close(a, err));

    a = NULL;
    tess_status st = tess_array_open(&update, &a, &error);
    if (st == TESS_OK) {
        st = tess_array_write(a, origin, r->shape, r->data, reference_size(r), &error);
        tess_array_discard(a);
    }
    assert_int_equal(st, TESS_ERR_UNSUPPORTED);
    if (!strstr(error.message, number))
        fail_msg("no %s in: %s", number, error.message);
    reference_finish(&got);
}

static void
without_them(void **state)
{
    static const struct {
        int codec;
        uint8_t filter;
        const char *number;
        const char *name;
    } cases[] = {
        {RUNS, 0, "180", "runs"},
        {JP, 0, "36", "jp"},
        {TESS_CODEC_LZ4, ADD, "160", "lz4"},
        {TESS_CODEC_ZSTD, HALF, "37", "zstd"},
    };
    struct reference r;
    tess_params p;
    tess_info info;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    for (size_t i = 0; i < reference_size(&r); i++)
        r.data[i] &= 0xfe; // HALF keeps that
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *const path = files_path((char[]){(char)('a' + i), '\0'});
        p.layout = i % 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        p.codec = (tess_codec)cases[i / 2].codec;
        p.filters[4] = cases[i / 2].filter;
        const tess_storage alone = place(path, TESS_MODE_NEW, NULL);
        tess_array *a = NULL;
        tess_error error;
        refused(TESS_ERR_UNSUPPORTED, tess_array_zeros(&alone, &p, &a, err));
        assert_int_equal(tess_array_zeros(&alone, &p, &a, &error), TESS_ERR_UNSUPPORTED);
        if (!strstr(error.message, cases[i / 2].number))
            fail_msg("no %s in: %s", cases[i / 2].number, error.message);
        kit_init(&kit, NULL);
        make(path, &kit, &p, &r);

        a = reopen(path, TESS_MODE_READ, &kit);
        tess_array_info(a, &info);
        assert_int_equal(info.codec, cases[i / 2].codec);
        assert_string_equal(info.codec_name, cases[i / 2].name);
        ok(tess_array_close(a, err));
        a = reopen(path, TESS_MODE_READ, NULL);
        tess_array_info(a, &info);
        assert_int_equal(info.codec, cases[i / 2].codec);
        assert_int_equal(info.filters[4], cases[i / 2].filter);
        assert_non_null(info.codec_name);
        if (cases[i / 2].codec == RUNS)
            assert_string_equal(info.codec_name, "unknown");
        assert_int_equal(info.shape[0], 40);
        ok(tess_array_close(a, err));

        check_refusal(path, cases[i / 2].number, &r);
        check_path(path, &kit, &r);
        kit_check(&kit);
    }
    reference_finish(&r);
}

// Chunks without bytes need nobody.
static void
special_chunks(void **state)
{
    static const uint8_t item[] = {1, 2, 3, 4};
    const char *const path = files_path("a");
    struct reference r;
    tess_params p;
    struct kit kit;
    uint8_t got[20 * 10 * 4];

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, NULL);
    for (int kind = 0; kind < 3; kind++) {
        const tess_storage storage = place(path, TESS_MODE_REPLACE, &kit);
        tess_array *a = NULL;
        if (kind == 0)
            ok(tess_array_zeros(&storage, &p, &a, err));
        else if (kind == 1)
            ok(tess_array_full(&storage, &p, item, 4, &a, err));
        else
            ok(tess_array_nan(&storage, &p, &a, err));
        ok(tess_array_write(a, (int64_t[]){0, 0}, (int64_t[]){20, 10}, r.data, 800, err));
        ok(tess_array_close(a, err));

        a = reopen(path, TESS_MODE_READ, NULL);
        ok(tess_array_read(a, (int64_t[]){20, 10}, (int64_t[]){40, 20}, got, sizeof got, err));
        for (size_t i = 0; i < sizeof got; i += 4)
            if (kind == 0)
                assert_memory_equal(got + i, ((uint8_t[]){0, 0, 0, 0}), 4);
            else if (kind == 1)
                assert_memory_equal(got + i, item, 4);
            else
                assert_memory_equal(got + i, ((uint8_t[]){0, 0, 0xc0, 0x7f}), 4);
        refused(TESS_ERR_UNSUPPORTED,
                tess_array_read(a, (int64_t[]){0, 0}, (int64_t[]){20, 10}, got, sizeof got, err));
        ok(tess_array_close(a, err));
    }
    reference_finish(&r);
}

// -- what is lost

static void
losses(void **state)
{
    static const struct {
        int codec;
        uint8_t filters[TESS_MAX_FILTERS];
    } cases[] = {
        {RUNS, {HALF}},    {RUNS, {0, 0, 0, 0, 0, HALF}}, {RUNS, {HALF, 1, ADD}},
        {RUNS, {3, HALF}}, {RUNS, {3, MIRROR, HALF, 2}},  {RUNS, {1, HALF}},
        {ROUGH, {0}},      {ROUGH, {0, 0, 0, 0, 0, 1}},   {ROUGH, {MIRROR, 1}},
    };
    struct reference r, want, got;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&want, &r);
    reference_copy(&got, &r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        tess_array *a = NULL;
        p.codec = (tess_codec)cases[i].codec;
        memcpy(p.filters, cases[i].filters, sizeof p.filters);
        memset(p.filters_meta, 0, sizeof p.filters_meta);
        ok(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        for (size_t k = 0; k < reference_size(&r); k++)
            want.data[k] = r.data[k] & 0xfe;
        ok(read_all(a, &got, err));
        assert_memory_not_equal(got.data, r.data, reference_size(&r));
        for (size_t k = 0; k < reference_size(&r); k++)
            got.data[k] &= 0xfe; // chunks that are not smaller are stored before the filters
        assert_memory_equal(got.data, want.data, reference_size(&r));
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&got);
    reference_finish(&want);
    reference_finish(&r);
}

// -- many threads

struct reader {
    pthread_t thread;
    struct random random;
    const tess_array *a;
    const struct reference *reference;
    tess_error error;
    int wrong; // reads that brought other data
};

static void *
read_boxes(void *argument)
{
    struct reader *const r = argument;
    const struct reference *const ref = r->reference;
    const size_t size = reference_size(ref);
    uint8_t *const got = malloc(size), *const want = malloc(size);

    for (int i = 0; i < READS && got && want && r->error.status == TESS_OK; i++) {
        int64_t start[REFERENCE_MAX_NDIM] = {0}, stop[REFERENCE_MAX_NDIM] = {0};
        for (int axis = 0; axis < ref->ndim; axis++) {
            const uint64_t n = (uint64_t)ref->shape[axis];
            start[axis] = (int64_t)random_below(&r->random, n);
            stop[axis] =
                start[axis] + 1 + (int64_t)random_below(&r->random, n - (uint64_t)start[axis]);
        }
        reference_get(ref, start, stop, want);
        if (tess_array_read(r->a, start, stop, got, size, &r->error) == TESS_OK)
            r->wrong += memcmp(got, want, reference_box_size(ref, start, stop)) != 0;
    }
    free(want);
    free(got);
    return NULL;
}

static void
many_threads(void **state)
{
    const uint64_t seed = random_seed();
    struct reader readers[THREADS];
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    p.filters[3] = TESS_FILTER_DELTA;
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int home = 0; home < 3; home++) {
        tess_array *const a = open_home(home, &kit, &p, &r);
        memset(readers, 0, sizeof readers);
        for (int i = 0; i < THREADS; i++) {
            random_init(&readers[i].random, seed + (uint64_t)i);
            readers[i].a = a;
            readers[i].reference = &r;
            assert_int_equal(pthread_create(&readers[i].thread, NULL, read_boxes, &readers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            if (readers[i].error.status != TESS_OK)
                fail_msg("thread %d: %s", i, readers[i].error.message);
            assert_int_equal(readers[i].wrong, 0);
        }
        ok(tess_array_close(a, err));
    }
    assert_true(kit.codec[0].back >= THREADS * READS);
    kit_check(&kit);
    reference_finish(&r);
}

// -- the list is copied

static void
lists_are_copied(void **state)
{
    const char *const path = files_path("a");
    struct reference r;
    tess_params p;
    struct kit kit, given;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    make(path, &kit, &p, &r);
    for (int open = 0; open < 2; open++) {
        const tess_storage storage =
            place(open ? path : NULL, open ? TESS_MODE_UPDATE : TESS_MODE_NEW, &given);
        tess_array *a = NULL;
        tess_info info;

        memcpy(given.codecs, kit.codecs, sizeof kit.codecs);
        memcpy(given.filters, kit.filters, sizeof kit.filters);
        given.plugins = (tess_plugins){given.codecs, NCODECS, given.filters, NFILTERS};
        if (open)
            ok(tess_array_open(&storage, &a, err));
        else
            ok(tess_array_zeros(&storage, &p, &a, err));
        memset(&given, 0xff, sizeof given);
        ok(tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), err));
        check_array(a, &r);
        tess_array_info(a, &info);
        assert_string_equal(info.codec_name, "runs");
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_lives, begin, end),
        cmocka_unit_test(what_they_are_told),
        cmocka_unit_test_setup_teardown(without_them, begin, end),
        cmocka_unit_test_setup_teardown(special_chunks, begin, end),
        cmocka_unit_test(losses),
        cmocka_unit_test_setup_teardown(many_threads, begin, end),
        cmocka_unit_test_setup_teardown(lists_are_copied, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
