/*
 * wire.c - a connection: bytes in and out, and waiting.
 */
#include "http/server/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

enum { DRAIN_MS = 500 };

int64_t
server_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// True: something happened at the socket within that time; -1: any time.
static bool
wait_socket(struct server_wire *w, short events, int ms)
{
    struct pollfd fds[2] = {{.fd = w->stop_fd, .events = POLLIN}, {.fd = w->fd, .events = events}};
    int n;

    do
        n = poll(fds, 2, ms);
    while (n < 0 && errno == EINTR);
    return n > 0 && !fds[0].revents;
}

static bool
again(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

bool
server_wire_receive(struct server_wire *w)
{
    if (w->start > 0) {
        memmove(w->buffer, w->buffer + w->start, w->stop - w->start);
        w->stop -= w->start;
        w->start = 0;
    }
    while (w->stop < SERVER_WIRE_SIZE && wait_socket(w, POLLIN, -1)) {
        const ssize_t n =
            recv(w->fd, w->buffer + w->stop, SERVER_WIRE_SIZE - w->stop, MSG_DONTWAIT);
        if (n > 0) {
            w->stop += (size_t)n;
            return true;
        }
        if (n == 0 || !again())
            return false;
    }
    return false;
}

bool
server_wire_send(struct server_wire *w, const void *bytes, size_t size, int64_t *sent)
{
    const char *p = bytes;

    while (size > 0) {
        const ssize_t n = send(w->fd, p, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0) {
            p += n;
            size -= (size_t)n;
            if (sent)
                *sent += n;
        } else if (!again() || !wait_socket(w, POLLOUT, -1)) {
            return false;
        }
    }
    return true;
}

bool
server_wire_wait(struct server_wire *w, int ms)
{
    const int64_t end = server_now() + (int64_t)ms * 1000000;

    for (int64_t left = end - server_now(); left > 0; left = end - server_now()) {
        struct pollfd fds[2] = {{.fd = w->stop_fd, .events = POLLIN},
                                {.fd = w->fd, .events = POLLRDHUP}};
        // Rounded up: no time is left when poll() is over.
        if (poll(fds, 2, (int)((left + 999999) / 1000000)) > 0)
            return false;
    }
    return true;
}

void
server_wire_drain(struct server_wire *w)
{
    const int64_t end = server_now() + (int64_t)DRAIN_MS * 1000000;

    (void)shutdown(w->fd, SHUT_WR);
    while (server_now() < end && wait_socket(w, POLLIN, DRAIN_MS)) {
        const ssize_t n = recv(w->fd, w->buffer, SERVER_WIRE_SIZE, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && !again()))
            return;
    }
}

void
server_wire_will_reset(struct server_wire *w)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}
