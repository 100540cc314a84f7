/*
 * array_combine.c - tests of array/copy/combine: what a copy, a concatenation or a stack is
 * described as, from arrays that are alike, and which are not.
 */
#include "array/copy/copy.h"

#include "array/open/params.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5 };

static void
described(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        struct scene s[MOST];
        tess_array *arrays[MOST];
        struct combination c;
        tess_params p;
        tess_array *made = NULL;
        tess_storage storage;
        struct home home;
        int64_t total = 0;
        scene_params(&r, 3, &p);
        const int axis = (int)random_below(&r, (uint64_t)p.ndim);
        const int64_t n = 1 + (int64_t)random_below(&r, MOST);
        for (int64_t k = 0; k < n; k++) {
            tess_params q = p;
            q.shape[axis] = 1 + (int64_t)random_below(&r, 9);
            total += q.shape[axis];
            scene_new(&s[k], &q, NULL, SCENE_LIKELY, &r);
            arrays[k] = s[k].a;
            ok(combine_check_alike(arrays[0], arrays[k], axis, err));
        }
        ok(combination_init(&c, (const tess_array *const *)arrays, n, axis, NULL, false, err));
        assert_int_equal(c.params.ndim, p.ndim);
        for (int d = 0; d < p.ndim; d++) {
            assert_int_equal(c.params.shape[d], d == axis ? total : p.shape[d]);
            assert_int_equal(c.params.chunkshape[d], arrays[0]->g->chunkshape[d]);
            assert_int_equal(c.params.blockshape[d], arrays[0]->g->blockshape[d]);
        }
        assert_int_equal(c.params.typesize, p.typesize);
        assert_int_equal(c.params.codec, p.codec);
        assert_int_equal(c.params.clevel, p.clevel);
        assert_memory_equal(c.params.filters, p.filters, sizeof p.filters);
        tess_storage_init(&storage);
        ok(home_create(&storage, TESS_LAYOUT_CONTIGUOUS, &home, err));
        ok(array_create(&home, &storage, &c.params, &c.content, &made, err));
        combination_finish(&c);
        for (int64_t k = 1; k < n; k++)
            reference_append(&s[0].ref, axis, s[k].ref.shape[axis], s[k].ref.data);
        scene_check(made, &s[0].ref);
        array_free(made);
        for (int64_t k = 0; k < n; k++)
            scene_close(&s[k]);
    }
}

// What the caller's params say, and what they leave open.
static void
given(void **state)
{
    static const char note[] = "of the first", other[] = "of the caller";
    const tess_metalayer own[] = {{"note", note, sizeof note}, {"same", note, sizeof note}};
    const tess_metalayer new[] = {{"same", other, sizeof other}};
    const uint16_t fill = 0x1234, wanted = 0x5678;
    struct scene s;
    struct combination c;
    struct random r;
    tess_params p, q;
    (void)state;
    random_init(&r, 1);
    tess_params_init(&p);
    p.dtype = "<u2";
    p.typesize = 2;
    p.ndim = 2;
    p.shape[0] = 4;
    p.shape[1] = 6;
    p.fill = &fill;
    p.fill_size = sizeof fill;
    p.metalayers = own;
    p.nmetalayers = 2;
    p.layout = TESS_LAYOUT_CONTIGUOUS;
    scene_new(&s, &p, NULL, SCENE_ZEROS, &r);

    ok(combination_init(&c, (const tess_array *const *)&s.a, 1, 0, NULL, true, err));
    assert_int_equal(c.params.nmetalayers, 2);
    assert_memory_equal(c.params.fill, &fill, 2);
    assert_false(c.sources.swapped);
    combination_finish(&c);

    tess_params_init(&q);
    q.dtype = ">u2"; // the fill value of the first array follows
    q.clevel = 9;
    q.chunkshape[0] = 2;
    q.chunkshape[1] = 3;
    q.metalayers = new;
    q.nmetalayers = 1;
    ok(combination_init(&c, (const tess_array *const *)&s.a, 1, 0, &q, true, err));
    assert_string_equal(c.params.dtype, ">u2");
    assert_int_equal(c.params.typesize, 2);
    assert_int_equal(c.params.ndim, 2);
    assert_int_equal(c.params.shape[1], 6);
    assert_int_equal(c.params.clevel, 9);
    assert_int_equal(c.params.chunkshape[1], 3);
    assert_true(c.sources.swapped);
    assert_int_equal(c.sources.word, 2);
    const uint8_t *const swapped = c.params.fill;
    assert_int_equal(swapped[0], ((const uint8_t *)&fill)[1]);
    assert_int_equal(swapped[1], ((const uint8_t *)&fill)[0]);
    assert_int_equal(c.params.nmetalayers, 2); // the caller's first, then those it did not name
    assert_memory_equal(c.params.metalayers[0].content, other, sizeof other);
    assert_string_equal(c.params.metalayers[1].name, "note");
    combination_finish(&c);

    q.fill = &wanted; // the caller's stays as it is
    q.fill_size = sizeof wanted;
    ok(combination_init(&c, (const tess_array *const *)&s.a, 1, 0, &q, true, err));
    assert_ptr_equal(c.params.fill, &wanted);
    combination_finish(&c);

    static const struct {
        const char *dtype;
        int ndim;
        int32_t typesize;
        int nmetalayers;
    } bad[] = {{"<i2", 0, 0, 0}, {"<u4", 0, 0, 0}, {NULL, 3, 0, 0},
               {NULL, 0, 4, 0},  {NULL, 0, 0, -1}, {NULL, 0, 0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tess_error err;
        tess_params_init(&q);
        q.dtype = bad[i].dtype;
        q.ndim = bad[i].ndim;
        q.typesize = bad[i].typesize;
        q.nmetalayers = bad[i].nmetalayers; // and none given
        assert_int_equal(
            combination_init(&c, (const tess_array *const *)&s.a, 1, 0, &q, true, &err),
            TESS_ERR_ARG);
        combination_finish(&c);
    }
    scene_close(&s);
}

static void
make(struct scene *s, const char *dtype, int32_t typesize, int ndim, int64_t rows, int64_t columns)
{
    struct random r;
    tess_params p;
    random_init(&r, 1);
    tess_params_init(&p);
    p.dtype = dtype;
    p.typesize = typesize;
    p.ndim = ndim;
    p.shape[0] = rows;
    p.shape[1] = columns;
    scene_new(s, &p, NULL, SCENE_ZEROS, &r);
}

static void
alike(void **state)
{
    static const struct {
        const char *dtype;
        int32_t typesize;
        int ndim;
        int64_t rows, columns;
        bool beside, stacked; // of <M8[s], 3x5: along axis 0; along a new one
    } cases[] = {
        {"<M8[s]", 8, 2, 3, 5, true, true},    {"<M8[s]", 8, 2, 4, 5, true, false},
        {"<M8[s]", 8, 2, 3, 6, false, false},  {"<M8[s]", 8, 1, 3, 0, false, false},
        {"<M8[ms]", 8, 2, 3, 5, false, false}, {">M8[s]", 8, 2, 3, 5, false, false},
        {"<i8", 8, 2, 3, 5, false, false},     {"<i4", 4, 2, 3, 5, false, false},
        {NULL, 8, 2, 3, 5, false, false}, // bytes
    };
    struct scene a, b;
    (void)state;
    make(&a, "<M8[s]", 8, 2, 3, 5);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make(&b, cases[i].dtype, cases[i].typesize, cases[i].ndim, cases[i].rows, cases[i].columns);
        assert_int_equal(combine_check_alike(a.a, b.a, 0, NULL) == TESS_OK, cases[i].beside);
        assert_int_equal(combine_check_alike(a.a, b.a, -1, NULL) == TESS_OK, cases[i].stacked);
        scene_close(&b);
    }
    scene_close(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(described),
        cmocka_unit_test(given),
        cmocka_unit_test(alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
