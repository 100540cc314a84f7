/**
 * @file source.h
 * Sources: functions of the program that read and write an array, in place of a path.
 *
 * A source is one object, a sequence of bytes of known size that is read in ranges, or a directory
 * of such objects. It is passed in tess_storage.source, for arrays in a container file, in a
 * database, or behind a cipher or protocol. http.h (library tessera-http) makes sources from URLs.
 *
 * **Ownership.** A call that returns an array copies the struct; the source then belongs to the
 * array, and `close` is called once, when the array and all its views are closed. If the call
 * fails, or returns no array, the source still belongs to the program.
 *
 * **Threads.** read, state and part may run on several threads at once, including threads of the
 * library, even during a single call on the array. No other function of a source runs at the same
 * time as any function of that source; different parts of a directory are independent. The
 * functions must not use an array that is read through the source, and must not leave by longjmp()
 * or an exception.
 *
 * **Errors.** A function that fails returns a status and fills err, which is never NULL: status,
 * sys (an errno, or 0), offset -1, and a message. TESS_ERR_IO: the storage failed. TESS_ERR_STALE:
 * it holds another object now. TESS_ERR_CANCELLED: tess_reading_cancelled() returned true. A value
 * that is not a tess_status counts as TESS_ERR_IO. Sizes that a function returns, and the bytes,
 * are checked like the content of any file.
 *
 * **Cancellation.** Only `read` can be cancelled. All other functions should have a timeout: the
 * call on the array waits for them.
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

/** A range of an object, and where to read it to. */
typedef struct tess_range {
    int64_t offset; /**< of the first byte, from the start of the object */
    void *dst; /**< receives the bytes */
    size_t dst_size; /**< length of the range in bytes, at least 1 */
} tess_range;

/** A running call of `read`; opaque, valid until `read` returns. */
typedef struct tess_reading tess_reading;

/** The object of a source. */
typedef struct tess_source_state {
    int64_t size; /**< bytes of the object */
    /**
     * true: once the object was replaced, read fails with TESS_ERR_STALE; or it cannot be replaced.
     * false: read may return bytes of the new object. The library then reads the state of the array
     * again at the end of each call that reads, two ranges, and compares it. It does that for every
     * directory, guarded or not.
     */
    bool guarded;
} tess_source_state;

/**
 * A source. Members that are not used must be zero: tess_source_init().
 *
 * To be read, an object needs `read`, and `state` or `ends`; a directory needs `part`, and no
 * `read`. To be written, an object needs `write` and `publish`.
 */
typedef struct tess_source {
    /** sizeof(tess_source) of the program; set by tess_source_init(). */
    size_t struct_size;
    void *user; /**< passed to all functions; any value */
    /** For messages and the log; must not contain secrets; copied. NULL: none. */
    const char *name;

    /**
     * Typical time until the first byte of a range arrives, in microseconds. From 1000 on the
     * source is far: ranges are prefetched, and coalesced across gaps of up to 64 KiB. 0: like a
     * local file, a few microseconds. Of a directory, latency and requests of its parts count: set
     * both in each part.
     */
    int64_t latency;
    /**
     * Ranges to keep under way at once during a call on the array; more than 64 count as 64.
     * 0: 16 if the source is far, else 1.
     */
    int requests;

    /**
     * Get size and guard of the object. Called when the object is opened, unless `ends` is called
     * instead.
     *
     * @param state  Zeros; receives the state.
     */
    tess_status (*state)(void *user, tess_source_state *state, tess_error *err);

    /**
     * Read all bytes of all ranges, or fail. The ranges ascend, do not overlap, and lie within
     * tess_source_state.size. They may be read in any order, or at once. A failed or cancelled call
     * may leave anything in the buffers.
     *
     * @param ranges   n ranges, n >= 1. Buffers must not be written after read has returned.
     * @param reading  For tess_reading_arrived() and tess_reading_cancelled(), both optional; never
     *                 NULL.
     */
    tess_status (*read)(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
                        tess_error *err);

    /**
     * Optional. Get the state, and read the first and the last bytes of an object of unknown size,
     * in one round trip. Called instead of `state` when a far source is opened, or one that has no
     * `state`. The two ends overlap if the object is small. Either size may be 0.
     *
     * @param state       Receives the state.
     * @param first       Receives the first min(first_size, size) bytes.
     * @param last        Receives the last min(last_size, size) bytes, at the start of the buffer.
     */
    tess_status (*ends)(void *user, tess_source_state *state, void *first, size_t first_size,
                        void *last, size_t last_size, tess_error *err);

    /**
     * Optional. Forget the current object, so that the next `state` or `ends` is about the object
     * that the storage holds then. Called by tess_array_refresh(); not called for parts, which are
     * opened anew. NULL: a refresh keeps the object that was opened.
     */
    tess_status (*refresh)(void *user, tess_error *err);

    /**
     * Optional. Open one object of a directory, such as that of a sparse array. A directory has
     * neither `state` nor `read`, and cannot be written.
     *
     * @param name  Name of the object: letters, digits and dots.
     * @param part  Initialised; receives a source of one object, which the library closes, before
     *              the directory. refresh, write and publish of a part are not called.
     *
     * @return TESS_ERR_NOT_FOUND if there is no such object.
     */
    tess_status (*part)(void *user, const char *name, struct tess_source *part, tess_error *err);

    /** Optional. Release what user points to. Called once, as the last function. */
    void (*close)(void *user);

    /**
     * Optional. Write bytes of a new object: for calls that provide all items of an array, with
     * TESS_MODE_NEW or TESS_MODE_REPLACE (tess_array_from(), and those of copy.h). First come the
     * bytes from `head` on, in order and without gaps; then, in one call at offset 0, the first
     * min(head, size of the object) bytes. No byte is written twice, and none is read back: the
     * array that such a call returns is to be closed, since reads of what was written fail with
     * TESS_ERR_UNSUPPORTED. `close` without `publish` discards what was written.
     */
    tess_status (*write)(void *user, int64_t offset, const void *src, size_t src_size,
                         tess_error *err);
    /**
     * Bytes at the start of a new object that the library holds in memory and writes last, 64 KiB
     * or more. 0: 8 MiB.
     */
    int64_t head;
    /**
     * Publish what was written as the object, atomically, and as durably as the storage can. After
     * a failure the storage holds what it held before. Required with `write`.
     *
     * @param size     Bytes that were written: the size of the object.
     * @param replace  false (TESS_MODE_NEW): if an object exists, keep it and fail with
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
 * Report that a range is complete, so that the library decodes it while others are under way.
 * Optional: for any of the ranges, from any thread, before read returns. The bytes of the range
 * must not change afterwards.
 *
 * @param reading  As passed to read.
 * @param i        Index of the range; at most once for each.
 */
TESS_API void tess_reading_arrived(const tess_reading *reading, size_t i);

/**
 * Ask whether the ranges are still needed. If not, read should return TESS_ERR_CANCELLED as soon as
 * possible. For sources that wait: about ten times a second is enough. From any thread. On the
 * thread that made the call on the array, it may call tess_context.progress: hold no lock that the
 * progress function takes.
 *
 * @param reading  As passed to read.
 *
 * @return true: the call that needs the ranges was cancelled, or has failed elsewhere.
 */
TESS_API bool tess_reading_cancelled(const tess_reading *reading);

#ifdef __cplusplus
}
#endif

#endif
