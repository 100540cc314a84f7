/**
 * @file process.h
 * What all arrays of a process share: budgets for decoded blocks and for open files.
 *
 * A program may have thousands of arrays open. Decoded blocks of all arrays that have no cache of
 * their own (tess_context.cache) stay within one budget: an array that is idle gives its memory to
 * those that are used. Open files stay within another: an array that is open for reading may lose
 * its descriptor between two calls, and the next call opens the file again.
 *
 * When it is opened again, the file must be the one that was opened first, by device, inode, and
 * time of birth where the file system has one; else the call returns TESS_ERR_STALE, and
 * tess_array_refresh() opens what is at the path now. A path that was relative is looked up from
 * the working directory at the time of the call that opened the array.
 *
 * Arrays that are open for writing keep their descriptor, which has their lock; of a directory,
 * also the descriptors of chunks that are not on the disk yet (at most 16). When these have all of
 * the budget, no further array is opened for writing or created (TESS_ERR_LIMIT). Files that calls
 * have in use at the moment may exceed the budget.
 *
 * The functions of this header may be called by any thread at any time. After a fork() the child
 * has budgets and usage of its own.
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
     * Bytes of decoded blocks, with what is stored beside each of them, of all arrays whose
     * tess_context.cache is TESS_CACHE_SHARED. One array takes at most a quarter, or 32 MiB if that
     * is more; what is at most is settled when the array is opened. While the budget is not used
     * up, arrays do not notice each other. 0: nothing is kept, and every write is encoded by the
     * call itself. Three quarters may be dirty (written, and not written back yet); an array gets
     * at most as much of that as it leaves to others. Default TESS_CACHE_BUDGET_DEFAULT.
     */
    int64_t cache;

    /**
     * Descriptors that the library may have open. 0: half of the limit of the process
     * (RLIMIT_NOFILE, the soft one) at the time when it is first needed, or set; the other half is
     * the program's. If open() fails because there are no more descriptors (EMFILE, ENFILE), some
     * of those that are not in use are closed, whatever the budget. Default 0.
     */
    int64_t files;
} tess_budgets;

/**
 * Default of tess_budgets.cache: 128 MiB. Up to four arrays have 32 MiB each then, as if they were
 * alone; more than that share it.
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
 * not dirty leave, and descriptors that are not in use are closed. Dirty blocks stay until their
 * arrays write them back.
 *
 * @param budgets  All of them; tess_process_get_budgets() gets those that are to stay.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (NULL, or a negative number), TESS_ERR_UNSUPPORTED (of newer
 * headers). After a failure all budgets are as they were.
 */
TESS_API TESS_NODISCARD tess_status tess_process_set_budgets(const tess_budgets *budgets,
                                                             tess_error *err);

/**
 * Get the budgets of the process, as they hold now: files is never 0.
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
    /** Bytes of decoded blocks that tess_budgets.cache limits, with what is stored beside them. */
    int64_t cache;
    int64_t cache_dirty; /**< of these, bytes of blocks that are not written back, or about to be */
    int64_t cache_own; /**< bytes of decoded blocks of arrays that have a budget of their own */
    int64_t files; /**< descriptors that tess_budgets.files limits */
    int64_t files_kept; /**< of these, descriptors of arrays that are open for writing */
    int64_t files_reopened; /**< how many times a file was opened again, since the process began */
} tess_usage;

/**
 * Get what the arrays of the process use. The numbers are of about the same moment; each is exact
 * while no call is running.
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
