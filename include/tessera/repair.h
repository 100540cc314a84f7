/**
 * @file repair.h
 * Compacting an array, and recovering a damaged one.
 */
#ifndef TESSERA_REPAIR_H
#define TESSERA_REPAIR_H

#include "tessera/storage.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Make a file or directory as small as its last commit.
 *
 * Overwriting leaves holes that later writes fill; usually they take about a quarter of the live
 * data, and after closing the file has at most 2.1 times the live data plus 1 MiB (array.h). This
 * call removes them, and also what crashed programs left, and the unused space of programs that
 * keep no list of holes. Chunks stay as they are stored; nothing is decompressed.
 *
 * A file: the last commit is written to a new file beside it, chunks without gaps and in order. The
 * new file takes name and permissions of the old one after it is completely on the disk; until then
 * the old file is untouched, so there must be space for both. Other names of the old file (hard
 * links) keep the old content. If the new file would not be smaller, the old one stays.
 *
 * A directory: files that the last commit does not need are removed, and chunks in files that are
 * longer than the chunk are moved to new files.
 *
 * During the call no other program can open the array for writing. Handles that have the file open
 * for reading go on reading the old file, until tess_array_refresh(). Reading through a handle
 * of a directory may be TESS_ERR_STALE until then.
 *
 * @param storage  Used are path, durability, checksums, limits and context; plugins are not needed.
 *                 No image, offset or mmap. With TESS_DURABILITY_NONE a crash of the machine may
 *                 leave neither the old file nor the new one. The function
 *                 context->progress receives bytes of items, and may cancel.
 * @param before   Receives the old size of the file, or of all files of the directory, in bytes.
 *                 May be NULL.
 * @param after    Receives the new size. May be NULL.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_open() with TESS_MODE_UPDATE; TESS_ERR_CORRUPT if chunks
 *         do not match their checksums, or share bytes; TESS_ERR_UNSUPPORTED if another frame
 *         follows this one in the file; TESS_ERR_STALE if another program that uses no locks
 *         changed the file during the call; TESS_ERR_IO, TESS_ERR_CANCELLED. After a failure, as
 *         after a crash at any moment, the array is as it was and can be opened.
 */
TESS_API TESS_NODISCARD tess_status tess_compact(const tess_storage *storage, int64_t *before,
                                                 int64_t *after, tess_error *err);

/** A chunk that could not be recovered: in the new array its items have the fill value. */
typedef struct tess_lost {
    int64_t chunk; /**< its number, in C order of the grid */
    int ndim; /**< dimensions of the array */
    /** Its box [start, stop) in items, clipped to the array, ndim values each. */
    const int64_t *start;
    const int64_t *stop; /**< one past the last index per axis */
    const char *why; /**< the reason, in one sentence */
} tess_lost;

/**
 * Receives each lost chunk, in ascending order, on the thread that called tess_repair(). *lost is
 * valid until the function returns.
 */
typedef void tess_lost_fn(const tess_lost *lost, void *user);

/** Options of tess_repair(). Fill it with tess_repair_options_init(). */
typedef struct tess_repair_options {
    size_t struct_size; /**< sizeof(tess_repair_options) of the program; set by the init */
    tess_lost_fn *lost; /**< called for each lost chunk; NULL (default): not called */
    void *user; /**< passed to lost; any value */
    /**
     * If the header differs from the copy that the last commit stored, use the header, provided it
     * can be read. Other programs write only the header when they change metalayers, or a shape
     * within the same chunks; damage cannot be distinguished from that. Default false: use the
     * copy.
     */
    bool keep_header;
    /**
     * If too little is left of the newest state, recover an older state, if its space was not
     * reused. Default false: TESS_ERR_CORRUPT, and the message says that an older state exists.
     * The same holds if the header is lost, and the damaged bytes behind it may have contained a
     * newer state than those found.
     */
    bool older;
    /**
     * If the index is lost, and nothing else proves the numbers of the chunks, assume that chunks
     * were stored in the order of their numbers, that all were stored (none was omitted because it
     * has only zeros), and that none was overwritten. Default false: chunks whose number is not
     * proven are not copied, and are counted in report->nunplaced.
     */
    bool in_order;
} tess_repair_options;

/** Where a part of a repaired array comes from (tess_repair_report). */
typedef enum tess_repair_source {
    TESS_REPAIR_LOST = 0, /**< nowhere: it is lost. Of the list of chunks: no position is known */
    /** Its regular place: the header at the start, index and trailer where the header says. */
    TESS_REPAIR_IN_PLACE,
    TESS_REPAIR_LEDGER, /**< the ledger, with the copy of the header and the list of chunks */
    /** An index that was found by a search; its trailer ends where the header says. */
    TESS_REPAIR_SEARCH,
    TESS_REPAIR_METALAYER, /**< rebuilt from the shape in the metalayer `b2nd` or `caterva` */
    TESS_REPAIR_ORDER, /**< the order of the chunks in the file (options->in_order) */
} tess_repair_source;

/**
 * Set the defaults: no function, use the copy of the header, newest state only.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_repair_options).
 */
TESS_API void tess_repair_options_init_sized(tess_repair_options *options, size_t struct_size);
/** For programs in C and C++: tess_repair_options_init_sized() with the size of their struct. */
#define tess_repair_options_init(options) \
    tess_repair_options_init_sized((options), sizeof(tess_repair_options))

/** Result of tess_repair(). */
typedef struct tess_repair_report {
    int64_t nchunks; /**< chunks of the array */
    int64_t nlost; /**< lost chunks, whose items have the fill value now */
    int64_t nfound; /**< chunks that were not where the index says, but found by a search */
    /** Chunks copied without any check: they have no checksum, and their codec is missing. */
    int64_t nuntried;
    int nlayers_lost; /**< metalayers and attributes that could not be read, at least */
    bool header_damaged; /**< damaged, or changed by another program: see keep_header */
    /**
     * The index could not be used, and the list of chunks was rebuilt from other data; or, if
     * `checked` is false, the index may be wrong, with chunks in the places of others.
     */
    bool index_damaged;
    bool trailer_damaged; /**< metalayers of variable length were read one by one */
    bool checked; /**< chunks were compared with checksums; false: they were only decoded */
    /** Chunks got numbers by their order in the file, which is not proven (options->in_order). */
    bool in_order;
    bool older; /**< an older state was recovered (options->older) */
    uint64_t commit; /**< number of the recovered commit; 0: unknown */
    /**
     * Chunks without a checksum: they could be decoded, which does not prove that their items are
     * right. If nothing confirms the list of chunks, all chunks are counted.
     */
    int64_t nunconfirmed;
    /** Metalayers and attributes that were copied without a checksum to confirm them. */
    int nlayers_unconfirmed;
    /** The checksums of the chunks are damaged: chunks were only decoded. */
    bool checksums_damaged;
    /**
     * The new array certainly holds everything that the last commit wrote: nothing is lost, and all
     * of it was compared with checksums of that commit. `tess repair` then exits with 0. Always
     * false for files of other programs, even without chunks and metalayers, because nothing
     * confirms the header.
     */
    bool complete;
    /**
     * What the new array holds: chunks whose stored items were recovered, and chunks that the old
     * array did not store either (zeros, NaN, never written). With nlost they add up to nchunks.
     */
    int64_t nstored;
    int64_t nspecial; /**< see nstored */
    int64_t nitems_lost; /**< items of the lost chunks, without padding */
    /**
     * Intact chunks that were found and not copied, because nothing proves their numbers, or that
     * they belong to the newest state.
     */
    int64_t nunplaced;
    tess_repair_source header_source; /**< source of the header: in place, ledger or metalayer */
    /** Source of the list of chunks (their positions): lost, in place, ledger, search, order. */
    tess_repair_source list_source;
    /** Source of the trailer: lost or in place. If it is damaged, trailer_damaged is set, too. */
    tess_repair_source trailer_source;
    /**
     * The header, which names the newest state, is lost. The recovered state is the newest that was
     * found, and the damaged bytes are too few to have contained a newer one.
     */
    bool header_lost;
    int64_t nplaceable; /**< chunks of nunplaced that options->in_order would place */
} tess_repair_report;

/**
 * Create a new array from what is left of a damaged one.
 *
 * Header, index and metalayers are those of the last commit, as far as they can be read; damaged
 * ones are rebuilt from the rest. Files that Tessera wrote with checksums are recovered best: the
 * ledger (tess_checksums) alone suffices to rebuild header and index, and to find the position of
 * every chunk that is anywhere in the file or directory. Without a ledger, a damaged header is
 * rebuilt from the metalayer `b2nd`. The index is then the one at the position in the header, or
 * the one whose trailer ends at the end in the header; any other index belongs to an older state,
 * and is not used. If the index is lost, as in a truncated file, the numbers of the chunks are
 * unknown: chunks are not copied but counted, or get numbers by options->in_order. If nothing tells
 * the shape of the array, it cannot be recovered.
 *
 * Chunks are compared with their checksums, or decoded, and copied as they are stored. The source
 * is only ever read, and may be on a read-only medium.
 *
 * @param source   The damaged array, a file or the directory of a sparse array. Used are path or
 *                 image, offset, limits and plugins.
 * @param target   The new array: a path with TESS_MODE_NEW or TESS_MODE_REPLACE, different from the
 *                 source and not inside its directory. The new array is of the same kind as the
 *                 source: file or directory. The progress function of its context may cancel.
 * @param options  NULL: defaults.
 * @param report   Receives the result; may be NULL. Undefined after a failure.
 * @param report_size  Size of *report in bytes: the macro passes sizeof(tess_repair_report).
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK: a new array exists; nothing is lost if report->nlost and nlayers_lost are 0,
 *         and that is certain only if report->complete; or
 *         TESS_ERR_FORMAT, TESS_ERR_CORRUPT (too little is left), TESS_ERR_UNSUPPORTED (a damaged
 *         frame from before c-blosc2 2.0, or lost chunks in a frame whose chunks differ in size),
 *         TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM, TESS_ERR_CANCELLED. A failed
 *         call leaves no new array behind, and what existed as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_repair_sized(const tess_storage *source,
                                                      const tess_storage *target,
                                                      const tess_repair_options *options,
                                                      tess_repair_report *report,
                                                      size_t report_size, tess_error *err);
/** For programs in C and C++: tess_repair_sized() with the size of their struct. */
#define tess_repair(source, target, options, report, err) \
    tess_repair_sized((source), (target), (options), (report), sizeof(tess_repair_report), (err))

#ifdef __cplusplus
}
#endif

#endif
