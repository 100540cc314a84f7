/*
 * write_test.c - writing to sources of URLs over a server that does what it should: sizes, what
 * exists, order, memory, fork, closing early, plain HTTP.
 */
#include "http/reader.h"
#include "http/writer.h"

#include "support/forks.h"
#include "support/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 20 * WRITER_PART, LOG = 256 };

static struct server *server;
static struct server_options options;
static uint8_t object[SIZE];
static struct server_entry entries[LOG];

static int
start(void **state)
{
    struct random rnd;
    (void)state;
    random_init(&rnd, random_seed());
    random_bytes(&rnd, object, sizeof object);
    server_options_init(&options);
    options.part_least = WRITER_PART;
    options.permit = writer_permit;
    server = server_start(&options);
    assert_non_null(server);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    return 0;
}

// Each test begins with these.
static int
reset(void **state)
{
    (void)state;
    server_options_init(&options);
    options.part_least = WRITER_PART;
    options.permit = writer_permit;
    server_set_options(server, &options);
    (void)server_delete(server, "bucket/a");
    server_log_reset(server);
    return 0;
}

static void
put(tess_source *s, size_t size, bool replace)
{
    tess_error err;
    if (writer_put(s, object, size, replace, &err) != TESS_OK)
        fail_msg("%zu bytes: %s", size, err.message);
}

static void
sizes(void **state)
{
    static const size_t all[] = {0,
                                 1,
                                 WRITER_PART - 1,
                                 WRITER_PART,
                                 WRITER_PART + 1,
                                 2 * WRITER_PART,
                                 2 * WRITER_PART + 1,
                                 5 * WRITER_PART - 1,
                                 SIZE};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int way = 0; way < 4; way++) { // replaced or not, signed or not
            tess_http_options o = writer_options(server);
            if (way & 2) {
                o.access_key = o.secret_key = NULL;
                o.anonymous = true;
            }
            tess_source s = writer_open(server, "a", &o);
            if (!(way & 1))
                (void)server_delete(server, "bucket/a");
            server_log_reset(server);
            put(&s, all[i], way & 1);
            writer_check(server, "a", object, all[i]);
            assert_int_equal(server_uploads(server), 0);
            const size_t parts = (all[i] + WRITER_PART - 1) / WRITER_PART;
            const int64_t requests = parts <= 1 ? 1 : (int64_t)parts + 2;
            assert_int_equal(server_log_count(server), requests + !(way & 1));
        }
}

// After it was published, the source reads and writes it.
static void
again(void **state)
{
    uint8_t got[1000];
    const tess_range r = {.offset = 70000, .dst = got, .dst_size = sizeof got};
    tess_source s = writer_open(server, "a", NULL);
    tess_source_state told = {0};
    tess_error err;
    (void)state;
    for (size_t size = 100000; size <= 300000; size += 100000) {
        assert_int_equal(writer_write(&s, object, size, 1000, &err), TESS_OK);
        assert_int_equal(s.publish(s.user, (int64_t)size, true, &err), TESS_OK);
        assert_int_equal(s.state(s.user, &told, &err), TESS_OK);
        assert_int_equal(told.size, size);
        assert_int_equal(reader_read(&s, object, &r, 1, &err), TESS_OK);
    }
    s.close(s.user);
}

static void
check_exists(size_t size)
{
    tess_source s = writer_open(server, "a", NULL);
    tess_error err;
    assert_int_equal(writer_put(&s, object, size, false, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EEXIST);
    writer_check(server, "a", object + 1, 10);
    assert_int_equal(server_uploads(server), 0);
}

// The object appears while it is written: just before the last request.
static int
appears(const struct server_request *r, void *user)
{
    (void)user;
    if (server_header(r, "If-None-Match"))
        (void)server_put(server, "bucket/a", object + 1, 10);
    return writer_permit(r, NULL);
}

static int
knows_no_condition(const struct server_request *r, void *user)
{
    (void)user;
    return server_header(r, "If-None-Match") ? 501 : writer_permit(r, NULL);
}

static void
exists(void **state)
{
    static const size_t all[] = {1000, 200000};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        (void)reset(NULL);
        assert_true(server_put(server, "bucket/a", object + 1, 10));
        check_exists(all[i]);
        (void)reset(NULL);
        options.permit = appears;
        server_set_options(server, &options);
        check_exists(all[i]);
        (void)reset(NULL);
        for (int way = 0; way < 2; way++) { // without the condition
            options.permit = way ? knows_no_condition : writer_permit;
            options.ignore_none_match = !way;
            server_set_options(server, &options);
            tess_source s = writer_open(server, "a", NULL);
            (void)server_delete(server, "bucket/a");
            put(&s, all[i], false);
            writer_check(server, "a", object, all[i]);
            (void)server_put(server, "bucket/a", object + 1, 10);
            check_exists(all[i]);
        }
    }
}

static void
order(void **state)
{
    static const struct {
        const char *why;
        int64_t offsets[3], sizes[3]; // of writes; size 0: none
        int64_t published; // -1: it is the last write that fails
    } rows[] = {
        {"a gap", {1000, 2001}, {1000, 10}, -1},
        {"backwards", {1000, 1999}, {1000, 10}, -1},
        {"a short head", {1000, 0}, {1000, 999}, -1},
        {"a long head", {1000, 0}, {1000, 1001}, -1},
        {"behind the head", {1000, 0, 2000}, {1000, 1000, 1}, -1},
        {"two heads", {0, 0}, {10, 10}, -1},
        {"no head", {1000}, {1000}, 2000},
        {"another size", {1000, 0}, {1000, 1000}, 1999},
        {"another size of a small one", {0}, {1000}, 1001},
        {"nothing", {0}, {0}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_source s = writer_open(server, "a", NULL);
        tess_status st = TESS_OK;
        tess_error err;
        for (int k = 0; k < 3 && rows[i].sizes[k] > 0 && st == TESS_OK; k++)
            st = s.write(s.user, rows[i].offsets[k], object, (size_t)rows[i].sizes[k], &err);
        if (rows[i].published >= 0) {
            assert_int_equal(st, TESS_OK);
            st = s.publish(s.user, rows[i].published, true, &err);
        }
        if (st != TESS_ERR_ARG)
            fail_msg("%s: %d", rows[i].why, st);
        assert_int_equal(s.publish(s.user, 2000, true, &err), TESS_ERR_IO); // it stays so
        s.close(s.user);
        assert_int_equal(server_uploads(server), 0);
        assert_false(server_delete(server, "bucket/a"));
    }
}

static atomic_int received; // parts, before they are answered

static int
count_parts(const struct server_request *r, void *user)
{
    atomic_fetch_add(&received, strstr(r->query, "partNumber") != NULL);
    return writer_permit(r, user);
}

static void
memory(void **state)
{
    tess_source s = writer_open(server, "a", NULL);
    tess_error err;
    int most = 0;
    (void)state;
    options.delay_ms = 40;
    options.permit = count_parts;
    server_set_options(server, &options);
    for (size_t at = WRITER_PART; at < SIZE; at += WRITER_PART / 2) {
        assert_int_equal(s.write(s.user, (int64_t)at, object + at, WRITER_PART / 2, &err), TESS_OK);
        const int parts = (int)(at / WRITER_PART); // begun, with this one
        assert_true(parts - atomic_load(&received) <= 5);
    }
    assert_int_equal(s.write(s.user, 0, object, WRITER_PART, &err), TESS_OK);
    assert_int_equal(s.publish(s.user, SIZE, true, &err), TESS_OK);
    s.close(s.user);
    writer_check(server, "a", object, SIZE);

    const int n = server_log_list(server, 1000, entries, LOG);
    for (int i = 0; i < n; i++) {
        int together = 0;
        for (int k = 0; k < n; k++)
            together += entries[k].start_ns <= entries[i].start_ns &&
                        entries[k].end_ns > entries[i].start_ns;
        most = together > most ? together : most;
    }
    assert_int_equal(most, 4);
}

static void
closed(void **state)
{
    (void)state;
    for (size_t size = WRITER_PART; size < SIZE; size += 3 * WRITER_PART)
        for (int delay = 0; delay <= 300; delay += 300) {
            tess_source s = writer_open(server, "a", NULL);
            tess_error err;
            assert_int_equal(
                writer_write(&s, object, size < 9 * WRITER_PART ? size : size / 4, 12345, &err),
                TESS_OK);
            options.delay_ms = delay;
            server_set_options(server, &options);
            const int64_t begin = reader_ms();
            s.close(s.user);
            assert_true(reader_ms() - begin < 3000);
            options.delay_ms = 0;
            server_set_options(server, &options);
            assert_int_equal(server_uploads(server), 0);
            assert_false(server_delete(server, "bucket/a"));
        }
}

static void
forked(void **state)
{
    if (!FORK_BESIDE_THREADS) // those of the server
        skip();
    tess_source s = writer_open(server, "a", NULL);
    tess_error err;
    int status;
    (void)state;
    assert_int_equal(s.write(s.user, WRITER_PART, object + WRITER_PART, 300000, &err), TESS_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool refused =
            s.write(s.user, WRITER_PART + 300000, object, 1, &err) == TESS_ERR_UNSUPPORTED &&
            s.publish(s.user, 1, true, &err) == TESS_ERR_UNSUPPORTED;
        s.close(s.user);
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(server_uploads(server), 1);
    assert_int_equal(s.write(s.user, 0, object, WRITER_PART, &err), TESS_OK);
    assert_int_equal(s.publish(s.user, WRITER_PART + 300000, true, &err), TESS_OK);
    s.close(s.user);
    writer_check(server, "a", object, WRITER_PART + 300000);
}

static void
plain_http(void **state)
{
    tess_http_options o = reader_options();
    tess_error err;
    (void)state;
    options.permit = NULL;
    server_set_options(server, &options);
    o.user = "user";
    o.password = "hush";
    o.part_size = WRITER_PART;
    for (int replace = 0; replace < 2; replace++) {
        tess_source s = reader_open(server, "bucket/a", &o);
        put(&s, WRITER_PART, replace);
        writer_check(server, "a", object, WRITER_PART);
    }
    const int n = server_log_list(server, 1000, entries, LOG);
    assert_int_equal(n, 3);
    assert_true(entries[n - 1].authorization);
    tess_source s = reader_open(server, "bucket/a", &o);
    assert_int_equal(writer_put(&s, object + 1, 1000, false, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EEXIST);
    s = reader_open(server, "bucket/a", &o);
    assert_int_equal(writer_put(&s, object, WRITER_PART + 1, true, &err), TESS_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "65536"));
    writer_check(server, "a", object, WRITER_PART);
    s = reader_open(server, "bucket/a", &o);
    s.head = 4 * WRITER_PART; // the program knows better
    put(&s, 3 * WRITER_PART, true);
    writer_check(server, "a", object, 3 * WRITER_PART);
    s = reader_open(server, "bucket/", &o);
    assert_null(s.write);
    assert_null(s.publish);
    s.close(s.user);
}

static void
wrong_options(void **state)
{
    static const int64_t wrong[] = {-1, 1, 65535, ((int64_t)1 << 30) + 1};
    tess_http_options o = writer_options(server);
    tess_source s = {.struct_size = sizeof s};
    tess_error err;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.part_size = wrong[i];
        assert_int_equal(tess_http_source("s3://bucket/a", &o, &s, &err), TESS_ERR_ARG);
        assert_non_null(strstr(err.message, "part_size"));
    }
    o.part_size = 0;
    assert_int_equal(tess_http_source("s3://bucket/a", &o, &s, &err), TESS_OK);
    assert_int_equal(s.head, 8 << 20);
    s.close(s.user);
    // A program of a release whose source was only read.
    memset(&s, 0, sizeof s);
    s.struct_size = offsetof(tess_source, write);
    assert_int_equal(tess_http_source("s3://bucket/a", &o, &s, &err), TESS_OK);
    assert_null(s.write);
    s.close(s.user);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sizes, reset),         cmocka_unit_test_setup(again, reset),
        cmocka_unit_test_setup(exists, reset),        cmocka_unit_test_setup(order, reset),
        cmocka_unit_test_setup(memory, reset),        cmocka_unit_test_setup(closed, reset),
        cmocka_unit_test_setup(forked, reset),        cmocka_unit_test_setup(plain_http, reset),
        cmocka_unit_test_setup(wrong_options, reset),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
