/*
 * each.c - parts of an array for a function of the program that looks at them, or changes them.
 *
 * For one that changes them, batches of chunks are decoded and handed out, as for one that looks;
 * parts that were changed are kept, and stored when the batch is done: whole blocks as a source of
 * edits, chunks as boxes that are written. So a part is handed out once, and one that stays costs
 * no encoding.
 */
#include "compute/parts/parts.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/commit/lock.h"
#include "frame/frame.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "grid/write/store.h"
#include "grid/write/write.h"
#include "grid/write/write_back.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { BATCH_SIZE = 32 << 20 }; // bytes of chunks, or one

// What a function that was given a part wants. A failure is one; to stop is none.
static tess_status
each_answer(struct parts *p, const tess_part *part, tess_each_next next, tess_error *err)
{
    switch (next) {
    case TESS_EACH_NEXT:
    case TESS_EACH_CHANGED:
        return TESS_OK;
    case TESS_EACH_STOP:
        atomic_store(&p->stopped, true);
        return TESS_OK;
    case TESS_EACH_FAIL:
        break;
    }
    atomic_store(&p->stopped, true);
    if (part->block < 0)
        return err_set(err, TESS_ERR_CANCELLED, -1, "the function gave up at chunk %" PRId64,
                       part->chunk);
    return err_set(err, TESS_ERR_CANCELLED, -1,
                   "the function gave up at block %" PRId64 " of chunk %" PRId64, part->block,
                   part->chunk);
}

// -- looking

struct looker {
    struct parts parts;
    tess_each_fn *fn;
    void *user;
};

static tess_status
each_look(void *self, void *tally, const tess_part *part, tess_error *err)
{
    struct looker *const l = self;
    (void)tally;
    return each_answer(&l->parts, part, l->fn(part, l->user), err);
}

tess_status
array_each(const tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
           tess_each_fn *fn, void *user, struct watch *watch, tess_error *err)
{
    struct looker l = {.fn = fn, .user = user};
    const struct parts_user looks = {.self = &l, .part = each_look, .slow = true};
    parts_begin(&l.parts, &looks, a, unit, start, stop);
    const tess_status st = parts_run(&l.parts, INT64_MAX, watch, err);
    parts_finish(&l.parts);
    return st;
}

// -- what was changed

// A block, or a chunk's part of the box.
struct changed {
    struct changed *next;
    int64_t chunk;
    int32_t block;
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // of the part
    _Alignas(max_align_t) uint8_t items[];
};

// Of one grain, in order.
struct chain {
    struct changed *first, *last;
    struct changed *spare; // for the next part
};

_Static_assert(sizeof(struct chain) <= PARTS_TALLY_SIZE, "a chain must fit in a grain");

struct changer {
    struct parts parts;
    tess_array *a;
    tess_change_fn *fn;
    void *user;
    struct chain batch;
    size_t n; // changed parts of it
};

static void
change_append(struct chain *chain, struct changed *first, struct changed *last)
{
    if (chain->first)
        chain->last->next = first;
    else
        chain->first = first;
    chain->last = last;
}

static void
free_chain(struct chain *chain)
{
    for (struct changed *c = chain->first; c;) {
        struct changed *const next = c->next;
        mem_free(c);
        c = next;
    }
    mem_free(chain->spare);
    *chain = (struct chain){0};
}

// -- parts are handed out

// Bytes from the first item of its block to the first of a part.
static int64_t
offset_in_block(const struct geometry *g, const tess_part *part)
{
    int64_t offset = 0;
    for (int i = 0; i < g->ndim; i++)
        offset += part->start[i] % g->chunkshape[i] % g->blockshape[i] * part->strides[i];
    return offset;
}

static struct changed *
take_spare(struct chain *chain, size_t size)
{
    struct changed *const c = chain->spare ? chain->spare : mem_alloc(sizeof *c + size);
    chain->spare = NULL;
    return c;
}

static tess_status
change_part(void *self, void *tally, const tess_part *part, tess_error *err)
{
    struct changer *const changer = self;
    const struct geometry *const g = changer->a->g;
    struct chain *const chain = tally;
    tess_part mine = *part;
    int64_t offset = 0, size = g->typesize;

    for (int i = 0; i < g->ndim; i++)
        size *= part->stop[i] - part->start[i];
    if (part->block >= 0) {
        offset = offset_in_block(g, part);
        size = g->blocksize;
    }
    struct changed *const c = take_spare(chain, (size_t)size);
    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes of a chunk", size);
    memcpy(c->items, (const uint8_t *)part->items - offset, (size_t)size);
    mine.items = c->items + offset;
    const tess_each_next next = changer->fn(&mine, c->items + offset, changer->user);
    if (next != TESS_EACH_CHANGED && next != TESS_EACH_STOP) {
        chain->spare = c;
        return each_answer(&changer->parts, part, next, err);
    }
    c->next = NULL;
    c->chunk = part->chunk;
    c->block = (int32_t)part->block;
    for (int i = 0; i < g->ndim; i++) {
        c->start[i] = part->start[i];
        c->stop[i] = part->stop[i];
    }
    change_append(chain, c, c);
    return each_answer(&changer->parts, part, next, err);
}

static tess_status
keep_grain(void *self, void *tally, tess_error *err)
{
    struct changer *const changer = self;
    struct chain *const chain = tally;
    (void)err;
    for (const struct changed *c = chain->first; c; c = c->next)
        changer->n++;
    if (chain->first)
        change_append(&changer->batch, chain->first, chain->last);
    chain->first = chain->last = NULL;
    return TESS_OK;
}

static void
each_drop_grain(void *self, void *tally)
{
    (void)self;
    free_chain(tally);
}

// -- what was changed is stored

static tess_status
store_blocks(struct changer *changer, struct watch *watch, tess_error *err)
{
    size_t n = 0;
    struct new_block *const list = mem_alloc(changer->n * sizeof *list);
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (const struct changed *c = changer->batch.first; c; c = c->next)
        list[n++] = (struct new_block){c->chunk, c->block, c->items};
    const tess_status st = replace_blocks(changer->a->grid, list, n, NULL, false, watch, err);
    mem_free(list);
    return st;
}

static tess_status
store_chunks(const struct changer *changer, struct watch *watch, tess_error *err)
{
    const struct geometry *const g = changer->a->g;
    const struct watch_range all = watch_divide(watch);
    int64_t n = 0;
    tess_status st = TESS_OK;
    for (const struct changed *c = changer->batch.first; c && st == TESS_OK; c = c->next) {
        struct box_memory_const src = {.items = c->items};
        int64_t extent[NDIM_MAX];
        for (int i = 0; i < g->ndim; i++)
            extent[i] = c->stop[i] - c->start[i];
        shape_strides(g->ndim, extent, g->typesize, src.stride);
        watch_part(watch, &all, ++n, (int64_t)changer->n);
        st =
            array_write(changer->a, &(struct box){c->start, c->stop, NULL}, &src, NULL, watch, err);
    }
    return st;
}

static tess_status
change_all(struct changer *changer, struct watch *watch, tess_error *err)
{
    struct parts *const p = &changer->parts;
    const struct watch_range range = watch_divide(watch);
    const int64_t all = p->nitems;
    tess_status st = TESS_OK;

    while (p->more && !atomic_load(&p->stopped) && st == TESS_OK) {
        const int64_t batch = min_i64(p->nitems, BATCH_SIZE / p->a->g->typesize); // about
        watch_part(watch, &range, all - p->nitems + batch / 2, all);
        st = parts_run(p, BATCH_SIZE, watch, err);
        watch_part(watch, &range, all - p->nitems, all);
        if (st == TESS_OK && changer->n > 0)
            st =
                p->by_block ? store_blocks(changer, watch, err) : store_chunks(changer, watch, err);
        free_chain(&changer->batch);
        changer->n = 0;
    }
    return st;
}

tess_status
array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
             tess_change_fn *fn, void *user, struct watch *watch, tess_error *err)
{
    struct changer changer = {.a = a, .fn = fn, .user = user};
    const struct parts_user changes = {
        .self = &changer,
        .part = change_part,
        .finish = keep_grain,
        .drop = each_drop_grain,
        .slow = true,
        .unaligned = true,
        .whole_blocks = true,
    };
    tess_status st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    frame_begin(a->grid->frame);
    parts_begin(&changer.parts, &changes, a, unit, start, stop);
    st = change_all(&changer, watch, err);
    parts_finish(&changer.parts);
    if (st != TESS_OK) {
        frame_undo(a->grid->frame);
        return frame_lock_blame(a->grid->frame, st, err);
    }
    frame_keep(a->grid->frame);
    return frame_commit_if_large(a->grid->frame, err);
}
