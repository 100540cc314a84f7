/*
 * io.c - many ranges of one io, in few calls.
 *
 * Ranges that lie close together come with one read, through a buffer: io_read_many(), for an io
 * that has no way of its own, one group after the other; joined_read() all groups with one call,
 * which may read them at once. preadv() to the places of ranges, with the gaps to one that is
 * thrown away, took up to four times as long: the system copies each piece by itself.
 */
#include "io/io.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <string.h>

// -- one group after the other

enum { SPAN_MAX = 1 << 16 }; // bytes that are read together

// Not the io's own: its gap and piece are for bytes of blocks that go to their places, these, which
// were measured, for headers of chunks that are copied out of a buffer.
static const struct io_manner extents_manner = {.gap = 8 << 10, .piece = SPAN_MAX};

// How many of the extents are read together, and the bytes from the first to the last of them.
static size_t
count_together(const tess_range *extents, size_t n, size_t *span)
{
    const int64_t start = extents[0].offset;
    size_t k = 1;
    *span = extents[0].dst_size;
    for (; k < n &&
           io_manner_joins(&extents_manner, start, *span, extents[k].offset, extents[k].dst_size);
         k++)
        *span = (size_t)(extents[k].offset - start) + extents[k].dst_size;
    return k;
}

static tess_status
read_together(struct io *io, const tess_range *extents, size_t n, size_t span, uint8_t *buffer,
              tess_error *err)
{
    const tess_status st = io_read(io, extents[0].offset, buffer, span, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        memcpy(extents[i].dst, buffer + (extents[i].offset - extents[0].offset),
               extents[i].dst_size);
    return st;
}

tess_status
io_read_many(struct io *io, const tess_range *extents, size_t n, const struct io_progress *p,
             tess_error *err)
{
    tess_status st = TESS_OK;
    uint8_t *buffer = NULL;
    size_t together, span;
    if (io->ops->read_many)
        return io->ops->read_many(io, extents, n, p, err);
    for (size_t i = 0; i < n && st == TESS_OK; i += together) {
        together = count_together(&extents[i], n - i, &span);
        if (together > 1 && !buffer)
            buffer = mem_alloc(SPAN_MAX);
        if (together > 1 && buffer) {
            st = read_together(io, &extents[i], together, span, buffer, err);
        } else { // also without memory
            together = 1;
            st = io_read(io, extents[i].offset, extents[i].dst, extents[i].dst_size, err);
        }
        for (size_t k = 0; k < together && st == TESS_OK; k++)
            st = io_arrive(p, i + k, st);
    }
    mem_free(buffer);
    return st;
}

// -- all groups with one call

struct group {
    size_t begin, end; // of the ranges
    uint8_t *buffer; // NULL: of one range
    atomic_bool told; // its ranges are scattered, or about to be
};

struct joined {
    struct io_progress progress; // for the groups
    const struct io_progress *of; // for the ranges, of the caller; may be NULL
    const tess_range *ranges;
    struct group *groups;
    tess_range *pieces; // as long as groups
    size_t ngroups;
};

// Copy what has arrived, and tell.
static void
group_scatter(const struct joined *j, size_t i)
{
    struct group *const g = &j->groups[i];
    if (atomic_exchange(&g->told, true))
        return;
    for (size_t k = g->begin; k < g->end; k++) {
        const tess_range *const r = &j->ranges[k];
        if (g->buffer)
            memcpy(r->dst, g->buffer + (r->offset - j->pieces[i].offset), r->dst_size);
        (void)io_arrive(j->of, k, TESS_OK);
    }
}

static void
group_arrived(const struct io_progress *p, size_t i)
{
    group_scatter((const struct joined *)p, i);
}

static bool
joined_cancelled(const struct io_progress *p)
{
    const struct joined *const j = (const struct joined *)p;
    return j->of && j->of->cancelled(j->of);
}

static void
divide_joined(struct joined *j, const struct io_manner *manner, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const tess_range *const next = &j->ranges[i];
        tess_range *const piece = j->ngroups > 0 ? &j->pieces[j->ngroups - 1] : NULL;
        if (piece &&
            io_manner_joins(manner, piece->offset, piece->dst_size, next->offset, next->dst_size)) {
            piece->dst_size = (size_t)(next->offset - piece->offset) + next->dst_size;
            j->groups[j->ngroups - 1].end = i + 1;
        } else {
            j->pieces[j->ngroups] = *next;
            j->groups[j->ngroups].begin = i;
            j->groups[j->ngroups].end = i + 1;
            atomic_init(&j->groups[j->ngroups].told, false);
            j->ngroups++;
        }
    }
}

static tess_status
allocate_buffers(struct joined *j, tess_error *err)
{
    for (size_t i = 0; i < j->ngroups; i++) {
        struct group *const g = &j->groups[i];
        if (g->end - g->begin == 1)
            continue;
        g->buffer = mem_alloc(j->pieces[i].dst_size);
        if (!g->buffer)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes of a source",
                           j->pieces[i].dst_size);
        j->pieces[i].dst = g->buffer;
    }
    return TESS_OK;
}

tess_status
joined_read(const struct io_manner *manner, const tess_range *ranges, size_t n,
            const struct io_progress *p, joined_read_fn *read, void *arg, tess_error *err)
{
    struct joined j = {
        .progress = {.arrived = group_arrived, .cancelled = joined_cancelled},
        .of = p,
        .ranges = ranges,
        .groups = mem_zeroed(n, sizeof *j.groups),
        .pieces = mem_zeroed(n, sizeof *j.pieces),
    };
    tess_status st = TESS_OK;
    if (!j.groups || !j.pieces) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu ranges", n);
        goto out;
    }
    divide_joined(&j, manner, n);
    TRY(allocate_buffers(&j, err));
    TRY(read(arg, j.pieces, j.ngroups, &j.progress, err));
    for (size_t i = 0; i < j.ngroups; i++)
        group_scatter(&j, i);
out:
    for (size_t i = 0; i < j.ngroups; i++)
        mem_free(j.groups[i].buffer);
    mem_free(j.groups);
    mem_free(j.pieces);
    return st;
}
