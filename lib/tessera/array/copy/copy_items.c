/*
 * copy_items.c - an array whose items are those of others.
 */
#include "array/copy/copy.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "cache/cache.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "geom/rechunk.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/pool.h"
#include "grid/read/read.h"
#include "grid/write/constant.h"
#include "grid/write/write.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

// Bytes of a piece for each thread, and at most for all: what one has just read is in its cache
// when it is written, and memory for more is fresh for longer.
enum { ENOUGH = 1 << 22, ENOUGH_FOR_ALL = 1 << 24 };

// The checksums of a source that has none in memory, from the first chunk on that is copied.
struct known {
    bool loaded;
    struct checksums checksums;
};

struct put {
    tess_array *a;
    const struct copy_sources *sources;
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // what is filled
    int64_t nitems; // in there
    int64_t piece[NDIM_MAX]; // a piece's shape
    int64_t whole[NDIM_MAX]; // the same, or a chunk's, if pieces are smaller
    int64_t origin[NDIM_MAX]; // of the grid of wholes
    uint8_t *items; // of a piece; NULL: not needed yet
    uint8_t *item, *other; // one each, of boxes that are one item again and again
    struct known *known; // of each source; NULL: not needed yet
    struct chunk_scratch *s;
    struct watch *watch;
    struct watch_range range; // of all pieces
    int64_t done; // items
};

// The source that has an index along the axis.
static int64_t
source_at(const struct copy_sources *sources, int64_t index)
{
    int64_t low = 0, high = sources->n - 1;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (sources->starts[middle] <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Whether chunks of an array are what chunks of the target would become.
static bool
same_chunks(const tess_array *to, const tess_array *from)
{
    const struct frame_header *const x = frame_header(to->grid->frame), *const y = frame_header(
                                                                            from->grid->frame);
    const size_t size = (size_t)to->g->ndim * sizeof(int64_t);
    return !from->view && !from->grid->plain && !from->grid->linear &&
           from->g->ndim == to->g->ndim && y->version >= 2 && !y->vlblocks &&
           memcmp(to->g->chunkshape, from->g->chunkshape, size) == 0 &&
           memcmp(to->g->blockshape, from->g->blockshape, size) == 0 && x->codec == y->codec &&
           x->codec_meta == y->codec_meta && x->clevel == y->clevel && x->split == y->split &&
           x->use_dict == y->use_dict && memcmp(x->filters, y->filters, FILTER_SLOTS) == 0 &&
           memcmp(x->filters_meta, y->filters_meta, FILTER_SLOTS) == 0;
}

// The source that has the first items of a chunk of the target.
static int64_t
source_of_chunk(const struct put *p, const struct walk *w)
{
    const int axis = p->sources->axis;
    return w->ndim > 0 ? source_at(p->sources, w->at[axis] * p->a->g->chunkshape[axis]) : 0;
}

static struct gate *
gate_of_source(const struct put *p, const struct walk *w)
{
    return p->sources->arrays[source_of_chunk(p, w)]->grid->gate;
}

// Whether a chunk of the target, as the walk says, is chunk *number of source *from.
static bool
is_stored(const struct put *p, const struct walk *w, int64_t *from, int64_t *number)
{
    const struct geometry *const g = p->a->g;
    const int axis = p->sources->axis;
    const int64_t n = source_of_chunk(p, w);
    const tess_array *const source = p->sources->arrays[n];

    *from = n;
    *number = 0;
    if (p->sources->swapped || source == p->a || !same_chunks(p->a, source) ||
        cache_dirty_size(source->grid->cache) > 0)
        return false;
    for (int i = 0; i < g->ndim; i++) {
        const int64_t first = i == axis ? p->sources->starts[n] : 0;
        if (first % g->chunkshape[i] != 0)
            return false;
        const int64_t at = w->at[i] - first / g->chunkshape[i];
        const int64_t origin = at * g->chunkshape[i];
        if (min_i64(source->g->shape[i] - origin, g->chunkshape[i]) !=
            min_i64(g->shape[i] - first - origin, g->chunkshape[i]))
            return false;
        *number = *number * source->g->grid[i] + at;
    }
    return true;
}

static tess_status
find_checksums(struct put *p, int64_t from, const struct checksums **checksums, tess_error *err)
{
    const struct frame *const f = p->sources->arrays[from]->grid->frame;
    tess_status st = TESS_OK;

    *checksums = frame_known_checksums(f);
    if (*checksums)
        return TESS_OK;
    if (!p->known)
        p->known = mem_zeroed((size_t)p->sources->n, sizeof *p->known);
    if (!p->known)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for checksums");
    if (!p->known[from].loaded)
        st = frame_load_checksums(f, frame_list(f), NULL, &p->known[from].checksums, err);
    p->known[from].loaded = st == TESS_OK;
    *checksums = &p->known[from].checksums;
    return st;
}

static tess_status
copy_stored(struct put *p, int64_t n, int64_t source, int64_t number, tess_error *err)
{
    const tess_array *const from = p->sources->arrays[source];
    const int64_t entry = frame_entry(from->grid->frame, number);
    const struct checksums *checksums;
    struct stored_chunk sc;
    const uint8_t *bytes;
    int32_t size;

    if (entry < 0)
        return frame_put_special(p->a->grid->frame, NULL, n, index_special(entry), err);
    tess_status st = find_checksums(p, source, &checksums, err);
    if (st == TESS_OK)
        st = stored_chunk_load(&sc, from->grid->frame, number, checksums, p->s, &bytes, &size, err);
    if (st != TESS_OK)
        return st;
    st = frame_put(p->a->grid->frame, NULL, n, bytes, size, err);
    stored_chunk_close(&sc);
    return st;
}

// The same while other calls write to the source, which the thread is not inside of.
static bool
is_stored_now(const struct put *p, const struct walk *w)
{
    struct gate *const gate = gate_of_source(p, w);
    int64_t from, number;
    gate_enter(gate);
    const bool is = is_stored(p, w, &from, &number);
    gate_leave(gate);
    return is;
}

// Copy a chunk if it is stored in a source, and no block of it waits there meanwhile.
static tess_status
copy_chunk(struct put *p, const struct walk *w, bool *is, tess_error *err)
{
    struct gate *const gate = gate_of_source(p, w);
    int64_t from, number;
    gate_enter(gate);
    *is = is_stored(p, w, &from, &number);
    const tess_status st = *is ? copy_stored(p, w->index, from, number, err) : TESS_OK;
    gate_leave(gate);
    return st;
}

// Copy the chunks of a piece that are stored in a source already; *all: that was the whole piece.
static tess_status
copy_copy_chunks(struct put *p, const struct box *box, bool *all, tess_error *err)
{
    const struct geometry *const g = p->a->g;
    int64_t n = 0;
    struct walk w;
    tess_status st = TESS_OK;

    *all = true;
    for (bool more = walk_chunks(&w, g, box); more; more = walk_next(&w), n++)
        *all &= walk_covers(&w, g->shape) && is_stored_now(p, &w);
    watch_job(p->watch, *all ? n : 0);
    for (bool more = *all && walk_chunks(&w, g, box); more && *all && st == TESS_OK;
         more = walk_next(&w)) {
        st = copy_chunk(p, &w, all, err);
        watch_add(p->watch, 1);
        if (st == TESS_OK)
            st = watch_look(p->watch, err);
    }
    return st;
}

// What the sources have of a piece, into its items.
static tess_status
read_piece(const struct put *p, const struct box *box, const struct box_memory *items,
           tess_error *err)
{
    const struct copy_sources *const sources = p->sources;
    const int axis = sources->axis, ndim = p->a->g->ndim;
    int64_t from[NDIM_MAX], to[NDIM_MAX];
    const struct box part = {from, to, NULL}; // of a source
    struct box_memory dst = *items;
    tess_status st = TESS_OK;

    memcpy(from, box->start, sizeof *from * (size_t)ndim);
    memcpy(to, box->stop, sizeof *to * (size_t)ndim);
    if (ndim == 0)
        return array_read(sources->arrays[0], &part, &dst, p->watch, err);
    const struct watch_range all = watch_divide(p->watch);
    for (int64_t n = source_at(sources, box->start[axis]);
         n < sources->n && sources->starts[n] < box->stop[axis] && st == TESS_OK; n++) {
        const int64_t first = max_i64(box->start[axis], sources->starts[n]);
        from[axis] = first - sources->starts[n];
        to[axis] = min_i64(box->stop[axis], sources->starts[n + 1]) - sources->starts[n];
        dst.items = items->items + (first - box->start[axis]) * items->stride[axis];
        watch_part(p->watch, &all, sources->starts[n] + to[axis] - box->start[axis],
                   box->stop[axis] - box->start[axis]);
        if (from[axis] < to[axis])
            st = array_read(sources->arrays[n], &part, &dst, p->watch, err);
    }
    return st;
}

// Whether what the sources have of a box is one item again and again, p->item.
static tess_status
is_constant(const struct put *p, const struct box *box, enum constant_look look, bool *is,
            tess_error *err)
{
    const struct copy_sources *const sources = p->sources;
    const int axis = sources->axis, ndim = p->a->g->ndim;
    int64_t from[NDIM_MAX], to[NDIM_MAX];
    const struct box part = {from, to, NULL}; // of a source
    uint8_t *item = p->item;
    tess_status st = TESS_OK;

    *is = true;
    memcpy(from, box->start, sizeof *from * (size_t)ndim);
    memcpy(to, box->stop, sizeof *to * (size_t)ndim);
    if (ndim == 0)
        return array_is_constant(sources->arrays[0], &part, look, p->watch, item, is, err);
    for (int64_t n = source_at(sources, box->start[axis]);
         n < sources->n && sources->starts[n] < box->stop[axis] && st == TESS_OK && *is; n++) {
        from[axis] = max_i64(box->start[axis] - sources->starts[n], 0);
        to[axis] = min_i64(box->stop[axis], sources->starts[n + 1]) - sources->starts[n];
        if (from[axis] >= to[axis])
            continue;
        st = array_is_constant(sources->arrays[n], &part, look, p->watch, item, is, err);
        if (*is && item == p->other)
            *is = memcmp(p->item, p->other, (size_t)p->a->g->typesize) == 0;
        item = p->other;
    }
    return st;
}

// The watch counts the items of a box.
static void
copy_count_items(struct put *p, const struct box *box)
{
    p->done += box_nitems(p->a->g->ndim, box);
    watch_part(p->watch, &p->range, p->done, p->nitems);
}

// Put a box whose items are all p->item.
static tess_status
put_item(struct put *p, const struct box *box, tess_error *err)
{
    const struct box_memory_const src = {.items = p->item}; // strides 0: the same item everywhere
    if (p->sources->swapped)
        swap_bytes(p->item, (size_t)p->a->g->typesize, (size_t)p->sources->word);
    return grid_write(p->a->grid, box, &src, NULL, p->watch, err);
}

static tess_status
put_piece(struct put *p, const struct box *box, tess_error *err)
{
    const struct geometry *const g = p->a->g;
    const int64_t nitems = box_nitems(g->ndim, box);
    int64_t most = 1;
    struct box_memory items = {0};
    struct box_memory_const from = {0};
    bool all, constant = false;

    for (int i = 0; i < g->ndim; i++)
        most *= p->piece[i];
    copy_count_items(p, box);
    tess_status st = copy_copy_chunks(p, box, &all, err);
    if (st == TESS_OK && !all)
        st = is_constant(p, box, CONSTANT_STORED, &constant, err);
    if (st != TESS_OK || all)
        return st;
    if (constant)
        return put_item(p, box, err);
    if (!p->items)
        p->items = mem_alloc((size_t)(most * g->typesize));
    if (!p->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " items of a piece", most);
    items.items = p->items;
    box_strides(g->ndim, box, g->typesize, items.stride);
    const struct watch_range both = watch_divide(p->watch);
    watch_part(p->watch, &both, 1, 2);
    st = read_piece(p, box, &items, err);
    watch_part(p->watch, &both, 2, 2);
    if (st != TESS_OK)
        return st;
    if (p->sources->swapped)
        swap_bytes(p->items, (size_t)(nitems * g->typesize), (size_t)p->sources->word);
    from.items = p->items;
    memcpy(from.stride, items.stride, sizeof from.stride);
    return grid_write(p->a->grid, box, &from, NULL, p->watch, err);
}

static void
choose_piece(struct put *p)
{
    const struct geometry *const g = p->a->g;
    const struct geometry *const source = p->sources->arrays[0]->g;
    const struct task_width width = chunk_grid_width(p->a->grid, 0, NULL);
    const int64_t enough = min_i64((int64_t)ENOUGH * task_threads(&width), ENOUGH_FOR_ALL);
    struct rechunk r = {.ndim = g->ndim};

    for (int i = 0; i < g->ndim; i++) {
        r.shape[i] = p->stop[i] - p->start[i];
        r.chunk[i] = g->chunkshape[i];
        r.block[i] = g->blockshape[i];
        const int64_t chunk = source->chunkshape[i], block = source->blockshape[i];
        r.unit[i] = block > 0 && chunk % block == 0 ? block : chunk;
        r.unit[i] = max_i64(r.unit[i], 1); // plain frames: 0 where chunks or blocks differ
    }
    rechunk_piece(&r, max_i64(p->a->context.memory / g->typesize, 1), enough / g->typesize,
                  p->piece);
    for (int i = 0; i < g->ndim; i++) {
        p->whole[i] = max_i64(p->piece[i], g->chunkshape[i]);
        p->origin[i] = p->start[i] - p->start[i] % p->whole[i];
    }
}

// The pieces of a whole, as far as they are inside the box. They end where it ends.
static tess_status
put_pieces(struct put *p, const struct box *box, tess_error *err)
{
    const int ndim = p->a->g->ndim;
    int64_t origin[NDIM_MAX], first[NDIM_MAX], last[NDIM_MAX], grid[NDIM_MAX];
    int64_t lo[NDIM_MAX], hi[NDIM_MAX];
    const struct box piece = {lo, hi, NULL};
    tess_status st = TESS_OK;
    struct walk w;

    for (int i = 0; i < ndim; i++) {
        origin[i] = box->start[i] - box->start[i] % p->whole[i];
        first[i] = box->start[i] - origin[i];
        last[i] = box->stop[i] - origin[i];
        grid[i] = ceil_div(last[i], p->piece[i]);
    }
    for (bool more = walk_begin(&w, ndim, p->piece, grid, &(struct box){first, last, NULL});
         more && st == TESS_OK; more = walk_next(&w)) {
        for (int i = 0; i < ndim; i++) {
            const int64_t at = origin[i] + w.at[i] * p->piece[i];
            lo[i] = at + w.lo[i];
            hi[i] = at + w.hi[i];
        }
        st = put_piece(p, &piece, err);
    }
    return st;
}

// What is filled of a box of wholes.
static void
box_of_wholes(const struct put *p, const int64_t *first, const int64_t *last, int64_t *start,
              int64_t *stop)
{
    for (int i = 0; i < p->a->g->ndim; i++) {
        start[i] = max_i64(p->start[i], p->origin[i] + first[i] * p->whole[i]);
        stop[i] = p->stop[i];
        if (last[i] <= (p->stop[i] - 1 - p->origin[i]) / p->whole[i])
            stop[i] = p->origin[i] + last[i] * p->whole[i];
    }
}

// Any number of wholes, if the sources say without being read that they are one item.
static tess_status
put_box(void *user, const int64_t *first, const int64_t *last, bool *done, tess_error *err)
{
    struct put *const p = user;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    const struct box box = {start, stop, NULL};

    box_of_wholes(p, first, last, start, stop);
    const tess_status st = is_constant(p, &box, CONSTANT_LISTED, done, err);
    if (st != TESS_OK || !*done)
        return st;
    copy_count_items(p, &box);
    return put_item(p, &box, err);
}

static tess_status
put_whole(void *user, const int64_t *at, tess_error *err)
{
    struct put *const p = user;
    int64_t next[NDIM_MAX] = {0}, start[NDIM_MAX], stop[NDIM_MAX];
    const struct box box = {start, stop, NULL};
    bool in_pieces = false, constant = false;
    tess_status st = TESS_OK;

    for (int i = 0; i < p->a->g->ndim; i++)
        next[i] = at[i] + 1;
    box_of_wholes(p, at, next, start, stop);
    for (int i = 0; i < p->a->g->ndim; i++) {
        const int64_t origin = p->origin[i] + at[i] * p->whole[i];
        in_pieces |= stop[i] - origin > p->piece[i];
    }
    if (in_pieces)
        st = is_constant(p, &box, CONSTANT_STORED, &constant, err);
    if (st != TESS_OK || !constant)
        return st == TESS_OK ? put_pieces(p, &box, err) : st;
    copy_count_items(p, &box);
    return put_item(p, &box, err);
}

static tess_status
put_all(struct put *p, tess_error *err)
{
    const struct halves halves = {
        .ndim = p->a->g->ndim, .backwards = -1, .user = p, .box = put_box, .cell = put_whole};
    int64_t first[NDIM_MAX] = {0}, last[NDIM_MAX];
    for (int i = 0; i < p->a->g->ndim; i++)
        last[i] = ceil_div(p->stop[i] - p->origin[i], p->whole[i]);
    return halves_do(&halves, first, last, err);
}

static void
choose_box(struct put *p)
{
    const struct geometry *const g = p->a->g;
    const struct copy_sources *const sources = p->sources;
    p->nitems = 1;
    for (int i = 0; i < g->ndim; i++) {
        p->start[i] = i == sources->axis ? sources->starts[0] : 0;
        p->stop[i] = i == sources->axis ? sources->starts[sources->n] : g->shape[i];
        p->nitems *= p->stop[i] - p->start[i];
    }
}

static tess_status
copy_begin(struct put *p, tess_error *err)
{
    const size_t typesize = (size_t)p->a->g->typesize;
    p->s = pool_take(p->a->grid->pool);
    p->item = mem_alloc(2 * typesize);
    if (!p->s || !p->item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    p->other = p->item + typesize;
    choose_piece(p);
    p->range = watch_divide(p->watch);
    return TESS_OK;
}

static void
copy_end(struct put *p)
{
    mem_free(p->items);
    mem_free(p->item);
    for (int64_t n = 0; p->known && n < p->sources->n; n++)
        checksums_finish(&p->known[n].checksums);
    mem_free(p->known);
    pool_give(p->a->grid->pool, p->s);
}

tess_status
array_copy_items(tess_array *a, const struct copy_sources *sources, struct watch *watch,
                 tess_error *err)
{
    struct put p = {.a = a, .sources = sources, .watch = watch};
    int64_t nlocked = 0;

    choose_box(&p);
    if (p.nitems == 0)
        return TESS_OK;
    tess_status st = copy_begin(&p, err);
    if (st == TESS_OK)
        st = array_lock_shared(sources->arrays, sources->n, a->grid->frame, &nlocked, err);
    if (st == TESS_OK)
        st = put_all(&p, err);
    copy_end(&p);
    return array_unlock_shared(sources->arrays, a->grid->frame, nlocked, st, err);
}
