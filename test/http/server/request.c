/*
 * request.c - receives a request: its head, taken apart, and its body, whole.
 *
 * The head has at most the size of the buffer of the wire. A body may have BODY_MOST bytes; memory
 * grows with what arrives, not with what is announced.
 */
#include "http/server/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BODY_MOST ((int64_t)1 << 30)

const char *
server_header(const struct server_request *request, const char *name)
{
    for (int i = 0; i < request->headers->count; i++)
        if (strcasecmp(request->headers->all[i].name, name) == 0)
            return request->headers->all[i].value;
    return NULL;
}

bool
server_parse_number(const char *text, size_t size, int64_t *number)
{
    int64_t n = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || n > (INT64_MAX - 9) / 10)
            return false;
        n = 10 * n + (text[i] - '0');
    }
    *number = n;
    return size > 0;
}

static int
hex_digit(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const at = c ? strchr(digits, c | 0x20) : NULL;
    return at ? (int)(at - digits) : -1;
}

// A copy, decoded; free() it. NULL: malformed, or it has a NUL.
static char *
percent_decode(const char *text, size_t size)
{
    char *const decoded = server_memory(size + 1);
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '%') {
            const int high = size - i > 2 ? hex_digit(text[i + 1]) : -1;
            const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
            if (low < 0 || high + low == 0) {
                free(decoded);
                return NULL;
            }
            c = (char)(16 * high + low);
            i += 2;
        }
        decoded[n++] = c;
    }
    decoded[n] = '\0';
    return decoded;
}

char *
server_query_value(const struct server_request *request, const char *name)
{
    const size_t name_size = strlen(name);

    for (const char *p = request->query; *p;) {
        const size_t size = strcspn(p, "&");
        const size_t key_size = strcspn(p, "=&");
        if (key_size == name_size && memcmp(p, name, key_size) == 0) {
            const size_t skip = key_size < size ? key_size + 1 : size;
            return percent_decode(p + skip, size - skip);
        }
        p += size + (p[size] == '&');
    }
    return NULL;
}

// Takes the bytes up to the end of the head out of the wire. 0, -1 or a status.
static int
receive_head(struct server_received *r, struct server_wire *w)
{
    const char *end;

    while (w->stop > w->start && strchr("\r\n", w->buffer[w->start]) && w->buffer[w->start])
        w->start++; // between two requests
    while (!(end = memmem(w->buffer + w->start, w->stop - w->start, "\r\n\r\n", 4))) {
        if (w->stop - w->start == SERVER_WIRE_SIZE)
            return 431;
        if (!server_wire_receive(w))
            return -1;
    }
    const size_t size = (size_t)(end - w->buffer) + 4 - w->start;
    server_text_add(&r->head, w->buffer + w->start, size);
    w->start += size;
    return strlen(r->head.data) == size ? 0 : 400;
}

// "GET /path?query HTTP/1.1"
static int
parse_request_line(struct server_received *r, char *line)
{
    struct server_request *const q = &r->request;
    char *const target = strchr(line, ' ');
    char *const version = target ? strchr(target + 1, ' ') : NULL;

    if (!version || target == line || target[1] != '/')
        return 400;
    *target = *version = '\0';
    q->method = line;
    q->target = target + 1;
    if (strcmp(version + 1, "HTTP/1.0") == 0)
        r->close = true;
    else if (strcmp(version + 1, "HTTP/1.1") != 0)
        return 400;
    const size_t path_size = strcspn(q->target, "?");
    q->query = q->target + path_size + (q->target[path_size] == '?');
    r->name = percent_decode(q->target + 1, path_size - 1);
    if (!r->name)
        return 400;
    q->name = r->name;
    return 0;
}

static int
parse_header(struct server_headers *headers, char *line)
{
    char *const colon = strchr(line, ':');

    if (!colon || colon == line || strcspn(line, " \t") < (size_t)(colon - line))
        return 400;
    if (headers->count == SERVER_HEADERS_MOST)
        return 431;
    *colon = '\0';
    char *const value = colon + 1 + strspn(colon + 1, " \t");
    size_t size = strlen(value);
    while (size > 0 && strchr(" \t", value[size - 1]))
        size--;
    value[size] = '\0';
    headers->all[headers->count].name = line;
    headers->all[headers->count++].value = value;
    return 0;
}

static int
parse_head(struct server_received *r)
{
    int status = 0;
    char *next;

    for (char *line = r->head.data; status == 0 && strncmp(line, "\r\n", 2) != 0; line = next) {
        char *const end = strstr(line, "\r\n");
        next = end + 2;
        *end = '\0';
        status =
            line == r->head.data ? parse_request_line(r, line) : parse_header(&r->headers, line);
    }
    return status;
}

// Digits; too many are a number that no object reaches.
static bool
parse_position(const char *text, size_t size, int64_t *number)
{
    if (size == 0 || strspn(text, "0123456789") < size)
        return false;
    if (!server_parse_number(text, size, number))
        *number = INT64_MAX;
    return true;
}

static void
parse_range(struct server_request *q)
{
    int64_t first = 0, last = INT64_MAX;

    q->range = server_header(q, "Range");
    q->first = 0;
    q->last = INT64_MAX;
    if (!q->range || strncmp(q->range, "bytes=", 6) != 0)
        return;
    const char *const text = q->range + 6;
    const char *const dash = strchr(text, '-');
    if (!dash)
        return;
    const size_t before = (size_t)(dash - text), behind = strlen(dash + 1);
    if (before == 0) { // a suffix; of no bytes it is no number below 0, but never satisfied
        if (parse_position(dash + 1, behind, &last)) {
            q->first = last > 0 ? -last : INT64_MAX;
            q->last = INT64_MAX;
        }
    } else if (parse_position(text, before, &first) &&
               (behind == 0 || parse_position(dash + 1, behind, &last)) && first <= last) {
        q->first = first;
        q->last = last;
    }
}

// Moves `size` bytes from the wire to the body.
static bool
take(struct server_received *r, struct server_wire *w, int64_t size)
{
    while (size > 0) {
        if (w->stop == w->start && !server_wire_receive(w))
            return false;
        const size_t have = w->stop - w->start;
        const size_t n = (int64_t)have < size ? have : (size_t)size;
        server_text_add(&r->body, w->buffer + w->start, n);
        w->start += n;
        size -= (int64_t)n;
    }
    return true;
}

// A line of chunked encoding, in the buffer until the next call. NULL: none came, or it is too
// long.
static char *
receive_line(struct server_wire *w)
{
    char *end;

    while (!(end = memmem(w->buffer + w->start, w->stop - w->start, "\r\n", 2)))
        if (!server_wire_receive(w))
            return NULL;
    char *const line = w->buffer + w->start;
    *end = '\0';
    w->start += (size_t)(end - line) + 2;
    return line;
}

static int
receive_chunks(struct server_received *r, struct server_wire *w)
{
    for (;;) {
        char *line = receive_line(w);
        if (!line)
            return -1;
        int64_t size = 0;
        if (hex_digit(*line) < 0)
            return 400;
        for (; hex_digit(*line) >= 0; line++) {
            size = 16 * size + hex_digit(*line);
            if (size > BODY_MOST - (int64_t)r->body.size)
                return 413;
        }
        if (size == 0)
            break;
        if (!take(r, w, size) || !(line = receive_line(w)))
            return -1;
        if (*line)
            return 400;
    }
    for (const char *line = receive_line(w);; line = receive_line(w)) // trailers
        if (!line || !*line)
            return line ? 0 : -1;
}

static int
receive_body(struct server_received *r, struct server_wire *w)
{
    const char *const length = server_header(&r->request, "Content-Length");
    const char *const encoding = server_header(&r->request, "Transfer-Encoding");
    const char *const expect = server_header(&r->request, "Expect");
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    int64_t size = 0;

    if (encoding && strcasecmp(encoding, "chunked") != 0)
        return 501;
    if (length && (encoding || !server_parse_number(length, strlen(length), &size)))
        return 400;
    if (size > BODY_MOST)
        return 413;
    if (expect && strcasecmp(expect, "100-continue") == 0 &&
        !server_wire_send(w, go_on, sizeof go_on - 1, NULL))
        return -1;
    if (encoding)
        return receive_chunks(r, w);
    return take(r, w, size) ? 0 : -1;
}

int
server_received_read(struct server_received *r, struct server_wire *w)
{
    struct server_request *const q = &r->request;

    *r = (struct server_received){0};
    q->method = q->target = q->name = q->query = "";
    q->last = INT64_MAX;
    q->headers = &r->headers;
    int status = receive_head(r, w);
    if (status == 0)
        status = parse_head(r);
    if (status != 0)
        return status;
    const char *const connection = server_header(q, "Connection");
    r->close |= connection && strcasecmp(connection, "close") == 0;
    parse_range(q);
    status = receive_body(r, w);
    q->body = (const uint8_t *)r->body.data;
    q->body_size = r->body.size;
    return status;
}

void
server_received_finish(struct server_received *r)
{
    server_text_finish(&r->head);
    server_text_finish(&r->body);
    free(r->name);
}
