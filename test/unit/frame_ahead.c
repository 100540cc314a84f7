/*
 * frame_ahead.c - tests of frame/chunks/ahead: chunks of a far file or directory are taken in the
 * order in which they were announced, with what was read early of them; and a chunk that is opened
 * takes over its file.
 *
 * Arrays in sources are compared with the same arrays in files, block by block. Allocations fail by
 * an allocator of this program.
 */
#include "frame/chunks/ahead.h"

#include "array/array.h"
#include "base/memory.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "io/ahead.h"
#include "io/io.h"
#include "support/far_scene.h"
#include "support/files.h"
#include "support/random.h"
#include "task/watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// A file of up to 1 MiB is read when it is opened, and so are 64 KiB of a chunk of a directory:
// there is more of both.
enum { CHUNKS = 30, CHUNK = 80000, BLOCK = 20000, ROOM = 4 << 20 };

// -- allocations that fail

static atomic_int until_failure = -1; // allocations; -1: none fails

static bool
fails_now(void)
{
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

static void *
own_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    if (fails_now())
        return NULL;
    return align <= _Alignof(max_align_t)
               ? malloc(size)
               : aligned_alloc(align, (size + align - 1) / align * align);
}

static void *
own_resize(void *memory, size_t size, void *user)
{
    (void)user;
    return fails_now() ? NULL : realloc(memory, size);
}

static void
own_free(void *memory, void *user)
{
    (void)user;
    free(memory);
}

// -- arrays in sources

struct distant {
    struct scene s;
    tess_layout layout;
    struct io_ahead *ahead;
    int open; // files of a directory, before a chunk is announced
    atomic_bool over;
};

static bool
is_special_place(int64_t n)
{
    return n % 7 == 3;
}

// An array of noise, of which every seventh chunk is zeros.
static const char *
make(tess_layout layout, struct random *r)
{
    static uint8_t items[CHUNKS * CHUNK];
    const int64_t start = 0, stop = CHUNKS * CHUNK;
    const char *const path = files_path("array");
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_storage_init(&storage);
    tess_params_init(&params);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_NONE;
    params.layout = layout;
    params.typesize = 1;
    params.ndim = 1;
    params.shape[0] = CHUNKS * CHUNK;
    params.chunkshape[0] = CHUNK;
    params.blockshape[0] = BLOCK;
    for (int n = 0; n < CHUNKS; n++)
        if (is_special_place(n))
            memset(items + n * CHUNK, 0, CHUNK);
        else
            random_bytes(r, items + n * CHUNK, CHUNK);
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
    ok(tess_array_close(a, err));
    return path;
}

static bool
distant_is_over(void *arg)
{
    return atomic_load(&((struct distant *)arg)->over);
}

static const struct frame *
frame_of(const struct distant *d)
{
    return d->s.here->grid->frame;
}

// With the conduct that was set; requests: -1: as many as the source wants.
static void
distant_open_with(struct distant *d, const char *path, tess_layout layout, int requests)
{
    struct scene *const s = &d->s;
    d->layout = layout;
    s->conduct.latency = FAR;
    far_load(s, path, layout == TESS_LAYOUT_SPARSE);
    far_open_there(s);
    ok(far_open_here(s, err));
    assert_true(frame_manner(frame_of(d))->far);
    atomic_store(&d->over, false);
    d->open = atomic_load(&s->conduct.open);
    d->ahead = io_ahead_new(requests < 0 ? frame_manner(frame_of(d))->requests : requests,
                            distant_is_over, d);
    assert_non_null(d->ahead);
}

static void
set_plain_conduct(struct distant *d, tess_checksums checksums)
{
    conduct_init(&d->s.conduct);
    tess_context_init(&d->s.context);
    d->s.checksums = checksums;
}

static void
distant_open(struct distant *d, const char *path, tess_layout layout)
{
    set_plain_conduct(d, TESS_CHECKSUMS_WRITE);
    distant_open_with(d, path, layout, -1);
}

// All that was open of the source is closed.
static void
distant_close(struct distant *d)
{
    io_ahead_free(d->ahead);
    assert_int_equal(atomic_load(&d->s.conduct.open), d->open);
    ok(tess_array_close(d->s.there, err));
    far_close_here(&d->s);
    assert_int_equal(atomic_load(&d->s.conduct.open), 0);
    files_remove(d->s.path);
}

static bool
is_special(const struct distant *d, int64_t n)
{
    return frame_entry(frame_of(d), n) < 0;
}

// -- chunks

// A chunk that was opened has the items of the near one. step: of its blocks. A failure is
// returned.
static tess_status
compare_blocks(const struct distant *d, const struct open_chunk *v, const struct io_want *want,
               int step, tess_error *why)
{
    const struct chunk_grid *const here = d->s.here->grid, *const there = d->s.there->grid;
    const int32_t size = here->g.blocksize;
    uint8_t *const got = malloc((size_t)size), *const wanted = malloc((size_t)size);
    struct chunk_scratch *const s = pool_take(here->pool), *const near = pool_take(there->pool);
    struct open_chunk *u;
    tess_status st = TESS_OK;
    assert_true(got && wanted && s && near);
    ok(open_chunk_new(there, v->n, false, NULL, NULL, &u, err));
    s->want = want;
    for (int32_t b = 0; b < here->g.nblocks && st == TESS_OK; b += step) {
        st = open_chunk_block(here, v, b, got, s, why);
        ok(open_chunk_block(there, u, b, wanted, near, err));
        if (st == TESS_OK)
            assert_memory_equal(got, wanted, (size_t)size);
    }
    open_chunk_release(u);
    pool_give(here->pool, s);
    pool_give(there->pool, near);
    free(got);
    free(wanted);
    return st;
}

// Open a chunk that was taken, and compare it. After a failure its file is where it was.
static tess_status
try_taken(const struct distant *d, struct chunk_ahead *early, int step, tess_error *err)
{
    struct open_chunk *v = NULL;
    struct io *const io = early->place.io;
    const int64_t n = early->n;
    assert_true(d->layout == TESS_LAYOUT_SPARSE || !io);
    tess_status st =
        open_chunk_new(d->s.here->grid, n, early->all, early, io_ahead_progress(d->ahead), &v, err);
    assert_ptr_equal(early->place.io, st == TESS_OK ? NULL : io);
    if (st == TESS_OK) {
        assert_int_equal(v->n, n);
        assert_int_equal(v->stored.owns_io, d->layout == TESS_LAYOUT_SPARSE && !is_special(d, n));
        assert_true(!io || v->stored.io == io);
        st = compare_blocks(d, v, early->want, step, err);
    }
    chunk_ahead_release(early);
    assert_true(!early->want && !early->place.io);
    open_chunk_release(v);
    return st;
}

// The same; returns how many requests all this took.
static int
open_taken(const struct distant *d, struct chunk_ahead *early, int step)
{
    const int before = atomic_load(&d->s.conduct.reads);
    ok(try_taken(d, early, step, err));
    return atomic_load(&d->s.conduct.reads) - before;
}

static void
check_early(const struct distant *d, const struct chunk_ahead *early, int64_t n, bool all,
            bool here, bool has_threads)
{
    const bool sparse = d->layout == TESS_LAYOUT_SPARSE;
    assert_int_equal(early->n, n);
    assert_int_equal(early->all, all);
    if (here || is_special(d, n))
        assert_true(!early->want && !early->place.io);
    else if (has_threads || !sparse)
        assert_true(sparse ? early->place.io != NULL : early->want != NULL);
}

// -- in any order

struct expected_place {
    int64_t n;
    bool all, here;
};

// Announce and take, in turns that are drawn; some are announced and not taken.
static void
any_order(struct distant *d, int steps, int requests, int step, struct random *r)
{
    struct expected_place queue[60];
    int announced = 0, taken = 0;
    struct chunks_ahead x;
    const int64_t nchunks = frame_nchunks(frame_of(d));
    const int most = 1 + (int)below(r, 12);
    ok(chunks_ahead_begin(&x, frame_of(d), d->ahead, most, one_in(r, 2) ? 3 * CHUNK : ROOM, err));
    assert_true(x.most >= 1 && x.most <= most);
    while (announced < steps) {
        assert_int_equal(x.count, announced - taken);
        assert_true(atomic_load(&d->s.conduct.open) <= d->open + x.count);
        if (x.count < x.most && (x.count == 0 || one_in(r, 2))) {
            struct expected_place *const e = &queue[announced++];
            *e = (struct expected_place){below(r, nchunks), one_in(r, 2), one_in(r, 5)};
            if (announced > 1 && one_in(r, 5))
                e->n = queue[announced - 2].n;
            ok(chunks_ahead_announce(&x, e->n, e->all, e->here, err));
            io_ahead_go(d->ahead);
            continue;
        }
        struct chunk_ahead early;
        const struct expected_place *const e = &queue[taken++];
        const bool ready = chunks_ahead_is_ready(&x);
        ok(chunks_ahead_take(&x, &early, err));
        assert_true(!ready || !early.want || io_want_is_ready(early.want));
        check_early(d, &early, e->n, e->all, e->here, requests != 0);
        if (one_in(r, 4))
            chunk_ahead_release(&early);
        else
            open_taken(d, &early, step);
    }
    io_ahead_stop(d->ahead);
    chunks_ahead_end(&x);
    chunks_ahead_end(&x); // which ended
}

static void
in_any_order(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(12, 600); i > 0; i--) {
        const tess_layout layout = (tess_layout)below(&r, 2);
        const int requests = (int)below(&r, 5) - 1; // 0: there are no threads
        set_plain_conduct(&d, one_in(&r, 2) ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE);
        distant_open_with(&d, make(layout, &r), layout, requests);
        any_order(&d, 60, requests, 1, &r);
        distant_close(&d);
    }
}

// Other codecs, filters, sizes of chunks, and sources.
static void
of_any_kind(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(8, 400); i > 0; i--) {
        const struct kind *const k = &far_kinds[below(&r, FAR_KINDS)];
        const char *const path = far_make(k, random_next(&r));
        far_draw_scene(&d.s, &r);
        distant_open_with(&d, path, k->layout, -1);
        const int step = (int)(d.s.here->grid->g.nblocks / 4) + 1;
        any_order(&d, 12, -1, step, &r);
        distant_close(&d);
    }
}

// Open a chunk that was taken; returns how many requests that took.
static int
open_only(const struct distant *d, struct chunk_ahead *early)
{
    struct open_chunk *v;
    const int before = atomic_load(&d->s.conduct.reads);
    ok(open_chunk_new(d->s.here->grid, early->n, early->all, early, NULL, &v, err));
    const int reads = atomic_load(&d->s.conduct.reads) - before;
    chunk_ahead_release(early);
    open_chunk_release(v);
    return reads;
}

// Opening a chunk asks for nothing; nor does reading it, where all of it was wanted or is compared
// with its checksum.
static void
what_is_there_is_not_asked_for(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 4; i++) {
        struct chunk_ahead early[CHUNKS];
        struct chunks_ahead x;
        int stored = 0;
        const bool verified = i >= 2;
        const tess_layout layout = (tess_layout)(i % 2);
        set_plain_conduct(&d, verified ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE);
        distant_open_with(&d, make(layout, &r), layout, -1);
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, CHUNKS, ROOM, err));
        assert_int_equal(x.most, CHUNKS);
        for (int64_t n = 0; n < CHUNKS; n++)
            ok(chunks_ahead_announce(&x, n, one_in(&r, 2), false, err));
        io_ahead_go(d.ahead);
        for (int n = 0; n < CHUNKS; n++) {
            while (!chunks_ahead_is_ready(&x))
                usleep(100);
            ok(chunks_ahead_take(&x, &early[n], err));
            stored += early[n].want || early[n].place.io;
        }
        assert_int_equal(stored, CHUNKS - 4); // but 3, 10, 17 and 24
        for (int n = 0; n < CHUNKS; n++)
            assert_int_equal(early[n].all || verified ? open_taken(&d, &early[n], 1)
                                                      : open_only(&d, &early[n]),
                             0);
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        distant_close(&d);
    }
}

struct borrowed {
    const struct distant *d;
    struct chunk_ahead early;
    pthread_t thread;
    tess_status status;
};

static void *
use_borrowed(void *arg)
{
    struct borrowed *const b = arg;
    b->status = try_taken(b->d, &b->early, 1, NULL);
    return NULL;
}

// Chunks are used by threads of their own, while others are announced and taken.
static void
by_any_thread(void **state)
{
    enum { THREADS = 4, STEPS = 40 };
    struct random r;
    static struct distant d;
    struct borrowed at[THREADS];
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        struct chunks_ahead x;
        distant_open(&d, make((tess_layout)layout, &r), (tess_layout)layout);
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 6, ROOM, err));
        for (int i = 0; i < STEPS + THREADS; i++) {
            struct borrowed *const b = &at[i % THREADS];
            while (i < STEPS && x.count < x.most)
                ok(chunks_ahead_announce(&x, below(&r, CHUNKS), one_in(&r, 2), false, err));
            io_ahead_go(d.ahead);
            if (i >= THREADS) {
                assert_int_equal(pthread_join(b->thread, NULL), 0);
                assert_int_equal(b->status, TESS_OK);
            }
            if (i >= STEPS)
                continue;
            b->d = &d;
            ok(chunks_ahead_take(&x, &b->early, err));
            assert_int_equal(pthread_create(&b->thread, NULL, use_borrowed, b), 0);
        }
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        distant_close(&d);
    }
}

// -- ends, failures, and bounds

// Reads that do not return: a question does not wait, and the end of the job ends them.
static void
reads_that_wait(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        struct chunks_ahead x;
        struct chunk_ahead early;
        distant_open(&d, make((tess_layout)layout, &r), (tess_layout)layout);
        d.s.conduct.blocks = true;
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 8, ROOM, err));
        for (int64_t n = 0; n < x.most; n++)
            ok(chunks_ahead_announce(&x, n, true, false, err));
        io_ahead_go(d.ahead);
        for (int k = 0; k < 100; k++) {
            assert_false(chunks_ahead_is_ready(&x));
            usleep(100);
        }
        atomic_store(&d.over, true);
        while (!chunks_ahead_is_ready(&x))
            usleep(100);
        tess_status st = chunks_ahead_take(&x, &early, NULL);
        if (st == TESS_OK)
            st = try_taken(&d, &early, 1, NULL);
        assert_int_not_equal(st, TESS_OK);
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x); // all but one
        d.s.conduct.blocks = false;
        assert_false(atomic_load(&d.s.conduct.never_cancelled));
        distant_close(&d);
    }
}

static void
ended_at_once(void **state)
{
    struct random r;
    static struct distant d;
    struct chunks_ahead x = {.most = 0};
    struct list_ahead list = {.ahead = NULL};
    (void)state;
    chunks_ahead_end(&x);
    list_ahead_end(&list);
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        distant_open(&d, make((tess_layout)layout, &r), (tess_layout)layout);
        const int reads = atomic_load(&d.s.conduct.reads);
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 4, ROOM, err));
        chunks_ahead_end(&x);
        ok(list_ahead_begin(&list, frame_of(&d), 0, NULL, NULL, err));
        list_ahead_end(&list);
        assert_int_equal(atomic_load(&d.s.conduct.reads), reads);
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 4, ROOM, err));
        for (int64_t n = 0; n < 4; n++)
            ok(chunks_ahead_announce(&x, n, false, false, err));
        if (layout == 0)
            io_ahead_go(d.ahead);
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        distant_close(&d);
    }
}

// A job that does without what it has no memory for, or fails.
static tess_status
read_some(struct distant *d, tess_error *err)
{
    struct chunks_ahead x;
    tess_status st = chunks_ahead_begin(&x, frame_of(d), d->ahead, 4, ROOM, err);
    for (int64_t n = 0; n < 4 && st == TESS_OK; n++)
        st = chunks_ahead_announce(&x, n, n % 2, false, err);
    io_ahead_go(d->ahead);
    for (int n = 0; n < 3 && st == TESS_OK; n++) { // the fourth is not taken
        struct chunk_ahead early;
        struct open_chunk *v;
        st = chunks_ahead_take(&x, &early, err);
        if (st == TESS_OK)
            st = open_chunk_new(d->s.here->grid, n, early.all, &early, NULL, &v, err);
        chunk_ahead_release(&early);
        if (st == TESS_OK)
            open_chunk_release(v);
    }
    io_ahead_stop(d->ahead);
    chunks_ahead_end(&x);
    return st;
}

static tess_status
read_list(struct distant *d, tess_error *err)
{
    struct list_ahead x;
    tess_status st = list_ahead_begin(&x, frame_of(d), ROOM, NULL, NULL, err);
    if (st == TESS_OK)
        list_ahead_limit(&x, 6, 2, 4);
    for (int64_t n = 0; n < 5 && st == TESS_OK; n += 2) {
        struct chunk_ahead early;
        st = list_ahead_take(&x, n, &early, err);
        chunk_ahead_release(&early);
    }
    list_ahead_end(&x);
    return st;
}

// Each allocation in turn.
static void
without_memory(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 4; i++) {
        const tess_layout layout = (tess_layout)(i % 2);
        bool failed = true;
        int refused_times = 0;
        const char *const path = make(layout, &r);
        for (int n = 0; failed; n++) {
            tess_error why;
            assert_true(n < 1000);
            distant_open(&d, path, layout);
            atomic_store(&until_failure, n);
            const tess_status st = i < 2 ? read_some(&d, &why) : read_list(&d, &why);
            failed = atomic_exchange(&until_failure, -1) < 0;
            assert_true(st == TESS_OK || (failed && st == TESS_ERR_NOMEM));
            refused_times += st != TESS_OK;
            io_ahead_free(d.ahead);
            ok(tess_array_close(d.s.there, err));
            far_close_here(&d.s);
        }
        assert_true(refused_times > 0);
        files_remove(path);
    }
}

// Taking a chunk of a directory fails where its file could not be opened, and opening it then tries
// again; opening a chunk fails where its bytes could not be read.
static void
reads_that_fail(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    int told = 0;
    for (int64_t i = random_cases(12, 600); i > 0; i--) {
        const tess_layout layout = (tess_layout)(i % 2);
        struct chunks_ahead x;
        tess_error why;
        distant_open(&d, make(layout, &r), layout);
        d.s.conduct.fails_at = atomic_load(&d.s.conduct.reads) + (int)below(&r, 5);
        d.s.conduct.nfailing = 1 + (int)below(&r, 3);
        d.s.conduct.fails_with = TESS_ERR_IO;
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 12, ROOM, err));
        for (int64_t n = 0; n < x.most; n++)
            ok(chunks_ahead_announce(&x, n, one_in(&r, 2), false, err));
        io_ahead_go(d.ahead);
        for (int n = 0; n < 10; n++) {
            struct chunk_ahead early;
            tess_status st = chunks_ahead_take(&x, &early, &why);
            assert_int_equal(early.n, n);
            if (st != TESS_OK) {
                assert_int_equal(layout, TESS_LAYOUT_SPARSE);
                assert_int_equal(st, TESS_ERR_IO);
                assert_int_equal(why.status, TESS_ERR_IO);
                assert_true(!early.want && !early.place.io);
                told++;
            }
            st = try_taken(&d, &early, 1, &why);
            assert_true(st == TESS_OK || st == TESS_ERR_IO);
        }
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        d.s.conduct.fails_at = -1;
        distant_close(&d);
    }
    assert_true(told > 0);
}

// A chunk that cannot be opened leaves its file to the caller.
static void
damaged(void **state)
{
    struct random r;
    static struct distant d;
    struct chunks_ahead x;
    struct chunk_ahead early;
    char name[4096];
    size_t size;
    (void)state;
    random_init(&r, random_seed());
    const char *const path = make(TESS_LAYOUT_SPARSE, &r);
    snprintf(name, sizeof name, "%s/00000000.chunk", path);
    uint8_t *const bytes = files_read(name, &size);
    bytes[4] ^= 1; // the size of what it holds
    files_write(name, bytes, size);
    free(bytes);
    distant_open(&d, path, TESS_LAYOUT_SPARSE);
    ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 4, ROOM, err));
    for (int k = 0; k < 4; k++)
        ok(chunks_ahead_announce(&x, 0, k % 2, false, err));
    io_ahead_go(d.ahead);
    for (int k = 0; k < 3; k++) { // the fourth is not taken
        ok(chunks_ahead_take(&x, &early, err));
        assert_non_null(early.place.io);
        assert_int_equal(try_taken(&d, &early, 1, NULL), TESS_ERR_CORRUPT);
    }
    io_ahead_stop(d.ahead);
    chunks_ahead_end(&x);
    distant_close(&d);
}

// A chunk that is open already has no use for what was read early: that stays with the caller.
static void
open_already(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        struct chunks_ahead x;
        struct chunk_ahead early[2];
        struct open_chunk *v[2];
        struct watch watch;
        tess_context context;
        distant_open(&d, make((tess_layout)layout, &r), (tess_layout)layout);
        const struct chunk_grid *const grid = d.s.here->grid;
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 2, ROOM, err));
        for (int k = 0; k < 2; k++)
            ok(chunks_ahead_announce(&x, 5, false, false, err));
        io_ahead_go(d.ahead);
        ok(chunks_ahead_take(&x, &early[0], err));
        ok(chunks_ahead_take(&x, &early[1], err));
        struct io *const io = early[1].place.io;
        struct io_want *const want = early[1].want;
        assert_true(layout == TESS_LAYOUT_SPARSE ? io != NULL : want != NULL);
        ok(open_chunks_get(grid, 5, false, &early[0], NULL, &v[0], err));
        assert_null(early[0].place.io);
        // Of a directory only those that a call expects are found.
        struct expecting_call call = {.watch = &watch, .ahead = d.ahead};
        struct expected_chunk e = {.owner = &d, .watch = &watch, .open = v[0]};
        tess_context_init(&context);
        watch_begin(&watch, &context, 1);
        expected_chunks_begin(grid->expected, &call);
        expected_chunks_add(grid->expected, &e);
        const int reads = atomic_load(&d.s.conduct.reads);
        ok(open_chunks_get(grid, 5, false, &early[1], NULL, &v[1], err));
        assert_ptr_equal(v[1], v[0]);
        assert_ptr_equal(early[1].place.io, io);
        assert_ptr_equal(early[1].want, want);
        assert_int_equal(atomic_load(&d.s.conduct.reads), reads);
        expected_chunks_remove(grid->expected, &e);
        expected_chunks_end(grid->expected, &call);
        for (int k = 0; k < 2; k++) {
            ok(compare_blocks(&d, v[k], early[0].want, 1, err));
            chunk_ahead_release(&early[1 - k]);
        }
        open_chunk_release(v[1]);
        open_chunk_release(v[0]);
        io_ahead_stop(d.ahead);
        chunks_ahead_end(&x);
        distant_close(&d);
    }
}

// The files that are open at a time have no more bytes than the budget, about, also where few of
// many chunks are stored.
static void
few_of_many_are_stored(void **state)
{
    enum { EACH = 10 };
    static const uint8_t zeros[CHUNK];
    struct random r;
    static struct distant d;
    struct chunks_ahead x;
    tess_storage storage;
    tess_array *a;
    (void)state;
    random_init(&r, random_seed());
    const char *const path = make(TESS_LAYOUT_SPARSE, &r);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    for (int64_t n = 0; n < CHUNKS; n++) {
        const int64_t start = n * CHUNK, stop = start + CHUNK;
        if (n % EACH != 0)
            ok(tess_array_write(a, &start, &stop, zeros, CHUNK, err));
    }
    ok(tess_array_close(a, err));
    distant_open(&d, path, TESS_LAYOUT_SPARSE);
    for (int k = 1; k < 6; k++) {
        ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, CHUNKS, k * (CHUNK + 100), err));
        assert_int_equal(x.most, k);
        chunks_ahead_end(&x);
    }
    distant_close(&d);
}

// Nothing is done for each chunk when a job begins: it may need one of very many.
static void
one_of_very_many(void **state)
{
    enum { JOBS = 2000 };
    static struct distant d;
    const int64_t start = 7, stop = 8;
    const char *const path = files_path("array");
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        tess_storage storage;
        tess_params params;
        tess_array *a;
        struct chunks_ahead x;
        tess_storage_init(&storage);
        tess_params_init(&params);
        storage.path = path;
        storage.mode = TESS_MODE_REPLACE;
        params.layout = TESS_LAYOUT_SPARSE;
        params.typesize = params.ndim = 1;
        params.shape[0] = stored ? 2000000 : 200000000;
        params.chunkshape[0] = params.blockshape[0] = 1;
        ok(tess_array_zeros(&storage, &params, &a, err));
        if (stored)
            ok(tess_array_write(a, &start, &stop, "x", 1, err));
        ok(tess_array_close(a, err));
        distant_open(&d, path, TESS_LAYOUT_SPARSE);
        for (int i = 0; i < JOBS; i++) {
            struct chunk_ahead early;
            ok(chunks_ahead_begin(&x, frame_of(&d), d.ahead, 1000, ROOM, err));
            assert_true(x.most > 1 && x.most <= 1000);
            ok(chunks_ahead_announce(&x, 8, false, false, err));
            ok(chunks_ahead_take(&x, &early, err));
            assert_true(!early.want && !early.place.io);
            chunks_ahead_end(&x);
        }
        distant_close(&d);
    }
}

// -- in the order of the list

// The last range that was added may have been coalesced over a gap. What was released is there
// until the request that brought it returns.
static void
check_budget(const struct distant *d, const struct list_ahead *x)
{
    const int64_t most = x->budget + frame_manner(frame_of(d))->gap + CHUNK + 100;
    for (int i = 0; i < 100000 && io_ahead_size(x->ahead) > most; i++)
        usleep(100);
    assert_true(io_ahead_size(x->ahead) <= most);
}

static void
take_list(struct distant *d, struct random *r)
{
    static const int64_t budgets[] = {0, 1, 3 * CHUNK, 10 * CHUNK};
    struct list_ahead x;
    const int64_t stop = 1 + below(r, CHUNKS), from = below(r, CHUNKS), to = below(r, CHUNKS);
    const int64_t budget = budgets[below(r, 4)];
    const bool limited = !one_in(r, 4);
    ok(list_ahead_begin(&x, frame_of(d), budget, one_in(r, 2) ? d->ahead : NULL, NULL, err));
    if (limited)
        list_ahead_limit(&x, stop, from, to);
    for (int64_t n = below(r, 3); n < stop; n += 1 + below(r, 4)) {
        struct chunk_ahead early;
        ok(list_ahead_take(&x, n, &early, err));
        check_early(d, &early, n, !limited || (n >= from && n < to), false, true);
        check_budget(d, &x);
        assert_true(x.next <= x.stop && x.stop == (limited ? stop : CHUNKS));
        if (one_in(r, 4))
            chunk_ahead_release(&early);
        else
            open_taken(d, &early, 1);
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
    for (int64_t i = random_cases(16, 800); i > 0; i--) {
        const tess_layout layout = (tess_layout)below(&r, 2);
        distant_open(&d, make(layout, &r), layout);
        take_list(&d, &r);
        distant_close(&d);
    }
}

static void
nothing_of_a_near_frame(void **state)
{
    struct random r;
    struct list_ahead x;
    struct chunk_ahead early;
    (void)state;
    random_init(&r, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        tess_storage storage;
        tess_array *a;
        tess_storage_init(&storage);
        storage.path = make((tess_layout)layout, &r);
        ok(tess_array_open(&storage, &a, err));
        ok(list_ahead_begin(&x, a->grid->frame, 0, NULL, NULL, err));
        assert_null(x.ahead);
        list_ahead_limit(&x, 20, 1, 5);
        for (int64_t n = 0; n < 20; n++) {
            ok(list_ahead_take(&x, n, &early, err));
            assert_true(!early.want && !early.place.io);
            chunk_ahead_release(&early);
        }
        list_ahead_end(&x);
        ok(tess_array_close(a, err));
        files_remove(storage.path);
    }
}

static bool
stop_now(int64_t done, int64_t total, void *user)
{
    const int64_t *const after = user;
    (void)total;
    return done < *after;
}

// A call that is cancelled gets no chunk. With reads that block, only taking a chunk of a
// directory, or opening one of a file, can find out.
static void
cancel_list(struct distant *d, int64_t after, bool blocks)
{
    struct list_ahead x;
    struct chunk_ahead early;
    struct watch watch;
    tess_context context;
    tess_error why;
    tess_context_init(&context);
    context.progress = stop_now;
    context.progress_interval = 1;
    context.progress_user = &after;
    d->s.conduct.blocks = blocks;
    watch_begin(&watch, &context, CHUNKS);
    watch_job(&watch, CHUNKS);
    ok(list_ahead_begin(&x, frame_of(d), 0, NULL, &watch, err));
    tess_status st = TESS_OK;
    for (int64_t n = 0; n < CHUNKS && st == TESS_OK; n++) {
        struct open_chunk *v = NULL;
        watch_add(&watch, 1);
        usleep(2000);
        if (!blocks)
            (void)watch_poll(&watch);
        st = list_ahead_take(&x, n, &early, &why);
        assert_true(st == TESS_OK || (!early.want && !early.place.io));
        if (st == TESS_OK)
            st = open_chunk_new(d->s.here->grid, n, early.all, &early, io_ahead_progress(x.ahead),
                                &v, &why);
        chunk_ahead_release(&early);
        open_chunk_release(v);
    }
    assert_int_equal(st, TESS_ERR_CANCELLED);
    assert_int_equal(why.status, TESS_ERR_CANCELLED);
    assert_int_equal(list_ahead_take(&x, CHUNKS - 1, &early, NULL), TESS_ERR_CANCELLED);
    assert_true(!early.want && !early.place.io);
    list_ahead_end(&x);
    d->s.conduct.blocks = false;
    (void)watch_end(&watch, TESS_ERR_CANCELLED);
}

static void
cancelled(void **state)
{
    struct random r;
    static struct distant d;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 4; i++) {
        const tess_layout layout = (tess_layout)(i % 2);
        distant_open(&d, make(layout, &r), layout);
        cancel_list(&d, i < 2 ? 0 : 1 + below(&r, 10), i < 2);
        assert_false(atomic_load(&d.s.conduct.never_cancelled));
        distant_close(&d);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(in_any_order),
        IN_A_FOLDER(of_any_kind),
        IN_A_FOLDER(what_is_there_is_not_asked_for),
        IN_A_FOLDER(by_any_thread),
        IN_A_FOLDER(reads_that_wait),
        IN_A_FOLDER(ended_at_once),
        IN_A_FOLDER(without_memory),
        IN_A_FOLDER(reads_that_fail),
        IN_A_FOLDER(damaged),
        IN_A_FOLDER(open_already),
        IN_A_FOLDER(few_of_many_are_stored),
        IN_A_FOLDER(one_of_very_many),
        IN_A_FOLDER(in_the_order_of_the_list),
        IN_A_FOLDER(nothing_of_a_near_frame),
        IN_A_FOLDER(cancelled),
    };
    tess_allocator allocator;
    tess_allocator_init(&allocator);
    allocator.alloc = own_alloc;
    allocator.resize = own_resize;
    allocator.free = own_free;
    if (mem_set_allocator(&allocator, NULL) != TESS_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
