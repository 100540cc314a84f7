/**
 * @file hooks.h
 * Hooks of the process: an allocator that replaces libc's, and a log function that receives events.
 * To run calls on threads of the program, see tess_executor in context.h.
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
 * @return the memory, with undefined content, or NULL if there is not enough.
 */
typedef void *tess_alloc_fn(size_t size, size_t align, void *user);

/**
 * Make memory smaller or larger, as realloc() does; see tess_allocator.
 *
 * @param memory  Returned by tess_alloc_fn, for the alignment of max_align_t, or by this function;
 *                not NULL.
 * @param size    New size in bytes; more than 0.
 * @param user    user of the allocator.
 *
 * @return the memory, at the same or another address, with its content up to the smaller of the old
 *         and the new size; or NULL if there is not enough, and `memory` stays as it was.
 */
typedef void *tess_resize_fn(void *memory, size_t size, void *user);

/**
 * Free memory; see tess_allocator.
 *
 * @param memory  Returned by one of the other two functions; not NULL.
 * @param user    user of the allocator.
 */
typedef void tess_release_fn(void *memory, void *user);

/**
 * Where the library's memory comes from. Fill it with tess_allocator_init(), set all three
 * functions, and pass it to tess_allocator_set(): it is copied.
 *
 * Any thread may call the functions, threads of the library included, and several threads may be in
 * them at once. The library may hold locks meanwhile: the functions must not call the library, nor
 * leave by longjmp() or an exception. If an allocation fails, the call of the library returns
 * TESS_ERR_NOMEM, and the array is as it was; or the call works without that memory (for example, a
 * block is not cached).
 *
 * **Allocated with it:** all that the library itself allocates, including memory that tess_free()
 * frees, cached blocks and arrays in memory; and the contexts of Zstandard, if libzstd exports
 * ZSTD_createCCtx_advanced().
 *
 * **Not allocated with it:** memory of other libraries that take no allocator (libdeflate, libzfp,
 * msgpack-c, xxhash, and Zstandard for the dictionaries of its encoder), which is freed before the
 * call returns or the array is closed; memory of libc (threads and their stacks, reading of
 * directories); and files mapped with tess_storage.mmap. The command `tess` uses libc's malloc()
 * for its own memory.
 */
typedef struct tess_allocator {
    /** sizeof(tess_allocator) of the program; set by tess_allocator_init(). */
    size_t struct_size;
    tess_alloc_fn *alloc; /**< allocates; not NULL */
    tess_resize_fn *resize; /**< changes a size; not NULL */
    tess_release_fn *free; /**< frees; not NULL */
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
 * Call it at the start of the program, before the library has allocated anything: before the first
 * call that opens or creates an array, or parses a type or an access. Once the library has
 * allocated memory from libc, the call is refused. An allocator of the program can be replaced when
 * none of its memory is in use: all arrays, views and tuners are closed, and all memory that the
 * library allocated for the program is freed. No other thread may be in a call of the library.
 *
 * A library that uses this one should not call this function: the choice belongs to the program.
 *
 * @param allocator  The new allocator, copied; its `user` must be valid until another allocator is
 *                   set, or the process ends. NULL: that of libc.
 * @param err        Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG if a function is missing, if the library has allocated memory from
 *         libc before, or if memory of the present allocator is in use; TESS_ERR_UNSUPPORTED
 *         (members that this version does not know).
 */
TESS_API TESS_NODISCARD tess_status tess_allocator_set(const tess_allocator *allocator,
                                                       tess_error *err);

/** How important an event is. A level includes all levels with a smaller number. */
typedef enum tess_log_level {
    TESS_LOG_OFF = 0, /**< nothing; the default */
    TESS_LOG_WARNING = 1, /**< something is damaged, or works less well than it could */
    TESS_LOG_INFO = 2, /**< the library did something that no call asked for, or waits */
    TESS_LOG_DEBUG = 3, /**< frequent events that explain speed */
} tess_log_level;

/**
 * What happened. Numbers keep their meaning; later releases add more, so a program must accept
 * unknown ones. Each comment begins with the level of the event.
 */
typedef enum tess_event {
    /** WARNING: the stored bytes of a chunk do not match their checksum. If the reason is that
     * another program replaced the chunk meanwhile, the call returns TESS_ERR_STALE. */
    TESS_EVENT_CHECKSUM = 1,
    /** WARNING: tess_repair() found a lost chunk, and continues without it. */
    TESS_EVENT_CHUNK_LOST = 2,
    /** WARNING: tess_array_verify() found damage, of a chunk or of the state as a whole. */
    TESS_EVENT_DAMAGE = 3,
    /** WARNING: an array was opened for writing, but the file system has no locks: another writer
     * is not kept out (tess_info.locked). */
    TESS_EVENT_UNLOCKED = 4,
    /** WARNING: the system refused to start a thread; calls use the existing ones. Reported once.
     */
    TESS_EVENT_THREADS = 5,
    /** WARNING: an allocation failed that a call can work without; the call is slower. */
    TESS_EVENT_MEMORY = 6,
    /** INFO: an automatic commit, because much was written or overwritten. */
    TESS_EVENT_COMMIT = 16,
    /** INFO: what a killed program left was removed: a file or directory with a temporary name, or
     * chunk files of a directory that no commit has. */
    TESS_EVENT_LEFTOVER = 17,
    /** INFO: tess_array_refresh() moved a reader to a newer state. */
    TESS_EVENT_REFRESH = 18,
    /** INFO: a call starts to wait for a lock that another program or handle holds
     * (tess_storage.wait). The path is that of the array, also where the lock is its lock file. */
    TESS_EVENT_WAIT = 19,
    /** DEBUG: dirty blocks are written back because the cache is full of them. */
    TESS_EVENT_WRITE_BACK = 32,
} tess_event;

/** An event, as it is passed to the function of the program. */
typedef struct tess_log_entry {
    tess_log_level level; /**< how important it is */
    tess_event event; /**< what happened; may be a number that the program does not know */
    /** File or directory, as it was opened; NULL for an array in memory, or if it is not known.
     * Valid until the function returns. */
    const char *path;
    /** One sentence, without a full stop and without the path; valid until the function returns. */
    const char *message;
} tess_log_entry;

/**
 * Receives an event. Called on the thread where it happens, which may be a thread of the library or
 * of an executor, but never on two threads at once. The library may hold locks: the function must
 * not call the library (except tess_status_name() and tess_version()), nor fork(), nor leave by
 * longjmp() or an exception, and should be quick.
 *
 * @param entry  The event, valid until the function returns.
 * @param user   As passed to tess_log_set().
 */
typedef void tess_log_fn(const tess_log_entry *entry, void *user);

/**
 * Set the log function of the process. It receives events even if no call fails; failures of calls
 * are in their tess_error only. The library prints nothing.
 *
 * May be called at any time, by any thread, but not by the log function itself. An event that is
 * not wanted costs a comparison; its text is not formatted.
 *
 * @param level  Events of this level and of levels with smaller numbers. TESS_LOG_OFF: none.
 * @param fn     The function; NULL: none. When the call returns, no thread is in the function that
 *               was set before.
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
