/*
 * hand.c - reads and writes of boxes, and how a program goes over an array with them.
 */
#include "hand.h"

#include "../support.h"

#include <string.h>

void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("tessera: %s: %s", tess_status_name(status), err->message);
}

int64_t
hand_count(const int64_t *start, const int64_t *stop)
{
    int64_t n = 1;

    for (int i = 0; i < NDIM; i++)
        n *= stop[i] - start[i];
    return n;
}

void
hand_read(const void *a, const int64_t *start, const int64_t *stop, float *dst)
{
    const size_t size = (size_t)hand_count(start, stop) * sizeof *dst;
    tess_error err;

    must(tess_array_read(a, start, stop, dst, size, &err), &err);
}

void
hand_read_item(const void *a, int64_t i, int64_t k, int64_t m, float *dst)
{
    hand_read(a, (const int64_t[NDIM]){i, k, m}, (const int64_t[NDIM]){i + 1, k + 1, m + 1}, dst);
}

void
hand_write(void *a, const int64_t *start, const int64_t *stop, const float *src)
{
    const size_t size = (size_t)hand_count(start, stop) * sizeof *src;
    tess_error err;

    must(tess_array_write(a, start, stop, src, size, &err), &err);
}

void
hand_read_all(const struct turn *t, float *dst)
{
    hand_read(t->a, (const int64_t[NDIM]){0}, t->job->array.shape, dst);
}

void
hand_write_all(const struct turn *t, const float *src)
{
    hand_write(t->a, (const int64_t[NDIM]){0}, t->job->array.shape, src);
}

void *
hand_new(const struct turn *t, const int64_t *shape)
{
    struct side_array array = t->job->array;

    memcpy(array.shape, shape, NDIM * sizeof *shape);
    return t->side->create(&array, NULL, 0);
}

bool
hand_chunk(const struct side_array *array, int64_t number, int64_t *start, int64_t *stop)
{
    for (int i = NDIM - 1; i >= 0; i--) {
        const int64_t n = (array->shape[i] + array->chunk[i] - 1) / array->chunk[i];
        const int64_t end = (number % n + 1) * array->chunk[i];

        start[i] = number % n * array->chunk[i];
        stop[i] = end < array->shape[i] ? end : array->shape[i];
        number /= n;
    }
    return number == 0;
}

// The place behind `at` where a piece ends, at most `stop`.
static int64_t
piece_end(int64_t at, int64_t stop, int64_t shift, int64_t chunk)
{
    const int64_t end = ((at + shift) / chunk + 1) * chunk - shift;

    return end < stop ? end : stop;
}

void
hand_move(const struct turn *t, const void *from, const int64_t *start, const int64_t *stop,
          void *to, const int64_t *shift)
{
    const int64_t *const chunk = t->job->array.chunk;
    int64_t lo[NDIM], hi[NDIM], to_lo[NDIM], to_hi[NDIM];

    for (lo[0] = start[0]; lo[0] < stop[0]; lo[0] = hi[0]) {
        hi[0] = piece_end(lo[0], stop[0], shift[0], chunk[0]);
        for (lo[1] = start[1]; lo[1] < stop[1]; lo[1] = hi[1]) {
            hi[1] = piece_end(lo[1], stop[1], shift[1], chunk[1]);
            for (lo[2] = start[2]; lo[2] < stop[2]; lo[2] = hi[2]) {
                hi[2] = piece_end(lo[2], stop[2], shift[2], chunk[2]);
                for (int i = 0; i < NDIM; i++) {
                    to_lo[i] = lo[i] + shift[i];
                    to_hi[i] = hi[i] + shift[i];
                }
                hand_read(from, lo, hi, t->job->scratch);
                hand_write(to, to_lo, to_hi, t->job->scratch);
            }
        }
    }
}

void
hand_twice(struct turn *t, int axis)
{
    const int64_t *const old = t->job->array.shape;
    const int64_t zero[NDIM] = {0};
    int64_t shape[NDIM], shift[NDIM] = {0};

    memcpy(shape, old, sizeof shape);
    shift[axis] = old[axis];
    shape[axis] *= 2;
    t->made = hand_new(t, shape);
    hand_move(t, t->a, zero, old, t->made, zero);
    hand_move(t, t->base, zero, old, t->made, shift);
}
