/*
 * failing.c - the n-th call to the system fails, for every n of random workloads, in every way.
 *
 * The step in which it happens succeeds all the same, or fails as after.h says; then the disk is in
 * order again, and the story goes on. At its end as many files are open as before. That no memory
 * is lost is for the address sanitizer.
 *
 * With TESS_TEST_LONG=1, the stories are longer, and there are more of them.
 */
#include "fault/after.h"
#include "fault/disk.h"
#include "fault/world.h"
#include "support/files.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS_FEW = 7, STEPS_MANY = 12, PATH_SIZE = 600 };

static const int errnos[DISK_FAILURES] = {
    [DISK_EIO] = EIO,
    [DISK_ENOSPC] = ENOSPC,
    [DISK_SHORT_ENOSPC] = ENOSPC,
    [DISK_EINTR] = EINTR,
};

// What became of the failures.
static struct {
    int64_t failures, told;
} tally;

static bool
take_step(struct after *t, bool first)
{
    tess_error err;
    t->step = "make or open";
    tess_status st = story_ready(&t->s, &err);
    if (st == TESS_OK && !first) {
        const enum story_step step = story_choose(&t->s);
        t->step = story_step_names[step];
        memset(&err, 0x5a, sizeof err);
        st = story_step(&t->s, step, &err);
    }
    if (st == TESS_OK)
        return true;
    if (disk_failures() == 0)
        after_complain(t, err.message);
    disk_heal();
    return after_failure(t, st, &err);
}

// Whether a call failed: else the story has no more of them than n.
static bool
play(const struct workload *workload, tess_layout layout, uint64_t seed, enum disk_failure how,
     bool forever, long n)
{
    static char folder[PATH_SIZE];
    const int open_before = after_count_open();
    struct world w = {0};
    struct after t = {.sys = errnos[how], .helpless = forever};
    bool going_on = true;

    (void)snprintf(folder, sizeof folder, "%s", files_path("log"));
    (void)snprintf(t.failure, sizeof t.failure, "seed %" PRIu64 ", call %ld fails (%s)%s", seed, n,
                   disk_failure_names[how], forever ? " and all later ones" : "");
    world_write(&w, folder);
    disk_begin(folder);
    story_begin(&t.s, folder, workload, layout, (tess_durability)(seed % 3), seed);
    disk_list((enum disk_order)(seed / 3 % DISK_ORDERS), seed);
    disk_fail(how, n, forever);
    for (int64_t i = 0; i < random_cases(STEPS_FEW, STEPS_MANY) && going_on; i++)
        going_on = take_step(&t, i == 0);
    const bool failed = disk_failures() > 0;
    disk_heal();
    t.step = "the end";
    if (failed && going_on)
        after_check(&t);
    if (t.told > 0 && (how == DISK_SHORT || how == DISK_EINTR))
        after_complain(&t, "the rest was not done");
    tally.failures += failed;
    tally.told += t.told > 0;
    story_end(&t.s);
    disk_end();
    if (after_count_open() != open_before)
        after_complain(&t, "a file stays open");
    return failed;
}

static void
run(enum disk_failure how, bool forever)
{
    struct random r;
    random_init(&r, random_seed() + (uint64_t)(2 * how + forever));
    memset(&tally, 0, sizeof tally);
    for (int64_t round = random_cases(1, 4); round > 0; round--)
        for (int k = 0; k < workload_count; k++)
            for (int layout = 0; layout < 2; layout++) {
                const uint64_t seed = random_next(&r);
                for (long n = 0; play(&workloads[k], (tess_layout)layout, seed, how, forever, n);)
                    n++;
            }
    printf("%s%s: %" PRId64 " failures, %" PRId64 " told, %" PRId64 " without effect\n",
           disk_failure_names[how], forever ? ", from then on" : "", tally.failures, tally.told,
           tally.failures - tally.told);
    assert_true(tally.failures > 100);
}

#define FAILURE(how, forever)                 \
    static void how##_##forever(void **state) \
    {                                         \
        (void)state;                          \
        run(DISK_##how, forever);             \
    }

FAILURE(EIO, false)
FAILURE(EIO, true)
FAILURE(ENOSPC, false)
FAILURE(ENOSPC, true)
FAILURE(SHORT, false)
FAILURE(SHORT_ENOSPC, false)
FAILURE(SHORT_ENOSPC, true)
FAILURE(EINTR, false)

// A test that failed left its log.
static int
teardown(void **state)
{
    disk_heal();
    disk_resume();
    disk_end();
    return files_teardown(state);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(EIO_false),   TEST(EIO_true),           TEST(ENOSPC_false),      TEST(ENOSPC_true),
        TEST(SHORT_false), TEST(SHORT_ENOSPC_false), TEST(SHORT_ENOSPC_true), TEST(EINTR_false),
    };
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
