/*
 * programs.c - the examples that go on after a crash do so, whenever program or machine stopped.
 *
 * An example runs once, with all it does to the disk written down (disk.h). For each stop (stops.h)
 * a folder is made as it would be found; what is valid in it must be right, and the example,
 * started again there, must come to the same end. Then children that run it are killed at random
 * moments, one after the other in one folder.
 *
 * The examples are linked as functions; each run after the first is a process of its own.
 */
#include "fault/disk.h"
#include "fault/stops.h"
#include "fault/world.h"
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

// main() of the examples
int climate_main(int argc, char **argv);
int checkpoint_main(int argc, char **argv);

enum { PATH_SIZE = 600 };

// An example, and what is asked of what it leaves.
struct program {
    int (*run)(int argc, char **argv);
    const char *argument; // file in the folder, or "" for the folder itself
    int64_t goal; // steps of the run that is written down
    int64_t stride; // further steps of each child that is killed
    // How many steps are valid in a folder; all of them are compared with what they must be.
    int64_t (*look)(const char *folder);
};

// -- looking

static tess_array *
open_if_there(const char *folder, const char *name)
{
    char path[PATH_SIZE + 100];
    tess_storage storage;
    tess_array *a = NULL;
    tess_error err;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    const tess_status st = tess_array_open(&storage, &a, &err);
    if (st != TESS_OK && st != TESS_ERR_NOT_FOUND)
        fail_msg("%s: %s", path, err.message);
    return a;
}

static int64_t
length_of(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.shape[0];
}

enum { LAT = 73, LON = 144, WEEK = 7 };

static double
field_of(int64_t day, int i, int j)
{
    return (double)(day + (i * LON + j) % 50);
}

static void
look_at_fields(const tess_array *a, int64_t days)
{
    static float field[LAT][LON];
    for (int64_t day = 0; day < days; day++) {
        const int64_t start[3] = {day}, stop[3] = {day + 1, LAT, LON};
        ok(tess_array_read(a, start, stop, field, sizeof field, err));
        for (int i = 0; i < LAT; i++)
            for (int j = 0; j < LON; j++)
                if (field[i][j] != (float)field_of(day, i, j))
                    fail_msg("day %d of %d, item %d %d: %g", (int)day, (int)days, i, j,
                             (double)field[i][j]);
    }
}

static void
look_at_means(const tess_array *a, int64_t days)
{
    static double mean[LAT][LON];
    for (int64_t day = 0; day < days; day++) {
        const int64_t start[3] = {day}, stop[3] = {day + 1, LAT, LON};
        const int64_t first = day < WEEK ? 0 : day - WEEK + 1;
        ok(tess_array_read(a, start, stop, mean, sizeof mean, err));
        for (int i = 0; i < LAT; i++)
            for (int j = 0; j < LON; j++)
                assert_true(mean[i][j] == field_of(0, i, j) + (double)(first + day) / 2);
    }
}

static int64_t
look_at_climate(const char *folder)
{
    tess_array *const time = open_if_there(folder, "time.b2nd");
    tess_array *const fields = open_if_there(folder, "t2m.b2nd");
    tess_array *const means = open_if_there(folder, "t2m_week.b2nd");
    int64_t days = time && fields ? length_of(time) : 0;
    if (days > 0 && length_of(fields) < days)
        days = length_of(fields);
    for (int64_t day = 0; day < days; day++) {
        int64_t at;
        ok(tess_array_get_item(time, &day, &at, sizeof at, err));
        assert_int_equal(at, day);
    }
    if (fields)
        look_at_fields(fields, length_of(fields)); // none is without its items
    if (means)
        look_at_means(means, length_of(means));
    tess_array_discard(time);
    tess_array_discard(fields);
    tess_array_discard(means);
    return days;
}

enum { SIDE = 200, SAVE_EVERY = 25, STEPS_MOST = 1000 };

// The state after each step that is saved.
static double (*states)[SIDE][SIDE];
static int nstates;

static void
compute_states(void)
{
    static double now[SIDE][SIDE];
    nstates = STEPS_MOST / SAVE_EVERY;
    states = malloc((size_t)nstates * sizeof *states);
    assert_non_null(states);
    now[SIDE / 2][SIDE / 2] = 1e4;
    for (int step = 1; step <= STEPS_MOST; step++) {
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++)
                now[i][j] += 0.2 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] -
                                    4 * now[i][j]);
        if (step % SAVE_EVERY == 0)
            memcpy(states[step / SAVE_EVERY - 1], now, sizeof now);
    }
}

static int64_t
look_at_checkpoint(const char *folder)
{
    static double found[SIDE][SIDE];
    const int64_t start[2] = {0, 0}, stop[2] = {SIDE, SIDE};
    tess_array *const a = open_if_there(folder, "state.b2nd");
    int64_t step = 0;
    if (!a)
        return 0;
    ok(tess_attr_get_int(a, "step", &step, err));
    ok(tess_array_read(a, start, stop, found, sizeof found, err));
    tess_array_discard(a);
    assert_int_equal(step % SAVE_EVERY, 0);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const double difference = found[i][j] - states[step / SAVE_EVERY - 1][i][j];
            if (!(difference < 1e-9 && difference > -1e-9))
                fail_msg("step %d, item %d %d: %g", (int)step, i, j, found[i][j]);
        }
    return step;
}

static const struct program climate = {climate_main, "", 12, 40, look_at_climate};
static const struct program checkpoint = {checkpoint_main, "/state.b2nd", 100, 100,
                                          look_at_checkpoint};

// -- running

static int
run(const struct program *p, const char *folder, int64_t goal)
{
    char path[PATH_SIZE + 100], steps[30], name[] = "program";
    char *argv[] = {name, path, steps, NULL};
    (void)snprintf(path, sizeof path, "%s%s", folder, p->argument);
    (void)snprintf(steps, sizeof steps, "%" PRId64, goal);
    return p->run(3, argv);
}

// A process of its own, which says nothing.
static pid_t
start(const struct program *p, const char *folder, int64_t goal)
{
    (void)fflush(stdout);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    if (!freopen("/dev/null", "w", stdout))
        _exit(2);
    _exit(run(p, folder, goal));
}

// To its end, which must be the right one.
static void
finish(const struct program *p, const char *folder, int64_t goal)
{
    int status = 0;
    const pid_t pid = start(p, folder, goal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(p->look(folder), goal);
}

// -- all stops

struct stopping {
    const struct program *program;
    struct world *world;
    struct random *r;
    int64_t one_of, valid, stops; // stops that are tried; steps that were valid after the last one
    uint64_t hash; // of the folder of the last one
    char folder[PATH_SIZE];
};

static void
try_stop(const struct world_stop *stop, void *user)
{
    struct stopping *const s = user;
    const bool machine = stop->loss != WORLD_NOTHING;
    if (machine && random_below(s->r, (uint64_t)s->one_of) > 0)
        return;
    world_play(s->world, stop);
    const uint64_t hash = world_hash(s->world);
    if (hash == s->hash)
        return;
    s->hash = hash;
    s->stops++;
    world_write(s->world, s->folder);
    const int64_t valid = s->program->look(s->folder);
    if (!machine && valid < s->valid)
        fail_msg("stopped at operation %zu: %" PRId64 " steps, %" PRId64 " before", stop->at, valid,
                 s->valid);
    s->valid = machine ? 0 : valid;
    finish(s->program, s->folder, s->program->goal);
}

static void
stopped(const struct program *p)
{
    struct world w = {0};
    struct random r;
    struct stopping s = {.program = p, .world = &w, .r = &r, .one_of = random_cases(40, 2)};
    char folder[PATH_SIZE];

    random_init(&r, random_seed());
    (void)snprintf(s.folder, sizeof s.folder, "%s", files_path("found"));
    (void)snprintf(folder, sizeof folder, "%s", files_path("log"));
    world_write(&w, folder);
    disk_begin(folder);
    assert_int_equal(run(p, folder, p->goal), 0);
    disk_pause();
    assert_int_equal(p->look(folder), p->goal);
    stops_of_program(0, try_stop, &s);
    assert_int_equal(s.valid, p->goal);
    const int64_t of_program = s.stops;
    stops_of_machine(0, &r, try_stop, &s);
    printf("%zu operations; %" PRId64 " stops of the program, %" PRId64 " of the machine\n",
           disk_length(), of_program, s.stops - of_program);
    disk_resume();
    disk_end();
    world_finish(&w);
}

// -- kills

static void
killed(const struct program *p)
{
    struct random r;
    char folder[PATH_SIZE];
    const int64_t kills = random_cases(20, 400);
    int64_t valid = 0, further = 0;
    struct timespec before, after;

    random_init(&r, random_seed());
    (void)snprintf(folder, sizeof folder, "%s", files_path("live"));
    assert_int_equal(mkdir(folder, 0777), 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    finish(p, folder, p->stride);
    clock_gettime(CLOCK_MONOTONIC, &after);
    valid = p->stride;
    const int64_t most = // microseconds of a run, on this machine as it is
        (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
    for (int64_t i = 0; i < kills; i++) {
        const int64_t delay = (int64_t)random_below(&r, (uint64_t)most);
        const pid_t pid = start(p, folder, valid + p->stride);
        usleep((useconds_t)delay);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        const int64_t found = p->look(folder);
        if (found < valid)
            fail_msg("%" PRId64 " steps, %" PRId64 " before", found, valid);
        further += found > valid;
        valid = found;
        if (valid > 240) { // in a new folder
            files_remove(folder);
            assert_int_equal(mkdir(folder, 0777), 0);
            valid = 0;
        }
    }
    finish(p, folder, valid + p->stride);
    printf("%" PRId64 " kills, %" PRId64 " of them after a further commit\n", kills, further);
}

static void
climate_stopped(void **state)
{
    (void)state;
    stopped(&climate);
}

static void
climate_killed(void **state)
{
    (void)state;
    killed(&climate);
}

static void
checkpoint_stopped(void **state)
{
    (void)state;
    stopped(&checkpoint);
}

static void
checkpoint_killed(void **state)
{
    (void)state;
    killed(&checkpoint);
}

// A test that failed left its log.
static int
teardown(void **state)
{
    disk_resume();
    disk_end();
    return files_teardown(state);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(climate_stopped, files_setup, teardown),
        cmocka_unit_test_setup_teardown(climate_killed, files_setup, teardown),
        cmocka_unit_test_setup_teardown(checkpoint_stopped, files_setup, teardown),
        cmocka_unit_test_setup_teardown(checkpoint_killed, files_setup, teardown),
    };
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    compute_states();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(states);
    return failed;
}
