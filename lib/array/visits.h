/*
 * visits.h - the chunks that were opened last.
 *
 * Header and block table of a chunk are read and checked once, not by each request that meets it.
 * What is kept takes no more memory than agreed on, whatever the chunks are like.
 * A chunk that was opened before the frame's list of chunks changed is not found any more.
 */
#ifndef ARRAY_VISITS_H
#define ARRAY_VISITS_H

#include "array/visit.h"

struct visits;

// They may take a small part of what the cache may, and a little in any case. NULL: no memory.
struct visits *visits_new(int64_t cache_size);
void visits_free(struct visits *all); // NULL: fine

// Chunk n, held once: as it was opened last in this generation of the list, or opened now and kept,
// if it is small enough. The array's pool lends memory if it has to be read. all: the caller wants
// all of its blocks.
tess_status visits_open(const tess_array *a, int64_t n, bool all, struct visit **v,
                        tess_error *err);

#endif
