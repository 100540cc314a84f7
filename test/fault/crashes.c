/*
 * crashes.c - every moment at which program or machine may stop, in random workloads.
 *
 * Each workload runs once, with all it does to the disk written down (disk.h). Then, for each
 * operation, a folder is made as it would be found if all stopped there (world.h), and must hold
 * what is promised (look.h); and it must be possible to change that and read it again. A folder
 * that was looked at before, with the same promise, is not looked at again.
 *
 * The same for workloads in which calls to the system fail now and then (after.h); and while arrays
 * are made, replaced and saved, for each call in turn.
 *
 * With TESS_TEST_LONG=1, there are more workloads, and many more ways for the machine to stop.
 */
#include "fault/after.h"
#include "fault/disk.h"
#include "fault/look.h"
#include "fault/stops.h"
#include "fault/story.h"
#include "fault/world.h"
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 22, PATH_SIZE = 600 };

// -- what is counted

struct tally {
    int64_t stops; // folders that were asked about
    int64_t looked; // of these, looked at
    // States found: none, one before, one at, one after the last commit that returned.
    int64_t nothing, older, last, newer;
};

static struct tally program, machine;
static char scratch[PATH_SIZE / 2];

// Hashes that were seen before.
static struct {
    uint64_t *items;
    size_t count, capacity; // a power of two
} seen;

static bool see(uint64_t hash);

static void
grow_seen(void)
{
    uint64_t *const old = seen.items;
    const size_t n = seen.capacity;
    seen.capacity = n > 0 ? 2 * n : 1 << 12;
    seen.items = calloc(seen.capacity, sizeof *seen.items);
    assert_non_null(seen.items);
    seen.count = 0;
    for (size_t i = 0; i < n; i++)
        if (old[i])
            (void)see(old[i]);
    free(old);
}

// Whether it is new.
static bool
see(uint64_t hash)
{
    if (2 * seen.count >= seen.capacity)
        grow_seen();
    hash += hash == 0;
    size_t at = hash & (seen.capacity - 1);
    while (seen.items[at] && seen.items[at] != hash)
        at = (at + 1) & (seen.capacity - 1);
    const bool new = seen.items[at] == 0;
    seen.items[at] = hash;
    seen.count += new;
    return new;
}

// Of another story, nothing was seen.
static void
forget_seen(void)
{
    free(seen.items);
    seen.items = NULL;
    seen.count = seen.capacity = 0;
}

static void
count(struct tally *t, int found, const struct promise *p)
{
    t->nothing += found == LOOK_NOTHING;
    t->older += found != LOOK_NOTHING && found < p->returned;
    t->last += found != LOOK_NOTHING && found == p->returned;
    t->newer += found > p->returned;
}

// -- one stop

static void
complain(const struct story *s, const struct world_stop *stop, const char *name, const char *text)
{
    static const char *const losses[WORLD_LOSSES] = {
        "nothing is lost", "all is lost",      "all but one",    "one",
        "one is torn",     "sectors are lost", "names are lost", "any",
    };
    fail_msg("%s, %s, level %d, stopped at operation %zu of %zu (+ %zu bytes), %s (operation %zu, "
             "seed %" PRIu64 "): %s: %s",
             s->workload->name, s->layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous",
             (int)s->durability, stop->at, disk_length(), stop->torn, losses[stop->loss],
             stop->which, stop->seed, name, text);
}

static void
look_at_history(const struct story *s, const struct world_stop *stop, const struct history *h,
                const struct promise *p)
{
    char path[PATH_SIZE], text[LOOK_TEXT] = "";
    (void)snprintf(path, sizeof path, "%s/%s", scratch, h->name);
    const int found = look(path, h, p, text);
    if (found == LOOK_WRONG)
        complain(s, stop, h->name, text);
    count(stop->loss == WORLD_NOTHING ? &program : &machine, found, p);
    if (!look_update(s, path, h, found, text))
        complain(s, stop, h->name, text);
}

// The next writer removes what was not finished.
static void
look_for_leftovers(const struct story *s, const struct world_stop *stop)
{
    DIR *const dir = opendir(scratch);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' && !strstr(e->d_name, ".b2lock") &&
            strcmp(e->d_name, s->main.name) != 0 && strcmp(e->d_name, s->copy.name) != 0)
            complain(s, stop, e->d_name, "is left");
    closedir(dir);
}

// Where, and what may be there.
struct finding {
    const struct story *s;
    struct world *w;
    bool helpless; // what failed could not be taken back
};

static void
try_stop(const struct world_stop *stop, void *user)
{
    const struct finding *const found = user;
    const struct story *const s = found->s;
    struct world *const w = found->w;
    const bool is_machine = stop->loss != WORLD_NOTHING;
    const size_t at = stop->at + (stop->torn > 0);
    struct tally *const t = is_machine ? &machine : &program;
    struct promise main = look_promise(&s->main, at, is_machine);
    struct promise copy = look_promise(&s->copy, at, is_machine);
    if (found->helpless)
        main.withdrawn = copy.withdrawn = 0;

    world_play(w, stop);
    t->stops++;
    uint64_t hash = world_hash(w);
    for (int i = 0; i < 2; i++) {
        const struct promise *const p = i ? &copy : &main;
        const int numbers[3] = {p->oldest, p->newest, p->returned};
        for (int k = 0; k < 3; k++)
            hash = (hash + (uint64_t)(numbers[k] + 2)) * 0x9e3779b97f4a7c15;
    }
    if (!see(hash))
        return;
    t->looked++;
    world_write(w, scratch);
    look_at_history(s, stop, &s->main, &main);
    if (s->copy.count > 0)
        look_at_history(s, stop, &s->copy, &copy);
    look_for_leftovers(s, stop);
}

// -- all stops

// The log must be all there is to it: played back it gives the folder as it is.
static void
check_log(const struct story *s, struct world *w, const char *folder)
{
    const struct world_stop stop = {.at = disk_length()};
    world_play(w, &stop);
    disk_pause();
    if (!world_is_at(w, folder))
        complain(s, &stop, "log", "played back, it gives another folder");
    disk_resume();
}

// A step in which some call may fail.
static void
take_step(struct after *t, bool failures)
{
    static const enum disk_failure ways[] = {DISK_EIO, DISK_ENOSPC, DISK_SHORT_ENOSPC};
    static const int errnos[] = {EIO, ENOSPC, ENOSPC};
    const uint64_t way = random_below(&t->s.r, 3);
    tess_error err;
    if (failures && random_below(&t->s.r, 2))
        disk_fail(ways[way], (long)random_below(&t->s.r, 25), false);
    t->sys = errnos[way];
    t->step = "make or open";
    tess_status st = story_ready(&t->s, &err);
    if (st == TESS_OK) {
        const enum story_step step = story_choose(&t->s);
        t->step = story_step_names[step];
        st = story_step(&t->s, step, &err);
    }
    disk_heal();
    if (st != TESS_OK)
        (void)after_failure(t, st, &err);
}

static void
run(const struct workload *workload, tess_layout layout, tess_durability durability, bool failures,
    uint64_t seed)
{
    struct after t = {.failure = "some calls fail"};
    struct story *const s = &t.s;
    struct world w = {0};
    struct finding found = {.s = s, .w = &w};
    char folder[PATH_SIZE];

    (void)snprintf(scratch, sizeof scratch, "%s", files_path("found"));
    (void)snprintf(folder, sizeof folder, "%s", files_path("log"));
    world_write(&w, folder);
    disk_begin(folder);
    story_begin(s, folder, workload, layout, durability, seed);
    disk_list((enum disk_order)random_below(&s->r, DISK_ORDERS), random_next(&s->r));
    for (int i = 0; i < STEPS; i++)
        take_step(&t, failures);
    ok(story_ready(s, err));
    ok(story_step(s, STORY_REOPEN, err));
    check_log(s, &w, folder);
    disk_pause();
    stops_of_program(0, try_stop, &found);
    if (durability != TESS_DURABILITY_NONE)
        stops_of_machine(0, &s->r, try_stop, &found);
    disk_resume();
    forget_seen();
    story_end(s);
    disk_end();
    world_finish(&w);
}

// -- every call fails, while arrays are made and replaced, and all stops from there on

static const enum story_step makings[] = {STORY_FLUSH, STORY_WHOLE, STORY_REPLACE, STORY_WHOLE,
                                          STORY_SAVE,  STORY_PART,  STORY_SAVE,    STORY_REOPEN};

// The step in which the n-th call fails, and what follows from that. Whether one failed.
static bool
make_until_failure(struct after *t, size_t *from)
{
    for (size_t i = 0; i < sizeof makings / sizeof *makings; i++) {
        tess_error err;
        *from = disk_length();
        t->step = story_step_names[makings[i]];
        tess_status st = story_ready(&t->s, &err);
        if (st == TESS_OK)
            st = story_step(&t->s, makings[i], &err);
        if (disk_failures() == 0 && st != TESS_OK)
            after_complain(t, err.message);
        if (disk_failures() == 0)
            continue;
        disk_heal();
        if (st != TESS_OK)
            (void)after_failure(t, st, &err);
        return true;
    }
    disk_heal();
    return false;
}

static bool
run_making(tess_layout layout, tess_durability durability, bool helpless, long n, uint64_t seed)
{
    const bool plain = layout == TESS_LAYOUT_CONTIGUOUS && seed % 3 == 0;
    struct after t = {.sys = EIO, .helpless = helpless, .plain = plain};
    struct story *const s = &t.s;
    struct world w = {0};
    struct finding found = {.s = s, .w = &w, .helpless = helpless || plain};
    char folder[PATH_SIZE];
    size_t from;

    (void)snprintf(scratch, sizeof scratch, "%s", files_path("found"));
    (void)snprintf(folder, sizeof folder, "%s", files_path("log"));
    (void)snprintf(t.failure, sizeof t.failure, "seed %" PRIu64 ", call %ld fails%s", seed, n,
                   helpless ? " and all later ones" : "");
    world_write(&w, folder);
    disk_begin(folder);
    story_begin(s, folder, &workloads[0], layout, durability, seed);
    disk_list(DISK_INDEX_LAST, seed);
    disk_be_plain(plain);
    disk_fail(DISK_EIO, n, helpless);
    const bool failed = make_until_failure(&t, &from);
    disk_pause();
    stops_of_program(from, try_stop, &found);
    if (durability != TESS_DURABILITY_NONE &&
        !plain) // there, nothing of a failed sync is taken back
        stops_of_machine(from, &s->r, try_stop, &found);
    disk_resume();
    forget_seen();
    story_end(s);
    disk_end();
    disk_be_plain(false);
    world_finish(&w);
    return failed;
}

static void
run_makings(tess_layout layout)
{
    enum { SOME = 12 }; // one of so many calls, unless there is time
    const int64_t some = random_cases(SOME, 1);
    struct random r;
    random_init(&r, random_seed() + layout);
    program = machine = (struct tally){0};
    for (int64_t i = random_cases(1, 4); i > 0; i--)
        for (int level = TESS_DURABILITY_NONE; level <= TESS_DURABILITY_FSYNC; level++)
            for (int helpless = 0; helpless < 2; helpless++) {
                const uint64_t seed = random_next(&r);
                long n = (long)random_below(&r, (uint64_t)some);
                while (run_making(layout, (tess_durability)level, helpless, n, seed))
                    n += 1 + (long)random_below(&r, (uint64_t)(2 * some - 1));
            }
    printf("%s: after each failure, %" PRId64 " moments of the program, %" PRId64
           " of the machine; found: nothing %" PRId64 ", the last %" PRId64 ", older %" PRId64
           ", newer %" PRId64 "\n",
           layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", program.stops, machine.stops,
           program.nothing + machine.nothing, program.last + machine.last,
           program.older + machine.older, program.newer + machine.newer);
    assert_true(program.last > 0 && program.nothing > 0);
}

static void
contiguous_making(void **state)
{
    (void)state;
    run_makings(TESS_LAYOUT_CONTIGUOUS);
}

static void
sparse_making(void **state)
{
    (void)state;
    run_makings(TESS_LAYOUT_SPARSE);
}

static void
run_all(tess_layout layout, tess_durability durability, bool failures)
{
    struct random r;
    random_init(&r, random_seed() + (uint64_t)(2 * durability + layout));
    program = machine = (struct tally){0};
    for (int64_t i = layout == TESS_LAYOUT_SPARSE ? random_cases(1, 2) : random_cases(2, 16); i > 0;
         i--)
        for (int k = 0; k < workload_count; k++)
            run(&workloads[k], layout, durability, failures, random_next(&r));
    for (int i = 0; i < (durability == TESS_DURABILITY_NONE ? 1 : 2); i++) {
        const struct tally *const t = i ? &machine : &program;
        printf("%s, level %d%s, the %s stopped: %" PRId64 " moments, %" PRId64
               " different folders; found: nothing %" PRId64 ", older %" PRId64 ", last %" PRId64
               ", newer %" PRId64 "\n",
               layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", (int)durability,
               failures ? ", after failures" : "", i ? "machine" : "program", t->stops, t->looked,
               t->nothing, t->older, t->last, t->newer);
    }
    assert_true(program.last > 0 && program.newer > 0 && program.nothing > 0);
    assert_int_equal(program.older, 0);
    assert_true(durability == TESS_DURABILITY_NONE || machine.newer > 0);
}

#define LEVEL(name, layout, level, failures)                              \
    static void name(void **state)                                        \
    {                                                                     \
        (void)state;                                                      \
        run_all(TESS_LAYOUT_##layout, TESS_DURABILITY_##level, failures); \
    }

LEVEL(contiguous_none, CONTIGUOUS, NONE, false)
LEVEL(contiguous_ordered, CONTIGUOUS, ORDERED, false)
LEVEL(contiguous_fsync, CONTIGUOUS, FSYNC, false)
LEVEL(contiguous_ordered_failing, CONTIGUOUS, ORDERED, true)
LEVEL(contiguous_fsync_failing, CONTIGUOUS, FSYNC, true)
LEVEL(sparse_none, SPARSE, NONE, false)
LEVEL(sparse_ordered, SPARSE, ORDERED, false)
LEVEL(sparse_fsync, SPARSE, FSYNC, false)
LEVEL(sparse_ordered_failing, SPARSE, ORDERED, true)

// A test that failed left its log.
static int
teardown(void **state)
{
    disk_resume();
    disk_end();
    disk_be_plain(false);
    forget_seen();
    return files_teardown(state);
}

int
main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(contiguous_none),
        TEST(contiguous_ordered),
        TEST(contiguous_fsync),
        TEST(contiguous_ordered_failing),
        TEST(contiguous_fsync_failing),
        TEST(sparse_none),
        TEST(sparse_ordered),
        TEST(sparse_fsync),
        TEST(sparse_ordered_failing),
        TEST(contiguous_making),
        TEST(sparse_making),
    };
    if (access("/dev/shm", W_OK) == 0) // thousands of folders
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); // such as "sparse*"
    return cmocka_run_group_tests(tests, NULL, NULL);
}
