/**
 * @file source.h
 * Bytes from anywhere: a program hands over functions instead of a path.
 *
 * A source is one object: a sequence of bytes of a known size, read by ranges. An array that lives
 * inside another container, behind a cipher, or on a server is opened through a tess_source in
 * tess_storage.source. The library tessera-http (http.h) makes sources of URLs in the same way.
 *
 * **Ownership.** A call that returns an array copies the struct; the source then belongs to the
 * array, and `close` is called once, when the array and all its views are closed. A call that
 * fails, or returns no array, leaves the source to the program.
 *
 * **Threads.** read, state, and part run on several threads at once, also on threads of the library,
 * even during a single call on the array; all other functions of a source run alone, but those of
 * different parts of a directory at once. They must not use an array that is read through the
 * source, and must not leave by longjmp() or an exception.
 *
 * **Errors.** A function that fails returns a status and fills err, which is never NULL: status,
 * sys, offset -1, and a sentence. TESS_ERR_IO: the storage refused;
 * TESS_ERR_STALE: it holds another object by now; TESS_ERR_CANCELLED: tess_reading_cancelled() said
 * so. A returned value that is no tess_status counts as TESS_ERR_IO. What the bytes say is checked
 * like the content of any file; sizes that a function returns are checked, too.
 *
 * Example: test/examples/source.c.
 */
#ifndef TESSERA_SOURCE_H
#define TESSERA_SOURCE_H

#include "tessera/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes to be read, and where to. */
typedef struct tess_range {
    int64_t offset; /**< of the first byte, from the start of the object */
    void *dst; /**< receives them */
    size_t dst_size; /**< bytes, at least 1 */
} tess_range;

/** A read while it runs; opaque, valid until the function `read` returns. */
typedef struct tess_reading tess_reading;

/** What a source holds. */
typedef struct tess_source_state {
    int64_t size; /**< bytes of the object */
    /**
     * true: as soon as the storage holds another object, read fails with TESS_ERR_STALE; or that
     * can not happen. false: nothing would be noticed. The library then compares the state of the
     * array at the end of each call that reads, which takes two more ranges.
     */
    bool guarded;
} tess_source_state;

/**
 * A source. Set all members that are not used to zero: tess_source_init().
 */
typedef struct tess_source {
    /** sizeof(tess_source) of the program; set by tess_source_init(). */
    size_t struct_size;
    void *user; /**< passed to all functions; any value */
    /** For messages and the log, without secrets; copied. NULL: none. */
    const char *name;

    /**
     * About how long a range takes until its first byte arrives, in microseconds. It decides what
     * is read together. 0: as long as from a file of this machine, some microseconds.
     */
    int64_t latency;
    /** Ranges that are worth being under way at once; 0: 16 if latency is 1000 or more, else 1. */
    int requests;

    /**
     * Tell the size. Called first, unless `ends` is given, and whenever the library needs it.
     *
     * @param state  Zeros; to be filled.
     */
    tess_status (*state)(void *user, tess_source_state *state, tess_error *err);

    /**
     * Read ranges, all of them, exactly. They lie within the size that `state` told, ascend, and do
     * not overlap. They may be read in any order, and all at once.
     *
     * @param ranges   n of them, n >= 1.
     * @param reading  For tess_reading_arrived() and tess_reading_cancelled(), which need not be
     *                 called.
     */
    tess_status (*read)(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
                        tess_error *err);

    /**
     * Optional. Read the first and the last bytes of an object whose size is not known yet, in one
     * round trip, in place of the first call of `state`.
     *
     * @param state       To be filled.
     * @param first       Receives the first min(first_size, size) bytes.
     * @param last        Receives the last min(last_size, size) bytes, at its start.
     */
    tess_status (*ends)(void *user, tess_source_state *state, void *first, size_t first_size,
                        void *last, size_t last_size, tess_error *err);

    /**
     * Optional. Forget which object was read so far: `state` and `ends` are to look again. Called
     * by tess_array_refresh(). NULL: what is there is assumed to stay.
     */
    tess_status (*refresh)(void *user, tess_error *err);

    /**
     * Optional: the source is a directory, as of a sparse array, and has neither state nor read.
     * Open one object in it.
     *
     * @param name  The last part of a path: letters, digits and dots.
     * @param part  Zeros and a size; to be filled. It is closed before the directory.
     *
     * @return TESS_ERR_NOT_FOUND if there is none.
     */
    tess_status (*part)(void *user, const char *name, struct tess_source *part, tess_error *err);

    /** Optional: release what user points to. */
    void (*close)(void *user);

    /**
     * Optional, for sources that arrays are created in (TESS_MODE_NEW, TESS_MODE_REPLACE), by calls
     * that bring all items: tess_array_from(), tess_array_save(), and those of copy.h. Write bytes.
     * Those from `head` on come in order, without gaps; then, in one call at offset 0, the first
     * min(head, size of the object) bytes. Nothing is written twice, or read.
     */
    tess_status (*write)(void *user, int64_t offset, const void *src, size_t src_size,
                         tess_error *err);
    /** Bytes at the start that the library holds in memory and writes last; 0: 8 MiB. */
    int64_t head;
    /**
     * Make what was written, `size` bytes, the object that others find, in one step, and as durable
     * as the storage is. If it fails, or close is called without it, others find what was there
     * before.
     *
     * @param replace  false: an object that exists by then must stay, and the call fails with
     *                 TESS_ERR_IO, err->sys EEXIST.
     */
    tess_status (*publish)(void *user, int64_t size, bool replace, tess_error *err);
} tess_source;

/**
 * Set all members to zero.
 *
 * @param source       Receives them.
 * @param struct_size  Size of *source in bytes: the macro passes sizeof(tess_source).
 */
TESS_API void tess_source_init_sized(tess_source *source, size_t struct_size);
/** For programs in C and C++: tess_source_init_sized() with the size of their struct. */
#define tess_source_init(source) tess_source_init_sized((source), sizeof(tess_source))

/**
 * Tell that a range has arrived, so that the library can decode it while others are under way. For
 * sources that read ranges at once; may be called for none, some or all of them, from any thread,
 * until read returns. The bytes must stay as they are from then on.
 *
 * @param reading  As passed to read.
 * @param i        Index of the range; once for each.
 */
TESS_API void tess_reading_arrived(const tess_reading *reading, size_t i);

/**
 * Ask whether the call that needs the ranges was cancelled, or failed elsewhere: read should then
 * return as soon as possible, with TESS_ERR_CANCELLED. For sources that wait: about ten times a
 * second is enough. From any thread.
 *
 * @param reading  As passed to read.
 *
 * @return true: it was cancelled or failed.
 */
TESS_API bool tess_reading_cancelled(const tess_reading *reading);

#ifdef __cplusplus
}
#endif

#endif
