/**
 * @file iterate.h
 * Apply a function to all blocks or chunks of an array, on many threads; statistics.
 *
 * The library decodes each block or chunk and calls a function of the program with it, several at
 * once, in any order. The function gets a block in the memory where it was decoded, while it is
 * still in the cache of the CPU, which saves a copy to memory and back.
 *
 *     static tess_each_next
 *     look(const tess_part *part, void *user) { ... return TESS_EACH_NEXT; }
 *
 *     tess_array_each(a, TESS_BLOCKS, NULL, NULL, look, user, &err);
 *
 * The function runs on threads of the library and on the calling thread, several at once if the
 * context of the array allows more than one. It must not leave by longjmp() or an exception, and
 * must not fork and return in the child. It is never called after the call has returned. Within
 * tess_array_each() it may read the array; within tess_array_change() it must not use the array.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads
 * and commits. Example: test/examples/iterate.c.
 */
#ifndef TESSERA_ITERATE_H
#define TESSERA_ITERATE_H

#include "tessera/array.h"
#include "tessera/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The unit of iteration. */
typedef enum tess_unit {
    /**
     * The blocks of the grid. Arrays without blocks are iterated by chunk: plain frames, arrays of
     * Caterva before 0.4, and views, whose chunks are boxes of tess_info.chunkshape.
     */
    TESS_BLOCKS = 0,
    /**
     * Chunks, with their items in C order. This takes memory for one chunk per thread, and a copy.
     */
    TESS_CHUNKS = 1
} tess_unit;

/** Result of a function of the program. */
typedef enum tess_each_next {
    TESS_EACH_NEXT = 0, /**< continue; the part was not changed */
    TESS_EACH_CHANGED = 1, /**< continue; the part was changed (tess_array_change() only) */
    TESS_EACH_STOP = 2, /**< stop: no further part is started, the call returns TESS_OK */
    TESS_EACH_FAIL = 3 /**< no further part is started, the call returns TESS_ERR_CANCELLED */
} tess_each_next;

/**
 * The part of a block or chunk that lies inside the box and the array; at least one item. It
 * belongs to the library, with all it points to, and is valid until the function returns.
 */
typedef struct tess_part {
    int ndim; /**< dimensions of the array; length of the lists below */
    int64_t chunk; /**< number of the chunk, in C order of the grid */
    int64_t block; /**< number of the block in its chunk, in C order; -1: a chunk */
    int64_t start[TESS_MAX_NDIM]; /**< index of its first item in the array */
    int64_t stop[TESS_MAX_NDIM]; /**< one past the index of its last item; more than start */
    int64_t
        strides[TESS_MAX_NDIM]; /**< bytes from an item to the next; of the last axis: typesize */
    /** The first item, aligned as items of its type need it, in the byte order of the array. */
    const void *items;
    bool equal; /**< all items equal the first one, bit for bit */
} tess_part;

/**
 * Processes a part; `user` is the argument of tess_array_each(). Runs on several threads at once.
 *
 * @return whether to continue.
 */
typedef tess_each_next tess_each_fn(const tess_part *part, void *user);

/**
 * Call a function with all parts of a box.
 *
 * Parts are passed as they are decoded. If another program changes the file during the call, parts
 * may contain wrong items; only the result of the call, TESS_ERR_STALE, tells.
 *
 * @param a      Open array; any number of threads may read one array at once.
 * @param unit   TESS_BLOCKS or TESS_CHUNKS.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param fn     Called once for each block or chunk that has items inside the box; not at all if
 *                the box is empty. TESS_EACH_CHANGED counts as TESS_EACH_NEXT.
 * @param user   Given to fn; any value.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, also after TESS_EACH_STOP; TESS_ERR_CANCELLED after TESS_EACH_FAIL;
 *         TESS_ERR_ARG (box); TESS_ERR_LIMIT if a chunk (with TESS_CHUNKS) exceeds
 *         tess_limits.memory; else as tess_array_read(). Of several failures, the first one.
 */
TESS_API TESS_NODISCARD tess_status tess_array_each(const tess_array *a, tess_unit unit,
                                                    const int64_t *start, const int64_t *stop,
                                                    tess_each_fn *fn, void *user, tess_error *err);

/**
 * Processes a part and may change it: `items` is part->items, writable. Only the items that the
 * box and strides of the part address may be written. Otherwise as tess_each_fn.
 */
typedef tess_each_next tess_change_fn(const tess_part *part, void *items, void *user);

/**
 * Call a function with all parts of a box, and store the parts that it changes.
 *
 * Parts for which fn returns TESS_EACH_CHANGED are encoded again; all others stay as they are
 * stored. TESS_EACH_STOP keeps all changes made so far, including those to the part for which fn
 * returns it. After a failure, including TESS_EACH_FAIL, the array is as it was.
 *
 * Memory: the changed parts of chunks of about 32 MiB in all, or of one chunk if that is larger,
 * until they are encoded.
 *
 * @param a      Array opened for writing; exclusive access required. fn must not use it either.
 * @param unit   TESS_BLOCKS or TESS_CHUNKS.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param fn     Called once for each block or chunk that has items inside the box.
 * @param user   Given to fn; any value.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, also after TESS_EACH_STOP; TESS_ERR_CANCELLED after TESS_EACH_FAIL; else as
 *         tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_change(tess_array *a, tess_unit unit,
                                                      const int64_t *start, const int64_t *stop,
                                                      tess_change_fn *fn, void *user,
                                                      tess_error *err);

/** A number of any type, without loss of precision. */
typedef struct tess_number {
    /** TESS_KIND_INT: i has the number; TESS_KIND_UINT, also of bool: u; TESS_KIND_FLOAT: f. */
    tess_kind kind;
    int64_t i; /**< of signed integers */
    uint64_t u; /**< of unsigned integers, and bool */
    double f; /**< of floats */
} tess_number;

/** Result of tess_array_statistics(). */
typedef struct tess_statistics {
    int64_t count; /**< items of the box */
    int64_t nonfinite; /**< of these, NaNs and infinities; all members below exclude them */
    tess_number min; /**< minimum; without any item: NaN for floats, 0 for others */
    tess_number max; /**< maximum; without any item as min */
    double sum; /**< of integers the nearest double; of floats see below */
    bool exact; /**< integers only: their sum fits in 64 bits and is `integer` */
    int64_t integer; /**< the sum, if `exact`; else 0 */
    double mean; /**< without any item: NaN */
} tess_statistics;

/**
 * Count, minimum, maximum, sum and mean of the items of a box.
 *
 * For the types bool (counted as 0 and 1), integers of 1, 2, 4 and 8 bytes and IEEE floats of 2, 4
 * and 8 bytes, in both byte orders. Integers are summed exactly. Sums of floats are compensated:
 * they do not depend on the number of threads, and their error is at most 5 units in the last place
 * of the sum of absolute values. If the sum or a partial sum exceeds the range of
 * double, the sum is infinite or NaN, and so is the mean. Chunks without stored items cost almost
 * nothing, whatever their size.
 *
 * @param a      Open array; any number of threads may read one array at once.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param out    Filled on success; undefined after a failure.
 * @param out_size  Size of *out in bytes: the macro passes sizeof(tess_statistics).
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_UNSUPPORTED if items are no such numbers; TESS_ERR_ARG (box); else as
 *         tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_statistics_sized(const tess_array *a,
                                                                const int64_t *start,
                                                                const int64_t *stop,
                                                                tess_statistics *out,
                                                                size_t out_size, tess_error *err);
/** For programs in C and C++: tess_array_statistics_sized() with the size of their struct. */
#define tess_array_statistics(a, start, stop, out, err) \
    tess_array_statistics_sized((a), (start), (stop), (out), sizeof(tess_statistics), (err))

#ifdef __cplusplus
}
#endif

#endif
