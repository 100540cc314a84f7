/*
 * faults_test.c - the faults of the server (server/server.h), each as a client sees it.
 */
#include "http/server/server.h"

#include "http/client.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { LIMIT = 2 << 20 }; // bytes of an answer without end that are received

static struct server *server;
static struct server_options options;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for the fault of the next requests
static struct server_fault fault;
static struct client_reply reply;

static void
set_fault(struct server_fault f)
{
    pthread_mutex_lock(&lock);
    fault = f;
    pthread_mutex_unlock(&lock);
}

static struct server_fault
choose(const struct server_request *request, void *user)
{
    (void)request;
    (void)user;
    pthread_mutex_lock(&lock);
    const struct server_fault f = fault;
    pthread_mutex_unlock(&lock);
    return f;
}

static int
start(void **state)
{
    (void)state;
    server_options_init(&options);
    options.fault = choose;
    server = server_start(&options);
    return server && server_put(server, "a", "0123456789", 10) ? 0 : -1;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    client_free(&reply);
    reply = (struct client_reply){0};
    return 0;
}

// Asks with a fault; the answer is in `reply`.
static void
ask(struct server_fault f, const char *request)
{
    const int fd = client_open(server_port(server));

    set_fault(f);
    client_send(fd, "%s\r\n\r\n", request);
    client_free(&reply);
    client_receive(fd, false, LIMIT, &reply);
    client_close(fd);
}

#define GET "GET /a?q HTTP/1.1"
#define GET_2_5 "GET /a HTTP/1.1\r\nRange: bytes=2-5"

static void
check_header(const char *name, const char *want)
{
    const char *const value = client_header(&reply, name);

    if (!value != !want || (want && strcmp(value, want) != 0))
        fail_msg("%s: %s instead of %s", name, value ? value : "none", want ? want : "none");
}

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// How an answer ends, and what of it comes.
static void
ends(void **state)
{
    static const struct {
        struct server_fault fault;
        const char *request;
        int status; // -1: no status line
        const char *body; // NULL: not looked at
        enum client_end end;
    } cases[] = {
        {{.kind = SERVER_NO_FAULT}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        {{.kind = SERVER_CLOSE}, GET_2_5, -1, "", CLIENT_CLOSED},
        {{.kind = SERVER_CLOSE_HEADERS}, GET_2_5, -1, NULL, CLIENT_CLOSED},
        {{.kind = SERVER_RESET}, GET_2_5, -1, "", CLIENT_RESET},
        {{.kind = SERVER_SHORT_BODY}, GET_2_5, 206, "", CLIENT_CLOSED},
        {{.kind = SERVER_SHORT_BODY, .at = 3}, GET_2_5, 206, "234", CLIENT_CLOSED},
        {{.kind = SERVER_SHORT_BODY, .at = 4}, GET_2_5, 206, "234", CLIENT_CLOSED},
        {{.kind = SERVER_SHORT_BODY, .at = 7}, GET, 200, "0123456", CLIENT_CLOSED},
        {{.kind = SERVER_CUT_CHUNKS, .at = 3}, GET_2_5, 206, "234", CLIENT_CLOSED},
        {{.kind = SERVER_LONG_BODY}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        {{.kind = SERVER_ENDLESS_BODY}, GET_2_5, 206, NULL, CLIENT_LIMIT},
        {{.kind = SERVER_ENDLESS_CHUNKS}, GET_2_5, 206, NULL, CLIENT_LIMIT},
        {{.kind = SERVER_GARBAGE}, GET_2_5, -1, NULL, CLIENT_CLOSED},
        {{.kind = SERVER_ENDLESS_HEADERS}, GET_2_5, -1, NULL, CLIENT_LIMIT},
        {{.kind = SERVER_HUGE_HEADER}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        // Ranges.
        {{.kind = SERVER_WHOLE}, GET_2_5, 200, "0123456789", CLIENT_WHOLE},
        {{.kind = SERVER_RANGE_SHIFTED}, GET_2_5, 206, "3456", CLIENT_WHOLE},
        {{.kind = SERVER_RANGE_SHIFTED}, GET, 200, "0123456789", CLIENT_WHOLE},
        {{.kind = SERVER_RANGE_SHORTER}, GET_2_5, 206, "23", CLIENT_WHOLE},
        {{.kind = SERVER_RANGE_OTHER_SIZE}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        {{.kind = SERVER_NO_CONTENT_RANGE}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        {{.kind = SERVER_NEGATIVE_LENGTH}, GET_2_5, 206, "2345", CLIENT_CLOSED},
        {{.kind = SERVER_HUGE_LENGTH}, GET_2_5, 206, "2345", CLIENT_CLOSED},
        {{.kind = SERVER_OTHER_ETAG}, GET_2_5, 206, "2345", CLIENT_WHOLE},
        {{.kind = SERVER_REPLACED}, GET_2_5, 206, "\xcd\xcc\xcb\xca", CLIENT_WHOLE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].fault, cases[i].request);
        if (reply.status != cases[i].status || reply.end != cases[i].end ||
            (cases[i].body && strcmp(reply.body, cases[i].body) != 0))
            fail_msg("%s: status %d, end %d, body %.100s", server_fault_name(cases[i].fault.kind),
                     reply.status, (int)reply.end, reply.body);
    }
    ask((struct server_fault){.kind = SERVER_RESET_BODY, .at = 2}, GET_2_5);
    assert_int_equal(reply.end, CLIENT_RESET);
}

static void
headers(void **state)
{
    static const struct {
        enum server_fault_kind kind;
        const char *name, *value;
    } cases[] = {
        {SERVER_SHORT_BODY, "Content-Length", "4"},
        {SERVER_CUT_CHUNKS, "Content-Length", NULL},
        {SERVER_CUT_CHUNKS, "Transfer-Encoding", "chunked"},
        {SERVER_LONG_BODY, "Content-Length", "4"},
        {SERVER_ENDLESS_BODY, "Content-Length", NULL},
        {SERVER_GZIP, "Content-Encoding", "gzip"},
        {SERVER_GZIP, "Content-Range", "bytes 2-5/10"},
        {SERVER_WHOLE, "Content-Range", NULL},
        {SERVER_RANGE_SHIFTED, "Content-Range", "bytes 3-6/10"},
        {SERVER_RANGE_SHORTER, "Content-Range", "bytes 2-3/10"},
        {SERVER_RANGE_OTHER_SIZE, "Content-Range", "bytes 2-5/11"},
        {SERVER_NO_CONTENT_RANGE, "Content-Range", NULL},
        {SERVER_MULTIPART_RANGES, "Content-Range", NULL},
        {SERVER_MULTIPART_RANGES, "Content-Type", "multipart/byteranges; boundary=boundary"},
        {SERVER_NEGATIVE_LENGTH, "Content-Length", "-1"},
        {SERVER_HUGE_LENGTH, "Content-Length", "18446744073709551620"},
        {SERVER_OTHER_ETAG, "ETag", "\"of-no-object\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask((struct server_fault){.kind = cases[i].kind}, GET_2_5);
        assert_int_equal(reply.status, cases[i].kind == SERVER_WHOLE ? 200 : 206);
        check_header(cases[i].name, cases[i].value);
    }
    ask((struct server_fault){.kind = SERVER_HUGE_HEADER}, GET);
    assert_true(strlen(reply.head) > 1 << 20);
    // At the end of the object the range is shifted back.
    ask((struct server_fault){.kind = SERVER_RANGE_SHIFTED}, "GET /a HTTP/1.1\r\nRange: bytes=-2");
    check_header("Content-Range", "bytes 7-8/10");
    ask((struct server_fault){.kind = SERVER_RANGE_SHIFTED}, "GET /a HTTP/1.1\r\nRange: bytes=0-");
    check_header("Content-Range", "bytes 1-9/10");
}

// Encodings of bodies.
static void
bodies(void **state)
{
    // Stored, 4 bytes; CRC-32 of "2345" is that of zlib.
    static const unsigned char packed[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,   0,   0,
                                           255,  1,    4,    0,    0xfb, 0xff, '2', '3', '4',
                                           '5',  0x2b, 0x83, 0xd2, 0xb0, 4,    0,   0,   0};
    (void)state;
    ask((struct server_fault){.kind = SERVER_GZIP}, GET_2_5);
    assert_int_equal(reply.body_size, sizeof packed);
    assert_memory_equal(reply.body, packed, sizeof packed);
    ask((struct server_fault){.kind = SERVER_MULTIPART_RANGES}, GET_2_5);
    assert_string_equal(reply.body, "--boundary\r\nContent-Type: application/octet-stream\r\n"
                                    "Content-Range: bytes 2-5/10\r\n\r\n2345\r\n--boundary--\r\n");
}

// What comes after the Content-Length.
static void
longer(void **state)
{
    const int fd = client_open(server_port(server));
    struct client_reply rest;
    (void)state;
    set_fault((struct server_fault){.kind = SERVER_LONG_BODY});
    client_send(fd, GET_2_5 "\r\n\r\n");
    client_receive(fd, false, LIMIT, &reply);
    assert_string_equal(reply.body, "2345");
    client_receive(fd, false, LIMIT, &rest);
    assert_int_equal(rest.end, CLIENT_CLOSED);
    assert_int_equal(rest.body_size, 65536);
    client_free(&rest);
    client_close(fd);
}

static void
statuses(void **state)
{
    static const struct {
        struct server_fault fault;
        int status;
        const char *name, *value;
    } cases[] = {
        {{.kind = SERVER_403}, 403, "Retry-After", NULL},
        {{.kind = SERVER_404}, 404, "Retry-After", NULL},
        {{.kind = SERVER_408}, 408, "Retry-After", NULL},
        {{.kind = SERVER_416}, 416, "Content-Range", "bytes */0"},
        {{.kind = SERVER_429}, 429, "Retry-After", "0"},
        {{.kind = SERVER_429, .seconds = 7}, 429, "Retry-After", "7"},
        {{.kind = SERVER_500}, 500, "Retry-After", NULL},
        {{.kind = SERVER_502}, 502, "Retry-After", NULL},
        {{.kind = SERVER_503, .seconds = 3}, 503, "Retry-After", "3"},
        {{.kind = SERVER_REDIRECT_CIRCLE}, 302, "Location", "/a?q"},
        {{.kind = SERVER_REDIRECT_PATH, .status = 301}, 301, "Location", "/a?q&moved"},
        {{.kind = SERVER_REDIRECT_PATH, .status = 307, .target = "/b"}, 307, "Location", "/b"},
        {{.kind = SERVER_ERROR_IN_200}, 200, "Content-Type", "application/xml"},
    };
    char location[100];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].fault, GET);
        assert_int_equal(reply.status, cases[i].status);
        assert_int_equal(reply.end, CLIENT_WHOLE);
        assert_non_null(strstr(reply.body, "<Error><Code>"));
        check_header(cases[i].name, cases[i].value);
    }
    ask((struct server_fault){.kind = SERVER_REDIRECT_HOST, .status = 308}, GET);
    assert_int_equal(reply.status, 308);
    (void)snprintf(location, sizeof location, "http://localhost:%d/a?q", server_port(server));
    check_header("Location", location);
    // A date, that many seconds from now.
    struct tm tm = {0};
    ask((struct server_fault){.kind = SERVER_429_DATE, .seconds = 100}, GET);
    const char *const end =
        strptime(client_header(&reply, "Retry-After"), "%a, %d %b %Y %H:%M:%S GMT", &tm);
    assert_true(end && !*end);
    const double left = difftime(timegm(&tm), time(NULL));
    assert_true(left > 60 && left <= 100);
}

static void
stalls(void **state)
{
    (void)state;
    for (int in_body = 0; in_body < 2; in_body++) {
        const double before = seconds();
        ask((struct server_fault){in_body ? SERVER_STALL_BODY : SERVER_STALL_ANSWER, 150, 2, 0, 0,
                                  NULL},
            GET_2_5);
        assert_true(seconds() - before >= 0.15);
        assert_string_equal(reply.body, "2345");
        assert_int_equal(reply.end, CLIENT_WHOLE);
    }
    // What comes before the stall is sent; the client does not wait for the rest.
    const int fd = client_open(server_port(server));
    struct client_reply begun;
    struct server_entry log[3];
    set_fault((struct server_fault){.kind = SERVER_STALL_BODY, .ms = 600000, .at = 3});
    client_send(fd, GET_2_5 "\r\n\r\n");
    client_receive(fd, true, LIMIT, &begun);
    client_free(&begun);
    client_receive(fd, false, 3, &begun);
    assert_string_equal(begun.body, "234");
    client_free(&begun);
    client_close(fd);
    // The thread of the connection learns of that.
    assert_int_equal(server_log_list(server, 10000, log, 3), 3);
    assert_true(log[2].end_ns > 0);
    assert_int_equal(log[2].sent, 3);
    assert_int_equal(log[2].fault, SERVER_STALL_BODY);
}

// Statuses keep a request from being executed; a lost answer does not.
static void
executions(void **state)
{
    size_t size;
    (void)state;
    ask((struct server_fault){.kind = SERVER_503}, "PUT /b HTTP/1.1\r\nContent-Length: 0");
    assert_null(server_get(server, "b", &size));
    ask((struct server_fault){.kind = SERVER_CLOSE}, "PUT /b HTTP/1.1\r\nContent-Length: 0");
    assert_int_equal(reply.end, CLIENT_CLOSED);
    uint8_t *const bytes = server_get(server, "b", &size);
    assert_non_null(bytes);
    free(bytes);
    ask((struct server_fault){.kind = SERVER_REDIRECT_CIRCLE}, "DELETE /b HTTP/1.1");
    ask((struct server_fault){.kind = SERVER_SHORT_BODY}, "DELETE /b HTTP/1.1");
    assert_int_equal(reply.status, 204);
    assert_null(server_get(server, "b", &size));
}

// The answers without a body, or to requests of other kinds, bear all faults, too.
static void
all_kinds(void **state)
{
    static const char *const requests[] = {
        GET,
        "GET /empty HTTP/1.1",
        "GET /none HTTP/1.1\r\nRange: bytes=0-1",
        "GET /a HTTP/1.1\r\nRange: bytes=3-3",
        "GET /a HTTP/1.1\r\nRange: bytes=30-",
        "GET /a HTTP/1.1\r\nIf-None-Match: *",
        "PUT /b HTTP/1.1\r\nContent-Length: 0",
        "DELETE /b HTTP/1.1",
        "POST /b?uploads HTTP/1.1",
    };
    (void)state;
    assert_true(server_put(server, "empty", "", 0));
    for (int kind = 0; kind < SERVER_FAULTS; kind++) {
        assert_non_null(server_fault_name((enum server_fault_kind)kind));
        for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
            char text[200];
            (void)snprintf(text, sizeof text, "%s\r\nConnection: close", requests[i]);
            ask((struct server_fault){.kind = (enum server_fault_kind)kind, .ms = 1}, text);
        }
    }
}

// The same seed is the same faults, in about that share of requests.
static void
chance(void **state)
{
    enum { REQUESTS = 10000 };
    struct server_chance c = {.seed = 7, .probability = 0.25};
    struct server_request request = {.last = INT64_MAX};
    int count[SERVER_FAULTS] = {0};
    (void)state;
    for (request.number = 1; request.number <= REQUESTS; request.number++) {
        const struct server_fault one = server_fault_by_chance(&request, &c);
        const struct server_fault two = server_fault_by_chance(&request, &c);
        assert_int_equal(one.kind, two.kind);
        assert_int_equal(one.at, two.at);
        count[one.kind]++;
    }
    assert_true(count[SERVER_NO_FAULT] > 7300 && count[SERVER_NO_FAULT] < 7700);
    for (int kind = 1; kind < SERVER_FAULTS; kind++)
        assert_true(count[kind] > 20);
    c.kinds = SERVER_KIND(SERVER_503) | SERVER_KIND(SERVER_CLOSE);
    c.probability = 1;
    for (request.number = 1; request.number <= 100; request.number++) {
        const enum server_fault_kind kind = server_fault_by_chance(&request, &c).kind;
        assert_true(kind == SERVER_503 || kind == SERVER_CLOSE);
    }
    c.probability = 0;
    assert_int_equal(server_fault_by_chance(&request, &c).kind, SERVER_NO_FAULT);
}

#define ON_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SERVER(ends),       ON_SERVER(headers),   ON_SERVER(bodies),
        ON_SERVER(longer),     ON_SERVER(statuses),  ON_SERVER(stalls),
        ON_SERVER(executions), ON_SERVER(all_kinds), cmocka_unit_test(chance),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
