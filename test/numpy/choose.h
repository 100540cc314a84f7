/*
 * choose.h - random items of a subject: points, indices per axis, masks.
 */
#ifndef NUMPY_CHOOSE_H
#define NUMPY_CHOOSE_H

#include "numpy/subject.h"

struct points {
    int64_t n;
    int64_t *coords; // n * ndim
};

void points_init(struct subject *s, struct points *p);
void points_tell(const struct subject *s, const struct points *p);
void points_finish(struct points *p);

struct lists {
    int64_t n; // prod(counts)
    int64_t counts[TESS_MAX_NDIM];
    const int64_t *indices[TESS_MAX_NDIM];
    int64_t *all; // those of all axes, one after the other
};

void lists_init(struct subject *s, struct lists *l);
void lists_tell(const struct subject *s, const struct lists *l);
void lists_finish(struct lists *l);

struct chosen {
    tess_mask mask;
    uint8_t *bytes;
    tess_array *array; // NULL: the bytes themselves are the mask
    int64_t n; // items that are chosen
};

void chosen_init(struct subject *s, struct chosen *c);
void chosen_tell(const struct subject *s, const struct chosen *c);
void chosen_finish(struct chosen *c);

#endif
