/**
 * @file iterate.h
 * All parts of an array, one after the other: looked at, or changed, by many threads.
 *
 * A program gives a function that does something with one block or chunk; the library decodes and
 * hands them out, several at once, in any order. A block is handed out where it was decoded, while
 * it is in the cache of the CPU that works on it, which saves a copy to memory and back.
 *
 *     static tess_each_next
 *     look(const tess_part *part, void *user) { ... return TESS_EACH_NEXT; }
 *
 *     tess_array_each(a, TESS_BLOCKS, NULL, NULL, look, user, &err);
 *
 * The function runs on threads of the library and of the caller, on several at once if the context
 * of the array allows more than one. It must not leave by longjmp() or an exception, and must not
 * fork and return in the child. It is not called any more when the call has returned. It may read
 * the array while tess_array_each() goes over it; while tess_array_change() does, nobody may use
 * the array otherwise.
 *
 * Pointers must be given, if nothing else is said; what is missing is TESS_ERR_ARG. See array.h for
 * threads and persistence. test/examples/iterate.c is a complete program.
 */
#ifndef TESSERA_ITERATE_H
#define TESSERA_ITERATE_H

#include "tessera/array.h"
#include "tessera/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is handed out. */
typedef enum tess_unit {
    /**
     * The blocks of the grid. Arrays that have none hand out their chunks: plain frames, arrays of
     * Caterva before 0.4, and views, whose chunks are boxes of the shape that tess_info says.
     */
    TESS_BLOCKS = 0,
    /**
     * Chunks, their items put together in C order. This takes the memory of one chunk for each
     * thread, and a copy.
     */
    TESS_CHUNKS = 1
} tess_unit;

/** What a function of the program wants next. */
typedef enum tess_each_next {
    TESS_EACH_NEXT = 0, /**< go on; a part that could be changed is as it was */
    TESS_EACH_CHANGED = 1, /**< go on; the part was changed (tess_array_change() only) */
    TESS_EACH_STOP = 2, /**< enough: no other part is begun, the call returns TESS_OK */
    TESS_EACH_FAIL = 3 /**< no other part is begun, the call returns TESS_ERR_CANCELLED */
} tess_each_next;

/**
 * A block or chunk as far as it lies inside the box and the array; at least one item. Belongs to
 * the library, with all it points to, and lasts as long as the function that it was given to.
 */
typedef struct tess_part {
    int ndim; /**< dimensions of the array; of the lists below so many count */
    int64_t chunk; /**< number of the chunk, in C order of the grid */
    int64_t block; /**< number of the block in its chunk, in C order; -1: the part is of a chunk */
    int64_t start[TESS_MAX_NDIM]; /**< index of its first item in the array */
    int64_t shape[TESS_MAX_NDIM]; /**< items per axis, >= 1 */
    int64_t strides[TESS_MAX_NDIM]; /**< bytes from an item to the next; the last: one item */
    /** The first item, aligned as items of its type need it, in the byte order of the array. */
    const void *items;
} tess_part;

/**
 * Looks at a part; `user` is what tess_array_each() was given. Runs on several threads at once.
 *
 * @return what is wanted next.
 */
typedef tess_each_next tess_each_fn(const tess_part *part, void *user);

/**
 * Look at all parts of a box.
 *
 * Parts come as they are decoded. What is seen of a file that another program changes meanwhile may
 * be wrong, and is known to be so only when the call returns TESS_ERR_STALE.
 *
 * @param a      Open array; any number of threads may read one array at once.
 * @param unit   TESS_BLOCKS or TESS_CHUNKS.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param fn     Called once for each block or chunk that has items inside the box; not at all if
 *               that has none. TESS_EACH_CHANGED is taken for TESS_EACH_NEXT.
 * @param user   Given to fn; any value.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, also after TESS_EACH_STOP; TESS_ERR_CANCELLED after TESS_EACH_FAIL;
 *         TESS_ERR_ARG (box); TESS_ERR_LIMIT if a chunk that is to be put together exceeds
 *         tess_limits.memory; else as tess_array_read(). Of several failures the first one counts.
 */
TESS_API TESS_NODISCARD tess_status tess_array_each(const tess_array *a, tess_unit unit,
                                                    const int64_t *start, const int64_t *stop,
                                                    tess_each_fn *fn, void *user, tess_error *err);

/**
 * The items of a part may be set through `items`, which is part->items: those that the shape and
 * strides of the part lead to, and no others. Otherwise as tess_each_fn.
 */
typedef tess_each_next tess_change_fn(const tess_part *part, void *items, void *user);

/**
 * Look at all parts of a box, and change some.
 *
 * Parts that fn says it has changed (TESS_EACH_CHANGED) are encoded again, all others stay as they
 * are stored. What fn did to a part is kept also if it wants to stop afterwards, with
 * TESS_EACH_STOP; so is what it did to others until then. After a failure, which TESS_EACH_FAIL is
 * one of, the array is as it was.
 *
 * Takes memory for the changed parts of chunks of about 32 MiB in all, or of one chunk if that has
 * more, until they are encoded.
 *
 * @param a      Array opened for writing. Nobody else may use it meanwhile, nor may fn.
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

/** A number without loss, whatever its type. */
typedef struct tess_number {
    /** TESS_KIND_INT: see i; TESS_KIND_UINT: u; TESS_KIND_FLOAT: f. Others are 0. */
    tess_kind kind;
    int64_t i; /**< of signed integers */
    uint64_t u; /**< of unsigned integers, and bool */
    double f; /**< of floats */
} tess_number;

/** What tess_array_statistics() found. */
typedef struct tess_statistics {
    int64_t count; /**< items of the box */
    int64_t nonfinite; /**< of these, NaNs and infinities, which all below leaves out */
    tess_number min; /**< the least; without any item: NaN for floats, 0 for others */
    tess_number max; /**< the greatest; as min without any item */
    double sum; /**< of integers the nearest double; of floats accurate, but see below */
    bool exact; /**< integers only: their sum fits in 64 bits and is `integer` */
    int64_t integer; /**< the sum, if `exact`; else 0 */
    double mean; /**< without any item: NaN */
} tess_statistics;

/**
 * Count, least, greatest, sum and mean of the items of a box.
 *
 * For the types bool (counted as 0 and 1), integers of 1, 2, 4 and 8 bytes and IEEE floats of 2, 4
 * and 8 bytes, in both byte orders. Integers are summed exactly. Sums of floats are compensated:
 * they do not depend on the number of threads, and their error is at most 5 units in the last place
 * of the sum of absolute values. A sum beyond the range of double, also in between, is infinite or
 * NaN, and so is the mean. Chunks without stored items cost next to nothing, however large.
 *
 * @param a      Open array; any number of threads may read one array at once.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param out    Filled on success; after a failure it holds anything.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_UNSUPPORTED if items are no such numbers; TESS_ERR_ARG (box); else as
 *         tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_statistics(const tess_array *a, const int64_t *start,
                                                          const int64_t *stop, tess_statistics *out,
                                                          tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
