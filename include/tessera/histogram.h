/**
 * @file histogram.h
 * Histograms of values: how many items of a box lie in each of several adjoining bins.
 *
 *     int64_t counts[100];
 *     tess_bins bins;
 *     tess_bins_init(&bins);
 *     bins.nbins = 100;
 *     bins.lo = 0;
 *     bins.hi = 50;
 *     TRY(tess_array_histogram(a, NULL, NULL, &bins, counts, sizeof counts, NULL, &err));
 *
 * To count events by their coordinates, see tess_array_add_points() in select.h.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads.
 * Example: test/examples/histogram.c.
 */
#ifndef TESSERA_HISTOGRAM_H
#define TESSERA_HISTOGRAM_H

#include "tessera/array.h"
#include "tessera/iterate.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bins: bin i contains the items x with edge[i] <= x < edge[i + 1]; the last bin also contains the
 * items that equal the last edge. So a bin whose two edges are equal is empty, unless it is the
 * last one. Initialise with tess_bins_init().
 */
typedef struct tess_bins {
    size_t struct_size; /**< set by tess_bins_init() */
    /** Number of bins, 1 to 2^30 - 1. Default 10. */
    int64_t nbins;
    /**
     * If `edges` is NULL: the first and the last edge, lo <= hi; hi - lo is finite, too. The edges
     * are the doubles of numpy.linspace(lo, hi, nbins + 1), as for numpy.histogram() with
     * range=(lo, hi). Items are compared with them exactly; NumPy rounds integers beyond 2^53 to
     * doubles first. If lo == hi, the first edge is lo - 0.5 and the last one hi + 0.5. Default 0
     * and 1.
     */
    double lo;
    double hi; /**< see lo */
    /**
     * nbins + 1 edges in ascending order (equal ones are allowed), of any kinds, infinities
     * included, no NaN. They are compared with items exactly, even if an item or edge is no exact
     * double. Default NULL: bins of equal width.
     */
    const tess_number *edges;
} tess_bins;

/**
 * Fill *bins with the defaults.
 *
 * @param bins         Receives them.
 * @param struct_size  Size of *bins in bytes: the macro passes sizeof(tess_bins).
 */
TESS_API void tess_bins_init_sized(tess_bins *bins, size_t struct_size);
/** For programs in C and C++: tess_bins_init_sized() with the size of their struct. */
#define tess_bins_init(bins) tess_bins_init_sized((bins), sizeof(tess_bins))

/** How many items are in no bin. Filled by tess_array_histogram(). */
typedef struct tess_outside {
    int64_t below; /**< less than the first edge */
    int64_t above; /**< greater than the last edge */
    int64_t nan; /**< not a number */
} tess_outside;

/**
 * Count the items of a box in bins.
 *
 * For bool (0 and 1), integers of 1, 2, 4 and 8 bytes and floats of 2, 4 and 8 bytes, in both byte
 * orders. Blocks are counted as they are decoded, by all threads of the call; chunks without stored
 * items cost almost nothing, whatever their size. Counts do not depend on the number of threads.
 *
 * Memory: for each working thread, 16 bytes per bin, or 64 if there are few bins, and up to 512
 * KiB. Cost: items of 1 and 2 bytes are counted in a table of all values. For larger items, bins of
 * equal width are computed, in about half a nanosecond per item; bins of given edges are looked up
 * in a table, in one to a few nanoseconds, more where many edges lie close together.
 *
 * @param a             Open array, or a view; any number of threads may read one array at once.
 * @param start         First index per axis, as in tess_array_read(). NULL, together with stop: all
 *                      items.
 * @param stop          One past the last index per axis.
 * @param bins          The bins; used during the call only.
 * @param counts        Receives nbins numbers: the count of each bin.
 * @param counts_size   Size of counts in bytes. More than needed is fine.
 * @param outside       Receives how many items are in no bin; may be NULL.
 * @param outside_size  Size of *outside in bytes: the macro passes sizeof(tess_outside).
 * @param err           Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (box, bins, size of counts); TESS_ERR_UNSUPPORTED if items are no
 *         such numbers; else as tess_array_read(). After a failure counts and *outside are
 *         undefined.
 */
TESS_API TESS_NODISCARD tess_status
tess_array_histogram_sized(const tess_array *a, const int64_t *start, const int64_t *stop,
                           const tess_bins *bins, int64_t *counts, size_t counts_size,
                           tess_outside *outside, size_t outside_size, tess_error *err);
/** For programs in C and C++: tess_array_histogram_sized() with the size of their struct. */
#define tess_array_histogram(a, start, stop, bins, counts, counts_size, outside, err)            \
    tess_array_histogram_sized((a), (start), (stop), (bins), (counts), (counts_size), (outside), \
                               sizeof(tess_outside), (err))

#ifdef __cplusplus
}
#endif

#endif
