/*
 * witness.c - a thread that reads an array in all ways there are.
 *
 * What was read counts only if the call succeeds: until then it may be of any state.
 */
#include "api/witness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// The first sentence stays. Several threads of one call may say something.
static void
complain(struct witness *w, const char *format, ...)
{
    va_list args;
    if (atomic_exchange(&w->wrong, true))
        return;
    va_start(args, format);
    (void)vsnprintf(w->sentence, sizeof w->sentence, format, args);
    va_end(args);
}

static void
check_item(struct witness *w, uint64_t got, int64_t row, int64_t column)
{
    const uint64_t want = moment_item(w->moment, row, column);
    if (got != want)
        complain(w, "item [%lld, %lld] at commit %u is %llx, not %llx", (long long)row,
                 (long long)column, (unsigned)w->moment->commit, (unsigned long long)got,
                 (unsigned long long)want);
}

static const int64_t *
shape_of(const struct witness *w)
{
    return w->moment->shape;
}

static void
draw_box(struct witness *w, int64_t start[2], int64_t stop[2])
{
    for (int i = 0; i < 2; i++) {
        start[i] = (int64_t)random_below(&w->random, (uint64_t)shape_of(w)[i]);
        stop[i] =
            start[i] + 1 + (int64_t)random_below(&w->random, (uint64_t)(shape_of(w)[i] - start[i]));
    }
}

// Items [start, stop) of the array, `got` in C order, or Fortran order.
static void
check_box(struct witness *w, const int64_t start[2], const int64_t stop[2], bool transposed)
{
    const int64_t rows = stop[0] - start[0], columns = stop[1] - start[1];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            check_item(w, w->got[transposed ? j * rows + i : i * columns + j], start[0] + i,
                       start[1] + j);
}

static tess_status
read_box(struct witness *w, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(w, start, stop);
    const tess_status st = tess_array_read(w->a, start, stop, w->got, 8 * HISTORY_ITEMS, err);
    if (st == TESS_OK)
        check_box(w, start, stop, false);
    return st;
}

// A few items, so that blocks stay in the cache.
static tess_status
read_piece(struct witness *w, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(w, start, stop);
    stop[0] = start[0] + 1;
    stop[1] = stop[1] < start[1] + 3 ? stop[1] : start[1] + 3;
    const tess_status st = tess_array_read(w->a, start, stop, w->got, 8 * HISTORY_ITEMS, err);
    if (st == TESS_OK)
        check_box(w, start, stop, false);
    return st;
}

tess_status
witness_read_all(struct witness *w, tess_error *err)
{
    const int64_t start[2] = {0, 0};
    const tess_status st =
        tess_array_read(w->a, start, shape_of(w), w->got, 8 * HISTORY_ITEMS, err);
    if (st == TESS_OK)
        check_box(w, start, shape_of(w), false);
    return st;
}

// Backwards, and not every row.
static tess_status
read_slice(struct witness *w, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(w, start, stop);
    const int64_t step[2] = {-2, -1}, first[2] = {stop[0] - 1, stop[1] - 1};
    const int64_t end[2] = {start[0] - 1, start[1] - 1};
    const tess_status st =
        tess_array_get_slice(w->a, first, end, step, w->got, 8 * HISTORY_ITEMS, NULL, err);
    const uint64_t *got = w->got;
    for (int64_t row = first[0]; st == TESS_OK && row > end[0]; row += step[0])
        for (int64_t column = first[1]; column > end[1]; column--)
            check_item(w, *got++, row, column);
    return st;
}

static tess_status
read_points(struct witness *w, tess_error *err)
{
    enum { POINTS = 30 };
    int64_t coords[POINTS][2];
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < 2; i++)
            coords[k][i] = (int64_t)random_below(&w->random, (uint64_t)shape_of(w)[i]);
    const tess_status st = tess_array_get_points(w->a, POINTS, coords[0], w->got, 8 * POINTS, err);
    for (int k = 0; k < POINTS && st == TESS_OK; k++)
        check_item(w, w->got[k], coords[k][0], coords[k][1]);
    return st;
}

static tess_status
read_orthogonal(struct witness *w, tess_error *err)
{
    enum { INDICES = 12 };
    int64_t lists[2][INDICES];
    const int64_t *const indices[2] = {lists[0], lists[1]};
    const int64_t counts[2] = {INDICES, INDICES};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < INDICES; k++)
            lists[i][k] = (int64_t)random_below(&w->random, (uint64_t)shape_of(w)[i]);
    const tess_status st =
        tess_array_get_orthogonal(w->a, counts, indices, w->got, 8 * INDICES * INDICES, err);
    for (int k = 0; k < INDICES * INDICES && st == TESS_OK; k++)
        check_item(w, w->got[k], lists[0][k / INDICES], lists[1][k % INDICES]);
    return st;
}

static tess_status
read_mask(struct witness *w, tess_error *err)
{
    uint8_t rows[HISTORY_LENGTH];
    const tess_mask mask = {.ndim = 1, .bytes = rows, .bytes_size = sizeof rows};
    const int64_t columns = shape_of(w)[1];
    for (int64_t i = 0; i < shape_of(w)[0]; i++)
        rows[i] = i == 0 || random_below(&w->random, 4) == 0; // nothing could not be stale
    const tess_status st = tess_array_get_mask(w->a, &mask, w->got, 8 * HISTORY_ITEMS, err);
    const uint64_t *got = w->got;
    for (int64_t i = 0; i < shape_of(w)[0] && st == TESS_OK; i++)
        for (int64_t j = 0; rows[i] && j < columns; j++)
            check_item(w, *got++, i, j);
    return st;
}

static tess_status
read_view(struct witness *w, tess_error *err)
{
    const int64_t origin[2] = {0, 0};
    int64_t start[2], stop[2];
    tess_array *slice, *view;
    tess_info info;
    draw_box(w, start, stop);
    tess_status st = tess_array_view_slice(w->a, start, stop, NULL, &slice, err);
    if (st != TESS_OK)
        return st;
    st = tess_array_view_permute(slice, NULL, &view, err);
    if (st == TESS_OK) {
        tess_array_info(view, &info);
        st = tess_array_read(view, origin, info.shape, w->got, 8 * HISTORY_ITEMS, err);
        (void)tess_array_close(view, NULL);
    }
    (void)tess_array_close(slice, NULL);
    if (st == TESS_OK)
        check_box(w, start, stop, true);
    return st;
}

static tess_each_next
look(const tess_part *part, void *user)
{
    struct witness *const w = user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++) {
            uint64_t got;
            memcpy(&got, (const uint8_t *)part->items + i * part->strides[0] + j * part->strides[1],
                   sizeof got);
            check_item(w, got, part->start[0] + i, part->start[1] + j);
        }
    return TESS_EACH_NEXT;
}

static tess_status
read_each(struct witness *w, tess_error *err)
{
    int64_t start[2], stop[2];
    const tess_unit unit = random_below(&w->random, 2) ? TESS_BLOCKS : TESS_CHUNKS;
    draw_box(w, start, stop);
    return tess_array_each(w->a, unit, start, stop, look, w, err);
}

static tess_status
read_statistics(struct witness *w, tess_error *err)
{
    int64_t start[2], stop[2];
    uint64_t min = UINT64_MAX, max = 0, sum = 0;
    tess_statistics s;
    draw_box(w, start, stop);
    const tess_status st = tess_array_statistics(w->a, start, stop, &s, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++) {
            const uint64_t item = moment_item(w->moment, i, j);
            min = item < min ? item : min;
            max = item > max ? item : max;
            sum += item;
        }
    if (s.count != (stop[0] - start[0]) * (stop[1] - start[1]) || s.min.u != min ||
        s.max.u != max || !s.exact || (uint64_t)s.integer != sum)
        complain(w, "%llx to %llx, sum %lld", (unsigned long long)s.min.u,
                 (unsigned long long)s.max.u, (long long)s.integer);
    return st;
}

static void
hear_damage(const tess_damage *damage, void *user)
{
    complain(user, "chunk %lld: %s", (long long)damage->chunk, damage->message);
}

tess_status
witness_verify(struct witness *w, tess_error *err)
{
    tess_verdict v;
    const tess_status st = tess_array_verify(w->a, hear_damage, w, &v, err);
    if (st == TESS_OK && (v.ndamaged > 0 || v.nmetalayers > 0 || v.nunknown > 0 || !v.sealed ||
                          v.header_changed || v.nright != v.nstored))
        complain(w, "%lld of %lld chunks are right, sealed %d, another header %d",
                 (long long)v.nright, (long long)v.nstored, v.sealed, v.header_changed);
    return st;
}

// A copy in memory, which nobody changes.
static tess_status
copy(struct witness *w, tess_error *err)
{
    tess_storage storage;
    tess_array *const original = w->a;
    void *image;
    size_t size;
    tess_status st = tess_array_to_image(original, &image, &size, err);
    if (st != TESS_OK)
        return st;
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    st = tess_array_open(&storage, &w->a, err);
    if (st == TESS_OK)
        st = witness_read_all(w, err);
    if (st == TESS_OK)
        st = witness_verify(w, err);
    if (st != TESS_OK) {
        complain(w, "%s", err->message);
        st = TESS_OK;
    }
    (void)tess_array_close(w->a, NULL);
    tess_free(image);
    w->a = original;
    return st;
}

tess_status
witness_read(struct witness *w, tess_error *err)
{
    static const struct {
        const char *name;
        tess_status (*read)(struct witness *, tess_error *);
    } ways[] = {
        {"box", read_box},         {"piece", read_piece},      {"slice", read_slice},
        {"points", read_points},   {"lists", read_orthogonal}, {"mask", read_mask},
        {"view", read_view},       {"each", read_each},        {"statistics", read_statistics},
        {"all", witness_read_all}, {"verify", witness_verify}, {"copy", copy},
    };
    const bool empty = w->moment->shape[0] == 0 || w->moment->shape[1] == 0;
    const size_t way = random_below(&w->random, COUNT(ways));
    atomic_store(&w->wrong, false);
    w->sentence[0] = '\0';
    w->way = empty ? "verify" : ways[way].name;
    return empty ? witness_verify(w, err) : ways[way].read(w, err);
}
