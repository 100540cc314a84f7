/*
 * request.h - receives a request: its head, taken apart, and its body, whole.
 */
#ifndef HTTP_SERVER_REQUEST_H
#define HTTP_SERVER_REQUEST_H

#include "http/server/printed.h"
#include "http/server/server.h"
#include "http/server/wire.h"

#define SERVER_HEADERS_MOST 100

struct server_headers {
    int count;
    struct {
        const char *name, *value; // without the spaces around
    } all[SERVER_HEADERS_MOST];
};

// A request and the memory that its members lie in.
struct server_received {
    struct server_request request;
    struct server_headers headers;
    struct server_text head, body;
    char *name;
    bool close; // the client wants no other request on this connection
};

// 0: a request is there. -1: none came. Else the status that refuses it (400, 413, 431, 501): then
// the connection has no further request, and members of the request may be "" or NULL.
// In each case server_received_finish() ends it.
int server_received_read(struct server_received *r, struct server_wire *w);
void server_received_finish(struct server_received *r);

// Decimal digits alone, below 2^63. False: something else.
bool server_parse_number(const char *text, size_t size, int64_t *number);

// The value of a parameter of the query, decoded; free() it. NULL: there is none of that name. That
// of "?uploads" is "".
char *server_query_value(const struct server_request *request, const char *name);

#endif
