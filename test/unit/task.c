/*
 * task.c - tests of task/task: jobs that note what is done to each grain, by one thread and by more
 * than there are CPUs. Made for the thread sanitizer, too: what next and finish touch is plain.
 *
 * The number of CPUs and the variable are read once, so tests of these run in children, before the
 * process itself has asked.
 */
#include "task/task.h"

#include "support/forks.h"
#include "support/random.h"
#include "task/watch.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define GRAINS_MAX 400
#define THREADS "4"
#define COST_HIGH 1000000 // ns: worth a worker
#define COST_LOW 1000 // not even one that spins
#define PATIENCE 30 // seconds until a worker must have come

// The thread sanitizer refuses threads in the child of a process with threads, if not told so, and
// sleeps a second in each exit().
const char *__tsan_default_options(void);

const char *
__tsan_default_options(void)
{
    return "die_after_fork=0:atexit_sleep_ms=0";
}

enum part { NONE, NEXT, WORK, FINISH };

struct probe {
    int n; // grains
    enum part fails; // where
    int from, to; // which grains do
    int busy_us; // a grain takes up to so long
    int slow; // this one far longer; -1: none
    int meet; // grains that wait for each other
    int cursor, finished; // plain, as those of users
    int ahead; // most grains made and not finished
    atomic_int inside; // next or finish
    atomic_int met, threads, wrong;
    atomic_uchar made[GRAINS_MAX], worked[GRAINS_MAX], dropped[GRAINS_MAX];
    unsigned serial; // of the job: for counting threads
};

struct probe_grain {
    max_align_t aligned;
    int index;
    unsigned char fill[100];
};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
busy(double us)
{
    const double end = now() + us * 1e-6;
    while (now() < end)
        ;
}

static void
expect(struct probe *p, bool fact)
{
    if (!fact)
        atomic_fetch_add(&p->wrong, 1);
}

// A status that says where the job failed.
static tess_status
outcome(const struct probe *p, enum part part, int index, tess_error *err)
{
    if (p->fails != part || index < p->from || index > p->to)
        return TESS_OK;
    return err_set(err, (tess_status)part, index, "grain %d", index);
}

static tess_status
next(void *self, void *grain, bool *more, tess_error *err)
{
    struct probe *const p = self;
    struct probe_grain *const g = grain;
    const int index = p->cursor;

    expect(p, atomic_exchange(&p->inside, 1) == 0);
    expect(p, (uintptr_t)grain % _Alignof(max_align_t) == 0);
    tess_status st = outcome(p, NEXT, index, err);
    if (st == TESS_OK && index == p->n) {
        *more = false;
    } else if (st == TESS_OK) {
        p->cursor++;
        if (p->cursor - p->finished > p->ahead)
            p->ahead = p->cursor - p->finished;
        g->index = index;
        memset(g->fill, index, sizeof g->fill);
        atomic_fetch_add(&p->made[index], 1);
    }
    atomic_store(&p->inside, 0);
    return st;
}

static void
count_thread(struct probe *p)
{
    static _Thread_local unsigned last;
    if (last != p->serial)
        atomic_fetch_add(&p->threads, 1);
    last = p->serial;
}

static void
meet(struct probe *p)
{
    const double end = now() + PATIENCE;
    atomic_fetch_add(&p->met, 1);
    while (atomic_load(&p->met) < p->meet && now() < end)
        sched_yield();
    expect(p, atomic_load(&p->met) >= p->meet);
}

static tess_status
work(void *self, void *grain, tess_error *err)
{
    struct probe *const p = self;
    struct probe_grain *const g = grain;

    expect(p, atomic_fetch_add(&p->worked[g->index], 1) == 0);
    for (size_t i = 0; i < sizeof g->fill; i++)
        expect(p, g->fill[i] == (unsigned char)g->index);
    count_thread(p);
    if (g->index < p->meet)
        meet(p);
    if (p->busy_us > 0)
        busy(g->index * 7 % (p->busy_us + 1));
    if (g->index == p->slow)
        busy(5000);
    return outcome(p, WORK, g->index, err);
}

static tess_status
finish(void *self, void *grain, tess_error *err)
{
    struct probe *const p = self;
    const struct probe_grain *const g = grain;

    expect(p, atomic_exchange(&p->inside, 1) == 0);
    expect(p, g->index == p->finished && atomic_load(&p->worked[g->index]) == 1);
    p->finished++;
    const tess_status st = outcome(p, FINISH, g->index, err);
    atomic_store(&p->inside, 0);
    return st;
}

static void
drop(void *self, void *grain)
{
    struct probe *const p = self;
    const struct probe_grain *const g = grain;
    expect(p, atomic_fetch_add(&p->dropped[g->index], 1) == 0);
}

static struct task
task_of(bool ordered)
{
    return (struct task){next, work, ordered ? finish : NULL, drop, sizeof(struct probe_grain)};
}

static struct probe *
probe_new(int n)
{
    static atomic_uint serial;
    struct probe *const p = calloc(1, sizeof *p);
    if (p) {
        p->n = n;
        p->slow = -1;
        p->serial = atomic_fetch_add(&serial, 1) + 1;
    }
    return p;
}

// Whether a job did what it had to; any thread may ask.
static bool
holds(struct probe *p, bool ordered, tess_status st, const tess_error *err)
{
    const bool fails = p->fails != NONE && p->from <= (p->fails == NEXT ? p->n : p->n - 1) &&
                       (ordered || p->fails != FINISH);

    if (fails) {
        expect(p, (int)st == (int)p->fails);
        expect(p, err->status == st && err->offset >= p->from && err->offset <= p->to);
    } else {
        expect(p, st == TESS_OK && p->cursor == p->n);
        expect(p, !ordered || p->finished == p->n);
    }
    for (int i = 0; i < p->n; i++) {
        expect(p, atomic_load(&p->made[i]) == (i < p->cursor));
        expect(p, atomic_load(&p->dropped[i]) == atomic_load(&p->made[i]));
        expect(p, fails || atomic_load(&p->worked[i]) == 1);
        expect(p, !fails || i > p->from || p->fails == NEXT || atomic_load(&p->made[i]) == 1);
    }
    return atomic_load(&p->wrong) == 0;
}

static bool
run_probe(struct probe *p, bool ordered, int threads, int64_t cost)
{
    const struct task task = task_of(ordered);
    const struct task_width width = {.threads = threads, .cost = cost};
    tess_error err;
    const tess_status st = task_run(&task, p, &width, &err);

    expect(p, atomic_load(&p->threads) <= task_threads(&width));
    return holds(p, ordered, st, &err);
}

// A job in which this many threads must be at work at once.
static bool
meeting(int threads)
{
    struct probe *const p = probe_new(4 * threads);
    p->meet = threads;
    const bool ok = run_probe(p, true, 0, COST_HIGH) && atomic_load(&p->threads) >= threads;
    free(p);
    return ok;
}

static int
threads_now(void)
{
    DIR *const dir = opendir("/proc/self/task");
    int n = -2; // . and ..
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

// Memory of threads that stayed behind is lost in the child of a fork: no leak of ours, so a child
// that has some leaves by _exit().
static void
in_child(bool (*fn)(const void *), const void *argument, void (*leave)(int))
{
    int status = -1;

    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(4 * PATIENCE); // what hangs is killed
        leave(fn(argument) ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int
width_threads(int threads)
{
    return task_threads(&(struct task_width){.threads = threads});
}

static int
cpu_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

struct setting {
    const char *value;
    int threads; // 0: as many as CPUs
};

static bool
setting_holds(const void *argument)
{
    const struct setting *const s = argument;
    const int want = s->threads ? s->threads : cpu_count();

    if (s->value)
        setenv("TESS_NUM_THREADS", s->value, 1);
    else
        unsetenv("TESS_NUM_THREADS");
    if (width_threads(0) != want)
        return false;
    setenv("TESS_NUM_THREADS", "7", 1); // too late
    return width_threads(0) == want && width_threads(1000) == want && width_threads(1) == 1 &&
           meeting(want);
}

static void
variable(void **state)
{
    static const struct setting settings[] = {
        {NULL, 0}, {"", 0},  {"0", 0}, {"-1", 0}, {"two", 0},
        {"2x", 0}, {"1", 1}, {"2", 2}, {" 3", 3}, {"5", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        in_child(setting_holds, &settings[i], exit);
}

static bool
alone_holds(const void *argument)
{
    struct probe *const p = probe_new(50);
    const int before = threads_now(); // a sanitizer may have some
    cpu_set_t set, one;

    (void)argument;
    unsetenv("TESS_NUM_THREADS");
    sched_getaffinity(0, sizeof set, &set);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &set))
            CPU_SET(i, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return false;
    const bool ok =
        run_probe(p, true, 0, COST_HIGH) && width_threads(4) == 1 && threads_now() == before;
    free(p);
    return ok;
}

static void
one_cpu(void **state)
{
    (void)state;
    in_child(alone_holds, NULL, exit);
}

// No thread is started for little work, or for one grain.
static bool
nobody_holds(const void *argument)
{
    static const struct {
        int n, threads;
        int64_t cost;
    } jobs[] = {{0, 0, COST_HIGH}, {1, 0, COST_HIGH}, {30, 1, COST_HIGH}, {30, 0, COST_LOW}};
    bool ok = true;
    const int before = threads_now(); // a sanitizer may have some

    (void)argument;
    setenv("TESS_NUM_THREADS", THREADS, 1);
    for (int i = 0; i < 8; i++) {
        struct probe *const p = probe_new(jobs[i / 2].n);
        ok = ok && run_probe(p, i % 2, jobs[i / 2].threads, jobs[i / 2].cost);
        ok = ok && atomic_load(&p->threads) <= 1;
        free(p);
    }
    return ok && threads_now() == before && meeting(2) && threads_now() > before;
}

static void
nobody_woken(void **state)
{
    (void)state;
    in_child(nobody_holds, NULL, exit);
}

static void *
endless(void *argument)
{
    const struct task task = {
        .next = next, .work = work, .finish = finish, .grain_size = sizeof(struct probe_grain)};
    for (;;) {
        struct probe *const p = probe_new(GRAINS_MAX);
        p->busy_us = 50;
        if (task_run(&task, p, &(struct task_width){.cost = COST_HIGH}, NULL) != TESS_OK)
            break;
        free(p);
    }
    return argument;
}

static bool
leaves(const void *argument)
{
    pthread_t thread;
    (void)argument;
    setenv("TESS_NUM_THREADS", THREADS, 1);
    if (pthread_create(&thread, NULL, endless, NULL) != 0)
        return false;
    pthread_detach(thread);
    return meeting(3); // and then exit() while a job runs
}

static void
exit_in_the_middle(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        in_child(leaves, NULL, exit);
}

// From here on the process has THREADS threads.

static void
workers_come(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        assert_true(meeting(atoi(THREADS)));
}

static void
errors_everywhere(void **state)
{
    (void)state;
    for (int round = 0; round < 3 * 2 * 25; round++) {
        const bool ordered = round / 3 % 2;
        struct probe *const p = probe_new(23);
        p->fails = (enum part)(NEXT + round % 3);
        p->from = p->to = round / 6; // the last ones are never reached
        p->busy_us = 10;
        assert_true(run_probe(p, ordered, 0, COST_HIGH));
        free(p);
    }
}

// After a failure little is done: no more than the others had begun, or had before them.
static void
failure_stops(void **state)
{
    (void)state;
    for (int part = NEXT; part <= FINISH; part++) {
        struct probe *const p = probe_new(GRAINS_MAX);
        p->fails = (enum part)part;
        p->from = 5;
        p->to = GRAINS_MAX;
        p->busy_us = 100;
        assert_true(run_probe(p, true, 0, COST_HIGH));
        assert_true(p->cursor <= 6 + 4 * atoi(THREADS));
        assert_true(p->finished <= 6);
        free(p);
    }
}

static void
no_error_wanted(void **state)
{
    const struct task task = task_of(true);
    (void)state;
    for (int part = NEXT; part <= FINISH; part++) {
        struct probe *const p = probe_new(20);
        p->fails = (enum part)part;
        p->from = p->to = 9;
        assert_int_equal(task_run(&task, p, &(struct task_width){.cost = COST_HIGH}, NULL), part);
        free(p);
    }
}

// One slow grain: with finish the others run ahead as far as there are slots, and no further.
static void
slow_head(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct probe *const p = probe_new(200);
        p->slow = 20 * i;
        assert_true(run_probe(p, true, 0, COST_HIGH));
        assert_true(p->ahead <= 4 * atoi(THREADS));
        free(p);
    }
}

static tess_status
check_signals(void *self, void *grain, tess_error *err)
{
    struct probe *const p = self;
    static _Thread_local sigset_t set;

    pthread_sigmask(SIG_BLOCK, NULL, &set);
    if (getpid() != gettid())
        expect(p, sigismember(&set, SIGUSR1) && sigismember(&set, SIGALRM));
    return work(self, grain, err);
}

static void
signals_blocked(void **state)
{
    struct task task = task_of(false);
    struct probe *const p = probe_new(20);
    tess_error err;
    sigset_t set;

    (void)state;
    task.work = check_signals;
    p->meet = 2;
    const tess_status st = task_run(&task, p, &(struct task_width){.cost = COST_HIGH}, &err);
    assert_true(holds(p, false, st, &err));
    free(p);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    assert_false(sigismember(&set, SIGUSR1)); // the caller's are as before
}

// Two grains: the one of the caller ends when a worker has the other, which ends once the program
// has been told.
struct vigil {
    pthread_t caller;
    int made;
    atomic_bool worker_came, told;
};

static bool
hear_at_last(int64_t done, int64_t total, void *user)
{
    struct vigil *const v = user;
    (void)done, (void)total;
    if (atomic_load(&v->worker_came))
        atomic_store(&v->told, true);
    return true;
}

static tess_status
next_of_two(void *self, void *grain, bool *more, tess_error *err)
{
    struct vigil *const v = self;
    (void)grain, (void)err;
    *more = v->made++ < 2;
    return TESS_OK;
}

static tess_status
wait_for_the_other(void *self, void *grain, tess_error *err)
{
    struct vigil *const v = self;
    const bool caller = pthread_equal(v->caller, pthread_self());
    atomic_bool *const event = caller ? &v->worker_came : &v->told;
    const double end = now() + PATIENCE;
    (void)grain, (void)err;
    if (!caller)
        atomic_store(&v->worker_came, true);
    while (!atomic_load(event) && now() < end)
        sched_yield();
    return atomic_load(event) ? TESS_OK : TESS_ERR_IO;
}

// The caller has nothing to do but wait for the workers.
static void
a_caller_that_waits_reports(void **state)
{
    const struct task task = {
        .next = next_of_two, .work = wait_for_the_other, .grain_size = sizeof(int)};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct vigil v = {.caller = pthread_self()};
        const tess_context context = {
            .progress = hear_at_last, .progress_user = &v, .progress_interval = 20 * i};
        struct watch watch;
        watch_begin(&watch, &context, 2);
        watch_job(&watch, 2);
        const struct task_width width = {.threads = 2, .cost = COST_HIGH, .watch = &watch};
        assert_int_equal(task_run(&task, &v, &width, NULL), TESS_OK);
        assert_true(atomic_load(&v.told));
    }
}

static bool
random_job(struct random *r)
{
    static const int64_t costs[] = {COST_LOW, 10000, COST_HIGH};
    struct probe *const p = probe_new((int)random_below(r, random_below(r, 8) ? 40 : GRAINS_MAX));
    const bool ordered = random_below(r, 2);

    p->busy_us = (int)random_below(r, 20);
    if (random_below(r, 20) == 0)
        p->slow = (int)random_below(r, 40);
    if (random_below(r, 3) == 0) {
        p->fails = (enum part)(NEXT + random_below(r, 3));
        p->from = (int)random_below(r, 50);
        p->to = p->from + (int)random_below(r, GRAINS_MAX);
    }
    const bool ok = run_probe(p, ordered, (int)random_below(r, 6), costs[random_below(r, 3)]);
    free(p);
    return ok;
}

static void
random_jobs(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 2000; i++)
        assert_true(random_job(&r));
}

struct user {
    pthread_t thread;
    struct random random;
    atomic_bool stop;
    int wrong, jobs;
};

static void *
use(void *argument)
{
    struct user *const u = argument;
    while (!atomic_load(&u->stop) && u->jobs < 300) {
        u->wrong += !random_job(&u->random);
        u->jobs++;
    }
    return NULL;
}

#define USERS 8

static void
users_start(struct user *users)
{
    const uint64_t seed = random_seed();
    for (int i = 0; i < USERS; i++) {
        users[i] = (struct user){0};
        random_init(&users[i].random, seed + (uint64_t)i);
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
}

static void
users_join(struct user *users)
{
    for (int i = 0; i < USERS; i++) {
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
        assert_int_equal(users[i].wrong, 0);
        assert_true(users[i].jobs > 0);
    }
}

static void
many_users(void **state)
{
    struct user users[USERS];
    (void)state;
    users_start(users);
    users_join(users);
}

static bool
child_works(const void *argument)
{
    struct random r;
    (void)argument;
    random_init(&r, 1);
    return meeting(atoi(THREADS)) && random_job(&r) && meeting(2);
}

static bool
child_of_child(const void *argument)
{
    if (!child_works(argument))
        return false;
    in_child(child_works, argument, _exit);
    return child_works(argument);
}

static void
forks(void **state)
{
    struct user users[USERS];
    (void)state;
    users_start(users);
    if (!FORK_BESIDE_THREADS)
        users_join(users); // all that they do
    for (int i = 0; i < 20; i++)
        in_child(i % 4 ? child_works : child_of_child, NULL, _exit);
    for (int i = 0; i < USERS; i++)
        atomic_store(&users[i].stop, true);
    if (FORK_BESIDE_THREADS)
        users_join(users);
    assert_true(meeting(atoi(THREADS)));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variable),      cmocka_unit_test(one_cpu),
        cmocka_unit_test(nobody_woken),  cmocka_unit_test(exit_in_the_middle),
        cmocka_unit_test(workers_come),  cmocka_unit_test(errors_everywhere),
        cmocka_unit_test(failure_stops), cmocka_unit_test(no_error_wanted),
        cmocka_unit_test(slow_head),     cmocka_unit_test(signals_blocked),
        cmocka_unit_test(random_jobs),   cmocka_unit_test(many_users),
        cmocka_unit_test(forks),         cmocka_unit_test(a_caller_that_waits_reports),
    };
    setenv("TESS_NUM_THREADS", THREADS, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
