/*
 * cached.c - ranges of an object through the cache.
 *
 * The ranges become pieces of whole blocks. Pieces do not overlap: a block that two ranges share is
 * in the piece of the first one, and the second waits for both. So there are at most as many
 * requests as ranges.
 */
#include "read/cached.h"

#include "base/error.h"
#include "base/number.h"
#include "cache/file.h"
#include "cache/key.h"
#include "cache/store.h"
#include "read/call.h"
#include "read/piece.h"

#include <stdlib.h>
#include <string.h>

#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

// The ranges that have bytes of a piece are among those from `first` to before `stop`.
struct span {
    size_t first, stop;
};

struct job {
    struct http_store store;
    const tess_range *ranges;
    size_t n;
    const tess_reading *reading;
    unsigned *left; // for each range: pieces it waits for
    struct http_piece *pieces; // with memory of their own, until they are stored
    struct span *spans;
    size_t npieces;
    int64_t block_at; // index of the block that was looked for last; -1: none
    bool block_there;
    uint8_t block[HTTP_BLOCK];
};

static int64_t
range_stop(const tess_range *r)
{
    return r->offset + (int64_t)r->dst_size;
}

// Copy to a range what it has in common with bytes at `offset`. False: nothing.
static bool
copy_common(const tess_range *r, int64_t offset, const uint8_t *bytes, size_t size)
{
    const int64_t begin = http_max(r->offset, offset);
    const int64_t end = http_min(range_stop(r), offset + (int64_t)size);

    if (begin >= end)
        return false;
    memcpy((uint8_t *)r->dst + (begin - r->offset), bytes + (begin - offset),
           (size_t)(end - begin));
    return true;
}

static void
range_done(const struct job *j, size_t i)
{
    if (j->reading)
        tess_reading_arrived(j->reading, i);
}

// -- before the requests

struct missing {
    int64_t first, last; // blocks; first is -1: none
};

// Copy the blocks of a range that are there.
static struct missing
look_for(struct job *j, const tess_range *r)
{
    struct missing missing = {-1, -1};

    for (int64_t b = r->offset / HTTP_BLOCK; b <= (range_stop(r) - 1) / HTTP_BLOCK; b++) {
        if (b != j->block_at) {
            j->block_there = http_store_read(&j->store, b, j->block);
            j->block_at = b;
        }
        if (j->block_there) {
            (void)copy_common(r, b * HTTP_BLOCK, j->block, http_cache_block_size(&j->store.id, b));
        } else {
            missing.first = missing.first < 0 ? b : missing.first;
            missing.last = b;
        }
    }
    return missing;
}

static tess_status
add_piece(struct job *j, size_t range, int64_t first, int64_t last, tess_error *err)
{
    const int64_t offset = first * HTTP_BLOCK;
    const int64_t stop = http_min((last + 1) * HTTP_BLOCK, j->store.id.size);
    uint8_t *const dst = malloc((size_t)(stop - offset));

    if (!dst)
        return http_fail_memory(err);
    j->spans[j->npieces] = (struct span){range, range + 1};
    j->pieces[j->npieces++] = (struct http_piece){
        .kind = HTTP_ASK_RANGE, .offset = offset, .size = (size_t)(stop - offset), .dst = dst};
    j->left[range]++;
    return TESS_OK;
}

static tess_status
plan_range(struct job *j, size_t i, tess_error *err)
{
    const tess_range *const r = &j->ranges[i];
    const struct http_piece *const before = j->npieces ? &j->pieces[j->npieces - 1] : NULL;
    const int64_t covered = before ? before->offset + (int64_t)before->size : 0;
    const struct missing missing = look_for(j, r);

    if (missing.first < 0) {
        range_done(j, i);
        return TESS_OK;
    }
    if (before && r->offset < covered) {
        j->left[i]++;
        j->spans[j->npieces - 1].stop = i + 1;
    }
    if (covered >= http_min((missing.last + 1) * HTTP_BLOCK, j->store.id.size))
        return TESS_OK;
    return add_piece(j, i, http_max(missing.first, covered / HTTP_BLOCK), missing.last, err);
}

// -- when a piece has come

static void
piece_arrived(void *user, size_t piece)
{
    struct job *const j = user;
    struct http_piece *const p = &j->pieces[piece];

    for (size_t i = j->spans[piece].first; i < j->spans[piece].stop; i++)
        if (j->left[i] > 0 && copy_common(&j->ranges[i], p->offset, p->dst, p->size) &&
            --j->left[i] == 0)
            range_done(j, i);
    http_store_write(&j->store, p->offset, p->dst, p->size);
    free(p->dst);
    p->dst = NULL;
}

tess_status
http_cache_read(struct http_cache *cache, const struct http_cache_id *id, struct http_object *o,
                const tess_range *ranges, const bool *done, size_t n, const tess_reading *reading,
                tess_error *err)
{
    struct job *const j = calloc(1, sizeof *j);
    tess_status st;

    if (!j)
        return http_fail_memory(err);
    http_store_init(&j->store, cache, id);
    j->ranges = ranges;
    j->n = n;
    j->reading = reading;
    j->block_at = -1;
    j->left = calloc(n, sizeof *j->left);
    j->pieces = calloc(n, sizeof *j->pieces);
    j->spans = calloc(n, sizeof *j->spans);
    if (!j->left || !j->pieces || !j->spans)
        TRY(http_fail_memory(err));
    st = TESS_OK;
    for (size_t i = 0; i < n; i++)
        if (!done[i])
            TRY(plan_range(j, i, err));
    if (j->npieces > 0) {
        const struct http_listener listener = {reading, piece_arrived, j};
        st = http_call_listening(o, j->pieces, j->npieces, &listener, err);
    }
out:
    for (size_t i = 0; i < j->npieces; i++)
        free(j->pieces[i].dst);
    free(j->left);
    free(j->pieces);
    free(j->spans);
    http_store_finish(&j->store);
    free(j);
    return st;
}

// -- opening

// Are they there, and of which version?
static bool
have_ends(struct http_cache *cache, struct http_cache_id *id, uint8_t *first, size_t first_size,
          uint8_t *last, size_t last_size)
{
    struct http_store store;
    bool have = http_store_init_any(&store, cache, id);

    if (have) {
        const int64_t size = store.id.size;
        first_size = http_size_within(first_size, size);
        last_size = http_size_within(last_size, size);
        have = http_store_copy(&store, 0, first_size, first) &&
               http_store_copy(&store, size - (int64_t)last_size, last_size, last);
        *id = store.id;
    }
    http_store_finish(&store);
    return have;
}

tess_status
http_cache_ends(struct http_cache *cache, const uint8_t key[HTTP_HASH], struct http_object *o,
                uint8_t *first, size_t first_size, uint8_t *last, size_t last_size, bool *found,
                tess_error *err)
{
    struct http_cache_id have, is;
    uint8_t byte;
    struct http_piece piece = {.kind = HTTP_ASK_FIRST, .size = 1, .dst = &byte};

    *found = false;
    memcpy(have.key, key, sizeof have.key);
    if (!have_ends(cache, &have, first, first_size, last, last_size))
        return TESS_OK;
    const tess_status st = http_call(o, &piece, 1, NULL, err);
    if (st != TESS_OK)
        return st;
    const struct http_identity *const id = atomic_load(&o->identity);
    *found = id && http_cache_version(id, &is) && is.size == have.size &&
             memcmp(is.etag, have.etag, sizeof is.etag) == 0;
    if (!*found)
        http_object_forget_identity(o);
    return TESS_OK;
}
