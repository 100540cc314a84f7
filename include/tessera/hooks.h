/**
 * @file hooks.h
 * What a program that embeds the library brings for all of the process: where memory comes from,
 * and who is told what happens. For threads of the program see tess_executor in context.h.
 */
#ifndef TESSERA_HOOKS_H
#define TESSERA_HOOKS_H

#include "tessera/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocate memory; see tess_allocator.
 *
 * @param size   In bytes; more than 0.
 * @param align  Of the address: a power of two, at least that of max_align_t, at most 4096.
 * @param user   user of the allocator.
 *
 * @return the memory, which may hold anything; NULL: there is none.
 */
typedef void *tess_alloc_fn(size_t size, size_t align, void *user);

/**
 * Make memory smaller or larger, as realloc() does; see tess_allocator.
 *
 * @param memory  Of tess_alloc_fn with the least alignment, or of this function; not NULL.
 * @param size    New size in bytes; more than 0.
 * @param user    user of the allocator.
 *
 * @return the memory, there or elsewhere, with its content up to the smaller of both sizes. NULL:
 *         there is none; `memory` is as it was.
 */
typedef void *tess_resize_fn(void *memory, size_t size, void *user);

/**
 * Free memory; see tess_allocator.
 *
 * @param memory  Of one of the other two functions; not NULL.
 * @param user    user of the allocator.
 */
typedef void tess_release_fn(void *memory, void *user);

/**
 * Where the library's memory comes from. Fill it with tess_allocator_init(), set all three
 * functions, and pass it to tess_allocator_set(): it is copied.
 *
 * The functions are called by any thread, several at once, also by threads of the library, and
 * while the library holds locks: they must not call the library, nor leave by longjmp() or an
 * exception. An allocation that fails makes the call return TESS_ERR_NOMEM, with the array as it
 * was; or the call does without (a block is not cached).
 *
 * **What comes from it:** whatever the library itself allocates, with what tess_free() frees, the
 * cache of decoded blocks, arrays in memory, and the contexts of Zstandard if libzstd was built
 * with its interface for that.
 *
 * **What does not:** what other libraries allocate that take no allocator (libdeflate, libzfp,
 * msgpack-c, xxhash, dictionaries for the encoder of Zstandard: all of that is freed before the
 * call returns or the array is closed), what libc does (threads and their stacks, directories that
 * are read), and files mapped with tess_storage.mmap, which are no allocations. Libraries on top of
 * this one and the command have allocations of their own.
 */
typedef struct tess_allocator {
    /** sizeof(tess_allocator) of the program; set by tess_allocator_init(). */
    size_t struct_size;
    tess_alloc_fn *alloc;
    tess_resize_fn *resize;
    tess_release_fn *free;
    void *user; /**< passed to the functions; any value */
} tess_allocator;

/**
 * Set the defaults: no functions.
 *
 * @param allocator    Receives them.
 * @param struct_size  Size of *allocator in bytes: the macro passes sizeof(tess_allocator).
 */
TESS_API void tess_allocator_init_sized(tess_allocator *allocator, size_t struct_size);
/** For programs in C and C++: tess_allocator_init_sized() with the size of their struct. */
#define tess_allocator_init(allocator) \
    tess_allocator_init_sized((allocator), sizeof(tess_allocator))

/**
 * Set the allocator of the process.
 *
 * A program does so at its start, before the library has allocated anything: before the first call
 * that opens or creates an array, parses a type or an access, or takes anything else than numbers.
 * Later it is refused, unless the allocator in use was set in this way and nothing of it is left:
 * arrays, views and tuners are closed, what the library allocated for the program is freed, and no
 * call is at work. No other thread may be in a call of the library.
 *
 * A library that uses this one should leave it alone: the allocator belongs to the program.
 *
 * @param allocator  The new one, copied; its user must be valid until there is another one, or the
 *                   process ends. NULL: that of libc.
 * @param err        Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG if a function is missing, or memory of another allocator is or was
 *         in use; TESS_ERR_UNSUPPORTED (members that this version does not know).
 */
TESS_API TESS_NODISCARD tess_status tess_allocator_set(const tess_allocator *allocator,
                                                       tess_error *err);

/** How much an event matters. A level stands for itself and all above it. */
typedef enum tess_log_level {
    TESS_LOG_OFF = 0, /**< nothing; the default */
    TESS_LOG_WARNING = 1, /**< something is damaged, or works less well than it could */
    TESS_LOG_INFO = 2, /**< something was done that no call asked for */
    TESS_LOG_DEBUG = 3, /**< something frequent, of interest for speed */
} tess_log_level;

/**
 * What happened. Numbers keep their meaning; later releases have more, so a program must accept
 * unknown ones. Behind each stands its level.
 */
typedef enum tess_event {
    /** WARNING: stored bytes of a chunk do not have the checksum that was stored for them. Where
     * another program replaced the chunk meanwhile, the call finds out and returns
     * TESS_ERR_STALE. */
    TESS_EVENT_CHECKSUM = 1,
    /** WARNING: tess_repair() found a chunk that is lost, and goes on without it. */
    TESS_EVENT_CHUNK_LOST = 2,
    /** WARNING: tess_array_verify() found damage, of a chunk or of the state as a whole. */
    TESS_EVENT_DAMAGE = 3,
    /** WARNING: an array was opened for writing, but the file system grants no lock: another writer
     * would not be kept out (tess_info.locked). */
    TESS_EVENT_UNLOCKED = 4,
    /** WARNING: the system starts no more threads; calls work with those that there are. Told once.
     */
    TESS_EVENT_THREADS = 5,
    /** WARNING: there was no memory for something that a call can do without: it is slower. */
    TESS_EVENT_MEMORY = 6,
    /** INFO: the library commits on its own, because much was written or overwritten. */
    TESS_EVENT_COMMIT = 16,
    /** INFO: a file or directory was removed that a program left under a temporary name when it was
     * killed. */
    TESS_EVENT_LEFTOVER = 17,
    /** INFO: tess_array_refresh() moved a reader to a newer state. */
    TESS_EVENT_REFRESH = 18,
    /** INFO: a call begins to wait for another program that has a lock (tess_storage.wait). */
    TESS_EVENT_WAIT = 19,
    /** DEBUG: dirty blocks are written back because the cache is full of them. */
    TESS_EVENT_WRITE_BACK = 32,
} tess_event;

/** An event, as it is passed to the function of the program. */
typedef struct tess_log_entry {
    tess_log_level level;
    tess_event event;
    /** File or directory, as it was opened; NULL: there is none (memory), or it is not known. Valid
     * until the function returns. */
    const char *path;
    /** One sentence without a full stop, without the path; valid until the function returns. */
    const char *message;
} tess_log_entry;

/**
 * Is told of an event. Called on the thread where it happens, also on threads of the library or of
 * an executor, but never on two at once. The library may hold locks: the function must not call the
 * library (but for tess_status_name() and its likes), nor fork(), nor leave by longjmp() or an
 * exception, and should be quick.
 *
 * @param entry  The event, valid until the function returns.
 * @param user   As passed to tess_log_set().
 */
typedef void tess_log_fn(const tess_log_entry *entry, void *user);

/**
 * Set the function that is told of events, for all of the process: what is worth telling though no
 * call fails. Failures of calls are in their tess_error and are not told again. The library prints
 * nothing.
 *
 * May be called at any time, by any thread, but not by the function itself. Where events are not
 * wanted, they cost a comparison, and no text is made.
 *
 * @param level  Events up to this one. TESS_LOG_OFF: none.
 * @param fn     Told from now on. NULL: none. When the call returns, no thread is in the function
 *               that was set before.
 * @param user   Passed to fn; any value.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG if the level is not known.
 */
TESS_API TESS_NODISCARD tess_status tess_log_set(tess_log_level level, tess_log_fn *fn, void *user,
                                                 tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
