/*
 * edit.c - the list of chunks of a plain frame changes, and with it their sizes.
 */
#include "array/plain/plain.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/change.h"
#include "frame/commit/lock.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/read/plain.h"
#include "grid/write/write_back.h"

#include <inttypes.h>
#include <string.h>

static int64_t
size_of(const struct chunk_grid *grid, int64_t n)
{
    return plain_chunk_start(grid, n + 1) - plain_chunk_start(grid, n);
}

// Whether all chunks but the last have `size` bytes still, and the last no more.
static bool
stays_alike(const struct chunk_grid *grid, const struct plain_splice *s, int64_t size)
{
    const int64_t n = grid->g.nchunks;
    const bool at_end = s->at + s->removed == n;
    if (s->added == 0)
        return true;
    if (s->at == n && n > 0 && size_of(grid, n - 1) != size)
        return false;
    return s->chunk.nbytes == size || (at_end && s->added == 1 && s->chunk.nbytes < size);
}

static int32_t
chunksize_after(const struct chunk_grid *grid, const struct plain_splice *s)
{
    const int32_t now = frame_header(grid->frame)->chunksize;
    if (now < 0) // there was no chunk yet
        return s->added > 0 ? s->chunk.nbytes : now;
    return now == 0 || stays_alike(grid, s, now) ? now : 0;
}

// Where each chunk starts, of chunks that may differ.
static tess_status
make_starts(struct plain_sizes *x, const struct chunk_grid *grid, const struct plain_splice *s,
            tess_error *err)
{
    const int64_t n = grid->g.nchunks;
    int64_t *to = x->starts = mem_alloc(((size_t)x->nchunks + 1) * sizeof *x->starts);
    int64_t at = 0;
    if (!to)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", x->nchunks);
    for (int64_t i = 0; i < s->at; i++, at += size_of(grid, i - 1))
        *to++ = at;
    for (int64_t i = 0; i < s->added; i++, at += s->chunk.nbytes)
        *to++ = at;
    for (int64_t i = s->at + s->removed; i < n; i++, at += size_of(grid, i - 1))
        *to++ = at;
    *to = at;
    return TESS_OK;
}

// The list gets longer at its end: what is there stays.
static tess_status
append_starts(struct plain_sizes *x, struct chunk_grid *grid, const struct plain_splice *s,
              tess_error *err)
{
    int64_t *const longer =
        mem_resize(grid->chunk_starts, ((size_t)x->nchunks + 1) * sizeof *longer);
    if (!longer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", x->nchunks);
    grid->chunk_starts = longer;
    for (int64_t i = grid->g.nchunks; i < x->nchunks; i++)
        longer[i + 1] = longer[i] + s->chunk.nbytes;
    x->starts = longer;
    x->appended = true;
    return TESS_OK;
}

tess_status
plain_sizes_after(struct plain_sizes *x, struct chunk_grid *grid, const struct plain_splice *s,
                  tess_error *err)
{
    const struct frame_header *const h = frame_header(grid->frame);
    const int64_t removed =
        plain_chunk_start(grid, s->at + s->removed) - plain_chunk_start(grid, s->at);
    int64_t added = 0;
    *x = (struct plain_sizes){
        .chunksize = chunksize_after(grid, s),
        .vlblocks = s->added > 0 ? s->chunk.vlblocks : h->vlblocks,
        .whole = (grid->g.typesize == h->typesize || grid->g.nchunks == 0) &&
                 (s->added == 0 || s->chunk.nbytes % h->typesize == 0),
    };
    if (!add_i64(grid->g.nchunks - s->removed, s->added, &x->nchunks) ||
        x->nchunks > INDEX_NCHUNKS_MAX || !mul_i64(s->added, s->chunk.nbytes, &added) ||
        !add_i64(h->nbytes - removed, added, &x->nbytes))
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "%" PRId64 " chunks more than the %" PRId64 " of the frame, which can have "
                       "%d",
                       s->added, grid->g.nchunks, INDEX_NCHUNKS_MAX);
    if (x->chunksize != 0)
        return TESS_OK;
    return grid->chunk_starts && s->at == grid->g.nchunks ? append_starts(x, grid, s, err)
                                                          : make_starts(x, grid, s, err);
}

tess_status
plain_sizes_reordered(struct plain_sizes *x, const struct chunk_grid *grid, const int64_t *order,
                      tess_error *err)
{
    const struct frame_header *const h = frame_header(grid->frame);
    const int64_t n = grid->g.nchunks;
    int64_t at = 0;
    *x = (struct plain_sizes){.chunksize = h->chunksize,
                              .nchunks = n,
                              .nbytes = h->nbytes,
                              .vlblocks = h->vlblocks,
                              .whole = grid->g.typesize == h->typesize};
    if (n > 0 && order[n - 1] != n - 1 && size_of(grid, n - 1) != h->chunksize)
        x->chunksize = 0; // a shorter one does not stay the last
    if (x->chunksize != 0)
        return TESS_OK;
    x->starts = mem_alloc(((size_t)n + 1) * sizeof *x->starts);
    if (!x->starts)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    for (int64_t i = 0; i < n; i++) {
        x->starts[i] = at;
        at += size_of(grid, order[i]);
    }
    x->starts[n] = at;
    return TESS_OK;
}

void
plain_sizes_drop(struct plain_sizes *x)
{
    if (!x->appended)
        mem_free(x->starts);
    x->starts = NULL;
}

void
plain_sizes_install(struct plain_sizes *x, struct chunk_grid *grid)
{
    if (!x->appended) {
        mem_free(grid->chunk_starts);
        grid->chunk_starts = x->starts;
    }
    x->starts = NULL;
    plain_set_geometry(grid, x->whole);
}

// -- the list of chunks of a plain frame changes

// -- the list

// A list with other places, of which all in front of `at` stay.
static tess_status
splice_list(const struct frame *f, const struct plain_splice *s, struct frame_index *next,
            bool *kept, tess_error *err)
{
    const int64_t before = frame_nchunks(f), after = before - s->removed + s->added;
    index_init_uniform(next, 0, SPECIAL_ZEROS);
    tess_status st = index_resize(next, after, SPECIAL_ZEROS, err);
    for (int64_t i = 0; i < before && st == TESS_OK; i++) {
        kept[i] = i < s->at || i >= s->at + s->removed;
        if (kept[i])
            st = index_set(next, i < s->at ? i : i - s->removed + s->added, frame_entry(f, i), err);
    }
    return st;
}

static tess_status
order_list(const struct frame *f, const int64_t *order, struct frame_index *next, bool *kept,
           tess_error *err)
{
    tess_status st = TESS_OK;
    index_init_uniform(next, frame_nchunks(f), SPECIAL_ZEROS);
    for (int64_t i = 0; i < frame_nchunks(f) && st == TESS_OK; i++) {
        kept[i] = true;
        st = index_set(next, i, frame_entry(f, order[i]), err);
    }
    return st;
}

// One of s and order is NULL.
static tess_status
rearrange(struct frame *f, const struct plain_splice *s, const int64_t *order, tess_error *err)
{
    const int64_t n = frame_nchunks(f);
    struct frame_index next = {0};
    bool *const kept = mem_zeroed((size_t)n, sizeof *kept);
    if (!kept)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    tess_status st =
        s ? splice_list(f, s, &next, kept, err) : order_list(f, order, &next, kept, err);
    if (st == TESS_OK)
        st = frame_rearrange(f, &next, kept, err);
    index_finish(&next);
    mem_free(kept);
    return st;
}

static bool
is_special(const struct plain_chunk *c)
{
    return c->special != SPECIAL_NONE && c->special != SPECIAL_VALUE;
}

// Whether a chunk needs no bytes: where sizes differ, its entry could not say how long it is; and
// c-blosc2 makes whole items of an entry.
static bool
needs_no_bytes(const struct frame *f, const struct plain_sizes *sizes, const struct plain_chunk *c)
{
    return is_special(c) && sizes->chunksize != 0 && c->nbytes % frame_header(f)->typesize == 0;
}

// Whether the added chunks have their entries as soon as the list is longer: any number of them is
// one piece of work.
static bool
come_with_length(const struct frame *f, const struct plain_splice *s,
                 const struct plain_sizes *sizes)
{
    return s->removed == 0 && s->at == frame_nchunks(f) && needs_no_bytes(f, sizes, &s->chunk);
}

static tess_status
change_places(struct frame *f, const struct plain_splice *s, const struct plain_sizes *sizes,
              tess_error *err)
{
    const int64_t n = frame_nchunks(f);
    const bool bytes = s->added == 0 || !needs_no_bytes(f, sizes, &s->chunk);
    const enum chunk_special special = bytes ? SPECIAL_ZEROS : s->chunk.special;
    if (s->added == s->removed)
        return TESS_OK;
    if (s->at + s->removed < n || (s->removed > 0 && s->added > 0))
        return rearrange(f, s, NULL, err);
    return frame_set_length(f, n - s->removed + s->added, special, err);
}

// -- the chunks

static tess_status
store_special(tess_array *a, int64_t n, enum chunk_special special, int32_t nbytes, tess_error *err)
{
    uint8_t *bytes;
    int32_t cbytes = 0;
    tess_status st = plain_special_encode(a, special, nbytes, &bytes, &cbytes, err);
    if (st == TESS_OK)
        st = frame_put(a->grid->frame, NULL, n, bytes, cbytes, err);
    mem_free(bytes);
    return st;
}

static tess_status
put_plain_chunk(tess_array *a, int64_t n, const struct plain_chunk *c,
                const struct plain_sizes *sizes, tess_error *err)
{
    struct frame *const f = a->grid->frame;
    if (!is_special(c))
        return frame_put(f, NULL, n, c->bytes, c->cbytes, err);
    return needs_no_bytes(f, sizes, c) ? frame_put_special(f, NULL, n, c->special, err)
                                       : store_special(a, n, c->special, c->nbytes, err);
}

static tess_status
store_specials(tess_array *a, const struct plain_sizes *sizes, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    tess_status st = TESS_OK;
    for (int64_t n = 0; n < frame_nchunks(f) && st == TESS_OK; n++) {
        const int64_t entry = frame_entry(f, n);
        if (entry < 0)
            st = store_special(a, n, index_special(entry),
                               (int32_t)(sizes->starts[n + 1] - sizes->starts[n]), err);
    }
    return st;
}

// -- a change

// moves: chunks got other places, or are gone.
static tess_status
end_change(tess_array *a, struct plain_sizes *sizes, bool moves, tess_status st, tess_error *err)
{
    struct frame *const f = a->grid->frame;
    if (st != TESS_OK) {
        frame_undo(f);
        plain_sizes_drop(sizes);
        return frame_lock_blame(f, st, err);
    }
    frame_keep(f);
    plain_sizes_install(sizes, a->grid);
    a->moved += moves;
    return write_back_commit(a->grid, err);
}

static tess_status
splice_frame(tess_array *a, const struct plain_splice *s, const struct plain_sizes *sizes,
             tess_error *err)
{
    struct frame *const f = a->grid->frame;
    const bool differed = frame_header(f)->chunksize == 0;
    const int64_t nputs = come_with_length(f, s, sizes) ? 0 : s->added;
    tess_status st = change_places(f, s, sizes, err);
    if (st != TESS_OK)
        return st;
    frame_set_sizes(f, sizes->chunksize, sizes->nbytes, sizes->vlblocks);
    for (int64_t n = s->at; n < s->at + nputs && st == TESS_OK; n++)
        st = put_plain_chunk(a, n, &s->chunk, sizes, err);
    return st == TESS_OK && sizes->chunksize == 0 && !differed ? store_specials(a, sizes, err) : st;
}

// Readers go by the frame: all of its chunks have blocks of different sizes, or none.
static tess_status
check_alike(const tess_array *a, const struct plain_splice *s, tess_error *err)
{
    const bool others = a->grid->g.nchunks > s->removed;
    if (s->added > 0 && others && s->chunk.vlblocks != frame_header(a->grid->frame)->vlblocks)
        return err_set(err, TESS_ERR_ARG, 30, "blocks of %s, those of the other chunks do%s",
                       s->chunk.vlblocks ? "different sizes" : "one size",
                       s->chunk.vlblocks ? " not differ" : " differ");
    return TESS_OK;
}

tess_status
plain_edit(tess_array *a, const struct plain_splice *s, tess_error *err)
{
    struct plain_sizes sizes;
    const bool appends = s->at == a->grid->g.nchunks;
    tess_status st = check_alike(a, s, err);
    if (st != TESS_OK)
        return st;
    st = plain_sizes_after(&sizes, a->grid, s, err);
    if (st != TESS_OK) {
        plain_sizes_drop(&sizes);
        return st;
    }
    frame_begin(a->grid->frame);
    st = splice_frame(a, s, &sizes, err);
    return end_change(a, &sizes, !appends, st, err);
}

tess_status
plain_set_chunksize(tess_array *a, int32_t chunksize, tess_error *err)
{
    const struct frame_header *const h = frame_header(a->grid->frame);
    struct plain_sizes sizes = {.chunksize = chunksize, .vlblocks = h->vlblocks, .whole = true};
    frame_begin(a->grid->frame);
    const tess_status st = frame_set_length(a->grid->frame, 0, SPECIAL_ZEROS, err);
    if (st == TESS_OK)
        frame_set_sizes(a->grid->frame, chunksize, 0, h->vlblocks);
    return end_change(a, &sizes, false, st, err);
}

static tess_status
check_order(const int64_t *order, int64_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    bool *const seen = mem_zeroed((size_t)n + 1, sizeof *seen);
    if (!seen)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (order[i] < 0 || order[i] >= n)
            st = err_set(err, TESS_ERR_ARG, -1,
                         "chunk %" PRId64 " of %" PRId64 " in place %" PRId64, order[i], n, i);
        else if (seen[order[i]])
            st = err_set(err, TESS_ERR_ARG, -1, "chunk %" PRId64 " in two places, one is %" PRId64,
                         order[i], i);
        else
            seen[order[i]] = true;
    }
    mem_free(seen);
    return st;
}

tess_status
plain_reorder(tess_array *a, const int64_t *order, tess_error *err)
{
    struct frame *const f = a->grid->frame;
    struct plain_sizes sizes = {0};
    const int64_t n = a->grid->g.nchunks;
    const bool differed = frame_header(f)->chunksize == 0;
    tess_status st = check_order(order, n, err);
    if (st != TESS_OK || n == 0)
        return st;
    st = plain_sizes_reordered(&sizes, a->grid, order, err);
    if (st != TESS_OK)
        return st;
    frame_begin(f);
    st = rearrange(f, NULL, order, err);
    if (st == TESS_OK)
        frame_set_sizes(f, sizes.chunksize, sizes.nbytes, sizes.vlblocks);
    if (st == TESS_OK && sizes.chunksize == 0 && !differed)
        st = store_specials(a, &sizes, err);
    return end_change(a, &sizes, true, st, err);
}

tess_status
plain_put_chunk(tess_array *a, int64_t n, const uint8_t *bytes, size_t size, bool trusted,
                tess_error *err)
{
    struct plain_splice s = {.at = n, .removed = 1, .added = 1};
    const tess_status st = plain_chunk_check(a, bytes, size, trusted, &s.chunk, err);
    return st == TESS_OK ? plain_edit(a, &s, err) : st;
}
