/*
 * write_faults_test.c - writing to S3 while something goes wrong, at each step: what may pass is
 * tried again; else the call fails, no upload is left, and others find what was there before.
 */
#include "http/reader.h"
#include "http/writer.h"

#include "support/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 6 * WRITER_PART + 1234, SMALL = 1000 };

enum step { STEP_BEGIN, STEP_PART_1, STEP_PART_3, STEP_COMPLETE, STEP_PUT, STEPS };
static const char *const step_names[STEPS] = {"begin", "part 1", "part 3", "complete", "put"};

// Which requests have a fault.
static struct plan {
    enum step step;
    struct server_fault fault;
    int first, last; // of the requests of that step, from 0
    atomic_int seen; // of them
} plan;

static struct server *server;
static struct server_options options;
static uint8_t object[SIZE];

static bool
is_step(const struct server_request *r, enum step step)
{
    switch (step) {
    case STEP_BEGIN:
        return strcmp(r->method, "POST") == 0 && strcmp(r->query, "uploads") == 0;
    case STEP_PART_1:
        return strstr(r->query, "partNumber=1&");
    case STEP_PART_3:
        return strstr(r->query, "partNumber=3&");
    case STEP_COMPLETE:
        return strcmp(r->method, "POST") == 0 && strstr(r->query, "uploadId=");
    default:
        return strcmp(r->method, "PUT") == 0 && r->query[0] == '\0';
    }
}

static struct server_fault
planned(const struct server_request *r, void *user)
{
    (void)user;
    if (is_step(r, plan.step)) {
        const int n = atomic_fetch_add(&plan.seen, 1);
        if (n >= plan.first && n <= plan.last)
            return plan.fault;
    }
    return (struct server_fault){.kind = SERVER_NO_FAULT};
}

static int
start(void **state)
{
    struct random rnd;
    (void)state;
    random_init(&rnd, random_seed());
    random_bytes(&rnd, object, sizeof object);
    server_options_init(&options);
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

// The requests first to last of a step have a fault. Nothing is there.
static void
set_plan(enum step step, struct server_fault fault, int first, int last)
{
    server_options_init(&options);
    options.part_least = WRITER_PART;
    options.permit = writer_permit;
    options.fault = planned;
    plan.step = step;
    plan.fault = fault;
    plan.first = first;
    plan.last = last;
    atomic_store(&plan.seen, 0);
    server_set_options(server, &options);
    server_log_reset(server);
    (void)server_delete(server, "bucket/a");
}

// Faults of uploads whose beginning was executed, and not answered, are left: no client can know.
static int left;

static tess_status
put_with(const tess_http_options *o, bool replace, tess_error *err)
{
    tess_source s = writer_open(server, "a", o);
    return writer_put(&s, object, plan.step == STEP_PUT ? SMALL : SIZE, replace, err);
}

static void
check_there(void)
{
    writer_check(server, "a", object, plan.step == STEP_PUT ? SMALL : SIZE);
}

static bool
executed(enum server_fault_kind kind) // though the answer does not come
{
    return kind == SERVER_STALL_ANSWER || kind == SERVER_CLOSE || kind == SERVER_CLOSE_HEADERS ||
           kind == SERVER_RESET || kind == SERVER_SHORT_BODY || kind == SERVER_ENDLESS_HEADERS ||
           kind == SERVER_NEGATIVE_LENGTH;
}

static void
check_left(enum step step, enum server_fault_kind kind, int times)
{
    left += step == STEP_BEGIN && executed(kind) ? times : 0;
    if (server_uploads(server) != left)
        fail_msg("%s, %s: %d uploads left, not %d", step_names[step], server_fault_name(kind),
                 server_uploads(server), left);
}

static const struct server_fault passing[] = {
    {.kind = SERVER_500},
    {.kind = SERVER_502},
    {.kind = SERVER_503, .seconds = 1},
    {.kind = SERVER_408},
    {.kind = SERVER_429},
    {.kind = SERVER_BAD_DIGEST},
    {.kind = SERVER_CLOSE},
    {.kind = SERVER_CLOSE_HEADERS},
    {.kind = SERVER_RESET},
    {.kind = SERVER_NEGATIVE_LENGTH},
    {.kind = SERVER_STALL_ANSWER, .ms = 2000},
};

// Once, at each step: nothing is noticed.
static void
pass(void **state)
{
    tess_error err;
    (void)state;
    for (int step = 0; step < STEPS; step++)
        for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
            for (int replace = 0; replace < 2; replace++) {
                if (passing[i].seconds > 0 && replace)
                    continue; // takes a second
                set_plan((enum step)step, passing[i], 0, 0);
                if (put_with(NULL, replace, &err) != TESS_OK)
                    fail_msg("%s, %s, replace %d: %s", step_names[step],
                             server_fault_name(passing[i].kind), replace, err.message);
                assert_true(atomic_load(&plan.seen) >= 1);
                check_there();
                check_left((enum step)step, passing[i].kind, 1);
            }
}

// Always: the call fails, and says why.
static void
stay(void **state)
{
    static const struct {
        struct server_fault fault;
        int sys;
        const char *message;
    } rows[] = {
        {{.kind = SERVER_403}, EACCES, "403 AccessDenied"},
        {{.kind = SERVER_500}, 0, "500 InternalError"},
        {{.kind = SERVER_503}, 0, "503"},
        {{.kind = SERVER_BAD_DIGEST}, 0, "BadDigest"},
        {{.kind = SERVER_REDIRECT_HOST, .status = 307}, 0, "redirects are not followed"},
        {{.kind = SERVER_REDIRECT_PATH, .status = 301}, 0, "redirects are not followed"},
    };
    tess_http_options o = writer_options(server);
    (void)state;
    o.tries = 2;
    for (int step = 0; step < STEPS; step++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int replace = 0; replace < 2; replace++) {
                tess_error err;
                set_plan((enum step)step, rows[i].fault, 0, 1000);
                if (replace)
                    assert_true(server_put(server, "bucket/a", object + 1, 10));
                const tess_status st = put_with(&o, replace, &err);
                if (st != TESS_ERR_IO || err.sys != rows[i].sys ||
                    !strstr(err.message, rows[i].message) || !strstr(err.message, "127.0.0.1"))
                    fail_msg("%s, %s: %d, sys %d, %s", step_names[step],
                             server_fault_name(rows[i].fault.kind), st, err.sys, err.message);
                if (replace)
                    writer_check(server, "a", object + 1, 10);
                else
                    assert_false(server_delete(server, "bucket/a"));
                assert_int_equal(server_uploads(server), left);
            }
}

// Parts, or an object that replaces another, whose answers are lost for ever.
static void
lost(void **state)
{
    static const enum step steps[] = {STEP_BEGIN, STEP_PART_1, STEP_PART_3};
    tess_http_options o = writer_options(server);
    tess_error err;
    (void)state;
    o.tries = 3;
    for (size_t i = 0; i < 3; i++) {
        set_plan(steps[i], (struct server_fault){.kind = SERVER_CLOSE}, 0, 1000);
        assert_int_equal(put_with(&o, true, &err), TESS_ERR_IO);
        assert_non_null(strstr(err.message, "tries: 3"));
        assert_false(server_delete(server, "bucket/a"));
        check_left(steps[i], SERVER_CLOSE, 3);
    }
}

// The last answer is lost, once or for ever: what the server has tells.
static void
lost_end(void **state)
{
    static const enum server_fault_kind kinds[] = {SERVER_CLOSE, SERVER_RESET, SERVER_SHORT_BODY};
    tess_error err;
    (void)state;
    for (int put = 0; put < 2; put++)
        for (int replace = put; replace < 2; replace++)
            for (size_t i = 0; i < 3; i++)
                for (int last = 0; last < 1000; last += 500) {
                    const bool is_put = put && !replace;
                    if (is_put && kinds[i] == SERVER_SHORT_BODY)
                        continue; // its answer has no body
                    set_plan(is_put ? STEP_PUT : STEP_COMPLETE,
                             (struct server_fault){.kind = kinds[i]}, 0, last);
                    if (put_with(NULL, replace, &err) != TESS_OK)
                        fail_msg("put %d, replace %d, %s to %d: %s", put, replace,
                                 server_fault_name(kinds[i]), last, err.message);
                    check_there();
                    assert_int_equal(server_uploads(server), left);
                }
    for (int last = 0; last < 1000; last += 500) { // not replaced, by one request
        set_plan(STEP_PUT, (struct server_fault){.kind = SERVER_CLOSE}, 0, last);
        if (put_with(NULL, false, &err) != TESS_OK)
            fail_msg("to %d: %s", last, err.message);
        check_there();
    }
}

// The status of a completion says nothing.
static void
error_in_200(void **state)
{
    tess_http_options o = writer_options(server);
    tess_error err;
    (void)state;
    set_plan(STEP_COMPLETE, (struct server_fault){.kind = SERVER_ERROR_IN_200}, 0, 1);
    assert_int_equal(put_with(NULL, false, &err), TESS_OK);
    check_there();
    assert_int_equal(server_uploads(server), left);

    o.tries = 3;
    set_plan(STEP_COMPLETE, (struct server_fault){.kind = SERVER_ERROR_IN_200}, 0, 1000);
    assert_int_equal(put_with(&o, false, &err), TESS_ERR_IO);
    assert_non_null(strstr(err.message, "InternalError"));
    assert_int_equal(atomic_load(&plan.seen), 3);
    assert_false(server_delete(server, "bucket/a"));
    assert_int_equal(server_uploads(server), left);
}

// Nothing was completed, and what is there is another object.
static void
not_ours(void **state)
{
    tess_http_options o = writer_options(server);
    tess_error err;
    (void)state;
    o.tries = 2;
    set_plan(STEP_COMPLETE, (struct server_fault){.kind = SERVER_500}, 0, 1000);
    assert_true(server_put(server, "bucket/a", object, SIZE - 1));
    assert_int_equal(put_with(&o, true, &err), TESS_ERR_IO);
    writer_check(server, "a", object, SIZE - 1);
    assert_int_equal(server_uploads(server), left);
}

static void
conflicts(void **state)
{
    tess_error err;
    (void)state;
    // A single request is tried again; an upload needs its parts anew.
    set_plan(STEP_PUT, (struct server_fault){.kind = SERVER_CONFLICT}, 0, 1);
    assert_int_equal(put_with(NULL, false, &err), TESS_OK);
    check_there();
    set_plan(STEP_COMPLETE, (struct server_fault){.kind = SERVER_CONFLICT}, 0, 0);
    assert_int_equal(put_with(NULL, false, &err), TESS_ERR_IO);
    assert_non_null(strstr(err.message, "409 ConditionalRequestConflict"));
    assert_int_equal(server_uploads(server), left);
    assert_false(server_delete(server, "bucket/a"));
}

static void
too_small(void **state)
{
    tess_error err;
    (void)state;
    set_plan(STEP_PUT, (struct server_fault){.kind = SERVER_NO_FAULT}, 0, 0);
    options.part_least = WRITER_PART + 1;
    server_set_options(server, &options);
    tess_source s = writer_open(server, "a", NULL);
    assert_int_equal(writer_put(&s, object, SIZE, true, &err), TESS_ERR_IO);
    assert_non_null(strstr(err.message, "EntityTooSmall"));
    assert_int_equal(server_uploads(server), left);
}

// No server at the end: closing does not take long.
static void
gone(void **state)
{
    struct server *const other = server_start(&options);
    tess_http_options o = writer_options(other);
    tess_error err;
    (void)state;
    assert_non_null(other);
    set_plan(STEP_PUT, (struct server_fault){.kind = SERVER_NO_FAULT}, 0, 0);
    server_set_options(other, &options);
    tess_source s = writer_open(other, "a", &o);
    assert_int_equal(writer_write(&s, object, SIZE, 1000, &err), TESS_OK);
    server_stop(other);
    const int64_t begin = reader_ms();
    assert_int_equal(s.publish(s.user, SIZE, true, &err), TESS_ERR_IO);
    s.close(s.user);
    assert_true(reader_ms() - begin < 15000);
    (void)writer_options(server);
}

// Any fault anywhere: the object is there and right if the call says so, nothing or the one before
// if not.
static void
chance(void **state)
{
    const char *const most = getenv("TESS_TEST_LONG");
    const int rounds = most ? 2000 : 40;
    struct server_chance c = {.probability = 0.15, .ms = 600};
    tess_http_options o = writer_options(server);
    int failed = 0;
    (void)state;
    c.seed = random_seed();
    // Faults of bodies without an end, and those that change what is stored, are not of this test.
    c.kinds = SERVER_KIND(SERVER_STALL_ANSWER) | SERVER_KIND(SERVER_CLOSE) |
              SERVER_KIND(SERVER_CLOSE_HEADERS) | SERVER_KIND(SERVER_RESET) |
              SERVER_KIND(SERVER_SHORT_BODY) | SERVER_KIND(SERVER_CUT_CHUNKS) |
              SERVER_KIND(SERVER_403) | SERVER_KIND(SERVER_500) | SERVER_KIND(SERVER_503) |
              SERVER_KIND(SERVER_GARBAGE) | SERVER_KIND(SERVER_HUGE_HEADER) |
              SERVER_KIND(SERVER_ENDLESS_HEADERS) | SERVER_KIND(SERVER_BAD_DIGEST) |
              SERVER_KIND(SERVER_CONFLICT) | SERVER_KIND(SERVER_ERROR_IN_200) |
              SERVER_KIND(SERVER_NEGATIVE_LENGTH);
    o.stall_timeout = 300;
    for (int i = 0; i < rounds; i++) {
        const size_t size = i % 3 ? SIZE : SMALL;
        const bool replace = i & 1;
        tess_error err;
        size_t have_size;
        set_plan(STEP_PUT, (struct server_fault){.kind = SERVER_NO_FAULT}, 0, 0);
        if (replace)
            assert_true(server_put(server, "bucket/a", object + 1, 10));
        options.fault = server_fault_by_chance;
        options.fault_user = &c;
        server_set_options(server, &options);
        c.seed += 0x9e3779b97f4a7c15;
        tess_source s = writer_open(server, "a", &o);
        const tess_status st = writer_put(&s, object, size, replace, &err);
        if (st == TESS_OK) {
            writer_check(server, "a", object, size);
            continue;
        }
        failed++;
        assert_true(st == TESS_ERR_IO || st == TESS_ERR_NOT_FOUND);
        uint8_t *const have = server_get(server, "bucket/a", &have_size);
        if (have && !(have_size == size && memcmp(have, object, size) == 0)) // not known to be ours
            assert_true(replace && have_size == 10);
        free(have);
    }
    printf("%d of %d failed\n", failed, rounds);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass),         cmocka_unit_test(stay),      cmocka_unit_test(lost),
        cmocka_unit_test(lost_end),     cmocka_unit_test(not_ours),  cmocka_unit_test(conflicts),
        cmocka_unit_test(error_in_200), cmocka_unit_test(too_small), cmocka_unit_test(gone),
        cmocka_unit_test(chance),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
