/*
 * publish.h - the last request of a write: an object appears, or an upload is aborted.
 *
 * An answer that is lost leaves open whether the object is there. Then the server is asked: it is
 * ours if its size is that of what was written, it is not older than the beginning, and, where
 * ETags are MD5, if it has the right one.
 *
 * replace false: the server is asked whether the object exists, and told to refuse if it does
 * (If-None-Match: *). A server that does not know that condition replaces an object that appears
 * between these two.
 */
#ifndef HTTP_WRITE_PUBLISH_H
#define HTTP_WRITE_PUBLISH_H

#include "object/object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_publication {
    struct http_object *object;
    int64_t size; // bytes, of all
    bool replace;
    int64_t begun; // when, as the server says, seconds since 1970; -1: not known
};

// By one request.
tess_status http_publish_whole(struct http_publication *p, const void *bytes, tess_error *err);

// By completing the upload `id` (percent-encoded) of n parts. It is over then, also after a
// failure.
tess_status http_publish_parts(struct http_publication *p, const char *id, const char *const *etags,
                               size_t n, tess_error *err);

// As far as that can be done within seconds. often: parts may arrive at the server still.
void http_abort_parts(struct http_object *o, const char *id, bool often);

#endif
