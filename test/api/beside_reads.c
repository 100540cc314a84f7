/*
 * beside_reads.c - the calls that read an array.
 */
#include "api/beside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
check_item(struct thread *t, uint64_t got, int64_t row, int64_t column)
{
    if (!item_is_right(got, row, column))
        complain(t, "not an item of this place", got, row, column);
}

static void
check_box(struct thread *t, const int64_t start[2], const int64_t stop[2])
{
    const uint64_t *item = t->items;
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            check_item(t, *item++, i, j);
}

// -- ways to read items

static tess_status
read_box(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    const tess_status st = tess_array_read(t->a, start, stop, t->items, t->size, err);
    if (st == TESS_OK)
        check_box(t, start, stop);
    return st;
}

static tess_status
read_item(struct thread *t, tess_error *err)
{
    const int64_t index[2] = {below(&t->random, t->rows), below(&t->random, t->s->columns)};
    const tess_status st = tess_array_get_item(t->a, index, t->items, 8, err);
    if (st == TESS_OK)
        check_item(t, t->items[0], index[0], index[1]);
    return st;
}

// Backwards, with steps.
static tess_status
read_slice(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    const int64_t step[2] = {-2, -3};
    draw_box(t, start, stop);
    const int64_t first[2] = {stop[0] - 1, stop[1] - 1}, end[2] = {start[0] - 1, start[1] - 1};
    const tess_status st =
        tess_array_get_slice(t->a, first, end, step, t->items, t->size, NULL, err);
    const uint64_t *item = t->items;
    for (int64_t i = first[0]; st == TESS_OK && i > end[0]; i += step[0])
        for (int64_t j = first[1]; j > end[1]; j += step[1])
            check_item(t, *item++, i, j);
    return st;
}

static tess_status
read_as(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    tess_conversion how;
    draw_box(t, start, stop);
    tess_conversion_init(&how);
    how.misfit = TESS_MISFIT_WRAP;
    const tess_status st =
        tess_array_read_as(t->a, start, stop, NATIVE "u4", &how, t->items, t->size, NULL, err);
    const uint32_t *item = (const uint32_t *)t->items;
    for (int64_t i = start[0]; st == TESS_OK && i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            check_item(t, *item++, i, j);
    return st;
}

static tess_status
read_points(struct thread *t, tess_error *err)
{
    int64_t coords[BESIDE_POINTS][2];
    draw_points(t, coords);
    const tess_status st =
        tess_array_get_points(t->a, BESIDE_POINTS, coords[0], t->items, t->size, err);
    for (int k = 0; k < BESIDE_POINTS && st == TESS_OK; k++)
        check_item(t, t->items[k], coords[k][0], coords[k][1]);
    return st;
}

static tess_status
read_orthogonal(struct thread *t, tess_error *err)
{
    int64_t lists[2][BESIDE_BOXES];
    const int64_t *const indices[2] = {lists[0], lists[1]};
    const int64_t counts[2] = {BESIDE_BOXES, BESIDE_BOXES};
    draw_lists(t, lists);
    const tess_status st = tess_array_get_orthogonal(t->a, counts, indices, t->items, t->size, err);
    for (int k = 0; k < BESIDE_BOXES * BESIDE_BOXES && st == TESS_OK; k++)
        check_item(t, t->items[k], lists[0][k / BESIDE_BOXES], lists[1][k % BESIDE_BOXES]);
    return st;
}

// Some rows; or their number.
static tess_status
read_mask(struct thread *t, tess_error *err)
{
    uint8_t rows[BESIDE_ROWS];
    const tess_mask mask = {.ndim = 1, .bytes = rows, .bytes_size = sizeof rows};
    int64_t n = 0, chosen = 0;
    for (int64_t i = 0; i < t->rows; i++)
        chosen += rows[i] = below(&t->random, 8) == 0;
    tess_status st = tess_array_count_mask(t->a, &mask, &n, err);
    expect(t, st != TESS_OK || n == chosen * t->s->columns, "another number of items");
    if (st == TESS_OK)
        st = tess_array_get_mask(t->a, &mask, t->items, t->size, err);
    const uint64_t *item = t->items;
    for (int64_t i = 0; i < t->rows && st == TESS_OK; i++)
        for (int64_t j = 0; rows[i] && j < t->s->columns; j++)
            check_item(t, *item++, i, j);
    return st;
}

static tess_status
read_boxes(struct thread *t, tess_error *err)
{
    int64_t starts[BESIDE_BOXES][2], shape[2];
    draw_starts(t, starts, shape);
    const tess_status st =
        tess_array_get_boxes(t->a, BESIDE_BOXES, starts[0], shape, NULL, t->items, t->size, err);
    const uint64_t *item = t->items;
    for (int k = 0; k < BESIDE_BOXES && st == TESS_OK; k++)
        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = 0; j < shape[1]; j++)
                check_item(t, *item++, starts[k][0] + i, starts[k][1] + j);
    return st;
}

static tess_status
read_view(struct thread *t, tess_error *err)
{
    const int64_t origin[2] = {0, 0};
    int64_t start[2], stop[2];
    tess_array *slice = NULL, *view = NULL;
    draw_box(t, start, stop);
    const int64_t shape[2] = {stop[1] - start[1], stop[0] - start[0]};
    tess_status st = tess_array_view_slice(t->a, start, stop, NULL, &slice, err);
    if (st == TESS_OK)
        st = tess_array_view_permute(slice, NULL, &view, err);
    if (st == TESS_OK)
        st = tess_array_read(view, origin, shape, t->items, t->size, err);
    const uint64_t *item = t->items;
    for (int64_t j = start[1]; st == TESS_OK && j < stop[1]; j++)
        for (int64_t i = start[0]; i < stop[0]; i++)
            check_item(t, *item++, i, j);
    tess_array_discard(view);
    tess_array_discard(slice);
    return st;
}

// -- functions of the program, called on several threads; errors are reported after the call

struct parts {
    const struct thread *t;
    _Atomic int64_t nitems, wrong;
};

static int64_t
count_wrong(const void *items, const int64_t *strides, const int64_t *start, const int64_t *stop)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < stop[0] - start[0]; i++)
        for (int64_t j = 0; j < stop[1] - start[1]; j++) {
            uint64_t got;
            memcpy(&got, (const uint8_t *)items + i * strides[0] + j * strides[1], sizeof got);
            wrong += !item_is_right(got, start[0] + i, start[1] + j);
        }
    return wrong;
}

static tess_each_next
look(const tess_part *part, void *user)
{
    struct parts *const p = user;
    p->nitems += (part->stop[0] - part->start[0]) * (part->stop[1] - part->start[1]);
    p->wrong += count_wrong(part->items, part->strides, part->start, part->stop);
    return TESS_EACH_NEXT;
}

// A function of the program that reads the same array.
static tess_each_next
look_twice(const tess_part *part, void *user)
{
    struct parts *const p = user;
    uint64_t got = 0;
    if (tess_array_get_item(p->t->a, part->start, &got, sizeof got, NULL) != TESS_OK)
        return TESS_EACH_FAIL;
    p->wrong += !item_is_right(got, part->start[0], part->start[1]);
    return look(part, user);
}

static tess_each_next
look_at_inputs(const tess_map_part *part, void *user)
{
    struct parts *const p = user;
    p->nitems += part->nitems;
    for (int k = 0; k < part->ninputs; k++)
        p->wrong += count_wrong(part->inputs[k], part->input_strides[k], part->start, part->stop);
    return TESS_EACH_NEXT;
}

static tess_status
parts_end(struct thread *t, const struct parts *p, const int64_t *start, const int64_t *stop,
          tess_status st)
{
    expect(t, st != TESS_OK || p->wrong == 0, "parts with other items");
    expect(t, st != TESS_OK || p->nitems == (stop[0] - start[0]) * (stop[1] - start[1]),
           "parts that are not the box");
    return st;
}

static tess_status
read_each(struct thread *t, tess_error *err)
{
    struct parts p = {.t = t};
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    const tess_unit unit = below(&t->random, 2) ? TESS_BLOCKS : TESS_CHUNKS;
    // If the state is replaced, the inner call may be stale although the outer call is not.
    const bool twice = t->s->kind->access == THE_SAME && below(&t->random, 4) == 0;
    const tess_status st =
        tess_array_each(t->a, unit, start, stop, twice ? look_twice : look, &p, err);
    return parts_end(t, &p, start, stop, st);
}

static tess_status
read_map(struct thread *t, tess_error *err)
{
    const tess_array *const inputs[2] = {t->a, t->a};
    struct parts p = {.t = t};
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    return parts_end(t, &p, start, stop,
                     tess_map(inputs, 2, NULL, 0, start, stop, NULL, look_at_inputs, &p, err));
}

// -- ways to compute with items

// The only array of a call, in memory: its first items.
static tess_status
take_result(struct thread *t, tess_status st, tess_array *out, tess_error *err)
{
    static const int64_t origin[2];
    tess_info info;
    if (st != TESS_OK)
        return st;
    tess_array_info(out, &info);
    st = tess_array_read(out, origin, info.shape, t->items, t->size, err);
    tess_array_discard(out);
    return st;
}

static tess_status
reduce(struct thread *t, tess_error *err)
{
    static const int axis = 0;
    const tess_reduction op = below(&t->random, 2) ? TESS_REDUCE_MAX : TESS_REDUCE_COUNT;
    tess_array *out = NULL;
    tess_storage memory;
    tess_storage_init(&memory);
    const tess_status st = tess_array_reduce(t->a, op, &axis, 1, NULL, &memory, NULL, &out, err);
    if (take_result(t, st, out, err) != TESS_OK)
        return err->status;
    for (int64_t j = 0; j < t->s->columns; j++) {
        const uint64_t got = t->items[j];
        expect(t, op == TESS_REDUCE_MAX || got == (uint64_t)t->rows, "another number of rows");
        if (op == TESS_REDUCE_MAX && (uint32_t)got != 0 && (got & 0xffff) != (uint64_t)j)
            complain(t, "the greatest item is of another column", got, 0, j);
    }
    return TESS_OK;
}

static tess_status
downsample(struct thread *t, tess_error *err)
{
    static const int64_t factors[2] = {3, 3};
    tess_array *out = NULL;
    tess_storage memory;
    tess_storage_init(&memory);
    expect(t, tess_pyramid_levels(t->a, factors, 2) > 0, "no levels");
    const tess_status st =
        tess_array_downsample(t->a, TESS_DOWNSAMPLE_MAX, factors, NULL, &memory, NULL, &out, err);
    return take_result(t, st, out, err);
}

static tess_status
histogram(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2], counts[16], sum = 0;
    tess_outside outside;
    tess_bins bins;
    tess_bins_init(&bins);
    bins.nbins = COUNT(counts);
    bins.hi = 18446744073709551616.0;
    draw_box(t, start, stop);
    const tess_status st =
        tess_array_histogram(t->a, start, stop, &bins, counts, sizeof counts, &outside, err);
    for (size_t k = 0; k < COUNT(counts) && st == TESS_OK; k++)
        sum += counts[k];
    expect(t, st != TESS_OK || sum == (stop[0] - start[0]) * (stop[1] - start[1]),
           "another number of items is counted");
    return st;
}

static tess_status
statistics(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    tess_statistics s;
    draw_box(t, start, stop);
    const tess_status st = tess_array_statistics(t->a, start, stop, &s, err);
    expect(t, st != TESS_OK || s.count == (stop[0] - start[0]) * (stop[1] - start[1]),
           "statistics of another number of items");
    return st;
}

static tess_status
compare(struct thread *t, tess_error *err)
{
    const tess_number zero = {.kind = TESS_KIND_UINT};
    tess_array *out = NULL;
    tess_storage memory;
    tess_status st;
    int64_t n;
    tess_storage_init(&memory);
    if (below(&t->random, 2))
        st = tess_array_compare(t->a, TESS_COMPARE_GE, &zero, &memory, NULL, &out, err);
    else
        st = tess_array_is_nan(t->a, &memory, NULL, &out, err);
    if (st != TESS_OK)
        return st;
    const tess_mask mask = {.ndim = 2, .array = out};
    st = tess_array_count_mask(t->a, &mask, &n, err);
    expect(t, st != TESS_OK || n == 0 || n == t->rows * t->s->columns, "a comparison is wrong");
    if (st == TESS_OK)
        st = tess_array_get_mask(t->a, &mask, t->items, t->size, err);
    tess_array_discard(out);
    if (st != TESS_OK)
        return st;
    // The two arrays may differ, since writers have changed one of them.
    st = tess_array_compare_arrays(t->a, TESS_COMPARE_EQ, t->a, &memory, NULL, &out, err);
    tess_array_discard(st == TESS_OK ? out : NULL);
    return st;
}

// -- ways to ask and to copy

tess_status
beside_verify(struct thread *t, tess_error *err)
{
    tess_verdict v;
    const tess_status st = tess_array_verify(t->a, NULL, NULL, &v, err);
    expect(t, st != TESS_OK || v.ndamaged == 0, "a chunk is damaged");
    return st;
}

static tess_status
ask(struct thread *t, tess_error *err)
{
    tess_info info;
    tess_params params;
    tess_context context;
    tess_metalayer layer;
    tess_array_info(t->a, &info);
    tess_array_params(t->a, &params);
    tess_array_get_context(t->a, &context);
    expect(t, info.shape[0] == t->rows && params.shape[0] == t->rows, "another shape");
    (void)tess_vlmeta_name(t->a, 0);
    tess_status st = tess_meta_at(t->a, 0, &layer, err);
    if (st == TESS_OK)
        st = tess_meta_get(t->a, "b2nd", &layer, err);
    return st == TESS_OK ? tess_array_measure(t->a, &info, err) : st;
}

tess_status
beside_get_attributes(struct thread *t, tess_error *err)
{
    int64_t number = 7;
    char *json = NULL, *text = NULL;
    const char **names = NULL;
    int axis;
    tess_status st = maybe(tess_attr_get_int(t->a, "number", &number, err));
    expect(t, st != TESS_OK || number == 7, "another number");
    if (st == TESS_OK)
        st = maybe(tess_attr_get_json(t->a, "number", &json, err));
    if (st == TESS_OK)
        st = maybe(tess_attr_get_string(t->a, "text", &text, NULL, err));
    expect(t, st != TESS_OK || !text || strspn(text, "x") == strlen(text), "another text");
    if (st == TESS_OK)
        st = maybe(tess_dims_get(t->a, &names, err));
    if (st == TESS_OK)
        st = maybe(tess_dims_find(t->a, "row", &axis, err));
    tess_free(json);
    tess_free(text);
    tess_free(names);
    return st;
}

// Blocks one behind the other: items are of the chunk, and of one row and column at most once.
static void
check_chunk(struct thread *t, int64_t n, int64_t nbytes)
{
    const int64_t across = (t->s->columns + t->s->chunk - 1) / t->s->chunk;
    for (int64_t k = 0; k < nbytes / 8; k++) {
        const uint32_t tag = (uint32_t)t->items[k];
        const int64_t row = tag >> 16, column = tag & 0xffff;
        if (tag != 0 && row / t->s->chunk * across + column / t->s->chunk != n)
            complain(t, "an item of another chunk", t->items[k], row, column);
    }
}

static tess_status
decode_chunk(struct thread *t, tess_error *err)
{
    const int64_t n = draw_chunk(t);
    tess_chunk_info info;
    tess_status st = tess_array_chunk(t->a, n, &info, err);
    if (st != TESS_OK)
        return st;
    if (below(&t->random, 2)) {
        st = tess_schunk_decode(t->a, n, t->items, t->size, err);
    } else {
        void *chunk;
        size_t size;
        st = tess_array_get_chunk(t->a, n, &chunk, &size, err);
        if (st == TESS_OK)
            st = tess_chunk_decode(chunk, size, t->items, t->size, err);
        tess_free(chunk);
    }
    if (st == TESS_OK)
        check_chunk(t, n, info.nbytes);
    return st;
}

static tess_status
ask_for_chunks(struct thread *t, tess_error *err)
{
    int32_t sizes[64];
    int64_t n = 0;
    tess_chunk_run run;
    tess_status st = tess_array_chunk_blocks(t->a, draw_chunk(t), sizes, COUNT(sizes), err);
    tess_chunk_run_init(&run);
    run.number = 0;
    const int64_t origin[2] = {0, 0}, shape[2] = {t->rows, t->s->columns};
    for (run.last = -1; st == TESS_OK && run.number >= 0; n++)
        st = tess_array_next_chunk(t->a, origin, shape, run.last + 1, TESS_KINDS_ALL, &run, err);
    expect(t, st != TESS_OK || n > 1, "no chunk");
    return st;
}

static tess_status
copy(struct thread *t, tess_error *err)
{
    tess_array *const original = t->a;
    tess_array *out = NULL;
    tess_storage memory;
    void *image = NULL;
    tess_status st;
    tess_storage_init(&memory);
    if (below(&t->random, 2)) {
        st = tess_array_copy(t->a, &memory, NULL, &out, err);
    } else {
        st = tess_array_to_image(t->a, &image, &memory.image_size, err);
        memory.image = image;
        if (st == TESS_OK)
            st = tess_array_open(&memory, &out, err);
    }
    t->a = out;
    if (st == TESS_OK)
        st = read_box(t, err);
    if (st == TESS_OK)
        st = beside_verify(t, err);
    t->a = original;
    tess_array_discard(out);
    tess_free(image);
    return st;
}

static tess_status
save(struct thread *t, tess_error *err)
{
    char path[BESIDE_PATH + 40];
    tess_storage to;
    (void)snprintf(path, sizeof path, "%s.copy%d", t->s->path, (int)(t->random.state & 0xffff));
    tess_storage_init(&to);
    to.path = path;
    to.mode = TESS_MODE_REPLACE;
    const tess_layout layout = below(&t->random, 2) ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    tess_status st = tess_array_save(t->a, &to, layout, err);
    if (st == TESS_OK)
        st = tess_remove(&to, err);
    return st;
}

static tess_status
concatenate(struct thread *t, tess_error *err)
{
    tess_array *const both[2] = {t->a, t->a};
    tess_array *out = NULL;
    tess_storage memory;
    tess_storage_init(&memory);
    const tess_status st = tess_array_concatenate(both, 2, 1, &memory, NULL, &out, err);
    tess_array_discard(st == TESS_OK ? out : NULL);
    return st;
}

static tess_status
sketch(struct thread *t, tess_error *err)
{
    void *image = NULL;
    size_t size;
    const tess_status st = tess_array_sketch(t->a, &image, &size, err);
    tess_free(image);
    return st;
}

static const struct way reads[] = {
    {"box", read_box, false},
    {"item", read_item, false},
    {"slice", read_slice, false},
    {"as another type", read_as, false},
    {"points", read_points, false},
    {"orthogonal", read_orthogonal, false},
    {"mask", read_mask, false},
    {"boxes", read_boxes, false},
    {"view", read_view, false},
    {"each", read_each, false},
    {"map", read_map, false},
    {"reduce", reduce, false},
    {"downsample", downsample, false},
    {"histogram", histogram, false},
    {"statistics", statistics, false},
    {"compare", compare, false},
    {"verify", beside_verify, false},
    {"ask", ask, false},
    {"attributes", beside_get_attributes, false},
    {"decode a chunk", decode_chunk, false},
    {"ask for chunks", ask_for_chunks, false},
    {"copy", copy, false},
    {"save", save, false},
    {"concatenate", concatenate, false},
    {"sketch", sketch, false},
};

const struct ways beside_reads = {reads, COUNT(reads)};
