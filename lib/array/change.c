/*
 * change.c - parts of an array for a function of the program that changes them.
 *
 * Batches of chunks are decoded and handed out, as for one that looks (each.c); parts that were
 * changed are kept, and stored when the batch is done: whole blocks as a source of edits, chunks
 * as boxes that are written. So a part is handed out once, and one that stays costs no encoding.
 */
#include "array/each.h"

#include "array/held.h"
#include "array/store.h"
#include "array/view.h"
#include "base/checked.h"
#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_SIZE = 32 << 20 }; // bytes of chunks, or one

// A block, or a chunk's part of the box.
struct changed {
    struct changed *next;
    int64_t chunk;
    int32_t block;
    bool constant; // all items of the block that are inside the array are equal
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
append(struct chain *chain, struct changed *first, struct changed *last)
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
        free(c);
        c = next;
    }
    free(chain->spare);
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
    struct changed *const c = chain->spare ? chain->spare : malloc(sizeof *c + size);
    chain->spare = NULL;
    return c;
}

static tess_status
change_part(void *self, void *tally, const tess_part *part, bool covers, tess_error *err)
{
    struct changer *const changer = self;
    const struct geometry *const g = &changer->a->g;
    struct chain *const chain = tally;
    tess_part mine = *part;
    int64_t offset = 0, size = g->typesize;

    for (int i = 0; i < g->ndim; i++)
        size *= part->shape[i];
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
    c->constant = covers && ndconstant(g->ndim, mine.shape, g->typesize, mine.items, mine.strides);
    for (int i = 0; i < g->ndim; i++) {
        c->start[i] = part->start[i];
        c->stop[i] = part->start[i] + part->shape[i];
    }
    append(chain, c, c);
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
        append(&changer->batch, chain->first, chain->last);
    chain->first = chain->last = NULL;
    return TESS_OK;
}

static void
drop_grain(void *self, void *tally)
{
    (void)self;
    free_chain(tally);
}

// -- changed blocks as edits

struct changes {
    const tess_array *a;
    struct changed **list; // ordered by chunk and block
    size_t n;
    size_t at; // the first of the next chunk
};

// Blocks of a chunk that have items inside the array.
static int64_t
count_blocks(const struct geometry *g, int64_t chunk)
{
    int64_t n = 1;
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t origin = chunk % g->grid[i] * g->chunkshape[i];
        chunk /= g->grid[i];
        n *= ceil_div(min_i64(g->chunkshape[i], g->shape[i] - origin), g->blockshape[i]);
    }
    return n;
}

// The item that n changed blocks make all of a chunk be; NULL if they do not.
static const uint8_t *
only_item(const struct geometry *g, struct changed *const *list, size_t n)
{
    const uint8_t *const item = list[0]->items;
    if ((int64_t)n != count_blocks(g, list[0]->chunk))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!list[i]->constant || memcmp(list[i]->items, item, (size_t)g->typesize) != 0)
            return NULL;
    return item;
}

static bool
next_edit(void *cursor, struct edit *e)
{
    struct changes *const c = cursor;
    const size_t first = c->at;
    if (first == c->n)
        return false;
    e->n = c->list[first]->chunk;
    while (c->at < c->n && c->list[c->at]->chunk == e->n)
        c->at++;
    e->first[0] = (int64_t)first;
    e->last[0] = (int64_t)c->at;
    e->item = only_item(&c->a->g, c->list + first, c->at - first);
    e->whole = e->item != NULL;
    return true;
}

// The first changed block of the edit's chunk from `nblock` on, by its place in the list.
static size_t
find(const struct changes *c, const struct edit *e, int32_t nblock)
{
    size_t low = (size_t)e->first[0], high = (size_t)e->last[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->list[middle]->block < nblock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t
touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct changes *const c = from;
    const size_t i = find(c, e, nblock);
    *replaced = true;
    return i < (size_t)e->last[0] ? c->list[i]->block : (int32_t)c->a->g.nblocks;
}

static void
fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items)
{
    const struct changes *const c = from;
    memcpy(items, c->list[find(c, e, nblock)]->items, (size_t)c->a->g.blocksize);
}

static tess_status
store_blocks(struct changer *changer, tess_error *err)
{
    struct changes c = {.a = changer->a};
    const struct edit_source source = {
        .from = &c,
        .cursor = &c,
        .next = next_edit,
        .touched = touched,
        .fill = fill,
        .nbytes = (int64_t)changer->n * changer->a->g.blocksize,
    };
    c.list = malloc(changer->n * sizeof(struct changed *));
    if (!c.list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (struct changed *b = changer->batch.first; b; b = b->next)
        c.list[c.n++] = b;
    const tess_status st = store_edits(changer->a, &source, err);
    free(c.list);
    return st;
}

static tess_status
store_chunks(const struct changer *changer, tess_error *err)
{
    const struct geometry *const g = &changer->a->g;
    tess_status st = TESS_OK;
    for (const struct changed *c = changer->batch.first; c && st == TESS_OK; c = c->next) {
        struct strided_const src = {.items = c->items};
        int64_t extent[NDIM_MAX];
        for (int i = 0; i < g->ndim; i++)
            extent[i] = c->stop[i] - c->start[i];
        shape_strides(g->ndim, extent, g->typesize, src.stride);
        st = array_write(changer->a, c->start, c->stop, NULL, &src, err);
    }
    return st;
}

static tess_status
change_all(struct changer *changer, tess_error *err)
{
    const struct parts_user user = {
        .self = changer,
        .part = change_part,
        .finish = keep_grain,
        .drop = drop_grain,
        .slow = true,
        .unaligned = true,
        .whole_blocks = true,
    };
    struct parts *const p = &changer->parts;
    tess_status st = TESS_OK;

    while (p->more && !atomic_load(&p->stopped) && st == TESS_OK) {
        st = parts_run(p, &user, BATCH_SIZE, err);
        if (st == TESS_OK && changer->n > 0)
            st = p->by_block ? store_blocks(changer, err) : store_chunks(changer, err);
        free_chain(&changer->batch);
        changer->n = 0;
    }
    return st;
}

tess_status
array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
             tess_change_fn *fn, void *user, tess_error *err)
{
    struct changer changer = {.a = a, .fn = fn, .user = user};
    tess_status st = held_write_back(view_base(a), err);
    if (st != TESS_OK)
        return st;
    frame_begin(a->frame);
    parts_begin(&changer.parts, a, unit, start, stop);
    st = change_all(&changer, err);
    parts_finish(&changer.parts);
    if (st != TESS_OK) {
        frame_undo(a->frame);
        return st;
    }
    frame_keep(a->frame);
    return frame_commit_if_large(a->frame, err);
}
