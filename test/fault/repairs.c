/*
 * repairs.c - tess_repair() while program or machine stop, and while calls to the system fail.
 *
 * A damaged array is repaired once, with all that is done to the disk written down (disk.h). At
 * every moment at which that may stop (stops.h), the damaged one is byte for byte what it was, and
 * under the name of the new one there is nothing that can be opened, or what was to be replaced, or
 * all of the new one; and it can be repaired once more. Then the n-th call fails, for all n (and
 * all after it): the same holds, no file stays open, and nothing else is left.
 *
 * What cannot be read of a damaged array is lost, so a call that fails there need not be told.
 */
#include "fault/after.h"
#include "fault/disk.h"
#include "fault/stops.h"
#include "fault/story.h"
#include "fault/world.h"
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_SIZE = 600, STEPS = 10, DAMAGES = 5 };

static const char source_name[] = "damaged";

// A damaged array, and where its repair goes.
struct subject {
    uint64_t seed;
    tess_layout layout;
    tess_durability durability;
    bool replace; // something is there that opens
    int damage;
    struct state want, old; // of the new one, and of what was there; items.data NULL: unknown yet
    tess_repair_report report;
    struct world w;
    const char *what; // happens, for people
    char made[PATH_SIZE], log[PATH_SIZE], scratch[PATH_SIZE];
    size_t from; // of the log: here the repair begins
};

static struct {
    int64_t program, machine, again, nothing, old, new; // stops, and what is found
    int64_t failures, told, lost;
    int64_t hopeless;
} tally;

static void
complain(const struct subject *x, const char *text)
{
    fail_msg("seed %" PRIu64 ", %s, level %d, %s, damage %d, %s: %s", x->seed,
             x->layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", (int)x->durability,
             x->replace ? "replacing" : "new", x->damage, x->what, text);
}

// -- paths

struct path {
    char text[PATH_SIZE + 300];
};

static struct path
inside(const char *folder, const char *name)
{
    struct path path;
    (void)snprintf(path.text, sizeof path.text, "%.*s/%.*s", PATH_SIZE, folder, 255, name);
    return path;
}

static const char *
array_name(const struct subject *x)
{
    return x->layout == TESS_LAYOUT_SPARSE ? "array.b2d" : "array.b2nd";
}

static bool
is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Written down, and brought to the disk.
static void
copy_file(const char *from, const char *to)
{
    size_t size;
    uint8_t *const bytes = files_read(from, &size);
    const int fd = open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
    assert_true(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size && fsync(fd) == 0);
    close(fd);
    free(bytes);
}

static void
sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0 && fsync(fd) == 0);
    close(fd);
}

static void
copy_path(const char *from, const char *to)
{
    if (!is_folder(from)) {
        copy_file(from, to);
        return;
    }
    assert_int_equal(mkdir(to, 0777), 0);
    DIR *const dir = opendir(from);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            copy_file(inside(from, e->d_name).text, inside(to, e->d_name).text);
    closedir(dir);
    sync_folder(to);
}

static bool
same_file(const char *a, const char *b)
{
    size_t size, other;
    uint8_t *const x = files_read(a, &size), *const y = files_read(b, &other);
    const bool same = size == other && memcmp(x, y, size) == 0;
    free(x);
    free(y);
    return same;
}

static int
count_names(const char *path)
{
    int n = 0;
    DIR *const dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return n;
}

static bool
same_path(const char *a, const char *b)
{
    if (!is_folder(a))
        return files_exist(b) && !is_folder(b) && same_file(a, b);
    bool same = is_folder(b) && count_names(a) == count_names(b);
    DIR *const dir = opendir(a);
    for (struct dirent *e; dir && same && (e = readdir(dir));)
        same = e->d_name[0] == '.' ||
               (files_exist(inside(b, e->d_name).text) &&
                same_file(inside(a, e->d_name).text, inside(b, e->d_name).text));
    closedir(dir);
    return same;
}

// -- a damaged array

// The file that says where all is: a byte of its header, one somewhere, one near its end, its end;
// or a byte of the largest chunk file.
static void
damage(const struct subject *x, struct random *r)
{
    enum { HEAD = 90, TAIL = 60 };
    struct path path = inside(x->made, array_name(x));
    if (x->layout == TESS_LAYOUT_SPARSE)
        path = inside(path.text, "chunks.b2frame");
    size_t size;
    uint8_t *const bytes = files_read(path.text, &size);
    size_t at = (size_t)random_below(r, size);
    if (x->damage == 0)
        at = (size_t)random_below(r, HEAD);
    if (x->damage == 1)
        at = size - 1 - (size_t)random_below(r, TAIL);
    bytes[at] ^= (uint8_t)(1 << random_below(r, 8));
    files_write(path.text, bytes, x->damage == 2 ? size - 1 - (size_t)random_below(r, TAIL) : size);
    free(bytes);
}

static void
make(struct subject *x)
{
    struct story s;
    struct random r;
    random_init(&r, x->seed);
    assert_int_equal(mkdir(x->made, 0777), 0);
    story_begin(&s, x->made, &workloads[2 + random_below(&r, 4)], x->layout, TESS_DURABILITY_NONE,
                x->seed);
    s.lock_file = false; // files are compared
    for (int i = 0; i < STEPS; i++) {
        ok(story_ready(&s, err));
        ok(story_step(&s, story_choose(&s), err));
    }
    ok(story_step(&s, STORY_REOPEN, err));
    story_end(&s);
    damage(x, &r);
}

// What is there before the repair, in a new log.
static void
set_up(struct subject *x)
{
    static const struct world empty;
    struct story s;
    world_write(&empty, x->log);
    disk_begin(x->log);
    copy_path(inside(x->made, array_name(x)).text, inside(x->log, source_name).text);
    if (x->replace) {
        story_begin(&s, x->log, &workloads[0], x->layout, TESS_DURABILITY_FSYNC, x->seed + 1);
        s.lock_file = false;
        ok(story_ready(&s, err));
        ok(story_step(&s, STORY_REOPEN, err));
        if (!x->old.items.data)
            state_copy(&x->old, &s.now);
        story_end(&s);
    }
    sync_folder(x->log);
    x->from = disk_length();
}

static tess_status
repair_in(const struct subject *x, const char *folder, tess_mode mode, tess_repair_report *report,
          tess_error *err)
{
    const struct path from = inside(folder, source_name), to = inside(folder, array_name(x));
    tess_storage source, target;
    tess_context context;
    tess_context_init(&context);
    context.threads = 1;
    tess_storage_init(&source);
    source.path = from.text;
    source.context = &context;
    target = source;
    target.path = to.text;
    target.mode = mode;
    target.durability = x->durability;
    return tess_repair(&source, &target, NULL, report, err);
}

static bool
opens(const char *path)
{
    tess_storage storage;
    tess_array *a;
    tess_storage_init(&storage);
    storage.path = path;
    const bool there = tess_array_open(&storage, &a, NULL) == TESS_OK;
    tess_array_discard(a);
    return there;
}

// What the new name leads to; it must open, and nothing of it be damaged.
static void
read_new(const struct subject *x, const char *folder, struct state *state)
{
    const struct path path = inside(folder, array_name(x));
    tess_storage storage;
    tess_verdict v;
    tess_error err = {0};
    tess_array *a;
    tess_storage_init(&storage);
    storage.path = path.text;
    tess_status st = tess_array_open(&storage, &a, &err);
    if (st != TESS_OK)
        complain(x, err.message);
    st = tess_array_verify(a, NULL, NULL, &v, &err);
    if (st == TESS_OK)
        st = state_read(a, state, &err);
    if (st != TESS_OK || v.ndamaged > 0 || v.nmetalayers > 0)
        complain(x, st != TESS_OK ? err.message : "the new one is damaged");
    tess_array_discard(a);
}

// -- stops

// What a stop left.
static void
look(const struct subject *x, bool finished)
{
    struct state state;
    if (!same_path(inside(x->made, array_name(x)).text, inside(x->scratch, source_name).text))
        complain(x, "the damaged array is another one");
    if (!opens(inside(x->scratch, array_name(x)).text)) {
        tally.nothing++;
        if (x->replace || finished)
            complain(x, "there is nothing");
        return;
    }
    read_new(x, x->scratch, &state);
    const bool new = state_equal(&state, &x->want);
    const bool old = x->replace && !finished && state_equal(&state, &x->old);
    state_finish(&state);
    tally.new += new;
    tally.old += !new &&old;
    if (!new && !old)
        complain(x, "there is something else");
}

static void
repair_again(const struct subject *x)
{
    struct state state;
    tess_repair_report report;
    tess_error err;
    tally.again++;
    if (repair_in(x, x->scratch, TESS_MODE_REPLACE, &report, &err) != TESS_OK)
        complain(x, err.message);
    read_new(x, x->scratch, &state);
    if (!state_equal(&state, &x->want) || memcmp(&report, &x->report, sizeof report) != 0)
        complain(x, "repaired once more, it is another one");
    state_finish(&state);
    if (!same_path(inside(x->made, array_name(x)).text, inside(x->scratch, source_name).text))
        complain(x, "repaired once more, the damaged array is another one");
}

static void
try_stop(const struct world_stop *stop, void *user)
{
    struct subject *const x = user;
    char what[100];
    (void)snprintf(what, sizeof what, "stopped at %zu of %zu, loss %d", stop->at, disk_length(),
                   (int)stop->loss);
    x->what = what;
    world_play(&x->w, stop);
    world_write(&x->w, x->scratch);
    tally.program += stop->loss == WORLD_NOTHING;
    tally.machine += stop->loss != WORLD_NOTHING;
    look(x, stop->at == disk_length());
    repair_again(x);
}

static void
stop_everywhere(struct subject *x, struct random *r)
{
    disk_pause();
    stops_of_program(x->from, try_stop, x);
    if (x->durability != TESS_DURABILITY_NONE)
        stops_of_machine(x->from, r, try_stop, x);
    disk_resume();
}

// -- failures

static const int errnos[DISK_FAILURES] = {
    [DISK_EIO] = EIO,
    [DISK_ENOSPC] = ENOSPC,
    [DISK_SHORT_ENOSPC] = ENOSPC,
};

// A repair that did not fail, with calls that did.
static void
check_success(const struct subject *x, enum disk_failure how, const tess_repair_report *report)
{
    struct state state;
    read_new(x, x->log, &state);
    const bool same =
        state_equal(&state, &x->want) && memcmp(report, &x->report, sizeof *report) == 0;
    state_finish(&state);
    tally.lost += !same;
    if (!same && how != DISK_EIO)
        complain(x, "the new array is another one");
    const bool less = !report->checked || report->nlost > x->report.nlost ||
                      report->nlayers_lost > 0 || report->header_damaged || report->index_damaged ||
                      report->trailer_damaged;
    if (!same && !less)
        complain(x, "what could not be read is not told");
}

static void
check_failure(const struct subject *x, enum disk_failure how, bool forever, tess_status st,
              const tess_error *err)
{
    struct state state;
    tally.told++;
    if (how == DISK_SHORT || how == DISK_EINTR || err->status != st || err->message[0] == '\0' ||
        (st == TESS_ERR_IO ? err->sys != errnos[how] : how != DISK_EIO))
        complain(x, err->message);
    if (!forever && count_names(x->log) != 1 + x->replace)
        complain(x, "something is left");
    if (!x->replace) {
        if (!forever && files_exist(inside(x->log, array_name(x)).text))
            complain(x, "something has its name");
        return;
    }
    read_new(x, x->log, &state);
    const bool stuck = forever && state_equal(&state, &x->want); // names cannot be given back
    if (!stuck && !state_equal(&state, &x->old))
        complain(x, "what was there is another one");
    state_finish(&state);
}

// Whether a call failed.
static bool
fail_at(struct subject *x, enum disk_failure how, bool forever, long n)
{
    const int open_before = after_count_open();
    tess_repair_report report;
    tess_error err = {0};
    char what[100];
    (void)snprintf(what, sizeof what, "call %ld fails (%s)%s", n, disk_failure_names[how],
                   forever ? " and all later ones" : "");
    x->what = what;
    set_up(x);
    disk_fail(how, n, forever);
    const tess_status st =
        repair_in(x, x->log, x->replace ? TESS_MODE_REPLACE : TESS_MODE_NEW, &report, &err);
    const bool failed = disk_failures() > 0;
    disk_heal();
    tally.failures += failed;
    if (st == TESS_OK)
        check_success(x, how, &report);
    else
        check_failure(x, how, forever, st, &err);
    if (!same_path(inside(x->made, array_name(x)).text, inside(x->log, source_name).text))
        complain(x, "the damaged array is another one");
    disk_end();
    if (after_count_open() != open_before)
        complain(x, "a file stays open");
    return failed;
}

static void
fail_everywhere(struct subject *x)
{
    for (int how = DISK_EIO; how < DISK_FAILURES; how++)
        for (int forever = 0; forever < (how == DISK_SHORT || how == DISK_EINTR ? 1 : 2); forever++)
            for (long n = 0; fail_at(x, (enum disk_failure)how, forever, n);)
                n++;
}

// -- all of it

static void
finish(struct subject *x)
{
    world_finish(&x->w);
    state_finish(&x->want);
    state_finish(&x->old);
    files_remove(x->made);
}

static void
play(struct subject *x, struct random *r)
{
    tess_error err = {0};
    (void)snprintf(x->made, sizeof x->made, "%s", files_path("made"));
    (void)snprintf(x->log, sizeof x->log, "%s", files_path("log"));
    (void)snprintf(x->scratch, sizeof x->scratch, "%s", files_path("found"));
    x->what = "the first repair";
    make(x);
    set_up(x);
    const tess_status st =
        repair_in(x, x->log, x->replace ? TESS_MODE_REPLACE : TESS_MODE_NEW, &x->report, &err);
    if (st != TESS_OK) {
        tally.hopeless++;
        if (st == TESS_ERR_IO)
            complain(x, err.message);
        disk_end();
    } else {
        read_new(x, x->log, &x->want);
        stop_everywhere(x, r);
        disk_end();
        fail_everywhere(x);
    }
    finish(x);
}

static void
repair_all(tess_layout layout)
{
    struct random r;
    random_init(&r, random_seed() + layout);
    memset(&tally, 0, sizeof tally);
    for (int64_t i = random_cases(3, 30) * DAMAGES; i > 0; i--) {
        struct subject x = {
            .seed = random_next(&r),
            .layout = layout,
            .durability = (tess_durability)(i % 3),
            .replace = random_below(&r, 2),
            .damage = (int)(i % DAMAGES),
        };
        play(&x, &r);
    }
    printf("%s: %" PRId64 " moments of the program, %" PRId64 " of the machine; found: nothing "
           "%" PRId64 ", what was there %" PRId64 ", the new one %" PRId64 "; repaired once more "
           "%" PRId64 "\n%" PRId64 " failures, %" PRId64 " told, %" PRId64
           " that lost something; %" PRId64 " arrays cannot be repaired\n",
           layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", tally.program, tally.machine,
           tally.nothing, tally.old, tally.new, tally.again, tally.failures, tally.told, tally.lost,
           tally.hopeless);
    assert_true(tally.nothing > 0 && tally.old > 0 && tally.new > 0 && tally.told > 0);
}

static void
contiguous(void **state)
{
    (void)state;
    repair_all(TESS_LAYOUT_CONTIGUOUS);
}

static void
sparse(void **state)
{
    (void)state;
    repair_all(TESS_LAYOUT_SPARSE);
}

// A test that failed left its log.
static int
teardown(void **state)
{
    disk_heal();
    disk_end();
    return files_teardown(state);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(contiguous, files_setup, teardown),
        cmocka_unit_test_setup_teardown(sparse, files_setup, teardown),
    };
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
