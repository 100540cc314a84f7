/*
 * memory.h - all memory that the library allocates, from malloc() or from the program's allocator.
 *
 * Nothing else in lib calls malloc() and its likes (test/structure.py), and nothing has memory that
 * free() of libc would have to free. The command, lib/tess, is a program and uses libc's.
 *
 * Any thread. Which allocator it is, is one atomic: unused until the first allocation, then libc's
 * or the program's for good, or until nothing of the program's is left. With libc's, a call costs a
 * load and a branch; only the program's allocations are counted.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/error.h"

#include <tessera/hooks.h>

#include <stdbool.h>
#include <stddef.h>

#define MEM_MALLOC __attribute__((malloc, warn_unused_result))

// As malloc(), calloc(), aligned_alloc(), realloc(), free(), strdup() and strndup(). Size 0 is
// fine, and has an address of its own. An alignment is a power of two that divides the size; what
// has one is not resized.
MEM_MALLOC void *mem_alloc(size_t size);
MEM_MALLOC void *mem_zeroed(size_t n, size_t size);
MEM_MALLOC void *mem_aligned(size_t align, size_t size);
__attribute__((warn_unused_result)) void *mem_resize(void *memory, size_t size);
void mem_free(void *memory);
MEM_MALLOC char *mem_string(const char *s);
MEM_MALLOC char *mem_string_n(const char *s, size_t size);

// Whether the program's allocator is in use: libraries that take one are given mem_alloc() then.
bool mem_is_custom(void);

// Complete and copied; NULL: libc's. TESS_ERR_ARG: memory of another one is in use, or was.
tess_status mem_set_allocator(const tess_allocator *allocator, tess_error *err);

#endif
