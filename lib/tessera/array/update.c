/*
 * update.c - what a caller does as one: a write, another shape, a commit.
 *
 * Each is a change of the frame, undone if it fails, or a write that waits in the cache. What waits
 * is written back before anything happens that does not know of it.
 */
#include "array/update.h"

#include "array/array.h"
#include "array/items/box.h"
#include "array/items/boxes.h"
#include "array/items/mask.h"
#include "array/shape/shape.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "grid/write/install.h"
#include "grid/write/turns.h"
#include "grid/write/write.h"
#include "grid/write/write_back.h"
#include "select/gather.h"
#include "select/selection.h"
#include "task/gate.h"
#include "task/watch.h"

enum { SHORTEN_LEAST = 1 << 20 }; // bytes that a file is made shorter by

// A box that does not wait in the cache, with the turn of its chunks.
static tess_status
write_at_once(struct chunk_grid *grid, const struct turn *turn, const struct box *box,
              const struct box_memory_const *src, struct watch *watch, tess_error *err)
{
    struct frame_staged staged = {0};
    tess_status st = write_back_turn(grid, turn, err);
    if (st == TESS_OK)
        st = grid_write(grid, box, src, &staged, watch, err);
    return grid_install(grid, &staged, st, err);
}

static tess_status
update_view(tess_array *a, const struct box *box, const struct box_memory_const *src,
            struct watch *watch, tess_error *err)
{
    struct index_box base;
    struct box_memory_const from;
    const tess_status st = array_base_box(a, box, src, &base, &from, err);
    return st == TESS_OK ? array_update_box(a->view->base, &base.box, &from, watch, err) : st;
}

tess_status
array_update_box(tess_array *a, const struct box *box, const struct box_memory_const *src,
                 struct watch *watch, tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct turn turn;
    int64_t size, room = 0;
    tess_status st = TESS_OK;
    if (a->view)
        return update_view(a, box, src, watch, err);
    if (box_is_empty(grid->g.ndim, box))
        return TESS_OK;
    if (write_back_wants(grid, box, &size))
        st = write_back_make_room(grid, size, &room, err);
    if (st != TESS_OK)
        return st;
    turn_of_box(&turn, &grid->g, box);
    turns_begin(grid->turns, &grid->g, &turn);
    const bool waits = room > 0 && write_back_box(grid, box, src, err) == TESS_OK;
    if (!waits) // also with a chunk that cannot be opened, of which perhaps nothing is kept
        st = write_at_once(grid, &turn, box, src, watch, err);
    turns_end(grid->turns, &turn);
    write_back_end_room(grid, room);
    return st == TESS_OK ? write_back_commit(grid, err) : st;
}

tess_status
array_change_begin(tess_array *a, struct saved_shape *saved, tess_error *err)
{
    const tess_status st = array_shape_save(a, saved, err);
    if (st == TESS_OK)
        frame_begin(a->grid->frame);
    return st;
}

tess_status
array_change_end(tess_array *a, struct saved_shape *saved, bool moves, tess_status st,
                 tess_error *err)
{
    if (st != TESS_OK) {
        frame_undo(a->grid->frame);
        array_shape_undo(a, saved);
        return frame_lock_blame(a->grid->frame, st, err);
    }
    mem_free(saved->layer);
    saved->layer = NULL;
    frame_keep(a->grid->frame);
    frame_mark_changed(a->grid->frame);
    a->moved += moves;
    return write_back_commit(a->grid, err);
}

static bool
shrinks(const struct geometry *g, const int64_t *shape)
{
    for (int i = 0; i < g->ndim; i++)
        if (shape[i] < g->shape[i])
            return true;
    return false;
}

// Whether a box is all that an array grows by along an axis.
static bool
is_growth(const tess_array *a, const int64_t *shape, const struct box *box)
{
    int axes = 0;
    for (int i = 0; i < a->g->ndim; i++) {
        const bool grows = shape[i] > a->g->shape[i];
        axes += shape[i] != a->g->shape[i];
        if (box->start[i] != (grows ? a->g->shape[i] : 0) || box->stop[i] != shape[i])
            return false;
    }
    return axes == 1;
}

// What another shape brings: the fill value, unless `all` is written, and the items.
static tess_status
fill_and_write(tess_array *a, const struct geometry *before, bool all, bool held,
               const struct box *box, const struct box_memory_const *src, struct watch *watch,
               tess_error *err)
{
    const struct watch_range both = watch_divide(watch);
    watch_part(watch, &both, 1, src ? 2 : 1);
    tess_status st = all ? TESS_OK : array_fill_grown(a, before, watch, err);
    watch_part(watch, &both, 1, 1);
    if (st != TESS_OK || !src)
        return st;
    if (!held)
        return grid_write(a->grid, box, src, NULL, watch, err);
    st = write_back_box(a->grid, box, src, err);
    if (st == TESS_OK) // the frame has the shape, so no commit may lack the items
        cache_hurry_write(a->grid->cache);
    return st;
}

tess_status
array_update_shape(tess_array *a, const int64_t *shape, const struct box *box,
                   const struct box_memory_const *src, struct watch *watch, tess_error *err)
{
    struct saved_shape saved = {0};
    const bool all = src && is_growth(a, shape, box);
    const bool appends = all && array_grows_at_end(a, shape);
    const bool moves = shrinks(a->g, shape);
    int64_t size, room = 0;
    tess_status st = TESS_OK;
    if (appends && write_back_wants(a->grid, box, &size))
        st = write_back_make_room(a->grid, size, &room, err);
    const bool held = room > 0;
    if (st == TESS_OK && !held)
        st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    // Blocks would get other chunks, or their padding come into sight, which may differ from what
    // is stored. Nothing waits.
    if (!appends)
        cache_forget_from(a->grid->cache, 0);

    st = array_change_begin(a, &saved, err);
    if (st != TESS_OK) {
        write_back_end_room(a->grid, room);
        return st;
    }
    const struct watch_range both = watch_divide(watch);
    watch_part(watch, &both, moves, 2);
    if (moves)
        st = padding_cut(a, shape, watch, err);
    watch_part(watch, &both, 2, 2);
    if (st == TESS_OK)
        st = array_reshape(a, shape, NULL, err);
    if (st == TESS_OK)
        st = fill_and_write(a, &saved.g, all, held, box, src, watch, err);
    write_back_end_room(a->grid, room);
    return array_change_end(a, &saved, moves, st, err);
}

// The chunks that a selection meets, for the caller to free.
static tess_status
list_chunks(const struct selection *s, int64_t **list, size_t *n, tess_error *err)
{
    struct part chunk;
    size_t capacity = 0;
    *list = NULL;
    *n = 0;
    for (bool more = selection_chunk(s, 0, &chunk); more;
         more = selection_chunk(s, chunk.n + 1, &chunk)) {
        if (*n == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 16;
            int64_t *const longer = mem_resize(*list, capacity * sizeof *longer);
            if (!longer)
                return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
            *list = longer;
        }
        (*list)[(*n)++] = chunk.n;
    }
    return TESS_OK;
}

// The turn of a selection. *list belongs to the turn.
static tess_status
begin_turn(struct chunk_grid *grid, const struct selection *s, struct turn *turn, int64_t **list,
           tess_error *err)
{
    size_t n;
    int64_t *chunks;
    const tess_status st = list_chunks(s, &chunks, &n, err);
    if (st != TESS_OK) {
        mem_free(chunks);
        return st;
    }
    turn_of_list(turn, chunks, n);
    turns_begin(grid->turns, &grid->g, turn);
    *list = chunks;
    return TESS_OK;
}

// The same, and nothing of its chunks is dirty.
static tess_status
begin_selection(struct chunk_grid *grid, const struct selection *s, struct turn *turn,
                int64_t **list, tess_error *err)
{
    int64_t *chunks;
    tess_status st = begin_turn(grid, s, turn, &chunks, err);
    if (st != TESS_OK)
        return st;
    st = write_back_turn(grid, turn, err);
    if (st != TESS_OK) {
        turns_end(grid->turns, turn);
        mem_free(chunks);
        return st;
    }
    *list = chunks;
    return TESS_OK;
}

static tess_status
end_selection(struct chunk_grid *grid, struct turn *turn, int64_t *list, tess_status st,
              tess_error *err)
{
    turns_end(grid->turns, turn);
    mem_free(list);
    return st == TESS_OK ? write_back_commit(grid, err) : st;
}

// A selection that does not wait in the cache, with the turn of its chunks.
static tess_status
select_at_once(struct chunk_grid *grid, const struct selection *s, const struct turn *turn,
               const struct given *given, struct watch *watch, tess_error *err)
{
    struct frame_staged staged = {0};
    tess_status st = write_back_turn(grid, turn, err);
    if (st == TESS_OK)
        st = selection_write(grid, s, given, &staged, watch, err);
    return grid_install(grid, &staged, st, err);
}

static tess_status
update_selection(struct chunk_grid *grid, const struct selection *s, int64_t nitems,
                 const struct given *given, struct watch *watch, tess_error *err)
{
    const int64_t size = selection_waiting_size(s, nitems);
    int64_t room = 0;
    int64_t *list;
    struct turn turn;
    tess_status st = size > 0 ? write_back_make_room(grid, size, &room, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    st = begin_turn(grid, s, &turn, &list, err);
    if (st == TESS_OK) {
        if (room == 0 || selection_write_cached(grid, s, given, err) != TESS_OK)
            st = select_at_once(grid, s, &turn, given, watch, err);
        turns_end(grid->turns, &turn);
        mem_free(list);
    }
    write_back_end_room(grid, room);
    return st == TESS_OK ? write_back_commit(grid, err) : st;
}

tess_status
array_update_points(tess_array *a, int64_t npoints, const int64_t *coords, const uint8_t *src,
                    struct watch *watch, tess_error *err)
{
    struct selection s = {0};
    const struct given given = {.src = src};
    tess_status st = array_choose_points(a, npoints, coords, &s, err);
    if (st == TESS_OK)
        st = update_selection(a->grid, &s, npoints, &given, watch, err);
    selection_finish(&s);
    return st;
}

tess_status
array_update_add(tess_array *a, int64_t npoints, const int64_t *coords, const struct addition *add,
                 struct watch *watch, tess_error *err)
{
    struct selection s = {0};
    const struct given given = {.add = add};
    tess_status st = array_choose_points(a, npoints, coords, &s, err);
    if (st == TESS_OK)
        st = update_selection(a->grid, &s, npoints, &given, watch, err);
    selection_finish(&s);
    return st;
}

// Items that all combinations of indices stand for.
static int64_t
count_combinations(int ndim, const int64_t *counts)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        if (!mul_i64(n, counts[i], &n))
            return INT64_MAX;
    return n;
}

tess_status
array_update_orthogonal(tess_array *a, const int64_t *counts, const int64_t *const *indices,
                        const uint8_t *src, struct watch *watch, tess_error *err)
{
    struct selection s = {0};
    tess_status st = array_choose_orthogonal(a, counts, indices, &s, err);
    if (st == TESS_OK) { // of copies, the last one stays
        const int64_t last = selection_copy(&s, s.ncopies - 1);
        const struct given given = {.src = src + last * a->g->typesize};
        st = update_selection(a->grid, &s, count_combinations(a->g->ndim, counts), &given, watch,
                              err);
    }
    selection_finish(&s);
    return st;
}

// A mask in several parts, which together are one change.
static tess_status
update_slabs(tess_array *a, struct mask *mask, const uint8_t *src, bool same, struct watch *watch,
             tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct turn turn;
    turn_of_all(&turn, &grid->g);
    turns_begin(grid->turns, &grid->g, &turn);
    tess_status st = write_back_turn(grid, &turn, err);
    if (st == TESS_OK) {
        gate_close(grid->gate);
        frame_begin(grid->frame);
        gate_open(grid->gate);
        st = mask_set(mask, a, src, same, watch, err);
        gate_close(grid->gate);
        if (st == TESS_OK) {
            frame_keep(grid->frame);
        } else {
            frame_undo(grid->frame);
            cache_forget_from(grid->cache, 0);
        }
        gate_open(grid->gate);
    }
    return end_selection(grid, &turn, NULL, st, err);
}

tess_status
array_update_boxes(tess_array *a, const struct boxes *boxes, const uint8_t *src,
                   struct watch *watch, tess_error *err)
{
    struct boxes_chosen chosen = {0};
    const struct given given = {.src = src};
    tess_status st = array_choose_boxes(a, boxes, &chosen, err);
    if (st == TESS_OK)
        st = update_selection(a->grid, &chosen.selection, boxes->n * boxes->nitems, &given, watch,
                              err);
    boxes_chosen_finish(&chosen);
    return st;
}

tess_status
array_update_mask(tess_array *a, struct mask *mask, const uint8_t *src, bool same,
                  struct watch *watch, tess_error *err)
{
    struct turn turn;
    int64_t *list;
    if (!mask->only)
        return update_slabs(a, mask, src, same, watch, err);
    tess_status st = begin_selection(a->grid, &mask->s, &turn, &list, err);
    if (st != TESS_OK)
        return st;
    st = mask_set(mask, a, src, same, watch, err);
    return end_selection(a->grid, &turn, list, st, err);
}

// All that waits, and what other calls have stored meanwhile, with the turn of all chunks.
static tess_status
commit_all(struct chunk_grid *grid, const struct turn *turn,
           tess_status (*commit)(struct frame *f, tess_error *err), tess_error *err)
{
    tess_status st = write_back_turn(grid, turn, err);
    if (st != TESS_OK)
        return st;
    gate_close(grid->gate);
    st = commit(grid->frame, err);
    if (st == TESS_OK && frame_is_writable(grid->frame))
        st = frame_publish(grid->frame, err);
    gate_open(grid->gate);
    return st;
}

tess_status
array_update_chunk(tess_array *a, int64_t n, const uint8_t *chunk, int32_t size,
                   enum chunk_special special, tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct frame_staged staged = {0};
    struct turn turn;
    turn_of_list(&turn, &n, 1);
    turns_begin(grid->turns, &grid->g, &turn);
    tess_status st = write_back_turn(grid, &turn, err);
    if (st == TESS_OK)
        st = special == SPECIAL_NONE || special == SPECIAL_VALUE
                 ? stage_chunk(grid, &staged, n, chunk, size, err)
                 : stage_special(grid, &staged, n, special, err);
    st = grid_install(grid, &staged, st, err);
    turns_end(grid->turns, &turn);
    return st == TESS_OK ? write_back_commit(grid, err) : st;
}

static tess_status
commit_by(tess_array *a, tess_status (*commit)(struct frame *f, tess_error *err), tess_error *err)
{
    struct turn turn;
    turn_of_all(&turn, a->g);
    turns_begin(a->grid->turns, a->g, &turn);
    const tess_status st = commit_all(a->grid, &turn, commit, err);
    if (st == TESS_OK)
        frame_lock_let_go(a->grid->frame);
    turns_end(a->grid->turns, &turn);
    return st;
}

tess_status
array_commit(tess_array *a, tess_error *err)
{
    tess_array *const base = a->view ? a->view->base : a;
    return a->view && base->discarded ? TESS_OK : commit_by(base, frame_commit, err);
}

tess_status
array_commit_sealed(tess_array *a, tess_error *err)
{
    return commit_by(a, frame_commit_sealed, err);
}

tess_status
array_lock(tess_array *a, tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct turn turn;
    turn_of_all(&turn, a->g);
    turns_begin(grid->turns, a->g, &turn);
    gate_close(grid->gate);
    const tess_status st = frame_lock_hold(grid->frame, err);
    gate_open(grid->gate);
    turns_end(grid->turns, &turn);
    return st;
}

// Make its file shorter, if that is worth it and no view needs it.
static void
array_shorten(tess_array *a)
{
    if (a->view) {
        array_shorten(a->view->base);
        return;
    }
    if (atomic_load(&a->users) == 1 && !a->discarded)
        frame_shorten(a->grid->frame, SHORTEN_LEAST);
}

tess_status
array_close(tess_array *a, tess_error *err)
{
    const bool commits =
        !frame_is_inherited(a->grid->frame) && !frame_is_left_behind(a->grid->frame);
    const tess_status st = commits ? array_commit(a, err) : TESS_OK;
    if (commits && st == TESS_OK)
        array_shorten(a);
    array_free(a);
    return st;
}
