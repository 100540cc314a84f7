/*
 * grid_openings.c - tests of grid/read/openings: chunks that are announced come in that order,
 * whoever opens them; and failures come with them.
 */
#include "grid/read/private.h"

#include "frame/query.h"
#include "grid/pool.h"
#include "unit/scene.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNKS = 40, CHUNK = 1000, THREADS = 4, ROUNDS = 30 };

// An array that is compared with its checksums when it is read.
struct verified {
    struct scene s;
    uint8_t *image;
    size_t size;
    tess_array *a;
};

static void
verified_init(struct verified *v, struct random *r, tess_checksums checksums)
{
    tess_params p;
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = CHUNKS * CHUNK;
    p.chunkshape[0] = CHUNK;
    p.blockshape[0] = CHUNK / 4;
    scene_new(&v->s, &p, NULL, SCENE_NOISE, r);
    v->image = scene_image(&v->s, &v->size);
    v->a = scene_open(v->image, v->size, checksums, NULL);
}

static void
verified_finish(struct verified *v)
{
    ok(tess_array_close(v->a, err));
    scene_close(&v->s);
    free(v->image);
}

static void
check_chunk(const struct verified *v, int64_t n, const struct open_chunk *open)
{
    uint8_t got[CHUNK / 4];
    struct chunk_scratch *const s = pool_take(v->a->grid->pool);
    assert_int_equal(open->n, n);
    for (int32_t b = 0; b < 4; b++) {
        ok(open_chunk_block(v->a->grid, open, b, got, s, err));
        assert_memory_equal(got, v->s.ref.data + n * CHUNK + b * (CHUNK / 4), sizeof got);
    }
    pool_give(v->a->grid->pool, s);
}

// Only where opening takes long, and there is another thread to do it.
static void
whether(void **state)
{
    struct openings x;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int k = 0; k < 2; k++) {
        struct verified v;
        verified_init(&v, &r, k == 0 ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE);
        for (int threads = 1; threads <= THREADS; threads++) {
            openings_init(&x, v.a->grid, threads);
            if (k == 0 && threads > 1)
                assert_int_equal(x.most, threads);
            else
                assert_int_equal(x.most, 0);
            openings_finish(&x);
        }
        // Large chunks: one at a time.
        const int32_t chunksize = v.a->grid->g.chunksize;
        v.a->grid->g.chunksize = 60 << 20;
        openings_init(&x, v.a->grid, THREADS);
        assert_int_equal(x.most, k == 0 ? 1 : 0);
        openings_finish(&x);
        v.a->grid->g.chunksize = chunksize;
        verified_finish(&v);
    }
}

// By one thread, in any order of work, taking and releasing.
static void
in_order(void **state)
{
    struct random r;
    struct verified v;
    (void)state;
    random_init(&r, random_seed());
    verified_init(&v, &r, TESS_CHECKSUMS_VERIFY);
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        struct opening *o[CHUNKS];
        struct openings x;
        int announced = 0, taken = 0, released = 0;
        openings_init(&x, v.a->grid, THREADS);
        while (taken < 10) {
            if (x.count < x.most && random_below(&r, 2)) {
                ok(openings_announce(&x, (announced * 7) % CHUNKS, random_below(&r, 2),
                                     &o[announced], err));
                announced++;
                assert_int_equal(x.count, announced - taken);
            } else if (released < announced && random_below(&r, 2)) {
                if (random_below(&r, 2))
                    opening_work(o[released]);
                opening_release(o[released++]); // before it was taken, or after
            } else if (taken < announced) {
                struct open_chunk *open = NULL;
                ok(openings_take(&x, &open, err));
                check_chunk(&v, (taken * 7) % CHUNKS, open);
                open_chunk_release(open);
                taken++;
                assert_int_equal(x.count, announced - taken);
            }
        }
        while (released < announced) // grains are over before the job is
            opening_release(o[released++]);
        openings_finish(&x); // some were not taken
        assert_true(announced <= CHUNKS);
    }
    verified_finish(&v);
}

struct share {
    struct openings x;
    struct opening *o[CHUNKS];
    _Atomic int announced;
    _Atomic bool stop;
    _Atomic int next;
};

static void *
work(void *arg)
{
    struct share *const s = arg;
    while (!atomic_load(&s->stop)) {
        int k = atomic_load(&s->next);
        if (k < atomic_load(&s->announced) && atomic_compare_exchange_strong(&s->next, &k, k + 1)) {
            opening_work(s->o[k]);
            opening_release(s->o[k]);
        }
    }
    return NULL;
}

// Workers open, the thread of `next` takes, and opens what no worker has begun.
static void
workers(void **state)
{
    struct random r;
    struct verified v;
    (void)state;
    random_init(&r, random_seed());
    verified_init(&v, &r, TESS_CHECKSUMS_VERIFY);
    for (int round = 0; round < ROUNDS; round++) {
        static struct share s;
        pthread_t t[THREADS - 1];
        int taken = 0;
        memset(&s, 0, sizeof s);
        openings_init(&s.x, v.a->grid, THREADS);
        for (int i = 0; i < THREADS - 1; i++)
            assert_int_equal(pthread_create(&t[i], NULL, work, &s), 0);
        for (int n = 0; n < CHUNKS || s.x.count > 0;) {
            if (n < CHUNKS && s.x.count < s.x.most) {
                ok(openings_announce(&s.x, n, n % 2, &s.o[n], err));
                atomic_store(&s.announced, ++n);
                continue;
            }
            struct open_chunk *open = NULL;
            ok(openings_take(&s.x, &open, err));
            check_chunk(&v, taken++, open);
            open_chunk_release(open);
        }
        assert_int_equal(taken, CHUNKS);
        while (atomic_load(&s.next) < CHUNKS)
            ;
        atomic_store(&s.stop, true);
        for (int i = 0; i < THREADS - 1; i++)
            pthread_join(t[i], NULL);
        openings_finish(&s.x);
    }
    verified_finish(&v);
}

// Of a damaged chunk, openings_take() returns what opening it said; those around are as ever.
static void
failure(void **state)
{
    struct random r;
    struct verified v;
    (void)state;
    random_init(&r, random_seed());
    verified_init(&v, &r, TESS_CHECKSUMS_VERIFY);
    uint8_t *const chunk = memmem(v.image, v.size, v.s.ref.data + 3 * CHUNK, CHUNK); // noise
    assert_non_null(chunk);
    chunk[500] ^= 1;
    for (int worker = 0; worker < 2; worker++) {
        struct opening *o[3];
        struct openings x;
        openings_init(&x, v.a->grid, THREADS);
        for (int64_t n = 0; n < 3; n++)
            ok(openings_announce(&x, 2 + n, false, &o[n], err));
        for (int n = 0; n < 3 && worker; n++)
            opening_work(o[n]);
        for (int64_t n = 0; n < 3; n++) {
            struct open_chunk *open = NULL;
            tess_error err = {0};
            const tess_status st = openings_take(&x, &open, &err);
            if (n != 1) {
                assert_int_equal(st, TESS_OK);
                check_chunk(&v, 2 + n, open);
            } else {
                assert_int_equal(st, TESS_ERR_CORRUPT);
                assert_int_equal(err.status, TESS_ERR_CORRUPT);
                assert_non_null(strstr(err.message, "chunk 3"));
                assert_null(open);
            }
            open_chunk_release(open);
            opening_release(o[n]);
        }
        openings_finish(&x);
    }
    verified_finish(&v);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whether),
        cmocka_unit_test(in_order),
        cmocka_unit_test(workers),
        cmocka_unit_test(failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
