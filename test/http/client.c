/*
 * client.c - a client of plain sockets.
 */
#include "http/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { ALL = 1 << 22 }; // bytes of an answer at most

int
client_open(int port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void
client_close(int fd)
{
    (void)close(fd);
}

void
client_send(int fd, const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    const int size = vasprintf(&text, format, args);
    va_end(args);
    assert_true(size >= 0);
    assert_int_equal(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
    free(text);
}

struct bytes {
    char *data;
    size_t size, capacity;
};

// Room for as many more, and a NUL.
static void
reserve(struct bytes *b, size_t size)
{
    if (b->capacity - b->size > size)
        return;
    b->capacity = 2 * (b->size + size) + 64;
    b->data = realloc(b->data, b->capacity);
    assert_non_null(b->data);
}

static void
append(struct bytes *b, const char *bytes, size_t size)
{
    reserve(b, size);
    memcpy(b->data + b->size, bytes, size);
    b->size += size;
}

// Receives until there are `want` bytes.
static enum client_end
receive(int fd, struct bytes *b, size_t want)
{
    while (b->size < want) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, CLIENT_WAIT_MS) != 1)
            fail_msg("no byte came for %d ms; %zu before", CLIENT_WAIT_MS, b->size);
        const size_t step = want - b->size < 65536 ? want - b->size : 65536;
        reserve(b, step);
        const ssize_t n = recv(fd, b->data + b->size, step, 0);
        if (n <= 0)
            return n < 0 ? CLIENT_RESET : CLIENT_CLOSED;
        b->size += (size_t)n;
        b->data[b->size] = '\0';
    }
    return CLIENT_WHOLE;
}

// Receives up to the end of a mark. What comes behind stays in the socket.
static enum client_end
receive_to(int fd, struct bytes *b, const char *mark, size_t most)
{
    const size_t mark_size = strlen(mark);
    char peeked[4096];

    while (b->size < most) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, CLIENT_WAIT_MS) != 1)
            fail_msg("no byte came for %d ms; %zu before", CLIENT_WAIT_MS, b->size);
        const ssize_t n = recv(fd, peeked, sizeof peeked, MSG_PEEK);
        if (n <= 0)
            return n < 0 ? CLIENT_RESET : CLIENT_CLOSED;
        // The mark may have begun before: it is looked for in both together.
        const size_t from = b->size;
        append(b, peeked, (size_t)n);
        const size_t back = from < mark_size - 1 ? from : mark_size - 1;
        const char *const at = memmem(b->data + from - back, (size_t)n + back, mark, mark_size);
        if (at)
            b->size = (size_t)(at - b->data) + mark_size;
        assert_int_equal(recv(fd, peeked, b->size - from, 0), b->size - from);
        b->data[b->size] = '\0';
        if (at)
            return CLIENT_WHOLE;
    }
    return CLIENT_LIMIT;
}

static enum client_end
receive_chunks(int fd, struct bytes *b, size_t most)
{
    for (;;) {
        struct bytes line = {0};
        enum client_end end = receive_to(fd, &line, "\r\n", 100);
        const size_t size = end == CLIENT_WHOLE ? strtoul(line.data, NULL, 16) : 0;
        free(line.data);
        if (end != CLIENT_WHOLE)
            return end;
        if (b->size + size > most)
            return CLIENT_LIMIT;
        end = receive(fd, b, b->size + size + 2);
        if (end != CLIENT_WHOLE)
            return end;
        b->size -= 2;
        if (size == 0)
            return CLIENT_WHOLE;
    }
}

static enum client_end
receive_body(int fd, struct client_reply *r, struct bytes *b, size_t most)
{
    const char *const length = client_header(r, "Content-Length");
    const size_t size = length && length[0] != '-' ? strtoul(length, NULL, 10) : most;

    if (r->status == 204 || r->status == 304)
        return CLIENT_WHOLE;
    if (r->chunked)
        return receive_chunks(fd, b, most);
    const enum client_end end = receive(fd, b, size < most ? size : most);
    return end == CLIENT_WHOLE && (!length || size > most) ? CLIENT_LIMIT : end;
}

void
client_receive(int fd, bool head_only, size_t most, struct client_reply *r)
{
    struct bytes head = {0}, body = {0};

    *r = (struct client_reply){.status = -1};
    r->end = receive_to(fd, &head, "\r\n\r\n", most);
    if (r->end != CLIENT_WHOLE) {
        r->head = strdup("");
        body = head;
    } else {
        r->head = head.data;
        if (strncmp(r->head, "HTTP/1.1 ", 9) == 0)
            r->status = atoi(r->head + 9);
        r->chunked = client_header(r, "Transfer-Encoding") != NULL;
        if (!head_only)
            r->end = receive_body(fd, r, &body, most);
    }
    r->body = body.data ? body.data : strdup("");
    r->body_size = body.size;
    assert_true(r->head && r->body);
    r->body[r->body_size] = '\0';
}

void
client_free(struct client_reply *r)
{
    free(r->head);
    free(r->body);
}

void
client_ask(int port, const char *request, struct client_reply *r)
{
    const size_t line = strcspn(request, "\r");
    const int fd = client_open(port);
    char first[4096];

    assert_true(line < sizeof first);
    memcpy(first, request, line);
    first[line] = '\0';
    client_send(fd, "%s HTTP/1.1\r\nHost: 127.0.0.1:%d%s\r\n\r\n", first, port, request + line);
    client_receive(fd, strncmp(request, "HEAD ", 5) == 0, ALL, r);
    client_close(fd);
}

const char *
client_header(const struct client_reply *r, const char *name)
{
    static char value[4096];
    const size_t size = strlen(name);

    for (const char *p = strstr(r->head, "\r\n"); p; p = strstr(p, "\r\n")) {
        p += 2;
        if (strncasecmp(p, name, size) == 0 && strncmp(p + size, ": ", 2) == 0) {
            p += size + 2;
            (void)snprintf(value, sizeof value, "%.*s", (int)strcspn(p, "\r"), p);
            return value;
        }
    }
    return NULL;
}
