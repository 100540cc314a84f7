/*
 * side.h - one library under comparison: the same array, the same calls, whoever answers them.
 *
 * Every function ends the program when something fails. A side of a library that is not there is
 * NULL, a call that a library does not have is a NULL member.
 */
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIDE_MAX_NDIM 4

// [start, stop) along each axis, in items.
struct side_box {
    int64_t start[SIDE_MAX_NDIM], stop[SIDE_MAX_NDIM];
};

// What floats are: waves, rounded to 0.01; as they are; with noise of 0.001.
enum side_data { DATA_ROUNDED, DATA_SMOOTH, DATA_NOISY };

// An array, and how it is to be worked on. Codec and filter are the format's ids.
struct side_array {
    int ndim;
    int64_t shape[SIDE_MAX_NDIM], chunk[SIDE_MAX_NDIM], block[SIDE_MAX_NDIM];
    int typesize;
    const char *dtype; // NumPy's
    enum side_data data;
    int codec, level, filter;
    // Grid, codec, level and filter are not said: each library, or who uses it, has its own ways.
    bool automatic;
    int threads;
    bool cache; // decoded data may be kept between calls, as much as the library does by itself
    const char *path; // a file; NULL: memory
};

struct side {
    const char *name; // with version
    // Version and home of the LZ4 that this side runs; NULL if it has none.
    const char *(*codec_home)(void);
    // Whether the library has this codec and filter.
    bool (*can)(const struct side_array *array);

    // A new array that can be changed: from src, or of undefined items if src is NULL.
    void *(*create)(const struct side_array *array, const void *src, size_t size);
    // Another handle on an array, which is what create returned, already flushed, or a file.
    void *(*open)(const struct side_array *array, void *created);
    // As far as another handle, or another program, can see it.
    void (*flush)(void *a);
    void (*close)(void *a);
    // Compressed bytes.
    int64_t (*stored)(void *a);

    void (*read)(void *a, const struct side_box *box, void *dst, size_t size);
    void (*set)(void *a, const struct side_box *box, const void *src, size_t size);
    // Layers at the end of an axis, of chunks where a library only has these.
    void (*append)(void *a, int axis, const void *src, size_t size);
    // Items by their index in C order.
    void (*sparse)(void *a, const int64_t *indices, int64_t n, void *dst, size_t size);
    // Items at all combinations of counts[i] positions per axis.
    void (*orthogonal)(void *a, int64_t *const *positions, const int64_t *counts, void *dst,
                       size_t size);
    void (*set_orthogonal)(void *a, int64_t *const *positions, const int64_t *counts,
                           const void *src, size_t size);

    // The axes of an array; fills in its shape.
    int (*shape)(void *a, int64_t *shape);
    // What the shapes differ by comes or goes at start, or at the ends if start is NULL.
    void (*resize)(void *a, const int64_t *shape, const int64_t *start);
    void (*insert)(void *a, int axis, int64_t position, const void *src, size_t size);
    void (*remove)(void *a, int axis, int64_t position, int64_t count);
    void (*append_array)(void *a, int axis, void *other);
    // New arrays, stored as `array` says, save that the shape is that of the items.
    void *(*copy)(const struct side_array *array, void *a);
    void *(*concatenate)(const struct side_array *array, void *a, void *b, int axis);
    // Make a view with one more axis, of that one a view without it, and end both.
    void (*view)(void *a);
};

extern const struct side side_tessera;

// NULL if its module is not in ../compare, seen from the program; the sentence goes to stderr.
const struct side *side_blosc2(void);

// The calls of c-blosc2 that libtessera-b2nd answers: side_blosc2.c with the headers of that.
const struct side *side_b2nd_get(void);

#ifdef HAVE_HDF5
extern const struct side side_hdf5;
#endif

#endif
