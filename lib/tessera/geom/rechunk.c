/*
 * rechunk.c - in which pieces an array goes from one grid to another.
 *
 * Greedy: of all steps that one axis could grow by, the one that saves most reading for the memory
 * it takes, until none saves anything or fits.
 */
#include "geom/rechunk.h"

#include "base/checked.h"

#include <stdbool.h>

static int64_t
divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// How often each unit along an axis is read, in the mean, by pieces of that length.
static double
times_read(const struct rechunk *r, int axis, int64_t length)
{
    const int64_t units = ceil_div(r->shape[axis], r->unit[axis]);
    const int64_t borders = ceil_div(r->shape[axis], length) - 1;
    const int64_t aligned = borders / (r->unit[axis] / divisor(length, r->unit[axis]));
    return 1 + (double)(borders - aligned) / (double)units;
}

static bool
rechunk_fits(const struct rechunk *r, const int64_t *piece, int64_t nitems)
{
    int64_t n = 1;
    for (int i = 0; i < r->ndim; i++)
        if (!mul_i64(n, piece[i], &n) || n > nitems)
            return false;
    return true;
}

// A chunk that does not fit is cut along its first axes.
static void
shrink(const struct rechunk *r, int64_t nitems, int64_t *piece)
{
    for (int i = 0; i < r->ndim && !rechunk_fits(r, piece, nitems); i++) {
        const int64_t whole = piece[i];
        piece[i] = min_i64(whole, r->block[i]);
        for (int64_t more = piece[i] * 2; more < whole; more *= 2) {
            const int64_t before = piece[i];
            piece[i] = more;
            if (!rechunk_fits(r, piece, nitems)) {
                piece[i] = before;
                break;
            }
        }
    }
}

// Lengths that an axis could grow to: as many whole chunks as end with a unit; twice as many as
// now; all.
static int
longer(const struct rechunk *r, int axis, int64_t length, int64_t *list)
{
    const int64_t step = r->unit[axis] / divisor(length, r->unit[axis]);
    int64_t aligned;
    int n = 0;
    if (step > 1 && mul_i64(length, step, &aligned) && aligned < r->shape[axis])
        list[n++] = aligned;
    if (length < r->shape[axis] - length)
        list[n++] = length * 2;
    if (length < r->shape[axis])
        list[n++] = r->shape[axis];
    return n;
}

// Grow one axis; false if nothing is gained any more. The gain is reading saved, as a factor, for
// each factor of memory.
static bool
rechunk_grow(const struct rechunk *r, int64_t nitems, int64_t *piece)
{
    int best = -1;
    int64_t best_length = 0;
    double best_gain = 0;

    for (int i = 0; i < r->ndim; i++) {
        int64_t list[3];
        const int64_t now = piece[i];
        const int n = longer(r, i, now, list);
        for (int k = 0; k < n; k++) {
            piece[i] = list[k];
            const double saved = times_read(r, i, now) / times_read(r, i, list[k]) - 1;
            const double gain = saved / ((double)list[k] / (double)now);
            if (gain > best_gain && rechunk_fits(r, piece, nitems)) {
                best = i;
                best_length = list[k];
                best_gain = gain;
            }
        }
        piece[i] = now;
    }
    if (best >= 0)
        piece[best] = best_length;
    return best >= 0;
}

// Several pieces in one, the last axes first.
static void
join(const struct rechunk *r, int64_t nitems, int64_t *piece)
{
    for (int i = r->ndim - 1; i >= 0; i--)
        while (piece[i] < r->shape[i]) {
            const int64_t before = piece[i];
            piece[i] = before < r->shape[i] - before ? before * 2 : r->shape[i];
            if (!rechunk_fits(r, piece, nitems)) {
                piece[i] = before;
                break;
            }
        }
}

void
rechunk_piece(const struct rechunk *r, int64_t nitems, int64_t enough, int64_t *piece)
{
    for (int i = 0; i < r->ndim; i++)
        piece[i] = min_i64(r->chunk[i], r->shape[i]);
    if (!rechunk_fits(r, piece, nitems)) {
        shrink(r, nitems, piece);
        return;
    }
    while (rechunk_grow(r, nitems, piece)) {
    }
    join(r, min_i64(nitems, enough), piece);
}
