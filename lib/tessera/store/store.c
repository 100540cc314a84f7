/*
 * store.c - the handle of a store: made, held, and freed.
 */
#include "store/store.h"

#include "base/memory.h"
#include "frame/frame.h"
#include "io/io.h"
#include "store/listing.h"
#include "store/zip.h"

#include <string.h>

tess_store *
store_new(const tess_storage *storage)
{
    tess_store *const s = mem_zeroed(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->users, 1);
    s->storage = *storage;
    frame_complete_limits(&s->storage.limits);
    listing_init(&s->listing, s->storage.limits.memory);
    if (storage->context) {
        s->context = *storage->context;
        s->storage.context = &s->context;
    }
    if (s->context.executor) {
        s->executor = *s->context.executor;
        s->context.executor = &s->executor;
    }
    if (!storage->path)
        return s;
    const size_t size = strlen(storage->path) + 1;
    s->path = mem_alloc(size);
    if (!s->path) {
        mem_free(s);
        return NULL;
    }
    memcpy(s->path, storage->path, size);
    s->storage.path = s->path;
    return s;
}

static void
store_free(tess_store *s)
{
    io_close(s->io);
    if (s->source.close)
        s->source.close(s->source.user);
    zip_finish(&s->zip);
    listing_finish(&s->listing);
    mem_free(s->path);
    mem_free(s);
}

void
store_release(tess_store *s)
{
    if (s && atomic_fetch_sub(&s->users, 1) == 1)
        store_free(s);
}
