/*
 * client.h - a client of plain sockets, which shows what a server really sent.
 *
 * What fails, but for the connection itself, fails the test. No wait is longer than CLIENT_WAIT_MS.
 */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLIENT_WAIT_MS = 10000 };

enum client_end {
    CLIENT_WHOLE, // as many bytes as Content-Length says, or the last chunk
    CLIENT_CLOSED, // the server closed the connection
    CLIENT_RESET, // the server reset it
    CLIENT_LIMIT // as many bytes as were wanted; more may come
};

struct client_reply {
    enum client_end end;
    int status; // -1: there is no status line
    char *head; // with the empty line; "" if that did not come: then all is in `body`
    char *body; // a NUL stands behind; without the lines of chunks
    size_t body_size;
    bool chunked;
};

int client_open(int port);
void client_close(int fd);

void client_send(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Receives an answer, without body to HEAD, and at most `most` bytes.
void client_receive(int fd, bool head_only, size_t most, struct client_reply *r);
void client_free(struct client_reply *r);

// One request on a new connection, "GET /a\r\nRange: bytes=0-1" without the version.
void client_ask(int port, const char *request, struct client_reply *r);

// The value of a header, until the next call; NULL: it is not there.
const char *client_header(const struct client_reply *r, const char *name);

#endif
