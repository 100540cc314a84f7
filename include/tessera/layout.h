/**
 * @file layout.h
 * Find the chunks, blocks, codec and filters in which a given use of an array costs least.
 *
 * The use is a mix of accesses: boxes that are read or written, appended items, each with a weight.
 * Three calls, from quick to thorough:
 *
 * - tess_layout_propose(): a model predicts the time of the mix in many layouts, and the call lists
 *   the best. No data is needed; it takes milliseconds.
 * - tess_tuner_measure(): measures one layout on a sample of the array.
 * - tess_tuner_search(): proposes, measures and ranks layouts until the time is over.
 *
 *     tess_tuner *tuner = NULL;
 *     tess_tuner_options options;
 *     tess_layout_result best;
 *
 *     tess_tuner_options_init(&options);
 *     options.budget = 10;
 *     st = tess_tuner_open(a, NULL, &options, &tuner, &err);
 *     if (st == TESS_OK)
 *         st = tess_tuner_search(tuner, &err);
 *     if (st == TESS_OK)
 *         st = tess_tuner_result(tuner, tess_tuner_find(tuner, TESS_ROLE_BEST), &best, &err);
 *     tess_tuner_close(tuner);
 *
 * tess_layout_apply() then puts best.params into the parameters of a new array, for example those
 * of a copy.
 *
 * Sizes are bytes, times seconds, lengths items; axes are in C order, the slowest first. A tuner
 * is used by one thread at a time. Unless a comment says otherwise, no pointer may be NULL
 * (TESS_ERR_ARG). Example: test/examples/layout.c. What shapes mean: layouts.rst of the manual.
 */
#ifndef TESSERA_LAYOUT_H
#define TESSERA_LAYOUT_H

#include "tessera/array.h"
#include "tessera/context.h"
#include "tessera/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of accesses in a mix. */
#define TESS_MAX_ACCESSES 16
/** Size of the name of an access, the NUL included. */
#define TESS_ACCESS_NAME_SIZE 64
/** Length of a box along an axis of which it has all items. */
#define TESS_ACCESS_WHOLE ((int64_t)-1)

/** What an access does. */
typedef enum tess_access_kind {
    TESS_ACCESS_READ = 0, /**< reads a box at a random place */
    TESS_ACCESS_UPDATE = 1, /**< writes a box at a random place */
    TESS_ACCESS_APPEND = 2, /**< appends a box along `axis` */
    TESS_ACCESS_WRITE = 3 /**< creates the array from its items; the box is ignored */
} tess_access_kind;

/** One access of a mix. */
typedef struct tess_access {
    /** sizeof(tess_access) of the program, which is also the distance of one in a list from the
       next; set by tess_access_init(). */
    size_t struct_size;
    tess_access_kind kind; /**< what is done */
    int axis; /**< TESS_ACCESS_APPEND: the axis that grows; otherwise ignored */
    /**
     * Length of the box along each axis, >= 1, or TESS_ACCESS_WHOLE. What is longer than the array
     * counts as whole.
     */
    int64_t extent[TESS_MAX_NDIM];
    double weight; /**< how often the access is done, > 0 */
    char name[TESS_ACCESS_NAME_SIZE]; /**< for output; NUL-terminated, may be empty */
} tess_access;

/**
 * Set the defaults: a read of one item, of weight 1, without a name.
 *
 * @param access       Receives them.
 * @param struct_size  Size of *access in bytes: the macro passes sizeof(tess_access).
 */
TESS_API void tess_access_init_sized(tess_access *access, size_t struct_size);
/** For programs in C and C++: tess_access_init_sized() with the size of their struct. */
#define tess_access_init(access) tess_access_init_sized((access), sizeof(tess_access))

/**
 * Parse a mix of accesses, such as "plane:0*10,row,point*100".
 *
 * Accesses are separated by commas; `*WEIGHT` behind an access says how often it is done (default
 * 1):
 *
 *     full            all items are read
 *     plane:K[:N]     one index (N of them) of axis K, and all of the other axes
 *     line:K          all of axis K, and one index of the other axes
 *     row             the same along the last axis
 *     point           one item
 *     box:SHAPE       a box of that shape, such as box:8x64x64
 *     update:SHAPE    such a box is written
 *     append:K[:N]    axis K grows by one index (N of them)
 *     write           all items are written
 *
 * K may be negative: -1 is the last axis. Lengths beyond the shape are cut. The name of each access
 * is its text, without the weight.
 *
 * @param text       The mix. NULL: the default mix: full, a plane across each axis (weight 10) and
 *                   points (weight 100).
 * @param ndim       Dimensions of the array, 0 to TESS_MAX_NDIM.
 * @param shape      Its shape, ndim values.
 * @param accesses   Receives the accesses.
 * @param access_size  Size of one in bytes: the macro passes sizeof(tess_access).
 * @param most       Room of accesses; TESS_MAX_ACCESSES is always enough.
 * @param naccesses  Receives their number, >= 1.
 * @param err        Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, also if there is not enough room; then accesses and naccesses
 *         are undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_access_parse_sized(const char *text, int ndim,
                                                            const int64_t *shape,
                                                            tess_access *accesses,
                                                            size_t access_size, int most,
                                                            int *naccesses, tess_error *err);
/** For programs in C and C++: tess_access_parse_sized() with the size of their struct. */
#define tess_access_parse(text, ndim, shape, accesses, most, naccesses, err)                  \
    tess_access_parse_sized((text), (ndim), (shape), (accesses), sizeof(tess_access), (most), \
                            (naccesses), (err))

/** What of the given parameters a search keeps; bits of tess_tuner_options.keep. */
enum {
    TESS_KEEP_CHUNKS = 1 << 0, /**< chunkshape */
    TESS_KEEP_BLOCKS = 1 << 1, /**< blockshape */
    TESS_KEEP_CODEC = 1 << 2, /**< codec and codec_meta */
    TESS_KEEP_LEVEL = 1 << 3, /**< clevel */
    TESS_KEEP_FILTERS = 1 << 4 /**< filters and filters_meta */
};

/** Options of proposals and searches. Fill it with tess_tuner_options_init(). */
typedef struct tess_tuner_options {
    size_t struct_size; /**< sizeof(tess_tuner_options) of the program; set by the init */
    const tess_access *accesses; /**< the mix; NULL: the default mix of tess_access_parse() */
    int naccesses; /**< their number, at most TESS_MAX_ACCESSES; 0 if accesses is NULL */
    /** TESS_KEEP_ bits: what stays as the parameters say. Default 0: all is searched. */
    unsigned keep;
    /**
     * threads: of the measured calls. cache: blocks that an array keeps between appends (reads are
     * measured without a cache). progress: told of measurements and of the search, which it can
     * cancel; `total` of a search is its budget. Copied. NULL: tess_context_init().
     */
    const tess_context *context;
    double budget; /**< seconds that tess_tuner_search() takes, about; >= 0. Default 60 */
    int64_t sample; /**< maximum size of the sample, in bytes, >= 0. Default 32 MiB */
    /** Assumed speed of the disk, bytes per second; 0: files are in memory. Default 1e9. */
    double disk_speed;
    double disk_latency; /**< assumed seconds until a chunk arrives, >= 0. Default 0 */
    /**
     * Search: after the budget measure all grids whose axes are divided by powers of two, however
     * long that takes. Default false.
     */
    bool exhaustive;
    /**
     * A layout to compare with (TESS_ROLE_STORED): its shapes, codec and filters. NULL (default):
     * none, or in tess_tuner_open() that of the array.
     */
    const tess_params *stored;
} tess_tuner_options;

/**
 * Set the defaults, which the members tell.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_tuner_options).
 */
TESS_API void tess_tuner_options_init_sized(tess_tuner_options *options, size_t struct_size);
/** For programs in C and C++: tess_tuner_options_init_sized() with the size of their struct. */
#define tess_tuner_options_init(options) \
    tess_tuner_options_init_sized((options), sizeof(tess_tuner_options))

/**
 * List the layouts in which a model expects the mix to take the least time.
 *
 * Only shapes of chunks and blocks are proposed: codec, level and filters are those of params. The
 * model counts chunks, blocks and bytes that an access meets; prices are typical ones of the codec.
 * It ranks layouts roughly: measure the first few.
 *
 * @param params   The array: type, shape without empty axes, one dimension at least; and what is to
 *                 be kept.
 * @param options  May be NULL: the defaults. budget, sample and exhaustive are ignored.
 * @param most     Room of the two lists, >= 1; there are never more than 64 proposals.
 * @param layouts  Receives the layouts, the best first. Pointers in them are those of params.
 * @param layout_size  Size of one in bytes: the macro passes sizeof(tess_params).
 * @param seconds  Receives the predicted time of the mix in each. May be NULL.
 * @param count    Receives the number of proposals, 1 to most.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG; TESS_ERR_LIMIT if the array has 2^63 bytes or more;
 *         TESS_ERR_UNSUPPORTED, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_layout_propose_sized(const tess_params *params,
                                                              const tess_tuner_options *options,
                                                              int most, tess_params *layouts,
                                                              size_t layout_size, double *seconds,
                                                              int *count, tess_error *err);
/** For programs in C and C++: tess_layout_propose_sized() with the size of their struct. */
#define tess_layout_propose(params, options, most, layouts, seconds, count, err)           \
    tess_layout_propose_sized((params), (options), (most), (layouts), sizeof(tess_params), \
                              (seconds), (count), (err))

/**
 * Give a description the layout of another: shapes of chunks and blocks, codec, level, filters,
 * split and dictionary. All else stays.
 *
 * @param params  For the array to create; by tess_array_params() or tess_params_init().
 * @param layout  A proposal, or what tess_tuner_get_layout() tells.
 */
TESS_API void tess_layout_apply(tess_params *params, const tess_params *layout);

/** A sample of an array, and the layouts that were measured on it. */
typedef struct tess_tuner tess_tuner;

/**
 * Take a sample of an array.
 *
 * An array that is not larger than the sample is taken as a whole. Otherwise its longest axes are
 * shortened, and of a shortened axis up to four pieces are taken at equal distances. The array
 * itself is not used after the call, nor changed.
 *
 * @param a        Open array without empty axes, with one dimension at least.
 * @param params   What the search starts from, and keeps; its type and shape are ignored. NULL: the
 *                 defaults of tess_params_init(). Strings, metalayers and fill value that it refers
 *                 to must live as long as the tuner.
 * @param options  May be NULL: the defaults. What it refers to is copied.
 * @param tuner    Receives the tuner; end it with tess_tuner_close(). NULL after a failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG, TESS_ERR_LIMIT, TESS_ERR_NOMEM; else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_tuner_open(const tess_array *a, const tess_params *params,
                                                    const tess_tuner_options *options,
                                                    tess_tuner **tuner, tess_error *err);

/**
 * Reads the box [start, stop) of the data that a tuner samples into dst, in C order without gaps.
 * dst_size is the size of the box in bytes. Called by the thread that opens the tuner.
 *
 * @return TESS_OK, or a failure with *err filled, which the opening call returns.
 */
typedef tess_status tess_tuner_read_fn(const int64_t *start, const int64_t *stop, void *dst,
                                       size_t dst_size, void *user, tess_error *err);

/**
 * Take a sample of data that is no array yet.
 *
 * @param params   Type and shape of the data, without empty axes, one dimension at least; what the
 *                 search starts from, and keeps. Lifetimes as in tess_tuner_open().
 * @param read     Reads boxes of the data. NULL: there is no data; a smooth field with noise is
 *                 generated, the same for each tuner.
 * @param user     Passed to read; any value.
 * @param options  As in tess_tuner_open().
 * @param tuner    As in tess_tuner_open().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG, TESS_ERR_LIMIT, TESS_ERR_NOMEM; or what read returns.
 */
TESS_API TESS_NODISCARD tess_status tess_tuner_open_from(const tess_params *params,
                                                         tess_tuner_read_fn *read, void *user,
                                                         const tess_tuner_options *options,
                                                         tess_tuner **tuner, tess_error *err);

/**
 * Close a tuner and free its sample.
 *
 * @param tuner  May be NULL. Invalid afterwards.
 */
TESS_API void tess_tuner_close(tess_tuner *tuner);

/** Properties of a tuner. The pointers belong to it and are valid until it is closed. */
typedef struct tess_tuner_info {
    int ndim; /**< dimensions of the array and of the sample */
    int64_t sample_shape[TESS_MAX_NDIM]; /**< shape of the sample */
    const void *sample; /**< its items, in C order without gaps */
    size_t sample_size; /**< bytes of the sample */
    bool whole; /**< the sample is the array */
    int threads; /**< threads of the measured calls */
    int64_t caches[3]; /**< bytes of the data caches L1, L2, L3; typical ones if not known */
    double disk_speed; /**< as in the options */
    double disk_latency; /**< as in the options */
    int naccesses; /**< accesses of the mix; tess_tuner_get_access() has them */
    int count; /**< layouts that the search has measured */
    double seconds; /**< that the search took */
    /** The search ended before it had measured all that it wanted to measure. */
    bool cut_short;
} tess_tuner_info;

/**
 * Get the properties of a tuner.
 *
 * @param tuner      Open tuner.
 * @param info       Filled.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_tuner_info).
 */
TESS_API void tess_tuner_get_info_sized(const tess_tuner *tuner, tess_tuner_info *info,
                                        size_t info_size);
/** For programs in C and C++: tess_tuner_get_info_sized() with the size of their struct. */
#define tess_tuner_get_info(tuner, info) \
    tess_tuner_get_info_sized((tuner), (info), sizeof(tess_tuner_info))

/**
 * Get an access of the mix.
 *
 * @param tuner   Open tuner.
 * @param index   0 <= index < tess_tuner_info.naccesses.
 * @param access  Filled if the result is true.
 * @param access_size  Size of *access in bytes: the macro passes sizeof(tess_access).
 *
 * @return false if there is no such index.
 */
TESS_API bool tess_tuner_get_access_sized(const tess_tuner *tuner, int index, tess_access *access,
                                          size_t access_size);
/** For programs in C and C++: tess_tuner_get_access_sized() with the size of their struct. */
#define tess_tuner_get_access(tuner, index, access) \
    tess_tuner_get_access_sized((tuner), (index), (access), sizeof(tess_access))

/** Why a layout was measured; bits of tess_layout_result.roles. */
enum {
    TESS_ROLE_BEST = 1 << 0, /**< the result of the search; exactly one layout has this role */
    TESS_ROLE_AUTOMATIC = 1 << 1, /**< what the library chooses if no shapes are given */
    TESS_ROLE_BLOSC2 = 1 << 2, /**< what python-blosc2 3 chooses if no shapes are given */
    TESS_ROLE_STORED = 1 << 3, /**< tess_tuner_options.stored */
    TESS_ROLE_PROPOSED = 1 << 4, /**< the best one before all grids were measured (exhaustive) */
    TESS_ROLE_FINAL = 1 << 5 /**< measured in the last rounds: its times are medians of several */
};

/** Cost of one access. */
typedef struct tess_access_cost {
    double seconds; /**< time on the array, the disk included */
    double disk; /**< of these, waiting for the disk (calculated, not measured) */
    double measured; /**< time on the sample */
} tess_access_cost;

/** A measured layout. */
typedef struct tess_layout_result {
    unsigned roles; /**< TESS_ROLE_ bits; 0 for most */
    int rounds; /**< how often it was measured; times are medians */
    double ratio; /**< uncompressed / compressed bytes of the sample */
    double write; /**< seconds to create an array from the sample */
    double read; /**< seconds to read all of that array */
    int naccesses; /**< accesses of the mix */
    tess_access_cost accesses[TESS_MAX_ACCESSES]; /**< cost of each */
    double seconds; /**< time of the whole mix, each access as often as its weight says */
    bool optimal; /**< search: no other layout is both smaller and faster */
} tess_layout_result;

/**
 * Measure one layout, once.
 *
 * The sample becomes an array in memory in that layout, is read as a whole, and accessed as the mix
 * says, at places that are the same for every layout, without a cache of decoded blocks. Times of
 * accesses are scaled from the sample to the array. For figures that hold, measure layouts in turns
 * several times, and take medians, as tess_tuner_search() does.
 *
 * @param tuner      Open tuner.
 * @param layout     Shapes of chunks and blocks (all 0: chosen), codec, level, filters and split;
 *                   the rest is ignored.
 * @param accesses   A mix; NULL: none, result->seconds is 0.
 * @param naccesses  Its number of accesses, 0 to TESS_MAX_ACCESSES.
 * @param threads    Threads of the measured calls; 0: as the context of the tuner says.
 * @param result     Filled on success, with rounds = 1 and no roles; undefined after a failure.
 * @param result_size  Size of *result in bytes: the macro passes sizeof(tess_layout_result).
 * @param err        Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_CANCELLED; TESS_ERR_NOMEM; else as tess_array_from().
 */
TESS_API TESS_NODISCARD tess_status tess_tuner_measure_sized(
    tess_tuner *tuner, const tess_params *layout, const tess_access *accesses, int naccesses,
    int threads, tess_layout_result *result, size_t result_size, tess_error *err);
/** For programs in C and C++: tess_tuner_measure_sized() with the size of their struct. */
#define tess_tuner_measure(tuner, layout, accesses, naccesses, threads, result, err)          \
    tess_tuner_measure_sized((tuner), (layout), (accesses), (naccesses), (threads), (result), \
                             sizeof(tess_layout_result), (err))

/**
 * Find the layout in which the mix takes the least time, within the budget.
 *
 * Measured are: the known layouts (automatic, python-blosc2's, stored); the proposals of the model;
 * neighbours of the best ones; the best grid with other codecs, levels and filters, none of which
 * loses anything; neighbours again; at last the best and the known layouts in turns, several
 * rounds. A lossy codec or filter is considered only if the parameters have one. However small the
 * budget, the known layouts are measured. A second search replaces the results of the first.
 *
 * @param tuner  Open tuner.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_CANCELLED; TESS_ERR_ARG or TESS_ERR_UNSUPPORTED if no array can be
 *         made with the given parameters; TESS_ERR_NOMEM. After a failure there are no results.
 */
TESS_API TESS_NODISCARD tess_status tess_tuner_search(tess_tuner *tuner, tess_error *err);

/**
 * One result of the search.
 *
 * @param tuner   Open tuner.
 * @param rank    0: least time of the mix, up to tess_tuner_info.count - 1. TESS_ROLE_BEST need not
 *                have rank 0: layouts that are only there to compare with, without what is to be
 *                kept, and layouts that were measured once, may precede it.
 * @param result  Filled on success.
 * @param result_size  Size of *result in bytes: the macro passes sizeof(tess_layout_result).
 * @param err     Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if there is no such rank.
 */
TESS_API TESS_NODISCARD tess_status tess_tuner_result_sized(const tess_tuner *tuner, int rank,
                                                            tess_layout_result *result,
                                                            size_t result_size, tess_error *err);
/** For programs in C and C++: tess_tuner_result_sized() with the size of their struct. */
#define tess_tuner_result(tuner, rank, result, err) \
    tess_tuner_result_sized((tuner), (rank), (result), sizeof(tess_layout_result), (err))

/** Rank of the layout that tess_tuner_measure() measured last. */
#define TESS_RANK_MEASURED (-1)

/**
 * Get the description of an array in a layout that was measured.
 *
 * @param tuner   Open tuner.
 * @param rank    As in tess_tuner_result(), or TESS_RANK_MEASURED.
 * @param params  Receives the description. Pointers in it are those of the parameters of the tuner;
 *                dtype of a tuner on an array is valid until the tuner is closed.
 * @param params_size  Size of *params in bytes: the macro passes sizeof(tess_params).
 *
 * @return false if there is no such rank.
 */
TESS_API bool tess_tuner_get_layout_sized(const tess_tuner *tuner, int rank, tess_params *params,
                                          size_t params_size);
/** For programs in C and C++: tess_tuner_get_layout_sized() with the size of their struct. */
#define tess_tuner_get_layout(tuner, rank, params) \
    tess_tuner_get_layout_sized((tuner), (rank), (params), sizeof(tess_params))

/**
 * Find a layout by its role.
 *
 * @param tuner  Open tuner.
 * @param role   One of the TESS_ROLE_ bits.
 *
 * @return the lowest rank of a layout with that role; -1 if the search has measured none.
 */
TESS_API int tess_tuner_find(const tess_tuner *tuner, unsigned role);

#ifdef __cplusplus
}
#endif

#endif
