/*
 * ours.c - lib/tessera/cache on a trace, as lib/tessera/array asks it.
 */
#include "simulate.h"

#include "../support.h"

#include "cache/cache.h"

enum { BLOCKSIZE = 64 };

struct outcome
simulate_tessera(const struct trace *t, int32_t nblocks)
{
    struct cache *const c = cache_new((int64_t)nblocks * BLOCKSIZE, BLOCKSIZE);
    struct outcome o = {0};

    if (!c)
        bench_die("no memory for a cache");
    for (int64_t i = 0; i < t->n; i++) {
        struct cached *place;
        struct cached *const b = cache_find_part(c, t->keys[i], 0, &place);
        if (i >= t->n / 2) {
            o.hits += b != NULL;
            o.loads += place != NULL;
        }
        cache_unpin(b ? b : place ? cache_add(c, place) : NULL);
    }
    cache_free(c);
    return o;
}
