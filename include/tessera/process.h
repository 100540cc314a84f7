/**
 * @file process.h
 * What all arrays of a process share: budgets for decoded blocks and for open files.
 *
 * A program may have thousands of arrays open. The decoded blocks of all arrays without a cache of
 * their own (tess_context.cache) stay within one budget: idle arrays give their memory to arrays
 * that are used. Open files stay within another budget: the library may close the file of an array
 * that is open for reading between two calls, and the next call opens it again.
 *
 * A file that is opened again must be the same file: same device and inode, and same time of birth
 * if the file system has one. Otherwise the call returns TESS_ERR_STALE, and tess_array_refresh()
 * opens the file that the path leads to now. A relative path is looked up from the working
 * directory at the time of the call that opened the array.
 *
 * Arrays that are open for writing keep their descriptor, which holds their lock; in a directory,
 * also the descriptors of chunks that are not synced to disk yet (at most 16). If these use up the
 * budget, no further array can be opened for writing or created (TESS_ERR_LIMIT). Files that
 * running calls use may exceed the budget.
 *
 * The functions of this header may be called by any thread at any time. After a fork() the child
 * has budgets of the same size, and counts its own usage.
 */
#ifndef TESSERA_PROCESS_H
#define TESSERA_PROCESS_H

#include "tessera/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Budgets that the arrays of a process share. Fill it with tess_budgets_init(). */
typedef struct tess_budgets {
    /** sizeof(tess_budgets) of the program; set by tess_budgets_init(). */
    size_t struct_size;

    /**
     * Bytes of decoded blocks, with the bookkeeping of each block, of all arrays whose
     * tess_context.cache is TESS_CACHE_SHARED. One array takes at most a quarter of the budget, or
     * 32 MiB if that is more; this maximum is computed when the array is opened. While the budget
     * is not used up, arrays do not affect each other. 0: nothing is cached, and every write is
     * encoded by the call itself. At most three quarters may be dirty (written, and not written
     * back yet); of these, the dirty blocks of one array take at most half of what other arrays
     * leave. Default TESS_CACHE_BUDGET_DEFAULT.
     */
    int64_t cache;

    /**
     * Descriptors that the library may have open. 0: half of the soft limit of the process
     * (RLIMIT_NOFILE), read when this budget is first needed, or set; the other half is left to the
     * program. If open() fails because there are no more descriptors (EMFILE, ENFILE), the library
     * closes some that are not in use, even within the budget. Default 0.
     */
    int64_t files;
} tess_budgets;

/**
 * Default of tess_budgets.cache: 128 MiB. Up to four arrays can use 32 MiB each; more arrays share
 * the 128 MiB.
 */
#define TESS_CACHE_BUDGET_DEFAULT ((int64_t)128 << 20)

/**
 * Set the defaults.
 *
 * @param budgets      Receives them.
 * @param struct_size  Size of *budgets in bytes: the macro passes sizeof(tess_budgets).
 */
TESS_API void tess_budgets_init_sized(tess_budgets *budgets, size_t struct_size);
/** For programs in C and C++: tess_budgets_init_sized() with the size of their struct. */
#define tess_budgets_init(budgets) tess_budgets_init_sized((budgets), sizeof(tess_budgets))

/**
 * Set the budgets of the process. Smaller ones take effect before the call returns: blocks that are
 * not dirty are evicted, and descriptors that are not in use are closed. Dirty blocks stay until
 * their arrays write them back. The maximum of a single array stays that of the time when it was
 * opened (tess_budgets.cache): a greater budget does not raise it, so an array that was opened with
 * a budget of 0 keeps nothing; and a smaller one, above that maximum, does not lower it.
 *
 * @param budgets  All budgets. To change only one, start with tess_process_get_budgets().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (NULL, or a negative number); TESS_ERR_UNSUPPORTED (members that
 *         this version does not know). After a failure all budgets are as they were.
 */
TESS_API TESS_NODISCARD tess_status tess_process_set_budgets(const tess_budgets *budgets,
                                                             tess_error *err);

/**
 * Get the budgets of the process. `files` is the number in effect, never 0.
 *
 * @param budgets       Receives them, ready for tess_process_set_budgets().
 * @param budgets_size  Size of *budgets in bytes: the macro passes sizeof(tess_budgets).
 */
TESS_API void tess_process_get_budgets_sized(tess_budgets *budgets, size_t budgets_size);
/** For programs in C and C++: tess_process_get_budgets_sized() with the size of their struct. */
#define tess_process_get_budgets(budgets) \
    tess_process_get_budgets_sized((budgets), sizeof(tess_budgets))

/** What the arrays of a process use at the moment. Filled by tess_process_usage(). */
typedef struct tess_usage {
    int64_t arrays; /**< open arrays; views are not counted */
    /** Bytes of decoded blocks within tess_budgets.cache, with the bookkeeping of each block. */
    int64_t cache;
    int64_t cache_dirty; /**< of these, bytes of dirty blocks, and of blocks about to be dirty */
    int64_t cache_own; /**< bytes of decoded blocks of arrays with a cache of their own */
    int64_t files; /**< descriptors that tess_budgets.files limits */
    int64_t files_kept; /**< of these, descriptors of arrays that are open for writing */
    int64_t files_reopened; /**< how often a file was opened again since the process started */
} tess_usage;

/**
 * Get what the arrays of the process use. While calls are running, the numbers may be from slightly
 * different moments; otherwise they are exact.
 *
 * @param usage       Receives it.
 * @param usage_size  Size of *usage in bytes: the macro passes sizeof(tess_usage).
 */
TESS_API void tess_process_usage_sized(tess_usage *usage, size_t usage_size);
/** For programs in C and C++: tess_process_usage_sized() with the size of their struct. */
#define tess_process_usage(usage) tess_process_usage_sized((usage), sizeof(tess_usage))

#ifdef __cplusplus
}
#endif

#endif
