/*
 * source.c - the functions of a tess_source over an object on a server.
 */
#include "address/target.h"
#include "answer/identity.h"
#include "base/error.h"
#include "base/number.h"
#include "cache/key.h"
#include "cache/store.h"
#include "object/object.h"
#include "read/cached.h"
#include "read/call.h"
#include "read/kept.h"
#include "read/piece.h"
#include "write/upload.h"

#include <stdlib.h>
#include <string.h>

#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

enum {
    LATENCY_US = 20000, // of a server not far away
    OPENINGS = 4, // tries to read both ends of one object, when it is replaced in between
};

struct http_source {
    struct http_object object;
    struct http_kept kept;
    struct http_upload *upload; // NULL: nothing was written since the last was published
    bool cached; // blocks may come from the cache, and go there
    uint8_t key[HTTP_HASH]; // if cached
};

// -- what is read

static tess_status
tell_state(struct http_source *s, tess_source_state *state, tess_error *err)
{
    const struct http_identity *const id = atomic_load(&s->object.identity);
    if (!id || id->size < 0)
        return http_fail(err, TESS_ERR_IO, "the server does not tell the size");
    state->size = id->size;
    state->guarded = http_identity_strong(id);
    return TESS_OK;
}

static tess_status
source_state(void *user, tess_source_state *state, tess_error *err)
{
    struct http_source *const s = user;
    const struct http_identity *const id = atomic_load(&s->object.identity);
    uint8_t byte;
    struct http_piece piece = {.kind = HTTP_ASK_FIRST, .size = 1, .dst = &byte};

    if (!id || !http_identity_strong(id)) {
        const tess_status st = http_call(&s->object, &piece, 1, NULL, err);
        if (st != TESS_OK)
            return st;
    }
    return tell_state(s, state, err);
}

// The version of the object that was confirmed; false: none that can be cached.
static bool
confirmed(struct http_source *s, struct http_cache_id *id)
{
    const struct http_identity *const known = atomic_load(&s->object.identity);

    if (!s->cached || !known || !http_cache_version(known, id))
        return false;
    memcpy(id->key, s->key, sizeof id->key);
    return true;
}

static bool
within(const tess_range *ranges, size_t n, int64_t size)
{
    for (size_t i = 0; i < n; i++)
        if (ranges[i].offset < 0 || ranges[i].offset > size ||
            ranges[i].dst_size > (uint64_t)(size - ranges[i].offset))
            return false;
    return true;
}

static tess_status
read_cached(struct http_source *s, const struct http_cache_id *id, const tess_range *ranges,
            size_t n, const tess_reading *reading, tess_error *err)
{
    bool *const done = calloc(n, sizeof *done);

    if (!done)
        return http_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const tess_range *const r = &ranges[i];
        done[i] = http_kept_read(&s->kept, r->offset, r->dst_size, r->dst);
        if (done[i] && reading)
            tess_reading_arrived(reading, i);
    }
    const tess_status st =
        http_cache_read(&s->object.common->cache, id, &s->object, ranges, done, n, reading, err);
    free(done);
    return st;
}

static tess_status
source_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    struct http_source *const s = user;
    struct http_cache_id id;
    if (confirmed(s, &id) && within(ranges, n, id.size))
        return read_cached(s, &id, ranges, n, reading, err);
    struct http_piece *const pieces = calloc(n, sizeof *pieces);
    tess_status st = TESS_OK;

    if (!pieces)
        return http_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const tess_range *const r = &ranges[i];
        pieces[i] = (struct http_piece){
            .kind = HTTP_ASK_RANGE, .offset = r->offset, .size = r->dst_size, .dst = r->dst};
        pieces[i].done = pieces[i].told = http_kept_read(&s->kept, r->offset, r->dst_size, r->dst);
        if (pieces[i].done && reading)
            tess_reading_arrived(reading, i);
    }
    st = http_call(&s->object, pieces, n, reading, err);
    free(pieces);
    return st;
}

// Both ends of one object, as large as the size of the object lets them be.
static tess_status
read_ends(struct http_source *s, uint8_t *first, size_t first_size, uint8_t *last, size_t last_size,
          tess_error *err)
{
    const bool known = atomic_load(&s->object.identity);
    tess_status st = TESS_OK;

    for (int i = 0; i < OPENINGS; i++) {
        struct http_piece pieces[2] = {
            {.kind = HTTP_ASK_FIRST, .size = first_size, .dst = first},
            {.kind = HTTP_ASK_LAST, .size = last_size, .dst = last},
        };
        st = http_call(&s->object, pieces, last_size > 0 ? 2 : 1, NULL, err);
        if (st == TESS_OK && last_size > 0)
            http_pieces_copy_last(&pieces[0], &pieces[1]);
        if (st != TESS_ERR_STALE || known)
            break;
        http_object_forget_identity(&s->object); // replaced between its ends
    }
    return st;
}

// Enough that the whole blocks among it hold the ends: the size of the object is not known yet.
static size_t
rounded_out(size_t size, bool last)
{
    if (size == 0 || size > SIZE_MAX - HTTP_BLOCK)
        return size;
    return last ? size + HTTP_BLOCK - 1 : (size + HTTP_BLOCK - 1) / HTTP_BLOCK * HTTP_BLOCK;
}

static void
store_ends(struct http_source *s, const struct http_kept *ends)
{
    struct http_cache_id id;
    struct http_store store;

    if (!confirmed(s, &id))
        return;
    http_store_init(&store, &s->object.common->cache, &id);
    http_store_write(&store, 0, ends->first, ends->first_size);
    http_store_write(&store, ends->size - (int64_t)ends->last_size, ends->last, ends->last_size);
    http_store_finish(&store);
}

// The ends, in memory of their own, from the cache or the server.
static tess_status
bring_ends(struct http_source *s, size_t first_size, size_t last_size, struct http_kept *ends,
           tess_source_state *state, tess_error *err)
{
    const size_t more_first = s->cached ? rounded_out(first_size, false) : first_size;
    const size_t more_last = s->cached ? rounded_out(last_size, true) : last_size;
    bool found = false;
    tess_status st = TESS_OK;

    ends->first = malloc(more_first);
    ends->last = malloc(more_last > 0 ? more_last : 1);
    if (!ends->first || !ends->last)
        return http_fail_memory(err);
    if (s->cached && !atomic_load(&s->object.identity))
        st = http_cache_ends(&s->object.common->cache, s->key, &s->object, ends->first, first_size,
                             ends->last, last_size, &found, err);
    if (st == TESS_OK && !found)
        st = read_ends(s, ends->first, more_first, ends->last, more_last, err);
    if (st == TESS_OK)
        st = tell_state(s, state, err);
    if (st != TESS_OK)
        return st;
    ends->size = state->size;
    ends->first_size = http_size_within(found ? first_size : more_first, state->size);
    ends->last_size = http_size_within(found ? last_size : more_last, state->size);
    if (!found)
        store_ends(s, ends);
    return TESS_OK;
}

// More than was asked for is read: through memory of our own.
static tess_status
read_more(struct http_source *s, tess_source_state *state, void *first, size_t first_size,
          void *last, size_t last_size, tess_error *err)
{
    const struct http_options *const o = &s->object.common->options;
    const size_t more_first = http_max_size(http_max_size(first_size, (size_t)o->first), 1);
    const size_t more_last = http_max_size(last_size, (size_t)o->last);
    const bool keep = more_first > first_size || more_last > last_size;
    struct http_kept kept = {0};
    tess_status st;

    TRY(bring_ends(s, more_first, more_last, &kept, state, err));
    first_size = http_size_within(first_size, state->size);
    last_size = http_size_within(last_size, state->size);
    if (first_size > 0)
        memcpy(first, kept.first, first_size);
    if (last_size > 0)
        memcpy(last, kept.last + (kept.last_size - last_size), last_size);
    if (keep && state->guarded) { // else nothing would notice that they are of another object
        http_kept_finish(&s->kept);
        s->kept = kept;
        kept = (struct http_kept){0};
    }
out:
    http_kept_finish(&kept);
    return st;
}

static tess_status
source_ends(void *user, tess_source_state *state, void *first, size_t first_size, void *last,
            size_t last_size, tess_error *err)
{
    struct http_source *const s = user;
    const struct http_options *const o = &s->object.common->options;

    if (s->cached || first_size == 0 ||
        o->first > (int64_t)http_size_within(first_size, INT64_MAX) ||
        o->last > (int64_t)http_size_within(last_size, INT64_MAX))
        return read_more(s, state, first, first_size, last, last_size, err);
    const tess_status st = read_ends(s, first, first_size, last, last_size, err);
    return st == TESS_OK ? tell_state(s, state, err) : st;
}

static tess_status
source_refresh(void *user, tess_error *err)
{
    struct http_source *const s = user;
    (void)err;
    http_kept_finish(&s->kept);
    http_object_forget(&s->object);
    return TESS_OK;
}

static void
source_close(void *user)
{
    struct http_source *const s = user;
    if (!s)
        return;
    http_upload_free(s->upload);
    http_kept_finish(&s->kept);
    http_object_finish(&s->object);
    free(s);
}

// -- what is written

static tess_status
source_write(void *user, int64_t offset, const void *src, size_t src_size, tess_error *err)
{
    struct http_source *const s = user;
    const tess_status st = s->upload ? TESS_OK : http_upload_new(&s->object, &s->upload, err);
    return st == TESS_OK ? http_upload_write(s->upload, offset, src, src_size, err) : st;
}

static tess_status
source_publish(void *user, int64_t size, bool replace, tess_error *err)
{
    struct http_source *const s = user;
    tess_status st = s->upload ? TESS_OK : http_upload_new(&s->object, &s->upload, err);
    if (st == TESS_OK)
        st = http_upload_publish(s->upload, size, replace, err);
    if (st != TESS_OK)
        return st;
    http_upload_free(s->upload);
    s->upload = NULL;
    return source_refresh(s, err); // what was read was another object
}

// -- making one

// Takes over both, also on failure.
static tess_status
source_new(struct http_common *common, struct http_target *target, struct http_source **source,
           tess_error *err)
{
    struct http_source *const s = calloc(1, sizeof *s);
    if (!s) {
        http_common_drop(common);
        http_target_finish(target);
        return http_fail_memory(err);
    }
    s->object.common = common;
    s->object.target = *target;
    *target = (struct http_target){0};
    s->cached = common->cache.dir >= 0 && !s->object.target.directory &&
                http_cache_key(&s->object.target, common->options.s3.endpoint, s->key);
    *source = s;
    return TESS_OK;
}

static tess_status source_part(void *user, const char *name, tess_source *part, tess_error *err);

// The program's struct may be that of another release: what it has is filled, the rest is zeros.
static void
source_fill(struct http_source *s, tess_source *source)
{
    const bool directory = s->object.target.directory;
    const tess_source own = {
        .struct_size = source->struct_size,
        .user = s,
        .name = s->object.target.name,
        .latency = LATENCY_US,
        .requests = s->object.common->options.requests,
        .state = directory ? NULL : source_state,
        .read = directory ? NULL : source_read,
        .ends = directory ? NULL : source_ends,
        .refresh = source_refresh,
        .part = directory ? source_part : NULL,
        .close = source_close,
        .write = directory ? NULL : source_write,
        .head = directory ? 0 : s->object.common->options.part_size,
        .publish = directory ? NULL : source_publish,
    };
    memcpy(source, &own, http_min_size(source->struct_size, sizeof own));
}

static tess_status
source_part(void *user, const char *name, tess_source *part, tess_error *err)
{
    const struct http_source *const directory = user;
    struct http_target target = {0};
    struct http_source *s = NULL;

    tess_status st = http_target_part(&directory->object.target, name, &target, err);
    if (st == TESS_OK)
        st = source_new(http_common_share(directory->object.common), &target, &s, err);
    if (st == TESS_OK)
        source_fill(s, part);
    return st;
}

bool
tess_http_is_url(const char *text)
{
    return http_target_begins(text, "http") || http_target_begins(text, "https") ||
           http_target_begins(text, "s3");
}

tess_status
tess_http_source(const char *url, const tess_http_options *options, tess_source *source,
                 tess_error *err)
{
    struct http_target target = {0};
    struct http_common *common = NULL;
    struct http_source *s = NULL;
    tess_status st;

    if (!url || !source ||
        source->struct_size < offsetof(tess_source, close) + sizeof source->close)
        return http_fail(err, TESS_ERR_ARG, "no URL, or no initialised tess_source");
    TRY(http_target_parse(url, &target, err));
    TRY(http_common_new(options, target.s3, &common, err));
    TRY(source_new(common, &target, &s, err));
    source_fill(s, source);
out:
    http_target_finish(&target);
    return st;
}
