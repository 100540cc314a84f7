/*
 * guard.h - memory between two unmapped pages.
 *
 * A byte read or written before the start or behind the end kills the program, without a
 * sanitizer and in hand-written vector code too. One buffer serves many sizes: place what is
 * tested at one end or the other.
 */
#ifndef SUPPORT_GUARD_H
#define SUPPORT_GUARD_H

#include "support/random.h"

#include <stddef.h>
#include <stdint.h>

struct guard {
    uint8_t *start; // first byte that may be touched; the page before may not
    uint8_t *end; // first byte that may not
    void *map;
    size_t map_size;
};

// At least `size` bytes, all 0. Running out of memory ends the program.
void guard_init(struct guard *g, size_t size);
void guard_finish(struct guard *g);

// Where `size` bytes lie that end at the unmapped page.
uint8_t *guard_tail(const struct guard *g, size_t size);

// Where `size` bytes lie at one of the ends, which r draws.
uint8_t *guard_end(const struct guard *g, size_t size, struct random *r);

#endif
