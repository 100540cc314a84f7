/*
 * memory.c - which allocator is used, and the calls of it.
 *
 * Allocations of libc's are not counted: two atomic additions for each pair of calls would cost as
 * much as malloc() does for small sizes. So the program's allocator must come before the first
 * allocation. Those of the program's are counted, so that it may be exchanged when none is left.
 */
#include "base/memory.h"

#include "base/checked.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum source {
    UNUSED, // nothing was allocated
    LIBC,
    CUSTOM,
    CHANGING, // for a few instructions
};

static struct {
    _Atomic(enum source) source;
    tess_allocator custom; // does not change while source is CUSTOM
    atomic_size_t live; // of the program's
} from;

static enum source
source_now(void)
{
    return atomic_load_explicit(&from.source, memory_order_acquire);
}

// At the first allocation; CUSTOM or LIBC.
static enum source
settle(void)
{
    enum source now = UNUSED;

    while (!atomic_compare_exchange_weak(&from.source, &now, LIBC) && now != LIBC && now != CUSTOM)
        now = UNUSED;
    return now == CUSTOM ? CUSTOM : LIBC;
}

static bool
is_custom(void)
{
    const enum source now = source_now();
    if (__builtin_expect(now == LIBC, 1))
        return false;
    return now == CUSTOM || settle() == CUSTOM;
}

static void *
custom_alloc(size_t size, size_t align)
{
    void *const memory = from.custom.alloc(size ? size : 1, align, from.custom.user);
    if (memory)
        atomic_fetch_add_explicit(&from.live, 1, memory_order_relaxed);
    return memory;
}

void *
mem_alloc(size_t size)
{
    return is_custom() ? custom_alloc(size, _Alignof(max_align_t)) : malloc(size);
}

void *
mem_zeroed(size_t n, size_t size)
{
    size_t all;

    if (!is_custom())
        return calloc(n, size);
    if (__builtin_mul_overflow(n, size, &all))
        return NULL;
    void *const memory = custom_alloc(all, _Alignof(max_align_t));
    return memory ? memset(memory, 0, all) : NULL;
}

void *
mem_aligned(size_t align, size_t size)
{
    return is_custom() ? custom_alloc(size, align) : aligned_alloc(align, size);
}

void *
mem_resize(void *memory, size_t size)
{
    if (!is_custom())
        return realloc(memory, size);
    if (!memory)
        return custom_alloc(size, _Alignof(max_align_t));
    return from.custom.resize(memory, size ? size : 1, from.custom.user);
}

void
mem_free(void *memory)
{
    if (!memory)
        return;
    if (source_now() != CUSTOM) {
        free(memory);
        return;
    }
    from.custom.free(memory, from.custom.user);
    atomic_fetch_sub_explicit(&from.live, 1, memory_order_release);
}

char *
mem_string_n(const char *s, size_t size)
{
    const size_t length = strnlen(s, size);
    char *const copy = mem_alloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, s, length);
    copy[length] = '\0';
    return copy;
}

char *
mem_string(const char *s)
{
    return mem_string_n(s, SIZE_MAX);
}

bool
mem_is_custom(void)
{
    return is_custom();
}

tess_status
mem_set_allocator(const tess_allocator *allocator, tess_error *err)
{
    enum source before = UNUSED;

    if (!atomic_compare_exchange_strong(&from.source, &before, CHANGING) &&
        (before != CUSTOM || !atomic_compare_exchange_strong(&from.source, &before, CHANGING)))
        return err_set(err, TESS_ERR_ARG, -1,
                       "the library has allocated memory already, without an allocator of the "
                       "program");
    const size_t live = atomic_load_explicit(&from.live, memory_order_acquire);
    if (live > 0) {
        atomic_store(&from.source, CUSTOM);
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu allocations of the allocator are in use: arrays, views and tuners must "
                       "be closed, and what the library allocated for the program be freed, before",
                       live);
    }
    if (allocator)
        from.custom = *allocator;
    atomic_store(&from.source, allocator ? CUSTOM : UNUSED);
    return TESS_OK;
}
