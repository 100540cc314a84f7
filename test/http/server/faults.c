/*
 * faults.c - the table of faults: how each changes an answer.
 */
#include "http/server/faults.h"

#include "http/server/gzip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGER_BY = 64 << 10, HUGE_LINE = 1 << 20, GARBAGE_SIZE = 64 };

typedef void apply_fn(const struct server_fault_call *c, struct server_answer *a);

// Where a fault of the body comes: before its last byte.
static int64_t
place_in(const struct server_fault_call *c, const struct server_answer *a)
{
    const int64_t size = server_answer_size(a), at = c->fault.at > 0 ? c->fault.at : 0;
    return at < size ? at : size > 0 ? size - 1 : 0;
}

static void
stall_answer(const struct server_fault_call *c, struct server_answer *a)
{
    a->stall_first_ms = c->fault.ms;
}

static void
stall_body(const struct server_fault_call *c, struct server_answer *a)
{
    a->stall_ms = c->fault.ms;
    a->stall_at = place_in(c, a);
}

static void
close_first(const struct server_fault_call *c, struct server_answer *a)
{
    a->close_first = true;
    a->reset = c->fault.kind == SERVER_RESET;
}

static void
close_headers(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    a->close_headers = true;
}

static void
short_body(const struct server_fault_call *c, struct server_answer *a)
{
    a->cut_at = place_in(c, a);
    a->reset = c->fault.kind == SERVER_RESET_BODY;
    a->chunked = c->fault.kind == SERVER_CUT_CHUNKS && !a->no_length;
}

static void
longer_body(const struct server_fault_call *c, struct server_answer *a)
{
    a->more = c->fault.kind == SERVER_LONG_BODY ? LONGER_BY : -1;
    a->without_length = c->fault.kind == SERVER_ENDLESS_BODY;
    a->chunked = c->fault.kind == SERVER_ENDLESS_CHUNKS && !a->no_length;
    a->close = !a->chunked;
}

// The file of an object may lose bytes meanwhile; then the answer is an error, as it would be cut.
static bool
own_body(const struct server_fault_call *c, struct server_answer *a)
{
    if (server_answer_own_body(a, c->objects))
        return true;
    server_answer_error(a, c->objects, 500, "InternalError");
    return false;
}

static void
compress(const struct server_fault_call *c, struct server_answer *a)
{
    struct server_text packed = {0};
    const int64_t length = a->length;

    if (a->no_length || !own_body(c, a))
        return;
    server_gzip(a->text.data, a->text.size, &packed);
    server_text_finish(&a->text);
    a->text = packed;
    a->length = length; // Content-Range tells that of the object
    server_text_print(&a->lines, "Content-Encoding: gzip\r\n");
}

static void
whole(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    if (!a->ranged)
        return;
    a->status = 200;
    a->ranged = false;
    a->first = 0;
    a->length = a->object->size;
}

static void
shift_range(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    if (!a->ranged)
        return;
    if (a->first + a->length < a->of_size) {
        a->first++;
    } else if (a->first > 0) {
        a->first--;
    } else if (a->length > 1) { // all of the object: there is no other range of that length
        a->first++;
        a->length--;
    }
}

static void
shorten_range(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    if (a->ranged)
        a->length = (a->length + 1) / 2;
}

static void
enlarge_object(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    a->of_size++;
}

static void
forget_range(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    a->ranged = false; // the status stays
}

static void
several_ranges(const struct server_fault_call *c, struct server_answer *a)
{
    struct server_text parts = {0};

    if (!a->ranged || !own_body(c, a))
        return;
    server_text_print(&parts,
                      "--boundary\r\nContent-Type: application/octet-stream\r\n"
                      "Content-Range: bytes %" PRId64 "-%" PRId64 "/%" PRId64 "\r\n\r\n",
                      a->first, a->first + a->length - 1, a->of_size);
    server_text_add(&parts, a->text.data, a->text.size);
    server_text_print(&parts, "\r\n--boundary--\r\n");
    server_text_finish(&a->text);
    server_text_finish(&a->lines);
    a->text = parts;
    a->ranged = false;
    server_text_print(&a->lines, "Content-Type: multipart/byteranges; boundary=boundary\r\n");
}

static void
answer_status(const struct server_fault_call *c, struct server_answer *a, int status)
{
    server_answer_error(a, c->objects, status, server_code_of(status));
    if (c->fault.seconds > 0 || c->fault.kind == SERVER_429)
        server_text_print(&a->lines, "Retry-After: %d\r\n", c->fault.seconds);
    if (status == 416)
        server_text_print(&a->lines, "Content-Range: bytes */0\r\n");
}

static void
retry_at_date(const struct server_fault_call *c, struct server_answer *a)
{
    char date[32];

    server_answer_error(a, c->objects, 429, server_code_of(429));
    server_print_date(time(NULL) + c->fault.seconds, date);
    server_text_print(&a->lines, "Retry-After: %s\r\n", date);
}

static void
redirect(const struct server_fault_call *c, struct server_answer *a)
{
    const char *const target = c->request->target;
    const char *const to =
        c->fault.kind != SERVER_REDIRECT_CIRCLE && c->fault.target ? c->fault.target : target;
    const int status = c->fault.status ? c->fault.status : 302;

    server_answer_error(a, c->objects, status, server_code_of(status));
    if (c->fault.kind == SERVER_REDIRECT_HOST)
        server_text_print(&a->lines, "Location: http://localhost:%d%s\r\n", c->port, to);
    else if (c->fault.kind == SERVER_REDIRECT_PATH && !c->fault.target)
        server_text_print(&a->lines, "Location: %s%cmoved\r\n", to, strchr(to, '?') ? '&' : '?');
    else
        server_text_print(&a->lines, "Location: %s\r\n", to);
}

static void
garbage(const struct server_fault_call *c, struct server_answer *a)
{
    static const char bytes[GARBAGE_SIZE + 1] =
        "\x01\xff\x7f garbage \xc0\x80 in place of a status line \xfe\xfe\xfe\xfe HTTP/1.1 2";
    (void)c;
    a->status_line = bytes;
    a->close_headers = true;
}

static void
huge_header(const struct server_fault_call *c, struct server_answer *a)
{
    char *const line = server_memory(HUGE_LINE);

    (void)c;
    memset(line, 'x', HUGE_LINE);
    server_text_print(&a->lines, "X-Huge: ");
    server_text_add(&a->lines, line, HUGE_LINE);
    server_text_print(&a->lines, "\r\n");
    free(line);
}

static void
endless_headers(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    a->endless_headers = true;
}

static void
negative_length(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    (void)snprintf(a->length_text, sizeof a->length_text, "-1");
    a->close = true;
}

static void
huge_length(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    // 2^64 is 1 and these 19 digits.
    (void)snprintf(a->length_text, sizeof a->length_text, "1%019" PRIu64,
                   UINT64_C(8446744073709551616) + (uint64_t)server_answer_size(a));
    a->close = true;
}

static void
other_etag(const struct server_fault_call *c, struct server_answer *a)
{
    (void)c;
    (void)snprintf(a->etag, sizeof a->etag, "\"of-no-object\"");
}

static void
error_in_200(const struct server_fault_call *c, struct server_answer *a)
{
    server_answer_error(a, c->objects, 500, "InternalError");
    a->status = 200;
}

static void
bad_digest(const struct server_fault_call *c, struct server_answer *a)
{
    server_answer_error(a, c->objects, 400, "BadDigest");
}

static void
conflict(const struct server_fault_call *c, struct server_answer *a)
{
    server_answer_error(a, c->objects, 409, "ConditionalRequestConflict");
}

// Before the request is executed.
static void
replace_object(const struct server_fault_call *c)
{
    struct server_object *const object = server_objects_find(c->objects, c->request->name);

    if (!object)
        return;
    const size_t size = (size_t)object->size;
    uint8_t *const buffer = server_memory(size);
    const uint8_t *const bytes = server_object_bytes(object, 0, size, buffer);
    for (size_t i = 0; bytes && i < size; i++)
        buffer[i] = (uint8_t)~bytes[i];
    if (bytes)
        (void)server_objects_put(c->objects, c->request->name, buffer, size, NULL, NULL);
    free(buffer);
    server_objects_release(c->objects, object);
}

// The statuses are applied by answer_status(), and, as redirects are, without execution.
static const struct row {
    const char *name;
    apply_fn *apply; // NULL: nothing, or the status
    bool instead; // of the execution
    int status;
    void (*prepare)(const struct server_fault_call *c);
} rows[SERVER_FAULTS] = {
    [SERVER_NO_FAULT] = {.name = "none"},
    [SERVER_STALL_ANSWER] = {"stall-answer", stall_answer, false, 0, NULL},
    [SERVER_STALL_BODY] = {"stall-body", stall_body, false, 0, NULL},
    [SERVER_CLOSE] = {"close", close_first, false, 0, NULL},
    [SERVER_CLOSE_HEADERS] = {"close-headers", close_headers, false, 0, NULL},
    [SERVER_RESET] = {"reset", close_first, false, 0, NULL},
    [SERVER_RESET_BODY] = {"reset-body", short_body, false, 0, NULL},
    [SERVER_SHORT_BODY] = {"short-body", short_body, false, 0, NULL},
    [SERVER_CUT_CHUNKS] = {"cut-chunks", short_body, false, 0, NULL},
    [SERVER_LONG_BODY] = {"long-body", longer_body, false, 0, NULL},
    [SERVER_ENDLESS_BODY] = {"endless-body", longer_body, false, 0, NULL},
    [SERVER_ENDLESS_CHUNKS] = {"endless-chunks", longer_body, false, 0, NULL},
    [SERVER_GZIP] = {"gzip", compress, false, 0, NULL},
    [SERVER_WHOLE] = {"whole", whole, false, 0, NULL},
    [SERVER_RANGE_SHIFTED] = {"range-shifted", shift_range, false, 0, NULL},
    [SERVER_RANGE_SHORTER] = {"range-shorter", shorten_range, false, 0, NULL},
    [SERVER_RANGE_OTHER_SIZE] = {"range-other-size", enlarge_object, false, 0, NULL},
    [SERVER_NO_CONTENT_RANGE] = {"no-content-range", forget_range, false, 0, NULL},
    [SERVER_MULTIPART_RANGES] = {"multipart-ranges", several_ranges, false, 0, NULL},
    [SERVER_403] = {"403", NULL, true, 403, NULL},
    [SERVER_404] = {"404", NULL, true, 404, NULL},
    [SERVER_408] = {"408", NULL, true, 408, NULL},
    [SERVER_416] = {"416", NULL, true, 416, NULL},
    [SERVER_429] = {"429", NULL, true, 429, NULL},
    [SERVER_429_DATE] = {"429-date", retry_at_date, true, 429, NULL},
    [SERVER_500] = {"500", NULL, true, 500, NULL},
    [SERVER_502] = {"502", NULL, true, 502, NULL},
    [SERVER_503] = {"503", NULL, true, 503, NULL},
    [SERVER_REDIRECT_CIRCLE] = {"redirect-circle", redirect, true, 0, NULL},
    [SERVER_REDIRECT_PATH] = {"redirect-path", redirect, true, 0, NULL},
    [SERVER_REDIRECT_HOST] = {"redirect-host", redirect, true, 0, NULL},
    [SERVER_GARBAGE] = {"garbage", garbage, false, 0, NULL},
    [SERVER_HUGE_HEADER] = {"huge-header", huge_header, false, 0, NULL},
    [SERVER_ENDLESS_HEADERS] = {"endless-headers", endless_headers, false, 0, NULL},
    [SERVER_NEGATIVE_LENGTH] = {"negative-length", negative_length, false, 0, NULL},
    [SERVER_HUGE_LENGTH] = {"huge-length", huge_length, false, 0, NULL},
    [SERVER_OTHER_ETAG] = {"other-etag", other_etag, false, 0, NULL},
    [SERVER_REPLACED] = {"replaced", NULL, false, 0, replace_object},
    [SERVER_BAD_DIGEST] = {"bad-digest", bad_digest, true, 0, NULL},
    [SERVER_CONFLICT] = {"conflict", conflict, true, 0, NULL},
    [SERVER_ERROR_IN_200] = {"error-in-200", error_in_200, true, 0, NULL},
};

const char *
server_fault_name(enum server_fault_kind kind)
{
    return rows[kind].name;
}

bool
server_fault_prepare(const struct server_fault_call *c)
{
    const struct row *const row = &rows[c->fault.kind];

    if (row->prepare)
        row->prepare(c);
    return !row->instead;
}

void
server_fault_apply(const struct server_fault_call *c, struct server_answer *a)
{
    const struct row *const row = &rows[c->fault.kind];

    if (row->apply)
        row->apply(c, a);
    else if (row->status)
        answer_status(c, a, row->status);
}
