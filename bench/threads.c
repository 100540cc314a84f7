/*
 * threads.c - what do the threads of the pool cost and gain?
 *
 * Jobs of grains that only count, so nothing but the CPUs limits them. "spinning": one job after
 * the other, so the workers are still awake; "asleep": a pause before each, in which they go to
 * sleep. Each round does every job with one thread and with two, in turn. `bytes` is the work of a
 * request in nanoseconds of one thread, as timed at the start; CSV. See --help.
 *
 * This is the inside: it links the library's own functions, not what users see.
 */
#include "support.h"

#include "task/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 40

struct work {
    int grains;
    int grain_us;
    const char *cell;
    bool pause; // so that workers fall asleep
    bool ordered; // with finish
};

static const struct work works[] = {
    {1, 3, "1x3us", false, false},
    {2, 3, "2x3us-spinning", false, false},
    {2, 6, "2x6us-spinning", false, false},
    {2, 40, "2x40us-spinning", false, false},
    {2, 15, "2x15us-asleep", true, false},
    {2, 40, "2x40us-asleep", true, false},
    {2, 100, "2x100us-asleep", true, false},
    {400, 5, "400x5us", false, false},
    {200, 20, "200x20us", false, false},
    {200, 20, "200x20us-ordered", false, true},
    {100, 50, "100x50us-ordered", false, true},
    {100, 100, "100x100us-ordered", false, true},
};

enum { NWORKS = sizeof works / sizeof works[0] };

struct job {
    int left;
    int64_t steps; // of each grain
    int64_t finished;
};

static double steps_per_us;

// A chain of multiplications: as long on a busy machine's other core, and nothing to share.
static uint64_t
count(int64_t steps)
{
    uint64_t x = 1;
    for (int64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005 + 1442695040888963407;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static tess_status
next(void *self, void *grain, bool *more, tess_error *err)
{
    struct job *const j = self;
    (void)err;
    *more = j->left > 0;
    if (*more)
        *(int64_t *)grain = j->left--;
    return TESS_OK;
}

static tess_status
work(void *self, void *grain, tess_error *err)
{
    const struct job *const j = self;
    (void)grain;
    (void)err;
    count(j->steps);
    return TESS_OK;
}

static tess_status
finish(void *self, void *grain, tess_error *err)
{
    struct job *const j = self;
    (void)grain;
    (void)err;
    j->finished++;
    return TESS_OK;
}

static void
measure(const struct work *w, int threads, struct bench_times *times)
{
    const struct task task = {
        .next = next, .work = work, .finish = w->ordered ? finish : NULL, .grain_size = 256};
    const struct task_width width = {.threads = threads,
                                     .cost = (int64_t)w->grains * w->grain_us * 1000};
    const int warm_up = w->pause ? 0 : 2;

    if (w->pause)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    else // a job that is worth waking the workers for
        task_run(&task, &(struct job){.left = 4, .steps = (int64_t)(20 * steps_per_us)},
                 &(struct task_width){.threads = threads, .cost = 80000}, NULL);
    for (int i = 0; i <= warm_up; i++) {
        struct job job = {.left = w->grains, .steps = (int64_t)(w->grain_us * steps_per_us)};
        const double start = bench_now();
        if (task_run(&task, &job, &width, NULL) != TESS_OK || job.left != 0)
            bench_die("a job failed");
        if (i == warm_up)
            bench_times_add(times, bench_now() - start);
    }
}

static void
calibrate(void)
{
    const int64_t steps = 100000;
    double best = 1;

    for (int i = 0; i < 100; i++) {
        const double start = bench_now();
        count(steps);
        const double seconds = bench_now() - start;
        best = seconds < best ? seconds : best;
    }
    steps_per_us = (double)steps / (best * 1e6);
}

static void
report(const struct work *w, int threads, const struct bench_times *times)
{
    const struct bench_row row = {
        .program = "threads",
        .library = "tessera",
        .threads = threads,
        .cell = w->cell,
        .requests = 1,
        .bytes = (int64_t)w->grains * w->grain_us * 1000,
        .times = *times,
    };
    bench_csv_row(&row);
}

int
main(int argc, char **argv)
{
    static struct bench_times times[NWORKS][2];
    (void)argv;

    if (argc > 1) {
        puts("usage: threads\nTimes jobs of the thread pool, with one thread and with two; CSV.");
        return 0;
    }
    calibrate();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < NWORKS; i++)
            for (int threads = 1; threads <= 2; threads++)
                measure(&works[i], threads, &times[i][threads - 1]);
    bench_csv_header();
    for (int i = 0; i < NWORKS; i++)
        for (int threads = 1; threads <= 2; threads++)
            report(&works[i], threads, &times[i][threads - 1]);
    return 0;
}
