/*
 * methods.c - codecs and filters by number, id and name; what is said of them is what arrays show.
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 16 };

static void
check_codec(const tess_codec_info *want, const tess_codec_info *got)
{
    assert_int_equal(got->id, want->id);
    assert_string_equal(got->name, want->name);
    assert_int_equal(got->built, want->built);
    assert_int_equal(got->lossy, want->lossy);
}

static void
codecs(void **state)
{
    tess_codec_info c = {.id = -7}, other;
    bool built = true;
    int n = 0;

    (void)state;
    assert_false(tess_codec_at(-1, &c));
    assert_int_equal(c.id, -7);
    for (; tess_codec_at(n, &c); n++) {
        assert_true(built || !c.built); // those of this build come first
        built = c.built;
        assert_true(tess_codec_get(c.id, &other));
        check_codec(&c, &other);
        assert_true(tess_codec_find(c.name, &other));
        check_codec(&c, &other);
        for (int k = 0; k < n; k++) {
            assert_true(tess_codec_at(k, &other));
            assert_true(other.id != c.id && strcmp(other.name, c.name) != 0);
        }
    }
    assert_true(n >= 6);
    assert_false(tess_codec_find("Zstd", &c));
    assert_false(tess_codec_find("", &c));
    assert_false(tess_codec_find(NULL, &c));
    assert_false(tess_codec_get(-1, &c));
    assert_false(tess_codec_get(200, &c)); // for plugins
    assert_true(tess_codec_find("zstd", &c) && c.id == TESS_CODEC_ZSTD && c.built && !c.lossy);
    assert_true(tess_codec_get(TESS_CODEC_ZFP_RATE, &c) && strcmp(c.name, "zfp_rate") == 0);
    assert_int_equal(c.lossy, c.built);
}

static void
square(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<f4";
    p->ndim = 2;
    p->shape[0] = p->shape[1] = SIDE;
    p->filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_NONE;
}

// Whether an array made with these parameters holds exactly what it was given.
static tess_status
write_exactly(const tess_params *p, bool *exact)
{
    const int64_t zeros[2] = {0};
    float items[SIDE * SIDE], again[SIDE * SIDE];
    tess_storage storage;
    tess_array *a = NULL;

    for (int i = 0; i < SIDE * SIDE; i++)
        items[i] = 1.0F / (float)(i % 4 + 3); // compressible: else chunks keep what they are given
    tess_storage_init(&storage);
    const tess_status st = tess_array_from(&storage, p, items, sizeof items, &a, NULL);
    if (st != TESS_OK)
        return st;
    ok(tess_array_read(a, zeros, p->shape, again, sizeof again, err));
    *exact = memcmp(items, again, sizeof items) == 0;
    ok(tess_array_close(a, err));
    return TESS_OK;
}

// What is built writes arrays, and is lossy if it says so; of others only the name is there.
static void
codecs_of_arrays(void **state)
{
    tess_codec_info c;
    tess_params p;

    (void)state;
    for (int n = 0; tess_codec_at(n, &c); n++) {
        bool exact = true;

        square(&p);
        p.codec = (tess_codec)c.id;
        p.codec_meta = c.id == TESS_CODEC_NDLZ            ? 4
                       : c.id == TESS_CODEC_ZFP_RATE      ? 20
                       : c.id == TESS_CODEC_ZFP_PRECISION ? 5
                                                          : 0;
        if (c.id == TESS_CODEC_NDLZ)
            p.split = TESS_SPLIT_ALWAYS;
        if (c.built) {
            if (write_exactly(&p, &exact) != TESS_OK)
                fail_msg("%s: no array", c.name);
            assert_int_equal(exact, !c.lossy);
        } else {
            assert_int_equal(write_exactly(&p, &exact), TESS_ERR_UNSUPPORTED);
        }
    }
}

static void
filters(void **state)
{
    tess_filter_info f = {.id = -7}, other;
    tess_params p;
    int n = 0;

    (void)state;
    assert_false(tess_filter_at(-1, &f));
    assert_int_equal(f.id, -7);
    for (; tess_filter_at(n, &f); n++) {
        bool exact = true;

        assert_true(tess_filter_get(f.id, &other) && other.id == f.id);
        assert_true(tess_filter_find(f.name, &other) && other.id == f.id);
        assert_true(other.written == f.written && other.lossy == f.lossy);
        for (int k = 0; k < n; k++) {
            assert_true(tess_filter_at(k, &other));
            assert_true(other.id != f.id && strcmp(other.name, f.name) != 0);
        }
        square(&p);
        p.filters[TESS_MAX_FILTERS - 1] = (uint8_t)f.id;
        p.filters_meta[TESS_MAX_FILTERS - 1] =
            f.id == TESS_FILTER_NDCELL || f.id == TESS_FILTER_NDMEAN ? 4
            : f.id == TESS_FILTER_TRUNC_PREC                         ? 5
                                                                     : 0;
        if (f.id == TESS_FILTER_INT_TRUNC) {
            p.dtype = "<i4"; // the same bytes
            p.filters_meta[TESS_MAX_FILTERS - 1] = (uint8_t)-5;
        }
        if (!f.written) {
            assert_int_equal(write_exactly(&p, &exact), TESS_ERR_ARG);
            continue;
        }
        if (write_exactly(&p, &exact) != TESS_OK)
            fail_msg("%s: no array", f.name);
        if (exact == f.lossy)
            fail_msg("%s: %s", f.name, exact ? "lossy, but exact" : "not lossy, but other items");
    }
    assert_true(n >= 8);
    assert_false(tess_filter_find("nofilter", &f));
    assert_false(tess_filter_find(NULL, &f));
    assert_false(tess_filter_get(TESS_FILTER_NONE, &f));
    assert_false(tess_filter_get(200, &f));
    assert_true(tess_filter_get(TESS_FILTER_SHUFFLE, &f) && strcmp(f.name, "shuffle") == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs),
        cmocka_unit_test(codecs_of_arrays),
        cmocka_unit_test(filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
