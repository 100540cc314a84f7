/*
 * store.c - a directory of cached blocks, and the blocks of one object during one call.
 */
#include "cache/store.h"

#include "base/number.h"
#include "cache/evict.h"
#include "cache/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Counting the files takes some microseconds for each. It is done when a file is made, and each
 * time that 1/64 of the bound was written since. Files go while there is room for what others write
 * in the meantime, and some more than need be, so that the next writes find room.
 */
enum { COUNT_SHARE = 64, HIGH_SHARE = 16, LOW_SHARE = 8 };

void
http_cache_init(struct http_cache *cache, const char *directory, int64_t size)
{
    cache->dir = -1;
    cache->size = size > 0 ? size : HTTP_CACHE_SIZE;
    atomic_init(&cache->written, 0);
    if (!directory || !*directory)
        return;
    (void)mkdir(directory, 0700); // fails if it exists
    cache->dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void
http_cache_finish(struct http_cache *cache)
{
    if (cache->dir >= 0)
        (void)close(cache->dir);
    cache->dir = -1;
}

static void
init(struct http_store *store, struct http_cache *cache, const struct http_cache_id *id)
{
    store->cache = cache;
    store->id = *id;
    store->file.fd = -1;
    store->full = cache->dir < 0;
}

void
http_store_init(struct http_store *store, struct http_cache *cache, const struct http_cache_id *id)
{
    init(store, cache, id);
    if (cache->dir >= 0 && http_cache_file_open(cache->dir, id, false, &store->file))
        http_cache_file_touch(&store->file);
}

bool
http_store_init_any(struct http_store *store, struct http_cache *cache,
                    const struct http_cache_id *id)
{
    init(store, cache, id);
    if (cache->dir < 0 || !http_cache_file_open(cache->dir, id, true, &store->file))
        return false;
    store->id = store->file.id;
    return true;
}

void
http_store_finish(struct http_store *store)
{
    http_cache_file_close(&store->file);
}

bool
http_store_read(const struct http_store *store, int64_t index, uint8_t *dst)
{
    return store->file.fd >= 0 && http_cache_file_read(&store->file, index, dst);
}

bool
http_store_copy(const struct http_store *store, int64_t offset, size_t size, uint8_t *dst)
{
    const int64_t stop = offset + (int64_t)size;
    uint8_t block[HTTP_BLOCK];

    for (int64_t at = offset; at < stop;) {
        const int64_t index = at / HTTP_BLOCK, begin = index * HTTP_BLOCK;
        const int64_t end = begin + http_min(stop - begin, HTTP_BLOCK);
        if (!http_store_read(store, index, block))
            return false;
        memcpy(dst + (at - offset), block + (at - begin), (size_t)(end - at));
        at = end;
    }
    return true;
}

static void
count(struct http_store *store)
{
    struct http_cache *const c = store->cache;

    atomic_store(&c->written, 0);
    http_cache_evict(c->dir, c->size - c->size / HIGH_SHARE, c->size - c->size / LOW_SHARE);
    http_cache_file_close(&store->file); // it may be gone
}

// A file to write to. False: there can be none.
static bool
ready(struct http_store *store)
{
    struct http_cache *const c = store->cache;

    if (atomic_load(&c->written) > c->size / COUNT_SHARE)
        count(store);
    if (store->file.fd >= 0)
        return true;
    if (!http_cache_file_open(c->dir, &store->id, false, &store->file)) {
        count(store);
        return http_cache_file_make(c->dir, &store->id, &store->file);
    }
    return true;
}

void
http_store_write(struct http_store *store, int64_t offset, const uint8_t *bytes, size_t size)
{
    const int64_t stop = offset + (int64_t)size;

    for (int64_t i = (offset + HTTP_BLOCK - 1) / HTTP_BLOCK; i * HTTP_BLOCK < stop; i++) {
        const int64_t begin = i * HTTP_BLOCK;
        const size_t block = http_cache_block_size(&store->id, i);
        if (store->full || (int64_t)block > stop - begin)
            return;
        store->full =
            !ready(store) || !http_cache_file_write(&store->file, i, bytes + (begin - offset));
        atomic_fetch_add(&store->cache->written, (int64_t)block);
    }
}
