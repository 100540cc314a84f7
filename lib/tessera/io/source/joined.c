/*
 * joined.c - coalescing: ranges that lie close together are read as one.
 *
 * A group of one range is read directly into its dst. A group of several is read into a buffer, and
 * scattered to their dst when it has arrived.
 */
#include "io/source/joined.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <stdatomic.h>
#include <string.h>

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
divide(struct joined *j, const struct io_manner *manner, size_t n)
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
    divide(&j, manner, n);
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
