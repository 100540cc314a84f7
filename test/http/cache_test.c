/*
 * cache_test.c - sources of URLs with a cache on disk: what needs no request, replaced objects,
 * servers that fail, threads, and programs that use one directory at once and are killed.
 */
#include "http/folder.h"
#include "http/reader.h"

#include "support/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 1000000, BLOCK = 32 << 10, GROWTH = 64 << 10 };

static struct server *server;
static struct server_options options;
static uint8_t object[SIZE + 1]; // a version is SIZE bytes, from the first or second on
static struct random rnd;
static uint64_t object_seed;
static char folder[64];

static void
make_object(uint64_t seed)
{
    struct random r;
    object_seed = seed;
    random_init(&r, seed);
    random_bytes(&r, object, sizeof object);
}

static int
start(void **state)
{
    (void)state;
    random_init(&rnd, random_seed());
    make_object(random_next(&rnd));
    server_options_init(&options);
    server = server_start(&options);
    assert_non_null(server);
    assert_true(server_put(server, "a", object, SIZE));
    folder_make(folder, sizeof folder);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    folder_remove(folder);
    return 0;
}

static tess_http_options
with_cache(void)
{
    tess_http_options o = reader_options();
    o.cache_dir = folder;
    return o;
}

static tess_source
open_cached(const char *name)
{
    const tess_http_options o = with_cache();
    return reader_open(server, name, &o);
}

static void
check_ends(const tess_source *s, const uint8_t *bytes, size_t size, size_t first_size,
           size_t last_size)
{
    uint8_t *const first = malloc(first_size + 1), *const last = malloc(last_size + 1);
    const size_t first_have = first_size < size ? first_size : size;
    const size_t last_have = last_size < size ? last_size : size;
    tess_source_state told = {0};
    tess_error err;

    assert_true(first && last);
    if (s->ends(s->user, &told, first, first_size, last, last_size, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(told.size, size);
    assert_memory_equal(first, bytes, first_have);
    assert_memory_equal(last, bytes + (size - last_have), last_have);
    free(first);
    free(last);
}

static void
check_read(const tess_source *s, const uint8_t *bytes, const tess_range *r, size_t n)
{
    tess_error err;
    for (size_t i = 0; i < n; i++)
        memset(r[i].dst, 0xA5, r[i].dst_size);
    if (reader_read(s, bytes, r, n, &err) != TESS_OK)
        fail_msg("%s", err.message);
}

static struct server_entry entries[2000];

static int64_t
bytes_sent(void)
{
    const int n = server_log_list(server, 1000, entries, 2000);
    int64_t sent = 0;
    for (int i = 0; i < n; i++)
        sent += entries[i].sent;
    return sent;
}

// Requests with that in their path, and of that range, NULL: any. Those that an earlier call gave
// up may arrive after the log was reset, so tests tell them apart: by a signature, which is no part
// of what the cache knows a URL by, or by status.
static int
requests_with(const char *mark, const char *range)
{
    const int n = server_log_list(server, 1000, entries, 2000);
    int count = 0;
    for (int i = 0; i < n; i++)
        count += strstr(entries[i].path, mark) && (!range || strcmp(entries[i].range, range) == 0);
    return count;
}

static int
requests_served(void)
{
    const int n = server_log_list(server, 1000, entries, 2000);
    int count = 0;
    for (int i = 0; i < n; i++)
        count += entries[i].status == 206;
    return count;
}

// -- what needs no request

static void
hits(void **state)
{
    static const size_t counts[] = {1, 2, 16, 40, 300};
    static const size_t sizes[] = {100, 3000, 40000, 200000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
            tess_source s = open_cached("a");
            tess_range *const r = reader_ranges(&rnd, SIZE, counts[c], sizes[z]);
            tess_source_state told;
            tess_error err;
            int64_t wanted = 0;
            for (size_t i = 0; i < counts[c]; i++)
                wanted += (int64_t)r[i].dst_size;
            folder_empty(folder);
            assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
            server_log_reset(server);
            check_read(&s, object, r, counts[c]);
            const int64_t requests = server_log_count(server);
            assert_true(requests >= 1 && requests <= (int64_t)counts[c]);
            assert_true(bytes_sent() <= wanted + requests * GROWTH);
            server_log_reset(server);
            check_read(&s, object, r, counts[c]);
            assert_int_equal(server_log_count(server), 0);
            s.close(s.user);
            s = open_cached("a"); // as another program does
            assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
            check_read(&s, object, r, counts[c]);
            assert_int_equal(server_log_count(server), 1);
            assert_true(bytes_sent() <= 1);
            s.close(s.user);
            reader_free(r, counts[c]);
        }
    }
}

// Parts that are there, and others, in all mixtures.
static void
mixtures(void **state)
{
    const int64_t cases = random_cases(30, 1000);
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        tess_source s = open_cached("a");
        tess_source_state told;
        tess_error err;
        folder_empty(folder);
        assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
        for (int k = 0; k < 6; k++) {
            const size_t n = 1 + (size_t)random_below(&rnd, 30);
            tess_range *const r = reader_ranges(&rnd, SIZE, n, 1 + random_below(&rnd, 100000));
            server_log_reset(server);
            check_read(&s, object, r, n);
            assert_true(server_log_count(server) <= (int64_t)n);
            reader_free(r, n);
        }
        s.close(s.user);
    }
}

// Both ends take two requests, and later one for a byte.
static void
ends(void **state)
{
    static const size_t sizes[] = {1, 1000, BLOCK, BLOCK + 1, 3 * BLOCK, 300001, SIZE};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(server_put(server, "e", object, sizes[i]));
        for (int way = 0; way < 4; way++) {
            tess_http_options o = with_cache();
            o.first = way == 3 ? 50000 : 0;
            o.last = way == 3 ? 70000 : 0;
            const size_t first = way == 2 ? 0 : 16384, last = way == 1 ? 0 : 100000;
            folder_empty(folder);
            for (int again = 0; again < 2; again++) {
                char name[60], mark[20];
                snprintf(mark, sizeof mark, "=%zu-%d-%d-", i, way, again);
                snprintf(name, sizeof name, "e?X-Amz-Signature%s", mark);
                tess_source s = reader_open(server, name, &o);
                server_log_reset(server);
                check_ends(&s, object, sizes[i], first, last);
                const int requests = requests_with(mark, NULL);
                assert_true(requests >= 1 && requests <= (again ? 1 : 2));
                if (again)
                    assert_int_equal(requests_with(mark, "bytes=0-0"), 1);
                if (way == 3 && sizes[i] >= 50000) { // is kept in memory, too
                    uint8_t got[100];
                    const tess_range r = {.offset = 49900, .dst = got, .dst_size = 100};
                    folder_empty(folder);
                    check_read(&s, object, &r, 1);
                    assert_int_equal(requests_with(mark, NULL), requests);
                    check_ends(&s, object, sizes[i], first, last); // stores them again
                }
                s.close(s.user);
            }
        }
    }
}

static void
empty(void **state)
{
    (void)state;
    assert_true(server_put(server, "empty", object, 0));
    for (int i = 0; i < 2; i++) {
        tess_source s = open_cached("empty");
        check_ends(&s, object, 0, 100, 100);
        s.close(s.user);
    }
}

// -- which object

static void
replaced(void **state)
{
    tess_range *const r = reader_ranges(&rnd, SIZE, 20, 50000);
    tess_error err;
    (void)state;
    assert_true(server_put(server, "r", object, SIZE));
    tess_source old = open_cached("r");
    check_ends(&old, object, SIZE, 16384, 100000);
    check_read(&old, object, r, 20);
    for (int version = 1; version < 5; version++) {
        const uint8_t *const bytes = object + version % 2;
        assert_true(server_put(server, "r", bytes, SIZE));
        tess_source s = open_cached("r");
        check_ends(&s, bytes, SIZE, 16384, 100000);
        check_read(&s, bytes, r, 20);
        server_log_reset(server);
        check_read(&s, bytes, r, 20);
        assert_int_equal(server_log_count(server), 0);
        // What the old one had is not there any more, so it has to ask.
        assert_int_equal(reader_read(&old, object, r, 20, &err), TESS_ERR_STALE);
        server_log_reset(server);
        assert_int_equal(old.refresh(old.user, &err), TESS_OK);
        check_ends(&old, bytes, SIZE, 100, 100);
        check_read(&old, bytes, r, 20);
        assert_int_equal(requests_served(), 1); // for one byte
        assert_int_equal(old.refresh(old.user, &err), TESS_OK);
        old.close(old.user);
        old = s;
    }
    old.close(old.user);
    reader_free(r, 20);
}

static void
not_strong(void **state)
{
    static const enum server_etag etags[] = {SERVER_ETAG_WEAK, SERVER_ETAG_NONE};
    tess_range *const r = reader_ranges(&rnd, SIZE, 5, 50000);
    struct folder_entry e;
    (void)state;
    folder_empty(folder);
    for (size_t i = 0; i < 2; i++) {
        options.etag = etags[i];
        server_set_options(server, &options);
        tess_source s = open_cached("a");
        check_ends(&s, object, SIZE, 16384, 100000);
        check_read(&s, object, r, 5);
        server_log_reset(server);
        check_read(&s, object, r, 5);
        assert_int_equal(server_log_count(server), 5);
        s.close(s.user);
    }
    assert_int_equal(folder_list(folder, &e, 1), 0);
    options.etag = SERVER_ETAG_STRONG;
    server_set_options(server, &options);
    reader_free(r, 5);
}

static int
forbid(const struct server_request *request, void *user)
{
    (void)request, (void)user;
    return 403;
}

// What is there is hidden from a source that the server refuses; and the disk knows no secrets.
static void
secrets(void **state)
{
    static const char *const words[] = {"127.0.0.1", "secret", "http:"};
    tess_http_options o = with_cache();
    struct folder_entry e[10];
    uint8_t byte;
    tess_source_state told;
    tess_error err;
    char file[400];
    (void)state;
    folder_empty(folder);
    o.user = "secret-name";
    o.password = "secret-word";
    tess_source s = reader_open(server, "a?key=secret-key", &o);
    check_ends(&s, object, SIZE, 16384, 100000);
    s.close(s.user);
    assert_int_equal(folder_list(folder, e, 10), 1);
    snprintf(file, sizeof file, "%s/%.255s", folder, e[0].name);
    FILE *const f = fopen(file, "rb");
    char *const all = calloc(1, 2 * SIZE + 1);
    assert_true(f && all);
    const size_t size = fread(all, 1, 2 * SIZE, f);
    fclose(f);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_null(strstr(e[0].name, words[i]));
        assert_null(memmem(all, size, words[i], strlen(words[i])));
    }
    free(all);
    options.permit = forbid;
    server_set_options(server, &options);
    s = reader_open(server, "a?key=secret-key", &o);
    assert_int_equal(s.ends(s.user, &told, &byte, 1, &byte, 0, &err), TESS_ERR_IO);
    s.close(s.user);
    options.permit = NULL;
    server_set_options(server, &options);
}

// -- failures

// Bytes are right, or the call fails; what was stored meanwhile is right.
static void
faults(void **state)
{
    struct server_chance chance = {.probability = 0.3, .ms = 600};
    const int64_t cases = random_cases(40, 3000);
    int64_t right = 0;
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        tess_http_options o = with_cache();
        tess_source_state told;
        tess_error err;
        assert_true(server_put(server, "f", object, SIZE));
        if (i % 8 == 0)
            folder_empty(folder);
        o.deadline = 3000;
        o.tries = 3;
        chance.seed = random_next(&rnd);
        chance.kinds = ~(uint64_t)SERVER_KIND(SERVER_REPLACED);
        options.fault = server_fault_by_chance;
        options.fault_user = &chance;
        server_set_options(server, &options);
        tess_source s = reader_open(server, "f", &o);
        if (s.state(s.user, &told, &err) == TESS_OK)
            for (int k = 0; k < 3; k++) {
                tess_range *const r = reader_ranges(&rnd, SIZE, 5, 60000);
                right += reader_read(&s, object, r, 5, &err) == TESS_OK;
                reader_free(r, 5);
            }
        s.close(s.user);
        options.fault = NULL;
        server_set_options(server, &options);
    }
    assert_true(right > 0);
}

// Whole objects in place of ranges.
static struct server_fault
whole(const struct server_request *request, void *user)
{
    (void)request, (void)user;
    return (struct server_fault){.kind = SERVER_WHOLE};
}

static void
rangeless(void **state)
{
    tess_range *const r = reader_ranges(&rnd, SIZE, 9, 60000);
    (void)state;
    folder_empty(folder);
    options.fault = whole;
    server_set_options(server, &options);
    tess_source s = open_cached("a");
    check_ends(&s, object, SIZE, 16384, 100000);
    check_read(&s, object, r, 9);
    server_log_reset(server);
    check_read(&s, object, r, 9);
    assert_int_equal(server_log_count(server), 0);
    s.close(s.user);
    options.fault = NULL;
    server_set_options(server, &options);
    reader_free(r, 9);
}

static void
no_directory(void **state)
{
    tess_http_options o = with_cache();
    tess_range *const r = reader_ranges(&rnd, SIZE, 5, 50000);
    (void)state;
    o.cache_dir = "/nowhere/at/all";
    tess_source s = reader_open(server, "a", &o);
    check_ends(&s, object, SIZE, 16384, 100000);
    check_read(&s, object, r, 5);
    s.close(s.user);
    o.cache_size = -1;
    tess_source none = {.struct_size = sizeof none};
    tess_error err;
    assert_int_equal(tess_http_source("http://h/a", &o, &none, &err), TESS_ERR_ARG);
    reader_free(r, 5);
}

// -- at once

enum { OBJECTS = 6, BOUND = 2 * SIZE };

// Random reads of several objects in a directory that holds two, until `rounds` are over.
static void
hammer(int port, uint64_t seed, int rounds)
{
    struct random r;
    random_init(&r, seed);
    for (int i = 0; i < rounds; i++) {
        tess_http_options o = with_cache();
        char name[20];
        tess_source_state told;
        tess_error err;
        o.cache_size = BOUND;
        const uint64_t which = random_below(&r, OBJECTS);
        snprintf(name, sizeof name, "h%d", (int)which);
        tess_source s = reader_open_at(port, name, &o);
        const size_t size = SIZE / 2 + (size_t)which * 1000;
        const uint8_t *const bytes = object + which;
        if (random_below(&r, 2) == 0)
            check_ends(&s, bytes, size, 1 + random_below(&r, 50000), random_below(&r, 90000));
        else if (s.state(s.user, &told, &err) != TESS_OK)
            fail_msg("%s", err.message);
        for (int k = 0; k < 4; k++) {
            const size_t n = 1 + (size_t)random_below(&r, 12);
            tess_range *const ranges = reader_ranges(&r, size, n, 1 + random_below(&r, 80000));
            check_read(&s, bytes, ranges, n);
            reader_free(ranges, n);
        }
        s.close(s.user);
    }
}

static void
put_objects(void)
{
    char name[20];
    for (int i = 0; i < OBJECTS; i++) {
        snprintf(name, sizeof name, "h%d", i);
        assert_true(server_put(server, name, object + i, (size_t)(SIZE / 2 + i * 1000)));
    }
}

static void *
hammer_thread(void *arg)
{
    const uint64_t *const seed = arg;
    hammer(server_port(server), *seed, 6);
    return NULL;
}

static void
threads(void **state)
{
    enum { THREADS = 6 };
    pthread_t ids[THREADS];
    uint64_t seeds[THREADS];
    (void)state;
    put_objects();
    folder_empty(folder);
    for (int i = 0; i < THREADS; i++) {
        seeds[i] = random_next(&rnd);
        assert_int_equal(pthread_create(&ids[i], NULL, hammer_thread, &seeds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
}

// This program once more, which does nothing but hammer(). Not a child of fork() alone: that one
// would have the locks of the server's threads, but not the threads.
static pid_t
spawn(int rounds)
{
    char port[24], of_object[24], seed[24], count[24];
    char *const args[] = {"hammer", folder, port, of_object, seed, count, NULL};
    pid_t child;
    snprintf(port, sizeof port, "%d", server_port(server));
    snprintf(of_object, sizeof of_object, "%" PRIu64, object_seed);
    snprintf(seed, sizeof seed, "%" PRIu64, random_next(&rnd));
    snprintf(count, sizeof count, "%d", rounds);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ), 0);
    return child;
}

// A failed check ends the program with another status.
static int
hammer_alone(char **args)
{
    snprintf(folder, sizeof folder, "%s", args[1]);
    make_object(strtoull(args[3], NULL, 10));
    hammer(atoi(args[2]), strtoull(args[4], NULL, 10), atoi(args[5]));
    return 0;
}

static int64_t
disk_bytes(void)
{
    struct folder_entry e[100];
    int64_t bytes = 0;
    const int n = folder_list(folder, e, 100);
    for (int i = 0; i < n; i++)
        bytes += e[i].bytes;
    return bytes;
}

static void
processes(void **state)
{
    enum { CHILDREN = 2 };
    const int64_t kills = random_cases(25, 1000);
    pid_t ids[CHILDREN];
    int status;
    (void)state;
    put_objects();
    folder_empty(folder);
    for (int i = 0; i < CHILDREN; i++)
        ids[i] = spawn(1000000);
    for (int64_t i = 0; i < kills; i++) {
        pid_t *const which = &ids[random_below(&rnd, CHILDREN)];
        usleep((useconds_t)random_below(&rnd, 150000));
        assert_int_equal(kill(*which, SIGKILL), 0);
        assert_int_equal(waitpid(*which, &status, 0), *which);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_true(disk_bytes() <= BOUND + CHILDREN * SIZE / 2);
        *which = spawn(1000000);
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(kill(ids[i], SIGKILL), 0);
        assert_int_equal(waitpid(ids[i], &status, 0), ids[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    for (int i = 0; i < CHILDREN; i++) // and to the end
        ids[i] = spawn(15);
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(waitpid(ids[i], &status, 0), ids[i]);
        assert_int_equal(status, 0);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits),         cmocka_unit_test(mixtures), cmocka_unit_test(ends),
        cmocka_unit_test(empty),        cmocka_unit_test(replaced), cmocka_unit_test(not_strong),
        cmocka_unit_test(secrets),      cmocka_unit_test(faults),   cmocka_unit_test(rangeless),
        cmocka_unit_test(no_directory), cmocka_unit_test(threads),  cmocka_unit_test(processes),
    };
    if (argc == 6 && strcmp(argv[0], "hammer") == 0)
        return hammer_alone(argv);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, start, stop);
}
