/**
 * @file repair.h
 * Giving back space that an array does not need, and making a new array of what is left of one.
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
 * Make a file or directory as small as its last commit is.
 *
 * Overwriting leaves holes, which later writes fill; they are mostly about a quarter of the live
 * data, and after closing 1.1 times as much at most (array.h). This gives them back, and what
 * programs left that died, or that know no holes. Chunks stay as they are stored, nothing is
 * decompressed.
 *
 * Of a file, the last commit is written to a new one beside it, side by side in the order of the
 * chunks, which takes its name and permissions when all of it is on the disk; before that the old
 * one is untouched, so there must be room for both. Other names of the old file (hard links) keep
 * it. If the new one would not be smaller, the old one stays. In a directory, files that the last
 * commit does not need are removed, and chunks in files longer than they are move to new ones.
 *
 * While it runs no other program can open the array for writing. Who has a file open for reading
 * goes on reading what stood there, until tess_array_refresh(); of a directory too, or is told
 * TESS_ERR_STALE.
 *
 * @param storage  path, durability, checksums, limits and context count: TESS_DURABILITY_NONE
 *                 trusts the machine not to crash. A path, no image, no offset and no mmap. The
 *                 progress that context->progress hears is in bytes of items; it may cancel.
 * @param before   Receives the size of the file, or of all files of the directory, in bytes. NULL:
 *                 not wanted.
 * @param after    Receives the size now. NULL: not wanted.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_open() with TESS_MODE_UPDATE; TESS_ERR_CORRUPT if chunks are
 * not what their checksums say, or share bytes; TESS_ERR_UNSUPPORTED if another frame stands behind
 * this one in the file; TESS_ERR_STALE if another program that knows no locks changed it meanwhile;
 * TESS_ERR_IO, TESS_ERR_CANCELLED. After a failure, as after a crash at any moment, the array is
 * what it was, and can be opened.
 */
TESS_API TESS_NODISCARD tess_status tess_compact(const tess_storage *storage, int64_t *before,
                                                 int64_t *after, tess_error *err);

/** A chunk that could not be recovered: its items are the fill value of the array now. */
typedef struct tess_lost {
    int64_t chunk; /**< its number, in C order of the grid */
    int ndim; /**< dimensions of the array */
    /** Its box [start, stop) in items, ndim values each; what is beyond the array is cut off. */
    const int64_t *start;
    const int64_t *stop; /**< one past the last index per axis */
    const char *why; /**< one sentence */
} tess_lost;

/** Hears of each chunk that is lost, in ascending order. What it is told ends with the call. */
typedef void tess_lost_fn(const tess_lost *lost, void *user);

/** What tess_repair() is to do. Fill it with tess_repair_options_init(). */
typedef struct tess_repair_options {
    size_t struct_size; /**< sizeof(tess_repair_options) of the program; set by the init */
    tess_lost_fn *lost; /**< NULL (default): nobody hears */
    void *user; /**< given to it; any value */
    /**
     * Where the header differs from the copy that the last commit kept: believe it all the same, if
     * it can be read. Other programs change a header alone, when they change metalayers, or a shape
     * within its chunks; damage looks alike. Default false: the copy is right.
     */
    bool keep_header;
    /**
     * If too little is left of the newest state, and an older one stands in space that was not used
     * again: make that. Default false: TESS_ERR_CORRUPT, which says so.
     */
    bool older;
} tess_repair_options;

/** Set the defaults: nobody hears, the copy of the header is right, the newest state only. */
TESS_API void tess_repair_options_init(tess_repair_options *options);

/** What tess_repair() found. */
typedef struct tess_repair_report {
    int64_t nchunks; /**< of the array */
    int64_t nlost; /**< chunks whose items are the fill value now */
    int64_t nfound; /**< chunks that are not where the index says; found by looking everywhere */
    /** Chunks that were copied as they are: no checksum, and a codec this program does not have. */
    int64_t nuntried;
    int nlayers_lost; /**< metalayers and attributes that could not be read; at least so many */
    bool header_damaged; /**< or changed alone by another program: see keep_header */
    /**
     * The list of the chunks was made from something else; or, unless `checked`, it may be wrong,
     * with chunks in places of others.
     */
    bool index_damaged;
    bool trailer_damaged; /**< metalayers of variable length were read one by one */
    bool checked; /**< chunks were compared with checksums; else they could be decoded, no more */
    /** Nothing says which chunk is where; they were taken in the order of the file. */
    bool in_order;
    bool older; /**< this is an older state, as options->older allows */
    uint64_t commit; /**< number of the commit; 0: not known */
    /**
     * Chunks without a checksum: they could be decoded, which does not confirm their items. All of
     * them, if nothing confirms the list of the chunks.
     */
    int64_t nunconfirmed;
    /** Metalayers and attributes that were copied as they are, and that nothing confirms. */
    int nlayers_unconfirmed;
    /** The checksums of the chunks are damaged: chunks could be decoded, no more. */
    bool checksums_damaged;
    /**
     * For certain the new array holds all that the last commit wrote: nothing is lost, and all was
     * compared with what that commit left. `tess repair` ends with status 0. False of what other
     * programs wrote, also if it has neither chunks nor metalayers: nothing confirms the header.
     */
    bool complete;
} tess_repair_report;

/**
 * Make a new array of what is left of a damaged one.
 *
 * Header, list of chunks and metalayers are those of the last commit, as far as they can be read;
 * what is damaged of them follows from the rest. Best is what Tessera wrote with checksums: from
 * its ledger (tess_checksums) alone header and index are made anew, and every chunk that stands
 * anywhere in the file, or in the directory, finds its place. Without it, a damaged header follows
 * from the metalayer `b2nd`, a damaged index from the order of the chunks in the file, if there are
 * as many as the array has. If nothing says what shape the array has, nothing can be made.
 *
 * Chunks are compared with their checksums, or decoded, and copied as they are stored. The source
 * is only read, whatever happens, and may be on a medium that is.
 *
 * @param source   The damaged array: path or image, offset, limits and plugins count. A file, or
 *                 the directory of a sparse array.
 * @param target   Where the new one goes: a path with TESS_MODE_NEW or TESS_MODE_REPLACE, never
 *                 where the source is, nor inside its directory. Of the same kind as the source: a
 *                 file or a directory. Its context hears the progress, and may cancel.
 * @param options  NULL: defaults.
 * @param report   Receives what was found; may be NULL. Without meaning after a failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK: there is an array, complete if report->nlost and nlayers_lost are 0,
 *         for certain if report->complete; or
 *         TESS_ERR_FORMAT, TESS_ERR_CORRUPT (too little is left), TESS_ERR_UNSUPPORTED (a damaged
 *         frame from before c-blosc2 2.0, or lost chunks in a frame whose chunks differ in size),
 *         TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM, TESS_ERR_CANCELLED. A failed
 *         call leaves nothing behind, and what existed as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_repair(const tess_storage *source,
                                                const tess_storage *target,
                                                const tess_repair_options *options,
                                                tess_repair_report *report, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
