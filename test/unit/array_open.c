/*
 * array_open.c - tests of array/create, array/open, array/home, array/refresh and array/verify: an
 * array comes from a description or a frame, becomes a newer state, and is judged. One file, as
 * each needs the array that another one makes.
 */
#include "array/open/open.h"

#include "array/array.h"
#include "array/keep/keep.h"
#include "cache/cache.h"
#include "frame/query.h"
#include "io/memory.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What an array is created with is what an array is that is opened from its bytes.
static void
described(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        struct scene s;
        tess_params p;
        size_t size;
        scene_params(&r, 4, &p);
        scene_new(&s, &p, NULL, (enum scene_items)random_below(&r, 3), &r);
        uint8_t *const image = scene_image(&s, &size);
        struct home home = {0};
        tess_storage storage;
        tess_array *a = NULL;
        tess_storage_init(&storage);
        ok(io_memory_view(image, size, &home.at.io, err));
        ok(array_open(&home, &storage, &a, err));
        assert_int_equal(a->g->typesize, p.typesize);
        assert_int_equal(a->g->ndim, p.ndim);
        for (int d = 0; d < p.ndim; d++) {
            assert_int_equal(a->g->chunkshape[d], p.chunkshape[d]);
            assert_int_equal(a->g->blockshape[d], p.blockshape[d]);
        }
        assert_string_equal(a->layer, "b2nd");
        assert_null(a->view);
        assert_false(frame_is_writable(a->grid->frame));
        scene_check(a, &s.ref);
        array_free(a);
        array_free(NULL);
        free(image);
        scene_close(&s);
    }
}

// The home is closed after a failure, too: sanitizers see what is left.
static void
refused(void **state)
{
    static const uint8_t garbage[200] = {0x9e, 0xa8};
    static const struct array_content nans = {.special = SPECIAL_NANS},
                                      zeros = {.special = SPECIAL_ZEROS};
    tess_storage storage;
    tess_array *a = NULL;
    tess_params p;
    (void)state;
    tess_storage_init(&storage);
    for (int k = 0; k < 4; k++) {
        struct home home = {0};
        tess_params_init(&p);
        p.typesize = 2;
        p.ndim = 1;
        p.shape[0] = 10;
        if (k == 1)
            p.split = (tess_split)7;
        if (k == 2)
            p.blockshape[0] = 20; // more than the chunk has
        p.chunkshape[0] = k == 2 ? 10 : 0;
        ok(io_memory_new(NULL, 0, &home.at.io, err));
        const tess_status st = array_create(&home, &storage, &p, k == 0 ? &nans : &zeros, &a, NULL);
        assert_int_equal(st, k < 3 ? TESS_ERR_ARG : TESS_OK);
        if (k < 3)
            assert_null(a);
    }
    array_free(a);
    a = NULL;
    struct home home = {0};
    ok(io_memory_view(garbage, sizeof garbage, &home.at.io, err));
    assert_int_not_equal(array_open(&home, &storage, &a, NULL), TESS_OK);
    assert_null(a);
    struct home unused = {0};
    ok(io_memory_new(NULL, 0, &unused.at.io, err));
    home_close(&unused);
}

// Views stay where the newer state has all their items under the same indices.
static void
newer(void **state)
{
    int stays = 0, goes = 0;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        static const int64_t zero[NDIM_MAX] = {0};
        int64_t step[NDIM_MAX];
        struct scene old, now;
        tess_params p, q;
        size_t size[2];
        tess_array *view = NULL;
        bool keeps = true;
        scene_params(&r, 3, &p);
        q = p;
        for (int d = 0; d < p.ndim; d++) {
            step[d] = 1;
            q.shape[d] += (int64_t)random_below(&r, 4) - (random_below(&r, 6) == 0);
            if (random_below(&r, 8) == 0)
                q.chunkshape[d] += 1;
            keeps = keeps && q.shape[d] >= p.shape[d] && q.chunkshape[d] == p.chunkshape[d];
        }
        scene_new(&old, &p, NULL, SCENE_LIKELY, &r);
        bool empty = false;
        for (int d = 0; d < p.ndim; d++)
            empty = empty || q.shape[d] == 0;
        scene_new(&now, &q, NULL, empty ? SCENE_ZEROS : SCENE_LIKELY, &r);
        uint8_t *const first = scene_image(&old, &size[0]);
        uint8_t *const second = scene_image(&now, &size[1]);
        tess_array *const a = scene_open(first, size[0], TESS_CHECKSUMS_WRITE, NULL);
        scene_check(a, &old.ref);
        for (int k = 0; k < 3; k++) { // so that a block of it gets into the cache
            uint8_t item[16];
            ok(tess_array_read(a, zero, step, item, sizeof item, err));
            assert_memory_equal(item, old.ref.data, old.ref.typesize);
        }
        const struct geometry *const g = a->g;
        const struct frame *const f = a->grid->frame;
        ok(view_slice(a, zero, p.shape, step, &view, err));
        array_replace_state(a, scene_open(second, size[1], TESS_CHECKSUMS_WRITE, NULL));
        assert_ptr_equal(a->g, g); // which views point to
        assert_ptr_equal(a->grid->frame, f);
        scene_check(a, &now.ref);
        assert_int_equal(view_check(view, NULL), keeps ? TESS_OK : TESS_ERR_STALE);
        if (keeps) {
            struct reference part;
            reference_init(&part, p.ndim, p.shape, now.ref.typesize);
            reference_get(&now.ref, zero, p.shape, part.data);
            scene_check(view, &part);
            reference_finish(&part);
        }
        stays += keeps;
        goes += !keeps;
        array_free(view);
        ok(tess_array_close(a, err));
        free(first);
        free(second);
        scene_close(&old);
        scene_close(&now);
    }
    assert_true(stays > 10 && goes > 10);
}

struct seen {
    const struct geometry *g;
    bool damaged[100];
    int64_t last;
    int wrong;
};

static void
damage(const tess_damage *d, void *user)
{
    struct seen *const s = user;
    s->wrong += d->of != TESS_DAMAGED_CHUNK || d->chunk <= s->last || !s->damaged[d->chunk] ||
                d->status != TESS_ERR_CORRUPT || d->start[0] != d->chunk * s->g->chunkshape[0] ||
                d->stop[0] != d->start[0] + s->g->chunkshape[0] || !d->message[0];
    s->last = d->chunk;
}

// Each damaged chunk is told once, in order; all others are right.
static void
judged(void **state)
{
    enum { CHUNK = 500, CHUNKS = 60 };
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(60, 5000); i > 0; i--) {
        struct scene s;
        struct seen seen = {.last = -1};
        tess_params p;
        tess_context c;
        tess_verdict v;
        size_t size;
        int64_t ndamaged = 0;
        tess_params_init(&p);
        p.typesize = 1;
        p.ndim = 1;
        p.shape[0] = CHUNK * CHUNKS;
        p.chunkshape[0] = CHUNK;
        p.blockshape[0] = 100;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, -1);
        scene_new(&s, &p, &c, SCENE_NOISE, &r);
        uint8_t *const image = scene_image(&s, &size);
        for (int64_t n = 0; n < CHUNKS; n++)
            if (random_below(&r, 10) == 0) {
                uint8_t *const chunk = memmem(image, size, s.ref.data + n * CHUNK, CHUNK);
                assert_non_null(chunk); // noise, as it stands
                chunk[random_below(&r, CHUNK)] ^= (uint8_t)(1 + random_below(&r, 255));
                seen.damaged[n] = true;
                ndamaged++;
            }
        tess_array *const a = scene_open(image, size, TESS_CHECKSUMS_WRITE, &c);
        seen.g = a->g;
        ok(array_verify(a, damage, &seen, &v, err));
        assert_int_equal(seen.wrong, 0);
        assert_int_equal(v.ndamaged, ndamaged);
        assert_int_equal(v.nstored, CHUNKS);
        assert_int_equal(v.nright, CHUNKS - ndamaged);
        assert_int_equal(v.nunknown, 0);
        assert_true(v.sealed);
        ok(tess_array_close(a, err));
        free(image);
        scene_close(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(described),
        cmocka_unit_test(refused),
        cmocka_unit_test(newer),
        cmocka_unit_test(judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
