/*
 * kept.c - the two ends of an object.
 */
#include "read/kept.h"

#include <stdlib.h>
#include <string.h>

static bool
copy_from(const uint8_t *bytes, size_t bytes_size, int64_t begin, int64_t offset, size_t size,
          void *dst)
{
    if (!bytes || offset < begin || (uint64_t)(offset - begin) > bytes_size ||
        size > bytes_size - (size_t)(offset - begin))
        return false;
    memcpy(dst, bytes + (offset - begin), size);
    return true;
}

bool
http_kept_read(const struct http_kept *kept, int64_t offset, size_t size, void *dst)
{
    return copy_from(kept->first, kept->first_size, 0, offset, size, dst) ||
           copy_from(kept->last, kept->last_size, kept->size - (int64_t)kept->last_size, offset,
                     size, dst);
}

void
http_kept_finish(struct http_kept *kept)
{
    free(kept->first);
    free(kept->last);
    *kept = (struct http_kept){0};
}
