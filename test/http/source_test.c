/*
 * source_test.c - sources of URLs over a server that does what it should: sizes, ranges, identity,
 * directories, threads, fork, cancellation, credentials.
 */
#include "http/reader.h"

#include "support/forks.h"
#include "support/random.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 300000 };

static struct server *server;
static struct server_options options;
static uint8_t object[SIZE];
static struct random rnd;

static int
start(void **state)
{
    (void)state;
    random_init(&rnd, random_seed());
    random_bytes(&rnd, object, sizeof object);
    server_options_init(&options);
    server = server_start(&options);
    assert_non_null(server);
    assert_true(server_put(server, "a", object, SIZE));
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    return 0;
}

static void
check_ends(const tess_source *s, size_t first_size, size_t last_size, size_t size, bool guarded)
{
    uint8_t *const first = malloc(first_size + 1), *const last = malloc(last_size + 1);
    const size_t first_have = first_size < size ? first_size : size;
    const size_t last_have = last_size < size ? last_size : size;
    tess_source_state state = {0};
    tess_error err;

    if (s->ends(s->user, &state, first, first_size, last, last_size, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(state.size, size);
    assert_int_equal(state.guarded, guarded);
    assert_memory_equal(first, object, first_have);
    assert_memory_equal(last, object + (size - last_have), last_have);
    free(first);
    free(last);
}

static void
sizes(void **state)
{
    static const size_t objects[] = {0, 1, 2, 99, 100, 101, 199, 200, 250, 300000};
    static const enum server_etag etags[] = {SERVER_ETAG_STRONG, SERVER_ETAG_WEAK,
                                             SERVER_ETAG_NONE};
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        options.etag = etags[e];
        server_set_options(server, &options);
        for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
            const bool guarded = etags[e] == SERVER_ETAG_STRONG;
            assert_true(server_put(server, "s", object, objects[i]));
            for (int way = 0; way < 4; way++) {
                tess_http_options o = reader_options();
                tess_source_state told = {0};
                tess_error err;
                o.first = way == 3 ? 150 : 0;
                o.last = way == 3 ? 170 : 0;
                tess_source s = reader_open(server, "s", &o);
                check_ends(&s, way == 2 ? 0 : 100, way == 1 ? 0 : 100, objects[i],
                           guarded && objects[i] > 0); // 416 has no ETag
                assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
                assert_int_equal(told.size, objects[i]);
                s.close(s.user);
            }
        }
    }
    options.etag = SERVER_ETAG_STRONG;
    server_set_options(server, &options);
}

static void
ranges(void **state)
{
    static const size_t counts[] = {1, 2, 16, 17, 100, 1000};
    tess_source s = reader_open(server, "a", NULL);
    tess_error err;
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        tess_range *const r = reader_ranges(&rnd, SIZE, counts[i], 3000);
        if (reader_read(&s, object, r, counts[i], &err) != TESS_OK)
            fail_msg("%s", err.message);
        reader_free(r, counts[i]);
    }
    s.close(s.user);
}

// As many requests as the options say are under way at once, on connections that are kept.
static void
at_once(void **state)
{
    tess_http_options o = reader_options();
    tess_range *const r = reader_ranges(&rnd, SIZE, 32, 100);
    tess_error err;
    (void)state;
    options.delay_ms = 100;
    server_set_options(server, &options);
    for (int requests = 16; requests <= 32; requests += 16) {
        o.requests = requests;
        tess_source s = reader_open(server, "a", &o);
        assert_int_equal(s.requests, requests);
        const int64_t begin = reader_ms();
        assert_int_equal(reader_read(&s, object, r, 32, &err), TESS_OK);
        const int64_t took = reader_ms() - begin;
        assert_true(took >= 100 * 32 / requests && took < 1500);
        s.close(s.user);
    }
    reader_free(r, 32);
    options.delay_ms = 0;
    server_set_options(server, &options);
}

// Both ends in one round trip; what is kept of them needs no request.
static void
kept(void **state)
{
    tess_http_options o = reader_options();
    uint8_t got[2000];
    const tess_range r[2] = {{.offset = 500, .dst = got, .dst_size = 1000},
                             {.offset = SIZE - 900, .dst = got + 1000, .dst_size = 900}};
    tess_error err;
    (void)state;
    o.first = 1500;
    o.last = 1000;
    tess_source s = reader_open(server, "a", &o);
    server_log_reset(server);
    check_ends(&s, 100, 100, SIZE, true);
    assert_int_equal(server_log_count(server), 2);
    assert_int_equal(reader_read(&s, object, r, 2, &err), TESS_OK);
    assert_int_equal(server_log_count(server), 2);
    assert_int_equal(s.refresh(s.user, &err), TESS_OK);
    assert_int_equal(reader_read(&s, object, r, 2, &err), TESS_OK);
    assert_int_equal(server_log_count(server), 4);
    s.close(s.user);
}

static void
replaced(void **state)
{
    static const enum server_etag etags[] = {SERVER_ETAG_STRONG, SERVER_ETAG_WEAK};
    (void)state;
    for (size_t e = 0; e < 2; e++) {
        options.etag = etags[e];
        server_set_options(server, &options);
        assert_true(server_put(server, "r", object, 1000));
        tess_source s = reader_open(server, "r", NULL);
        tess_source_state told;
        tess_error err;
        check_ends(&s, 10, 10, 1000, etags[e] == SERVER_ETAG_STRONG);
        assert_true(server_put(server, "r", object + 1, 1000));
        tess_range *const r = reader_ranges(&rnd, 1000, 3, 100);
        assert_int_equal(reader_read(&s, object + 1, r, 3, &err), TESS_ERR_STALE);
        assert_non_null(strstr(err.message, "127.0.0.1"));
        assert_int_equal(s.refresh(s.user, &err), TESS_OK);
        assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
        assert_int_equal(reader_read(&s, object + 1, r, 3, &err), TESS_OK);
        assert_true(server_delete(server, "r"));
        assert_int_equal(reader_read(&s, object + 1, r, 3, &err), TESS_ERR_NOT_FOUND);
        assert_int_equal(err.sys, ENOENT);
        reader_free(r, 3);
        s.close(s.user);
    }
    options.etag = SERVER_ETAG_STRONG;
    server_set_options(server, &options);
}

static void
directories(void **state)
{
    static const char *const wrong[] = {"", ".", "..", "a/b", "a?b", "a%41", "a b"};
    tess_source s = reader_open(server, "folder/", NULL), part = {.struct_size = sizeof part};
    tess_source_state told;
    tess_error err;
    (void)state;
    assert_null(s.read);
    assert_null(s.state);
    assert_true(server_put(server, "folder/chunks.b2frame", object, 1000));
    assert_int_equal(s.part(s.user, "chunks.b2frame", &part, &err), TESS_OK);
    assert_null(part.part);
    check_ends(&part, 10, 10, 1000, true);
    part.close(part.user);
    assert_int_equal(s.part(s.user, "none", &part, &err), TESS_OK);
    assert_int_equal(part.state(part.user, &told, &err), TESS_ERR_NOT_FOUND);
    part.close(part.user);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(s.part(s.user, wrong[i], &part, &err), TESS_ERR_ARG);
    s.close(s.user);
}

// -- threads and processes

static void *
read_often(void *arg)
{
    const tess_source *const s = arg;
    struct random r;
    tess_error err;
    random_init(&r, (uint64_t)(uintptr_t)&r);
    for (int i = 0; i < 20; i++) {
        tess_range *const ranges = reader_ranges(&r, SIZE, 12, 5000);
        if (reader_read(s, object, ranges, 12, &err) != TESS_OK)
            fail_msg("%s", err.message);
        reader_free(ranges, 12);
    }
    return NULL;
}

static void
threads(void **state)
{
    tess_source s = reader_open(server, "a", NULL);
    pthread_t ids[6];
    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, read_often, &s), 0);
    for (int i = 0; i < 6; i++)
        pthread_join(ids[i], NULL);
    s.close(s.user);
}

static void
forked(void **state)
{
    if (!FORK_BESIDE_THREADS) // those of the server
        skip();
    tess_source s = reader_open(server, "a", NULL);
    tess_range *const r = reader_ranges(&rnd, SIZE, 20, 5000);
    tess_error err;
    int status;
    (void)state;
    assert_int_equal(reader_read(&s, object, r, 20, &err), TESS_OK);
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++)
            if (reader_read(&s, object, r, 20, &err) != TESS_OK)
                _exit(1);
        s.close(s.user);
        _exit(0);
    }
    for (int i = 0; i < 5; i++) // at the same time
        assert_int_equal(reader_read(&s, object, r, 20, &err), TESS_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(reader_read(&s, object, r, 20, &err), TESS_OK);
    reader_free(r, 20);
    s.close(s.user);
}

// -- cancellation

static void *
cancel_soon(void *arg)
{
    struct tess_reading *const reading = arg;
    usleep(300000);
    atomic_store(&reading->cancelled, true);
    return NULL;
}

static void
cancelled(void **state)
{
    tess_source s = reader_open(server, "a", NULL);
    tess_range *const r = reader_ranges(&rnd, SIZE, 40, 100);
    atomic_int told[40] = {0};
    struct tess_reading reading = {.ranges = r, .n = 40, .told = told};
    pthread_t id;
    tess_error err;
    (void)state;
    options.delay_ms = 3000;
    server_set_options(server, &options);
    const int64_t begin = reader_ms();
    assert_int_equal(pthread_create(&id, NULL, cancel_soon, &reading), 0);
    assert_int_equal(s.read(s.user, r, 40, &reading, &err), TESS_ERR_CANCELLED);
    const int64_t took = reader_ms() - begin;
    assert_true(took >= 300 && took < 500);
    pthread_join(id, NULL);
    assert_true(reading.looked >= 3);
    options.delay_ms = 0;
    server_set_options(server, &options);
    assert_int_equal(reader_read(&s, object, r, 40, &err), TESS_OK);
    reader_free(r, 40);
    s.close(s.user);
}

// -- credentials

struct wanted {
    const char *authorization, *header; // "": none
    atomic_int right, wrong;
};

static int
look_at(const struct server_request *request, void *user)
{
    struct wanted *const w = user;
    const char *const authorization = server_header(request, "Authorization");
    const char *const header = server_header(request, "X-Key");
    const bool right = strncmp(authorization ? authorization : "", w->authorization,
                               strlen(w->authorization) + !w->authorization[0]) == 0 &&
                       strcmp(header ? header : "", w->header) == 0;
    atomic_fetch_add(right ? &w->right : &w->wrong, 1);
    return right ? 0 : 403;
}

static tess_status
read_one(const char *url, const tess_http_options *o, tess_error *err)
{
    tess_source s = {.struct_size = sizeof s};
    tess_source_state told;
    tess_status st = tess_http_source(url, o, &s, err);
    if (st != TESS_OK)
        return st;
    assert_null(strstr(s.name, "secret"));
    st = s.state(s.user, &told, err);
    s.close(s.user);
    return st;
}

static void
credentials(void **state)
{
    static const char *const lines[] = {"X-Key: secret-key"};
    struct wanted w = {.authorization = "Basic bWU6c2VjcmV0OjE=", .header = ""};
    tess_http_options o = reader_options();
    char url[200];
    tess_error err;
    (void)state;
    options.permit = look_at;
    options.permit_user = &w;
    server_set_options(server, &options);
    snprintf(url, sizeof url, "http://me:secret%%3A1@127.0.0.1:%d/a?secret=secret",
             server_port(server));
    assert_int_equal(read_one(url, &o, &err), TESS_OK);
    o.user = "me";
    o.password = "secret:1";
    snprintf(url, sizeof url, "http://127.0.0.1:%d/a?secret=secret", server_port(server));
    assert_int_equal(read_one(url, &o, &err), TESS_OK);
    o.password = "secret:2";
    assert_int_equal(read_one(url, &o, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EACCES);
    assert_null(strstr(err.message, "secret"));
    assert_non_null(strstr(err.message, "403 AccessDenied"));
    o.user = o.password = NULL;
    o.token = "secret-token";
    o.headers = lines;
    o.nheaders = 1;
    w.authorization = "Bearer secret-token";
    w.header = "secret-key";
    assert_int_equal(read_one(url, &o, &err), TESS_OK);
    assert_int_equal(w.wrong, 1);
    options.permit = NULL;
    server_set_options(server, &options);
}

static struct server_fault
to_other_host(const struct server_request *request, void *user)
{
    const char *const host = server_header(request, "Host");
    const bool other = host && strncmp(host, "localhost", 9) == 0;
    (void)user;
    return (struct server_fault){.kind = other ? SERVER_NO_FAULT : SERVER_REDIRECT_HOST};
}

static void
redirected(void **state)
{
    static const char *const lines[] = {"X-Key: secret-key"};
    struct server_entry entries[40];
    tess_http_options o = reader_options();
    tess_error err;
    (void)state;
    o.user = "me";
    o.password = "secret";
    o.headers = lines;
    o.nheaders = 1;
    options.fault = to_other_host;
    server_set_options(server, &options);
    server_log_reset(server);
    tess_source s = reader_open(server, "a?secret", &o);
    tess_range *const r = reader_ranges(&rnd, SIZE, 1, 100);
    for (int i = 0; i < 3; i++)
        if (reader_read(&s, object, r, 1, &err) != TESS_OK)
            fail_msg("%s", err.message);
    reader_free(r, 1);
    s.close(s.user);
    const int n = server_log_list(server, 1000, entries, 40);
    assert_int_equal(n, 4); // the place is remembered
    for (int i = 0; i < n; i++)
        assert_int_equal(entries[i].authorization, i == 0);
    options.fault = NULL;
    server_set_options(server, &options);
}

static void
signed_for_s3(void **state)
{
    struct wanted w = {.authorization = "AWS4-HMAC-SHA256 Credential=ID/", .header = ""};
    tess_http_options o = reader_options();
    tess_error err;
    char endpoint[100];
    (void)state;
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", server_port(server));
    assert_true(server_put(server, "bucket/a key", object, 1000));
    options.permit = look_at;
    options.permit_user = &w;
    server_set_options(server, &options);
    o.endpoint = endpoint;
    o.region = "eu-west-1";
    o.access_key = "ID";
    o.secret_key = "secret";
    assert_int_equal(read_one("s3://bucket/a key", &o, &err), TESS_OK);
    o.access_key = o.secret_key = NULL;
    o.anonymous = true;
    assert_int_equal(read_one("s3://bucket/a key", &o, &err), TESS_ERR_IO);
    w.authorization = "";
    assert_int_equal(read_one("s3://bucket/a key", &o, &err), TESS_OK);
    assert_int_equal(read_one("s3://bucket/none", &o, &err), TESS_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "NoSuchKey"));
    options.permit = NULL;
    server_set_options(server, &options);
}

// -- what is refused

static void
arguments(void **state)
{
    static const char *const line_feed[] = {"A: b\r\nC: d"}, *const own[] = {"Range: bytes=0-1"},
                             *const nameless[] = {": b"}, *const spaced[] = {"A b: c"};
    const char *const *const headers[] = {line_feed, own, nameless, spaced};
    tess_source s = {.struct_size = sizeof s};
    tess_http_options o = reader_options();
    tess_error err;
    (void)state;
    assert_true(tess_http_is_url("http://a") && tess_http_is_url("HTTPS://a") &&
                tess_http_is_url("s3://b/c"));
    assert_false(tess_http_is_url("a.b2nd") || tess_http_is_url("http:/a") ||
                 tess_http_is_url("") || tess_http_is_url("ftp://a"));
    assert_int_equal(tess_http_source("ftp://a/b", &o, &s, &err), TESS_ERR_UNSUPPORTED);
    assert_int_equal(tess_http_source("http://", &o, &s, &err), TESS_ERR_ARG);
    assert_int_equal(tess_http_source(NULL, &o, &s, &err), TESS_ERR_ARG);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        o = reader_options();
        o.headers = headers[i];
        o.nheaders = 1;
        assert_int_equal(tess_http_source("http://a/b", &o, &s, &err), TESS_ERR_ARG);
    }
    o = reader_options();
    o.tries = 0;
    assert_int_equal(tess_http_source("http://a/b", &o, &s, &err), TESS_ERR_ARG);
    o = reader_options();
    o.user = "a";
    o.token = "b";
    assert_int_equal(tess_http_source("http://a/b", &o, &s, &err), TESS_ERR_ARG);
    struct {
        tess_http_options o;
        char more[8];
    } newer = {.o = reader_options()};
    newer.o.struct_size = sizeof newer;
    assert_int_equal(tess_http_source("http://a/b", &newer.o, &s, &err), TESS_OK);
    s.close(s.user);
    newer.more[7] = 1;
    assert_int_equal(tess_http_source("http://a/b", &newer.o, &s, &err), TESS_ERR_UNSUPPORTED);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),      cmocka_unit_test(ranges),
        cmocka_unit_test(at_once),    cmocka_unit_test(kept),
        cmocka_unit_test(replaced),   cmocka_unit_test(directories),
        cmocka_unit_test(threads),    cmocka_unit_test(forked),
        cmocka_unit_test(cancelled),  cmocka_unit_test(credentials),
        cmocka_unit_test(redirected), cmocka_unit_test(signed_for_s3),
        cmocka_unit_test(arguments),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, start, stop);
}
