/*
 * plugins_refused.c - codecs and filters of the program: lists that are not taken, parameters that
 * contradict them, and what becomes of a call in which they fail.
 */
#include "support/files.h"
#include "support/plugin_arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// -- numbers

// Creates an array with a list of plugins, and opens another one.
static void
try_list(const tess_plugins *plugins, bool fine, const char *why)
{
    tess_storage storage = place(NULL, TESS_MODE_NEW, NULL);
    tess_array *a = NULL, *b = NULL;
    tess_error error;
    tess_params p;
    size_t size;

    tess_params_init(&p);
    ok(tess_array_zeros(&storage, &p, &a, err));
    uint8_t *const image = take_image(a, &size);
    ok(tess_array_close(a, err));

    for (int open = 0; open < 3; open++) {
        storage.plugins = plugins;
        storage.mode = open == 2 ? TESS_MODE_UPDATE : TESS_MODE_READ;
        storage.image = image;
        storage.image_size = size;
        b = (tess_array *)&storage; // to be replaced
        const tess_status st = open ? tess_array_open(&storage, &b, &error)
                                    : tess_array_zeros(&storage, &p, &b, &error);
        if (st != (fine ? TESS_OK : TESS_ERR_ARG))
            fail_msg("%s: %s", why, st == TESS_OK ? "taken" : error.message);
        if (!fine) {
            check_error(&error, TESS_ERR_ARG, why);
            assert_null(b);
        }
        ok(tess_array_close(b, err));
    }
    free(image);
}

static void
try_codec(int id, bool fine)
{
    struct kit kit;
    kit_init(&kit, NULL);
    const tess_user_codec codec = {.struct_size = sizeof(tess_user_codec),
                                   .id = (uint8_t)id,
                                   .name = "x",
                                   .decompress = kit.codecs[0].decompress};
    const tess_plugins plugins = {.codecs = &codec, .ncodecs = 1};
    char why[30];
    snprintf(why, sizeof why, "codec %d", id);
    try_list(&plugins, fine, why);
}

static void
try_filter(int id, bool fine)
{
    struct kit kit;
    kit_init(&kit, NULL);
    const tess_user_filter filter = {.struct_size = sizeof(tess_user_filter),
                                     .id = (uint8_t)id,
                                     .name = "x",
                                     .backward = kit.filters[0].backward};
    const tess_plugins plugins = {.filters = &filter, .nfilters = 1};
    char why[30];
    snprintf(why, sizeof why, "filter %d", id);
    try_list(&plugins, fine, why);
}

static bool
build_has(int codec)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, NULL);
    tess_params p;
    tess_array *a = NULL;

    plain_params(&p);
    p.dtype = "<f4";
    p.codec = (tess_codec)codec;
    p.codec_meta = 10;
    memset(p.filters, 0, sizeof p.filters);
    const tess_status st = tess_array_zeros(&storage, &p, &a, NULL);
    assert_true(st == TESS_OK || st == TESS_ERR_UNSUPPORTED);
    ok(tess_array_close(a, err));
    return st == TESS_OK;
}

static void
numbers(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const bool zfp = id >= TESS_CODEC_ZFP_ACCURACY && id <= TESS_CODEC_ZFP_RATE;
        try_codec(id, id >= TESS_PLUGIN_FIRST && id != TESS_CODEC_NDLZ && !(zfp && build_has(id)));
        try_filter(id, id > TESS_FILTER_INT_TRUNC);
    }
}

static void
lists(void **state)
{
    struct kit kit;

    (void)state;
    kit_init(&kit, NULL);
    try_list(&kit.plugins, true, "the kit");
    try_list(&(tess_plugins){0}, true, "nothing");
    try_list(&(tess_plugins){kit.codecs, 0, kit.filters, 0}, true, "lists of no length");
    try_list(&(tess_plugins){NULL, 1, NULL, 0}, false, "no codecs");
    try_list(&(tess_plugins){NULL, 0, NULL, 1}, false, "no filters");
    try_list(&(tess_plugins){kit.codecs, -1, NULL, 0}, false, "-1 codecs");
    try_list(&(tess_plugins){NULL, 0, kit.filters, -1}, false, "-1 filters");

    kit.codecs[2].id = RUNS;
    try_list(&kit.plugins, false, "a codec twice");
    kit_init(&kit, NULL);
    kit.filters[2].id = ADD;
    try_list(&kit.plugins, false, "a filter twice");
    kit_init(&kit, NULL);
    kit.codecs[0].id = MIRROR - 1;
    kit.filters[0].id = MIRROR - 1;
    try_list(&kit.plugins, true, "a codec and a filter of one number");
    kit_init(&kit, NULL);
    kit.codecs[1].name = NULL;
    try_list(&kit.plugins, false, "a codec without a name");
    kit_init(&kit, NULL);
    kit.filters[1].name = NULL;
    try_list(&kit.plugins, false, "a filter without a name");
    kit_init(&kit, NULL);
    kit.codecs[1].decompress = NULL;
    try_list(&kit.plugins, false, "a codec that cannot read");
    kit_init(&kit, NULL);
    kit.filters[1].backward = NULL;
    try_list(&kit.plugins, false, "a filter that cannot read");
}

// -- failures

static const int statuses[] = {1, 2, 3, 4, 5, 6, 7, 8, 77, -1};
enum { NSTATUSES = sizeof statuses / sizeof *statuses };

static tess_status
meant(int status)
{
    return status > 0 && status <= TESS_ERR_STALE ? (tess_status)status : TESS_ERR_CORRUPT;
}

// All the ways to change an array, none of which can do it now.
static void
check_no_change(tess_array *a, struct self *self, tess_status want, const struct reference *r)
{
    const size_t size = reference_size(r);
    struct reference other;

    reference_copy(&other, r);
    for (size_t i = 0; i < size; i++)
        other.data[i] ^= (uint8_t)(i / 100);
    for (int after = 0; after < 12; after += 5) {
        self->forth_after = after;
        self->forth = 0;
        refused(want, tess_array_write(a, (int64_t[]){0, 0}, r->shape, other.data, size, err));
        check_array(a, r);
    }
    self->forth_after = 0;
    refused(want,
            tess_array_write(a, (int64_t[]){1, 2}, (int64_t[]){27, 18}, other.data, size, err));
    check_array(a, r);
    refused(want, tess_array_append(a, 0, r->shape[0], other.data, size, NULL, err));
    check_array(a, r);
    refused(want, tess_array_append(a, 1, r->shape[1], other.data, size, NULL, err));
    check_array(a, r);
    reference_finish(&other);
}

static void
writing_fails(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int home = 0; home < 3; home++) {
        tess_array *a = open_home(home, &kit, &p, &r);
        for (int i = 0; i < 2 * NSTATUSES; i++) {
            struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
            self->forth_status = statuses[i / 2];
            check_no_change(a, self, meant(statuses[i / 2]), &r);
            self->forth_status = 0;
        }
        kit.codec[0].result = TOO_MUCH;
        check_no_change(a, &kit.codec[0], TESS_ERR_ARG, &r);
        kit.codec[0].result = FAIR;

        const int64_t shape[] = {33, 47}; // after all that it can be changed
        ok(tess_array_resize(a, shape, err));
        ok(tess_array_resize(a, r.shape, err));
        ok(tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

// A shrunk edge that cuts a block leaves items that must go: the block is written anew.
static void
resizing_fails(void **state)
{
    const int64_t less[] = {35, 25};
    struct reference r, cut;
    tess_params p;
    struct kit kit;
    tess_array *a;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int i = 0; i < 2 * NSTATUSES; i++) {
        struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
        a = open_home(0, &kit, &p, &r);
        reference_copy(&cut, &r);
        reference_resize(&cut, less);

        self->forth_status = statuses[i / 2];
        tess_status st = tess_array_resize(a, less, NULL);
        if (st != TESS_OK) {
            assert_int_equal(st, meant(statuses[i / 2]));
            check_array(a, &r);
            self->forth_status = 0;
            ok(tess_array_resize(a, less, err));
        }
        check_array(a, &cut);
        self->forth_status = statuses[i / 2];
        st = tess_array_resize(a, r.shape, NULL);
        if (st != TESS_OK) {
            assert_int_equal(st, meant(statuses[i / 2]));
            check_array(a, &cut);
            self->forth_status = 0;
            ok(tess_array_resize(a, r.shape, err));
        }
        self->forth_status = 0;
        reference_resize(&cut, r.shape);
        check_array(a, &cut);
        ok(tess_array_close(a, err));
        reference_finish(&cut);
    }
    reference_finish(&r);
}

static void
creating_fails(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int i = 0; i < 4 * NSTATUSES; i++) {
        const tess_storage storage = place(files_path("a"), TESS_MODE_NEW, &kit);
        struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
        tess_array *a;
        p.layout = i / 2 % 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        self->forth_status = statuses[i / 4];
        self->forth_after = i % 3;
        refused(meant(statuses[i / 4]),
                tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        assert_null(a);
        assert_int_equal(files_count(), 0);
        self->forth_status = 0;
    }
    reference_finish(&r);
}

static void
reading_fails(void **state)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&got, &r);
    for (int home = 0; home < 3; home++) {
        tess_array *a = open_home(home, &kit, &p, &r);
        for (int i = 0; i < 2 * NSTATUSES; i++) {
            struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
            const tess_status want = meant(statuses[i / 2]);
            tess_error error;

            self->back_status = statuses[i / 2];
            refused(want, read_all(a, &got, err));
            assert_int_equal(read_all(a, &got, &error), want);
            assert_int_equal(error.sys, 0);
            if (error.offset < 0)
                fail_msg("offset %lld: %s", (long long)error.offset, error.message);
            refused(want,
                    tess_array_read(a, (int64_t[]){3, 3}, (int64_t[]){4, 4}, got.data, 4, err));
            refused(want, tess_array_write(a, (int64_t[]){3, 3}, (int64_t[]){4, 4}, got.data, 4,
                                           err)); // the rest of the block must be kept
            self->back_status = 0;
            check_array(a, &r);
        }
        ok(tess_array_close(a, err));
    }
    reference_finish(&got);
    kit_check(&kit);
    reference_finish(&r);
}

static void
nothing_gained(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    kit.codec[0].result = NOTHING;
    for (int home = 0; home < 3; home++) {
        tess_array *const a = open_home(home, &kit, &p, &r);
        assert_true(kit.codec[0].forth > 0);
        check_array(a, &r);
        assert_int_equal(kit.codec[0].back, 0);
        ok(tess_array_write(a, (int64_t[]){1, 2}, (int64_t[]){1, 2}, NULL, 0, err));
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

static void
only_readers(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    for (int what = 0; what < 2; what++) {
        const char *const path = files_path("a");
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        const tess_storage update = place(path, TESS_MODE_UPDATE, &kit);
        tess_array *a = NULL;

        kit_init(&kit, &p);
        make(path, &kit, &p, &r);
        if (what == 0)
            kit.codecs[0].compress = NULL;
        else
            kit.filters[0].forward = NULL;
        refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &a, err));
        refused(TESS_ERR_ARG, tess_array_uninit(&storage, &p, &a, err));
        refused(TESS_ERR_ARG, tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        check_path(path, &kit, &r);

        tess_error error;
        tess_status st = tess_array_open(&update, &a, &error);
        if (st == TESS_OK) {
            st =
                tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), &error);
            ok(tess_array_close(a, err));
        }
        assert_int_equal(st, TESS_ERR_UNSUPPORTED);
        check_error(&error, st, "a write");
        check_path(path, &kit, &r);
    }
    reference_finish(&r);
}

// -- what does not go together

static void
try_params(const tess_params *p, const struct kit *kit, bool fine, const char *why)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, kit);
    tess_error error;
    tess_array *a = NULL;
    const tess_status st = tess_array_zeros(&storage, p, &a, &error);

    if (st != (fine ? TESS_OK : TESS_ERR_ARG))
        fail_msg("%s: %s", why, st == TESS_OK ? "taken" : error.message);
    if (!fine)
        check_error(&error, TESS_ERR_ARG, why);
    ok(tess_array_close(a, err));
}

static void
contradictions(void **state)
{
    static const struct {
        const char *why;
        int codec;
        uint8_t filters[TESS_MAX_FILTERS];
        tess_split split;
        bool fine;
    } cases[] = {
        {"items, no filter", ITEMS, {0}, TESS_SPLIT_AUTO, true},
        {"items, never split", ITEMS, {0}, TESS_SPLIT_NEVER, true},
        {"items, always split", ITEMS, {0}, TESS_SPLIT_ALWAYS, false},
        {"items, shuffle", ITEMS, {0, 0, 0, 0, 0, 1}, TESS_SPLIT_AUTO, false},
        {"items, bitshuffle", ITEMS, {2}, TESS_SPLIT_NEVER, false},
        {"items, bytedelta", ITEMS, {0, 35}, TESS_SPLIT_NEVER, false},
        {"items, int_trunc", ITEMS, {0, 36}, TESS_SPLIT_NEVER, true},
        {"items, trunc_prec", ITEMS, {4}, TESS_SPLIT_NEVER, true},
        {"items, add", ITEMS, {ADD}, TESS_SPLIT_NEVER, false},
        {"runs, always split", RUNS, {1}, TESS_SPLIT_ALWAYS, true},
        {"half, delta", RUNS, {HALF, 3}, TESS_SPLIT_AUTO, false},
        {"half, others, delta", TESS_CODEC_LZ4, {0, HALF, 1, ADD, 3, 1}, TESS_SPLIT_AUTO, false},
        {"delta, half", RUNS, {3, HALF}, TESS_SPLIT_AUTO, true},
        {"half, shuffle", TESS_CODEC_ZSTD, {HALF, 1}, TESS_SPLIT_AUTO, true},
        {"half", RUNS, {0, 0, 0, HALF}, TESS_SPLIT_AUTO, true},
        {"add, delta", RUNS, {ADD, 3}, TESS_SPLIT_AUTO, true},
        {"rough", ROUGH, {0}, TESS_SPLIT_AUTO, true},
        {"rough, shuffle", ROUGH, {0, 0, 0, 0, 0, 1}, TESS_SPLIT_ALWAYS, true},
        {"rough, delta", ROUGH, {3}, TESS_SPLIT_AUTO, false},
        {"rough, delta, others", ROUGH, {0, ADD, 3, 0, 0, 1}, TESS_SPLIT_NEVER, false},
    };
    tess_params p;
    struct kit kit;

    (void)state;
    kit_init(&kit, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plain_params(&p);
        p.codec = (tess_codec)cases[i].codec;
        p.split = cases[i].split;
        memcpy(p.filters, cases[i].filters, sizeof p.filters);
        for (int f = 0; f < TESS_MAX_FILTERS; f++)
            p.filters_meta[f] =
                p.filters[f] == TESS_FILTER_TRUNC_PREC || p.filters[f] == TESS_FILTER_INT_TRUNC ? 5
                                                                                                : 0;
        try_params(&p, &kit, cases[i].fine, cases[i].why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(lists),
        cmocka_unit_test_setup_teardown(writing_fails, begin, end),
        cmocka_unit_test(resizing_fails),
        cmocka_unit_test_setup_teardown(creating_fails, begin, end),
        cmocka_unit_test_setup_teardown(reading_fails, begin, end),
        cmocka_unit_test_setup_teardown(nothing_gained, begin, end),
        cmocka_unit_test_setup_teardown(only_readers, begin, end),
        cmocka_unit_test(contradictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
