/*
 * look.c - which state of a story is found on the disk.
 */
#include "fault/look.h"

#include "fault/disk.h"
#include "support/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Whether a sync of its file came between the return of a commit and the stop.
static bool
was_synced(const struct commit *c, size_t at)
{
    for (size_t n = at; n > c->returned;) {
        const struct disk_op *const op = disk_op(--n);
        if (op->kind == DISK_SYNC && op->node == c->node)
            return true;
    }
    return false;
}

struct promise
look_promise(const struct history *h, size_t at, bool machine)
{
    struct promise p = {LOOK_NOTHING, LOOK_NOTHING, LOOK_NOTHING, machine ? 0 : at};
    for (int i = 0; i < h->count; i++) {
        const struct commit *const c = &h->commits[i];
        if (c->started < at || c->returned <= at)
            p.newest = i;
        if (c->returned > at)
            continue;
        p.returned = i;
        if (!machine || c->solid || was_synced(c, at))
            p.oldest = i;
    }
    return p;
}

// Nobody else has written here, so that all has its checksum.
static tess_status
verify(tess_array *a, tess_error *err)
{
    tess_verdict v;
    const tess_status st = tess_array_verify(a, NULL, NULL, &v, err);
    if (st != TESS_OK)
        return st;
    if (v.nright == v.nstored && v.nmetalayers == 0 && v.sealed && !v.header_changed)
        return TESS_OK;
    snprintf(err->message, sizeof err->message,
             "verified: %lld of %lld chunks are right, %lld damaged; %lld metalayers are; %s, %s",
             (long long)v.nright, (long long)v.nstored, (long long)v.ndamaged,
             (long long)v.nmetalayers, v.sealed ? "sealed" : "not sealed",
             v.header_changed ? "another header" : "its header");
    return TESS_ERR_CORRUPT;
}

static tess_status
read_path(const char *path, struct state *found, tess_error *err)
{
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_context_init(&context);
    context.threads = 1;
    tess_storage_init(&storage);
    storage.path = path;
    storage.context = &context;
    tess_status st = tess_array_open(&storage, &a, err);
    if (st != TESS_OK)
        return st;
    st = verify(a, err);
    if (st == TESS_OK)
        st = state_read(a, found, err);
    (void)tess_array_close(a, NULL);
    return st;
}

// The newest of the commits that is like that, or LOOK_WRONG.
static int
find(const struct history *h, const struct promise *p, const struct state *state)
{
    for (int i = p->newest; i >= p->oldest && i >= 0; i--)
        if (h->commits[i].withdrawn > p->withdrawn && state_equal(&h->commits[i].state, state))
            return i;
    return LOOK_WRONG;
}

int
look(const char *path, const struct history *h, const struct promise *p, char *text)
{
    struct state state;
    tess_error err = {0};
    if (read_path(path, &state, &err) != TESS_OK) {
        snprintf(text, LOOK_TEXT, "%s", err.message);
        return p->oldest != LOOK_NOTHING || files_exist(path) ? LOOK_WRONG : LOOK_NOTHING;
    }
    const struct promise any = {0, h->count - 1, 0, 0};
    const int found = find(h, p, &state);
    if (found == LOOK_WRONG)
        snprintf(text, LOOK_TEXT,
                 "%lld x %lld items of commit %d; promised are %d to %d, %d returned",
                 (long long)state.items.shape[0], (long long)state.items.shape[1],
                 find(h, &any, &state), p->oldest, p->newest, p->returned);
    state_finish(&state);
    return found;
}

// -- changing what was found

static void
open_storage(const struct story *s, const char *path, tess_mode mode, tess_storage *storage)
{
    story_storage(s, &s->main, mode, storage);
    storage->path = path;
}

// A row, a column and an attribute are other ones then.
static tess_status
change(tess_array *a, struct state *state, tess_error *err)
{
    enum { MOST = 1000 };
    static uint8_t items[4 * MOST];
    const int64_t *const shape = state->items.shape;
    memset(items, 0x3c, sizeof items);
    tess_status st = state_set_value(a, 1, 4711, err);
    state->values[1] = 4711;
    for (int i = 0; i < 2 && st == TESS_OK && shape[0] > 0 && shape[1] > 0; i++) {
        const int64_t start[2] = {i ? 0 : shape[0] / 2, i ? shape[1] / 2 : 0};
        const int64_t stop[2] = {i ? shape[0] : start[0] + 1, i ? start[1] + 1 : shape[1]};
        st = tess_array_write(a, start, stop, items, sizeof items, err);
        reference_set(&state->items, start, stop, items);
    }
    return st;
}

static tess_status
change_path(const struct story *s, const char *path, struct state *state, tess_error *err)
{
    tess_storage storage;
    tess_array *a;
    open_storage(s, path, TESS_MODE_UPDATE, &storage);
    tess_status st = tess_array_open(&storage, &a, err);
    if (st != TESS_OK)
        return st;
    st = change(a, state, err);
    if (st != TESS_OK) {
        tess_array_discard(a);
        return st;
    }
    return tess_array_close(a, err);
}

// Chunks that are stored, or files of chunks.
struct stored {
    int64_t count, bytes;
};

static tess_status
count_chunks(const struct story *s, const char *path, struct stored *chunks, tess_error *err)
{
    tess_storage storage;
    tess_array *a;
    tess_info info;
    open_storage(s, path, TESS_MODE_READ, &storage);
    tess_status st = tess_array_open(&storage, &a, err);
    if (st != TESS_OK)
        return st;
    tess_array_info(a, &info);
    *chunks = (struct stored){0};
    for (int64_t n = 0; n < info.nchunks && st == TESS_OK; n++) {
        tess_chunk_info chunk;
        st = tess_array_chunk(a, n, &chunk, err);
        chunks->count += st == TESS_OK && chunk.stored;
        chunks->bytes += st == TESS_OK ? chunk.cbytes : 0;
    }
    (void)tess_array_close(a, NULL);
    return st;
}

// All but the index.
static struct stored
count_files(const char *path)
{
    struct stored files = {0};
    DIR *const dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat info;
        if (e->d_name[0] == '.' || strcmp(e->d_name, "chunks.b2frame") == 0 ||
            fstatat(dirfd(dir), e->d_name, &info, 0) != 0)
            continue;
        files.count++;
        files.bytes += info.st_size;
    }
    closedir(dir);
    return files;
}

// A directory has its index and its chunks then, and nothing else.
static tess_status
compact_path(const struct story *s, const char *path, tess_error *err)
{
    tess_storage storage;
    struct stored chunks;
    open_storage(s, path, TESS_MODE_UPDATE, &storage);
    tess_status st = tess_compact(&storage, NULL, NULL, err);
    if (st == TESS_OK && s->layout == TESS_LAYOUT_SPARSE)
        st = count_chunks(s, path, &chunks, err);
    if (st != TESS_OK || s->layout != TESS_LAYOUT_SPARSE)
        return st;
    const struct stored files = count_files(path);
    if (files.count == chunks.count && files.bytes == chunks.bytes)
        return TESS_OK;
    snprintf(err->message, sizeof err->message,
             "compacted, %lld files of %lld bytes for %lld chunks of %lld", (long long)files.count,
             (long long)files.bytes, (long long)chunks.count, (long long)chunks.bytes);
    return TESS_ERR_IO;
}

static bool
replace_path(const struct story *s, const char *path, char *text)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    open_storage(s, path, TESS_MODE_REPLACE, &storage);
    tess_params_init(&params);
    params.layout = s->layout;
    const tess_status st = tess_array_zeros(&storage, &params, &a, &err);
    if (st == TESS_OK)
        return tess_array_close(a, NULL) == TESS_OK;
    snprintf(text, LOOK_TEXT, "replacing: %s", err.message);
    return false;
}

bool
look_update(const struct story *s, const char *path, const struct history *h, int found, char *text)
{
    struct state want, got;
    tess_error err = {0};
    if (found == LOOK_NOTHING)
        return replace_path(s, path, text);
    state_copy(&want, &h->commits[found].state);
    tess_status st = change_path(s, path, &want, &err);
    if (st == TESS_OK && s->workload->weights[STORY_COMPACT] > 0)
        st = compact_path(s, path, &err);
    if (st == TESS_OK)
        st = read_path(path, &got, &err);
    bool good = st == TESS_OK;
    if (good) {
        good = state_equal(&want, &got);
        snprintf(err.message, sizeof err.message, "it holds something else than was written");
        state_finish(&got);
    }
    state_finish(&want);
    snprintf(text, LOOK_TEXT, "changed: %s", err.message);
    return good;
}
