/*
 * map.c - functions of several arrays in step, against a slow loop over items.
 *
 * Random arrays and views: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the
 * number that a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/draw.h"
#include "support/files.h"
#include "support/native.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 300,
    CASES_LONG = 30000,
    ITEMS_MAX = 400, // of a box
    INPUTS = 4,
    OUTPUTS = 3,
};

static uint64_t running; // the seed of the case

// An array that goes in: the items of a reference, broadcast.
struct input {
    struct drawn own; // `a` NULL: it is an output, or a view of one
    tess_array *a;
    tess_array *view; // to be closed
    struct reference ref;
    int first; // axis of the boxes that is its axis 0
};

struct job {
    struct random r;
    int ndim, ninputs, noutputs;
    int64_t shape[TESS_MAX_NDIM], start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    int64_t halo[TESS_MAX_NDIM];
    tess_map_options options;
    struct input inputs[INPUTS];
    struct drawn outputs[OUTPUTS];
    const void *fills[INPUTS];
    uint8_t fill[INPUTS][32];
    atomic_llong nitems;
};

// -- what is computed: a number from all bytes that a part shows around an item

static uint64_t
mix(uint64_t sum, const uint8_t *item, size_t size)
{
    for (size_t k = 0; k < size; k++)
        sum = (sum ^ item[k]) * 0x100000001b3U;
    return sum;
}

static void
spread(uint64_t sum, int output, uint8_t *item, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        item[k] = (uint8_t)(sum >> 56);
        sum = sum * 0x9e3779b97f4a7c15U + (uint64_t)output;
    }
}

static bool
is_broadcast(const struct job *j, const struct input *in, int axis)
{
    return axis < in->first || in->ref.shape[axis - in->first] != j->shape[axis];
}

static bool
next_index(int ndim, int64_t *at, const int64_t *start, const int64_t *stop)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++at[i] < stop[i])
            return true;
        at[i] = start[i];
    }
    return false;
}

// Offsets of the items around one.
static void
around(const struct job *j, const struct input *in, int64_t *lo, int64_t *hi)
{
    for (int i = 0; i < j->ndim; i++) {
        const int64_t halo = is_broadcast(j, in, i) ? 0 : j->halo[i];
        lo[i] = -halo;
        hi[i] = halo + 1;
    }
}

static uint64_t
sum_of_part(const struct job *j, const tess_map_part *part, int k, const int64_t *at)
{
    const struct input *const in = &j->inputs[k];
    int64_t lo[TESS_MAX_NDIM], hi[TESS_MAX_NDIM], by[TESS_MAX_NDIM];
    uint64_t sum = 7;
    around(j, in, lo, hi);
    memcpy(by, lo, sizeof by);
    do {
        const uint8_t *item = part->inputs[k];
        for (int i = 0; i < j->ndim; i++)
            item += (at[i] - part->start[i] + by[i]) * part->input_strides[k][i];
        sum = mix(sum, item, in->ref.typesize);
    } while (next_index(j->ndim, by, lo, hi));
    return sum;
}

static tess_each_next
compute(const tess_map_part *part, void *user)
{
    struct job *const j = user;
    int64_t at[TESS_MAX_NDIM];
    int64_t n = 0;
    if (part->ndim != j->ndim || part->ninputs != j->ninputs || part->noutputs != j->noutputs)
        return TESS_EACH_FAIL;
    memcpy(at, part->start, sizeof at);
    do {
        uint64_t sum = 1;
        for (int k = 0; k < j->ninputs; k++)
            sum = sum * 31 + sum_of_part(j, part, k, at);
        for (int k = 0; k < j->noutputs; k++) {
            const size_t size = j->outputs[k].ref.typesize;
            spread(sum, k, (uint8_t *)part->outputs[k] + (size_t)n * size, size);
        }
        n++;
    } while (next_index(j->ndim, at, part->start, part->stop));
    if (n != part->nitems)
        return TESS_EACH_FAIL;
    atomic_fetch_add(&j->nitems, n);
    return n % 2 ? TESS_EACH_NEXT : TESS_EACH_CHANGED;
}

// The index that is shown past an edge; -1: the fill value.
static int64_t
shown(int edge, int64_t index, int64_t length)
{
    if (edge == TESS_EDGE_FILL)
        return index < 0 || index >= length ? -1 : index;
    if (edge == TESS_EDGE_NEAREST || length == 1)
        return index < 0 ? 0 : index >= length ? length - 1 : index;
    while (index < 0 || index >= length)
        index = index < 0 ? -index : 2 * (length - 1) - index;
    return index;
}

static uint64_t
sum_of_reference(const struct job *j, int k, const int64_t *at)
{
    const struct input *const in = &j->inputs[k];
    int64_t lo[TESS_MAX_NDIM], hi[TESS_MAX_NDIM], by[TESS_MAX_NDIM];
    uint64_t sum = 7;
    around(j, in, lo, hi);
    memcpy(by, lo, sizeof by);
    do {
        int64_t n = 0;
        for (int i = in->first; i < j->ndim && n >= 0; i++) {
            const int64_t length = in->ref.shape[i - in->first];
            const int64_t index =
                is_broadcast(j, in, i) ? 0 : shown(j->options.edge, at[i] + by[i], length);
            n = index < 0 ? -1 : n * length + index;
        }
        sum = mix(sum, n < 0 ? j->fill[k] : in->ref.data + (size_t)n * in->ref.typesize,
                  in->ref.typesize);
    } while (next_index(j->ndim, by, lo, hi));
    return sum;
}

// What the outputs become. All inputs are read before any of them changes.
static void
expect(struct job *j)
{
    int64_t at[TESS_MAX_NDIM];
    memcpy(at, j->start, sizeof at);
    do {
        uint64_t sum = 1;
        size_t n = 0;
        for (int k = 0; k < j->ninputs; k++)
            sum = sum * 31 + sum_of_reference(j, k, at);
        for (int i = 0; i < j->ndim; i++)
            n = n * (size_t)j->shape[i] + (size_t)at[i];
        for (int k = 0; k < j->noutputs; k++) {
            const size_t size = j->outputs[k].ref.typesize;
            spread(sum, k, j->outputs[k].ref.data + n * size, size);
        }
    } while (next_index(j->ndim, at, j->start, j->stop));
}

// -- a case

// An output, or all of it backwards along an axis, is an input, too.
static void
draw_in_place(struct job *j, struct input *in)
{
    struct drawn *const out = &j->outputs[below(&j->r, j->noutputs)];
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM], zero[TESS_MAX_NDIM];
    in->a = out->a;
    reference_copy(&in->ref, &out->ref);
    if (j->ndim == 0 || below(&j->r, 2))
        return;
    for (int i = 0; i < j->ndim; i++) {
        const bool back = below(&j->r, 2);
        start[i] = back ? j->shape[i] - 1 : 0;
        stop[i] = back ? -1 : j->shape[i];
        step[i] = back ? -1 : 1;
        zero[i] = start[i];
    }
    ok(tess_array_view_slice(out->a, start, stop, step, &in->view, err));
    in->a = in->view;
    reference_get_slice(&out->ref, zero, j->shape, step, in->ref.data);
}

static void
draw_input(struct job *j, int k)
{
    static const char *const names[] = {"in0", "in1", "in2", "in3"};
    struct input *const in = &j->inputs[k];
    int64_t shape[TESS_MAX_NDIM];
    if (j->noutputs > 0 && below(&j->r, 4) == 0) {
        draw_in_place(j, in);
    } else {
        in->first = j->ndim > 0 ? (int)below(&j->r, 3) * (int)below(&j->r, 2) : 0;
        if (in->first > j->ndim || (k == 0 && j->noutputs == 0))
            in->first = 0;
        for (int i = in->first; i < j->ndim; i++)
            shape[i - in->first] =
                below(&j->r, 5) || (k == 0 && j->noutputs == 0) ? j->shape[i] : 1;
        draw_array(&j->r, names[k], &draw_types[below(&j->r, DRAW_TYPES)], j->ndim - in->first,
                   shape, below(&j->r, 2), &in->own);
        in->a = in->own.a;
        reference_copy(&in->ref, &in->own.ref);
    }
    random_bytes(&j->r, j->fill[k], sizeof j->fill[k]);
    j->fills[k] = j->fill[k];
}

static void
draw_part(struct job *j)
{
    const bool all = below(&j->r, 2);
    const bool halo = below(&j->r, 2);
    tess_map_options_init(&j->options);
    j->options.edge = TESS_EDGE_FILL + (int)below(&j->r, 3);
    j->options.fills = j->fills;
    j->options.halo = j->halo;
    for (int i = 0; i < j->ndim; i++) {
        j->start[i] = all ? 0 : below(&j->r, j->shape[i]);
        j->stop[i] = all ? j->shape[i] : j->start[i] + 1 + below(&j->r, j->shape[i] - j->start[i]);
        j->halo[i] = halo ? below(&j->r, 3) : 0;
    }
}

// Bytes that one item of each array takes, with its halo.
static int64_t
least_memory(const struct job *j)
{
    int64_t all = 0;
    for (int k = 0; k < j->ninputs; k++) {
        int64_t size = (int64_t)j->inputs[k].ref.typesize;
        for (int i = 0; i < j->ndim; i++)
            size *= is_broadcast(j, &j->inputs[k], i) ? 1 : 2 * j->halo[i] + 1;
        all += size;
    }
    for (int k = 0; k < j->noutputs; k++)
        all += (int64_t)j->outputs[k].ref.typesize;
    return all;
}

static void
draw_job(struct job *j, uint64_t seed)
{
    static const char *const names[] = {"out0", "out1", "out2"};
    memset(j, 0, sizeof *j);
    random_init(&j->r, seed);
    j->ndim = (int)below(&j->r, 5);
    do
        draw_empty_shape(&j->r, j->ndim, ITEMS_MAX, j->shape);
    while (reference_nitems(j->ndim, j->shape) == 0);
    j->ninputs = (int)below(&j->r, INPUTS + 1);
    j->noutputs = (int)below(&j->r, OUTPUTS + 1);
    if (j->ninputs == 0 && j->noutputs == 0)
        j->noutputs = 1;
    for (int k = 0; k < j->noutputs; k++)
        draw_array(&j->r, names[k], &draw_types[below(&j->r, DRAW_TYPES)], j->ndim, j->shape, true,
                   &j->outputs[k]);
    for (int k = 0; k < j->ninputs; k++)
        draw_input(j, k);
    draw_part(j);
}

static void
finish_job(struct job *j)
{
    for (int k = 0; k < j->ninputs; k++) {
        ok(tess_array_close(j->inputs[k].view, err));
        if (j->inputs[k].own.a)
            draw_finish(&j->inputs[k].own);
        reference_finish(&j->inputs[k].ref);
    }
    for (int k = 0; k < j->noutputs; k++)
        draw_finish(&j->outputs[k]);
}

static tess_status
call(struct job *j, tess_map_fn *fn, tess_error *err)
{
    const tess_array *inputs[INPUTS];
    tess_array *outputs[OUTPUTS];
    for (int k = 0; k < j->ninputs; k++)
        inputs[k] = j->inputs[k].a;
    for (int k = 0; k < j->noutputs; k++)
        outputs[k] = j->outputs[k].a;
    return tess_map(inputs, j->ninputs, outputs, j->noutputs, j->start, j->stop, &j->options, fn, j,
                    err);
}

static void
check_outputs(const struct job *j)
{
    for (int k = 0; k < j->noutputs; k++)
        check_array(j->outputs[k].a, &j->outputs[k].ref);
}

static void
maps_are_those_of_a_loop(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(CASES_SHORT, CASES_LONG);
    int64_t limited = 0;
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        static struct job j;
        tess_error why;
        running = seed + (uint64_t)i;
        draw_job(&j, running);
        const tess_context *const context = j.noutputs > 0      ? &j.outputs[0].context
                                            : j.inputs[0].own.a ? &j.inputs[0].own.context
                                                                : NULL;
        assert_non_null(context);
        const int64_t least = least_memory(&j);
        const tess_status st = call(&j, compute, &why);
        if (st == TESS_OK) {
            assert_int_equal(atomic_load(&j.nitems), reference_box_nitems(j.ndim, j.start, j.stop));
            expect(&j);
        } else if (st != TESS_ERR_LIMIT || context->memory >= 2 * least) {
            fail_msg("seed %" PRIu64 ": %s: %s", running, tess_status_name(st), why.message);
        }
        limited += st != TESS_OK;
        if (st == TESS_OK && context->memory < least)
            fail_msg("seed %" PRIu64 ": more memory was used than allowed", running);
        check_outputs(&j);
        finish_job(&j);
    }
    if (cases > 100)
        assert_true(limited < cases / 2);
}

// -- what is promised of each call

static tess_array *
numbers(const char *path, int64_t n, int64_t chunk, const int32_t *items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = NATIVE "i4";
    params.ndim = 1;
    params.shape[0] = n;
    params.chunkshape[0] = params.blockshape[0] = chunk;
    if (items)
        ok(tess_array_from(&storage, &params, items, (size_t)n * sizeof *items, &a, err));
    else
        ok(tess_array_zeros(&storage, &params, &a, err));
    return a;
}

enum { LENGTH = 3000000, CHUNK = 300000 };

struct ending {
    tess_each_next at_last; // what the function says of the last box
    atomic_int boxes, stored;
};

static tess_each_next
end_with(const tess_map_part *part, void *user)
{
    struct ending *const e = user;
    int32_t *const to = part->outputs[0];
    atomic_fetch_add(&e->boxes, 1);
    for (int64_t i = 0; i < part->nitems; i++)
        to[i] = 7;
    if (part->stop[0] == LENGTH)
        return e->at_last;
    atomic_fetch_add(&e->stored, 1);
    return TESS_EACH_NEXT;
}

// How many items are 7, and whether they are those of whole boxes.
static int64_t
count_sevens(const tess_array *a)
{
    static int32_t items[LENGTH];
    const int64_t start[] = {0}, stop[] = {LENGTH};
    int64_t n = 0;
    ok(tess_array_read(a, start, stop, items, sizeof items, err));
    for (int64_t i = 0; i < LENGTH; i++)
        n += items[i] == 7;
    assert_int_equal(n % CHUNK, 0);
    return n;
}

static void
ends_keep_all_or_nothing(void **state)
{
    (void)state;
    for (int file = 0; file < 2; file++) {
        tess_array *const a = numbers(file ? files_path("ends.b2nd") : NULL, LENGTH, CHUNK, NULL);
        struct ending e = {.at_last = TESS_EACH_FAIL};
        refused(TESS_ERR_CANCELLED, tess_map(NULL, 0, &a, 1, NULL, NULL, NULL, end_with, &e, err));
        assert_int_equal(count_sevens(a), 0);
        e = (struct ending){.at_last = (tess_each_next)77}; // no answer that is known
        refused(TESS_ERR_CANCELLED, tess_map(NULL, 0, &a, 1, NULL, NULL, NULL, end_with, &e, err));
        assert_int_equal(count_sevens(a), 0);
        e = (struct ending){.at_last = TESS_EACH_STOP};
        ok(tess_map(NULL, 0, &a, 1, NULL, NULL, NULL, end_with, &e, err));
        assert_true(atomic_load(&e.boxes) == atomic_load(&e.stored) + 1);
        const int64_t sevens = count_sevens(a);
        assert_true(sevens > 0 && sevens < LENGTH);
        e = (struct ending){.at_last = TESS_EACH_CHANGED};
        ok(tess_map(NULL, 0, &a, 1, NULL, NULL, NULL, end_with, &e, err));
        assert_int_equal(count_sevens(a), LENGTH);
        ok(tess_array_close(a, err));
    }
}

// The stored bytes do not depend on threads.
static void
files_are_the_same(void **state)
{
    static int32_t items[LENGTH];
    uint8_t *bytes[2];
    size_t size[2];
    (void)state;
    for (int i = 0; i < LENGTH; i++)
        items[i] = i * 7 % 1000;
    for (int k = 0; k < 2; k++) {
        tess_context context;
        tess_storage storage;
        tess_params params;
        tess_array *a;
        struct ending e = {.at_last = TESS_EACH_NEXT};
        tess_context_init(&context);
        context.threads = k == 0 ? 1 : 4;
        tess_storage_init(&storage);
        storage.context = &context;
        storage.path = files_path("threads.b2nd");
        storage.mode = TESS_MODE_REPLACE;
        tess_params_init(&params);
        params.dtype = NATIVE "i4";
        params.ndim = 1;
        params.shape[0] = LENGTH;
        params.chunkshape[0] = CHUNK / 3;
        ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
        ok(tess_map(NULL, 0, &a, 1, NULL, NULL, NULL, end_with, &e, err));
        ok(tess_array_close(a, err));
        bytes[k] = files_read(files_path("threads.b2nd"), &size[k]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static tess_each_next
copy_doubles(const tess_map_part *part, void *user)
{
    int32_t *const to = part->outputs[0];
    (void)user;
    for (int64_t i = 0; i < part->nitems; i++) {
        double around[3];
        const char *const item = (const char *)part->inputs[0] + i * part->input_strides[0][0];
        memcpy(around, item - sizeof *around, sizeof around);
        to[i] = (int32_t)(around[0] + 10 * around[1] + 100 * around[2]);
    }
    return TESS_EACH_NEXT;
}

static void
inputs_are_converted(void **state)
{
    const int32_t items[] = {1, 2, 3, 4, 300}, want[] = {210 + 1, 321, 432, 30043, 33004};
    const int64_t start[] = {0}, stop[] = {5}, halo[] = {1};
    const char *doubles[] = {"<f8"}, *bytes[] = {"|u1"}, *text[] = {"|S4"};
    tess_array *const a = numbers(NULL, 5, 2, items);
    const tess_array *const input = a;
    tess_map_options options;
    int32_t got[5];
    tess_error why;
    (void)state;
    doubles[0] = NATIVE "f8";
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_NEAREST;
    options.input_dtypes = doubles;
    ok(tess_map(&input, 1, &a, 1, NULL, NULL, &options, copy_doubles, NULL, err));
    ok(tess_array_read(a, start, stop, got, sizeof got, err));
    assert_memory_equal(got, want, sizeof got);
    options.input_dtypes = bytes;
    assert_int_equal(tess_map(&input, 1, &a, 1, NULL, NULL, &options, copy_doubles, NULL, &why),
                     TESS_ERR_LIMIT);
    options.input_dtypes = text;
    refused(TESS_ERR_UNSUPPORTED,
            tess_map(&input, 1, &a, 1, NULL, NULL, &options, copy_doubles, NULL, err));
    ok(tess_array_close(a, err));
}

static tess_each_next
never(const tess_map_part *part, void *user)
{
    (void)part;
    *(bool *)user = true;
    return TESS_EACH_NEXT;
}

static void
arguments_are_checked(void **state)
{
    static const int32_t items[12];
    const int64_t one[] = {1}, minus[] = {-1}, two[] = {2}, five[] = {5};
    tess_array *const a = numbers(NULL, 4, 2, items), *const b = numbers(NULL, 3, 2, items);
    const tess_array *const fits[] = {a, a}, *const differs[] = {a, b}, *const none[] = {a, NULL};
    tess_array *const same[] = {a, a}, *const other[] = {a, b}, *const missing[] = {a, NULL};
    tess_map_options options, bad;
    bool called = false;
    tess_array *view;
    (void)state;
    tess_map_options_init(&options);
    options.halo = one;
    refused(TESS_ERR_ARG, tess_map(NULL, 0, NULL, 0, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 2, &a, 1, NULL, NULL, NULL, NULL, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, -1, &a, 1, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 33, &a, 1, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(NULL, 1, &a, 1, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(differs, 2, &a, 1, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(differs, 2, NULL, 0, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(none, 2, &a, 1, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, same, 2, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, other, 2, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, missing, 2, NULL, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, one, NULL, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, one, five, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, two, one, NULL, never, &called, err));
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, minus, one, NULL, never, &called, err));
    // A halo that leaves the array
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, NULL, NULL, &options, never, &called, err));
    bad = options;
    bad.halo = minus;
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, NULL, NULL, &bad, never, &called, err));
    bad = options;
    bad.edge = 4;
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, NULL, NULL, &bad, never, &called, err));
    bad = options;
    bad.struct_size = 0;
    refused(TESS_ERR_ARG, tess_map(fits, 1, &a, 1, NULL, NULL, &bad, never, &called, err));
    ok(tess_array_view_read_only(a, &view, err));
    refused(TESS_ERR_ARG, tess_map(NULL, 0, &view, 1, NULL, NULL, NULL, never, &called, err));
    ok(tess_array_close(view, err));
    // No items
    ok(tess_map(fits, 1, &a, 1, one, one, &options, never, &called, err));
    assert_false(called);
    // Inside, with a halo that does not leave it
    ok(tess_map(fits, 1, NULL, 0, one, two, &options, never, &called, err));
    assert_true(called);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(inputs_are_converted),
        cmocka_unit_test_setup_teardown(ends_keep_all_or_nothing, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(files_are_the_same, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(maps_are_those_of_a_loop, files_setup, files_teardown),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
