/*
 * cached.h - ranges of an object through the cache: blocks that are there need no request.
 */
#ifndef HTTP_READ_CACHED_H
#define HTTP_READ_CACHED_H

#include "cache/store.h"
#include "object/object.h"

#include <tessera/source.h>

/*
 * Read n ranges, n >= 1, which ascend; done[i]: that one is there already, and was told. Other
 * arguments, and what comes back, are those of http_call(). `id` is the version of the object that
 * an answer to this object confirmed.
 *
 * A range whose blocks are all there is copied; else it is one request as without the cache, from
 * the first block that misses to the last one, rounded out to whole blocks. What came is stored.
 */
tess_status http_cache_read(struct http_cache *cache, const struct http_cache_id *id,
                            struct http_object *o, const tess_range *ranges, const bool *done,
                            size_t n, const tess_reading *reading, tess_error *err);

/*
 * Both ends of an object whose identity is not known yet. If the cache has them, of any version, a
 * request for one byte tells whether the server has the same version.
 *
 * *found: first_size bytes, or the whole object if it is smaller, are in `first`, and likewise the
 * last ones in `last`; the identity of the object is known. Else nothing of it is.
 */
tess_status http_cache_ends(struct http_cache *cache, const uint8_t key[HTTP_HASH],
                            struct http_object *o, uint8_t *first, size_t first_size, uint8_t *last,
                            size_t last_size, bool *found, tess_error *err);

#endif
