/*
 * store.c - the handle of a store, and the commit that it reads: made, held, and freed.
 */
#include "store/store.h"

#include "base/memory.h"
#include "frame/frame.h"
#include "io/io.h"
#include "io/state_files.h"
#include "store/listing.h"
#include "store/manifest.h"
#include "store/zip.h"

#include <stdio.h>
#include <string.h>

tess_store *
store_new(const tess_storage *storage)
{
    tess_store *const s = mem_zeroed(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->users, 1);
    s->files = (struct state_files){.root = -1, .folder = -1, .writer = -1};
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

void
store_state_release(struct store_state *state)
{
    if (!state || atomic_fetch_sub(&state->users, 1) != 1)
        return;
    state_files_unlock(state->lock);
    manifest_finish(&state->m);
    mem_free(state);
}

static void
store_free(tess_store *s)
{
    io_close(s->io);
    if (s->source.close)
        s->source.close(s->source.user);
    store_state_release(s->state);
    state_files_close(&s->files);
    zip_finish(&s->zip);
    listing_finish(&s->listing);
    mem_free(s->path);
    mem_free(s);
}

char *
store_path_of(const tess_store *s, const char *file)
{
    const size_t size = strlen(s->path) + strlen(file) + 2;
    char *const path = mem_alloc(size);
    if (path)
        snprintf(path, size, "%s/%s", s->path, file);
    return path;
}

void
store_release(tess_store *s)
{
    if (s && atomic_fetch_sub(&s->users, 1) == 1)
        store_free(s);
}
