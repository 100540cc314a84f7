/*
 * parts.h - the parts of an upload that are in memory, and the threads that send them.
 *
 * One thread fills parts, up to HTTP_PARTS_AT_ONCE threads of this unit send them, each one part at
 * a time; they start when there is something to send and nobody free, and end in
 * http_parts_free(). Threads, since the thread that writes is busy compressing between its calls,
 * and libcurl only sends while it is called.
 *
 * Memory: parts as http_parts_in_memory() says; who fills waits until there is room.
 *
 * After a failure everything stops, and each later call fails with the first reason.
 *
 * fork(): the threads stay in the parent. In a child only http_parts_free() may be called, which
 * then frees the child's memory and touches no thread.
 */
#ifndef HTTP_WRITE_PARTS_H
#define HTTP_WRITE_PARTS_H

#include "object/object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_part {
    struct http_part *next; // of a list
    int number; // 1 to S3_PARTS_MAX; in the upload
    size_t size, capacity; // bytes that are there, and that have room
    uint8_t *bytes;
};

struct http_parts;

// The object stays until http_parts_free().
tess_status http_parts_new(struct http_object *o, struct http_parts **parts, tess_error *err);

// An empty part with room for `size` bytes; waits for memory. Goes to http_parts_submit(), or stays
// until http_parts_free().
tess_status http_parts_acquire(struct http_parts *parts, int number, size_t size,
                               struct http_part **part, tess_error *err);

// Send a part. id: of the upload, percent-encoded, stays; the same in each call.
tess_status http_parts_submit(struct http_parts *parts, struct http_part *part, const char *id,
                              tess_error *err);

// Until all parts that were submitted are with the server.
tess_status http_parts_wait(struct http_parts *parts, tess_error *err);

// After http_parts_wait(): the ETags of parts 1 to *n.
const char *const *http_parts_etags(const struct http_parts *parts, size_t *n);

// Stops what is under way, within 100 ms as a rule. Returns whether a part was: the server may get
// to know of it later. NULL is fine.
bool http_parts_free(struct http_parts *parts);

#endif
