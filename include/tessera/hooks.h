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

#ifdef __cplusplus
}
#endif

#endif
