/*
 * verify.c - all stored chunks of an array, compared with their checksums and decoded.
 *
 * A grain of work is a chunk. What is wrong with it is a result, told in the order of the chunks; a
 * lack of memory ends the job.
 */
#include "array/verify.h"

#include "array/cost.h"
#include "base/checked.h"
#include "chunk/cursor.h"
#include "codec/codec.h"
#include "task/task.h"

#include <stdlib.h>

struct verifier {
    const tess_array *a;
    const struct checksums *checksums;
    struct watch *watch;
    tess_damage_fn *fn;
    void *user;
    tess_verdict *verdict;
    int64_t n; // the next chunk
};

struct grain {
    int64_t n;
    bool known; // it has a checksum
    tess_status status;
    tess_error why;
};

static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct verifier *const v = arg;
    const struct frame_index *const list = &v->a->frame->index;
    (void)err;
    while (v->n < list->nchunks && index_get(list, v->n) < 0)
        v->n = list->entries ? v->n + 1 : list->nchunks;
    *more = v->n < list->nchunks;
    if (*more)
        *(struct grain *)grain = (struct grain){.n = v->n++};
    return TESS_OK;
}

static tess_status
examine(const struct verifier *v, struct grain *g, struct chunk_scratch *s)
{
    tess_status st = frame_check_chunk(v->a->frame, g->n, v->checksums, s, &g->known, &g->why);
    if (st == TESS_OK)
        st = stored_chunk_decode(v->a->frame, g->n, s, &g->why);
    return st == TESS_ERR_UNSUPPORTED ? TESS_OK : st;
}

static tess_status
work(void *arg, void *grain, tess_error *err)
{
    const struct verifier *const v = arg;
    struct grain *const g = grain;
    struct chunk_scratch *const s = pool_take(v->a->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    g->status = examine(v, g, s);
    pool_give(v->a->pool, s);
    watch_add(v->watch, 1);
    if (g->status == TESS_OK || g->status == TESS_ERR_CORRUPT || g->status == TESS_ERR_IO)
        return TESS_OK;
    *err = g->why;
    return g->status;
}

// The part of the array that a chunk holds.
static void
chunk_box(const tess_array *a, int64_t n, tess_damage *damage)
{
    const struct geometry *const g = &a->g;
    damage->ndim = g->ndim;
    if (a->plain) {
        damage->start[0] = plain_chunk_start(a, n) / g->typesize;
        damage->stop[0] = ceil_div(plain_chunk_start(a, n + 1), g->typesize);
        return;
    }
    for (int i = g->ndim - 1; i >= 0; i--) {
        damage->start[i] = n % g->grid[i] * g->chunkshape[i];
        damage->stop[i] = min_i64(damage->start[i] + g->chunkshape[i], g->shape[i]);
        n /= g->grid[i];
    }
}

static tess_status
finish(void *arg, void *grain, tess_error *err)
{
    const struct verifier *const v = arg;
    const struct grain *const g = grain;
    (void)err;
    v->verdict->nstored++;
    if (g->status == TESS_OK) {
        v->verdict->nright += g->known;
        v->verdict->nunknown += !g->known;
        return TESS_OK;
    }
    v->verdict->ndamaged++;
    tess_damage damage = {.chunk = g->n, .status = g->status, .message = g->why.message};
    chunk_box(v->a, g->n, &damage);
    if (v->fn)
        v->fn(&damage, v->user);
    return TESS_OK;
}

static tess_status
verify_chunks(struct verifier *v, tess_error *err)
{
    const struct task task = {
        .next = next, .work = work, .finish = finish, .grain_size = sizeof(struct grain)};
    const tess_array *const a = v->a;
    const struct task_width width = {
        .threads = a->context.threads,
        .cost = cost_decode(codec_by_id(a->frame->h.codec), a->frame->h.nbytes),
        .watch = v->watch,
    };
    watch_job(v->watch, max_i64(a->frame->index.nchunks, 1));
    return task_run(&task, v, &width, err);
}

static tess_status
verify_metalayers(const struct verifier *v, tess_error *err)
{
    const struct layers *const l = &v->a->frame->vlmetas;
    for (int i = 0; i < l->count; i++) {
        uint8_t *content;
        size_t size;
        tess_error why;
        const tess_status st =
            chunk_content(l->items[i].content, l->items[i].size, v->a->frame->options.limits.memory,
                          &content, &size, &why);
        free(content);
        if (st == TESS_OK || st == TESS_ERR_UNSUPPORTED)
            continue;
        if (st != TESS_ERR_CORRUPT) {
            if (err)
                *err = why;
            return st;
        }
        v->verdict->nmetalayers++;
        const tess_damage damage = {
            .chunk = -1, .metalayer = l->items[i].name, .status = st, .message = why.message};
        if (v->fn)
            v->fn(&damage, v->user);
    }
    return TESS_OK;
}

tess_status
array_verify(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
             struct watch *watch, tess_error *err)
{
    const struct frame *const f = a->frame;
    struct checksums loaded = {0};
    struct verifier v = {.a = a,
                         .checksums = frame_has_checksums(f) ? &f->checksums : &loaded,
                         .watch = watch,
                         .fn = fn,
                         .user = user,
                         .verdict = verdict};
    *verdict = (tess_verdict){.sealed = f->sealed,
                              .header_changed = f->header_changed,
                              .commit = f->sealed ? f->number : 0};
    tess_status st =
        frame_has_checksums(f) ? TESS_OK : frame_load_checksums(f, &f->index, &loaded, err);
    if (st == TESS_OK)
        st = verify_chunks(&v, err);
    if (st == TESS_OK)
        st = verify_metalayers(&v, err);
    checksums_finish(&loaded);
    return st;
}
