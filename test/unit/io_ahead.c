/*
 * io_ahead.c - tests of io/ahead: what is wanted arrives, with few requests, or fails; nothing is
 * left when the job is over.
 */
#include "io/ahead.h"

#include "base/error.h"
#include "io/io.h"
#include "support/random.h"

#include <errno.h>
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

enum { SIZE = 1 << 20, WANTS = 40 };

static bool threads_refused;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg);

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                      void *arg)
{
    return threads_refused ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}

static uint8_t bytes[SIZE];

// An io that reads `bytes`, fails, or waits until it is cancelled.
struct far_io {
    struct io io;
    atomic_int ranges, failing_after; // ranges; -1: none fails
    atomic_llong nbytes; // that were read
    atomic_int now, most; // ranges at the same time
    int pause; // microseconds, for each call
    bool blocks;
    atomic_bool keeps_last; // the last range of each call
};

static void
count_ranges(struct far_io *f, int n)
{
    const int now = atomic_fetch_add(&f->now, n) + n;
    int most = atomic_load(&f->most);
    while (now > most && !atomic_compare_exchange_weak(&f->most, &most, now))
        ;
}

static tess_status
far_read_many(struct io *io, const tess_range *ranges, size_t n, const struct io_progress *p,
              tess_error *err)
{
    struct far_io *const f = (struct far_io *)io;
    count_ranges(f, (int)n);
    usleep((useconds_t)f->pause);
    while (f->blocks) {
        if (p->cancelled(p))
            return err_set(err, TESS_ERR_CANCELLED, -1, "cancelled");
        usleep(1000);
    }
    for (size_t i = 0; i < n; i++) {
        const int before = atomic_fetch_add(&f->ranges, 1);
        if (atomic_load(&f->failing_after) >= 0 && before >= atomic_load(&f->failing_after))
            return err_set(err, TESS_ERR_IO, -1, "range %d", before);
        assert_true(i == 0 ||
                    ranges[i].offset >= ranges[i - 1].offset + (int64_t)ranges[i - 1].dst_size);
        while (i == n - 1 && atomic_load(&f->keeps_last))
            usleep(1000);
        memcpy(ranges[i].dst, bytes + ranges[i].offset, ranges[i].dst_size);
        atomic_fetch_add(&f->nbytes, (long long)ranges[i].dst_size);
        atomic_fetch_sub(&f->now, 1);
        p->arrived(p, i);
    }
    return TESS_OK;
}

static const struct io_ops far_ops = {.read_many = far_read_many};

static void
far_init(struct far_io *f, int64_t gap)
{
    memset(f, 0, sizeof *f);
    f->io.ops = &far_ops;
    f->io.manner = (struct io_manner){.gap = gap, .piece = 1 << 16, .requests = 4, .far = true};
    atomic_init(&f->failing_after, -1);
}

static bool
job_ended(void *arg)
{
    return atomic_load((atomic_bool *)arg);
}

struct scene {
    atomic_bool over;
    struct far_io far, other;
    struct io_ahead *ahead;
};

static void
begin(struct scene *s, int64_t gap, int requests)
{
    atomic_init(&s->over, false);
    far_init(&s->far, gap);
    far_init(&s->other, gap);
    s->ahead = io_ahead_new(requests, job_ended, &s->over);
    assert_non_null(s->ahead);
}

static void
end(struct scene *s)
{
    io_ahead_stop(s->ahead);
    assert_int_equal(io_ahead_size(s->ahead), 0);
    io_ahead_free(s->ahead);
}

static struct io_want *
want(struct scene *s, struct far_io *f, int64_t offset, size_t size)
{
    struct io_want *const w = io_want_new(s->ahead);
    assert_non_null(w);
    assert_int_equal(io_want_add(w, &f->io, offset, size, NULL, NULL), TESS_OK);
    return w;
}

static void
check(const struct io_want *w, const struct far_io *f, int64_t offset, size_t size)
{
    const uint8_t *got;
    tess_error err;
    if (io_want_get(w, &f->io, offset, size, &got, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_non_null(got);
    assert_memory_equal(got, bytes + offset, size);
}

// Any ranges, with any number of threads, or none.
static void
ranges_arrive(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    random_bytes(&r, bytes, sizeof bytes);
    for (int64_t left = random_cases(100, 5000); left > 0; left--) {
        struct scene s;
        struct io_want *wants[WANTS];
        int64_t offsets[WANTS];
        size_t sizes[WANTS];
        int ndone = 0;
        threads_refused = random_below(&r, 4) == 0;
        begin(&s, (int64_t)random_below(&r, 5000), 1 + (int)random_below(&r, 20));
        for (int i = 0; i < WANTS; i++) {
            struct far_io *const f = i % 3 ? &s.far : &s.other;
            sizes[i] = 1 + random_below(&r, 3000);
            offsets[i] = (int64_t)random_below(&r, SIZE - sizes[i]);
            if (i > 0 && random_below(&r, 2))
                offsets[i] = offsets[i - 1] + (int64_t)sizes[i - 1] / 2;
            if (offsets[i] > SIZE - (int64_t)sizes[i])
                offsets[i] = 0;
            wants[i] = want(&s, f, offsets[i], sizes[i]);
            assert_true(io_want_reach(wants[i], &f->io, offsets[i]) >= sizes[i]);
            const bool gone = random_below(&r, 3) == 0;
            if (gone)
                io_ahead_go(s.ahead);
            while (gone && ndone < i && random_below(&r, 2)) {
                if (random_below(&r, 4)) // else released before it came
                    check(wants[ndone], ndone % 3 ? &s.far : &s.other, offsets[ndone],
                          sizes[ndone]);
                io_want_release(wants[ndone++]);
            }
        }
        io_ahead_go(s.ahead);
        for (; ndone < WANTS; ndone++) {
            check(wants[ndone], ndone % 3 ? &s.far : &s.other, offsets[ndone], sizes[ndone]);
            io_want_release(wants[ndone]);
        }
        end(&s);
    }
    threads_refused = false;
}

// What lies close together is one request; what does not, or is longer than a piece, is not.
static void
close_ranges_are_one(void **state)
{
    static const struct {
        const char *why;
        int64_t offsets[3];
        size_t size;
        int ranges;
    } cases[] = {
        {"gaps of 50", {0, 150, 300}, 100, 1},
        {"a gap of 101 behind the first", {0, 201, 301}, 100, 2},
        {"backwards", {600, 300, 0}, 100, 3},
        {"behind the first but one", {0, 500, 150}, 100, 2},
        {"the same", {500, 500, 500}, 100, 1},
        {"together longer than a piece", {0, 40000, 80000}, 40000, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        const uint8_t *none;
        begin(&s, 100, 4);
        struct io_want *const w = io_want_new(s.ahead);
        for (int k = 0; k < 3; k++)
            assert_int_equal(
                io_want_add(w, &s.far.io, cases[i].offsets[k], cases[i].size, NULL, NULL), TESS_OK);
        assert_false(io_want_is_ready(w));
        io_ahead_go(s.ahead);
        for (int k = 0; k < 3; k++)
            check(w, &s.far, cases[i].offsets[k], cases[i].size);
        assert_true(io_want_is_ready(w));
        if (atomic_load(&s.far.ranges) != cases[i].ranges)
            fail_msg("%s: %d ranges", cases[i].why, atomic_load(&s.far.ranges));
        assert_int_equal(io_want_get(w, &s.far.io, 200000, 1, &none, NULL), TESS_OK);
        assert_null(none);
        assert_int_equal(io_want_reach(w, &s.far.io, 200000), 0);
        assert_int_equal(io_want_reach(w, &s.other.io, 0), 0);
        io_want_release(w);
        end(&s);
    }
}

// A range that another want has is not read again, and stays as long as either.
static void
shared_ranges(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, 0, 2);
    struct io_want *const front = want(&s, &s.far, 1000, 5000);
    struct io_want *const w = io_want_new(s.ahead);
    assert_int_equal(io_want_add(w, &s.far.io, 2000, 100, front, NULL), TESS_OK);
    io_want_hold(w);
    io_want_release(w);
    io_ahead_go(s.ahead);
    io_want_release(front);
    check(w, &s.far, 2000, 100);
    assert_int_equal(atomic_load(&s.far.ranges), 1);
    io_want_release(w);
    end(&s);
}

// A range that is longer than a piece comes with several requests, and is there when all are.
static void
long_ranges(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const size_t size = (size_t)(i + 1) * (1 << 16) + 1;
        struct scene s;
        begin(&s, 100, 4);
        struct io_want *const w = want(&s, &s.far, 1000, size);
        struct io_want *const v = want(&s, &s.far, 900000, 10);
        io_ahead_go(s.ahead);
        check(w, &s.far, 1000, size);
        check(v, &s.far, 900000, 10);
        assert_int_equal(atomic_load(&s.far.ranges), i + 3);
        assert_int_equal(atomic_load(&s.far.nbytes), size + 10);
        io_want_release(w);
        io_want_release(v);
        end(&s);
    }
}

// A want of another job is no place to share from: each job reads, and counts, what is its own.
static void
wants_of_two_jobs(void **state)
{
    struct scene s, t;
    (void)state;
    begin(&s, 0, 2);
    begin(&t, 0, 2);
    struct io_want *const other = want(&t, &s.far, 1000, 5000);
    struct io_want *const w = io_want_new(s.ahead);
    assert_int_equal(io_want_add(w, &s.far.io, 2000, 100, other, NULL), TESS_OK);
    assert_int_equal(io_ahead_size(s.ahead), 100);
    io_want_release(other);
    end(&t);
    io_ahead_go(s.ahead);
    check(w, &s.far, 2000, 100);
    assert_int_equal(atomic_load(&s.far.nbytes), 100);
    io_want_release(w);
    end(&s);
}

// Queues that share threads keep no more under way than one; each ends alone, the first one, too.
static void
queues_of_one_call(void **state)
{
    enum { QUEUES = 3, RANGES = 30, APART = 10000, LONG = 1 << 18 }; // LONG: 4 requests
    (void)state;
    for (int bound = 1; bound <= 6; bound++) {
        struct io_ahead *queues[QUEUES];
        struct io_want *wants[QUEUES];
        struct scene s;
        begin(&s, 0, bound);
        s.far.pause = 200;
        for (int k = 0; k < QUEUES; k++) {
            queues[k] = k == 0 ? s.ahead : io_ahead_new_within(s.ahead, job_ended, &s.over);
            assert_non_null(queues[k]);
            wants[k] = io_want_new(queues[k]);
            assert_non_null(wants[k]);
            for (int i = 0; i < RANGES; i++)
                assert_int_equal(io_want_add(wants[k], &s.far.io, i * APART + k,
                                             k == 1 && i == 29 ? LONG : 100, NULL, NULL),
                                 TESS_OK);
        }
        for (int k = 0; k < QUEUES; k++) {
            assert_int_equal(io_ahead_size(queues[k]), (QUEUES * RANGES - 1) * 100 + LONG);
            io_ahead_go(queues[k]);
        }
        for (int i = 0; i < RANGES; i++)
            check(wants[0], &s.far, i * APART, 100);
        io_want_release(wants[0]);
        io_ahead_stop(queues[0]);
        for (int k = 1; k < QUEUES; k++) {
            for (int i = 0; i < RANGES; i++)
                check(wants[k], &s.far, i * APART + k, k == 1 && i == 29 ? LONG : 100);
            io_want_release(wants[k]);
        }
        io_ahead_free(queues[0]);
        io_ahead_free(queues[2]);
        io_ahead_stop(queues[1]); // what has arrived may still be returning
        assert_int_equal(io_ahead_size(queues[1]), 0);
        io_ahead_free(queues[1]);
        if (atomic_load(&s.far.most) > bound)
            fail_msg("%d ranges at once, %d allowed", atomic_load(&s.far.most), bound);
    }
}

static bool
arrives(const struct io_want *w)
{
    for (int i = 0; i < 500 && !io_want_is_ready(w); i++)
        usleep(1000);
    return io_want_is_ready(w);
}

// What one queue of a call waits for is read when requests of another have ended, also while the
// last of these is under way.
static void
requests_that_ended_are_free(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, 0, 4);
    struct io_ahead *const inner = io_ahead_new_within(s.ahead, job_ended, &s.over);
    struct io_want *const all = io_want_new(inner);
    assert_true(inner && all);
    s.far.pause = 50000;
    atomic_store(&s.far.keeps_last, true);
    assert_int_equal(io_want_add(all, &s.far.io, 0, 4 << 16, NULL, NULL), TESS_OK); // 4 requests
    io_ahead_go(inner);
    usleep(10000);
    struct io_want *const one = want(&s, &s.other, 0, 100);
    io_ahead_go(s.ahead);
    const bool arrived = arrives(one);
    atomic_store(&s.far.keeps_last, false);
    assert_true(arrived);
    assert_true(arrives(all));
    io_want_release(one);
    io_want_release(all);
    io_ahead_free(inner);
    end(&s);
}

// One thread adds ranges to a want, of the ranges of `front` if that is not NULL, and others get
// those that it says it has added.
struct added {
    struct scene *scene;
    struct io_want *want, *front;
    int64_t start;
    atomic_int n, wrong;
};

enum { ADDED = 300, STEP = 700, GETTERS = 2 };

static void *
add_ranges(void *arg)
{
    struct added *const x = arg;
    for (int i = 0; i < ADDED; i++) {
        const int64_t offset = x->start + (int64_t)(i * 7 % ADDED) * STEP;
        if (io_want_add(x->want, &x->scene->far.io, offset, STEP / 2, x->front, NULL) != TESS_OK)
            atomic_fetch_add(&x->wrong, 1);
        io_ahead_go(x->scene->ahead);
        atomic_store(&x->n, i + 1);
    }
    return NULL;
}

static void *
get_ranges(void *arg)
{
    struct added *const x = arg;
    const struct io *const io = &x->scene->far.io;
    for (int i = 0; i < ADDED; i++) {
        const int64_t offset = x->start + (int64_t)(i * 7 % ADDED) * STEP;
        const uint8_t *got = NULL;
        while (atomic_load(&x->n) <= i)
            io_want_reach(x->want, io, offset);
        if (io_want_reach(x->want, io, offset) < STEP / 2 ||
            io_want_get(x->want, io, offset, STEP / 2, &got, NULL) != TESS_OK || !got ||
            memcmp(got, bytes + offset, STEP / 2) != 0)
            atomic_fetch_add(&x->wrong, 1);
    }
    return NULL;
}

// Threads add to wants of their own, with a want that they share ranges of, while others get.
static void
wants_of_many_threads(void **state)
{
    enum { ADDERS = 3 };
    (void)state;
    for (int64_t left = random_cases(3, 100); left > 0; left--) {
        pthread_t threads[ADDERS * (1 + GETTERS)];
        struct added added[ADDERS];
        struct scene s;
        int n = 0;
        begin(&s, 400, 4);
        struct io_want *const front = want(&s, &s.far, 0, 20000);
        for (int i = 0; i < ADDERS; i++) {
            added[i] = (struct added){.scene = &s, .front = front, .start = 10000 * i};
            added[i].want = io_want_new(s.ahead);
            assert_non_null(added[i].want);
            for (int k = 0; k <= GETTERS; k++)
                assert_int_equal(pthread_create(&threads[n++], NULL,
                                                k == 0 ? add_ranges : get_ranges, &added[i]),
                                 0);
        }
        while (n > 0)
            pthread_join(threads[--n], NULL);
        for (int i = 0; i < ADDERS; i++) {
            assert_int_equal(atomic_load(&added[i].wrong), 0);
            io_want_release(added[i].want);
        }
        io_want_release(front);
        end(&s);
    }
}

static void
failures(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct scene s;
        tess_error err;
        const uint8_t *got;
        threads_refused = i % 2;
        begin(&s, 0, 1);
        atomic_store(&s.far.failing_after, i / 2);
        struct io_want *wants[3];
        for (int k = 0; k < 3; k++)
            wants[k] = want(&s, &s.far, 1000 * k, 10);
        io_ahead_go(s.ahead);
        for (int k = 0; k < i / 2; k++)
            check(wants[k], &s.far, 1000 * k, 10);
        assert_int_equal(io_want_get(wants[2], &s.far.io, 2000, 10, &got, &err), TESS_ERR_IO);
        assert_non_null(strstr(err.message, "range "));
        assert_null(got);
        for (int k = 0; k < 3; k++)
            io_want_release(wants[k]);
        end(&s);
    }
    threads_refused = false;
}

// Waiting ends with the job, and what reads is told.
static void
ended_jobs(void **state)
{
    struct scene s;
    const uint8_t *got;
    (void)state;
    begin(&s, 0, 2);
    s.far.blocks = true;
    struct io_want *const w = want(&s, &s.far, 0, 10);
    io_ahead_go(s.ahead);
    atomic_store(&s.over, true);
    assert_int_equal(io_want_get(w, &s.far.io, 0, 10, &got, NULL), TESS_ERR_CANCELLED);
    io_want_release(w);
    end(&s);
}

// What is not needed any more is not read, whichever io it is of, also without threads.
static void
released_before_its_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene s;
        threads_refused = i == 0;
        begin(&s, 0, 1);
        struct io_want *const w = want(&s, &s.other, 0, 10);
        struct io_want *const v = want(&s, &s.far, 0, 10);
        io_want_release(w);
        io_ahead_go(s.ahead);
        check(v, &s.far, 0, 10);
        assert_int_equal(atomic_load(&s.other.ranges), 0);
        io_want_release(v);
        end(&s);
    }
    threads_refused = false;
}

// What was released before its turn is not read with a range that follows it either.
static void
released_pieces_stay_short(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, 100, 1);
    io_want_release(want(&s, &s.far, 0, 10));
    struct io_want *const w = want(&s, &s.far, 10, 10);
    io_ahead_go(s.ahead);
    check(w, &s.far, 10, 10);
    assert_int_equal(atomic_load(&s.far.nbytes), 10);
    io_want_release(w);
    end(&s);
}

// An io may be closed when nothing of it is wanted any more, though its pieces wait in the queue.
static void
released_pieces_of_closed_ios(void **state)
{
    struct scene s;
    struct far_io *const closed = malloc(sizeof *closed);
    (void)state;
    assert_non_null(closed);
    begin(&s, 100, 4);
    far_init(closed, 100);
    struct io_want *const w = want(&s, &s.far, 0, 10);
    io_want_release(want(&s, closed, 0, 10));
    free(closed);
    io_ahead_go(s.ahead);
    check(w, &s.far, 0, 10);
    io_want_release(w);
    end(&s);
}

struct called {
    atomic_int times, over;
};

static void
call(void *arg, bool over)
{
    struct called *const c = arg;
    atomic_fetch_add(&c->times, 1);
    atomic_fetch_add(&c->over, over);
    if (!over)
        usleep(20000);
}

// Each is called once, those whose turn does not come by the end of the job.
static void
calls(void **state)
{
    enum { CALLS = 20 };
    struct called c = {0};
    struct scene s;
    (void)state;
    begin(&s, 0, 2);
    for (int i = 0; i < CALLS; i++)
        assert_true(io_ahead_call(s.ahead, call, &c));
    usleep(5000);
    io_ahead_stop(s.ahead);
    assert_int_equal(atomic_load(&c.times), CALLS);
    assert_true(atomic_load(&c.over) > 0);
    end(&s);
    threads_refused = true;
    begin(&s, 0, 2);
    assert_false(io_ahead_call(s.ahead, call, &c));
    assert_int_equal(atomic_load(&c.times), CALLS);
    end(&s);
    threads_refused = false;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_arrive),
        cmocka_unit_test(close_ranges_are_one),
        cmocka_unit_test(shared_ranges),
        cmocka_unit_test(failures),
        cmocka_unit_test(ended_jobs),
        cmocka_unit_test(released_before_its_turn),
        cmocka_unit_test(released_pieces_stay_short),
        cmocka_unit_test(released_pieces_of_closed_ios),
        cmocka_unit_test(calls),
        cmocka_unit_test(long_ranges),
        cmocka_unit_test(wants_of_two_jobs),
        cmocka_unit_test(queues_of_one_call),
        cmocka_unit_test(requests_that_ended_are_free),
        cmocka_unit_test(wants_of_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
