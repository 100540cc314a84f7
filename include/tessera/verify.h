/**
 * @file verify.h
 * Verify that everything stored is what was written.
 *
 * Commits of Tessera store checksums in the file (tess_checksums, storage.h). tess_array_verify()
 * reads all stored bytes, compares them with the checksums, and decodes them. The command is
 * `tess verify`.
 */
#ifndef TESSERA_VERIFY_H
#define TESSERA_VERIFY_H

#include "tessera/array.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is damaged. */
typedef enum tess_damaged {
    TESS_DAMAGED_CHUNK = 0, /**< a chunk */
    TESS_DAMAGED_METALAYER = 1, /**< a variable-length metalayer */
    /** The header differs from the committed one: damage, or a change by another program. */
    TESS_DAMAGED_HEADER = 2,
    TESS_DAMAGED_CHECKSUMS = 3 /**< the list of checksums: chunks can only be decoded */
} tess_damaged;

/** Something that is damaged or cannot be checked. Valid until the function returns. */
typedef struct tess_damage {
    /** Number of the chunk; -1: not a chunk, see `of`. If no chunk is stored and reading refuses
        all of them, the first one is reported for all. */
    int64_t chunk;
    const char *metalayer; /**< name of the metalayer; NULL: not a metalayer */
    int ndim; /**< dimensions of the array; 0 if `chunk` is -1 */
    int64_t start[TESS_MAX_NDIM]; /**< the chunk's box in the array: its first index */
    int64_t stop[TESS_MAX_NDIM]; /**< one past the last index */
    /** TESS_ERR_CORRUPT: damaged; TESS_ERR_IO: cannot be read; TESS_ERR_UNSUPPORTED: this program
        cannot decode it, and it has no checksum. */
    tess_status status;
    const char *message; /**< one sentence: what was found and what was expected */
    tess_damaged of; /**< what is damaged */
} tess_damage;

/** Receives each damage. One call at a time, in the order of the chunks, on any thread. */
typedef void tess_damage_fn(const tess_damage *damage, void *user);

/** Result of tess_array_verify(). */
typedef struct tess_verdict {
    int64_t nstored; /**< chunks that have stored bytes, as in tess_info */
    /** Stored chunks that match their checksum, and can be decoded unless the codec is missing. */
    int64_t nright;
    /** Stored chunks without a checksum (of other programs, or older files) that can be decoded. */
    int64_t nunknown;
    /**
     * Damaged chunks. nstored = nright + nunknown + ndamaged + nuntried, unless there are damaged
     * chunks that are not stored: chunks of NaNs, of items that are not 4 or 8 bytes, which no
     * Tessera writes (tess_array_nan() stores NaNs of 2 bytes as a repeated value) and reading
     * refuses.
     */
    int64_t ndamaged;
    int64_t nmetalayers; /**< variable-length metalayers that cannot be read */
    /**
     * Index and metalayers are as Tessera wrote them; that was compared when the array was opened.
     * False: another program wrote them, which is not damage.
     */
    bool sealed;
    /**
     * The header differs from the one that the commit wrote. Either another program changed it (a
     * metalayer, or a shape within the same chunks), or it is damaged; these cannot be
     * distinguished, so `fine` is false. fn receives a message with both versions. The next commit
     * of Tessera confirms the header as it is.
     */
    bool header_changed;
    uint64_t commit; /**< number of the last commit, from 1 on; 0: unknown */
    /**
     * Stored chunks without a checksum that this program cannot decode: it lacks their codec or
     * filter, or they are damaged. They cannot be checked, so `fine` is false.
     */
    int64_t nuntried;
    int64_t nspecial; /**< chunks that are not stored, as in tess_info: zeros, or NaNs */
    int64_t nmissing; /**< chunks that were never written */
    /** The list of checksums is damaged, so no chunk could be compared. */
    bool checksums_damaged;
    /** Nothing is damaged, and everything stored was checked: `tess verify` exits with 0. */
    bool fine;
} tess_verdict;

/**
 * Read and check everything stored of an array.
 *
 * Every chunk is decoded, which finds contradictions; chunks that have a checksum are compared with
 * it, and are the only ones that need not be decoded if this build lacks their codec. Everything
 * that reading would refuse is reported. The context of the array determines threads and progress.
 *
 * @param a        Open array, not a view (TESS_ERR_ARG). Cached blocks are written back first;
 *                 writes of other threads wait until the call returns.
 * @param fn       Called for each damage; NULL: damage is only counted.
 * @param user     Passed to fn; any value.
 * @param verdict  Filled on success, also when there is damage.
 * @param verdict_size  Size of *verdict in bytes: the macro passes sizeof(tess_verdict).
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, whatever was found; TESS_ERR_STALE if the file was changed during the call: the
 *         damage that fn received is then meaningless; TESS_ERR_ARG, TESS_ERR_NOMEM, TESS_ERR_LIMIT
 *         (tess_limits.memory), TESS_ERR_CANCELLED.
 */
TESS_API TESS_NODISCARD tess_status tess_array_verify_sized(const tess_array *a, tess_damage_fn *fn,
                                                            void *user, tess_verdict *verdict,
                                                            size_t verdict_size, tess_error *err);
/** For programs in C and C++: tess_array_verify_sized() with the size of their struct. */
#define tess_array_verify(a, fn, user, verdict, err) \
    tess_array_verify_sized((a), (fn), (user), (verdict), sizeof(tess_verdict), (err))

#ifdef __cplusplus
}
#endif

#endif
