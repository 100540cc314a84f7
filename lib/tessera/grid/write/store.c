/*
 * store.c - changed chunks: encoded in parallel, put in order.
 *
 * A grain is a run of consecutive blocks of one chunk to be encoded. What it needs of the old chunk
 * is fetched before it is handed out: the frame's bytes may move while it is worked on. Blocks that
 * are kept need no grain; they are copied when the grain behind them has its turn.
 *
 * Where few blocks of a chunk change, most of the work is to copy the others. Then the chunk is one
 * grain, put together from beginning to end by the thread that works on it, so that many such
 * chunks are rewritten at once.
 *
 * A grain that is handed out when all before it have had their turn is encoded where its bytes
 * belong, others in a buffer of their own, as all are of a chunk that goes to the frame in pieces.
 *
 * Not here: what becomes of one chunk (rewrite.c).
 */
#include "grid/write/store.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"
#include "frame/query.h"
#include "grid/cost.h"
#include "grid/pool.h"
#include "grid/write/private.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <stdatomic.h>

enum {
    GRAIN_NBYTES = 1 << 18,
    GRAINS_MIN = 8, // of a request, where it has as many blocks
    GRAIN_BLOCKS_MAX = 256,
    BUFFERS = 8,
    SPARES = 8,
    SPARES_KEPT = 2, // from call to call
    FEW_NBYTES = 1 << 20, // of the blocks that change in a chunk that is one grain
    SMALL_STORED = 1 << 22, // bytes of such a chunk: several are in memory
    PER_KEPT_BYTE = 5, // tenths of a nanosecond: read, copied, hashed, written
    SPARE_MAX = 1 << 24, // largest buffer that is kept from call to call
};

static const int64_t COUNTED_MOST = INT64_C(1) << 50; // bytes: what takes so long takes all threads

struct store {
    struct rewrite *first, *last; // in order
    struct rewrite *spare[SPARES];
    struct buffer buffers[BUFFERS]; // of grains
    bool plain; // the last chunk was incompressible
};

struct store_job {
    struct chunk_grid *grid;
    const struct edit_source *source;
    struct store *store;
    struct chunk_scratch *s; // of next and finish
    struct rewrite *chunk; // whose blocks are handed out
    int32_t grain_nblocks;
};

struct store_grain {
    struct rewrite *m;
    int32_t first, count;
    bool last; // of its chunk
    bool encode; // else the items are collected, no more
    bool alone; // all of its chunk: `count` blocks from `first` on, with others between them
    uint8_t *out; // where the blocks are encoded
    const uint8_t *old; // what they need of the old chunk
    struct buffer buffer;
    int32_t sizes[GRAIN_BLOCKS_MAX];
};

_Static_assert(sizeof(struct store_grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

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
    mem_free(b->bytes);
    *b = (struct buffer){0};
}

static struct rewrite *
take_making(struct store *store)
{
    for (int i = 0; i < SPARES; i++) {
        struct rewrite *const m = store->spare[i];
        if (m) {
            store->spare[i] = NULL;
            return m;
        }
    }
    return mem_zeroed(1, sizeof(struct rewrite));
}

static void
give_making(struct store *store, struct rewrite *m)
{
    for (int i = 0; i < SPARES; i++)
        if (!store->spare[i]) {
            rewrite_reset(m);
            store->spare[i] = m;
            return;
        }
    rewrite_free(m);
}

// The oldest chunk that is rewritten is done, or given up.
static void
drop_first(struct store *store)
{
    struct rewrite *const m = store->first;
    store->first = m->next;
    if (!store->first)
        store->last = NULL;
    give_making(store, m);
}

// Open the next chunk; job->chunk stays NULL behind the last.
static tess_status
store_enter_chunk(struct store_job *job, tess_error *err)
{
    struct store *const store = job->store;
    struct rewrite *const m = take_making(store);
    if (!m)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    if (!job->source->next(job->source->cursor, &m->edit)) {
        give_making(store, m);
        return TESS_OK;
    }
    m->grid = job->grid;
    m->source = job->source;
    m->s = job->s;
    if (store->last)
        store->last->next = m;
    else
        store->first = m;
    store->last = m;
    job->chunk = m;
    return rewrite_begin(m, store->plain, err);
}

static int32_t
next_touched(const struct rewrite *m, int32_t nblock)
{
    bool replaced;
    if (nblock == m->grid->g.nblocks)
        return nblock;
    return m->source->touched(m->source->from, &m->edit, nblock, &replaced);
}

// The next run of blocks that have to be encoded, or collected.
static void
choose_blocks(const struct store_job *job, struct store_grain *g)
{
    struct rewrite *const m = job->chunk;
    const int32_t nblocks = (int32_t)job->grid->g.nblocks;

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
fill_buffer(struct store_job *job, struct store_grain *g, int64_t room, tess_error *err)
{
    static const uint8_t nothing;
    struct rewrite *const m = g->m;
    int64_t size = room;
    tess_status st = TESS_OK;
    g->old = &nothing; // also where a damaged table says that blocks take no bytes: not NULL
    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        const int64_t old_size = rewrite_old_size(m, g->first + i);
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
        const int64_t old_size = rewrite_old_size(m, g->first + i);
        if (old_size > 0)
            st = rewrite_fetch(m, g->first + i, at, job->s, err);
        at += old_size;
    }
    return st;
}

static tess_status
prepare_grain(struct store_job *job, struct store_grain *g, tess_error *err)
{
    struct rewrite *const m = g->m;
    const int64_t bound = g->encode ? g->count * block_bound(&job->grid->encoder) : 0;
    tess_status st = TESS_OK;

    if (g->encode && m->in_flight == 0 && !m->streamed) {
        st = rewrite_keep(m, g->first, job->s, err);
        g->out = assembly_room(&m->out, bound);
    }
    if (st == TESS_OK)
        st = fill_buffer(job, g, g->out ? 0 : bound, err);
    if (!g->out)
        g->out = g->buffer.bytes;
    return st;
}

// Whether the chunk is put together by one thread: few blocks of it change, which the grain has.
static bool
choose_all(const struct store_job *job, struct store_grain *g)
{
    struct rewrite *const m = job->chunk;
    const int32_t nblocks = (int32_t)job->grid->g.nblocks;
    const int32_t most = (int32_t)max_i64(FEW_NBYTES / job->grid->g.blocksize, 1);

    g->alone = false;
    if (m->constant || !m->keep || m->streamed || m->at > 0 ||
        m->old->stored.chunk.h.cbytes > SMALL_STORED)
        return false;
    g->first = next_touched(m, 0);
    g->count = 0;
    for (int32_t n = g->first; n < nblocks && g->count <= most; n = next_touched(m, n + 1))
        g->count++;
    if (g->count > most)
        return false;
    g->alone = g->encode = g->last = true;
    m->at = nblocks;
    return true;
}

// Memory for one encoded block, and what one block needs of the old chunk behind it.
static tess_status
prepare_all(struct store_job *job, struct store_grain *g, tess_error *err)
{
    const struct rewrite *const m = g->m;
    const int64_t bound = block_bound(&job->grid->encoder);
    int64_t most = 0;
    int32_t nblock = g->first;
    for (int32_t i = 0; i < g->count; i++, nblock = next_touched(m, nblock + 1))
        most = max_i64(most, rewrite_old_size(m, nblock));
    tess_status st = scratch_check(job->s, most, err);
    if (st == TESS_OK)
        st = take_buffer(job->store, bound + most, &g->buffer, err);
    g->out = g->buffer.bytes;
    g->old = g->buffer.bytes + bound;
    return st;
}

static tess_status
store_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct store_job *const job = arg;
    struct store_grain *const g = grain;
    tess_status st = job->chunk ? TESS_OK : store_enter_chunk(job, err);

    *more = job->chunk != NULL;
    if (st != TESS_OK || !*more)
        return st;
    g->m = job->chunk;
    g->out = NULL;
    g->old = NULL;
    g->buffer = (struct buffer){0};
    if (choose_all(job, g)) {
        st = prepare_all(job, g, err);
    } else {
        choose_blocks(job, g);
        if (g->count > 0)
            st = prepare_grain(job, g, err);
    }
    if (st != TESS_OK) {
        give_buffer(job->store, &g->buffer);
        return st;
    }
    g->m->in_flight++;
    if (g->last)
        job->chunk = NULL;
    return TESS_OK;
}

static tess_status
encode_grain(struct store_grain *g, struct chunk_scratch *s, tess_error *err)
{
    const struct rewrite *const m = g->m;
    const int32_t blocksize = m->grid->g.blocksize;
    const uint8_t *old = g->old;
    uint8_t *out = g->out;
    tess_status st = scratch_reserve(s, blocksize, err);

    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        const int32_t nblock = g->first + i;
        uint8_t *items = m->items ? m->items + (int64_t)nblock * blocksize : NULL;
        st = rewrite_items(m, nblock, old, &items, s, err);
        if (st == TESS_OK && g->encode)
            st = block_encode(&m->encoding, nblock, items, s, out, &g->sizes[i], err);
        if (st == TESS_OK && g->encode)
            out += g->sizes[i];
        if (old)
            old += rewrite_old_size(m, nblock);
    }
    return st;
}

// Everything of the old chunk up to a block: those that are kept, and what is needed of its own.
static tess_status
fetch_up_to(struct store_job *job, const struct store_grain *g, int32_t nblock,
            struct chunk_scratch *s, tess_error *err)
{
    uint8_t *const old = g->buffer.bytes + block_bound(&job->grid->encoder);
    tess_status st = rewrite_keep(g->m, nblock, s, err);
    if (st == TESS_OK && nblock < job->grid->g.nblocks && rewrite_old_size(g->m, nblock) > 0)
        st = rewrite_fetch(g->m, nblock, old, s, err);
    return st;
}

static tess_status
make_chunk(struct store_job *job, const struct store_grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    struct rewrite *const m = g->m;
    int32_t nblock = g->first;
    tess_status st = scratch_reserve(s, job->grid->g.blocksize, err);

    for (int32_t i = 0; i < g->count && st == TESS_OK && !m->out.full; i++) {
        uint8_t *items = NULL;
        int32_t size = 0;
        st = fetch_up_to(job, g, nblock, s, err);
        if (st == TESS_OK)
            st = rewrite_items(m, nblock, g->old, &items, s, err);
        if (st == TESS_OK)
            st = block_encode(&m->encoding, nblock, items, s, g->out, &size, err);
        if (st == TESS_OK)
            st = rewrite_add(m, g->out, size, err);
        nblock = next_touched(m, nblock + 1);
    }
    return st == TESS_OK ? fetch_up_to(job, g, (int32_t)job->grid->g.nblocks, s, err) : st;
}

static tess_status
store_work(void *arg, void *grain, tess_error *err)
{
    struct store_job *const job = arg;
    struct store_grain *const g = grain;
    struct pool *const pool = job->grid->pool;
    if (g->count == 0)
        return TESS_OK;

    struct chunk_scratch *const s = pool_take(pool);
    const tess_status st = !s         ? err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block")
                           : g->alone ? make_chunk(job, g, s, err)
                                      : encode_grain(g, s, err);
    pool_give(pool, s);
    watch_add(job->source->watch, (int64_t)g->count * job->grid->g.blocksize);
    return st;
}

static tess_status
store_add_blocks(const struct store_job *job, struct store_grain *g, tess_error *err)
{
    const uint8_t *out = g->out;
    tess_status st = rewrite_keep(g->m, g->first, job->s, err);
    for (int32_t i = 0; i < g->count && st == TESS_OK; i++) {
        st = rewrite_add(g->m, out, g->sizes[i], err);
        out += g->sizes[i];
    }
    return st;
}

static tess_status
store_finish(void *arg, void *grain, tess_error *err)
{
    struct store_job *const job = arg;
    struct store_grain *const g = grain;
    tess_status st = TESS_OK;

    g->m->in_flight--;
    if (g->encode && g->count > 0 && !g->alone)
        st = store_add_blocks(job, g, err);
    if (g->last && st == TESS_OK)
        st = rewrite_end(g->m, &job->store->plain, err);
    give_buffer(job->store, &g->buffer);
    if (g->last && st == TESS_OK)
        drop_first(job->store);
    return st;
}

static void
store_drop(void *arg, void *grain)
{
    struct store_grain *const g = grain;
    (void)arg;
    mem_free(g->buffer.bytes);
}

// Large buffers do not outlive the call.
static void
tidy(struct store *store)
{
    while (store->first)
        drop_first(store);
    for (int i = 0; i < SPARES; i++) {
        struct rewrite *const m = store->spare[i];
        if (m && (i >= SPARES_KEPT || m->bytes.size + m->plain.size > SPARE_MAX)) {
            rewrite_free(m);
            store->spare[i] = NULL;
        }
    }
    for (int i = 0; i < BUFFERS; i++)
        if (store->buffers[i].size > SPARE_MAX) {
            mem_free(store->buffers[i].bytes);
            store->buffers[i] = (struct buffer){0};
        }
}

void
store_free(struct store *store)
{
    if (!store)
        return;
    for (int i = 0; i < SPARES; i++)
        rewrite_free(store->spare[i]);
    for (int i = 0; i < BUFFERS; i++)
        mem_free(store->buffers[i].bytes);
    mem_free(store);
}

// What the last call left, unless another call has it; NULL: no memory.
static struct store *
take_store(struct chunk_grid *grid)
{
    struct store *const store = atomic_exchange(&grid->store, NULL);
    return store ? store : mem_zeroed(1, sizeof *store);
}

static void
give_store(struct chunk_grid *grid, struct store *store)
{
    if (!store)
        return;
    tidy(store);
    store_free(atomic_exchange(&grid->store, store));
}

// Of reading, copying and storing what is kept of the edited chunks, as far as it is known.
static int64_t
cost_keep(const struct chunk_grid *grid, const struct edit_source *source)
{
    int64_t nbytes;
    gate_enter(grid->gate);
    const int64_t stored = frame_mean_cbytes(grid->frame);
    gate_leave(grid->gate);
    if (!mul_i64(source->nchunks, stored, &nbytes))
        nbytes = COUNTED_MOST;
    return min_i64(nbytes, COUNTED_MOST) / 10 * PER_KEPT_BYTE;
}

static int32_t
grain_nblocks(const struct geometry *g, int64_t nbytes)
{
    const int64_t n = min_i64(GRAIN_NBYTES, nbytes / GRAINS_MIN) / g->blocksize;
    return (int32_t)min_i64(max_i64(n, 1), GRAIN_BLOCKS_MAX);
}

tess_status
store_edits(struct chunk_grid *grid, const struct edit_source *source, tess_error *err)
{
    static const struct task task = {
        .next = store_next,
        .work = store_work,
        .finish = store_finish,
        .drop = store_drop,
        .grain_size = sizeof(struct store_grain),
    };
    const struct chunk_encoder *const e = &grid->encoder;
    const int64_t cost = cost_encode(e->codec, e->level, min_i64(source->nbytes, COUNTED_MOST)) +
                         cost_keep(grid, source);
    const struct task_width width = chunk_grid_width(grid, cost, source->watch);
    struct store_job job = {
        .grid = grid,
        .source = source,
        .grain_nblocks = grain_nblocks(&grid->g, source->nbytes),
    };

    job.store = take_store(grid);
    job.s = pool_take(grid->pool);
    watch_job(source->watch, source->nbytes);
    const tess_status st = job.store && job.s
                               ? task_run(&task, &job, &width, err)
                               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    give_store(grid, job.store);
    pool_give(grid->pool, job.s);
    return st;
}
