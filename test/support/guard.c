/*
 * guard.c - memory between two unmapped pages.
 */
#include "support/guard.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void
guard_init(struct guard *g, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (size / page + 1) * page;

    g->map_size = inner + 2 * page;
    g->map = mmap(NULL, g->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g->map == MAP_FAILED ||
        mprotect((uint8_t *)g->map + page, inner, PROT_READ | PROT_WRITE) != 0) {
        perror("guarded memory");
        abort();
    }
    g->start = (uint8_t *)g->map + page;
    g->end = g->start + inner;
}

void
guard_finish(struct guard *g)
{
    munmap(g->map, g->map_size);
}

uint8_t *
guard_tail(const struct guard *g, size_t size)
{
    assert(size <= (size_t)(g->end - g->start));
    return g->end - size;
}

uint8_t *
guard_end(const struct guard *g, size_t size, struct random *r)
{
    return random_below(r, 2) ? g->start : guard_tail(g, size);
}
