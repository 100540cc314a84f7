/*
 * head_test.c - tests of http/answer (head, judge, identity, retry) and http/read/piece: what
 * headers say, and what it means for a request. No network.
 */
#include "answer/head.h"
#include "answer/judge.h"
#include "answer/retry.h"
#include "read/piece.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Lines separated by \n; the empty line is added.
static struct http_head
head_of(const char *text)
{
    struct http_head head;
    http_head_init(&head);
    while (*text) {
        const size_t size = strcspn(text, "\n");
        (void)http_head_line(&head, text, size);
        text += size + (text[size] == '\n');
    }
    (void)http_head_line(&head, "\r\n", 2);
    return head;
}

static void
dates(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Tue, 29 Feb 2000 23:59:60 GMT", 951868799},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
        {"Sun, 06 Nov 1994 08:49:37", 784111777},
        {"Sun, 06 Nov 1994 24:00:00 GMT", -1},
        {"Sun, 32 Nov 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nov 1950 08:49:37 GMT", -1}, // before 1970
        {"Sun, 06 Nov 19941 08:49:37 GMT", -1},
        {"Sun, 06 Nov 1994", -1},
        {"06 1994 08:49:37", -1},
        {"", -1},
        {"0", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (http_date(cases[i].text, strlen(cases[i].text)) != cases[i].seconds)
            fail_msg("%s: %lld", cases[i].text,
                     (long long)http_date(cases[i].text, strlen(cases[i].text)));
}

static void
content_ranges(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t first, last, total;
    } cases[] = {
        {"bytes 0-0/1", true, 0, 0, 1},
        {"Bytes  5-9/10", true, 5, 9, 10},
        {"bytes 5-9/*", true, 5, 9, -1},
        {"bytes */10", true, -1, -1, 10},
        {"bytes */*", true, -1, -1, -1},
        {"bytes 0-9223372036854775806/9223372036854775807", true, 0, INT64_MAX - 1, INT64_MAX},
        {"bytes 5-10/10", false, 0, 0, 0}, // beyond the end
        {"bytes 6-5/10", false, 0, 0, 0},
        {"bytes 0-9223372036854775808/*", false, 0, 0, 0}, // 2^63
        {"bytes -5/10", false, 0, 0, 0},
        {"bytes 5-/10", false, 0, 0, 0},
        {"bytes 5/10", false, 0, 0, 0},
        {"bytes 0-5", false, 0, 0, 0},
        {"bytes 0-5/", false, 0, 0, 0},
        {"bytes +0-5/10", false, 0, 0, 0},
        {"bytes 0- 5/10", false, 0, 0, 0},
        {"bytes", false, 0, 0, 0},
        {"items 0-5/10", false, 0, 0, 0},
        {"bytes=0-5/10", false, 0, 0, 0},
        {"", false, 0, 0, 0},
    };
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "HTTP/1.1 206 OK\ncontent-RANGE: %s", cases[i].text);
        const struct http_head h = head_of(text);
        if (!h.bad != cases[i].good ||
            (!h.bad && (!h.ranged || h.first != cases[i].first || h.last != cases[i].last ||
                        h.total != cases[i].total)))
            fail_msg("%s: %s, %lld-%lld/%lld", cases[i].text, h.bad ? h.bad : "fine",
                     (long long)h.first, (long long)h.last, (long long)h.total);
    }
}

static void
lines(void **state)
{
    struct http_head h = head_of("HTTP/2 200\nETag: W/\"a\"\nContent-Length: 12\nRetry-After: 7");
    (void)state;
    assert_null(h.bad);
    assert_true(h.complete && h.weak);
    assert_string_equal(h.etag, "\"a\"");
    assert_int_equal(h.length, 12);
    assert_int_equal(http_head_wait(&h, 0), 7000);
    h = head_of("HTTP/1.1 200 OK\nETag: unquoted\nContent-Type: multipart/byteranges; boundary=a\n"
                "Content-Encoding: br\nx-amz-bucket-region: eu-west-1");
    assert_true(h.etag[0] == '\0' && h.multipart && h.encoded);
    assert_string_equal(h.region, "eu-west-1");
    // Of two that disagree, none is right.
    assert_non_null(head_of("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2").bad);
    assert_non_null(head_of("HTTP/1.1 200 OK\nETag: \"a\"\nETag: \"b\"").bad);
    assert_non_null(head_of("HTTP/1.1 206 OK\nContent-Range: bytes 0-1/3\n"
                            "Content-Range: bytes 0-1/4")
                        .bad);
    assert_null(head_of("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 1").bad);
    assert_non_null(head_of("HTTP/1.1 200 OK\nContent-Length: -1").bad);
    assert_non_null(head_of("HTTP/1.1 200 OK\nContent-Length: 9223372036854775808").bad);
    assert_non_null(head_of("HTTP/1.1 OK").bad);
    assert_non_null(head_of("HTTP/1.1 2000 OK").bad);
    // A wait relative to the server's own clock.
    h = head_of("HTTP/1.1 503 Slow\nDate: Sun, 06 Nov 1994 08:49:37 GMT\n"
                "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT");
    assert_int_equal(http_head_wait(&h, 0), 60000);
    h = head_of("HTTP/1.1 503 Slow\nRetry-After: Sun, 06 Nov 1994 08:50:37 GMT");
    assert_int_equal(http_head_wait(&h, 784111777), 60000);
    assert_int_equal(http_head_wait(&h, 884111777), 0);
    h = head_of("HTTP/1.1 503 Slow\nRetry-After: 99999999999999999999999");
    assert_true(http_head_wait(&h, 0) > 1000000);
    h = head_of("HTTP/1.1 503 Slow\nRetry-After: soon");
    assert_int_equal(http_head_wait(&h, 0), -1);
}

static void
limits(void **state)
{
    struct http_head h;
    char line[1000];
    int n = 0;
    (void)state;
    memset(line, 'a', sizeof line);
    line[10] = ':';
    http_head_init(&h);
    assert_true(http_head_line(&h, "HTTP/1.1 200 OK", 15));
    while (http_head_line(&h, line, sizeof line) && n < 100)
        n++;
    assert_int_equal(n, 65);
    // Interim answers count.
    http_head_init(&h);
    for (n = 0; http_head_line(&h, "HTTP/1.1 103 Hint", 17) && n < 100000; n++)
        (void)http_head_line(&h, "\r\n", 2);
    assert_true(n < 4000);
    snprintf(line, sizeof line, "HTTP/1.1 200 OK\nETag: \"%0300d\"", 1);
    assert_string_equal(head_of(line).etag, "");
}

static void
judgements(void **state)
{
    static const struct {
        struct http_ask ask;
        const char *head;
        enum http_verdict verdict;
        tess_status status;
        int64_t known; // size of the object, with the ETag "e"; -1: not known
        int64_t position, total; // if taken
    } cases[] = {
#define PART "HTTP/1.1 206 Partial\nETag: \"e\"\nContent-Range: bytes "
#define ALL "HTTP/1.1 200 OK\nETag: \"e\"\n"
        {{HTTP_ASK_RANGE, 5, 9, 0}, PART "5-9/20", HTTP_VERDICT_TAKE, 0, 20, 5, 20},
        {{HTTP_ASK_RANGE, 5, 9, 0}, PART "5-9/*", HTTP_VERDICT_TAKE, 0, 20, 5, -1},
        {{HTTP_ASK_RANGE, 5, 9, 0}, PART "5-9/21", HTTP_VERDICT_REFUSED, TESS_ERR_STALE, 20, 0, 0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, PART "5-8/20", HTTP_VERDICT_REFUSED, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, PART "4-9/20", HTTP_VERDICT_REFUSED, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_FIRST, 0, 9, 0}, PART "0-9/20", HTTP_VERDICT_TAKE, 0, -1, 0, 20},
        {{HTTP_ASK_FIRST, 0, 9, 0}, PART "0-4/5", HTTP_VERDICT_TAKE, 0, -1, 0, 5},
        {{HTTP_ASK_FIRST, 0, 9, 0}, PART "0-4/20", HTTP_VERDICT_REFUSED, TESS_ERR_IO, -1, 0, 0},
        {{HTTP_ASK_FIRST, 0, 9, 0}, PART "0-9/*", HTTP_VERDICT_REFUSED, TESS_ERR_IO, -1, 0, 0},
        {{HTTP_ASK_LAST, 0, 0, 10}, PART "10-19/20", HTTP_VERDICT_TAKE, 0, -1, 10, 20},
        {{HTTP_ASK_LAST, 0, 0, 10}, PART "0-4/5", HTTP_VERDICT_TAKE, 0, -1, 0, 5},
        {{HTTP_ASK_LAST, 0, 0, 10}, PART "0-9/20", HTTP_VERDICT_REFUSED, TESS_ERR_IO, -1, 0, 0},
        {{HTTP_ASK_WHOLE, 0, 0, 0}, PART "0-9/20", HTTP_VERDICT_REFUSED, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_WHOLE, 0, 0, 0}, ALL "Content-Length: 20", HTTP_VERDICT_TAKE, 0, 20, 0, 20},
        {{HTTP_ASK_RANGE, 5, 9, 0}, ALL "Content-Length: 20", HTTP_VERDICT_STREAM, 0, 20, 0, 20},
        {{HTTP_ASK_RANGE, 5, 9, 0}, ALL, HTTP_VERDICT_STREAM, 0, 20, 0, -1},
        {{HTTP_ASK_FIRST, 0, 9, 0}, ALL "Content-Length: 5", HTTP_VERDICT_TAKE, 0, -1, 0, 5},
        {{HTTP_ASK_FIRST, 0, 9, 0}, ALL "Content-Length: 0", HTTP_VERDICT_EMPTY, 0, -1, 0, 0},
        {{HTTP_ASK_FIRST, 0, 9, 0}, ALL, HTTP_VERDICT_REFUSED, TESS_ERR_IO, -1, 0, 0},
        {{HTTP_ASK_FIRST, 0, 9, 0},
         "HTTP/1.1 416 No\nContent-Range: bytes */0",
         HTTP_VERDICT_EMPTY,
         0,
         -1,
         0,
         0},
        {{HTTP_ASK_FIRST, 0, 9, 0}, "HTTP/1.1 416 No", HTTP_VERDICT_ASK_WHOLE, 0, -1, 0, -1},
        {{HTTP_ASK_RANGE, 5, 9, 0},
         "HTTP/1.1 416 No\nContent-Range: bytes */3",
         HTTP_VERDICT_REFUSED,
         TESS_ERR_STALE,
         20,
         0,
         0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, "HTTP/1.1 416 No", HTTP_VERDICT_FAILED, TESS_ERR_IO, 20, 0, 0},
        // No ETag, where there was one: this need not be the same object.
        {{HTTP_ASK_RANGE, 5, 9, 0},
         "HTTP/1.1 206 Partial\nContent-Range: bytes 5-9/20",
         HTTP_VERDICT_REFUSED,
         TESS_ERR_STALE,
         20,
         0,
         0},
        {{HTTP_ASK_RANGE, 5, 9, 0},
         "HTTP/1.1 412 No",
         HTTP_VERDICT_FAILED,
         TESS_ERR_STALE,
         20,
         0,
         0},
        {{HTTP_ASK_RANGE, 5, 9, 0},
         "HTTP/1.1 410 No",
         HTTP_VERDICT_FAILED,
         TESS_ERR_NOT_FOUND,
         20,
         0,
         0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, "HTTP/1.1 204 No", HTTP_VERDICT_FAILED, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, "HTTP/1.1 425 No", HTTP_VERDICT_RETRY, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_RANGE, 5, 9, 0}, "HTTP/1.1 501 No", HTTP_VERDICT_FAILED, TESS_ERR_IO, 20, 0, 0},
        {{HTTP_ASK_RANGE, 5, 9, 0},
         "HTTP/1.1 303 No",
         HTTP_VERDICT_REDIRECT,
         TESS_ERR_IO,
         20,
         0,
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct http_head head = head_of(cases[i].head);
        const struct http_identity known = {
            .etag = "\"e\"", .size = cases[i].known, .modified = -1};
        const struct http_judgement j =
            http_judge(&cases[i].ask, &head, cases[i].known < 0 ? NULL : &known);
        if (j.verdict != cases[i].verdict || j.status != cases[i].status ||
            (j.status == TESS_OK && (j.position != cases[i].position || j.total != cases[i].total)))
            fail_msg("%zu, %s: verdict %d, status %d, from %lld of %lld", i, cases[i].head,
                     j.verdict, j.status, (long long)j.position, (long long)j.total);
    }
}

static void
identities(void **state)
{
    const struct http_identity strong = {.etag = "\"a\"", .size = 5, .modified = 7};
    struct http_identity other = strong;
    (void)state;
    other.modified = 8; // another copy
    assert_true(http_identity_same(&strong, &other));
    other.weak = true;
    assert_false(http_identity_same(&strong, &other));
    struct http_identity none = {.size = 5, .modified = 7};
    assert_false(http_identity_same(&strong, &none));
    other = none;
    other.modified = 8;
    assert_false(http_identity_same(&none, &other));
    other.modified = -1;
    other.size = -1;
    assert_true(http_identity_same(&none, &other));
}

static void
waits(void **state)
{
    uint64_t random = 1;
    int64_t longest = 0;
    (void)state;
    for (int failures = 1; failures < 100; failures++)
        for (int i = 0; i < 50; i++) {
            const int64_t wait = http_retry_wait(failures, &random);
            assert_true(wait >= 0 && wait <= 10000);
            if (failures < 7)
                assert_true(wait <= 100 << (failures - 1));
            longest = wait > longest ? wait : longest;
        }
    assert_true(longest > 9000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates),  cmocka_unit_test(content_ranges), cmocka_unit_test(lines),
        cmocka_unit_test(limits), cmocka_unit_test(judgements),     cmocka_unit_test(identities),
        cmocka_unit_test(waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
