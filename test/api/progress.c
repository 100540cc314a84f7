/*
 * progress.c - every call that may take long says how far it is, and ends when it is told to.
 *
 * One table of calls, each about an array of a few dozen chunks. What is heard of each must come
 * from the calling thread and grow up to the total. Then each is cancelled at one report after the
 * other: it says so, leaves the array as it was and no file, and does its work when it is called
 * again.
 */
#include "support/files.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    NDIM = 3,
    POINTS = 500,
    REPORTS = 24, // of so many of a call, it is cancelled
};

static const int64_t shape[NDIM] = {40, 36, 30};
static const int64_t zero[NDIM + 1] = {0};
static const int32_t fill = 77;

struct heard {
    pthread_t caller;
    int calls, cancel_at; // 0: never
    int64_t done, total;
};

struct scene {
    tess_array *a, *other; // of the same shape
    tess_array *mask;
    tess_array *made; // by the call; NULL: nothing
    uint8_t *items; // as many as the array has
    int64_t coords[NDIM * POINTS];
    tess_context context;
    struct heard heard;
};

static bool
hear(int64_t done, int64_t total, void *user)
{
    struct heard *const h = user;
    assert_true(pthread_equal(pthread_self(), h->caller));
    assert_true(done >= h->done && done <= total && total > 0);
    assert_true(h->calls == 0 || total == h->total);
    h->done = done;
    h->total = total;
    return ++h->calls != h->cancel_at;
}

static void
expect_reports(struct scene *s, int cancel_at)
{
    s->heard = (struct heard){.caller = pthread_self(), .cancel_at = cancel_at};
}

static size_t
nbytes(void)
{
    return 4 * (size_t)(shape[0] * shape[1] * shape[2]);
}

static tess_storage
at(const char *path, const tess_context *context)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_NONE;
    storage.context = context;
    return storage;
}

static tess_params
params_of(const char *dtype, int64_t chunk, int64_t block)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = NDIM;
    for (int i = 0; i < NDIM; i++) {
        p.shape[i] = shape[i];
        p.chunkshape[i] = chunk;
        p.blockshape[i] = block;
    }
    if (strcmp(dtype, "<i4") == 0) {
        p.fill = &fill;
        p.fill_size = sizeof fill;
    }
    return p;
}

static tess_array *
make(const char *path, const char *dtype, const void *items, const tess_context *context)
{
    const tess_storage storage = at(path, context);
    const tess_params p = params_of(dtype, 16, 8);
    tess_array *a = NULL;
    ok(tess_array_from(&storage, &p, items, dtype[2] == '1' ? nbytes() / 4 : nbytes(), &a, err));
    return a;
}

static void
set_progress(tess_array *a, tess_progress_fn *progress, void *user)
{
    tess_context context;
    tess_array_get_context(a, &context);
    context.progress = progress;
    context.progress_user = user;
    ok(tess_array_set_context(a, &context, err));
}

static void
begin(struct scene *s, int threads)
{
    *s = (struct scene){0};
    tess_context_init(&s->context);
    s->context.threads = threads;
    s->context.cache = 0;
    s->context.memory = 1 << 15;
    s->context.progress_interval = 0;
    s->items = malloc(nbytes());
    assert_non_null(s->items);
    for (int32_t i = 0; (size_t)i < nbytes() / 4; i++) {
        const int32_t item = i * i;
        memcpy(s->items + 4 * (size_t)i, &item, 4);
    }
    s->a = make(files_path("a"), "<i4", s->items, &s->context);
    s->other = make(files_path("other"), "<i4", s->items, &s->context);
    s->mask = make(NULL, "|u1", s->items, &s->context);
    for (int64_t i = 0; i < POINTS; i++)
        for (int axis = 0; axis < NDIM; axis++)
            s->coords[NDIM * i + axis] = (i * (7 + 4 * axis)) % shape[axis];
    s->context.progress = hear;
    s->context.progress_user = &s->heard;
    set_progress(s->a, hear, &s->heard);
}

static void
end(struct scene *s)
{
    tess_array_discard(s->made);
    tess_array_discard(s->a);
    tess_array_discard(s->other);
    tess_array_discard(s->mask);
    free(s->items);
}

// -- the calls

static tess_status
read_box(struct scene *s, tess_error *err)
{
    return tess_array_read(s->a, zero, shape, s->items, nbytes(), err);
}

static tess_status
write_box(struct scene *s, tess_error *err)
{
    const int64_t start[NDIM] = {1, 2, 3};
    return tess_array_write(s->a, start, shape, s->items, nbytes(), err);
}

static tess_status
get_slice(struct scene *s, tess_error *err)
{
    const int64_t start[NDIM] = {39, 0, 29}, stop[NDIM] = {-1, 36, -1}, step[NDIM] = {-1, 2, -3};
    return tess_array_get_slice(s->a, start, stop, step, s->items, nbytes(), NULL, err);
}

static tess_status
set_slice(struct scene *s, tess_error *err)
{
    const int64_t step[NDIM] = {2, 1, 3};
    return tess_array_set_slice(s->a, zero, shape, step, s->items, nbytes(), NULL, err);
}

static tess_status
fill_slice(struct scene *s, tess_error *err)
{
    const int64_t start[NDIM] = {1, 1, 1};
    return tess_array_fill(s->a, start, shape, NULL, &fill, sizeof fill, err);
}

static tess_status
get_points(struct scene *s, tess_error *err)
{
    return tess_array_get_points(s->a, POINTS, s->coords, s->items, nbytes(), err);
}

static tess_status
set_points(struct scene *s, tess_error *err)
{
    return tess_array_set_points(s->a, POINTS, s->coords, s->items, sizeof fill * POINTS, err);
}

static const int64_t counts[NDIM] = {4, 3, 3};
static const int64_t rows[] = {39, 0, 20, 20}, columns[] = {1, 35, 17}, layers[] = {29, 3, 16};
static const int64_t *const indices[NDIM] = {rows, columns, layers};

static tess_status
get_orthogonal(struct scene *s, tess_error *err)
{
    return tess_array_get_orthogonal(s->a, counts, indices, s->items, nbytes(), err);
}

static tess_status
set_orthogonal(struct scene *s, tess_error *err)
{
    return tess_array_set_orthogonal(s->a, counts, indices, s->items, sizeof fill * 4 * 3 * 3, err);
}

static const int64_t box_starts[][NDIM] = {{0, 0, 0}, {20, 20, 20}, {10, 10, 5}};
static const int64_t box_shape[NDIM] = {20, 16, 10};

static tess_status
get_boxes(struct scene *s, tess_error *err)
{
    return tess_array_get_boxes(s->a, 3, box_starts[0], box_shape, NULL, s->items, nbytes(), err);
}

static tess_status
set_boxes(struct scene *s, tess_error *err)
{
    return tess_array_set_boxes(s->a, 3, box_starts[0], box_shape, s->items, nbytes(), err);
}

static tess_status
count_mask(struct scene *s, tess_error *err)
{
    const tess_mask mask = {.ndim = NDIM, .array = s->mask};
    int64_t n;
    return tess_array_count_mask(s->a, &mask, &n, err);
}

static tess_status
get_mask(struct scene *s, tess_error *err)
{
    const tess_mask mask = {.ndim = NDIM, .array = s->mask};
    return tess_array_get_mask(s->a, &mask, s->items, nbytes(), err);
}

static tess_status
set_mask(struct scene *s, tess_error *err)
{
    const tess_mask mask = {.ndim = NDIM, .array = s->mask};
    return tess_array_set_mask(s->a, &mask, &fill, sizeof fill, err);
}

static tess_status
resize(struct scene *s, tess_error *err)
{
    return tess_array_resize(s->a, (const int64_t[]){50, 40, 34}, err);
}

static tess_status
resize_at(struct scene *s, tess_error *err)
{
    return tess_array_resize_at(s->a, (const int64_t[]){37, 45, 31}, (const int64_t[]){5, 6, 7},
                                err);
}

static tess_status
append(struct scene *s, tess_error *err)
{
    return tess_array_append(s->a, 1, shape[1], s->items, nbytes(), NULL, err);
}

static tess_status
insert(struct scene *s, tess_error *err)
{
    return tess_array_insert(s->a, 0, 3, 7, s->items, nbytes() / 40 * 7, NULL, err);
}

static tess_status delete (struct scene *s, tess_error *err)
{
    return tess_array_delete(s->a, 2, 1, 4, err);
}

static tess_status
append_array(struct scene *s, tess_error *err)
{
    return tess_array_append_array(s->a, 0, s->other, err);
}

static tess_each_next
look(const tess_part *part, void *user)
{
    (void)user;
    return part->ndim == NDIM ? TESS_EACH_NEXT : TESS_EACH_FAIL;
}

static tess_each_next
change(const tess_part *part, void *items, void *user)
{
    (void)user;
    if (part->chunk % 2 == 0)
        return TESS_EACH_NEXT;
    memcpy(items, &fill, sizeof fill);
    return TESS_EACH_CHANGED;
}

static tess_status
each_block(struct scene *s, tess_error *err)
{
    return tess_array_each(s->a, TESS_BLOCKS, NULL, NULL, look, NULL, err);
}

static tess_status
each_chunk(struct scene *s, tess_error *err)
{
    return tess_array_each(s->a, TESS_CHUNKS, NULL, NULL, look, NULL, err);
}

static tess_status
change_blocks(struct scene *s, tess_error *err)
{
    return tess_array_change(s->a, TESS_BLOCKS, NULL, NULL, change, NULL, err);
}

static tess_status
change_chunks(struct scene *s, tess_error *err)
{
    return tess_array_change(s->a, TESS_CHUNKS, NULL, NULL, change, NULL, err);
}

// All that the inputs have, with neighbours.
static tess_each_next
add_neighbours(const tess_map_part *part, void *user)
{
    int32_t *to = part->outputs[0];
    (void)user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            for (int64_t k = 0; k < part->stop[2] - part->start[2]; k++) {
                const int64_t at[] = {i, j, k};
                uint32_t sum = 0;
                for (int n = 0; n < 2; n++) {
                    const char *item = part->inputs[n];
                    int32_t x[2];
                    for (int axis = 0; axis < NDIM; axis++)
                        item += at[axis] * part->input_strides[n][axis];
                    memcpy(&x[0], item - part->input_strides[n][0], 4);
                    memcpy(&x[1], item + part->input_strides[n][2], 4);
                    sum = sum * 3 + (uint32_t)x[0] + (uint32_t)x[1];
                }
                memcpy(to++, &sum, 4);
            }
    return TESS_EACH_NEXT;
}

static tess_status
map_in_place(struct scene *s, tess_error *err)
{
    const tess_array *const inputs[] = {s->a, s->other};
    const int64_t halo[] = {1, 0, 1};
    tess_map_options options;
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_MIRROR;
    return tess_map(inputs, 2, &s->a, 1, NULL, NULL, &options, add_neighbours, NULL, err);
}

static tess_status
compare(struct scene *s, tess_error *err)
{
    const tess_storage storage = at(files_path("made"), &s->context);
    return tess_array_compare_arrays(s->a, TESS_COMPARE_LT, s->other, &storage, NULL, &s->made,
                                     err);
}

static tess_status
statistics(struct scene *s, tess_error *err)
{
    tess_statistics out;
    return tess_array_statistics(s->a, NULL, NULL, &out, err);
}

static tess_status
from(struct scene *s, tess_error *err)
{
    const tess_storage storage = at(files_path("made"), &s->context);
    const tess_params p = params_of("<i4", 16, 8);
    return tess_array_from(&storage, &p, s->items, nbytes(), &s->made, err);
}

static tess_status
copy(struct scene *s, int64_t chunk, int64_t block, tess_error *err)
{
    const tess_storage storage = at(files_path("made"), &s->context);
    const tess_params p = params_of("<i4", chunk, block);
    return tess_array_copy(s->a, &storage, &p, &s->made, err);
}

static tess_status
copy_stored(struct scene *s, tess_error *err)
{
    return copy(s, 16, 8, err);
}

static tess_status
copy_rechunked(struct scene *s, tess_error *err)
{
    return copy(s, 12, 6, err);
}

static tess_status
stack(struct scene *s, tess_error *err)
{
    tess_array *const both[] = {s->a, s->other};
    const tess_storage storage = at(files_path("made"), &s->context);
    tess_params p = params_of("<i4", 16, 8);
    p.ndim = 4;
    p.chunkshape[3] = p.blockshape[3] = 2;
    return tess_array_stack(both, 2, 3, &storage, &p, &s->made, err);
}

static tess_status
concatenate(struct scene *s, tess_error *err)
{
    tess_array *const both[] = {s->a, s->other};
    const tess_storage storage = at(files_path("made"), &s->context);
    const tess_params p = params_of("<i4", 16, 8);
    return tess_array_concatenate(both, 2, 1, &storage, &p, &s->made, err);
}

static tess_status
save(struct scene *s, tess_error *err)
{
    const tess_storage storage = at(files_path("made"), NULL);
    return tess_array_save(s->a, &storage, TESS_LAYOUT_CONTIGUOUS, err);
}

static tess_status
to_image(struct scene *s, tess_error *err)
{
    void *image;
    size_t size;
    const tess_status st = tess_array_to_image(s->a, &image, &size, err);
    tess_free(image);
    return st;
}

#define CALL(function)      \
    {                       \
#function, function \
    }
static const struct call {
    const char *name;
    tess_status (*function)(struct scene *s, tess_error *err);
} calls[] = {
    CALL(read_box),       CALL(write_box),      CALL(get_slice),     CALL(set_slice),
    CALL(fill_slice),     CALL(get_points),     CALL(set_points),    CALL(get_orthogonal),
    CALL(set_orthogonal), CALL(get_boxes),      CALL(set_boxes),     CALL(count_mask),
    CALL(get_mask),       CALL(set_mask),       CALL(resize),        CALL(resize_at),
    CALL(append),         CALL(insert),         CALL(delete),        CALL(append_array),
    CALL(each_block),     CALL(each_chunk),     CALL(change_blocks), CALL(change_chunks),
    CALL(map_in_place),   CALL(compare),        CALL(statistics),    CALL(from),
    CALL(copy_stored),    CALL(copy_rechunked), CALL(stack),         CALL(concatenate),
    CALL(save),           CALL(to_image),
};
enum { CALLS = sizeof calls / sizeof *calls };

// -- what is asked of them

// All items, and the shape in front of them.
static uint8_t *
content(tess_array *a, size_t *size)
{
    tess_info info;
    tess_array_info(a, &info);
    *size = sizeof info.shape + (size_t)(info.nitems * info.typesize);
    uint8_t *const bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, info.shape, sizeof info.shape);
    set_progress(a, NULL, NULL);
    ok(tess_array_read(a, zero, info.shape, bytes + sizeof info.shape, *size - sizeof info.shape,
                       err));
    return bytes;
}

static void
check_content(tess_array *a, const uint8_t *want, size_t want_size)
{
    size_t size;
    uint8_t *const bytes = content(a, &size);
    assert_int_equal(size, want_size);
    assert_memory_equal(bytes, want, size);
    free(bytes);
}

// The array after the call, done in silence.
static uint8_t *
content_after(const struct call *call, size_t *size)
{
    struct scene s;
    begin(&s, 1);
    s.context.progress = NULL;
    set_progress(s.a, NULL, NULL);
    ok(call->function(&s, err));
    uint8_t *const bytes = content(s.made ? s.made : s.a, size);
    end(&s);
    files_remove(files_path("made"));
    return bytes;
}

static void
hears_all(const struct call *call, int threads)
{
    struct scene s;
    size_t size;
    uint8_t *const want = content_after(call, &size);

    begin(&s, threads);
    expect_reports(&s, 0);
    ok(call->function(&s, err));
    // Where others work on a call, its own thread may have little to do.
    if (s.heard.calls < (threads == 1 ? 3 : 1) || s.heard.done != s.heard.total)
        fail_msg("%s, %d threads: %d calls, the last one of %lld of %lld", call->name, threads,
                 s.heard.calls, (long long)s.heard.done, (long long)s.heard.total);
    check_content(s.made ? s.made : s.a, want, size);
    end(&s);
    files_remove(files_path("made"));
    free(want);
}

// False: the call made fewer reports.
static bool
is_cancelled(const struct call *call, int threads, int report, const uint8_t *want, size_t size)
{
    struct scene s;
    tess_error error = {0};
    size_t before_size;

    begin(&s, threads);
    uint8_t *const before = content(s.a, &before_size);
    const int files = files_count();
    set_progress(s.a, hear, &s.heard);
    expect_reports(&s, report);
    const tess_status st = call->function(&s, &error);
    // The last report of all comes when there is nothing left to be cancelled.
    const bool late = s.heard.calls == report && s.heard.done == s.heard.total && st == TESS_OK;
    const bool enough = s.heard.calls >= report && !late;
    if (enough) {
        assert_int_equal(st, TESS_ERR_CANCELLED);
        assert_int_equal(s.heard.calls, report);
        assert_non_null(strstr(error.message, "cancelled"));
        assert_null(s.made);
        assert_int_equal(files_count(), files);
        check_content(s.a, before, before_size);
        s.context.progress = NULL;
        ok(call->function(&s, err));
    } else {
        assert_int_equal(st, TESS_OK);
    }
    check_content(s.made ? s.made : s.a, want, size);
    end(&s);
    files_remove(files_path("made"));
    free(before);
    return enough;
}

static void
told_of(void **state)
{
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        hears_all(&calls[i], 1);
        hears_all(&calls[i], 4);
    }
}

static void
cancelled(void **state)
{
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        size_t size;
        uint8_t *const want = content_after(&calls[i], &size);
        int n = 0;
        while (n < REPORTS && is_cancelled(&calls[i], 1, n + 1, want, size))
            n++;
        if (n < 2)
            fail_msg("%s: cancelled %d times", calls[i].name, n);
        for (int report = 1; report <= REPORTS; report += 5)
            (void)is_cancelled(&calls[i], 4, report, want, size);
        free(want);
    }
}

// Short calls keep silent.
static void
not_before_the_interval(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 1);
    s.context.progress_interval = 1000000;
    expect_reports(&s, 0);
    ok(copy_rechunked(&s, err));
    assert_int_equal(s.heard.calls, 0);
    end(&s);
}

// A view has the context of its array as it was; a context with a negative interval is refused.
static void
of_views_and_refused(void **state)
{
    (void)state;
    struct scene s;
    tess_array *view = NULL;
    begin(&s, 1);
    ok(tess_array_view_permute(s.a, (const int[]){2, 1, 0}, &view, err));
    set_progress(s.a, NULL, NULL);
    expect_reports(&s, 0);
    ok(tess_array_read(view, zero, (const int64_t[]){30, 36, 40}, s.items, nbytes(), err));
    assert_true(s.heard.calls > 2);
    assert_int_equal(s.heard.done, s.heard.total);
    assert_int_equal(s.heard.total, nbytes());
    expect_reports(&s, 0);
    ok(read_box(&s, err));
    assert_int_equal(s.heard.calls, 0);
    tess_array_discard(view);

    s.context.progress_interval = -1;
    const tess_storage storage = at(NULL, &s.context);
    const tess_params p = params_of("<i4", 16, 8);
    tess_array *none = NULL;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &none, err));
    end(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(told_of, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(cancelled, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(not_before_the_interval, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(of_views_and_refused, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
