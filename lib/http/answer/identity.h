/*
 * identity.h - which object answers are of, so that bytes of two objects are never put together.
 */
#ifndef HTTP_ANSWER_IDENTITY_H
#define HTTP_ANSWER_IDENTITY_H

#include "answer/head.h"

struct http_identity {
    char etag[HTTP_ETAG_SIZE]; // with quotes; "": none
    bool weak; // the ETag is: it cannot stand in If-Match
    int64_t size; // bytes of the object; -1: not told
    int64_t modified; // seconds since 1970; -1: not told
};

// `size`: as Content-Range or Content-Length tell it, or -1.
struct http_identity http_identity_of(const struct http_head *head, int64_t size);

/*
 * May both be of one object? Sizes are compared where both tell them. An ETag must be the same in
 * both; times only count without a strong one, since servers that share the work may have copies of
 * other times.
 */
bool http_identity_same(const struct http_identity *a, const struct http_identity *b);

// Does a server that honours If-Match refuse to answer with another object?
bool http_identity_strong(const struct http_identity *identity);

#endif
