/*
 * plain_read.c - items of a frame without an N-dimensional layer.
 *
 * Items that follow each other are read by several threads, each of which has parts that begin at a
 * chunk or block.
 *
 * In a far frame, chunks are read before their turn (frame/chunks/ahead.h): whole, where about half
 * of a chunk is needed, else what opening it needs, and then all blocks that are, at once. The
 * thread of the call decodes them.
 */

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/chunks/ahead.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "frame/watched.h"
#include "grid/box_memory.h"
#include "grid/grid.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/read/plain.h"
#include "io/ahead.h"
#include "io/io.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>

enum {
    PIECE = 1 << 16, // bytes that are read at once where items do not follow each other
    PART_LEAST = 1 << 18, // bytes that are worth a part
    PARTS_EACH = 8 // parts of each thread, so that all end at about the same time
};

// A read of the items start, start + step, ... before stop.
struct reading {
    const struct chunk_grid *grid;
    int64_t start, stop, step; // items
    bool apart; // each is read by itself, without those between
    struct watch *watch;
    struct watched watched; // of the same
    struct chunk_scratch *s;
    struct list_ahead ahead;
    int64_t n; // the chunk at hand; -1: none
    struct chunk_ahead early; // what was read ahead of it, held
};

// -- what is read ahead

// The bytes of chunk n that lie between the first and the last item, from its start.
static void
part_of_chunk(const struct reading *r, int64_t n, int64_t *from, int64_t *to)
{
    const int64_t size = r->grid->g.typesize, chunk = plain_chunk_start(r->grid, n);
    *from = max_i64(r->start * size, chunk) - chunk;
    *to = min_i64(r->stop * size, plain_chunk_start(r->grid, n + 1)) - chunk;
}

static bool
needs_most(const struct reading *r, int64_t n)
{
    const int64_t size = plain_chunk_start(r->grid, n + 1) - plain_chunk_start(r->grid, n);
    int64_t from, to;
    part_of_chunk(r, n, &from, &to);
    return !r->apart && 2 * (to - from) >= size;
}

// Nothing where chunks are passed over. A frame that can change, and so has a gate, is not far.
static tess_status
reading_begin_ahead(struct reading *r, tess_error *err)
{
    const struct chunk_grid *const grid = r->grid;
    const int64_t size = grid->g.typesize, nbytes = frame_header(grid->frame)->nbytes;
    if (r->start >= r->stop || grid->gate || r->step > nbytes / max_i64(grid->g.nchunks, 1) / size)
        return TESS_OK;
    const int64_t first = plain_chunk_at(grid, r->start * size);
    const int64_t last = plain_chunk_at(grid, r->stop * size - 1);
    struct io_ahead *const within = expected_chunks_ahead(grid->expected, r->watch);
    const tess_status st =
        list_ahead_begin(&r->ahead, grid->frame, grid->context->ahead, within, r->watch, err);
    list_ahead_limit(&r->ahead, last + 1, needs_most(r, first) ? first : first + 1,
                     r->apart              ? first
                     : needs_most(r, last) ? last + 1
                                           : last);
    return st;
}

static tess_status
want_span(const struct reading *r, const struct stored_chunk *sc, int32_t start, int32_t stop,
          tess_error *err)
{
    const int64_t position = sc->position + start;
    const size_t size = (size_t)max_i64(stop - start, 0);
    return io_view(sc->io, position, size)
               ? TESS_OK
               : io_want_add(r->early.want, sc->io, position, size, NULL, err);
}

// The blocks of a chunk that hold its bytes from .. to, and the first one where filters need it.
// Where each block says how long it is, that is looked up in all of them.
static tess_status
want_blocks(const struct reading *r, const struct stored_chunk *sc, int64_t from, int64_t to,
            tess_error *err)
{
    const struct chunk *const c = &sc->chunk;
    const int32_t front = c->h.header_size;
    tess_status st = TESS_OK;
    if (c->h.special != SPECIAL_NONE)
        return TESS_OK;
    if (c->h.memcpyed)
        return want_span(r, sc, front + (int32_t)from, front + (int32_t)to, err);
    if (c->h.vlblocks)
        return want_span(r, sc, 0, c->h.cbytes, err);
    if (chunk_needs_reference(c))
        st = want_span(r, sc, chunk_span(c, 0).start, chunk_span(c, 0).stop, err);
    for (int64_t i = from / c->h.blocksize; i * c->h.blocksize < to && st == TESS_OK; i++) {
        const struct span span = chunk_span(c, (int32_t)i);
        st = want_span(r, sc, span.start, span.stop, err);
    }
    return st;
}

// Of a chunk that was opened: what was not read with what opening needed. from .. to: its bytes
// that are read now; all that the job needs is wanted at once, unless items are read by themselves.
static tess_status
reading_want_rest(const struct reading *r, const struct stored_chunk *sc, int64_t from, int64_t to,
                  tess_error *err)
{
    if (!r->early.want || sc->whole)
        return TESS_OK;
    if (!r->apart)
        part_of_chunk(r, r->n, &from, &to);
    const tess_status st = want_blocks(r, sc, from, to, err);
    io_ahead_go(r->ahead.ahead);
    return st;
}

// Stand on chunk n, which is the one at hand or behind it.
static tess_status
reading_enter(struct reading *r, int64_t n, tess_error *err)
{
    if (n == r->n)
        return TESS_OK;
    chunk_ahead_release(&r->early);
    r->n = n;
    const tess_status st = list_ahead_take(&r->ahead, n, &r->early, err);
    r->s->want = r->early.want;
    r->s->place = chunk_ahead_place(&r->early);
    return st;
}

static tess_status
plain_reading_begin(struct reading *r, tess_error *err)
{
    r->s = pool_take(r->grid->pool);
    if (!r->s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    watched_init(&r->watched, r->watch);
    r->s->progress = watched_progress(&r->watched);
    return TESS_OK;
}

static void
plain_reading_end(struct reading *r)
{
    chunk_ahead_release(&r->early);
    list_ahead_end(&r->ahead);
    pool_give(r->grid->pool, r->s);
}

// -- reading

// A chunk of any size had one when the frame was opened, which places of items go by.
static tess_status
check_chunk_size(const struct reading *r, const struct chunk_header *h, tess_error *err)
{
    const int64_t start = plain_chunk_start(r->grid, r->n);
    const int64_t size = plain_chunk_start(r->grid, r->n + 1) - start;
    if (h->nbytes == size)
        return TESS_OK;
    return err_set(err, TESS_ERR_STALE, 4, "%" PRId32 " bytes, there were %" PRId64 " before",
                   h->nbytes, size);
}

// Bytes of the chunk at hand.
static tess_status
read_chunk(const struct reading *r, int64_t offset, uint8_t *dst, int64_t size, tess_error *err)
{
    struct stored_chunk sc;
    struct chunk_cursor cur = {0};
    tess_status st = stored_chunk_open(&sc, r->grid->frame, r->n, r->s, err);
    if (st != TESS_OK)
        return st;
    st = check_chunk_size(r, &sc.chunk.h, err);
    if (st == TESS_OK)
        st = reading_want_rest(r, &sc, offset, offset + size, err);
    if (st == TESS_OK)
        st = cursor_init(&cur, &sc.chunk, &sc.bytes, r->s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, (int32_t)offset, dst, (size_t)size, err);
    cursor_finish(&cur);
    stored_chunk_close(&sc);
    return st == TESS_OK ? st : stored_chunk_blame(&sc, r->n, st, err);
}

// Bytes that follow each other.
static tess_status
read_run(struct reading *r, int64_t at, int64_t end, uint8_t *dst, tess_error *err)
{
    const struct chunk_grid *const grid = r->grid;
    tess_status st = TESS_OK;

    for (int64_t n = at < end ? plain_chunk_at(grid, at) : 0; at < end && st == TESS_OK; n++) {
        const int64_t size = min_i64(plain_chunk_start(grid, n + 1), end) - at;
        if (size > 0)
            st = reading_enter(r, n, err);
        gate_enter(grid->gate);
        if (size > 0 && st == TESS_OK)
            st = read_chunk(r, at - plain_chunk_start(grid, n), dst, size, err);
        gate_leave(grid->gate);
        dst += size;
        at += size;
        watch_add(r->watch, size);
        if (st == TESS_OK)
            st = watch_look(r->watch, err);
    }
    return st;
}

// n items of a piece, `from` items behind the start of the box.
static tess_status
place_plain_items(const struct box_memory *dst, int64_t from, int64_t n, int64_t size, uint8_t *to,
                  const uint8_t *piece, int64_t piece_stride, tess_error *err)
{
    if (!dst->as) {
        ndcopy(1, &n, size, to, dst->stride, piece, &piece_stride);
        return TESS_OK;
    }
    const int64_t done = convert_box(dst->as->how, 1, &n, to, dst->stride, piece, &piece_stride);
    return done == n ? TESS_OK : converted_misfit(dst->as, 1, &from, &n, done, err);
}

// Pieces with the items between, as far as they fit in a little memory.
static tess_status
read_pieces(struct reading *r, const struct box_memory *dst, int64_t most, tess_error *err)
{
    const int64_t size = r->grid->g.typesize, step = r->step, from_stride = step * size;
    const int64_t stride = dst->stride[0];
    int64_t start = r->start;
    uint8_t *to = dst->items;
    tess_status st = TESS_OK;
    uint8_t *const piece = mem_alloc((size_t)(min_i64(most, r->stop - start) * size));
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a piece of a chunk");
    while (start < r->stop && st == TESS_OK) {
        const int64_t n = ceil_div(min_i64(most, r->stop - start), step);
        st = read_run(r, start * size, (start + (n - 1) * step + 1) * size, piece, err);
        if (st == TESS_OK)
            st = place_plain_items(dst, (start - r->start) / step, n, size, to, piece, from_stride,
                                   err);
        start += n * step;
        to += n * stride;
    }
    mem_free(piece);
    return st;
}

// -- by several threads

// Bytes of a run, as one thread reads them.
struct part {
    int64_t at, end;
    uint8_t *dst;
};

struct parts {
    const struct chunk_grid *grid;
    struct watch *watch;
    int64_t size; // of a part, about
    int64_t at, end;
    uint8_t *dst; // of `at`
    int64_t n; // the chunk of which parts were asked for last; -1: none
    int64_t unit; // of it
};

// Parts of chunk n have a multiple of so many bytes: a block that two of them have is decoded by
// both. A chunk has blocks of its own size, whatever the frame says. One with blocks of different
// sizes, or that cannot be opened, is in one part.
static int64_t
unit_of_chunk(const struct chunk_grid *grid, int64_t n)
{
    struct chunk_header h = {0};
    gate_enter(grid->gate);
    const int64_t entry = frame_entry(grid->frame, n);
    const bool stored = entry >= 0;
    const bool found = stored && stored_entry_look(grid->frame, entry, &h);
    gate_leave(grid->gate);
    if (!stored || (found && h.nblocks == 0))
        return 1;
    return h.blocksize > 0 ? h.blocksize : INT32_MAX;
}

// Where a part ends that begins at `at`: with a chunk, or inside of a large one with a block.
static int64_t
part_end(struct parts *p)
{
    const struct chunk_grid *const grid = p->grid;
    const int64_t about = p->at + p->size;
    if (about >= p->end)
        return p->end;
    const int64_t n = plain_chunk_at(grid, about), chunk = plain_chunk_start(grid, n);
    if (chunk > p->at)
        return chunk;
    if (p->n != n) {
        p->n = n;
        p->unit = unit_of_chunk(grid, n);
    }
    const int64_t cut = chunk + ceil_div(about - chunk, p->unit) * p->unit;
    return min_i64(min_i64(cut, plain_chunk_start(grid, n + 1)), p->end);
}

static tess_status
next_part(void *job, void *grain, bool *more, tess_error *err)
{
    struct parts *const p = job;
    (void)err;
    *more = p->at < p->end;
    if (!*more)
        return TESS_OK;
    const int64_t end = part_end(p);
    *(struct part *)grain = (struct part){p->at, end, p->dst};
    p->dst += end - p->at;
    p->at = end;
    return TESS_OK;
}

static tess_status
plain_read_part(void *job, void *grain, tess_error *err)
{
    const struct parts *const p = job;
    const struct part *const part = grain;
    struct reading r = {.grid = p->grid, .watch = p->watch, .n = -1}; // nothing is read ahead
    tess_status st = plain_reading_begin(&r, err);
    if (st == TESS_OK)
        st = read_run(&r, part->at, part->end, part->dst, err);
    plain_reading_end(&r);
    return st;
}

static tess_status
read_parts(const struct reading *r, uint8_t *dst, tess_error *err)
{
    static const struct task task = {
        .next = next_part, .work = plain_read_part, .grain_size = sizeof(struct part)};
    const struct chunk_grid *const grid = r->grid;
    const int64_t at = r->start * grid->g.typesize, end = r->stop * grid->g.typesize;
    const struct task_width width =
        chunk_grid_width(grid, chunk_grid_decode_cost(grid, end - at), r->watch);
    const int64_t share = (end - at) / (PARTS_EACH * (int64_t)task_threads(&width));
    struct parts parts = {.grid = grid,
                          .watch = r->watch,
                          .size = max_i64(share, PART_LEAST),
                          .at = at,
                          .end = end,
                          .dst = dst,
                          .n = -1};
    return task_run(&task, &parts, &width, err);
}

tess_status
plain_read(const struct chunk_grid *grid, int64_t start, int64_t stop, int64_t step,
           const struct box_memory *dst, struct watch *watch, tess_error *err)
{
    const int64_t size = grid->g.typesize, most = max_i64(PIECE / size, 1);
    const bool packed = step == 1 && dst->stride[0] == size && !dst->as;
    struct reading r = {
        .grid = grid,
        .start = start,
        .stop = stop,
        .step = step,
        .apart = !packed && step >= most,
        .watch = watch,
        .n = -1,
    };
    watch_job(watch, (stop - start) * size);
    tess_status st = reading_begin_ahead(&r, err);
    const bool parts = packed && !r.ahead.ahead && (stop - start) * size > PART_LEAST;
    if (st == TESS_OK && parts)
        st = read_parts(&r, dst->items, err);
    else if (st == TESS_OK)
        st = plain_reading_begin(&r, err);
    if (st == TESS_OK && !parts)
        st = packed ? read_run(&r, start * size, stop * size, dst->items, err)
                    : read_pieces(&r, dst, most, err);
    plain_reading_end(&r);
    return st;
}
