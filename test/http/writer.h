/*
 * writer.h - writing to a source of a URL as libtessera does, for tests.
 *
 * Objects are s3://bucket/NAME at the server, with parts of WRITER_PART bytes; the server checks
 * the hashes of all bodies with writer_permit().
 */
#ifndef HTTP_WRITER_H
#define HTTP_WRITER_H

#include "http/server/server.h"

#include <tessera/http.h>

#include <stdbool.h>

enum { WRITER_PART = 64 << 10 };

// reader_options() with keys, an endpoint and parts of WRITER_PART.
tess_http_options writer_options(struct server *server);

// s3://bucket/NAME
tess_source writer_open(struct server *server, const char *name, const tess_http_options *options);

// What the server wants of all requests: a signature, and the right hash of the body.
server_permit_fn writer_permit;

// Writes what stands behind the head, in pieces of at most `most` bytes, then the head.
tess_status writer_write(const tess_source *s, const uint8_t *object, size_t size, size_t most,
                         tess_error *err);

// Writes, publishes and closes.
tess_status writer_put(tess_source *s, const uint8_t *object, size_t size, bool replace,
                       tess_error *err);

// The test fails unless bucket/NAME is that.
void writer_check(struct server *server, const char *name, const uint8_t *object, size_t size);

#endif
