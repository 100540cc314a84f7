/*
 * uploads_test.c - uploads in parts at the server of the tests (server/server.h), as S3 has them.
 */
#include "http/server/server.h"

#include "http/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LEAST = 4 }; // bytes of a part that is not the last

static struct server *server;
static struct client_reply reply;

static int
start(void **state)
{
    struct server_options options;
    (void)state;
    server_options_init(&options);
    options.part_least = LEAST;
    server = server_start(&options);
    return server ? 0 : -1;
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

// The status; the answer stays until the next.
static int
ask(const char *line, const char *headers, const char *body)
{
    char text[4096];

    (void)snprintf(text, sizeof text, "%s\r\n%sContent-Length: %zu\r\n\r\n%s", line, headers,
                   strlen(body), body);
    client_free(&reply);
    client_ask(server_port(server), text, &reply);
    return reply.status;
}

// An upload of object "o".
static void
begin(char id[64])
{
    assert_int_equal(ask("POST /o?uploads", "", ""), 200);
    const char *const at = strstr(reply.body, "<UploadId>");
    assert_non_null(at);
    (void)snprintf(id, 64, "%.*s", (int)strcspn(at + 10, "<"), at + 10);
}

static void
put_part(const char *id, int number, const char *body, char etag[100])
{
    char line[200];

    (void)snprintf(line, sizeof line, "PUT /o?partNumber=%d&uploadId=%s", number, id);
    assert_int_equal(ask(line, "", body), 200);
    (void)snprintf(etag, 100, "%s", client_header(&reply, "ETag"));
}

static int
complete(const char *id, const char *headers, const char *list)
{
    char line[200], body[2000];

    (void)snprintf(line, sizeof line, "POST /o?uploadId=%s", id);
    (void)snprintf(body, sizeof body, "<CompleteMultipartUpload>%s</CompleteMultipartUpload>",
                   list);
    return ask(line, headers, body);
}

// What completes an upload of two parts.
static const char *
list_of(int first, const char *first_tag, int second, const char *second_tag)
{
    static char list[1000];

    (void)snprintf(list, sizeof list,
                   "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>\n"
                   "<Part><ETag>%s</ETag><PartNumber> %d </PartNumber></Part>",
                   first, first_tag, second_tag, second);
    return list;
}

static void
check_refusal(int got, int status, const char *code)
{
    char element[100];

    assert_int_equal(got, status);
    (void)snprintf(element, sizeof element, "<Code>%s</Code>", code);
    if (!strstr(reply.body, element))
        fail_msg("%s instead of %s", reply.body, code);
}

// Parts in any order, one of them replaced; the object is there from the end on.
static void
completed(void **state)
{
    char id[64], one[100], two[100];
    (void)state;
    begin(id);
    put_part(id, 7, "world", two);
    put_part(id, 2, "wrong", one);
    put_part(id, 2, "hello ", one);
    put_part(id, 9, "not listed", two);
    put_part(id, 7, "world", two);
    assert_int_equal(ask("GET /o", "", ""), 404);
    assert_int_equal(server_uploads(server), 1);
    assert_int_equal(complete(id, "", list_of(2, one, 7, two)), 200);
    assert_non_null(strstr(reply.body, "<CompleteMultipartUploadResult>"));
    assert_int_equal(server_uploads(server), 0);
    assert_int_equal(ask("GET /o", "", ""), 200);
    assert_string_equal(reply.body, "hello world");
    check_refusal(complete(id, "", list_of(2, one, 7, two)), 404, "NoSuchUpload");
}

// As XML writes quotes, and as S3 accepts them.
static void
quotes(void **state)
{
    char id[64], one[100], two[100], bare[100];
    char escaped[200];
    (void)state;
    begin(id);
    put_part(id, 1, "abcd", one);
    put_part(id, 2, "e", two);
    (void)snprintf(bare, sizeof bare, "%.*s", (int)strlen(one) - 2, one + 1);
    (void)snprintf(escaped, sizeof escaped, "&quot;%.*s&quot;", (int)strlen(two) - 2, two + 1);
    assert_int_equal(complete(id, "", list_of(1, bare, 2, escaped)), 200);
    assert_int_equal(ask("GET /o", "", ""), 200);
    assert_string_equal(reply.body, "abcde");
}

static void
refused(void **state)
{
    char id[64], one[100], two[100], line[200];
    (void)state;
    begin(id);
    put_part(id, 1, "abc", one); // one byte less than the least
    put_part(id, 2, "d", two);
    check_refusal(complete(id, "", list_of(1, one, 2, two)), 400, "EntityTooSmall");
    put_part(id, 1, "abcd", one);
    check_refusal(complete(id, "", list_of(2, two, 1, one)), 400, "InvalidPartOrder");
    check_refusal(complete(id, "", list_of(1, one, 1, one)), 400, "InvalidPartOrder");
    check_refusal(complete(id, "", list_of(1, one, 3, two)), 400, "InvalidPart");
    check_refusal(complete(id, "", list_of(1, two, 2, two)), 400, "InvalidPart");
    check_refusal(complete(id, "", ""), 400, "MalformedXML");
    check_refusal(complete(id, "", "<Part><PartNumber>1"), 400, "MalformedXML");
    check_refusal(complete(id, "", "<Part><PartNumber>x</PartNumber></Part>"), 400, "MalformedXML");
    check_refusal(complete("upload-99", "", list_of(1, one, 2, two)), 404, "NoSuchUpload");
    for (int i = 0; i < 3; i++) {
        static const char *const numbers[] = {"0", "10001", "x"};
        (void)snprintf(line, sizeof line, "PUT /o?uploadId=%s&partNumber=%s", id, numbers[i]);
        check_refusal(ask(line, "", "abc"), 400, "InvalidArgument");
    }
    // Of another object.
    (void)snprintf(line, sizeof line, "PUT /p?partNumber=1&uploadId=%s", id);
    check_refusal(ask(line, "", "abc"), 404, "NoSuchUpload");
    // After all that, the upload is as it was.
    assert_int_equal(complete(id, "", list_of(1, one, 2, two)), 200);
}

// A condition that is not met leaves the upload open.
static void
conditions(void **state)
{
    char id[64], one[100], two[100];
    (void)state;
    begin(id);
    put_part(id, 1, "abcd", one);
    put_part(id, 2, "e", two);
    assert_true(server_put(server, "o", "old", 3));
    check_refusal(complete(id, "If-None-Match: *\r\n", list_of(1, one, 2, two)), 412,
                  "PreconditionFailed");
    assert_int_equal(server_uploads(server), 1);
    assert_true(server_delete(server, "o"));
    check_refusal(complete(id, "If-Match: \"x\"\r\n", list_of(1, one, 2, two)), 404, "NoSuchKey");
    assert_int_equal(complete(id, "If-None-Match: *\r\n", list_of(1, one, 2, two)), 200);
    // Plain writes have the same conditions.
    check_refusal(ask("PUT /o", "If-None-Match: *\r\n", "x"), 412, "PreconditionFailed");
    check_refusal(ask("PUT /o", "If-Match: \"x\"\r\n", "x"), 412, "PreconditionFailed");
    assert_int_equal(ask("GET /o", "", ""), 200);
    assert_string_equal(reply.body, "abcde");
}

static void
aborted(void **state)
{
    char id[64], other[64], one[100], line[200];
    (void)state;
    begin(other);
    begin(id);
    put_part(id, 1, "abcd", one);
    assert_int_equal(server_uploads(server), 2);
    (void)snprintf(line, sizeof line, "DELETE /o?uploadId=%s", id);
    assert_int_equal(ask(line, "", ""), 204);
    assert_int_equal(server_uploads(server), 1);
    check_refusal(ask(line, "", ""), 404, "NoSuchUpload");
    assert_int_equal(ask("GET /o", "", ""), 404);
    put_part(other, 1, "still open", one); // the stop of the server frees it
}

#define ON_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SERVER(completed),  ON_SERVER(quotes),  ON_SERVER(refused),
        ON_SERVER(conditions), ON_SERVER(aborted),
    };
    return cmocka_run_group_tests_name("uploads", tests, NULL, NULL);
}
