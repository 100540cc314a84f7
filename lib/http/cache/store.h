/*
 * store.h - a directory of cached blocks, and the blocks of one object during one call.
 *
 * No function fails: what goes wrong means that blocks are not there. There are no locks, nothing
 * is kept open between calls, and no state but a counter, so that threads, programs and children of
 * fork() need not know of each other.
 */
#ifndef HTTP_CACHE_STORE_H
#define HTTP_CACHE_STORE_H

#include "cache/file.h"

#include <stdatomic.h>

struct http_cache {
    int dir; // -1: no cache
    int64_t size; // bytes on the disk that its files may take
    _Atomic(int64_t) written; // since the files were counted
};

#define HTTP_CACHE_SIZE ((int64_t)1 << 30) // if nothing is said

// NULL, or no directory that can be used: no cache. One that does not exist is made, for this user
// only.
void http_cache_init(struct http_cache *cache, const char *directory, int64_t size);
void http_cache_finish(struct http_cache *cache);

struct http_store {
    struct http_cache *cache;
    struct http_cache_id id;
    struct http_cache_file file; // fd -1: there is none
    bool full; // a write failed: no more are tried
};

// Blocks of a version of an object.
void http_store_init(struct http_store *store, struct http_cache *cache,
                     const struct http_cache_id *id);

// Blocks of whatever version is there of id->key: store->id tells it. False: none is.
bool http_store_init_any(struct http_store *store, struct http_cache *cache,
                         const struct http_cache_id *id);
void http_store_finish(struct http_store *store);

// As http_cache_file_read().
bool http_store_read(const struct http_store *store, int64_t index, uint8_t *dst);

// Copy size >= 1 bytes that lie within the object. False: not all are there; dst holds anything.
bool http_store_copy(const struct http_store *store, int64_t offset, size_t size, uint8_t *dst);

// Keep the whole blocks among bytes of the object; evict others, if there are too many.
void http_store_write(struct http_store *store, int64_t offset, const uint8_t *bytes, size_t size);

#endif
