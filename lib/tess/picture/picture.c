/*
 * picture.c - two axes of an array as a grid of cells.
 *
 * A sample is read as a selection with larger steps; after that, it is a reduction of boxes of one
 * item each. So there is one way from items to cells.
 */
#include "picture/picture.h"

#include "report.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_PART 8 // a side keeps this part of its room, at the cost of square cells

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a - 1) / b + 1;
}

void
picture_plan(struct picture *p, const struct slice_range *sel, const int axes[2],
             const int64_t most[2])
{
    int64_t common_box = 1, common_zoom = INT64_MAX;

    *p = (struct picture){.axes = {axes[0], axes[1]}};
    for (int k = 0; k < 2; k++)
        common_box = larger(common_box, divide_up(sel->count[axes[k]], most[k]));
    for (int k = 0; k < 2; k++) {
        const int64_t n = sel->count[axes[k]];
        const int64_t needed = divide_up(n, most[k]);
        const int64_t least = divide_up(most[k], LEAST_PART);

        p->box[k] = larger(needed, smaller(common_box, n / least));
        p->cells[k] = divide_up(n, p->box[k]);
        common_zoom = smaller(common_zoom, most[k] / p->cells[k]);
    }
    for (int k = 0; k < 2; k++) {
        const int64_t needed = divide_up(divide_up(most[k], LEAST_PART), p->cells[k]);

        p->zoom[k] = larger(common_zoom, smaller(most[k] / p->cells[k], needed));
    }
}

struct reading {
    struct picture *picture;
    int32_t typesize;
    struct slice_range sel;
    int64_t box[2];
    enum picture_reduce reduce;
    const struct numbers *numbers;
    const struct missing *missing;
    int64_t *counts; // items of each cell that are not missing
};

// Steps from the middle of one box to that of the next.
static void
thin_out(struct reading *r)
{
    const struct picture *p = r->picture;
    struct slice_range *sel = &r->sel;

    for (int k = 0; k < 2; k++) {
        const int axis = p->axes[k];
        const int64_t span = (p->cells[k] - 1) * p->box[k];

        sel->start[axis] += sel->step[axis] * ((sel->count[axis] - 1 - span) / 2);
        sel->step[axis] = p->cells[k] > 1 ? sel->step[axis] * p->box[k] : 1;
        sel->count[axis] = p->cells[k];
        r->box[k] = 1;
    }
}

static void
add_items(struct reading *r, int64_t cell, const double *v, int64_t n)
{
    double *value = &r->picture->values[cell];

    for (int64_t i = 0; i < n; i++) {
        if (missing_has(r->missing, v[i]))
            continue;
        if (r->counts[cell]++ == 0)
            *value = v[i];
        else if (r->reduce == PICTURE_MIN)
            *value = v[i] < *value ? v[i] : *value;
        else if (r->reduce == PICTURE_MAX)
            *value = v[i] > *value ? v[i] : *value;
        else
            *value += v[i];
    }
}

// A run of items along the last axis, from `first` on, piece by piece of those in the same cell.
static void
add_run(struct reading *r, int64_t cell, int64_t first, uint8_t *items, size_t item_size, int64_t n)
{
    const struct picture *p = r->picture;
    const int last = r->sel.ndim - 1;
    const int side = p->axes[0] == last ? 0 : p->axes[1] == last ? 1 : -1;
    const int64_t stride = side == 0 ? p->cells[1] : 1;
    double numbers[512];

    while (n > 0) {
        const int64_t have = smaller(n, (int64_t)(sizeof numbers / sizeof numbers[0]));

        numbers_read(r->numbers, items, have, numbers);
        for (int64_t i = 0; i < have;) {
            const int64_t box = side < 0 ? 0 : (first + i) / r->box[side];
            const int64_t end = side < 0 ? have : smaller(have, (box + 1) * r->box[side] - first);

            add_items(r, cell + box * stride, numbers + i, end - i);
            i = end;
        }
        items += (size_t)have * item_size;
        first += have;
        n -= have;
    }
}

static tess_status
add_box(const struct box_walk *w, uint8_t *items, void *user, tess_error *err)
{
    struct reading *const r = user;
    const struct picture *p = r->picture;
    const size_t item_size = (size_t)r->typesize;
    const int last = r->sel.ndim - 1;
    const int64_t run = w->stop[last] - w->start[last];
    int64_t index[TESS_MAX_NDIM];

    (void)err;
    for (int i = 0; i <= last; i++)
        index[i] = w->start[i];
    for (int64_t done = 0; done < w->items; done += run) {
        int64_t cell = 0;

        if (p->axes[0] != last)
            cell += index[p->axes[0]] / r->box[0] * p->cells[1];
        if (p->axes[1] != last)
            cell += index[p->axes[1]] / r->box[1];
        add_run(r, cell, w->start[last], items, item_size, run);
        items += (size_t)run * item_size;
        for (int i = last - 1; i >= 0 && ++index[i] == w->stop[i]; i--)
            index[i] = w->start[i];
    }
    return TESS_OK;
}

// What was added up becomes a mean, and the range is known.
static void
complete(struct reading *r)
{
    struct picture *p = r->picture;

    p->least = p->greatest = (double)NAN;
    p->has_missing = false;
    for (int64_t i = 0; i < p->cells[0] * p->cells[1]; i++) {
        double *v = &p->values[i];

        if (r->counts[i] == 0) {
            *v = (double)NAN;
            p->has_missing = true;
            continue;
        }
        if (r->reduce == PICTURE_MEAN)
            *v /= (double)r->counts[i];
        if (isnan(*v)) // infinities of both signs
            p->has_missing = true;
        if (!isfinite(*v))
            continue;
        p->least = *v >= p->least ? p->least : *v; // NaN first
        p->greatest = *v <= p->greatest ? p->greatest : *v;
    }
}

tess_status
picture_read(struct picture *p, const struct picked *picked, const struct slice_range *sel,
             enum picture_reduce reduce, const struct numbers *numbers,
             const struct missing *missing, tess_error *err)
{
    const size_t ncells = (size_t)(p->cells[0] * p->cells[1]);
    struct reading r = {.picture = p,
                        .typesize = picked->info.typesize,
                        .sel = *sel,
                        .box = {p->box[0], p->box[1]},
                        .reduce = reduce,
                        .numbers = numbers,
                        .missing = missing};
    tess_status st;

    p->values = calloc(ncells, sizeof *p->values);
    r.counts = calloc(ncells, sizeof *r.counts);
    if (!p->values || !r.counts) {
        st = report_nomem(err, (int64_t)(ncells * (sizeof *p->values + sizeof *r.counts)));
        goto out;
    }
    if (reduce == PICTURE_SAMPLE)
        thin_out(&r);
    TRY(picked_run(picked, &r.sel, BOX_WALK_C, add_box, &r, err));
    complete(&r);
out:
    free(r.counts);
    if (st != TESS_OK)
        picture_finish(p);
    return st;
}

double
picture_at(const struct picture *p, int64_t y, int64_t x)
{
    const int64_t row = y / p->zoom[0];

    return p->values[(p->flip ? p->cells[0] - 1 - row : row) * p->cells[1] + x / p->zoom[1]];
}

void
picture_finish(struct picture *p)
{
    free(p->values);
    p->values = NULL;
}
