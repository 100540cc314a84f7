/*
 * stores.c - every moment at which program or machine may stop, while stores are changed.
 *
 * Random transactions (support/transactions.h) run once, with all they do to the disk written down
 * (disk.h). For each operation, the store is then made as it would be found if all stopped there
 * (world.h). It must hold what one commit had: the last one, or the one that was being made, in all
 * its arrays and attributes. The same once more after it was opened for writing; and a program that
 * knows of no commits must find the same items in the files. Then it is changed, and read again.
 */
#include "fault/disk.h"
#include "fault/stops.h"
#include "fault/world.h"
#include "support/files.h"
#include "support/transactions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRANSACTIONS = 7, STEPS = 5, PATH_SIZE = 600 };

// Between which operations a commit was made.
struct made {
    size_t begun, done;
};

static struct {
    struct tx t;
    struct made made[TRANSACTIONS + 1]; // [0]: of the store without a commit
    size_t count;
    struct world world;
    char folder[PATH_SIZE], found[PATH_SIZE + 8];
    uint64_t seen; // what was looked at last
    int64_t stops, older, newer;
} run;

// -- what is found

static tess_store *
open_found(tess_mode mode, tess_error *err)
{
    tess_storage storage;
    tess_store *store = NULL;
    tess_storage_init(&storage);
    storage.path = run.found;
    storage.mode = mode;
    return tess_store_open(&storage, &store, err) == TESS_OK ? store : NULL;
}

// A reader, a writer, the files, and a change. NULL: all is right.
static const char *
found_differs(const struct tx_model *want)
{
    static char text[1000];
    tess_error err;
    struct tx next;
    const char *what = "cannot be opened";
    tess_store *store = open_found(TESS_MODE_READ, &err);
    if (store)
        what = tx_differs(store, want);
    tess_store_close(store);
    if (what) {
        (void)snprintf(text, sizeof text, "a reader: %s%s", what, store ? "" : err.message);
        return text;
    }
    store = open_found(TESS_MODE_UPDATE, &err);
    what = store ? tx_differs(store, want) : err.message;
    tess_store_close(store);
    if (what) {
        (void)snprintf(text, sizeof text, "a writer: %s", what);
        return text;
    }
    what = tx_files_differ(run.found, want);
    if (what) {
        (void)snprintf(text, sizeof text, "the files: %s", what);
        return text;
    }
    tx_begin(&next, run.found, TESS_DURABILITY_NONE, 1);
    next.commits[0] = *want;
    tx_open(&next);
    for (int i = 0; i < 3; i++)
        tx_step(&next);
    tx_commit(&next);
    store = open_found(TESS_MODE_READ, &err);
    what = store ? tx_differs(store, &next.commits[1]) : err.message;
    tess_store_close(store);
    tx_end(&next);
    if (what)
        (void)snprintf(text, sizeof text, "after a change: %s", what);
    return what ? text : NULL;
}

static void
write_found(void)
{
    world_write(&run.world, run.folder);
    // What is written stands for the store; names of the log are below the folder.
    (void)snprintf(run.found, sizeof run.found, "%s/s.b2d", run.folder);
}

// The commits that may be found at a stop: the last one that was done, and one that was begun.
static void
look(const struct world_stop *stop, void *user)
{
    size_t last = 0;
    const char *first, *second = NULL;
    (void)user;
    run.stops++;
    world_play(&run.world, stop);
    const uint64_t hash = world_hash(&run.world) ^ stop->at;
    if (hash == run.seen)
        return;
    run.seen = hash;
    while (last + 1 < run.count && run.made[last + 1].done <= stop->at)
        last++;
    disk_pause();
    write_found();
    const bool none = last == 0;
    const bool between = last + 1 < run.count && run.made[last + 1].begun <= stop->at;
    if (none && !files_exist(run.found)) {
        disk_resume();
        return;
    }
    if (none && !between && stop->at < run.made[0].done) { // it is being made
        disk_resume();
        return;
    }
    first = found_differs(&run.t.commits[last]);
    run.older += !first;
    if (first && between) {
        static char kept[1000];
        (void)snprintf(kept, sizeof kept, "%s", first);
        write_found();
        second = found_differs(&run.t.commits[last + 1]);
        run.newer += !second;
        first = second ? kept : NULL;
    }
    disk_resume();
    if (first)
        fail_msg("stop at operation %zu (torn %zu, loss %d, which %zu, seed %" PRIu64
                 "), commit %zu of %zu: %s%s%s",
                 stop->at, stop->torn, (int)stop->loss, stop->which, stop->seed, last,
                 run.count - 1, first, second ? "; as the next commit: " : "",
                 second ? second : "");
}

static void
play_transactions(tess_durability durability, uint64_t seed)
{
    static char work[PATH_SIZE], path[PATH_SIZE + 8];
    (void)snprintf(work, sizeof work, "%s", files_path("work"));
    (void)snprintf(path, sizeof path, "%s/s.b2d", work);
    (void)snprintf(run.folder, sizeof run.folder, "%s", files_path("found"));
    files_remove(work);
    world_write(&run.world, work);
    disk_begin(work);
    tx_begin(&run.t, path, durability, seed);
    tx_open(&run.t);
    run.made[0] = (struct made){0, disk_length()};
    run.count = 1;
    for (int i = 0; i < TRANSACTIONS; i++) {
        tx_open(&run.t);
        for (int64_t n = 1 + below(&run.t.r, STEPS); n > 0; n--)
            tx_step(&run.t);
        if (one_in(&run.t.r, 8)) {
            tx_abort(&run.t);
            continue;
        }
        const size_t begun = disk_length();
        tx_commit(&run.t);
        run.made[run.count++] = (struct made){begun, disk_length()};
        if (one_in(&run.t.r, 4))
            tx_close(&run.t);
    }
    tx_close(&run.t);
}

static void
end_run(void)
{
    disk_end();
    tx_end(&run.t);
    world_finish(&run.world);
    memset(&run, 0, sizeof run);
}

static void
stops_of_program_in_stores(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t round = 0; round < random_cases(2, 60); round++) {
        play_transactions((tess_durability)((seed + (uint64_t)round) % 3), seed + (uint64_t)round);
        stops_of_program(0, look, NULL);
        printf("%" PRId64 " stops, %" PRId64 " at the last commit, %" PRId64 " at the next\n",
               run.stops, run.older, run.newer);
        assert_true(run.older > 0 && run.newer > 0);
        end_run();
    }
}

static void
stops_of_machine_in_stores(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t round = 0; round < random_cases(1, 30); round++) {
        struct random r;
        random_init(&r, seed + (uint64_t)round);
        play_transactions(TESS_DURABILITY_ORDERED, seed + (uint64_t)round);
        stops_of_machine(0, &r, look, NULL);
        printf("%" PRId64 " stops, %" PRId64 " at the last commit, %" PRId64 " at the next\n",
               run.stops, run.older, run.newer);
        assert_true(run.older > 0 && run.newer > 0);
        end_run();
    }
}

// A test that failed left its log.
static int
teardown(void **state)
{
    end_run();
    return files_teardown(state);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stops_of_program_in_stores, files_setup, teardown),
        cmocka_unit_test_setup_teardown(stops_of_machine_in_stores, files_setup, teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
