/*
 * kept.h - the two ends of an object, read when it was opened and kept for later ranges.
 *
 * Set while the source runs alone, constant until it is reset.
 */
#ifndef HTTP_READ_KEPT_H
#define HTTP_READ_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_kept { // zeroed: nothing
    uint8_t *first, *last; // owned
    size_t first_size, last_size;
    int64_t size; // of the object
};

// Copy bytes that are kept; false: not all of them are.
bool http_kept_read(const struct http_kept *kept, int64_t offset, size_t size, void *dst);

void http_kept_finish(struct http_kept *kept);

#endif
