/*
 * wire.h - a connection: bytes in and out, and waiting, all of which end when the server stops.
 *
 * The socket does not block. A wire belongs to one thread; what ends the waits of all of them is
 * one descriptor, which is readable from the stop on.
 */
#ifndef HTTP_SERVER_WIRE_H
#define HTTP_SERVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVER_WIRE_SIZE ((size_t)1 << 16)

struct server_wire {
    int fd, stop_fd;
    size_t start, stop; // of the bytes received and not yet taken, in `buffer`
    char buffer[SERVER_WIRE_SIZE];
};

// CLOCK_MONOTONIC, in nanoseconds.
int64_t server_now(void);

// Receives more bytes behind those in the buffer, which may move. False: the buffer is full, the
// client closed, or the server stops.
bool server_wire_receive(struct server_wire *w);

// False: the client closed, or the server stops. *sent, if not NULL, grows by what was sent.
bool server_wire_send(struct server_wire *w, const void *bytes, size_t size, int64_t *sent);

// Lets time pass. False: the client closed, or the server stops.
bool server_wire_wait(struct server_wire *w, int ms);

// The client is told the end, and what it sends is received for a short time and dropped. Else a
// client that is still sending gets a reset, which may overtake the answer.
void server_wire_drain(struct server_wire *w);

// Closing the socket will reset the connection.
void server_wire_will_reset(struct server_wire *w);

#endif
