/*
 * store_failures.c - the n-th call to the system fails, for every n of random transactions.
 *
 * A call of the library then succeeds all the same, or says why not; after that the disk is in
 * order again. A reader finds the last commit then, or the next, if tess_store_number() says so; so
 * does a writer that is opened anew. Else the call is made again, and succeeds, or all is aborted.
 * What was told to be committed is there at the end: to readers, for programs that know of no
 * commits, and under the name of a commit. As many files are open as before. That no memory is lost
 * is for the address sanitizer.
 *
 * With TESS_TEST_LONG=1, there are more transactions.
 */
#include "fault/disk.h"
#include "fault/world.h"
#include "support/files.h"
#include "support/transactions.h"

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

enum { TRANSACTIONS = 3, STEPS = 4, PATH_SIZE = 600, LENGTH = 40, FAILURES_LEAST = 20 };

#define TRY(call)                     \
    do {                              \
        const tess_status st_ = call; \
        if (st_ != TESS_OK)           \
            return st_;               \
    } while (0)

static const int errnos[DISK_FAILURES] = {
    [DISK_EIO] = EIO,
    [DISK_ENOSPC] = ENOSPC,
    [DISK_SHORT_ENOSPC] = ENOSPC,
    [DISK_EINTR] = EINTR,
};

static struct {
    struct tx t;
    struct random fates; // what follows a failure
    tess_store *reader; // of commit `read`; NULL: none
    size_t read;
    size_t named; // commit that has the name "kept"; 0: none
    bool saved; // an array that can be opened after the commit
    enum disk_failure how;
    bool forever; // all calls fail until the library tells it
    bool plain; // what programs find that know of no commits follows
    char folder[PATH_SIZE], path[PATH_SIZE + 8], failure[160];
    const char *step;
    int64_t told, failures;
} run;

static void
complain(const char *what)
{
    fail_msg("%s, level %d, in \"%s\", commit %zu: %s", run.failure, (int)run.t.durability,
             run.step, run.t.ncommits - 1, what);
}

static int
count_open(void)
{
    int n = 0;
    DIR *const dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

// -- steps, which may fail; the model follows if they succeed

static tess_status
handle(struct tx *t, int k, tess_array **a, tess_error *err)
{
    if (!t->open[k])
        TRY(tess_store_array(t->store, tx_names[k], &t->open[k], err));
    *a = t->open[k];
    return TESS_OK;
}

// The store has what was not brought to the file.
static tess_status
let_go(struct tx *t, int k, tess_error *err)
{
    tess_array *const a = t->open[k];
    t->open[k] = NULL;
    return a ? tess_array_close(a, err) : TESS_OK;
}

static void
draw_items(struct tx *t, int32_t *items, int n)
{
    const int32_t base = (int32_t)below(&t->r, 1000000);
    for (int i = 0; i < n; i++)
        items[i] = one_in(&t->r, 3) ? (int32_t)random_next(&t->r) : base + i;
}

static void
place_in(const struct tx *t, int k, bool replace, tess_storage *storage)
{
    tess_storage_init(storage);
    storage->store = t->store;
    storage->path = tx_names[k];
    storage->mode = replace ? TESS_MODE_REPLACE : TESS_MODE_NEW;
}

static tess_status
make(struct tx *t, int k, bool replace, tess_error *err)
{
    tess_storage storage;
    tess_params params;
    int32_t items[LENGTH];
    const int n = 1 + (int)below(&t->r, LENGTH);
    TRY(let_go(t, k, err));
    place_in(t, k, replace, &storage);
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = n;
    params.chunkshape[0] = 1 + below(&t->r, 20);
    params.blockshape[0] = 1 + below(&t->r, params.chunkshape[0]);
    params.dtype = "<i4";
    draw_items(t, items, n);
    TRY(tess_array_from(&storage, &params, items, (size_t)n * sizeof *items, &t->open[k], err));
    t->now.arrays[k].there = true;
    t->now.arrays[k].note = 0;
    t->now.arrays[k].length = n;
    memcpy(t->now.arrays[k].items, items, (size_t)n * sizeof *items);
    return TESS_OK;
}

// A copy, which the program does not have open, nor can open before the commit.
static tess_status
save(struct tx *t, tess_error *err)
{
    tess_storage storage;
    tess_array *a;
    const int k = (int)below(&t->r, TX_NAMES), to = (int)below(&t->r, TX_NAMES);
    run.step = "save";
    if (!t->now.arrays[k].there || t->now.arrays[to].there || !one_in(&t->r, 2))
        return TESS_OK;
    TRY(handle(t, k, &a, err));
    place_in(t, to, one_in(&t->r, 2), &storage);
    TRY(tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    t->now.arrays[to] = t->now.arrays[k];
    run.saved = true;
    return TESS_OK;
}

static tess_status
change_items(struct tx *t, int k, tess_error *err)
{
    tess_array *a;
    int32_t items[LENGTH];
    const int length = t->now.arrays[k].length;
    const int64_t start = below(&t->r, length), stop = start + 1 + below(&t->r, length - start);
    const size_t size = (size_t)(stop - start) * sizeof *items;
    TRY(handle(t, k, &a, err));
    draw_items(t, items, (int)(stop - start));
    TRY(tess_array_write(a, &start, &stop, items, size, err));
    memcpy(t->now.arrays[k].items + start, items, size);
    return TESS_OK;
}

static tess_status
resize(struct tx *t, int k, tess_error *err)
{
    tess_array *a;
    const int before = t->now.arrays[k].length;
    const int64_t length = 1 + below(&t->r, LENGTH);
    TRY(handle(t, k, &a, err));
    TRY(tess_array_resize(a, &length, err));
    if (length > before)
        memset(t->now.arrays[k].items + before, 0, (size_t)(length - before) * sizeof(int32_t));
    t->now.arrays[k].length = (int)length;
    return TESS_OK;
}

static tess_status
append(struct tx *t, int k, tess_error *err)
{
    tess_array *a;
    int32_t items[LENGTH];
    const int before = t->now.arrays[k].length;
    if (before == LENGTH)
        return TESS_OK;
    const int n = 1 + (int)below(&t->r, LENGTH - before);
    TRY(handle(t, k, &a, err));
    draw_items(t, items, n);
    TRY(tess_array_append(a, 0, n, items, (size_t)n * sizeof *items, NULL, err));
    memcpy(t->now.arrays[k].items + before, items, (size_t)n * sizeof *items);
    t->now.arrays[k].length += n;
    return TESS_OK;
}

static tess_status
note(struct tx *t, int k, tess_error *err)
{
    tess_array *a;
    TRY(handle(t, k, &a, err));
    TRY(tess_attr_set_int(a, "note", ++t->numbers, err));
    t->now.arrays[k].note = t->numbers;
    return TESS_OK;
}

static tess_status
set_step(struct tx *t, tess_error *err)
{
    tess_array *a;
    TRY(tess_store_attributes(t->store, "/g", &a, err));
    char text[TX_TEXT];
    const tess_status st = tess_attr_set_string(a, "step", tx_text(++t->numbers, text), err);
    if (st == TESS_OK)
        t->now.step = t->numbers;
    const tess_status closed = tess_array_close(a, st == TESS_OK ? err : NULL);
    return st == TESS_OK ? closed : st;
}

static tess_status
remove_array(struct tx *t, int k, tess_error *err)
{
    TRY(tess_store_remove(t->store, tx_names[k], err));
    t->now.arrays[k].there = false;
    return let_go(t, k, err);
}

static tess_status
rename_array(struct tx *t, int k, int to, tess_error *err)
{
    if (t->now.arrays[to].there)
        return TESS_OK;
    TRY(let_go(t, to, err));
    TRY(tess_store_rename(t->store, tx_names[k], tx_names[to], err));
    t->now.arrays[to] = t->now.arrays[k];
    t->now.arrays[k].there = false;
    t->open[to] = t->open[k];
    t->open[k] = NULL;
    return TESS_OK;
}

static tess_status
bring_to_file(struct tx *t, int k, tess_error *err)
{
    tess_array *a;
    TRY(handle(t, k, &a, err));
    return tess_array_flush(a, err);
}

static tess_status
set_link(struct tx *t, int k, tess_error *err)
{
    const bool there = t->now.link >= 0;
    const tess_status st = there ? tess_store_remove(t->store, tx_link, err)
                                 : tess_store_link(t->store, tx_names[k], tx_link, err);
    if (st == TESS_OK)
        t->now.link = there ? -1 : k;
    return st;
}

static tess_status
take_step(struct tx *t, tess_error *err)
{
    const int k = (int)below(&t->r, TX_NAMES), other = (int)below(&t->r, TX_NAMES);
    static const char *const names[] = {"write", "write",  "append", "append",  "resize", "note",
                                        "step",  "remove", "rename", "replace", "link"};
    const size_t choice = (size_t)below(&t->r, 13);
    run.step = choice < sizeof names / sizeof *names ? names[choice] : "flush or close";
    if (!t->now.arrays[k].there) {
        run.step = "make";
        return make(t, k, one_in(&t->r, 2), err);
    }
    switch (choice) {
    case 0:
    case 1:
        return change_items(t, k, err);
    case 2:
    case 3:
        return append(t, k, err);
    case 4:
        return resize(t, k, err);
    case 5:
        return note(t, k, err);
    case 6:
        return set_step(t, err);
    case 7:
        return remove_array(t, k, err);
    case 8:
        return rename_array(t, k, other, err);
    case 9:
        return make(t, k, true, err);
    case 10:
        return set_link(t, k, err);
    case 11:
        return bring_to_file(t, k, err);
    default:
        return let_go(t, k, err);
    }
}

// -- what must hold

// Programs that know of no commits find the files of the last one.
static void
check_plain(const struct tx_model *want)
{
    const char *const what = tx_files_differ(run.path, want);
    if (what)
        complain(what);
}

static void
check_reader(const char *commit, size_t number)
{
    char text[TESS_ERROR_MESSAGE_SIZE + 300];
    tess_storage storage;
    tess_store *store;
    tess_error err;
    tess_storage_init(&storage);
    storage.path = run.path;
    if (number == 0 && !files_exist(run.path)) // it could not be made
        return;
    const tess_status st = commit ? tess_store_open_commit(&storage, commit, &store, &err)
                                  : tess_store_open(&storage, &store, &err);
    const char *const what =
        st == TESS_OK ? tx_differs(store, &run.t.commits[number]) : err.message;
    (void)snprintf(text, sizeof text, "a reader of %s: %s", commit ? commit : "the newest",
                   what ? what : "");
    tess_store_close(store);
    if (what)
        complain(text);
}

static void
check_open(const char *who, tess_store *store, const struct tx_model *want)
{
    char text[TESS_ERROR_MESSAGE_SIZE + 300];
    const char *const what = store ? tx_differs(store, want) : NULL;
    (void)snprintf(text, sizeof text, "%s: %s", who, what ? what : "");
    if (what)
        complain(text);
}

static void
check_all(void)
{
    check_open("the reader that stays", run.reader, &run.t.commits[run.read]);
    check_reader(NULL, run.t.ncommits - 1);
    if (run.named > 0)
        check_reader("kept", run.named);
    check_open("the writer", run.saved ? NULL : run.t.store, &run.t.now);
}

// A commit is there: it was told, or the number says so.
static void
count_commit(void)
{
    struct tx *const t = &run.t;
    t->commits = realloc(t->commits, (t->ncommits + 1) * sizeof *t->commits);
    assert_non_null(t->commits);
    t->commits[t->ncommits++] = t->now;
    run.saved = false;
}

// -- calls of the program

static bool
is_told(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return false;
    if (disk_failures() == 0)
        complain(err->message);
    run.told++;
    disk_heal();
    if (st != TESS_ERR_IO || err->status != st || err->sys != errnos[run.how] || !err->message[0])
        complain(err->message);
    return true;
}

static void
close_all(void)
{
    struct tx *const t = &run.t;
    tess_error err;
    run.step = "close";
    for (int k = 0; k < TX_NAMES; k++)
        (void)is_told(let_go(t, k, &err), &err);
    tess_store_close(t->store);
    t->store = NULL;
    t->now = t->commits[t->ncommits - 1];
    run.saved = false;
}

static tess_status
open_store(tess_error *err)
{
    struct tx *const t = &run.t;
    tess_storage storage;
    if (t->store)
        return TESS_OK;
    run.step = "open";
    tess_storage_init(&storage);
    storage.path = t->path;
    storage.durability = t->durability;
    storage.mode = files_exist(t->path) ? TESS_MODE_UPDATE : TESS_MODE_NEW;
    t->now = t->commits[t->ncommits - 1];
    return tess_store_open(&storage, &t->store, err);
}

static void
abort_all(void)
{
    struct tx *const t = &run.t;
    tess_error why;
    run.step = "abort";
    if (is_told(tess_store_abort(t->store, &why), &why))
        ok(tess_store_abort(t->store, err));
    for (int k = 0; k < TX_NAMES; k++)
        (void)is_told(let_go(t, k, &why), &why);
    t->now = t->commits[t->ncommits - 1];
    run.saved = false;
}

static void
make_transaction(void)
{
    struct tx *const t = &run.t;
    tess_error why;
    if (is_told(open_store(&why), &why)) {
        check_all();
        ok(open_store(err));
    }
    for (int64_t n = 1 + below(&t->r, STEPS); n >= 0; n--) {
        tess_status (*const step)(struct tx *, tess_error *) = n > 0 ? take_step : save;
        const struct random before = t->r;
        if (!is_told(step(t, &why), &why))
            continue;
        check_all();
        if (one_in(&run.fates, 4)) {
            abort_all();
        } else { // the same once more
            t->r = before;
            ok(step(t, err));
        }
        check_all();
    }
}

static void
commit(void)
{
    struct tx *const t = &run.t;
    tess_error why;
    const uint64_t before = tess_store_number(t->store);
    run.step = "commit";
    const bool told = is_told(tess_store_commit(t->store, &why), &why);
    if (!told || tess_store_number(t->store) > before)
        count_commit();
    if (!told)
        return;
    const bool made = tess_store_number(t->store) > before;
    check_all();
    switch (below(&run.fates, 4)) {
    case 0:
        abort_all();
        break;
    case 1:
        close_all();
        ok(open_store(err));
        break;
    default:
        ok(tess_store_commit(t->store, err));
        if (!made)
            count_commit();
    }
    check_all();
}

static void
name_commit(void)
{
    struct tx *const t = &run.t;
    tess_error why;
    run.step = "name";
    if (run.named > 0 || t->ncommits == 1 || tess_store_number(t->store) == 0)
        return;
    if (is_told(tess_store_name_commit(t->store, "kept", &why), &why))
        ok(tess_store_name_commit(t->store, "kept", err));
    run.named = t->ncommits - 1;
}

static void
open_reader(void)
{
    tess_storage storage;
    tess_error why;
    run.step = "read";
    if (run.reader || run.t.ncommits == 1)
        return;
    tess_storage_init(&storage);
    storage.path = run.path;
    if (is_told(tess_store_open(&storage, &run.reader, &why), &why))
        ok(tess_store_open(&storage, &run.reader, err));
    run.read = run.t.ncommits - 1;
}

static void
begin_run(tess_durability durability, uint64_t seed)
{
    static const struct world empty = {0};
    memset(&run, 0, sizeof run);
    (void)snprintf(run.folder, sizeof run.folder, "%s", files_path("log"));
    (void)snprintf(run.path, sizeof run.path, "%s/s.b2d", run.folder);
    files_remove(run.folder);
    world_write(&empty, run.folder);
    random_init(&run.fates, seed);
    disk_begin(run.folder);
    tx_begin(&run.t, run.path, durability, seed);
}

static void
end_run(void)
{
    disk_heal();
    tess_store_close(run.reader);
    run.reader = NULL;
    tx_end(&run.t);
    disk_end();
}

// Whether a call failed: else there are no more of them than n.
static bool
play(tess_durability durability, uint64_t seed, enum disk_failure how, bool forever, long n)
{
    const int open_before = count_open();
    begin_run(durability, seed);
    run.how = how;
    run.forever = forever;
    (void)snprintf(run.failure, sizeof run.failure, "seed %" PRIu64 ", call %ld fails (%s)%s", seed,
                   n, disk_failure_names[how], forever ? " and all later ones" : "");
    disk_fail(how, n, forever);
    for (int i = 0; i < TRANSACTIONS; i++) {
        make_transaction();
        if (one_in(&run.t.r, 8)) {
            abort_all();
            continue;
        }
        commit();
        if (one_in(&run.t.r, 3))
            name_commit();
        open_reader();
        if (one_in(&run.t.r, 3))
            close_all();
    }
    const bool failed = disk_failures() > 0;
    disk_heal();
    run.step = "the end";
    check_all();
    close_all();
    check_all();
    ok(open_store(err));
    check_all();
    check_plain(&run.t.commits[run.t.ncommits - 1]);
    if (run.told > 0 && (how == DISK_SHORT || how == DISK_EINTR))
        complain("the rest was not done");
    const bool told = run.told > 0;
    end_run();
    run.told = told;
    if (count_open() != open_before)
        complain("a file stays open");
    return failed;
}

static void
play_all(enum disk_failure how, bool forever)
{
    struct random r;
    int64_t failures = 0, told = 0;
    random_init(&r, random_seed() + (uint64_t)(2 * how + forever));
    const int64_t rounds = random_cases(1, 12);
    for (int64_t round = 0; round < rounds || failures < FAILURES_LEAST; round++) {
        const uint64_t seed = random_next(&r);
        for (long n = 0; play((tess_durability)(seed % 3), seed, how, forever, n); n++) {
            failures++;
            told += run.told;
        }
    }
    printf("%s%s: %" PRId64 " failures, %" PRId64 " told, %" PRId64 " without effect\n",
           disk_failure_names[how], forever ? ", from then on" : "", failures, told,
           failures - told);
}

#define FAILURE(how, forever)                 \
    static void how##_##forever(void **state) \
    {                                         \
        (void)state;                          \
        play_all(DISK_##how, forever);        \
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
    end_run();
    return files_teardown(state);
}

int
main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(EIO_false),   TEST(EIO_true),           TEST(ENOSPC_false),      TEST(ENOSPC_true),
        TEST(SHORT_false), TEST(SHORT_ENOSPC_false), TEST(SHORT_ENOSPC_true), TEST(EINTR_false),
    };
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
