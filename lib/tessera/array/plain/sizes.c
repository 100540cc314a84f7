/*
 * sizes.c - the sizes of the chunks of a plain frame, before and after a change of its list.
 */
#include "array/plain/sizes.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/read/plain.h"

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
