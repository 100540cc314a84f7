/*
 * server_test.c - the server of the tests (server/server.h) without faults: ranges, conditions,
 * connections, uploads, objects, the log.
 */
#include "http/server/server.h"

#include "http/client.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct server *server;
static struct server_options options;
static int port;

static int
start(void **state)
{
    (void)state;
    server_options_init(&options);
    server = server_start(&options);
    assert_non_null(server);
    port = server_port(server);
    assert_true(server_put(server, "a", "0123456789", 10));
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    return 0;
}

// Asks, and frees the answer before.
static const struct client_reply *
ask(const char *format, ...)
{
    static struct client_reply reply;
    char text[4096];
    va_list args;

    client_free(&reply);
    reply = (struct client_reply){0};
    if (!format)
        return NULL;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    client_ask(port, text, &reply);
    return &reply;
}

static void
check_reply(const struct client_reply *r, int status, const char *body)
{
    assert_int_equal(r->status, status);
    assert_string_equal(r->body, body);
}

static void
ranges(void **state)
{
    static const struct {
        const char *range, *body, *content_range;
        int status;
    } cases[] = {
        {"bytes=0-0", "0", "bytes 0-0/10", 206},
        {"bytes=2-5", "2345", "bytes 2-5/10", 206},
        {"bytes=9-9", "9", "bytes 9-9/10", 206},
        {"bytes=7-", "789", "bytes 7-9/10", 206},
        {"bytes=0-", "0123456789", "bytes 0-9/10", 206},
        {"bytes=7-100", "789", "bytes 7-9/10", 206},
        {"bytes=7-99999999999999999999999", "789", "bytes 7-9/10", 206},
        {"bytes=-3", "789", "bytes 7-9/10", 206},
        {"bytes=-100", "0123456789", "bytes 0-9/10", 206},
        {"bytes=10-12", NULL, "bytes */10", 416},
        {"bytes=99999999999999999999999-", NULL, "bytes */10", 416},
        {"bytes=-0", NULL, "bytes */10", 416},
        // Malformed, or several: ignored.
        {"bytes=5-2", "0123456789", NULL, 200},
        {"bytes=0-1,4-5", "0123456789", NULL, 200},
        {"bytes=x-1", "0123456789", NULL, 200},
        {"bytes=-", "0123456789", NULL, 200},
        {"items=0-1", "0123456789", NULL, 200},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct client_reply *const r = ask("GET /a\r\nRange: %s", cases[i].range);
        const char *const content_range = client_header(r, "Content-Range");
        if (r->status != cases[i].status)
            fail_msg("%s: status %d", cases[i].range, r->status);
        if (cases[i].body)
            assert_string_equal(r->body, cases[i].body);
        assert_int_equal(!content_range, !cases[i].content_range);
        if (content_range)
            assert_string_equal(content_range, cases[i].content_range);
    }
    const struct client_reply *const head = ask("HEAD /a\r\nRange: bytes=2-5");
    assert_int_equal(head->status, 206);
    assert_string_equal(client_header(head, "Content-Length"), "4");
    assert_true(server_put(server, "empty", "", 0));
    check_reply(ask("GET /empty"), 200, "");
    assert_int_equal(ask("GET /empty\r\nRange: bytes=0-")->status, 416);
    assert_int_equal(ask("GET /b")->status, 404);
}

static void
conditions(void **state)
{
    char etag[100];
    (void)state;
    (void)snprintf(etag, sizeof etag, "%s", client_header(ask("HEAD /a"), "ETag"));
    assert_int_equal(etag[0], '"');
    assert_non_null(client_header(ask("HEAD /a"), "Last-Modified"));
    check_reply(ask("GET /a\r\nIf-Match: %s\r\nRange: bytes=1-2", etag), 206, "12");
    check_reply(ask("GET /a\r\nIf-Match: \"x\", %s", etag), 200, "0123456789");
    assert_int_equal(ask("GET /a\r\nIf-Match: \"x\"")->status, 412);
    assert_int_equal(ask("GET /a\r\nIf-Match: W/%s", etag)->status, 412);
    check_reply(ask("GET /a\r\nIf-None-Match: %s", etag), 304, "");
    assert_string_equal(client_header(ask("GET /a\r\nIf-None-Match: *"), "ETag"), etag);
    check_reply(ask("GET /a\r\nIf-Range: %s\r\nRange: bytes=1-2", etag), 206, "12");
    check_reply(ask("GET /a\r\nIf-Range: \"x\"\r\nRange: bytes=1-2"), 200, "0123456789");

    // A replacement has another ETag, also if it has the same bytes.
    assert_true(server_put(server, "a", "0123456789", 10));
    assert_int_equal(ask("GET /a\r\nIf-Match: %s", etag)->status, 412);

    options.etag = SERVER_ETAG_WEAK;
    server_set_options(server, &options);
    (void)snprintf(etag, sizeof etag, "%s", client_header(ask("HEAD /a"), "ETag"));
    assert_memory_equal(etag, "W/\"", 3);
    assert_int_equal(ask("GET /a\r\nIf-Match: %s", etag)->status, 412);
    assert_int_equal(ask("GET /a\r\nIf-None-Match: %s", etag)->status, 304);
    options.etag = SERVER_ETAG_NONE;
    server_set_options(server, &options);
    assert_null(client_header(ask("HEAD /a"), "ETag"));
}

static void
writes(void **state)
{
    size_t size;
    (void)state;
    assert_int_equal(ask("PUT /b%%20c/d?x\r\nContent-Length: 3\r\n\r\nxyz")->status, 200);
    uint8_t *const bytes = server_get(server, "b c/d", &size);
    assert_true(bytes && size == 3);
    assert_memory_equal(bytes, "xyz", 3);
    free(bytes);
    assert_int_equal(ask("DELETE /a")->status, 204);
    assert_int_equal(ask("GET /a")->status, 404);
    assert_int_equal(ask("DELETE /a")->status, 204);
    assert_false(server_delete(server, "a"));
}

// Several requests, also sent at once, on one connection.
static void
connections(void **state)
{
    struct client_reply r;
    const int fd = client_open(port);
    (void)state;
    client_send(fd, "GET /a HTTP/1.1\r\n\r\nHEAD /a HTTP/1.1\r\n\r\n"
                    "PUT /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nxyz\r\nA;e=1\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
                    "GET /b HTTP/1.1\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < 4; i++) {
        client_receive(fd, i == 1, 10000, &r);
        assert_int_equal(r.status, 200);
        assert_int_equal(r.end, CLIENT_WHOLE);
        assert_string_equal(r.body, i == 0 ? "0123456789" : i == 3 ? "xyz0123456789" : "");
        client_free(&r);
    }
    client_receive(fd, false, 10000, &r);
    assert_int_equal(r.end, CLIENT_CLOSED);
    client_free(&r);
    client_close(fd);
    assert_int_equal(server_log_count(server), 4);
}

static void
expectation(void **state)
{
    struct client_reply r;
    const int fd = client_open(port);
    (void)state;
    client_send(fd, "PUT /b HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
    client_receive(fd, true, 1000, &r);
    assert_int_equal(r.status, 100);
    client_free(&r);
    client_send(fd, "xyz");
    client_receive(fd, false, 1000, &r);
    assert_int_equal(r.status, 200);
    client_free(&r);
    client_close(fd);
}

static void
malformed(void **state)
{
    static const struct {
        const char *request;
        int status;
    } cases[] = {
        {"GET\r\n\r\n", 400},
        {"GET /a HTTP/2\r\n\r\n", 400},
        {"GET http://x/ HTTP/1.1\r\n\r\n", 400},
        {"GET /%zz HTTP/1.1\r\n\r\n", 400},
        {"GET /%00 HTTP/1.1\r\n\r\n", 400},
        {"GET /a HTTP/1.1\r\nno colon\r\n\r\n", 400},
        {"PUT /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
        {"PUT /a HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", 400},
        {"PUT /a HTTP/1.1\r\nContent-Length: 9000000000000000000\r\n\r\n", 413},
        {"PUT /a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
        {"PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
        {"PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 413},
        {"PATCH /a HTTP/1.1\r\nConnection: close\r\n\r\n", 405},
    };
    struct client_reply r;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int fd = client_open(port);
        client_send(fd, "%s", cases[i].request);
        client_receive(fd, false, 10000, &r);
        if (r.status != cases[i].status)
            fail_msg("%s: status %d", cases[i].request, r.status);
        client_free(&r);
        client_receive(fd, false, 10000, &r);
        assert_int_equal(r.end, CLIENT_CLOSED);
        client_free(&r);
        client_close(fd);
    }
    // A head without end.
    char *const line = malloc(100000);
    assert_non_null(line);
    memset(line, 'x', 99999);
    line[99999] = '\0';
    const int fd = client_open(port);
    client_send(fd, "GET /%s", line);
    client_receive(fd, false, 10000, &r);
    assert_int_equal(r.status, 431);
    client_free(&r);
    client_close(fd);
    free(line);
}

static int
refuse_unsigned(const struct server_request *request, void *user)
{
    (void)user;
    return server_header(request, "authorization") ? 0 : 403;
}

static void
permits(void **state)
{
    struct server_entry log[8];
    (void)state;
    options.permit = refuse_unsigned;
    server_set_options(server, &options);
    assert_int_equal(ask("PUT /b\r\nContent-Length: 0")->status, 403);
    assert_int_equal(ask("GET /a\r\nAuthorization: x")->status, 200);
    assert_int_equal(ask("GET /b\r\nAuthorization: x")->status, 404);
    assert_int_equal(server_log_list(server, 1000, log, 8), 3);
    assert_false(log[0].authorization);
    assert_true(log[1].authorization);
}

static void
logs(void **state)
{
    struct server_entry log[2];
    (void)state;
    (void)ask("GET /a?x=1\r\nRange: bytes=2-5");
    (void)ask("HEAD /a");
    assert_int_equal(server_log_list(server, 1000, log, 2), 2);
    assert_int_equal(log[0].number, 1);
    assert_string_equal(log[0].method, "GET");
    assert_string_equal(log[0].path, "/a?x=1");
    assert_string_equal(log[0].range, "bytes=2-5");
    assert_memory_equal(log[0].host, "127.0.0.1:", 10);
    assert_int_equal(log[0].status, 206);
    assert_int_equal(log[0].sent, 4);
    assert_true(log[0].start_ns > 0 && log[0].end_ns >= log[0].start_ns);
    assert_string_equal(log[1].method, "HEAD");
    assert_int_equal(log[1].sent, 0);
    server_log_reset(server);
    assert_int_equal(server_log_count(server), 0);
    (void)ask("HEAD /a");
    assert_int_equal(server_log_list(server, 1000, log, 2), 1);
    assert_int_equal(log[0].number, 1);
}

// Files, also those that are there already; nothing outside.
static void
directory(void **state)
{
    struct server_options with = options;
    char etag[100], folder[600];
    size_t size;
    (void)state;
    files_begin();
    (void)snprintf(folder, sizeof folder, "%s", files_path("."));
    files_write(files_path("f"), "0123456789", 10);
    with.directory = folder;
    struct server *const s = server_start(&with);
    assert_non_null(s);
    port = server_port(s);
    check_reply(ask("GET /f\r\nRange: bytes=-3"), 206, "789");
    (void)snprintf(etag, sizeof etag, "%s", client_header(ask("HEAD /f"), "ETag"));
    assert_true(server_put(s, "f", "9876543210", 10));
    check_reply(ask("GET /f\r\nRange: bytes=0-2"), 206, "987");
    assert_int_equal(ask("GET /f\r\nIf-Match: %s", etag)->status, 412);
    assert_int_equal(ask("PUT /p/q/r\r\nContent-Length: 0")->status, 200);
    assert_int_equal(ask("PUT /f\r\nIf-None-Match: *\r\nContent-Length: 0")->status, 412);
    uint8_t *const bytes = server_get(s, "p/q/r", &size);
    assert_true(bytes && size == 0);
    free(bytes);
    assert_int_equal(ask("GET /p")->status, 404);
    assert_int_equal(ask("GET /p/../f")->status, 404);
    assert_int_equal(ask("GET /%%2e%%2e/f")->status, 404);
    assert_int_equal(ask("PUT /../x\r\nContent-Length: 0")->status, 400);
    assert_int_equal(ask("DELETE /f")->status, 204);
    assert_false(files_exist(files_path("f")));
    assert_int_equal(files_count(), 1);
    server_stop(s);
    files_end();
}

static int
end(void **state)
{
    (void)state;
    (void)ask(NULL);
    return 0;
}

#define ON_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SERVER(ranges),      ON_SERVER(conditions),  ON_SERVER(writes),
        ON_SERVER(connections), ON_SERVER(expectation), ON_SERVER(malformed),
        ON_SERVER(permits),     ON_SERVER(logs),        ON_SERVER(directory),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, end);
}
