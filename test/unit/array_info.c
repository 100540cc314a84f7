/*
 * array_info.c - tests of array/open/params: what is told of an array is what it was made with, and
 * what was stored since.
 */
#include "array/open/params.h"

#include "codec/codec.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
told(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        struct scene s;
        tess_params p, same;
        tess_info info;
        int64_t nitems = 1, nchunks = 1, chunk = 1;
        scene_params(&r, 4, &p);
        scene_new(&s, &p, NULL, (enum scene_items)random_below(&r, 3), &r);
        array_info(s.a, &info);
        assert_int_equal(info.ndim, p.ndim);
        for (int d = 0; d < p.ndim; d++) {
            assert_int_equal(info.shape[d], p.shape[d]);
            assert_int_equal(info.chunkshape[d], s.a->g->chunkshape[d]);
            assert_int_equal(info.blockshape[d], s.a->g->blockshape[d]);
            nitems *= p.shape[d];
            nchunks *= (p.shape[d] + info.chunkshape[d] - 1) / info.chunkshape[d];
            chunk *= (info.chunkshape[d] + info.blockshape[d] - 1) / info.blockshape[d] *
                     info.blockshape[d];
        }
        assert_int_equal(info.typesize, p.typesize);
        assert_int_equal(info.nitems, nitems);
        assert_int_equal(info.nchunks, nchunks);
        assert_int_equal(info.chunksize, chunk * p.typesize);
        assert_int_equal(info.nbytes, nchunks * info.chunksize);
        assert_int_equal(info.codec, p.codec);
        assert_string_equal(info.codec_name, codec_name(p.codec));
        assert_int_equal(info.clevel, p.clevel);
        assert_memory_equal(info.filters, p.filters, sizeof p.filters);
        assert_string_equal(info.layer, "b2nd");
        assert_true(info.contiguous);
        assert_true(info.writable);
        assert_false(info.plain);
        assert_false(info.view);
        assert_int_equal(info.nstored + info.nspecial + info.nmissing, nchunks);
        int64_t stored = 0;
        for (int64_t n = 0; n < nchunks; n++) {
            tess_chunk_info c;
            ok(tess_array_chunk(s.a, n, &c, err));
            stored += c.stored ? c.cbytes : 0;
        }
        if (info.live >= 0)
            assert_int_equal(info.live, stored);

        // An array that is made with those parameters is told alike.
        struct scene again;
        tess_info other;
        array_params(s.a, &same);
        scene_new(&again, &same, NULL, SCENE_ZEROS, &r);
        array_info(again.a, &other);
        assert_memory_equal(other.shape, info.shape, sizeof info.shape);
        assert_memory_equal(other.chunkshape, info.chunkshape, sizeof info.chunkshape);
        assert_memory_equal(other.blockshape, info.blockshape, sizeof info.blockshape);
        assert_memory_equal(other.filters, info.filters, sizeof info.filters);
        assert_memory_equal(other.filters_meta, info.filters_meta, sizeof info.filters_meta);
        assert_int_equal(other.typesize, info.typesize);
        assert_int_equal(other.codec, info.codec);
        assert_int_equal(other.codec_meta, info.codec_meta);
        assert_int_equal(other.clevel, info.clevel);
        assert_int_equal(other.split, info.split);
        assert_int_equal(other.dictionary, info.dictionary);
        scene_close(&again);
        scene_close(&s);
    }
}

// Of a view: its own shape; what the frame has is the array's.
static void
of_views(void **state)
{
    const int axes[] = {1, 0};
    struct random r;
    struct scene s;
    tess_params p;
    tess_info info, base;
    tess_array *view;
    (void)state;
    random_init(&r, 3);
    tess_params_init(&p);
    p.typesize = 4;
    p.ndim = 2;
    p.shape[0] = 30;
    p.shape[1] = 50;
    scene_new(&s, &p, NULL, SCENE_NOISE, &r);
    ok(tess_array_view_permute(s.a, axes, &view, err));
    array_info(s.a, &base);
    array_info(view, &info);
    assert_true(info.view);
    assert_int_equal(info.shape[0], 50);
    assert_int_equal(info.shape[1], 30);
    assert_int_equal(info.nstored, base.nstored);
    assert_int_equal(info.live, base.live);
    assert_true(info.ratio == base.ratio);
    ok(tess_array_close(view, err));
    scene_close(&s);
}

// Chunks that nothing was written to, after a while beside others.
static void
of_missing_chunks(void **state)
{
    const int64_t start[] = {25}, stop[] = {45};
    const uint8_t items[20] = {1};
    tess_storage storage;
    tess_params p;
    tess_info info;
    tess_array *a;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 100;
    p.chunkshape[0] = 10;
    ok(tess_array_uninit(&storage, &p, &a, err));
    array_info(a, &info);
    assert_int_equal(info.nmissing, 10);
    assert_int_equal(info.nspecial, 0);
    assert_int_equal(info.nstored, 0);
    ok(tess_array_write(a, start, stop, items, sizeof items, err));
    ok(tess_array_flush(a, err));
    array_info(a, &info);
    assert_int_equal(info.nmissing, 7);
    assert_int_equal(info.nspecial + info.nstored, 3);
    assert_true(info.nstored > 0);
    tess_array_discard(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told),
        cmocka_unit_test(of_views),
        cmocka_unit_test(of_missing_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
