/*
 * frame_ahead.c - tests of frame/chunks/ahead: chunks of a far file or directory are taken in the
 * order in which they were announced, with what was read early of them; and a chunk that is opened
 * takes over its file.
 */
#include "frame/chunks/ahead.h"

#include "array/array.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "io/ahead.h"
#include "io/io.h"
#include "support/far_object.h"
#include "support/files.h"
#include "support/random.h"
#include "task/watch.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 30, CHUNK = 4000, BLOCK = 1000, FAR_LATENCY = 20000 };

// An array of noise, of which every seventh chunk is zeros, in a source.
struct distant {
    const char *path;
    uint8_t items[CHUNKS * CHUNK];
    struct conduct conduct;
    struct object object;
    tess_array *a;
    struct io_ahead *ahead;
    bool over;
};

static bool
is_special_place(int64_t n)
{
    return n % 7 == 3;
}

static void
make(struct distant *d, tess_layout layout, struct random *r)
{
    const int64_t start = 0, stop = CHUNKS * CHUNK;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    d->path = files_path("array");
    tess_storage_init(&storage);
    tess_params_init(&params);
    storage.path = d->path;
    storage.mode = TESS_MODE_NEW;
    params.layout = layout;
    params.typesize = 1;
    params.ndim = 1;
    params.shape[0] = CHUNKS * CHUNK;
    params.chunkshape[0] = CHUNK;
    params.blockshape[0] = BLOCK;
    for (int64_t i = 0; i < stop; i++)
        d->items[i] = is_special_place(i / CHUNK) ? 0 : (uint8_t)random_below(r, 256);
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_write(a, &start, &stop, d->items, sizeof d->items, err));
    ok(tess_array_close(a, err));
}

static bool
distant_is_over(void *arg)
{
    return ((struct distant *)arg)->over;
}

static void
distant_open(struct distant *d, tess_layout layout)
{
    tess_storage storage;
    conduct_init(&d->conduct);
    d->conduct.latency = FAR_LATENCY;
    object_load(&d->object, &d->conduct, d->path, layout == TESS_LAYOUT_SPARSE);
    const tess_source source = object_source(&d->object);
    tess_storage_init(&storage);
    storage.source = &source;
    ok(tess_array_open(&storage, &d->a, err));
    d->over = false;
    d->ahead = io_ahead_new(frame_manner(d->a->grid->frame)->requests, distant_is_over, d);
    assert_true(frame_manner(d->a->grid->frame)->far);
}

static void
distant_close(struct distant *d)
{
    io_ahead_free(d->ahead);
    ok(tess_array_close(d->a, err));
    assert_int_equal(d->conduct.open, 0); // files of a directory
    object_finish(&d->object);
}

// All blocks of a chunk that was opened; early: what was read of it.
static void
check_blocks(const struct distant *d, const struct open_chunk *v, const struct chunk_ahead *early)
{
    uint8_t got[BLOCK];
    struct chunk_scratch *const s = pool_take(d->a->grid->pool);
    s->want = early->want;
    for (int32_t b = 0; b < CHUNK / BLOCK; b++) {
        ok(open_chunk_block(d->a->grid, v, b, got, s, err));
        assert_memory_equal(got, d->items + v->n * CHUNK + b * BLOCK, BLOCK);
    }
    pool_give(d->a->grid->pool, s);
}

// Open a chunk that was taken, and let go of it. *reads: requests that all this took.
static void
open_taken(const struct distant *d, struct chunk_ahead *early, bool sparse, int *reads)
{
    struct open_chunk *v;
    const int before = d->conduct.reads;
    assert_true(sparse || !early->place.io);
    ok(open_chunk_new(d->a->grid, early->n, early->all, early, io_ahead_progress(d->ahead), &v,
                      err));
    assert_null(early->place.io); // it has another owner
    assert_int_equal(v->stored.owns_io, sparse && v->kind != OPEN_SPECIAL);
    check_blocks(d, v, early);
    *reads = d->conduct.reads - before;
    chunk_ahead_release(early);
    open_chunk_release(v);
}

struct expected_place {
    int64_t n;
    bool all, here;
};

static void
any_order(struct distant *d, bool sparse, struct random *r)
{
    enum { STEPS = 60 };
    struct expected_place queue[STEPS];
    int announced = 0, taken = 0, reads;
    struct chunks_ahead x;
    const int most = 1 + (int)random_below(r, 12);
    const int64_t budget = random_below(r, 2) ? 3 * CHUNK : 1 << 20;
    ok(chunks_ahead_begin(&x, d->a->grid->frame, d->ahead, most, budget, err));
    assert_true(x.most >= 1 && x.most <= most);
    while (announced < STEPS) {
        assert_int_equal(x.count, announced - taken);
        if (x.count < x.most && (x.count == 0 || random_below(r, 2))) {
            struct expected_place *const e = &queue[announced++];
            *e = (struct expected_place){(int64_t)random_below(r, CHUNKS), random_below(r, 2),
                                         random_below(r, 5) == 0};
            ok(chunks_ahead_announce(&x, e->n, e->all, e->here, err));
            io_ahead_go(d->ahead);
            continue;
        }
        struct chunk_ahead early;
        const struct expected_place *const e = &queue[taken++];
        chunks_ahead_take(&x, &early);
        assert_int_equal(early.n, e->n);
        assert_int_equal(early.all, e->all);
        if (e->here || is_special_place(e->n))
            assert_true(!early.want && !early.place.io);
        else
            assert_true(sparse ? early.place.io != NULL : early.want != NULL);
        open_taken(d, &early, sparse, &reads);
    }
    io_ahead_stop(d->ahead);
    chunks_ahead_end(&x); // some were not taken
}

static void
in_any_order(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(6, 300); i > 0; i--) {
        const tess_layout layout = (tess_layout)random_below(&r, 2);
        make(&d, layout, &r);
        distant_open(&d, layout);
        any_order(&d, layout == TESS_LAYOUT_SPARSE, &r);
        distant_close(&d);
        files_remove(d.path);
    }
}

// Where all of a chunk was wanted and is there, neither opening it nor reading it asks for more.
static void
what_is_there_is_not_asked_for(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        struct chunk_ahead early[CHUNKS];
        struct chunks_ahead x;
        int stored = 0, reads;
        make(&d, (tess_layout)layout, &r);
        distant_open(&d, (tess_layout)layout);
        ok(chunks_ahead_begin(&x, d.a->grid->frame, d.ahead, CHUNKS, 1 << 20, err));
        assert_int_equal(x.most, CHUNKS);
        for (int64_t n = 0; n < CHUNKS; n++)
            ok(chunks_ahead_announce(&x, n, true, false, err));
        io_ahead_go(d.ahead);
        for (int n = 0; n < CHUNKS; n++) {
            while (!chunks_ahead_is_ready(&x))
                usleep(100);
            chunks_ahead_take(&x, &early[n]);
            stored += early[n].want || early[n].place.io;
        }
        const int before = d.conduct.reads;
        for (int n = 0; n < CHUNKS; n++) {
            open_taken(&d, &early[n], layout == TESS_LAYOUT_SPARSE, &reads);
            assert_int_equal(reads, 0);
        }
        assert_int_equal(d.conduct.reads, before);
        assert_int_equal(stored, CHUNKS - 4); // but 3, 10, 17 and 24
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        distant_close(&d);
        files_remove(d.path);
    }
}

// The files that are open at a time have no more bytes than the budget, about, also where few of
// many chunks are stored.
static void
few_of_many_are_stored(void **state)
{
    enum { EACH = 10 };
    struct random r;
    static struct distant d;
    struct chunks_ahead x;
    tess_storage storage;
    tess_array *a;
    (void)state;
    random_init(&r, random_seed());
    make(&d, TESS_LAYOUT_SPARSE, &r);
    tess_storage_init(&storage);
    storage.path = d.path;
    storage.mode = TESS_MODE_UPDATE;
    memset(d.items, 0, sizeof d.items);
    ok(tess_array_open(&storage, &a, err));
    for (int64_t n = 0; n < CHUNKS; n++) {
        const int64_t start = n * CHUNK, stop = start + CHUNK;
        if (n % EACH != 0)
            ok(tess_array_write(a, &start, &stop, d.items + start, CHUNK, err));
    }
    ok(tess_array_close(a, err));
    distant_open(&d, TESS_LAYOUT_SPARSE);
    for (int k = 1; k < 6; k++) {
        ok(chunks_ahead_begin(&x, d.a->grid->frame, d.ahead, CHUNKS, k * (CHUNK + 100), err));
        assert_int_equal(x.most, k);
        chunks_ahead_end(&x);
    }
    distant_close(&d);
    files_remove(d.path);
}

// A chunk that cannot be opened leaves its file to the caller.
static void
damaged(void **state)
{
    struct random r;
    static struct distant d;
    struct chunks_ahead x;
    struct chunk_ahead early;
    struct open_chunk *v;
    tess_error why;
    char name[4096];
    size_t size;
    (void)state;
    random_init(&r, random_seed());
    make(&d, TESS_LAYOUT_SPARSE, &r);
    snprintf(name, sizeof name, "%s/00000000.chunk", d.path);
    uint8_t *const bytes = files_read(name, &size);
    bytes[4] ^= 1; // the size of what it holds
    files_write(name, bytes, size);
    free(bytes);
    distant_open(&d, TESS_LAYOUT_SPARSE);
    ok(chunks_ahead_begin(&x, d.a->grid->frame, d.ahead, 4, 1 << 20, err));
    for (int k = 0; k < 4; k++)
        ok(chunks_ahead_announce(&x, 0, k % 2, false, err));
    io_ahead_go(d.ahead);
    for (int k = 0; k < 3; k++) { // the fourth is not taken
        chunks_ahead_take(&x, &early);
        assert_non_null(early.place.io);
        assert_int_equal(open_chunk_new(d.a->grid, 0, early.all, &early, NULL, &v, &why),
                         TESS_ERR_CORRUPT);
        assert_non_null(early.place.io);
        chunk_ahead_release(&early);
    }
    io_ahead_stop(d.ahead);
    chunks_ahead_end(&x);
    distant_close(&d);
    files_remove(d.path);
}

// -- in the order of the list

static void
take_list(struct distant *d, bool sparse, struct random *r)
{
    struct list_ahead x;
    int reads;
    const int64_t stop = 1 + (int64_t)random_below(r, CHUNKS);
    const int64_t from = (int64_t)random_below(r, CHUNKS), to = (int64_t)random_below(r, CHUNKS);
    ok(list_ahead_begin(&x, d->a->grid->frame, random_below(r, 2) ? 3 * CHUNK : 0,
                        random_below(r, 2) ? d->ahead : NULL, NULL, err));
    list_ahead_limit(&x, stop, from, to);
    for (int64_t n = (int64_t)random_below(r, 3); n < stop; n += 1 + (int64_t)random_below(r, 4)) {
        struct chunk_ahead early;
        ok(list_ahead_take(&x, n, &early, err));
        assert_int_equal(early.n, n);
        assert_int_equal(early.all, n >= from && n < to);
        assert_int_equal(early.want || early.place.io, !is_special_place(n));
        if (random_below(r, 4) == 0)
            chunk_ahead_release(&early);
        else
            open_taken(d, &early, sparse, &reads);
    }
    list_ahead_end(&x);
    list_ahead_end(&x); // which ended
}

static void
in_the_order_of_the_list(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(6, 300); i > 0; i--) {
        const tess_layout layout = (tess_layout)random_below(&r, 2);
        make(&d, layout, &r);
        distant_open(&d, layout);
        take_list(&d, layout == TESS_LAYOUT_SPARSE, &r);
        distant_close(&d);
        files_remove(d.path);
    }
}

static void
nothing_of_a_near_frame(void **state)
{
    struct scene s;
    struct random r;
    struct list_ahead x;
    struct chunk_ahead early;
    (void)state;
    random_init(&r, random_seed());
    scene_random(&s, &r, NULL, SCENE_NOISE);
    ok(list_ahead_begin(&x, s.a->grid->frame, 0, NULL, NULL, err));
    assert_null(x.ahead);
    ok(list_ahead_take(&x, 0, &early, err));
    assert_true(!early.want && !early.place.io);
    list_ahead_end(&x);
    scene_close(&s);
}

static bool
stop_now(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    (void)user;
    return false;
}

// A call that is cancelled gets no chunk, also while the file of one is being opened.
static void
cancelled(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        struct list_ahead x;
        struct chunk_ahead early;
        struct watch watch;
        tess_context context;
        tess_error why;
        make(&d, (tess_layout)layout, &r);
        distant_open(&d, (tess_layout)layout);
        tess_context_init(&context);
        context.progress = stop_now;
        context.progress_interval = 1;
        d.conduct.blocks = true;
        watch_begin(&watch, &context, CHUNKS);
        ok(list_ahead_begin(&x, d.a->grid->frame, 0, NULL, &watch, err));
        tess_status st = TESS_OK;
        for (int64_t n = 0; n < CHUNKS && st == TESS_OK; n++) {
            watch_add(&watch, 1);
            usleep(2000);
            (void)watch_poll(&watch);
            st = list_ahead_take(&x, n, &early, &why);
            if (st == TESS_OK)
                chunk_ahead_release(&early);
        }
        assert_int_equal(st, TESS_ERR_CANCELLED);
        assert_true(!early.want && !early.place.io);
        list_ahead_end(&x);
        d.conduct.blocks = false;
        (void)watch_end(&watch, TESS_ERR_CANCELLED);
        distant_close(&d);
        files_remove(d.path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(in_any_order),
        IN_A_FOLDER(what_is_there_is_not_asked_for),
        IN_A_FOLDER(few_of_many_are_stored),
        IN_A_FOLDER(damaged),
        IN_A_FOLDER(in_the_order_of_the_list),
        cmocka_unit_test(nothing_of_a_near_frame),
        IN_A_FOLDER(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
