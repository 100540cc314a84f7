/*
 * mask.c - the items of an array that a mask over its first axes chooses.
 */
#include "array/mask.h"

#include "base/checked.h"
#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARSE = 64, // of as many items, one is chosen: points are faster then than the box
    POINT_SIZE = 80, // bytes for each, besides its coordinates
};

struct job {
    const tess_array *a;
    tess_array *to; // the same, to be written; NULL: read
    const tess_mask *mask;
    uint8_t *dst; // of the next chosen item
    const uint8_t *src;
    bool same; // src stays at one item
    int64_t inner; // items of the array for each of the mask

    // The piece: along the axes before `axis` one index, along it some, all along those behind.
    int axis;
    int64_t thickness;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    int64_t mask_stride[NDIM_MAX]; // bytes, in `bytes`
    const uint8_t *bytes; // of the mask, in the piece
    int64_t nbytes;

    uint8_t *mask_piece, *items; // memory

    struct watch *watch;
    struct watch_range range; // of all pieces
    int64_t done; // items, with those of the piece
};

static int64_t
product(const int64_t *n, int first, int stop)
{
    int64_t all = 1;
    for (int i = first; i < stop; i++)
        if (!mul_i64(all, n[i], &all))
            return INT64_MAX;
    return all;
}

// Whole layers along the first axis of which one fits in memory.
static void
choose_pieces(struct job *job)
{
    const struct geometry *const g = &job->a->g;
    const int64_t most = max_i64(job->a->context.memory / g->typesize, 1);
    job->axis = 0;
    while (job->axis < g->ndim - 1 && product(g->shape, job->axis + 1, g->ndim) > most)
        job->axis++;
    if (g->ndim == 0)
        return;
    const int64_t block = g->blockshape[job->axis];
    int64_t n = most / product(g->shape, job->axis + 1, g->ndim);
    if (block > 0 && n > block) // 0: they differ in a plain frame
        n = n / block * block;
    job->thickness = min_i64(max_i64(n, 1), g->shape[job->axis]);
}

static void
enter_piece(struct job *job)
{
    const struct geometry *const g = &job->a->g;
    for (int i = 0; i < g->ndim; i++)
        job->stop[i] = i < job->axis   ? job->start[i] + 1
                       : i > job->axis ? g->shape[i]
                                       : min_i64(job->start[i] + job->thickness, g->shape[i]);
    int64_t n = 1;
    for (int i = 0; i < g->ndim; i++)
        n *= job->stop[i] - job->start[i];
    job->done += n;
}

static void
begin_pieces(struct job *job)
{
    memset(job->start, 0, sizeof job->start);
    job->range = watch_divide(job->watch);
    enter_piece(job);
}

static bool
next_piece(struct job *job)
{
    for (int i = job->a->g.ndim > 0 ? job->axis : -1; i >= 0; i--) {
        job->start[i] = job->stop[i];
        if (job->start[i] < job->a->g.shape[i]) {
            enter_piece(job);
            return true;
        }
        job->start[i] = 0;
    }
    return false;
}

// The mask's bytes of the piece.
static tess_status
load_mask(struct job *job, tess_error *err)
{
    const int ndim = job->mask->ndim;
    int64_t extent[NDIM_MAX] = {0};
    int64_t at = 0;

    for (int i = 0; i < ndim; i++)
        extent[i] = job->stop[i] - job->start[i];
    job->nbytes = product(extent, 0, ndim);
    shape_strides(ndim, extent, 1, job->mask_stride);
    if (!job->mask->array) {
        for (int i = 0; i < ndim; i++)
            at = at * job->a->g.shape[i] + job->start[i];
        job->bytes = job->mask->bytes + at;
        return TESS_OK;
    }
    if (!job->mask_piece)
        job->mask_piece = malloc((size_t)max_i64(job->nbytes, 1));
    if (!job->mask_piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a mask of %" PRId64 " bytes",
                       job->nbytes);
    struct strided to = {.items = job->mask_piece};
    memcpy(to.stride, job->mask_stride, sizeof to.stride);
    job->bytes = job->mask_piece;
    return array_read(job->mask->array, job->start, job->stop, NULL, &to, job->watch, err);
}

static int64_t
count_chosen(const uint8_t *bytes, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += bytes[i] != 0;
    return count;
}

// The box around what is chosen of the piece, along the axes of the mask.
static void
hull(const struct job *job, int64_t *lo, int64_t *hi)
{
    const int ndim = job->mask->ndim, last = ndim - 1;
    int64_t at[NDIM_MAX];
    const int64_t row = ndim > 0 ? job->stop[last] - job->start[last] : 1;

    for (int i = 0; i < job->a->g.ndim; i++) {
        at[i] = job->start[i];
        lo[i] = i < ndim ? job->stop[i] : job->start[i];
        hi[i] = i < ndim ? job->start[i] : job->stop[i];
    }
    for (int64_t n = 0; n < job->nbytes; n += row) {
        const uint8_t *const bytes = job->bytes + n;
        int64_t first = 0, stop = row;
        while (first < row && !bytes[first])
            first++;
        while (stop > first && !bytes[stop - 1])
            stop--;
        for (int i = 0; i < ndim && first < stop; i++) {
            lo[i] = min_i64(lo[i], i == last ? job->start[i] + first : at[i]);
            hi[i] = max_i64(hi[i], i == last ? job->start[i] + stop : at[i] + 1);
        }
        for (int i = last - 1; i >= 0; i--) {
            if (++at[i] < job->stop[i])
                break;
            at[i] = job->start[i];
        }
    }
}

// Between the caller's memory and `items`, the box [lo, hi): whatever is chosen, one after the
// other.
static void
pick(struct job *job, const int64_t *lo, const int64_t *hi, uint8_t *items)
{
    const struct geometry *const g = &job->a->g;
    const int ndim = job->mask->ndim, last = ndim - 1;
    const size_t size = (size_t)(job->inner * g->typesize);
    int64_t at[NDIM_MAX];

    memcpy(at, lo, sizeof at);
    for (bool more = true; more;) {
        int64_t from = 0;
        for (int i = 0; i < ndim; i++)
            from += (at[i] - job->start[i]) * job->mask_stride[i];
        const int64_t row = ndim > 0 ? hi[last] - lo[last] : 1;
        for (int64_t k = 0; k < row; k++, items += size) {
            if (!job->bytes[from + k])
                continue;
            if (!job->to) {
                memcpy(job->dst, items, size);
                job->dst += size;
            } else if (!job->same) {
                memcpy(items, job->src, size);
                job->src += size;
            } else {
                for (int64_t i = 0; i < job->inner; i++)
                    memcpy(items + i * g->typesize, job->src, (size_t)g->typesize);
            }
        }
        more = false;
        for (int i = last - 1; i >= 0 && !more; i--) {
            more = ++at[i] < hi[i];
            if (!more)
                at[i] = lo[i];
        }
    }
}

// A box of the array, between memory in C order; stride 0 everywhere for one item.
static tess_status
move_box(const struct job *job, const int64_t *lo, const int64_t *hi, bool write, uint8_t *dst,
         const uint8_t *src, bool same, tess_error *err)
{
    const struct geometry *const g = &job->a->g;
    int64_t extent[NDIM_MAX];
    struct strided to = {.items = dst};
    struct strided_const from = {.items = src};

    for (int i = 0; i < g->ndim; i++)
        extent[i] = hi[i] - lo[i];
    shape_strides(g->ndim, extent, g->typesize, to.stride);
    if (!write)
        return array_read(job->a, lo, hi, NULL, &to, job->watch, err);
    if (!same)
        memcpy(from.stride, to.stride, sizeof from.stride);
    return array_write(job->to, lo, hi, NULL, &from, job->watch, err);
}

// All of the piece is chosen.
static tess_status
move_all(struct job *job, tess_error *err)
{
    int64_t size = job->a->g.typesize;
    for (int i = 0; i < job->a->g.ndim; i++)
        size *= job->stop[i] - job->start[i];
    const tess_status st =
        move_box(job, job->start, job->stop, job->to != NULL, job->dst, job->src, job->same, err);
    if (!job->to)
        job->dst += size;
    else if (!job->same)
        job->src += size;
    return st;
}

static tess_status
move_hull(struct job *job, const int64_t *lo, const int64_t *hi, const struct watch_range *thirds,
          tess_error *err)
{
    const struct geometry *const g = &job->a->g;
    int64_t nitems = 1;
    for (int i = 0; i < g->ndim; i++)
        nitems *= hi[i] - lo[i];
    if (!job->items)
        job->items = malloc((size_t)(product(g->shape, job->axis + 1, g->ndim) *
                                     (g->ndim > 0 ? job->thickness : 1) * g->typesize));
    if (!job->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " items", nitems);
    tess_status st = move_box(job, lo, hi, false, job->items, NULL, false, err);
    if (st != TESS_OK)
        return st;
    pick(job, lo, hi, job->items);
    watch_part(job->watch, thirds, 3, 3);
    return job->to ? move_box(job, lo, hi, true, NULL, job->items, false, err) : st;
}

// Points [first, first + n) of the piece, n of them chosen.
static tess_status
move_points(struct job *job, const int64_t *coords, int64_t n, tess_error *err)
{
    const size_t typesize = (size_t)job->a->g.typesize;
    tess_status st;
    if (!job->to) {
        st = array_get_points(job->a, n, coords, job->dst, job->watch, err);
        job->dst += (size_t)n * typesize;
    } else if (!job->same) {
        st = array_set_points(job->to, n, coords, job->src, job->watch, err);
        job->src += (size_t)n * typesize;
    } else {
        uint8_t *const items = malloc((size_t)n * typesize);
        if (!items)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " items", n);
        for (int64_t i = 0; i < n; i++)
            memcpy(items + (size_t)i * typesize, job->src, typesize);
        st = array_set_points(job->to, n, coords, items, job->watch, err);
        free(items);
    }
    return st;
}

// The first chosen item of the piece from i on; nbytes: none.
static int64_t
next_chosen(const struct job *job, int64_t i)
{
    uint64_t word;
    for (; i + (int64_t)sizeof word <= job->nbytes; i += (int64_t)sizeof word) {
        memcpy(&word, job->bytes + i, sizeof word);
        if (word != 0)
            break;
    }
    while (i < job->nbytes && !job->bytes[i])
        i++;
    return i;
}

// Few items of the piece: the mask is over all axes.
static tess_status
move_sparse(struct job *job, int64_t count, tess_error *err)
{
    const int ndim = job->a->g.ndim;
    const int64_t most =
        min_i64(count, max_i64(job->a->context.memory / (POINT_SIZE + 8 * (int64_t)ndim), 1));
    int64_t *const coords = malloc((size_t)(most * ndim) * sizeof *coords);
    int64_t n = 0;
    tess_status st = TESS_OK;

    if (!coords)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " points", most);
    for (int64_t i = next_chosen(job, 0); i < job->nbytes && st == TESS_OK;
         i = next_chosen(job, i + 1)) {
        int64_t rest = i;
        for (int axis = 0; axis < ndim; axis++) {
            coords[n * ndim + axis] = job->start[axis] + rest / job->mask_stride[axis];
            rest %= job->mask_stride[axis];
        }
        if (++n == most) {
            st = move_points(job, coords, n, err);
            n = 0;
        }
    }
    if (st == TESS_OK && n > 0)
        st = move_points(job, coords, n, err);
    free(coords);
    return st;
}

static tess_status
move_piece(struct job *job, tess_error *err)
{
    int64_t lo[NDIM_MAX], hi[NDIM_MAX];
    watch_part(job->watch, &job->range, job->done, job->a->g.nitems);
    const struct watch_range thirds = watch_divide(job->watch); // the mask; items; items back
    watch_part(job->watch, &thirds, 1, 3);
    tess_status st = load_mask(job, err);
    if (st == TESS_OK)
        st = watch_look(job->watch, err);
    if (st != TESS_OK)
        return st;
    watch_part(job->watch, &thirds, job->to ? 2 : 3, 3);
    const int64_t count = count_chosen(job->bytes, job->nbytes);
    if (count == 0)
        return TESS_OK;
    if (count == job->nbytes)
        return move_all(job, err);
    hull(job, lo, hi);
    int64_t nitems = 1;
    for (int i = 0; i < job->mask->ndim; i++)
        nitems *= hi[i] - lo[i];
    if (job->mask->ndim == job->a->g.ndim && nitems / SPARSE > count)
        return move_sparse(job, count, err);
    return move_hull(job, lo, hi, &thirds, err);
}

static tess_status
run(struct job *job, tess_error *err)
{
    tess_status st = TESS_OK;
    job->inner = product(job->a->g.shape, job->mask->ndim, job->a->g.ndim);
    choose_pieces(job);
    begin_pieces(job);
    do {
        st = move_piece(job, err);
    } while (st == TESS_OK && next_piece(job));
    free(job->mask_piece);
    free(job->items);
    return st;
}

tess_status
mask_count(const tess_array *a, const tess_mask *mask, int64_t *count, struct watch *watch,
           tess_error *err)
{
    struct job job = {.a = a, .mask = mask, .watch = watch};
    tess_status st = TESS_OK;

    *count = 0;
    choose_pieces(&job);
    begin_pieces(&job);
    do {
        // A piece may be a part of what one byte of the mask stands for: each is counted once.
        bool first = true;
        for (int i = mask->ndim; i < a->g.ndim; i++)
            first &= job.start[i] == 0;
        if (!first)
            continue;
        watch_part(watch, &job.range, job.done, a->g.nitems);
        st = load_mask(&job, err);
        if (st == TESS_OK)
            st = watch_look(watch, err);
        if (st == TESS_OK)
            *count += count_chosen(job.bytes, job.nbytes);
    } while (st == TESS_OK && next_piece(&job));
    free(job.mask_piece);
    if (!mul_i64(*count, product(a->g.shape, mask->ndim, a->g.ndim), count))
        *count = INT64_MAX;
    return st;
}

tess_status
mask_get(const tess_array *a, const tess_mask *mask, uint8_t *dst, struct watch *watch,
         tess_error *err)
{
    struct job job = {.a = a, .mask = mask, .dst = dst, .watch = watch};
    return run(&job, err);
}

tess_status
mask_set(tess_array *a, const tess_mask *mask, const uint8_t *src, bool same, struct watch *watch,
         tess_error *err)
{
    struct job job = {.a = a, .to = a, .mask = mask, .src = src, .same = same, .watch = watch};
    return run(&job, err);
}
