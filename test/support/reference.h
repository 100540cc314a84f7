/*
 * reference.h - an N-dimensional array in memory, slow and obvious.
 *
 * One block of bytes in C order, items moved one by one. What Tessera says is compared with it.
 * Running out of memory ends the program: tests have nothing to say about that here.
 */
#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#define REFERENCE_MAX_NDIM 16

struct reference {
    int ndim;
    int64_t shape[REFERENCE_MAX_NDIM];
    size_t typesize;
    uint8_t *data; // prod(shape) items in C order; never NULL
    uint8_t *fill; // the item that growth shows; NULL: zeros
};

// All items are zero bytes.
void reference_init(struct reference *r, int ndim, const int64_t *shape, size_t typesize);
void reference_copy(struct reference *r, const struct reference *from);
void reference_finish(struct reference *r);

// prod(shape), and of a box.
int64_t reference_nitems(int ndim, const int64_t *shape);
int64_t reference_box_nitems(int ndim, const int64_t *start, const int64_t *stop);
// Bytes of all items, and of a box.
size_t reference_size(const struct reference *r);
size_t reference_box_size(const struct reference *r, const int64_t *start, const int64_t *stop);

void reference_fill(struct reference *r, const void *item);
// What growth shows from now on.
void reference_grow_with(struct reference *r, const void *item);

// Between the box [start, stop) and memory in C order.
void reference_get(const struct reference *r, const int64_t *start, const int64_t *stop, void *dst);
void reference_set(struct reference *r, const int64_t *start, const int64_t *stop, const void *src);

// count items along each axis, from start by step, to memory in C order. Steps may be negative.
void reference_get_slice(const struct reference *r, const int64_t *start, const int64_t *count,
                         const int64_t *step, void *dst);

// Axis i of the new array is axis axes[i] of this one.
void reference_permute(struct reference *r, const int *axes);

// Axes grow and shrink at their ends; new items are the fill value.
void reference_resize(struct reference *r, const int64_t *shape);
void reference_append(struct reference *r, int axis, int64_t count, const void *src);

// Layers across an axis; src NULL: of the fill value.
void reference_insert(struct reference *r, int axis, int64_t position, int64_t count,
                      const void *src);
void reference_delete(struct reference *r, int axis, int64_t position, int64_t count);

#endif
