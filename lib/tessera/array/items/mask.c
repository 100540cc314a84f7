/*
 * mask.c - the items of an array that a mask over its first axes chooses.
 */
#include "array/items/mask.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/change.h"
#include "frame/commit/lock.h"
#include "geom/index_map.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "grid/read/read.h"
#include "grid/write/install.h"
#include "select/gather.h"
#include "select/selection.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

static int64_t
mask_product(const int64_t *n, int first, int stop)
{
    int64_t all = 1;
    for (int i = first; i < stop; i++)
        if (!mul_i64(all, n[i], &all))
            return INT64_MAX;
    return all;
}

// Memory that a layer takes, about, if the axis is cut up: bytes of the mask, and what is known of
// each piece of a row, each block, and each block along an axis.
static int64_t
layer_size(const struct mask *m, int axis)
{
    const struct geometry *const g = m->a->g;
    const int ndim = m->from->ndim;
    const int64_t length = ndim > 0 ? max_i64(g->blockshape[ndim - 1], 1) : 1;
    const int64_t nbytes = mask_product(g->shape, axis + 1, ndim);
    const int64_t pieces = axis == ndim - 1 ? 1 : nbytes / length + 1;
    const int64_t each = 2 * (int64_t)sizeof(int64_t) + (int64_t)sizeof(struct axis_pick);
    int64_t size;
    if (!mul_i64(pieces, each, &size) || !add_i64(size, m->from->array ? nbytes : 0, &size))
        return INT64_MAX;
    return size;
}

// Layers of which one fits in memory; whole rows of chunks, or of blocks, if these do.
static void
choose_slabs(struct mask *m)
{
    const struct geometry *const g = m->a->g;
    const int ndim = m->from->ndim;
    const int64_t most = max_i64(m->a->context.memory, 1);

    m->only = true;
    if (ndim == 0)
        return;
    while (m->axis < ndim - 1 && layer_size(m, m->axis) > most)
        m->axis++;
    int64_t n = max_i64(most / layer_size(m, m->axis), 1);
    const int64_t chunk = g->chunkshape[m->axis], block = g->blockshape[m->axis];
    if (chunk > 0 && n >= chunk) // 0: they differ in a plain frame
        n = n / chunk * chunk;
    else if (block > 0 && n >= block)
        n = n / block * block;
    m->thickness = min_i64(n, g->shape[m->axis]);
    m->only = mask_product(g->shape, 0, m->axis) == 1 && m->thickness == g->shape[m->axis];
}

static void
enter_slab(struct mask *m)
{
    const int64_t *const shape = m->a->g->shape;
    int64_t extent[NDIM_MAX] = {0};
    for (int i = 0; i < m->from->ndim; i++) {
        m->stop[i] = i < m->axis   ? m->start[i] + 1
                     : i > m->axis ? shape[i]
                                   : min_i64(m->start[i] + m->thickness, shape[i]);
        extent[i] = m->stop[i] - m->start[i];
    }
    m->nbytes = mask_product(extent, 0, m->from->ndim);
    m->done += m->nbytes;
}

static void
begin_slabs(struct mask *m)
{
    memset(m->start, 0, sizeof m->start);
    m->done = 0;
    enter_slab(m);
}

static bool
next_slab(struct mask *m)
{
    for (int i = m->from->ndim > 0 ? m->axis : -1; i >= 0; i--) {
        m->start[i] = m->stop[i];
        if (m->start[i] < m->a->g->shape[i]) {
            enter_slab(m);
            return true;
        }
        m->start[i] = 0;
    }
    return false;
}

// The mask's bytes of the slab.
static tess_status
load_bytes(struct mask *m, const uint8_t **bytes, struct watch *watch, tess_error *err)
{
    const int ndim = m->from->ndim;
    const struct box box = {m->start, m->stop, NULL};
    int64_t at = 0;

    if (!m->from->array) {
        for (int i = 0; i < ndim; i++)
            at = at * m->a->g->shape[i] + m->start[i];
        *bytes = m->from->bytes + at;
        return TESS_OK;
    }
    if (!m->bytes) // no slab is larger than the first
        m->bytes = mem_alloc((size_t)m->nbytes);
    if (!m->bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a mask of %" PRId64 " bytes",
                       m->nbytes);
    struct box_memory to = {.items = m->bytes};
    box_strides(ndim, &box, 1, to.stride);
    *bytes = m->bytes;
    return array_read(m->from->array, &box, &to, watch, err);
}

static tess_status
load_slab(struct mask *m, struct watch *watch, tess_error *err)
{
    const uint8_t *bytes = NULL;
    struct index_map map;
    selection_finish(&m->s);
    tess_status st = load_bytes(m, &bytes, watch, err);
    if (st == TESS_OK)
        st = watch_look(watch, err);
    if (st == TESS_OK)
        st = view_map(m->a, &map, err);
    return st == TESS_OK ? selection_of_mask(&m->s, m->a->grid, &map, m->a->g->shape, m->from->ndim,
                                             &(struct box){m->start, m->stop, NULL}, bytes, err)
                         : st;
}

static tess_status
count_mask_items(struct mask *m, struct watch *watch, tess_error *err)
{
    const tess_array *const a = m->a;
    const tess_mask *const from = m->from;
    tess_status st;

    choose_slabs(m);
    const struct watch_range all = watch_divide(watch);
    const int64_t nbytes = mask_product(a->g->shape, 0, from->ndim);
    begin_slabs(m);
    do {
        watch_part(watch, &all, m->done, nbytes);
        st = load_slab(m, watch, err);
        if (st == TESS_OK)
            m->count += m->s.mask->count;
    } while (st == TESS_OK && next_slab(m));
    m->left = m->count;
    if (!mul_i64(m->count, mask_product(a->g->shape, from->ndim, a->g->ndim), &m->count))
        m->count = INT64_MAX;
    if (m->only) // it was left
        begin_slabs(m);
    return st;
}

tess_status
mask_begin(struct mask *m, const tess_array *a, const tess_mask *from, struct watch *watch,
           tess_error *err)
{
    *m = (struct mask){.a = a, .from = from};
    if (from->array) {
        const tess_status st = frame_lock_share(from->array->grid->frame, err);
        if (st != TESS_OK)
            return st;
        m->locked = true;
    }
    if (a->g->nitems == 0)
        return TESS_OK;
    const tess_status st = count_mask_items(m, watch, err);
    return from->array ? array_check_current(from->array, st, err) : st;
}

void
mask_finish(struct mask *m)
{
    if (m->locked)
        frame_lock_unshare(m->from->array->grid->frame);
    m->locked = false;
    selection_finish(&m->s);
    mem_free(m->bytes);
    m->bytes = NULL;
}

// The caller's memory: one is NULL.
struct memory {
    tess_array *to; // NULL: read
    uint8_t *dst;
    const uint8_t *src;
    bool same;
};

// All of the slab is chosen.
static tess_status
mask_move_box(const struct mask *m, const struct memory *memory, struct frame_staged *staged,
              struct watch *watch, tess_error *err)
{
    const struct geometry *const g = m->a->g;
    int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX];
    const struct box box = {start, stop, NULL};
    struct box_memory to = {.items = memory->dst};
    struct box_memory_const from = {.items = memory->src};

    for (int i = 0; i < g->ndim; i++) {
        start[i] = i < m->from->ndim ? m->start[i] : 0;
        stop[i] = i < m->from->ndim ? m->stop[i] : g->shape[i];
    }
    box_strides(g->ndim, &box, g->typesize, to.stride);
    if (!memory->to)
        return array_read(m->a, &box, &to, watch, err);
    if (!memory->same)
        memcpy(from.stride, to.stride, sizeof from.stride);
    return array_write(memory->to, &box, &from, staged, watch, err);
}

static tess_status
write_slab(const struct mask *m, const struct memory *memory, bool all, struct watch *watch,
           tess_error *err)
{
    struct chunk_grid *const grid = memory->to->grid;
    const struct given given = {.src = memory->src, .same = memory->same};
    struct frame_staged staged = {0};
    const tess_status st = all ? mask_move_box(m, memory, &staged, watch, err)
                               : selection_write(grid, &m->s, &given, &staged, watch, err);
    return grid_install(grid, &staged, st, err);
}

static tess_status
move_slab(struct mask *m, struct memory *memory, struct watch *watch, tess_error *err)
{
    const struct mask_index *const index = m->s.mask;
    const int64_t size = index->count * index->inner * m->a->g->typesize;
    tess_status st = TESS_OK;

    if (index->count > m->left) // the caller's memory is for what was counted
        return err_set(err, TESS_ERR_STALE, -1, "the mask was changed since it was counted");
    m->left -= index->count;
    if (index->count == 0)
        return TESS_OK;
    const bool all = index->count == index->nbytes;
    if (memory->to)
        st = write_slab(m, memory, all, watch, err);
    else if (all)
        st = mask_move_box(m, memory, NULL, watch, err);
    else
        st = selection_read(&m->s, memory->dst, watch, err);
    if (!memory->to)
        memory->dst += size;
    else if (!memory->same)
        memory->src += size;
    return st;
}

static tess_status
move(struct mask *m, struct memory *memory, struct watch *watch, tess_error *err)
{
    const struct watch_range all = watch_divide(watch);
    const int64_t nbytes = mask_product(m->a->g->shape, 0, m->from->ndim);
    tess_status st = TESS_OK;

    if (m->only)
        return move_slab(m, memory, watch, err);
    begin_slabs(m);
    do {
        watch_part(watch, &all, m->done, nbytes);
        const struct watch_range slab = watch_divide(watch);
        watch_part(watch, &slab, 1, 10); // the mask; the items
        st = load_slab(m, watch, err);
        watch_part(watch, &slab, 1, 1);
        if (st == TESS_OK)
            st = move_slab(m, memory, watch, err);
    } while (st == TESS_OK && next_slab(m));
    if (st == TESS_OK && m->left > 0)
        st = err_set(err, TESS_ERR_STALE, -1, "the mask was changed since it was counted");
    return st;
}

tess_status
mask_get(struct mask *m, uint8_t *dst, struct watch *watch, tess_error *err)
{
    struct memory memory = {.dst = dst};
    return move(m, &memory, watch, err);
}

tess_status
mask_set(struct mask *m, tess_array *a, const uint8_t *src, bool same, struct watch *watch,
         tess_error *err)
{
    struct memory memory = {.to = a, .src = src, .same = same};
    return move(m, &memory, watch, err);
}
