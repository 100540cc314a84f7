/*
 * log.c - the log of the process: which events are told, at which level, and what they say.
 */
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS 64

enum { SIDE = 512 };

static const int64_t none[2] = {0}, all[2] = {SIDE, SIDE};

// What was told, as the lock of the library lets one thread do at a time.
static struct {
    int count[EVENTS];
    tess_log_level levels[EVENTS];
    char path[EVENTS][400], message[EVENTS][TESS_ERROR_MESSAGE_SIZE];
    atomic_int inside;
    bool wrong;
} told;

static void
log_listen(const tess_log_entry *entry, void *user)
{
    if (atomic_exchange(&told.inside, 1) != 0 || user != &told || entry->event < 1 ||
        (int)entry->event >= EVENTS || !entry->message[0]) {
        told.wrong = true;
    } else {
        told.count[entry->event]++;
        told.levels[entry->event] = entry->level;
        snprintf(told.path[entry->event], sizeof told.path[0], "%s",
                 entry->path ? entry->path : "");
        snprintf(told.message[entry->event], sizeof told.message[0], "%s", entry->message);
    }
    atomic_store(&told.inside, 0);
}

static void
start_listening(tess_log_level level)
{
    memset(&told, 0, sizeof told);
    ok(tess_log_set(level, log_listen, &told, err));
}

// That event was told, with this path and level; and only those of the level.
static void
check_told(tess_event event, tess_log_level level, const char *path)
{
    ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
    assert_false(told.wrong);
    assert_true(told.count[event] > 0);
    print_message("%s: %s\n", told.path[event], told.message[event]);
    assert_int_equal(told.levels[event], level);
    assert_string_equal(told.path[event], path);
}

static int
events(void)
{
    int n = 0;
    for (int i = 0; i < EVENTS; i++)
        n += told.count[i];
    return n;
}

static tess_array *
create(const char *path, tess_mode mode, int64_t cache)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_context_init(&context);
    context.cache = cache;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    tess_params_init(&params);
    params.dtype = NATIVE "i4";
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = SIDE;
        params.chunkshape[i] = 64;
        params.blockshape[i] = 32;
    }
    params.clevel = 0;
    ok(tess_array_zeros(&storage, &params, &a, err));
    return a;
}

static void
write_items(tess_array *a, int salt)
{
    static int32_t items[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        items[i] = i * 7919 + salt;
    ok(tess_array_write(a, none, all, items, sizeof items, err));
}

static tess_array *
open_array(const char *path, tess_mode mode, tess_checksums checksums)
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.checksums = checksums;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static void
levels(void **state)
{
    (void)state;
    refused(TESS_ERR_ARG, tess_log_set((tess_log_level)-1, log_listen, &told, err));
    refused(TESS_ERR_ARG, tess_log_set((tess_log_level)4, log_listen, &told, err));
    // An automatic commit (information) and write-back (for speed), with all levels.
    for (int level = TESS_LOG_OFF; level <= TESS_LOG_DEBUG; level++) {
        start_listening((tess_log_level)level);
        const char *const path = files_path("levels.b2nd");
        tess_array *const a = create(path, TESS_MODE_REPLACE, 1 << 20);
        for (int i = 0; i < 4; i++) {
            write_items(a, i); // the second time over what is committed
            if (i == 0)
                ok(tess_array_flush(a, err));
        }
        for (int64_t row = 0; row < SIDE; row++) {
            const int64_t start[2] = {row, 0}, stop[2] = {row + 1, SIDE};
            int32_t items[SIDE] = {0};
            ok(tess_array_write(a, start, stop, items, sizeof items, err));
        }
        ok(tess_array_close(a, err));
        assert_false(told.wrong);
        assert_int_equal(told.count[TESS_EVENT_COMMIT] > 0, level >= TESS_LOG_INFO);
        assert_int_equal(told.count[TESS_EVENT_WRITE_BACK] > 0, level >= TESS_LOG_DEBUG);
        assert_int_equal(events() > 0, level >= TESS_LOG_INFO);
    }
    check_told(TESS_EVENT_COMMIT, TESS_LOG_INFO, files_path("levels.b2nd"));
    check_told(TESS_EVENT_WRITE_BACK, TESS_LOG_DEBUG, files_path("levels.b2nd"));
}

static void
leftovers(void **state)
{
    const char *const path = files_path("left.b2nd");
    (void)state;
    // What a program has while it creates the array, left by one that was killed.
    files_write(files_path("left.b2nd.tess-0.tmp"), "half", 4);
    assert_int_equal(files_count(), 1);
    start_listening(TESS_LOG_INFO);
    ok(tess_array_close(create(path, TESS_MODE_NEW, 0), err));
    assert_int_equal(files_count(), 1);
    check_told(TESS_EVENT_LEFTOVER, TESS_LOG_INFO, path);
}

static tess_array *
damaged_array(const char *path, tess_checksums checksums)
{
    size_t size;
    tess_array *const a = create(path, TESS_MODE_NEW, 0);
    write_items(a, 1);
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(path, &size);
    bytes[size / 2] ^= 1; // an item of some chunk, as they are stored without compression
    files_write(path, bytes, size);
    free(bytes);
    return open_array(path, TESS_MODE_READ, checksums);
}

static void
damage(void **state)
{
    static int32_t items[SIDE * SIDE];
    const char *const path = files_path("damaged.b2nd");
    tess_storage source, target;
    tess_repair_report report;
    tess_verdict verdict;
    tess_error why;
    (void)state;
    tess_array *const a = damaged_array(path, TESS_CHECKSUMS_VERIFY);
    start_listening(TESS_LOG_WARNING);
    assert_int_equal(tess_array_read(a, none, all, items, sizeof items, &why), TESS_ERR_CORRUPT);
    check_told(TESS_EVENT_CHECKSUM, TESS_LOG_WARNING, path);
    start_listening(TESS_LOG_WARNING);
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_int_equal(verdict.ndamaged, 1);
    check_told(TESS_EVENT_DAMAGE, TESS_LOG_WARNING, path);
    ok(tess_array_close(a, err));

    start_listening(TESS_LOG_WARNING);
    tess_storage_init(&source);
    tess_storage_init(&target);
    source.path = path;
    target.path = files_path("repaired.b2nd");
    target.mode = TESS_MODE_NEW;
    ok(tess_repair(&source, &target, NULL, &report, err));
    assert_int_equal(report.nlost, 1);
    check_told(TESS_EVENT_CHUNK_LOST, TESS_LOG_WARNING, path);
}

static void
refresh(void **state)
{
    const char *const path = files_path("fresh.b2nd");
    bool changed;
    (void)state;
    tess_array *const writer = create(path, TESS_MODE_NEW, 0);
    ok(tess_array_flush(writer, err));
    tess_array *const reader = open_array(path, TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
    start_listening(TESS_LOG_DEBUG);
    ok(tess_array_refresh(reader, &changed, err));
    assert_false(changed);
    assert_int_equal(told.count[TESS_EVENT_REFRESH], 0);
    write_items(writer, 2);
    ok(tess_array_flush(writer, err));
    ok(tess_array_refresh(reader, &changed, err));
    assert_true(changed);
    check_told(TESS_EVENT_REFRESH, TESS_LOG_INFO, path);
    ok(tess_array_close(reader, err));
    ok(tess_array_close(writer, err));
}

static void
waits(void **state)
{
    const char *const path = files_path("busy.b2nd");
    tess_storage storage;
    tess_array *other = NULL;
    (void)state;
    tess_array *const a = create(path, TESS_MODE_NEW, 0);
    ok(tess_array_flush(a, err));
    start_listening(TESS_LOG_INFO);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    storage.wait = 30;
    assert_int_equal(tess_array_open(&storage, &other, NULL), TESS_ERR_IO);
    assert_int_equal(told.count[TESS_EVENT_WAIT], 1);
    check_told(TESS_EVENT_WAIT, TESS_LOG_INFO, path);
    start_listening(TESS_LOG_INFO);
    assert_int_equal(tess_remove(&storage, NULL), TESS_ERR_IO);
    check_told(TESS_EVENT_WAIT, TESS_LOG_INFO, path);
    ok(tess_array_close(a, err));
}

static int looks; // at a call that is to be cancelled at the second one

static bool
cancel_soon(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    (void)user;
    return ++looks < 2;
}

static const int64_t one[2] = {1, 1};

static tess_status
read_one(const tess_array *a)
{
    int32_t item;
    return tess_array_read(a, none, one, &item, sizeof item, NULL);
}

static tess_status
commit_one(tess_array *a)
{
    const int32_t item = 5;
    ok(tess_array_write(a, none, one, &item, sizeof item, err)); // waits in memory
    looks = 0;
    return tess_array_flush(a, NULL);
}

// For the lock file, by calls that open, read, commit and remove.
static void
waits_for_lock_file(void **state)
{
    const char *const path = files_path("busy.b2nd");
    tess_storage storage;
    tess_context context;
    tess_array *a = NULL, *other = NULL;
    (void)state;
    ok(tess_array_close(create(path, TESS_MODE_NEW, 0), err));
    const int fd = open(files_path("busy.b2nd.b2lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    tess_context_init(&context);
    context.progress_interval = 0;
    context.progress = cancel_soon;
    tess_storage_init(&storage);
    storage.path = path;
    storage.context = &context;
    storage.mode = TESS_MODE_UPDATE;
    looks = -1000;
    ok(tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_READ;
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0); // of a program that has changed nothing yet
    for (int i = 0; i < 4; i++) {
        tess_status st = TESS_OK;
        start_listening(TESS_LOG_INFO);
        looks = 0;
        if (i == 0) {
            st = tess_array_open(&storage, &other, NULL);
        } else if (i == 1) {
            st = read_one(a);
        } else if (i == 2) {
            st = commit_one(a);
        } else {
            tess_array_discard(a);
            st = tess_remove(&storage, NULL);
        }
        assert_int_equal(st, TESS_ERR_CANCELLED);
        check_told(TESS_EVENT_WAIT, TESS_LOG_INFO, path);
    }
    (void)close(fd);
}

// Threads that have events, while others set and unset the function. After unsetting, it is not
// called: its user may be gone.
static atomic_bool over;

static void *
have_events(void *path)
{
    while (!atomic_load(&over)) {
        tess_array *const a = create(path, TESS_MODE_REPLACE, 65536);
        for (int i = 0; i < 4; i++)
            write_items(a, i);
        tess_array_discard(a);
    }
    return NULL;
}

static void
exchanged_meanwhile(void **state)
{
    pthread_t threads[2];
    static char paths[2][400];
    (void)state;
    atomic_store(&over, false);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", files_path(i ? "one.b2nd" : "two.b2nd"));
        assert_int_equal(pthread_create(&threads[i], NULL, have_events, paths[i]), 0);
    }
    for (int i = 0; i < 300; i++) {
        start_listening(TESS_LOG_DEBUG); // plain memory: nobody else is in log_listen()
        usleep(500);
        ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
        assert_false(told.wrong);
    }
    const pid_t pid = fork(); // while others have the lock
    if (pid == 0) {
        alarm(30);
        start_listening(TESS_LOG_DEBUG);
        _exit(told.wrong);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(levels, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(leftovers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damage, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(refresh, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(waits, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(waits_for_lock_file, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(exchanged_meanwhile, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
