/*
 * store.c - changed chunks: encoded in parallel, put in order.
 *
 * A grain is a run of consecutive blocks of one chunk to be encoded. What it needs of the old chunk
 * is fetched before it is handed out: the frame's bytes may move while it is worked on. Blocks that
 * are kept need no grain; they are copied when the grain behind them has its turn.
 *
 * A grain that is handed out when all before it have had their turn is encoded where its bytes
 * belong, others in a buffer of their own, as all are of a chunk that goes to the frame in pieces.
 *
 * Not here: what becomes of one chunk (making.c).
 */
#include "array/store.h"

#include "array/cache.h"
#include "array/cost.h"
#include "array/making.h"
#include "base/checked.h"
#include "task/task.h"

#include <stdlib.h>

enum {
    GRAIN_NBYTES = 1 << 18,
    GRAINS_MIN = 8, // of a request, where it has as many blocks
    GRAIN_BLOCKS_MAX = 256,
    BUFFERS = 8,
    SPARES = 2,
    SPARE_MAX = 1 << 24, // largest buffer that is kept from call to call
};

struct store {
    struct making *first, *last; // in the making, in order
    struct making *spare[SPARES];
    struct buffer buffers[BUFFERS]; // of grains
    bool plain; // the last chunk was incompressible
};

struct job {
    tess_array *a;
    const struct edit_source *source;
    struct store *store;
    struct chunk_scratch *s; // of next and finish
    struct making *making; // whose blocks are handed out
    int32_t grain_nblocks;
};

struct grain {
    struct making *m;
    int32_t first, count;
    bool last; // of its chunk
    bool encode; // else the items are collected, no more
    uint8_t *out; // where the blocks are encoded
    const uint8_t *old; // what they need of the old chunk
    struct buffer buffer;
    int32_t sizes[GRAIN_BLOCKS_MAX];
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

// A buffer of `size` bytes for a grain, one that was used before if there is any.
static tess_status
take_buffer(struct store *store, int64_t size, struct buffer *b, tess_error *err)
{
    struct buffer *best = NULL;
    for (int i = 0; i < BUFFERS; i++)
        if (store->buffers[i].bytes && (!best || store->buffers[i].size > best->size))
            best = &store->buffers[i];
    if (best) {
        *b = *best;
        *best = (struct buffer){0};
    }
    return buffer_reserve(b, size, err);
}

static void
give_buffer(struct store *store, struct buffer *b)
{
    for (int i = 0; i < BUFFERS && b->bytes; i++)
        if (!store->buffers[i].bytes) {
            store->buffers[i] = *b;
            *b = (struct buffer){0};
        }
    free(b->bytes);
    *b = (struct buffer){0};
}

static struct making *
take_making(struct store *store)
{
    for (int i = 0; i < SPARES; i++) {
        struct making *const m = store->spare[i];
        if (m) {
            store->spare[i] = NULL;
            return m;
        }
    }
    return calloc(1, sizeof(struct making));
}

static void
give_making(struct store *store, struct making *m)
{
    for (int i = 0; i < SPARES; i++)
        if (!store->spare[i]) {
            making_reset(m);
            store->spare[i] = m;
            return;
        }
    making_free(m);
}

// The oldest chunk in the making is done, or given up.
static void
drop_first(struct store *store)
{
    struct making *const m = store->first;
    store->first = m->next;
    if (!store->first)
        store->last = NULL;
    give_making(store, m);
}

// Open the next chunk; job->making stays NULL behind the last.
static tess_status
enter_chunk(struct job *job, tess_error *err)
{
    struct store *const store = job->store;
    struct making *const m = take_making(store);
    if (!m)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    if (!job->source->next(job->source->cursor, &m->edit)) {
        give_making(store, m);
        return TESS_OK;
    }
    if (!job->source->from_cache)
        cache_forget_chunk(job->a->cache, m->edit.n, job->a->g.nblocks);
    m->a = job->a;
    m->source = job->source;
    m->s = job->s;
    if (store->last)
        store->last->next = m;
    else
        store->first = m;
    store->last = m;
    job->making = m;
    return making_begin(m, store->plain, err);
}

static int32_t
next_touched(const struct making *m, int32_t nblock)
{
    bool replaced;
    if (nblock == m->a->g.nblocks)
        return nblock;
    return m->source->touched(m->source->from, &m->edit, nblock, &replaced);
}

// The next run of blocks that have to be encoded, or collected.
static void
choose_blocks(const struct job *job, struct grain *g)
{
    struct making *const m = job->making;
    const int32_t nblocks = (int32_t)job->a->g.nblocks;

    g->first = m->keep ? next_touched(m, m->at) : m->at;
    g->count = 0;
    g->encode = !m->constant && !m->out.full;
    if (m->constant || (m->out.full && !m->items)) {
        m->at = nblocks;
    } else if (m->keep) {
        m->at = g->first;
        while (g->count < job->grain_nblocks && m->at < nblocks && m->at == g->first + g->count) {
            g->count++;
            m->at = next_touched(m, m->at + 1);
        }
    } else {
        g->count = (int32_t)min_i64(job->grain_nblocks, nblocks - m->at);
        m->at += g->count;
    }
    g->last = m->at == nblocks;
}

// Fetch what the grain needs of the old chunk, behind `room` bytes for what it makes.
static tess_status
fill_buffer(struct job *job, struct grain *g, int64_t room, tess_error *err)
{
    static const uint8_t nothing;
    struct making *const m = g->m;
    int64_t size = room;
    tess_status st = TESS_OK;
    g->old = &nothing; // also where a damaged table says that blocks take no bytes: not NULL
    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        const int64_t old_size = making_old_size(m, g->first + i);
        st = scratch_check(job->s, old_size, err);
        size += old_size;
    }
    if (st == TESS_OK && size > 0)
        st = take_buffer(job->store, size, &g->buffer, err);
    if (st != TESS_OK || size == 0)
        return st;

    uint8_t *at = g->buffer.bytes + room;
    if (size > room)
        g->old = at;
    for (int32_t i = 0; i < g->count && st == TESS_OK && size > room; i++) {
        const int64_t old_size = making_old_size(m, g->first + i);
        if (old_size > 0)
            st = making_fetch(m, g->first + i, at, err);
        at += old_size;
    }
    return st;
}

static tess_status
prepare_grain(struct job *job, struct grain *g, tess_error *err)
{
    struct making *const m = g->m;
    const int64_t bound = g->encode ? g->count * block_bound(&job->a->encoder) : 0;
    tess_status st = TESS_OK;

    if (g->encode && m->in_flight == 0 && !m->streamed) {
        st = making_keep(m, g->first, err);
        g->out = assembly_room(&m->out, bound);
    }
    if (st == TESS_OK)
        st = fill_buffer(job, g, g->out ? 0 : bound, err);
    if (!g->out)
        g->out = g->buffer.bytes;
    return st;
}

static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct job *const job = arg;
    struct grain *const g = grain;
    tess_status st = job->making ? TESS_OK : enter_chunk(job, err);

    *more = job->making != NULL;
    if (st != TESS_OK || !*more)
        return st;
    g->m = job->making;
    g->out = NULL;
    g->old = NULL;
    g->buffer = (struct buffer){0};
    choose_blocks(job, g);
    if (g->count > 0)
        st = prepare_grain(job, g, err);
    if (st != TESS_OK) {
        give_buffer(job->store, &g->buffer);
        return st;
    }
    g->m->in_flight++;
    if (g->last)
        job->making = NULL;
    return TESS_OK;
}

static tess_status
encode_grain(struct grain *g, struct chunk_scratch *s, tess_error *err)
{
    const struct making *const m = g->m;
    const int32_t blocksize = m->a->g.blocksize;
    const uint8_t *old = g->old;
    uint8_t *out = g->out;
    tess_status st = scratch_reserve(s, blocksize, err);

    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        const int32_t nblock = g->first + i;
        uint8_t *items = m->items ? m->items + (int64_t)nblock * blocksize : NULL;
        st = making_items(m, nblock, old, &items, s, err);
        if (st == TESS_OK && g->encode)
            st = block_encode(&m->encoding, nblock, items, s, out, &g->sizes[i], err);
        if (st == TESS_OK && g->encode)
            out += g->sizes[i];
        if (old)
            old += making_old_size(m, nblock);
    }
    return st;
}

static tess_status
work(void *arg, void *grain, tess_error *err)
{
    const struct job *const job = arg;
    struct grain *const g = grain;
    struct pool *const pool = job->a->pool;
    if (g->count == 0)
        return TESS_OK;

    struct chunk_scratch *const s = pool_take(pool);
    const tess_status st =
        s ? encode_grain(g, s, err) : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(pool, s);
    watch_add(job->source->watch, (int64_t)g->count * job->a->g.blocksize);
    return st;
}

static tess_status
add_blocks(struct grain *g, tess_error *err)
{
    const uint8_t *out = g->out;
    tess_status st = making_keep(g->m, g->first, err);
    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        st = making_add(g->m, out, g->sizes[i], err);
        out += g->sizes[i];
    }
    return st;
}

static tess_status
finish(void *arg, void *grain, tess_error *err)
{
    struct job *const job = arg;
    struct grain *const g = grain;
    tess_status st = TESS_OK;

    g->m->in_flight--;
    if (g->encode && g->count > 0)
        st = add_blocks(g, err);
    give_buffer(job->store, &g->buffer);
    if (!g->last || st != TESS_OK)
        return st;
    st = making_end(g->m, &job->store->plain, err);
    drop_first(job->store);
    return st;
}

static void
drop(void *arg, void *grain)
{
    struct grain *const g = grain;
    (void)arg;
    free(g->buffer.bytes);
}

// Large buffers do not outlive the call.
static void
tidy(struct store *store)
{
    while (store->first)
        drop_first(store);
    for (int i = 0; i < SPARES; i++) {
        struct making *const m = store->spare[i];
        if (m && m->bytes.size + m->plain.size > SPARE_MAX) {
            making_free(m);
            store->spare[i] = NULL;
        }
    }
    for (int i = 0; i < BUFFERS; i++)
        if (store->buffers[i].size > SPARE_MAX) {
            free(store->buffers[i].bytes);
            store->buffers[i] = (struct buffer){0};
        }
}

void
store_free(struct store *store)
{
    if (!store)
        return;
    for (int i = 0; i < SPARES; i++)
        making_free(store->spare[i]);
    for (int i = 0; i < BUFFERS; i++)
        free(store->buffers[i].bytes);
    free(store);
}

static int32_t
grain_nblocks(const struct geometry *g, int64_t nbytes)
{
    const int64_t n = min_i64(GRAIN_NBYTES, nbytes / GRAINS_MIN) / g->blocksize;
    return (int32_t)min_i64(max_i64(n, 1), GRAIN_BLOCKS_MAX);
}

tess_status
store_edits(tess_array *a, const struct edit_source *source, tess_error *err)
{
    static const struct task task = {
        .next = next,
        .work = work,
        .finish = finish,
        .drop = drop,
        .grain_size = sizeof(struct grain),
    };
    const struct chunk_encoder *const e = &a->encoder;
    const struct task_width width = {
        .threads = a->context.threads,
        .cost = cost_encode(e->codec, e->level, source->nbytes),
        .watch = source->watch,
    };
    struct job job = {
        .a = a,
        .source = source,
        .grain_nblocks = grain_nblocks(&a->g, source->nbytes),
    };

    if (!a->store)
        a->store = calloc(1, sizeof *a->store);
    job.store = a->store;
    job.s = pool_take(a->pool);
    watch_job(source->watch, source->nbytes);
    const tess_status st = job.store && job.s
                               ? task_run(&task, &job, &width, err)
                               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    if (job.store)
        tidy(job.store);
    pool_give(a->pool, job.s);
    return st;
}
