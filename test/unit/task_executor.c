/*
 * task_executor.c - tests of task/workers.c: jobs with executors that work, late, twice, or never.
 *
 * Made for the thread sanitizer, too: what next and finish touch is plain.
 */
#include "task/workers.h"

#include "support/executors.h"
#include "support/random.h"
#include "task/task.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COST_HIGH 1000000000 // ns: worth as many works as there may be
#define COST_LOW 1000 // not worth one
#define PATIENCE 30 // seconds until a thread must have come

const char *__tsan_default_options(void);

const char *
__tsan_default_options(void)
{
    return "die_after_fork=0:atexit_sleep_ms=0";
}

// Squares of 0 to n - 1, summed in order.
struct squares {
    int n, next, finished;
    int fails; // this grain; -1: none
    int meet; // so many grains wait for each other
    atomic_int met;
    int64_t sum;
    // If a grain is to make a job itself, or run works; NULL: it is not.
    struct executors *nested, *stolen;
    bool in_finish; // works are run there
    atomic_int strangers; // grains that another thread than the caller worked on
    pthread_t caller;
    atomic_bool wrong;
};

struct square {
    int index;
    int64_t value;
};

static int64_t
sum_of_squares(int n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += i * i;
    return sum;
}

static tess_status
squares_next(void *self, void *grain, bool *more, tess_error *err)
{
    struct squares *const s = self;
    (void)err;
    *more = s->next < s->n;
    *(struct square *)grain = (struct square){.index = s->next};
    s->next += *more;
    return TESS_OK;
}

static tess_status run_squares(struct squares *s, const struct executors *x, int threads,
                               int64_t cost);

static void
wait_for_others(struct squares *s)
{
    const time_t end = time(NULL) + PATIENCE;
    atomic_fetch_add(&s->met, 1);
    while (atomic_load(&s->met) < s->meet && time(NULL) < end)
        sched_yield();
    if (atomic_load(&s->met) < s->meet)
        atomic_store(&s->wrong, true);
}

static tess_status
squares_work(void *self, void *grain, tess_error *err)
{
    struct squares *const s = self;
    struct square *const g = grain;

    g->value = (int64_t)g->index * g->index;
    if (!pthread_equal(s->caller, pthread_self()))
        atomic_fetch_add(&s->strangers, 1);
    if (g->index < s->meet)
        wait_for_others(s);
    if (s->nested) {
        struct squares inner = {.n = 10, .fails = -1};
        if (run_squares(&inner, s->nested, 0, COST_HIGH) != TESS_OK ||
            inner.sum != sum_of_squares(10))
            atomic_store(&s->wrong, true);
    }
    if (s->stolen && !s->in_finish)
        executors_run_kept(s->stolen);
    return g->index == s->fails ? err_set(err, TESS_ERR_IO, g->index, "grain %d", g->index)
                                : TESS_OK;
}

static tess_status
squares_finish(void *self, void *grain, tess_error *err)
{
    struct squares *const s = self;
    const struct square *const g = grain;
    (void)err;
    if (g->index != s->finished++)
        atomic_store(&s->wrong, true);
    s->sum += g->value;
    if (s->stolen && s->in_finish)
        executors_run_kept(s->stolen);
    return TESS_OK;
}

static tess_status
run_squares(struct squares *s, const struct executors *x, int threads, int64_t cost)
{
    static const struct task task = {.next = squares_next,
                                     .work = squares_work,
                                     .finish = squares_finish,
                                     .grain_size = sizeof(struct square)};
    const struct task_width width = {
        .threads = threads, .executor = x ? &x->executor : NULL, .cost = cost};
    s->caller = pthread_self();
    return task_run(&task, s, &width, NULL);
}

// Jobs of all sizes give what they give with one thread, whatever the executor does.
static void
results_equal(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (enum executors_kind kind = 0; kind < EXECUTORS_KINDS; kind++) {
        struct executors x;
        executors_begin(&x, kind, 3);
        for (int i = 0; i < 200; i++) {
            const int n = (int)random_below(&r, 60);
            const int fails =
                random_below(&r, 4) == 0 && n > 0 ? (int)random_below(&r, (uint64_t)n) : -1;
            struct squares s = {.n = n, .fails = fails};
            const tess_status st = run_squares(&s, &x, (int)random_below(&r, 6), COST_HIGH);
            assert_int_equal(st, fails >= 0 ? TESS_ERR_IO : TESS_OK);
            if (st == TESS_OK)
                assert_int_equal(s.sum, sum_of_squares(n));
            assert_false(atomic_load(&s.wrong));
            if (kind != EXECUTORS_POOL && kind != EXECUTORS_TWICE && kind != EXECUTORS_LOOP)
                assert_int_equal(atomic_load(&s.strangers), 0);
            if (kind == EXECUTORS_LATE && random_below(&r, 2))
                executors_run_kept(&x); // of jobs that are over
        }
        assert_true(executors_submitted(&x) > 0);
        executors_end(&x);
    }
}

// The calling thread is one of them, also where run_all does not return before all have.
static void
threads_help(void **state)
{
    static const enum executors_kind kinds[] = {EXECUTORS_POOL, EXECUTORS_LOOP};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct executors x;
        executors_begin(&x, kinds[k], 3);
        for (int i = 0; i < 50; i++) {
            struct squares s = {.n = 20, .fails = -1, .meet = 4}; // the caller and three
            assert_int_equal(run_squares(&s, &x, 0, COST_HIGH), TESS_OK);
            assert_int_equal(s.sum, sum_of_squares(20));
            assert_false(atomic_load(&s.wrong));
        }
        executors_end(&x);
    }
}

// How many works a job submits: executor.threads, the width, and the cost each set a limit. Where
// it runs them, too.
static void
works_submitted(void **state)
{
    static const struct {
        int has, threads;
        int64_t cost;
        int want;
    } cases[] = {
        {3, 0, COST_HIGH, 3},     {3, 2, COST_HIGH, 1}, {3, 1, COST_HIGH, 0}, {3, 9, COST_HIGH, 3},
        {500, 0, COST_HIGH, 255}, {3, 0, COST_LOW, 0},  {3, 0, 150000, 1},    {3, 0, 250000, 2},
    };
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        struct executors x;
        struct squares s = {.n = 20, .fails = -1};
        executors_begin(&x, i % 2 ? EXECUTORS_IN_TURN : EXECUTORS_DROP, cases[i / 2].has);
        assert_int_equal(run_squares(&s, &x, cases[i / 2].threads, cases[i / 2].cost), TESS_OK);
        assert_int_equal(executors_submitted(&x), cases[i / 2].want);
        executors_end(&x);
    }
}

// What a job is to be worth is said by the executor.
static void
least_work(void **state)
{
    static const struct {
        int64_t least, cost;
        int want;
    } cases[] = {{100, COST_LOW, 3}, {500, COST_LOW, 2}, {1000, COST_LOW, 0}, {1000000, 150000, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct executors x;
        struct squares s = {.n = 20, .fails = -1};
        executors_begin(&x, EXECUTORS_DROP, 3);
        x.executor.least = cases[i].least;
        assert_int_equal(run_squares(&s, &x, 0, cases[i].cost), TESS_OK);
        assert_int_equal(executors_submitted(&x), cases[i].want);
        executors_end(&x);
    }
}

static void
refusal_ends_submitting(void **state)
{
    struct executors x;
    struct squares s = {.n = 20, .fails = -1};
    (void)state;
    executors_begin(&x, EXECUTORS_REFUSE, 3);
    assert_int_equal(run_squares(&s, &x, 0, COST_HIGH), TESS_OK);
    assert_int_equal(executors_submitted(&x), 1);
    executors_end(&x);
}

// All threads of the pool are in grains that make jobs for the same pool.
static void
jobs_inside_jobs(void **state)
{
    struct executors x;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct squares s = {.n = 12, .fails = -1, .nested = &x};
        executors_begin(&x, i % 2 ? EXECUTORS_LOOP : EXECUTORS_POOL, 3);
        assert_int_equal(run_squares(&s, &x, 0, COST_HIGH), TESS_OK);
        assert_false(atomic_load(&s.wrong));
        assert_int_equal(s.sum, sum_of_squares(12));
        executors_end(&x);
    }
}

// Functions of the job run what is queued, works of the job itself among it: they return at
// once, where joining would wait for the function itself.
static void
works_run_inside(void **state)
{
    static const enum executors_kind kinds[] = {EXECUTORS_LATE, EXECUTORS_POOL};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct executors x;
        executors_begin(&x, kinds[k], 3);
        for (int i = 0; i < 100; i++) {
            struct squares s = {.n = 12, .fails = -1, .stolen = &x, .in_finish = i % 2};
            assert_int_equal(run_squares(&s, &x, 0, COST_HIGH), TESS_OK);
            assert_false(atomic_load(&s.wrong));
            assert_int_equal(s.sum, sum_of_squares(12));
        }
        executors_end(&x);
    }
}

struct user {
    pthread_t thread;
    struct executors *x;
    bool failed;
};

static void *
use(void *argument)
{
    struct user *const u = argument;
    for (int i = 0; i < 100; i++) {
        struct squares s = {.n = i % 30, .fails = -1};
        u->failed |= run_squares(&s, u->x, 0, COST_HIGH) != TESS_OK ||
                     s.sum != sum_of_squares(s.n) || atomic_load(&s.wrong);
    }
    return NULL;
}

// Many callers share an executor, and two executors meet in nothing.
static void
many_users(void **state)
{
    enum { USERS = 8 };
    struct executors pools[2];
    struct user users[USERS] = {{0}};
    (void)state;
    executors_begin(&pools[0], EXECUTORS_POOL, 3);
    executors_begin(&pools[1], EXECUTORS_TWICE, 2);
    for (int i = 0; i < USERS; i++) {
        users[i].x = &pools[i % 2];
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++) {
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
        assert_false(users[i].failed);
    }
    executors_end(&pools[0]);
    executors_end(&pools[1]);
}

// The child has no thread of the pool; it works alone, and works of the parent find nothing.
static void
child_of_a_fork(void **state)
{
    struct executors x, late;
    struct squares s = {.n = 20, .fails = -1};
    int status = -1;
    (void)state;
    executors_begin(&x, EXECUTORS_POOL, 3);
    executors_begin(&late, EXECUTORS_LATE, 3);
    assert_int_equal(run_squares(&s, &late, 0, COST_HIGH), TESS_OK);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct squares again = {.n = 20, .fails = -1};
        alarm(PATIENCE);
        pthread_mutex_init(&x.lock, NULL); // one of the parent's threads may have had it
        pthread_cond_init(&x.bell, NULL);
        _exit(run_squares(&again, &x, 0, COST_HIGH) != TESS_OK || again.sum != s.sum ||
              executors_run_kept(&late) != 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    executors_end(&late);
    executors_end(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal),           cmocka_unit_test(threads_help),
        cmocka_unit_test(works_submitted),         cmocka_unit_test(least_work),
        cmocka_unit_test(refusal_ends_submitting), cmocka_unit_test(jobs_inside_jobs),
        cmocka_unit_test(works_run_inside),        cmocka_unit_test(many_users),
        cmocka_unit_test(child_of_a_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
