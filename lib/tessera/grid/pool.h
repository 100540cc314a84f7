/*
 * pool.h - scratch memory that calls borrow and give back.
 *
 * It is the same for all arrays of the process: a scratch per array would be some blocks and the
 * contexts of codecs for each array that is open, used or not. What an array has is the limit of a
 * block. All scratch is freed with the last pool.
 *
 * Any number of threads may borrow at once; a scratch is for one of them.
 *
 * There is no lock: a slot holds a scratch that is not in use, and taking or giving it is one
 * atomic exchange. More than there are slots may be out at once; those that find no slot are freed.
 */
#ifndef GRID_POOL_H
#define GRID_POOL_H

#include "chunk/scratch.h"

struct pool;

struct pool *pool_new(int64_t limit); // for scratch_reserve(); NULL: no memory
void pool_free(struct pool *p); // all is given back; NULL: fine

struct chunk_scratch *pool_take(struct pool *p); // NULL: no memory
void pool_give(struct pool *p, struct chunk_scratch *s); // NULL: fine

#endif
