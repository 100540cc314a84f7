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

// An array, and how it is to be worked on. Codec and filter are the format's ids.
struct side_array {
    int ndim;
    int64_t shape[SIDE_MAX_NDIM], chunk[SIDE_MAX_NDIM], block[SIDE_MAX_NDIM];
    int typesize;
    const char *dtype; // NumPy's
    int codec, level, filter;
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
    // One more chunk along axis 0.
    void (*append)(void *a, const void *src, size_t size);
    // Items by their index in C order.
    void (*sparse)(void *a, const int64_t *indices, int64_t n, void *dst, size_t size);
    // Items at all combinations of counts[i] positions per axis.
    void (*orthogonal)(void *a, int64_t *const *positions, const int64_t *counts, void *dst,
                       size_t size);
};

extern const struct side side_tessera;

// NULL if its module is not there; the sentence goes to stderr.
const struct side *side_blosc2(void);

#ifdef HAVE_HDF5
extern const struct side side_hdf5;
#endif

#endif
