/**
 * @file verify.h
 * Whether what is stored is what was written.
 *
 * Commits of Tessera leave checksums in the file (tess_checksums, storage.h). Here all stored bytes
 * are read, compared with them, and decoded. The command is `tess verify`.
 */
#ifndef TESSERA_VERIFY_H
#define TESSERA_VERIFY_H

#include "tessera/array.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of what a damage is. */
typedef enum tess_damaged {
    TESS_DAMAGED_CHUNK = 0, /**< a chunk */
    TESS_DAMAGED_METALAYER = 1, /**< a variable-length metalayer */
    /** The header is not the one that was committed: another program changed it, or damage. */
    TESS_DAMAGED_HEADER = 2,
    TESS_DAMAGED_CHECKSUMS = 3 /**< the list of checksums: chunks can be decoded, no more */
} tess_damaged;

/** Something that is damaged, or cannot be checked. Lasts as long as the call that is told it. */
typedef struct tess_damage {
    /** Number of the chunk; -1: something else, see `of`. Where no chunk is stored and all are
        refused, the first one stands for all. */
    int64_t chunk;
    const char *metalayer; /**< name of the metalayer; NULL: something else */
    int ndim; /**< of the array; 0 for what is no chunk */
    int64_t start[TESS_MAX_NDIM]; /**< the chunk's box in the array: its first index */
    int64_t stop[TESS_MAX_NDIM]; /**< one past the last index */
    /** TESS_ERR_CORRUPT; TESS_ERR_IO: it could not be read; TESS_ERR_UNSUPPORTED: this program
        cannot decode it, and there is no checksum either. */
    tess_status status;
    const char *message; /**< a sentence: what was found, what was expected */
    tess_damaged of; /**< what it is about */
} tess_damage;

/** Hears of each damage. One call at a time, in the order of the chunks, on any thread. */
typedef void tess_damage_fn(const tess_damage *damage, void *user);

/** What tess_array_verify() found. */
typedef struct tess_verdict {
    int64_t nstored; /**< chunks that have bytes of their own, as in tess_info */
    int64_t nright; /**< of these: as their checksums say, and they decode */
    /** And: without a checksum, since others wrote them, or before there were any; they decode. */
    int64_t nunknown;
    /**
     * And: damaged. nstored is the sum of these three and nuntried, unless reading refuses chunks
     * that are not stored (NaNs where items have 2 bytes): they are damaged, too.
     */
    int64_t ndamaged;
    int64_t nmetalayers; /**< variable-length metalayers that cannot be read */
    /**
     * List of chunks and metalayers are as Tessera wrote them: that was compared when the array was
     * opened. False: another program wrote them, which is no damage.
     */
    bool sealed;
    /**
     * The header is not the one that this commit wrote. Another program changed it, a shape within
     * its chunks or a metalayer, or it is damaged; the two cannot be told apart, so this is no
     * clean verdict. The function is told both readings. The next commit of Tessera confirms the
     * header as it stands.
     */
    bool header_changed;
    uint64_t commit; /**< number of the commit that wrote what is there, from 1 on; 0: not known */
    /**
     * Stored chunks without a checksum that this program cannot decode: it lacks their codec or
     * filter, or they are damaged. Nothing can be said of them, so this is no clean verdict.
     */
    int64_t nuntried;
    int64_t nspecial; /**< chunks that are not stored, as in tess_info: zeros, or NaNs */
    int64_t nmissing; /**< and chunks that were never written */
    /** The list of checksums is damaged; what it says of chunks is not known then. */
    bool checksums_damaged;
    /** Nothing is damaged, and all that is stored was checked: `tess verify` ends with status 0. */
    bool fine;
} tess_verdict;

/**
 * Read and check all that is stored of an array.
 *
 * Chunks without a checksum are decoded, which finds what contradicts itself. So are those that
 * have one, unless this build lacks their codec. What reading refuses is told here. Shares the work
 * between threads, and tells the progress, as the context of the array says.
 *
 * @param a        Open array; any number of threads at once if it is open for reading only. Else
 *                 the call needs it for itself: blocks that wait in its cache (tess_context.cache)
 *                 are encoded first. A view is refused.
 * @param fn       Called for each damage; NULL: nobody is.
 * @param user     Given to fn; any value.
 * @param verdict  Filled on success, also when there is damage.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, whatever was found; TESS_ERR_STALE if the file was changed meanwhile: then what
 *         fn was told counts for nothing; TESS_ERR_ARG, TESS_ERR_NOMEM, TESS_ERR_LIMIT
 *         (tess_limits.memory), TESS_ERR_CANCELLED.
 */
TESS_API TESS_NODISCARD tess_status tess_array_verify(tess_array *a, tess_damage_fn *fn, void *user,
                                                      tess_verdict *verdict, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
