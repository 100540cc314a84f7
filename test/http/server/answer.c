/*
 * answer.c - what is answered, and how it is sent.
 */
#include "http/server/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 16, // bytes sent at a time
    LINES = 1000 // headers sent at a time, where they have no end
};

static const struct {
    int status;
    const char *reason, *code;
} statuses[] = {
    {200, "OK", NULL},
    {204, "No Content", NULL},
    {206, "Partial Content", NULL},
    {301, "Moved Permanently", "PermanentRedirect"},
    {302, "Found", "Redirect"},
    {304, "Not Modified", NULL},
    {307, "Temporary Redirect", "TemporaryRedirect"},
    {308, "Permanent Redirect", "PermanentRedirect"},
    {400, "Bad Request", "InvalidRequest"},
    {401, "Unauthorized", "Unauthorized"},
    {403, "Forbidden", "AccessDenied"},
    {404, "Not Found", "NoSuchKey"},
    {405, "Method Not Allowed", "MethodNotAllowed"},
    {408, "Request Timeout", "RequestTimeout"},
    {412, "Precondition Failed", "PreconditionFailed"},
    {413, "Content Too Large", "EntityTooLarge"},
    {416, "Range Not Satisfiable", "InvalidRange"},
    {429, "Too Many Requests", "TooManyRequests"},
    {431, "Request Header Fields Too Large", "RequestHeaderSectionTooLarge"},
    {500, "Internal Server Error", "InternalError"},
    {501, "Not Implemented", "NotImplemented"},
    {502, "Bad Gateway", "BadGateway"},
    {503, "Service Unavailable", "SlowDown"},
};

static const char *
reason_of(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status)
            return statuses[i].reason;
    return "Status";
}

const char *
server_code_of(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status && statuses[i].code)
            return statuses[i].code;
    return "Error";
}

void
server_answer_init(struct server_answer *a)
{
    *a = (struct server_answer){.status = 200, .stall_at = -1, .cut_at = -1};
}

void
server_answer_finish(struct server_answer *a, struct server_objects *o)
{
    server_objects_release(o, a->object);
    server_text_finish(&a->text);
    server_text_finish(&a->lines);
    a->object = NULL;
}

void
server_answer_empty(struct server_answer *a, struct server_objects *o, int status)
{
    const bool head = a->head;

    server_answer_finish(a, o);
    server_answer_init(a);
    a->status = status;
    a->head = head;
    a->no_length = status == 204 || status == 304;
}

void
server_answer_error(struct server_answer *a, struct server_objects *o, int status, const char *code)
{
    server_answer_empty(a, o, status);
    server_text_print(&a->lines, "Content-Type: application/xml\r\n");
    server_text_print(&a->text,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<Error><Code>%s</Code><Message>%d %s</Message></Error>",
                      code, status, reason_of(status));
}

int64_t
server_answer_size(const struct server_answer *a)
{
    return a->object ? a->length : (int64_t)a->text.size;
}

bool
server_answer_own_body(struct server_answer *a, struct server_objects *o)
{
    if (!a->object)
        return true;
    const size_t size = (size_t)a->length;
    char *const buffer = server_memory(size);
    const void *const bytes = server_object_bytes(a->object, a->first, size, buffer);
    if (bytes)
        server_text_add(&a->text, bytes, size);
    free(buffer);
    if (!bytes)
        return false;
    server_objects_release(o, a->object);
    a->object = NULL;
    return true;
}

void
server_print_date(time_t t, char *dst)
{
    struct tm tm;

    gmtime_r(&t, &tm);
    (void)strftime(dst, 32, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

// All headers, without the empty line that ends them.
static void
print_head(const struct server_answer *a, struct server_text *head)
{
    char date[32];

    if (a->status_line)
        server_text_print(head, "%s", a->status_line);
    else
        server_text_print(head, "HTTP/1.1 %d %s\r\n", a->status, reason_of(a->status));
    server_print_date(time(NULL), date);
    server_text_print(head, "Date: %s\r\n", date);
    if (a->etag[0])
        server_text_print(head, "ETag: %s\r\n", a->etag);
    if (a->ranged)
        server_text_print(head, "Content-Range: bytes %" PRId64 "-%" PRId64 "/%" PRId64 "\r\n",
                          a->first, a->first + a->length - 1, a->of_size);
    if (a->chunked)
        server_text_print(head, "Transfer-Encoding: chunked\r\n");
    else if (a->length_text[0])
        server_text_print(head, "Content-Length: %s\r\n", a->length_text);
    else if (!a->no_length && !a->without_length)
        server_text_print(head, "Content-Length: %" PRId64 "\r\n", server_answer_size(a));
    if (a->close)
        server_text_print(head, "Connection: close\r\n");
    server_text_add(head, a->lines.data, a->lines.size);
}

static bool
send_piece(const struct server_answer *a, struct server_wire *w, const void *bytes, size_t size,
           int64_t *sent)
{
    char line[32];

    if (!a->chunked)
        return server_wire_send(w, bytes, size, sent);
    const int n = snprintf(line, sizeof line, "%zx\r\n", size);
    return server_wire_send(w, line, (size_t)n, NULL) && server_wire_send(w, bytes, size, sent) &&
           server_wire_send(w, "\r\n", 2, NULL);
}

// The body between two positions.
static bool
send_part(const struct server_answer *a, struct server_wire *w, int64_t from, int64_t to,
          int64_t *sent)
{
    char *const buffer = server_memory(PIECE);
    bool good = true;

    for (; good && from < to;) {
        const size_t size = to - from < PIECE ? (size_t)(to - from) : PIECE;
        const void *const bytes =
            a->object ? server_object_bytes(a->object, a->first + from, size, buffer)
                      : a->text.data + from;
        good = bytes && send_piece(a, w, bytes, size, sent);
        from += (int64_t)size;
    }
    free(buffer);
    return good;
}

static bool
send_more(const struct server_answer *a, struct server_wire *w, int64_t *sent)
{
    static const char filler[PIECE];

    for (int64_t left = a->more; left != 0;) {
        const size_t size = left < 0 || left > PIECE ? PIECE : (size_t)left;
        if (!send_piece(a, w, filler, size, sent))
            return false;
        left -= left < 0 ? 0 : (int64_t)size;
    }
    return true;
}

static bool
send_body(const struct server_answer *a, struct server_wire *w, int64_t *sent)
{
    const int64_t size = server_answer_size(a);
    const int64_t end = a->cut_at >= 0 && a->cut_at < size ? a->cut_at : size;
    const int64_t stall = a->stall_at >= 0 && a->stall_at < end ? a->stall_at : end;

    if (!send_part(a, w, 0, stall, sent) ||
        (a->stall_at >= 0 && !server_wire_wait(w, a->stall_ms)) ||
        !send_part(a, w, stall, end, sent) || !send_more(a, w, sent))
        return false;
    if (a->cut_at >= 0)
        return false;
    return !a->chunked || server_wire_send(w, "0\r\n\r\n", 5, NULL);
}

static bool
send_head(const struct server_answer *a, struct server_wire *w)
{
    struct server_text head = {0};

    print_head(a, &head);
    if (a->close_headers || a->endless_headers) {
        // A line that is not complete, or complete lines without the empty one.
        bool good =
            server_wire_send(w, head.data, a->close_headers ? head.size / 2 : head.size, NULL);
        server_text_finish(&head);
        for (int i = 0; i < LINES; i++)
            server_text_print(&head, "X-Line-%d: one of many\r\n", i);
        while (good && a->endless_headers)
            good = server_wire_send(w, head.data, head.size, NULL);
        server_text_finish(&head);
        return false;
    }
    server_text_print(&head, "\r\n");
    const bool good = server_wire_send(w, head.data, head.size, NULL);
    server_text_finish(&head);
    return good;
}

bool
server_answer_send(const struct server_answer *a, struct server_wire *w, int64_t *sent, bool *begun)
{
    bool good = a->stall_first_ms == 0 || server_wire_wait(w, a->stall_first_ms);

    *begun = good && !a->close_first;
    good = *begun && send_head(a, w) && (a->head || send_body(a, w, sent));
    if (a->reset)
        server_wire_will_reset(w);
    return good && !a->close;
}
